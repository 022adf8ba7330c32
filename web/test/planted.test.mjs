// What is planted is found in at most three clicks from the overview, by a script that knows only
// labels on the screen: a slow line, a tensor of 256 MB, and what became slower from A to B.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makePlanted, openPage, settle, startBrowser, startServer } from "./browser.mjs";

const SEEDS = [3, 11];

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

// Opens the files and counts the clicks of `find`.
async function clicks(files, find) {
  const server = await startServer(...files), opened = await openPage(browser, server), { page } = opened;
  let n = 0;
  try {
    await settle(page);
    await find(page, async (locator) => { n++; await locator.click(); await settle(page); });
    assert.ok(n <= 3, `${n} clicks`);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
    server.stop();
  }
}

const cells = (row) => row.locator("th, td").allInnerTexts();

for (const seed of SEEDS) {
  test(`the line that takes most, seed ${seed}`, () => {
    const { files, slow } = makePlanted(seed);
    return clicks(files, async (page, click) => {
      const panel = page.locator("section", { has: page.getByRole("heading", { name: /^Lines/ }) });
      await click(panel.locator("tbody tr").first().getByRole("link").first());
      // Its source, with the line marked, and what it costs in the margin.
      const row = page.locator(".code tr.on");
      const texts = await cells(row);
      assert.ok(texts.some((t) => t.trim() === String(slow.line)), texts.join("|"));
      assert.ok(texts.some((t) => t.includes(`weights['${slow.layer}']`)), texts.join("|"));
      const micros = Number(await row.getAttribute("data-own"));
      assert.ok(Math.abs(micros - slow.micros) <= 2, `${micros}, planted ${slow.micros}`);
      assert.ok(texts.some((t) => Math.abs(Number(t) - slow.micros) <= 2), texts.join("|"));
    });
  });

  test(`the tensor of 256 MB, seed ${seed}`, () => {
    const { files, huge } = makePlanted(seed);
    return clicks(files, async (page, click) => {
      await click(page.getByRole("navigation", { name: "pages" }).getByRole("link", { name: /^Memory/ }));
      const first = page.locator("section", { has: page.getByRole("heading", { name: /^The largest/ }) }).locator("tbody tr").first(), texts = await cells(first);
      assert.ok(texts[0].includes(huge.layer), texts.join("|"));
      assert.ok(texts.some((t) => t === "256.0") && (await page.getByRole("columnheader", { name: "MB", exact: true }).count()) === 1, texts.join("|"));
      await click(first.getByRole("link"));
      assert.equal(await page.locator(".code tr.on").getAttribute("data-line"), String(huge.line));
    });
  });
}

for (const seed of SEEDS)
  test(`what became slower from A to B, seed ${seed}`, () => {
    const a = makePlanted(seed), b = makePlanted(seed, "slower", `at=${a.directory}/net.py`);
    return clicks([...a.files, "--", ...b.files], async (page, click) => {
      // The page opens on what changed, and says so first.
      assert.match(await page.locator("h1").innerText(), /^slower/);
      const panel = (title) => page.locator("section", { has: page.getByRole("heading", { name: title }) });
      const layer = panel(/^Layers that changed/).locator("tbody tr").first();
      assert.equal((await cells(layer))[0].trim(), b.changed.layer);
      const change = await layer.locator("td .num[title]").evaluateAll((all) => all.map((n) => Number(n.title.replace(/[^0-9-]/g, ""))));
      assert.ok(Math.abs(change[0] - a.changed.micros) <= 2 && Math.abs(change[1] - b.changed.micros) <= 2, `${change}`);
      const line = panel(/^Lines that changed/).locator("tbody tr").first();
      assert.ok((await cells(line))[0].includes(`net.py:${b.changed.line}:`));
      await click(page.getByRole("link", { name: "B", exact: true }));
    });
  });
