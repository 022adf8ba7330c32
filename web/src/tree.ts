// Rows in preorder become a tree; sizes are those of a metric.
import type { Row } from "./api";

export interface Node {
  row: Row;
  value: number;
  children: Node[];
  parent?: Node;
  rows?: number[]; // that were joined into it
}

export interface Tree { rows: Row[]; path: { row: number; name: string }[] }

// The row above the shown one, for the address; the whole has none.
export function parentIn({ path }: Pick<Tree, "path">): string | undefined {
  const above = path[path.length - 2];
  return above && String(above.row);
}

export function build(rows: Row[], column: string): Node | undefined {
  const root = roots(rows, column)[0];
  if (root) sort(root);
  return root;
}

function roots(rows: Row[], column: string): Node[] {
  const stack: Node[] = [];
  const found: Node[] = [];
  for (const row of rows) {
    const node: Node = { row, value: Math.max(0, row.total[column] ?? 0), children: [] };
    while (stack.length && stack[stack.length - 1].row.depth >= row.depth) stack.pop();
    const parent = stack[stack.length - 1];
    if (parent) {
      node.parent = parent;
      parent.children.push(node);
    } else found.push(node);
    stack.push(node);
  }
  return found;
}

const GRADIENT = " (gradient)";

function addNumbers(a: Row["total"], b: Row["total"]): Row["total"] {
  const sum = { ...a };
  for (const [name, value] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

// One node in place of several: a line of code and its gradients.
function join(nodes: Node[]): Node {
  const [first, ...others] = nodes;
  const row: Row = { ...first.row, name: first.row.name.endsWith(GRADIENT) ? first.row.name.slice(0, -GRADIENT.length) : first.row.name };
  let value = first.value;
  for (const { row: other, value: more } of others) {
    row.own = addNumbers(row.own, other.own);
    row.total = addNumbers(row.total, other.total);
    row.backward = (row.backward ?? 0) + (other.backward ?? 0);
    if (row.selected !== undefined) row.selected += other.selected ?? 0;
    value += more;
  }
  return { row, value, rows: nodes.map((n) => n.row.row), children: nodes.flatMap((n) => n.children) };
}

// The same with gradients merged into the line they belong to.
export function buildLines(rows: Row[], column: string): Node | undefined {
  const top = roots(rows, column);
  if (!top.length) return undefined;
  const root = join(top);
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    const groups = new Map<string, Node[]>();
    for (const child of node.children) {
      const { path, line, name } = child.row;
      const key = `${path}:${line}:${name.endsWith(GRADIENT) ? name.slice(0, -GRADIENT.length) : name}`;
      groups.set(key, [...(groups.get(key) ?? []), child]);
    }
    node.children = [...groups.values()].map(join);
    for (const child of node.children) child.parent = node;
    open.push(...node.children);
  }
  sort(root);
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

export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
