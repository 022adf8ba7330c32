// Names that try to be HTML, to turn text around or to break the layout, of everything that has a
// name: nodes, types, devices, files, functions and lines. On every page they are text.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { goTo, inaccessible, settle, start, stop } from "./browser.mjs";

const IMG = "<img src=x onerror=alert(1)>", SCRIPT = "</script><script>alert(2)</script>", BIDI = "a\\342\\200\\256b\\342\\200\\213c", BAD = "bad\\377\\300";
const LONG = "y".repeat(10000), DEVICE = `/job:worker/replica:0/task:0/device:CPU:0`;
const SHAPE = "attr { key: '_output_shapes' value { list { shape { dim { size: 10 } dim { size: 20 } } } } } attr { key: 'T' value { type: DT_FLOAT } } " +
  `attr { key: '${IMG}' value { s: '${SCRIPT}' } }`;
const NAMES = [`${IMG}/op`, `${SCRIPT.replaceAll("/", "")}/op`, `${LONG}/op`, `${BIDI}/op`, `${BAD}/op`];
const TYPES = [IMG, SCRIPT, LONG, BIDI, BAD];

const graph = NAMES.map((name, i) => `node { name: '${name}' op: '${TYPES[i]}' ${i ? `input: '${NAMES[i - 1]}'` : ""} ${SHAPE} }`).join("\n");
const ran = NAMES.map((name, i) => `node_stats { node_name: '${name}' all_start_micros: ${1000 + 100 * i} op_start_rel_micros: 0 op_end_rel_micros: 90 all_end_rel_micros: 90 }`).join(" ");
const run = `step_stats { dev_stats { device: '${DEVICE}' ${ran} } dev_stats { device: '/device:CPU:1${IMG}' ${ran} } }`;
const log = `${NAMES.map((name) => `log_entries { name: '${name}' code_def { traces { file_id: 1 lineno: 3 function_id: 2 line_id: 3 } traces { file_id: 4 lineno: 4 function_id: 4 line_id: 4 } } }`).join("\n")}
id_to_string { key: 1 value: '/home/me/${IMG}.py' } id_to_string { key: 2 value: '${SCRIPT}' } id_to_string { key: 3 value: 'x = "${IMG}"' } id_to_string { key: 4 value: '${LONG}' }`;

let started, opened, page;

before(async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "tfprof-"));
  const files = Object.entries({ "graph.pbtxt": graph, "run_meta.pbtxt": run, "op_log.pbtxt": log }).map(([name, text]) => {
    writeFileSync(path.join(directory, name), text);
    return path.join(directory, name);
  });
  started = await start(files);
  ({ opened, page } = started);
  page.on("dialog", (dialog) => opened.problems.push(`dialog: ${dialog.message()}`));
});

after(() => stop(started));

const isPlain = async (what) => {
  assert.equal(await page.locator("body img, body script:not([src]), body iframe").count(), 0, `${what}: an element came from a name`);
  for (const width of [1280, 700]) {
    await page.setViewportSize({ width, height: 720 });
    await settle(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${what} at ${width}: ${await page.evaluate(() => document.documentElement.scrollWidth)}`);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
};

for (const at of ["overview", "operations", "layers", "python", "source", "memory", "roofline", "graph", "timeline", "advice"])
  test(`on the page ${at}`, async () => {
    await goTo(opened, `#/${at}`);
    await isPlain(at);
    // A search with what it finds, and each node selected, with all that is known of it.
    await goTo(opened, `#/${at}?find=${encodeURIComponent("<|y|bad")}`);
    await page.keyboard.press("/");
    await settle(page);
    await isPlain(`${at}, a search`);
    for (let node = 0; node < NAMES.length; node++) {
      await goTo(opened, `#/${at}?sel=node:${node}`);
      await isPlain(`${at}, node ${node}`);
    }
  });

test("they are read as they are written", async () => {
  await goTo(opened, "#/operations");
  const names = await page.locator(".operations tbody th").allInnerTexts();
  for (const name of ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a\u202eb\u200bc", "bad\ufffd\ufffd"])
    assert.ok(names.some((n) => n.trim() === name), `${JSON.stringify(name)} in ${JSON.stringify(names.map((n) => n.slice(0, 40)))}`);
  await goTo(opened, "#/python");
  assert.ok((await page.locator(".numbers").innerText()).includes(":4:"));
  assert.deepEqual(await inaccessible(page), []);
});

test("nothing ran, nothing left the server", () => {
  assert.deepEqual(opened.problems, []);
});
