// Where a step goes, and how long each takes: the answer of the question step, drawn.
import { useEffect, useRef, useState } from "preact/hooks";
import { roundSteps } from "./axis";
import { isWhole, useApi, useAsk, type Profile, type Table } from "./api";
import { familyTitle } from "./families";
import { elide, format, percent, tick } from "./format";
import { link, type State } from "./state";
import { placeCard } from "./timeline_hover";
import { Panel } from "./widgets";

interface StepRow { step: number | null; wall_micros: number | null; gap_micros: number | null; steady: boolean | null; micros: number | null; hidden_micros: number | null; share: number | null }
interface StepFields { steps_by: string; wall_micros: number | null; gap_micros: number | null; steady: number; left_out: number }
export type StepAnswer = Table<StepRow> & StepFields;

export interface Part { name: string; micros: number; causes: { name: string; micros: number }[] }
export interface Step { step: number; wall: number; gap: number; isSteady: boolean; parts: Part[] }

// Causes are many: of few steps they are shown.
const MAX_EXPLAINED = 24;

export function useSteps(state: State, profile: Profile) {
  return useAsk<StepRow, StepFields>(profile.has_run ? "step" : null, { p: state.values.p, max_depth: profile.steps.length <= MAX_EXPLAINED ? 4 : 3 });
}

export function stepsOf(answer: StepAnswer): Step[] {
  const steps: Step[] = [], byId = new Map<number, Step>(), parts = new Map<number, Part>();
  for (const n of answer.nodes) {
    if (n.depth === 1 && n.step !== null) {
      const step = { step: n.step, wall: n.wall_micros ?? 0, gap: n.gap_micros ?? 0, isSteady: n.steady !== false, parts: [] };
      steps.push(step);
      byId.set(n.id, step);
    } else if (n.depth === 2 && n.micros !== null && n.name !== "gap") {
      const part = { name: n.name, micros: n.micros, causes: [] };
      byId.get(n.parent!)?.parts.push(part);
      parts.set(n.id, part);
    } else if (n.depth === 3 && n.micros !== null) parts.get(n.parent!)?.causes.push({ name: n.name, micros: n.micros });
  }
  return steps;
}

// The parts of some steps, per step, the largest first: they add up to the wall.
export function meanParts(steps: Step[]): Part[] {
  const all = new Map<string, Part>();
  for (const part of steps.flatMap((s) => s.parts)) {
    const sum = all.get(part.name) ?? { name: part.name, micros: 0, causes: [] };
    sum.micros += part.micros / steps.length;
    for (const cause of part.causes) {
      const same = sum.causes.find((c) => c.name === cause.name);
      if (same) same.micros += cause.micros / steps.length;
      else sum.causes.push({ ...cause, micros: cause.micros / steps.length });
    }
    all.set(part.name, sum);
  }
  for (const part of all.values()) part.causes.sort((a, b) => b.micros - a.micros);
  return [...all.values()].filter((p) => p.micros > 0).sort((a, b) => b.micros - a.micros);
}

export const WORDS: Record<string, string> = { input: "waiting for input", python: "Python", runtime: "nothing runs", copy: "copies", callback: "callbacks" };

// Steps by the clock of a device are the bar's alone: other pages know only those of the profile.
export const choiceOf = (profile: Profile, step: number): Record<string, string | undefined> =>
  (profile.steps.some((s) => s.step === step) ? { step: String(step), bar: undefined } : { step: undefined, bar: String(step) });

export const chosenOf = (state: State, steps: Step[]) => steps.filter((s) => String(s.step) === (state.values.bar ?? state.values.step));
export const steadyOf = (steps: Step[]) => (steps.some((s) => s.isSteady) ? steps.filter((s) => s.isSteady) : steps);

// What computing went to in each step, by family of operations; "": not known.
interface Kinds { step: number; kinds: Record<string, number> }

