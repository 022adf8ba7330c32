// What a page shows, as the query that prints the same numbers: for "copy as command" and
// for exports.
import type { Params, Profile } from "./api";
import { diffQuery, isComparing } from "./compare";
import { estimateParams } from "./memory_model";
import { adviceParams, defaultMetric, isOn, metricsOf, ON_BY_DEFAULT, requestParams, type State } from "./state";

// Options that are on by default, by view.
const SWITCHES: Record<string, string[]> = { scope: ["fold_gradients"], code: ["fold_gradients", "only_my_code"] };

// Pages that show a comparison, and the page whose view it is.
const COMPARED: Record<string, string> = { compare: "operations", overview: "operations", operations: "operations", layers: "layers", source: "source" };

interface Shown { view: string; select: string[]; order_by: string; extra?: Params }

function shown(state: State, profile: Profile): Shown {
  const metric = defaultMetric(state, profile).word;
  const sizes = ["params", "float_ops"];
  switch (state.page) {
    case "graph":
      // Of a node, what it takes: two hops.
      if (state.values.around) return { view: "graph", select: [metric], order_by: metric, extra: { around: state.values.around, max_depth: 3 } };
      return { view: "scope", select: [metric, ...sizes], order_by: metric, extra: { scope: state.values.scope } };
    case "layers":
      return { view: "scope", select: [metric, ...sizes], order_by: metric, extra: { root: state.values.root } };
    case "source":
      return { view: "code", select: [metric], order_by: metric, extra: { root: state.values.root, max_depth: 100 } };
    case "timeline":
      return { view: "op", select: ["micros", "occurrence"], order_by: "micros",
        extra: { step: state.values.step ?? profile.steps[0]?.step, max_depth: 1000 } };
    case "operations": {
      const words = metricsOf(profile).map((m) => m.word);
      return { view: "op", select: [metric, ...words], order_by: state.values.sort ?? metric, extra: { max_depth: 1000 } };
    }
    default:
      return { view: "op", select: [metric, ...(profile.has_run ? ["bytes"] : []), ...sizes], order_by: metric };
  }
}

// A file that is nothing but a model has no views.
export function isModelPage(state: State, profile: Profile): boolean {
  return profile.nodes === 0 || (!profile.has_run && profile.files.length === 1 && state.page === "layers" && !state.values.root);
}

export function isDiffPage(state: State): boolean {
  return isComparing(state) && state.page in COMPARED;
}

export function queryOf(state: State, profile: Profile): Params {
  if (isDiffPage(state)) return diffQuery(state, profile, COMPARED[state.page]);
  if (state.page === "overview" && Object.keys(adviceParams(state)).length) return { p: state.values.p, view: "advise", ...adviceParams(state) };
  if (state.page === "memory") return { p: state.values.p, view: "memory", ...(profile.is_model ? estimateParams(state) : {}) };
  if (state.page === "roofline") return { p: state.values.p, view: "roofline", step: state.values.step, by: state.values.by, device: state.values.device };
  if (isModelPage(state, profile)) return { p: state.values.p, view: "model", device: state.values.device };
  const { view, select, order_by, extra } = shown(state, profile);
  const params: Params = { ...requestParams(state), view, select: [...new Set(select)].join(","), order_by, ...extra };
  for (const name of ON_BY_DEFAULT) delete params[name];
  for (const name of SWITCHES[view] ?? []) if (isOn(state, name)) params[name] = "true";
  if (select.includes("float_ops")) params.count_float_ops = "true"; // as the server does
  delete params.find;
  return params;
}
