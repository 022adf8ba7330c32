// Pictures of the page for the documents, of the bundled sample.
import path from "node:path";
import { goTo, settle, start, stop, TOP } from "./test/browser.mjs";

const RESNET = "examples/resnet/profile", JAX = "examples/traces/jax_transformer.xplane.pb.gz";
const PLANTED = ["j01_compute", "j02_sleep"].map((name) => `tests/step/planted/${name}.xplane.pb.gz`);

// name: the files, the address
const PICTURES = {
  overview: [[RESNET], "#/overview"],
  layers: [[RESNET], "#/layers"],
  source: [[RESNET], "#/source"],
  python: [[RESNET], "#/python"],
  callers: [[RESNET], "#/python?callers=1"],
  graph: [[RESNET], "#/graph"],
  timeline: [[RESNET], "#/timeline?step=1"],
  selection: [[RESNET], "#/timeline?sel=scope:unit_1_3"],
  steps: [[RESNET], "#/timeline?side=1&sel=scope:unit_1_3"],
  memory: [[JAX], "#/memory"],
  roofline: [[JAX], "#/roofline?device=T4"],
  compare: [PLANTED, "#/compare?p=1&diff=1"],
};

process.chdir(TOP); // so that the pictures name the file as a reader would
let started, files;
try {
  for (const [name, [wanted, hash]] of Object.entries(PICTURES)) {
    if (`${wanted}` !== `${files}`) {
      if (started) await stop(started);
      started = await start(files = wanted);
    }
    await goTo(started.opened, hash);
    // Of the box with the focus, the graph page shows what its lines carry.
    if (name === "graph") await started.page.getByRole("button", { name: /^unit_1/ }).first().focus();
    await settle(started.page);
    await started.page.screenshot({ path: path.join(TOP, "docs/images", `ui-${name}.png`) });
  }
} finally {
  if (started) await stop(started);
}
