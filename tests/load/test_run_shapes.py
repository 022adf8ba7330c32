"""Shapes that ran complete the graph: float operations by the formulas, from planted shapes."""

import json
import re
import subprocess

import pytest
from tree import program

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
FLOAT = 'attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "T" value { type: DT_FLOAT } }'


def shape_text(dims):
    if dims is None:
        return "shape { unknown_rank: true }"
    return "shape { %s }" % " ".join(f"dim {{ size: {size} }}" for size in dims)


def node(name, op, inputs=(), more="", **shapes):
    attrs = "".join(f'attr {{ key: "{key}" value {{ {shape_text(dims)} }} }} '
                    for key, dims in shapes.items())
    wires = "".join(f'input: "{source}" ' for source in inputs)
    return f'node {{ name: "{name}" op: "{op}" {wires}{attrs}{FLOAT} {more} }}\n'


CONV = ('attr { key: "strides" value { list { i: 1 i: 1 i: 1 i: 1 } } } '
        'attr { key: "padding" value { s: "SAME" } }')
GRAPH = (node("net/x", "Placeholder", shape=(-1, 64))
         + node("image", "Placeholder", shape=None)
         + node("queue", "QueueDequeueManyV2")
         + node("w", "VariableV2", shape=(64, 32)) + node("v", "VariableV2", shape=(32, 10))
         + node("f", "VariableV2", shape=(3, 3, 3, 8))
         + node("first", "MatMul", ("net/x", "w")) + node("second", "MatMul", ("first", "v"))
         + node("conv", "Conv2D", ("image", "f"), CONV)
         + node("queued", "MatMul", ("queue:1", "w")))


def entry(name, *outputs, start=100):
    text = "".join(f"output {{ slot: {slot} tensor_description {{ dtype: DT_FLOAT "
                   f"{shape_text(dims)} }} }} " for slot, dims in outputs)
    return (f'node_stats {{ node_name: "{name}" all_start_micros: {start} op_end_rel_micros: 7 '
            f"{text} }}\n")


def run_meta(*entries):
    return f'step_stats {{ dev_stats {{ device: "{CPU}"\n{"".join(entries)} }} }}\n'


def step(batch, size, queued=5):
    return run_meta(
        entry("w", (0, (64, 32))), entry("v", (0, (32, 10))), entry("f", (0, (3, 3, 3, 8))),
        entry("_arg_net/x_0_1", (0, (batch, 64))), entry("_arg_image_0_0", (0, (batch, size, size, 3))),
        entry("queue", (0, (queued,)), (1, (queued, 64))),
        entry("first", (0, (batch, 32))), entry("second", (0, (batch, 10))),
        entry("conv", (0, (batch, size, size, 8))), entry("queued", (0, (queued, 32))))


def expected(batch, size, queued=5):
    return {"first": 2 * batch * 64 * 32, "second": 2 * batch * 32 * 10,
            "conv": 2 * batch * size * size * 8 * 27, "queued": 2 * queued * 64 * 32}


