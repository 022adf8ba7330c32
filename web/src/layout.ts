// A worker that lays out boxes by data flow, from top to bottom, and finds ways for the lines between
// them that pass no box.
import dagre from "@dagrejs/dagre";

export interface Point { x: number; y: number }
export interface LayoutRequest { id: number; boxes: { id: number; width: number; height: number }[]; edges: { from: number; to: number; weight: number }[] }
// Places are centres; a line has the points that it turns at, with both ends.
export interface LayoutAnswer { id: number; width: number; height: number; places: { id: number; x: number; y: number }[]; lines: { from: number; to: number; points: Point[] }[] }

const NODES_APART = 28, LINES_APART = 16, RANKS_APART = 46;
// Boxes that nothing connects would all be in one row.
const LOOSE_PER_ROW = 6;

onmessage = (event: MessageEvent<LayoutRequest>) => {
  const { id, boxes, edges } = event.data;
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: NODES_APART, edgesep: LINES_APART, ranksep: RANKS_APART });
  graph.setDefaultEdgeLabel(() => ({}));
  const joined = new Set(edges.flatMap((e) => [e.from, e.to]));
  for (const box of boxes) if (joined.has(box.id)) graph.setNode(String(box.id), { width: box.width, height: box.height });
  for (const edge of edges) graph.setEdge(String(edge.from), String(edge.to), { weight: edge.weight });
  if (joined.size) dagre.layout(graph);
  const size = graph.graph() as { width?: number; height?: number }, places = [];
  let loose = 0;
  const below = joined.size ? (size.height ?? 0) + RANKS_APART : 0;
  for (const box of boxes) {
    const node = graph.node(String(box.id)) as Point | undefined;
    if (node) places.push({ id: box.id, x: node.x, y: node.y });
    else {
      const row = Math.floor(loose / LOOSE_PER_ROW), column = loose++ % LOOSE_PER_ROW;
      places.push({ id: box.id, x: box.width / 2 + column * (box.width + NODES_APART), y: below + box.height / 2 + row * (box.height + NODES_APART) });
    }
  }
  const lines = edges.map(({ from, to }) => ({ from, to, points: (graph.edge(String(from), String(to)) as { points?: Point[] }).points ?? [] }));
  const width = Math.max(...places.map((p) => p.x + boxes[0].width / 2), size.width ?? 0), height = Math.max(...places.map((p) => p.y + boxes[0].height / 2));
  postMessage({ id, places, lines, width, height } satisfies LayoutAnswer);
};
