// One node: where it is in the graph, what it was given, what it did, and who made it.
import type { State } from "./state";

export function NodeDetails(_: { state: State; node: number }) {
  return null;
}
