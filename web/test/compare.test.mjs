// Two profiles: what changed, in the numbers of `tfprof diff`, on a run of 2 tasks with 2 GPUs
// against a slow step of it in which a layer has another name.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, inaccessible, makeCluster, openPage, run, settle, start, startServer, stop, TOP } from "./browser.mjs";

const ON = "p=1&diff=1";
let started, opened, page, sides;

function makeSides() {
  const files = makeCluster(), directory = path.dirname(files[0]);
  const model = files.filter((f) => !f.includes("run_meta")), base = path.join(directory, "base"), now = path.join(directory, "new");
  run("save", base, ...model, ...files.filter((f) => /run_meta_[0-2]/.test(f)));
  const slow = files.find((f) => f.includes("run_meta_3"));
  for (const file of [...model, slow]) writeFileSync(file, readFileSync(file, "utf8").replaceAll("tower_3/layer_2", "tower_3/head"));
  run("save", now, ...model, slow);
  return [base, now];
}

before(async () => {
  sides = makeSides();
  started = await start(sides, { permissions: ["clipboard-read", "clipboard-write"] });
  ({ opened, page } = started);
});

after(() => stop(started));

// name → base, new and difference, exactly
const shown = async () => new Map(await page.locator("main .changes tbody tr").evaluateAll((rows) => rows.map((row) =>
  [row.querySelector("th").title, [...row.querySelectorAll("td .num[title]")].map((n) => Number(n.title.replace(/[^0-9-]/g, "")))])));

// The same from the command line, of rows of a depth; a side that has none says nothing.
function expected(view, depth, word, ...options) {
  const { nodes } = JSON.parse(run("diff", view, ...sides, `-select=${word}`, "-output=json", ...options));
  return new Map(nodes.filter((n) => n.depth === depth).map((n) => [n.name, [...(n.state === "added" ? [] : [n[word].base]),
    ...(n.state === "removed" ? [] : [n[word].new]), n[word].delta]]));
}

test("the numbers are those of tfprof diff", async () => {
  for (const [hash, view, ...options] of [["operations", "op"], ["layers", "scope", "-fold_gradients=true"], ["layers?fold_gradients=false", "scope"],
    ["python", "code", "-only_my_code=true", "-fold_gradients=true"], ["python?fold_gradients=false", "code", "-only_my_code=true"]])
    for (const word of ["micros", "bytes", "params"]) {
      await goTo(opened, `#/${hash}${hash.includes("?") ? "&" : "?"}${ON}&metric=${word}`);
      if (await page.locator(".empty").count()) continue; // no line made parameters
      const rows = await shown(), want = expected(view, 1, word, ...options);
      assert.ok(rows.size > 0, `${hash} ${word}`);
      for (const [name, numbers] of rows) assert.deepEqual(numbers, want.get(name), `${hash} ${word} ${name}`);
    }
});

test("what was worked out by hand: everything takes twice as long, launches do not", async () => {
  await goTo(opened, `#/operations?${ON}`);
  const base = 4 * 1200 + 12 * 4;
  assert.deepEqual((await shown()).get("Conv2DBackpropFilter"), [base, base + 4800, 4800]);
  const texts = await page.locator(".changes tbody tr").first().locator("td").allInnerTexts();
  assert.deepEqual(texts.slice(1), ["4.85 ms", "9.65 ms", "+4.80 ms", "+99.0% ▲", "?"]);
});

test("layers of either profile are coloured by their change, with a legend", async () => {
  for (const [p, word] of [[0, "base"], [1, "new"]]) {
    await goTo(opened, `#/layers?p=${p}&colour=change`);
    const { nodes } = JSON.parse(run("diff", "scope", ...sides, "-select=micros", "-output=json", "-fold_gradients=true"));
    const changes = new Map(nodes.filter((n) => n.state === "same").map((n) => [n.name, n.micros]));
    const labels = await page.locator(".treemap [role=button]").evaluateAll((all) => all.map((b) => b.getAttribute("aria-label")));
    let n = 0;
    for (const label of labels) {
      const change = changes.get(label.slice(0, label.indexOf(": ")));
      if (!change?.base || change.base === change.new) continue;
      assert.ok(label.endsWith(`, ${change.delta > 0 ? "▲ +" : "▼ "}${((100 * change.delta) / change.base).toFixed(1)}%`), `${word} ${label} ${JSON.stringify(change)}`);
      n++;
    }
    assert.ok(n >= 8, `${word}: ${labels.join(" | ")}`);
    assert.match(await page.locator(".legend").innerText(), /▼ 1%[\s\S]*same[\s\S]*more in B/);
    assert.ok(labels.some((l) => (p ? /tower_3\/head: .*, added/ : /tower_3\/layer_2: .*, removed/).test(l)), labels.join(" | "));
    assert.deepEqual(await inaccessible(page), []);
  }
});

