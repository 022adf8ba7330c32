// The user's files, with what each line costs in the margin.
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../app";
import { type ApiError, getNow, type Metric, type Numbers, useApi } from "../api";
import { exact, format, percent } from "../format";
import { useKey } from "../keys";
import { columnOf, type Column } from "../margin";
import { lineTerm, parseTerm, selectionParams, toggle } from "../selection";
import { Callers, Lines } from "../source_flame";
import { pieces, type Piece } from "../python_text";
import { defaultMetric, go, isOn, isSet, link, requestParams, type State } from "../state";
import { lastPart } from "../tree";
import { Bar, Empty, Problem, remedy, Switch } from "../widgets";

interface Line { name: string; path: string; line: number; function: string; own: number; backward: number; total: number; places: number; selected?: number; metrics: Numbers }
interface Place { path: string; name?: string; line: number; own: number; backward: number }
interface LinesAnswer { lines: Line[]; files: Place[]; functions: Place[] }
interface Text { path: string; state: "unchanged" | "changed" | "newer" | "older" | "missing"; lines: string[]; recorded: { line: number; text: string }[] }

const ALL = 20000;

// How the page shows lines: in their file, or as a flame graph of what calls what, or of callers.
type Mode = "lines" | "flame" | "callers";
function modeOf(state: State): Mode {
  if (isSet(state, "callers")) return "callers";
  return state.values.mode === "flame" || state.values.root ? "flame" : "lines";
}

export function Source(props: PageProps) {
  const { state, profile } = props, mode = modeOf(state);
  useKey("i", () => profile.has_code && go({ values: { callers: isSet(state, "callers") ? undefined : "1" } }));
  if (!profile.has_code)
    return <Empty what="This profile has no call stacks." how={<>{remedy(profile, "lines of code")} <a href={link({ page: "layers" })}>Layers</a> are known without them.</>} />;
  return (
    <>
      <div class="toolbar"><Modes mode={mode} />
        <Switch state={state} name="only_my_code">only my code</Switch> <Switch state={state} name="fold_gradients">gradients with their line</Switch>
        {mode !== "lines" && <span class="dim">full colour: forward, faded: backward</span>}</div>
      {mode === "callers" ? <Callers {...props} /> : mode === "flame" ? <Lines {...props} /> : <Files {...props} />}
    </>
  );
}

function Modes({ mode }: { mode: Mode }) {
  const choices: [Mode, string, Record<string, string | undefined>][] = [["lines", "By line", {}], ["flame", "Flame", { mode: "flame" }], ["callers", "Callers", { callers: "1" }]];
  return (
    <span class="switch" role="group" aria-label="how lines are shown">
      {choices.map(([name, title, values]) => (
        <a key={name} href={link({ values: { mode: undefined, callers: undefined, root: undefined, ...values } })} aria-current={mode === name ? "true" : undefined}>{title}</a>
      ))}
    </span>
  );
}

// A selected line names its file, perhaps by its end only.
function chosenLine(state: State): { path: string; line: number } | undefined {
  const { kind, value } = parseTerm(state.values.sel ?? ""), colon = value.lastIndexOf(":");
  return kind === "line" ? { path: value.slice(0, colon), line: Number(value.slice(colon + 1)) } : undefined;
}

const isFile = (path: string, named: string) => path === named || path.endsWith(`/${named}`);

function Files({ state, profile }: PageProps) {
  const metric = defaultMetric(state, profile), chosen = chosenLine(state);
  const { data, error } = useApi<LinesAnswer>("lines", { ...requestParams(state), calls: 1, limit: ALL, ...selectionParams(state, metric) });
  const named = state.values.file ?? chosen?.path;
  const shown = data?.files.find((f) => named !== undefined && isFile(f.path, named)) ?? data?.files[0];
  const { text, error: textError } = useText(state.values.p, shown?.path);
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (!shown || !data.files.some((f) => f.own > 0))
    return <Empty what={`No line of Python has ${metric.title}.`} how={<a href={link({ values: { metric: undefined } })}>Show another metric</a>} />;
  const whole = profile.root.total[metric.column] ?? 0, lines = data.lines.filter((l) => l.path === shown.path).sort((a, b) => a.line - b.line);
  return (
    <div class="source">
      <Tree data={data} shown={shown} metric={metric} whole={whole} />
      <section class="code" aria-label={shown.path}>
        <h1 title={shown.path}><code>{lastPart(shown.path)}</code> <small>{format(shown.own, metric.unit)} {metric.title} · {told(text)}{!isOn(state, "only_my_code") && " · with library code"}</small></h1>
        {text && <Warning text={text} />}
        {textError && <Problem error={textError} />}
        {text?.path === shown.path && <Code state={state} metric={metric} lines={lines} text={text} />}
      </section>
    </div>
  );
}

// More fits in no address, and in no file system.
const MAX_PATH = 7000;

