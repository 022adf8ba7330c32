// What is shown is in the address, and only what differs from the defaults:
//
//     #/layers?metric=bytes&step=2&sel=op:Mul
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Metric, Profile } from "./api";

export interface State {
  page: string;
  values: Record<string, string>;
}

// The metrics that a profile has: without a run, those of the model itself.
export function metricsOf(profile: Profile): Metric[] {
  return profile.metrics.filter((m) => profile.has_run || m.is_static);
}

// The Graph page is of the model: its colour is float operations.
export function defaultMetric(state: State, profile: Profile): Metric {
  const { metrics } = profile, usual = profile.has_run ? "micros" : "params";
  const word = state.values.metric ?? (state.page === "graph" && profile.root.total.float_ops ? "float_ops" : usual);
  return metrics.find((m) => m.word === word) ?? metrics[0];
}

// Pages that have moved: their old addresses lead to the new places.
const MOVED: Record<string, string> = { python: "source", advice: "overview" };

export function parse(hash: string): State {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query ?? "")) values[name] = value;
  if (path === "python") values.mode ??= "flame";
  return { page: MOVED[path] ?? (path || "overview"), values };
}

export function print(state: State): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(state.values)) if (value !== "") query.set(name, value);
  const text = query.toString();
  return `#/${state.page}${text ? "?" + text : ""}`;
}

export function current(): State {
  return parse(location.hash);
}

// Values that belong to one page are forgotten on the way to another.
const OF_A_PAGE = ["root", "sort", "row", "zoom", "lanes", "open", "scope", "at", "around", "measure", "side", "callers", "checks", "file", "mode", "by", "pool", "moment", "training", "optimizer", "dtype", "limit", "part", "bar", "flows", "gaps"];

export function link(change: { page?: string; values?: Record<string, string | undefined> }): string {
  const state = current();
  const values = { ...state.values };
  if (change.page && change.page !== state.page) for (const name of OF_A_PAGE) delete values[name];
  for (const [name, value] of Object.entries(change.values ?? {}))
    if (value === undefined || value === "") delete values[name];
    else values[name] = value;
  return print({ page: change.page ?? state.page, values });
}

export function go(change: { page?: string; values?: Record<string, string | undefined> }): void {
  location.hash = link(change);
}

// For changes that should not fill the history, such as panning.
export function replace(change: { values: Record<string, string | undefined> }): void {
  history.replaceState(null, "", link(change));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useAddress(): State {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener("hashchange", update);
    update(); // it may have changed since it was drawn first
    return () => removeEventListener("hashchange", update);
  }, []);
  return useMemo(current, [hash]);
}

// What every request needs: profile, step, options of the query.
const NOT_OPTIONS = new Set([...OF_A_PAGE, "metric", "sel", "theme", "f", "device", "diff", "fold_alike", "colour", "checks"]);

export const ON_BY_DEFAULT = ["fold_gradients", "only_my_code"];

export function isOn(state: State, name: string): boolean {
  return state.values[name] !== "false";
}

// What a button of the timeline turns off.
export function isOff(state: State, name: string): boolean {
  return state.values[name] === "0";
}

// Off unless turned on.
export function isSet(state: State, name: string): boolean {
  return state.values[name] === "1";
}

export function requestParams(state: State): Record<string, string> {
  const params: Record<string, string> = {};
  // On unless turned off: most of a training step is gradients, most of a stack is libraries.
  for (const name of ON_BY_DEFAULT) params[name] = "true";
  for (const [name, value] of Object.entries(state.values)) if (!NOT_OPTIONS.has(name) && !name.includes(".")) params[name] = value;
  return params;
}

// Options of checkers: StepOutlierChecker.top=1.
export function adviceParams(state: State): Record<string, string> {
  return Object.fromEntries(Object.entries(state.values).filter(([name]) => name.includes(".")));
}
