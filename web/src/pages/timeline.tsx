// What ran when, on which lane.
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { get, useApi, type Family } from "../api";
import { format, percent } from "../format";
import { link, replace } from "../state";
import { Dot, Empty, Num, Problem, remedy, Share } from "../widgets";
import { familyTitle } from "../families";

interface Lane { lane: number; device: string; kind: string; number: number; name: string; executions: number; busy: number }
interface Lanes { duration: number; total: number; lanes: Lane[] }
interface Slices { lane: number; x: number[]; w: number[]; node: number[]; n: number[]; busy: number[]; op: string[]; family: string[]; name: string[] }
interface Sums { micros: number; executions: number; operations: { name: string; family: string; micros: number; executions: number }[] }

const LEFT = 150;
const TOP = 22;
const LANE = 24;

interface View { from: number; until: number }

export function Timeline({ state, profile }: PageProps) {
  const params = { p: state.values.p, step: state.values.step ?? (profile.steps[0] ? String(profile.steps[0].step) : undefined) };
  const { data, error } = useApi<Lanes>(profile.has_run ? "lanes" : null, params);
  if (!profile.has_run)
    return <Empty what="This profile holds no times." how={remedy(profile, "times")} />;
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (!data.lanes.length) return <Empty what="Nothing ran in this step." how="Choose another step." />;
  return <Chart key={JSON.stringify(params)} lanes={data} params={params} zoom={state.values.zoom} families={profile.families} />;
}

function parseZoom(text: string | undefined, duration: number): View {
  const [from, until] = (text ?? "").split("-").map(Number);
  return from >= 0 && until > from ? { from, until } : { from: 0, until: duration };
}

