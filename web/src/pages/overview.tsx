// In five seconds: how long, how big, what dominates, is something wrong?
import type { PageProps } from "../app";
import { useApi, wallsOf, type Profile, type Row, type Rows } from "../api";
import { build, flatten, lastPart, lineName, type Node, type Tree } from "../tree";
import { familyTitle } from "../families";
import { shortName } from "../devices";
import { findingsOf, levelTitle, Places, type Advice } from "../findings";
import { format, median, percent } from "../format";
import { ModelCards, ModelLayers, ModelOverview, useModel } from "../model";
import { lineTerm, Mark, rowClass } from "../selection";
import type { Curve } from "../timeline_draw";
import type { Lanes } from "../timeline_lines";
import { adviceParams, link, requestParams } from "../state";
import { Bar, Dot, Num, Panel, Problem, Share } from "../widgets";

interface OpRow extends Row { family?: string }

export function Overview({ state, profile }: PageProps) {
  const { data: model } = useModel(state, profile);
  if (profile.nodes === 0) return <ModelOverview state={state} profile={profile} />;
  return (
    <div class="overview">
      <h1>{profile.sentence || size(profile)}</h1>
      <p class="facts" title={profile.files.join("\n")}>{facts(profile).join(" · ")}</p>
      {model && model.model.total.operations > 0 ? <ModelCards answer={model} state={state} /> : <Cards state={state} profile={profile} />}
      {model && model.model.total.float_ops > 0 && (
        <Panel title="Where the float operations are: layers" wide><ModelLayers model={model.model} limit={8} /></Panel>
      )}
      <div class="columns">
        <TopOperations state={state} profile={profile} />
        <TopLayers state={state} profile={profile} />
        {profile.has_run && profile.has_code && <TopLines state={state} profile={profile} />}
        {profile.has_run && <TopFindings state={state} profile={profile} />}
      </div>
      {profile.missing.length > 0 && (
        <Panel title="Missing from this profile" wide>
          <ul>{profile.missing.map((m) => <li key={m.what}><strong>{m.what}</strong>: add {m.how}</li>)}</ul>
        </Panel>
      )}
    </div>
  );
}

function facts(p: Profile): string[] {
  const steps = p.steps.length ? `${p.steps.length} step${p.steps.length > 1 ? "s" : ""}` : "no steps";
  return [
    fileNames(p.files),
    `${p.nodes.toLocaleString("en-US")} nodes`,
    ...(p.has_run ? [steps, `${p.devices} device${p.devices === 1 ? "" : "s"}`, `${Math.round(100 * p.coverage)}% of the nodes ran`] : ["no run"]),
    `call stacks: ${p.has_code ? "yes" : "no"}`,
    `float operations: ${p.has_float_ops ? "yes" : "no"}`,
  ];
}

const MAX_FILES = 3;

// One file by its path, several by their names.
function fileNames(files: string[]): string {
  if (files.length === 1) return files[0];
  return files.slice(0, MAX_FILES).map(lastPart).join(", ") + (files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : "");
}

// What there is to say of a profile in which nothing ran.
function size({ root }: Profile): string {
  const { parameters = 0, float_ops: flops = 0 } = root.total;
  return `${format(parameters, "count")} parameters${flops ? `, ${format(flops, "count")} float operations` : ""}.`;
}

// The clock, and the sum of operations, which run on lanes in parallel.
function TimeCard({ state, profile }: PageProps) {
  const { data } = useApi<Lanes>("lanes", { p: state.values.p, step: state.values.step ?? profile.steps[0]?.step });
  const lanes = data ? ` (${data.total} lane${data.total === 1 ? "" : "s"})` : "";
  return <Card title="A step takes" value={profile.wall ? format(profile.wall, "micros") : "–"}
    note={`operation time, all threads: ${format(profile.root.total.exec_micros ?? 0, "micros")}${lanes}`} />;
}

