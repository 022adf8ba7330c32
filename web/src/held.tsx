// Who holds memory, as boxes by layer, line or operation and as a table.
import { useState } from "preact/hooks";
import { elide, format, percent, shortFile } from "./format";
import { boxesOf, type By, BYS, type Holder } from "./holders";
import { columnOf } from "./margin";
import { lineTerm } from "./selection";
import { link } from "./state";
import { lastPart, type Node } from "./tree";
import { Treemap } from "./treemap";
import { Bar, Empty, Panel } from "./widgets";

const MAX_ROWS = 60, HIGH = 430;

export function Held({ leaves, rows, by, title, about, children }: { leaves: Holder[]; rows: Holder[]; by: By; title: string; about?: string; children?: preact.ComponentChildren }) {
  const [chosen, setChosen] = useState<number>();
  const root = boxesOf(leaves, rows, by), sorted = [...leaves].sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
  const whole = leaves.reduce((sum, l) => sum + (l.bytes ?? 0), 0), column = columnOf(sorted.map((l) => l.bytes ?? 0), "bytes");
  const above = commonScope(sorted.slice(0, MAX_ROWS).map((l) => l.name).filter((name) => name.includes("/")));
  const hasLine = leaves.some((l) => l.line), hasShape = leaves.some((l) => l.shape), hasBuffers = leaves.some((l) => (l.buffers ?? 0) > 1), hasOrigin = leaves.some((l) => l.borrowed);
  if (!root || !leaves.length) return <Empty what="Who held it is not recorded." how="Only sums are known." />;
  const names = namesOf(root.children);
  return (
    <div class="held">
      <div><Panel title={title} about={about ?? `by ${by}`} more={<span class="switch" role="group" aria-label="boxes by">{BYS.map(([word, text]) => (word !== "line" || hasLine) && <a key={word} href={link({ values: { by: word === "layer" ? undefined : word } })} aria-current={word === by ? "true" : undefined}>{text}</a>)}</span>}>
        <Treemap root={root} unit="bytes" height={HIGH} name={(n) => names.get(n) ?? n.row.name.slice(n.row.name.lastIndexOf("/") + 1)} paint={(n) => (n.row.row === chosen ? "holder chosen-box" : `holder holder-${shadeOf(n.parent && n.parent !== root ? n.parent.row.name : n.row.name)}`)} onSelect={(n) => setChosen(n.row.row)} onOpen={(n) => setChosen(n.row.row)} />
      </Panel>{children}</div>
      <Panel title="The largest" about={`${leaves.length} in all`} name="holders">
        <div class="scroll" tabindex={0} role="region" aria-label="the largest"><table class="numbers">
          <thead><tr><th scope="col">held by</th>{hasLine && <th scope="col" class="text">line</th>}{hasShape && <th scope="col" class="text">shape</th>}<th scope="col" class="wide"><span class="hidden">share of the largest</span></th><th scope="col">{column.unit}</th><th scope="col">share</th>{hasBuffers && <th scope="col">buffers</th>}{hasOrigin && <th scope="col" class="text origin">named by</th>}</tr></thead>
          <tbody>
            {sorted.slice(0, MAX_ROWS).map((l) => (
              <tr key={l.id} class={l.id === chosen ? "chosen-row" : undefined} data-bytes={l.bytes} onClick={() => setChosen(l.id)}>
                <th scope="row" title={`${l.layer ? `${l.layer}: ` : ""}${l.name}`}>{heldBy(l, above)}</th>
                {hasLine && <td class="text"><LineLink line={l.line} /></td>}
                {hasShape && <td class="text" title={l.shape ?? undefined}>{l.shape}</td>}
                <td><Bar max={sorted[0].bytes ?? 1} parts={[{ value: l.bytes ?? 0, family: "reduction", title: format(l.bytes ?? 0, "bytes") }]} /></td>
                <td class="num">{column.text(l.bytes ?? 0)}</td>
                <td class="num">{percent(l.bytes ?? 0, whole)}</td>
                {hasBuffers && <td class="num">{l.buffers ?? ""}</td>}
                {hasOrigin && <td class="text origin" title={l.borrowed ?? undefined}>{l.borrowed}</td>}
              </tr>
            ))}
          </tbody>
        </table></div>
        {sorted.length > MAX_ROWS && <p class="dim">and {sorted.length - MAX_ROWS} smaller ones</p>}
      </Panel>
    </div>
  );
}

// The end of a path, long enough to tell boxes apart: layer_0/mlp and layer_1/mlp.
function namesOf(boxes: Node[]): Map<Node, string> {
  const tail = (n: Node, parts: number) => n.row.name.split("/").slice(-parts).join("/"), names = new Map<Node, string>();
  const isAlone = (n: Node, parts: number) => boxes.filter((o) => tail(o, parts) === tail(n, parts)).length < 2;
  for (const n of boxes) {
    let parts = 1;
    while (parts < 4 && !isAlone(n, parts)) parts++;
    names.set(n, tail(n, parts));
  }
  return names;
}

function heldBy(leaf: Holder, above: string): string {
  const name = !leaf.layer || leaf.name.includes(leaf.layer) || leaf.layer.startsWith("(") ? leaf.name : `${leaf.layer} ${leaf.name}`;
  return elide(name.startsWith(above) ? name.slice(above.length) : name, 38);
}

// The scopes that all paths begin with say nothing in a list of them.
function commonScope(names: string[]): string {
  const [first, ...rest] = names.map((n) => n.split("/").slice(0, -1));
  const n = first?.findIndex((part, i) => rest.some((r) => r[i] !== part)) ?? 0;
  return rest.length && n ? first.slice(0, n < 0 ? first.length : n).join("/") + "/" : "";
}

// A line leads to its source.
export function LineLink({ line }: { line: string | null }) {
  const place = /^(.*?):(\d+)/.exec(line ?? "");
  return place ? <a href={link({ page: "source", values: { sel: lineTerm({ name: place[1], line: Number(place[2]) }) } })} title={line ?? undefined}>{shortFile(`${lastPart(place[1])}:${place[2]}`)}</a> : <>{line}</>;
}

const SHADES = 6;

// Boxes of layers that differ in a number only have one colour, so that a different one is seen.
function shadeOf(name: string): number {
  let hash = 0;
  for (const c of name.replace(/\d+/g, "#")) hash = (hash * 31 + c.charCodeAt(0)) % 9973;
  return hash % SHADES;
}
