"""What changed between profiles: ``new.diff(base)``."""

import html
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Union

from tfprof import _format, _inputs, _native, _options
from tfprof._report import Report

MAX_ROWS = 1000
_SHOW = {"micros": _format.micros, "bytes": _format.memory}

_STYLE = """
.tfprof-diff table {border-collapse: collapse; font-size: 13px}
.tfprof-diff th, .tfprof-diff td {padding: 2px 10px; text-align: right; background: none; color: inherit}
.tfprof-diff td:first-child, .tfprof-diff td:last-child {text-align: left; white-space: pre}
.tfprof-diff .more {color: #b35900} .tfprof-diff .less {color: #1f5fbf}
"""


class Diff(Report):
    """A comparison of two sides, each one run or several.

    Printing it shows the report. Iterating yields a dictionary per row: name, base_name,
    state, and for each metric base, new, delta, percent, p and verdict.

    >>> import tfprof
    >>> profile = tfprof.load('examples/resnet/profile')
    >>> diff = profile.diff(profile, view='scope', select='params')
    >>> diff.total['params']['delta'], diff.budget
    (0, 'within')
    """

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """A dictionary per row, the total first."""
        return self.to_dict()["nodes"]

    @property
    def total(self) -> Dict[str, Any]:
        """The row of the total."""
        return self.rows[0]

    @property
    def renames(self) -> Dict[str, str]:
        """Old names of renamed rows and their new ones."""
        return self.to_dict()["renames"]

    @property
    def budgets(self) -> List[Dict[str, Any]]:
        """The budgets of fail_if, each with its status: within, over or unknown."""
        return self.to_dict()["budgets"]

    @property
    def budget(self) -> str:
        """The worst status of the budgets."""
        found = {budget["status"] for budget in self.budgets}
        return next((status for status in ("over", "unknown") if status in found), "within")

    @property
    def markdown(self) -> str:
        """The report for a pull request."""
        return self._render("markdown")

    @property
    def notes(self) -> str:
        """A line for each budget."""
        return self._native.notes

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<diff of {self.to_dict()['view']}: {len(self) - 1} rows, budgets: {self.budget}>"

    def _repr_html_(self) -> str:
        """A table of what changed, in notebooks."""
        metrics = [name for name, value in self.total.items() if isinstance(value, dict)]
        return (f'<div class="tfprof-diff"><style>{_STYLE}</style>'
                + "".join(self._table(metric) for metric in metrics) + "</div>")

    def _table(self, metric: str) -> str:
        changed = [row for row in self.rows[1:]
                   if row[metric]["delta"] or row["state"] != "same" or "base_device" in row]
        rows = "".join(_row(row, metric) for row in [{**self.total, "name": "total"},
                                                     *changed[:MAX_ROWS]])
        left = len(changed) - MAX_ROWS
        more = f"<p>{left} more rows: use to_pandas() for all of them.</p>" if left > 0 else ""
        heads = "".join(f'<th scope="col">{head}</th>'
                        for head in (metric, "base", "new", "delta", "change", "verdict"))
        return f"<table><tr>{heads}</tr>{rows}</table>{more}"


def _row(row: Mapping[str, Any], metric: str) -> str:
    number = row[metric]
    show = next((fn for word, fn in _SHOW.items() if word in metric), _format.count)
    delta, percent = number["delta"], number["percent"]
    sign = "+" if delta > 0 else "-" if delta < 0 else ""
    what = [] if row["state"] in ("added", "removed") else [number["verdict"]]
    what += [] if row["state"] == "same" else [row["state"]]
    if row["state"] == "renamed":
        what[-1] += f" from {row['base_name']}" + (" (guessed)" if row.get("guessed") else "")
    if "base_device" in row:
        what.append(f"moved from {row['base_device']} to {row['device']}")
    cells = ["\u2003" * row["depth"] + row["name"], show(number["base"]), show(number["new"]),
             sign + show(abs(delta)), "" if percent is None else f"{percent:+.1f}%", ", ".join(what)]
    side = " more" if delta > 0 else " less" if delta < 0 else ""
    return (f'<tr class="row{side}">' + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
            + "</tr>")


def compare(base: Any, new: Any, view: str, keywords: Mapping[str, Any]) -> Diff:
    """A Diff of native profiles; keywords are options of the view and of comparisons."""
    given = {name: value for name, value in keywords.items() if value is not None}
    settings, _ = _options.from_keywords("diff", None, given)
    return Diff(_native.diff(view, base, new, settings))


def natives(side: Union[Any, Iterable[Any]]) -> List[Any]:
    """The native profiles of one profile or several, or of files."""
    given = list(side) if isinstance(side, (list, tuple)) else [side]
    n_profiles = sum(hasattr(one, "_native") for one in given)
    if 0 < n_profiles < len(given):
        raise TypeError("expected profiles or files on a side, got both: load the files first")
    if not n_profiles:
        from tfprof._profile import load
        given = [load(*run) for run in _inputs.split_runs(given)]
    return [profile._native for profile in given]


def diff(base: Any, new: Any, view: str = "op", **options: Any) -> Diff:
    """Compares runs with runs: each side is a profile or a list of them, or files: parts of one
    run, such as a graph and run metadata, or saved profiles and traces, each a run. The options
    are those of Profile.diff."""
    return compare(natives(base), natives(new), view, options)
