"""A trace of TensorFlow together with the graph and the op log of its model."""

import os
import re

import make
import product
import pytest

JOIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "join")
FILES = (f"--graph_path={JOIN}/graph.pb.gz", f"--op_log_path={JOIN}/op_log.gz")
USER = re.compile(r"training\.py:\d+:")


def total(rows):
    return max(int(row["total_exec_micros"]) for row in rows)


def test_lines_of_the_training_step(samples, tmp_path):
    """At least 95 % of a step's time reaches a line of the user's file."""
    for step in range(4):
        alone, _ = product.query("scope", samples["tf_cnn_loop"], f"--step={step}",
                                 directory=tmp_path)
        lines, said = product.query("code", samples["tf_cnn_loop"], *FILES, f"--step={step}",
                                    directory=tmp_path)
        assert re.search(r"9[5-9]\.\d% of the time is in nodes of the graph", said), said
        own = sum(int(row["total_exec_micros"]) for row in lines
                  if row["depth"] == "1" and USER.match(row["name"]))
        assert own >= 0.95 * total(alone)


def test_backward_operations(samples, tmp_path):
    """They count for the line of their forward operations, and cost more."""
    lines, _ = product.query("code", samples["tf_cnn_loop"], *FILES, directory=tmp_path)
    forward, backward = (
        [row for row in lines if re.match(r"training\.py:25:train_step:.*", row["name"])
         and ("(gradient)" in row["name"]) == is_gradient] for is_gradient in (False, True))
    assert int(backward[0]["total_exec_micros"]) > int(forward[0]["total_exec_micros"]) > 0


def test_joined_nodes_have_shapes_and_edges(samples, tmp_path):
    rows, _ = product.query("graph", samples["tf_cnn_loop"], FILES[0], "--step=0",
                            directory=tmp_path)
    names = {row["name"] for row in rows}
    assert "functional_1/conv_a_1/Relu" in names
    assert max(int(row["depth"]) for row in rows) > 10
    result = product.run("scope", samples["tf_cnn_loop"], FILES[0], "--select=input_shapes,micros",
                         "--max_depth=20")
    assert "16x14x14x8" in result.stdout


def test_names_below_calls(samples, tmp_path):
    """In fit, names begin with StatefulPartitionedCall/: the optimizer's differ, the model's
    are those of the graph."""
    rows, said = product.query("scope", samples["tf_cnn_fit"], FILES[0], "--step=1",
                               directory=tmp_path)
    ran = {row["name"]: int(row["run_count"]) for row in rows}
    assert ran["functional_1/conv_a_1/Relu"] == 1
    assert "StatefulPartitionedCall/functional_1/conv_a_1/Relu" not in ran
    assert re.search(r"[5-9]\d\.\d% of the time is in nodes of the graph", said), said


@pytest.mark.parametrize("sample", ["tf_cnn_loop", "tf_cnn_fit"])
def test_time_stays_the_same(sample, samples, tmp_path):
    alone, _ = product.query("scope", samples[sample], "--step=1", directory=tmp_path)
    joined, _ = product.query("scope", samples[sample], FILES[0], "--step=1", directory=tmp_path)
    assert total(alone) == total(joined)


def test_a_graph_without_backward_nodes(tmp_path):
    """A model file has the forward nodes only: what the rest of the time is of, is said."""
    events = [(f"StatefulPartitionedCall/{name}", i * 10**9, 10**9, {}) for i, name in enumerate([
        "model/conv/Relu:_FusedConv2D",
        "gradient_tape/model/conv/convolution/Conv2DBackpropFilter:Conv2DBackpropFilter",
        "gradient_tape/model/conv/ReluGrad:ReluGrad", "gradient_tape/other/Mul:Mul",
        "adam/Mul:Mul"])]
    (tmp_path / "t.xplane.pb").write_bytes(make.host(events))
    (tmp_path / "graph.pb").write_bytes(b"".join(
        make.piece(1, make.piece(1, name) + make.piece(2, op))
        for name, op in (("model/conv/convolution", "Conv2D"), ("model/conv/Relu", "Relu"))))
    said = product.run("op", tmp_path / "t.xplane.pb", f"--graph_path={tmp_path}/graph.pb").stderr
    assert ("20.0% of the time is in nodes of the graph, 40.0% in gradients of its layers, "
            "40.0% in neither\n") in said
