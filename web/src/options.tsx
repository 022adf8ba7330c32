// The options of queries as a form: no flag needs to be known, each is named below its field.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, useApi, type Profile, type Rows } from "./api";
import { format, percent } from "./format";
import { defaultMetric, go, isOn, link, ON_BY_DEFAULT, type State } from "./state";

interface OptionInfo { name: string; kind: string; default: string; help: string }

// What the form shows: the option, what to call it, and which list completes it.
const TEXTS: { name: string; title: string; completes: string }[] = [
  { name: "account_type_regexes", title: "Count only types", completes: "types" },
  { name: "show_name_regexes", title: "Show only names", completes: "names" },
  { name: "hide_name_regexes", title: "Hide names", completes: "names" },
  { name: "trim_name_regexes", title: "Hide everything below names", completes: "names" },
  { name: "start_name_regexes", title: "Start at names", completes: "names" },
];

const CHECKS: { name: string; title: string }[] = [
  { name: "fold_gradients", title: "Gradients with their forward layer" },
  { name: "only_my_code", title: "Only my code" },
  { name: "account_displayed_op_only", title: "Add up only what is shown" },
  { name: "executed_types", title: "Group by the operation that ran" },
];

// A minimum as a share of the whole, in percent.
const SHARES = [0, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];

const RESET: Record<string, undefined> = Object.fromEntries([...TEXTS, ...CHECKS].map((o) => [o.name, undefined]));

interface Preset { title: string; page: string; values: Record<string, string | undefined> }

const PRESETS: Preset[] = [
  { title: "Time and memory", page: "operations", values: { metric: undefined, sort: undefined } },
  { title: "Trainable parameters", page: "layers", values: { metric: "params", account_type_regexes: "_trainable_variables" } },
  { title: "Float operations", page: "layers", values: { metric: "float_ops" } },
  { title: "Slowest lines", page: "source", values: { metric: "micros" } },
];

export function openOptions(): void {
  dispatchEvent(new Event("tfprof-options"));
}

export function Options({ state, profile }: { state: State; profile: Profile }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    addEventListener("tfprof-options", open);
    return () => removeEventListener("tfprof-options", open);
  }, []);
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
  }, [isOpen]);
  const n = [...TEXTS, ...CHECKS].filter((o) => state.values[o.name] !== undefined).length + minimums(state).length;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} title="options (o)">options{n > 0 && <span class="count">{n}</span>}</button>
      {isOpen && (
        <dialog ref={dialog} class="options" aria-label="options" onClose={() => setOpen(false)}>
          <Form state={state} profile={profile} close={() => dialog.current?.close()} />
        </dialog>
      )}
    </>
  );
}

function minimums(state: State): string[] {
  return Object.keys(state.values).filter((name) => name.startsWith("min_"));
}

function Form({ state, profile, close }: { state: State; profile: Profile; close: () => void }) {
  const { data: infos } = useApi<OptionInfo[]>("options");
  const { data: types } = useApi<Rows>("rows", { p: state.values.p, view: "op", limit: 500 });
  const { data: names } = useApi<Rows>("rows", { p: state.values.p, view: "scope", limit: 500, fold_gradients: "true" });
  const metric = defaultMetric(state, profile);
  const minimum = `min_${metric.word}`;
  const whole = profile.root.total[metric.column] ?? 0;
  const [values, setValues] = useState<Record<string, string | undefined>>(state.values);
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const set = (name: string, value: string | undefined) => setValues((old) => ({ ...old, [name]: value }));
  const say = (name: string, text: string) => setWrong((old) => ({ ...old, [name]: text }));
  const help = (name: string) => infos?.find((o) => o.name === name)?.help ?? "";
  const share = whole > 0 ? (100 * Number(values[minimum] ?? 0)) / whole : 0;
  const at = SHARES.reduce((best, s, i) => (Math.abs(s - share) < Math.abs(SHARES[best] - share) ? i : best), 0);
  const apply = (e: Event) => {
    e.preventDefault();
    if (Object.values(wrong).some(Boolean)) return;
    const change: Record<string, string | undefined> = { root: undefined };
    for (const name of [...TEXTS, ...CHECKS].map((o) => o.name).concat(minimum)) change[name] = values[name];
    go({ values: change });
    close();
  };
  return (
    <form onSubmit={apply}>
      <h2>Presets</h2>
      <p class="presets">
        {PRESETS.filter((p) => p.page !== "source" || profile.has_code).map((p) => (
          <a key={p.title} class="button" href={link({ page: p.page, values: { ...RESET, ...p.values } })} onClick={close}>{p.title}</a>
        ))}
      </p>
      <h2>Options</h2>
      <label>
        <span>Hide below {SHARES[at]}% {SHARES[at] > 0 && `(${format(Number(values[minimum] ?? 0), metric.unit)} ${metric.title})`}</span>
        <input type="range" min={0} max={SHARES.length - 1} step={1} value={at} aria-valuetext={percent(SHARES[at], 100)}
          onInput={(e) => set(minimum, String(Math.round((SHARES[Number(e.currentTarget.value)] * whole) / 100) || ""))} />
        <small><code>--{minimum}</code> {help(minimum)}</small>
      </label>
      {TEXTS.map((o) => (
        <RegexField key={o.name} {...o} value={values[o.name] ?? ""} help={help(o.name)} wrong={wrong[o.name] ?? ""}
          onChange={(v) => set(o.name, v || undefined)} onChecked={(text) => say(o.name, text)} />
      ))}
      {CHECKS.map((o) => {
        const byDefault = ON_BY_DEFAULT.includes(o.name);
        const isChecked = byDefault ? isOn({ ...state, values: values as Record<string, string> }, o.name) : values[o.name] === "true";
        return (
          <label key={o.name} class="check">
            <span><input type="checkbox" checked={isChecked}
              onChange={(e) => set(o.name, e.currentTarget.checked === byDefault ? undefined : String(e.currentTarget.checked))} /> {o.title}</span>
            <small><code>--{o.name}</code> {help(o.name)}</small>
          </label>
        );
      })}
      <datalist id="types">{types?.rows.map((r) => <option key={r.name} value={r.name} />)}</datalist>
      <datalist id="names">{names?.rows.map((r) => <option key={r.name} value={`${r.name}.*`} />)}</datalist>
      <p class="buttons">
        <a class="button" href={link({ values: { ...RESET, ...Object.fromEntries(minimums(state).map((m) => [m, undefined])) } })} onClick={close}>Reset</a>
        <button type="button" onClick={close}>Cancel</button>
        <button type="submit" class="primary" disabled={Object.values(wrong).some(Boolean)}>Apply</button>
      </p>
    </form>
  );
}

interface FieldProps { name: string; title: string; completes: string; value: string; help: string; wrong: string;
  onChange: (value: string) => void; onChecked: (text: string) => void }

function RegexField({ name, title, completes, value, help, wrong, onChange, onChecked }: FieldProps) {
  useEffect(() => {
    const timer = setTimeout(async () => {
      const { text } = value ? await get<{ text?: string }>("check", { name, value }) : { text: "" };
      onChecked(text ?? "");
    }, 150);
    return () => clearTimeout(timer);
  }, [value]);
  return (
    <label>
      <span>{title}</span>
      <input type="text" list={completes} value={value} spellcheck={false} placeholder="regular expressions, separated by commas"
        aria-invalid={Boolean(wrong)} aria-describedby={`${name}-wrong`} onInput={(e) => onChange(e.currentTarget.value)} />
      <span class="wrong" id={`${name}-wrong`} role="status">{wrong}</span>
      <small><code>--{name}</code> {help}</small>
    </label>
  );
}
