// What to change: findings of the advisor, each with what it costs, what to do and a way to its
// evidence.
import type { PageProps } from "./app";
import { useApi, type Profile } from "./api";
import { matcher } from "./find";
import { cutFront, format, spaced } from "./format";
import { adviceParams, go, isSet, link, type State } from "./state";
import { lastPart } from "./tree";
import { Panel, Problem } from "./widgets";

interface Place { device?: string; node?: string; op?: string; line?: string; micros?: number; bytes?: number }
export interface Finding { checker: string; what: string; level: string; confidence: string; text: string; remedy?: string; step?: number;
  stake?: { micros?: number; bytes?: number; share?: number }; where?: Place[] }
export interface Advice { checkers: { name: string; findings?: Omit<Finding, "checker">[]; reason?: string; remark?: string }[] }

const ORDER = ["high", "warning", "notice", "none"];

// The worst first.
export function findingsOf(advice: Advice): Finding[] {
  const found = advice.checkers.flatMap((c) => (c.findings ?? []).map((f) => ({ ...f, checker: c.name })));
  return found.sort((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
}

interface Door { text: string; title: string; href: string }

// Where a place is seen best.
function doorOf(place: Place, step: number | undefined): Door | undefined {
  const line = /^(.*?:\d+):/.exec(place.line ?? "")?.[1];
  if (place.node) {
    const name = place.node.replace(/:MEMCPY.*$/, ""); // copies are named after what they copy
    return { text: cutFront(name, 44), title: place.node, href: link({ page: "graph", values: { sel: `node:${name}`, around: name } }) };
  }
  if (line) return { text: line, title: place.line!, href: link({ page: "source", values: { sel: `line:${line}` } }) };
  if (place.op) return { text: place.op, title: place.op, href: link({ page: "operations", values: { sel: `op:${place.op}` } }) };
  if (place.device) return { text: lastPart(place.device).replace("device:", ""), title: place.device, href: link({ page: "timeline", values: { step: step === undefined ? undefined : String(step) } }) };
  return undefined;
}

const doorsOf = (finding: Finding): Door[] =>
  (finding.where ?? []).flatMap((p) => doorOf(p, finding.step) ?? []).filter((d, i, all) => all.findIndex((o) => o.href === d.href) === i);

export function Places({ finding, limit = 12 }: { finding: Finding; limit?: number }) {
  const doors = doorsOf(finding);
  if (!doors.length) return null;
  return <p class="doors">{doors.slice(0, limit).map((d, i) => <span key={d.href}>{i > 0 && " · "}<a href={d.href} title={d.title}>{d.text}</a></span>)}
    {doors.length > limit && ` and ${doors.length - limit} more`}</p>;
}

// What checkers say, with the page's numbers and names of devices.
export function inWords(text: string): string {
  return spaced(text.replace(/\/[^\s,;]*?device:([a-z]+:\d+)(?:\/stream:all)?/gi, (_, device: string) => device.toLowerCase()).replace(/^device: /, ""));
}

// The first statement is what one has to know.
function What({ text }: { text: string }) {
  const words = inWords(text), end = words.search(/[;\n]/);
  return <p class="what" data-text={text}>{end < 0 ? words : <><strong>{words.slice(0, end)}</strong><span class="why">{words.slice(end)}</span></>}</p>;
}

const EVIDENCE: Record<string, string> = { timeline: "Show on the timeline", source: "Show the line", operations: "Show the operation", graph: "Show in the graph" };

// To the evidence: only the first finding's is filled.
function Evidence({ finding, isFirst }: { finding: Finding; isFirst: boolean }) {
  const door = doorsOf(finding)[0], page = door && /^#\/(\w+)/.exec(door.href)?.[1];
  if (!door) return null;
  return <p class="evidence"><a class={isFirst ? "button filled" : "button"} href={door.href}>{EVIDENCE[page ?? ""] ?? "Show"}</a></p>;
}

// The advisor takes about 4 us per node, which would delay the overview of a very large profile.
const MAX_ADVISED_NODES = 50000;
const MAX_SHOWN = 6;

// Checkers that look at the whole recording, not at steps.
const OF_RECORDING = ["AcceleratorUtilizationChecker"];

// What can be saved at most: of a step, of the recording, or of memory.
function Stake({ finding: { stake, checker } }: { finding: Finding }) {
  const whole = OF_RECORDING.includes(checker) ? "the recording" : "a step";
  if (!stake?.micros && !stake?.bytes) return <span class="stake" />;
  const share = stake.share ? Math.round(100 * stake.share) : 0;
  return <span class={`stake ${share >= 20 ? "high" : share >= 10 ? "some" : ""}`}><small>up to</small> <strong>{stake.micros ? format(stake.micros, "micros") : format(stake.bytes!, "bytes")}</strong>
    <small>{stake.micros && share > 0 ? `${share} % of ${whole}` : stake.micros ? "per step" : ""}</small></span>;
}

export function Findings({ state, profile }: PageProps) {
  const isAsked = profile.nodes <= MAX_ADVISED_NODES || isSet(state, "checks");
  const { data, error } = useApi<Advice>(isAsked ? "advice" : null, { p: state.values.p, ...adviceParams(state) });
  const all = data ? findingsOf(data) : [], found = all.filter((f) => f.level !== "none"), notes = all.filter((f) => f.level === "none");
  const matches = matcher(state.values.find), isMatch = (f: Finding) => matches(`${f.text}\n${f.remedy ?? ""}`);
  const given = Object.keys(adviceParams(state));
  const passed = data?.checkers.filter((c) => !c.reason && !(c.findings ?? []).some((f) => f.level !== "none")).length ?? 0, idle = data?.checkers.filter((c) => c.reason).length ?? 0;
  return (
    <Panel title="What to change first" name={data && !found.length && !isSet(state, "checks") ? "advice nothing" : "advice"} about={data && (found.length ? `${found.length} finding${found.length > 1 ? "s" : ""}, all steps` : "all steps")}
      more={data && <a href={link({ values: { checks: isSet(state, "checks") ? undefined : "1" } })}>{passed} checks passed · {idle} not applicable</a>}>
      {error && <Problem error={error} />}
      {!isAsked && <p><a class="button" href={link({ values: { checks: "1" } })}>Run the advisor</a></p>}
      {given.length > 0 && (
        <p class="facts">with {given.map((name, i) => <span key={name}>{i > 0 && ", "}<code>{name}={state.values[name]}</code></span>)} ·{" "}
          <a href={link({ values: Object.fromEntries(given.map((name) => [name, undefined])) })}>Reset the options of all checkers</a></p>
      )}
      {data && !found.length && <p class="dim">No check found anything to change.</p>}
      <ul class="findings">
        {found.slice(0, isSet(state, "checks") ? found.length : MAX_SHOWN).map((f, i) => (
          <li key={i} tabIndex={-1} class={`level-${f.level} ${isMatch(f) ? "match" : ""}`}>
            <Stake finding={f} />
            <div><What text={f.text} />{f.remedy && <p class="do"><span class="dim">Do</span> {f.remedy}</p>}<Places finding={f} limit={3} /></div>
            <Evidence finding={f} isFirst={i === 0} />
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN && !isSet(state, "checks") && <p><a href={link({ values: { checks: "1" } })}>{found.length - MAX_SHOWN} more</a></p>}
      {notes.length > 0 && (
        <details open={isSet(state, "checks") || notes.some(isMatch)}>
          <summary class="dim">{notes.length} more {notes.length === 1 ? "fact" : "facts"}, nothing to change</summary>
          <ul class="findings">{notes.map((f, i) => <li key={i} tabIndex={-1} class={`level-none ${isMatch(f) ? "match" : ""}`}><span class="stake" /><div><What text={f.text} /><Places finding={f} limit={3} /></div></li>)}</ul>
        </details>
      )}
      {isSet(state, "checks") && <Checkers advice={data} state={state} profile={profile} />}
    </Panel>
  );
}

interface Checker { name: string; help: string; options: { name: string; default: string; help: string }[] }

// The outcome of a checker.
function outcome(advice: Advice | undefined, name: string): string {
  const ran = advice?.checkers.find((c) => c.name === name), n = ran?.findings?.length ?? 0;
  if (!ran) return "";
  return n ? `${n} finding${n > 1 ? "s" : ""}` : ran.reason ? `not applicable: ${(ran.remark ?? ran.reason).replace(/ Skip \w+$/, "")}` : "nothing found";
}

// All checks, with options: they run again when one is changed.
function Checkers({ advice, state }: { advice?: Advice; state: State; profile: Profile }) {
  const { data: checkers } = useApi<Checker[]>("checkers");
  return (
    <>
      <h2>Checks and their options</h2>
      <div class="checkers">
        {(checkers ?? []).map((c) => {
          const isChanged = c.options.some((o) => state.values[`${c.name}.${o.name}`] !== undefined);
          return (
            <details key={c.name} open={isChanged}>
              <summary><code>{c.name}</code> <span class="dim">{outcome(advice, c.name)}</span></summary>
              <p>{c.help}</p>
              {c.options.map((o) => <Field key={o.name} state={state} name={`${c.name}.${o.name}`} title={o.name} byDefault={o.default} help={o.help} />)}
              {c.options.length === 0 && <p class="dim">It has no options.</p>}
            </details>
          );
        })}
      </div>
    </>
  );
}

// The checker runs again when the field is left or Enter is pressed.
function Field({ state, name, title, byDefault, help }: { state: State; name: string; title: string; byDefault: string; help: string }) {
  const value = state.values[name];
  const set = (text: string) => {
    const wanted = text.trim() === "" || text.trim() === byDefault ? undefined : text.trim();
    if (wanted !== value) go({ values: { [name]: wanted } });
  };
  return (
    <label class={value === undefined ? "setting" : "setting changed"}>
      <code>{title}</code>
      <input type="text" value={value ?? byDefault} spellcheck={false} onChange={(e) => set(e.currentTarget.value)}
        onKeyDown={(e) => { if (e.key === "Enter") set(e.currentTarget.value); }} />
      <small>{help}{value !== undefined && ` Default: ${byDefault}.`}</small>
    </label>
  );
}
