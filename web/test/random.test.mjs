// Random clicks, drags, keys and wheels on every page of every sample: nothing is written to the
// console, and what the timeline draws stays true. TFPROF_ACTIONS: how many on each, 30 by default.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { goTo, openPage, startBrowser, startServer, settle, TOP } from "./browser.mjs";

const N = Number(process.env.TFPROF_ACTIONS ?? 30);
const FOLDERS = ["tests/xplane/samples", "../shared/xplane/samples", "../shared/xplane/devices"].map((f) => path.join(TOP, f)).filter(existsSync);
const SAMPLES = [...new Map(FOLDERS.flatMap((f) => readdirSync(f).filter((n) => n.endsWith(".xplane.pb.gz")).map((n) => [n, path.join(f, n)]))).values()];
const FILES = [path.join(TOP, "examples/resnet/profile"), path.join(TOP, "tests/models/files/bert_tiny/model.keras"), ...SAMPLES];
const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "w", "a", "s", "d", "0", "f", "m", "[", "]", "Escape", "Backspace", "i", "p", "n", "Enter", "ArrowDown", "ArrowRight", "ArrowUp", "Tab", "r"];

// The same ones each time.
function generator(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

async function act(page, random) {
  const { width, height } = page.viewportSize(), x = random(width), y = random(height);
  switch (random(9)) {
    case 0: case 1: case 2: return page.mouse.click(x, y);
    case 3: return page.mouse.dblclick(x, y);
    case 4: await page.mouse.move(x, y); return page.mouse.wheel(random(2) ? random(200) - 100 : 0, random(400) - 200);
    case 5:
      if (random(2)) await page.keyboard.down("Shift");
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(random(width), random(height), { steps: 3 });
      await page.mouse.up();
      return page.keyboard.up("Shift");
    case 6: return page.goBack({ timeout: 2000 }).catch(() => undefined);
    default: return page.keyboard.press(KEYS[random(KEYS.length)]);
  }
}

// No two slices of a row overlap, and none is longer than what it stands for.
function isTrue(slices) {
  const rows = new Map();
  for (const s of slices) rows.set(`${s.lane} ${s.row}`, [...(rows.get(`${s.lane} ${s.row}`) ?? []), s]);
  for (const all of rows.values()) {
    all.sort((a, b) => a.x - b.x || a.w - b.w);
    all.forEach((s, i) => assert.ok(s.busy <= s.w && (!i || all[i - 1].x + all[i - 1].w <= s.x), `${s.op} at ${s.x} for ${s.w}`));
  }
}

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

for (const [seed, file] of FILES.entries())
  test(`${N} actions on ${path.basename(file)}`, async () => {
    const server = await startServer(file);
    let opened;
    try {
      opened = await openPage(browser, server);
      const { page, problems } = opened, random = generator(seed + 1), done = [];
      page.on("download", (d) => d.cancel().catch(() => undefined));
      for (let i = 0; i < N; i++) {
        await act(page, random);
        if (!page.url().startsWith(opened.origin)) await goTo(opened, "#/overview"); // back, before the page
        if (i % 10 === 9) {
          await settle(page);
          const drawn = await page.evaluate(() => document.querySelector(".trace-viewer .timeline canvas")?.drawn?.());
          if (drawn) isTrue(drawn);
          done.push(page.url().replace(/.*#/, "#"));
        }
        // An option that is wrong is answered with an error, which browsers log.
        assert.deepEqual(problems.filter((p) => !p.includes("status of 400")), [], `after ${i + 1}: ${done.slice(-3).join(" ")} at ${page.url()}`);
      }
      assert.notEqual(await page.locator("header").count(), 0);
    } finally {
      await opened?.close();
      server.stop();
    }
  });
