// The pane on the right: what is selected, on whichever page.
import { type Metric, type Numbers, type Profile, type Row, isWhole, useApi } from "./api";
import { familyTitle } from "./families";
import { format, percent } from "./format";
import { NodeDetails } from "./node_details";
import { Copy, describe, lineTerm, parseTerm, select, SelectLink, stretchIn } from "./selection";
import { Totals } from "./timeline_panels";
import { defaultMetric, link, requestParams, type State } from "./state";
import { lastPart, lineName } from "./tree";
import { Dot, Num, Problem } from "./widgets";

export interface Part extends Row { value: number }
export interface SelectedNode { node: number; name: string; op: string; family: string; value: number }
export interface Selection {
  nodes: number;
  total: Numbers;
  largest: SelectedNode[];
  operations: Part[];
  layers: Part[];
  lines?: Part[];
}

// More than any timeline has.
const MAX_LANES = 1e6;

const PLACES: [string, string][] = [["operations", "Operations"], ["layers", "Layers"], ["source", "Source"], ["graph", "Graph"], ["timeline", "Timeline"]];

export function Details({ state, profile }: { state: State; profile: Profile }) {
  const metric = defaultMetric(state, profile);
  const term = state.values.sel;
  const { data, error } = useApi<Selection>("selection", { ...requestParams(state), sel: term, metric_column: metric.column });
  const { kind, name } = describe(term), stretch = stretchIn(term);
  const node = parseTerm(term).kind === "node" ? data?.largest[0] : undefined;
  return (
    <aside class="details" aria-label="selection" aria-live="polite">
      <button type="button" class="close" aria-label="clear the selection" title="clear the selection (Esc)" onClick={() => select(undefined)}>×</button>
      <p class="kind">{kind}</p>
      <h2 title={node?.name ?? name}>{node ? node.name : name}</h2>
      {error && <Problem error={error} />}
      {stretch ? <Totals params={{ p: state.values.p, step: stretch.step }} view={stretch} lanes={{ step: stretch.step, total: MAX_LANES }} isChosen profile={profile} />
        : data && <Sums data={data} metric={metric} profile={profile} isNode={!!node} about={isWhole(profile) ? "the recording" : state.values.step === undefined ? "" : `step ${state.values.step}`} />}
      <p class="places">show in {PLACES.map(([page, title], i) => (
        <span key={page}>{i > 0 && " · "}<a href={link({ page })} aria-current={state.page === page ? "page" : undefined}>{title}</a></span>
      ))}</p>
      <p class="copies"><Copy text={node?.name ?? name}>Copy name</Copy> <Copy text={location.href}>Copy link</Copy></p>
      {node && <NodeDetails state={state} node={node.node} />}
      {data && !node && !stretch && <Lists data={data} metric={metric} />}
    </aside>
  );
}

function Sums({ data, metric, profile, isNode, about }: { data: Selection; metric: Metric; profile: Profile; isNode: boolean; about: string }) {
  const value = data.total[metric.column] ?? 0;
  const others = profile.metrics.filter((m) => m.word !== metric.word && data.total[m.column]);
  if (data.nodes === 0) return <p>Nothing in this profile matches.</p>;
  return (
    <>
      <p class="sum"><strong><Num value={value} unit={metric.unit} /></strong> {metric.title}, {percent(value, profile.root.total[metric.column] ?? 0)} of {about || (profile.steps.length > 1 ? `an average step of ${profile.steps.length}` : "all")}
        {!isNode && <>; {data.nodes.toLocaleString("en-US")} node{data.nodes === 1 ? "" : "s"}</>}</p>
      <dl class="facts-list">
        {others.map((m) => <div key={m.word}><dt>{m.title}</dt><dd><Num value={data.total[m.column]} unit={m.unit} /></dd></div>)}
      </dl>
    </>
  );
}

function Lists({ data, metric }: { data: Selection; metric: Metric }) {
  return (
    <>
      <List title="operations" metric={metric} rows={data.operations.map((r) => ({ key: r.name, term: `op:${r.name}`, name: r.name, family: r.family, value: r.value }))} />
      <List title="layers" metric={metric} rows={data.layers.map((r) => ({ key: r.name, term: `scope:${r.name}`, name: lastPart(r.name), title: r.name, value: r.value }))} />
      {data.lines && <List title="lines of Python" metric={metric} rows={mergeLines(data.lines)} />}
      <List title={data.nodes > 10 ? "largest nodes" : "nodes"} metric={metric}
        rows={data.largest.slice(0, 10).map((n) => ({ key: String(n.node), term: `node:${n.node}`, name: n.name, family: n.family, value: n.value, isPath: true }))} />
    </>
  );
}

interface Entry { key: string; term: string; name: string; title?: string; family?: string; value: number; isPath?: boolean }

// A line and its gradients are one.
function mergeLines(lines: Part[]): Entry[] {
  const merged = new Map<string, Entry>();
  for (const row of lines) {
    const term = lineTerm(row);
    const found = merged.get(term);
    if (found) found.value += row.value;
    else merged.set(term, { key: term, term, name: lineName(row.name.replace(/ \(gradient\)$/, "")), title: row.path, value: row.value });
  }
  return [...merged.values()].sort((a, b) => b.value - a.value);
}

function List({ title, rows, metric }: { title: string; rows: Entry[]; metric: Metric }) {
  if (!rows.length) return null;
  return (
    <table class="parts">
      <thead><tr><th scope="col">{title}</th><th scope="col">{metric.title}</th></tr></thead>
      <tbody>
        {rows.map((r) => (
          <tr key={r.key}>
            <th scope="row" title={r.title ?? r.name} class={r.isPath ? "path" : ""}>
              {r.family && <Dot family={r.family} title={familyTitle(r.family)} />}<SelectLink term={r.term}>{r.name}</SelectLink></th>
            <td class="num">{format(r.value, metric.unit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