test("a layer is added, another is gone; boxes say more and less by a sign, too", async () => {
  await goTo(opened, `#/layers?${ON}`);
  await page.locator(".changes").getByRole("link", { name: "tower_3", exact: true }).click();
  await page.locator("h1", { hasText: "B − A / tower_3" }).waitFor();
  await settle(page);
  const states = new Map(await page.locator(".changes tbody tr").evaluateAll((rows) => rows.map((r) => [r.querySelector("th").title, r.lastChild.textContent])));
  assert.equal(states.get("tower_3/head"), "added");
  assert.equal(states.get("tower_3/layer_2"), "removed");
  const labels = await page.locator(".treemap [role=button]").evaluateAll((boxes) => boxes.map((b) => b.getAttribute("aria-label")));
  assert.ok(labels.some((l) => /head: ▲ new/.test(l)) && labels.some((l) => /layer_2: ▼ -100\.0%/.test(l)), labels.join());
  await page.locator("h1 a").first().focus();
  await page.keyboard.press("Backspace");
  await page.waitForFunction(() => !location.hash.includes("root="));
});

test("the switch keeps the page, and columns sort", async () => {
  await goTo(opened, "#/operations?metric=bytes");
  await page.getByRole("link", { name: "B − A" }).click();
  await page.waitForSelector(".changes");
  assert.match(page.url(), /#\/operations\?metric=bytes&p=1&diff=1$/);
  await page.getByRole("columnheader", { name: "operation" }).getByRole("link").click();
  await page.waitForFunction(() => location.hash.includes("sort=name") && document.querySelector(".changes th[aria-sort=ascending]"));
  await settle(page);
  const names = [...(await shown()).keys()];
  assert.deepEqual(names, [...names].sort());
  await page.getByRole("link", { name: "A", exact: true }).click();
  await page.waitForSelector(".operations");
  assert.match(page.url(), /#\/operations\?metric=bytes$/);
});

test("copy as command and exports give the comparison", async () => {
  await goTo(opened, `#/operations?${ON}`);
  await page.getByRole("button", { name: "more" }).click();
  await page.getByRole("menuitem", { name: "Copy as command" }).click();
  await page.waitForSelector(".copied code");
  const line = await page.locator(".copied code").innerText();
  assert.equal(line, `tfprof diff op ${sides.join(" ")} --min_change=0% --select=micros`);
  const report = run(...line.split(" ").slice(1));
  for (const text of ["+4.80ms", "+99.0%"]) assert.ok(report.includes(text), report);
  await page.getByRole("button", { name: "more" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Save as JSON" }).click()]);
  assert.equal(JSON.parse(readFileSync(await download.path(), "utf8")).schema, "tfprof.diff");
});

test("the page opens on what changed; the overview shows the same; other pages show B", async () => {
  const other = await openPage(started.browser, started.server);
  await settle(other.page);
  assert.match(other.page.url(), /#\/compare\?p=1&diff=1$/);
  const sentence = await other.page.locator("h1").innerText();
  await other.close();
  assert.match(sentence, /^slower/);
  for (const at of ["overview", "compare"]) {
    await goTo(opened, `#/${at}?${ON}`);
    assert.equal(await page.locator("h1").innerText(), sentence);
  }
  await goTo(opened, `#/timeline?${ON}`);
  assert.match(await page.locator("h1").innerText(), /executions on/);
});

test("the sentence, both steps and their parts are those of the command line", async () => {
  const files = ["tf_cnn_loop", "tf_cnn_loop_jit"].map((name) => path.join(TOP, `tests/xplane/samples/${name}.xplane.pb.gz`));
  const other = await startServer(...files), there = await openPage(started.browser, other);
  try {
    await goTo(there, `#/compare?${ON}`);
    const { headline } = JSON.parse(run("diff", ...files, "-output=json"));
    assert.equal((await there.page.locator("h1").innerText()).replace(/^(faster|slower|within the spread of steps)\s+/, ""), headline);
    assert.equal(await there.page.locator(".verdict").innerText(), "faster");
    const sides = files.map((file) => JSON.parse(run("step", file, "-output=json"))), mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
    const steady = sides.map(({ nodes }) => nodes.filter((n) => n.depth === 1 && n.steady));
    const walls = await there.page.locator(".step-bar").evaluateAll((all) => all.map((ul) => Number(ul.dataset.wall)));
    steady.forEach((steps, i) => assert.ok(Math.abs(walls[i] - mean(steps.map((n) => n.wall_micros))) < 0.01, `${walls}`));
    const parts = await there.page.locator(".step-pair [data-part]").evaluateAll((all) => all.map((li) => [li.dataset.part, Number(li.dataset.before), Number(li.dataset.after)]));
    assert.ok(parts.length > 3);
    for (const [name, ...shownParts] of parts)
      sides.forEach(({ nodes }, i) => {
        const of = nodes.filter((n) => n.depth === 2 && n.name === name && steady[i].some((s) => s.id === n.parent)).reduce((sum, n) => sum + n.micros, 0) / steady[i].length;
        assert.ok(Math.abs(of - shownParts[i]) < 0.01, `${name}: ${shownParts[i]}, expected ${of}`);
      });
    // Both timelines begin at one place, have one scale, and are zoomed together.
    const grounds = () => there.page.locator(".step-ground").evaluateAll((all) => all.map((r) => [Number(r.dataset.duration), r.x.baseVal.value, r.width.baseVal.value]));
    const [[a, ax, aw], [b, bx, bw]] = await grounds();
    assert.ok(ax === bx && Math.abs(aw / bw - a / b) < 0.01, `${aw} ${bw} ${a} ${b}`);
    // From the begin of the step that is drawn to its end, with what it went to.
    [a, b].forEach((micros, i) => assert.ok(Math.abs(micros - steady[i][0].wall_micros) <= 1.5, `${micros}, expected ${steady[i][0].wall_micros}`));
    assert.equal(await there.page.locator('[data-row="parts of the step"]').count(), 2);
    // The longer one ends where the picture does, however wide that is.
    for (const width of [700, 1280]) {
      await there.page.setViewportSize({ width, height: 720 });
      await settle(there.page);
      const ends = (await grounds()).map(([, x, w]) => x + w), wide = await there.page.locator(".pair-timelines").evaluate((svg) => svg.clientWidth);
      assert.ok(Math.abs(Math.max(...ends) - wide) < 3, `${ends} of ${wide}`);
    }
    await there.page.locator(".pair-timelines").focus();
    await there.page.keyboard.press("+");
    const [[, , aWide], [, , bWide]] = await grounds();
    assert.ok(aWide !== aw || bWide !== bw);
    assert.deepEqual(await inaccessible(there.page), []);
    assert.deepEqual(there.problems, []);
  } finally {
    await there.close();
    other.stop();
  }
});

test("lines and kinds that changed are sums of what each side says", async () => {
  await goTo(opened, `#/compare?${ON}`);
  const rowsOf = (panel) => page.locator(`.changed-${panel} tbody tr`).evaluateAll((all) => all.map((row) => [row.querySelector("th").title, ...[...row.querySelectorAll("td .num[title]")].map((n) => Number(n.title.replace(/[^0-9-]/g, "")))]));
  const own = sides.map((side) => {
    const sums = new Map();
    for (const n of JSON.parse(run("code", side, "-select=micros", "-only_my_code=true", "-fold_gradients=true", "-max_depth=100", "-output=json")).nodes) sums.set(n.name, (sums.get(n.name) ?? 0) + n.exec_micros);
    return sums;
  });
  const lines = await rowsOf("line");
  assert.ok(lines.length > 0);
  for (const [name, ...numbers] of lines) {
    const [before, after] = own.map((of) => of.get(name) ?? 0);
    assert.deepEqual(numbers, [...(before ? [before] : []), ...(after ? [after] : []), after - before], name);
  }
  const { nodes } = JSON.parse(run("diff", "op", ...sides, "-select=micros", "-output=json")), kinds = await rowsOf("family");
  assert.equal(kinds.reduce((sum, [, , , change]) => sum + change, 0), nodes[0].micros.delta);
  // A line leads to its source, in the profile that has it.
  await page.locator(".changed-line tbody a").first().click();
  await settle(page);
  assert.match(page.url(), /#\/source\?.*sel=line/);
  assert.doesNotMatch(page.url(), /diff=1/);
});

describe("accessible", () => {
  for (const theme of ["light", "dark"])
    for (const name of ["compare", "operations", "layers", "python"])
      test(`${name}, ${theme}`, async () => {
        await goTo(opened, `#/${name}?${ON}&theme=${theme}`);
        assert.deepEqual(await inaccessible(page), []);
      });
});

test("two model files", async () => {
  const models = ["compiled.keras", "mixed.keras"].map((name) => path.join(TOP, "tests/models/files", name));
  const other = await startServer(...models), there = await openPage(started.browser, other);
  try {
    await goTo(there, `#/layers?${ON}&metric=params`);
    const { nodes } = JSON.parse(run("diff", ...models, "-output=json"));
    const titles = await there.page.locator(".changes tbody th").evaluateAll((all) => all.map((th) => th.title));
    assert.deepEqual(titles.sort(), nodes.filter((n) => n.depth === 1).map((n) => n.name).sort());
    assert.deepEqual(there.problems, []);
  } finally {
    await there.close();
    other.stop();
  }
});

test("no request left the server, and the console is empty", () => {
  assert.deepEqual(opened.problems, []);
});
