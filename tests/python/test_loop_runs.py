"""Runs of loops that TensorFlow leaves out of a trace because it takes them for cheap: float
operations are those of the graph, by the formula."""

import os
import sys

import pytest
from package_under_test import needs_tensorflow
from tree import TESTS

pytestmark = [needs_tensorflow, pytest.mark.usefixtures("quiet")]
tf = pytest.importorskip("tensorflow")

sys.path.insert(0, os.path.join(TESTS, "xplane"))
import make  # noqa: E402

import tfprof  # noqa: E402

TURNS, PRODUCT = 10, 2 * 8 * 64 * 64


def loop(limit):
    weights = tf.ones([64, 64])

    @tf.function(autograph=False)
    def f(x, n):
        def body(i, y):
            return i + 1, tf.matmul(y, weights, name="product")
        return tf.while_loop(lambda i, y: i < (limit or n), body, [0, x])

    return f.get_concrete_function(tf.TensorSpec([8, 64]), tf.TensorSpec([], tf.int32)).graph


def choice():
    """A loop whose turns are known, with a product in some of them."""
    weights = tf.ones([64, 64])

    @tf.function(autograph=False)
    def f(x):
        def body(i, y):
            return i + 1, tf.cond(y[0, 0] > 0., lambda: tf.matmul(y, weights, name="product"),
                                  lambda: y)
        return tf.while_loop(lambda i, y: i < TURNS, body, [0, x])

    return f.get_concrete_function(tf.TensorSpec([8, 64])).graph


def profile_of(graph, path, n_runs, tmp_path):
    """A profile in which the product has run so often, 1 us each."""
    trace = tmp_path / f"{n_runs}.xplane.pb"
    trace.write_bytes(make.host([(f"{path}product:MatMul", i * 10**7, 10**6, {})
                                 for i in range(n_runs)]))
    return tfprof.load(xplane=str(trace), graph=graph.as_graph_def(add_shapes=True))


def product_of(profile):
    found = [node for node in profile.scope(select="occurrence,float_ops,micros")
             if node.name.endswith("product")]
    assert len(found) == 1
    return found[0].run_count, found[0].float_ops, found[0].exec_micros


@pytest.mark.parametrize("limit, n_runs, expected", [
    (TURNS, 7, TURNS), (TURNS, 1, TURNS), (TURNS, TURNS, TURNS),
    (TURNS, 2 * TURNS, 2 * TURNS),  # called twice
    (0, 7, 7)])                     # only the trace knows
def test_runs_left_out(limit, n_runs, expected, tmp_path):
    profile = profile_of(loop(limit), "while/body/_1/while/", n_runs, tmp_path)
    assert product_of(profile) == (expected, expected * PRODUCT, n_runs)
    said = f"{expected - n_runs} runs in loops are not in the trace"
    assert (said in profile.notes) == (n_runs < expected), profile.notes
    # A saved profile says the same.
    again = tfprof.load(profile=profile.serialize())
    assert product_of(again) == (expected, expected * PRODUCT, n_runs)


def test_branches_are_taken_as_often_as_recorded(tmp_path):
    profile = profile_of(choice(), "while/body/_1/while/cond/then/_9/while/cond/", 4, tmp_path)
    assert product_of(profile) == (4, 4 * PRODUCT, 4)
    assert "are not in the trace" not in profile.notes
