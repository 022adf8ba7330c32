// Where boxes are, from top to bottom, and the ways of the lines between them.
import { useEffect, useState } from "preact/hooks";
import type { LayoutAnswer, LayoutRequest, Point } from "./layout";

export const WIDTH = 176;
export const HEIGHT = 54;
const PORT = 12; // how far from a corner lines begin

export interface Place { id: number; x: number; y: number } // its upper left corner
export interface Placed { places: Map<number, Place>; paths: Map<string, Way>; width: number; height: number }
export interface Way { path: string; middle: Point }

let worker: Worker | undefined;
let last = 0;

function ask(request: Omit<LayoutRequest, "id">): Promise<LayoutAnswer> {
  worker ??= new Worker("layout.js", { type: "module" });
  const id = ++last, to = worker;
  return new Promise((resolve, reject) => {
    to.addEventListener("message", function listen(event: MessageEvent<LayoutAnswer>) {
      if (event.data.id !== id) return;
      to.removeEventListener("message", listen);
      resolve(event.data);
    });
    to.addEventListener("error", () => reject(new Error("the layout failed")), { once: true });
    to.postMessage({ id, ...request });
  });
}

// Boxes are in rows of one height. Within a row a line goes straight down, between boxes, and only
// between rows to the side: so it passes no box.
export function wayOf(from: Place, to: Place, points: Point[], rows: number[]): Way {
  const isDown = to.y >= from.y, sign = isDown ? 1 : -1, half = HEIGHT / 2;
  const clamp = (x: number, box: Place) => Math.min(box.x + WIDTH - PORT, Math.max(box.x + PORT, x));
  const inner = points.slice(1, -1), first = points[0] ?? { x: from.x + WIDTH / 2, y: 0 }, end = points[points.length - 1] ?? { x: to.x + WIDTH / 2, y: 0 };
  const stops: Point[] = [{ x: clamp(first.x, from), y: from.y + (isDown ? HEIGHT : 0) }];
  for (const p of inner) {
    const isInRow = rows.some((y) => Math.abs(y - p.y) < half);
    if (isInRow) stops.push({ x: p.x, y: p.y - sign * half }, { x: p.x, y: p.y + sign * half });
  }
  stops.push({ x: clamp(end.x, to), y: to.y + (isDown ? 0 : HEIGHT) });
  let path = `M${stops[0].x},${stops[0].y}`;
  for (let i = 1; i < stops.length; i++) {
    const a = stops[i - 1], b = stops[i], middle = (a.y + b.y) / 2;
    path += a.x === b.x ? ` L${b.x},${b.y}` : ` C${a.x},${middle} ${b.x},${middle} ${b.x},${b.y}`;
  }
  return { path, middle: { x: (stops[0].x + stops[1].x) / 2, y: (stops[0].y + stops[1].y) / 2 } };
}

function place(answer: LayoutAnswer): Placed {
  const places = new Map(answer.places.map(({ id, x, y }) => [id, { id, x: x - WIDTH / 2, y: y - HEIGHT / 2 }]));
  const rows = [...new Set(answer.places.map((p) => Math.round(p.y)))];
  const paths = new Map(answer.lines.map((l) => [`${l.from}-${l.to}`, wayOf(places.get(l.from)!, places.get(l.to)!, l.points, rows)]));
  return { places, paths, width: answer.width, height: answer.height };
}

export function useLayout(boxes: number[], edges: { from: number; to: number; tensors: number }[]): Placed | undefined {
  const key = JSON.stringify([boxes, edges.map((e) => [e.from, e.to])]);
  const [answer, setAnswer] = useState<{ key: string; placed: Placed }>();
  useEffect(() => {
    let current = true;
    document.documentElement.setAttribute("data-layout", "");
    ask({ boxes: boxes.map((id) => ({ id, width: WIDTH, height: HEIGHT })), edges: edges.filter((e) => e.from !== e.to).map((e) => ({ from: e.from, to: e.to, weight: Math.min(10, e.tensors) })) })
      .then((found) => { if (current) setAnswer({ key, placed: place(found) }); }, () => undefined)
      .finally(() => document.documentElement.removeAttribute("data-layout"));
    return () => { current = false; };
  }, [key]);
  return answer?.key === key ? answer.placed : undefined;
}
