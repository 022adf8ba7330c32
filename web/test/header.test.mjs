// The header: options, find, the menu and its exports, all by keys.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { isShown, goTo, inaccessible, PROGRAM, run, SAMPLE, settle, start, stop, TOP } from "./browser.mjs";

let started, opened, page;

before(async () => {
  started = await start([SAMPLE], { permissions: ["clipboard-read", "clipboard-write"] });
  ({ opened, page } = started);
});

after(() => stop(started));

const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await settle(page);
};

// name → its numbers, as shown on the page, without shares
const shown = async () => new Map(await page.locator("main .numbers tbody tr").evaluateAll((rows) =>
  rows.map((row) => [row.querySelector("th").innerText.trim(), [...row.querySelectorAll("td .num[title]")].map((n) => n.innerText)])));

async function copiedCommand() {
  await page.getByRole("button", { name: "more" }).click();
  await page.getByRole("menuitem", { name: "Copy as command" }).click();
  await page.waitForSelector(".copied");
  const text = await page.locator(".copied code").innerText();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  await page.locator(".copied button").click();
  return text;
}

// What a copied line prints, run by a shell.
function runCommand(line) {
  assert.match(line, /^tfprof /);
  return execFileSync("sh", ["-c", line.replace(/^tfprof/, '"$TFPROF"')], { encoding: "utf8", cwd: TOP, env: { ...process.env, TFPROF: PROGRAM } });
}

// name → the numbers of its lines: NAME (OWN/TOTAL, …) or NAME OWN (TOTAL%, OWN%), …; a line of
// Python is in several stacks
function numbersIn(report) {
  const found = new Map();
  for (const line of report.split("\n")) {
    const match = /^ *(.*\S) \(([^()]*\/[^()]*)\)$/.exec(line) ?? /^(\S+) +(.*)$/.exec(line);
    if (match) found.set(match[1], [...(found.get(match[1]) ?? []), ...match[2].replace(/[(),]/g, " ").split(/[ /|]+/)]);
  }
  return found;
}

// Every number on the screen is printed for the same name; a zero may be left out.
function agree(rows, printed, what, prefix = "") {
  assert.ok(rows.size > 2, what);
  for (const [name, texts] of rows)
    for (const text of texts)
      if (text) assert.ok(printed.get(prefix + name)?.some((p) => isShown(p, text)), `${what} ${name}: ${text} in ${printed.get(prefix + name)}`);
}

test("copy as command prints the numbers on the screen", async () => {
  for (const hash of ["#/operations", "#/operations?metric=bytes&step=1", "#/operations?show_name_regexes=.*Conv.*", "#/timeline?step=2",
    "#/layers", "#/layers?metric=params", "#/layers?fold_gradients=false&step=1",
    "#/layers?hide_name_regexes=unit_1.*", "#/layers?min_micros=100000", "#/operations?account_type_regexes=.*Conv.*&step=2",
    "#/python", "#/python?metric=bytes&step=0", "#/python?fold_gradients=false"]) {
    await goTo(opened, hash);
    agree(await shown(), numbersIn(runCommand(await copiedCommand())), hash);
  }
});

test("copy as command of a part of the model starts there", async () => {
  await goTo(opened, "#/layers");
  await page.getByRole("link", { name: "unit_1_3", exact: true }).click();
  await settle(page);
  const line = await copiedCommand();
  assert.match(line, /--start_name_regexes=unit_1_3 /);
  agree(await shown(), numbersIn(runCommand(line)), line, "unit_1_3/");
});

test("copy as command of a line and its gradients starts there", async () => {
  for (const hash of ["#/python", "#/python?only_my_code=false"]) {
    await goTo(opened, hash);
    await page.locator("main .numbers tbody th a").nth(2).click();
    await settle(page);
    const line = await copiedCommand();
    assert.match(line, /--start_name_regexes=.* --fold_gradients=true/);
    const printed = numbersIn(runCommand(line)), rows = await shown();
    assert.ok(rows.size >= 1, hash);
    for (const [name, texts] of rows) {
      const numbers = printed.get(name) ?? printed.get(`${name}:none`); // a report says so if it has no text of a line
      for (const text of texts) assert.ok(!text || numbers?.some((p) => isShown(p, text)), `${hash} ${name}: ${text} in ${numbers}`);
    }
  }
});

