// Numbers as the command line prints them.

export type Unit = "micros" | "bytes" | "count";

const SUFFIXES: Record<Unit, string[]> = {
  count: ["", "k", "m", "b"],
  micros: ["us", "ms", "sec"],
  bytes: ["B", "KB", "MB"],
};

// printf's "%.2f": exact ties (odd eighths) go to the even digit, where toFixed goes up.
export function twoDigits(value: number): string {
  const eighths = value * 8;
  if (Number.isInteger(eighths) && eighths % 2 !== 0) {
    const below = Math.floor(value * 100);
    return ((below % 2 === 0 ? below : below + 1) / 100).toFixed(2);
  }
  return value.toFixed(2);
}

export function format(value: number, unit: Unit): string {
  const suffixes = SUFFIXES[unit];
  if (value < 1000) return `${value}${suffixes[0]}`;
  let scale = 1;
  while (scale < suffixes.length - 1 && value >= 1000 ** (scale + 1)) scale++;
  return twoDigits(value / 1000 ** scale) + suffixes[scale];
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
