"""Advice as a table in a notebook: a row per finding, and below it the checkers that did not
apply."""

import html
from typing import Any, Dict, List

from tfprof import _format

MAX_ROWS = 1000
MAX_PLACES = 5
_HEADS = ("level", "checker", "found", "cost", "where", "what to do")

_STYLE = """
.tfprof-advice {font-size: 13px}
.tfprof-advice table {border-collapse: collapse; font-size: inherit}
.tfprof-advice th, .tfprof-advice td {padding: 2px 10px; text-align: left; vertical-align: top;
    background: none; color: inherit}
.tfprof-advice th {border-bottom: 1px solid currentColor}
.tfprof-advice td.found, .tfprof-advice td.where {white-space: pre-wrap; overflow-wrap: anywhere}
.tfprof-advice td.where {font-family: monospace}
.tfprof-advice summary {cursor: pointer}
"""


def table(advice: Any) -> str:
    findings = list(advice)
    rows = "".join(_row(finding) for finding in findings[:MAX_ROWS])
    left = len(findings) - MAX_ROWS
    more = f"<p>{left} more findings: use to_pandas() for all of them.</p>" if left > 0 else ""
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    body = (f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}"
            if findings else "<p>Nothing found.</p>")
    return (f'<div class="tfprof-advice"><style>{_STYLE}</style>{body}'
            f"{_skipped([one for one in advice.checkers if one.get('skipped')])}</div>")


def _row(finding: Dict[str, Any]) -> str:
    cells = {"level": "information" if finding["level"] == "none" else finding["level"], "checker": finding["checker"], "found": finding["text"],
             "cost": _cost(finding.get("stake") or {}), "where": _where(finding["where"]),
             "remedy": finding.get("remedy") or ""}
    return "<tr>" + "".join(f'<td class="{name}">{html.escape(text)}</td>'
                            for name, text in cells.items()) + "</tr>"


def _cost(stake: Dict[str, Any]) -> str:
    parts = []
    if stake.get("micros"):
        parts.append(_format.micros(stake["micros"]))
    if stake.get("bytes"):
        parts.append(_format.memory(stake["bytes"]))
    if stake.get("share"):
        parts.append(f"{stake['share']:.0%}")
    return ", ".join(parts)


def _where(places: List[Dict[str, Any]]) -> str:
    lines = [" ".join(str(place[key]) for key in ("device", "op", "node", "line") if place.get(key))
             for place in places[:MAX_PLACES]]
    more = len(places) - MAX_PLACES
    return "\n".join(lines + ([f"and {more} more"] if more > 0 else []))


def _skipped(checkers: List[Dict[str, Any]]) -> str:
    if not checkers:
        return ""
    lines = "".join(f"<li>{html.escape(one['name'])}: {html.escape(one.get('remark', ''))}</li>"
                    for one in checkers)
    return (f"<details><summary>{len(checkers)} checkers did not apply</summary>"
            f"<ul>{lines}</ul></details>")
