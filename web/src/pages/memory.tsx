// Who holds the memory: what allocators had in use over time, and programs of XLA at their peak.
import { useMemo } from "preact/hooks";
import type { PageProps } from "../app";
import { type Params, type Table, useApi, useAsk } from "../api";
import { format, spaced } from "../format";
import { Held } from "../held";
import { type By, type Holder, type HolderFields, isElsewhere, leavesOf } from "../holders";
import { MemoryCurve } from "../memory_curve";
import { bandsOf, type HeldAnswer } from "../memory_stack";
import { AtOtherBatches, ModelMemory } from "../memory_model";
import { go, link, type State } from "../state";
import type { Curve } from "../timeline_draw";
import { Empty, Panel, Problem, Sentence, whyOf } from "../widgets";

interface Fields { missing?: string; notes: { id: string; text: string }[] }
type Answer = Table<HolderFields> & Fields;

const PARTS = 600, MOMENTS = 300;

export function Memory(props: PageProps) {
  if (props.profile.is_model) return <ModelMemory {...props} />;
  return <><Recorded {...props} />{props.profile.has_model_file && <AtOtherBatches state={props.state} />}</>;
}

function Recorded({ state, profile }: PageProps) {
  const { data, error } = useAsk<HolderFields, Fields>("memory", { p: state.values.p, or_why: 1 });
  const tops = data?.nodes?.filter((n) => n.depth === 1) ?? [], shown = tops.find((n) => n.name === state.values.pool) ?? mainOf(tops, data);
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (data.missing) return <Empty what="Nothing in this file tells who holds memory." how={whyOf(data.missing)} />;
  if (!shown) return <Empty what="No allocator was read, and there is no compiled program." how={profile.has_run ? "A trace of TensorFlow records allocators on GPUs and TPUs; of JAX, the buffers of compiled programs." : "Record a run: see tfprof record."} />;
  return (
    <>
      <h1><Sentence text={spaced(data.headline ?? "Memory")} /></h1>
      {tops.length > 1 && <Pools tops={tops} shown={shown} />}
      <Pool key={shown.id} state={state} data={data} top={shown} />
      {data.notes.length > 0 && <ul class="notes">{data.notes.map((n) => <li key={n.text}>{n.text}</li>)}</ul>}
    </>
  );
}

// The one that the headline speaks of, else the largest.
function mainOf(tops: Holder[], data: Answer | undefined): Holder | undefined {
  return tops.find((t) => data?.headline?.startsWith(`${t.name}:`)) ?? [...tops].sort((a, b) => (b.peak_bytes ?? 0) - (a.peak_bytes ?? 0))[0];
}

const MAX_POOLS = 12;

function Pools({ tops, shown }: { tops: Holder[]; shown: Holder }) {
  const sorted = [...tops].sort((a, b) => (b.peak_bytes ?? 0) - (a.peak_bytes ?? 0)), first = sorted.slice(0, MAX_POOLS);
  if (!first.includes(shown)) first.push(shown);
  return (
    <nav class="pools" aria-label="allocators and programs">
      {first.map((t) => <a key={t.id} href={link({ values: { pool: t.name, moment: undefined } })} aria-current={t === shown ? "true" : undefined}>{t.name} <span class="num">{format(t.peak_bytes ?? 0, "bytes")}</span></a>)}
      {tops.length > first.length && <span class="dim">and {tops.length - first.length} smaller ones</span>}
    </nav>
  );
}

function Pool({ state, data, top }: { state: State; data: Answer; top: Holder }) {
  const times = { p: state.values.p, step: state.values.step, all_steps: state.values.step === undefined ? "1" : undefined };
  const { data: curves } = useApi<Curve[]>("memory", { ...times, n: PARTS });
  const { data: lanes } = useApi<{ duration: number }>(curves?.length ? "lanes" : null, times);
  const index = curves?.findIndex((c) => c.device === top.name) ?? -1, curve = curves?.[index];
  const { data: held } = useApi<HeldAnswer>(curve ? "held" : null, { ...times, device: index, n: MOMENTS });
  const bands = useMemo(() => (held ? bandsOf(held) : []), [held]);
  const moment = state.values.moment === undefined ? undefined : Number(state.values.moment);
  const choose = (at: number | undefined) => go({ values: { moment: at === undefined ? undefined : String(at) } });
  return (
    <>
      {curve && lanes && (
        <Panel title="Memory in use" about={`${top.name}, ${state.values.step === undefined ? "all steps" : `step ${state.values.step}`}; click chooses a moment, P the peak`} wide
          more={top.lifetime_peak_bytes ? `most since the program began: ${format(top.lifetime_peak_bytes, "bytes")}` : undefined}>
          {bands.length > 0 && <ul class="legend">{[...bands].reverse().map((b) => <li key={b.name}><span class={`dot holder-${b.shade}`} />{b.name}</li>)}</ul>}
          <MemoryCurve stack={held && bands.length > 0 ? { every: held.every, bands } : undefined} curve={curve} duration={lanes.duration} capacity={top.capacity_bytes} moment={moment ?? curve.peak_at} isPeak={moment === undefined} onChoose={choose} />
        </Panel>
      )}
      {moment !== undefined && curve ? <AtMoment state={state} device={index} moment={moment} times={times} onPeak={() => choose(undefined)} /> : <AtPeak state={state} data={data} top={top} />}
    </>
  );
}

function AtPeak({ state, data, top }: { state: State; data: Answer; top: Holder }) {
  const by = (state.values.by as By | undefined) ?? "layer", leaves = leavesOf(data.nodes, top);
  const elsewhere = data.nodes.filter((r) => r.parent === top.id && isElsewhere(r));
  return (
    <>
      {elsewhere.length > 0 && <p class="facts">besides: {elsewhere.map((r) => `${r.name} ${format(r.bytes ?? 0, "bytes")}`).join(" · ")}</p>}
      <Held leaves={leaves} rows={data.nodes} by={by} title={`Who holds ${format(top.peak_bytes ?? 0, "bytes")} at the peak`} />
    </>
  );
}

interface Holding { node: number; name: string; family: string; bytes: number; line?: string }

// At another moment what was allocated before the trace is not among them.
function AtMoment({ state, device, moment, times, onPeak }: { state: State; device: number; moment: number; times: Params; onPeak: () => void }) {
  const { data, error } = useApi<Holding[]>("holders", { ...times, device, at: moment, n: 500 });
  const by = (state.values.by as By | undefined) ?? "layer";
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const layerOf = (name: string) => (name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : name);
  const leaves = data.map((h, i): Holder => ({ id: i + 1, parent: 0, depth: 1, name: h.name, bytes: h.bytes, peak_bytes: null, buffers: null, shape: null, layer: layerOf(h.name), line: h.line ?? null, borrowed: null }));
  return (
    <>
      <p class="facts"><button type="button" onClick={onPeak}>Show the peak</button></p>
      {leaves.length ? <Held leaves={leaves} rows={leaves} by={by === "line" && !leaves.some((l) => l.line) ? "layer" : by} title={`Nodes that hold memory at ${format(moment, "micros")}`} /> : <Empty what="No recorded node holds memory then." how="What was allocated before the trace has no name." />}
    </>
  );
}
