// Traces of Keras and JAX: threads as lanes, steps, layers with their backward pass, lines of Python.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, inaccessible, openPage, startBrowser, startServer, TOP } from "./browser.mjs";

let browser;

before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

const trace = (name) => path.join(TOP, "examples/traces", `${name}.xplane.pb.gz`);
const text = (opened) => opened.page.locator("main").innerText();

async function opened(name, use) {
  const server = await startServer(trace(name));
  const page = await openPage(browser, server);
  try {
    await use(page);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.close();
    server.stop();
  }
}

const lanes = async (page, step) => (await (await page.page.request.get(`${page.origin}/api/lanes?step=${step}`)).json()).lanes;


describe("a trace of Keras fit", () => {
  test("threads, steps and layers", () => opened("keras_fit", async (page) => {
    assert.match(await page.page.locator("h1").innerText(), /^A step takes 3\.04ms/);
    assert.match(await text(page), /3 steps · 1 device/);
    assert.match(await text(page), /Parameters\s+–\s+none in this profile/);
    assert.deepEqual(await page.page.locator("header select").first().locator("option").allInnerTexts(),
      ["average of 3 steps", "step 0", "step 1", "step 2"]);

    await goTo(page, "#/timeline?step=1");
    assert.match(await text(page), /_MklNativeConv2DBackpropFilterWithBias/);
    const names = (await lanes(page, 1)).filter((lane) => lane.executions).map((lane) => lane.name);
    assert.ok(names.some((name) => name.startsWith("tf_Compute/")), names.join());
    assert.equal(new Set(names).size, names.length);

    // The backward pass of a layer stands below its name, not below gradient_tape.
    await goTo(page, "#/layers");
    assert.match(await text(page), /conv_b_1[\s\S]*Conv2DBackpropInput/);
    assert.doesNotMatch(await text(page), /gradient_tape/);

    await goTo(page, "#/python");
    assert.match(await text(page), /This profile holds no call stacks\.\s+Add an op log/);
    assert.deepEqual(await inaccessible(page.page), []);
  }));
});

describe("a trace of JAX", () => {
  test("threads, steps, layers and lines of Python", () => opened("jax_transformer", async (page) => {
    assert.match(await page.page.locator("h1").innerText(), /^A step takes 1\.24ms/);
    assert.match(await text(page), /4 steps · 1 device/);

    // What has nearly all of the time is drawn, although it is joined to everything else.
    await goTo(page, "#/graph");
    assert.match(await page.page.locator(".graph").innerText(), /jit\(train_step\)/);

    await goTo(page, "#/timeline?step=2");
    assert.match(await text(page), /dot_general/);
    assert.ok((await lanes(page, 2)).some((lane) => lane.executions && lane.name.startsWith("tf_XLA")));

    await goTo(page, "#/layers");
    assert.match(await text(page), /layer_0/);
    assert.doesNotMatch(await text(page), /transpose\(jvp/);

    await goTo(page, "#/python");
    assert.match(await text(page), /training\.py:192:layer/);
    // Gradients count for the line of their forward operations.
    assert.match(await text(page), /gradients with their line · full colour: forward, faded: backward/);
    assert.doesNotMatch(await text(page), /\(gradient\)/);
    assert.deepEqual(await inaccessible(page.page), []);
  }));
});
