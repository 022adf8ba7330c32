// What is below the timeline: sums, nodes that held memory, the neighbours of a node.
import { useEffect, useState } from "preact/hooks";
import { isWhole, useApi, type Params, type Profile } from "./api";
import { shortName } from "./devices";
import { familyTitle } from "./families";
import { format, percent } from "./format";
import { link } from "./state";
import type { Slice } from "./tiles";
import type { Curve, View } from "./timeline_draw";
import type { Flow, Holder, Lanes, Sums, ThreadLink } from "./timeline_lines";
import { Dot, Num, Problem } from "./widgets";

const REST_MS = 150;

// A value once it has not changed for a while, so that not every frame sends a request.
function useRested<T>(value: T, key: string): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return rested;
}

// The picture in words: when the selected node ran, what it waited for and what uses its result.
export function Neighbours({ flows, pairs }: { flows: Flow[]; pairs: [Flow, Flow][] }) {
  const self = flows.filter((f) => f.role === "self");
  return (
    <section class="panel neighbours" aria-live="polite">
      <h2>{self.length ? `Ran at ${self.slice(0, 3).map((f) => `${format(f.x, "micros")} for ${format(f.w, "micros")}`).join(", ")}${self.length > 3 ? ` and ${self.length - 3} more times` : ""}` : "Did not run in this step"}</h2>
      <ul class="links">
        {pairs.slice(0, 20).map(([a, b], i) => {
          const isInput = b.role === "self", other = isInput ? a : b, gap = b.x - a.x - a.w;
          return <li key={i} title={other.name}>{isInput ? "from " : "to "}<a href={link({ values: { sel: `node:${other.node}` } })}>{other.name}</a>{" "}
            <span class="dim">{isInput ? `ended ${format(Math.max(0, gap), "micros")} before` : `began ${format(Math.max(0, gap), "micros")} after`}</span></li>;
        })}
      </ul>
    </section>
  );
}

export function tell(s: Slice): string {
  if (s.n > 1) return `${s.n} operations in ${format(s.w, "micros")}, ${percent(s.busy, s.w)} busy, longest ${s.op}`;
  return `${s.op}: ${format(s.w, "micros")} from ${format(s.x, "micros")}`;
}

export function Totals({ params, view, lanes, isChosen, profile }: { params: Params; view: View; lanes: Pick<Lanes, "step" | "total">; isChosen: boolean; profile: Profile }) {
  const asked = useRested(view, `${view.from}-${view.until}`);
  const { data, error } = useApi<Sums>("sums", { ...params, lane: 0, until_lane: lanes.total, from: Math.round(asked.from), until: Math.round(asked.until) });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  return (
    <section class="panel sums">
      <h2>{isChosen ? "Selected" : "Shown"}: {format(Math.round(view.from), "micros")} – {format(Math.round(view.until), "micros")} <small>{data.executions.toLocaleString("en-US")} executions in {isWhole(profile) ? "the recording" : `step ${lanes.step}`}</small></h2>
      <table class="numbers">
        <thead><tr><th scope="col">operation</th><th scope="col"><span title="with what runs within">time</span></th><th scope="col">runs</th></tr></thead>
        <tbody>
          {data.operations.slice(0, 12).map((o) => (
            <tr key={o.name}>
              <th scope="row"><Dot family={o.family} title={familyTitle(o.family)} /><a href={link({ values: { sel: `op:${o.name}` } })}>{o.name}</a></th>
              <td><Num value={o.micros} unit="micros" /></td>
              <td><Num value={o.executions} unit="count" /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

// The nodes that held the memory at a time: where the curve was clicked, else at the highest peak.
export function Holders({ params, curves, at }: { params: Record<string, string | undefined>; curves: Curve[]; at?: number }) {
  const device = curves.reduce((best, c, i) => (c.peak > (curves[best]?.peak ?? -1) ? i : best), 0), when = at ?? curves[device]?.peak_at;
  const { data } = useApi<Holder[]>(curves.length ? "holders" : null, { ...params, device, at: when });
  return (
    <section class="panel holders">
      <h2>Held at {format(when ?? 0, "micros")} on {shortName(curves[device].device)}{at === undefined ? ", its peak" : ""}</h2>
      {data?.length === 0 ? <p>The profile does not say which nodes held it.</p> : <table class="numbers">
        <thead><tr><th scope="col">node</th><th scope="col">bytes</th></tr></thead>
        <tbody>{(data ?? []).map((h) => (
          <tr key={h.node}><th scope="row" title={h.name}><Dot family={h.family} title={familyTitle(h.family)} /><a href={link({ values: { sel: `node:${h.node}` } })}>{h.name}</a></th>
            <td><Num value={h.bytes} unit="bytes" /></td></tr>
        ))}</tbody>
      </table>}
      <p class="dim">Click the curve to choose another time.</p>
    </section>
  );
}

// What led to what was clicked, and what it led to.
export function Links({ links, at }: { links: ThreadLink[]; at: { x: number; w: number } }) {
  const came = links.filter((l) => l.to.x >= at.x - 1 && l.to.x + l.to.w <= at.x + at.w + 1 || l.to.x < at.x), led = links.filter((l) => !came.includes(l));
  const wait = (l: ThreadLink) => l.to.x - l.from.x - l.from.w;
  const list = (title: string, some: ThreadLink[], end: "from" | "to") => some.length > 0 && (
    <>
      <h2>{title}</h2>
      <ul class="links">
        {some.slice(0, 12).map((l, i) => <li key={i}>{l[end].name} <span class="dim">{l[end].w > 0 && `${format(l[end].w, "micros")}, `}{wait(l) > 0 ? `${format(wait(l), "micros")} ${end === "from" ? "before it began" : "later"}` : "at the same time"}</span></li>)}
        {some.length > 12 && <li class="dim">and {some.length - 12} more</li>}
      </ul>
    </>
  );
  return <section class="panel came">{list("Came from", came, "from")}{list("Led to", led, "to")}</section>;
}
