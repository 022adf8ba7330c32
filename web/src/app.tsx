// The page: header, tabs, keys; a page below it.
import { render, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getNow, isWhole, setInstance, useApi, type LoadState, type Profile } from "./api";
import { Compare, isComparing } from "./compare";
import { setFamilies } from "./families";
import { format } from "./format";
import { Details } from "./details";
import { Find } from "./find";
import { fingerprint, nameIn } from "./fingerprint";
import { Keys, useKey } from "./keys";
import { Menu } from "./menu";
import { Options } from "./options";
import { defaultMetric, go, link, metricsOf, requestParams, type State, useAddress } from "./state";
import { Empty, Problem } from "./widgets";
import { Overview } from "./pages/overview";
import { Operations } from "./pages/operations";
import { Layers } from "./pages/layers";
import { Source } from "./pages/source";
import { Memory } from "./pages/memory";
import { Roofline } from "./pages/roofline";
import { Graph } from "./pages/graph";
import { ComparePage } from "./pages/compare";
import { Timeline } from "./pages/timeline";

// `profiles`: how many are open.
export interface PageProps { state: State; profile: Profile; profiles?: number }

// `compared` shows what changed between two profiles; pages without it show the second one.
const PAGES: { name: string; title: string; component: ComponentType<PageProps>; compared?: ComponentType<PageProps>; needsTwo?: boolean }[] = [
  { name: "overview", title: "Overview", component: Overview, compared: ComparePage },
  { name: "timeline", title: "Timeline", component: Timeline },
  { name: "operations", title: "Operations", component: Operations, compared: Compare },
  { name: "layers", title: "Layers", component: Layers, compared: Compare },
  { name: "source", title: "Source", component: Source, compared: Compare },
  { name: "memory", title: "Memory", component: Memory },
  { name: "roofline", title: "Roofline", component: Roofline },
  { name: "graph", title: "Graph", component: Graph },
  { name: "compare", title: "Compare", component: ComparePage, needsTwo: true },
];

// Until files are loaded, and later for whether they are still the same.
const LOADING_MS = 250, WATCHING_MS = 1000;

// Files that were replaced are loaded by a server that starts anew, at the same address.
function reload(load: LoadState | undefined): void {
  if (load?.profiles.some((p) => p.changed)) getNow("reload").catch(() => undefined);
}

function Loading() {
  const [load, setLoad] = useState<LoadState>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    let timer = 0;
    const poll = async () => {
      try {
        const state = await getNow<LoadState>("load");
        setLoad(state);
        setInstance(state.instance);
        setError(undefined);
        const isLoading = state.profiles.some((p) => p.state === "loading");
        if (isLoading || !document.hidden) timer = setTimeout(poll, isLoading ? LOADING_MS : WATCHING_MS);
      } catch (e) {
        setError((e as Error).message);
        timer = setTimeout(poll, WATCHING_MS);
      }
    };
    const look = () => {
      clearTimeout(timer);
      poll();
    };
    poll();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  useKey("R", () => reload(load));
  useKey("r", () => reload(load));
  const failed = load?.profiles.find((p) => p.state === "failed");
  const loading = load?.profiles.find((p) => p.state === "loading");
  if (failed) return <Skeleton><h1>Cannot show {failed.file}</h1><p class="problem" role="alert">{failed.error}</p><Changed load={load} /></Skeleton>;
  if (!load) return <Skeleton>{error && <p class="problem" role="alert">{error}</p>}</Skeleton>;
  if (loading)
    return (
      <Skeleton>
        <div class="loading" aria-live="polite">
          <h1>Loading {loading.file}</h1>
          <progress max={loading.total || undefined} value={loading.total ? loading.done : undefined} aria-label="loaded" />
          <p class="dim">{loading.total ? <>{format(loading.done ?? 0, "bytes")} of {format(loading.total, "bytes")}</> : "reading"}{loading.nodes ? `, ${format(loading.nodes, "count")} nodes` : ""}</p>
        </div>
      </Skeleton>
    );
  return <Shell key={load.instance} load={load} lost={error} />;
}

// The page before there is anything to show on it.
function Skeleton({ children }: { children: ComponentChildren }) {
  return (
    <>
      <header>
        <strong class="brand">tfprof</strong>
        <nav aria-label="pages">{PAGES.filter((page) => !page.needsTwo).map((page, i) => <a key={page.name} href={link({ page: page.name })}>{page.title} <kbd>{i + 1}</kbd></a>)}</nav>
      </header>
      <main>{children}</main>
    </>
  );
}

function Changed({ load }: { load?: LoadState }) {
  const changed = (load?.profiles ?? []).filter((x) => x.changed);
  return changed.length ? <p class="banner" role="alert">{changed[0].file} has changed on disk. <button type="button" onClick={() => reload(load)}>Reload <kbd>R</kbd></button></p> : null;
}

// With two profiles the first question is what changed.
const COMPARISON = "#/compare?p=1&diff=1";

