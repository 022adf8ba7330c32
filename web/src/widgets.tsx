// Small pieces that pages share.
import type { ComponentChildren } from "preact";
import type { ApiError, Profile } from "./api";
import { go, isOn, isSet, type State } from "./state";
import { exact, format, percent, type Column, type Unit } from "./format";

export function Num({ value, unit }: { value: number; unit: Unit }) {
  const text = format(value, unit);
  return <span class="num" title={exact(value, unit)}>{parseFloat(text) === 0 ? "" : text}</span>; // also what is rounded away
}

// A number of a column, whose head names the unit.
export function Cell({ column, value }: { column: Column; value: number }) {
  return <span class="num" title={exact(value, column.kind)}>{column.text(value)}</span>;
}

export function Share({ part, whole }: { part: number; whole: number }) {
  return <span class="num">{percent(part, whole)}</span>;
}

// A name that gives way in its middle: it begins like others, and ends in what tells it apart.
const KEPT = 8;
export function Middle({ text }: { text: string }) {
  if (text.length < 2 * KEPT) return <>{text}</>;
  return <span class="middle"><span>{text.slice(0, -KEPT)}</span><span>{text.slice(-KEPT)}</span></span>;
}

// A bar of several parts; widths are shares of `max`.
// `selected` is how much of the whole bar belongs to the selection: a dark strip under it.
export function Bar({ parts, max, selected }: { parts: { value: number; family?: string; light?: boolean; title: string }[]; max: number; selected?: number }) {
  let x = 0;
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img"
      aria-label={parts.map((p) => p.title).filter(Boolean).join(", ") || "none"}>
      {parts.map((p) => {
        const width = max > 0 ? (100 * Math.max(0, p.value)) / max : 0;
        const rect = <rect x={x} width={width} y={0} height={10} class={`family-${p.family ?? "matrix"}${p.light ? " light" : ""}`}>
          <title>{p.title}</title></rect>;
        x += width;
        return rect;
      })}
      {!!selected && max > 0 && <rect x={0} width={(100 * selected) / max} y={6} height={4} class="chosen"><title>selected</title></rect>}
    </svg>
  );
}

export function Dot({ family, title }: { family: string; title: string }) {
  return <span class={`dot family-${family}`} title={title} role="img" aria-label={title} />;
}

// `about` says which steps and numbers the panel speaks of.
export function Panel({ title, about, more, children, wide, name }: { title: string; about?: ComponentChildren; more?: ComponentChildren; children: ComponentChildren; wide?: boolean; name?: string }) {
  return (
    <section class={`panel${wide ? " wide" : ""}${name ? ` ${name}` : ""}`}>
      {more && <span class="more">{more}</span>}
      <h2>{title} {about && <small>{about}</small>}</h2>
      {children}
    </section>
  );
}

// A sentence whose numbers stay with their units where it wraps.
export function Sentence({ text }: { text: string }) {
  return <>{text.split(/([\d.,]+ (?:%|[µmn]?s|[KMGT]?B)(?![\w]))/).map((part, i) => (i % 2 ? <span key={i} class="kept">{part}</span> : part))}</>;
}

export function Problem({ error }: { error: ApiError }) {
  return <p class="problem" role="alert">{error.message}</p>;
}

// An option that is on unless the address says otherwise.
export function Switch({ state, name, children }: { state: State; name: string; children: ComponentChildren }) {
  return (
    <label class="option">
      <input type="checkbox" checked={isOn(state, name)}
        onChange={(e) => go({ values: { [name]: e.currentTarget.checked ? undefined : "false", root: undefined } })} /> {children}
    </label>
  );
}

// The same for what is off unless turned on.
export function Toggle({ state, name, children }: { state: State; name: string; children: ComponentChildren }) {
  return (
    <label class="option">
      <input type="checkbox" checked={isSet(state, name)} onChange={(e) => go({ values: { [name]: e.currentTarget.checked ? "1" : undefined } })} /> {children}
    </label>
  );
}

// What would bring something that the profile lacks.
export function remedy(profile: Profile, what: string): string {
  const gap = profile.missing.find((m) => m.what.includes(what));
  return gap ? `Add ${gap.how}.` : "";
}

// Why a question does not apply, as it answers on the command line: without its name before it.
export const whyOf = (missing: string) => missing.replace(/^\w+: (.)/, (_, first: string) => first.toUpperCase());

// A page without data says what is missing and what brings it.
export function Empty({ what, how }: { what: string; how: ComponentChildren }) {
  return (
    <div class="empty">
      <p><strong>{what}</strong></p>
      <p>{how}</p>
    </div>
  );
}
