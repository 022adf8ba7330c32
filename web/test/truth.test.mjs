// The pictures are true: on every sample each headline, panel and slice is what the command line
// says, read back from the page and from the model of the canvas.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, isShown, openPage, run, startBrowser, startServer, TOP, settle } from "./browser.mjs";

const FOLDERS = ["tests/xplane/samples", "../shared/xplane/samples"].map((f) => path.join(TOP, f)).filter(existsSync);
const SAMPLES = [...new Map(FOLDERS.flatMap((f) => readdirSync(f).filter((n) => n.endsWith(".xplane.pb.gz")).map((n) => [n, path.join(f, n)]))).values()];

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

const json = (question, file, ...options) => JSON.parse(run(question, file, "--output=json", ...options));
const number = (text) => Number(text.replace(/[^0-9.]/g, ""));

// What the canvas shows; each with its pixels.
const drawn = async (page) => {
  await page.waitForSelector(".timeline[data-ready]");
  return page.evaluate(() => document.querySelector(".timeline canvas").drawn());
};

// Every slice of one execution is one of the events, exactly; joined ones hold as many as they say.
function checkSlices(slices, events, lanes, what) {
  const key = (lane, start, duration, node) => `${lane} ${start} ${duration} ${node}`, known = new Set(), rows = new Map();
  for (const e of events) known.add(key(lanes.lanes.findIndex((l) => l.device === e.device && l.number === e.lane), e.start_micros - lanes.start, e.duration_micros, e.node));
  for (const s of slices) {
    if (s.n === 1) assert.ok(known.has(key(s.lane, s.x, s.w, s.node)), `${what}: ${s.op} at ${s.x} for ${s.w} on lane ${s.lane} is no event`);
    assert.ok(s.busy <= s.w, `${what}: ${s.op} is busy for longer than it takes`);
    const row = `${s.lane} ${s.row}`;
    rows.set(row, [...(rows.get(row) ?? []), s]);
  }
  for (const [row, all] of rows) {
    all.sort((a, b) => a.x - b.x || a.w - b.w);
    all.forEach((s, i) => i && assert.ok(all[i - 1].x + all[i - 1].w <= s.x, `${what}: ${all[i - 1].op} and ${s.op} overlap on row ${row}`));
  }
}

