// The rows of the timeline, and what its address and answers mean: plain functions.
import { shortName } from "./devices";
import { format } from "./format";
import { stretchIn } from "./selection";
import type { State } from "./state";
import { ROW, type Slice } from "./tiles";
import { TOP, type Curve, type Line, type View } from "./timeline_draw";

export interface Lane { lane: number; device: string; kind: string; number: number; name: string; executions: number; busy: number; rows: number }
export interface Lanes { step: number; start: number; duration: number; total: number; lanes: Lane[]; hidden?: number; hidden_below?: number }
export interface Sums { micros: number; executions: number; selected?: number; operations: { name: string; family: string; micros: number; executions: number }[] }
export interface Holder { node: number; name: string; family: string; bytes: number }
export interface Flow { role: "self" | "input" | "consumer"; node: number; name: string; lane: number; x: number; w: number }
// Lanes on which nothing ran in the step are folded away.
export interface Device { title: string; name: string; lanes: Lane[]; nIdle: number; isOfThreads: boolean }

const DEVICE = 36;
const MEMORY = 52;
const MAX_ARROWS = 60;

export function parseZoom(text: string | undefined, duration: number): View {
  const [from, until] = (text ?? "").split("-").map(Number);
  return from >= 0 && until > from ? { from, until } : { from: 0, until: duration };
}

// The stretch of the shown step that is selected.
export function stretchOf(state: State, step: number): View | undefined {
  const found = stretchIn(state.values.sel);
  return found?.step === step ? found : undefined;
}

export function devicesOf(lanes: Lane[], isOfThreads = false): Device[] {
  const devices: Device[] = [];
  for (const lane of lanes) {
    if (lane.number === 0) devices.push({ name: lane.device, title: isOfThreads ? lane.device : shortName(lane.device), lanes: [], nIdle: 0, isOfThreads });
    const device = devices[devices.length - 1];
    if (lane.executions > 0) device.lanes.push(lane);
    else device.nIdle++;
  }
  return devices.sort((a, b) => Number(isOfSteps(a)) - Number(isOfSteps(b)));
}

// The steps and their parts have no heading: they are two rows at the top.
const isOfSteps = (d: Device) => d.isOfThreads && d.name === "Steps";

// Python and tf.data stand above the devices they feed, other threads below.
const isAbove = (d: Device) => d.isOfThreads && d.name !== "Host threads" && !isOfSteps(d);
const isBelow = (d: Device) => d.isOfThreads && d.name === "Host threads";

// What is closed at first: many lanes, or deep stacks.
export function startsClosed(d: Device, most: number): boolean {
  return d.lanes.length > most || (d.isOfThreads && d.lanes.reduce((sum, l) => sum + l.rows, 0) > 12);
}

const heightOf = (lane: Lane) => Math.max(1, lane.rows) * ROW + 4;

// Which rows there are: closed devices keep their strip.
export function linesOf(devices: Device[], closed: Set<number>, curves: Curve[], duration: number): Line[] {
  const lines: Line[] = [];
  let y = TOP;
  const push = (line: Line) => { lines.push(line); y += line.height; };
  const inOrder = devices.map((device, i) => ({ device, i }));
  for (const lane of devices.find(isOfSteps)?.lanes ?? []) push({ kind: "lane", y, height: heightOf(lane), lane: lane.lane, rows: lane.rows, title: lane.name, of: "threads" });
  for (const { device, i } of [...inOrder.filter((d) => isAbove(d.device)), ...inOrder.filter((d) => !d.device.isOfThreads), ...inOrder.filter((d) => isBelow(d.device))]) {
    if (!device.lanes.length && device.isOfThreads) continue;
    const of = device.isOfThreads ? "threads" as const : undefined, folded = device.nIdle ? `${device.nIdle} idle folded` : "";
    const busy = device.lanes.reduce((sum, l) => sum + l.busy, 0);
    const isOpen = !closed.has(i), share = device.lanes.length ? Math.round((100 * busy) / (duration * device.lanes.length)) : 0;
    if (device.lanes.length === 1 && !device.isOfThreads && !device.nIdle) push({ kind: "lane", y, height: heightOf(device.lanes[0]), lane: device.lanes[0].lane, rows: device.lanes[0].rows, title: device.title, share: `${share} %` });
    else push({ kind: "device", y, height: DEVICE, device: i, title: device.title, isOpen, nLanes: device.lanes.length,
      share: [of ? `${device.lanes.length} thread${device.lanes.length > 1 ? "s" : ""}` : `${share} % busy${isOpen ? "" : `, ${device.lanes.length} lanes`}`, folded].filter(Boolean).join(", ") });
    if (isOpen && (device.lanes.length > 1 || of || device.nIdle)) for (const lane of device.lanes) push({ kind: "lane", y, height: heightOf(lane), lane: lane.lane, rows: lane.rows, title: lane.name || `lane ${lane.number}`, of });
    const curve = curves.findIndex((c) => isOf(c, device));
    if (curve >= 0 && !lines.some((l) => l.kind === "memory" && l.curve === curve)) push(memoryLine(curves, curve, y));
  }
  // Of the host, and of devices that have no row.
  for (const i of curves.keys()) if (curves[i].peak > 0 && !lines.some((l) => l.kind === "memory" && l.curve === i)) push(memoryLine(curves, i, y));
  return lines;
}

