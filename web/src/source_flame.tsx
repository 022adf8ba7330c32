// Lines of Python as a flame graph: which call made the operations that cost?
import type { PageProps } from "./app";
import { useApi } from "./api";
import { Flame } from "./flame";
import { useUp } from "./keys";
import { lineTerm, Mark, parseTerm, rowClass, Selected, selectionParams, toggle } from "./selection";
import { defaultMetric, go, link, requestParams } from "./state";
import { backwardShare, build, flatten, lastPart, lineName, type Node, type Tree } from "./tree";
import { Bar, Empty, Num, Problem, Share } from "./widgets";

export function Lines({ state, profile }: PageProps) {
  const metric = defaultMetric(state, profile);
  const { data, error } = useApi<Tree>("tree", { ...requestParams(state), view: "code",
    root: state.values.root, levels: 40, ...selectionParams(state, metric) });
  useUp(() => { if (data?.path.length) history.back(); });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const tree = build(data.rows, metric.column);
  if (!tree || tree.value === 0)
    return <Empty what={`No line of Python has ${metric.title}.`} how={<a href={link({ values: { metric: undefined, root: undefined } })}>Show another metric</a>} />;
  const open = (node: Node) => go({ values: { root: node === tree ? undefined : String(node.row.row) } });
  const choose = (node: Node) => { if (node.row.row !== 0) toggle(state, lineTerm(node.row)); };
  const lines = hottest(tree, metric.column);
  return (
    <>
      <h1 class="crumbs">
        <a href={link({ values: { root: undefined } })}>whole program</a>
        {data.path.slice(-4).map((p) => <span key={p.row}> / <a href={link({ values: { root: String(p.row) } })}>{lineName(p.name)}</a></span>)}
        <small> <Num value={tree.value} unit={metric.unit} /> {metric.title}<Selected value={tree.row.selected} metric={metric} /></small>
      </h1>
      <Flame root={tree} unit={metric.unit} name="lines of Python as a flame graph"
        label={(n) => (n.row.row === 0 ? "whole program" : lineName(n.row.name))} paint={() => "family-matrix"} onOpen={open} onSelect={choose} />
      <h2>Lines with the highest own cost</h2>
      <div class="scroll"><table class="numbers">
        <thead><tr><th scope="col">line</th><th scope="col" class="text">called from</th><th scope="col" class="wide"><span class="hidden">forward and backward</span></th><th scope="col">{metric.title}</th><th scope="col">share</th><th scope="col" title="with what it calls">total</th></tr></thead>
        <tbody>
          {lines.map((n) => {
            const own = n.row.own[metric.column] ?? 0, backward = own * backwardShare(n);
            return (
              <tr key={n.row.row} class={rowClass(n.row.selected, n.value, n.row.match)}>
                <th scope="row" title={n.row.path}><Mark state={state} term={lineTerm(n.row)} name={n.row.name} /><a href={link({ values: { root: String(n.row.row) } })}>{lineName(n.row.name)}</a></th>
                <td class="text" title={callerOf(n)}>{callerOf(n)}</td>
                <td><Bar max={lines[0].row.own[metric.column] ?? 0} selected={n.value > 0 && n.row.selected ? (own * n.row.selected) / n.value : undefined}
                  parts={[{ value: own - backward, title: "forward" }, { value: backward, light: true, title: "backward" }]} /></td>
                <td><Num value={own} unit={metric.unit} /></td>
                <td><Share part={own} whole={tree.value} /></td>
                <td><Num value={n.row.total[metric.column] ?? 0} unit={metric.unit} /></td>
              </tr>
            );
          })}
        </tbody>
      </table></div>
    </>
  );
}

// Inverted: lines by their own cost, with their callers below.
export function Callers({ state, profile }: PageProps) {
  const metric = defaultMetric(state, profile);
  const term = parseTerm(state.values.sel ?? "");
  const line = term.kind === "line" ? term.value : undefined;
  const { data, error } = useApi<Pick<Tree, "rows">>("callers", { ...requestParams(state), line, ...selectionParams(state, metric) });
  useUp(() => history.back());
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const tree = build(data.rows, metric.column);
  const choose = (node: Node) => { if (node.row.row !== 0) toggle(state, lineTerm(node.row)); };
  return (
    <>
      <h1>
        {line ? <>Callers of <code>{lastPart(line)}</code></> : "Lines with the highest own cost, and their callers"}
        {tree && <small> <Num value={tree.value} unit={metric.unit} /> {metric.title}{line ? " with what it calls" : ""}</small>}
      </h1>
      {tree && tree.value > 0
        ? <Flame root={tree} unit={metric.unit} name="callers of lines of Python as a flame graph"
          label={(n) => (n.row.row === 0 ? (line ? lastPart(line) : "all lines") : lineName(n.row.name))} paint={() => "family-matrix"} onOpen={choose} onSelect={choose} />
        : <Empty what={line ? `${lastPart(line)} has no ${metric.title}, or the options hide it.` : `No line of Python has ${metric.title}.`}
          how={<a href={link({ values: { callers: undefined } })}>Show what calls what</a>} />}
    </>
  );
}

// "model.py:47": tells apart the rows of a line that is called from several places.
function callerOf({ parent }: Node): string {
  return parent && parent.row.row !== 0 ? parent.row.name.split(":", 2).join(":") : "";
}

function hottest(tree: Node, column: string): Node[] {
  return flatten(tree).filter((n) => n.row.own[column]).sort((a, b) => (b.row.own[column] ?? 0) - (a.row.own[column] ?? 0)).slice(0, 30);
}
