// Numbers as the command line prints them.

export type Unit = "micros" | "bytes" | "count";

const SUFFIXES: Record<Unit, string[]> = {
  count: ["", "k", "m", "b"],
  micros: ["us", "ms", "sec"],
  bytes: ["B", "KB", "MB"],
};

// printf's "%.*f": exact ties go to the even digit, where toFixed goes away from zero.
export function fixed(value: number, digits: number): string {
  const ties = value * 2 ** (digits + 1);
  if (Number.isInteger(ties) && ties % 2 !== 0) {
    const below = Math.floor(value * 10 ** digits);
    return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
  }
  return value.toFixed(digits);
}

export function twoDigits(value: number): string {
  return fixed(value, 2);
}

export function format(value: number, unit: Unit): string {
  const suffixes = SUFFIXES[unit];
  value = Math.round(value);
  if (value < 1000) return `${value}${suffixes[0]}`;
  let scale = 1;
  while (scale < suffixes.length - 1 && value >= 1000 ** (scale + 1)) scale++;
  return twoDigits(value / 1000 ** scale) + suffixes[scale];
}

// Of an even number, the mean of the two in the middle.
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

export function percent(part: number, whole: number): string {
  return whole > 0 ? `${twoDigits((100 * part) / whole)}%` : "--";
}

export function exact(value: number, unit: Unit): string {
  const words = { micros: " microseconds", bytes: " bytes", count: "" };
  return value.toLocaleString("en-US") + words[unit];
}

// Labels of paths are cut at the front, where they repeat.
export function cutFront(text: string, length: number): string {
  return text.length > length ? "…" + text.slice(text.length - length + 1) : text;
}
