"""What threads did meanwhile, as the timeline draws it: against a decoder of traces that knows field
numbers only (tests/xplane/xspace.py)."""

import gzip
import json
import os
import subprocess
import sys

import pytest
import tree
from serving import Server

sys.path.insert(0, os.path.join(tree.TOP, "tests", "xplane"))
import xspace  # noqa: E402

SAMPLES = os.path.join(tree.TOP, "tests", "xplane", "samples")


def good(server, path):
    status, answer = server.api(path)
    assert status == 200, answer
    return answer


def threads_of(path):
    """[(name of a line, name of an event, start and end in picoseconds)] of the hosts."""
    with gzip.open(path) as file:
        data = file.read()
    events, recorded_ns = [], 0
    planes = [xspace.Plane(value) for number, value in xspace.fields(data) if number == 1]
    for plane in planes:
        recorded_ns = plane.stats.get("profile_start_time", recorded_ns)
        if plane.name.startswith("/host:CPU"):
            for line in plane.lines:
                events += [(line.name, e.name, e.start, e.end) for e in line.events if not e.occurrences]
    return events, recorded_ns


@pytest.mark.parametrize("name", ["tf_cnn_fit", "tf_data", "jax_default", "tf215_cnn_loop_python", "tf_transformer_jit", "synthetic_gpu"])
def test_threads_have_the_events_of_their_lines(name):
    path = os.path.join(SAMPLES, name + ".xplane.pb.gz")
    server = Server(path)
    server.wait_until_loaded()
    try:
        steps = good(server, "profile")["steps"]
        step = steps[-1]["step"] if steps else -1
        of = f"step={step}&of=threads"
        lanes = good(server, f"lanes?{of}")
        lanes["lanes"] = [lane for lane in lanes["lanes"] if lane["device"] != "Steps"]
        found, n = {}, 0
        for lane in lanes["lanes"]:
            answer = good(server, f"slices?{of}&lane={lane['lane']}&until_lane={lane['lane'] + 1}&min=0"
                                  f"&from=-100000000&until={lanes['duration'] + 100000000}")
            row = answer["lanes"][0]
            assert set(row["n"]) <= {1}
            for op, x, w in zip(row["op"], row["x"], row["w"]):
                found.setdefault(lane["name"], []).append((answer["ops"][op]["name"], lanes["start"] + x, w))
                n += 1
            # None of a row overlaps the next, and what is below another is within it.
            for r in set(row["row"]):
                mine = sorted((x, x + w) for x, w, at in zip(row["x"], row["w"], row["row"]) if at == r)
                assert all(a[1] <= b[0] for a, b in zip(mine, mine[1:])), (lane["name"], r)
        assert n == sum(lane["executions"] for lane in lanes["lanes"])
        events, recorded_ns = threads_of(path)
        # Lines may count from the start of recording.
        shift_ps = recorded_ns * 1000 if recorded_ns and events and min(e[2] for e in events) < recorded_ns * 500 else 0
        begin, end = lanes["start"] * 10**6 - shift_ps, (lanes["start"] + lanes["duration"]) * 10**6 - shift_ps
        expected = {}
        for line, event, first, last in events:
            if first < end and last >= begin:
                expected.setdefault(line, []).append((event[1:] if event.startswith("$") else event, first + shift_ps, last - first))
        assert sorted(expected) == sorted(found)
        for line, those in expected.items():
            assert len(those) == len(found[line]), line
            # Whole microseconds: of the start and of the end, so events within others stay there.
            assert sorted((e[0], e[1] // 10**6, (e[1] + e[2]) // 10**6) for e in those) == \
                sorted((e[0], e[1], e[1] + e[2]) for e in found[line]), line
    finally:
        assert server.stop() == 0


def test_without_a_trace_there_are_none(server):
    assert good(server, "lanes?step=0&of=threads")["lanes"] == []


# What `step` calls parts, and what kinds of events are called.
PARTS = {"unknown": "unknown", "idle": "unknown"}


@pytest.mark.parametrize("name", ["tf_cnn_fit", "tf_data", "jax_async", "jax_transformer", "tf215_cnn_loop", "synthetic_gpu"])
def test_the_parts_of_a_step_are_those_of_the_question(name):
    """Moments add up to the parts, but for the microseconds that each end is rounded by; they fill the step."""
    path = os.path.join(SAMPLES, name + ".xplane.pb.gz")
    rows = json.loads(subprocess.run([tree.program(), "step", path, "--output=json"], capture_output=True, check=True).stdout)["nodes"]
    server = Server(path)
    server.wait_until_loaded()
    try:
        for step in [r for r in rows if r["depth"] == 1 and r["step"] is not None]:
            lanes = good(server, f"lanes?step={step['step']}&of=threads")
            drawn = {lane["number"]: lane for lane in lanes["lanes"] if lane["device"] == "Steps"}
            slices = {}
            for number, lane in drawn.items():
                answer = good(server, f"slices?step={step['step']}&of=threads&lane={lane['lane']}&until_lane={lane['lane'] + 1}"
                                      f"&min=0&from=0&until={lanes['duration']}")
                row = answer["lanes"][0]
                slices[number] = [(answer["ops"][op], x, w) for op, x, w in zip(row["op"], row["x"], row["w"])]
            whole = [(x, w) for op, x, w in slices[0] if op["name"] == f"step {step['step']}"]
            assert len(whole) == 1 and abs(whole[0][1] - step["wall_micros"]) <= 1
            start, end = whole[0][0], sum(whole[0])
            inside = [(op["family"], x, w) for op, x, w in slices[1] if start <= x and x + w <= end]
            assert all(a[1] + a[2] <= b[1] for a, b in zip(inside, inside[1:]))
            for part in [r for r in rows if r["depth"] == 2 and r["parent"] == step["id"] and r["name"] != "gap"]:
                got = [w for family, _, w in inside if family == PARTS.get(part["name"], part["name"])]
                assert abs(sum(got) - part["micros"]) <= len(inside) + 1, (step["step"], part["name"])
    finally:
        assert server.stop() == 0
