"""Shapes of real runs complete graphs with open batches: float operations by the formula."""

import pytest
from package_under_test import needs_tensorflow

pytestmark = [needs_tensorflow, pytest.mark.usefixtures("quiet")]
pytest.importorskip("tensorflow")

import numpy as np  # noqa: E402
from live_models import tf  # noqa: E402

import tfprof  # noqa: E402

OPTIONS = dict(tfprof.ProfileOptionBuilder.float_operation(), output="none")


def expected(batch):
    """Two products and a convolution with 'SAME' padding."""
    return {"first": 2 * batch * 64 * 32, "second": 2 * batch * 32 * 10,
            "conv": 2 * batch * 9 * 9 * 8 * 27}


@pytest.fixture(scope="module")
def model():
    """A graph with open batches, and run metadata by batch size."""
    graph = tf.Graph()
    runs = {}
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 64], name="net/x")
        image = tf.placeholder(tf.float32, None, name="image")
        image_4d = tf.reshape(image, tf.shape(image))
        first = tf.matmul(x, tf.get_variable("w", [64, 32], use_resource=False), name="first")
        second = tf.matmul(tf.nn.relu(first), tf.get_variable("v", [32, 10], use_resource=False),
                           name="second")
        filters = tf.get_variable("f", [3, 3, 3, 8], use_resource=False)
        conv = tf.nn.conv2d(image_4d, filters, [1, 1, 1, 1], "SAME", name="conv")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for batch in (8, 3):
                runs[batch] = tf.RunMetadata()
                session.run([second, conv], {x: np.ones((batch, 64)),
                                             image: np.ones((batch, 9, 9, 3))},
                            tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE,
                                          output_partition_graphs=True), runs[batch])
    return graph, runs


def counts(node):
    """The float operations of the nodes of a message, by name."""
    found = {node.name: node.float_ops} if node.name in expected(1) else {}
    for child in node.children:
        found.update(counts(child))
    return found


def own(result):
    """The same of a result."""
    return {node.name: node.float_ops for node in result if node.name in expected(1)}


@pytest.mark.parametrize("batch", [8, 3])
def test_the_drop_in_api(model, batch):
    graph, runs = model
    assert counts(tfprof.profile(graph, runs[batch], cmd="scope", options=OPTIONS)) == \
        expected(batch)
    profiler = tfprof.Profiler(graph)
    profiler.add_step(0, runs[batch])
    assert counts(profiler.profile_name_scope(OPTIONS)) == expected(batch)


@pytest.mark.parametrize("batch", [8, 3])
def test_an_op_log(model, batch, tmp_path):
    graph, runs = model
    tfprof.write_op_log(graph, str(tmp_path), run_meta=runs[batch])
    profile = tfprof.load(graph=graph.as_graph_def(), op_log=tmp_path / "tfprof_log")
    assert own(profile.scope(select="float_ops")) == expected(batch)


@pytest.mark.parametrize("add_shapes", [False, True])
def test_load(model, add_shapes):
    graph, runs = model
    profile = tfprof.load(graph=graph.as_graph_def(add_shapes=add_shapes),
                          run_meta=[runs[8], runs[3]], count_float_ops=True)
    for step, batch in enumerate((8, 3)):
        result = profile.scope(select="float_ops,input_shapes", step=step)
        assert own(result) == expected(batch)
        assert f"flops, 0:{batch}x64|1:64x32)" in str(result)
    assert own(profile.scope(select="float_ops")) == {
        name: (expected(8)[name] + expected(3)[name]) // 2 for name in expected(1)}
    assert "average" in profile.notes
