// Graphs of models in every format, of a program of XLA and of the sample: there are lines, they lead where
// data flows and pass no box; they can be moved, zoomed, followed and saved.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, inaccessible, openPage, SAMPLE, settle, startBrowser, startServer, TOP } from "./browser.mjs";

const model = (name) => ["tests/models/files", "../shared/models"].map((folder) => path.join(TOP, folder, name)).find(existsSync);
// Names that some box has at first, and what flows from one to the other, in the order of the layers.
const GRAPHS = {
  "a SavedModel": { file: model("bert_tiny/export"), chain: ["mha_0", "ffn_up_0", "ffn_down_0", "mha_1", "ffn_up_1", "ffn_down_1", "pooler", "head"] },
  "a .keras file": { file: model("bert_tiny/model.keras"), chain: ["tok", "mha_0", "ffn_up_0", "ffn_down_0", "mha_1", "pooler", "head"] },
  "a frozen graph": { file: model("bert_tiny/frozen.pb"), chain: ["mha_0", "ffn_up_0", "ffn_down_0", "mha_1", "pooler", "head"] },
  "a TFLite file": { file: model("bert_tiny/model.tflite"), chain: ["mha_0", "ffn_up_0", "ffn_down_0", "mha_1", "pooler", "StatefulPartitionedCall"] },
  "a program of XLA": { file: path.join(TOP, "examples/traces/jax_transformer.xplane.pb.gz"), chain: ["layer_0", "layer_1"] },
  "the sample": { file: SAMPLE, chain: ["input", "init", "unit_1_", "unit_2_", "unit_3_", "unit_last", "pool_logit", "costs"] },
};

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

async function shown(file, use, hash = "#/graph") {
  const server = await startServer(file), opened = await openPage(browser, server, { viewport: { width: 1440, height: 900 }, acceptDownloads: true });
  try {
    await opened.page.waitForSelector(".overview", { timeout: 60000 });
    await goTo(opened, hash);
    await opened.page.waitForSelector(".graph .box");
    await use(opened.page, opened);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
    server.stop();
  }
}

// Boxes and lines as drawn: boxes by id, lines as points along them.
const drawn = (page) => page.evaluate(() => ({
  boxes: [...document.querySelectorAll(".graph .box")].map((g) => {
    const { e, f } = g.transform.baseVal.getItem(0).matrix, rect = g.querySelector(".back");
    return { id: g.dataset.box, name: g.getAttribute("aria-label").replace(/: [^:]*$/, ""), x: e, y: f, w: rect.width.baseVal.value, h: rect.height.baseVal.value };
  }),
  lines: [...document.querySelectorAll(".graph [data-edge]")].map((g) => {
    const way = g.querySelector("path:not(.near)"), length = way.getTotalLength(), n = Math.ceil(length / 3);
    return { edge: g.dataset.edge, points: Array.from({ length: n + 1 }, (_, i) => way.getPointAtLength((length * i) / n)).map(({ x, y }) => [x, y]) };
  }),
}));

function checkLines({ boxes, lines }) {
  const byId = new Map(boxes.map((b) => [b.id, b])), isIn = ([x, y], b, by) => x > b.x + by && x < b.x + b.w - by && y > b.y + by && y < b.y + b.h - by;
  for (const { edge, points } of lines) {
    const [from, to] = edge.split("-").map((id) => byId.get(id));
    assert.ok(isIn(points[0], from, -2), `${from.name} → ${to.name} begins at its box`);
    assert.ok(isIn(points.at(-1), to, -2), `${from.name} → ${to.name} ends at its box`);
    for (const b of boxes) if (b !== from && b !== to) for (const p of points) assert.ok(!isIn(p, b, 1), `${from.name} → ${to.name} runs through ${b.name}`);
  }
  for (const [i, a] of boxes.entries()) for (const b of boxes.slice(0, i)) assert.ok(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y, `${a.name} covers ${b.name}`);
}

// Whether lines lead from a box of one name to one of another.
function leads({ boxes, lines }, from, to) {
  const next = new Map(boxes.map((b) => [b.id, []]));
  for (const { edge } of lines) next.get(edge.split("-")[0]).push(edge.split("-")[1]);
  const open = boxes.filter((b) => b.name.includes(from)).map((b) => b.id), seen = new Set(open), goal = new Set(boxes.filter((b) => b.name.includes(to)).map((b) => b.id));
  for (let id = open.pop(); id !== undefined; id = open.pop()) for (const n of next.get(id)) if (!seen.has(n)) { seen.add(n); open.push(n); }
  return [...goal].some((id) => seen.has(id));
}

for (const [name, { file, chain }] of Object.entries(GRAPHS))
  describe(name, () => {
    test("lines lead from layer to layer and pass no box", () => shown(file, async (page) => {
      const picture = await drawn(page);
      assert.ok(picture.lines.length >= chain.length - 1, `${picture.lines.length} lines`);
      checkLines(picture);
      for (let i = 1; i < chain.length; i++) assert.ok(leads(picture, chain[i - 1], chain[i]), `${chain[i - 1]} → ${chain[i]}: ${picture.boxes.map((b) => b.name).join(", ")}`);
      assert.match(await page.locator("h1").innerText(), /float operations/);
      assert.deepEqual(await inaccessible(page), []);
    }));
  });