function Chart({ lanes, params, zoom, families }: { lanes: Lanes; params: Record<string, string | undefined>; zoom?: string; families: Family[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(1000);
  const [slices, setSlices] = useState<Slices[]>([]);
  const [hover, setHover] = useState<{ lane: number; i: number }>();
  const [drag, setDrag] = useState<View>();
  const [chosen, setChosen] = useState<View>();
  const view = parseZoom(zoom, lanes.duration);
  const span = view.until - view.from;
  const scale = (width - LEFT) / span;
  const shown = lanes.lanes.slice(0, 200);
  const height = TOP + shown.length * LANE + 4;

  useEffect(() => {
    const measure = () => setWidth(canvas.current?.parentElement?.clientWidth ?? 1000);
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);

  // Asks for the stretch shown, at two pixels per slice, in steps of powers of two.
  const min = 2 ** Math.floor(Math.log2(Math.max(1, (2 * span) / (width - LEFT))));
  const block = 2 ** Math.ceil(Math.log2(span));
  const from = Math.max(0, Math.floor(view.from / block) * block);
  const until = Math.min(lanes.duration, from + 2 * block);
  useEffect(() => {
    let current = true;
    get<Slices[]>("slices", { ...params, lane: 0, until_lane: shown.length, from, until, min: min <= 2 ? 0 : min })
      .then((answer) => { if (current) setSlices(answer); }, () => undefined);
    return () => { current = false; };
  }, [from, until, min, shown.length]);

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !canvas.current) return;
    draw(context, canvas.current, { width, height, view, scale, slices, shown, drag: drag ?? chosen, hover });
  });

  const time = (x: number) => Math.min(lanes.duration, Math.max(0, view.from + (x - LEFT) / scale));
  const set = (next: View) => {
    const size = Math.min(lanes.duration, Math.max(20, next.until - next.from));
    const start = Math.min(lanes.duration - size, Math.max(0, next.from));
    replace({ values: { zoom: size >= lanes.duration ? undefined : `${Math.round(start)}-${Math.round(start + size)}` } });
  };
  const zoomAt = (at: number, factor: number) => set({ from: at - (at - view.from) * factor, until: at + (view.until - at) * factor });
  const find = (x: number, y: number) => {
    const lane = Math.floor((y - TOP) / LANE);
    const at = view.from + (x - LEFT) / scale;
    const row = slices[lane];
    const i = row ? row.x.findIndex((start, k) => start <= at && at < start + Math.max(row.w[k], 2 / scale)) : -1;
    return i >= 0 && x > LEFT ? { lane, i } : undefined;
  };
  const key = (e: KeyboardEvent) => {
    const middle = (view.from + view.until) / 2;
    const act: Record<string, () => void> = {
      w: () => zoomAt(middle, 0.5), s: () => zoomAt(middle, 2), "+": () => zoomAt(middle, 0.5), "-": () => zoomAt(middle, 2),
      a: () => set({ from: view.from - span / 4, until: view.until - span / 4 }),
      d: () => set({ from: view.from + span / 4, until: view.until + span / 4 }),
      f: () => chosen && set(chosen), "0": () => set({ from: 0, until: lanes.duration }),
    };
    if (!act[e.key]) return;
    act[e.key]();
    e.preventDefault();
  };
  const point = (e: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const told = hover && slices[hover.lane];
  return (
    <>
      <h1>{format(lanes.duration, "micros")} <small>on {lanes.total} lane{lanes.total === 1 ? "" : "s"}</small></h1>
      <p class="facts">W A S D move and zoom · drag selects · F shows the selection · 0 shows all</p>
      <div>
        <canvas ref={canvas} tabIndex={0} role="img" aria-label={`timeline of ${lanes.total} lanes, ${format(lanes.duration, "micros")}`}
          onKeyDown={key}
          onWheel={(e) => { e.preventDefault(); const { x } = point(e); if (e.shiftKey) set({ from: view.from + (e.deltaY || e.deltaX) / scale, until: view.until + (e.deltaY || e.deltaX) / scale }); else zoomAt(time(x), e.deltaY > 0 ? 1.25 : 0.8); }}
          onMouseDown={(e) => { const t = time(point(e).x); setDrag({ from: t, until: t }); }}
          onMouseMove={(e) => { const { x, y } = point(e); if (drag) setDrag({ from: drag.from, until: time(x) }); else setHover(find(x, y)); }}
          onMouseUp={() => { if (drag && Math.abs(drag.until - drag.from) * scale > 3) setChosen({ from: Math.min(drag.from, drag.until), until: Math.max(drag.from, drag.until) }); else setChosen(undefined); setDrag(undefined); }}
          onMouseLeave={() => { setHover(undefined); setDrag(undefined); }} />
      </div>
      <p class="told" aria-live="polite">
        {told && hover ? (told.n[hover.i] > 1
          ? `${told.n[hover.i]} operations in ${format(told.w[hover.i], "micros")}, ${percent(told.busy[hover.i], told.w[hover.i])} busy, longest ${told.op[hover.i]}`
          : `${told.name[hover.i]} (${told.op[hover.i]}): ${format(told.w[hover.i], "micros")} from ${format(told.x[hover.i], "micros")}`) : " "}
      </p>
      <ul class="legend">
        {families.map((f) => <li key={f.name}><Dot family={f.name} title={f.title} />{f.title}</li>)}
      </ul>
      <Totals params={params} view={chosen ?? view} lanes={lanes} isChosen={!!chosen} />
    </>
  );
}

function Totals({ params, view, lanes, isChosen }: { params: Record<string, string | undefined>; view: View; lanes: Lanes; isChosen: boolean }) {
  const { data, error } = useApi<Sums>("sums", { ...params, lane: 0, until_lane: lanes.total, from: Math.round(view.from), until: Math.round(view.until) });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  return (
    <section class="panel">
      <h2>{isChosen ? "Selected" : "Shown"}: {format(Math.round(view.from), "micros")} – {format(Math.round(view.until), "micros")} ({data.executions.toLocaleString("en-US")} executions, {format(data.micros, "micros")})</h2>
      <table class="numbers">
        <thead><tr><th scope="col">operation</th><th scope="col">time</th><th scope="col">share</th><th scope="col">executions</th></tr></thead>
        <tbody>
          {data.operations.slice(0, 15).map((o) => (
            <tr key={o.name}>
              <th scope="row"><Dot family={o.family} title={familyTitle(o.family)} /><a href={link({ page: "operations", values: { sel: `op:${o.name}` } })}>{o.name}</a></th>
              <td><Num value={o.micros} unit="micros" /></td>
              <td><Share part={o.micros} whole={data.micros} /></td>
              <td><Num value={o.executions} unit="count" /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const COLOURS: Record<string, string> = { matrix: "#4c78c8", element: "#e69f3c", reduction: "#3ba38b", copy: "#c77dba",
  variable: "#8a7f6a", communication: "#d1605e", control: "#9aa4b0" };

interface Picture { width: number; height: number; view: View; scale: number; slices: Slices[]; shown: Lane[]; drag?: View; hover?: { lane: number; i: number } }

function draw(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, p: Picture): void {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== p.width * ratio || canvas.height !== p.height * ratio) {
    canvas.width = p.width * ratio;
    canvas.height = p.height * ratio;
    canvas.style.width = `${p.width}px`;
    canvas.style.height = `${p.height}px`;
  }
  const style = getComputedStyle(document.documentElement);
  const text = style.getPropertyValue("--text"), dim = style.getPropertyValue("--dim"), line = style.getPropertyValue("--line");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, p.width, p.height);
  context.font = "11px system-ui, sans-serif";
  drawAxis(context, p, dim, line);
  p.shown.forEach((lane, i) => {
    const y = TOP + i * LANE;
    context.fillStyle = lane.number === 0 ? text : dim;
    const device = lane.device.replace(/^.*\/(device:)?/, "");
    context.fillText(lane.number === 0 ? device.slice(-22) : "", 4, y + 15);
    // A thread or stream of a trace has a name, which stands beside that of its device.
    const left = lane.number === 0 ? 10 + context.measureText(device.slice(-22)).width : 14;
    context.fillStyle = dim;
    context.fillText(lane.name ? lane.name.slice(0, lane.number ? 21 : 15) : lane.number ? `lane ${lane.number}` : "", left, y + 15);
    drawLane(context, p, p.slices[i], y);
  });
  if (p.drag) {
    const a = LEFT + (p.drag.from - p.view.from) * p.scale, b = LEFT + (p.drag.until - p.view.from) * p.scale;
    context.fillStyle = "rgba(80, 140, 255, .25)";
    context.fillRect(Math.max(LEFT, Math.min(a, b)), TOP, Math.abs(b - a), p.height - TOP);
  }
}

function drawAxis(context: CanvasRenderingContext2D, p: Picture, dim: string, line: string): void {
  const span = p.view.until - p.view.from;
  const raw = span / 6;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = base * ([1, 2, 5, 10].find((f) => base * f >= raw) ?? 10);
  for (let t = Math.ceil(p.view.from / step) * step; t <= p.view.until; t += step) {
    const x = LEFT + (t - p.view.from) * p.scale;
    context.fillStyle = line;
    context.fillRect(x, TOP - 6, 1, p.height);
    context.fillStyle = dim;
    context.fillText(format(Math.round(t), "micros"), x + 3, 11);
  }
}

// Joined slices are as high as they are busy, so that none looks like one execution.
function drawLane(context: CanvasRenderingContext2D, p: Picture, row: Slices | undefined, y: number): void {
  if (!row) return;
  const height = LANE - 4;
  for (let i = 0; i < row.x.length; i++) {
    const end = row.x[i] + row.w[i];
    if (end < p.view.from || row.x[i] > p.view.until) continue;
    const x = Math.max(LEFT, LEFT + (row.x[i] - p.view.from) * p.scale);
    const w = Math.max(1, Math.min(p.width, LEFT + (end - p.view.from) * p.scale) - x - 0.5);
    const busy = row.n[i] > 1 && row.w[i] > 0 ? Math.max(0.15, row.busy[i] / row.w[i]) : 1;
    context.fillStyle = COLOURS[row.family[i]] ?? COLOURS.control;
    context.fillRect(x, y + height * (1 - busy), w, height * busy);
    if (w > 30 && row.n[i] === 1) {
      context.fillStyle = "#000";
      const room = Math.floor((w - 6) / 6.2);
      context.fillText(row.op[i].length > room ? row.op[i].slice(0, room - 1) + "…" : row.op[i], x + 3, y + 14);
    }
    if (p.hover && p.hover.i === i && p.slices[p.hover.lane] === row) {
      context.strokeStyle = "#fff";
      context.strokeRect(x + 0.5, y + 0.5, w - 1, height - 1);
    }
  }
}
