// In five seconds: how long does a step take, where does that go, what should change?
import type { PageProps } from "../app";
import { isWhole, useApi, useAsk, type Profile, type Row, type Rows } from "../api";
import { lastPart, lineName } from "../tree";
import { familyTitle } from "../families";
import { shortName } from "../devices";
import { Findings } from "../findings";
import { columnOf, format, percent, shortFile } from "../format";
import { ModelCards, ModelLayers, ModelOverview, modelSentence, useModel } from "../model";
import { lineTerm, Mark, rowClass } from "../selection";
import { EveryStep } from "../step_chart";
import { aboutSteps, StepBar, steadyOf, stepsOf, useSteps, type Step } from "../step_panels";
import type { Curve } from "../timeline_draw";
import { link, requestParams } from "../state";
import { Bar, Cell, Dot, Middle, Num, Panel, Problem, Sentence, Share } from "../widgets";

interface OpRow extends Row { family?: string }

export function Overview({ state, profile }: PageProps) {
  const { data: model } = useModel(state, profile);
  const { data: step, error } = useSteps(state, profile);
  if (profile.nodes === 0) return <ModelOverview state={state} profile={profile} />;
  const steps = step ? stepsOf(step) : [];
  const hasModel = model && model.model.total.operations > 0;
  return (
    <div class="overview">
      <h1><Sentence text={step?.headline || profile.sentence || (hasModel ? modelSentence(model.model) : size(profile))} /></h1>
      {step?.headline && step.headline !== profile.sentence && <p class="sentence"><Sentence text={profile.sentence} /></p>}
      <p class="facts" title={profile.files.join("\n")}>{facts(profile, steps).join(" · ")}</p>
      {error && <Problem error={error} />}
      {steps.length > 0 && <div class="two"><StepBar state={state} profile={profile} steps={steps} /><EveryStep state={state} profile={profile} steps={steps} /></div>}
      {hasModel ? <ModelCards answer={model} state={state} /> : !profile.has_run && <Cards state={state} profile={profile} />}
      {model && model.model.total.float_ops > 0 && (
        <Panel title="Where the float operations are: layers" wide><ModelLayers model={model.model} limit={8} /></Panel>
      )}
      {profile.has_run && (
        <div class="two loose">
          <Findings state={state} profile={profile} />
          <div class="stack"><Devices state={state} profile={profile} /><Totals state={state} profile={profile} /></div>
        </div>
      )}
      <div class="columns three">
        {profile.has_run && <TopLayers state={state} profile={profile} />}
        {profile.has_run && profile.has_code && <TopLines state={state} profile={profile} />}
        <TopOperations state={state} profile={profile} />
      </div>
      {profile.missing.length > 0 && (
        <details class="panel wide missing" open={!profile.has_run}>
          <summary>What this file does not have</summary>
          <ul>{profile.missing.map((m) => <li key={m.what}><strong>{m.what}</strong>: add {m.how}</li>)}</ul>
        </details>
      )}
    </div>
  );
}

function facts(p: Profile, all: Step[]): string[] {
  const n = all.length || p.steps.length, steady = steadyOf(all), walls = steady.map((s) => s.wall), left = all.length - steady.length;
  const gap = all.slice(1).reduce((most, s) => (s.gap > most.gap ? s : most), { gap: 0, step: 0 });
  return [
    fileNames(p.files),
    ...(p.has_run ? [n ? `${n} step${n > 1 ? "s" : ""}${walls.length > 1 ? `, ${format(Math.min(...walls), "micros")} … ${format(Math.max(...walls), "micros")}` : ""}` : "no steps"] : ["not run"]),
    ...(left > 0 ? [`${left} left out of averages`] : []),
    ...(walls.length > 0 && gap.gap > Math.max(...walls) ? [`${format(gap.gap, "micros")} before step ${gap.step}`] : []),
    `${p.nodes.toLocaleString("en-US")} nodes${p.has_run && p.coverage < 0.995 ? `, ${Math.round(100 * p.coverage)} % of them ran` : ""}`,
    ...(p.has_run ? [`${p.devices} device${p.devices === 1 ? "" : "s"}`] : []),
  ];
}

const MAX_FILES = 3;

function fileNames(files: string[]): string {
  return files.slice(0, MAX_FILES).map(lastPart).join(", ") + (files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : "");
}

// What there is to say of a profile in which nothing ran.
function size({ root }: Profile): string {
  const { parameters = 0, float_ops: flops = 0 } = root.total;
  return `${format(parameters, "count")} parameters${flops ? `, ${format(flops, "count")} float operations` : ""}.`;
}

interface DeviceRow { kind: string; product: string | null; busy_micros: number | null; span_micros: number | null; idle_micros: number | null; peak_bytes: number | null; capacity_bytes: number | null }

