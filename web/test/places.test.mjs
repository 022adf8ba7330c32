// Where things are and what is near them: neighbours in the graph and on the timeline, what is
// searched for, measuring, and the doors of findings.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, asShown, inaccessible, run, SAMPLE, settle, start, stop } from "./browser.mjs";

const NODE = "unit_1_0/sub1/conv1/Conv2D";
let started, opened, page;

before(async () => {
  started = await start([SAMPLE]);
  ({ opened, page } = started);
});

after(() => stop(started));

const ask = async (route) => (await page.request.get(`${opened.origin}/api/${route}`)).json();
const boxes = () => page.locator(".graph .box").evaluateAll((all) => all.map((b) => b.getAttribute("aria-label").split(": ")[0]));

test("a node of the graph is shown with two hops of inputs and consumers", async () => {
  await goTo(opened, `#/graph?around=${NODE}&metric=micros`);
  const near = async (name) => { const n = await ask(`node?name=${name}`); return { inputs: n.inputs, consumers: n.consumers }; };
  const expected = new Set([NODE]), { inputs, consumers } = await near(NODE);
  for (const [links, side] of [[inputs, "inputs"], [consumers, "consumers"]])
    for (const link of links.filter((l) => !l.control)) {
      expected.add(link.name);
      for (const next of (await near(link.name))[side].filter((l) => !l.control)) expected.add(next.name);
    }
  assert.ok(expected.size > 8);
  assert.deepEqual((await boxes()).sort(), [...expected].sort());
  // Each box is the node alone: the number of the command line.
  const label = await page.locator('.graph [data-box="0"]').getAttribute("aria-label");
  const { nodes } = JSON.parse(run("scope", SAMPLE, `-start_name_regexes=${NODE}`, "-select=micros", "-output=json", "-max_depth=100"));
  const { exec_micros: own } = nodes.find((n) => n.name === NODE);
  assert.ok(label.startsWith(`${NODE}: ${asShown(`${(own / 1000).toFixed(2)}ms`)}, `) && label.endsWith(" 1 node"), label);
  assert.deepEqual(await inaccessible(page), []);
  await page.locator('.graph [data-box="1"]').focus();
  const next = (await boxes())[1];
  await page.keyboard.press("Enter");
  await page.waitForFunction((name) => document.querySelector('.graph [data-box="0"]')?.getAttribute("aria-label").startsWith(`${name}: `), next);
  await page.keyboard.press("Backspace");
  await page.waitForFunction(() => !location.hash.includes("around="));
});

test("the timeline says what a node waited for, and who took its result", async () => {
  await goTo(opened, `#/timeline?step=0&sel=node:${NODE}`);
  await page.waitForSelector(".neighbours li");
  const flows = await ask(`flows?step=0&node=${NODE}`), self = flows.find((f) => f.role === "self");
  assert.equal(self.name, NODE);
  // Data flows forward in time.
  for (const f of flows) if (f.role === "input") assert.ok(f.x + f.w <= self.x, f.name); else if (f.role === "consumer") assert.ok(f.x >= self.x + self.w, f.name);
  const { inputs, consumers } = await ask(`node?name=${NODE}`);
  const listed = await page.locator(".neighbours li a").allInnerTexts();
  assert.deepEqual(listed.sort(), [...inputs, ...consumers].map((l) => l.name).sort());
  assert.deepEqual(await inaccessible(page), []);
  // F shows when it ran.
  await page.locator(".timeline").focus();
  await page.keyboard.press("f");
  await page.waitForFunction(() => location.hash.includes("zoom="));
  const [, from, until] = /zoom=(\d+)-(\d+)/.exec(page.url()).map(Number);
  assert.ok(from <= self.x && until >= self.x + self.w && until - from < 4 * self.w + 20, `${from}-${until} of ${self.x}+${self.w}`);
});

test("m measures, by keys and by the mouse", async () => {
  await goTo(opened, "#/timeline?step=0");
  const { duration } = await ask("lanes?step=0");
  const box = await page.locator("canvas").boundingBox(), left = 196, at = (x) => ((x - left) / (box.width - left)) * duration;
  await page.locator(".timeline").focus();
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.keyboard.press("m");
  await page.mouse.move(box.x + 700, box.y + 60);
  await page.keyboard.press("m");
  await page.waitForFunction(() => / from /.test(document.querySelector(".told").textContent));
  const told = await page.locator(".told").innerText();
  const micros = Number(/^([\d.]+) ms from/.exec(told)[1]) * 1000;
  assert.ok(Math.abs(micros - (at(700) - at(300))) < 600, `${told}, expected ${at(700) - at(300)} us`);
  await page.keyboard.press("m");
  await page.waitForFunction((measured) => document.querySelector(".told").textContent !== measured, told);
});

