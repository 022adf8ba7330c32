// Model files without a run: parameters, multiply-accumulates, memory and a bound of the
// time lead, with the numbers of `tfprof model`.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { asShown, isShown, goTo, inaccessible, openPage, run, settle, startBrowser, startServer, TOP } from "./browser.mjs";

const FILES = path.join(TOP, "tests/models/files/bert_tiny");

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

for (const name of ["model.keras", "model.tflite", "export"])
  describe(name, () => {
    const file = path.join(FILES, name);
    let server, opened;
    before(async () => {
      server = await startServer(file);
      opened = await openPage(browser, server);
    });
    after(async () => {
      await opened?.close();
      server?.stop();
    });

    test("the cost leads, and a device bounds the time", async () => {
      const text = run("model", file, "--device=T4");
      const cards = async () => (await opened.page.locator(".cards.model .big").allInnerTexts());
      await goTo(opened, "#/overview");
      const total = /^operations +(\S+) multiply-accumulates; (\S+) float/m.exec(text);
      const [parameters, macs, weights, bound] = await cards();
      assert.match(parameters, /^21\.\d k$/);
      assert.equal(await opened.page.locator(".cards.model .big span").first().getAttribute("title"), /^parameters +(\S+)/m.exec(text)[1]);
      assert.equal(macs, asShown(total[1]));
      assert.ok([...text.matchAll(/\(([\d.]+ [kMG]?B) /g)].some(([, printed]) => isShown(printed, weights)), weights);
      assert.equal(bound, "–");
      await opened.page.getByLabel("device").selectOption("T4");
      await settle(opened.page);
      assert.ok(isShown(/^roofline +at least (\S+ \S+) on T4/m.exec(text)[1], (await cards())[3]));
    });

    test("layers have the numbers of tfprof model", async () => {
      await goTo(opened, "#/layers?device=T4");
      const lines = new Map(run("model", file, "--device=T4").split("\n").map((line) => [line.split(/ {2,}/)[0], line]));
      const rows = await opened.page.locator("table.model tbody tr").evaluateAll((all) =>
        all.map((row) => [row.querySelector("th").innerText, [...row.querySelectorAll(".num")].map((n) => n.innerText)]));
      assert.ok(rows.length > 10);
      for (const [layer, numbers] of rows)
        for (const number of numbers) assert.ok(lines.get(layer)?.includes(` ${number}`) || lines.get(layer)?.split(/ {2,}/).some((printed) => isShown(printed, number)), `${layer}: ${number} in ${lines.get(layer)}`);
    });

    test("copy as command is the model's", async () => {
      await opened.page.keyboard.press(".");
      await opened.page.getByRole("menuitem", { name: "Copy as command" }).click();
      await settle(opened.page);
      assert.equal(await opened.page.locator(".copied code").innerText(), `tfprof model ${file} --device=T4`);
    });

    test("other pages say what is missing", async () => {
      await goTo(opened, "#/timeline");
      assert.match(await opened.page.locator(".empty").innerText(), /no times/);
    });

    test("accessible, and quiet", async () => {
      for (const theme of ["light", "dark"])
        for (const page of ["overview", "layers", "operations", "python"]) {
          await goTo(opened, `#/${page}?theme=${theme}`);
          assert.deepEqual(await inaccessible(opened.page), [], `${page} ${theme}`);
        }
      assert.deepEqual(opened.problems, []);
    });
  });
