// How fast the page is on 200,000 nodes and a million executions, and on 207 lanes: time from
// a click to the painted page, frames per second while a timeline moves, memory of the server,
// and answers per second on the sample. See bench/README.md.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const build = path.resolve(process.argv[2] ?? "build");
const { chromium } = createRequire(path.join(build, "web", "package.json"))("playwright-core");
const NODES = 200000, STEPS = 5, RUNS = 5;
const PAGES = ["overview", "operations", "layers", "python", "graph", "timeline", "advice"];
const LIMITS = { paintMs: 1000, fps: 30, answers: 1000, memory: (file) => 2 * file + (256 << 20) };

const directory = mkdtempSync(path.join(tmpdir(), "tfprof-bench-"));
let failed = false;

function report(what, value, limit, isOk) {
  console.log(`| ${what} | ${value} | ${limit} |${isOk ? "" : " exceeded"}`);
  failed ||= !isOk;
}

function generate(name, shape, nodes, steps) {
  const file = path.join(directory, name);
  const out = openSync(file, "w");
  execFileSync(path.join(build, "bench", "bench_generate"),
    ["profile", "--nodes", String(nodes), "--steps", String(steps), "--shape", shape], { stdio: ["ignore", out, "inherit"] });
  closeSync(out);
  return file;
}

async function serve(file) {
  const child = spawn(path.join(build, "tfprof-ui"), [file, "--port=0", "--token=none"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve) => child.stdout.on("data", (chunk) => resolve(String(chunk).split("\n")[0])));
  for (;;) {
    const load = await (await fetch(`${address}api/load`)).json();
    if (load.profiles[0].state !== "loading") break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { address, child, peak: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) * 1024 };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// From the click to the frame that shows the whole page: its tab is the current one, it has a
// heading, and neither an answer nor a layout nor a tile of the timeline is awaited; that must
// stay so for a while, since an answer may lead to a further question. What a frame's callbacks
// find is on the screen when the next frame begins.
const clickToPaint = (page, name) => page.evaluate((target) => new Promise((resolve) => {
  const start = performance.now(), root = document.documentElement;
  const isWhole = () => document.querySelector(`nav a[aria-current][href^="#/${target}"]`) && document.querySelector("main h1") &&
    !root.hasAttribute("data-busy") && !root.hasAttribute("data-layout") && !document.querySelector(".timeline:not([data-ready])");
  let wasWhole = false, painted = 0;
  const frame = () => {
    const now = performance.now();
    if (wasWhole) painted ||= now;
    wasWhole = isWhole();
    if (!wasWhole) painted = 0;
    if (painted && now - painted > 300) resolve(painted - start);
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  document.querySelector(`nav a[href^="#/${target}"]`).click();
}), name);

async function open(browser, address, hash) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
  await page.goto(`${address}${hash}`);
  await page.waitForSelector("nav a");
  await page.waitForSelector("html:not([data-busy])", { state: "attached" });
  return page;
}

// Frames while keys move and zoom, or the wheel scrolls lanes.
async function frames(page, act) {
  await page.evaluate(() => {
    globalThis.frames_ = 0;
    const count = () => { globalThis.frames_++; requestAnimationFrame(count); };
    requestAnimationFrame(count);
  });
  const start = Date.now();
  for (let i = 0; Date.now() - start < 3000; i++) await act(i);
  return (await page.evaluate(() => globalThis.frames_)) / ((Date.now() - start) / 1000);
}

async function measurePages(browser, file) {
  const times = Object.fromEntries(PAGES.map((p) => [p, []]));
  let peak = 0;
  for (let i = 0; i < RUNS; i++) {
    const server = await serve(file);
    for (const name of PAGES) {
      const page = await open(browser, server.address, name === "operations" ? "#/advice" : "#/operations");
      if (await page.locator(`nav a[href^="#/${name}"]`).count()) times[name].push(await clickToPaint(page, name));
      await page.context().close();
    }
    peak = Math.max(peak, server.peak());
    server.child.kill("SIGINT");
  }
  for (const name of PAGES.filter((p) => times[p].length)) {
    const ms = median(times[name]);
    report(`click to painted page: ${name}`, `${Math.round(ms)} ms`, `${LIMITS.paintMs} ms`, ms <= LIMITS.paintMs);
  }
  const size = statSync(file).size, limit = LIMITS.memory(size), mb = (n) => `${Math.round(n / 1e6)} MB`;
  report(`peak memory of the server (file: ${mb(size)})`, mb(peak), mb(limit), peak <= limit);
}

async function measureMotion(browser, file, what) {
  const server = await serve(file);
  const page = await open(browser, server.address, "#/timeline");
  await page.waitForSelector("canvas");
  await page.locator("canvas").first().focus();
  const keys = ["w", "w", "w", "d", "d", "d", "a", "a", "s", "d", "w", "a", "s", "s", "s"];
  const moving = await frames(page, (i) => page.keyboard.press(keys[i % keys.length]));
  report(`${what}: moving and zooming`, `${moving.toFixed(0)} frames/s`, `${LIMITS.fps} frames/s`, moving >= LIMITS.fps);
  await page.mouse.move(600, 400);
  const scrolling = await frames(page, (i) => page.mouse.wheel(0, i % 20 < 10 ? 120 : -120));
  report(`${what}: scrolling`, `${scrolling.toFixed(0)} frames/s`, `${LIMITS.fps} frames/s`, scrolling >= LIMITS.fps);
  await page.context().close();
  server.child.kill("SIGINT");
}

async function measureAnswers() {
  const server = await serve("examples/resnet/profile");
  const out = execFileSync("wrk", ["-t2", "-c16", "-d5s", `${server.address}api/rows?view=op&limit=100`], { encoding: "utf8" });
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(out)[1]);
  const wrong = /Non-2xx or 3xx responses: (\d+)/.exec(out)?.[1] ?? "0";
  report("op views of the sample per second", Math.round(rate).toLocaleString("en-US"), LIMITS.answers.toLocaleString("en-US"),
    rate >= LIMITS.answers && wrong === "0");
  server.child.kill("SIGINT");
}

try {
  console.log("| what | measured | limit |\n|---|---:|---:|");
  const large = generate("large", "wide", NODES, STEPS), lanes = generate("devices", "devices", 20000, 3);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  await measurePages(browser, large);
  await measureMotion(browser, large, "timeline of 200,000 nodes");
  await measureMotion(browser, lanes, "timeline of many lanes");
  await browser.close();
  await measureAnswers();
} finally {
  rmSync(directory, { recursive: true });
}
process.exit(failed ? 1 : 0);
