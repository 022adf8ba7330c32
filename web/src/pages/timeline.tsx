// What ran when, on which lane; what memory was in use; what a stretch of time adds up to.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { defaultMetric } from "../metrics";
import { useApi, type Profile } from "../api";
import type { Selection } from "../details";
import { shortName } from "../devices";
import { familyTitle } from "../families";
import { format, percent } from "../format";
import { parseTerm, select, Selected } from "../selection";
import { link, go, replace, requestParams, type State } from "../state";
import { LANE, Tiles, type Slice } from "../tiles";
import { drawTimeline, LEFT, TOP, type Curve, type Line, type View } from "../timeline_draw";
import { Dot, Empty, Num, Problem, remedy, Share } from "../widgets";
import { useWidth } from "../width";

interface Lane { lane: number; device: string; kind: string; number: number; name: string; executions: number; busy: number }
interface Lanes { step: number; duration: number; total: number; lanes: Lane[] }
interface Sums { micros: number; executions: number; operations: { name: string; family: string; micros: number; executions: number }[] }
interface Holder { node: number; name: string; family: string; bytes: number }
interface Flow { role: "self" | "input" | "consumer"; node: number; name: string; lane: number; x: number; w: number }
interface Device { title: string; name: string; lanes: Lane[] }

const MAX_OPEN = 8;
const DEVICE = 36;
const MEMORY = 52;
const REST_MS = 150;
const MAX_ARROWS = 60;

export function Timeline({ state, profile }: PageProps) {
  const params: Record<string, string | undefined> = { ...requestParams(state), step: state.values.step ?? (profile.steps[0] ? String(profile.steps[0].step) : undefined) };
  const { data, error } = useApi<Lanes>(profile.has_run ? "lanes" : null, params);
  if (!profile.has_run)
    return <Empty what="This profile holds no times." how={remedy(profile, "times")} />;
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (!data.lanes.length || data.duration <= 0) return <Empty what="Nothing ran in this step." how="Choose another step." />;
  return <Chart key={`${params.p} ${data.step}`} lanes={data} params={params} state={state} profile={profile} />;
}

function parseZoom(text: string | undefined, duration: number): View {
  const [from, until] = (text ?? "").split("-").map(Number);
  return from >= 0 && until > from ? { from, until } : { from: 0, until: duration };
}

// The stretch of the shown step that is selected.
function stretchOf(state: State, step: number): View | undefined {
  const match = /^(\d+),(\d+)-(\d+)$/.exec(state.values.sel ? parseTerm(state.values.sel).value : "");
  return match && Number(match[1]) === step ? { from: Number(match[2]), until: Number(match[3]) } : undefined;
}

function devicesOf(lanes: Lane[]): Device[] {
  const devices: Device[] = [];
  for (const lane of lanes) {
    if (lane.number === 0) devices.push({ name: lane.device, title: shortName(lane.device), lanes: [] });
    devices[devices.length - 1]?.lanes.push(lane);
  }
  return devices;
}

// Which rows there are: closed devices keep their strip.
function linesOf(devices: Device[], closed: Set<number>, curves: Curve[], duration: number): Line[] {
  const lines: Line[] = [];
  let y = TOP;
  const push = (line: Line) => { lines.push(line); y += line.height; };
  devices.forEach((device, i) => {
    const busy = device.lanes.reduce((sum, l) => sum + l.busy, 0);
    const isOpen = !closed.has(i), share = Math.round((100 * busy) / (duration * device.lanes.length));
    if (device.lanes.length === 1) push({ kind: "lane", y, height: LANE, lane: device.lanes[0].lane, title: device.title, share: `${share} %` });
    else push({ kind: "device", y, height: DEVICE, device: i, title: device.title, isOpen, nLanes: device.lanes.length,
      share: `${share} % busy${isOpen ? "" : `, ${device.lanes.length} lanes`}` });
    if (isOpen && device.lanes.length > 1) for (const lane of device.lanes) push({ kind: "lane", y, height: LANE, lane: lane.lane, title: lane.name || `lane ${lane.number}` });
    const curve = curves.findIndex((c) => c.device === device.name);
    if (curve >= 0) push({ kind: "memory", y, height: MEMORY, curve, peak: `peak ${format(curves[curve].peak, "bytes")}` });
  });
  return lines;
}

