// What the advisor found, and what to do about it.
import type { PageProps } from "../app";
import { useApi } from "../api";
import { Empty, Problem } from "../widgets";

interface Finding { level: string; text: string; remedy?: string }
interface Checker { name: string; findings?: Finding[]; skipped?: string; reason?: string }
interface Advice { checkers: Checker[] }

const ORDER = ["high", "warning", "notice", "none"];

export function AdvicePage({ state }: PageProps) {
  const { data, error } = useApi<Advice>("advice", { p: state.values.p });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const found = data.checkers.flatMap((c) => (c.findings ?? []).map((f) => ({ ...f, checker: c.name })));
  found.sort((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
  const silent = data.checkers.filter((c) => !(c.findings ?? []).length);
  return (
    <>
      <h1>{found.length ? `${found.length} finding${found.length > 1 ? "s" : ""}` : "Nothing found"}</h1>
      {found.length === 0 && <Empty what="No checker found anything to change." how="" />}
      <ul class="findings">
        {found.map((f, i) => (
          <li key={i} class={`panel level-${f.level}`}>
            <span class="level">{f.level === "none" ? "for a look" : f.level}</span>
            <div><pre>{f.text}</pre>{f.remedy && <p><strong>What to do:</strong> {f.remedy}</p>}<p class="dim">{f.checker}</p></div>
          </li>
        ))}
      </ul>
      {silent.length > 0 && (
        <details><summary>{silent.length} checkers found nothing or do not apply</summary>
          <ul>{silent.map((c) => <li key={c.name}>{c.name}{c.reason ? `: ${c.reason}` : ""}</li>)}</ul>
        </details>
      )}
    </>
  );
}
