// The Graph page: layers that differ in a number as one box, and what flows between boxes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, inaccessible, run, SAMPLE, settle, start, stop } from "./browser.mjs";

let started, opened, page;

before(async () => {
  started = await start([SAMPLE]);
  ({ opened, page } = started);
});

after(() => stop(started));

const labels = () => page.locator(".graph .labels > g").evaluateAll((all) => all.map((g) => [...g.querySelectorAll("text")].slice(0, 2).map((t) => t.textContent)));
const box = (name) => page.locator(`.graph .box[aria-label^="${name}: "]`);

test("units that differ in a number are one box, with their sum, and open", async () => {
  const { nodes } = JSON.parse(run("scope", SAMPLE, "-max_depth=2", "-select=micros", "-fold_gradients=true", "-output=json"));
  const total = (i) => nodes.filter((n) => n.name.startsWith(`unit_${i}_`)).reduce((sum, n) => sum + n.total_exec_micros, 0);
  await goTo(opened, "#/graph?metric=micros");
  const answer = await (await page.request.get(`${opened.origin}/api/graph?fold_gradients=true`)).json();
  for (const i of [1, 2, 3]) {
    assert.equal(answer.boxes.find((b) => b.name === `unit_${i}_[0-4]`).total.exec_micros, total(i));
    assert.ok((await labels()).some(([name]) => name === `unit_${i}_[0-4] ×5`));
  }
  assert.ok((await labels()).every(([name]) => !/^unit_\d_\d$/.test(name)));

  // Selected as one, it counts on other pages.
  await box("unit_2_[0-4]").click();
  await settle(page);
  assert.match(page.url(), /sel=scope%3Aunit_2_%5B0-4%5D/);
  assert.match(await page.locator(".details").innerText(), /736 ms time/);
  await goTo(opened, "#/layers?sel=scope:unit_2_[0-4]");
  assert.match(await page.locator("h1").innerText(), /736 ms selected/);

  // By keys: Enter shows them one by one, Backspace folds them again.
  await goTo(opened, "#/graph?metric=micros");
  await box("unit_2_[0-4]").focus();
  await page.keyboard.press("Enter");
  await box("unit_2_3").waitFor();
  assert.equal((await labels()).filter(([name]) => /^unit_2_\d$/.test(name)).length, 5);
  assert.ok((await labels()).some(([name]) => name === "unit_1_[0-4] ×5"));
  await page.keyboard.press("Backspace");
  await box("unit_2_[0-4]").waitFor();

  await page.getByLabel("group layers that differ only in a number").uncheck();
  await settle(page);
  assert.equal((await labels()).filter(([name]) => /^unit_\d_\d$/.test(name)).length, 15);
});

test("a line tells its tensors, their bytes and shapes, on hover and from its box", async () => {
  await goTo(opened, "#/graph?fold_alike=false&metric=micros");
  const told = page.locator(".graph .told, main .told");
  const edges = (await (await page.request.get(`${opened.origin}/api/graph?fold_gradients=true&fold_alike=false`)).json());
  const id = (name) => edges.boxes.find((b) => b.name === name).id;
  const edge = edges.edges.find((e) => e.from === id("unit_1_0") && e.to === id("unit_1_1"));
  // All that flows from unit to unit is a float tensor of one shape.
  assert.equal(edge.bytes, 4 * edge.elements);
  assert.equal(edge.elements, edge.tensors * edge.shape.split("x").reduce((a, b) => a * b, 1));
  await page.keyboard.press("0");
  const middle = await page.locator(`.graph [data-edge="${id("unit_1_0")}-${id("unit_1_1")}"] path`).first().evaluate((path) => {
    const { x, y } = path.getPointAtLength(path.getTotalLength() / 2), { a, d, e, f } = path.getScreenCTM();
    return [a * x + e, d * y + f];
  });
  await page.mouse.move(...middle);
  const text = new RegExp(`^unit_1_0 → unit_1_1: ${edge.tensors} tensors?, [\\d.]+ [KMG]?B, .*${edge.shape}$`);
  await page.waitForFunction(() => document.querySelector(".told").textContent.includes("→"));
  assert.match((await told.innerText()).trim(), text);
  await page.mouse.move(5, 700);
  await box("unit_1_1").focus();
  const lines = (await told.innerText()).split("\n");
  assert.ok(lines.some((l) => text.test(l)), lines.join("\n"));
  assert.ok(lines.some((l) => l.startsWith("unit_1_1 → unit_1_2: ")), lines.join("\n"));
  // The more tensors, the wider.
  const widths = await page.locator(".graph .edge path:not(.near)").evaluateAll((all) => all.map((p) => Number(p.getAttribute("stroke-width"))));
  assert.ok(Math.max(...widths) > Math.min(...widths));
  assert.deepEqual(await inaccessible(page), []);
});

test("no request left the server, and the console is empty", () => {
  assert.deepEqual(opened.problems, []);
});
