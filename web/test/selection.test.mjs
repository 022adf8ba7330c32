// A selection made on one page counts alike on all others: on the sample, and on a run of
// 2 tasks with 2 GPUs each.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, inaccessible, makeCluster, run, SAMPLE, settle, start, stop } from "./browser.mjs";

const COUNTING = ["operations", "layers", "python", "graph", "timeline"];

const exact = (title) => Number(title.replace(/[^0-9]/g, ""));

// What a page says is selected, and what the details say.
async function counted(opened) {
  const shown = opened.page.locator("h1 .of-selection .num");
  const details = opened.page.locator("aside .sum .num");
  return [exact(await shown.getAttribute("title")), exact(await details.getAttribute("title"))];
}

async function countsAlike(opened, term, expected, params = "") {
  for (const page of COUNTING) {
    if (page === "timeline" && !params.includes("step=")) continue; // it is of one step
    await goTo(opened, `#/${page}?sel=${encodeURIComponent(term)}${params}${params.includes("metric=") ? "" : "&metric=micros"}`);
    assert.deepEqual(await counted(opened), [expected, expected], `${term} on ${page}`);
  }
}

// The own time of all rows of a report that match.
function total(files, view, match, ...options) {
  const { nodes } = JSON.parse(run(view, ...files, "-max_depth=1000", "-select=micros", "-output=json", ...options));
  return nodes.filter(match).reduce((sum, n) => sum + n.exec_micros, 0);
}

// The step's Chrome trace, as the command line writes it.
function timelineOf(file) {
  const out = path.join(mkdtempSync(path.join(tmpdir(), "tfprof-")), "timeline");
  run("graph", file, "-step=1", "-max_depth=100000", `-output=timeline:outfile=${out}`);
  return readFileSync(readdirSync(path.dirname(out)).map((name) => path.join(path.dirname(out), name))[0], "utf8");
}

function suite(name, files, cases) {
  describe(name, () => {
    let started;
    before(async () => { started = await start(files()); });
    after(() => stop(started));
    cases(() => started.opened, files);
    test("nothing went wrong", () => assert.deepEqual(started.opened.problems, []));
  });
}

