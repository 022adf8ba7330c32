// The Memory page is the answer of the question memory, also at other moments; the Roofline page that of
// the question roofline.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { goTo, inaccessible, makePlanted, openPage, run, settle, startBrowser, startServer, TOP, withSpaces } from "./browser.mjs";

const JAX = path.join(TOP, "tests/xplane/samples/jax_transformer.xplane.pb.gz"), TPU = path.join(TOP, "tests/xplane/samples/synthetic_tpu.xplane.pb.gz");
const json = (...words) => JSON.parse(run(...words, "--output=json"));

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser?.close(); });

async function shown(files, use) {
  const server = await startServer(...files), opened = await openPage(browser, server);
  try {
    await use(opened, opened.page);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
    server.stop();
  }
}

// What has no rows below it, of device memory.
function leaves(nodes, top) {
  const below = (n) => nodes.filter((m) => m.parent === n.id);
  const all = (n) => (below(n).length ? below(n).flatMap(all) : [n]);
  return below(top).filter((n) => !n.name.includes(" (")).flatMap(all).filter((n) => n.bytes > 0);
}

describe("memory", () => {
  test("every program: who holds what at the peak", () => shown([JAX], async (opened, page) => {
    const answer = json("memory", JAX);
    await goTo(opened, "#/memory");
    assert.equal(await page.locator("main h1").innerText(), withSpaces(answer.headline));
    for (const top of answer.nodes.filter((n) => n.depth === 1).slice(0, 3)) {
      await goTo(opened, `#/memory?pool=${encodeURIComponent(top.name)}`);
      const want = leaves(answer.nodes, top), rows = await page.locator(".holders tbody tr").evaluateAll((all) => all.map((r) => Number(r.dataset.bytes)));
      assert.deepEqual(rows, want.map((n) => n.bytes).sort((a, b) => b - a).slice(0, 60), top.name);
      assert.equal(want.reduce((sum, n) => sum + n.bytes, 0), top.peak_bytes, top.name);
    }
    assert.deepEqual(await inaccessible(page), []);
  }));

  test("the boxes are layers, lines or operations, with the bytes of the rows", () => shown([JAX], async (opened, page) => {
    const answer = json("memory", JAX), top = answer.nodes.find((n) => n.depth === 1 && answer.headline.startsWith(`${n.name}:`)), want = leaves(answer.nodes, top);
    for (const by of ["layer", "line", "operation"]) {
      await goTo(opened, `#/memory?by=${by}`);
      const boxes = await page.locator(".treemap [role=button]").evaluateAll((all) => all.map((b) => b.getAttribute("aria-label")));
      const key = { layer: (n) => n.layer || n.name, line: (n) => n.line || "(line not known)", operation: (n) => n.name }[by];
      const names = new Set(want.filter((n) => n.bytes > top.peak_bytes / 50).map(key));
      for (const name of names) assert.ok(boxes.some((b) => b.startsWith(`${name}: `)), `${by} ${name}: ${boxes.slice(0, 5).join(" | ")}`);
    }
  }));

  test("an allocator over time: the peak, and who holds at another moment", () => {
    const { files, huge } = makePlanted(21);
    return shown(files, async (opened, page) => {
      await goTo(opened, "#/memory");
      const top = json("memory", ...files).nodes.find((n) => n.depth === 1), steps = 6;
      assert.match(await page.locator(".memory-curve").getAttribute("aria-label"), new RegExp(`peak ${top.peak_bytes / 1e6} MB`));
      // Nothing is allocated at the first moment but the first layer.
      await goTo(opened, "#/memory?step=0&moment=1");
      const rows = await page.locator(".holders tbody th").allInnerTexts();
      assert.equal(rows.length, 1);
      assert.ok(!rows[0].includes(huge.layer) || huge.line === 5);
      await page.keyboard.press("p");
      await settle(page);
      assert.doesNotMatch(page.url(), /moment=/);
      assert.equal(await page.locator(".holders tbody tr").count(), 12);
      await page.locator(".memory-curve").focus();
      await page.keyboard.press("ArrowLeft");
      await settle(page);
      assert.match(page.url(), /moment=\d+/);
      await page.locator(".memory-curve").click({ position: { x: 500, y: 60 } });
      await settle(page);
      assert.ok(steps && /moment=\d+/.test(page.url()));
      assert.deepEqual(await inaccessible(page), []);
    });
  });

  test("at another moment, too, lines are known and lead to their source", () => {
    const { files, huge } = makePlanted(8);
    return shown(files, async (opened, page) => {
      await goTo(opened, "#/memory?step=0&moment=8000&by=line");
      const boxes = await page.locator(".treemap [role=button]").evaluateAll((all) => all.map((b) => b.getAttribute("aria-label")));
      assert.ok(boxes.length && boxes.every((b) => /net\.py:\d+: /.test(b)), boxes.join(" | "));
      const bytes = await page.locator(".holders tbody tr").evaluateAll((all) => all.map((r) => [r.querySelector("a").textContent, Number(r.dataset.bytes)]));
      const planted = bytes.find(([line]) => line === `net.py:${huge.line}`);
      assert.ok(!planted || planted[1] === huge.bytes, `${bytes}`);
      await page.locator(".holders tbody a").first().click();
      await settle(page);
      assert.equal(`net.py:${await page.locator(".code tr.on").getAttribute("data-line")}`, bytes[0][0]);
    });
  });

  test("the curve is stacked by who holds it, as the holders of each moment say", () => shown(makePlanted(5).files, async (opened, page) => {
    await goTo(opened, "#/memory");
    const ask = async (route) => (await page.request.get(`${opened.origin}/api/${route}`)).json();
    const [curve] = await ask("memory?all_steps=1&n=1"), held = await ask("held?all_steps=1&device=0&n=300");
    assert.ok(curve.peak > 0 && held.groups.length > 1);
    for (const i of [0, 60, 150, 220, 299]) {
      const holders = await ask(`holders?all_steps=1&device=0&n=500&at=${i * held.every}`);
      assert.equal(held.groups.reduce((sum, g) => sum + g.bytes[i], 0), holders.reduce((sum, h) => sum + h.bytes, 0), `${i}`);
    }
    const bands = await page.locator(".memory-curve [data-band]").evaluateAll((all) => all.map((b) => [b.dataset.band, Number(b.dataset.highest)]));
    const largest = Math.max(...held.groups.flatMap((g) => g.bytes));
    assert.ok(bands.length > 2 && bands.some(([name, bytes]) => name !== "not named" && bytes >= largest), `${bands}, ${largest}`);
    assert.deepEqual(await page.locator(".legend li").allInnerTexts(), bands.map(([name]) => name).reverse());
  }));

  const MODELS = ["bert_tiny/model.keras", "bert_tiny/export", "mlp/export"].map((name) => ["tests/models/files", "../shared/models"].map((folder) => path.join(TOP, folder, name)).find(existsSync));
  for (const model of MODELS)
    test(`an estimate of ${path.basename(path.dirname(model))}/${path.basename(model)}, and at other batches`, () => shown([model], async (opened, page) => {
      for (const [hash, ...words] of [["", []], ["training=1&batch_size=8", "--training", "--batch_size=8"], ["training=1&optimizer=sgd&batch_size=16&limit=8GB", "--training", "--optimizer=sgd", "--batch_size=16", "--limit=8GB"]]) {
        const answer = json("memory", model, ...words.flat()), parents = new Set(answer.nodes.map((n) => n.parent));
        await goTo(opened, `#/memory?${hash}`);
        assert.equal(await page.locator("main h1").innerText(), withSpaces(answer.headline));
        const rows = await page.locator(".holders tbody tr").evaluateAll((all) => all.map((r) => Number(r.dataset.bytes)));
        assert.deepEqual(rows, answer.nodes.filter((n) => !parents.has(n.id) && n.peak_bytes > 0).map((n) => n.peak_bytes).sort((a, b) => b - a).slice(0, 60));
        if (rows.length < 60) assert.equal(rows.reduce((a, b) => a + b, 0), answer.estimated_peak_bytes);
        if (answer.batch_size === null) continue;
        const batches = await page.locator(".batches [data-batch]").evaluateAll((all) => all.map((r) => [Number(r.dataset.batch), Number(r.dataset.bytes)]));
        assert.ok(batches.length >= 5);
        const one = batches.at(-1), other = json("memory", model, ...words.flat().filter((w) => !/batch_size|limit/.test(w)), `--batch_size=${one[0]}`);
        assert.equal(one[1], other.estimated_peak_bytes);
        if (answer.largest_batch !== null) assert.equal(Number(await page.locator("[data-largest]").getAttribute("data-largest")), answer.largest_batch);
      }
      const { command } = await (await page.request.get(`${opened.origin}/api/command?view=memory&training=true&batch_size=8`)).json();
      assert.equal(command, `tfprof memory ${model} --batch_size=8 --training=true`);
      assert.deepEqual(await inaccessible(page), []);
    }));

  test("of a run with its model file: what the model takes at other batches", () => {
    const model = MODELS.find((name) => name.endsWith("mlp/export"));
    return shown([path.join(TOP, "examples/traces/keras_fit.xplane.pb.gz"), model], async (opened, page) => {
      for (const [hash, ...words] of [["training=1&batch_size=8", "--training", "--batch_size=8"], [""]]) {
        await goTo(opened, `#/memory?${hash}`);
        const answer = json("memory", model, ...words);
        assert.ok((await page.locator(".estimate").innerText()).includes(withSpaces(answer.headline)));
        for (const [batch, bytes] of await page.locator(".batches [data-batch]").evaluateAll((all) => all.map((r) => [Number(r.dataset.batch), Number(r.dataset.bytes)])))
          assert.equal(bytes, json("memory", model, ...words.filter((w) => !w.includes("batch_size")), `--batch_size=${batch}`).estimated_peak_bytes);
      }
      assert.deepEqual(await inaccessible(page), []);
    });
  });

  test("without allocations the page says what brings them", () => shown([path.join(TOP, "tests/xplane/samples/tf_eager.xplane.pb.gz")], async (opened, page) => {
    await goTo(opened, "#/memory");
    assert.match(await page.locator(".empty").innerText(), /no allocation/);
    await goTo(opened, "#/roofline");
    assert.match(await page.locator(".empty").innerText(), /jit_compile=True/);
  }));
});

