"""TFPROF_DEBUG says what was decided: planted traces, whose answers are known."""

import os
import subprocess

import make
from tree import program

US = 1_000_000


def ask(topics, *arguments):
    done = subprocess.run([program(), "op", *map(str, arguments)], capture_output=True, text=True,
                          env=dict(os.environ, TFPROF_DEBUG=topics), check=True)
    return done.stdout, done.stderr


def lines(topic, *arguments):
    _, said = ask(topic, *arguments)
    assert all(line.startswith(f"tfprof {topic}: ") for line in said.splitlines()
               if line.startswith("tfprof ")), "only what was asked for"
    return [line[len(f"tfprof {topic}: "):] for line in said.splitlines()
            if line.startswith("tfprof ")]


def write(tmp_path, events):
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.host(events))
    return path


def op(at):
    return ("a:Mul", at * US, 2 * US, {})


def test_steps(tmp_path):
    def root(name, at, **stats):
        return (name, at * US, 10 * US, {"_r": 1, **stats})

    path = write(tmp_path, [root("train", 0, step_num=7), op(1), root("train", 20, step_num=9),
                            op(21), op(50)])
    found, why, result, numbers = lines("steps", path)
    assert found.startswith("found: 2 markers with a step_num, 0 steps recorded by devices, ")
    assert why == f"{path}: markers with a step_num"
    assert result == "result: 2 steps, 2 operations in them, 1 outside of all (0.002ms)"
    assert numbers == "numbers: 7, 9"
    path = write(tmp_path, [root("train", 0), op(1), root("train", 20), op(21)])
    assert lines("steps", path)[1].endswith("no marker has a step_num: root events, numbered in order")
    path = write(tmp_path, [root("FunctionRun", 0, id=1), op(1), root("FunctionRun", 20, id=2),
                            op(21)])
    assert lines("steps", path)[1].endswith("no markers: each call of a function is a step")
    assert "of which 2 are calls of functions" in lines("steps", path)[0]
    path = write(tmp_path, [op(1), op(21)])
    assert lines("steps", path)[1].endswith("all is one step")


def test_join(tmp_path):
    graph = tmp_path / "graph.pbtxt"
    graph.write_text('node { name: "a" op: "Mul" } node { name: "idle" op: "Add" }')
    path = write(tmp_path, [op(1), op(11), ("b:Add", 21 * US, 3 * US, {})])
    assert lines("join", path, f"--graph_path={graph}") == [
        "2 names in the trace, 2 nodes and 0 graphs with functions before it",
        "found: 1 by their name, 0 in a function or a branch, 0 by the name that the compiler "
        "kept, 0 as fused kernels, 0 as gradients of a scope",
        "not found: 1; ambiguous: 0",
        "time: 0.007ms, of which 0.004ms in nodes of the graph, 0.000ms in gradients, 0.000ms in "
        "fused kernels",
        "not in the graph: b (1 operations)"]
    assert lines("join", path) == ["no graph to join with: 2 names become nodes"]


def test_load_and_nothing_else_changes(samples):
    path = samples["tf_cnn_loop"]
    said = lines("load", path)
    assert said[0] == f"{path}: recognized as xplane"
    assert said[1].startswith(f"{path}: read as xplane: ") and "0 nodes were there" in said[1]
    plain, quiet = ask("", path)
    assert ask("load,steps,join", path)[0] == plain
    assert "tfprof " not in quiet


def test_names_cannot_control_the_terminal(tmp_path):
    path = tmp_path / "odd\x1b[31m.xplane.pb"
    path.write_bytes(make.host([op(1)]))
    said = lines("load", path)
    assert len(said) == 2 and all("odd?[31m.xplane.pb: re" in line for line in said)


def test_misspelt(samples):
    _, said = ask("jion", samples["tf_cnn_loop"])
    assert ("tfprof: TFPROF_DEBUG 'jion': expected one of: load, steps, join (did you mean 'join'?)"
            in said)
