// What a model file costs, where there is no run: parameters, multiply-accumulates, memory
// and, for a device, a bound of the time. Numbers are those of `tfprof model`.
import type { ComponentChildren } from "preact";
import { useApi, type Profile } from "./api";
import { format, twoDigits } from "./format";
import { go, type State } from "./state";
import { Bar, Num, Panel, Problem, Share } from "./widgets";

interface Cost { parameters: number; trainable_parameters: number; macs: number; float_ops: number; weight_bytes: number;
  activation_bytes: number; moved_bytes: number; min_seconds?: number }
interface ModelLayer extends Cost { name: string; type: string; output_shapes: (number | null)[][]; share: number; operations: number }
interface Model {
  format: string; title: string; batch_size: number;
  inputs: { name: string; shape: (number | null)[]; dtype: string }[];
  total: Cost & { peak_activation_bytes: number; peak_layer?: string; operations: number; not_counted: number };
  device?: { name: string; peak_flops: number; peak_bandwidth: number };
  layers: ModelLayer[];
  operations: { type: string; count: number; macs: number; float_ops: number }[];
  notes: { id: string; text: string }[];
}
interface Answer { devices: string[]; model: Model }

const bytes = (value: number) => format(value, "bytes");
const seconds = (value: number) => format(value * 1e6, "micros");
const exactly = (value: number) => value.toLocaleString("en-US");
const shape = (dims: (number | null)[]) => dims.map((d) => d ?? "?").join("x");

// Only a single file without a run can be a model.
export function useModel(state: State, profile: Profile) {
  const isAsked = !profile.has_run && profile.files.length === 1;
  const { data, error } = useApi<Partial<Answer>>(isAsked ? "model" : null, { p: state.values.p, device: state.values.device });
  return { data: isAsked && data?.model ? (data as Answer) : undefined, error };
}

export function modelSentence(model: Model): string {
  const { total, device } = model;
  const bound = device && total.min_seconds !== undefined ? `; at least ${seconds(total.min_seconds)} on ${device.name}` : "";
  return `${format(total.parameters, "count")} parameters, ${format(total.macs, "count")} multiply-accumulates${bound}.`;
}

function Card({ title, value, children }: { title: string; value: ComponentChildren; children: ComponentChildren }) {
  return <div class="card"><h2>{title}</h2><p class="big">{value}</p><p>{children}</p></div>;
}

export function ModelCards({ answer, state }: { answer: Answer; state: State }) {
  const { total, device, batch_size: batch } = answer.model;
  return (
    <div class="cards model">
      <Card title="Parameters" value={<span title={exactly(total.parameters)}>{format(total.parameters, "count")}</span>}>
        {format(total.trainable_parameters, "count")} trainable</Card>
      <Card title="Multiply-accumulates" value={<span title={exactly(total.macs)}>{format(total.macs, "count")}</span>}>
        {format(total.float_ops, "count")} float operations, batch {batch}</Card>
      <Card title="Memory" value={bytes(total.weight_bytes)}>
        of weights; activations at most {bytes(total.peak_activation_bytes)}{total.peak_layer && ` (at ${total.peak_layer})`}</Card>
      <Card title="Time, at least" value={device && total.min_seconds !== undefined ? seconds(total.min_seconds) : "–"}>
        <label>on <select value={state.values.device ?? ""} aria-label="device"
          onChange={(e) => go({ values: { device: e.currentTarget.value } })}>
          <option value="">choose a device</option>
          {answer.devices.map((d) => <option key={d} value={d}>{d}</option>)}
        </select></label>
        {total.moved_bytes > 0 && <><br />{twoDigits(total.float_ops / total.moved_bytes)} float operations per byte</>}</Card>
    </div>
  );
}

export function ModelLayers({ model, limit }: { model: Model; limit?: number }) {
  const layers = limit ? [...model.layers].sort((a, b) => b.float_ops - a.float_ops || b.parameters - a.parameters).slice(0, limit) : model.layers;
  const max = Math.max(1, ...layers.map((l) => l.float_ops));
  const most = Math.max(1, ...layers.map((l) => l.parameters));
  const hasBound = model.device !== undefined;
  return (
    <div class="scroll">
      <table class="numbers model">
        <thead><tr><th scope="col">layer</th><th scope="col">type</th><th scope="col">output</th>
          <th scope="col" class="wide"><span class="hidden">float operations and parameters, shares of the largest</span></th>
          <th scope="col">parameters</th><th scope="col">MACs</th><th scope="col">float operations</th><th scope="col">share</th><th scope="col">bytes</th>
          {hasBound && <th scope="col">at least</th>}</tr></thead>
        <tbody>
          {layers.map((l) => (
            <tr key={l.name}>
              <th scope="row" title={l.name}>{l.name}</th>
              <td class="text">{l.type}</td>
              <td class="text">{l.output_shapes.map(shape).join(", ")}</td>
              <td><Bar max={max} parts={[{ value: l.float_ops, family: "matrix", title: "float operations" }]} />
                <Bar max={most} parts={[{ value: l.parameters, family: "reduction", title: "parameters" }]} /></td>
              <td><span class="num" title={exactly(l.parameters)}>{exactly(l.parameters)}</span></td>
              <td><Num value={l.macs} unit="count" /></td>
              <td><Num value={l.float_ops} unit="count" /></td>
              <td><Share part={l.share} whole={1} /></td>
              <td><span class="num" title={`${exactly(l.moved_bytes)} bytes`}>{bytes(l.moved_bytes)}</span></td>
              {hasBound && <td><Num value={(l.min_seconds ?? 0) * 1e6} unit="micros" /></td>}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">blue: float operations, green: parameters</p>
    </div>
  );
}

// The overview of a file that is nothing but a model.
export function ModelOverview({ state, profile }: { state: State; profile: Profile }) {
  const { data, error } = useModel(state, profile);
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const { model } = data;
  return (
    <div class="overview">
      <h1>{modelSentence(model)}</h1>
      <p class="facts">{[profile.files[0], model.format, model.title, ...model.inputs.map((i) => `input ${i.name} ${shape(i.shape)} ${i.dtype}`)].filter(Boolean).join(" · ")}</p>
      {model.notes.map((n) => <p key={n.text} class="dim">{n.text}</p>)}
      <ModelCards answer={data} state={state} />
      <Panel title="Where the float operations are: layers" wide><ModelLayers model={model} limit={12} /></Panel>
    </div>
  );
}
