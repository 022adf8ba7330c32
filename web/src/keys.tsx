// Keys that work on every page.
import { useEffect, useRef } from "preact/hooks";
import { go } from "./state";

const HELP: [string, string][] = [
  ["1 – 7", "pages"],
  ["W A S D, + −", "move and zoom in the timeline"],
  ["arrows, Enter", "move and open in flame graphs"],
  ["Backspace", "one level up"],
  ["Esc", "clear the selection"],
  ["?", "this list"],
];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}

export function Keys({ pages }: { pages: string[] }) {
  const help = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target)) return;
      const page = pages[Number(e.key) - 1];
      if (page) go({ page });
      else if (e.key === "?") help.current?.showModal();
      else if (e.key === "Escape" && !help.current?.open) go({ values: { sel: undefined } });
      else return;
      e.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
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
