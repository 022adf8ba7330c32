// Two profiles: what changed from A to B, from the whole step to layers, lines and operations.
import type { PageProps } from "../app";
import { type LoadState, type Metric, useApi } from "../api";
import { type Change, Changes, type DiffAnswer, diffQuery, Legend, Total, type View, viewOf } from "../compare";
import { Timelines } from "../compare_timelines";
import { columnOf } from "../margin";
import { defaultMetric, link, type State } from "../state";
import { meanParts, type Part, type Step, stepsOf, useSteps, WORDS } from "../step_panels";
import { lastPart } from "../tree";
import { Panel, Problem } from "../widgets";

const MAX_ROWS = 8;

export function ComparePage(props: PageProps) {
  const { state, profile } = props, metric = defaultMetric(state, profile), layers = viewOf(profile, "layers");
  const ops = useApi<DiffAnswer>(profile.is_model ? null : "diff", { ...diffQuery(state, profile, "operations"), levels: 1 });
  const scopes = useApi<DiffAnswer>("diff", { ...diffQuery(state, profile, "layers"), levels: 1 });
  const lines = useApi<DiffAnswer>(profile.has_code ? "diff" : null, { ...diffQuery(state, profile, "source"), levels: 100 });
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
        <Changed title="Layers" data={scopes.data} rows={scopes.data.rows.slice(1)} state={state} metric={metric} shown={layers} />
        {lines.data && <Changed title="Lines" data={lines.data} rows={ends(lines.data.rows)} state={state} metric={metric} shown={viewOf(profile, "source")} />}
        {ops.data && <Changed title="Operations" data={ops.data} rows={ops.data.rows.slice(1)} state={state} metric={metric} shown={viewOf(profile, "operations")} />}
      </div>
    </div>
  );
}

interface ChangedProps { title: string; data: DiffAnswer; rows: Change[]; state: State; metric: Metric; shown: View }

function Changed({ title, rows, state, metric, shown }: ChangedProps) {
  const changed = rows.filter((r) => r.base !== r.new);
  return (
    <Panel title={`${title} that changed most`} about={`${metric.title}, ${changed.length} of ${rows.length}`} name={`changed-${shown.page}`} more={<a href={link({ page: shown.page })}>All, as a {shown.view === "op" ? "table" : "flame graph"}</a>}>
      {changed.length ? <Changes rows={changed} state={{ ...state, page: shown.page }} metric={metric} shown={shown} limit={MAX_ROWS} /> : <p class="dim">Nothing changed.</p>}
    </Panel>
  );
}

// Lines at the ends of call stacks, those that changed most first: what calls them has their sum.
function ends(rows: Change[]): Change[] {
  return rows.filter((r) => r.kids === 0 && r.depth > 0).sort((a, b) => Math.abs(b.new - b.base) - Math.abs(a.new - a.base));
}

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
