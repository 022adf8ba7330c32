// A step of each of two profiles, one below the other, from its start and on one axis.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Profile, useApi } from "./api";
import { roundSteps } from "./axis";
import { shortName } from "./devices";
import { format, tick } from "./format";
import { link, type State } from "./state";
import type { Step } from "./step_panels";
import type { Lane, Lanes } from "./timeline_lines";
import { COLOURS, type Slices } from "./tiles";
import { Panel } from "./widgets";
import { useWidth } from "./width";

interface SlicesAnswer { lanes: Slices[]; ops: { name: string; family: string }[] }
interface View { from: number; until: number }
// A row of the picture: a lane of operations, or of threads.
interface Shown { lane: Lane; of?: "threads"; title: string }

const MAX_LANES = 4, LABEL = 150, ROW = 18, LEAST = 500, WAIT_MS = 150;

export function Timelines({ state, before, after }: { state: State; before: Step[]; after: Step[] }) {
  const known = [useNumbers(0), useNumbers(1)];
  // Steps that were found by what devices did may have no lanes of their own: then the first is shown.
  const steps = [before, after].map((all, p) => { const of = all.filter((s) => known[p]?.has(s.step)); return of.find((s) => String(s.step) === state.values.step)?.step ?? of[0]?.step; });
  const [a, b] = [useSide(0, steps[0]), useSide(1, steps[1])], end = Math.max(a?.end ?? 0, b?.end ?? 0);
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
  const heights = [a, b].map(({ rows }) => 24 + rows.reduce((sum, r) => sum + heightOf(r), 0)), height = 20 + heights[0] + heights[1];
  const zoom = (by: number) => { const middle = (shown.from + shown.until) / 2, half = ((shown.until - shown.from) / 2) * by; move({ from: middle - half, until: middle + half }); };
  return (
    <Panel title="Timelines from the start of a step" about={`step ${a.step} of A, step ${b.step} of B; Ctrl and the wheel, or + and −, zoom both, dragging moves both`} wide name="timelines"
      more={<>{[0, 1].map((p) => <a key={p} href={link({ page: "timeline", values: { p: String(p), diff: undefined } })}>{`Timeline of ${"AB"[p]}`}{p ? "" : " · "}</a>)}</>}>
      <svg ref={svg} class="pair-timelines" height={height} tabindex={0} role="group" aria-label={`step ${a.step} of A: ${format(a.wall, "micros")}; step ${b.step} of B: ${format(b.wall, "micros")}`}
        onKeyDown={(e) => { const by = { "+": 0.7, "-": 1 / 0.7 }[e.key], along = { ArrowLeft: -0.2, ArrowRight: 0.2 }[e.key], span = shown.until - shown.from; if (by) zoom(by); else if (along) move({ from: shown.from + along * span, until: shown.until + along * span }); else if (e.key === "0") setView(undefined); else return; e.preventDefault(); e.stopPropagation(); }}
        onPointerDown={(e) => { drag.current = { x: e.clientX, view: shown }; svg.current!.setPointerCapture(e.pointerId); }} onPointerUp={() => { drag.current = null; }}
        onPointerMove={(e) => { const d = drag.current; if (d) { const by = ((d.x - e.clientX) * (d.view.until - d.view.from)) / room; move({ from: d.view.from + by, until: d.view.until + by }); } }}>
        {roundSteps(shown.until - shown.from, 7).map((by) => <g key={by}><line class="grid" x1={x(shown.from + by)} x2={x(shown.from + by)} y1={16} y2={height} /><text x={x(shown.from + by) + 3} y={11}>{tick(Math.round(shown.from + by), "micros") || "0"}</text></g>)}
        <defs><pattern id="waits" width={7} height={7} patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width={2} height={7} /></pattern></defs>
        {[a, b].map((of, p) => <Side key={p} p={p} of={of} top={18 + (p ? heights[0] : 0)} view={asked} x={x} width={width} />)}
      </svg>
    </Panel>
  );
}

function useNumbers(p: number): Set<number> | undefined {
  const { data } = useApi<Profile>("profile", { p });
  return data && new Set(data.steps.map((s) => s.step));
}

// `begin`: when the step began, from where its lanes count; `end`: when all that belongs to it had ended.
interface OneSide { step: number; begin: number; wall: number; end: number; rows: Shown[] }

