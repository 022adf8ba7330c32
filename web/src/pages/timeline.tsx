// What ran when, on which lane; what memory was in use; what a stretch of time adds up to.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { get, isWhole, useApi, wallsOf, type Profile } from "../api";
import { Details, type Selection } from "../details";
import { matcher, useMatchStep } from "../find";
import { isTyping } from "../keys";
import { shortName } from "../devices";
import { format, median } from "../format";
import { Copy, parseTerm, select, Selected, stretchIn } from "../selection";
import { defaultMetric, go, isOff, isSet, link, replace, requestParams, type State } from "../state";
import { steadyOf, stepsOf, useSteps, type StepAnswer } from "../step_panels";
import { HoverCard } from "../timeline_hover";
import { Minimap, Toolbar } from "../timeline_toolbar";
import { ROW, Tiles, type Slice } from "../tiles";
import { drawTimeline, LEFT, TOP, type Curve, type View } from "../timeline_draw";
import { causeOf, devicesOf, gapsOf, heightOfEnd, linesOf, meanwhileOf, middleOf, pairsOf, parseZoom, runsOf, startsClosed, stretchOf, type Flow, type Lanes, type Sums, type ThreadLink } from "../timeline_lines";
import { Holders, Links, Neighbours, tell, Totals } from "../timeline_panels";
import { Dot, Empty, Problem, remedy } from "../widgets";
import { useSize } from "../width";

// Devices with more lanes start closed.
const MAX_OPEN = 8, MAX_OPEN_SIDE = 2;
const MAX_SIDE = 8;
export const SIDE = "side";
// Shorter ones would be noise.
const GAP_SHARE = 0.02;
// Of all that belongs to it, when a step has less than this of the time.
const FAR = 0.8;

// As events of threads are called.
const FAMILY_OF: Record<string, string> = { compute: "compute", communication: "communication", copy: "copy", input: "input", callback: "callback",
  compile: "compile", runtime: "runtime", dispatch: "dispatch", python: "python", unknown: "unknown" };

type Params = Record<string, string | undefined>;

export function Timeline({ state, profile }: PageProps) {
  // The timeline is of one step, and sets it for the rest of the page: the pane speaks of the same.
  const { data: answer, error: unknown } = useSteps(state, profile), isKnown = profile.steps.length < 2 || state.values.step !== undefined || !!answer || !!unknown;
  const first = isKnown ? firstOf(profile, answer) : undefined, step = state.values.step ?? first;
  useEffect(() => { if (state.values.step === undefined && first !== undefined) replace({ values: { step: first } }); }, [state.values.step, first]);
  const params: Params = { ...requestParams(state), step };
  const { data, error } = useApi<Lanes>(profile.has_run && isKnown ? "lanes" : null, params);
  if (!profile.has_run)
    return <Empty what="This profile has no times." how={remedy(profile, "times")} />;
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (!data.lanes.length || data.duration <= 0) return <Empty what="Nothing ran in this step." how="Choose another step." />;
  if (isSet(state, SIDE) && profile.steps.length > 1) return <Side chosen={data.step} duration={data.duration} params={params} state={state} profile={profile} />;
  return <Chart key={`${params.p} ${data.step}`} lanes={data} params={params} state={state} profile={profile} />;
}

// The first one that is no warm-up.
function firstOf({ steps }: Profile, answer: StepAnswer | undefined): string | undefined {
  const steady = new Set(answer ? steadyOf(stepsOf(answer)).map((s) => s.step) : []);
  return (steps.find((s) => steady.has(s.step)) ?? steps[0])?.step.toString();
}

