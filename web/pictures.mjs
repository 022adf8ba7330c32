// Pictures of the page for the documents, of the bundled sample.
import path from "node:path";
import { goTo, settle, start, stop, TOP } from "./test/browser.mjs";

const PICTURES = {
  overview: "#/overview",
  layers: "#/layers",
  python: "#/python",
  callers: "#/python?callers=1",
  graph: "#/graph",
  timeline: "#/timeline?step=1",
  selection: "#/timeline?sel=scope:unit_1_3",
  steps: "#/timeline?side=1&sel=scope:unit_1_3",
};

process.chdir(TOP); // so that the pictures name the file as a reader would
const started = await start(["examples/resnet/profile"]);
try {
  for (const [name, hash] of Object.entries(PICTURES)) {
    await goTo(started.opened, hash);
    // Of the box with the focus, the graph page shows what its lines carry.
    if (name === "graph") await started.page.getByRole("button", { name: /^unit_1/ }).first().focus();
    await settle(started.page);
    await started.page.screenshot({ path: path.join(TOP, "docs/images", `ui-${name}.png`) });
  }
} finally {
  await stop(started);
}