test("copy as command of the graph: layers, a part of them, and around a node", async () => {
  const boxes = async () => new Map(await page.locator(".graph .box").evaluateAll((all) => all.map((b) => /^(.*): ([^,]*), /.exec(b.getAttribute("aria-label")).slice(1))));
  for (const hash of ["#/graph?fold_alike=false", "#/graph?scope=unit_2_3", "#/graph?scope=unit_2_3&metric=params", "#/graph?scope=unit_1_3&step=1&fold_gradients=false"]) {
    await goTo(opened, hash);
    const printed = numbersIn(runCommand(await copiedCommand())), shownBoxes = await boxes();
    assert.ok(shownBoxes.size > 2, hash);
    for (const [name, text] of shownBoxes) assert.ok(/^0( µs)?$/.test(text) || printed.get(name)?.some((p) => isShown(p, text)), `${hash} ${name}: ${text} in ${printed.get(name)}`);
  }
  await goTo(opened, "#/graph?around=unit_1_0/sub1/conv1/Conv2D");
  const line = await copiedCommand(), printed = numbersIn(runCommand(line)), near = await boxes();
  assert.match(line, /^tfprof graph .*--max_depth=3 .*--start_name_regexes=unit_1_0\/sub1\/conv1\/Conv2D /);
  // Consumers are not printed; the node and its inputs are.
  const both = [...near].filter(([name]) => printed.has(name));
  assert.ok(both.length >= 3);
  for (const [name, text] of both) assert.ok(/^0( µs)?$/.test(text) || printed.get(name).some((p) => isShown(p, text)), `${name}: ${text} in ${printed.get(name)}`);
});

test("advice is copied as its own command", async () => {
  await goTo(opened, "#/advice?ExpensiveOperationChecker.top=2");
  const line = await copiedCommand();
  assert.equal(line, `tfprof advise ${SAMPLE} --checker=all --checker=ExpensiveOperationChecker:top=2`);
  assert.ok(runCommand(line).length > 100);
});

test("options of a checker run it again, and the command agrees", async () => {
  const findings = () => page.locator(".findings .what").evaluateAll((all) => all.map((p) => p.dataset.text));
  const printed = (...words) => JSON.parse(run("advise", SAMPLE, "-output=json", ...words)).checkers.flatMap((c) => c.findings.map((f) => f.text)).sort();
  await goTo(opened, "#/advice?checks=1");
  assert.deepEqual((await findings()).sort(), printed());
  await page.getByText("ExpensiveOperationChecker", { exact: true }).click();
  const top = page.locator(".checkers details[open]").getByLabel(/^top/);
  assert.equal(await top.inputValue(), "3");
  await top.fill("1");
  await top.press("Enter");
  await settle(page);
  assert.match(page.url(), /ExpensiveOperationChecker\.top=1/);
  const one = printed("-checker=all", "-checker=ExpensiveOperationChecker:top=1");
  assert.notDeepEqual(one, printed());
  assert.deepEqual((await findings()).sort(), one);
  const line = await copiedCommand();
  assert.equal(line, `tfprof advise ${SAMPLE} --checker=all --checker=ExpensiveOperationChecker:top=1`);
  assert.deepEqual(JSON.parse(runCommand(`${line} --output=json`)).checkers.flatMap((c) => c.findings.map((f) => f.text)).sort(), one);
  assert.deepEqual(await inaccessible(page), []);
  // The address keeps it; a wrong value is named, and the form stays.
  await page.reload();
  await settle(page);
  assert.deepEqual((await findings()).sort(), one);
  await page.locator(".checkers details[open]").getByLabel(/^top/).fill("many");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".problem");
  assert.match(await page.locator(".problem").innerText(), /ExpensiveOperationChecker: option top: 'many' is not a number/);
  opened.problems.splice(0, Infinity, ...opened.problems.filter((p) => !p.includes("400")));
  await page.getByRole("link", { name: "Reset the options of all checkers" }).click();
  await settle(page);
  assert.deepEqual((await findings()).sort(), printed());
});

