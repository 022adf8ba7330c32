// Requests to the server. Answers that belong to this instance of it never change, so equal
// requests share one answer; a request is never aborted for a newer one.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Unit } from "./format";

export interface Numbers { [column: string]: number }

export interface Row {
  row: number;
  node?: number;
  name: string;
  depth: number;
  kids: number;
  own: Numbers;
  total: Numbers;
  shape?: string;
  device?: string[];
  op_types?: string[];
  path?: string;
  line?: number;
  function?: string;
  selected?: number;
  match?: boolean; // the name matches the search
  family?: string;
  backward?: number; // of the metric's total, what gradients take
}

export interface Rows { root: Row | null; rows: Row[]; total: number }

export interface Metric {
  word: string;       // of the option select and order_by
  column: string;     // of rows
  unit: Unit;
  title: string;
  is_static: boolean; // of the model itself, without a run
}

// wall: how long it took on the clock, in microseconds; null if the profile does not tell.
export interface StepInfo { step: number; wall: number | null }
export interface Family { name: string; title: string; micros: number }

export interface Profile {
  instance: string;
  files: string[];
  notes: string;
  is_model: boolean; // a model file, not a run
  has_model_file: boolean; // alone, or beside a run
  nodes: number;
  devices: number;
  coverage: number;
  has_run: boolean;
  has_code: boolean;
  has_float_ops: boolean;
  sentence: string; // how long a step takes and what that goes to; empty if nothing ran
  wall?: number;    // of an average step
  metrics: Metric[];
  steps: StepInfo[];
  families: Family[];
  trainable?: number;
  parameters?: number; // in variables; of a trace alone nothing is known
  assumed_batch?: number; // of which float operations were counted: a file leaves it open
  missing: { what: string; how: string }[];
  root: Row;
}

// The steps whose time is known.
export function wallsOf(profile: Profile): { step: number; wall: number }[] {
  return profile.steps.flatMap(({ step, wall }) => (wall === null ? [] : [{ step, wall }]));
}

// Without markers of steps the whole recording is shown as one.
export const isWhole = (profile: Profile) => profile.steps.length === 1 && profile.notes.includes("no step markers: views take the whole");

export interface LoadState {
  instance: string;
  profiles: { file: string; state: "loading" | "ready" | "failed"; done?: number; total?: number;
    nodes?: number; error?: string; changed?: boolean }[];
}

export type Params = Record<string, string | number | undefined>;

export class ApiError extends Error {
  constructor(readonly status: string, text: string) {
    super(text);
  }
}

let instance = "";
export function setInstance(value: string): void {
  instance = value;
}

const answers = new Map<string, Promise<unknown>>();
const MAX_ANSWERS = 200;

export function address(route: string, params: Params): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined && value !== "") query.set(name, String(value));
  if (instance) query.set("v", instance);
  return `api/${route}?${query}`;
}

// The page is marked busy while answers are awaited.
let pending = 0;
function mark(change: number): void {
  pending += change;
  document.documentElement.toggleAttribute("data-busy", pending > 0);
}

async function request(url: string): Promise<unknown> {
  mark(1);
  try {
    return await requestMarked(url);
  } finally {
    mark(-1);
  }
}

async function requestMarked(url: string): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { Accept: "application/json" } });
  } catch {
    throw new ApiError("gone", "the server does not answer: is tfprof ui still running?");
  }
  if (response.headers.get("content-type") !== "application/json")
    throw new ApiError("http", await response.text());
  const body = await response.json();
  if (!response.ok) throw new ApiError(body.error.status, body.error.text);
  return body;
}

export function get<T>(route: string, params: Params = {}): Promise<T> {
  const url = address(route, params);
  let answer = answers.get(url);
  if (!answer) {
    answer = request(url);
    answer.catch(() => answers.delete(url));
    answers.set(url, answer);
    for (const oldest of answers.keys()) {
      if (answers.size <= MAX_ANSWERS) break;
      answers.delete(oldest);
    }
  }
  return answer as Promise<T>;
}

// Not kept, and nobody waits for it: for what changes.
export function getNow<T>(route: string): Promise<T> {
  return requestMarked(`api/${route}`) as Promise<T>;
}

export interface Answer<T> { data?: T; error?: ApiError; isLoading: boolean }

// The answer to a request, or to the previous one until it arrives.
export function useApi<T>(route: string | null, params: Params = {}): Answer<T> {
  const url = route === null ? "" : address(route, params);
  const [answer, setAnswer] = useState<Answer<T>>({ isLoading: true });
  const wanted = useRef(url);
  wanted.current = url;
  useEffect(() => {
    if (route === null) return;
    setAnswer((old) => ({ ...old, isLoading: true }));
    get<T>(route, params).then(
      (data) => wanted.current === url && setAnswer({ data, isLoading: false }),
      (error: ApiError) => wanted.current === url && setAnswer({ error, isLoading: false }),
    );
  }, [url]);
  return answer;
}

// The answer of a question, as `tfprof QUESTION --output=json` writes it: its fields, and rows.
export interface Table<Row> { headline?: string; nodes: (Row & { id: number; parent: number | null; depth: number; name: string })[] }

export function useAsk<Row, Fields = object>(question: string | null, params: Params = {}): Answer<Table<Row> & Fields> {
  return useApi<Table<Row> & Fields>(question === null ? null : "ask", { ...params, question: question ?? undefined });
}
