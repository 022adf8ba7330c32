// Where a step goes, and how long each takes: the answer of the question step, drawn.
import { useAsk, type Profile, type Table } from "./api";
import { format } from "./format";
import { link, type State } from "./state";
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

const chosenOf = (state: State, steps: Step[]) => steps.filter((s) => String(s.step) === state.values.step);
const steadyOf = (steps: Step[]) => (steps.some((s) => s.isSteady) ? steps.filter((s) => s.isSteady) : steps);

export function StepBar({ state, steps }: { state: State; steps: Step[] }) {
  const chosen = chosenOf(state, steps), shown = chosen.length ? chosen : steadyOf(steps);
  if (!shown.length) return null;
  const wall = shown.reduce((sum, s) => sum + s.wall, 0) / shown.length, parts = meanParts(shown);
  const about = chosen.length ? `step ${chosen[0].step}; every moment counted once`
    : shown.length === 1 ? `step ${shown[0].step}; every moment counted once` : `average of ${shown.length} steps; every moment counted once`;
  return (
    <Panel title="Where a step goes" about={about} name="step-parts" more={<a href={link({ page: "timeline" })}>Timeline</a>}>
      <ul class="step-bar" aria-label={`${format(wall, "micros")}: ${parts.map((p) => `${p.name} ${format(p.micros, "micros")}`).join(", ")}`}>
        {parts.map((p) => (
          <li key={p.name} class={`part-${p.name}`} data-micros={p.micros} ref={(li) => { if (li) li.style.flexGrow = String(p.micros / wall); }}>
            {p.micros / wall > 0.12 ? `${WORDS[p.name] ?? p.name} ${format(p.micros, "micros")}` : ""}</li>
        ))}
      </ul>
      <p class="bar-scale"><span>0</span><strong>{format(wall, "micros")}</strong></p>
      <ul class="step-list">
        {parts.map((p) => (
          <li key={p.name}>
            <p><span class={`dot part-${p.name}`} /> {WORDS[p.name] ?? p.name}</p>
            <p><strong class="num">{format(p.micros, "micros")}</strong> <small>{Math.round((100 * p.micros) / wall) || "< 1"} %</small></p>
            {p.causes[0] && <p class="cause" title={p.causes.slice(0, 8).map((c) => `${format(c.micros, "micros")} ${c.name}`).join("\n")}>{p.causes[0].name}</p>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const HEIGHT = 96, SLOT = 14, MAX_STEPS = 120, CUT = 1.5;

// A bar for each step, as high as it took long; what is left out as warm-up stands on grey.
export function EveryStep({ state, steps }: { state: State; steps: Step[] }) {
  if (steps.length < 2) return null;
  const steady = steadyOf(steps), at = Math.max(0, steps.findIndex((s) => String(s.step) === state.values.step));
  const first = Math.max(0, Math.min(at - MAX_STEPS / 2, steps.length - MAX_STEPS)), shown = steps.slice(first, first + MAX_STEPS);
  const most = Math.max(...steady.map((s) => s.wall)), scale = Math.min(Math.max(...shown.map((s) => s.wall)), CUT * most) || 1;
  const mean = steady.reduce((sum, s) => sum + s.wall, 0) / steady.length, y = (micros: number) => HEIGHT - (HEIGHT * Math.min(micros, scale)) / scale;
  const least = Math.min(...steady.map((s) => s.wall)), left = steps.length - steady.length;
  return (
    <Panel title="Every step" about={<>{left > 0 && <span class="warm-up">warm-up</span>} {format(least, "micros")} … {format(most, "micros")}; click chooses</>} name="every-step"
      more={chosenOf(state, steps).length > 0 && <a href={link({ values: { step: undefined } })}>all steps</a>}>
      <svg class="every" viewBox={`0 0 ${shown.length * SLOT} ${HEIGHT + 16}`} preserveAspectRatio="xMinYMid meet" role="group" aria-label="time of each step">
        {shown.map((s, i) => {
          let top = HEIGHT;
          const cut = s.wall > scale ? scale / s.wall : 1;
          return (
            <a key={s.step} href={link({ values: { step: String(s.step) } })} aria-label={`step ${s.step}: ${format(s.wall, "micros")}${s.isSteady ? "" : ", left out of averages"}`}
              class={String(s.step) === state.values.step ? "on" : undefined} data-wall={s.wall}>
              <title>{`step ${s.step}: ${format(s.wall, "micros")}${s.isSteady ? "" : ", left out of averages"}${s.gap > 0 ? `; ${format(s.gap, "micros")} before it` : ""}`}</title>
              <rect class={s.isSteady ? "ground" : "ground warm"} x={i * SLOT} y={0} width={SLOT} height={HEIGHT} />
              {s.parts.map((p) => {
                const high = (HEIGHT * p.micros * cut) / scale;
                top -= high;
                return <rect key={p.name} class={`part-${p.name}`} x={i * SLOT + 2} y={top} width={SLOT - 4} height={high} />;
              })}
              {s.wall > scale && <path class="break" d={`M${i * SLOT} 12 l${SLOT} -5 v4 l${-SLOT} 5 z`} />}
              {(shown.length <= 24 || s.step % 10 === 0) && <text x={i * SLOT + SLOT / 2} y={HEIGHT + 12}>{s.step}</text>}
            </a>
          );
        })}
        <line class="mean" x1={0} x2={shown.length * SLOT} y1={y(mean)} y2={y(mean)} />
      </svg>
    </Panel>
  );
}

// Which steps numbers speak of.
export function aboutSteps(state: State, profile: Profile): string {
  if (state.values.step !== undefined) return `step ${state.values.step}`;
  return profile.steps.length === 1 ? `step ${profile.steps[0].step}` : `average of ${profile.steps.length} steps`;
}
