// Drawing the timeline: an axis, and below it rows of devices, strips, lanes and memory.
import { elide, format, tick } from "./format";
import { lastPart } from "./tree";
import { COLOURS, ROW, type Slice, type Tile, type Tiles } from "./tiles";

export const LEFT = 196;
export const TOP = 22;

export interface View { from: number; until: number }
export interface Curve { device: string; peak: number; peak_at: number; lowest: number[]; highest: number[] }

// A row of the picture, from top to bottom.
export type Line =
  | { kind: "device"; y: number; height: number; device: number; title: string; share: string; isOpen: boolean; nLanes: number }
  | { kind: "lane"; y: number; height: number; lane: number; rows: number; title: string; share?: string; of?: "threads" }
  | { kind: "memory"; y: number; height: number; curve: number; title: string; peak: string };

export interface Picture {
  width: number; height: number; scroll: number; view: View; lines: Line[]; tiles: Tiles; threads?: Tiles;
  strips: number[][]; curves: Curve[]; stretch?: View; hover?: Slice; cursor?: number; fades: boolean;
  arrows: Arrow[]; measure?: View; end: number; // of the step
  gaps: { y: number; height: number; from: number; until: number; cause?: Slice; isMeanwhile?: boolean }[]; chosen?: Slice; matches?: (name: string) => boolean;
}

// From what gives a tensor to what takes it: points of time, and heights in the picture.
// `wait`: how long what was launched waited for its turn.
export interface Arrow { from: number; fromY: number; to: number; toY: number; wait?: number }

interface Ink { context: CanvasRenderingContext2D; text: string; dim: string; line: string; step: string; chosen: string; back: string; bar: string }

export function drawTimeline(canvas: HTMLCanvasElement, p: Picture): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(p.width * ratio) || canvas.height !== Math.round(p.height * ratio)) {
    canvas.width = Math.round(p.width * ratio);
    canvas.height = Math.round(p.height * ratio);
    canvas.style.width = `${p.width}px`;
    canvas.style.height = `${p.height}px`;
  }
  const style = getComputedStyle(document.documentElement), colour = (name: string) => style.getPropertyValue(name);
  const ink = { context, text: colour("--text"), dim: colour("--dim"), line: colour("--line"), step: colour("--step"), chosen: colour("--chosen"), back: colour("--back"), bar: colour("--bar") };
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, p.width, p.height);
  context.font = "12px system-ui, sans-serif";
  drawAxis(ink, p);
  drawEnd(ink, p);
  context.save();
  context.beginPath();
  context.rect(0, TOP, p.width, p.height - TOP);
  context.clip();
  context.translate(0, -p.scroll);
  for (const line of p.lines) {
    if (line.y + line.height < p.scroll + TOP || line.y > p.scroll + p.height) continue;
    if (line.kind === "device") drawDevice(ink, p, line);
    else if (line.kind === "lane") drawLane(ink, p, line);
    else drawMemory(ink, p, line);
  }
  drawGaps(ink, p);
  drawArrows(ink, p);
  context.restore();
  drawStretch(ink, p);
  drawMeasure(ink, p);
}

// Of a line: executions, or what threads did meanwhile.
function tilesOf(p: Picture, line: Line & { kind: "lane" }): Tiles | undefined {
  return line.of ? p.threads : p.tiles;
}

function scaleOf(p: Picture): number {
  return (p.width - LEFT) / (p.view.until - p.view.from);
}

function drawAxis({ context, dim, line }: Ink, p: Picture): void {
  const span = p.view.until - p.view.from, raw = span / Math.max(2, (p.width - LEFT) / 160);
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, base * ([1, 2, 5, 10].find((f) => base * f >= raw) ?? 10));
  for (let t = Math.ceil(p.view.from / step) * step; t <= p.view.until; t += step) {
    const x = LEFT + (t - p.view.from) * scaleOf(p);
    context.fillStyle = line;
    context.fillRect(x, TOP - 6, 1, p.height);
    context.fillStyle = dim;
    const text = tick(Math.round(t), "micros"), width = context.measureText(text).width;
    context.fillText(text, x + 3 + width > p.width ? x - 3 - width : x + 3, 12);
  }
}