// What was busy how long: from its first operation to its last.
function Devices({ state, profile }: PageProps) {
  const { data, error } = useAsk<DeviceRow>("devices", { p: state.values.p, step: state.values.step });
  const rows = (data?.nodes ?? []).filter((n) => n.depth === 1), hasMemory = rows.some((r) => r.peak_bytes);
  const products = new Set(rows.flatMap((r) => r.product ?? [])), product = products.size === 1 ? [...products][0] : "";
  const steps = state.values.step !== undefined ? `step ${state.values.step}` : profile.steps.length > 1 ? `all ${profile.steps.length} steps` : "";
  const busy = columnOf(rows.map((r) => r.busy_micros ?? 0), "micros"), idle = columnOf(rows.map((r) => r.idle_micros ?? 0), "micros"), peak = columnOf(rows.map((r) => r.peak_bytes ?? 0), "bytes");
  return (
    <Panel title="Devices" about={[product, steps].filter(Boolean).join("; ")} name="devices">
      {error && <Problem error={error} />}
      <table class="numbers">
        <thead><tr><th scope="col">device</th><th scope="colgroup" class="wide" colSpan={2}>utilization</th><th scope="col">busy {busy.unit}</th><th scope="col">idle {idle.unit}</th>{hasMemory && <th scope="col">peak {peak.unit}</th>}</tr></thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.id} data-busy={r.busy_micros} data-span={r.span_micros}>
              <th scope="row" title={r.product ?? r.name}><a href={link({ page: "timeline" })}>{r.name}</a>{!product && r.product && <span class="dim"> {r.product}</span>}</th>
              <td>{!!r.span_micros && <Bar max={r.span_micros} parts={[{ value: r.busy_micros ?? 0, title: percent(r.busy_micros ?? 0, r.span_micros) }]} />}</td>
              <td><Share part={r.busy_micros ?? 0} whole={r.span_micros ?? 0} /></td>
              <td><Cell column={busy} value={r.busy_micros ?? 0} /></td>
              <td><Cell column={idle} value={r.idle_micros ?? 0} /></td>
              {hasMemory && <td><Cell column={peak} value={r.peak_bytes ?? 0} /></td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

// How big: memory, parameters, float operations. What the file does not tell is left out.
function Totals({ state, profile }: PageProps) {
  const { data } = useApi<Curve[]>("memory", { p: state.values.p, step: state.values.step ?? profile.steps[0]?.step, n: 1 });
  const { requested_bytes: requested = 0, output_bytes: outputs = 0, float_ops: flops = 0, exec_micros: micros = 0 } = profile.root.total;
  const most = (data ?? []).reduce<Curve | undefined>((a, b) => (a && a.peak >= b.peak ? a : b), undefined);
  const facts: [string, number, "bytes" | "count" | "micros", string][] = [
    ["peak memory in use", most?.peak ?? 0, "bytes", most ? `${shortName(most.device)}${isWhole(profile) ? "" : `, step ${state.values.step ?? profile.steps[0]?.step}`}` : ""],
    ["memory requested", requested, "bytes", outputs ? `${format(outputs, "bytes")} of outputs` : ""],
    ["parameters", profile.parameters ?? 0, "count", profile.trainable ? `${format(profile.trainable, "count")} trainable` : ""],
    ["float operations", flops, "count", profile.assumed_batch ? `of a batch of ${profile.assumed_batch}: the file leaves it open` : ""],
    ["operations, all threads", micros, "micros", "sum of self times"],
  ];
  if (!facts.some(([, value, unit]) => value && unit !== "micros")) return null; // times have panels of their own
  return (
    <Panel title="Memory and size" about={aboutSteps(state, profile)} name="totals">
      <dl class="facts-list">{facts.filter(([, value]) => value).map(([title, value, unit, note]) =>
        <div key={title}><dt>{title} <small>{note}</small></dt><dd><Num value={value} unit={unit} /></dd></div>)}</dl>
    </Panel>
  );
}

// Of a graph that was not run.
function Cards({ profile }: PageProps) {
  const { parameters, float_ops: flops } = profile.root.total;
  return (
    <div class="cards">
      {!!parameters && <Card title="Parameters" value={format(profile.trainable || parameters, "count")}
        note={profile.trainable ? `trainable; ${format(parameters, "count")} in all variables` : "in all variables"} />}
      {!!flops && <Card title="Float operations" value={format(flops, "count")} note="counted in the graph" />}
    </div>
  );
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

function TopOperations({ state, profile }: PageProps) {
  const metric = profile.has_run ? "exec_micros" : "parameters";
  const { data, error } = useApi<Rows>("rows", { ...requestParams(state), view: "op", limit: 8,
    order_by: profile.has_run ? "micros" : "params", sel: state.values.sel, metric_column: metric });
  const whole = profile.root.total[metric] ?? 0;
  const values = (data?.rows ?? []).map((r) => r.own[metric] ?? 0), max = Math.max(1, ...values), column = columnOf(values, profile.has_run ? "micros" : "count");
  return (
    <Panel title="Operations" about={profile.has_run ? `self time, all threads; ${aboutSteps(state, profile)}` : "parameters"} name="operations" more={<a href={link({ page: "operations" })}>All</a>}>
      {error && <Problem error={error} />}
      {profile.has_run && <FamilyBar profile={profile} />}
      <table class="numbers with-bars">
        <thead><tr><th scope="col">operation</th><th scope="col" class="wide"><span class="hidden">share of the largest</span></th>
          <th scope="col">{column.unit || "number"}</th><th scope="col">share</th>{profile.has_run && <th scope="col">runs</th>}</tr></thead>
        <tbody>
          {(data?.rows as OpRow[] | undefined)?.filter((row) => row.own[metric]).map((row) => (
            <tr key={row.name} class={rowClass(row.selected, row.own[metric] ?? 0, row.match)}>
              <th scope="row"><Mark state={state} term={`op:${row.name}`} name={row.name} /><Dot family={row.family ?? "element"} title={familyTitle(row.family ?? "element")} />
                <a href={link({ page: "operations", values: { sel: `op:${row.name}` } })} title={row.name}><Middle text={row.name} /></a></th>
              <td><Bar max={max} selected={row.selected} parts={[{ value: row.own[metric] ?? 0, family: row.family, title: percent(row.own[metric] ?? 0, whole) }]} /></td>
              <td><Cell column={column} value={row.own[metric] ?? 0} /></td>
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
          {f.micros / sum > 0.12 ? `${f.title} ${Math.round((100 * f.micros) / sum)} %` : ""}
        </li>
      ))}
    </ul>
  );
}

interface LayerRow { type: string | null; exec_micros: number | null; forward_micros: number | null; backward_micros: number | null; share: number | null; parameters?: number | null }

// As the question layers tells them: wrappers are no layers, and gradients belong to theirs.
function TopLayers({ state, profile }: PageProps) {
  const { data, error } = useAsk<LayerRow>("layers", { p: state.values.p, step: state.values.step, order_by: "micros", max_depth: 2 });
  const rows = (data?.nodes ?? []).filter((n) => n.depth === 1 && n.exec_micros).slice(0, 8), total = data?.nodes[0]?.exec_micros ?? 0;
  const values = rows.map((n) => n.exec_micros ?? 0), max = Math.max(1, ...values), column = columnOf(values, "micros");
  return (
    <Panel title="Layers" about={<>forward, <span class="faded">backward</span>; {aboutSteps(state, profile)}</>} name="layers" more={<a href={link({ page: "layers" })}>All</a>}>
      {error && <Problem error={error} />}
      <table class="numbers with-bars">
        <thead><tr><th scope="col">layer</th><th scope="col" class="wide"><span class="hidden">forward and backward</span></th><th scope="col">{column.unit}</th><th scope="col">share</th></tr></thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.id} data-micros={r.exec_micros}>
              <th scope="row" title={r.type ?? r.name}><a href={link({ page: "layers", values: { find: r.name.startsWith("(") ? undefined : r.name } })}>{r.name}</a></th>
              <td><Bar max={max} parts={[{ value: r.forward_micros ?? 0, title: `forward ${format(r.forward_micros ?? 0, "micros")}` },
                { value: r.backward_micros ?? 0, light: true, title: `backward ${format(r.backward_micros ?? 0, "micros")}` }]} /></td>
              <td><Cell column={column} value={r.exec_micros ?? 0} /></td>
              <td><Share part={r.exec_micros ?? 0} whole={total} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

interface LinesAnswer { total: number; lines: { name: string; path: string; line: number; own: number; backward: number; places: number; selected?: number }[] }

function TopLines({ state, profile }: PageProps) {
  const { data, error } = useApi<LinesAnswer>("lines", { ...requestParams(state), limit: 8, sel: state.values.sel, metric_column: "exec_micros" });
  const lines = data?.lines ?? [], max = Math.max(1, ...lines.map((l) => l.own)), column = columnOf(lines.map((l) => l.own), "micros");
  return (
    <Panel title="Lines" about={<>of Python, own cost; {aboutSteps(state, profile)}</>} name="lines" more={<a href={link({ page: "source" })}>Source</a>}>
      {error && <Problem error={error} />}
      <table class="numbers with-bars">
        <thead><tr><th scope="col">line</th><th scope="col" class="wide"><span class="hidden">forward and backward</span></th><th scope="col">{column.unit}</th><th scope="col"><span class="hidden">called from</span></th></tr></thead>
        <tbody>
          {lines.map((l) => {
            const term = lineTerm(l), name = lineName(l.name.replace(/ \(gradient\)$/, ""));
            return (
              <tr key={term} class={rowClass(l.selected, l.own)}>
                <th scope="row" title={`${l.path}:${l.line}`}><Mark state={state} term={term} name={name} /><a href={link({ page: "source", values: { sel: term } })}>{shortFile(name)}</a></th>
                <td><Bar max={max} selected={l.selected} parts={[{ value: l.own - l.backward, title: "forward" }, { value: l.backward, light: true, title: "backward" }]} /></td>
                <td><Cell column={column} value={l.own} /></td>
                <td>{l.places > 1 && <span class="num dim" title={`called from ${l.places} places`}>×{l.places}</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Panel>
  );
}
