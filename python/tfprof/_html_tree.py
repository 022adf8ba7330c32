"""A result as a tree in a notebook, of <details> elements: no script is needed to open and
close them. What costs most is open at first. If there are too many nodes, the deepest are
omitted."""

import heapq
import html
from typing import Any, Dict, List, Set

from tfprof._html import MAX_ROWS, Column, more_rows, text_of

# Browsers stop nesting elements at some depth; deeper nodes are listed below each other.
MAX_NESTING = 100

_STYLE = """
.tfprof-tree {font-size: 13px; overflow-x: auto; font-variant-numeric: tabular-nums}
.tfprof-row {display: flex; min-width: max-content; padding: 1px 0}
.tfprof-row > span {flex: none; width: 12em; padding: 0 10px; text-align: right;
    white-space: nowrap; overflow: hidden; text-overflow: ellipsis; box-sizing: border-box}
.tfprof-row > .name {flex: 1 0 30em; text-align: left; font-family: monospace}
.tfprof-row > .text {text-align: left}
.tfprof-row .own {opacity: .6}
.tfprof-row:hover {background: rgba(128, 128, 128, .15)}
.tfprof-head {border-bottom: 1px solid currentColor; font-weight: bold}
.tfprof-tree summary {list-style: none; cursor: pointer}
.tfprof-tree summary::-webkit-details-marker {display: none}
.tfprof-row > .name::before {content: ""; display: inline-block; width: 1.3em}
.tfprof-tree summary > .name::before {content: "\\25b8"}
.tfprof-tree details[open] > summary > .name::before {content: "\\25be"}
"""


def tree(result: Any, columns: List[Column]) -> str:
    all_depths = result._numbers("depth")
    shown = sorted(heapq.nsmallest(MAX_ROWS, range(len(result)), key=all_depths.__getitem__))
    nodes, depths = [result[i] for i in shown], [all_depths[i] for i in shown]
    opened = _hot_path(nodes, columns)
    parts: List[str] = []
    stack: List[int] = []  # depths of the elements that are not closed yet
    for i, node in enumerate(nodes):
        while stack and depths[i] <= stack[-1]:
            stack.pop()
            parts.append("</details>")
        below = node.index + 1
        has_children = below < len(result) and all_depths[below] > depths[i]
        is_cut = has_children and (i + 1 == len(nodes) or shown[i + 1] != below)
        cells = _cells(node, columns, " …" if is_cut else "")
        if has_children and not is_cut and len(stack) < MAX_NESTING:
            stack.append(depths[i])
            is_open = " open" if node.index in opened else ""
            parts.append(f'<details{is_open}><summary class="tfprof-row">{cells}</summary>')
        else:
            parts.append(f'<div class="tfprof-row">{cells}</div>')
    parts.append("</details>" * len(stack))
    heads = ['<span class="name">node</span>'] + [
        f"<span{'' if column.show else _TEXT}>{html.escape(column.head)}</span>"
        for column in columns]
    return (f'<div><style>{_STYLE}</style><div class="tfprof-tree">'
            f'<div class="tfprof-row tfprof-head">{"".join(heads)}</div>'
            f'{"".join(parts)}</div>{more_rows(len(result) - len(nodes))}</div>')


def _hot_path(nodes: List[Any], columns: List[Column]) -> Set[int]:
    """The indexes of the root, its costliest child, that one's costliest child, ..."""
    cost = next((column.total for column in columns if column.show), None)
    if not nodes or not cost:
        return {0}
    costliest: Dict[int, Any] = {}  # parent → (cost, child)
    for node in nodes[1:]:
        parent, value = node._value("parent"), getattr(node, cost)
        if parent is not None and value > costliest.get(parent, (0, 0))[0]:
            costliest[parent] = (value, node.index)
    path, at = {0}, 0
    while at in costliest:
        at = costliest[at][1]
        path.add(at)
    return path


_TEXT = ' class="text"'


def _cells(node: Any, columns: List[Column], more: str) -> str:
    name, indent = html.escape(node.name), 10 + 16 * min(node.depth, 40)
    cells = [f'<span class="name" title="{name}" style="padding-left: {indent}px">'
             f"<bdi>{name}</bdi>{more}</span>"]
    for column in columns:
        if column.show:
            own, total = getattr(node, column.own), getattr(node, column.total)
            shown = column.show(own) if node.accounted else "--"
            cells.append(f'<span><span class="own">{shown} /</span> {column.show(total)}</span>')
        else:
            text = text_of(node, column)
            cells.append(f'<span{_TEXT} title="{text}">{text}</span>')
    return "".join(cells)
