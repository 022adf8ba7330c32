// The numbers a page can show: one line each.
import type { Profile } from "./api";
import type { Unit } from "./format";
import type { State } from "./state";

export interface Metric {
  word: string;    // of the option select and order_by
  column: string;  // of rows
  unit: Unit;
  title: string;
  isStatic?: boolean; // of the model itself, without a run
}

export const METRICS: Metric[] = [
  { word: "micros", column: "exec_micros", unit: "micros", title: "time" },
  { word: "cpu_micros", column: "cpu_exec_micros", unit: "micros", title: "cpu time" },
  { word: "accelerator_micros", column: "accelerator_exec_micros", unit: "micros", title: "accelerator time" },
  { word: "bytes", column: "requested_bytes", unit: "bytes", title: "requested bytes" },
  { word: "peak_bytes", column: "peak_bytes", unit: "bytes", title: "peak bytes" },
  { word: "residual_bytes", column: "residual_bytes", unit: "bytes", title: "residual bytes" },
  { word: "output_bytes", column: "output_bytes", unit: "bytes", title: "output bytes" },
  { word: "params", column: "parameters", unit: "count", title: "parameters", isStatic: true },
  { word: "float_ops", column: "float_ops", unit: "count", title: "float operations", isStatic: true },
  { word: "occurrence", column: "run_count", unit: "count", title: "runs" },
];

export function metricOf(word: string | undefined): Metric {
  return METRICS.find((m) => m.word === word) ?? METRICS[0];
}

// Without a run there is no time.
export function defaultMetric(state: State, profile?: Profile): Metric {
  return metricOf(state.values.metric ?? (profile && !profile.has_run ? "params" : "micros"));
}
