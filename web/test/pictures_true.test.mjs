// Source, Memory, Roofline and Compare say on every sample what the command line says.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, openPage, PROGRAM, startBrowser, startServer, TOP, withSpaces } from "./browser.mjs";
import { spawnSync } from "node:child_process";

const FOLDERS = ["tests/xplane/samples", "tests/step/planted", "../shared/xplane/samples", "../shared/xplane/devices"].map((f) => path.join(TOP, f)).filter(existsSync);
const SAMPLES = [...new Map(FOLDERS.flatMap((f) => readdirSync(f).filter((n) => n.endsWith(".xplane.pb.gz")).map((n) => [n, path.join(f, n)]))).values()];

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

// The answer; nothing if the file lacks what the question needs.
function json(...words) {
  const done = spawnSync(PROGRAM, [...words, "--output=json"], { encoding: "utf8", maxBuffer: 2 ** 28 });
  return done.status === 0 ? JSON.parse(done.stdout) : undefined;
}

for (const file of SAMPLES)
  describe(path.basename(file), () => {
    let server, opened, page;
    before(async () => {
      server = await startServer(file);
      opened = await openPage(browser, server);
      ({ page } = opened);
    });
    after(async () => { await opened?.close(); server?.stop(); });

    test("every line of the file that costs most", async () => {
      await goTo(opened, "#/source");
      const { nodes } = json("code", file, "--select=micros", "--only_my_code", "--fold_gradients", "--max_depth=1000") ?? { nodes: [] };
      if (await page.locator(".code").count() === 0) return assert.ok(!nodes.some((n) => /:\d+:/.test(n.name) && n.exec_micros > 0), "lines are not shown");
      const name = await page.locator(".code h1 code").innerText(), own = new Map();
      for (const n of nodes) {
        const match = /^(.+?):(\d+):/.exec(n.name);
        if (match && match[1] === name && n.exec_micros > 0) own.set(Number(match[2]), (own.get(Number(match[2])) ?? 0) + n.exec_micros);
      }
      const shown = new Map(await page.locator(".code tr[data-own]").evaluateAll((all) => all.filter((r) => Number(r.dataset.own) > 0).map((r) => [Number(r.dataset.line), Number(r.dataset.own)])));
      assert.deepEqual([...shown].sort((a, b) => a[0] - b[0]), [...own].filter(([line]) => line > 0).sort((a, b) => a[0] - b[0]));
    });

    test("who holds memory at the peak", async () => {
      const answer = json("memory", file);
      await goTo(opened, "#/memory");
      if (!answer) return assert.equal(await page.locator(".empty").count(), 1);
      assert.equal(await page.locator("main h1").innerText(), withSpaces(answer.headline ?? "Memory"));
      const sizes = await page.locator(".holders tbody tr").evaluateAll((all) => all.map((r) => Number(r.dataset.bytes))), known = new Set(answer.nodes.map((n) => n.bytes));
      assert.ok(sizes.every((bytes) => known.has(bytes)));
    });

    test("what operations lose against the roof", async () => {
      const answer = json("roofline", file);
      await goTo(opened, "#/roofline");
      if (!answer) return assert.equal(await page.locator(".empty").count(), 1);
      const rows = await page.locator(".lost tbody tr").evaluateAll((all) => all.map((r) => [r.dataset.lost === undefined ? null : Number(r.dataset.lost), Number(r.dataset.micros)]));
      assert.deepEqual(rows, answer.nodes.filter((n) => n.depth === 1).slice(0, 60).map((n) => [n.lost_micros, n.exec_micros]));
    });

    test("a file beside itself did not change", async () => {
      const two = await startServer(file, file), there = await openPage(browser, two);
      try {
        const changes = await there.page.locator(".changes td .num[title]").count();
        assert.equal(changes, 0);
        const parts = await there.page.locator("[data-part]").evaluateAll((all) => all.map((li) => Number(li.dataset.before) - Number(li.dataset.after)));
        assert.ok(parts.every((by) => by === 0));
        assert.deepEqual(there.problems, []);
      } finally {
        await there.close();
        two.stop();
      }
    });

    test("the console is empty", () => assert.deepEqual(opened.problems, []));
  });