// Several steps on one scale, each from its start; those around the chosen one.
function Side({ chosen, duration, params, state, profile }: { chosen: number; duration: number; params: Params; state: State; profile: Profile }) {
  const walls = wallsOf(profile).map((s) => s.wall), longest = Math.max(duration, ...walls), middle = median(walls);
  const at = Math.max(0, profile.steps.findIndex((s) => s.step === chosen));
  const first = Math.max(0, Math.min(at - Math.floor(MAX_SIDE / 2), profile.steps.length - MAX_SIDE));
  return (
    <>
      <h1>{profile.steps.length} steps {walls.length > 0 && <small>{format(Math.min(...walls), "micros")} – {format(Math.max(...walls), "micros")}, median {format(middle, "micros")}</small>}</h1>
      <Toolbar state={state} profile={profile} step={chosen} />
      {profile.steps.slice(first, first + MAX_SIDE).map((s) => (
        <section key={s.step} class="side">
          <h2><a href={link({ values: { step: String(s.step), [SIDE]: undefined } })}>step {s.step}</a> {s.wall !== null && format(s.wall, "micros")}
            {s.wall !== null && s.wall > middle && <> · {Math.round((100 * (s.wall - middle)) / Math.max(1, middle))}% over the median</>}</h2>
          <SideStep params={{ ...params, step: String(s.step) }} duration={longest} state={state} profile={profile} isChosen={s.step === chosen} />
        </section>
      ))}
      <FamilyLegend profile={profile} />
    </>
  );
}

function SideStep({ params, duration, state, profile, isChosen }: { params: Params; duration: number; state: State; profile: Profile; isChosen: boolean }) {
  const { data, error } = useApi<Lanes>("lanes", params);
  if (error) return <Problem error={error} />;
  return data ? <Chart lanes={data} params={params} state={state} profile={profile} side={{ duration, isChosen }} /> : null;
}

// The mouse with its button down: it moves the picture or, with Shift, selects a stretch.
interface Drag extends View { selects: boolean; x: number; view: View; moved: boolean }

// `side`: one of several steps, which share a scale.
interface ChartProps { lanes: Lanes; params: Params; state: State; profile: Profile; side?: { duration: number; isChosen: boolean } }

// An execution that keys lead to, as the address has it: lane, start and node.
interface Cursor { lane: number; row?: number; x: number; w: number; node: number; name: string; op: string }

