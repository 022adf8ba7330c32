// A browser and a server for tests: every request must stay on the server's origin, and
// nothing may be written to the console.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import path from "node:path";

export const TOP = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const BUILD = path.resolve(TOP, process.env.TFPROF_BUILD ?? "build");
export const PROGRAM = path.join(BUILD, "tfprof");
export const SAMPLE = path.join(TOP, "examples/resnet/profile");
const require = createRequire(path.join(BUILD, "web", "package.json"));
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");

export async function startServer(...files) {
  const child = spawn(PROGRAM, ["ui", ...files, "--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
    child.on("exit", (code) => reject(new Error(`tfprof ui ended with ${code}`)));
  });
  return { address, stop: () => child.kill("SIGINT") };
}

export async function startBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

// A page of a server, with what went wrong on it.
export async function openPage(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const problems = [];
  const origin = new URL(server.address).origin;
  page.on("console", (message) => problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !["data:", "blob:"].includes(url.protocol)) problems.push(`outside: ${request.url()}`);
  });
  await page.goto(server.address);
  await page.waitForSelector("main h1");
  return { page, problems, origin, close: () => context.close() };
}

// A server of files, a browser and a page of it, for the tests of a file.
export async function start(files, options) {
  const started = {};
  try {
    started.server = await startServer(...files);
    started.browser = await startBrowser();
    started.opened = await openPage(started.browser, started.server, options);
    return { ...started, page: started.opened.page };
  } catch (error) {
    await stop(started);
    throw error;
  }
}

export async function stop({ server, browser } = {}) {
  await browser?.close();
  server?.stop();
}

// The files of a run of 2 tasks with 2 GPUs each.
export function makeCluster() {
  const directory = mkdtempSync(path.join(tmpdir(), "tfprof-"));
  const made = spawnSync("python3", [path.join(TOP, "tests/support/cluster.py"), directory], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  return readdirSync(directory).sort().map((name) => path.join(directory, name));
}

// The files of a run in which tests/support/planted.py planted something, and what that was.
export function makePlanted(seed, ...more) {
  const directory = mkdtempSync(path.join(tmpdir(), "tfprof-"));
  const made = spawnSync("python3", [path.join(TOP, "tests/support/planted.py"), directory, String(seed), ...more], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  const files = readdirSync(directory).filter((name) => name.endsWith(".pbtxt")).sort().map((name) => path.join(directory, name));
  return { directory, files, ...JSON.parse(made.stdout) };
}

export async function goTo(opened, hash) {
  await opened.page.goto(`${opened.origin}/${hash}`);
  await settle(opened.page);
}

export async function settle(page) {
  // A change of the address asks in the next frame, an answer may lead to a further question.
  for (let i = 0; i < 2; i++) {
    await page.waitForTimeout(60);
    await page.waitForSelector("html:not([data-busy]):not([data-layout])", { state: "attached" });
  }
}

// axe-core's serious and critical findings, as text.
export async function inaccessible(page) {
  // The policy forbids scripts from elsewhere, so it is evaluated by the debugger.
  await page.evaluate(readFileSync(axe, "utf8"));
  const result = await page.evaluate(() => globalThis.axe.run(document));
  return result.violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")}`);
}

// Runs the program and returns what it prints.
export function run(...words) {
  const done = spawnSync(PROGRAM, words, { encoding: "utf8", maxBuffer: 2 ** 28 });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

// A number as reports print it ("547.64ms", "1.87sec", "464.15k"), as the page shows it ("548 ms").
export function asShown(text) {
  const match = /^([+-]?)([\d.,]+) ?(us|ms|sec|s|B|kB|KB|MB|GB|TB|k|m|b|M|G|T|%)$/.exec(text);
  if (!match) return text === "0" ? "" : text;
  const [, sign, digits, unit] = match, value = Number(digits.replaceAll(",", ""));
  if (unit === "%") return value === 0 ? "" : Math.round(value) === 0 ? "< 1 %" : `${sign}${Math.round(value)} %`;
  const units = [["us", "µs"], ["ms", "ms"], ["sec", "s"], ["s", "s"], ["B", "B"], ["kB", "KB"], ["KB", "KB"], ["MB", "MB"], ["GB", "GB"], ["k", "k"], ["m", "M"], ["b", "G"], ["TB", "TB"], ["M", "M"], ["G", "G"], ["T", "T"]];
  if (value >= 999.5 && unit === "MB") return asShown(`${value / 1000}GB`);
  if (value === 0) return "";
  const isWhole = Number.isInteger(value) && !digits.includes(".");
  return `${sign}${isWhole ? value : value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${units.find(([u]) => u === unit)[1]}`;
}

// Whether the page may show a printed number so: it rounds the number itself, not its text.
export function isShown(printed, text) {
  const match = /^([\d.]+)(.*)$/.exec(printed ?? "");
  return asShown(printed ?? "") === text || (match !== null && match[1].includes(".") &&
    [-0.005, 0.005].some((by) => asShown(`${(Number(match[1]) + by).toFixed(4)}${match[2]}`) === text));
}

// A sentence with bytes, as the page shows it: "1.14MB", "1.14 MB".
export const withSpaces = (text) => text.replace(/(\d)([kKMGT]?B)\b/g, (_, digit, unit) => `${digit} ${unit.replace("k", "K")}`);
