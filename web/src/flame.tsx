// A flame graph, downwards: a box is as wide as its share of the root.
import { useRef } from "preact/hooks";
import type { Colouring } from "./colours";
import { format, percent, type Unit } from "./format";
import { backwardShare, icicle, type Node } from "./tree";
import { fade, marked } from "./treemap";
import { useWidth } from "./width";

const HEIGHT = 20;
const CHARACTER = 6.6;

interface Props {
  root: Node;
  unit: Unit;
  label: (node: Node) => string;
  paint?: (node: Node) => string; // the class of its colour
  colouring?: Pick<Colouring, "paint" | "mark" | "isPlain">; // or that, and what it means
  onOpen: (node: Node) => void;
  onSelect: (node: Node) => void;
  name: string;
}

export function Flame({ root, unit, label, paint = () => "", colouring, onOpen, onSelect, name }: Props) {
  const boxes = icicle(root, 0.0008);
  const depth = Math.max(...boxes.map((b) => b.depth));
  const list = useRef<SVGSVGElement>(null);
  const width = useWidth(list, 1200);
  // Arrows move the focus: right and left among siblings, down and up between levels.
  const move = (e: KeyboardEvent, node: Node) => {
    const siblings = node.parent?.children ?? [node];
    const i = siblings.indexOf(node);
    const next = { ArrowRight: siblings[i + 1], ArrowLeft: siblings[i - 1], ArrowDown: node.children[0], ArrowUp: node.parent }[e.key];
    if (e.key === "Enter") onOpen(node);
    else if (e.key === " ") onSelect(node);
    else if (next) list.current?.querySelector<SVGElement>(`[data-row="${next.row.row}"]`)?.focus();
    else return;
    e.preventDefault();
  };
  return (
    <svg ref={list} class="flame" viewBox={`0 0 ${width} ${(depth + 1) * HEIGHT}`} role="group" aria-label={name}>
      {boxes.map(({ node, depth: level, x, w }) => {
        const text = label(node);
        const forward = colouring?.isPlain ? 1 : 1 - backwardShare(node), colour = (colouring?.paint ?? paint)(node);
        const title = `${text}: ${format(node.value, unit)}, ${percent(node.value, root.value)}${marked(colouring?.mark(node))}`;
        return (
          <g key={node.row.row} data-row={node.row.row} tabindex={level === 0 ? 0 : -1} role="button" aria-label={title}
            class={fade(node.row)} onClick={() => onSelect(node)} onDblClick={() => onOpen(node)} onKeyDown={(e) => move(e, node)}>
            <title>{title}</title>
            <rect x={x * width} y={level * HEIGHT} width={Math.max(0.5, w * width - 1)} height={HEIGHT - 1} class="under" />
            {forward > 0 && <rect x={x * width} y={level * HEIGHT} width={Math.max(0.5, forward * w * width - 1)} height={HEIGHT - 1} class={colour} />}
            {forward < 1 && <rect x={(x + forward * w) * width} y={level * HEIGHT} width={Math.max(0.5, (1 - forward) * w * width - 1)} height={HEIGHT - 1} class={`${colour} light`} />}
            {!!node.row.selected && node.value > 0 && <rect x={x * width} y={level * HEIGHT + HEIGHT - 5} height={4} class="chosen"
              width={Math.max(0.5, Math.min(1, node.row.selected / node.value) * w * width - 1)} />}
          </g>
        );
      })}
      <g class="labels" aria-hidden="true">
        {boxes.map(({ node, depth: level, x, w }) => {
          const text = label(node);
          const room = Math.floor((w * width - 8) / CHARACTER);
          return room > 3 && (
            <text key={node.row.row} x={x * width + 4} y={level * HEIGHT + 14}>{text.length > room ? text.slice(0, room - 1) + "…" : text}</text>
          );
        })}
      </g>
    </svg>
  );
}