// A value once it has not changed for a while: what is asked for does not follow every frame.
function useRested<T>(value: T, key: string): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return rested;
}

// The nodes that gave a tensor to each run of the selected one, and those that took one from it.
function pairsOf(flows: Flow[]): [Flow, Flow][] {
  const pairs: [Flow, Flow][] = [];
  for (const self of flows.filter((f) => f.role === "self")) {
    const last = new Map<number, Flow>(), first = new Map<number, Flow>();
    for (const f of flows) {
      if (f.role === "input" && f.x <= self.x && f.x >= (last.get(f.node)?.x ?? -Infinity)) last.set(f.node, f);
      if (f.role === "consumer" && f.x >= self.x && f.x < (first.get(f.node)?.x ?? Infinity)) first.set(f.node, f);
    }
    for (const f of last.values()) pairs.push([f, self]);
    for (const f of first.values()) pairs.push([self, f]);
  }
  return pairs.slice(0, MAX_ARROWS);
}

// The middle of a lane, or of the strip of its device if that is closed.
function middleOf(lane: number, lines: Line[], devices: Device[]): number {
  const line = lines.find((l) => l.kind === "lane" && l.lane === lane)
    ?? lines.find((l) => l.kind === "device" && devices[l.device].lanes.some((d) => d.lane === lane));
  return line ? line.y + Math.min(line.height, LANE - 4) / 2 : 0;
}

interface ChartProps { lanes: Lanes; params: Record<string, string | undefined>; state: State; profile: Profile }

