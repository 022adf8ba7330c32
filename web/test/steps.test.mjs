// A step on the timeline: where it begins, what its moments were, why a device waits, and what was
// launched by what. The trace is made by hand (tests/xplane), so its numbers are known.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { goTo, run, settle, start, stop, TOP } from "./browser.mjs";

const FILE = path.join(TOP, "tests/xplane/samples/synthetic_gpu.xplane.pb.gz");

let started, opened, page;
before(async () => {
  started = await start([FILE]);
  ({ opened, page } = started);
});
after(() => stop(started));

const read = (what) => page.evaluate((name) => document.querySelector(".timeline canvas")[name](), what);
const open = async (hash) => {
  await goTo(opened, hash);
  await page.waitForSelector(".timeline[data-ready]");
  await page.waitForFunction(() => document.querySelector(".timeline canvas").drawnThreads().length > 0);
};
const stepsOf = () => JSON.parse(run("step", FILE, "--output=json")).nodes;

test("a step begins and ends where the question step says, with its parts in a row", async () => {
  await open("#/timeline?step=1");
  const rows = stepsOf(), step = rows.find((r) => r.step === 1), titles = (await read("lines")).map((l) => l.title);
  assert.deepEqual(titles.slice(0, 2), ["steps", "their parts"]);
  const threads = await read("drawnThreads"), whole = threads.find((s) => s.op === "step 1");
  assert.ok(Math.abs(whole.w - step.wall_micros) <= 1 && whole.x === 0);
  const lane = (await read("lines"))[1].lane, parts = threads.filter((s) => s.lane === lane && s.x >= 0 && s.x + s.w <= whole.w);
  for (const part of rows.filter((r) => r.parent === step.id && r.depth === 2 && r.name !== "gap"))
    assert.ok(Math.abs(parts.filter((s) => s.family === part.name).reduce((sum, s) => sum + s.w, 0) - part.micros) <= parts.length, part.name);
});

test("a device that waits says for what, and a click tells of it", async () => {
  await open("#/timeline?step=0");
  const gaps = await read("gaps"), last = gaps[gaps.length - 1], device = (await read("drawn")).reduce((end, s) => Math.max(end, s.x + s.w), 0);
  assert.equal(last.from, device);
  assert.equal(last.until, 900);
  assert.equal(last.cause.op, "Python (not traced)");
  const place = await page.locator(".timeline canvas").boundingBox(), scale = (place.width - 196) / 900;
  await page.mouse.click(place.x + 196 + ((last.from + last.until) / 2) * scale, place.y + last.y + last.height / 2);
  await settle(page);
  assert.equal(await page.locator(".details h2").innerText(), "Python (not traced)");
});

test("a kernel is led to by the call that launched it", async () => {
  await open("#/timeline?step=0");
  const kernel = (await read("drawn")).find((s) => s.op === "select_n"), line = (await read("lines")).find((l) => l.kind === "lane" && !l.of && l.lane === kernel.lane);
  const place = await page.locator(".timeline canvas").boundingBox();
  await page.mouse.click(place.x + (kernel.left + kernel.right) / 2, place.y + line.y + kernel.row * 21 + 8);
  await page.waitForFunction(() => document.querySelector(".timeline canvas").arrows().length === 1);
  const [arrow] = await read("arrows"), launch = (await read("drawnThreads")).find((s) => s.x + s.w === arrow.from && s.op === "cuLaunchKernel");
  assert.ok(launch);
  assert.equal(arrow.to, kernel.x);
  assert.equal(arrow.wait, kernel.x - launch.x - launch.w);
  assert.match(await page.locator(".came").innerText(), /Came from\s+cuLaunchKernel/);
});

test("a part of the bar leads to its longest piece, and computing is split by kind", async () => {
  await goTo(opened, "#/overview");
  const kinds = await page.locator(".step-bar .part-compute span").evaluateAll((all) => all.map((s) => Number(s.dataset.micros)));
  const compute = Number(await page.locator(".step-bar .part-compute[data-micros]").first().getAttribute("data-micros"));
  assert.ok(kinds.length > 2 && Math.abs(kinds.reduce((a, b) => a + b) - compute) < 0.01);
  await page.locator(".step-list").getByRole("link", { name: "Python" }).click();
  await page.waitForFunction(() => !location.hash.includes("part="));
  await settle(page);
  assert.equal(await page.locator(".details h2").innerText(), "Python (not traced)");
});

test("the console is empty", () => assert.deepEqual(opened.problems, []));
