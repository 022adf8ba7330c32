"""Outputs for other programs, against the rows of the JSON output and the rules of their formats."""

import collections
import json
import pathlib
import subprocess

import pytest
import tree
from wire import read as fields, read_varint

RESNET = pathlib.Path(__file__).resolve().parents[2] / "examples" / "resnet" / "profile"


def run(*words):
    return subprocess.run([str(tree.program()), *map(str, words)], capture_output=True, text=True, check=True).stdout


def rows(view, select="micros"):
    return json.loads(run(view, RESNET, "--output=json", f"--select={select}"))["nodes"]


def own(nodes, key):
    """What each row has beyond its children."""
    values = [n[f"total_{key}"] for n in nodes]
    for n in nodes[1:]:
        values[n["parent"]] -= n[f"total_{key}"]
    return values


@pytest.mark.parametrize("view", ["scope", "code"])
def test_collapsed_stacks_add_up(view):
    nodes = rows(view)
    lines = run(view, RESNET, "--output=collapsed").splitlines()
    expected = [v for v in own(nodes, "exec_micros")[1:] if v > 0]
    assert [int(line.rsplit(" ", 1)[1]) for line in lines] == expected
    by_top = collections.Counter()
    for line in lines:
        stack, value = line.rsplit(" ", 1)
        by_top[stack.split(";")[0]] += int(value)
    top = {n["name"]: n["total_exec_micros"] for n in nodes if n["depth"] == 1 and n["total_exec_micros"]}
    if view == "scope":
        assert dict(by_top) == top
    else:
        assert sum(by_top.values()) == sum(top.values())


@pytest.mark.parametrize("view", ["scope", "code"])
def test_speedscope(view):
    nodes = rows(view)
    file = json.loads(run(view, RESNET, "--output=speedscope"))
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames, profile = file["shared"]["frames"], file["profiles"][0]
    assert all(isinstance(f["name"], str) for f in frames) and len(frames) == len(nodes) - 1
    assert (profile["type"], profile["unit"], profile["startValue"]) == ("sampled", "microseconds", 0)
    assert len(profile["samples"]) == len(profile["weights"])
    assert all(0 <= f < len(frames) for stack in profile["samples"] for f in stack)
    assert profile["weights"] == [v for v in own(nodes, "exec_micros")[1:] if v > 0]
    assert profile["endValue"] == sum(profile["weights"])
    for stack in profile["samples"]:
        assert [nodes[f + 1]["parent"] for f in stack] == [0, *[f + 1 for f in stack[:-1]]]


def test_prometheus():
    lines = run("op", RESNET, "--output=prometheus", "--select=micros,params", "--step=1").splitlines()
    found = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    root = json.loads(run("op", RESNET, "--output=json", "--select=micros,params", "--step=1"))["nodes"][0]
    for key in ["exec_micros", "cpu_exec_micros", "accelerator_exec_micros", "parameters"]:
        assert int(found.pop(f'tfprof_{key}{{view="op",step="1"}}')) == root[f"total_{key}"]
        assert f"# TYPE tfprof_{key} gauge" in lines
    assert not found


# ---- pprof, decoded by hand ----------------------------------------------------------


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        values.append(value - (value >> 63 << 64))
    return values


def read_pprof(path):
    import gzip
    message = list(fields(gzip.decompress(path.read_bytes())))
    strings = [v.decode() for k, v in message if k == 6]
    functions = {dict(fields(v))[1]: strings[dict(fields(v))[2]] for k, v in message if k == 5}
    locations = {}
    for k, v in message:
        if k == 4:
            location = dict(fields(v))
            locations[location[1]] = functions[dict(fields(location[4]))[1]]
    samples = []
    for k, v in message:
        if k != 2:
            continue
        stack, value, labels = [], 0, {}
        for number, part in fields(v):
            if number == 1:
                stack = [locations[i] for i in packed(part)]
            elif number == 2:
                value = packed(part)[-1]  # code view counts, too
            else:
                label = dict(fields(part))
                labels[strings[label[1]]] = strings[label[2]] if 2 in label else label.get(3, 0)
        samples.append((stack, value, labels))
    return samples


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_pprof_of_other_views(view, tmp_path):
    run(view, RESNET, "--select=micros", "--step=1", f"--output=pprof:outfile={tmp_path / 'p'}")
    samples = read_pprof(tmp_path / "p")
    nodes = json.loads(run(view, RESNET, "--output=json", "--select=micros", "--step=1"))["nodes"]
    expected = {n["name"]: n["exec_micros"] for n in nodes[1:] if n["exec_micros"]}
    assert {stack[0]: value for stack, value, _ in samples} == expected
    assert all(labels["step"] == 1 and labels["op"] for _, _, labels in samples)
    if view == "op":
        assert all(labels["op"] == stack[0] for stack, _, labels in samples)
    else:
        assert all(labels["device"] for _, _, labels in samples)


def test_pprof_of_code_has_labels(tmp_path):
    """By type they add up to the types of op view, of which only nodes with a stack are there."""
    run("code", RESNET, "--select=micros", "--step=1", f"--output=pprof:outfile={tmp_path / 'p'}")
    nodes = json.loads(run("op", RESNET, "--output=json", "--select=micros", "--step=1"))["nodes"]
    known = {n["name"]: n["exec_micros"] for n in nodes}
    times = {}
    for _, value, labels in read_pprof(tmp_path / "p"):
        assert labels["step"] == 1 and labels["graph node:"]
        assert not value or labels["device"].endswith(":0")  # what did not run has none
        times[labels["op"]] = times.get(labels["op"], 0) + value
    assert times["Conv2D"] == known["Conv2D"] and len(times) > 30
    assert all(value <= known[op] for op, value in times.items())


def test_pprof_of_a_comparison(tmp_path):
    run("diff", "scope", RESNET, "--base_step=0", "--step=1", f"--output=pprof:outfile={tmp_path / 'p'}")
    samples = read_pprof(tmp_path / "p")
    total = json.loads(run("diff", RESNET, "--base_step=0", "--step=1", "--output=json"))["nodes"][0]["micros"]
    assert sum(v for _, v, labels in samples if labels.get("pprof::base") == "true") == -total["base"]
    assert sum(v for _, v, labels in samples if not labels) == total["new"]
