"""Training graphs of TensorFlow 1 (`.meta`): what the model does, its gradients, its optimizer."""

import pytest
from frozen import tf
from test_models import count

v1 = tf.compat.v1
CONV, DENSE, TURN = 28 * 28 * 8 * 25, 14 * 14 * 8 * 10, 10 * 10  # multiply-accumulates


def write(path, use_resource):
    def variable(name, *shape):
        return v1.get_variable(name, shape, use_resource=use_resource)

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 28, 28, 1], name="x")
        labels = v1.placeholder(tf.int64, [None], name="labels")
        with v1.variable_scope("net/conv"):
            x = tf.nn.relu(tf.nn.conv2d(x, variable("w", 5, 5, 1, 8), 1, "SAME"))
            x = tf.nn.max_pool2d(tf.nn.bias_add(x, variable("b", 8)), 2, 2, "SAME")
        with v1.variable_scope("net/dense"):
            x = tf.reshape(x, [-1, 14 * 14 * 8]) @ variable("w", 14 * 14 * 8, 10)
        with v1.variable_scope("net/loop"):
            weights = variable("w", 10, 10)
            x = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, tf.tanh(a @ weights)),
                              [0, x])[1]
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x))
        v1.train.AdamOptimizer().minimize(loss, v1.train.get_or_create_global_step())
        saver = v1.train.Saver()
        v1.train.export_meta_graph(str(path), saver_def=saver.as_saver_def())


@pytest.mark.parametrize("use_resource", [True, False])
def test_training_graph(use_resource, tmp_path):
    write(tmp_path / "model.meta", use_resource)
    model = count(tmp_path / "model.meta")
    rows = {row["name"]: row for row in model["layers"]}
    assert list(rows)[:4] == ["Initializer", "net/conv", "net/dense", "net/loop"]
    assert [rows[name]["macs"] for name in list(rows)[:4]] == [0, CONV, DENSE, 3 * TURN]
    assert rows["net/conv"]["output_shapes"] == [[1, 14, 14, 8]]
    # Each product has two gradients; that of x is there, although nothing reads it. The loop of
    # the gradients runs as often as the other one has counted.
    assert rows["gradients/net"]["macs"] == 2 * (CONV + DENSE + 3 * TURN)
    assert {"id": "loop", "text": "2 loops x3"} in model["notes"]
    # Slots of the optimizer are no parameters.
    assert model["total"]["parameters"] == 200 + 8 + 14 * 14 * 8 * 10 + 100
    assert all("ApplyAdam" in op for op in model["not_counted"])
