// Name scopes: where in the model?
import { useMemo } from "preact/hooks";
import type { PageProps } from "../app";
import { useApi } from "../api";
import { ColourChoice, useColouring } from "../colours";
import { Flame } from "../flame";
import { useUp } from "../keys";
import { ModelCards, ModelLayers, modelSentence, useModel } from "../model";
import { Mark, rowClass, Selected, selectionParams, toggle } from "../selection";
import { defaultMetric, go, link, requestParams } from "../state";
import { build, lastPart, nameBelow, parentIn, type Node, type Tree } from "../tree";
import { Treemap } from "../treemap";
import { Bar, Empty, Num, Problem, Share, Switch } from "../widgets";

// A scope that is a node without anything below is that node.
function termOf(node: Node): string {
  return node.row.kids === 0 && node.row.node !== undefined ? `node:${node.row.node}` : `scope:${node.row.name}`;
}

const LEVELS = 6;

export function Layers({ state, profile, profiles = 1 }: PageProps) {
  const { data, error } = useModel(state, profile);
  if (error && profile.nodes === 0) return <Problem error={error} />;
  return (
    <>
      {data && data.model.total.float_ops + data.model.total.parameters > 0 && (
        <>
          <h1>{modelSentence(data.model)}</h1>
          <ModelCards answer={data} state={state} />
          <ModelLayers model={data.model} />
        </>
      )}
      {profile.nodes > 0 && <Scopes state={state} profile={profile} profiles={profiles} />}
    </>
  );
}

function Scopes({ state, profile, profiles = 1 }: PageProps) {
  const metric = defaultMetric(state, profile);
  const root = Number(state.values.root ?? 0);
  const { data, error } = useApi<Tree>("tree", { ...requestParams(state), view: "scope", root, levels: LEVELS,
    ...selectionParams(state, metric) });
  useUp(() => { if (data?.path.length) go({ values: { root: parentIn(data) } }); });
  const tree = useMemo(() => data && build(data.rows, metric.column), [data, metric.column]);
  const colouring = useColouring(state, profile, tree, profiles, (data?.path.length ?? 0) + LEVELS);
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (!tree || !colouring || tree.value === 0)
    return <Empty what={`No layer has ${metric.title}.`} how={<a href={link({ values: { metric: undefined, root: undefined } })}>Show another metric</a>} />;
  const sizes = profile.metrics.filter((m) => ["parameters", "float_ops"].includes(m.column) && m.column !== metric.column && tree.children.some((n) => n.row.total[m.column]));
  const open = (node: Node) => {
    if (node.row.kids > 0 && node.row.row !== root) go({ values: { root: String(node.row.row) } });
  };
  const choose = (node: Node) => { if (node.row.row !== 0) toggle(state, termOf(node)); };
  return (
    <>
      <h1 class="crumbs">
        <a href={link({ values: { root: undefined } })}>model</a>
        {data.path.map((p) => <span key={p.row}> / <a href={link({ values: { root: String(p.row) } })}>{lastPart(p.name)}</a></span>)}
        <small> <Num value={tree.value} unit={metric.unit} /> {metric.title}<Selected value={tree.row.selected} metric={metric} /></small>
      </h1>
      <p class="facts">
        <Switch state={state} name="fold_gradients">gradients with their forward layer</Switch>
        {" · "}<ColourChoice state={state} profile={profile} profiles={profiles} />click: select · double-click: zoom in
      </p>
      {tree.children.length > 0 && <Treemap root={tree} unit={metric.unit} colouring={colouring} onOpen={open} onSelect={choose} />}
      <ul class="legend">{colouring.legend}</ul>
      <Flame root={tree} unit={metric.unit} name="layers as a flame graph" label={(n) => (n === tree && root === 0 ? "model" : lastPart(n.row.name))}
        colouring={colouring} onOpen={open} onSelect={choose} />
      <div class="scroll"><table class="numbers">
        <thead><tr><th scope="col">layer</th><th scope="col" class="wide"><span class="hidden">forward and backward</span></th><th scope="col">{metric.title}</th><th scope="col">share</th><th scope="col">own</th>
          {sizes.map((m) => <th key={m.column} scope="col">{m.title}</th>)}</tr></thead>
        <tbody>
          {tree.children.slice(0, 100).map((n) => (
            <tr key={n.row.row} class={rowClass(n.row.selected, n.value, n.row.match)}>
              <th scope="row" title={n.row.name}><Mark state={state} term={termOf(n)} name={n.row.name} />{n.row.kids > 0 ? <a href={link({ values: { root: String(n.row.row) } })}>{nameBelow(n)}</a> : nameBelow(n)}</th>
              <td><Bar max={tree.children[0].value} selected={n.row.selected} parts={[
                { value: n.value - (n.row.backward ?? 0), family: n.row.family, title: "forward" },
                { value: n.row.backward ?? 0, family: n.row.family, light: true, title: "backward" }]} /></td>
              <td><Num value={n.value} unit={metric.unit} /></td>
              <td><Share part={n.value} whole={tree.value} /></td>
              <td><Num value={n.row.own[metric.column] ?? 0} unit={metric.unit} /></td>
              {sizes.map((m) => <td key={m.column}><Num value={n.row.total[m.column] ?? 0} unit={m.unit} /></td>)}
            </tr>
          ))}
        </tbody>
      </table></div>
    </>
  );
}