function Chart({ lanes, params, state, profile }: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null), frame = useRef<HTMLDivElement>(null);
  const width = Math.max(LEFT + 100, useWidth(frame, 1000));
  const [, redraw] = useState(0);
  const [hover, setHover] = useState<Slice>();
  const [drag, setDrag] = useState<View>();
  const [measure, setMeasure] = useState<View & { isDone: boolean }>();
  const pointer = useRef<number | undefined>(undefined); // the time below the mouse
  const { duration } = lanes, { sel, find } = state.values, marked = sel ?? (find ? `find:${find}` : undefined);
  const view = parseZoom(state.values.zoom, duration), span = view.until - view.from, scale = (width - LEFT) / span;
  const devices = useMemo(() => devicesOf(lanes.lanes), [lanes]);
  const toggled = new Set((state.values.lanes ?? "").split(",").filter(Boolean).map(Number));
  const closed = new Set(devices.flatMap((d, i) => (d.lanes.length > MAX_OPEN) !== toggled.has(i) ? [i] : []));
  const tiles = useMemo(() => new Tiles({ ...params, find: undefined, sel: marked }, duration, lanes.total, () => redraw((n) => n + 1)), [lanes, marked]);
  const term = sel ? parseTerm(sel) : undefined;
  const flows = useApi<Flow[]>(term?.kind === "node" ? "flows" : null, { p: params.p, step: params.step, node: term?.value });
  const pairs = term?.kind === "node" ? pairsOf(flows.data ?? []) : [];
  // Strips and curves are asked for in steps, so that panning does not ask anew each time.
  const block = 2 ** Math.ceil(Math.log2(span)), from = Math.floor(view.from / block) * block, shown = span === duration ? view : { from, until: Math.min(duration, from + 2 * block) };
  const ask = { ...params, from: Math.round(shown.from), until: Math.round(shown.until), lane: 0, until_lane: lanes.total };
  const n = Math.min(1000, Math.round(((shown.until - shown.from) * scale) / 4));
  const busy = useApi<number[][]>("busy", { ...ask, n: Math.max(1, Math.min(500, n)) });
  const memory = useApi<Curve[]>("memory", { ...ask, n: Math.max(1, n) });
  const curves = memory.data ?? [];
  const lines = linesOf(devices, closed, curves, duration);
  const content = lines.reduce((h, l) => Math.max(h, l.y + l.height), TOP), height = Math.min(content + 4, Math.max(260, Math.round(innerHeight * 0.6)));
  const stretch = stretchOf(state, lanes.step), at = state.values.at === undefined ? undefined : Number(state.values.at);
  const cut = (values: number[]) => {
    const per = values.length / (shown.until - shown.from);
    return values.slice(Math.max(0, Math.floor((view.from - shown.from) * per)), Math.max(1, Math.ceil((view.until - shown.from) * per)));
  };

  useEffect(() => {
    if (!canvas.current) return;
    drawTimeline(canvas.current, { width, height, scroll: frame.current?.scrollTop ?? 0, view, lines, tiles, strips: (busy.data ?? []).map(cut),
      curves: curves.map((c) => ({ ...c, lowest: cut(c.lowest), highest: cut(c.highest) })), stretch: drag ?? stretch, hover, cursor: at, fades: !!marked, measure,
      arrows: pairs.map(([a, b]) => ({ from: a.x + a.w, fromY: middleOf(a.lane, lines, devices), to: b.x, toY: middleOf(b.lane, lines, devices) })) });
  });

  const time = (x: number) => Math.min(duration, Math.max(0, view.from + (x - LEFT) / scale));
  const set = (next: View) => {
    const size = Math.min(duration, Math.max(1, next.until - next.from)), start = Math.min(duration - size, Math.max(0, next.from));
    replace({ values: { zoom: size >= duration ? undefined : `${Math.round(start)}-${Math.round(start + size)}` } });
  };
  const zoomAt = (t: number, factor: number) => set({ from: t - (t - view.from) * factor, until: t + (view.until - t) * factor });
  const lineAt = (y: number) => lines.find((l) => y + (frame.current?.scrollTop ?? 0) >= l.y && y + (frame.current?.scrollTop ?? 0) < l.y + l.height && y > TOP);
  const sliceAt = (x: number, y: number) => {
    const line = lineAt(y);
    return line?.kind === "lane" && x > LEFT ? tiles.at(line.lane, time(x), view.from, view.until, width - LEFT, 2 / scale) : undefined;
  };
  const toggleDevice = (i: number) => {
    if (!toggled.delete(i)) toggled.add(i);
    go({ values: { lanes: [...toggled].join(",") || undefined } });
  };
  const press = (x: number, y: number) => {
    const line = lineAt(y), slice = sliceAt(x, y);
    if (line?.kind === "device") toggleDevice(line.device);
    else if (line?.kind === "memory") go({ values: { at: String(Math.round(time(x))) } });
    else select(slice ? `node:${slice.node}` : undefined);
  };
  const key = (e: KeyboardEvent) => {
    const middle = (view.from + view.until) / 2;
    const act: Record<string, () => void> = {
      w: () => zoomAt(middle, 0.5), s: () => zoomAt(middle, 2), "+": () => zoomAt(middle, 0.5), "-": () => zoomAt(middle, 2),
      a: () => set({ from: view.from - span / 4, until: view.until - span / 4 }),
      d: () => set({ from: view.from + span / 4, until: view.until + span / 4 }),
      f: () => { const target = stretch ?? runsOf(flows.data); if (target) set(target); }, "0": () => set({ from: 0, until: duration }),
      m: () => {
        const here = pointer.current ?? middle;
        setMeasure(!measure ? { from: here, until: here, isDone: false } : measure.isDone ? undefined : { ...measure, until: here, isDone: true });
      },
    };
    if (!act[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    act[e.key]();
    e.preventDefault();
  };
  const point = (e: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const release = (e: MouseEvent) => {
    const { x, y } = point(e);
    setDrag(undefined);
    if (drag && Math.abs(drag.until - drag.from) * scale > 3)
      select(`time:${lanes.step},${Math.round(Math.min(drag.from, drag.until))}-${Math.round(Math.max(drag.from, drag.until))}`);
    else press(x, y);
  };
  return (
    <>
      <Heading lanes={lanes} state={state} profile={profile} />
      <div class="timeline" ref={frame} onScroll={() => redraw((k) => k + 1)} data-ready={tiles.has(0, view.from, view.until, width - LEFT) ? "" : undefined}
        tabIndex={0} role="group" aria-label={`timeline of ${lanes.total} lanes, ${format(duration, "micros")}`} onKeyDown={key}>
        <Sized height={height} content={content + 4}>
          <canvas ref={canvas} aria-hidden="true"
            onWheel={(e) => {
              if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) { e.preventDefault(); const by = (e.deltaX || e.deltaY) / scale; set({ from: view.from + by, until: view.until + by }); }
              else if (e.ctrlKey || content + 4 <= height) { e.preventDefault(); zoomAt(time(point(e).x), e.deltaY > 0 ? 1.25 : 0.8); }
            }}
            onMouseDown={(e) => { const { x } = point(e); if (x > LEFT) setDrag({ from: time(x), until: time(x) }); }}
            onMouseMove={(e) => {
              const { x, y } = point(e);
              pointer.current = time(x);
              if (measure && !measure.isDone) setMeasure({ ...measure, until: time(x) });
              if (drag) setDrag({ from: drag.from, until: time(x) }); else setHover(sliceAt(x, y));
            }}
            onMouseUp={release} onMouseLeave={() => { pointer.current = undefined; setHover(undefined); setDrag(undefined); }} />
        </Sized>
      </div>
      <p class="told" aria-live="polite">{measure ? `${format(Math.round(Math.abs(measure.until - measure.from)), "micros")} from ${format(Math.round(Math.min(measure.from, measure.until)), "micros")}` : hover ? tell(hover) : " "}</p>
      <ul class="legend">
        {profile.families.map((f) => <li key={f.name}><Dot family={f.name} title={f.title} />{f.title}</li>)}
        <li class="dim">lower: several operations, as high as they are busy</li>
      </ul>
      <div class="columns">
        {term?.kind === "node" && flows.data && <Neighbours flows={flows.data} pairs={pairs} />}
        <Totals params={params} view={stretch ?? view} lanes={lanes} isChosen={!!stretch} />
        {curves.length > 0 && <Holders params={params} curves={curves} at={at} />}
      </div>
      {memory.data?.length === 0 && <p class="dim">No allocator was read in this step, so there is no curve of memory: traces of a GPU, taken with FULL_TRACE, hold such readings.</p>}
    </>
  );
}

// A part of the page of a fixed height that scrolls; the policy forbids styles in HTML.
function Sized({ height, content, children }: { height: number; content: number; children: ComponentChildren }) {
  const spacer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const inner = spacer.current, outer = inner?.parentElement;
    if (!inner || !outer) return;
    outer.style.height = `${height}px`;
    inner.style.height = `${content}px`;
  }, [height, content]);
  return <div ref={spacer} class="spacer">{children}</div>;
}