// Allocators have names of their own: GPU_0_bfc, TPU 1.
function isOf({ device: name }: Curve, device: Device): boolean {
  const allocator = /^([gt]pu)[_ ](\d+)(_bfc)?$/i.exec(name), plain = /([gt]pu):(\d+)/i.exec(device.name);
  return name === device.name || (!device.isOfThreads && !!allocator && !!plain && allocator[1].toLowerCase() === plain[1].toLowerCase() && allocator[2] === plain[2]);
}

const memoryLine = (curves: Curve[], curve: number, y: number): Line =>
  ({ kind: "memory", y, height: MEMORY, curve, title: `memory of ${shortName(curves[curve].device)}`, peak: `peak ${format(curves[curve].peak, "bytes")}` });

// The nodes that gave a tensor to each run of the selected one, and those that took one from it.
export function pairsOf(flows: Flow[]): [Flow, Flow][] {
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
export function middleOf(lane: number, lines: Line[], devices: Device[]): number {
  const line = lines.find((l) => l.kind === "lane" && !l.of && l.lane === lane)
    ?? lines.find((l) => l.kind === "device" && !devices[l.device].isOfThreads && devices[l.device].lanes.some((d) => d.lane === lane));
  return line ? line.y + Math.min(line.height, ROW) / 2 : 0;
}

// What led to what: from calls of the host to what they launched, from one thread to another.
export interface LinkEnd { of_threads: boolean; lane: number; name: string; x: number; w: number }
export interface ThreadLink { from: LinkEnd; to: LinkEnd }

// Where an end is drawn: in its row, or beside the name of its closed device.
export function heightOfEnd(end: LinkEnd, lines: Line[], devices: Device[], slices: (lane: number) => Slice[]): number {
  const of = end.of_threads ? "threads" : undefined;
  const line = lines.find((l) => l.kind === "lane" && l.of === of && l.lane === end.lane);
  if (!line) {
    const closed = lines.find((l) => l.kind === "device" && devices[l.device].isOfThreads === end.of_threads && devices[l.device].lanes.some((d) => d.lane === end.lane));
    return closed ? closed.y + closed.height / 2 : 0;
  }
  const row = slices(end.lane).find((s) => s.x <= end.x + 1 && s.x + s.w >= end.x + end.w - 1 && Math.abs(s.w - end.w) <= 2)?.row ?? 0;
  return line.y + row * ROW + ROW / 2;
}

// The stretch in which the selected node ran, with some room.
export function runsOf(flows: Flow[] | undefined): View | undefined {
  const self = (flows ?? []).filter((f) => f.role === "self");
  if (!self.length) return undefined;
  const from = Math.min(...self.map((f) => f.x)), until = Math.max(...self.map((f) => f.x + f.w)), room = Math.max(5, (until - from) / 2);
  return { from: Math.max(0, from - room), until: until + room };
}

export interface Gap { from: number; until: number; cause?: Slice; isMeanwhile?: boolean }

// Where no part of a step tells: what a thread did during most of a gap, and not much longer.
export function meanwhileOf(gap: Gap, events: Slice[]): Slice | undefined {
  const span = gap.until - gap.from, within = (s: Slice) => Math.min(gap.until, s.x + s.w) - Math.max(gap.from, s.x);
  const found = events.filter((s) => s.n === 1 && 2 * within(s) >= span && s.w <= 1.5 * span).sort((a, b) => within(b) - within(a));
  return found[0];
}

// What most of a gap went to, of the parts of the step; undefined if no part has half of it.
export function causeOf(gap: Gap, parts: Slice[]): Slice | undefined {
  const sums = new Map<string, { micros: number; longest: Slice }>();
  for (const part of parts) {
    const micros = Math.min(gap.until, part.x + part.w) - Math.max(gap.from, part.x);
    if (micros <= 0 || part.n > 1) continue;
    const sum = sums.get(part.op) ?? { micros: 0, longest: part };
    sums.set(part.op, { micros: sum.micros + micros, longest: part.w > sum.longest.w ? part : sum.longest });
  }
  const most = [...sums.values()].sort((a, b) => b.micros - a.micros)[0];
  return most && 2 * most.micros >= gap.until - gap.from ? most.longest : undefined;
}

// When a device did nothing for at least `least`: between what it did, and if the step is known,
// from its start and to its end.
export function gapsOf(slices: { x: number; w: number }[], least: number, step?: { x: number; w: number }): Gap[] {
  const gaps: Gap[] = [], sorted = [...slices].sort((a, b) => a.x - b.x);
  let end = step && sorted.length ? step.x : Infinity;
  for (const s of sorted) {
    if (s.x - end >= least) gaps.push({ from: end, until: s.x });
    end = Math.max(end === Infinity ? -Infinity : end, s.x + s.w);
  }
  if (step && step.x + step.w - end >= least) gaps.push({ from: end, until: step.x + step.w });
  return gaps;
}
