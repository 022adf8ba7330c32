// Operations on two logarithmic axes, below the roofs of the device: float operations per byte, and per
// second. A disc's area is its time.
import { useRef, useState } from "preact/hooks";
import type { RoofAnswer } from "./pages/roofline";
import { decades } from "./axis";
import { format, tick } from "./format";
import { useWidth } from "./width";

export interface Point { row: RoofAnswer["nodes"][number]; x: number; y: number; family: string }

// Colours of the kinds of XLA's operations are those of the families they are most like.
const FAMILIES: Record<string, string> = { matmul: "matrix", convolution: "matrix", "element-wise": "element", reduction: "reduction", "gather/scatter/sort": "copy", "data movement": "copy",
  collective: "communication", waiting: "communication", "custom call": "variable" };

export function pointsOf(rows: Point["row"][]): Point[] {
  return rows.flatMap((row) => {
    const x = row.float_ops_per_byte ?? 0, y = row.float_ops_per_second ?? 0;
    return x > 0 && y > 0 && (row.exec_micros ?? 0) > 0 ? [{ row, x, y, family: FAMILIES[row.kind ?? ""] ?? "control" }] : [];
  });
}

const LEFT = 62, RIGHT = 16, TOP = 22, HEIGHT = 460, BOTTOM = 40, MAX_RADIUS = 30, CARD = 250;
const perSecond = (value: number, what: string) => `${format(value, "count")}${/[kMGTP]$/.test(format(value, "count")) ? "" : " "}${what}/s`;

interface Props { points: Point[]; peakFlops: number | null; peakBandwidth: number | null; chosen?: number; hovered?: number; onHover: (id: number | undefined) => void; onChoose: (id: number) => void }

export function Scatter({ points, peakFlops, peakBandwidth, chosen, hovered, onHover, onChoose }: Props) {
  const svg = useRef<SVGSVGElement>(null), width = useWidth(svg, 760), [card, setCard] = useState<Point>();
  const ridge = peakFlops && peakBandwidth ? peakFlops / peakBandwidth : undefined;
  const xs = [...points.map((p) => p.x), ...(ridge ? [ridge * 3] : [])], ys = [...points.map((p) => p.y), ...(peakFlops ? [peakFlops * 1.4] : [])];
  if (!peakFlops && peakBandwidth) ys.push(Math.max(...points.map((p) => p.x)) * peakBandwidth);
  const x0 = Math.min(...xs) / 2.5, x1 = Math.max(...xs) * 2.5, y0 = Math.min(...ys) / 3, y1 = Math.max(...ys) * 2;
  const x = (v: number) => LEFT + ((width - LEFT - RIGHT) * Math.log(v / x0)) / Math.log(x1 / x0), y = (v: number) => TOP + (HEIGHT - TOP) * (1 - Math.log(v / y0) / Math.log(y1 / y0));
  const longest = Math.max(...points.map((p) => p.row.exec_micros ?? 0)), radius = (p: Point) => Math.max(3.5, MAX_RADIUS * Math.sqrt((p.row.exec_micros ?? 0) / longest));
  const roofAt = (v: number) => Math.min(peakFlops ?? Infinity, peakBandwidth ? v * peakBandwidth : Infinity);
  const lit = points.find((p) => p.row.id === (hovered ?? chosen)), labelled = new Set([...points].sort((a, b) => (b.row.exec_micros ?? 0) - (a.row.exec_micros ?? 0)).slice(0, 14));
  const slope = peakBandwidth ? (Math.atan2(y(peakBandwidth) - y(10 * peakBandwidth), x(10) - x(1)) * 180) / Math.PI : 0, mid = ridge ? Math.sqrt(Math.max(x0, y0 / peakBandwidth!) * ridge) : Math.sqrt(x0 * x1);
  const shown = points.find((p) => p.row.id === hovered) ?? card;
  return (
    <div class="scatter">
      <svg ref={svg} height={HEIGHT + BOTTOM} role="group" aria-label="float operations per byte and per second, with the roofs of the device">
        <clipPath id="plot"><rect x={LEFT} y={TOP} width={Math.max(1, width - LEFT - RIGHT)} height={HEIGHT - TOP} /></clipPath>
        {Boolean(peakFlops || peakBandwidth) && <path class="above-roof" clip-path="url(#plot)" d={`M${x(x0)},${TOP} L${x(x0)},${y(roofAt(x0))} ${ridge ? `L${x(ridge)},${y(peakFlops!)} ` : ""}L${x(x1)},${y(roofAt(x1))} L${x(x1)},${TOP} Z`} />}
        {decades(x0, x1).map((v) => <g key={v}><line class="grid" x1={x(v)} x2={x(v)} y1={TOP} y2={HEIGHT} /><text class="middle" x={x(v)} y={HEIGHT + 15}>{v >= 1 ? tick(v, "count") : v}</text></g>)}
        {decades(y0, y1).map((v) => <g key={v}><line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(v)} y2={y(v)} /><text class="end" x={LEFT - 6} y={y(v) + 4}>{tick(v, "count")}</text></g>)}
        <text x={4} y={12}>float operations per second</text><text class="middle" x={(LEFT + width) / 2} y={HEIGHT + 33}>float operations per byte moved</text>
        <g clip-path="url(#plot)">
          {peakBandwidth && <line class="roof" data-roof="bytes" x1={x(x0)} y1={y(x0 * peakBandwidth)} x2={x(ridge ?? x1)} y2={y((ridge ?? x1) * peakBandwidth)} />}
          {peakFlops && <line class="roof" data-roof="flops" x1={x(ridge ?? x0)} x2={width - RIGHT} y1={y(peakFlops)} y2={y(peakFlops)} />}
          {ridge && <line class="ridge" x1={x(ridge)} x2={x(ridge)} y1={y(peakFlops!)} y2={HEIGHT} />}
        </g>
        {peakFlops && <text class="roof-name end" x={width - RIGHT - 4} y={y(peakFlops) - 6}>{perSecond(peakFlops, "FLOP")}</text>}
        {peakBandwidth && <text class="roof-name" transform={`translate(${x(mid)},${y(mid * peakBandwidth) - 7}) rotate(${-slope})`}>{format(peakBandwidth, "bytes")}/s</text>}
        {ridge && <><text class="end" x={x(ridge) - 5} y={HEIGHT - 7}>bound by memory</text><text class={width - x(ridge) < 140 ? "end" : undefined} x={width - x(ridge) < 140 ? width - RIGHT : x(ridge) + 5} y={HEIGHT - (width - x(ridge) < 140 ? 22 : 7)}>by compute, from {ridge.toPrecision(3)}</text></>}
        {[...points].sort((a, b) => Number(a === lit) - Number(b === lit) || (b.row.exec_micros ?? 0) - (a.row.exec_micros ?? 0)).map((p) => {
          const r = radius(p);
          return (
            <g key={p.row.id} class={`disc ${p.row.id === chosen ? "on" : ""} ${p === lit ? "lit" : ""}`} tabindex={0} role="button" aria-label={`${p.row.name}: ${perSecond(p.y, "FLOP")}, ${p.x.toPrecision(3)} per byte`} data-id={p.row.id}
              onMouseEnter={() => { setCard(p); onHover(p.row.id); }} onMouseLeave={() => { setCard(undefined); onHover(undefined); }} onFocus={() => onHover(p.row.id)} onBlur={() => onHover(undefined)} onClick={() => onChoose(p.row.id)}
              onKeyDown={(e) => { if (e.key === "Enter" || e.key === " ") { onChoose(p.row.id); e.preventDefault(); } }}>
              {p === lit && Number.isFinite(roofAt(p.x)) && <line class="lost-line" x1={x(p.x)} x2={x(p.x)} y1={y(p.y)} y2={y(roofAt(p.x))} />}
              <circle class={`family-${p.family}`} cx={x(p.x)} cy={y(p.y)} r={r} /><circle class="value" cx={x(p.x)} cy={y(p.y)} r={1.8} />
            </g>
          );
        })}
        <g class="labels" aria-hidden="true">{labelsOf([...labelled], (p) => ({ x: x(p.x) + radius(p) + 4, y: y(p.y) + 4 }), width - RIGHT).map(({ point, at }) => <text key={point.row.id} class="name" x={at.x} y={at.y}>{shortOf(point)}</text>)}</g>
      </svg>
      {shown && <Card point={shown} roof={roofAt(shown.x)} left={x(shown.x) > width / 2 ? Math.max(0, x(shown.x) - CARD - radius(shown) - 12) : x(shown.x) + radius(shown) + 12} top={Math.min(HEIGHT - 190, Math.max(0, y(shown.y) - 80))} />}
    </div>
  );
}

