"""The report of a fleet: one HTML file with inline SVG, and nothing loaded from elsewhere.
Names come from profiles and paths, so all text is escaped."""

import html
import os
from typing import Any, Callable, List, Sequence, Tuple

import tfprof
from tfprof.fleet._index import replaced

_STYLE = """
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:.5em 0}td,th{padding:.15em .7em;text-align:left;
border-bottom:1px solid #ddd}td.n{text-align:right;font-variant-numeric:tabular-nums}
svg{max-width:100%;height:auto}.axis{stroke:#999}.grid{stroke:#eee}svg text{font-size:11px;fill:#444}
p.none{color:#666}
"""
# Told apart by dash and mark, too, not by colour alone.
_LINES = (("#1f5fa8", ""), ("#c2571a", "6 3"), ("#3a7d44", "2 2"), ("#7a4fa3", "8 3 2 3"))
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 760, 230, 70, 30

Point = Tuple[float, float]


def _text(value: Any) -> str:
    return html.escape("" if value is None else str(value), quote=True)


def _micros(value: Any) -> str:
    value = float(value or 0)
    for unit, scale in (("s", 1e6), ("ms", 1e3)):
        if abs(value) >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value:.0f} µs"


def _percent(value: Any) -> str:
    return f"{float(value):+.1%}"


def _ratio(value: Any) -> str:
    return f"{float(value):.2f}×"


def _bytes(value: Any) -> str:
    return f"{float(value or 0) / 1e6:,.1f} MB"