suite("sample", () => [SAMPLE], (opened, files) => {
  test("an operation, chosen on its page", async () => {
    await goTo(opened(), "#/operations");
    await opened().page.getByRole("button", { name: "select Mul", exact: true }).click();
    await settle(opened().page);
    assert.ok(opened().page.url().includes("sel=op%3AMul"));
    await countsAlike(opened(), "op:Mul", total(files(), "op", (n) => n.name === "Mul"));
  });

  test("a layer, chosen in the treemap, and its gradients", async () => {
    await goTo(opened(), "#/layers");
    await opened().page.locator(".treemap").getByRole("button", { name: /^unit_1_3: / }).click({ position: { x: 5, y: 5 } });
    await settle(opened().page);
    assert.ok(opened().page.url().endsWith("sel=scope%3Aunit_1_3"), opened().page.url());
    const names = (n) => n.name.startsWith("unit_1_3/") || n.name.startsWith("gradients/unit_1_3/");
    await countsAlike(opened(), "scope:unit_1_3", total(files(), "scope", names));
    const forward = total(files(), "scope", (n) => n.name.startsWith("unit_1_3/"));
    await countsAlike(opened(), "scope:unit_1_3", forward, "&fold_gradients=false");
  });

  test("a line, chosen in the flame graph, with what it calls", async () => {
    await goTo(opened(), "#/python");
    await opened().page.locator(".flame").getByRole("button", { name: /^resnet_model.py:24:/ }).first().click({ position: { x: 5, y: 3 } });
    await settle(opened().page);
    const term = decodeURIComponent(/sel=([^&]*)/.exec(opened().page.url())[1]);
    assert.match(term, /^line:.*resnet_model.py:24$/);
    const { nodes } = JSON.parse(run("code", ...files(), "-max_depth=1000", "-select=micros", "-output=json", "-only_my_code=true"));
    const within = [];
    nodes.forEach((n, i) => { within[i] = within[n.parent] || n.name.startsWith("resnet_model.py:24:"); });
    await countsAlike(opened(), term, nodes.reduce((sum, n, i) => sum + (within[i] ? n.exec_micros : 0), 0));
  });

  test("a box of the graph", async () => {
    await goTo(opened(), "#/graph?fold_alike=false");
    await opened().page.keyboard.press("0");
    await opened().page.getByRole("button", { name: /^unit_2_0: / }).click();
    await settle(opened().page);
    assert.ok(opened().page.url().endsWith("sel=scope%3Aunit_2_0"), opened().page.url());
    const names = (n) => n.name.startsWith("unit_2_0/") || n.name.startsWith("gradients/unit_2_0/");
    await countsAlike(opened(), "scope:unit_2_0", total(files(), "scope", names));
    // Several that are shown as one.
    await goTo(opened(), "#/graph");
    await opened().page.getByRole("button", { name: /^unit_2_\[0-4\]: / }).click();
    await settle(opened().page);
    assert.ok(opened().page.url().endsWith("sel=scope%3Aunit_2_%5B0-4%5D"), opened().page.url());
    await countsAlike(opened(), "scope:unit_2_[0-4]", total(files(), "scope", (n) => /^(gradients\/)?unit_2_[0-4]\//.test(n.name)));
  });

  test("a stretch of time, dragged on the timeline, and a slice of it", async () => {
    const { page } = opened();
    await goTo(opened(), "#/timeline?step=1");
    const box = await page.locator("canvas").boundingBox();
    await page.mouse.move(box.x + 500, box.y + 80);
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y + 80);
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await settle(page);
    const term = decodeURIComponent(/sel=([^&]*)/.exec(page.url())[1]);
    const [, from, until] = /^time:1,(\d+)-(\d+)$/.exec(term).map(Number);
    // The events of the step, from its start on.
    const { traceEvents } = JSON.parse(timelineOf(files()[0]));
    const events = traceEvents.filter((e) => e.ph === "X"), start = Math.min(...events.map((e) => e.ts));
    // The pane adds up what ran within, as far as it lies within; nothing of other steps.
    const ran = new Map();
    for (const { op, start_micros: at, duration_micros: took } of JSON.parse(run("events", ...files(), "--step=1", "--output=json")).nodes.slice(1)) {
      const micros = Math.min(at - start + took, until) - Math.max(at - start, from);
      if (micros > 0) ran.set(op, (ran.get(op) ?? 0) + micros);
    }
    const listed = await page.locator("aside .sums tbody tr").evaluateAll((rows) => rows.map((r) => [r.querySelector("th").innerText.trim(), Number(r.querySelector(".num").title.replace(/[^0-9]/g, ""))]));
    assert.ok(listed.length >= 3);
    for (const [op, micros] of listed) assert.equal(micros, ran.get(op), op);
    await goTo(opened(), "#/timeline?step=1");
    await page.mouse.click(box.x + 640, box.y + 80);
    await settle(page);
    assert.match(page.url(), /sel=node%3A\d+/);
  });

  test("a device closes its lanes, and the address keeps it", async () => {
    const { page } = opened(), height = async () => (await page.locator(".timeline .spacer").boundingBox()).height;
    await goTo(opened(), "#/timeline");
    const before = await height(), box = await page.locator("canvas").boundingBox();
    await page.mouse.click(box.x + 40, box.y + 36);
    await settle(page);
    assert.ok(page.url().endsWith("lanes=0"), page.url());
    assert.equal(await height(), before - 2 * 25);
    await page.reload();
    await settle(page);
    assert.equal(await height(), before - 2 * 25);
  });

  test("a node, and all that is known of it", async () => {
    const name = "unit_1_0/sub1/conv1/Conv2D";
    await goTo(opened(), "#/graph?scope=unit_1_0/sub1/conv1");
    await opened().page.keyboard.press("0");
    await opened().page.getByRole("button", { name: new RegExp(`^${name}: `) }).click();
    await settle(opened().page);
    await opened().page.locator("aside").getByRole("link", { name, exact: true }).click();
    await settle(opened().page);
    assert.match(opened().page.url(), /sel=node%3A\d+/);
    const shown = await opened().page.locator("aside").innerText();
    for (const part of [name, "Conv2D", "128x32x32x16", "resnet_model.py:66"]) assert.ok(shown.includes(part), `${part} in ${shown}`);
  });

  test("the graph goes in, opens in place and comes back", async () => {
    await goTo(opened(), "#/graph?fold_alike=false&metric=micros");
    assert.ok((await opened().page.locator(".graph .box").count()) <= 60);
    await opened().page.getByRole("button", { name: /^unit_1_3: / }).focus();
    await opened().page.keyboard.press("+");
    await settle(opened().page);
    assert.equal(await opened().page.getByRole("button", { name: /^unit_1_3\/sub1: / }).count(), 1);
    await opened().page.getByRole("button", { name: /^unit_1_3\/sub1: / }).focus();
    await opened().page.keyboard.press("Enter");
    await settle(opened().page);
    assert.match(await opened().page.locator("h1").innerText(), /^model \/ unit_1_3 \/ sub1 63.0 ms time/);
    await opened().page.goBack();
    await settle(opened().page);
    assert.equal(await opened().page.getByRole("button", { name: /^unit_1_3\/sub1: / }).count(), 1);
  });

  test("Esc clears it", async () => {
    await goTo(opened(), "#/operations?sel=op:Mul");
    assert.equal(await opened().page.locator("aside").count(), 1);
    await opened().page.keyboard.press("Escape");
    await settle(opened().page);
    assert.equal(await opened().page.locator("aside").count(), 0);
  });

  test("a line and its gradients are one box, of what the command line says of both", async () => {
    const { nodes } = JSON.parse(run("code", ...files(), "-max_depth=2", "-select=micros", "-output=json", "-only_my_code=true"));
    const both = nodes.filter((n) => n.name.startsWith("train.py:76:"));
    assert.equal(both.length, 2);
    await goTo(opened(), "#/python");
    await opened().page.locator(".flame").getByRole("button", { name: /^train.py:76:/ }).dblclick();
    await settle(opened().page);
    const title = await opened().page.locator("h1 .num").first().getAttribute("title");
    assert.equal(exact(title), both[0].total_exec_micros + both[1].total_exec_micros);
  });

  test("a selection that names nothing says so", async () => {
    await goTo(opened(), "#/operations?sel=op:NoSuchThing");
    assert.match(await opened().page.locator("aside").innerText(), /Nothing in this profile matches/);
  });
});

suite("2 tasks with 2 GPUs", (() => { let files; return () => (files ??= makeCluster()); })(), (opened, files) => {
  test("what was worked out by hand", async () => {
    // 4 towers × (200 + 400 + 600) on streams, twice as long in one of 5 steps; launches of 4.
    await countsAlike(opened(), "op:Conv2DBackpropFilter", 4 * 1200 * 6 / 5 + 12 * 4);
    await countsAlike(opened(), "op:Conv2DBackpropFilter", 2 * 4 * 1200 + 12 * 4, "&step=3");
    await countsAlike(opened(), "line:model.py:21", 4 * (200 + 20 + 400) * 6 / 5 + 12 * 4);
    await countsAlike(opened(), "scope:tower_2", total(files(), "scope", (n) => n.name.includes("tower_2/")));
  });

  test("memory: the curve, its peak, and who held it", async () => {
    await goTo(opened(), "#/timeline?step=0");
    const { page } = opened();
    assert.match(await page.locator(".holders h2").innerText(), /^Held at .* on gpu:0, its peak$/);
    // 9 kernels of a tower hold a megabyte each when the last has started.
    assert.deepEqual(await page.locator(".holders td .num").allInnerTexts(), Array(9).fill("1.00 MB"));
    const answer = await page.evaluate(async () => (await fetch("api/memory?step=0")).json());
    assert.deepEqual(answer.map((d) => d.peak), [9e6, 9e6, 9e6, 9e6]);
  });

  test("accessible with a selection", async () => {
    for (const page of COUNTING) {
      await goTo(opened(), `#/${page}?sel=op:Conv2D`);
      assert.deepEqual(await inaccessible(opened().page), [], page);
    }
  });
});
