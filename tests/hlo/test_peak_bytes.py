"""select=peak_bytes: each node has the bytes that its values hold when its program's temporaries peak."""

import collections
import os
import re

import pytest
from test_commands import ask, unpacked  # noqa: F401  (a fixture)
from test_cost import load, traces

ALL = ("--select=peak_bytes", "--order_by=peak_bytes", "--max_depth=100")


def arenas(reference):
    """The temporaries of programs that ran, in device memory."""
    return [arena for module in reference["modules"] if module["ran"]
            for arena in module["memory"]["arenas"] if not arena["space"] and arena["peak"]]


SINGLE = [case for case in traces() if len(arenas(load(case.values[0]))) == 1]


def total(answer, column="total_peak_bytes"):
    return answer["nodes"][0][column]


def notes(answer):
    return {note["id"] for note in answer["notes"]}


def test_there_are_traces_with_one_peak():
    assert len(SINGLE) >= 6


@pytest.mark.parametrize("reference, trace", SINGLE)
def test_nodes_of_every_view_add_up_to_the_peak_of_the_program(reference, trace, unpacked):  # noqa: F811
    peak = arenas(load(reference))[0]["peak"]
    path = unpacked(trace)
    has_stacks = not trace.split("/")[-1].startswith("tf")
    for view in ("scope", "op", "graph", "code")[:3 + has_stacks]:
        answer = ask(view, path, *ALL)
        assert sum(node["peak_bytes"] for node in answer["nodes"]) == peak, view
        assert not notes(answer) & {"peaks_of_programs", "unplaced_peak"}
    assert total(ask("scope", path, *ALL)) == peak
    layers = ask("layers", path, "--select=peak_bytes")
    assert total(layers, "peak_bytes") == peak
    assert "exec_micros" not in layers["nodes"][0]


@pytest.mark.parametrize("name", ["fn_scan_grad", "fn_convnet_grad", "fn_transformer_grad"])
def test_lines_hold_what_the_reference_says(name, unpacked):  # noqa: F811
    reference, trace = next(case.values for case in SINGLE if case.id == name)
    found = collections.Counter()
    for node in ask("code", unpacked(trace), *ALL)["nodes"]:
        line = re.match(r".*?([^/]+\.py:\d+):", node["name"])
        found[line[1] if line else ""] += node["peak_bytes"]
    expected = {os.path.basename(line["name"].replace("(no line)", "")): line["bytes"]
                for line in arenas(load(reference))[0]["by_line"]}
    assert {line: found[line] for line in expected} == expected
    assert sum(found.values()) == sum(expected.values())


def test_nothing_is_read_unless_it_is_asked_for(unpacked):  # noqa: F811
    _, trace = next(case.values for case in SINGLE if case.id == "fn_scan_grad")
    path = unpacked(trace)
    assert "peak_bytes" not in ask("layers", path)["nodes"][0]
    assert "peak_bytes" not in ask("scope", path)["nodes"][0]


def test_peaks_of_several_programs_are_no_peak():
    reference = [case.values for case in traces() if len(arenas(load(case.values[0]))) > 1]
    for _, trace in reference[:2]:
        assert "peaks_of_programs" in notes(ask("scope", trace, *ALL))
