// Rows in preorder become a tree; sizes are those of a metric.
import type { Row } from "./api";

export interface Node { row: Row; value: number; children: Node[]; parent?: Node }

export interface Tree { rows: Row[]; path: { row: number; name: string }[] }

export function build(rows: Row[], column: string): Node | undefined {
  const stack: Node[] = [];
  let root: Node | undefined;
  for (const row of rows) {
    const node: Node = { row, value: Math.max(0, row.total[column] ?? 0), children: [] };
    while (stack.length && stack[stack.length - 1].row.depth >= row.depth) stack.pop();
    const parent = stack[stack.length - 1];
    if (parent) {
      node.parent = parent;
      parent.children.push(node);
    } else root = node;
    stack.push(node);
  }
  if (root) sort(root);
  return root;
}

function sort(root: Node): void {
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    node.children.sort((a, b) => b.value - a.value);
    open.push(...node.children);
  }
}

export interface Box { node: Node; depth: number; x: number; w: number }

// Boxes of a flame graph or icicle: widths are shares of the root.
export function icicle(root: Node, minWidth: number): Box[] {
  const boxes: Box[] = [];
  const open: Box[] = [{ node: root, depth: 0, x: 0, w: 1 }];
  for (let box = open.pop(); box; box = open.pop()) {
    boxes.push(box);
    let x = box.x;
    for (const child of box.node.children) {
      const w = box.node.value > 0 ? (box.w * child.value) / box.node.value : 0;
      if (w >= minWidth) open.push({ node: child, depth: box.depth + 1, x, w });
      x += w;
    }
  }
  return boxes;
}

export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
