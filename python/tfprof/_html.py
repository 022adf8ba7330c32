"""A result in a notebook: a tree to open and close (_html_tree.py) or, of op view, a table.
Clicking a column's header of the table sorts by it; a second click reverses the order, a
third restores the order of the report."""

import html
import itertools
from typing import Any, Callable, List, NamedTuple, Tuple

from tfprof import _format, _native

MAX_ROWS = 1000
_numbers = itertools.count(1)


class Column(NamedTuple):
    head: str
    own: str
    total: str = ""
    show: Any = None       # formats a number; None for text


_SHOW = {"microseconds": _format.micros, "bytes": _format.memory, "count": _format.count}


def _make_columns() -> List[Tuple[Column, List[str]]]:
    """Each column (own and total in one) with the select words that show it."""
    made = []
    for name, unit, words, _ in _native.columns():
        if not words or name.startswith("total_") or name == "tensor_value":
            continue
        head = "total time" if name == "exec_micros" else name
        head = head.replace("exec_micros", "time").replace("_", " ")
        counts = unit or name == "definition_count"
        made.append((Column(head, name, "total_" + name, _SHOW[unit or "count"]) if counts
                     else Column(head, name), words))
    return made


_COLUMNS = _make_columns()

_STYLE = """
.tfprof-list {font-size: 13px}
.tfprof-list table {border-collapse: collapse; width: auto; font-size: inherit; font-variant-numeric: tabular-nums}
.tfprof-list th, .tfprof-list td {padding: 2px 10px; text-align: right; white-space: nowrap; border: 0;
    background: none; color: inherit}
.tfprof-list th {cursor: pointer; border-bottom: 1px solid currentColor; user-select: none}
.tfprof-list th:focus-visible {outline: 2px solid}
.tfprof-list th::after {content: "\\2002"; display: inline-block; width: 1em; text-align: center}
.tfprof-list th[aria-sort=descending]::after {content: "\\25be"}
.tfprof-list th[aria-sort=ascending]::after {content: "\\25b4"}
.tfprof-list td.text, .tfprof-list th.text {text-align: left}
.tfprof-list td.name {font-family: monospace; text-align: left; white-space: pre}
.tfprof-list td .own {opacity: .6}
.tfprof-list tbody tr:hover {background: rgba(128, 128, 128, .15)}
"""

# Orders: 0 as reported, then descending, ascending (for text the reverse).
_SCRIPT = """
(function () {
  var box = document.getElementById("%s"), body = box.querySelector("tbody");
  var rows = Array.prototype.slice.call(body.rows), order = 0, last = null;
  function sortBy(head) {
    var column = head.cellIndex, text = head.classList.contains("text");
    order = head === last ? (order + 1) %% 3 : 1;
    last = head;
    var sign = (order === 1) === text ? 1 : -1, sorted = rows.slice();
    function key(row) {
      var value = row.cells[column].dataset.value;
      return text ? value : Number(value);
    }
    if (order) sorted.sort(function (a, b) {
      var x = key(a), y = key(b);
      return x < y ? -sign : x > y ? sign : 0;
    });
    box.querySelectorAll("th").forEach(function (th) { th.removeAttribute("aria-sort"); });
    if (order) head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
    sorted.forEach(function (row) { body.appendChild(row); });
  }
  box.querySelectorAll("th").forEach(function (head) {
    head.addEventListener("click", function () { sortBy(head); });
    head.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sortBy(head); }
    });
  });
})();
"""


def show(result: Any) -> str:
    """What the command line says on stderr comes first: it may explain an empty tree."""
    if result.view == "op":
        return _notes(result) + table(result)
    from tfprof import _html_tree
    return _notes(result) + _html_tree.tree(result, _columns(result.options["select"]))


def _notes(result: Any) -> str:
    return "".join(f"<p><em>{html.escape(line)}</em></p>" for line in result.notes.splitlines())


def more_rows(left: int) -> str:
    """The sentence about rows that are not shown."""
    return (f"<p>{left} more rows: use to_pandas() for all of them, or options such as max_depth "
            "and min_micros to show fewer.</p>" if left > 0 else "")


def table(result: Any) -> str:
    """A list of groups: the root has no line."""
    number = f"tfprof-{next(_numbers)}-{id(result):x}"
    columns = [column for column in _columns(result.options["select"])
               if column.own not in ("shape", "input_shapes")]
    cell = _make_cell(result.root) if len(result) else None
    rows = [_row(node, columns, cell) for node in result[1:1 + MAX_ROWS]]
    left = len(result) - 1 - len(rows)
    heads = [_head("node", True)] + [_head(column.head, column.show is None)
                                     for column in columns]
    return (f'<div class="tfprof-list" id="{number}"><style>{_STYLE}</style>'
            f'<table><thead><tr>{"".join(heads)}</tr></thead>'
            f'<tbody>{"".join(rows)}</tbody></table>{more_rows(left)}'
            f"<script>{_SCRIPT % number}</script></div>")


def _columns(select: List[str]) -> List[Column]:
    return [column for column, words in _COLUMNS if any(word in select for word in words)]


def _head(text: str, is_text: bool) -> str:
    kind = ' class="text"' if is_text else ""
    return f'<th scope="col" tabindex="0"{kind}>{html.escape(text)}</th>'


def _row(node: Any, columns: List[Column], cell: Any) -> str:
    name = html.escape(node.name)
    cells = [f'<td class="name" data-value="{name}"><bdi>{name}</bdi></td>']
    cells += [cell(node, column) if column.show else _text_cell(node, column)
              for column in columns]
    return f"<tr>{''.join(cells)}</tr>"


def text_of(node: Any, column: Column) -> str:
    """The value of a column of text, escaped."""
    value = getattr(node, column.own)
    return html.escape(value if isinstance(value, str) else ", ".join(value))


def _text_cell(node: Any, column: Column) -> str:
    text = text_of(node, column)
    return f'<td class="text" data-value="{text}">{text}</td>'


def _make_cell(root: Any) -> Callable[[Any, Column], str]:
    """A group's number and its share of the whole. (Totals of op view only include
    the groups that follow.)"""
    def cell(node: Any, column: Column) -> str:
        own, whole = getattr(node, column.own), getattr(root, column.total)
        share = f'<span class="own"> {own / whole:.2%}</span>' if whole > 0 else ""
        return f'<td data-value="{own}">{column.show(own)}{share}</td>'
    return cell
