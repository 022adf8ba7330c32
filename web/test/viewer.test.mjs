// The trace viewer: threads beside devices, a pane with its own place, keys and wheel without a click.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { asShown, goTo, inaccessible, openPage, run, settle, start, startServer, stop, TOP } from "./browser.mjs";

let started, opened, page;

before(async () => {
  started = await start([path.join(TOP, "examples/traces/keras_fit.xplane.pb.gz")]);
  ({ opened, page } = started);
});

after(() => stop(started));

const ask = async (route) => (await page.request.get(`${opened.origin}/api/${route}`)).json();
const box = () => page.locator(".timeline canvas").boundingBox();
const lines = () => page.evaluate(() => document.querySelector(".timeline canvas").lines());
const spot = async (slice, line) => {
  const place = await box();
  return [place.x + (Math.max(196, slice.left) + Math.min(place.width, slice.right)) / 2, place.y + line.y + slice.row * 21 + 8];
};

test("it fills the window, and the page itself does not scroll", async () => {
  for (const [width, height] of [[1280, 720], [1920, 1000]]) {
    await page.setViewportSize({ width, height });
    await goTo(opened, "#/timeline?step=1");
    const place = await box(), footer = await page.locator(".trace footer").boundingBox();
    assert.ok(place.height > 0.55 * height, `${place.height} of ${height}`);
    assert.ok(Math.abs(footer.y + footer.height - height) < 2);
    assert.equal(await page.evaluate(() => document.documentElement.scrollHeight > innerHeight), false);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("threads of the host have rows, idle ones are folded and counted", async () => {
  // The last of three, which has many rows, starts closed.
  await goTo(opened, "#/timeline?step=1&lanes=2");
  const { lanes } = await ask("lanes?step=1&of=threads"), shown = await lines();
  assert.deepEqual(shown.filter((l) => l.of === "threads").map((l) => l.title).sort(), lanes.map((l) => l.name).sort());
  assert.deepEqual(shown.filter((l) => l.kind === "device").map((l) => l.title), ["Python", "cpu:0", "Host threads"]);
  const executions = await ask("lanes?step=1"), idle = executions.lanes.filter((l) => !l.executions).length;
  assert.ok(idle > 0);
  assert.match(shown.find((l) => l.title === "cpu:0").share, new RegExp(`${idle} idle folded`));
  assert.equal(shown.filter((l) => l.kind === "lane" && !l.of).length, executions.lanes.length - idle);
  const events = await page.evaluate(() => document.querySelector(".timeline canvas").drawnThreads());
  assert.ok(events.some((e) => e.op === "FunctionRun"), events.map((e) => e.op).join());
});

test("W, A, S, D work without a click first, and 0 shows all", async () => {
  await goTo(opened, "#/timeline?step=1");
  await page.keyboard.press("w");
  await page.keyboard.press("d");
  await settle(page);
  const [, from, until] = /zoom=(\d+)-(\d+)/.exec(page.url()).map(Number), { duration } = await ask("lanes?step=1");
  assert.ok(Math.abs(until - from - duration / 2) <= 2 && from > duration / 4);
  await page.keyboard.press("0");
  await settle(page);
  assert.doesNotMatch(page.url(), /zoom=/);
});

test("selecting moves nothing below the cursor, and a double click goes to what the button went down on", async () => {
  await goTo(opened, "#/timeline?step=1");
  const before = await box(), slices = (await page.evaluate(() => document.querySelector(".timeline canvas").drawn())).filter((s) => s.n === 1 && s.right - s.left > 20);
  const shown = await lines();
  for (const slice of slices.slice(0, 6)) {
    await goTo(opened, "#/timeline?step=1");
    const line = shown.find((l) => l.kind === "lane" && !l.of && l.lane === slice.lane);
    await page.mouse.dblclick(...await spot(slice, line));
    await settle(page);
    assert.deepEqual(await box(), before);
    const [, from, until] = /zoom=(\d+)-(\d+)/.exec(page.url()).map(Number);
    assert.ok(from <= slice.x && until >= slice.x + slice.w && until - from <= 1.5 * slice.w + 6, `${from}-${until} of ${slice.x}+${slice.w}`);
    assert.match(page.url(), new RegExp(`sel=node%3A${slice.node}(&|$)`));
  }
});

test("a card at the cursor says what a slice is, in the window at any corner", async () => {
  await goTo(opened, "#/timeline?step=1&lanes=2");
  const shown = await lines();
  for (const of of [undefined, "threads"]) {
    const all = await page.evaluate((name) => document.querySelector(".timeline canvas")[name](), of ? "drawnThreads" : "drawn");
    const line = shown.find((l) => l.kind === "lane" && l.of === of && all.some((s) => s.lane === l.lane && s.n === 1 && s.w > 300 && s.x >= 0));
    const slice = all.find((s) => s.lane === line.lane && s.n === 1 && s.w > 300 && s.x >= 0), place = await box(), { duration } = await ask("lanes?step=1");
    const scale = (place.width - 196) / duration, at = { ...slice, left: 196 + slice.x * scale, right: 196 + (slice.x + slice.w) * scale };
    await page.mouse.move(...await spot(at, line));
    const card = page.locator(".hover-card");
    await card.waitFor();
    assert.match(await card.innerText(), of ? new RegExp(slice.op.replace(/[^\w]/g, ".")) : /duration/);
    const where = await card.boundingBox();
    assert.ok(where.x >= 0 && where.y >= 0 && where.x + where.width <= 1280 && where.y + where.height <= 720, `${JSON.stringify(where)}`);
    await page.mouse.move(5, 5);
    await card.waitFor({ state: "detached" });
  }
});

test("a plain drag moves the picture, and the small one of the whole step moves the window", async () => {
  await goTo(opened, "#/timeline?step=1&zoom=1000-1500");
  const place = await box();
  await page.mouse.move(place.x + 600, place.y + 60);
  await page.mouse.down();
  await page.mouse.move(place.x + 500, place.y + 60);
  await page.mouse.up();
  await settle(page);
  const [, from, until] = /zoom=(\d+)-(\d+)/.exec(page.url()).map(Number), expected = 1000 + (100 * 500) / (place.width - 196);
  assert.ok(Math.abs(from - expected) <= 2 && until - from === 500, `${from}-${until}, expected ${expected}`);
  assert.doesNotMatch(page.url(), /sel=/);
  const map = await page.locator(".minimap svg").boundingBox(), { duration } = await ask("lanes?step=1");
  await page.mouse.click(map.x + (3 * map.width) / 4, map.y + 10);
  await settle(page);
  const moved = /zoom=(\d+)-(\d+)/.exec(page.url()).slice(1).map(Number);
  assert.ok(Math.abs((moved[0] + moved[1]) / 2 - (3 * duration) / 4) < 8, moved.join());
});

// Another file in the same browser.
async function withFile(file, use) {
  const server = await startServer(path.join(TOP, file)), there = await openPage(started.browser, server);
  try {
    await use(there);
    assert.deepEqual(there.problems, []);
  } finally {
    await there.close();
    server.stop();
  }
}

test("what is searched for is counted and stands out, and buttons turn flows and gaps off", async () => {
  await goTo(opened, "#/timeline?step=1&find=Conv2D");
  const all = JSON.parse(run("events", path.join(TOP, "examples/traces/keras_fit.xplane.pb.gz"), "--step=1", "--output=json")).nodes.filter((n) => n.depth === 1 && /conv2d/i.test(`${n.name} ${n.op}`));
  assert.equal(await page.locator(".toolbar output").innerText(), `${all.length} slices`);
  for (const name of ["Flows", "Gaps"]) {
    const button = page.getByRole("button", { name, exact: true });
    assert.equal(await button.getAttribute("aria-pressed"), "true");
    await button.click();
    await settle(page);
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.match(page.url(), new RegExp(`${name.toLowerCase()}=0`));
  }
});

test("Shift and a click select from one slice to another", async () => {
  await goTo(opened, "#/timeline?step=1");
  const shown = await lines(), slices = (await page.evaluate(() => document.querySelector(".timeline canvas").drawn())).filter((s) => s.n === 1 && s.right - s.left > 12 && s.left > 200).sort((a, b) => a.x - b.x);
  const [a, b] = [slices[0], slices[slices.length - 1]], lineOf = (s) => shown.find((l) => l.kind === "lane" && !l.of && l.lane === s.lane);
  await page.mouse.click(...await spot(a, lineOf(a)));
  await settle(page);
  await page.keyboard.down("Shift");
  await page.mouse.click(...await spot(b, lineOf(b)));
  await page.keyboard.up("Shift");
  await settle(page);
  assert.match(decodeURIComponent(page.url()), new RegExp(`sel=time:1,${Math.min(a.x, b.x)}-${Math.max(a.x + a.w, b.x + b.w)}`));
});

test("it opens at a step that is no warm-up", async () => {
  await goTo(opened, "#/timeline");
  assert.match(page.url(), /step=1/);
});

test("a step whose operations run far from it is shown itself, and 0 shows all", () => withFile("tests/step/planted/t05_in_graph_iter.xplane.pb.gz", async (there) => {
  await goTo(there, "#/timeline?step=0");
  await settle(there.page);
  const { duration } = await (await there.page.request.get(`${there.origin}/api/lanes?step=0`)).json(), [, from, until] = /zoom=(\d+)-(\d+)/.exec(there.page.url()).map(Number);
  const wall = JSON.parse(run("step", path.join(TOP, "tests/step/planted/t05_in_graph_iter.xplane.pb.gz"), "--output=json")).nodes.find((n) => n.step === 0).wall_micros;
  assert.ok(wall < 0.8 * duration && until - from >= wall && until - from < 1.2 * wall, `${from}-${until} of ${wall}, ${duration}`);
  assert.ok((await there.page.locator("h1").innerText()).startsWith(asShown(`${(wall / 1000).toFixed(3)}ms`)));
  await there.page.keyboard.press("0");
  await settle(there.page);
  assert.doesNotMatch(there.page.url(), /zoom=/);
  // The allocator has a row, although it is called otherwise than any device.
  const shown = await there.page.evaluate(() => document.querySelector(".timeline canvas").lines());
  assert.deepEqual(shown.filter((l) => l.kind === "memory").map((l) => l.title), ["memory of mklcpu"]);
}));

test("the card of a compiled operation has its line, bytes and bandwidth", () => withFile("examples/traces/jax_transformer.xplane.pb.gz", async (there) => {
  await goTo(there, "#/timeline?step=1&zoom=0-1500");
  await settle(there.page);
  const { nodes } = JSON.parse(run("roofline", path.join(TOP, "examples/traces/jax_transformer.xplane.pb.gz"), "--output=json"));
  const { all, shown } = await there.page.evaluate(() => { const c = document.querySelector(".timeline canvas"); return { all: c.drawn(), shown: c.lines() }; });
  const slice = all.filter((s) => s.n === 1 && s.op === "dot_general" && s.left > 200).sort((a, b) => b.w - a.w)[0], line = shown.find((l) => l.kind === "lane" && !l.of && l.lane === slice.lane);
  const place = await there.page.locator(".timeline canvas").boundingBox();
  await there.page.mouse.move(place.x + (slice.left + slice.right) / 2, place.y + line.y + slice.row * 21 + 8);
  await there.page.locator(".hover-card", { hasText: "bandwidth" }).waitFor();
  const text = await there.page.locator(".hover-card").innerText(), name = /^\S+/.exec(text)[0], row = nodes.find((n) => n.name === name.slice(name.lastIndexOf("/") + 1));
  const fact = (title) => new RegExp(`${title}\\s+(.+)`).exec(text)?.[1], each = row.bytes_accessed / row.executions;
  assert.equal(fact("line"), row.line.slice(row.line.lastIndexOf("/") + 1));
  assert.equal(fact("bytes moved"), asShown(`${(each / 1000).toFixed(2)}KB`));
  assert.equal(fact("bandwidth"), `${slice.w < 200 ? "≈ " : ""}${asShown(`${(each / slice.w / 1000).toFixed(4)}GB`)}/s`);
}));

for (const theme of ["light", "dark"])
  test(`accessible, ${theme}, with threads`, async () => {
    await goTo(opened, `#/timeline?step=1&theme=${theme}`);
    assert.deepEqual(await inaccessible(page), []);
  });

test("the console is empty", () => assert.deepEqual(opened.problems, []));
