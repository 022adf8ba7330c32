// Tells profiles apart, so that a link can say which one it was made with: the name of the
// file and a hash of its sizes.
import type { Profile } from "./api";

export function fingerprint(profile: Profile): string {
  const facts = JSON.stringify([profile.nodes, profile.devices, profile.steps.map((s) => [s.step, s.wall])]);
  let hash = 0;
  for (let i = 0; i < facts.length; i++) hash = (Math.imul(hash, 31) + facts.charCodeAt(i)) >>> 0;
  return `${(profile.files[0] ?? "").replace(/^.*\//, "")}.${hash.toString(36)}`;
}

export function nameIn(mark: string): string {
  return mark.slice(0, mark.lastIndexOf("."));
}
