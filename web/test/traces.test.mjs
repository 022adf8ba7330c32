// Traces of Keras and JAX: threads as lanes, steps, layers with their backward pass, lines of Python.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, inaccessible, openPage, settle, startBrowser, startServer, TOP } from "./browser.mjs";

let browser;

before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

const trace = (name, folder = "examples/traces") => path.join(TOP, folder, `${name}.xplane.pb.gz`);
const text = (opened) => opened.page.locator("main").innerText();

async function opened(name, use, folder) {
  const server = await startServer(trace(name, folder));
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


test("memory of a compiled program is held by the node that ran it", () => opened("tf_cnn_loop_jit", async (page) => {
  await goTo(page, "#/timeline?step=0");
  assert.match(await page.page.locator(".holders").innerText(), /__inference_train_step_320\s+908 KB/);
}, "tests/xplane/samples"));

describe("a trace of Keras fit", () => {
  test("threads, steps and layers", () => opened("keras_fit", async (page) => {
    assert.match(await page.page.locator("h1").innerText(), /^A step takes 4\.47 ms: 56 % computing/);
    assert.match(await text(page), /3 steps.* · 1 device/);
    // A trace alone has no variables: 0 would be wrong.
    assert.doesNotMatch(await text(page), /parameters/);
    assert.deepEqual(await page.page.locator("header select").first().locator("option").allInnerTexts(),
      ["average of 3 steps", "step 0", "step 1", "step 2"]);

    assert.doesNotMatch(await page.page.locator(".panel.layers").innerText(), /parameters/);

    // Long names of operations push no numbers out of their panel.
    await page.page.locator(".panel.operations").getByText("_MklNativeConv2DBackpropFilterWithBias").first().waitFor();
    assert.deepEqual(await page.page.locator(".panel").evaluateAll((panels) =>
      panels.filter((panel) => panel.scrollWidth > panel.clientWidth).map((panel) => panel.innerText.split("\n")[0])), []);

    await goTo(page, "#/graph");
    assert.match(await text(page), /has no data flow, so no lines are drawn: add the model \(a SavedModel\)/);
    // The call and the model in it are opened, and boxes without lines fill the width.
    const places = await page.page.locator(".graph .box").evaluateAll((all) => all.map((b) => [b.getAttribute("aria-label").split(":")[0], b.getBoundingClientRect().top]));
    assert.equal(places[0][0], "StatefulPartitionedCall/functional_1/conv_b_1");
    assert.ok(places.filter(([, top]) => top === places[0][1]).length > 4, `${places}`);

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
    assert.match(await text(page), /This profile has no call stacks\.\s+Add a SavedModel saved with save_debug_info=True/);
    assert.deepEqual(await inaccessible(page.page), []);
  }));
});

describe("a trace of JAX", () => {
  test("threads, steps, layers and lines of Python", () => opened("jax_transformer", async (page) => {
    assert.match(await page.page.locator("h1").innerText(), /^A step takes 7\.91 ms: /);
    assert.match(await text(page), /4 steps.* · 1 device/);
    // What a program takes is not what the model learns: a trace alone has no parameters.
    assert.doesNotMatch(await page.page.locator(".panel.totals").innerText(), /parameters/);
    assert.doesNotMatch(await page.page.locator(".panel.layers").innerText(), /parameters/);

    // jit(train_step) has nearly all of the time, and the layers in it most of that: they are opened at
    // first, and what is opened next is added.
    await goTo(page, "#/graph");
    const boxes = () => page.page.locator(".graph .box").evaluateAll((all) => all.map((b) => b.getAttribute("aria-label").split(": ")[0]));
    const first = await boxes(), layers = [0, 1].map((i) => `jit(train_step)/jvp(layer_${i})`);
    for (const name of layers.map((l) => `${l}/mlp`)) assert.ok(first.includes(name), `${name} in ${first}`);
    for (const name of ["jit(train_step)", ...layers]) assert.ok(!first.includes(name), `${name} in ${first}`);
    assert.doesNotMatch(await text(page), /no data flow/);
    await page.page.locator(`.graph .box[aria-label^="${layers[0]}/mlp:"]`).press("+");
    await settle(page.page);
    assert.ok((await boxes()).some((name) => name.startsWith(`${layers[0]}/mlp/`)), `${await boxes()}`);
    assert.ok((await boxes()).includes(`${layers[1]}/mlp`));
    await goTo(page, "#/graph?scope=jit(train_step)");
    assert.ok((await boxes()).includes("jit(train_step)/jvp(layer_0)"));

    await goTo(page, "#/timeline?step=2");
    assert.match(await text(page), /dot_general/);
    assert.ok((await lanes(page, 2)).some((lane) => lane.executions && lane.name.startsWith("tf_XLA")));

    await goTo(page, "#/layers");
    assert.match(await text(page), /layer_0/);
    assert.doesNotMatch(await text(page), /transpose\(jvp/);

    await goTo(page, "#/python");
    assert.match(await text(page), /training\.py:192:layer/);
    // Gradients count for the line of their forward operations.
    assert.match(await text(page), /gradients with their line\s+full colour: forward, faded: backward/);
    assert.doesNotMatch(await text(page), /\(gradient\)/);
    assert.deepEqual(await inaccessible(page.page), []);
  }));
});
