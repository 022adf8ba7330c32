// A step of each of two profiles, one below the other, from its start and on one axis.
import { useEffect, useRef, useState } from "preact/hooks";
import { useApi } from "./api";
import { roundSteps } from "./axis";
import { format, tick } from "./format";
import { link, type State } from "./state";
import type { Step } from "./step_panels";
import { COLOURS, type Slices } from "./tiles";
import { Panel } from "./widgets";
import { useWidth } from "./width";

interface Lane { lane: number; name: string; device: string; executions: number; busy: number; rows: number }
interface Lanes { step: number; duration: number; lanes: Lane[] }
interface SlicesAnswer { lanes: Slices[]; ops: { name: string; family: string }[] }
interface View { from: number; until: number }

const MAX_LANES = 5, LABEL = 150, ROW = 18, LEAST = 500, WAIT_MS = 150;

export function Timelines({ state, before, after }: { state: State; before: Step[]; after: Step[] }) {
  const steps = [before, after].map((of) => of.find((s) => String(s.step) === state.values.step)?.step ?? of[0]?.step);
  const [a, b] = [useLanes(0, steps[0]), useLanes(1, steps[1])], end = Math.max(a?.duration ?? 0, b?.duration ?? 0);
  const [view, setView] = useState<View>(), svg = useRef<SVGSVGElement>(null), width = useWidth(svg, 1100), drag = useRef<{ x: number; view: View } | null>(null);
  const shown = view ?? { from: 0, until: end }, asked = useLater(shown), room = Math.max(1, width - LABEL), x = (at: number) => LABEL + ((at - shown.from) * room) / Math.max(1, shown.until - shown.from);
  const move = ({ from, until }: View) => {
    const span = Math.min(end, Math.max(20, until - from)), start = Math.min(Math.max(0, from), end - span);
    setView({ from: start, until: start + span });
  };
  const current = useRef({ shown, move, room });
  current.current = { shown, move, room };
  const isReady = Boolean(a && b && end);
  useEffect(() => {
    const element = svg.current;
    if (!element) return;
    const wheel = (e: WheelEvent) => {
      if (!e.ctrlKey && !e.metaKey) return; // the page scrolls
      e.preventDefault();
      const { shown: { from, until }, move: to, room: wide } = current.current, by = Math.exp(e.deltaY / 400), at = from + ((e.clientX - element.getBoundingClientRect().left - LABEL) * (until - from)) / wide;
      to({ from: at - (at - from) * by, until: at + (until - at) * by });
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [isReady]);
  if (!a || !b || !end) return null;
  const sides = [lanesOf(a), lanesOf(b)], heights = sides.map((lanes) => 22 + lanes.reduce((sum, l) => sum + ROW * Math.min(3, l.rows), 0)), height = 20 + heights[0] + heights[1];
  const zoom = (by: number) => { const middle = (shown.from + shown.until) / 2, half = ((shown.until - shown.from) / 2) * by; move({ from: middle - half, until: middle + half }); };
  return (
    <Panel title="Timelines from the start of a step" about={`step ${a.step} of A, step ${b.step} of B; Ctrl and the wheel, or + and −, zoom both, dragging moves both`} wide name="timelines"
      more={<>{[0, 1].map((p) => <a key={p} href={link({ page: "timeline", values: { p: String(p), diff: undefined } })}>{`Timeline of ${"AB"[p]}`}{p ? "" : " · "}</a>)}</>}>
      <svg ref={svg} class="pair-timelines" height={height} tabindex={0} role="group" aria-label={`step ${a.step} of A: ${format(a.duration, "micros")}; step ${b.step} of B: ${format(b.duration, "micros")}`}
        onKeyDown={(e) => { const by = { "+": 0.7, "-": 1 / 0.7 }[e.key], along = { ArrowLeft: -0.2, ArrowRight: 0.2 }[e.key], span = shown.until - shown.from; if (by) zoom(by); else if (along) move({ from: shown.from + along * span, until: shown.until + along * span }); else if (e.key === "0") setView(undefined); else return; e.preventDefault(); e.stopPropagation(); }}
        onPointerDown={(e) => { drag.current = { x: e.clientX, view: shown }; svg.current!.setPointerCapture(e.pointerId); }} onPointerUp={() => { drag.current = null; }}
        onPointerMove={(e) => { const d = drag.current; if (d) { const by = ((d.x - e.clientX) * (d.view.until - d.view.from)) / room; move({ from: d.view.from + by, until: d.view.until + by }); } }}>
        {roundSteps(shown.until - shown.from, 7).map((by) => <g key={by}><line class="grid" x1={x(shown.from + by)} x2={x(shown.from + by)} y1={16} y2={height} /><text x={x(shown.from + by) + 3} y={11}>{tick(Math.round(shown.from + by), "micros") || "0"}</text></g>)}
        {sides.map((lanes, p) => <Side key={p} p={p} lanes={lanes} of={p ? b : a} top={18 + (p ? heights[0] : 0)} view={asked} x={x} width={width} />)}
      </svg>
    </Panel>
  );
}

function useLanes(p: number, step: number | undefined): Lanes | undefined {
  return useApi<Lanes>("lanes", { p, step }).data;
}

// What is asked for follows once the view rests.
function useLater(view: View): View {
  const [later, setLater] = useState(view);
  useEffect(() => {
    const timer = setTimeout(() => setLater(view), WAIT_MS);
    return () => clearTimeout(timer);
  }, [view.from, view.until]);
  return later;
}

// The busiest, in their own order.
function lanesOf({ lanes }: Lanes): Lane[] {
  const chosen = new Set([...lanes].filter((l) => l.executions > 0).sort((a, b) => b.busy - a.busy).slice(0, MAX_LANES));
  return lanes.filter((l) => chosen.has(l));
}

interface SideProps { p: number; lanes: Lane[]; of: Lanes; top: number; view: View; x: (at: number) => number; width: number }

function Side({ p, lanes, of, top, view, x, width }: SideProps) {
  let y = top + 20;
  return (
    <g data-side={"AB"[p]}>
      <text class="side-name" x={0} y={top + 13}>{"AB"[p]}</text><rect class="step-ground" data-duration={of.duration} x={Math.max(LABEL, x(0))} y={top + 2} width={Math.max(0, x(of.duration) - Math.max(LABEL, x(0)))} height={15} />
      <text class="side-name" x={Math.max(LABEL, x(0)) + 4} y={top + 13}>step {of.step} · {format(of.duration, "micros")}</text>
      {lanes.map((lane) => {
        const at = y;
        y += ROW * Math.min(3, lane.rows);
        return <LaneRow key={lane.lane} p={p} step={of.step} lane={lane} y={at} view={view} x={x} width={width} />;
      })}
      <line class="step-end" x1={Math.max(LABEL, x(of.duration))} x2={Math.max(LABEL, x(of.duration))} y1={top} y2={y} />
    </g>
  );
}

function LaneRow({ p, step, lane, y, view, x, width }: { p: number; step: number; lane: Lane; y: number; view: View; x: (at: number) => number; width: number }) {
  const span = view.until - view.from;
  const { data } = useApi<SlicesAnswer>(span > 0 ? "slices" : null, { p, step, lane: lane.lane, until_lane: lane.lane + 1, from: Math.floor(view.from), until: Math.ceil(view.until), min: Math.floor(span / LEAST) });
  const slices = data?.lanes.find((s) => s.lane === lane.lane), rows = Math.min(3, lane.rows), title = lane.name || lane.device;
  return (
    <g>
      <text x={0} y={y + 12}><title>{title}</title>{title.length > 22 ? `…${title.slice(-21)}` : title}</text>
      {data && slices && slices.x.map((start, i) => {
        const left = Math.max(LABEL, x(start)), right = Math.min(width, x(start + slices.w[i])), busy = slices.n[i] > 1 && slices.w[i] > 0 ? Math.max(0.15, slices.busy[i] / slices.w[i]) : 1;
        if (right <= LABEL || left >= width || slices.row[i] >= rows) return null;
        const op = data.ops[slices.op[i]];
        return (
          <g key={i} class="pair-slice" ref={(g) => { g?.style.setProperty("--fill", COLOURS[op.family] ?? COLOURS.control); }}>
            <title>{slices.n[i] > 1 ? `${slices.n[i]} executions, longest ${op.name}` : `${op.name}: ${format(slices.w[i], "micros")}`}</title>
            <rect x={left} width={Math.max(0.7, right - left)} y={y + slices.row[i] * ROW + (ROW - 2) * (1 - busy)} height={(ROW - 2) * busy} />
            {right - left > 7 * op.name.length + 6 && slices.n[i] === 1 && <text x={left + 3} y={y + slices.row[i] * ROW + 12}>{op.name}</text>}
          </g>
        );
      })}
    </g>
  );
}
