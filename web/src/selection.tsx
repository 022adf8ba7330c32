// What is selected, on every page alike: one term in the address, sel=op:Mul.
import { useEffect, useState } from "preact/hooks";
import type { Metric, Params } from "./api";
import { lastPart } from "./tree";
import { go, link, type State } from "./state";
import { format } from "./format";
import { familyTitle } from "./families";
import { Num } from "./widgets";

export interface Term { kind: string; value: string }

export function parseTerm(text: string): Term {
  const colon = text.indexOf(":");
  return { kind: text.slice(0, Math.max(0, colon)), value: text.slice(colon + 1) };
}

export function select(term: string | undefined): void {
  go({ values: { sel: term } });
}

// Selects, or clears what is selected already.
export function toggle(state: State, term: string): void {
  select(state.values.sel === term ? undefined : term);
}

export function lineTerm(row: { path?: string; line?: number; name: string }): string {
  return `line:${row.path ?? row.name}:${row.line ?? 0}`;
}

// What a request needs for rows to say which part of them is selected.
export function selectionParams(state: State, metric: Metric): Params {
  return { sel: state.values.sel, metric_column: metric.column };
}

// A term for people: kind and name.
export function describe(text: string): { kind: string; name: string } {
  const { kind, value } = parseTerm(text);
  if (kind === "op") return { kind: "operation", name: value };
  if (kind === "scope") return { kind: "layer", name: value };
  if (kind === "family") return { kind: "family", name: familyTitle(value) };
  if (kind === "line") return { kind: "line", name: lastPart(value) };
  const whole = kind === "find" && /^\(\^\|\/\)(.*)\$$/.exec(value);
  if (whole) return { kind: "operation", name: whole[1].replace(/\\(.)/g, "$1") };
  if (kind === "find") return { kind: "matches", name: value };
  if (kind === "node") return { kind: "node", name: value };
  const match = /^(\d+),(\d+)-(\d+)$/.exec(value);
  if (kind === "time" && match)
    return { kind: `step ${match[1]}`, name: `${format(Number(match[2]), "micros")} – ${format(Number(match[3]), "micros")}` };
  return { kind: "", name: text };
}

// The stretch of a step that a term is.
export function stretchIn(text: string | undefined): { step: number; from: number; until: number } | undefined {
  const match = /^time:(\d+),(\d+)-(\d+)$/.exec(text ?? "");
  return match ? { step: Number(match[1]), from: Number(match[2]), until: Number(match[3]) } : undefined;
}

// How much of what the page shows is selected; nothing if nothing is.
export function Selected({ value, metric }: { value?: number; metric: Metric }) {
  return value === undefined ? null : <span class="of-selection"> · <Num value={value} unit={metric.unit} /> selected</span>;
}

// The class of a row: marked if all of it is selected, or if it matches the search.
export function rowClass(selected: number | undefined, whole: number, isMatch?: boolean): string {
  if (isMatch) return "match";
  if (selected === undefined) return "";
  return selected === 0 ? "faded" : selected >= whole ? "selected" : "";
}

// The button before a name in a table: selects it.
export function Mark({ state, term, name }: { state: State; term: string; name: string }) {
  const on = state.values.sel === term;
  return <button type="button" class="mark" aria-pressed={on} aria-label={`select ${name}`} title={on ? "clear the selection (Esc)" : "select"}
    onClick={() => toggle(state, term)} />;
}

// Puts text on the clipboard, and says so.
export function Copy({ text, children }: { text: string; children: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [isDone]);
  return <button type="button" onClick={() => { navigator.clipboard?.writeText(text).then(() => setDone(true), () => undefined); }}>{isDone ? "Copied" : children}</button>;
}

export function SelectLink({ term, children }: { term: string; children: string }) {
  return <a href={link({ values: { sel: term } })}>{children}</a>;
}