function Heading({ lanes, state, profile }: { lanes: Lanes; state: State; profile: Profile }) {
  const metric = defaultMetric(state, profile);
  const { data } = useApi<Selection>(state.values.sel ? "selection" : null, { ...requestParams(state), sel: state.values.sel, metric_column: metric.column });
  const executions = lanes.lanes.reduce((sum, l) => sum + l.executions, 0);
  return (
    <>
      <h1>{format(lanes.duration, "micros")} <small>step {lanes.step} · {executions.toLocaleString("en-US")} executions on {lanes.total} lane{lanes.total === 1 ? "" : "s"}
        {state.values.sel && <Selected value={data?.total[metric.column] ?? 0} metric={metric} />}</small></h1>
      <p class="facts">
        {profile.steps.length > 1 && <>step {profile.steps.slice(0, 30).map((s) => (
          <span key={s.step}><a href={link({ values: { step: String(s.step) } })} aria-current={s.step === lanes.step ? "true" : undefined} class="step">{s.step}</a> </span>
        ))}· </>}
        W A S D move and zoom · drag selects a stretch · F shows it · 0 shows all · M measures · a click on a device closes its lanes
      </p>
    </>
  );
}

// The stretch in which the selected node ran, with some room.
function runsOf(flows: Flow[] | undefined): View | undefined {
  const self = (flows ?? []).filter((f) => f.role === "self");
  if (!self.length) return undefined;
  const from = Math.min(...self.map((f) => f.x)), until = Math.max(...self.map((f) => f.x + f.w)), room = Math.max(5, (until - from) / 2);
  return { from: Math.max(0, from - room), until: until + room };
}

