// Colours of families come from app.css; titles from the server.
import type { Family } from "./api";

let titles: Record<string, string> = {};

export function setFamilies(families: Family[]): void {
  titles = Object.fromEntries(families.map((f) => [f.name, f.title]));
}

export function familyTitle(name: string): string {
  return titles[name] ?? name;
}
