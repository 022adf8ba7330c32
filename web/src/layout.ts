// A worker that lays out boxes by data flow, from left to right.
import dagre from "@dagrejs/dagre";

export interface LayoutRequest { id: number; boxes: { id: number; width: number; height: number }[]; edges: { from: number; to: number; weight: number }[] }
export interface LayoutAnswer { id: number; places: { id: number; x: number; y: number }[] }

onmessage = (event: MessageEvent<LayoutRequest>) => {
  const { id, boxes, edges } = event.data;
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 12, ranksep: 26 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(String(box.id), { width: box.width, height: box.height });
  for (const edge of edges) graph.setEdge(String(edge.from), String(edge.to), { weight: edge.weight });
  dagre.layout(graph);
  const places = boxes.map((box) => {
    const { x, y } = graph.node(String(box.id)) as { x: number; y: number };
    return { id: box.id, x, y };
  });
  postMessage({ id, places } satisfies LayoutAnswer);
};
