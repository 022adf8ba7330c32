// A model without a run: pages say what is missing instead of being empty.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { goTo, inaccessible, start, stop } from "./browser.mjs";

const SHAPE = "attr { key: 'shape' value { shape { dim { size: 30 } dim { size: 10 } } } }";
const HOSTILE = "<img src=x onerror=alert(1)>";
const GRAPH = `
node { name: 'layer/w' op: 'VariableV2' ${SHAPE} }
node { name: '${HOSTILE}/w' op: 'VariableV2' ${SHAPE} }
node { name: 'long_${"x".repeat(10000)}/w' op: 'VariableV2' ${SHAPE} }
node { name: 'mark_\\342\\200\\256_bidi/w' op: 'VariableV2' ${SHAPE} }
node { name: 'invalid_\\377\\300_bytes/w' op: 'VariableV2' ${SHAPE} }
`;

let started, opened;

before(async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "tfprof-")), "graph.pbtxt");
  writeFileSync(file, GRAPH);
  started = await start([file]);
  ({ opened } = started);
});

after(() => stop(started));

const text = async () => (await opened.page.locator("main").innerText()).replaceAll(/x{100,}/g, "xxx");

test("the model's size leads", async () => {
  assert.equal(await opened.page.locator("h1").innerText(), "1.50 k parameters.");
  assert.match(await text(), /What this file does not have/);
  assert.match(await text(), /times, memory and devices: add/);
});

test("a page without data says what brings it", async () => {
  await goTo(opened, "#/timeline");
  assert.match(await text(), /This profile has no times\.\s+Add /);
  await goTo(opened, "#/python");
  assert.match(await text(), /This profile has no call stacks\.\s+Add /);
});

test("names are text, whatever they hold", async () => {
  await goTo(opened, "#/layers");
  assert.equal(await opened.page.locator("img").count(), 0);
  assert.ok((await text()).includes(HOSTILE));
  assert.ok((await text()).includes("invalid_\ufffd\ufffd_bytes"), "invalid UTF-8 becomes U+FFFD");
  assert.ok((await text()).includes("mark_\u202e_bidi"));
  const width = await opened.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 1280, `the page is ${width} pixels wide`);
});

test("accessible", async () => {
  for (const page of ["overview", "layers", "python", "timeline", "advice"]) {
    await goTo(opened, `#/${page}`);
    assert.deepEqual(await inaccessible(opened.page), [], page);
  }
});

test("nothing ran, nothing left the server", () => {
  assert.deepEqual(opened.problems, []);
});