test("a copied link names its profile, and another one is told", async () => {
  await goTo(opened, "#/operations?metric=bytes");
  await press(".");
  await press("ArrowDown", "Enter");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#\/operations\?metric=bytes&f=profile\.[0-9a-z]+$/);
  await page.goto(link);
  await settle(page);
  assert.equal(await page.locator(".banner").count(), 0);
  await goTo(opened, "#/operations?f=other.abc");
  assert.match(await page.locator(".banner").innerText(), /made for another profile, other\./);
});

test("every export arrives, and holds what the command writes", async () => {
  await goTo(opened, "#/operations");
  for (const [name, file, start] of [["Text", "tfprof.txt", "\n"], ["JSON", "tfprof.json", "{"], ["CSV", "tfprof.csv", "id,parent,"],
    ["pprof (lines of Python)", "tfprof.pprof", "2\0"], ["Timeline for Perfetto", "tfprof-timeline.json", '{"traceEvents":']]) {
    await page.getByRole("button", { name: "more" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: `Save as ${name}` }).click()]);
    assert.equal(download.suggestedFilename(), file);
    const text = readFileSync(await download.path(), "latin1");
    assert.ok(text.length > 1000, file);
    if (name !== "Text") assert.ok(text.startsWith(start), `${file}: ${JSON.stringify(text.slice(0, 40))}`);
  }
});

test("the picture is saved as PNG", async () => {
  for (const hash of ["#/layers", "#/timeline"]) {
    await goTo(opened, hash);
    await page.getByRole("button", { name: "more" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Save picture as PNG" }).click()]);
    const bytes = readFileSync(await download.path());
    assert.equal(bytes.toString("latin1", 1, 4), "PNG");
    const { width } = await page.locator("main canvas, main svg.treemap").first().boundingBox();
    assert.ok(width > 900 && Math.abs(bytes.readUInt32BE(16) - 2 * width) <= 2, "twice as wide as on the screen");
  }
});

test("options are set without knowing flags, and checked while they are typed", async () => {
  await goTo(opened, "#/operations");
  await press("o");
  const form = page.getByRole("dialog", { name: "options" });
  await form.getByLabel("Show only names").fill("Conv(");
  await page.waitForSelector(".options .wrong:not(:empty)");
  assert.match(await form.locator(".wrong:not(:empty)").innerText(), /missing closing parenthesis at position 5/);
  assert.ok(await form.getByRole("button", { name: "Apply", exact: true }).isDisabled());
  await form.getByLabel("Show only names").fill("Conv.*");
  await page.waitForFunction(() => !document.querySelector(".options .wrong:not(:empty)"));
  assert.match(await form.innerText(), /--show_name_regexes/);
  assert.deepEqual(await inaccessible(page), []);
  await press("Enter");
  assert.match(page.url(), /show_name_regexes=Conv\.\*/);
  assert.deepEqual([...(await shown()).keys()].sort(), ["Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput"]);
  await press("o");
  await form.getByRole("link", { name: "Reset" }).click();
  await settle(page);
  assert.ok((await shown()).size > 40);
});

test("a minimum is a share", async () => {
  await goTo(opened, "#/operations");
  await press("o");
  const slider = page.getByRole("slider");
  await slider.focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".options").innerText(), /Hide below 5% \(93.[56] ms time\)/);
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await settle(page);
  const rows = await shown();
  assert.equal(rows.size, 4); // op view compares each row by itself
  agree(rows, numbersIn(runCommand(await copiedCommand())), "5 %");
});

test("presets", async () => {
  await goTo(opened, "#/overview");
  await press("o");
  await page.getByRole("link", { name: "Trainable parameters" }).click();
  await settle(page);
  assert.match(await page.locator("h1").innerText(), /464 k parameters/);
});

