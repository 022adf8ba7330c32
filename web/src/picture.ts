// The picture of a page as a PNG, twice as large as on the screen, with a title above it.

const SCALE = 2;
const TITLE = 28;

function pictures(): (SVGSVGElement | HTMLCanvasElement)[] {
  return [...document.querySelectorAll<SVGSVGElement | HTMLCanvasElement>("main svg.treemap, main svg.flame, main .graph svg:not(.map), main .roofline svg, main svg.memory-curve, main canvas")];
}

export function hasPicture(): boolean {
  return pictures().length > 0;
}

// A copy that looks the same without the page's style sheet.
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [...svg.querySelectorAll("*")], to = [...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family", "text-anchor"])
      to[i].setAttribute(name, style.getPropertyValue(name));
  });
  const box = svg.getBoundingClientRect();
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  return new XMLSerializer().serializeToString(copy);
}

async function image(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const url = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
  const found = new Image();
  found.src = url;
  await found.decode();
  URL.revokeObjectURL(url);
  return found;
}

export async function savePicture(title: string): Promise<void> {
  const all = pictures();
  const boxes = all.map((p) => p.getBoundingClientRect());
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) return;
  canvas.width = SCALE * Math.max(...boxes.map((b) => b.width));
  canvas.height = SCALE * (TITLE + boxes.reduce((sum, b) => sum + b.height + 8, 0));
  const style = getComputedStyle(document.documentElement);
  context.scale(SCALE, SCALE);
  context.fillStyle = style.getPropertyValue("--back");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = style.getPropertyValue("--text");
  context.font = "600 14px system-ui, sans-serif";
  context.fillText(title, 4, 18);
  let y = TITLE;
  for (const [i, picture] of all.entries()) {
    const drawn = picture instanceof HTMLCanvasElement ? picture : await image(picture);
    context.drawImage(drawn, 0, y, boxes[i].width, boxes[i].height);
    y += boxes[i].height + 8;
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob) download(blob, "tfprof.png");
}

// A drawing of this size whole, however it is moved and zoomed on the screen.
export function saveSvg(svg: SVGSVGElement, { width, height }: { width: number; height: number }): void {
  const copy = new DOMParser().parseFromString(standalone(svg), "image/svg+xml").documentElement, margin = 12;
  copy.querySelector(".moved")?.removeAttribute("transform");
  copy.setAttribute("viewBox", `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`);
  copy.setAttribute("width", String(width + 2 * margin));
  copy.setAttribute("height", String(height + 2 * margin));
  download(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), "tfprof.svg");
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
