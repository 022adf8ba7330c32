// Operation types as a table: any column sorts.
import type { PageProps } from "../app";
import { useApi, type Row, type Rows } from "../api";
import { familyTitle } from "../families";
import { Mark, rowClass, Selected, selectionParams } from "../selection";
import { defaultMetric, link, metricsOf, requestParams } from "../state";
import { Bar, Dot, Empty, Num, Problem, Share } from "../widgets";

interface OpRow extends Row { family?: string }

export function Operations({ state, profile }: PageProps) {
  const metric = defaultMetric(state, profile);
  const sort = state.values.sort ?? metric.word;
  const { data, error } = useApi<Rows>("rows", { ...requestParams(state), view: "op", limit: 500, order_by: sort, ...selectionParams(state, metric) });
  if (error) return <Problem error={error} />;
  if (data && data.rows.length === 0)
    return <Empty what="No operation matches these options." how={<a href="#/operations">Reset all options</a>} />;
  const rows = (data?.rows ?? []) as OpRow[];
  const whole = data?.root?.total[metric.column] ?? profile.root.total[metric.column] ?? 0;
  const max = Math.max(1, ...rows.map((r) => r.own[metric.column] ?? 0));
  // Without an accelerator all time is cpu time.
  const isCpuOnly = !rows.some((r) => r.own.accelerator_exec_micros);
  const columns = metricsOf(profile).filter((m) => m.word !== metric.word && rows.some((r) => r.own[m.column]) &&
    !(isCpuOnly && m.word === "cpu_micros"));
  const hasDevices = rows.some((r) => r.device?.length);
  return (
    <>
      <h1>{data ? `${data.total.toLocaleString("en-US")} operation types` : "Operations"}<small><Selected value={data?.root?.selected} metric={metric} /></small></h1>
      <div class="scroll">
        <table class="numbers operations">
          <thead>
            <tr>
              <Heading word="name" title="operation" sort={sort} />
              <th scope="col" class="wide"><span class="hidden">share of the largest</span></th>
              <Heading word={metric.word} title={metric.title} sort={sort} />
              <th scope="col">share</th>
              {state.values.sel && <th scope="col">selected</th>}
              {columns.map((m) => <Heading key={m.word} word={m.word} title={m.title} sort={sort} />)}
              {hasDevices && <th scope="col">devices</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name} class={rowClass(row.selected, row.own[metric.column] ?? 0, row.match)}>
                <th scope="row">
                  <Mark state={state} term={`op:${row.name}`} name={row.name} /><Dot family={row.family ?? "element"} title={familyTitle(row.family ?? "element")} />
                  <a href={link({ values: { sel: `op:${row.name}` } })}>{row.name}</a>
                </th>
                <td><Bar max={max} parts={barParts(row, metric.column)} selected={row.selected} /></td>
                <td><Num value={row.own[metric.column] ?? 0} unit={metric.unit} /></td>
                <td><Share part={row.own[metric.column] ?? 0} whole={whole} /></td>
                {state.values.sel && <td>{row.selected ? <Num value={row.selected} unit={metric.unit} /> : ""}</td>}
                {columns.map((m) => <td key={m.word}><Num value={row.own[m.column] ?? 0} unit={m.unit} /></td>)}
                {hasDevices && <td class="text">{devicesOf(row)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Heading({ word, title, sort }: { word: string; title: string; sort: string }) {
  return (
    <th scope="col" aria-sort={sort === word ? (word === "name" ? "ascending" : "descending") : undefined}>
      <a href={link({ values: { sort: word } })}>{title}{sort === word ? " ▾" : ""}</a>
    </th>
  );
}

// Time is cpu solid and accelerator light.
function barParts(row: OpRow, column: string) {
  if (column !== "exec_micros") return [{ value: row.own[column] ?? 0, family: row.family, title: row.name }];
  return [
    { value: row.own.cpu_exec_micros ?? 0, family: row.family, title: "cpu" },
    { value: row.own.accelerator_exec_micros ?? 0, family: row.family, light: true, title: "accelerator" },
  ];
}

// Kinds of devices, each once, and how many of it: "cpu:0", "4 gpus".
function devicesOf(row: OpRow): string {
  const kinds = new Map<string, Set<string>>();
  for (const device of row.device ?? []) {
    const name = device.replace(/\/stream:.*$/, ""), kind = /([a-z_]+):\d+$/i.exec(name)?.[1] ?? name;
    kinds.set(kind, (kinds.get(kind) ?? new Set()).add(name));
  }
  return [...kinds].map(([kind, names]) => (names.size === 1 ? [...names][0].replace(/^.*\/(device:)?/, "") : `${names.size} ${kind}s`)).join(", ");
}
