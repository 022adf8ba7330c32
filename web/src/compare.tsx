// Two profiles: what changed from the first to the second, as `tfprof diff` says it. Blue is
// less, orange more; a sign and an arrow say it, too.
import type { ComponentChildren } from "preact";
import type { PageProps } from "./app";
import { type Metric, type Params, type Profile, type Row, useApi } from "./api";
import { familyTitle } from "./families";
import { Flame } from "./flame";
import { exact, fixed, format, type Unit } from "./format";
import { useUp } from "./keys";
import { lineTerm, Mark, rowClass } from "./selection";
import { defaultMetric, go, link, requestParams, type State } from "./state";
import { build, lastPart, lineName, parentIn, type Node } from "./tree";
import { Treemap } from "./treemap";
import { Empty, Problem, remedy } from "./widgets";

export interface Change { row: number; depth: number; kids: number; name: string; base_name?: string; match?: boolean; family?: string;
  state: string; base: number; new: number; verdict: string }
export interface DiffAnswer { headline?: string; path: { row: number; name: string }[]; rows: Change[] }

export function isComparing(state: State): boolean {
  return state.values.diff === "1" || state.page === "compare";
}

// With its sign, as in reports.
function delta(change: Change, unit: Unit): string {
  const by = change.new - change.base;
  return (by < 0 ? "-" : by > 0 ? "+" : "") + format(Math.abs(by), unit);
}

function percentText({ base, new: now }: Change): string {
  if (base === now) return "";
  if (base === 0) return "new";
  const percent = 100 * ((now - base) / Math.abs(base));
  return `${percent > 0 ? "+" : ""}${fixed(percent, Math.abs(percent) >= 1000 ? 0 : 1)}%`;
}

const arrow = (c: Change) => (c.new > c.base ? "▲" : c.new < c.base ? "▼" : "");

// How strong a colour is: by the share of what is larger.
export function changeClass(c: Change): string {
  const share = Math.abs(c.new - c.base) / Math.max(1, c.base, c.new);
  if (share < 0.01) return "change-none";
  return `change-${c.new > c.base ? "more" : "less"}-${share < 0.1 ? 1 : share < 0.4 ? 2 : 3}`;
}

export const changeText = (c: Change) => `${arrow(c)} ${percentText(c) || "same"}`.trim();

const MARKS: Record<string, string> = { indistinct: "~", "too few runs": "?" };
const MEANINGS: Record<string, string> = { indistinct: "cannot be told from noise, or too small", "too few runs": "too few runs to tell a change of time from noise" };

function describe(c: Change): string {
  if (c.state === "same") return MARKS[c.verdict] ?? (c.verdict === "equal" ? "" : c.verdict);
  return c.base_name && c.state === "renamed" ? `renamed from ${lastPart(c.base_name)}` : c.state;
}

// A box is as large as the larger side, or what is in it.
function buildChanges(rows: Change[]): { root?: Node; of: Map<number, Change> } {
  const of = new Map(rows.map((c) => [c.row, c]));
  const root = build(rows.map((c): Row => ({ row: c.row, name: c.name, depth: c.depth, kids: c.kids, match: c.match, own: {},
    total: { value: Math.max(c.base, c.new) } })), "value");
  const all = root ? [root] : [];
  for (let i = 0; i < all.length; i++) all.push(...all[i].children);
  for (const node of all.reverse()) node.value = Math.max(node.value, node.children.reduce((sum, n) => sum + n.value, 0));
  return { root, of };
}

export interface View { page: string; view: string; what: string; levels: number; kind?: string }

export const VIEWS: Record<string, View> = {
  operations: { page: "operations", view: "op", what: "operation", levels: 1, kind: "op" },
  layers: { page: "layers", view: "scope", what: "layer", levels: 6, kind: "scope" },
  source: { page: "source", view: "code", what: "line", levels: 40 },
};
// Of model files.
const MODEL: View = { page: "layers", view: "model", what: "layer", levels: 1 };

export function viewOf(profile: Profile, page: string): View {
  return profile.is_model ? MODEL : VIEWS[page] ?? VIEWS.operations;
}

