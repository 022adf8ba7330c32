// Two profiles: what changed from A to B, from the whole step to layers, lines and operations.
import type { PageProps } from "../app";
import { type LoadState, type Metric, useApi } from "../api";
import { type Change, Changes, type DiffAnswer, diffQuery, Legend, Total, type View, viewOf, WholeFlame } from "../compare";
import { Timelines } from "../compare_timelines";
import { columnOf } from "../margin";
import { defaultMetric, link, requestParams, type State } from "../state";
import { meanParts, type Part, type Step, stepsOf, useSteps, WORDS } from "../step_panels";
import { lastPart } from "../tree";
import { Panel, Problem } from "../widgets";

const MAX_ROWS = 8;

export function ComparePage(props: PageProps) {
  const { state, profile } = props, metric = defaultMetric(state, profile), layers = viewOf(profile, "layers");
  const ops = useApi<DiffAnswer>(profile.is_model ? null : "diff", { ...diffQuery(state, profile, "operations"), levels: 1 });
  const scopes = useApi<DiffAnswer>("diff", { ...diffQuery(state, profile, "layers"), levels: layers.levels });
  const lines = useApi<DiffAnswer>(profile.has_code ? "diff" : null, { ...diffQuery(state, profile, "source"), levels: 100 });
  const [linesA, linesB] = [useLines(0, state, profile, metric.column), useLines(1, state, profile, metric.column)];
  const a = useSteps({ ...state, values: { ...state.values, p: "0" } }, profile), b = useSteps({ ...state, values: { ...state.values, p: "1" } }, profile);
  const { data: load } = useApi<LoadState>("load"), whole = scopes.data?.rows[0];
  if (scopes.error) return <Problem error={scopes.error} />;
  if (!scopes.data || !whole) return null;
  const before = a.data ? steadyOf(stepsOf(a.data)) : [], after = b.data ? steadyOf(stepsOf(b.data)) : [];
  return (
    <div class="compare">
      <h1><Verdict before={before} after={after} /> {ops.data?.headline ?? scopes.data.headline ?? <>From A to B: <Total change={whole} metric={metric} /></>}</h1>
      <p class="facts">{load?.profiles.map((p, i) => <span key={p.file}>{i > 0 && " · "}<b>{"AB"[i]}</b> <code title={p.file}>{lastPart(p.file)}</code></span>)}{before.length > 0 && after.length > 0 && ` · ${before.length} and ${after.length} steps`}</p>
      <Legend metric={metric} profile={profile} isTree={false} />
      {before.length > 0 && after.length > 0 && <Panel title="Where a step goes" about="one scale, average of the steps that are not warm-up" wide name="step-pair"><Bars before={before} after={after} /></Panel>}
      {profile.has_run && <Timelines state={state} before={before} after={after} />}
      <div class="columns three">
        <Changed title="Layers" data={scopes.data} rows={layersIn(scopes.data.rows)} state={state} metric={metric} shown={layers} />
        {lines.data && linesA && linesB && <Changed title="Lines" about="own, average of the steps" data={lines.data} rows={changesOf(linesA, linesB, lines.data.rows)} state={state} metric={metric} shown={viewOf(profile, "source")} />}
        {ops.data && <Changed title="Kinds" data={ops.data} rows={kindsOf(ops.data.rows.slice(1))} state={state} metric={metric} shown={KINDS} />}
        {ops.data && <Changed title="Operations" data={ops.data} rows={ops.data.rows.slice(1)} state={state} metric={metric} shown={viewOf(profile, "operations")} />}
      </div>
      {!profile.is_model && <Panel title="All layers" about={`${metric.title}; as wide as the larger side, coloured by the change`} wide name="change-flame"><WholeFlame rows={scopes.data.rows} metric={metric} shown={layers} /></Panel>}
    </div>
  );
}

interface ChangedProps { title: string; about?: string; data: DiffAnswer; rows: Change[]; state: State; metric: Metric; shown: View }

function Changed({ title, about, rows, state, metric, shown }: ChangedProps) {
  const changed = rows.filter((r) => r.base !== r.new);
  return (
    <Panel title={`${title} that changed most`} about={`${metric.title}${about ? `, ${about}` : ""}; ${changed.length} of ${rows.length}`} name={`changed-${shown.kind ?? "line"}`} more={<a href={link({ page: shown.page })}>All, as a {shown.view === "op" ? "table" : "flame graph"}</a>}>
      {changed.length ? <Changes rows={changed} state={{ ...state, page: shown.page }} metric={metric} shown={shown} limit={MAX_ROWS} /> : <p class="dim">Nothing changed.</p>}
    </Panel>
  );
}

interface Line { name: string; own: number }
interface LinesAnswer { lines: Line[] }

function useLines(p: number, state: State, profile: PageProps["profile"], column: string): Line[] | undefined {
  return useApi<LinesAnswer>(profile.has_code ? "lines" : null, { ...requestParams(state), p, limit: 2000, metric_column: column }).data?.lines;
}

