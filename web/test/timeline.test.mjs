// The Timeline page: steps side by side, and from slice to slice by keys.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goTo, inaccessible, makeCluster, settle, start, stop } from "./browser.mjs";

let started, opened, page;

before(async () => {
  started = await start(makeCluster());
  ({ opened, page } = started);
});

after(() => stop(started));

const told = () => page.locator(".told").first().innerText();
const waitForTold = (text) => page.waitForFunction((t) => new RegExp(t).test(document.querySelector(".told").textContent), text);

test("steps stand side by side on one scale, and each leads to itself", async () => {
  await goTo(opened, "#/timeline");
  assert.equal(await page.locator(".timeline").count(), 1);
  await page.getByLabel("steps side by side").check();
  await settle(page);
  assert.match(page.url(), /side=1/);
  assert.equal(await page.locator(".side .timeline").count(), 5);
  const { steps } = await (await page.request.get(`${opened.origin}/api/profile`)).json();
  const walls = steps.map((s) => s.wall), median = [...walls].sort((a, b) => a - b)[2];
  const titles = await page.locator(".side h2").allInnerTexts();
  // Step 3 takes longer by construction, the others do not.
  assert.match(titles[3], new RegExp(`^step 3 .* ${Math.round((100 * (walls[3] - median)) / median)}% over the median$`));
  assert.ok(titles.every((t, i) => i === 3 || !t.includes("over")), titles.join(" | "));
  // Every chart is as long as the slowest step.
  const labels = await page.locator(".side .timeline").evaluateAll((all) => all.map((t) => t.getAttribute("aria-label").split(", ")[1]));
  assert.equal(new Set(labels).size, 1);
  // A zoom holds for all of them, and the address keeps it.
  await page.locator(".side .timeline").nth(2).focus();
  await page.keyboard.press("w");
  await settle(page);
  assert.match(page.url(), /zoom=\d+-\d+/);
  await page.reload();
  await settle(page);
  assert.equal(await page.locator(".side .timeline").count(), 5);
  assert.deepEqual(await inaccessible(page), []);
  await page.getByRole("link", { name: "step 3", exact: true }).click();
  await settle(page);
  assert.match(await page.locator("h1").innerText(), /step 3 · \d+ executions/);
  assert.equal(await page.locator(".timeline").count(), 1);
});

test("] and [ go through what is searched for, in the order of time", async () => {
  await goTo(opened, "#/timeline?step=0&find=layer_2.*Filter");
  const { selected } = await (await page.request.get(`${opened.origin}/api/slices?step=0&lane=0&until_lane=99&min=0&sel=find:layer_2.*Filter`)).json();
  assert.equal(selected.flatMap((l) => l.x).length, 8); // 4 towers, each a launch and a kernel
  const seen = [];
  for (let i = 0; i < 3; i++) {
    const before = await told();
    await page.keyboard.press("]");
    await page.waitForFunction((t) => document.querySelector(".told").textContent.trim() !== t.trim(), before);
    seen.push(await told());
  }
  for (const text of seen) assert.match(text, /^Conv2DBackpropFilter: \d.* from .* · gradients\/tower_\d\/layer_2\/.* · /);
  assert.equal(new Set(seen).size, 3);
  await page.keyboard.press("[");
  await page.waitForFunction((t) => document.querySelector(".told").textContent === t, seen[1]);
});

test("without a search ] goes along the lane of the selected node, Enter selects and F shows it", async () => {
  const { lanes } = await (await page.request.get(`${opened.origin}/api/slices?step=0&lane=0&until_lane=99&min=0`)).json();
  const lane = lanes.find((l) => l.x.length >= 6);
  await goTo(opened, `#/timeline?step=0&sel=node:${lane.node[1]}`);
  await page.locator(".neighbours").waitFor();
  const runs = (await (await page.request.get(`${opened.origin}/api/flows?step=0&node=${lane.node[1]}`)).json()).filter((f) => f.role === "self");
  const on = lanes[runs[0].lane], next = on.node[on.x.indexOf(runs[0].x) + 1];
  await page.keyboard.press("]");
  await waitForTold(" · ");
  await page.keyboard.press("f");
  await settle(page);
  assert.match(page.url(), /zoom=/);
  await page.keyboard.press("Enter");
  await settle(page);
  assert.match(page.url(), new RegExp(`sel=node%3A${next}(&|$)`));
});

test("no request left the server, and the console is empty", () => {
  assert.deepEqual(opened.problems, []);
});