describe("roofline", () => {
  for (const [file, device] of [[TPU, undefined], [JAX, "A100-40"]])
    test(`the table and the discs are the answer, roofs ${device ?? "of the file"}`, () => shown([file], async (opened, page) => {
      for (const by of ["op", "layer", "line", "kind"]) {
        const answer = json("roofline", file, `--by=${by}`, ...(device ? [`--device=${device}`] : [])), rows = answer.nodes.filter((n) => n.depth === 1);
        await goTo(opened, `#/roofline?by=${by}${device ? `&device=${device}` : ""}`);
        assert.deepEqual(await page.locator(".lost tbody tr").evaluateAll((all) => all.map((r) => [r.dataset.lost === undefined ? null : Number(r.dataset.lost), Number(r.dataset.micros)])),
          rows.slice(0, 60).map((r) => [r.lost_micros, r.exec_micros]), by);
        const drawn = rows.filter((r) => r.float_ops_per_byte > 0 && r.float_ops_per_second > 0);
        assert.equal(await page.locator(".disc").count(), drawn.length, by);
        // Where a disc is on the logarithmic axes follows from two others.
        const at = new Map(await page.locator(".disc").evaluateAll((all) => all.map((g) => [g.dataset.id, ["cx", "cy", "r"].map((k) => Number(g.querySelector("circle").getAttribute(k)))])));
        const [a, b] = [...drawn].sort((p, q) => q.float_ops_per_byte / p.float_ops_per_byte - 1), far = drawn.at(-1);
        if (a && far && a.float_ops_per_byte !== far.float_ops_per_byte && a.float_ops_per_second !== far.float_ops_per_second)
          for (const r of drawn)
            for (const [axis, column] of [[0, "float_ops_per_byte"], [1, "float_ops_per_second"]]) {
              const share = Math.log(r[column] / a[column]) / Math.log(far[column] / a[column]), [p, q] = [at.get(String(a.id))[axis], at.get(String(far.id))[axis]];
              assert.ok(Math.abs(at.get(String(r.id))[axis] - (p + share * (q - p))) < 0.5, `${by} ${r.name} ${column}`);
            }
        if (b) assert.ok(await page.locator(".roof").count() >= 1);
      }
      assert.deepEqual(await inaccessible(page), []);
    }));

  test("a row and its disc select each other; copy as command prints the same", () => shown([JAX], async (opened, page) => {
    await goTo(opened, "#/roofline");
    assert.equal(await page.locator(".roof").count(), 0);
    assert.match(await page.locator("main h1").innerText(), /no roof is known: choose a device/);
    await page.getByRole("combobox", { name: "roofs of" }).selectOption("A100-40");
    await settle(page);
    const first = page.locator(".lost tbody tr").first(), name = await first.locator("button").innerText();
    await first.locator("button").click();
    await settle(page);
    assert.equal(await page.locator(".disc.on").count(), 1);
    assert.ok((await page.locator(".disc.on").getAttribute("aria-label")).startsWith(`${name}: `));
    // It is the same selection as elsewhere.
    assert.match(page.url(), /sel=find/);
    const micros = json("roofline", JAX, "--device=A100-40").nodes.find((n) => n.depth === 1 && n.name === name).exec_micros;
    const selected = await (await page.request.get(`${opened.origin}/api/selection?${new URLSearchParams({ sel: `find:(^|/)${name.replaceAll(".", "\\.")}$` })}`)).json();
    assert.ok(selected.nodes === 1 && Math.abs(4 * selected.total.exec_micros - micros) <= 4, `${selected.total.exec_micros}, ${micros}`);
    await page.locator(".disc").first().focus();
    assert.match(await page.locator(".card-at").innerText(), /roof here/);
    const { command } = await (await page.request.get(`${opened.origin}/api/command?view=roofline&device=A100-40`)).json();
    assert.equal(command, `tfprof roofline ${JAX} --device=A100-40`);
  }));
});
