// The card at the cursor: what the slice below it is.
import { useEffect, useRef, useState } from "preact/hooks";
import { useApi, type Params } from "./api";
import { familyTitle } from "./families";
import { format, percent } from "./format";
import type { Slice } from "./tiles";
import { lastPart } from "./tree";
import { Dot } from "./widgets";

const DELAY_MS = 80, RIGHT = 14, BELOW = 14;

interface NodeFacts { name: string; op: string; float_ops: number; stack: { file: string; line: number; library: boolean }[]; steps: { step: number; runs: number }[] }

const KINDS: Record<string, string> = { python: "Python", input: "input", compile: "compilation", copy: "copy", runtime: "waits", dispatch: "dispatch", operation: "operation", step: "step", compute: "compute", communication: "communication", callback: "callback", unknown: "unexplained" };

// Beside the cursor, flipped where it would leave the window.
export function placeCard(box: HTMLElement | null, left: number, top: number): void {
  if (!box) return;
  const wide = box.offsetWidth, high = box.offsetHeight;
  box.style.left = `${Math.max(4, left + RIGHT + wide > innerWidth ? left - RIGHT - wide : left + RIGHT)}px`;
  box.style.top = `${Math.max(4, top + BELOW + high > innerHeight ? top - BELOW - high : top + BELOW)}px`;
}

export function HoverCard({ slice, self, lane, params }: { slice: Slice & { left: number; top: number }; self?: number; lane: string; params: Params }) {
  const card = useRef<HTMLDivElement>(null), [isShown, setShown] = useState(false), key = `${slice.isOfThreads} ${slice.lane} ${slice.row} ${slice.x}`;
  useEffect(() => {
    setShown(false);
    const timer = setTimeout(() => setShown(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, [key]);
  const { data } = useApi<NodeFacts>(isShown && !slice.isOfThreads && slice.n === 1 ? "node" : null, { p: params.p, id: slice.node });
  useEffect(() => placeCard(card.current, slice.left, slice.top));
  if (!isShown) return null;
  const at = data?.stack.find((f) => !f.library), name = data?.name ?? slice.op, layer = name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
  // What an execution needs; of a node that ran with several shapes it would be a mean.
  const flops = data?.float_ops ?? 0;
  const facts: [string, string][] = slice.n > 1
    ? [["slices", `${slice.n}, too short to draw`], ["busy", `${format(slice.busy, "micros")}, ${percent(slice.busy, slice.w)}`], ["longest", slice.op]]
    : [["kind", slice.isOfThreads ? KINDS[slice.family ?? ""] ?? "" : `${familyTitle(slice.family ?? "control")}, ${slice.op}`], ["layer", slice.isOfThreads ? "" : layer],
      ["line", at ? `${lastPart(at.file)}:${at.line}` : ""], ["duration", format(slice.w, "micros")], ["self", self === undefined ? "" : format(self, "micros")],
      ["float operations", flops > 0 ? format(flops, "count") : ""], ["rate", flops > 0 && slice.w > 0 ? `${format(flops / (slice.w / 1e6), "count")}FLOP/s` : ""]];
  return (
    <div class="hover-card" ref={card} role="tooltip">
      <strong>{slice.n > 1 ? `${slice.n} in ${format(slice.w, "micros")}` : name}</strong>
      <p class="dim">{slice.isOfThreads ? <span class={`dot part-${slice.family}`} /> : <Dot family={slice.family ?? "control"} title={slice.family ?? ""} />}{lane}</p>
      <dl class="facts-list">
        {[...facts, ["start", format(slice.x, "micros")] as [string, string]].filter(([, value]) => value).map(([title, value]) => <div key={title}><dt>{title}</dt><dd>{value}</dd></div>)}
      </dl>
    </div>
  );
}
