// The menu "⋯": actions on what is shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { address, get, type Profile } from "./api";
import { isDiffPage, isModelPage, queryOf } from "./command";
import { fingerprint } from "./fingerprint";
import { showKeys } from "./keys";
import { hasPicture, savePicture } from "./picture";
import { current, defaultMetric, go, link, type State } from "./state";

const THEMES: [string, string][] = [["", "system"], ["light", "light"], ["dark", "dark"]];

// Pages that draw another question than a view.
const QUESTIONS = ["memory", "roofline"];

interface Export { format: string; title: string; view?: string; isShown: boolean }

function exports(state: State, profile: Profile): Export[] {
  const isDiff = isDiffPage(state);
  if (!isDiff && (QUESTIONS.includes(state.page) || isModelPage(state, profile))) return [];
  return [
    { format: "text", title: "Text", isShown: true },
    { format: "json", title: "JSON", isShown: true },
    { format: "csv", title: "CSV", isShown: true },
    { format: "pprof", title: "pprof (lines of Python)", view: "code", isShown: profile.has_code && !isDiff },
    { format: "timeline", title: "Timeline for Perfetto", view: "graph", isShown: profile.has_run && !isDiff },
  ].filter((e) => e.isShown);
}

function exportAddress(state: State, profile: Profile, e: Export): string {
  const query = queryOf(state, profile);
  if (!e.view) return address("export", { ...query, format: e.format });
  // A timeline is one of a step.
  const step = e.format === "timeline" ? state.values.step ?? profile.steps[0]?.step : query.step;
  return address("export", { p: query.p, step, view: e.view, format: e.format, 
    select: e.view === "code" ? defaultMetric(state, profile).word : undefined });
}

export function Menu({ state, profile }: { state: State; profile: Profile }) {
  const [isOpen, setOpen] = useState(false);
  const [copied, setCopied] = useState("");
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const open = () => setOpen(true);
    const leave = (e: Event) => { if (!root.current?.contains(e.target as Node)) setOpen(false); };
    addEventListener("tfprof-menu", open);
    addEventListener("pointerdown", leave);
    return () => {
      removeEventListener("tfprof-menu", open);
      removeEventListener("pointerdown", leave);
    };
  }, []);
  useEffect(() => {
    if (isOpen) root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const move = (e: KeyboardEvent) => {
    const items = [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const i = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: items[i + 1] ?? items[0], ArrowUp: items[i - 1] ?? items[items.length - 1], Home: items[0], End: items[items.length - 1] }[e.key];
    if (e.key === "Escape" || e.key === "Tab") close();
    else if (next) next.focus();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const copy = async (what: string | Promise<string>) => {
    close();
    setCopied(""); // the line of an earlier copy
    const text = await what;
    await navigator.clipboard?.writeText(text).catch(() => undefined);
    // Shown in any case: without a secure origin there is no clipboard.
    setCopied(text);
  };
  const copyCommand = () => copy(get<{ command: string }>("command", queryOf(current(), profile)).then((answer) => answer.command));
  const copyLink = () => copy(location.href.replace(/#.*$/, "") + link({ values: { f: fingerprint(profile) } }));
  const act = (what: () => unknown) => () => {
    close();
    what();
  };
  return (
    <div class="menu" ref={root} onKeyDown={isOpen ? move : undefined}>
      <button ref={button} type="button" aria-haspopup="menu" aria-expanded={isOpen} aria-label="more" onClick={() => setOpen(!isOpen)}>⋯</button>
      {isOpen && (
        <div role="menu" aria-label="more">
          <button role="menuitem" tabIndex={-1} onClick={copyCommand}>Copy as command</button>
          <button role="menuitem" tabIndex={-1} onClick={copyLink}>Copy link</button>
          {exports(state, profile).length > 0 && <hr />}
          {exports(state, profile).map((e) => (
            <a key={e.format} role="menuitem" tabIndex={-1} href={exportAddress(state, profile, e)} download="" onClick={close}>Save as {e.title}</a>
          ))}
          {hasPicture() && <button role="menuitem" tabIndex={-1} onClick={act(() => savePicture(document.title))}>Save picture as PNG</button>}
          <hr />
          {THEMES.map(([name, title]) => (
            <button key={name} role="menuitemradio" aria-checked={(state.values.theme ?? "") === name} tabIndex={-1}
              onClick={act(() => go({ values: { theme: name } }))}>Theme: {title}</button>
          ))}
          <hr />
          <button role="menuitem" tabIndex={-1} onClick={act(showKeys)}>Keys <kbd>?</kbd></button>
        </div>
      )}
      {copied && <Copied text={copied} onClose={() => setCopied("")} />}
    </div>
  );
}

function Copied({ text, onClose }: { text: string; onClose: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onClose, 8000);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="copied" role="status">
      <strong>Copied</strong> <code>{text}</code> <button type="button" onClick={onClose}>Close</button>
    </p>
  );
}
