// How wide an element is, now and whenever that changes.
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