// Where a step is not known, it is what ran in it.
function useSide(p: number, step: number | undefined): OneSide | undefined {
  const { data: lanes } = useApi<Lanes>("lanes", { p, step }), { data: threads } = useApi<Lanes>("lanes", { p, step, of: "threads" });
  const lane = threads?.lanes.find((l) => l.device === "Steps" && l.name === "steps")?.lane;
  const { data } = useApi<SlicesAnswer>(lane === undefined ? null : "slices", { p, step, of: "threads", lane, until_lane: (lane ?? 0) + 1 });
  if (!lanes || !threads || (lane !== undefined && !data)) return undefined;
  const slices = data?.lanes[0], at = slices?.op.findIndex((op) => data!.ops[op].name === `step ${lanes.step}`) ?? -1;
  const begin = at < 0 ? 0 : slices!.x[at];
  return { step: lanes.step, begin, wall: at < 0 ? lanes.duration : slices!.w[at], end: lanes.duration - begin, rows: rowsOf(lanes, threads) };
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

const MAX_ROWS = 3;
const heightOf = ({ of, lane }: Shown) => ROW * (of ? 1 : Math.min(MAX_ROWS, lane.rows));

// The parts of the step, the busiest thread of tf.data, and the busiest lanes in their own order.
function rowsOf({ lanes }: Lanes, threads: Lanes | undefined): Shown[] {
  const busiest = [...lanes].filter((l) => l.executions > 0).sort((a, b) => b.busy - a.busy).slice(0, MAX_LANES);
  const parts = threads?.lanes.find((l) => l.device === "Steps" && l.name !== "steps" && l.executions > 0);
  const input = threads?.lanes.filter((l) => l.device === "tf.data" && l.executions > 0).sort((a, b) => b.busy - a.busy)[0];
  const above = [parts && { lane: parts, of: "threads" as const, title: "parts of the step" }, input && { lane: input, of: "threads" as const, title: "tf.data" }];
  return [...above.filter((r) => r !== undefined), ...lanes.filter((l) => busiest.includes(l)).map((lane) => ({ lane, title: `${shortName(lane.device)} ${lane.name}`.trim() }))];
}

interface SideProps { p: number; of: OneSide; top: number; view: View; x: (at: number) => number; width: number }

function Side({ p, of, top, view, x, width }: SideProps) {
  let y = top + 20;
  return (
    <g data-side={"AB"[p]}>
      <text class="side-name" x={0} y={top + 13}>{"AB"[p]}</text><rect class="step-ground" data-duration={of.wall} x={Math.max(LABEL, x(0))} y={top + 2} width={Math.max(0, x(of.wall) - Math.max(LABEL, x(0)))} height={15} />
      <text class="side-name" x={Math.max(LABEL, x(0)) + 4} y={top + 13}>step {of.step} · {format(of.wall, "micros")}</text>
      {of.rows.map((row) => {
        const at = y;
        y += heightOf(row);
        return <LaneRow key={`${row.of} ${row.lane.lane}`} p={p} step={of.step} row={row} y={at} begin={of.begin} view={view} x={x} width={width} />;
      })}
      <line class="step-end" x1={Math.max(LABEL, x(of.wall))} x2={Math.max(LABEL, x(of.wall))} y1={top} y2={y} />
    </g>
  );
}

const CHARACTER = 6.3;
const cut = (text: string, width: number) => (text.length * CHARACTER <= width ? text : width > 8 * CHARACTER ? `${text.slice(0, Math.floor(width / CHARACTER) - 1)}…` : "");

function LaneRow({ p, step, row: { lane, of, title }, y, begin, view, x, width }: { p: number; step: number; row: Shown; y: number; begin: number; view: View; x: (at: number) => number; width: number }) {
  const span = view.until - view.from;
  const { data } = useApi<SlicesAnswer>(span > 0 ? "slices" : null, { p, step, of, lane: lane.lane, until_lane: lane.lane + 1, from: Math.floor(begin + view.from), until: Math.ceil(begin + view.until), min: Math.floor(span / LEAST) });
  const slices = data?.lanes.find((s) => s.lane === lane.lane);
  // What threads do within something else is drawn over it.
  const rowOf = (i: number) => (of ? 0 : slices!.row[i]);
  return (
    <g data-row={title}>
      <text x={0} y={y + 12}><title>{title}</title>{title.length > 23 ? `${title.slice(0, 22)}…` : title}</text>
      {data && slices && slices.x.map((start, i) => {
        const left = Math.max(LABEL, x(start - begin)), right = Math.min(width, x(start - begin + slices.w[i])), busy = slices.n[i] > 1 && slices.w[i] > 0 ? Math.max(0.15, slices.busy[i] / slices.w[i]) : 1;
        if (right <= LABEL || left >= width || rowOf(i) >= MAX_ROWS) return null;
        const op = data.ops[slices.op[i]], shape = { x: left, width: Math.max(0.7, right - left), y: y + rowOf(i) * ROW + (ROW - 2) * (1 - busy), height: (ROW - 2) * busy };
        return (
          <g key={i} class="pair-slice" ref={(g) => { g?.style.setProperty("--fill", COLOURS[op.family] ?? COLOURS.control); }}>
            <title>{slices.n[i] > 1 ? `${slices.n[i]} executions, longest ${op.name}` : `${op.name}: ${format(slices.w[i], "micros")}`}</title>
            <rect {...shape} />{WAITS.has(op.family) && shape.width > 4 && <rect class="waits" {...shape} />}
            {slices.n[i] === 1 && <text x={left + 3} y={y + rowOf(i) * ROW + 12}>{cut(op.name, right - left - 6)}</text>}
          </g>
        );
      })}
    </g>
  );
}

const WAITS = new Set(["input", "runtime", "unknown"]);
