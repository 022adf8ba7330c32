// The header: options, find, the menu and its exports, all by keys.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { goTo, inaccessible, PROGRAM, SAMPLE, settle, start, stop, TOP } from "./browser.mjs";

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
      if (!/^0(us|B)?$/.test(text)) assert.ok(printed.get(prefix + name)?.includes(text), `${what} ${name}: ${text} in ${printed.get(prefix + name)}`);
}

test("copy as command prints the numbers on the screen", async () => {
  for (const hash of ["#/operations", "#/operations?metric=bytes&step=1", "#/operations?show_name_regexes=.*Conv.*", "#/timeline?step=2",
    "#/layers", "#/layers?metric=params", "#/layers?fold_gradients=false&step=1", "#/python?with_gradients=false"]) {
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

test("advice is copied as its own command", async () => {
  await goTo(opened, "#/advice");
  const line = await copiedCommand();
  assert.equal(line, `tfprof advise ${SAMPLE}`);
  assert.ok(runCommand(line).length > 100);
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
  assert.match(await page.locator(".banner").innerText(), /made with another profile, other\./);
});

test("every export arrives, and holds what the command writes", async () => {
  await goTo(opened, "#/operations");
  for (const [name, file, start] of [["Text", "tfprof.txt", "\n"], ["JSON", "tfprof.json", "{"], ["CSV", "tfprof.csv", "id,parent,"],
    ["pprof, lines of Python", "tfprof.pprof", "2\0"], ["Timeline for Perfetto", "tfprof-timeline.json", '{"traceEvents":']]) {
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
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Save the picture as PNG" }).click()]);
    const bytes = readFileSync(await download.path());
    assert.equal(bytes.toString("latin1", 1, 4), "PNG");
    assert.ok(bytes.readUInt32BE(16) >= 2 * 1000, "twice as wide as on the screen");
  }
});

test("options are set without knowing flags, and checked while they are typed", async () => {
  await goTo(opened, "#/operations");
  await press("o");
  const form = page.getByRole("dialog", { name: "options" });
  await form.getByLabel("Only names").fill("Conv(");
  await page.waitForSelector(".options .wrong:not(:empty)");
  assert.match(await form.locator(".wrong:not(:empty)").innerText(), /missing closing parenthesis at position 5/);
  assert.ok(await form.getByRole("button", { name: "Apply", exact: true }).isDisabled());
  await form.getByLabel("Only names").fill("Conv.*");
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
  assert.match(await page.locator(".options").innerText(), /Hide below 5 % \(93.55ms time\)/);
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await settle(page);
  const rows = await shown();
  assert.equal(rows.size, 11); // op view compares what is left: this line and all below it
  agree(rows, numbersIn(runCommand(await copiedCommand())), "5 %");
});

test("presets", async () => {
  await goTo(opened, "#/overview");
  await press("o");
  await page.getByRole("link", { name: "Trainable parameters" }).click();
  await settle(page);
  assert.match(await page.locator("h1").innerText(), /464.15k parameters/);
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
  assert.match(page.url(), /#\/python\?.*root=\d+/);
  assert.match(await page.locator("h1").innerText(), /resnet_model.py:6\d/);
  await page.goBack();
  await settle(page);
  assert.match(page.url(), /#\/overview/);
  await press("/", "Escape");
  await page.evaluate(() => document.activeElement?.blur());
  for (const [key, name] of [["2", "operations"], ["3", "layers"], ["4", "python"]]) {
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