// The query, also for "copy as command" and exports.
export function diffQuery(state: State, profile: Profile, page = state.page): Params {
  const { view } = viewOf(profile, page);
  const params: Params = { ...requestParams(state), diff: "1", view, select: defaultMetric(state, profile).word, order: state.values.sort };
  if (view !== "scope" && view !== "code") delete params.fold_gradients;
  if (view !== "code") delete params.only_my_code;
  delete params.find;
  delete params.p;
  return params;
}

export function Compare({ state, profile }: PageProps) {
  const metric = defaultMetric(state, profile), shown = viewOf(profile, state.page);
  const { data, error } = useApi<DiffAnswer>(shown.view === "code" && !profile.has_code ? null : "diff", { ...diffQuery(state, profile), levels: shown.levels, root: state.values.root, find: state.values.find });
  useUp(() => { if (data?.path.length) go({ values: { root: parentIn(data) } }); });
  if (shown.view === "code" && !profile.has_code) return <Empty what="This profile has no call stacks." how={remedy(profile, "lines of code")} />;
  if (error) return <Problem error={error} />;
  if (!data?.rows.length) return null;
  const { root, of } = buildChanges(data.rows), whole = data.rows[0], isTree = shown.view === "scope" || shown.view === "code";
  if (!root || root.value === 0)
    return <Empty what={`Neither profile has ${metric.title}.`} how={<a href={link({ values: { metric: undefined, root: undefined } })}>Show another metric</a>} />;
  const change = (n: Node) => of.get(n.row.row)!, text = (n: Node) => changeText(change(n));
  const open = (n: Node) => { if (n.row.kids && n !== root) go({ values: { root: String(n.row.row) } }); };
  const rows = isTree ? root.children.map(change) : data.rows.slice(1);
  return (
    <>
      <h1 class="crumbs">
        <a href={link({ values: { root: undefined } })}>B − A</a>
        {data.path.slice(-4).map((p) => <span key={p.row}> / <a href={link({ values: { root: String(p.row) } })}>{shown.view === "code" ? p.name : lastPart(p.name)}</a></span>)}
        <small> <Total change={whole} metric={metric} /></small>
      </h1>
      <Legend metric={metric} profile={profile} isTree={isTree} />
      {isTree && root.children.length > 0 && (
        <>
          {shown.view === "scope" && <Treemap root={root} unit={metric.unit} paint={(n) => changeClass(change(n))} text={text} onOpen={open} onSelect={open} />}
          <ChangeFlame root={root} change={change} metric={metric} shown={shown} onOpen={open} />
        </>
      )}
      <Changes rows={rows} state={state} metric={metric} shown={shown} />
    </>
  );
}

interface FlameProps { root: Node; change: (n: Node) => Change; metric: Metric; shown: View; onOpen: (n: Node) => void }

// As wide as the larger side, coloured by the change.
function ChangeFlame({ root, change, metric, shown, onOpen }: FlameProps) {
  const label = (n: Node) => `${arrow(change(n))} ${n.row.depth === 0 ? "all" : shown.view === "code" ? n.row.name : lastPart(n.row.name)} ${percentText(change(n))}`.trim();
  return <Flame root={root} unit={metric.unit} name="changes as a flame graph" label={label} paint={(n) => changeClass(change(n))} onOpen={onOpen} onSelect={onOpen} />;
}

// Of all layers, or lines; a click leads to the page that has them.
export function WholeFlame({ rows, metric, shown }: { rows: Change[]; metric: Metric; shown: View }) {
  const { root, of } = buildChanges(rows);
  if (!root?.children.length || root.value === 0) return null;
  return <ChangeFlame root={root} change={(n) => of.get(n.row.row)!} metric={metric} shown={shown} onOpen={(n) => { if (n.row.kids) go({ page: shown.page, values: { root: n === root ? undefined : String(n.row.row) } }); }} />;
}

export function Total({ change, metric }: { change: Change; metric: Metric }) {
  return <span class="total-change">{format(change.base, metric.unit)} → {format(change.new, metric.unit)} {metric.title}{" "}
    <b>{arrow(change)} {delta(change, metric.unit)} {percentText(change) && `(${percentText(change)})`}</b></span>;
}

