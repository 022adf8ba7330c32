// Findings of the advisor, each with links to its places.
import { cutFront, format } from "./format";
import { link } from "./state";
import { lastPart } from "./tree";

interface Place { device?: string; node?: string; op?: string; line?: string; micros?: number; bytes?: number }
export interface Finding { checker: string; what: string; level: string; confidence: string; text: string; remedy?: string; step?: number;
  stake?: { micros?: number; bytes?: number; share?: number }; where?: Place[] }
export interface Advice { checkers: { name: string; findings?: Omit<Finding, "checker">[]; reason?: string; remark?: string }[] }

const ORDER = ["high", "warning", "notice", "none"];

// The worst first.
export function findingsOf(advice: Advice): Finding[] {
  const found = advice.checkers.flatMap((c) => (c.findings ?? []).map((f) => ({ ...f, checker: c.name })));
  return found.sort((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
}

export const levelTitle = (level: string) => (level === "none" ? "info" : level);

export function stakeText({ stake, confidence }: Finding): string {
  const parts = [stake?.micros && `${format(stake.micros, "micros")} at stake`, stake?.bytes && `${format(stake.bytes, "bytes")} at stake`,
    stake?.share && stake.share >= 0.005 && `${Math.round(100 * stake.share)}% of the step`, `confidence ${confidence}`];
  return parts.filter(Boolean).join(", ");
}

interface Door { text: string; title: string; href: string }

// Where a place is seen best.
function doorOf(place: Place, step: number | undefined): Door | undefined {
  const line = /^(.*?:\d+):/.exec(place.line ?? "")?.[1];
  if (place.node) {
    const name = place.node.replace(/:MEMCPY.*$/, ""); // copies are named after what they copy
    return { text: cutFront(name, 44), title: place.node, href: link({ page: "graph", values: { sel: `node:${name}`, around: name } }) };
  }
  if (line) return { text: line, title: place.line!, href: link({ page: "python", values: { sel: `line:${line}` } }) };
  if (place.op) return { text: place.op, title: place.op, href: link({ page: "operations", values: { sel: `op:${place.op}` } }) };
  if (place.device) return { text: lastPart(place.device).replace("device:", ""), title: place.device, href: link({ page: "timeline", values: { step: step === undefined ? undefined : String(step) } }) };
  return undefined;
}

export function Places({ finding, limit = 12 }: { finding: Finding; limit?: number }) {
  const doors = (finding.where ?? []).flatMap((p) => doorOf(p, finding.step) ?? []).filter((d, i, all) => all.findIndex((o) => o.href === d.href) === i);
  if (!doors.length) return null;
  return <p class="doors">show {doors.slice(0, limit).map((d, i) => <span key={d.href}>{i > 0 && " · "}<a href={d.href} title={d.title}>{d.text}</a></span>)}
    {doors.length > limit && ` and ${doors.length - limit} more`}</p>;
}