for (const file of SAMPLES)
  describe(path.basename(file, ".xplane.pb.gz"), () => {
    let server, opened, page;
    before(async () => {
      server = await startServer(file);
      opened = await openPage(browser, server);
      ({ page } = opened);
    });
    after(async () => {
      await opened?.close();
      server?.stop();
    });

    test("the overview is the answer of the questions", async () => {
      await goTo(opened, "#/overview");
      const step = json("step", file);
      if (step.headline) assert.equal(await page.locator("h1").innerText(), step.headline);
      const steps = step.nodes.filter((n) => n.depth === 1 && n.step !== null);
      if (steps.length > 1)
        assert.deepEqual(await page.locator(".every a").evaluateAll((all) => all.map((a) => Number(a.dataset.wall))), steps.map((n) => n.wall_micros));
      const parts = await page.locator(".step-bar li").evaluateAll((all) => all.map((li) => [/part-(\w+)/.exec(li.className)[1], Number(li.dataset.micros)]));
      if (step.wall_micros && parts.length) {
        const wall = parts.reduce((sum, [, micros]) => sum + micros, 0);
        assert.ok(Math.abs(wall - step.wall_micros) < 0.01 * parts.length, `parts add up to ${wall}, a step takes ${step.wall_micros}`);
        const steady = steps.filter((n) => n.steady);
        for (const [name, micros] of parts) {
          const mean = step.nodes.filter((n) => n.depth === 2 && n.name === name && steady.some((s) => s.id === n.parent)).reduce((sum, n) => sum + n.micros, 0) / steady.length;
          assert.ok(Math.abs(mean - micros) < 0.01, `${name}: ${micros}, expected ${mean}`);
        }
      }
      const devices = json("devices", file).nodes.filter((n) => n.depth === 1);
      assert.deepEqual(await page.locator(".devices tbody tr").evaluateAll((all) => all.map((r) => [r.querySelector("a").innerText, Number(r.dataset.busy), Number(r.dataset.span)])),
        devices.map((d) => [d.name, d.busy_micros, d.span_micros]));
      const layers = json("layers", file, "--order_by=micros", "--max_depth=2").nodes.filter((n) => n.depth === 1 && n.exec_micros).slice(0, 8);
      assert.deepEqual(await page.locator(".layers tbody tr").evaluateAll((all) => all.map((r) => [r.querySelector("a").innerText, Number(r.dataset.micros)])), layers.map((l) => [l.name, l.exec_micros]));
      assert.ok(!layers.some((l) => l.name === "StatefulPartitionedCall"));
      const ops = new Map(json("op", file, "--select=micros", "--max_depth=100000").nodes.map((n) => [n.name, n.exec_micros]));
      for (const [name, title] of await page.locator(".operations tbody tr").evaluateAll((all) => all.map((r) => [r.querySelector("a").textContent, r.querySelector(".num[title]").title])))
        assert.equal(number(title), ops.get(name), name);
      const found = json("advise", file).checkers.flatMap((c) => c.findings.filter((f) => f.level !== "none").map((f) => f.text)).sort();
      const shown = (await page.locator(".advice .findings > li:not(.level-none) .what").evaluateAll((all) => all.map((p) => p.dataset.text))).sort();
      assert.deepEqual(shown, found.length > 6 ? shown.filter((t) => found.includes(t)) : found);
    });

    test("no slice is drawn longer than it is, whatever the zoom", async () => {
      const { steps } = await (await page.request.get(`${opened.origin}/api/profile`)).json();
      for (const { step } of steps.slice(0, 2)) {
        const lanes = await (await page.request.get(`${opened.origin}/api/lanes?step=${step}`)).json();
        if (!lanes.duration) continue;
        const events = json("events", file, `--step=${step}`).nodes.slice(1);
        const middle = Math.floor(lanes.duration / 2), views = ["", `&zoom=${middle}-${middle + Math.max(1, Math.ceil(lanes.duration / 50))}`, `&zoom=${middle}-${middle + 120}`];
        for (const zoom of views) {
          await goTo(opened, `#/timeline?step=${step}${zoom}`);
          const slices = await drawn(page);
          checkSlices(slices, events, lanes, `step ${step}${zoom}`);
          // Lanes that are closed are not drawn; of the others nothing is left out.
          if (!zoom && lanes.lanes.length <= 8) assert.equal(slices.reduce((sum, s) => sum + s.n, 0), events.length, `step ${step}`);
        }
      }
    });

    test("what is told of a slice is of that slice in that step", async () => {
      const { steps } = await (await page.request.get(`${opened.origin}/api/profile`)).json();
      if (!steps.length) return;
      await goTo(opened, `#/timeline?step=${steps[0].step}`);
      if (!(await page.locator(".timeline").count())) return;
      const long = (await drawn(page)).filter((s) => s.n === 1 && s.right - s.left > 6).sort((a, b) => b.w - a.w)[0];
      if (!long) return;
      const lines = await page.evaluate(() => document.querySelector(".timeline canvas").lines());
      const line = lines.find((l) => !l.of && l.lane === long.lane), box = await page.locator(".timeline canvas").boundingBox();
      // Rows may be out of sight.
      const top = await page.evaluate((y) => { const frame = document.querySelector(".timeline"); frame.scrollTop = y - 60; return frame.scrollTop; }, line.y);
      await settle(page);
      await page.mouse.move(box.x + (Math.max(long.left, 198) + Math.min(long.right, box.width)) / 2, box.y + line.y - top + long.row * 21 + 8);
      await page.waitForFunction(() => document.querySelector(".told").textContent.trim() !== "");
      const told = await page.locator(".told").first().innerText();
      assert.ok(told.startsWith(`${long.op}: `), `${told}, expected ${long.op}`);
      assert.ok(isShown(long.w < 1000 ? `${long.w}us` : `${(long.w / 1000).toFixed(2)}ms`, /: (.*) from /.exec(told)[1]), `${told}, expected ${long.w} us`);
    });

    test("the console is empty", () => assert.deepEqual(opened.problems, []));
  });