// Asked anew each time: the file may have changed.
function useText(p: string | undefined, path: string | undefined): { text?: Text; error?: ApiError } {
  const [answer, setAnswer] = useState<{ text?: Text; error?: ApiError }>({});
  useEffect(() => {
    if (path === undefined) return;
    if (encodeURIComponent(path).length > MAX_PATH) return setAnswer({ text: { path, state: "missing", lines: [], recorded: [] } });
    let isWanted = true;
    getNow<Text>(`text?${new URLSearchParams({ ...(p ? { p } : {}), path })}`).then((text) => isWanted && setAnswer({ text }), (error: ApiError) => isWanted && setAnswer({ error }));
    return () => { isWanted = false; };
  }, [p, path]);
  return answer;
}

function told(text: Text | undefined): string {
  if (!text) return "";
  if (text.state === "unchanged") return "text of the file, as recorded";
  if (text.state === "missing") return text.recorded.length ? "text as recorded" : "no text recorded";
  return "text of the file";
}

function Warning({ text }: { text: Text }) {
  const name = lastPart(text.path);
  if (text.state === "changed") return <p class="banner" role="note">{name} has changed since: lines may be off. Lines with a recorded text show that.</p>;
  if (text.state === "newer") return <p class="banner" role="note">{name} was written after the profile: lines may be off.</p>;
  if (text.state === "missing" && !text.recorded.length) return <p class="dim">{text.path} is not here, and the profile has no text of it: only numbers of lines are known.</p>;
  return null;
}

function Tree({ data, shown, metric, whole }: { data: LinesAnswer; shown: Place; metric: Metric; whole: number }) {
  const most = Math.max(1, ...data.files.map((f) => f.own)), column = columnOf(data.files.map((f) => f.own), metric.unit);
  const functions = data.functions.filter((f) => f.path === shown.path && f.own > 0);
  return (
    <nav class="files" aria-label="files by cost">
      <table class="numbers">
        <thead><tr><th scope="col">file, function</th><th scope="col"><span class="hidden">share of the largest</span></th><th scope="col">{column.unit || metric.title}</th><th scope="col">share</th></tr></thead>
        <tbody>
          {data.files.filter((f) => f.own > 0 || f === shown).map((f) => (
            <>
              <tr key={f.path} class={f === shown ? "chosen-row" : undefined} data-own={f.own}>
                <th scope="row" title={f.path}><a href={link({ values: { file: f.path, sel: undefined } })} aria-current={f === shown ? "true" : undefined}>{lastPart(f.path)}</a></th><Costs place={f} most={most} column={column} whole={whole} />
              </tr>
              {f === shown && functions.map((g) => (
                <tr key={`${f.path}:${g.name}`} class="function" data-own={g.own}>
                  <th scope="row" title={`${g.name}, line ${g.line}`}><a href={link({ values: { file: f.path, sel: `line:${f.path}:${g.line}` } })}>{g.name || "(no function)"} <span class="dim">:{g.line}</span></a></th><Costs place={g} most={most} column={column} whole={whole} />
                </tr>
              ))}
            </>
          ))}
        </tbody>
      </table>
    </nav>
  );
}

function Costs({ place, most, column, whole }: { place: Place; most: number; column: Column; whole: number }) {
  return (
    <>
      <td><Bar max={most} parts={[{ value: place.own - place.backward, title: "forward" }, { value: place.backward, light: true, title: "backward" }]} /></td>
      <td class="num">{column.text(place.own)}</td>
      <td class="num dim">{percent(place.own, whole)}</td>
    </>
  );
}

// A file that is very long is shown around the lines that cost.
const MAX_SHOWN = 3000, AROUND = 12;
interface Shown { line: number; text: string; isGap?: boolean; isRecorded?: boolean }

function shownLines(text: Text, costs: Map<number, Line>): Shown[] {
  const all = new Map<number, Shown>();
  text.lines.forEach((t, i) => all.set(i + 1, { line: i + 1, text: t }));
  for (const r of text.recorded) if (!all.has(r.line) || text.state === "changed") all.set(r.line, { line: r.line, text: r.text, isRecorded: true });
  for (const line of costs.keys()) if (!all.has(line)) all.set(line, { line, text: "" });
  const isNear = (line: number) => [...costs.keys()].some((c) => Math.abs(c - line) <= AROUND);
  const kept = [...all.values()].sort((a, b) => a.line - b.line).filter((s) => all.size <= MAX_SHOWN || isNear(s.line));
  return kept.flatMap((s, i) => (i > 0 && kept[i - 1].line !== s.line - 1 ? [{ line: -s.line, text: "⋯", isGap: true }, s] : [s]));
}

interface CodeProps { state: State; metric: Metric; lines: Line[]; text: Text }