// What lines made themselves on each side, as its Source page says; whether that is more than noise is
// known of the rows of the comparison.
function changesOf(before: Line[], after: Line[], rows: Change[]): Change[] {
  const lines = new Map<string, Change>(), verdicts = new Map<string, string>();
  for (const row of rows) if (row.kids === 0) verdicts.set(row.name, verdicts.has(row.name) && verdicts.get(row.name) !== row.verdict ? "" : row.verdict);
  const add = (side: "base" | "new", of: Line[]) => of.forEach((l) => {
    const line = lines.get(l.name) ?? { row: lines.size, depth: 1, kids: 0, name: l.name, state: side === "base" ? "removed" : "added", base: 0, new: 0, verdict: verdicts.get(l.name) ?? "" };
    lines.set(l.name, { ...line, [side]: l.own, state: side === "new" && line.base > 0 ? "same" : line.state });
  });
  add("base", before);
  add("new", after);
  return mostFirst([...lines.values()]);
}

// Calls and whole models are no layers: what is in them is listed.
const IS_AROUND = /^(p?jit|pmap|vmap|jvp|transpose|remat|checkpoint)\(.*\)$|^(Stateful)?PartitionedCall(_\d+)?$|^(functional|sequential|model)(_\d+)*$/i;

function layersIn(rows: Change[]): Change[] {
  const shown: Change[] = [];
  let inside = 1;
  for (const row of rows.slice(1)) {
    inside = Math.min(inside, row.depth);
    if (row.depth !== inside) continue;
    if (row.kids > 0 && IS_AROUND.test(lastPart(row.name))) inside++;
    else shown.push(row);
  }
  return mostFirst(shown);
}

const mostFirst = (rows: Change[]) => rows.sort((a, b) => Math.abs(b.new - b.base) - Math.abs(a.new - a.base));

// Operations of a kind together. A sum has no verdict.
function kindsOf(rows: Change[]): Change[] {
  const kinds = new Map<string, Change>();
  for (const row of rows) {
    const name = row.family ?? "control", kind = kinds.get(name);
    kinds.set(name, { ...(kind ?? { ...row, name, kids: 0, state: "same", verdict: "", base_name: undefined }), base: (kind?.base ?? 0) + row.base, new: (kind?.new ?? 0) + row.new });
  }
  return mostFirst([...kinds.values()]);
}

const KINDS: View = { page: "operations", view: "op", what: "kind", levels: 1, kind: "family" };

const steadyOf = (steps: Step[]) => (steps.some((s) => s.isSteady) ? steps.filter((s) => s.isSteady) : steps);
const mean = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;

// Only if every step of one side is faster than every step of the other.
function Verdict({ before, after }: { before: Step[]; after: Step[] }) {
  if (!before.length || !after.length) return null;
  const a = before.map((s) => s.wall), b = after.map((s) => s.wall);
  const word = Math.max(...b) < Math.min(...a) ? "faster" : Math.min(...b) > Math.max(...a) ? "slower" : "same";
  return <span class={`verdict ${word}`} title={word === "same" ? "steps of A and B overlap" : `every step of B is ${word} than every step of A`}>{word === "same" ? "within the spread of steps" : word}</span>;
}

// Both steps on one scale, and below each part before and after.
function Bars({ before, after }: { before: Step[]; after: Step[] }) {
  const walls = [mean(before.map((s) => s.wall)), mean(after.map((s) => s.wall))], parts = [meanParts(before), meanParts(after)], most = Math.max(...walls);
  const column = columnOf(walls, "micros"), names = [...new Set(parts.flat().map((p) => p.name))].sort((x, y) => larger(parts, y) - larger(parts, x));
  return (
    <>
      {walls.map((wall, i) => (
        <div class="pair" key={i}>
          <b>{"AB"[i]}</b>
          <ul class="step-bar" data-wall={wall} aria-label={`${"AB"[i]}: ${column.text(wall)} ${column.unit}`}>
            {parts[i].map((p) => <li key={p.name} class={`part-${p.name}`} ref={(li) => { if (li) li.style.flexGrow = String(p.micros / most); }}>{p.micros / most > 0.1 ? `${WORDS[p.name] ?? p.name} ${column.text(p.micros)}` : ""}</li>)}
            {wall < most && <li class="difference" ref={(li) => { if (li) li.style.flexGrow = String((most - wall) / most); }}>{(most - wall) / most > 0.08 && `${i ? "−" : "+"}${column.text(most - wall)} ${column.unit} per step`}</li>}
          </ul>
          <span class="num">{column.text(wall)} {column.unit}</span>
        </div>
      ))}
      <ul class="step-list">
        {names.map((name) => {
          const [x, y] = parts.map((of) => of.find((p) => p.name === name)?.micros ?? 0), by = y - x, text = column.text(Math.abs(by));
          if (!column.text(x) && !column.text(y)) return null;
          return (
            <li key={name} data-part={name} data-before={x} data-after={y}>
              <p><span class={`dot part-${name}`} /> {WORDS[name] ?? name} <small>{column.text(x) || "0"} → {column.text(y) || "0"}</small></p>
              <p><strong class={`num ${text ? (by < 0 ? "less" : "more") : ""}`}>{text ? `${by < 0 ? "−" : "+"}${text}` : "same"}</strong> <small>{text && column.unit}</small></p>
            </li>
          );
        })}
      </ul>
    </>
  );
}

const larger = (parts: Part[][], name: string) => Math.max(...parts.map((of) => of.find((p) => p.name === name)?.micros ?? 0));
