// Levels as boxes within boxes, whose areas are shares of the root.
import { useRef } from "preact/hooks";
import { hierarchy, treemap, treemapSquarify, type HierarchyRectangularNode } from "d3-hierarchy";
import type { Colouring } from "./colours";
import { elide, format, percent, type Unit } from "./format";
import { backwardShare, lastPart, type Node } from "./tree";
import { useWidth } from "./width";

const CHARACTER = 6.6;

// What would keep too little of a name is left out.
const LEAST_KEPT = 7;

const roomIn = (width: number) => Math.floor((width - 6) / CHARACTER);

// Names give way, numbers never.
const fits = (text: string, width: number) => text.length <= roomIn(width);

function cut(text: string, width: number): string {
  const room = roomIn(width);
  return text.length <= room ? text : room < LEAST_KEPT ? "" : elide(text, room);
}

export const marked = (mark: string | undefined) => (mark ? `, ${mark}` : "");

export function fade(row: { selected?: number; match?: boolean }): string {
  return (row.selected === 0 ? "faded" : "") + (row.match ? " match" : "");
}

// `paint` is the class of a box's colour, `text` what stands below its name.
// `colouring` says what more the colours mean.
// `name` is what stands in a box, where the last part of its name says too little.
interface Props { root: Node; unit: Unit; height?: number; name?: (node: Node) => string; paint?: (node: Node) => string; colouring?: Pick<Colouring, "paint" | "mark" | "isPlain">; text?: (node: Node) => string; onOpen: (node: Node) => void; onSelect: (node: Node) => void }

type Laid = HierarchyRectangularNode<Node>;

// Boxes that have room for it show what is within them, below their name.
const MAX_DEPTH = 5, HEAD = 18, WIDE = 84, HIGH = 52;
const isOuter = (n: Laid): boolean => n.depth > 0 && Boolean(n.children) && n.x1 - n.x0 >= WIDE && n.y1 - n.y0 >= HIGH && (n.depth === 1 || isOuter(n.parent!));

// Forward in full colour on the left, backward faded.
function Shaded({ box: { x0, x1, y0, y1, data }, colour, isPlain }: { box: Laid; colour: string; isPlain?: boolean }) {
  const forward = isPlain ? 1 : 1 - backwardShare(data), middle = x0 + forward * (x1 - x0);
  return (
    <>
      <rect x={x0} y={y0} width={x1 - x0} height={y1 - y0} class="under" />
      {forward > 0 && <rect x={x0} y={y0} width={middle - x0} height={y1 - y0} class={colour} />}
      {forward < 1 && <rect x={middle} y={y0} width={x1 - middle} height={y1 - y0} class={`${colour} light`} />}
    </>
  );
}

function depthOf(n: Node, root: Node): number {
  let depth = 0;
  for (let at: Node | undefined = n; at && at !== root; at = at.parent) depth++;
  return depth;
}

export function Treemap({ root, unit, height = 340, name: nameOf = (n) => lastPart(n.row.name), paint = () => "", colouring, text = (n) => format(n.value, unit), onOpen, onSelect }: Props) {
  const picture = useRef<SVGSVGElement>(null);
  const width = useWidth(picture, 1200);
  // What a box has besides its children is drawn as a box of its own, without a name.
  const tree = hierarchy<Node>(root, (n) => (depthOf(n, root) < MAX_DEPTH ? n.children.filter((c) => c.value > 0) : []))
    .sum(() => 0)
    .each((n) => {
      const below = (n.children ?? []).reduce((a, c) => a + c.data.value, 0);
      (n as { value?: number }).value = Math.max(n.data.value, below);
    });
  const laid = treemap<Node>().size([width, height]).tile(treemapSquarify).paddingTop((n) => (isOuter(n) ? HEAD : 0))
    .paddingInner(2)(tree);
  const boxes = laid.descendants().filter((n) => n.depth > 0 && (n.depth === 1 || isOuter(n.parent!)) && n.x1 - n.x0 >= 1 && n.y1 - n.y0 >= 1);
  return (
    <svg ref={picture} class="treemap" viewBox={`0 0 ${width} ${height}`} role="group" aria-label="layers by size">
      {boxes.map((n) => {
        const title = `${n.data.row.name}: ${text(n.data)}, ${percent(n.data.value, root.value)}${marked(colouring?.mark(n.data))}`;
        return (
          <g key={n.data.row.row} tabindex={0} role="button" aria-label={title} class={fade(n.data.row)} onClick={() => onSelect(n.data)} onDblClick={() => onOpen(n.data)}
            onKeyDown={(e) => { if (e.key === "Enter") onOpen(n.data); else if (e.key === " ") { onSelect(n.data); e.preventDefault(); } }}>
            <title>{title}</title>
            {isOuter(n) ? <rect x={n.x0} y={n.y0} width={n.x1 - n.x0} height={n.y1 - n.y0} class="outer" />
              : <Shaded box={n} colour={(colouring?.paint ?? paint)(n.data)} isPlain={colouring?.isPlain} />}
            {!!n.data.row.selected && n.data.value > 0 && (
              <rect class="chosen" x={n.x0} y={isOuter(n) ? n.y0 + 14 : n.y1 - 5} height={isOuter(n) ? 3 : 5}
                width={Math.min(1, n.data.row.selected / n.data.value) * (n.x1 - n.x0)} />
            )}
          </g>
        );
      })}
      <g class="labels" aria-hidden="true">
        {boxes.map((n) => {
          const w = n.x1 - n.x0, h = n.y1 - n.y0;
          const name = nameOf(n.data), value = text(n.data);
          return (
            <g key={n.data.row.row}>
              {h > 14 && <text x={n.x0 + 4} y={n.y0 + 13} class={isOuter(n) ? "outer" : ""}>
                {(isOuter(n) || h <= 32) && fits(`${name} ${value}`, w) ? `${name} ${value}` : cut(name, w)}</text>}
              {!isOuter(n) && h > 48 && colouring && <text x={n.x0 + 4} y={n.y0 + 43}>{cut(colouring.mark(n.data), w)}</text>}
              {!isOuter(n) && h > 32 && fits(value, w) && <text x={n.x0 + 4} y={n.y0 + 28}>{value}</text>}
            </g>
          );
        })}
      </g>
    </svg>
  );
}
