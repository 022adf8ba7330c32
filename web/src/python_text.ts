// Python's words in colour: keywords, numbers, strings and comments, line by line.

export interface Piece { text: string; kind?: "keyword" | "number" | "string" | "comment" }

const KEYWORDS = new Set(("and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None " +
  "nonlocal not or pass raise return True try while with yield match case").split(" "));
const TOKEN = /(#.*)|([rbfuRBFU]{0,2}(?:"""|'''))|([rbfuRBFU]{0,2}"(?:\\.|[^"\\])*"?|[rbfuRBFU]{0,2}'(?:\\.|[^'\\])*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;

function piecesOf(line: string, open: string): { pieces: Piece[]; open: string } {
  const pieces: Piece[] = [];
  let at = 0;
  const put = (text: string, kind?: Piece["kind"]) => { if (text) pieces.push({ text, kind }); };
  // Within a string of several lines.
  const close = () => {
    const end = line.indexOf(open, at);
    put(line.slice(at, end < 0 ? undefined : end + 3), "string");
    at = end < 0 ? line.length : end + 3;
    if (end >= 0) open = "";
  };
  if (open) close();
  while (at < line.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(line);
    if (!found) break;
    put(line.slice(at, found.index));
    at = found.index;
    if (found[2]) {
      open = found[2].slice(-3);
      put(found[2], "string");
      at += found[2].length;
      close();
      continue;
    }
    put(found[0], found[1] ? "comment" : found[3] ? "string" : found[4] ? "number" : KEYWORDS.has(found[0]) ? "keyword" : undefined);
    at += found[0].length;
  }
  put(line.slice(at));
  return { pieces, open };
}

export function pieces(lines: string[]): Piece[][] {
  let open = "";
  return lines.map((line) => {
    const found = piecesOf(line, open);
    open = found.open;
    return found.pieces;
  });
}