// Of steps on one scale, the shorter ones end before the picture does.
function drawEnd({ context, bar, dim }: Ink, p: Picture): void {
  const x = Math.max(LEFT, LEFT + (p.end - p.view.from) * scaleOf(p));
  if (x >= p.width - 1) return;
  context.fillStyle = bar;
  context.fillRect(x, TOP, p.width - x, p.height - TOP);
  context.fillStyle = dim;
  context.fillRect(x, TOP, 1, p.height - TOP);
}

function drawDevice({ context, text, dim, step }: Ink, p: Picture, line: Line & { kind: "device" }): void {
  context.fillStyle = text;
  context.fillText(`${line.isOpen ? "▾" : "▸"} ${line.title}`, 4, line.y + 14, LEFT - 8);
  context.fillStyle = dim;
  context.fillText(line.share, 18, line.y + 29, LEFT - 22);
  const strip = p.strips[line.device] ?? [], height = line.height - 6, width = (p.width - LEFT) / Math.max(1, strip.length);
  context.fillStyle = step;
  strip.forEach((percent, i) => {
    const high = (height * percent) / 100;
    context.fillRect(LEFT + i * width, line.y + 2 + height - high, width + 0.5, high);
  });
}

// Names of threads begin alike, and end in a number.
function cutMiddle(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let n = text.length - 1;
  while (n > 4 && context.measureText(text.slice(0, Math.ceil(n / 2)) + "…" + text.slice(text.length - Math.floor(n / 2))).width > width) n--;
  return text.slice(0, Math.ceil(n / 2)) + "…" + text.slice(text.length - Math.floor(n / 2));
}

function drawLane({ context, dim, text }: Ink, p: Picture, line: Line & { kind: "lane" }): void {
  const scale = scaleOf(p), tiles: Tile[] = [];
  context.fillStyle = line.share ? text : dim;
  const width = line.share ? LEFT - 52 : LEFT - 22;
  context.fillText(cutMiddle(context, line.title, width * 1.15), line.share ? 4 : 18, line.y + 15, width); // slightly too long: narrower letters
  if (line.share) {
    context.fillStyle = dim;
    context.fillText(line.share, LEFT - 42, line.y + 15, 38);
  }
  tilesOf(p, line)?.cover(line.lane, p.view.from, p.view.until, p.width - LEFT, (tile) => tiles.push(tile));
  for (const tile of tiles) {
    context.globalAlpha = line.of ? (p.matches ? 0.3 : 1) : p.fades ? 0.25 : 1;
    copy(context, p, tile, tile.bitmap, line);
    context.globalAlpha = 1;
    if (tile.over) copy(context, p, tile, tile.over, line);
    if (line.of && p.matches) drawMatches(context, p, tile, line, p.matches);
  }
  const drawn = new Set<string>();
  for (const tile of tiles) drawLabels(context, p, tile, line, drawn);
  for (const s of [p.chosen, p.hover]) {
    if (!s || s.lane !== line.lane || !!s.isOfThreads !== !!line.of) continue;
    const x = Math.max(LEFT, LEFT + (s.x - p.view.from) * scale);
    context.strokeStyle = text;
    context.lineWidth = s === p.chosen ? 2.5 : 1;
    context.strokeRect(x + 0.5, line.y + s.row * ROW + 0.5, Math.max(1, LEFT + (s.x + s.w - p.view.from) * scale - x) - 1, ROW - 2);
    context.lineWidth = 1;
  }
}

// Events of threads that are searched for; of operations the server tells.
function drawMatches(context: CanvasRenderingContext2D, p: Picture, tile: Tile, line: Line & { kind: "lane" }, matches: (name: string) => boolean): void {
  const all = tile.data.lanes[line.lane - tile.block.first], scale = scaleOf(p), isMatch = tile.data.ops.map((op) => matches(op.name));
  all?.x.forEach((x, i) => {
    if (!isMatch[all.op[i]] || x > p.view.until || x + all.w[i] < p.view.from) return;
    const left = Math.max(LEFT, LEFT + (x - p.view.from) * scale), right = Math.min(p.width, LEFT + (x + all.w[i] - p.view.from) * scale);
    context.fillStyle = COLOURS[tile.data.ops[all.op[i]].family] ?? COLOURS.control;
    context.fillRect(left, line.y + all.row[i] * ROW, Math.max(1, right - left - 0.5), ROW - 1);
  });
}