function Chart({ lanes, params, state, profile, side }: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null), frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame, { width: 1000, height: 400 }), width = Math.max(LEFT + 100, size.width);
  const [version, redraw] = useState(0);
  const [hover, setHover] = useState<Slice & { left: number; top: number }>();
  const [drag, setDrag] = useState<Drag>();
  const [chosen, setChosen] = useState<Slice>(); // an event of a thread: it is no operation, which the address would have
  const [clicked, setClicked] = useState<Slice>();
  const [measure, setMeasure] = useState<View & { isDone: boolean }>();
  const pointer = useRef<number | undefined>(undefined); // the time below the mouse
  const pressed = useRef<Slice | undefined>(undefined);  // bound when the button goes down: what a double click is for
  const duration = side?.duration ?? lanes.duration, { sel, find } = state.values, marked = sel ?? (find ? `find:${find}` : undefined);
  const view = parseZoom(state.values.zoom, duration), span = view.until - view.from, scale = (width - LEFT) / span;
  const others = useApi<Lanes>(side ? null : "lanes", { p: params.p, step: params.step, of: "threads" }).data;
  const devices = useMemo(() => [...devicesOf(lanes.lanes), ...devicesOf(others?.lanes ?? [], true)], [lanes, others]);
  const toggled = new Set((state.values.lanes ?? "").split(",").filter(Boolean).map(Number));
  const closed = new Set(devices.flatMap((d, i) => startsClosed(d, side ? MAX_OPEN_SIDE : MAX_OPEN) !== toggled.has(i) ? [i] : []));
  const tiles = useMemo(() => new Tiles({ ...params, find: undefined, sel: marked }, duration, lanes.lanes, () => redraw((n) => n + 1)), [lanes, marked]);
  const threads = useMemo(() => (others?.lanes.length ? new Tiles({ p: params.p, step: params.step, of: "threads" }, duration, others.lanes, () => redraw((n) => n + 1)) : undefined), [others]);
  const term = sel ? parseTerm(sel) : undefined;
  const flows = useApi<Flow[]>(term?.kind === "node" ? "flows" : null, { p: params.p, step: params.step, node: term?.value });
  const pairs = term?.kind === "node" ? pairsOf(flows.data ?? []) : [];
  // Of what was clicked; of a selection that the address brought, its first run.
  const self = term?.kind === "node" ? flows.data?.find((f) => f.role === "self") : undefined;
  const linked = side ? undefined : chosen ?? (clicked && clicked.n === 1 && sel === `node:${clicked.node}` ? clicked : self);
  const links = useApi<ThreadLink[]>(linked ? "links" : null, linked && { p: params.p, step: params.step, of: chosen ? "threads" : undefined, lane: linked.lane, x: linked.x, w: linked.w }).data ?? [];
  // Strips and curves are requested in steps, so that panning does not send a request each time.
  const block = 2 ** Math.ceil(Math.log2(span)), from = Math.floor(view.from / block) * block, shown = span === duration ? view : { from, until: Math.min(duration, from + 2 * block) };
  const ask = { ...params, from: Math.round(shown.from), until: Math.round(shown.until), lane: 0, until_lane: lanes.total };
  const n = Math.min(1000, Math.round(((shown.until - shown.from) * scale) / 4));
  const busy = useApi<number[][]>("busy", { ...ask, n: Math.max(1, Math.min(500, n)) });
  const memory = useApi<Curve[]>(side ? null : "memory", { ...ask, n: Math.max(1, n) });
  const curves = memory.data ?? [];
  const lines = linesOf(devices, closed, curves, lanes.duration);
  const content = lines.reduce((h, l) => Math.max(h, l.y + l.height), TOP), height = side ? Math.min(content + 4, 400) : Math.max(120, size.height);
  const [cursor, setCursor] = useState<Cursor>();
  const found = useApi<Sums>(!side && marked && !stretchIn(sel) ? "sums" : null, { ...params, find: undefined, sel: marked, lane: 0, until_lane: lanes.total, from: 0, until: duration }).data?.selected;
  const stretch = stretchOf(state, lanes.step), at = state.values.at === undefined ? undefined : Number(state.values.at);
  const tilesOf = (line: { of?: "threads" }) => (line.of ? threads : tiles);
  const cut = (values: number[]) => {
    const per = values.length / (shown.until - shown.from);
    return values.slice(Math.max(0, Math.floor((view.from - shown.from) * per)), Math.max(1, Math.ceil((view.until - shown.from) * per)));
  };
  const partsLane = others?.lanes.find((l) => l.device === "Steps" && l.number === 1), parts = partsLane && threads ? threads.slices(partsLane.lane, 0, duration, width - LEFT) : [];
  // The overview's way to a part of the step leads to its longest piece.
  const wanted = state.values.part;
  useEffect(() => {
    const longest = parts.filter((s) => s.n === 1 && s.family === FAMILY_OF[wanted ?? ""]).sort((a, b) => b.w - a.w)[0];
    if (!wanted || !longest) return;
    setChosen({ ...longest, isOfThreads: true });
    replace({ values: { part: undefined, zoom: longest.w < duration / 3 ? `${Math.max(0, Math.round(longest.x - longest.w))}-${Math.min(duration, Math.round(longest.x + 2 * longest.w))}` : undefined } });
  }, [wanted, parts.length]);
  // Operations of a step may run far from it: then the picture begins with the step.
  const stepsLane = others?.lanes.find((l) => l.device === "Steps" && l.number === 0), stepSlice = stepsLane && threads?.slices(stepsLane.lane, 0, duration, width - LEFT).find((s) => s.op === `step ${lanes.step}`);
  const isFramed = useRef(false);
  useEffect(() => {
    if (!stepSlice || isFramed.current || side) return;
    isFramed.current = true;
    if (stepSlice.w < FAR * duration && !isWhole(profile) && !state.values.zoom && !wanted && !stretch) set({ from: stepSlice.x - stepSlice.w / 20, until: stepSlice.x + 1.05 * stepSlice.w });
  }, [stepSlice?.x]);
  // Of accelerators, beside their busy strip or on their only lane.
  const gaps = useMemo(() => {
    if (isOff(state, "gaps")) return [];
    const events = parts.length || !threads ? [] : lines.flatMap((l) => (l.kind === "lane" && l.of ? threads.slices(l.lane, 0, duration, width - LEFT) : []));
    return lines.flatMap((l) => {
      const device = l.kind === "device" ? devices[l.device] : l.kind === "lane" && l.share !== undefined ? devices.find((d) => d.lanes[0]?.lane === l.lane && !d.isOfThreads) : undefined;
      if (!device || device.isOfThreads || device.lanes[0]?.kind === "cpu" || !device.lanes.length) return [];
      const ran = device.lanes.flatMap((lane) => tiles.slices(lane.lane, 0, duration, width - LEFT).filter((s) => s.row === 0));
      return gapsOf(ran, GAP_SHARE * (stepSlice?.w ?? duration), stepSlice).map((gap) => {
        const cause = causeOf(gap, parts);
        return { ...gap, cause: cause ?? meanwhileOf(gap, events), isMeanwhile: !cause, y: l.y + 1, height: Math.min(l.height, 34) - 4 };
      });
    });
  }, [version, devices, state.values.lanes, state.values.gaps, curves.length, width, duration]);
  const selecting = drag?.selects ? { from: drag.from, until: drag.until } : undefined;

  const heightOf = (end: ThreadLink["from"]) => heightOfEnd(end, lines, devices, (lane) => (end.of_threads ? threads : tiles)?.slices(lane, view.from, view.until, width - LEFT) ?? []);
  const arrowsOfLinks = links.map(({ from, to }) => ({ from: from.x + from.w, fromY: heightOf(from), to: to.x, toY: heightOf(to), wait: to.x - from.x - from.w }));

  useEffect(() => {
    if (!canvas.current) return;
    drawTimeline(canvas.current, { width, height, scroll: frame.current?.scrollTop ?? 0, view, lines, tiles, threads, gaps, chosen, strips: (busy.data ?? []).map(cut),
      curves: curves.map((c) => ({ ...c, lowest: cut(c.lowest), highest: cut(c.highest) })), stretch: selecting ?? stretch, hover: hover ?? (cursor && { ...cursor, row: cursor.row ?? 0, n: 1, busy: cursor.w }), end: lanes.duration, cursor: at, fades: !!marked, measure, matches: find && !sel ? matcher(find) : undefined,
      arrows: isOff(state, "flows") ? [] : [...pairs.map(([a, b]) => ({ from: a.x + a.w, fromY: middleOf(a.lane, lines, devices), to: b.x, toY: middleOf(b.lane, lines, devices) })), ...(linked ? arrowsOfLinks : [])] });
  });

  // What is drawn, for whoever checks the picture: slices with the pixels they take.
  useEffect(() => {
    if (canvas.current) Object.assign(canvas.current, { lines: () => lines, left: LEFT, gaps: () => gaps, arrows: () => (linked && !isOff(state, "flows") ? arrowsOfLinks : []),
      drawnThreads: () => lines.flatMap((l) => (l.kind === "lane" && l.of && threads ? threads.slices(l.lane, view.from, view.until, width - LEFT) : [])), drawn: () => lines.flatMap((l) => (l.kind === "lane" && !l.of ? tiles.slices(l.lane, view.from, view.until, width - LEFT)
      .map((s) => ({ ...s, left: LEFT + (s.x - view.from) * scale, right: LEFT + (s.x + s.w - view.from) * scale })) : [])) });
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
    if (line?.kind !== "lane" || x <= LEFT) return undefined;
    const row = Math.min(line.rows - 1, Math.floor((y + (frame.current?.scrollTop ?? 0) - line.y) / ROW));
    const found = tilesOf(line)?.at(line.lane, row, time(x), view.from, view.until, width - LEFT, 2 / scale);
    return found && { ...found, isOfThreads: !!line.of };
  };
  // To the next execution of what is searched for or selected; of a lane if that is a node.
  useMatchStep(side && !side.isChosen ? undefined : async (direction) => {
    const self = flows.data?.find((f) => f.role === "self"), from = cursor ?? (term?.kind === "node" ? self : undefined);
    const isOnLane = !find && (!term || term.kind === "node");
    const next = await get<Partial<Cursor>>("next", { p: params.p, step: params.step, sel: find ? `find:${find}` : isOnLane ? undefined : sel, fold_gradients: params.fold_gradients, only_my_code: params.only_my_code,
      back: direction < 0 ? 1 : undefined, only_lane: isOnLane ? 1 : undefined, lane: from?.lane, at: from?.x, node: from?.node });
    if (next.x === undefined) return;
    const found = next as Cursor, line = lines.find((l) => l.kind === "lane" && !l.of && l.lane === found.lane);
    setCursor(found);
    frame.current?.focus({ preventScroll: true });
    if (found.x < view.from || found.x + found.w > view.until) set({ from: found.x + found.w / 2 - span / 2, until: found.x + found.w / 2 + span / 2 });
    if (line && frame.current && (line.y < frame.current.scrollTop + TOP || line.y + line.height > frame.current.scrollTop + height)) frame.current.scrollTop = line.y - height / 2;
  });
  useEffect(() => setCursor(undefined), [find, sel && term?.kind !== "node" ? sel : ""]);
  // Lanes out of sight are not requested.
  const top = frame.current?.scrollTop ?? 0;
  const isDrawn = lines.every((l) => l.kind !== "lane" || l.y >= top + height || l.y + l.height < top + TOP ||
    !tilesOf(l) || tilesOf(l)!.has(l.lane, view.from, view.until, width - LEFT));
  const toggleDevice = (i: number) => {
    if (!toggled.delete(i)) toggled.add(i);
    go({ values: { lanes: [...toggled].join(",") || undefined } });
  };
  const press = (x: number, y: number) => {
    const line = lineAt(y), slice = sliceAt(x, y), below = y + (frame.current?.scrollTop ?? 0);
    const gap = slice ? undefined : gaps.find((g) => below >= g.y && below < g.y + g.height && time(x) >= g.from && time(x) < g.until);
    if (gap?.cause) {
      if (sel) select(undefined);
      return setChosen({ ...gap.cause, isOfThreads: true });
    }
    setClicked(slice);
    setChosen(slice?.isOfThreads ? slice : undefined);
    if (line?.kind === "device") toggleDevice(line.device);
    else if (line?.kind === "memory") go({ values: { at: String(Math.round(time(x))) } });
    else if (slice?.isOfThreads) { if (sel) select(undefined); }
    else if (slice ? sel !== `node:${slice.node}` : sel) select(slice ? `node:${slice.node}` : undefined);
  };
  const frameSlice = (s: { x: number; w: number }) => set({ from: s.x - s.w / 4 - 2, until: s.x + 1.25 * s.w + 2 });
  const key = (e: KeyboardEvent) => {
    const middle = (view.from + view.until) / 2;
    const act: Record<string, () => void> = {
      w: () => zoomAt(middle, 0.5), s: () => zoomAt(middle, 2), "+": () => zoomAt(middle, 0.5), "-": () => zoomAt(middle, 2),
      a: () => set({ from: view.from - span / 4, until: view.until - span / 4 }),
      d: () => set({ from: view.from + span / 4, until: view.until + span / 4 }),
      f: () => {
        const target = chosen ? { from: chosen.x - chosen.w / 4 - 2, until: chosen.x + 1.25 * chosen.w + 2 } : cursor ? { from: cursor.x - 4 * cursor.w - 5, until: cursor.x + 5 * cursor.w + 5 } : stretch ?? runsOf(flows.data);
        if (target) set(target);
      },
      "0": () => set({ from: 0, until: duration }),
      m: () => {
        const here = pointer.current ?? middle;
        setMeasure(!measure ? { from: here, until: here, isDone: false } : measure.isDone ? undefined : { ...measure, until: here, isDone: true });
      },
    };
    if (e.key === "Enter" && cursor && e.target === frame.current) act.Enter = () => select(`node:${cursor.node}`);
    if (!act[e.key] || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target)) return;
    act[e.key]();
    e.preventDefault();
  };
  // Keys work without a click first; of several charts each does the same.
  const latest = useRef(key);
  latest.current = key;
  useEffect(() => {
    if (side && !side.isChosen) return;
    const listen = (e: KeyboardEvent) => latest.current(e);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const point = (e: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const release = (e: MouseEvent) => {
    const { x, y } = point(e);
    setDrag(undefined);
    // The second click of two finds the picture changed by the first: it is for what was there.
    const from = chosen ?? (clicked && sel === `node:${clicked.node}` ? clicked : undefined), until = e.shiftKey && !drag?.moved ? sliceAt(drag?.x ?? x, y) : undefined;
    if (until && from) select(`time:${lanes.step},${Math.min(from.x, until.x)}-${Math.max(from.x + from.w, until.x + until.w)}`);
    else if (!drag?.moved) { if (e.detail < 2) press(drag?.x ?? x, y); }
    else if (drag.selects) select(`time:${lanes.step},${Math.round(Math.min(drag.from, drag.until))}-${Math.round(Math.max(drag.from, drag.until))}`);
  };
  const move = (e: MouseEvent) => {
    const { x, y } = point(e), moved = !!drag && (drag.moved || Math.abs(x - drag.x) > 3);
    pointer.current = time(x);
    if (measure && !measure.isDone) setMeasure({ ...measure, until: time(x) });
    if (!drag) {
      const found = sliceAt(x, y);
      setHover(found && { ...found, left: e.clientX, top: e.clientY });
    } else if (drag.selects) setDrag({ ...drag, until: time(x), moved });
    else if (moved) {
      const by = (drag.x - x) / scale;
      setDrag({ ...drag, moved });
      setHover(undefined);
      set({ from: drag.view.from + by, until: drag.view.until + by });
    }
  };
  const label = `timeline of ${lanes.total} lanes, ${format(duration, "micros")}`;
  const chart = (
    <div class="timeline" ref={frame} onScroll={() => { setHover(undefined); redraw((k) => k + 1); }} data-ready={isDrawn ? "" : undefined} tabIndex={0} role="group" aria-label={label}>
      <Sized height={side ? height : undefined} content={content + 4}>
        <canvas ref={canvas} aria-hidden="true"
          onWheel={(e) => {
            if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) { e.preventDefault(); const by = (e.deltaX || e.deltaY) / scale; set({ from: view.from + by, until: view.until + by }); }
            else if (e.ctrlKey || content + 4 <= height) { e.preventDefault(); zoomAt(time(point(e).x), e.deltaY > 0 ? 1.25 : 0.8); }
          }}
          onMouseDown={(e) => {
            const { x, y } = point(e);
            if (e.detail < 2) pressed.current = sliceAt(x, y);
            if (x > LEFT && e.button === 0) setDrag({ from: time(x), until: time(x), selects: e.shiftKey || y < TOP, x, view, moved: false });
          }}
          onMouseMove={move} onMouseUp={release} onDblClick={() => { if (pressed.current) frameSlice(pressed.current); }}
          onMouseLeave={() => { pointer.current = undefined; setHover(undefined); setDrag(undefined); }} />
      </Sized>
    </div>
  );
  const told = (
    <p class="told" aria-live="polite">{measure ? `${format(Math.round(Math.abs(measure.until - measure.from)), "micros")} from ${format(Math.round(Math.min(measure.from, measure.until)), "micros")}`
      : hover ? tell(hover) : cursor ? `${tell({ ...cursor, row: 0, n: 1, busy: cursor.w })} · ${cursor.name} · ${laneName(lanes, cursor.lane)}` : " "}</p>
  );
  if (side) return <>{chart}{told}</>;
  return (
    <div class="trace-viewer">
      <section class="trace">
        <Heading lanes={lanes} state={state} profile={profile} />
        <Toolbar state={state} profile={profile} step={lanes.step} found={found} actions={{ fit: () => set({ from: 0, until: duration }), frame: () => latest.current(new KeyboardEvent("keydown", { key: "f" })), measure: () => latest.current(new KeyboardEvent("keydown", { key: "m" })) }} />
        <Minimap title={isWhole(profile) ? "Recording" : "Whole step"} lanes={lanes} params={params} view={view} duration={duration} onMove={set} />
        {chart}
        <footer>
          {told}
          <FamilyLegend profile={profile} hasThreads={!!threads} hasParts={!!partsLane} />
        </footer>
      </section>
      <div class="pane">
        {sel ? <Details state={state} profile={profile} /> : chosen && <Chosen slice={chosen} self={threads?.self(chosen, view.from, view.until, width - LEFT)} lanes={others} onClose={() => setChosen(undefined)} />}
        {linked && links.length > 0 && <Links links={links} at={linked} />}
        {term?.kind === "node" && flows.data && <Neighbours flows={flows.data} pairs={pairs} />}
        {!stretch && <Totals params={params} view={view} lanes={lanes} isChosen={false} profile={profile} />}
        {curves.length > 0 && <Holders params={params} curves={curves} at={at} />}
        {memory.data?.length === 0 && <p class="dim">No memory curve: this step has no allocator readings. GPU traces taken with FULL_TRACE have them.</p>}
        {!!others?.hidden && <p class="dim">{others.hidden.toLocaleString("en-US")} events of threads, all shorter than {format(others.hidden_below ?? 0, "micros")}, are not drawn.</p>}
      </div>
      {hover && !drag && <HoverCard slice={hover} self={(hover.isOfThreads ? threads : tiles)?.self(hover, view.from, view.until, width - LEFT)} params={params}
        lane={hover.isOfThreads ? others?.lanes.find((l) => l.lane === hover.lane)?.name ?? "" : laneName(lanes, hover.lane)} />}
    </div>
  );
}

// An event of a thread.
function Chosen({ slice, self, lanes, onClose }: { slice: Slice; self?: number; lanes?: Lanes; onClose: () => void }) {
  const facts: [string, string | undefined][] = [["start", format(slice.x, "micros")], ["duration", format(slice.w, "micros")],
    ["self", self === undefined ? undefined : format(self, "micros")], ["for", slice.family], ["thread", lanes?.lanes.find((l) => l.lane === slice.lane)?.name]];
  return (
    <aside class="details" aria-label="selection" aria-live="polite">
      <button type="button" class="close" aria-label="clear the selection" onClick={onClose}>×</button>
      <p class="kind">{slice.n > 1 ? `${slice.n} events` : "event of a thread"}</p>
      <h2>{slice.n > 1 ? `longest: ${slice.op}` : slice.op}</h2>
      <dl class="facts-list">{facts.filter(([, value]) => value).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <p class="copies"><Copy text={slice.op}>Copy name</Copy></p>
    </aside>
  );
}

function laneName({ lanes }: Lanes, i: number): string {
  const lane = lanes.find((l) => l.lane === i);
  return lane ? `${shortName(lane.device)}, ${lane.name || `lane ${lane.number}`}` : "";
}

const THREADS = [["python", "Python"], ["input", "waits for input"], ["compile", "compile"], ["dispatch", "dispatch"], ["runtime", "waits"], ["operation", "operations on threads"]];

function FamilyLegend({ profile, hasThreads, hasParts }: { profile: Profile; hasThreads?: boolean; hasParts?: boolean }) {
  return (
    <ul class="legend">
      {profile.families.filter((f) => f.micros > 0).map((f) => <li key={f.name}><Dot family={f.name} title={f.title} />{f.title}</li>)}
      {hasParts && <li><span class="dot part-compute" />computing</li>}
      {hasThreads && THREADS.map(([name, title]) => <li key={name}><span class={`dot part-${name}`} />{title}</li>)}
    </ul>
  );
}

// What scrolls, in a part of the page whose height may be fixed; the policy forbids styles in HTML.
function Sized({ height, content, children }: { height?: number; content: number; children: ComponentChildren }) {
  const spacer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const inner = spacer.current, outer = inner?.parentElement;
    if (!inner || !outer) return;
    if (height !== undefined) outer.style.height = `${height}px`;
    inner.style.height = `${content}px`;
  }, [height, content]);
  return <div ref={spacer} class="spacer">{children}</div>;
}

function Heading({ lanes, state, profile }: { lanes: Lanes; state: State; profile: Profile }) {
  const metric = defaultMetric(state, profile);
  const { data } = useApi<Selection>(state.values.sel ? "selection" : null, { ...requestParams(state), sel: state.values.sel, metric_column: metric.column });
  const wall = profile.steps.find((s) => s.step === lanes.step)?.wall ?? 0, all = isWhole(profile), isOther = !all && wall > 0 && Math.abs(wall - lanes.duration) > 0.01 * lanes.duration;
  const executions = lanes.lanes.reduce((sum, l) => sum + l.executions, 0);
  return (
      <h1>{format(isOther ? wall : lanes.duration, "micros")} <small>{all ? "the whole recording" : `step ${lanes.step}`}{isOther && <>, whose operations ran within {format(lanes.duration, "micros")}</>} · {executions.toLocaleString("en-US")} executions on {lanes.total} lane{lanes.total === 1 ? "" : "s"}
        {state.values.sel && <Selected value={data?.total[metric.column] ?? 0} metric={metric} />}</small></h1>
  );
}
