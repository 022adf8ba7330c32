// Who holds memory: rows of the question memory, as a tree of boxes by layer, line or operation.
import type { Row, Table } from "./api";
import { build, type Node } from "./tree";

export interface HolderFields { bytes: number | null; peak_bytes: number | null; buffers: number | null; shape: string | null; layer: string | null; line: string | null;
  borrowed: string | null; lifetime_peak_bytes?: number | null; capacity_bytes?: number | null }
export type Holder = Table<HolderFields>["nodes"][number];
export type By = "layer" | "line" | "operation";

// What a row holds: of an estimate, what is alive at the peak.
export const sizeOf = (r: Holder, isEstimate = false) => (isEstimate ? r.peak_bytes : r.bytes) ?? 0;

export const BYS: [By, string][] = [["layer", "Layer"], ["line", "Line"], ["operation", "Operation"]];

// What a program has in memory other than the device's: it is not part of the same sum.
export const isElsewhere = (r: Holder) => /^(parameters|outputs|temporaries|constants) \(/.test(r.name) && r.depth === 2;

// An allocator, or a compiled program: what holds at its peak, without sums of them.
export function leavesOf(rows: Holder[], root: Holder): Holder[] {
  const parents = new Set(rows.map((r) => r.parent)), inside = new Set([root.id]);
  return rows.filter((r) => {
    if (r.parent === null || !inside.has(r.parent) || isElsewhere(r)) return false;
    inside.add(r.id);
    return !parents.has(r.id) && (r.bytes ?? 0) > 0;
  });
}

const groupOf = (leaf: Holder, rows: Holder[], by: By) =>
  by === "line" ? leaf.line || "(line not known)" : by === "layer" ? leaf.layer || (leaf.parent === null ? leaf.name : layerAbove(leaf, rows)) : leaf.name;

function layerAbove(leaf: Holder, rows: Holder[]): string {
  const above = rows.find((r) => r.id === leaf.parent);
  return above?.layer || leaf.name;
}

// Boxes whose sizes are the bytes of the rows.
export function boxesOf(leaves: Holder[], rows: Holder[], by: By): Node | undefined {
  const groups = new Map<string, Holder[]>();
  for (const leaf of leaves) groups.set(groupOf(leaf, rows, by), [...(groups.get(groupOf(leaf, rows, by)) ?? []), leaf]);
  const sum = (of: Holder[]) => of.reduce((bytes, r) => bytes + (r.bytes ?? 0), 0);
  const row = (id: number, name: string, depth: number, bytes: number): Row => ({ row: id, name, depth, kids: 0, own: {}, total: { bytes } });
  const list = [row(-1, "", 0, sum(leaves))];
  for (const [name, of] of groups) {
    if (of.length === 1) list.push(row(of[0].id, name, 1, sum(of)));
    else list.push(row(-2 - of[0].id, name, 1, sum(of)), ...of.map((r) => row(r.id, r.name, 2, r.bytes ?? 0)));
  }
  return build(list, "bytes");
}
