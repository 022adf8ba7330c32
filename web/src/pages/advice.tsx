// What the advisor found, and what to do about it; checkers run again with other options.
import type { PageProps } from "../app";
import { useApi, type Profile } from "../api";
import { matcher } from "../find";
import { findingsOf, levelTitle, Places, stakeText, type Advice } from "../findings";
import { adviceParams, go, link, type State } from "../state";
import { Empty, Problem, remedy } from "../widgets";

interface Checker { name: string; help: string; options: { name: string; default: string; help: string }[] }

export function AdvicePage({ state, profile }: PageProps) {
  const { data, error } = useApi<Advice>("advice", { p: state.values.p, ...adviceParams(state) });
  const { data: checkers } = useApi<Checker[]>("checkers");
  const given = Object.keys(adviceParams(state));
  const found = data ? findingsOf(data) : [], matches = matcher(state.values.find);
  return (
    <>
      <h1>{error ? "An option of a checker is wrong" : !data ? "" : found.length ? `${found.length} finding${found.length > 1 ? "s" : ""}` : "Nothing found"}</h1>
      {error && <Problem error={error} />}
      {data && found.length === 0 && <Nothing advice={data} profile={profile} />}
      {given.length > 0 && (
        <p class="facts">with {given.map((name, i) => <span key={name}>{i > 0 && ", "}<code>{name}={state.values[name]}</code></span>)} ·{" "}
          <a href={link({ values: Object.fromEntries(given.map((name) => [name, undefined])) })}>Reset the options of all checkers</a></p>
      )}
      <ul class="findings">
        {found.map((f, i) => (
          <li key={i} tabIndex={-1} class={`panel level-${f.level} ${matches(`${f.text}\n${f.remedy ?? ""}\n${f.checker}`) ? "match" : ""}`}>
            <span class="level">{levelTitle(f.level)}</span>
            <div><pre>{f.text}</pre>{f.remedy && <p><strong>What to do:</strong> {f.remedy}</p>}<Places finding={f} />
              <p class="dim">{f.checker} · {stakeText(f)}</p></div>
          </li>
        ))}
      </ul>
      {checkers && <Checkers checkers={checkers} advice={data} state={state} />}
    </>
  );
}

function Nothing({ advice, profile }: { advice: Advice; profile: Profile }) {
  const idle = advice.checkers.filter((c) => c.reason).length;
  return idle ? <Empty what={`${idle} of ${advice.checkers.length} checkers do not apply to this profile; ${advice.checkers.length - idle === 1 ? "the other" : "the others"} found nothing to change.`} how={remedy(profile, "times")} />
    : <Empty what="No checker found anything to change." how="" />;
}

// The outcome of a checker.
function outcome(advice: Advice | undefined, name: string): string {
  const ran = advice?.checkers.find((c) => c.name === name), n = ran?.findings?.length ?? 0;
  if (!ran) return "";
  return n ? `${n} finding${n > 1 ? "s" : ""}` : ran.reason ? `not applicable: ${(ran.remark ?? ran.reason).replace(/ Skip \w+$/, "")}` : "nothing found";
}

function Checkers({ checkers, advice, state }: { checkers: Checker[]; advice?: Advice; state: State }) {
  return (
    <>
      <h2>Checkers and their options</h2>
      <div class="checkers">
        {checkers.map((c) => {
          const isChanged = c.options.some((o) => state.values[`${c.name}.${o.name}`] !== undefined);
          return (
            <details key={c.name} open={isChanged}>
              <summary><code>{c.name}</code> <span class="dim">{outcome(advice, c.name)}</span></summary>
              <p>{c.help}</p>
              {c.options.map((o) => <Field key={o.name} state={state} name={`${c.name}.${o.name}`} title={o.name} byDefault={o.default} help={o.help} />)}
              {c.options.length === 0 && <p class="dim">It has no options.</p>}
            </details>
          );
        })}
      </div>
    </>
  );
}

// The checker runs again when the field is left or Enter is pressed.
function Field({ state, name, title, byDefault, help }: { state: State; name: string; title: string; byDefault: string; help: string }) {
  const value = state.values[name];
  const set = (text: string) => {
    const wanted = text.trim() === "" || text.trim() === byDefault ? undefined : text.trim();
    if (wanted !== value) go({ values: { [name]: wanted } });
  };
  return (
    <label class={value === undefined ? "setting" : "setting changed"}>
      <code>{title}</code>
      <input type="text" value={value ?? byDefault} spellcheck={false} onChange={(e) => set(e.currentTarget.value)}
        onKeyDown={(e) => { if (e.key === "Enter") set(e.currentTarget.value); }} />
      <small>{help}{value !== undefined && ` Default: ${byDefault}.`}</small>
    </label>
  );
}
