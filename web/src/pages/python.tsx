// Lines of Python: which call made the operations that cost?
import type { PageProps } from "../app";
import { useApi, type Row } from "../api";
import { Flame } from "../flame";
import { defaultMetric } from "../metrics";
import { go, link, requestParams } from "../state";
import { build, type Node, type Tree } from "../tree";
import { Empty, Num, Problem, remedy, Share, Switch } from "../widgets";

export function Python({ state, profile }: PageProps) {
  const metric = defaultMetric(state, profile);
  const root = Number(state.values.root ?? 0);
  const { data, error } = useApi<Tree>(profile.has_code ? "tree" : null, { ...requestParams(state), view: "code", root, levels: 40,
    metric_column: metric.column });
  if (!profile.has_code)
    return <Empty what="This profile holds no call stacks." how={remedy(profile, "lines of code")} />;
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const tree = build(data.rows, metric.column);
  if (!tree || tree.value === 0)
    return <Empty what={`No line of Python has ${metric.title}.`} how={<a href={link({ values: { metric: undefined, root: undefined } })}>Show another metric</a>} />;
  const open = (node: Node) => go({ values: { root: node.row.row === root ? undefined : String(node.row.row) } });
  return (
    <div>
      <h1 class="crumbs">
        <a href={link({ values: { root: undefined } })}>whole program</a>
        {data.path.slice(-4).map((p) => <span key={p.row}> / <a href={link({ values: { root: String(p.row) } })}>{p.name}</a></span>)}
        <small> <Num value={tree.value} unit={metric.unit} /> {metric.title}</small>
      </h1>
      <p class="facts">
        <Switch state={state} name="only_my_code">only my code</Switch> · light: gradients
      </p>
      <Flame root={tree} unit={metric.unit} name="lines of Python as a flame graph"
        label={(n) => (n.row.row === 0 ? "whole program" : n.row.name)} family={(n) => n.row.family ?? "matrix"} onOpen={open} />
      <h2>Lines that cost most by themselves</h2>
      <table class="numbers">
        <thead><tr><th scope="col">line</th><th scope="col">{metric.title}</th><th scope="col">share</th><th scope="col">with what it calls</th></tr></thead>
        <tbody>
          {hottest(data.rows, metric.column).map((row) => (
            <tr key={row.row} class={row.match ? "match" : ""}>
              <th scope="row" title={row.path}><a href={link({ values: { root: String(row.row) } })}>{row.name}</a></th>
              <td><Num value={row.own[metric.column] ?? 0} unit={metric.unit} /></td>
              <td><Share part={row.own[metric.column] ?? 0} whole={tree.value} /></td>
              <td><Num value={row.total[metric.column] ?? 0} unit={metric.unit} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function hottest(rows: Row[], column: string): Row[] {
  return [...rows].filter((r) => r.own[column]).sort((a, b) => (b.own[column] ?? 0) - (a.own[column] ?? 0)).slice(0, 30);
}
