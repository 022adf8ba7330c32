// The Source page: what lines cost is what code view says, and their text is what was recorded.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { goTo, inaccessible, makePlanted, openPage, run, SAMPLE, settle, start, startServer, stop } from "./browser.mjs";

let started, opened, page;
before(async () => {
  started = await start([SAMPLE]);
  ({ opened, page } = started);
});
after(() => stop(started));

// Sums of code view by file and line: what calls them does not matter. Of a line that calls itself,
// the outermost call has all.
function expected(word, ...options) {
  const { nodes } = JSON.parse(run("code", SAMPLE, `-select=${word}`, "-output=json", "-only_my_code=true", "-fold_gradients=true", "-max_depth=1000", ...options));
  const lines = new Map(), column = { micros: "exec_micros", bytes: "requested_bytes" }[word], above = [];
  for (const n of nodes.slice(1)) {
    above[n.depth] = n.name.split(":", 2).join(":");
    const key = above[n.depth], line = lines.get(key) ?? { own: 0, total: 0 };
    line.own += n[column] ?? 0;
    if (!above.slice(1, n.depth).includes(key)) line.total += n[`total_${column}`] ?? 0;
    lines.set(key, line);
  }
  return lines;
}

const margin = () => page.locator(".code tbody tr[data-own]").evaluateAll((all) => all.map((tr) => [Number(tr.dataset.line), Number(tr.dataset.own), Number(tr.dataset.total)]));

test("the margin has what code view says of each line, in each file", async () => {
  for (const word of ["micros", "bytes"]) {
    await goTo(opened, `#/source?metric=${word}`);
    const lines = expected(word), files = await page.locator(".files tbody a").evaluateAll((all) => all.map((a) => [a.closest("th").title, Number(a.closest("tr").dataset.own), a.closest("tr").className.includes("function")]));
    let sum = 0;
    for (const [file, own] of files.filter(([, , isFunction]) => !isFunction)) {
      const inFile = [...lines].filter(([key]) => key.startsWith(`${path.basename(file)}:`));
      assert.equal(own, inFile.reduce((a, [, l]) => a + l.own, 0), file);
      sum += own;
      await goTo(opened, `#/source?metric=${word}&file=${encodeURIComponent(file)}`);
      const rows = await margin();
      assert.deepEqual(rows.map(([line, ...numbers]) => [`${path.basename(file)}:${line}`, ...numbers]).sort(),
        inFile.filter(([, l]) => l.own > 0 || l.total > 0).map(([key, l]) => [key, l.own, l.total]).sort(), `${word} ${file}`);
    }
    assert.equal(sum, [...lines.values()].reduce((a, l) => a + l.own, 0));
    const functions = files.filter(([, , isFunction]) => isFunction);
    assert.equal(functions.reduce((a, [, own]) => a + own, 0), files[0][1]);
  }
});

test("the margin has what tfprof annotate says", async () => {
  const { nodes } = JSON.parse(run("annotate", SAMPLE, "--output=json")), files = nodes.filter((n) => n.depth === 1);
  for (const file of files) {
    await goTo(opened, `#/source?file=${encodeURIComponent(file.name)}`);
    assert.deepEqual(await margin(), nodes.filter((n) => n.parent === file.id && n.total_exec_micros > 0).map((n) => [n.line, n.exec_micros ?? 0, n.total_exec_micros]), file.name);
  }
});

test("the text is the recorded one; a line selects, and a selection shows its file", async () => {
  await goTo(opened, "#/source");
  const lines = page.locator(".code tbody tr");
  assert.match(await page.locator(".code h1").innerText(), /^resnet_model.py .*text as recorded/);
  assert.match(await lines.and(page.locator("[data-line='66']")).innerText(), /return tf.nn.conv2d\(x, kernel, \[1, stride, stride, 1\], padding="SAME"\)/);
  await page.getByRole("button", { name: /^line 66: / }).click();
  await settle(page);
  assert.match(page.url(), /sel=line%3A.*resnet_model.py%3A66/);
  assert.match(await page.locator(".details").innerText(), /1\.26 s time/);
  await goTo(opened, "#/source?sel=line:train.py:76");
  assert.match(await page.locator(".code h1").innerText(), /^train.py/);
  assert.equal(await page.locator(".code tr.on").getAttribute("data-line"), "76");
  await page.locator(".code tr.on button").focus();
  await page.keyboard.press("ArrowUp");
  assert.ok(Number(await page.evaluate(() => document.activeElement.textContent)) < 76);
  assert.deepEqual(await inaccessible(page), []);
});

test("the file on this disk is shown if it is what was recorded, else with a warning", async () => {
  const { directory, files } = makePlanted(5), source = path.join(directory, "net.py"), text = readFileSync(source, "utf8");
  const server = await startServer(...files), there = await openPage(started.browser, server);
  const heading = async () => {
    await goTo(there, "#/overview");
    await there.page.reload();
    await goTo(there, "#/source");
    return `${await there.page.locator(".code").innerText()}`;
  };
  try {
    assert.match(await heading(), /text of the file, as recorded[\s\S]*1\s+import tensorflow as tf[\s\S]*return x/);
    appendFileSync(source, "# more\n");
    assert.match(await heading(), /text of the file, as recorded/);
    writeFileSync(source, `# a line more\n${text}`);
    assert.match(await heading(), /net.py has changed since: lines may be off/);
    rmSync(source);
    const gone = await heading();
    assert.match(gone, /text as recorded/);
    assert.doesNotMatch(gone, /import tensorflow/);
    // Nothing else is read: not what the profile does not name.
    const { status } = await there.page.request.get(`${there.origin}/api/text?path=/etc/passwd`).then((r) => ({ status: r.status() }));
    assert.equal(status, 400);
    assert.deepEqual(there.problems.filter((p) => !p.includes("400")), []);
  } finally {
    await there.close();
    server.stop();
  }
});

test("no request left the server, and the console is empty", () => assert.deepEqual(opened.problems, []));