function Shell({ load, lost }: { load: LoadState; lost?: string }) {
  if (load.profiles.length > 1 && /^#?\/?$/.test(location.hash)) history.replaceState(null, "", COMPARISON);
  const pages = PAGES.filter((x) => !x.needsTwo || load.profiles.length > 1);
  const state = useAddress();
  const p = Number(state.values.p ?? 0);
  const params = requestParams(state);
  const { data: profile, error } = useApi<Profile>("profile", { ...params, step: state.values.step });
  useEffect(() => {
    const theme = state.values.theme;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  }, [state.values.theme]);
  const page = pages.find((x) => x.name === state.page);
  const Component = (isComparing(state) && page?.compared) || page?.component;
  if (profile) setFamilies(profile.families);
  useEffect(() => {
    document.title = `${page?.title ?? "tfprof"} – ${load.profiles[p]?.file ?? ""} – tfprof`;
  }, [page, p]);
  return (
    <>
      <Header state={state} profile={profile} load={load} />
      <Keys pages={pages.map((x) => x.name)} />
      {lost && <p class="banner" role="alert">{lost}</p>}
      <Changed load={load} />
      {profile && state.values.f && state.values.f !== fingerprint(profile) && (
        <p class="banner" role="alert">This link was made for another profile, {nameIn(state.values.f)}. <a href={link({ values: { f: undefined } })}>Show this one</a></p>
      )}
      <div class={state.page === "timeline" ? "body" : state.values.sel ? "body with-details" : "body"}>
        <main id="content" tabIndex={-1} class={state.values.find ? "finding" : undefined}>
          {error && <Problem error={error} />}
          {!Component && <Empty what="There is no such page." how={<a href={link({ page: "overview" })}>Overview</a>} />}
          {profile && Component && <Component state={state} profile={profile} profiles={load.profiles.length} />}
        </main>
        {profile && state.values.sel && state.page !== "timeline" && <Details state={state} profile={profile} />}
      </div>
    </>
  );
}

function Header({ state, profile, load }: { state: State; profile?: Profile; load: LoadState }) {
  return (
    <header>
      <strong class="brand">tfprof</strong>
      <nav aria-label="pages">
        {PAGES.filter((page) => !page.needsTwo || load.profiles.length > 1).map((page, i) => (
          <a key={page.name} href={link({ page: page.name, values: page.needsTwo ? { p: "1", diff: "1" } : {} })} aria-current={page.name === state.page ? "page" : undefined}>
            {page.title} <kbd>{i + 1}</kbd>
          </a>
        ))}
      </nav>
      <div class="controls">
        {load.profiles.length > 1 && <ProfileSwitch state={state} load={load} />}
        {profile && profile.steps.length > 0 && !isWhole(profile) && <StepChoice state={state} profile={profile} />}
        {profile && <MetricChoice state={state} profile={profile} />}
        {profile && <Find state={state} profile={profile} />}
        {profile && <Options state={state} profile={profile} />}
        {profile && <Menu state={state} profile={profile} />}
      </div>
    </header>
  );
}

// A, B, or what changed from A to B. Rows are numbered differently in each.
function ProfileSwitch({ state, load }: { state: State; load: LoadState }) {
  const p = state.values.p ?? "0", [a, b] = load.profiles.map((profile) => profile.file);
  const choices = [{ label: "A", title: a, values: {} }, { label: "B", title: b, values: { p: "1" } },
    { label: "B − A", title: `what changed from ${a} to ${b}`, values: { p: "1", diff: "1" } }];
  const chosen = isComparing(state) ? 2 : Number(p);
  return (
    <span class="switch" role="group" aria-label="profile">
      {choices.map(({ label, title, values }, i) => (
        <a key={i} href={link({ values: { p: undefined, diff: undefined, ...((i === 2) !== isComparing(state) ? { root: undefined, sort: undefined } : {}), ...values } })}
          title={title} aria-current={chosen === i ? "true" : undefined}>{label}</a>
      ))}
    </span>
  );
}

function StepChoice({ state, profile }: { state: State; profile: Profile }) {
  return (
    <label>
      <span class="hidden">step</span>
      <select value={state.values.step ?? "-1"}
        onChange={(e) => go({ values: { step: e.currentTarget.value === "-1" ? undefined : e.currentTarget.value } })}>
        <option value="-1">{profile.steps.length > 1 ? `average of ${profile.steps.length} steps` : "1 step"}</option>
        {profile.steps.map((s) => <option key={s.step} value={String(s.step)}>step {s.step}</option>)}
      </select>
    </label>
  );
}

function MetricChoice({ state, profile }: { state: State; profile: Profile }) {
  return (
    <label class="metric">
      <span class="hidden">metric</span>
      <select value={defaultMetric(state, profile).word}
        onChange={(e) => go({ values: { metric: e.currentTarget.value } })}>
        {metricsOf(profile).map((m) => <option key={m.word} value={m.word}>{m.title}</option>)}
      </select>
    </label>
  );
}

render(<Loading />, document.body);
