// A drawing that can be moved and zoomed: the wheel zooms at the mouse, dragging moves, 0 fits it in.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKey } from "./keys";

const MIN_ZOOM = 0.08, MAX_ZOOM = 3, MARGIN = 16, DRAGGED = 4;
// A drawing that would be smaller than this is shown from its top.
const READABLE = 0.92;

interface View { x: number; y: number; zoom: number }
export interface Handle { show: (x: number, y: number, width: number, height: number) => void }

// A box of the small picture: its upper left corner, and how red it is.
export interface Mark { x: number; y: number; heat: number }

interface Props { marks: Mark[]; size: { width: number; height: number }; width: number; height: number; label: string; svg: RefObject<SVGSVGElement | null>; handle: RefObject<Handle | null>; children: ComponentChildren; tools?: ComponentChildren }

export function PanZoom({ marks, size, width, height, label, svg, handle, children, tools }: Props) {
  const moved = useRef<SVGGElement>(null), view = useRef<View>({ x: 0, y: 0, zoom: 1 }), [zoom, setZoom] = useState(1), [isFull, setFull] = useState(false);
  const drag = useRef<{ x: number; y: number; isMoving: boolean } | null>(null);
  const small = useRef<SVGSVGElement>(null), glass = useRef<SVGRectElement>(null);
  // The small picture is there while something is out of sight.
  const showWindow = ({ x, y, zoom: by }: View) => {
    const { w, h } = room(), at = { x: -x / by, y: -y / by, width: w / by, height: h / by };
    small.current?.classList.toggle("hidden", at.x <= 0 && at.y <= 0 && at.x + at.width >= width && at.y + at.height >= height);
    for (const [name, value] of Object.entries(at)) glass.current?.setAttribute(name, String(value));
  };
  const centre = (e: PointerEvent) => {
    const to = new DOMPoint(e.clientX, e.clientY).matrixTransform(small.current!.getScreenCTM()!.inverse()), { w, h } = room(), by = view.current.zoom;
    apply({ zoom: by, x: w / 2 - to.x * by, y: h / 2 - to.y * by });
  };
  // Straight to the element: a frame of dragging draws nothing anew.
  const apply = (next: View) => {
    view.current = next;
    moved.current?.setAttribute("transform", `translate(${next.x},${next.y}) scale(${next.zoom})`);
    showWindow(next);
    setZoom(next.zoom);
  };
  const room = () => ({ w: svg.current?.clientWidth || 800, h: svg.current?.clientHeight || 500 });
  const fit = (least = 0) => {
    const { w, h } = room(), whole = Math.min(1.1, (w - 2 * MARGIN) / width, (h - 2 * MARGIN) / height), next = Math.max(whole, Math.min(least, (w - 2 * MARGIN) / width), MIN_ZOOM);
    apply({ zoom: next, x: (w - width * next) / 2, y: next > whole ? MARGIN : Math.max(MARGIN, (h - height * next) / 2) });
  };
  const zoomAt = (x: number, y: number, by: number) => {
    const { x: left, y: top, zoom: now } = view.current, next = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, now * by));
    apply({ zoom: next, x: x - ((x - left) * next) / now, y: y - ((y - top) * next) / now });
  };
  const zoomBy = (by: number) => { const { w, h } = room(); zoomAt(w / 2, h / 2, by); };
  useEffect(() => fit(READABLE), [width, height, isFull]);
  useEffect(() => {
    const element = svg.current!;
    const wheel = (e: WheelEvent) => {
      e.preventDefault();
      const box = element.getBoundingClientRect();
      zoomAt(e.clientX - box.left, e.clientY - box.top, Math.exp(-e.deltaY / 400));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, []);
  useKey("0", () => fit());
  useKey("+", () => zoomBy(1.25));
  useKey("-", () => zoomBy(0.8));
  (handle as { current: Handle }).current = { show: (x, y, w, h) => {
    const { w: wide, h: high } = room(), { x: left, y: top, zoom: now } = view.current;
    const dx = left + x * now < 0 ? MARGIN - left - x * now : left + (x + w) * now > wide ? wide - MARGIN - left - (x + w) * now : 0;
    const dy = top + y * now < 0 ? MARGIN - top - y * now : top + (y + h) * now > high ? high - MARGIN - top - (y + h) * now : 0;
    if (dx || dy) apply({ zoom: now, x: left + dx, y: top + dy });
  } };
  return (
    <div class={isFull ? "graph full" : "graph"}>
      <svg ref={svg} role="group" aria-label={label}
        onPointerDown={(e) => { if (e.button === 0) drag.current = { x: e.clientX, y: e.clientY, isMoving: false }; }}
        onPointerMove={(e) => {
          const from = drag.current;
          if (!from || !(from.isMoving || Math.hypot(e.clientX - from.x, e.clientY - from.y) > DRAGGED)) return;
          if (!from.isMoving) svg.current!.setPointerCapture(e.pointerId);
          apply({ ...view.current, x: view.current.x + e.clientX - from.x, y: view.current.y + e.clientY - from.y });
          drag.current = { x: e.clientX, y: e.clientY, isMoving: true };
        }}
        onPointerUp={() => { drag.current = null; }} onPointerCancel={() => { drag.current = null; }}>
        <defs><marker id="arrow" viewBox="0 0 8 8" refX={7} refY={4} markerWidth={8} markerHeight={8} orient="auto" markerUnits="userSpaceOnUse"><path class="arrow" d="M0,0.5 L8,4 L0,7.5 Z" /></marker></defs>
        <g ref={moved} class="moved">{children}</g>
      </svg>
      <svg ref={small} class="map hidden" viewBox={`0 0 ${width} ${height}`} aria-hidden="true"
        onPointerDown={(e) => { small.current!.setPointerCapture(e.pointerId); centre(e); }} onPointerMove={(e) => { if (e.buttons & 1) centre(e); }}>
        {marks.map((m, i) => <g key={i}><rect class="map-box" x={m.x} y={m.y} {...size} /><rect class="heat" x={m.x} y={m.y} {...size} fill-opacity={m.heat} /></g>)}
        <rect ref={glass} class="glass" />
      </svg>
      <div class="zoom" role="group" aria-label="zoom">
        <button type="button" aria-label="smaller" onClick={() => zoomBy(0.8)}>−</button><output>{Math.round(100 * zoom)} %</output>
        <button type="button" aria-label="larger" onClick={() => zoomBy(1.25)}>+</button><button type="button" onClick={() => fit()}>Fit <kbd>0</kbd></button>
        <button type="button" aria-pressed={isFull} onClick={() => setFull(!isFull)}>{isFull ? "Back to the page" : "Full page"}</button>{tools}
      </div>
    </div>
  );
}
