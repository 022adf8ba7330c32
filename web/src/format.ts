// Numbers as the page shows them: three digits that matter, a space, a unit. The exact one is in the
// title of each.

export type Unit = "micros" | "bytes" | "count";

const SUFFIXES: Record<Unit, string[]> = {
  count: ["", "k", "M", "G", "T", "P"],
  micros: ["µs", "ms", "s"],
  bytes: ["B", "KB", "MB", "GB", "TB"],
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

// Of a number below 1,000.
function threeDigits(value: number): string {
  return Number.isInteger(value) ? String(value) : fixed(value, Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0);
}

export function format(value: number, unit: Unit): string {
  const suffixes = SUFFIXES[unit];
  let scale = 0;
  for (; scale < suffixes.length - 1 && Math.abs(value) >= 999.5; scale++) value /= 1000;
  const text = Math.abs(value) >= 999.5 ? Math.round(value).toLocaleString("en-US") : scale > 0 && Number.isInteger(value) && value < 100 ? fixed(value, value < 10 ? 2 : 1) : threeDigits(value);
  return suffixes[scale] ? `${text} ${suffixes[scale]}` : text;
}

// A column of a table: one unit, which its head names, and one number of decimals. What they round
// away is blank.
export interface Column { unit: string; kind: Unit; text: (value: number) => string }

export function columnOf(values: number[], kind: Unit): Column {
  const most = Math.max(0, ...values.map(Math.abs)), suffixes = SUFFIXES[kind];
  let scale = 0;
  while (scale < suffixes.length - 1 && most / 1000 ** scale >= 999.5) scale++;
  const largest = most / 1000 ** scale, digits = scale === 0 && values.every(Number.isInteger) ? 0 : largest < 9.995 ? 2 : largest < 99.95 ? 1 : 0;
  const text = (value: number) => {
    const shown = fixed(value / 1000 ** scale, digits);
    return Number(shown) === 0 ? "" : shown;
  };
  return { unit: suffixes[scale], kind, text };
}

// On an axis, whose steps are round: no zeros behind the point.
export function tick(value: number, unit: Unit): string {
  return format(value, unit).replace(/(\.\d*?)0+(?= |$)/, "$1").replace(/\.(?= |$)/, "");
}

// Of an even number, the mean of the two in the middle.
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

export function percent(part: number, whole: number): string {
  if (!(whole > 0) || part === 0) return "";
  const share = Math.round((100 * part) / whole);
  return share === 0 ? "< 1 %" : `${share} %`;
}

export function exact(value: number, unit: Unit): string {
  const words = { micros: " microseconds", bytes: " bytes", count: "" };
  return value.toLocaleString("en-US") + words[unit];
}

// Labels of paths are cut at the front, where they repeat.
export function cutFront(text: string, length: number): string {
  return text.length > length ? "…" + text.slice(text.length - length + 1) : text;
}

// Of a line, FILE:LINE and what follows: the name of the file gives way, the number never.
export const shortFile = (line: string): string => line.replace(/^(.*?)(?=:\d)/, (file) => elide(file, 15));

// What reports print: a space before the unit, its digits as they are.
export const spaced = (text: string): string => text.replace(/(\d)(us|ms|sec|kB|KB|MB|GB|TB|B)(?![\w/])/g, (_, digit: string, unit: string) => `${digit} ${{ us: "µs", sec: "s", kB: "KB" }[unit] ?? unit}`)
  .replace(/(\d)%/g, "$1 %");

// Names begin alike and end in what tells them apart: the middle goes.
export function elide(name: string, room: number): string {
  if (name.length <= room) return name;
  const keep = Math.max(2, room - 1), front = Math.ceil(keep / 2);
  return `${name.slice(0, front)}…${name.slice(name.length - (keep - front))}`;
}
