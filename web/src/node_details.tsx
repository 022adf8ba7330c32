// One node: its place in the graph, its inputs, what it did, and the code that created it.
import { useApi } from "./api";
import { familyTitle } from "./families";
import { SelectLink } from "./selection";
import { link, type State } from "./state";
import { lastPart } from "./tree";
import { Dot, Num, Problem } from "./widgets";

interface Link { node?: number; name: string; shape: string; control?: boolean }
interface Frame { file: string; line: number; function: string; text: string; library: boolean }
interface Step { step: number; runs: number; cpu: number; accelerator: number; requested: number; output: number }
interface NodeAnswer {
  name: string; op: string; family: string; device: string; float_ops: number;
  outputs: { slot: number; shape: string }[];
  inputs: Link[]; n_inputs: number; consumers: Link[]; n_consumers: number;
  attributes: { name: string; value: string }[];
  steps: Step[];
  stack: Frame[];
}

export function NodeDetails({ state, node }: { state: State; node: number }) {
  const { data, error } = useApi<NodeAnswer>("node", { p: state.values.p, id: node });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const shapes = data.outputs.filter((o) => o.shape);
  return (
    <>
      <dl class="facts-list">
        <div><dt>operation</dt><dd><Dot family={data.family} title={familyTitle(data.family)} /><SelectLink term={`op:${data.op}`}>{data.op}</SelectLink></dd></div>
        {data.device && <div><dt>device</dt><dd>{data.device}</dd></div>}
        {shapes.map((o) => <div key={o.slot}><dt>output {o.slot}</dt><dd>{o.shape}</dd></div>)}
        {data.name.includes("/") && <div><dt>layer</dt><dd><SelectLink term={`scope:${data.name.slice(0, data.name.lastIndexOf("/"))}`}>{lastPart(data.name.slice(0, data.name.lastIndexOf("/")))}</SelectLink></dd></div>}
      </dl>
      <Steps steps={data.steps} />
      <p><a href={link({ page: "graph", values: { around: String(node) } })}>neighbours in the graph</a></p>
      <Links title="inputs" links={data.inputs} total={data.n_inputs} />
      <Links title="used by" links={data.consumers} total={data.n_consumers} />
      <Stack stack={data.stack} />
      {data.attributes.length > 0 && <h3>attributes</h3>}
      <dl class="facts-list">
        {data.attributes.map((a) => <div key={a.name}><dt>{a.name}</dt><dd>{a.value}</dd></div>)}
      </dl>
    </>
  );
}

function Steps({ steps }: { steps: Step[] }) {
  if (!steps.length) return null;
  return (
    <table class="parts steps-of">
      <thead><tr><th scope="col">step</th><th scope="col">runs</th><th scope="col">cpu</th><th scope="col">accelerator</th></tr></thead>
      <tbody>{steps.slice(0, 20).map((s) => (
        <tr key={s.step}><th scope="row">{s.step}</th><td class="num">{s.runs}</td><td><Num value={s.cpu} unit="micros" /></td><td><Num value={s.accelerator} unit="micros" /></td></tr>
      ))}</tbody>
    </table>
  );
}

function Links({ title, links, total }: { title: string; links: Link[]; total: number }) {
  if (!links.length) return null;
  return (
    <>
      <h3>{title}{total > 12 ? ` (12 of ${total})` : ""}</h3>
      <ul class="links">
        {links.slice(0, 12).map((l, i) => (
          <li key={i} title={l.name}>{l.node === undefined ? l.name : <SelectLink term={`node:${l.node}`}>{l.name}</SelectLink>} <span class="dim">{l.control ? "control" : l.shape}</span></li>
        ))}
      </ul>
    </>
  );
}

function Stack({ stack }: { stack: Frame[] }) {
  const mine = stack.filter((f) => !f.library);
  if (!stack.length) return null;
  return (
    <>
      <h3>created by{stack.length > mine.length ? ` (${stack.length - mine.length} library frames hidden)` : ""}</h3>
      <ul class="links">
        {mine.map((f, i) => (
          <li key={i} title={f.file}><SelectLink term={`line:${f.file}:${f.line}`}>{`${lastPart(f.file)}:${f.line}`}</SelectLink> {f.function}
            {f.text && <code>{f.text}</code>}</li>
        ))}
      </ul>
    </>
  );
}
