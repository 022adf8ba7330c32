// The card at the cursor: what the slice below it is.
import { useEffect, useRef, useState } from "preact/hooks";
import { useApi, useAsk, type Params } from "./api";
import { familyTitle } from "./families";
import { format, percent } from "./format";
import type { RoofAnswer, RoofFields, RoofRow } from "./pages/roofline";
import type { Slice } from "./tiles";
import { lastPart } from "./tree";
import { Dot } from "./widgets";

const DELAY_MS = 80, RIGHT = 14, BELOW = 14;

interface NodeFacts { name: string; op: string; float_ops: number; stack: { file: string; line: number; library: boolean }[]; steps: { step: number; runs: number }[] }

const KINDS: Record<string, string> = { python: "Python", input: "input", compile: "compilation", copy: "copy", runtime: "waits", dispatch: "dispatch", operation: "operation", step: "step", compute: "compute", communication: "communication", callback: "callback", unknown: "unexplained" };

// Shorter ones are known to a microsecond, which is too little for three digits.
const ROUGH_MICROS = 200;
const rate = (each: number, micros: number, unit: string) => (each > 0 && micros > 0 ? `${micros < ROUGH_MICROS ? "≈ " : ""}${format(each / (micros / 1e6), unit === "B/s" ? "bytes" : "count")}${unit === "B/s" ? "/s" : unit}` : "");

// What an execution of a compiled operation needs, as the question roofline has it; nothing if several
// programs have one of that name.
function needsOf(answer: RoofAnswer | undefined, name: string, line: string): { flops: number; bytes: number; peak: number } | undefined {
  const last = lastPart(name.replace(/ \(.*$/, "")), all = answer?.missing ? [] : (answer?.nodes ?? []).filter((r) => r.depth === 1 && r.name === last && r.executions);
  const rows = all.length > 1 ? all.filter((r) => r.line === line) : all;
  if (!answer || rows.length !== 1 || rows[0].unknown) return undefined;
  const [{ float_ops, bytes_accessed, executions }] = rows;
  return { flops: (float_ops ?? 0) / executions!, bytes: (bytes_accessed ?? 0) / executions!, peak: answer.peak_bandwidth ?? 0 };
}

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
  const { data: roof } = useAsk<RoofRow, RoofFields>(isShown && data ? "roofline" : null, { p: params.p, by: "op", or_why: 1 });
  useEffect(() => placeCard(card.current, slice.left, slice.top));
  if (!isShown) return null;
  const at = data?.stack.filter((f) => !f.library).pop(), name = data?.name ?? slice.op, layer = name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
  // What an execution needs; of a node that ran with several shapes it would be a mean.
  const needs = data && needsOf(roof, data.name, at ? `${at.file}:${at.line}` : ""), flops = needs?.flops || (data?.float_ops ?? 0), bytes = needs?.bytes ?? 0;
  const facts: [string, string][] = slice.n > 1
    ? [["slices", `${slice.n}, too short to draw`], ["busy", `${format(slice.busy, "micros")}, ${percent(slice.busy, slice.w)}`], ["longest", slice.op]]
    : [["kind", slice.isOfThreads ? KINDS[slice.family ?? ""] ?? "" : `${familyTitle(slice.family ?? "control")}, ${slice.op}`], ["layer", slice.isOfThreads ? "" : layer],
      ["line", at ? `${lastPart(at.file)}:${at.line}` : ""], ["duration", format(slice.w, "micros")], ["self", self === undefined ? "" : format(self, "micros")],
      ["float operations", flops > 0 ? format(flops, "count") : ""], ["rate", rate(flops, slice.w, "FLOP/s")],
      ["bytes moved", bytes > 0 ? format(bytes, "bytes") : ""], ["bandwidth", [rate(bytes, slice.w, "B/s"), percent(bytes / (slice.w / 1e6), needs?.peak ?? 0)].filter(Boolean).join(", ")]];
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
