// What a model file would take: of a call or a training step, at batches to choose. The question memory
// of a file that has not run.
import type { PageProps } from "./app";
import { type Table, useApi, useAsk } from "./api";
import { format, percent, spaced } from "./format";
import { Held } from "./held";
import { type By, type HolderFields, leavesOf } from "./holders";
import { columnOf } from "./margin";
import { go, isSet, link, type State } from "./state";
import { Empty, Panel, Problem, Sentence, whyOf } from "./widgets";

interface Fields { missing?: string; notes: { id: string; text: string }[]; estimated_peak_bytes: number; batch_size: number | null; largest_batch: number | null }
type Answer = Table<HolderFields> & Fields;

const BATCHES = [1, 16, 64, 256, 1024];
const LIMITS = [8, 16, 24, 40, 80]; // GB, as devices have

// Options of the question.
export function estimateParams({ values }: State) {
  const training = values.training === "1" ? "true" : undefined;
  return { training, optimizer: training && values.optimizer, dtype: values.dtype, batch_size: values.batch_size, limit: values.limit };
}

export function ModelMemory({ state }: PageProps) {
    const { data, error } = useAsk<HolderFields, Fields>("memory", { p: state.values.p, or_why: 1, ...estimateParams(state) });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (data.missing) return <Empty what="The memory of this model cannot be estimated." how={whyOf(data.missing)} />;
  // What is alive at the peak is what is drawn: the parts add up to it.
  const rows = data.nodes.map((n) => ({ ...n, bytes: n.peak_bytes })), top = rows.find((n) => n.depth === 1);
  if (!top) return <Empty what="The memory of this model cannot be estimated." how="It has no operations that are known." />;
  const by = state.values.by === "operation" ? "operation" : "layer" satisfies By;
  return (
    <>
      <h1><Sentence text={spaced(data.headline ?? "")} /></h1>
      <div class="toolbar"><Choices state={state} /></div>
      <Held leaves={leavesOf(rows, top)} rows={rows} by={by} title={`What is alive at the peak, ${format(data.estimated_peak_bytes, "bytes")}`} about="an estimate">
        <Batches state={state} data={data} />
      </Held>
      <ul class="notes">{data.notes.map((n) => <li key={n.text}>{n.text}</li>)}</ul>
    </>
  );
}

// Of the model file that a run was given with: what a call or a training step of it would take.
export function AtOtherBatches({ state }: { state: State }) {
  const { data } = useAsk<HolderFields, Fields>("memory", { p: state.values.p, or_why: 1, of_model: 1, ...estimateParams(state) });
  if (!data || data.missing) return null;
  return (
    <div class="estimate">
      <Panel title="The model at another batch" about="an estimate of the same question for the model file"><p>{spaced(data.headline ?? "")}</p><div class="toolbar"><Choices state={state} /></div></Panel>
      <Batches state={state} data={data} ofModel />
    </div>
  );
}

function Choices({ state }: { state: State }) {
  const { data } = useApi<{ name: string; words?: { word: string }[] }[]>("options"), isTraining = isSet(state, "training");
  const words = (name: string) => data?.find((o) => o.name === name)?.words?.map((w) => w.word).filter(Boolean) ?? [];
  const select = (name: string, title: string, options: [string, string][]) => (
    <label key={name}>{title} <select value={state.values[name] ?? ""} onChange={(e) => go({ values: { [name]: e.currentTarget.value || undefined } })}>
      {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}</select></label>
  );
  const plain = (name: string, usual: string): [string, string][] => words(name).map((w) => [w === usual ? "" : w, w]);
  return (
    <>
      <span class="switch" role="group" aria-label="of">
        <a href={link({ values: { training: undefined } })} aria-current={isTraining ? undefined : "true"}>A call</a><a href={link({ values: { training: "1" } })} aria-current={isTraining ? "true" : undefined}>A training step</a>
      </span>
      {isTraining && select("optimizer", "optimizer", plain("optimizer", "adam"))}
      {select("dtype", "weights and results as", plain("dtype", "file"))}
      {select("limit", "in a memory of", [["", "any size"], ...LIMITS.map((gb): [string, string] => [`${gb}GB`, `${gb} GB`])])}
    </>
  );
}

// What it takes at other batches, and the largest that fits. A file may fix its shapes.
function Batches({ state, data, ofModel }: { state: State; data: Answer; ofModel?: boolean }) {
  const now = data.batch_size, limit = Number.parseInt(state.values.limit ?? "", 10) * 1e9;
  const others = BATCHES.map((batch) => useAsk<HolderFields, Fields>(now === null ? null : "memory", { p: state.values.p, or_why: 1, of_model: ofModel ? 1 : undefined, ...estimateParams(state), limit: undefined, batch_size: batch }).data);
  if (now === null) return <p class="dim">At another batch: the file fixes the shapes of all inputs.</p>;
  const all = new Map<number, number>([[now, data.estimated_peak_bytes]]);
  others.forEach((o, i) => { if (o && !o.missing) all.set(BATCHES[i], o.estimated_peak_bytes); });
  const rows = [...all].sort(([a], [b]) => a - b), column = columnOf(rows.map(([, bytes]) => bytes), "bytes");
  return (
    <Panel title="At another batch" about="estimate" name="batches">
      <table class="numbers">
        <thead><tr><th scope="col">batch</th><th scope="col">{column.unit}</th>{limit > 0 && <th scope="col">of {format(limit, "bytes")}</th>}</tr></thead>
        <tbody>
          {rows.map(([batch, bytes]) => (
            <tr key={batch} class={batch === now ? "chosen-row" : undefined} data-batch={batch} data-bytes={bytes}>
              <th scope="row"><a href={link({ values: { batch_size: String(batch) } })}>{batch}</a>{batch === now && <span class="dim"> now</span>}</th>
              <td class="num" title={`${bytes} bytes`}>{column.text(bytes)}</td>{limit > 0 && <td class="num">{percent(bytes, limit)}</td>}
            </tr>
          ))}
          {data.largest_batch !== null && <tr data-largest={data.largest_batch}><th scope="row"><strong>{data.largest_batch}</strong> <span class="dim">{data.largest_batch ? "the largest that fits" : "not even 1 fits"}</span></th><td /><td /></tr>}
        </tbody>
      </table>
      <Growth rows={rows} />
    </Panel>
  );
}

// If it grows by the same for each example, between all of these batches.
function Growth({ rows }: { rows: [number, number][] }) {
  const each = rows.slice(1).map(([batch, bytes], i) => (bytes - rows[i][1]) / (batch - rows[i][0])), last = each[each.length - 1];
  if (each.length < 2 || !(last > 0) || each.some((e) => Math.abs(e - last) > 0.005 * last)) return null;
  return <p class="dim">{format(rows[0][1] - rows[0][0] * last, "bytes")} fixed + {format(last, "bytes")} per example</p>;
}
