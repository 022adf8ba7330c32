// Round steps of an axis.

// From 0 to `end`, about `n` of them.
export function roundSteps(end: number, n: number): number[] {
  if (!(end > 0)) return [0];
  const rough = end / n, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}

// Powers of ten within two ends.
export function decades(from: number, to: number): number[] {
  const first = Math.ceil(Math.log10(from) - 1e-9), last = Math.floor(Math.log10(to) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
}
