// Every page of a trace of TensorFlow 2, one of JAX, a model file and a run of 2 tasks with 2 GPUs:
// nothing is cut off, all of it is accessible in light and dark, and what is selected on one page
// counts alike on the others.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, inaccessible, makeCluster, openPage, settle, startBrowser, startServer, TOP } from "./browser.mjs";

const PAGES = ["overview", "operations", "layers", "python", "source", "memory", "roofline", "graph", "timeline", "advice"];
const trace = (name) => [path.join(TOP, "examples/traces", `${name}.xplane.pb.gz`)];
const PROFILES = {
  "a trace of Keras fit": { files: () => trace("keras_fit") },
  "a trace of JAX": { files: () => trace("jax_transformer"), hasCode: true },
  "a Keras model": { files: () => [path.join(TOP, "tests/models/files/bert_tiny/model.keras")], isModel: true },
  "2 tasks with 2 GPUs": { files: makeCluster, hasCode: true },
};

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

// The selected part in the heading and in the pane, exactly.
async function counted(page) {
  const numbers = [page.locator("h1 .of-selection .num"), page.locator("aside .sum .num").first()];
  return Promise.all(numbers.map(async (n) => Number((await n.getAttribute("title")).replace(/[^0-9]/g, ""))));
}

// What a click selects on each page.
const CHOICES = {
  operations: (page) => page.locator("main .mark").first(),
  layers: (page) => page.locator(".treemap [role=button]").last(),
  python: (page) => page.locator(".flame [role=button]").nth(2),
  graph: (page) => page.locator(".graph .box").first(),
  timeline: (page) => page.locator(".sums tbody a").nth(1),
};

for (const [name, { files, hasCode, isModel }] of Object.entries(PROFILES))
  describe(name, () => {
    let server, opened, page;
    before(async () => {
      server = await startServer(...files());
      opened = await openPage(browser, server);
      ({ page } = opened);
    });
    after(async () => {
      await opened?.close();
      server?.stop();
    });

    for (const theme of ["light", "dark"])
      test(`every page is accessible, ${theme}`, async () => {
        for (const at of PAGES) {
          await goTo(opened, `#/${at}?theme=${theme}`);
          assert.deepEqual(await inaccessible(page), [], at);
        }
      });

    test("nothing is wider than the window, and no table is cut off at 1280 pixels, nor those of models and lines at 700", async () => {
      for (const width of [1280, 700]) {
        await page.setViewportSize({ width, height: 720 });
        for (const at of PAGES) {
          await goTo(opened, `#/${at}`);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${at} at ${width}`);
          const cut = await page.locator(".scroll").evaluateAll((all) => all.filter((s) => s.scrollWidth > s.clientWidth + 1).length);
          if (width === 1280 || isModel || at === "python") assert.equal(cut, 0, `tables of ${at} at ${width}`);
        }
      }
      await page.setViewportSize({ width: 1280, height: 720 });
    });

    test("on paper nothing is cut off, pages are light and have nothing to click", async () => {
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 794, height: 1123 });
      for (const at of PAGES) {
        await goTo(opened, `#/${at}?theme=dark`);
        const { width, cut, back, controls } = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, back: getComputedStyle(document.body).backgroundColor,
          cut: [...document.querySelectorAll(".lines, .scroll")].filter((e) => e.scrollHeight > e.clientHeight + 20).length,
          controls: [...document.querySelectorAll("header select, .toolbar, .zoom")].filter((e) => e.getBoundingClientRect().width > 0).length }));
        assert.deepEqual({ cut, back, controls }, { cut: 0, back: "rgb(255, 255, 255)", controls: 0 }, at);
        assert.ok(width <= 794, `${at}: ${width}`);
      }
      await page.emulateMedia({ media: null });
      await page.setViewportSize({ width: 1280, height: 720 });
    });

    test("what is selected on a page counts alike on the others", async () => {
      const counting = ["operations", ...(isModel ? [] : ["layers"]), ...(hasCode ? ["python"] : []), "graph", ...(isModel ? [] : ["timeline"])];
      for (const from of counting) {
        await goTo(opened, `#/${from}?metric=${isModel ? "params" : "micros"}${from === "timeline" ? "&step=0" : ""}`);
        await CHOICES[from](page).click();
        await page.waitForFunction(() => location.hash.includes("sel="));
        await settle(page);
        const sel = /sel=([^&]*)/.exec(page.url())[1], seen = [];
        for (const at of counting) {
          await goTo(opened, `#/${at}?sel=${sel}${isModel ? "&metric=params" : "&metric=micros&step=0"}`);
          seen.push([at, ...(await counted(page))]);
        }
        assert.ok(seen[0][1] > 0, `${from}: ${decodeURIComponent(sel)}`);
        for (const [at, ...numbers] of seen) assert.deepEqual(numbers, [seen[0][1], seen[0][1]], `${decodeURIComponent(sel)} of ${from} on ${at}`);
      }
    });

    test("no request left the server, and the console is empty", () => {
      assert.deepEqual(opened.problems, []);
    });
  });
