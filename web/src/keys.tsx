// Keys that work on every page.
import { useEffect, useRef } from "preact/hooks";
import { stepMatch } from "./find";
import { openOptions } from "./options";
import { go } from "./state";

const HELP: [string, string][] = [
  ["1 – 8", "pages"],
  ["/", "search by regular expression"],
  ["[ ]", "previous and next match; in the timeline, previous and next slice"],
  ["o", "options"],
  [".", "menu: copy as command, copy link, export, theme"],
  ["W A S D, + −, 0", "move and zoom in the timeline; F: zoom to the selection, M: measure"],
  ["g, then o l s r t m", "show the selection in Operations, Layers, Source, Graph, Timeline, Memory"],
  ["arrows, Enter", "move and open in flame graphs, menus and lists"],
  ["p, ← →", "on the Memory page: the peak, the moments before and after"],
  ["i", "on the Source page: show the callers of the selected line, or of all lines"],
  ["Backspace", "go one level up"],
  ["r", "load files again that have changed on disk"],
  ["Esc", "clear the selection"],
  ["?", "this list"],
];

export function showKeys(): void {
  dispatchEvent(new Event("tfprof-keys"));
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input:not([type=checkbox]), select, textarea") || Boolean(target.closest("dialog")));
}

// A key of one page, wherever the focus is: opening a box may remove what had it.
export function useKey(key: string, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.key !== key || e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target)) return;
      e.preventDefault();
      latest.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

// Backspace goes one level up.
export function useUp(up: () => void): void {
  useKey("Backspace", up);
}

// After g: where to.
const PLACES: Record<string, string> = { o: "operations", l: "layers", p: "source", s: "source", r: "graph", t: "timeline", m: "memory" };
const CHORD_MS = 1500;

const ACTIONS: Record<string, () => void> = {
  "/": () => dispatchEvent(new Event("tfprof-find")),
  o: openOptions,
  ".": () => dispatchEvent(new Event("tfprof-menu")),
  "[": () => stepMatch(-1),
  "]": () => stepMatch(1),
  "?": showKeys,
  Escape: () => go({ values: { sel: undefined } }),
};

export function Keys({ pages }: { pages: string[] }) {
  const help = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let chord = 0; // when g was pressed
    const press = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target)) return;
      const isChord = e.timeStamp - chord < CHORD_MS && chord > 0;
      chord = e.key === "g" ? e.timeStamp : 0;
      const page = isChord ? PLACES[e.key] : pages[Number(e.key) - 1] ?? (e.key === "7" ? pages[0] : undefined); // 7 was the advisor, which is part of the first page
      if (page) go({ page });
      else if (ACTIONS[e.key]) ACTIONS[e.key]();
      else return;
      e.preventDefault();
    };
    const show = () => help.current?.showModal();
    addEventListener("keydown", press);
    addEventListener("tfprof-keys", show);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("tfprof-keys", show);
    };
  }, []);
  return (
    <dialog ref={help} aria-label="keys">
      <table>
        <tbody>
          {HELP.map(([key, what]) => <tr key={key}><th scope="row"><kbd>{key}</kbd></th><td>{what}</td></tr>)}
        </tbody>
      </table>
      <form method="dialog"><button>Close</button></form>
    </dialog>
  );
}