export function StepBar({ state, profile, steps }: { state: State; profile: Profile; steps: Step[] }) {
  const { data: kinds } = useApi<Kinds[]>("kinds", { p: state.values.p });
  const [hover, setHover] = useState<{ part: Part; left: number; top: number }>();
  const chosen = chosenOf(state, steps), shown = chosen.length ? chosen : steadyOf(steps);
  if (!shown.length) return null;
  const wall = shown.reduce((sum, s) => sum + s.wall, 0) / shown.length, parts = meanParts(shown), numbers = new Set(shown.map((s) => s.step));
  const about = chosen.length ? `step ${chosen[0].step}; every moment counted once`
    : shown.length === 1 ? `step ${shown[0].step}; every moment counted once` : `average of ${shown.length} steps; every moment counted once`;
  const split = splitOf((kinds ?? []).filter((k) => numbers.has(k.step)), shown.length);
  // The step with most of it: the timeline goes to its longest piece there.
  const hrefOf = (part: Part) => {
    const micros = (s: Step) => s.parts.find((p) => p.name === part.name)?.micros ?? 0;
    const { step } = choiceOf(profile, shown.reduce((a, b) => (micros(b) > micros(a) ? b : a)).step);
    return link({ page: "timeline", values: step === undefined ? {} : { step, part: part.name } });
  };
  const over = (part: Part) => ({ onMouseMove: (e: MouseEvent) => setHover({ part, left: e.clientX, top: e.clientY }), onMouseLeave: () => setHover(undefined) });
  return (
    <Panel title="Where a step goes" about={about} name="step-parts" more={<a href={link({ page: "timeline" })}>Timeline</a>}>
      <ul class="step-bar" aria-label={`${format(wall, "micros")}: ${parts.map((p) => `${p.name} ${format(p.micros, "micros")}`).join(", ")}`}>
        {parts.map((p) => (
          <li key={p.name} class={`part-${p.name}`} data-micros={p.micros} ref={grow(p.micros / wall)} {...over(p)} onClick={() => { location.hash = hrefOf(p); }}>
            {p.name === "compute" && split.length > 0
              ? split.map(({ kind, micros }) => <span key={kind} class={kind ? `family-${kind}` : "part-other"} data-kind={kind} data-micros={micros} ref={grow(micros / p.micros)}>
                  {micros / wall > 0.1 ? `${kind ? familyTitle(kind) : "other computing"} ${format(micros, "micros")}` : ""}</span>)
              : p.micros / wall > 0.1 && <span ref={grow(1)}>{WORDS[p.name] ?? p.name} {format(p.micros, "micros")}</span>}</li>
        ))}
      </ul>
      <p class="bar-scale"><span>0</span>{roundSteps(wall, 8).slice(1).filter((t) => t < 0.86 * wall).map((t) => <span key={t} ref={(at) => { if (at) at.style.left = `${(100 * t) / wall}%`; }}>{tick(t, "micros")}</span>)}<strong>{format(wall, "micros")}</strong></p>
      <ul class="step-list">
        {parts.map((p) => (
          <li key={p.name} {...over(p)}>
            <p><a href={hrefOf(p)}><span class={`dot part-${p.name}`} /> {WORDS[p.name] ?? p.name}</a></p>
            <p><strong class="num">{format(p.micros, "micros")}</strong> <small>{Math.round((100 * p.micros) / wall) || "< 1"} %</small></p>
            {p.causes[0] && <p class="cause">{elide(p.causes[0].name, 22)}</p>}
          </li>
        ))}
      </ul>
      {split.length > 1 && <ul class="legend kinds">{split.map(({ kind, micros }) => <li key={kind}><span class={kind ? `dot family-${kind}` : "dot part-other"} />{kind ? familyTitle(kind) : "other"} <span class="num">{format(micros, "micros")}</span></li>)}</ul>}
      {hover && <PartCard {...hover} wall={wall}/>}
    </Panel>
  );
}

const grow = (share: number) => (part: HTMLElement | null) => { if (part) part.style.flexGrow = String(share); };

// The mean of some steps, the largest first.
function splitOf(kinds: Kinds[], n: number): { kind: string; micros: number }[] {
  const sums = new Map<string, number>();
  for (const step of kinds) for (const [kind, micros] of Object.entries(step.kinds)) sums.set(kind, (sums.get(kind) ?? 0) + micros / n);
  return [...sums].map(([kind, micros]) => ({ kind, micros })).sort((a, b) => b.micros - a.micros);
}

// What a part went to, at the cursor.
function PartCard({ part, left, top, wall }: { part: Part; left: number; top: number; wall: number }) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => placeCard(card.current, left, top));
  return (
    <div class="hover-card" ref={card} role="tooltip">
      <strong>{WORDS[part.name] ?? part.name}</strong>
      <p class="dim">{format(part.micros, "micros")}, {percent(part.micros, wall)} of the step</p>
      <dl class="facts-list">{part.causes.slice(0, 8).map((c) => <div key={c.name}><dt>{elide(c.name, 52)}</dt><dd>{format(c.micros, "micros")}</dd></div>)}</dl>
    </div>
  );
}

// Which steps numbers speak of.
export function aboutSteps(state: State, profile: Profile): string {
  if (isWhole(profile)) return "whole recording";
  if (state.values.step !== undefined) return `step ${state.values.step}`;
  return profile.steps.length === 1 ? `step ${profile.steps[0].step}` : `average of ${profile.steps.length} steps`;
}