test("the wheel zooms at the mouse, dragging moves, 0 fits, a click still selects", () => shown(SAMPLE, async (page) => {
  const at = () => page.locator(".graph .box").first().boundingBox(), before = await at();
  const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -200);
  await settle(page);
  const larger = await at();
  assert.ok(larger.width > 1.2 * before.width && Math.abs(larger.x + larger.width / 2 - x) < 2, JSON.stringify([before, larger]));
  await page.mouse.move(200, 500);
  await page.mouse.down();
  await page.mouse.move(260, 540, { steps: 4 });
  await page.mouse.up();
  const moved = await at();
  assert.ok(Math.abs(moved.x - larger.x - 60) < 2 && Math.abs(moved.y - larger.y - 40) < 2, JSON.stringify([larger, moved]));
  assert.doesNotMatch(page.url(), /sel=/);
  await page.keyboard.press("0");
  const frame = await page.locator(".graph svg:not(.map)").boundingBox();
  for (const box of await page.locator(".graph .box").all()) {
    const b = await box.boundingBox();
    assert.ok(b.x >= frame.x && b.x + b.width <= frame.x + frame.width && b.y >= frame.y && b.y + b.height <= frame.y + frame.height);
  }
  await page.locator(".graph .box").first().click();
  await settle(page);
  assert.match(page.url(), /sel=/);
  assert.ok(await page.locator(".graph .edge.of-chosen").count() > 0);
  await page.getByRole("button", { name: "Full page" }).click();
  const full = await page.locator(".graph").boundingBox();
  assert.deepEqual([full.x, full.y, full.width, full.height], [0, 0, 1440, 900]);
}));

test("a small picture shows which part is in sight, and moves it", () => shown(model("bert_tiny/frozen.pb"), async (page) => {
  const map = page.locator(".graph .map"), inSight = async () => {
    const frame = await page.locator(".graph").boundingBox(), all = await page.locator(".graph .box").all();
    return (await Promise.all(all.map((b) => b.boundingBox()))).map((b) => b.y >= frame.y && b.y + b.height <= frame.y + frame.height);
  };
  await page.keyboard.press("0");
  assert.ok(!(await inSight()).includes(false) && !(await map.isVisible()));
  for (let i = 0; i < 8; i++) await page.keyboard.press("+");
  assert.ok((await inSight()).includes(false) && (await map.isVisible()));
  assert.equal(await map.locator(".map-box").count(), await page.locator(".graph .box").count());
  // The middle of each box in it is where that box then is.
  const n = await page.locator(".graph .box").count();
  for (const i of [0, n - 1]) {
    const small = await map.locator(".map-box").nth(i).boundingBox();
    await page.mouse.click(small.x + small.width / 2, small.y + small.height / 2);
    const box = await page.locator(".graph .box").nth(i).boundingBox(), frame = await page.locator(".graph").boundingBox();
    assert.ok(Math.abs(box.x + box.width / 2 - frame.x - frame.width / 2) < 12 && Math.abs(box.y + box.height / 2 - frame.y - frame.height / 2) < 12, JSON.stringify([box, frame]));
  }
}));

test("N shows what is around a node, with its attributes and shapes; the drawing is saved whole", () => shown(model("bert_tiny/frozen.pb"), async (page) => {
  await page.locator(".graph .box").filter({ has: page.locator("title", { hasText: /1 node$/ }) }).first().click();
  await settle(page);
  assert.match(page.url(), /sel=node/);
  assert.match(await page.locator("aside").innerText(), /attributes[\s\S]*T/);
  await page.keyboard.press("n");
  await settle(page);
  assert.match(page.url(), /around=\d+/);
  checkLines(await drawn(page));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save SVG" }).click()]);
  const text = readFileSync(await download.path(), "utf8"), n = await page.locator(".graph .box").count();
  assert.equal((text.match(/class="box/g) ?? []).length, n);
  assert.match(text, /^<svg[^>]* viewBox="-12 -12 /);
  assert.doesNotMatch(text, /scale\(/);
}));

test("a SavedModel of 300,000 nodes", () => {
  const directory = mkdtempSync(path.join(tmpdir(), "tfprof-"));
  const made = spawnSync("python3", [path.join(TOP, "tests/support/large_model.py"), directory, "300000"], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  return shown(directory, async (page) => {
    const picture = await drawn(page);
    checkLines(picture);
    assert.ok(picture.boxes.some((b) => /block_\[0-\d+\]/.test(b.name)), picture.boxes.map((b) => b.name).join(", "));
    assert.ok(leads(picture, "stem", "block_") && leads(picture, "block_", "head"));
  });
});