test("find marks matches on every page and goes to them", async () => {
  await goTo(opened, "#/overview");
  await press("/");
  await page.keyboard.type("conv2d|unit_1");
  await page.waitForSelector(".found a");
  await settle(page);
  assert.match(await page.locator(".found").innerText(), /Operations 3/);
  assert.match(page.url(), /find=conv2d%7Cunit_1/);
  assert.deepEqual(await inaccessible(page), []);
  await press("Enter");
  for (const name of ["overview", "operations", "layers", "python"]) {
    await goTo(opened, `#/${name}?find=conv2d%7Cunit_1%7Cresnet`);
    const n = await page.locator("main .match").count();
    assert.ok(n > 0, name);
    await press("]");
    assert.ok(await page.evaluate(() => document.activeElement.closest(".match") !== null), name);
  }
  await goTo(opened, "#/operations?find=(");
  await press("/");
  await page.waitForSelector(".found .wrong");
  assert.match(await page.locator(".found .wrong").innerText(), /missing closing parenthesis/);
  await press("Escape");
  await page.waitForFunction(() => !location.hash.includes("find"));
  assert.ok(opened.problems.every((p) => p.includes("400")), opened.problems.join("\n"));
  opened.problems.length = 0;
});

test("keys alone lead from the start to a line of Python", async () => {
  await goTo(opened, "#/overview");
  await page.evaluate(() => document.activeElement?.blur());
  await press("/");
  await page.keyboard.type("resnet_model.py:6");
  await page.waitForSelector(".found a");
  await press("ArrowDown", "Enter");
  assert.match(page.url(), /#\/source\?.*root=\d+/);
  assert.match(await page.locator("h1").innerText(), /resnet_model.py:6\d/);
  await page.goBack();
  await settle(page);
  assert.match(page.url(), /#\/overview/);
  await press("/", "Escape");
  await page.evaluate(() => document.activeElement?.blur());
  for (const [key, name] of [["2", "timeline"], ["3", "operations"], ["4", "layers"], ["5", "source"], ["6", "memory"], ["7", "roofline"], ["8", "graph"], ["1", "overview"]]) {
    await press(key);
    assert.ok(page.url().includes(`#/${name}`), name);
  }
  await press(".");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Copy as command");
  assert.deepEqual(await inaccessible(page), []);
  await press("Escape");
  assert.equal(await page.locator("[role=menu]").count(), 0);
  await press("End");
  await press("?");
  assert.ok(await page.getByRole("dialog", { name: "keys" }).isVisible());
  await press("Escape");
});

test("keys alone walk the flame graph to a line of source, and its nodes to the graph", async () => {
  await goTo(opened, "#/overview");
  await page.evaluate(() => document.activeElement?.blur());
  await press("5");
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.textContent === "Flame")); i++) await page.keyboard.press("Tab");
  await press("Enter");
  // Tab leads to the flame graph, arrows go down it, space selects.
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.matches(".flame g"))); i++) await page.keyboard.press("Tab");
  await press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", " ");
  assert.match(await page.locator("aside h2").innerText(), /resnet_model\.py:\d+/);
  // In the pane, the largest node; its details have its call stack with the source.
  for (let i = 0; i < 120 && !(await page.evaluate(() => document.activeElement.matches("aside .path a"))); i++) await page.keyboard.press("Tab");
  await press("Enter");
  await page.waitForFunction(() => location.hash.includes("sel=node"));
  await settle(page);
  assert.match(await page.locator("aside").innerText(), /resnet_model\.py:104 build_train_op\s+gradients = tf\.gradients/);
  await page.evaluate(() => document.activeElement?.blur());
  await press("g", "r");
  assert.match(page.url(), /#\/graph\?.*sel=node/);
  await press("Escape");
  assert.ok(!page.url().includes("sel="));
});

test("the theme is chosen in the menu", async () => {
  await goTo(opened, "#/overview");
  await page.getByRole("button", { name: "more" }).click();
  await page.getByRole("menuitemradio", { name: "Theme: dark" }).click();
  await settle(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

test("no request left the server, and the console is empty", () => {
  assert.deepEqual(opened.problems, []);
});
