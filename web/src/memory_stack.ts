// Which layers held what at each moment: the few largest, the others together, and what nobody is
// known to hold.
export interface HeldAnswer { every: number; in_use: number[]; groups: { name: string; bytes: number[] }[] }
export interface Band { name: string; shade: number; bytes: number[] }

const MOST = 5, OTHERS = 4, NOBODY = 6;
const MAIN = 0.6, MOST_DEPTH = 6;
const SHADE = [0, 1, 2, 5, 3];

const partsOf = (name: string) => name.replace(/^gradient_tape\//, "").split("/");

// What all paths begin with says nothing.
function commonParts(paths: string[][]): number {
  let n = 0;
  while (paths.length > 1 && paths.every((p) => p.length > n + 1 && p[n] === paths[0][n])) n++;
  return n;
}

const sum = (bytes: number[]) => bytes.reduce((a, b) => a + b, 0);

// From the bottom to the top of the picture.
export function bandsOf({ in_use, groups }: HeldAnswer): Band[] {
  const add = (to: number[], bytes: number[]) => bytes.forEach((b, i) => { to[i] += b; }), none = () => in_use.map(() => 0);
  const whole = groups.reduce((a, g) => a + sum(g.bytes), 0), large = groups.filter((g) => sum(g.bytes) > 0.01 * whole);
  const above = commonParts(large.map((g) => partsOf(g.name)));
  // As deep as it takes for no layer to have nearly everything.
  let merged = new Map<string, number[]>();
  for (let depth = 1; depth <= MOST_DEPTH; depth++) {
    merged = new Map();
    for (const g of groups) {
      const name = partsOf(g.name).slice(above, above + depth).join("/") || "(no layer)";
      if (!merged.has(name)) merged.set(name, none());
      add(merged.get(name)!, g.bytes);
    }
    if (Math.max(...[...merged.values()].map(sum)) <= MAIN * whole) break;
  }
  const sorted = [...merged].sort((a, b) => sum(b[1]) - sum(a[1])), others = none();
  for (const [, bytes] of sorted.slice(MOST)) add(others, bytes);
  const bands = sorted.slice(0, MOST).map(([name, bytes], i) => ({ name: name.split("/").slice(-2).join("/").replaceAll("#", "…"), shade: SHADE[i], bytes }));
  if (sum(others) > 0) bands.push({ name: "other layers", shade: OTHERS, bytes: others });
  const named = none();
  for (const band of bands) add(named, band.bytes);
  const rest = in_use.map((bytes, i) => Math.max(0, bytes - named[i]));
  return bands.length ? [{ name: "not named", shade: NOBODY, bytes: rest }, ...bands] : [];
}