export function Legend({ metric, profile, isTree }: { metric: Metric; profile: Profile; isTree: boolean }) {
  return (
    <p class="facts">
      <span class="key change-less-2">▼ less</span> <span class="key change-more-2">▲ more</span>
      {isTree && " · a box has the larger of its two sizes · click: zoom in"}
      {metric.unit === "micros" && <> · ? too few runs to tell a change of time from noise</>}
      {profile.steps.length > 1 && " · each number is the median of the steps"}
    </p>
  );
}

export interface ChangesProps { rows: Change[]; state: State; metric: Metric; shown: View; limit?: number }

export function Changes({ rows, state, metric, shown, limit = 200 }: ChangesProps) {
  const most = Math.max(1, ...rows.map((c) => Math.abs(c.new - c.base)));
  const sort = state.values.sort ?? "delta";
  return (
    <div class="scroll"><table class="numbers changes">
      <thead><tr>
        <Sort word="name" sort={sort}>{shown.what}</Sort>
        <th scope="col" class="wide"><span class="hidden">less to the left, more to the right</span></th>
        <Sort word="base" sort={sort}>A: {metric.title}</Sort><Sort word="new" sort={sort}>B: {metric.title}</Sort><Sort word="delta" sort={sort}>change</Sort><Sort word="percent" sort={sort}>%</Sort>
        <th scope="col"><span class="hidden">verdict</span></th>
      </tr></thead>
      <tbody>{rows.slice(0, limit).map((c) => <ChangeRow key={c.row} change={c} state={state} metric={metric} shown={shown} most={most} />)}</tbody>
    </table>{rows.length > limit && <p class="dim">and {rows.length - limit} more</p>}</div>
  );
}

function Sort({ word, sort, children }: { word: string; sort: string; children: ComponentChildren }) {
  return (
    <th scope="col" aria-sort={sort === word ? (word === "name" ? "ascending" : "descending") : undefined}>
      <a href={link({ values: { sort: word === "delta" ? undefined : word, root: undefined } })}>{children}{sort === word ? " ▾" : ""}</a>
    </th>
  );
}

// In the profile that has the line: B, or A if it is gone.
function SourceLink({ change }: { change: Change }) {
  const place = /^(.+?):(\d+)(?=:|$)/.exec(change.name);
  return place ? <a href={link({ page: "source", values: { diff: undefined, p: change.state === "removed" ? undefined : "1", sel: lineTerm({ name: place[1], line: Number(place[2]) }) } })}>{lineName(change.name)}</a> : <>{change.name}</>;
}

function ChangeRow({ change: c, state, metric, shown, most }: { change: Change; state: State; metric: Metric; shown: View; most: number }) {
  const width = (50 * Math.abs(c.new - c.base)) / most, { unit } = metric, { kind, page } = shown;
  const name = kind === "scope" ? lastPart(c.name) : kind === "family" ? familyTitle(c.name) : c.name;
  return (
    <tr class={rowClass(undefined, 0, c.match)}>
      <th scope="row" title={c.name}>
        {kind && <Mark state={state} term={`${kind}:${c.name}`} name={c.name} />}
        {c.kids > 0 ? <a href={link({ page, values: { root: String(c.row) } })}>{name}</a> : shown.view === "code" ? <SourceLink change={c} /> : name}
      </th>
      <td><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={delta(c, unit)}>
        <rect x={49.8} width={0.4} y={0} height={10} class="axis" />
        <rect x={c.new < c.base ? 50 - width : 50} width={width} y={1} height={8} class={c.new < c.base ? "change-less-3" : "change-more-3"} />
      </svg></td>
      <td>{c.state === "added" ? "--" : <span class="num" title={exact(c.base, unit)}>{format(c.base, unit)}</span>}</td>
      <td>{c.state === "removed" ? "--" : <span class="num" title={exact(c.new, unit)}>{format(c.new, unit)}</span>}</td>
      <td class={c.new < c.base ? "less" : c.new > c.base ? "more" : ""}><span class="num" title={exact(c.new - c.base, unit)}>{delta(c, unit)}</span></td>
      <td class={c.new < c.base ? "less" : c.new > c.base ? "more" : ""}><span class="num">{percentText(c)}</span> <span aria-hidden="true">{arrow(c)}</span></td>
      <td class="text" title={MEANINGS[c.verdict]}>{describe(c)}</td>
    </tr>
  );
}
