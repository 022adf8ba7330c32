// Bitmaps of the timeline: level z cuts the step into 2^z tiles of 1,024 pixels, lanes into
// blocks of about 64 rows. No two slices of a row overlap; what runs within another is below it. A tile is drawn once; panning and zooming copies bitmaps. While one is missing
// its parent's is drawn. At most 3 requests are under way, and none is aborted for a newer one:
// while the mouse moves, nothing would ever arrive.
import { get, type Params } from "./api";

export const ROW = 21; // 20 and a line between
const PIXELS = 1024;
const MAX_ROWS = 64;
const MAX_TILES = 48;
const MAX_UNDER_WAY = 3;

export const COLOURS: Record<string, string> = { matrix: "#4c78c8", element: "#e69f3c", reduction: "#3ba38b", copy: "#c77dba",
  variable: "#8a7f6a", communication: "#d1605e", control: "#9aa4b0",
  python: "#6ba550", input: "#efcb3f", compile: "#b5764a", dispatch: "#8f7cc4", runtime: "#aab3bf", operation: "#7ba0e0", other: "#9aa4b0",
  step: "#b9c1cb", compute: "#4c78c8", callback: "#93a13a", unknown: "#d5dae1" };

// What waits is hatched, so that it can be told without colour.
const WAITING = new Set(["input", "runtime", "unknown"]);

function hatch(context: CanvasRenderingContext2D, left: number, top: number, width: number, height: number): void {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = "rgb(0 0 0 / .16)";
  context.lineWidth = 2;
  context.beginPath();
  for (let x = left - height - (left % 7); x < left + width; x += 7) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}

export interface Slices { lane: number; row: number[]; x: number[]; w: number[]; node: number[]; n: number[]; busy: number[]; op: number[]; names?: Record<number, string> }
interface SlicesAnswer { lanes: Slices[]; selected?: Slices[]; ops: { name: string; family: string }[] }

export interface Tile { from: number; until: number; block: Block; data: SlicesAnswer; bitmap: HTMLCanvasElement; over?: HTMLCanvasElement }

export interface Slice { lane: number; row: number; node: number; x: number; w: number; n: number; busy: number; op: string; family?: string; isOfThreads?: boolean }

// Lanes that share bitmaps.
export interface Block { first: number; until: number; rows: number; offsets: number[] }

function blocksOf(lanes: { rows: number }[]): Block[] {
  const blocks: Block[] = [];
  lanes.forEach(({ rows }, lane) => {
    let block = blocks[blocks.length - 1];
    if (!block || block.rows + rows > MAX_ROWS) blocks.push((block = { first: lane, until: lane, rows: 0, offsets: [] }));
    block.offsets.push(block.rows);
    block.rows += rows;
    block.until = lane + 1;
  });
  return blocks;
}

function draw(lanes: Slices[], answer: SlicesAnswer, block: Block, from: number, until: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = PIXELS;
  canvas.height = Math.max(1, block.rows) * ROW;
  const context = canvas.getContext("2d")!;
  const scale = PIXELS / (until - from), height = ROW - 1;
  for (const lane of lanes) {
    const top = block.offsets[lane.lane - block.first];
    for (let i = 0; i < lane.x.length; i++) {
      const x = (lane.x[i] - from) * scale;
      // Joined slices are as high as they are busy, so that none looks like one execution.
      const busy = lane.n[i] > 1 && lane.w[i] > 0 ? Math.max(0.15, lane.busy[i] / lane.w[i]) : 1;
      context.fillStyle = COLOURS[answer.ops[lane.op[i]].family] ?? COLOURS.control;
      const y = (top + lane.row[i]) * ROW + height * (1 - busy), w = Math.max(0.7, lane.w[i] * scale - 0.5);
      context.fillRect(x, y, w, height * busy);
      if (w > 4 && busy === 1 && WAITING.has(answer.ops[lane.op[i]].family)) hatch(context, x, y, w, height);
    }
  }
  return canvas;
}

export class Tiles {
  private tiles = new Map<string, Tile>();
  private wanted: string[] = [];
  private underWay = new Set<string>();

  private blocks: Block[];
  private blockAt: number[]; // by lane

  constructor(private params: Params, private duration: number, lanes: { rows: number }[], private changed: () => void) {
    this.blocks = blocksOf(lanes);
    this.blockAt = this.blocks.flatMap((b, i) => Array<number>(b.until - b.first).fill(i));
  }

  // What a slice takes without those within it; undefined if not all of them are known one by one.
  self(s: Slice, from: number, until: number, width: number): number | undefined {
    if (s.n > 1 || s.x < from || s.x + s.w > until) return undefined;
    const within = this.slices(s.lane, from, until, width).filter((o) => o.row === s.row + 1 && o.x + o.w > s.x && o.x < s.x + s.w);
    return within.some((o) => o.n > 1) ? undefined : within.reduce((rest, o) => rest - o.w, s.w);
  }

