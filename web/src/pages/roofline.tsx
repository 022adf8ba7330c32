// How far operations are from what the device can do.
import { useState } from "preact/hooks";
import type { PageProps } from "../app";
import { type Table, useApi, useAsk } from "../api";
import { percent, spaced } from "../format";
import { LineLink } from "../held";
import { columnOf } from "../margin";
import { type Point, pointsOf, Scatter } from "../roofline_picture";
import { go, link, type State } from "../state";
import { familyTitle } from "../families";
import { Bar, Dot, Empty, Panel, Problem, whyOf } from "../widgets";

export interface RoofRow { program?: string | null; kind: string | null; layer: string | null; line: string | null; executions: number | null; exec_micros: number | null; float_ops: number | null; bytes_accessed: number | null;
  unknown: number | null; float_ops_per_second: number | null; bytes_per_second: number | null; float_ops_per_byte: number | null; bound: string | null; efficiency: number | null; lost_micros: number | null }
export interface RoofFields { missing?: string; peak_flops: number | null; peak_bandwidth: number | null; notes: { id: string; text: string }[]; mfu?: number; hfu?: number; unknown_share?: number }
export type RoofAnswer = Table<RoofRow> & RoofFields;

const BYS: [string, string][] = [["op", "Operation"], ["layer", "Layer"], ["line", "Line"], ["kind", "Kind"]];
const MAX_ROWS = 60;

export function Roofline({ state }: PageProps) {
  const by = state.values.by ?? "op", { device } = state.values;
  const { data, error } = useAsk<RoofRow, RoofFields>("roofline", { p: state.values.p, step: state.values.step, by, device, or_why: 1 });
  const [hovered, setHovered] = useState<number>();
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (data.missing) return <Empty what="There is no roofline of this file." how={<>{whyOf(data.missing)} <a href={link({ page: "operations" })}>Operations</a></>} />;
  const rows = data.nodes.filter((n) => n.depth === 1), points = pointsOf(rows), isChosen = (r: RoofAnswer["nodes"][number]) => r.name === state.values.row || (state.values.sel !== undefined && termOf(r, by) === state.values.sel), chosen = rows.find(isChosen)?.id;
  const choose = (id: number) => {
    const row = rows.find((r) => r.id === id)!, term = termOf(row, by), isOn = id === chosen;
    go({ values: { row: isOn || term ? undefined : row.name, sel: isOn ? undefined : term ?? state.values.sel } });
  };
  return (
    <>
      <h1>{sentence(data, rows.length)}</h1>
      <p class="facts">{spaced(data.notes.map((n) => n.text).join(" · "))}</p>
      <div class="roofline">
        <Panel title={`${BYS.find(([word]) => word === by)?.[1]}s against the roofs`.replace("ys ", "ies ")} about="area: time; the dot is the value" more={<>
          <span class="switch" role="group" aria-label="grouped by">{BYS.map(([word, text]) => <a key={word} href={link({ values: { by: word === "op" ? undefined : word, row: undefined } })} aria-current={word === by ? "true" : undefined}>{text}</a>)}</span> <DeviceChoice state={state} /></>}>
          {points.length > 0 ? <Scatter points={points} peakFlops={data.peak_flops} peakBandwidth={data.peak_bandwidth} chosen={chosen} hovered={hovered} onHover={setHovered} onChoose={choose} />
            : <Empty what="No operation has a known number of float operations and bytes." how="The table has their times." />}
          <Families points={points} />
          {rows.length > points.length && <p class="dim">{rows.length - points.length} of {rows.length} without float operations, bytes or time are in the table only.</p>}
        </Panel>
        <Lost rows={rows} answer={data} by={by} chosen={chosen} hovered={hovered} onHover={setHovered} onChoose={choose} />
      </div>
    </>
  );
}

