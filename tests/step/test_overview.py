"""Whoever says how long a step takes says what `tfprof step` says."""

import glob
import json
import os
import re
import subprocess
import sys

import pytest
import tree
from asked import run as run_step

HERE = os.path.dirname(os.path.abspath(__file__))
TRACES = sorted(glob.glob(os.path.join(HERE, "planted", "*.gz")) +
                glob.glob(os.path.join(tree.TESTS, "xplane", "samples", "*.gz")))
RUNS = [os.path.join(tree.TOP, "examples", "resnet", "profile"),
        *sorted(glob.glob(os.path.join(tree.TESTS, "data", "advise", "*", "run_meta_1.gz")))]


def tell(path, *more):
    done = subprocess.run([tree.program(), path, *more], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def asked(path):
    return json.loads(run_step(path, "--output=json").stdout)


def steps_of(answer):
    return [(row["step"], row["wall_micros"]) for row in answer["nodes"] if row["step"] is not None]


@pytest.mark.parametrize("path", TRACES + RUNS, ids=os.path.basename)
def test_the_program_says_it_first(path):
    step, found = asked(path), json.loads(tell(path, "--output=json"))
    assert (found["schema"], found["version"]) == ("tfprof.overview", 2)
    steady = [row["wall_micros"] for row in step["nodes"] if row["steady"]]
    assert found["wall_micros"] == pytest.approx(sum(steady) / len(steady), rel=1e-12)
    if found["headline"] != step["headline"]:  # of traces of accelerators it is about them
        assert json.loads(tell("devices", path, "--output=json"))["nodes"][1]["kind"] in ("gpu", "tpu")
    for key in ("steps_by", "wall_micros", "gap_micros", "steady", "left_out"):
        assert found[key] == step[key], key
    assert steps_of(found) == steps_of(step) and len(steps_of(step)) == step["steady"] + step["left_out"]
    first, rest = tell(path).split("\n", 1)
    assert first == found["headline"]
    assert re.search("operation time, (all threads|added up over all devices)  ", rest)
    assert "per step" not in rest


def test_the_page_says_it_first():
    sys.path.append(os.path.join(tree.TESTS, "server"))
    from serving import Server
    for path in TRACES[::6] + RUNS[:2]:
        server = Server(path)
        try:
            server.wait_until_loaded()
            page, step = server.api("profile")[1], asked(path)
            assert page["sentence"] == tell(path).split("\n")[0] and page["wall"] == step["wall_micros"]
            assert [(s["step"], s["wall"]) for s in page["steps"]] == steps_of(step)
        finally:
            server.stop()


def test_a_saved_trace_does_not_guess(tmp_path):
    """A saved profile has the operations of its trace: how long its steps took is not in it."""
    trace, saved = os.path.join(HERE, "planted", "j02_sleep.xplane.pb.gz"), tmp_path / "saved"
    subprocess.run([tree.program(), "save", saved, trace], check=True, capture_output=True)
    refused = run_step(saved)
    assert refused.returncode == 1 and "the time between operations, and what it went to: add the trace" in refused.stderr
    found = json.loads(tell(saved, "--output=json"))
    assert found["headline"] is None and found["wall_micros"] is None and steps_of(found) == []
    assert not tell(saved).startswith("A step")


# ---- run metadata -------------------------------------------------------------------------

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"

GRAPH = """
node { name: "conv" op: "Conv2D" } node { name: "next" op: "IteratorGetNext" } node { name: "reduce" op: "NcclAllReduce" }
node { name: "recv" op: "_Recv" } node { name: "add" op: "Add" } node { name: "call" op: "PartitionedCall" }
"""

# device, node, start, duration: a step from 100 to 400.
PLANTED = [
    (CPU, "next", 100, 50),                      # input 100 … 150
    (GPU, "conv", 140, 30),                      # its launch: dispatch 150 … 170
    (GPU + "/stream:all", "conv", 170, 80),      # compute 170 … 250, with what is repeated below
    (GPU + "/stream:13", "conv", 170, 80),
    (GPU + "/stream:all", "reduce", 240, 40),    # communication 250 … 280
    (GPU + "/memcpy", "MEMCPYHtoD", 270, 30),    # copy 280 … 300
    (CPU, "recv", 290, 60),                      # it waits: runtime 300 … 350
    (CPU, "call", 300, 100),                     # what it calls counts itself
    (CPU, "add", 380, 20),                       # compute 380 … 400; before it, nothing
]
PARTS = {"compute": 100, "communication": 30, "copy": 20, "input": 50, "dispatch": 20, "runtime": 80}


@pytest.fixture
def planted(tmp_path):
    def entry(device, node, start, duration):
        return (f'dev_stats {{ device: "{device}" node_stats {{ node_name: "{node}" all_start_micros: {10**6 + start} '
                f"op_end_rel_micros: {duration} all_end_rel_micros: {duration} }} }}\n")
    (tmp_path / "graph.pbtxt").write_text(GRAPH)
    (tmp_path / "run_meta").write_text("step_stats {\n" + "".join(entry(*one) for one in PLANTED) + "}\n")
    return [str(tmp_path / "graph.pbtxt"), str(tmp_path / "run_meta")]


def test_run_metadata_has_the_planted_parts(planted):
    done = run_step(*planted, "--output=json")
    answer = json.loads(done.stdout)
    assert answer["steps_by"] == "runs" and answer["wall_micros"] == 300
    assert answer["gap_micros"] is None and "time between runs" in answer["notes"][0]["text"]
    parts = {row["name"]: row["micros"] for row in answer["nodes"] if row["depth"] == 2 and row["micros"]}
    assert parts == PARTS and sum(parts.values()) == 300
    causes = {(answer["nodes"][row["parent"]]["name"], row["name"]): row["micros"]
              for row in answer["nodes"] if row["depth"] == 3}
    assert causes["compute", "Conv2D"] == 80 and causes["compute", "Add"] == 20
    assert causes["copy", "copy to a device"] == 20 and causes["runtime", "_Recv"] == 50 and causes["runtime", "between operations"] == 30
    assert answer["headline"].startswith("A step takes 0.3 ms: 33 % computing, 27 % waiting with nothing running, ")


def test_tasks_whose_clocks_differ_are_not_mixed(tmp_path):
    """One of them ran in 1970 by its clock."""
    stats = "".join(
        f'dev_stats {{ device: "/job:worker/replica:0/task:{task}/device:CPU:0" node_stats {{ node_name: "n{task}" '
        f"all_start_micros: {start} op_end_rel_micros: {duration} all_end_rel_micros: {duration} }} }}\n"
        for task, start, duration in ((0, 10**15, 500), (1, 1000, 700)))
    (tmp_path / "run_meta").write_text(f"step_stats {{ {stats} }}")
    assert json.loads(run_step(tmp_path / "run_meta", "--output=json").stdout)["wall_micros"] == 700


@pytest.mark.parametrize("path", TRACES, ids=os.path.basename)
def test_it_counts_the_devices_that_are_listed(path):
    listed = json.loads(tell("devices", path, "--output=json"))["nodes"][1:]
    assert json.loads(tell(path, "--output=json"))["n_devices"] == len(listed)
