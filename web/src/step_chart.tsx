// A bar for each step, as high as it took long; what is left out as warm-up stands on grey, and
// long times between steps are gaps of their own.
import { useRef } from "preact/hooks";
import { roundSteps } from "./axis";
import { format, tick } from "./format";
import type { Profile } from "./api";
import { link, type State } from "./state";
import { choiceOf, chosenOf, steadyOf, type Step } from "./step_panels";
import { Panel } from "./widgets";
import { useSize } from "./width";

const HEIGHT = 132, TOP = 10, BOTTOM = 18, RIGHT = 52, MAX_STEPS = 120, MAX_BAR = 34, CUT = 1.5;
const GAP_SHARE = 0.25; // of a step: shorter ones would be noise

export function EveryStep({ state, profile, steps }: { state: State; profile: Profile; steps: Step[] }) {
  const frame = useRef<HTMLDivElement>(null), { width } = useSize(frame, { width: 400, height: HEIGHT });
  if (steps.length < 2) return null;
  const steady = steadyOf(steps), chosen = chosenOf(state, steps)[0], at = chosen ? steps.indexOf(chosen) : 0;
  const first = Math.max(0, Math.min(at - MAX_STEPS / 2, steps.length - MAX_STEPS)), shown = steps.slice(first, first + MAX_STEPS);
  const most = Math.max(...steady.map((s) => s.wall)), least = Math.min(...steady.map((s) => s.wall)), left = steps.length - steady.length;
  const scale = 1.08 * Math.min(Math.max(...shown.map((s) => s.wall)), CUT * most) || 1;
  const mean = steady.reduce((sum, s) => sum + s.wall, 0) / steady.length, high = HEIGHT - TOP - BOTTOM, y = (micros: number) => TOP + high - (high * Math.min(micros, scale)) / scale;
  const hasGap = (s: Step) => s.gap > GAP_SHARE * mean, slots = shown.length + shown.filter((s, i) => i > 0 && hasGap(s)).length;
  const slot = Math.min(MAX_BAR, (width - RIGHT) / slots), bar = Math.max(1, slot - (slot > 6 ? Math.min(6, slot / 4) : 0.5)), end = width - RIGHT;
  const every = Math.ceil(28 / slot), label = [1, 2, 5, 10, 20, 50, 100].find((n) => n >= every) ?? 100;
  let column = 0;
  return (
    <Panel title="Every step" about={<>{left > 0 && <><span class="warm-up">warm-up</span> set apart; </>}{format(least, "micros")} … {format(most, "micros")}; click chooses</>} name="every-step"
      more={chosen && <a href={link({ values: { step: undefined, bar: undefined } })}>all steps</a>}>
      <div ref={frame}>
        <svg class="every" viewBox={`0 0 ${Math.max(width, 60)} ${HEIGHT}`} width={width} height={HEIGHT} role="group" aria-label="time of each step">
          {roundSteps(scale, 3).slice(1).map((t) => <g key={t}><line class="grid" x1={0} x2={end} y1={y(t)} y2={y(t)} /><text class="scale" x={end + 6} y={y(t) + 4}>{tick(t, "micros")}</text></g>)}
          {shown.map((s, i) => {
            const before = i > 0 && hasGap(s) ? column++ : undefined, x = column++ * slot;
            let top = TOP + high;
            const cut = s.wall > scale ? scale / s.wall : 1, title = `step ${s.step}: ${format(s.wall, "micros")}${s.isSteady ? "" : ", left out of averages"}${s.gap > 0 ? `; ${format(s.gap, "micros")} before it` : ""}`;
            return (
              <g key={s.step}>
                {before !== undefined && <rect class="gap" x={before * slot + 1} y={y(s.gap)} width={Math.max(1, bar - 2)} height={TOP + high - y(s.gap)}><title>{`${format(s.gap, "micros")} between steps`}</title></rect>}
                <a href={link({ values: choiceOf(profile, s.step) })} aria-label={title} class={s === chosen ? "on" : undefined} data-wall={s.wall}>
                  <title>{title}</title>
                  <rect class={s.isSteady ? "ground" : "ground warm"} x={x - (slot - bar) / 2} y={0} width={slot} height={TOP + high} />
                  {s.parts.map((p) => {
                    const tall = (high * p.micros * cut) / scale;
                    top -= tall;
                    return <rect key={p.name} class={`part-${p.name}`} x={x} y={top} width={bar} height={tall} />;
                  })}
                  {s.wall > scale && <path class="break" d={`M${x} ${TOP + 14} l${bar} -6 v5 l${-bar} 6 z`} />}
                </a>
                {(s.step % label === 0 || shown.length * 28 < width) && <text x={x + bar / 2} y={HEIGHT - 4} aria-hidden="true">{s.step}</text>}
              </g>
            );
          })}
          <line class="mean" x1={0} x2={end} y1={y(mean)} y2={y(mean)} />
        </svg>
      </div>
    </Panel>
  );
}