// The picture in words: when the selected node ran, what it waited for and who took its result.
function Neighbours({ flows, pairs }: { flows: Flow[]; pairs: [Flow, Flow][] }) {
  const self = flows.filter((f) => f.role === "self");
  return (
    <section class="panel neighbours" aria-live="polite">
      <h2>{self.length ? `Ran at ${self.slice(0, 3).map((f) => `${format(f.x, "micros")} for ${format(f.w, "micros")}`).join(", ")}${self.length > 3 ? ` and ${self.length - 3} more times` : ""}` : "Did not run in this step"}</h2>
      <ul class="links">
        {pairs.slice(0, 20).map(([a, b], i) => {
          const isInput = b.role === "self", other = isInput ? a : b, gap = b.x - a.x - a.w;
          return <li key={i} title={other.name}>{isInput ? "from " : "to "}<a href={link({ values: { sel: `node:${other.node}` } })}>{other.name}</a>{" "}
            <span class="dim">{isInput ? `ended ${format(Math.max(0, gap), "micros")} before` : `began ${format(Math.max(0, gap), "micros")} after`}</span></li>;
        })}
      </ul>
    </section>
  );
}

function tell(s: Slice): string {
  if (s.n > 1) return `${s.n} operations in ${format(s.w, "micros")}, ${percent(s.busy, s.w)} busy, longest ${s.op}`;
  return `${s.op}: ${format(s.w, "micros")} from ${format(s.x, "micros")}`;
}

function Totals({ params, view, lanes, isChosen }: { params: Record<string, string | undefined>; view: View; lanes: Lanes; isChosen: boolean }) {
  const asked = useRested(view, `${view.from}-${view.until}`);
  const { data, error } = useApi<Sums>("sums", { ...params, lane: 0, until_lane: lanes.total, from: Math.round(asked.from), until: Math.round(asked.until) });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  return (
    <section class="panel sums">
      <h2>{isChosen ? "Selected" : "Shown"}: {format(Math.round(view.from), "micros")} – {format(Math.round(view.until), "micros")} ({data.executions.toLocaleString("en-US")} executions, {format(data.micros, "micros")})</h2>
      <table class="numbers">
        <thead><tr><th scope="col">operation</th><th scope="col">time</th><th scope="col">share</th><th scope="col">executions</th></tr></thead>
        <tbody>
          {data.operations.slice(0, 12).map((o) => (
            <tr key={o.name}>
              <th scope="row"><Dot family={o.family} title={familyTitle(o.family)} /><a href={link({ values: { sel: `op:${o.name}` } })}>{o.name}</a></th>
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

// Who held the memory at a time: where the curve was clicked, else at the highest peak.
function Holders({ params, curves, at }: { params: Record<string, string | undefined>; curves: Curve[]; at?: number }) {
  const device = curves.reduce((best, c, i) => (c.peak > (curves[best]?.peak ?? -1) ? i : best), 0), when = at ?? curves[device]?.peak_at;
  const { data } = useApi<Holder[]>(curves.length ? "holders" : null, { ...params, device, at: when });
  return (
    <section class="panel holders">
      <h2>Held at {format(when ?? 0, "micros")} on {shortName(curves[device].device)}{at === undefined ? ", its peak" : ""}</h2>
      <table class="numbers">
        <thead><tr><th scope="col">node</th><th scope="col">bytes</th></tr></thead>
        <tbody>{(data ?? []).map((h) => (
          <tr key={h.node}><th scope="row" title={h.name}><Dot family={h.family} title={familyTitle(h.family)} /><a href={link({ values: { sel: `node:${h.node}` } })}>{h.name}</a></th>
            <td><Num value={h.bytes} unit="bytes" /></td></tr>
        ))}</tbody>
      </table>
      <p class="dim">A click on the curve chooses another time.</p>
    </section>
  );
}