def _table(db: Any, query: str, columns: Sequence[Tuple[str, Callable[[Any], str]]],
           none: str) -> str:
    rows = db.execute(query).fetchall()
    if not rows:
        return f"<p class=none>{_text(none)}</p>"
    head = "".join(f"<th>{_text(name)}</th>" for name, _ in columns)
    body = "".join("<tr>" + "".join(
        f"<td{'' if show is str else ' class=n'}>{_text(show(value) if value is not None else '')}"
        "</td>" for value, (_, show) in zip(row, columns)) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _frame(title: str, labels: Sequence[str], most: float, show: Callable[[Any], str]) -> List[str]:
    """The title, the axes, and labels of runs below."""
    made = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{_text(title)}">',
            f'<text x="{_LEFT}" y="14" font-weight="bold">{_text(title)}</text>']
    for share in (0.0, 0.5, 1.0):
        y = _y(share * most, most)
        made.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{y}" y2="{y}"/>'
                    f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">'
                    f"{_text(show(share * most))}</text>")
    for i, label in enumerate(labels):
        if i % max(1, len(labels) // 12) == 0:
            made.append(f'<text x="{_x(i, len(labels))}" y="{_HEIGHT - 8}" text-anchor="middle">'
                        f"{_text(label[:12])}</text>")
    return made


def _x(i: float, n: int) -> float:
    return round(_LEFT + 15 + i * (_WIDTH - _LEFT - 130) / max(n - 1, 1), 1)


def _y(value: float, most: float) -> float:
    return round(_HEIGHT - _BOTTOM - value / (most or 1) * (_HEIGHT - _BOTTOM - 30), 1)


def _line(points: Sequence[Point], place: int, label: str) -> str:
    colour, dash = _LINES[place % len(_LINES)]
    path = " ".join(f"{x},{y}" for x, y in points)
    x, y = points[-1]
    dots = "".join(f'<circle cx="{a}" cy="{b}" r="2.5" fill="{colour}"/>' for a, b in points)
    return (f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>{dots}<text x="{x + 6}" y="{y + 4}">{_text(label[:16])}</text>')


def _trend(db: Any, model: str) -> str:
    """The median step of each run, and the operation types that regressed."""
    rows = db.execute("""
        SELECT r.run, median(s.wall_micros) FROM steps s JOIN runs r
        ON s.model = r.model AND s.run = r.run WHERE s.model = ?
        GROUP BY r.run, r.run_number ORDER BY r.run_number""", [model]).fetchall()
    labels = [row[0] for row in rows]
    slow = db.execute("SELECT op, since FROM regressions WHERE model = ? LIMIT 3",
                      [model]).fetchall()
    ops = {op: dict(db.execute("SELECT run, exec_micros FROM run_ops WHERE model = ? AND op = ?",
                               [model, op]).fetchall()) for op, _ in slow}
    # Operations run side by side: what a type takes on all threads may exceed the step.
    most = max([row[1] or 0 for row in rows] + [v for found in ops.values() for v in found.values()],
               default=0)
    made = _frame(f"{model or 'all'}: time of a step by the clock, by run", labels, most, _micros)
    made.append(_line([(_x(i, len(rows)), _y(row[1] or 0, most)) for i, row in enumerate(rows)], 0,
                      "step"))
    for place, (op, since) in enumerate(slow, 1):
        found = ops[op]
        made.append(_line([(_x(i, len(rows)), _y(found.get(run, 0), most))
                           for i, run in enumerate(labels)], place, op))
        x = _x(labels.index(since) - 0.5, len(rows))
        made.append(f'<line x1="{x}" x2="{x}" y1="24" y2="{_HEIGHT - _BOTTOM}" stroke="#c2571a" '
                    f'stroke-dasharray="3 3"/><text x="{x + 3}" y="{24 + 12 * place}">'
                    f"{_text(op)} slower from {_text(since)}</text>")
    return "".join(made) + "</svg>"


def _workers(db: Any, model: str) -> str:
    """Each worker's ratio to the median of its run: a mark per run, a bar for the median."""
    rows = db.execute("SELECT worker, ratio FROM run_workers WHERE model = ? ORDER BY worker",
                      [model]).fetchall()
    labels = sorted({row[0] for row in rows})[:40]
    if len(labels) < 2:
        return ""
    most = max(1.5, max(row[1] for row in rows))
    made = _frame(f"{model or 'all'}: workers against the median of their run", labels, most,
                  _ratio)
    y = _y(1, most)
    made.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{y}" y2="{y}"/>')
    for i, worker in enumerate(labels):
        ratios = sorted(row[1] for row in rows if row[0] == worker)
        middle, x = ratios[len(ratios) // 2], _x(i, len(labels))
        colour = "#c2571a" if middle >= 1.1 else "#1f5fa8"
        made.append(f'<line x1="{x - 9}" x2="{x + 9}" y1="{_y(middle, most)}" '
                    f'y2="{_y(middle, most)}" stroke="{colour}" stroke-width="3"/>')
        made.extend(f'<circle cx="{x}" cy="{_y(ratio, most)}" r="2" fill="{colour}" '
                    'fill-opacity=".5"/>' for ratio in ratios)
        if middle >= 1.1:
            made.append(f'<text x="{x}" y="{_y(max(ratios), most) - 6}" text-anchor="middle">'
                        f"{_text(_ratio(middle))} slow</text>")
    return "".join(made) + "</svg>"


def render(db: Any) -> str:
    """The page, from a connection of connect()."""
    read, bad = db.execute("SELECT count(*) FILTER (error IS NULL), count(error) FROM files").fetchone()
    models = [row[0] for row in db.execute(
        "SELECT model FROM steps GROUP BY model ORDER BY sum(exec_micros) DESC LIMIT 12").fetchall()]
    plots = "".join(f"<h2>{_text(model or 'All profiles')}</h2>{_trend(db, model)}{_workers(db, model)}"
                    for model in models)
    sections = (
        ("What regressed, and since when", _table(
            db, "SELECT model, op, since, before_micros, after_micros, change FROM regressions LIMIT 20",
            (("model", str), ("op", str), ("since run", str), ("before", _micros),
             ("after", _micros), ("change", _percent)), "Nothing that stands out from the noise.")),
        ("Slow workers", _table(
            db, "SELECT model, worker, ratio, n_slow_runs, n_runs FROM stragglers LIMIT 20",
            (("model", str), ("worker", str), ("to median", _ratio), ("slow runs", "{:d}".format),
             ("runs", "{:d}".format)), "No worker is 10% slower than its run's median.")),
        ("Most expensive operation types", _table(
            db, "SELECT op, exec_micros, share, n_models FROM top_ops LIMIT 15",
            (("op", str), ("time", _micros), ("share", "{:.1%}".format),
             ("models", "{:d}".format)), "No operations.")),
        ("Growing memory", _table(
            db, "SELECT model, worker, least_bytes, most_bytes, bytes_per_run FROM memory_growth LIMIT 20",
            (("model", str), ("worker", str), ("least", _bytes), ("most", _bytes),
             ("per run", _bytes)), "No worker's memory grows from run to run.")),
        ("Common findings", _table(
            db, "SELECT checker, level, n_files, example FROM common_findings LIMIT 15",
            (("checker", str), ("level", str), ("files", "{:d}".format), ("example", str)),
            "No findings.")),
        ("Files that could not be read", _table(
            db, "SELECT path, error FROM files WHERE error IS NOT NULL ORDER BY path LIMIT 50",
            (("file", str), ("reason", str)), "None.")),
    )
    body = "".join(f"<h2>{_text(title)}</h2>{content}" for title, content in sections)
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>tfprof fleet</title>'
            f"<style>{_STYLE}</style><h1>{read} profiles</h1>"
            f"<p>{bad} could not be read.</p>{body}{plots}</html>\n")


def _refuse_inputs(db: Any, path: str) -> None:
    """Never overwrites a table or a profile that the tables were made from, not through links either."""
    if not os.path.exists(path):
        return
    for (profile,) in db.execute("SELECT path FROM files").fetchall():
        if os.path.exists(profile) and os.path.samefile(profile, path):
            raise tfprof.ArgumentError(f"{path}: the tables were read from this file")
    with open(path, "rb") as file:
        if file.read(4) == b"PAR1":
            raise tfprof.ArgumentError(f"{path}: it is a table: expected the name of a page")


def write(db: Any, path: str) -> None:
    """Writes the page, completely or not at all."""
    _refuse_inputs(db, path)
    page = render(db)
    with replaced(path) as beside, open(beside, "w", encoding="utf-8", errors="replace") as file:
        file.write(page)
