// How large an element is, now and whenever that changes.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

export function useWidth(element: RefObject<Element | null>, first: number): number {
  const [width, setWidth] = useState(first);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(() => setWidth(element.current?.clientWidth || first));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
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
