// How large an element is, now and whenever that changes. It may be drawn later than the component
// that asks.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

export function useWidth(element: RefObject<Element | null>, first: number): number {
  const [width, setWidth] = useState(first), [seen, setSeen] = useState<Element | null>(null);
  useEffect(() => setSeen(element.current));
  useEffect(() => {
    if (!seen) return;
    const observer = new ResizeObserver(() => setWidth(seen.clientWidth || first));
    observer.observe(seen);
    return () => observer.disconnect();
  }, [seen]);
  return width;
}

export function useSize(element: RefObject<Element | null>, first: { width: number; height: number }): { width: number; height: number } {
  const [size, setSize] = useState(first);
  useEffect(() => {
    const seen = element.current;
    if (!seen) return;
    const observer = new ResizeObserver(() => setSize({ width: seen.clientWidth || first.width, height: seen.clientHeight || first.height }));
    observer.observe(seen);
    return () => observer.disconnect();
  }, []);
  return size;
}