// The part of a bitmap that is in view.
function copy(context: CanvasRenderingContext2D, p: Picture, tile: Tile, bitmap: HTMLCanvasElement, line: Line & { kind: "lane" }): void {
  const from = Math.max(p.view.from, tile.from), until = Math.min(p.view.until, tile.until);
  if (until <= from) return;
  const scale = scaleOf(p), perMicro = bitmap.width / (tile.until - tile.from);
  context.drawImage(bitmap, (from - tile.from) * perMicro, tile.block.offsets[line.lane - tile.block.first] * ROW, Math.max(0.01, (until - from) * perMicro), line.rows * ROW,
    LEFT + (from - p.view.from) * scale, line.y, (until - from) * scale, line.rows * ROW);
}

function drawLabels(context: CanvasRenderingContext2D, p: Picture, tile: Tile, line: Line & { kind: "lane" }, drawn: Set<string>): void {
  const row = (p.fades && !line.of ? tile.data.selected : tile.data.lanes)?.[line.lane - tile.block.first], scale = scaleOf(p);
  if (!row) return;
  context.fillStyle = "#000";
  for (let i = 0; i < row.x.length; i++) {
    if (row.n[i] > 1 || row.w[i] * scale < 34) continue;
    const place = `${row.row[i]} ${row.x[i]}`;
    const x = Math.max(LEFT, LEFT + (row.x[i] - p.view.from) * scale), end = Math.min(p.width, LEFT + (row.x[i] + row.w[i] - p.view.from) * scale);
    const room = Math.floor((end - x - 6) / 7.2), name = label(tile.data.ops[row.op[i]].name, row.names?.[i], room);
    if (room < 4 || drawn.has(place)) continue;
    drawn.add(place);
    context.fillText(elide(name, room), x + 3, line.y + row.row[i] * ROW + 15, end - x - 5);
  }
}

// The type, then the last part of the node's name if both fit.
function label(op: string, node: string | undefined, room: number): string {
  const last = node ? lastPart(node) : op;
  return last !== op && op.length + 2 + last.length <= room ? `${op}  ${last}` : op;
}

// A device that waits: dashed and hatched, with its length.
function drawGaps({ context }: Ink, p: Picture): void {
  const slow = getComputedStyle(document.documentElement).getPropertyValue("--slow");
  for (const gap of p.gaps) {
    const from = Math.max(LEFT, LEFT + (gap.from - p.view.from) * scaleOf(p)), until = Math.min(p.width, LEFT + (gap.until - p.view.from) * scaleOf(p));
    if (until - from < 24) continue;
    context.save();
    context.beginPath();
    context.rect(from + 1, gap.y + 1, until - from - 2, gap.height - 2);
    context.clip();
    context.strokeStyle = context.fillStyle = slow;
    context.globalAlpha = 0.3;
    for (let x = from - gap.height; x < until; x += 9) {
      context.beginPath();
      context.moveTo(x, gap.y + gap.height);
      context.lineTo(x + gap.height, gap.y);
      context.stroke();
    }
    context.globalAlpha = 1;
    context.setLineDash([4, 3]);
    context.strokeRect(from + 1.5, gap.y + 1.5, until - from - 3, gap.height - 3);
    const idle = format(gap.until - gap.from, "micros"), room = until - from - 12 - context.measureText(`‹ ${idle}: `).width;
    const cause = gap.cause && room > 50 ? cutMiddle(context, `${gap.isMeanwhile ? "meanwhile " : ""}${gap.cause.op}`, room) : "";
    const name = `${gap.from < p.view.from ? "‹ " : ""}${cause ? `${idle}: ${cause}` : `idle ${idle}`}${gap.until > p.view.until ? " ›" : ""}`, wide = context.measureText(name).width;
    if (wide + 12 < until - from) {
      const x = (from + until - wide) / 2;
      context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--back");
      context.fillRect(x - 4, gap.y + 3, wide + 8, gap.height - 6);
      context.fillStyle = slow;
      context.fillText(name, x, gap.y + gap.height / 2 + 4);
    }
    context.restore();
  }
}