function Code({ state, metric, lines, text }: CodeProps) {
  const body = useRef<HTMLTableSectionElement>(null), chosen = chosenLine(state);
  const costs = new Map(lines.map((l) => [l.line, l])), shown = shownLines(text, costs), colours = pieces(shown.map((s) => s.text));
  const most = Math.max(1, ...lines.map((l) => l.own)), isIn = chosen && isFile(text.path, chosen.path) ? chosen.line : undefined;
  const hasFloatOps = metric.column !== "float_ops" && lines.some((l) => l.metrics.float_ops), hasMemory = metric.column !== "requested_bytes" && lines.some((l) => l.metrics.requested_bytes);
  const own = columnOf(lines.map((l) => Math.max(l.own, l.own ? 0 : l.total)), metric.unit);
  const flops = columnOf(lines.map((l) => l.metrics.float_ops ?? 0), "count"), bytes = columnOf(lines.map((l) => l.metrics.requested_bytes ?? 0), "bytes");
  const hasBackward = lines.some((l) => l.backward);
  useEffect(() => { body.current?.querySelector(isIn ? "tr.on" : "tr.hot")?.scrollIntoView({ block: isIn ? "nearest" : "center" }); }, [text.path, isIn]);
  // Arrows go from line to line with a cost.
  const move = (e: KeyboardEvent) => {
    const all = [...(body.current?.querySelectorAll<HTMLElement>(".line-number button") ?? [])], i = all.indexOf(document.activeElement as HTMLElement);
    const next = e.key === "ArrowDown" ? all[i + 1] : e.key === "ArrowUp" ? all[i - 1] : undefined;
    if (i >= 0 && next) { next.focus(); e.preventDefault(); }
  };
  return (
    <div class="lines" onKeyDown={move}>
      <table>
        <thead><tr>
          <th scope="col" class="margin-bar"><span class="hidden">{metric.title}, forward and backward</span></th><th scope="col">{own.unit || metric.title}</th>
          {hasBackward && <><th scope="col">fwd</th><th scope="col">bwd</th></>}{hasFloatOps && <th scope="col">{flops.unit && `${flops.unit} `}FLOP</th>}{hasMemory && <th scope="col" title="memory requested">{bytes.unit}</th>}
          <th scope="col"><span class="hidden">line</span></th><th scope="col" class="text">heat: {metric.title} · outlined: in lines that it calls</th>
        </tr></thead>
        <tbody ref={body}>
          {shown.map((s, i) => {
            const cost = costs.get(s.line), inCalled = cost && !cost.own, value = inCalled ? cost.total : cost?.own ?? 0;
            const heat = cost ? Math.round(100 * Math.sqrt(cost.own / most)) : 0;
            return (
              <tr key={s.line} data-line={s.line} data-own={cost?.own} data-total={cost?.total} class={`${isIn === s.line ? "on" : ""} ${cost && cost.own === most ? "hot" : ""} ${heat > 25 ? "warm" : ""} ${inCalled ? "called" : ""} ${cost?.selected === 0 && !isIn ? "faded" : ""}`}>
                <td class="margin-bar">{cost && <MarginBar line={cost} most={most} />}</td>
                <td class="num strong" title={cost && exact(value, metric.unit)}>{own.text(value)}</td>
                {hasBackward && <><td class="num">{cost && own.text(cost.own - cost.backward)}</td><td class="num">{cost && own.text(cost.backward)}</td></>}
                {hasFloatOps && <td class="num">{flops.text(cost?.metrics.float_ops ?? 0)}</td>}
                {hasMemory && <td class="num">{bytes.text(cost?.metrics.requested_bytes ?? 0)}</td>}
                <td class="line-number">{s.isGap ? "" : cost ? <button type="button" aria-pressed={isIn === s.line} aria-label={`line ${s.line}: ${format(value, metric.unit)}${inCalled ? " in lines that it calls" : ""}`}
                  onClick={() => toggle(state, lineTerm(cost))}>{s.line}</button> : s.line}</td>
                <td class={`text ${s.isRecorded ? "recorded" : ""}`} ref={(td) => { td?.style.setProperty("--heat", `${heat}%`); }} onClick={() => cost && toggle(state, lineTerm(cost))}><Words pieces={colours[i]} /></td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function MarginBar({ line, most }: { line: Line; most: number }) {
  const width = (value: number) => Math.max(0.5, (100 * Math.min(value, most)) / most);
  if (!line.own) return <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="in lines that it calls"><rect class="outlined" x={0.5} y={0.5} width={width(line.total)} height={9} /></svg>;
  return <Bar max={most} parts={[{ value: line.own - line.backward, title: "forward" }, { value: line.backward, light: true, title: "backward" }]} />;
}

function Words({ pieces: all }: { pieces: Piece[] }) {
  return <code>{all.map((p, i) => (p.kind ? <span key={i} class={`py-${p.kind}`}>{p.text}</span> : p.text))}</code>;
}
