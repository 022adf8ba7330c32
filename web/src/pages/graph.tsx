// Layers as boxes, and the tensors that flow between them.
import { useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { type ApiError, type Metric, type Params, type Row, useApi } from "../api";
import { cutFront, elide, format, percent } from "../format";
import { HEIGHT, useLayout, WIDTH, type Placed } from "../graph_layout";
import { type Handle, PanZoom } from "../graph_view";
import { useKey, useUp } from "../keys";
import { saveSvg } from "../picture";
import { parseTerm, Selected, selectionParams, toggle } from "../selection";
import { defaultMetric, go, link, metricsOf, requestParams, type State } from "../state";
import { lastPart } from "../tree";
import { Empty, Num, Problem, Switch } from "../widgets";

// `alike`: the number of layers, whose names differ only in digits, that share the box.
interface Box extends Row { id: number; nodes: number; aside: boolean; alike?: number }
interface Edge { from: number; to: number; tensors: number; controls: number; elements: number; bytes: number; shape: string }
interface Rest { id: number; boxes: number; nodes: number; value: number; selected?: number }
interface GraphAnswer { root: Row; boxes: Box[]; edges: Edge[]; rest?: Rest; left_out?: number }

const BOXES = 60, BOXES_OPENED = 120;
const FOLD = "fold_alike";
const MAX_TOLD = 6;
// What stands behind a number.
const UNITS: Record<string, string> = { params: " parameters", float_ops: " FLOP" };
// Characters of a name in a box; + takes the place of three.
const ROOM = 21;
// More would cover each other.
const MAX_SHAPES = 60;

export function Graph({ state, profile }: PageProps) {
  const metric = defaultMetric(state, profile);
  const { around, open } = state.values;
  const { data, error, opened } = useGraph(state, metric);
  const scope = state.values.scope ?? "";
  const parts = scope ? scope.split("/") : [];
  useUp(() => (around ? go({ values: { around: undefined } }) : open ? go({ values: { open: open.split(",").slice(0, -1).join(",") } }) : up(parts)));
  useKey("n", () => { const { kind, value } = parseTerm(state.values.sel ?? ""); if (kind === "node") go({ values: { around: value } }); });
  const noFlow = profile.missing.find((m) => m.what.startsWith("data flow"));
  const hasFolds = Boolean(state.values[FOLD]) || Boolean(data?.boxes.some((b) => b.alike));
  if (error) return <Problem error={error} />;
  if (!data) return null;
  return (
    <>
      <h1 class="crumbs">
        <a href={link({ values: { scope: undefined, open: undefined, around: undefined } })}>model</a>
        {parts.map((part, i) => <span key={i}> / <a href={link({ values: { scope: parts.slice(0, i + 1).join("/"), open: undefined, around: undefined } })}>{part}</a></span>)}
        {around && <span> / around {lastPart(data.boxes[0]?.name ?? "")}</span>}
        <small> <Num value={data.root.total[metric.column] ?? 0} unit={metric.unit} /> {metric.title}<Selected value={data.root.selected} metric={metric} /></small>
      </h1>
      <div class="toolbar">
        <Colours state={state} profile={profile} metric={metric} />
        {profile.has_run && <Switch state={state} name="fold_gradients">gradients with their forward layer</Switch>}
        {hasFolds && !around && <Switch state={state} name={FOLD}>group layers that differ only in a number</Switch>}
        <span class="dim">click: select · double-click or Enter: {around ? "go to a node" : "go in · +: open in place"} · N: around the selected node{data.left_out ? ` · ${data.left_out} more neighbours not shown` : ""}</span>
      </div>
      {noFlow && <p>This profile has no data flow, so no lines are drawn: add {noFlow.how}.</p>}
      {data.boxes.length === 0 ? <Empty what="There is nothing inside." how={<a href={link({ values: { scope: undefined } })}>Show the whole model</a>} />
        : <Picture state={opened ? { ...state, values: { ...state.values, open: opened, scope: opened } } : state} data={data} metric={metric} />}
    </>
  );
}

// What the redness of a box stands for.
const COLOURS = ["float_ops", "micros", "bytes", "params"];

function Colours({ state, profile, metric }: { state: State; profile: PageProps["profile"]; metric: Metric }) {
  const choices = metricsOf(profile).filter((m) => COLOURS.includes(m.word) && (profile.root.total[m.column] ?? 0) > 0);
  return (
    <span class="switch" role="group" aria-label="the redder, the more">
      {choices.map((m) => <a key={m.word} href={link({ values: { metric: m.word } })} aria-current={m.word === metric.word && state.values.metric !== "" ? "true" : undefined}>{m.title}</a>)}
    </span>
  );
}

// A box around nearly everything, such as jit(train_step), says little: it is shown opened at first.
const NEARLY_ALL = 0.8;

// The boxes to show. `opened` names those that are open although the address does not say so; labels omit these names.
interface Shown { data?: GraphAnswer; error?: ApiError; opened?: string }

function useGraph(state: State, metric: Metric): Shown {
  const { around, open, scope } = state.values;
  const params = { ...requestParams(state), scope: around ? undefined : scope, around, [FOLD]: state.values[FOLD], ...selectionParams(state, metric) };
  const asked = useApi<GraphAnswer>("graph", { ...params, open, limit: open ? BOXES_OPENED : BOXES });
  const column = around || open || scope ? undefined : metric.column;
  // StatefulPartitionedCall, then the model in it.
  const once = useInside(asked, params, wrappersIn(asked.data, column)), inside = useInside(once, params, wrappersIn(once.data, column));
  return useInside(inside, params, mainOf(inside.data, column));
}

const wrappersIn = (data: GraphAnswer | undefined, column: string | undefined) =>
  data && column ? data.boxes.filter((b) => b.kids > 1 && !b.alike && (b.total[column] ?? 0) > NEARLY_ALL * ((data.root.total[column] ?? 0) || Infinity)) : [];

// Two or three boxes are no picture: what is in the main ones is.
const FEW = 5, MAIN = 0.1;

function mainOf(data: GraphAnswer | undefined, column: string | undefined): Box[] {
  const drawn = data?.boxes.filter((b) => !b.aside) ?? [];
  if (!data || !column || drawn.length > FEW) return [];
  return drawn.filter((b) => b.kids > 1 && !b.alike && (b.total[column] ?? 0) > MAIN * ((data.root.total[column] ?? 0) || Infinity));
}

// The same boxes, with some of them opened.
function useInside(shown: Shown, params: Params, boxes: Box[]): Shown {
  const opened = boxes.length ? [shown.opened, ...boxes.map((b) => b.name)].filter(Boolean).join(",") : undefined;
  const found = useApi<GraphAnswer>(opened ? "graph" : null, { ...params, open: opened, limit: BOXES_OPENED });
  return opened && !found.error ? { ...found, opened } : shown;
}

function up(parts: string[]): void {
  if (parts.length) go({ values: { scope: parts.slice(0, -1).join("/") || undefined, open: undefined } });
}

// Goes into a layer, or to the neighbours of a node; shows layers that share a box one by one.
function openBox(state: State, box: Box, isAround = false): void {
  if (box.alike) openInPlace(state, box);
  else if (box.kids > 0 && !isAround) go({ values: { scope: box.name, open: undefined } });
  else if (box.node !== undefined) go({ values: { around: String(box.node), sel: `node:${box.node}` } });
}

function termOf(box: Box, isAround = false): string {
  return (isAround || box.kids === 0) && box.node !== undefined ? `node:${box.node}` : `scope:${box.name}`;
}

function Picture({ state, data, metric }: { state: State; data: GraphAnswer; metric: Metric }) {
  const drawn = data.boxes.filter((b) => !b.aside);
  const aside = data.boxes.filter((b) => b.aside);
  const ids = new Set(drawn.map((b) => b.id));
  const edges = data.edges.filter((e) => e.tensors > 0 && ids.has(e.from) && ids.has(e.to));
  const placed = useLayout(drawn.map((b) => b.id), edges);
  return (
    <>
      {placed && <Boxes state={state} boxes={drawn} edges={edges} controls={data.edges} placed={placed} metric={metric} whole={data.root.total[metric.column] ?? 0} />}
      {(aside.length > 0 || data.rest) && (
        <p class="aside">tiny, or connected to nearly everything:
          {aside.map((b) => (
            <button type="button" key={b.id} class={b.selected ? "chip selected" : "chip"} onClick={() => toggle(state, termOf(b))} onDblClick={() => openBox(state, b)}>
              {label(b, state.values.scope, 40)} · {b.nodes} node{b.nodes === 1 ? "" : "s"} · {format(b.total[metric.column] ?? 0, metric.unit)}</button>
          ))}
          {data.rest && <span class="chip">and {data.rest.boxes} more · {data.rest.nodes} nodes · {format(data.rest.value, metric.unit)}</span>}
        </p>
      )}
    </>
  );
}

interface BoxesProps { state: State; boxes: Box[]; edges: Edge[]; controls: Edge[]; placed: Placed; metric: Metric; whole: number }

function Boxes({ state, boxes, edges, controls, placed, metric, whole }: BoxesProps) {
  const isAround = Boolean(state.values.around);
  // Of a single node, not of the gradients below it.
  const valueOf = (b: Box) => (isAround ? b.own : b.total)[metric.column] ?? 0;
  const largest = Math.max(1, ...boxes.map(valueOf));
  const most = Math.max(1, ...edges.map((e) => e.tensors));
  const svg = useRef<SVGSVGElement>(null), handle = useRef<Handle>(null);
  const chosen = boxes.find((b) => state.values.sel === termOf(b, isAround)), neighbours = new Set(edges.flatMap((e) => (e.from === chosen?.id ? [e.to] : e.to === chosen?.id ? [e.from] : [])));
  const [told, setTold] = useState<Edge[]>([]);
  const names = new Map(boxes.map((b) => [b.id, label(b, state.values.scope, 40, boxes)]));
  const edgesOf = (box: Box) => edges.filter((e) => e.from === box.id || e.to === box.id).sort((a, b) => b.bytes - a.bytes || b.tensors - a.tensors);
  // Arrows move the focus to the nearest box in their direction.
  const move = (e: KeyboardEvent, box: Box) => {
    const direction = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[e.key];
    const here = placed.places.get(box.id);
    if (!direction || !here) return false;
    let best: number | undefined, distance = Infinity;
    for (const there of placed.places.values()) {
      const dx = there.x - here.x, dy = there.y - here.y;
      const along = dx * direction[0] + dy * direction[1], across = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
      if (along > 0 && along + 3 * across < distance) { distance = along + 3 * across; best = there.id; }
    }
    if (best !== undefined) svg.current?.querySelector<SVGElement>(`[data-box="${best}"]`)?.focus();
    return true;
  };
  return (
    <>
    <PanZoom marks={boxes.flatMap((b) => { const at = placed.places.get(b.id); return at ? [{ x: at.x, y: at.y, heat: 0.85 * (valueOf(b) / largest) }] : []; })} size={{ width: WIDTH, height: HEIGHT }} svg={svg} handle={handle} width={placed.width} height={placed.height} label="layers and the tensors between them" tools={<button type="button" onClick={() => saveSvg(svg.current!, placed)}>Save SVG</button>}>
      {edges.map((e) => {
        const way = placed.paths.get(`${e.from}-${e.to}`), width = 1 + (2.5 * Math.log(e.tensors)) / Math.max(1, Math.log(most)), isOfChosen = chosen && (e.from === chosen.id || e.to === chosen.id);
        return way && (
          <g key={`${e.from}-${e.to}`} data-edge={`${e.from}-${e.to}`} class={`edge ${told.includes(e) ? "lit" : ""} ${isOfChosen ? "of-chosen" : ""}`} onMouseEnter={() => setTold([e])} onMouseLeave={() => setTold([])}>
            <path class="near" d={way.path} />
            <path d={way.path} stroke-width={width} marker-end="url(#arrow)" />
          </g>
        );
      })}
      {boxes.map((box) => {
        const place = placed.places.get(box.id);
        if (!place) return null;
        const value = valueOf(box);
        const waits = controls.filter((e) => e.to === box.id).reduce((n, e) => n + e.controls, 0);
        const title = `${box.name}: ${format(value, metric.unit)}, ${percent(value, whole)}, ${box.nodes} node${box.nodes === 1 ? "" : "s"}${waits ? `, ${waits} control edges` : ""}`;
        return (
          <g key={box.id} data-box={box.id} tabindex={0} role="button" aria-label={title} class={`box ${box.selected === 0 && !isAround ? "faded" : ""} ${box.match ? "match" : ""}`}
            transform={`translate(${place.x},${place.y})`} onClick={() => toggle(state, termOf(box, isAround))} onDblClick={() => openBox(state, box, isAround)}
            onFocus={() => { handle.current?.show(place.x, place.y, WIDTH, HEIGHT); setTold(edgesOf(box)); }} onBlur={() => setTold([])}
            onKeyDown={(e) => {
              if (e.key === "Enter") openBox(state, box, isAround);
              else if (e.key === " ") toggle(state, termOf(box, isAround));
              else if (e.key === "+" && box.kids > 0) openInPlace(state, box);
              else if (!move(e, box)) return;
              e.preventDefault();
              e.stopPropagation(); // + is also the key that zooms
            }}>
            <title>{title}</title>
            {box.alike && [6, 3].map((by) => <rect key={by} class="card-below" x={by} y={by} width={WIDTH} height={HEIGHT} rx={5} />)}
            <rect width={WIDTH} height={HEIGHT} rx={5} class="back" />
            <rect width={WIDTH} height={HEIGHT} rx={5} class="heat" fill-opacity={0.85 * (value / largest)} />
            <rect width={WIDTH} height={HEIGHT} rx={5} class={`frame ${box === chosen || (isAround && box.id === 0) ? "on" : neighbours.has(box.id) ? "next" : ""}`} />
            {!!box.selected && value > 0 && <rect y={HEIGHT - 5} height={4} x={1} width={Math.min(1, box.selected / value) * (WIDTH - 2)} class="chosen" />}
          </g>
        );
      })}
      <g class="shapes" aria-hidden="true">{edges.length <= MAX_SHAPES && edges.map((e) => {
        const way = placed.paths.get(`${e.from}-${e.to}`);
        return way && e.shape && e.tensors === 1 && <text key={`${e.from}-${e.to}`} x={way.middle.x + 6} y={way.middle.y + 4}>{e.shape.replaceAll("x", " × ")}</text>;
      })}</g>
      <g class="labels" aria-hidden="true">
        {boxes.map((box) => {
          const place = placed.places.get(box.id);
          return place && (
            <g key={box.id} transform={`translate(${place.x},${place.y})`} class={box.selected === 0 && !isAround ? "dimmed" : ""}>
              <text x={7} y={16} class="name">{isAround ? elide(lastPart(box.name), ROOM) : label(box, state.values.scope, box.kids > 0 ? ROOM - 3 : ROOM, boxes)}</text>
              <text x={7} y={31}>{valueOf(box) > 0 && `${format(valueOf(box), metric.unit)}${UNITS[metric.word] ?? ""}`}</text>
              <text x={7} y={45} class="small">{isAround ? cutFront(box.name.slice(0, Math.max(0, box.name.lastIndexOf("/"))), 26) : details(box, metric)}</text>
              {typeOf(box) && <text x={WIDTH - 7} y={31} class="small end">{cutFront(typeOf(box), 14)}</text>}
              {box.kids > 0 && !isAround && (
                <g class="plus" onClick={() => openInPlace(state, box)}>
                  <title>open in place</title><rect x={WIDTH - 18} y={3} width={15} height={15} rx={3} /><text x={WIDTH - 14.5} y={15}>+</text></g>
              )}
            </g>
          );
        })}
      </g>
    </PanZoom>
    {largest > 1 && <p class="heat-scale"><span>{metric.title}</span> 0 <i aria-hidden="true" /> {format(largest, metric.unit)} in a box</p>}
    <ul class="told" aria-live="polite">
      {told.slice(0, MAX_TOLD).map((e) => <li key={`${e.from}-${e.to}`}>{names.get(e.from)} → {names.get(e.to)}: {edgeText(e)}</li>)}
      {told.length > MAX_TOLD && <li>and {told.length - MAX_TOLD} more</li>}
      {edges.length > 0 && told.length === 0 && <li class="dim">Point at a line, or move the focus to a box, to see the tensors.</li>}
    </ul>
    </>
  );
}

function openInPlace(state: State, box: Box): void {
  go({ values: { open: [...(state.values.open ? state.values.open.split(",") : []), box.name].join(",") } });
}

// What is below the scope, or one of those between commas; the end says most. Of boxes that are called
// alike, in two open ones, also what they are in.
function label(box: Box, scope: string | undefined, room = ROOM, all: Box[] = []): string {
  const below = ({ name }: Box) => { const above = (scope ?? "").split(",").reverse().find((s) => s && name.startsWith(s + "/")); return above ? name.slice(above.length + 1) : name; };
  const short = below(box), isAlone = all.filter((b) => below(b) === short).length < 2;
  const name = isAlone || short === box.name ? short : box.name.slice(box.name.lastIndexOf("/", box.name.length - short.length - 2) + 1);
  const times = box.alike ? ` ×${box.alike}` : "", elided = elide(name, room - times.length);
  // The middle may be what tells them apart.
  const isSame = elided !== name && all.filter((b) => elide(below(b), room - times.length) === elided).length > 1;
  return (isSame ? cutFront(name, room - times.length) : elided) + times;
}

// Of a node, or of a layer of a model.
function typeOf(box: Box): string {
  return box.kids === 0 && box.op_types?.length === 1 ? box.op_types[0] : "";
}

function details(box: Box, metric: Metric): string {
  const isSize = Boolean(box.total.parameters) && metric.word !== "params", n = isSize ? box.total.parameters : box.nodes;
  return `${format(n, "count")} ${isSize ? "parameter" : "node"}${n === 1 ? "" : "s"}`;
}

function edgeText(e: Edge): string {
  const size = e.bytes ? `, ${format(e.bytes, "bytes")}` : e.elements ? `, ${format(e.elements, "count")} elements` : "";
  const shape = e.shape && (e.tensors === 1 ? `, ${e.shape}` : `, the largest ${e.shape}`);
  return `${e.tensors} tensor${e.tensors === 1 ? "" : "s"}${size}${shape}${e.controls ? `; ${e.controls} control edge${e.controls === 1 ? "" : "s"}` : ""}`;
}
