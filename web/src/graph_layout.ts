// Boxes in columns of data flow that wrap like lines of text, and the lines between them.
import { useEffect, useState } from "preact/hooks";
import type { LayoutAnswer, LayoutRequest } from "./layout";

export const WIDTH = 126;
export const HEIGHT = 54;
const GAP_X = 24;
const GAP_Y = 12;
const BETWEEN_LINES = 30;

export interface Place { id: number; x: number; y: number; line: number; top: number }
export interface Placed { places: Map<number, Place>; width: number; height: number }

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

// The layout gives each box a column and an order in it; columns fill lines of this width.
// Boxes that nothing connects would all be in one column: each gets its own.
function wrap(answer: LayoutAnswer, width: number, isConnected: boolean): Placed {
  const columns = new Map<number, { id: number; y: number }[]>();
  for (const { id, x, y } of answer.places) {
    const column = Math.round(isConnected ? x : y);
    columns.set(column, [...(columns.get(column) ?? []), { id, y }]);
  }
  const sorted = [...columns.entries()].sort((a, b) => a[0] - b[0]).map(([, boxes]) => boxes.sort((a, b) => a.y - b.y));
  const perLine = Math.max(1, Math.floor((width - GAP_X) / (WIDTH + GAP_X)));
  const places = new Map<number, Place>();
  let top = 0;
  for (let first = 0, line = 0; first < sorted.length; first += perLine, line++) {
    const shown = sorted.slice(first, first + perLine), lineTop = top;
    shown.forEach((boxes, column) => boxes.forEach(({ id }, i) =>
      places.set(id, { id, line, top: lineTop, x: GAP_X / 2 + column * (WIDTH + GAP_X), y: lineTop + i * (HEIGHT + GAP_Y) })));
    top += Math.max(...shown.map((boxes) => boxes.length)) * (HEIGHT + GAP_Y) + BETWEEN_LINES;
  }
  return { places, width, height: Math.max(HEIGHT, top - BETWEEN_LINES) };
}

export function useLayout(boxes: number[], edges: { from: number; to: number; tensors: number }[], width: number): Placed | undefined {
  const key = JSON.stringify([boxes, edges.map((e) => [e.from, e.to])]);
  const [answer, setAnswer] = useState<{ key: string; answer: LayoutAnswer }>();
  useEffect(() => {
    let current = true;
    document.documentElement.setAttribute("data-layout", "");
    ask({ boxes: boxes.map((id) => ({ id, width: WIDTH, height: HEIGHT })), edges: edges.map((e) => ({ from: e.from, to: e.to, weight: Math.min(10, e.tensors) })) })
      .then((found) => { if (current) setAnswer({ key, answer: found }); }, () => undefined)
      .finally(() => document.documentElement.removeAttribute("data-layout"));
    return () => { current = false; };
  }, [key]);
  return answer?.key === key ? wrap(answer.answer, width, edges.length > 0) : undefined;
}

// From the right of one box to the left of another; to a later line of boxes through the space
// between lines.
export function edgePath(from: Place, to: Place, width: number): string {
  const x0 = from.x + WIDTH, y0 = from.y + HEIGHT / 2, x1 = to.x, y1 = to.y + HEIGHT / 2;
  if (to.line > from.line) {
    const between = to.top - BETWEEN_LINES / 2;
    return `M${x0},${y0} H${Math.min(width - 3, x0 + 8)} V${between} H${Math.max(3, x1 - 8)} V${y1} H${x1}`;
  }
  // Past other boxes: below them.
  if (to.line === from.line && x1 - x0 > WIDTH) {
    const below = Math.max(from.y, to.y) + HEIGHT + GAP_Y / 2;
    return `M${x0},${y0} H${x0 + 8} V${below} H${x1 - 8} V${y1} H${x1}`;
  }
  const bend = Math.max(10, Math.abs(x1 - x0) / 2);
  return `M${x0},${y0} C${x0 + bend},${y0} ${x1 - bend},${y1} ${x1},${y1}`;
}
