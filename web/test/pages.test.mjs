// The pages in a real browser, on the bundled sample.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isShown, goTo, inaccessible, run, SAMPLE, settle, start, stop } from "./browser.mjs";

let started, opened;

before(async () => {
  started = await start([SAMPLE]);
  ({ opened } = started);
});

after(() => stop(started));

const texts = (selector) => opened.page.locator(selector).allInnerTexts();

// name → numbers of each row of a table
async function table(selector) {
  const rows = opened.page.locator(`${selector} tbody tr`);
  const found = new Map();
  for (const row of await rows.all()) {
    const name = (await row.locator("th").innerText()).trim();
    found.set(name, (await row.locator("td .num").allInnerTexts()));
  }
  return found;
}

// name → the first number of each line of an op report
function reported(...words) {
  const found = new Map();
  for (const line of run("op", SAMPLE, "-max_depth=1000", ...words).split("\n")) {
    const match = /^(\S+) +(\S+?)(?: params| float_ops)? \(/.exec(line);
    if (match) found.set(match[1], match[2]);
  }
  return found;
}

test("the overview says what dominates", async () => {
  assert.equal(await opened.page.locator("h1").innerText(), "A step takes 1203 ms: 99 % computing.");
  const totals = await opened.page.locator(".totals").innerText();
  for (const text of [/parameters 464 k trainable/, /float operations\s+53\.7 G/, /operations, all threads[^\n]*\s+1\.87 s/]) assert.match(totals, text);
});

test("operations have the numbers of the command line", async () => {
  for (const [word, title] of [["micros", "time"], ["bytes", "requested bytes"], ["params", "parameters"], ["float_ops", "float operations"]]) {
    await goTo(opened, `#/operations?metric=${word}`);
    const shown = await table(".operations");
    const expected = reported(`-select=${word}`, `-order_by=${word}`);
    assert.ok(expected.size > 40, title);
    for (const [name, text] of expected) assert.ok(isShown(text, shown.get(name)?.[0]), `${name} ${title}: ${text}, ${shown.get(name)}`);
    assert.deepEqual([...shown.keys()].slice(0, 5), [...expected.keys()].slice(0, 5), title);
  }
});

test("any column sorts, and the address remembers it", async () => {
  await goTo(opened, "#/operations");
  await opened.page.getByRole("link", { name: "operation", exact: true }).click();
  await settle(opened.page);
  const names = [...(await table(".operations")).keys()];
  assert.deepEqual(names, [...names].sort());
  assert.ok(opened.page.url().endsWith("#/operations?sort=name"));
  await opened.page.reload();
  await opened.page.waitForSelector(".operations tbody tr");
  await settle(opened.page);
  assert.deepEqual([...(await table(".operations")).keys()], names);
  await opened.page.goBack();
  await settle(opened.page);
  assert.equal([...(await table(".operations")).keys()][0], "Conv2DBackpropFilter");
});

test("a step is chosen, and its numbers are shown", async () => {
  await goTo(opened, "#/operations");
  await opened.page.getByLabel("step").selectOption("2");
  await settle(opened.page);
  const shown = await table(".operations");
  for (const [name, text] of reported("-select=micros", "-step=2")) assert.ok(isShown(text, shown.get(name)?.[0]), `${name}: ${text}, ${shown.get(name)}`);
});

test("keys choose pages and list themselves", async () => {
  await goTo(opened, "#/overview");
  await opened.page.keyboard.press("3");
  await settle(opened.page);
  assert.match(await opened.page.locator("h1").innerText(), /operation types/);
  await opened.page.keyboard.press("?");
  assert.ok(await opened.page.locator("dialog[open]").isVisible());
  await opened.page.keyboard.press("Escape");
  assert.equal(await opened.page.locator("dialog[open]").count(), 0);
});

test("a wrong option is named, not hidden", async () => {
  await goTo(opened, "#/operations?show_name_regexes=(");
  assert.match(await opened.page.locator(".problem").first().innerText(), /show_name_regexes/);
  assert.ok(opened.problems.every((p) => p.includes("400")), opened.problems.join("\n"));
  opened.problems.length = 0;
});

test("nothing matches: the page says so and resets", async () => {
  await goTo(opened, "#/operations?account_type_regexes=nothing&show_name_regexes=nothing");
  assert.match(await opened.page.locator(".empty").innerText(), /No operation matches/);
  await opened.page.getByRole("link", { name: "Reset all options" }).click();
  await settle(opened.page);
  assert.ok((await table(".operations")).size > 40);
});

// name → the total of each scope of the first level
function scopes(word, ...options) {
  const { nodes } = JSON.parse(run("scope", SAMPLE, "-max_depth=2", `-select=${word}`, "-output=json", ...options));
  const column = { micros: "total_exec_micros", params: "total_parameters" }[word];
  return new Map(nodes.slice(1).map((n) => [n.name, n[column]]));
}

test("layers have the numbers of the command line, and open", async () => {
  for (const [word, fold] of [["micros", true], ["params", true], ["micros", false]]) {
    await goTo(opened, `#/layers?metric=${word}&fold_gradients=${fold}`);
    const titles = await opened.page.locator(".numbers tbody tr").evaluateAll((rows) =>
      rows.map((row) => [row.querySelector("th").innerText.trim(), row.querySelector("td .num").title]));
    const expected = scopes(word, `-fold_gradients=${fold}`);
    assert.ok(titles.length > 10, word);
    for (const [name, title] of titles)
      assert.equal(Number(title.replace(/[^0-9]/g, "")), expected.get(name), `${name} ${word}`);
  }
  await goTo(opened, "#/layers");
  await opened.page.getByRole("link", { name: "unit_1_3", exact: true }).click();
  await settle(opened.page);
  assert.match(await opened.page.locator("h1").innerText(), /model \/ unit_1_3 212 ms time/);
  await opened.page.goBack();
  await settle(opened.page);
  assert.match(await opened.page.locator("h1").innerText(), /^model 1.87 s time/);
  await opened.page.getByLabel("gradients with their forward layer").uncheck();
  await settle(opened.page);
  assert.ok(await opened.page.getByRole("link", { name: "gradients", exact: true }).isVisible());
});

test("layers are coloured by float operations per second, with a legend", async () => {
  await goTo(opened, "#/layers");
  await opened.page.getByLabel("colour").selectOption("rate");
  await settle(opened.page);
  assert.match(opened.page.url(), /colour=rate/);
  const { nodes } = JSON.parse(run("scope", SAMPLE, "-max_depth=20", "-select=micros,float_ops", "-fold_gradients=true", "-output=json"));
  const rates = new Map(nodes.filter((n) => n.total_float_ops && n.total_exec_micros).map((n) => [n.name, (1e6 * n.total_float_ops) / n.total_exec_micros]));
  const boxes = await opened.page.locator(".treemap [role=button]").evaluateAll((all) => all.map((b) => [b.getAttribute("aria-label"), b.querySelector("rect:last-of-type").getAttribute("class")]));
  const text = (rate) => `${(rate / 1e9).toFixed(rate < 9.995e9 ? 2 : rate < 99.95e9 ? 1 : 0)} G/s`;
  let n = 0;
  for (const [label, colour] of boxes) {
    const name = label.slice(0, label.indexOf(": ")), rate = rates.get(name);
    if (!rate || rate < 1e9 || colour === "outer") continue;
    assert.ok(label.endsWith(`, ${text(rate)}`), `${label}: ${text(rate)}`);
    n++;
  }
  assert.ok(n > 20);
  // The faster of two boxes is never painted as the slower one.
  const steps = boxes.filter(([, colour]) => /^rate-/.test(colour)).map(([label, colour]) => [rates.get(label.slice(0, label.indexOf(": "))), Number(colour.slice(5))]).sort((a, b) => b[0] - a[0]);
  assert.deepEqual(steps.map(([, s]) => s), steps.map(([, s]) => s).sort());
  assert.ok(new Set(steps.map(([, s]) => s)).size >= 3);
  assert.match(await opened.page.locator(".legend").innerText(), /G\/s – .*G\/s[\s\S]*below .*G\/s[\s\S]*no float operations/);
  for (const theme of ["light", "dark"]) {
    await goTo(opened, `#/layers?colour=rate&theme=${theme}`);
    assert.deepEqual(await inaccessible(opened.page), []);
  }
});

test("only my code is shown unless asked otherwise", async () => {
  await goTo(opened, "#/python");
  const lines = await texts(".numbers tbody th");
  assert.ok(lines.length > 10 && lines.every((l) => /^(train|resnet_model)\.py:/.test(l)), lines.join("\n"));
  await opened.page.getByLabel("only my code").uncheck();
  await settle(opened.page);
  assert.ok((await texts(".numbers tbody th")).some((l) => l.startsWith("ops.py:")));
});

test("a flame graph is walked by keys", async () => {
  await goTo(opened, "#/python?fold_gradients=false");
  const flame = opened.page.getByRole("group", { name: "lines of Python as a flame graph" });
  await flame.locator("g").first().focus();
  await opened.page.keyboard.press("ArrowDown");
  await opened.page.keyboard.press("ArrowRight");
  const label = await opened.page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.match(label, /^train.py:76:<module>:train\(sys.argv\[1\]\): 366 ms/);
  await opened.page.keyboard.press("Enter");
  await settle(opened.page);
  assert.match(await opened.page.locator("h1").innerText(), /366 ms time/);
});

test("i inverts the flame graph: lines with their callers", async () => {
  const { page } = opened;
  await goTo(opened, "#/python");
  await page.keyboard.press("i");
  await settle(page);
  assert.match(await page.locator("h1").innerText(), /^Lines with the highest own cost, and their callers 1.87 s time/);
  const flame = page.getByRole("group", { name: "callers of lines of Python as a flame graph" });
  await flame.getByRole("button", { name: /^resnet_model.py:104:/ }).first().click();
  await settle(page);
  assert.match(await page.locator("h1").innerText(), /^Callers of resnet_model.py:104 .* with what it calls/);
  const labels = (await Promise.all((await flame.getByRole("button").all()).map((box) => box.getAttribute("aria-label")))).map((l) => l.split(":")[0]);
  assert.deepEqual(labels, ["resnet_model.py", "resnet_model.py", "train.py", "train.py", "train.py"]);
  assert.deepEqual(await inaccessible(page), []);
  await page.reload();
  await settle(page);
  assert.match(await page.locator("h1").innerText(), /^Callers of resnet_model.py:104/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("i");
  await settle(page);
  assert.match(await page.locator("h1").innerText(), /^whole program/);
});

test("the timeline adds up what it shows", async () => {
  await goTo(opened, "#/timeline?step=1");
  const shown = await table(".sums");
  const expected = reported("-select=micros", "-step=1");
  assert.equal([...shown.keys()][0], "Conv2DBackpropFilter");
  for (const name of ["Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv2D"]) assert.ok(isShown(expected.get(name), shown.get(name)[0]), name);
  await opened.page.locator(".timeline").focus();
  await opened.page.keyboard.press("w");
  await opened.page.keyboard.press("d");
  await settle(opened.page);
  assert.match(opened.page.url(), /zoom=\d+-\d+/);
  const box = await opened.page.locator("canvas").boundingBox();
  await opened.page.mouse.move(box.x + 400, box.y + 40);
  await opened.page.keyboard.down("Shift");
  await opened.page.mouse.down();
  await opened.page.mouse.move(box.x + 600, box.y + 40);
  await opened.page.mouse.up();
  await opened.page.keyboard.up("Shift");
  await settle(opened.page);
  assert.match(await opened.page.locator("aside .sums h2").innerText(), /^Selected: /);
  assert.match(opened.page.url(), /sel=time%3A1%2C\d+-\d+/);
});

test("advice shows every finding", async () => {
  await goTo(opened, "#/advice?checks=1");
  const advice = JSON.parse(run("advise", SAMPLE, "-output=json"));
  const texts = advice.checkers.flatMap((c) => c.findings.map((f) => f.text));
  assert.deepEqual((await opened.page.locator(".findings .what").evaluateAll((all) => all.map((p) => p.dataset.text))).sort(), texts.sort());
});

describe("accessible", () => {
  for (const theme of ["light", "dark"])
    for (const page of ["overview", "operations", "layers", "python", "graph", "timeline", "advice"])
      test(`${page}, ${theme}`, async () => {
        await goTo(opened, `#/${page}?theme=${theme}`);
        assert.deepEqual(await inaccessible(opened.page), []);
      });
});

test("no request left the server, and the console is empty", () => {
  assert.deepEqual(opened.problems, []);
});