@pytest.fixture
def ask(tmp_path):
    def run(graph, *runs, more=()):
        (tmp_path / "graph.pbtxt").write_text(graph)
        files = [tmp_path / "graph.pbtxt"]
        for i, text in enumerate(runs):
            files.append(tmp_path / f"run_meta_{i}")
            files[-1].write_text(text)
        done = subprocess.run(
            [program(), "scope", *files, "--count_float_ops", "--output=json",
             "--select=float_ops,input_shapes", "--max_depth=100", *more],
            capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, done.stderr
        nodes = json.loads(done.stdout)["nodes"]
        return ({one["name"]: one["float_ops"] for one in nodes if one["name"] in expected(1, 1)},
                {one["name"]: one.get("input_shapes") for one in nodes}, done.stderr)
    return run


@pytest.mark.parametrize("batch, size", [(8, 12), (1, 7), (16, 20)])
def test_counts_follow_the_shapes_that_ran(ask, batch, size):
    counts, shapes, notes = ask(GRAPH, step(batch, size))
    assert counts == expected(batch, size)
    assert shapes["first"] == f"0:{batch}x64|1:64x32"
    assert shapes["conv"] == f"0:{batch}x{size}x{size}x3|1:3x3x3x8"
    assert shapes["queued"] == "0:5x64|1:64x32"
    assert "assumed" not in notes and "average" not in notes


def test_a_layer_counts_though_its_input_is_not_in_the_run(ask):
    """The optimizer may have removed what it reads: its own output tells its rows."""
    counts, shapes, notes = ask(GRAPH, run_meta(entry("first", (0, (8, 32))),
                                                entry("second", (0, (8, 10)))))
    assert (counts["first"], counts["second"]) == (2 * 8 * 64 * 32, 2 * 8 * 32 * 10)
    assert counts["conv"] == 0 and "assumed" not in notes


def test_feeds_of_older_versions_and_fetches(ask):
    counts, _, _ = ask(GRAPH, run_meta(
        entry("_recv_net/x_0", (0, (9, 64))), entry("_retval_image_0_3", (0, (2, 5, 5, 3))),
        entry("first")))
    assert counts["first"] == 2 * 9 * 64 * 32
    assert counts["conv"] == 2 * 2 * 5 * 5 * 8 * 27


def test_steps_with_different_shapes_count_each_their_own(ask):
    runs = step(8, 12), step(16, 20), step(8, 12)
    for number, (batch, size) in enumerate(((8, 12), (16, 20), (8, 12))):
        counts, shapes, _ = ask(GRAPH, *runs, more=[f"--step={number}"])
        assert counts == expected(batch, size)
        assert shapes["first"] == f"0:{batch}x64|1:64x32"
    counts, shapes, notes = ask(GRAPH, *runs)
    small, large = expected(8, 12), expected(16, 20)
    assert counts == {name: (2 * small[name] + large[name]) // 3 for name in small}
    assert shapes["first"] == "0:-1x64|1:64x32"
    assert "shapes differ between steps: without --step, float operations are the average" in notes


def test_a_step_that_did_not_run_a_node_does_not_count(ask):
    """An initialization before two steps of training."""
    runs = run_meta(entry("w", (0, (64, 32)))), step(8, 12), step(16, 20)
    counts, _, _ = ask(GRAPH, *runs)
    small, large = expected(8, 12), expected(16, 20)
    assert counts == {name: (small[name] + large[name]) // 2 for name in small}
    assert set(ask(GRAPH, *runs, more=["--step=0"])[0].values()) == {0}


def test_runs_of_a_step_that_differ_are_not_guessed(ask):
    counts, shapes, _ = ask(GRAPH, run_meta(
        entry("queue", (1, (5, 64))), entry("queue", (1, (6, 64)), start=200), entry("queued")))
    assert counts["queued"] == 0 and shapes["queued"].startswith("0:unknown")


def test_a_shape_that_contradicts_the_graph_is_not_used(ask):
    counts, shapes, _ = ask(GRAPH, run_meta(entry("_arg_net/x_0_0", (0, (8, 65)))))
    assert counts["first"] == 0 and "65" not in shapes["first"]


def test_without_a_run_batch_1_is_assumed_and_said(ask):
    counts, _, notes = ask(GRAPH)
    assert counts["first"] == 2 * 64 * 32 and "batch 1 was assumed" in notes


def test_shapes_are_shown_without_counting(tmp_path):
    (tmp_path / "graph").write_text(GRAPH)
    (tmp_path / "run").write_text(step(8, 12))
    done = subprocess.run(
        [program(), "op", tmp_path / "graph", tmp_path / "run", "--select=input_shapes,occurrence",
         "--account_type_regexes=MatMul"], capture_output=True, text=True, timeout=30)
    assert re.search(r"input_type: 0:8x64,\t1:64x32\t", done.stdout), done.stdout
    assert "no shapes of inputs" not in done.stderr


def test_a_saved_profile_keeps_the_average(tmp_path, ask):
    counts, _, _ = ask(GRAPH, step(8, 12), step(16, 20))
    subprocess.run([program(), "save", tmp_path / "saved", tmp_path / "graph.pbtxt",
                    tmp_path / "run_meta_0", tmp_path / "run_meta_1", "--count_float_ops"],
                   check=True, capture_output=True, timeout=30)
    done = subprocess.run([program(), "scope", tmp_path / "saved", "--output=json",
                           "--select=float_ops"], capture_output=True, text=True, timeout=30)
    assert {one["name"]: one["float_ops"] for one in json.loads(done.stdout)["nodes"]
            if one["name"] in counts} == counts


def test_products_of_integers_are_said_to_be_such(tmp_path):
    """[8, 16] x [16, 4], once of floats and once of 32-bit integers."""
    operands = node("x", "Placeholder", shape=(8, 16)) + node("w", "VariableV2", shape=(16, 4))
    both = operands + node("floats", "MatMul", ("x", "w"))
    both += (operands.replace('"x"', '"i"').replace('"w"', '"v"') + node("integers", "MatMul", ("i", "v"))).replace(
        "DT_FLOAT", "DT_INT32")
    (tmp_path / "graph.pbtxt").write_text(both)
    done = subprocess.run([program(), "scope", tmp_path / "graph.pbtxt", "--count_float_ops", "--select=float_ops"],
                          capture_output=True, text=True, timeout=30)
    said = re.search(r"(\d+) of the operations are of products of integers", done.stdout + done.stderr)
    assert said and int(said[1]) == 2 * 8 * 16 * 4, done.stdout + done.stderr
