"""The memory of compiled programs, against JAX's memory_analysis() and a slow program of our own."""

import collections
import json
import os

import pytest
import programs
from test_cost import HERE, load, traces

CLASSES = ("parameters", "outputs", "aliased", "temporaries", "constants", "thread_local")


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """By trace: what its programs hold."""
    known = {}

    def ask(reference, trace):
        if trace not in known:
            found = programs.programs_of(programs.read_trace(trace))
            names = [module["name"] for module in reference["modules"]]
            known[trace] = dict(zip(names, programs.dump([found[name] for name in names],
                                                         tmp_path_factory.mktemp("dump"))))
        return known[trace]
    return ask


def group(live, key, nothing):
    """{name: [bytes, buffers]} of what is alive."""
    found = collections.defaultdict(lambda: [0, 0])
    for buffer in live:
        entry = found[buffer[key] or nothing]
        entry[0] += buffer["bytes"]
        entry[1] += 1
    return dict(found)


def named_by(buffer):
    return f"{buffer['how']} {buffer['via']}" if buffer["how"] in ("copy of", "used by") else ""


def key_of(buffer, is_kept, named):
    return tuple(buffer[key] for key in ("instruction", "shape", "op_name", "line", "bytes")) + (is_kept, named)


def check_arena(ours, by_schedule, expected):
    """Yields what differs."""
    for key in ("space", "size", "method", "peak", "peak_at"):
        if ours[key] != expected[key]:
            yield key, ours[key], expected[key]
    if (by_schedule["peak"], by_schedule["peak_at"]) != (expected["schedule_peak"], expected["schedule_peak_at"]):
        yield "schedule", by_schedule["peak"], expected["schedule_peak"]
    if len(ours["live"]) != expected["n_live"]:
        yield "n_live", len(ours["live"]), expected["n_live"]
    for key, name, nothing in (("layer", "by_layer", ""), ("line", "by_line", "(no line)")):
        got = group(ours["live"], key, nothing)
        want = {row["name"]: [row["bytes"], row["buffers"]] for row in expected[name]}
        if got != want:
            yield name, got, want
    got = collections.Counter(key_of(b, b["how"] == "kept by a loop", named_by(b)) for b in ours["live"])
    want = collections.Counter(key_of(b, bool(b.get("stacked")), b.get("named_by") or "")
                               for b in expected["buffers"])  # the 30 largest
    if want - got:
        yield "buffers", got - want, want - got


@pytest.mark.parametrize("reference, trace", list(traces()))
def test_programs_of_traces(reference, trace, said):
    reference = load(reference)
    programs_said = said(reference, trace)
    wrong = []
    for module in reference["modules"]:
        ours, by_schedule = programs_said[module["name"]]["memory"], programs_said[module["name"]]["by_schedule"]
        expected = module["memory"]
        spaces = {space: {key: values[key] for key in CLASSES} for space, values in expected["spaces"].items()}
        donatable = [expected["donatable"]["parameters"], expected["donatable"]["bytes"]]
        if ours["spaces"] != spaces or ours["donatable"] != donatable or ours["n_damaged"]:
            wrong.append((module["name"], ours["spaces"], spaces, ours["donatable"], donatable))
        if len(ours["arenas"]) != len(expected["arenas"]):
            wrong.append((module["name"], "arenas"))
        for arena in zip(ours["arenas"], by_schedule["arenas"], expected["arenas"]):
            wrong += [(module["name"], *problem) for problem in check_arena(*arena)]
    assert not wrong


@pytest.mark.parametrize("reference, trace", list(traces()))
def test_names_of_operations(reference, trace, said):
    reference = load(reference)
    programs_said = said(reference, trace)
    wrong = []
    for device in reference["devices"]:
        for op in device["ops"]:
            if "primitive" not in op or op["module"] not in programs_said:
                continue
            got = programs_said[op["module"]]["names"].get(op["op"])
            want = [op["layer"], op["primitive"], int(op["gradient"]), int(op["recomputed"]), op["line"]]
            if got != want:
                wrong.append((op["op_name"], got, want))
    assert not wrong


def test_jax_says_the_same_sizes(said):
    with open(os.path.join(HERE, "jax_says.json"), encoding="utf-8") as file:
        jax_says = json.load(file)
    checked = {}
    for case in traces():
        reference, trace = case.values
        for name, program in said(load(reference), trace).items():
            function = name.removeprefix("jit_").split("(")[0]
            if not case.id.startswith("fn_") or function not in jax_says:
                continue
            jax, ours = jax_says[function]["mem"], program["memory"]["spaces"]["0"]
            sizes = {"argument_size_in_bytes": ours["parameters"], "temp_size_in_bytes": ours["temporaries"],
                     "output_size_in_bytes": ours["outputs"] + ours["aliased"], "alias_size_in_bytes": ours["aliased"]}
            checked[function] = {key: (jax[key], size) for key, size in sizes.items() if jax[key] != size}
    assert set(checked) == set(jax_says) and not any(checked.values())