// A peak only where an allocator was read; the sum over nodes is what was requested.
function MemoryCard({ state, profile }: PageProps) {
  const { data } = useApi<Curve[]>("memory", { p: state.values.p, step: state.values.step ?? profile.steps[0]?.step, n: 1 });
  const { requested_bytes: requested = 0, output_bytes: outputs = 0 } = profile.root.total;
  const most = (data ?? []).reduce<Curve | undefined>((a, b) => (a && a.peak >= b.peak ? a : b), undefined);
  if (!most && !requested) return <Missing title="Memory requested" />;
  if (!most) return <Card title="Memory requested" value={format(requested, "bytes")} note={`${format(outputs, "bytes")} of outputs`} />;
  return <Card title="Peak memory" value={format(most.peak, "bytes")} note={`on ${shortName(most.device)}; ${format(requested, "bytes")} requested`} />;
}

function Cards({ state, profile }: PageProps) {
  const total = profile.root.total;
  const seconds = (profile.wall ?? 0) / 1e6;
  return (
    <div class="cards">
      {profile.has_run && (
        <TimeCard state={state} profile={profile} />
      )}
      {profile.has_run && (
        <MemoryCard state={state} profile={profile} />
      )}
      {total.parameters
        ? <Card title="Parameters" value={format(profile.trainable || total.parameters, "count")}
            note={profile.trainable ? `trainable; ${format(total.parameters, "count")} in all variables` : "in all variables"} />
        : <Missing title="Parameters" />}
      {total.float_ops
        ? <Card title="Float operations" value={format(total.float_ops, "count")}
            note={seconds > 0 ? `${format(Math.round(total.float_ops / seconds), "count")} per second` : "counted in the graph"} />
        : <Missing title="Float operations" />}
      {wallsOf(profile).length > 1 && <StepsCard profile={profile} />}
    </div>
  );
}

// A trace alone has no variables: 0 would be wrong.
function Missing({ title }: { title: string }) {
  return <Card title={title} value="–" note="none in this profile" />;
}

function Card({ title, value, note }: { title: string; value: string; note: string }) {
  return (
    <div class="card">
      <h2>{title}</h2>
      <p class="big">{value}</p>
      <p>{note}</p>
    </div>
  );
}

function StepsCard({ profile }: { profile: Profile }) {
  const steps = wallsOf(profile), walls = steps.map((s) => s.wall);
  const max = Math.max(...walls, 1);
  const middle = median(walls);
  const shown = steps.slice(0, 60);
  return (
    <div class="card">
      <h2>Steps</h2>
      <svg class="steps" viewBox={`0 0 ${shown.length * 10} 32`} preserveAspectRatio="none" role="img"
        aria-label="time of each step">
        {shown.map((s, i) => (
          <rect key={s.step} x={i * 10 + 1} width={8} y={32 - (32 * s.wall) / max} height={(32 * s.wall) / max}
            class={s.wall > 1.2 * middle ? "slow" : ""}>
            <title>{`step ${s.step}: ${format(s.wall, "micros")}`}</title>
          </rect>
        ))}
      </svg>
      <p>{format(Math.min(...walls), "micros")} to {format(max, "micros")}</p>
    </div>
  );
}

