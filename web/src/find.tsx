// Find by regex: matches are marked on every page, and listed below the field.
import { useEffect, useRef, useState } from "preact/hooks";
import { useApi, type Profile, type Row, type Rows } from "./api";
import { format } from "./format";
import { defaultMetric, link, replace, requestParams, type State } from "./state";

interface Found { operations?: Rows; layers?: Rows; lines?: Rows }

const KINDS: { key: keyof Found; title: string; to: (row: Row) => string }[] = [
  { key: "operations", title: "Operations", to: (row) => link({ page: "operations", values: { sel: `op:${row.name}` } }) },
  { key: "layers", title: "Layers", to: (row) => link({ page: "layers", values: row.kids ? { root: String(row.row) } : { sel: `scope:${row.name}` } }) },
  { key: "lines", title: "Lines of Python", to: (row) => link({ page: "source", values: { root: String(row.row) } }) },
];

const WAIT_MS = 200;

export function Find({ state, profile }: { state: State; profile: Profile }) {
  const find = state.values.find ?? "";
  const [text, setText] = useState(find);
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const metric = defaultMetric(state, profile);
  const { data, error } = useApi<Found>(find ? "find" : null, { ...requestParams(state), metric_column: metric.column });
  useEffect(() => setText(find), [find]);
  useEffect(() => {
    if (text === find) return;
    const timer = setTimeout(() => replace({ values: { find: text } }), WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const focus = () => {
      input.current?.focus();
      input.current?.select();
    };
    addEventListener("tfprof-find", focus);
    return () => removeEventListener("tfprof-find", focus);
  }, []);
  const total = find && data ? KINDS.reduce((sum, k) => sum + (data[k.key]?.total ?? 0), 0) : 0;
  const leave = (e: FocusEvent) => { if (!root.current?.contains(e.relatedTarget as Node)) setOpen(false); };
  const key = (e: KeyboardEvent) => {
    const items = [...(root.current?.querySelectorAll<HTMLElement>("input, .found a") ?? [])];
    const i = items.indexOf(document.activeElement as HTMLElement);
    if (e.key === "ArrowDown") items[i + 1]?.focus();
    else if (e.key === "ArrowUp") items[i - 1]?.focus();
    else if (e.key === "Escape") {
      if (document.activeElement === input.current) setText("");
      input.current?.focus();
      setOpen(false);
    } else if (e.key === "Enter" && document.activeElement === input.current) {
      setOpen(false);
      stepMatch(1);
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div class="find" role="search" ref={root} onFocusOut={leave} onKeyDown={key}>
      <input ref={input} type="text" value={text} placeholder="find /" aria-label="find, a regular expression" spellcheck={false}
        aria-invalid={Boolean(find && error)} onFocus={() => setOpen(true)} onInput={(e) => { setText(e.currentTarget.value); setOpen(true); }} />
      {find && <span class="count" role="status">{error ? "!" : total.toLocaleString("en-US")}</span>}
      {isOpen && find && (
        <div class="found">
          {error && <p class="wrong">{error.message}</p>}
          {!error && data && total === 0 && <p>Nothing matches.</p>}
          {!error && data && KINDS.map(({ key: kind, title, to }) => data[kind]?.total ? (
            <section key={kind} aria-label={title}>
              <h2>{title} <small>{data[kind]!.total.toLocaleString("en-US")}</small></h2>
              {data[kind]!.rows.map((row) => (
                <a key={row.row} href={to(row)} title={row.name} onClick={() => setOpen(false)}><span>{row.name}</span>
                  <span class="num">{format((kind === "operations" ? row.own : row.total)[metric.column] ?? 0, metric.unit)}</span></a>
              ))}
            </section>
          ) : null)}
          {!error && Boolean(data?.layers?.total) && <a class="all" href={link({ values: { sel: `find:${find}` } })} onClick={() => setOpen(false)}>Select all nodes that match</a>}
        </div>
      )}
    </div>
  );
}

// For text that only the page has: whether it matches, by the rules of the server.
export function matcher(find: string | undefined): (text: string) => boolean {
  try {
    const regex = find ? new RegExp(find, /[A-Z]/.test(find) ? "s" : "si") : undefined;
    return (text) => Boolean(regex?.test(text));
  } catch {
    return () => false; // the server names what is wrong
  }
}

const STEP = "tfprof-step";

// For pages whose matches are drawn, not elements: `act` goes to the next or previous one.
export function useMatchStep(act: ((step: 1 | -1) => void) | undefined): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const step = (e: Event) => {
      if (!latest.current) return;
      e.preventDefault();
      latest.current((e as CustomEvent<1 | -1>).detail);
    };
    addEventListener(STEP, step);
    return () => removeEventListener(STEP, step);
  }, []);
}

// Moves the focus to the next match on the page, or the previous one.
export function stepMatch(step: 1 | -1): void {
  if (!dispatchEvent(new CustomEvent(STEP, { detail: step, cancelable: true }))) return;
  const marked = [...document.querySelectorAll<HTMLElement>("main .match")];
  if (!marked.length) return;
  const i = marked.findIndex((m) => m.contains(document.activeElement));
  const next = marked[(i + step + marked.length) % marked.length] ?? marked[0];
  const target = next.matches("[tabindex]") ? next : next.querySelector<HTMLElement>("a, button, [tabindex]") ?? next;
  if (target === next && !next.matches("[tabindex]")) next.tabIndex = -1;
  target.focus();
  next.scrollIntoView({ block: "nearest" });
}