const shortOf = (p: Point) => { const name = p.row.name.replace(/^.*\//, ""); return name.length > 24 ? `${name.slice(0, 10)}…${name.slice(-11)}` : name; };
const CHARACTER = 6.4, LINE = 13;

// Labels that would cover another, or leave the picture, are left out: the table has all.
function labelsOf(points: Point[], placeOf: (p: Point) => { x: number; y: number }, right: number): { point: Point; at: { x: number; y: number } }[] {
  const placed: { point: Point; at: { x: number; y: number }; end: number }[] = [];
  for (const point of points) {
    const at = placeOf(point), end = at.x + CHARACTER * shortOf(point).length;
    if (end < right && !placed.some((o) => Math.abs(o.at.y - at.y) < LINE && at.x < o.end && o.at.x < end)) placed.push({ point, at, end });
  }
  return placed;
}

function Card({ point: { row, x, y }, roof, left, top }: { point: Point; roof: number; left: number; top: number }) {
  const facts: [string, string][] = [["time", format(row.exec_micros ?? 0, "micros")], ["rate", perSecond(y, "FLOP")], ["bandwidth", row.bytes_per_second ? `${format(row.bytes_per_second, "bytes")}/s` : ""], ["per byte", `${x.toPrecision(3)} FLOP`],
    ["roof here", Number.isFinite(roof) ? perSecond(roof, "FLOP") : ""], ["of roof", row.efficiency === null ? "" : `${Math.round(100 * row.efficiency)} %`], ["lost", row.lost_micros ? format(row.lost_micros, "micros") : ""], ["bound by", row.bound ?? ""], ["line", (row.line ?? "").replace(/^.*\//, "")]];
  return (
    <div class="card-at" role="status" ref={(div) => { if (div) { div.style.left = `${left}px`; div.style.top = `${top}px`; } }}>
      <strong>{row.name}</strong>{(row.executions ?? 0) > 1 && ` ×${row.executions}`}{row.layer && <div class="dim">{row.layer}</div>}
      <dl class="facts-list">{facts.filter(([, text]) => text).map(([name, text]) => <div key={name}><dt>{name}</dt><dd>{text}</dd></div>)}</dl>
    </div>
  );
}
