// Rows in preorder become a tree; sizes are those of a metric.
import type { Row } from "./api";

export interface Node {
  row: Row;
  value: number;
  children: Node[];
  parent?: Node;
}

export interface Tree { rows: Row[]; path: { row: number; name: string }[] }

// The row above the shown one, for the address; the whole has none.
export function parentIn({ path }: Pick<Tree, "path">): string | undefined {
  const above = path[path.length - 2];
  return above && String(above.row);
}

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
    }
    root ??= node;
    stack.push(node);
  }
  if (root) sort(root);
  return root;
}

export function flatten(root: Node): Node[] {
  const all: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    all.push(node);
    open.push(...node.children);
  }
  return all;
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

// How much of a box gradients take.
export function backwardShare({ row, value }: Node): number {
  return value > 0 ? Math.min(value, row.backward ?? 0) / value : 0;
}

// Without the name of the scope it is shown in; what options hide in between stays.
export function nameBelow({ row, parent }: Node): string {
  if (!parent || parent.row.row === 0) return row.name;
  return row.name.startsWith(`${parent.row.name}/`) ? row.name.slice(parent.row.name.length + 1) : lastPart(row.name);
}

// A line whose source text was not recorded ends in ":none".
export function lineName(name: string): string {
  return name.replace(/:none( \(gradient\))?$/, "$1");
}

export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
