// What an allocator had in use over time; a click chooses a moment.
import { useRef } from "preact/hooks";
import type { Curve } from "./timeline_draw";
import { useKey } from "./keys";
import { format, tick } from "./format";
import { roundSteps } from "./axis";
import type { Band } from "./memory_stack";
import { useWidth } from "./width";

const LEFT = 64, RIGHT = 12, TOP = 14, HEIGHT = 190, BOTTOM = 24;
// A capacity that is much higher would flatten the curve: then it stands above it.
const MOST_CAPACITY = 3;

// `stack`: who held it, every so many microseconds, from the bottom to the top.
interface Props { stack?: { every: number; bands: Band[] }; curve: Curve; duration: number; capacity?: number | null; moment: number; isPeak: boolean; onChoose: (moment: number | undefined) => void }

// Each band from the sum of those below it on.
function areasOf(bands: Band[]) {
  let low = (bands[0]?.bytes ?? []).map(() => 0);
  return bands.map((band) => {
    const high = low.map((bytes, i) => bytes + band.bytes[i]), area = { band, low, high };
    low = high;
    return area;
  });
}

export function MemoryCurve({ stack, curve, duration, capacity, moment, isPeak, onChoose }: Props) {
  const svg = useRef<SVGSVGElement>(null), width = useWidth(svg, 1000), n = curve.highest.length;
  const isBroken = Boolean(capacity) && capacity! > MOST_CAPACITY * curve.peak;
  const top = 1.08 * Math.max(curve.peak, capacity && !isBroken ? capacity : 0, 1), room = Math.max(1, width - LEFT - RIGHT);
  const x = (at: number) => LEFT + (room * at) / Math.max(1, duration), y = (bytes: number) => TOP + (HEIGHT - TOP) * (1 - bytes / top);
  const at = (bucket: number) => ((bucket + 0.5) * duration) / n;
  const part = Math.min(n - 1, Math.max(0, Math.floor((moment * n) / Math.max(1, duration))));
  const go = (by: number) => onChoose(Math.round(at(Math.min(n - 1, Math.max(0, part + by)))));
  useKey("p", () => onChoose(undefined));
  const choose = (e: MouseEvent) => {
    const box = svg.current!.getBoundingClientRect();
    onChoose(Math.round(Math.min(duration, Math.max(0, ((e.clientX - box.left - LEFT) * duration) / room))));
  };
  const known = curve.highest.map((bytes, i) => ({ bytes, low: curve.lowest[i], i })).filter((p) => p.bytes >= 0);
  const outline = known.map((p) => `${x(at(p.i))},${y(p.bytes)}`).join(" L"), shown = isPeak ? curve.peak : curve.highest[part];
  return (
    <svg ref={svg} class="memory-curve" height={HEIGHT + BOTTOM} role="group" tabindex={0} onClick={choose}
      aria-label={`memory in use over ${format(duration, "micros")}, peak ${format(curve.peak, "bytes")}; arrows move, P goes to the peak`}
      onKeyDown={(e) => { const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key]; if (by) { go(by); e.preventDefault(); } }}>
      {roundSteps(top, 4).map((bytes) => <g key={bytes}><line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(bytes)} y2={y(bytes)} /><text x={LEFT - 6} y={y(bytes) + 4} class="end">{tick(bytes, "bytes")}</text></g>)}
      {roundSteps(duration, 6).map((micros) => <text key={micros} x={x(micros)} y={HEIGHT + 16} class="middle">{tick(micros, "micros") || "0"}</text>)}
      {stack && areasOf(stack.bands).map(({ band, low, high }) => {
        const edge = (values: number[]) => values.map((bytes, i) => `${x(Math.min(duration, i * stack.every))},${y(bytes)}`);
        return <path key={band.name} class={`holder holder-${band.shade}`} data-band={band.name} data-highest={Math.max(...band.bytes)} d={`M${edge(high).join(" L")} L${edge(low).reverse().join(" L")} Z`}><title>{band.name}</title></path>;
      })}
      {known.length > 0 && !stack && <path class="area" d={`M${x(at(known[0].i))},${HEIGHT} L${outline} L${x(at(known[known.length - 1].i))},${HEIGHT} Z`} />}
      {known.length > 0 && <path class="outline" d={`M${outline}`} />}
      {capacity && <line class="capacity" x1={LEFT} x2={width - RIGHT} y1={isBroken ? TOP - 6 : y(capacity)} y2={isBroken ? TOP - 6 : y(capacity)} />}
      {capacity && <text class="capacity" x={LEFT + 6} y={isBroken ? TOP + 8 : y(capacity) + 14}>capacity {format(capacity, "bytes")}{isBroken && `, above the axis: ${(capacity / curve.peak).toPrecision(2)} × the peak`}</text>}
      <line class="moment" x1={x(moment)} x2={x(moment)} y1={TOP - 8} y2={HEIGHT} />
      {shown >= 0 && <circle class="moment" cx={x(moment)} cy={y(shown)} r={4.5} />}
      <text class={x(moment) > width / 2 ? "moment end" : "moment"} x={x(moment) + (x(moment) > width / 2 ? -8 : 8)} y={TOP + 2}>{format(moment, "micros")} · {shown >= 0 ? format(shown, "bytes") : "not known"}{isPeak && " · peak"}</text>
    </svg>
  );
}
