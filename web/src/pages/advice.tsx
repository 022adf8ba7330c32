// What the advisor found, and what to do about it.
import type { PageProps } from "../app";
import { useApi } from "../api";
import { matcher } from "../find";
import { findingsOf, levelTitle, Places, stakeText, type Advice } from "../findings";
import { Empty, Problem } from "../widgets";

export function AdvicePage({ state }: PageProps) {
  const { data, error } = useApi<Advice>("advice", { p: state.values.p });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const found = findingsOf(data), matches = matcher(state.values.find);
  const silent = data.checkers.filter((c) => !(c.findings ?? []).length);
  return (
    <>
      <h1>{found.length ? `${found.length} finding${found.length > 1 ? "s" : ""}` : "Nothing found"}</h1>
      {found.length === 0 && <Empty what="No checker found anything to change." how="" />}
      <ul class="findings">
        {found.map((f, i) => (
          <li key={i} tabIndex={-1} class={`panel level-${f.level} ${matches(`${f.text}\n${f.remedy ?? ""}\n${f.checker}`) ? "match" : ""}`}>
            <span class="level">{levelTitle(f.level)}</span>
            <div><pre>{f.text}</pre>{f.remedy && <p><strong>What to do:</strong> {f.remedy}</p>}<Places finding={f} />
              <p class="dim">{f.checker} · {stakeText(f)}</p></div>
          </li>
        ))}
      </ul>
      {silent.length > 0 && (
        <details><summary>{silent.length} checkers found nothing or do not apply</summary>
          <ul>{silent.map((c) => <li key={c.name}>{c.name}{c.reason ? `: ${c.remark ?? c.reason}` : ""}</li>)}</ul>
        </details>
      )}
    </>
  );
}
