"""`tfprof memory` on traces: every number of the reference, as users read it."""

import collections
import gzip
import json
import subprocess

import pytest
from test_cost import load, traces
from tree import program

SPACES = {"0": "", "1": " (VMEM)", "2": " (synchronization flags)", "5": " (host memory)", "6": " (scalar memory)"}


def ask(question, path, *options):
    done = subprocess.run([program(), question, path, "--output=json", *options], capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture
def unpacked(tmp_path):
    def unpack(trace):
        path = tmp_path / "trace.xplane.pb"
        with gzip.open(trace) as file:
            path.write_bytes(file.read())
        return path
    return unpack


def children(nodes):
    """{id: the nodes below it}"""
    found = collections.defaultdict(list)
    for node in nodes[1:]:
        found[node["parent"]].append(node)
    return found


@pytest.mark.parametrize("reference, trace", list(traces()))
def test_memory_has_every_number_of_the_reference(reference, trace, unpacked):
    modules = {module["name"]: module for module in load(reference)["modules"] if module["memory"]["spaces"]}
    below = children(ask("memory", unpacked(trace))["nodes"])
    assert {node["name"] for node in below[0]} == set(modules)
    ran = [modules[node["name"]]["ran"] for node in below[0]]
    assert ran == sorted(ran, reverse=True)
    for node in below[0]:
        memory = modules[node["name"]]["memory"]
        classes = {row["name"]: row for row in below[node["id"]]}
        device = memory["spaces"]["0"]
        assert node["bytes"] == device["reserved"]
        for space, sizes in memory["spaces"].items():
            for name in ("parameters", "outputs", "temporaries", "constants"):
                if space == "0" or sizes[name]:
                    assert classes[name + SPACES[space]]["bytes"] == sizes[name]
        for arena in memory["arenas"]:
            row = classes["temporaries" + SPACES[str(arena["space"])]]
            assert row["peak_bytes"] == arena["peak"]
            layers = {layer["name"]: [layer["bytes"], layer["buffers"]] for layer in below[row["id"]]}
            assert layers == {layer["name"]: [layer["bytes"], layer["buffers"]] for layer in arena["by_layer"]}
            buffers = [buffer for layer in below[row["id"]] for buffer in below[layer["id"]]]
            lines = collections.Counter()
            for buffer in buffers:
                lines[buffer["line"] or "(no line)"] += buffer["bytes"]
            assert lines == {line["name"]: line["bytes"] for line in arena["by_line"]}
            assert {b["instruction"] for b in arena["buffers"]} <= {b["name"] for b in buffers}


def test_the_first_line_names_the_largest_buffer(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "fn_scan_grad"))
    done = subprocess.run([program(), "memory", path], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[0] == (
        "jit_scan_grad(80): 28.09MB on each device while it runs; temporaries peak at 21.67MB in "
        "copy_bitcast_fusion.1, of which 2.10MB is f32[4,4,64,512] of mlp (kept by a loop), /home/me/x/funcs.py:20")
    assert "4 parameters could be donated (donate_argnums): at most 3.15MB less" in done.stderr


def test_a_trace_in_memory_says_the_same_as_a_file(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "fn_scan_grad"))
    packed = path.with_suffix(".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert ask("memory", packed)["nodes"] == ask("memory", path)["nodes"]


def test_damaged_programs_are_left_out_and_named(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "jax_while"))
    bytes_ = path.read_bytes()
    at = bytes_.index(b"\n\x0cjit_multiply\x12") + 14  # in its HloModuleProto
    path.write_bytes(bytes_[:at] + b"\xff" * 11 + bytes_[at + 11:])
    answer = ask("memory", path)
    assert "jit_multiply(4)" not in [node["name"] for node in answer["nodes"]]
    assert [note["text"] for note in answer["notes"] if note["id"] == "damaged"] == [
        "jit_multiply(4): it is damaged and left out"]
