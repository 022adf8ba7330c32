// What the colours of boxes of layers mean: the kind of operation, how many float operations they
// do in a second, or how they changed from one profile to the other.
import type { ComponentChildren } from "preact";
import { useApi, type Profile } from "./api";
import { changeClass, changeText, diffQuery, type Change } from "./compare";
import { familyTitle } from "./families";
import { format } from "./format";
import { go, type State } from "./state";
import { flatten, type Node } from "./tree";
import { Dot } from "./widgets";

export interface Colouring {
  paint: (node: Node) => string; // the class of a box
  mark: (node: Node) => string;  // what its colour says: "22.10b/s"
  isPlain: boolean;              // whether forward and backward have the same colour
  legend: ComponentChildren;
}

const COLOUR = "colour";
const RATES = 5; // steps of the scale, each half of the next

// Float operations in a second; undefined if it has none, or no time.
function rateOf({ row }: Node): number | undefined {
  const { float_ops, exec_micros } = row.total;
  return float_ops && exec_micros ? (1e6 * float_ops) / exec_micros : undefined;
}

const rateText = (rate: number) => `${format(Math.round(rate), "count")}/s`;

function byRate(tree: Node): Colouring {
  const most = Math.max(1, ...flatten(tree).map((n) => rateOf(n) ?? 0));
  const step = (rate: number) => Math.min(RATES - 1, Math.floor(Math.log2(most / rate)));
  return {
    paint: (n) => { const rate = rateOf(n); return rate ? `rate-${step(rate)}` : "change-none"; },
    mark: (n) => { const rate = rateOf(n); return rate ? rateText(rate) : ""; },
    isPlain: true,
    legend: (
      <>
        {Array.from({ length: RATES }, (_, i) => (
          <li key={i}><span class={`swatch rate-${i}`} />{i === RATES - 1 ? `below ${rateText(most / 2 ** i)}` : `${rateText(most / 2 ** (i + 1))} – ${rateText(most / 2 ** i)}`}</li>
        ))}
        <li><span class="swatch change-none" />no float operations</li>
      </>
    ),
  };
}

function byChange(changes: Change[], isBase: boolean): Colouring {
  const of = new Map(changes.map((c) => [isBase ? c.base_name ?? c.name : c.name, c]));
  const only = isBase ? "removed" : "added";
  const find = (n: Node) => { const change = of.get(n.row.name); return change && change.state !== (isBase ? "added" : "removed") ? change : undefined; };
  return {
    paint: (n) => { const change = find(n); return change ? changeClass(change) : "change-none"; },
    mark: (n) => { const change = find(n); return !change ? "" : change.state === only ? only : changeText(change); },
    isPlain: true,
    legend: (
      <>
        <li><span class="key change-less-1">▼ 1%</span> <span class="key change-less-2">10%</span> <span class="key change-less-3">40% less</span></li>
        <li><span class="key change-none">same</span></li>
        <li><span class="key change-more-1">▲ 1%</span> <span class="key change-more-2">10%</span> <span class="key change-more-3">40% more in B</span></li>
      </>
    ),
  };
}

function byFamily(profile: Profile, tree: Node, hasBackward: boolean): Colouring {
  const shown = new Set(flatten(tree).map((n) => n.row.family));
  return {
    paint: (n) => `family-${n.row.family ?? "control"}`, mark: () => "", isPlain: false,
    legend: (
      <>
        {profile.families.filter((f) => shown.has(f.name)).map((f) => <li key={f.name}><Dot family={f.name} title={f.title} />{familyTitle(f.name)}</li>)}
        {hasBackward && <li class="dim">full colour: forward, faded: backward</li>}
      </>
    ),
  };
}

export function useColouring(state: State, profile: Profile, tree: Node | undefined, profiles: number, levels: number): Colouring | undefined {
  const by = state.values[COLOUR], isChange = by === "change" && profiles > 1;
  const { data } = useApi<{ rows: Change[] }>(isChange ? "diff" : null, { ...diffQuery(state, profile, "layers"), root: undefined, levels });
  if (!tree) return undefined;
  if (isChange) return byChange(data?.rows ?? [], (state.values.p ?? "0") === "0");
  return by === "rate" && profile.has_float_ops ? byRate(tree) : byFamily(profile, tree, flatten(tree).some((n) => n.row.backward));
}

export function ColourChoice({ state, profile, profiles }: { state: State; profile: Profile; profiles: number }) {
  const choices = [["", "kind of operation"], ...(profile.has_run && profile.has_float_ops ? [["rate", "float operations per second"]] : []),
    ...(profiles > 1 ? [["change", "change from A to B"]] : [])];
  if (choices.length < 2) return null;
  return (
    <>
      <label class="option">colour{" "}
        <select value={state.values[COLOUR] ?? ""} onChange={(e) => go({ values: { [COLOUR]: e.currentTarget.value } })}>
          {choices.map(([value, title]) => <option key={value} value={value}>{title}</option>)}
        </select>
      </label>{" · "}
    </>
  );
}
