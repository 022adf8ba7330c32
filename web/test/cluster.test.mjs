// A run of 2 tasks with 2 GPUs each: every page has the numbers of the command line. And what
// lies over pages, options, keys, menu and search, is accessible in light and dark.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { goTo, inaccessible, makeCluster, run, settle, start, stop } from "./browser.mjs";

let started, opened, page, files;

before(async () => {
  files = makeCluster();
  started = await start(files);
  ({ opened, page } = started);
});

after(() => stop(started));

const exact = (title) => Number(title.replace(/[^0-9]/g, ""));
const COLUMNS = { micros: "exec_micros", accelerator_micros: "accelerator_exec_micros", bytes: "requested_bytes", params: "parameters", float_ops: "float_ops" };

// name → a number of each row of a report
function reported(view, word, own, ...options) {
  const { nodes } = JSON.parse(run(view, ...files, "-max_depth=1000", `-select=${word}`, "-output=json", "-account_type_regexes=.*", "-count_float_ops=true", ...options));
  return new Map(nodes.slice(1).map((n) => [n.name, n[own ? COLUMNS[word] : `total_${COLUMNS[word]}`]]));
}

// name → the first number of each row of a table
const table = async (selector) => new Map(await page.locator(`${selector} tbody tr`).evaluateAll((rows) => rows.map((row) =>
  [row.querySelector("th").innerText.trim(), row.querySelector("td .num[title]").title])));

for (const word of Object.keys(COLUMNS))
  for (const step of [undefined, 3])
    test(`operations, layers and the graph: ${word}, ${step === undefined ? "the average" : `step ${step}`}`, async () => {
      const options = step === undefined ? [] : [`-step=${step}`], params = `metric=${word}${step === undefined ? "" : `&step=${step}`}`;
      await goTo(opened, `#/operations?${params}`);
      const types = reported("op", word, true, ...options), shown = await table(".operations");
      assert.deepEqual([...shown.keys()].sort(), [...types.keys()].sort());
      for (const [name, title] of shown) assert.equal(exact(title), types.get(name), `${name} ${params}`);

      const scopes = reported("scope", word, false, "-fold_gradients=true", ...options);
      await goTo(opened, `#/layers?${params}`);
      const layers = await table(".numbers");
      assert.ok(layers.size >= 4, params);
      for (const [name, title] of layers) assert.equal(exact(title), scopes.get(name), `layer ${name} ${params}`);

      const boxes = await (await page.request.get(`${opened.origin}/api/graph?fold_gradients=true&metric_column=${COLUMNS[word]}${step === undefined ? "" : `&step=${step}`}`)).json();
      assert.ok(boxes.boxes.length >= 5);
      for (const box of boxes.boxes) assert.equal(box.total[COLUMNS[word]] ?? 0, scopes.get(box.name), `box ${box.name} ${params}`);
    });

test("lines of Python", async () => {
  await goTo(opened, "#/python?fold_gradients=false");
  const { nodes } = JSON.parse(run("code", ...files, "-max_depth=1000", "-select=micros", "-output=json", "-only_my_code=true"));
  for (const [name, title] of await table(".numbers"))
    assert.ok(nodes.some((n) => n.name === name && n.exec_micros === exact(title)), `${name} ${title}`);
});

test("the timeline and the overview", async () => {
  // Worked out by hand: 4 towers × (100 + 200 + 300) of convolutions, launches of 4; twice as long in step 3.
  for (const [step, factor] of [[0, 1], [3, 2]]) {
    await goTo(opened, `#/timeline?step=${step}`);
    await page.waitForSelector(".sums tbody tr");
    const sums = await table(".sums");
    assert.equal(exact(sums.get("Conv2D")), 4 * 600 * factor + 12 * 4);
    assert.equal(exact(sums.get("Conv2DBackpropFilter")), 4 * 1200 * factor + 12 * 4);
  }
  await goTo(opened, "#/overview");
  const walls = (await (await page.request.get(`${opened.origin}/api/profile`)).json()).steps.map((s) => s.wall);
  assert.equal(walls.length, 5);
  assert.ok(walls[3] > 1.8 * walls[0]);
  assert.match(await page.locator(".totals").innerText(), /peak memory in use gpu:0, step 0\s+9\.00 MB/);
  assert.equal(await page.locator("h1").innerText(), JSON.parse(run("step", ...files, "-output=json")).headline);
  // A bar for each step, as high as it took long.
  assert.deepEqual(await page.locator(".every a").evaluateAll((all) => all.map((a) => Number(a.dataset.wall))), walls);
});

test("advice", async () => {
  await goTo(opened, "#/advice?checks=1");
  const { checkers } = JSON.parse(run("advise", ...files, "-output=json"));
  const shown = await page.locator(".findings .what").evaluateAll((all) => all.map((p) => p.dataset.text));
  assert.deepEqual(shown.sort(), checkers.flatMap((c) => c.findings.map((f) => f.text)).sort());
});

describe("what lies over pages is accessible", () => {
  const overlays = { options: "o", keys: "?", menu: ".", search: "/" };
  for (const theme of ["light", "dark"])
    for (const [name, key] of Object.entries(overlays))
      test(`${name}, ${theme}`, async () => {
        await goTo(opened, `#/operations?theme=${theme}${name === "search" ? "&find=conv" : ""}`);
        await page.evaluate(() => document.activeElement?.blur());
        await page.keyboard.press(key);
        await page.waitForSelector({ options: "dialog.options[open] form", keys: "dialog[open] table", menu: "[role=menu] [role=menuitem]", search: ".found a" }[name]);
        await settle(page);
        assert.deepEqual(await inaccessible(page), []);
        await page.keyboard.press("Escape");
      });
});

test("no request left the server, and the console is empty", () => {
  assert.deepEqual(opened.problems, []);
});
