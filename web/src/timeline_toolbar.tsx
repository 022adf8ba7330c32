// What stands above the timeline: steps, ways to zoom, and the whole step with the window on it.
import { useRef } from "preact/hooks";
import { useApi, type Params, type Profile } from "./api";
import { format } from "./format";
import { showKeys } from "./keys";
import { isOff, link, replace, type State } from "./state";
import { LEFT, type View } from "./timeline_draw";
import type { Lanes } from "./timeline_lines";
import { Toggle } from "./widgets";

interface Actions { fit: () => void; frame: () => void; measure: () => void }

// `found`: how many executions are searched for or selected.
export function Toolbar({ state, profile, step, actions, found }: { state: State; profile: Profile; step: number; actions?: Actions; found?: number }) {
  const at = profile.steps.findIndex((s) => s.step === step), before = profile.steps[at - 1], after = profile.steps[at + 1];
  const to = (s: { step: number } | undefined) => (s ? link({ values: { step: String(s.step), zoom: undefined } }) : undefined);
  return (
    <div class="toolbar" role="toolbar" aria-label="timeline">
      {profile.steps.length > 1 && (
        <span class="group">
          <span class="button chosen">step {step} <small>of {profile.steps.length}</small></span>
          {before && <a class="button" href={to(before)} aria-label={`previous step, ${before.step}`}>‹</a>}
          {after && <a class="button" href={to(after)} aria-label={`next step, ${after.step}`}>›</a>}
        </span>
      )}
      {actions && (
        <>
          <button type="button" onClick={actions.fit}>Fit <kbd>0</kbd></button>
          <button type="button" onClick={actions.frame}>Selection <kbd>F</kbd></button>
          <button type="button" onClick={actions.measure}>Measure <kbd>M</kbd></button>
          {["flows", "gaps"].map((name) => <button key={name} type="button" class="switch-button" aria-pressed={!isOff(state, name)} onClick={() => replace({ values: { [name]: isOff(state, name) ? undefined : "0" } })}>{name === "flows" ? "Flows" : "Gaps"}</button>)}
          {found !== undefined && <output class="dim">{found.toLocaleString("en-US")} slice{found === 1 ? "" : "s"}</output>}
        </>
      )}
      {profile.steps.length > 1 && <Toggle state={state} name="side">steps side by side</Toggle>}
      <span class="dim hint">W A S D, drag: move · Shift: stretch</span>
      <button type="button" class="help" aria-label="keys" onClick={showKeys}>?</button>
    </div>
  );
}

const PARTS = 400, HIGH = 34;

// The whole step: how busy its devices are, and which part of it is shown. Drag to move.
export function Minimap({ title, lanes, params, view, duration, onMove }: { title: string; lanes: Lanes; params: Params; view: View; duration: number; onMove: (view: View) => void }) {
  const { data } = useApi<number[][]>("busy", { ...params, from: 0, until: duration, lane: 0, until_lane: lanes.total, n: PARTS });
  const held = useRef<number | undefined>(undefined), svg = useRef<SVGSVGElement>(null);
  const strips = data ?? [], n = strips[0]?.length ?? 0, high = HIGH / Math.max(1, strips.length);
  const path = strips.map((strip, row) => `M0 ${(row + 1) * high}` + strip.map((p, i) => `L${i} ${(row + 1) * high - (p * (high - 1)) / 100}H${i + 1}`).join("") + `L${n} ${(row + 1) * high}Z`).join("");
  const at = (e: PointerEvent) => {
    const box = svg.current!.getBoundingClientRect();
    return ((e.clientX - box.left) / box.width) * duration;
  };
  const span = view.until - view.from;
  const move = (e: PointerEvent) => {
    if (held.current === undefined) return;
    onMove({ from: at(e) - held.current, until: at(e) - held.current + span });
  };
  return (
    <div class="minimap">
      <p>{title} <small>{format(duration, "micros")}</small></p>
      <svg ref={svg} viewBox={`0 0 ${Math.max(1, n)} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true" data-left={LEFT}
        onPointerDown={(e) => {
          const t = at(e), isIn = t >= view.from && t <= view.until && span < duration;
          held.current = isIn ? t - view.from : span / 2;
          svg.current?.setPointerCapture(e.pointerId);
          if (!isIn) move(e);
        }}
        onPointerMove={move} onPointerUp={() => { held.current = undefined; }}>
        <path class="busy" d={path} />
        <rect class="window" x={(view.from / duration) * n} y={0.5} width={Math.max(1, (span / duration) * n)} height={HIGH - 1} />
      </svg>
    </div>
  );
}
