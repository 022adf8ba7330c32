// Columns of figures with one unit each, which their heads name.
import type { Unit } from "./format";

export interface Column { unit: string; text: (value: number) => string }

const UNITS: Record<Unit, string[]> = { micros: ["µs", "ms", "s"], bytes: ["B", "KB", "MB", "GB", "TB"], count: ["", "k", "M", "G", "T", "P"] };

// By the largest of them; what would be rounded to nothing, and zero, is blank.
export function columnOf(values: number[], unit: Unit): Column {
  const most = Math.max(0, ...values.map(Math.abs)), units = UNITS[unit];
  let scale = 0, size = most;
  for (; scale < units.length - 1 && size >= 9999.5; scale++) size /= 1000;
  const decimals = scale === 0 ? 0 : size < 99.95 ? 2 : size < 999.5 ? 1 : 0;
  const text = (value: number) => {
    const shown = (value / 1000 ** scale).toFixed(decimals);
    return Number(shown) === 0 ? "" : shown;
  };
  return { unit: units[scale], text };
}
