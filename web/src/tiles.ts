// Bitmaps of the timeline: level z cuts the step into 2^z tiles of 1,024 pixels, lanes into
// blocks of 32. A tile is drawn once; panning and zooming copies bitmaps. While one is missing
// its parent's is drawn. At most 3 requests are under way, and none is aborted for a newer one:
// while the mouse moves, nothing would ever arrive.
import { get, type Params } from "./api";

export const LANE = 24;
const PIXELS = 1024;
const BLOCK = 32;
const MAX_TILES = 48;
const MAX_UNDER_WAY = 3;

export const COLOURS: Record<string, string> = { matrix: "#4c78c8", element: "#e69f3c", reduction: "#3ba38b", copy: "#c77dba",
  variable: "#8a7f6a", communication: "#d1605e", control: "#9aa4b0" };

export interface Slices { lane: number; x: number[]; w: number[]; node: number[]; n: number[]; busy: number[]; op: number[]; names?: Record<number, string> }
interface SlicesAnswer { lanes: Slices[]; selected?: Slices[]; ops: { name: string; family: string }[] }

export interface Tile { from: number; until: number; first: number; data: SlicesAnswer; bitmap: HTMLCanvasElement; over?: HTMLCanvasElement }

export interface Slice { lane: number; node: number; x: number; w: number; n: number; busy: number; op: string }

function draw(lanes: Slices[], answer: SlicesAnswer, first: number, from: number, until: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = PIXELS;
  canvas.height = Math.max(1, lanes.length) * LANE;
  const context = canvas.getContext("2d")!;
  const scale = PIXELS / (until - from), height = LANE - 4;
  for (const row of lanes) {
    const y = (row.lane - first) * LANE;
    for (let i = 0; i < row.x.length; i++) {
      const x = (row.x[i] - from) * scale;
      // Joined slices are as high as they are busy, so that none looks like one execution.
      const busy = row.n[i] > 1 && row.w[i] > 0 ? Math.max(0.15, row.busy[i] / row.w[i]) : 1;
      context.fillStyle = COLOURS[answer.ops[row.op[i]].family] ?? COLOURS.control;
      context.fillRect(x, y + height * (1 - busy), Math.max(0.7, row.w[i] * scale - 0.5), height * busy);
    }
  }
  return canvas;
}

export class Tiles {
  private tiles = new Map<string, Tile>();
  private wanted: string[] = [];
  private underWay = new Set<string>();

  constructor(private params: Params, private duration: number, private lanes: number, private changed: () => void) {}

  // The level whose pixels are about those of the screen.
  level(span: number, width: number): number {
    return Math.max(0, Math.round(Math.log2((this.duration / span) * (width / PIXELS)) - 0.25));
  }

  private bounds(z: number, i: number): [number, number] {
    return [(this.duration * i) / 2 ** z, (this.duration * (i + 1)) / 2 ** z];
  }

  // Calls `use` with the bitmap to draw for each part of a stretch, of one block of lanes.
  cover(block: number, from: number, until: number, width: number, use: (tile: Tile) => void): void {
    const z = this.level(until - from, width);
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

  has(block: number, from: number, until: number, width: number): boolean {
    const z = this.level(until - from, width);
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
      const [block, z, i] = key.split("/").map(Number);
      const [from, until] = this.bounds(z, i);
      const first = block * BLOCK, min = Math.floor((2 * (until - from)) / PIXELS);
      this.underWay.add(key);
      get<SlicesAnswer>("slices", { ...this.params, lane: first, until_lane: Math.min(this.lanes, first + BLOCK), from: Math.floor(from),
        until: Math.ceil(until), min }).then((data) => {
        const bitmap = draw(data.lanes, data, first, from, until);
        this.tiles.set(key, { from, until, first, data, bitmap, over: data.selected && draw(data.selected, data, first, from, until) });
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

  // The slice of a lane at a time, or within `slack` of it.
  at(lane: number, time: number, from: number, until: number, width: number, slack: number): Slice | undefined {
    let found: Slice | undefined;
    this.cover(Math.floor(lane / BLOCK), from, until, width, (tile) => {
      if (found || time < tile.from || time >= tile.until) return;
      const row = tile.data.lanes[lane - tile.first];
      const i = row ? row.x.findIndex((x, k) => x <= time + slack && time < x + Math.max(row.w[k], slack)) : -1;
      if (i >= 0) found = slice(tile, row, i);
    });
    return found;
  }
}

export function slice(tile: Tile, row: Slices, i: number): Slice {
  return { lane: row.lane, node: row.node[i], x: row.x[i], w: row.w[i], n: row.n[i], busy: row.busy[i], op: tile.data.ops[row.op[i]].name };
}

export function blockOf(lane: number): number {
  return Math.floor(lane / BLOCK);
}