  // The level whose pixels are about those of the screen.
  level(span: number, width: number): number {
    return Math.max(0, Math.round(Math.log2((this.duration / span) * (width / PIXELS)) - 0.25));
  }

  private bounds(z: number, i: number): [number, number] {
    return [(this.duration * i) / 2 ** z, (this.duration * (i + 1)) / 2 ** z];
  }

  // Calls `use` with the bitmap to draw for each part of a stretch, of the block of a lane.
  cover(lane: number, from: number, until: number, width: number, use: (tile: Tile) => void): void {
    const z = this.level(until - from, width), block = this.blockAt[lane];
    const first = Math.max(0, Math.floor((from / this.duration) * 2 ** z)), last = Math.min(2 ** z - 1, Math.floor((until / this.duration) * 2 ** z));
    for (let i = first; i <= last; i++) {
      const tile = this.find(block, z, i);
      if (tile) use(tile);
      else for (let up = 1; up <= z; up++) {
        const above = this.tiles.get(`${block}/${z - up}/${i >> up}`);
        if (above) { use(above); break; }
      }
    }
  }

  has(lane: number, from: number, until: number, width: number): boolean {
    const z = this.level(until - from, width), block = this.blockAt[lane];
    return this.tiles.has(`${block}/${z}/${Math.max(0, Math.floor((from / this.duration) * 2 ** z))}`);
  }

  private find(block: number, z: number, i: number): Tile | undefined {
    const key = `${block}/${z}/${i}`;
    const tile = this.tiles.get(key);
    if (tile) {
      this.tiles.delete(key);
      this.tiles.set(key, tile);
      return tile;
    }
    if (!this.underWay.has(key) && !this.wanted.includes(key)) {
      this.wanted.push(key);
      if (this.wanted.length > 24) this.wanted.shift();
      this.ask();
    }
    return undefined;
  }

  private ask(): void {
    while (this.underWay.size < MAX_UNDER_WAY && this.wanted.length) {
      const key = this.wanted.pop()!;
      const [b, z, i] = key.split("/").map(Number);
      const [from, until] = this.bounds(z, i);
      const block = this.blocks[b], min = Math.floor((2 * (until - from)) / PIXELS);
      this.underWay.add(key);
      get<SlicesAnswer>("slices", { ...this.params, lane: block.first, until_lane: block.until, from: Math.floor(from),
        until: Math.ceil(until), min }).then((data) => {
        const bitmap = draw(data.lanes, data, block, from, until);
        this.tiles.set(key, { from, until, block, data, bitmap, over: data.selected && draw(data.selected, data, block, from, until) });
        for (const oldest of this.tiles.keys()) {
          if (this.tiles.size <= MAX_TILES) break;
          this.tiles.delete(oldest);
        }
      }, () => undefined).finally(() => {
        this.underWay.delete(key);
        this.ask();
        this.changed();
      });
    }
  }

  // The slice of a row at a time, or within `slack` of it.
  at(lane: number, row: number, time: number, from: number, until: number, width: number, slack: number): Slice | undefined {
    let found: Slice | undefined;
    this.cover(lane, from, until, width, (tile) => {
      if (found || time < tile.from || time >= tile.until) return;
      const all = tile.data.lanes[lane - tile.block.first];
      const hit = (near: number) => (all ? all.x.findIndex((x, k) => all.row[k] === row && x - near <= time && time < x + Math.max(all.w[k], near)) : -1);
      const i = hit(0) >= 0 ? hit(0) : hit(slack);
      if (i >= 0) found = slice(tile, all, i);
    });
    return found;
  }

  // Every slice of a lane in a stretch, as it is drawn.
  slices(lane: number, from: number, until: number, width: number): Slice[] {
    const found = new Map<string, Slice>();
    this.cover(lane, from, until, width, (tile) => {
      const all = tile.data.lanes[lane - tile.block.first];
      all?.x.forEach((x, i) => {
        if (x < until && x + all.w[i] >= from) found.set(`${all.row[i]} ${x} ${all.node[i]} ${all.n[i]}`, slice(tile, all, i));
      });
    });
    return [...found.values()];
  }
}

export function slice(tile: Tile, all: Slices, i: number): Slice {
  return { family: tile.data.ops[all.op[i]].family,  lane: all.lane, row: all.row[i], node: all.node[i], x: all.x[i], w: all.w[i], n: all.n[i], busy: all.busy[i], op: tile.data.ops[all.op[i]].name };
}