function drawArrows({ context, chosen, back }: Ink, p: Picture): void {
  const x = (t: number) => LEFT + (t - p.view.from) * scaleOf(p);
  context.save();
  context.beginPath();
  context.rect(LEFT, 0, p.width - LEFT, p.scroll + p.height);
  context.clip();
  context.strokeStyle = context.fillStyle = chosen;
  context.lineWidth = 1.5;
  for (const arrow of p.arrows) {
    const x0 = x(arrow.from), x1 = x(arrow.to), bend = Math.max(12, Math.abs(x1 - x0) / 3);
    context.beginPath();
    context.moveTo(x0, arrow.fromY);
    context.bezierCurveTo(x0 + bend, arrow.fromY, x1 - bend, arrow.toY, x1 - 5, arrow.toY);
    if (arrow.wait !== undefined) {
      context.strokeStyle = back;
      context.lineWidth = 5;
      context.stroke();
      context.strokeStyle = chosen;
      context.lineWidth = 2;
    }
    context.stroke();
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x1, arrow.toY);
    context.lineTo(x1 - 6, arrow.toY - 4);
    context.lineTo(x1 - 6, arrow.toY + 4);
    context.fill();
    if (arrow.wait && arrow.wait > 0 && x1 - x0 > 60) {
      const text = `queued ${format(arrow.wait, "micros")}`, wide = context.measureText(text).width, left = (x0 + x1 - wide) / 2, y = (arrow.fromY + arrow.toY) / 2;
      context.fillStyle = back;
      context.fillRect(left - 4, y - 9, wide + 8, 18);
      context.fillStyle = chosen;
      context.fillText(text, left, y + 4);
    }
  }
  context.restore();
}

function drawMeasure({ context, chosen, back }: Ink, p: Picture): void {
  if (!p.measure) return;
  const from = Math.min(p.measure.from, p.measure.until), until = Math.max(p.measure.from, p.measure.until);
  const x = (t: number) => Math.min(p.width - 1, Math.max(LEFT, LEFT + (t - p.view.from) * scaleOf(p)));
  const text = format(Math.round(until - from), "micros"), width = context.measureText(text).width + 8;
  const middle = Math.min(p.width - width, Math.max(LEFT, (x(from) + x(until)) / 2 - width / 2));
  context.fillStyle = chosen;
  context.fillRect(x(from), TOP - 8, 1, p.height);
  context.fillRect(x(until), TOP - 8, 1, p.height);
  context.fillRect(x(from), TOP - 4, x(until) - x(from), 1);
  context.fillRect(middle, TOP - 12, width, 16);
  context.fillStyle = back;
  context.fillText(text, middle + 4, TOP);
}

function drawMemory({ context, dim, text }: Ink, p: Picture, line: Line & { kind: "memory" }): void {
  const curve = p.curves[line.curve], height = line.height - 8;
  context.fillStyle = text;
  context.fillText(line.title, 18, line.y + 14, LEFT - 22);
  context.fillStyle = dim;
  context.fillText(line.peak, 18, line.y + 29, LEFT - 22);
  if (!curve || !curve.highest.length) return;
  const width = (p.width - LEFT) / curve.highest.length, high = (bytes: number) => (curve.peak > 0 ? (height * Math.max(0, bytes)) / curve.peak : 0);
  context.fillStyle = COLOURS.reduction;
  curve.highest.forEach((bytes, i) => {
    if (bytes < 0) return;
    const x = Math.round(LEFT + i * width), w = Math.round(LEFT + (i + 1) * width) - x, y = line.y + 2 + height - high(bytes);
    context.globalAlpha = 0.45;
    context.fillRect(x, y, w, high(bytes));
    context.globalAlpha = 1;
    context.fillRect(x, y, w, Math.max(1.5, high(bytes) - high(curve.lowest[i])));
  });
}

function drawStretch({ context, chosen }: Ink, p: Picture): void {
  const x = (t: number) => Math.min(p.width, Math.max(LEFT, LEFT + (t - p.view.from) * scaleOf(p)));
  if (p.stretch) {
    const a = x(Math.min(p.stretch.from, p.stretch.until)), b = x(Math.max(p.stretch.from, p.stretch.until));
    context.fillStyle = "rgba(80, 140, 255, .18)";
    context.fillRect(a, TOP, b - a, p.height - TOP);
    context.fillStyle = chosen;
    context.fillRect(a, TOP, 1, p.height - TOP);
    context.fillRect(b - 1, TOP, 1, p.height - TOP);
  }
  if (p.cursor !== undefined && p.cursor >= p.view.from && p.cursor <= p.view.until) {
    context.fillStyle = chosen;
    context.fillRect(x(p.cursor), TOP, 1, p.height - TOP);
  }
}