// What selects the same on every page: nodes are named like operations of programs. Layers that JAX
// derives and kinds are no selection, only rows.
function termOf(row: RoofAnswer["nodes"][number], by: string): string | undefined {
  if (by === "op") return `find:(^|/)${row.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
  return by === "line" && /:\d+$/.test(row.name) ? `line:${row.name}` : undefined;
}

const hasRoof = (data: RoofFields) => Boolean(data.peak_flops || data.peak_bandwidth);

// The question's numbers of the first row, which loses most.
function sentence(data: RoofAnswer, n: number): string {
  const worst = data.nodes.find((r) => r.depth === 1);
  if (!worst) return "No operation of a compiled program ran.";
  const ms = (micros: number) => columnText(micros);
  if (!hasRoof(data)) return `${n} operations of compiled programs; no roof is known: choose a device.`;
  if (worst.lost_micros === null) return "No operation here has a roof.";
  return `${worst.name} loses most against the roof: ${ms(worst.lost_micros)} of ${ms(worst.exec_micros ?? 0)}${worst.bound ? `, bound by ${worst.bound}` : ""}${data.mfu ? `; MFU ${(100 * data.mfu).toPrecision(3)} %` : ""}.`;
}

function Families({ points }: { points: Point[] }) {
  const all = [...new Map(points.map((p) => [p.family, p.row.kind])).keys()];
  return <p class="roof-families">{all.map((family) => <span key={family}><Dot family={family} title={familyTitle(family)} /> <span aria-hidden="true">{familyTitle(family)}</span></span>)}</p>;
}

function columnText(micros: number): string {
  const column = columnOf([micros], "micros");
  return `${column.text(micros) || "0"} ${column.unit}`;
}

function DeviceChoice({ state }: { state: State }) {
  const { data } = useApi<{ name: string; words?: { word: string }[] }[]>("options");
  const words = data?.find((o) => o.name === "device")?.words ?? [];
  return (
    <label><span class="hidden">roofs of</span>
      <select value={state.values.device ?? ""} aria-label="roofs of" onChange={(e) => go({ values: { device: e.currentTarget.value || undefined } })}>
        <option value="">roofs from the file</option>{words.filter((w) => w.word).map((w) => <option key={w.word} value={w.word}>{w.word}</option>)}
      </select></label>
  );
}

interface LostProps { rows: Point["row"][]; answer: RoofAnswer; by: string; chosen?: number; hovered?: number; onHover: (id: number | undefined) => void; onChoose: (id: number) => void }

function Lost({ rows, answer, by, chosen, hovered, onHover, onChoose }: LostProps) {
  const shown = rows.slice(0, MAX_ROWS), isKnown = hasRoof(answer);
  const column = columnOf(shown.map((r) => r.exec_micros ?? 0), "micros"), most = Math.max(0.001, ...shown.map((r) => (isKnown ? r.lost_micros : r.exec_micros) ?? 0));
  return (
    <Panel title={isKnown ? "Time lost against the roof" : "Time, without a roof"} about={`${column.unit}, all executions`} name="lost">
      {!isKnown && <p class="dim">With the peaks of a device this table says what each loses: choose one, or <code>tfprof roofline … --device=A100-40</code>.</p>}
      <div class="scroll"><table class="numbers">
        <thead><tr><th scope="col">{BYS.find(([word]) => word === by)?.[1].toLowerCase()}</th><th scope="col"><span class="hidden">share of the largest</span></th>{isKnown && <th scope="col">lost</th>}<th scope="col">time</th>{isKnown && <><th scope="col">of roof</th><th scope="col" class="text">bound by</th></>}{by === "op" && <th scope="col" class="text">line</th>}</tr></thead>
        <tbody>
          {shown.map((r) => (
            <tr key={r.id} data-lost={r.lost_micros} data-micros={r.exec_micros} class={r.id === chosen ? "chosen-row" : r.id === hovered ? "hovered-row" : undefined} onMouseEnter={() => onHover(r.id)} onMouseLeave={() => onHover(undefined)}>
              <th scope="row" title={[r.name, r.layer, r.program].filter(Boolean).join(" · ")}><button type="button" class="plain" aria-pressed={r.id === chosen} onClick={() => onChoose(r.id)}>{by === "line" ? r.name.replace(/^.*\//, "") : r.name}</button>{(r.executions ?? 0) > 1 && <span class="dim"> ×{r.executions}</span>}</th>
              <td><Bar max={most} parts={[{ value: (isKnown ? r.lost_micros : r.exec_micros) ?? 0, family: "communication", title: isKnown ? "lost" : "time" }]} /></td>
              {isKnown && <td class="num strong">{column.text(r.lost_micros ?? 0)}</td>}
              <td class="num">{column.text(r.exec_micros ?? 0)}</td>
              {isKnown && <><td class="num">{r.efficiency === null ? "" : percent(r.efficiency, 1) || "0 %"}</td><td class="text">{r.bound}</td></>}
              {by === "op" && <td class="text"><LineLink line={r.line} /></td>}
            </tr>
          ))}
        </tbody>
      </table></div>
      {rows.length > shown.length && <p class="dim">and {rows.length - shown.length} more</p>}
    </Panel>
  );
}