function TopOperations({ state, profile }: PageProps) {
  const metric = profile.has_run ? "exec_micros" : "parameters";
  const { data, error } = useApi<Rows>("rows", { ...requestParams(state), view: "op", limit: 8,
    order_by: profile.has_run ? "micros" : "params", sel: state.values.sel, metric_column: metric });
  const whole = profile.root.total[metric] ?? 0;
  const max = Math.max(1, ...(data?.rows ?? []).map((r) => r.own[metric] ?? 0));
  return (
    <Panel title={profile.has_run ? "Where the time goes: operations" : "Where the parameters are: operations"}>
      {error && <Problem error={error} />}
      {profile.has_run && <FamilyBar profile={profile} />}
      <table class="numbers with-bars">
        <thead><tr><th scope="col">operation</th><th scope="col" class="wide"><span class="hidden">share of the largest</span></th>
          <th scope="col">{profile.has_run ? "time" : "parameters"}</th><th scope="col">share</th>{profile.has_run && <th scope="col">runs</th>}</tr></thead>
        <tbody>
          {(data?.rows as OpRow[] | undefined)?.map((row) => (
            <tr key={row.name} class={rowClass(row.selected, row.own[metric] ?? 0, row.match)}>
              <th scope="row"><Mark state={state} term={`op:${row.name}`} name={row.name} /><Dot family={row.family ?? "element"} title={familyTitle(row.family ?? "element")} />
                <a href={link({ page: "operations", values: { sel: `op:${row.name}` } })} title={row.name}>{row.name}</a></th>
              <td><Bar max={max} selected={row.selected} parts={[{ value: row.own[metric] ?? 0, family: row.family, title: percent(row.own[metric] ?? 0, whole) }]} /></td>
              <td><Num value={row.own[metric] ?? 0} unit={profile.has_run ? "micros" : "count"} /></td>
              <td><Share part={row.own[metric] ?? 0} whole={whole} /></td>
              {profile.has_run && <td><Num value={row.own.run_count ?? 0} unit="count" /></td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function FamilyBar({ profile }: { profile: Profile }) {
  const sum = profile.families.reduce((a, f) => a + f.micros, 0);
  const parts = profile.families.filter((f) => f.micros > 0).sort((a, b) => b.micros - a.micros);
  return (
    <ul class="families">
      {parts.map((f) => (
        <li key={f.name} class={`family-${f.name}`} data-share={String(Math.round((1000 * f.micros) / sum))}
          title={`${f.title}: ${format(f.micros, "micros")}`} ref={(li) => { if (li) li.style.flexGrow = String(f.micros / sum); }}>
          {f.micros / sum > 0.12 ? `${f.title} ${Math.round((100 * f.micros) / sum)}%` : ""}
        </li>
      ))}
    </ul>
  );
}

// A scope around nearly everything, such as jit(train_step), is no layer: its children are.
function layers(root: Node | undefined): Node[] {
  let node = root;
  while (node && node.children[0]?.value > 0.9 * node.value && node.children[0].children.length > 1) node = node.children[0];
  return node?.children ?? [];
}

function TopLayers({ state, profile }: PageProps) {
  const metric = profile.has_run ? "exec_micros" : "parameters";
  const { data, error } = useApi<Tree>("tree", { ...requestParams(state), view: "scope", levels: 4, sel: state.values.sel, metric_column: metric });
  const rows = (data && layers(build(data.rows, metric)).slice(0, 9)) ?? [];
  // A trace may have none, or none within its layers: a column of 0 would be wrong.
  const hasParameters = rows.some(({ row }) => row.total.parameters);
  const max = Math.max(1, ...rows.map((n) => n.value));
  return (
    <Panel title={profile.has_run ? "Where the time goes: layers (full colour: forward, faded: backward)" : "Where the parameters are: layers"}>
      {error && <Problem error={error} />}
      <table class="numbers with-bars">
        <thead><tr><th scope="col">layer</th><th scope="col" class="wide"><span class="hidden">forward and backward</span></th>
          {profile.has_run && <th scope="col">time</th>}{hasParameters && <th scope="col">parameters</th>}</tr></thead>
        <tbody>
          {rows.map(({ row, value }) => (
            <tr key={row.name} class={rowClass(row.selected, value, row.match)}>
              <th scope="row"><Mark state={state} term={`scope:${row.name}`} name={row.name} /><a href={link({ page: "layers", values: { root: String(row.row) } })} title={row.name}>{lastPart(row.name)}</a></th>
              <td><Bar max={max} selected={row.selected} parts={[{ value: value - (row.backward ?? 0), title: "forward" }, { value: row.backward ?? 0, light: true, title: "backward" }]} /></td>
              {profile.has_run && <td><Num value={row.total.exec_micros ?? 0} unit="micros" /></td>}
              {hasParameters && <td><Num value={row.total.parameters ?? 0} unit="count" /></td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

// The advisor takes about 4 us per node, which would delay the overview of a very large profile.
const MAX_ADVISED_NODES = 50000;

function TopFindings({ state, profile }: PageProps) {
  const isLarge = profile.nodes > MAX_ADVISED_NODES;
  const { data, error } = useApi<Advice>(isLarge ? null : "advice", { p: state.values.p, ...adviceParams(state) });
  const found = data ? findingsOf(data) : [];
  // Of mere information, one of each kind.
  const shown = found.filter((f, i) => f.level !== "none" || found.findIndex((other) => other.what === f.what) === i);
  return (
    <Panel title="What the advisor says">
      {error && <Problem error={error} />}
      {isLarge && <p><a href={link({ page: "advice" })}>Run the advisor</a></p>}
      {data && !found.length && <p class="dim">No checker found anything to change.</p>}
      <ul class="findings short">
        {shown.slice(0, 5).map((f, i) => (
          <li key={i} class={`level-${f.level}`}>
            <span class="level">{levelTitle(f.level)}</span>
            <div><p title={f.text}>{f.text.split("\n")[0]}</p><Places finding={f} limit={3} /></div>
          </li>
        ))}
      </ul>
      {found.length > 0 && <p><a href={link({ page: "advice" })}>{found.length === 1 ? "What to do about it" : `All ${found.length} findings, and what to do about them`}</a></p>}
    </Panel>
  );
}

function TopLines({ state }: PageProps) {
  const { data, error } = useApi<Tree>("tree", { ...requestParams(state), view: "code", levels: 40, sel: state.values.sel, metric_column: "exec_micros" });
  const tree = data && build(data.rows, "exec_micros");
  const lines = tree ? byLine(tree).slice(0, 8) : [];
  const max = Math.max(1, ...lines.map((l) => l.forward + l.backward));
  return (
    <Panel title="Where the time goes: lines of Python (full colour: forward, faded: backward)">
      {error && <Problem error={error} />}
      <table class="numbers with-bars">
        <thead><tr><th scope="col">line</th><th scope="col" class="wide"><span class="hidden">share of the largest</span></th><th scope="col">time</th></tr></thead>
        <tbody>
          {lines.map((l) => (
            <tr key={l.term} class={rowClass(l.selected, l.forward + l.backward)}>
              <th scope="row" title={l.path}><Mark state={state} term={l.term} name={l.name} /><a href={link({ page: "python", values: { sel: l.term } })}>{l.name}</a></th>
              <td><Bar max={max} selected={l.selected} parts={[{ value: l.forward, title: "forward" }, { value: l.backward, light: true, title: "backward" }]} /></td>
              <td><Num value={l.forward + l.backward} unit="micros" /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

interface Line { term: string; name: string; path?: string; forward: number; backward: number; selected?: number }

// A line is called from several places: what it makes by itself, added up.
function byLine(tree: Node): Line[] {
  const lines = new Map<string, Line>();
  for (const { row, value, children } of flatten(tree)) {
    const own = row.own.exec_micros ?? 0;
    if (!own) continue;
    const term = lineTerm(row);
    const line = lines.get(term) ?? { term, name: lineName(row.name.replace(/ \(gradient\)$/, "")), path: row.path, forward: 0, backward: 0 };
    const below = children.reduce((a, c) => a + (c.row.backward ?? 0), 0);
    const backward = Math.min(own, Math.max(0, (row.backward ?? 0) - below));
    line.forward += own - backward;
    line.backward += backward;
    if (row.selected !== undefined) line.selected = (line.selected ?? 0) + (children.length ? (own * row.selected) / value : row.selected);
    lines.set(term, line);
  }
  return [...lines.values()].sort((a, b) => b.forward + b.backward - a.forward - a.backward);
}