test("what is searched for is marked in the graph, on the timeline and in advice, and can be selected", async () => {
  await goTo(opened, "#/graph?find=unit_2&fold_alike=false");
  assert.deepEqual(await page.locator(".graph .box.match").count(), 5);
  await page.keyboard.press("]");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".match")));
  const [selected] = await Promise.all([page.waitForRequest((r) => r.url().includes("/api/slices") && r.url().includes("sel=find%3Aunit_2")),
    page.goto(`${opened.origin}/#/timeline?find=unit_2`)]);
  const { lanes, selected: found } = await (await selected.response()).json();
  const count = (rows) => rows.reduce((sum, l) => sum + l.n.reduce((a, b) => a + b, 0), 0);
  assert.ok(count(found) > 0 && count(found) < count(lanes));
  await goTo(opened, "#/advice?find=Conv2DBackpropInput");
  assert.equal(await page.locator(".findings .match").count(), 2);
  await goTo(opened, "#/operations?find=conv2d");
  await page.keyboard.press("/");
  await page.getByRole("link", { name: "Select all nodes that match" }).click();
  await page.waitForFunction(() => location.hash.includes("sel=find"));
  await settle(page);
  const { nodes } = JSON.parse(run("scope", SAMPLE, "-max_depth=1000", "-select=micros", "-output=json"));
  const sum = nodes.filter((n) => /conv2d/i.test(n.name)).reduce((a, n) => a + n.exec_micros, 0);
  const title = await page.locator("aside .sum .num").getAttribute("title");
  assert.equal(Number(title.replace(/[^0-9]/g, "")), sum);
});

test("findings lead to their places, from the overview, too", async () => {
  for (const [hash, name, place] of [["#/overview?checks=1", "Conv2DBackpropFilter", /#\/operations\?sel=op%3AConv2DBackpropFilter/],
    ["#/advice?checks=1", "train.py:76", /#\/source\?sel=line%3Atrain.py%3A76/]]) {
    await goTo(opened, hash);
    await page.locator(".doors").getByRole("link", { name, exact: true }).first().click();
    await page.waitForSelector("aside .sum");
    assert.match(page.url(), place);
  }
  await goTo(opened, "#/advice?checks=1");
  await page.locator(".doors a[href^='#/graph']").first().click();
  await page.waitForSelector(".graph .box");
  assert.match(await page.locator("h1").innerText(), /around Conv2DBackpropFilter/);
});

test("g and a letter show the selection on another page", async () => {
  await goTo(opened, "#/overview?sel=op:Mul");
  for (const [key, name] of [["l", "layers"], ["p", "source"], ["s", "source"], ["r", "graph"], ["t", "timeline"], ["o", "operations"]]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForFunction((n) => location.hash.startsWith(`#/${n}?`), name);
    assert.match(page.url(), /sel=op%3AMul/);
  }
});

test("a line that is called from several places names its callers", async () => {
  await goTo(opened, "#/python");
  const rows = await page.locator(".numbers tbody tr").evaluateAll((all) => all.map((r) => [r.querySelector("th").innerText.trim(), r.querySelector("td.text").innerText]));
  const of66 = rows.filter(([name]) => name.startsWith("resnet_model.py:66:"));
  assert.ok(of66.length > 1);
  assert.equal(new Set(of66.map(([, caller]) => caller)).size, of66.length);
});

test("boxes of layers show how much is backward", async () => {
  await goTo(opened, "#/layers");
  const parts = await page.locator(".treemap g[role=button]").evaluateAll((all) => all.filter((g) => g.querySelector(".light")).map((g) =>
    [...g.querySelectorAll("rect:not(.under)")].map((r) => Number(r.getAttribute("width")))));
  assert.ok(parts.length > 20 && parts.every(([forward, backward]) => backward === undefined || (forward > 0 && backward > 0)));
});

test("no request left the server, and the console is empty", () => {
  assert.deepEqual(opened.problems, []);
});
