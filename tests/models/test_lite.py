"""Operators of TensorFlow Lite: a converted function costs what its graph does."""

import pathlib
import subprocess

import pytest
from frozen import tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from test_models import count, tree

F32 = tf.float32
CASES = {
    "scatter_nd": ([(2, 3)], lambda x: tf.scatter_nd([[1], [2]], x, [4, 3])),
    "segment_sum": ([(4, 3)], lambda x: tf.math.segment_sum(x, [0, 0, 1, 1])),
    "unsorted_segment_sum": ([(4, 3)], lambda x: tf.math.unsorted_segment_sum(x, [0, 0, 1, 1], 2)),
    "matrix_diag": ([(4,)], tf.linalg.diag),
    "set_diag": ([(4, 4), (4,)], tf.linalg.set_diag),
    "conv3d_transpose": ([(1, 2, 2, 2, 4), (2, 2, 2, 3, 4)],
                         lambda x, w: tf.nn.conv3d_transpose(x, w, [1, 4, 4, 4, 3], 2)),
    "conv3d": ([(1, 4, 4, 4, 3), (2, 2, 2, 3, 5)],
               lambda x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME")),
    "rfft2d": ([(8, 16)], lambda x: tf.abs(tf.signal.rfft2d(x))),
    "real": ([(8, 16)], lambda x: tf.math.real(tf.signal.rfft2d(x))),
    "bucketize": ([(6,)], lambda x: tf.raw_ops.Bucketize(input=x, boundaries=[0.0, 1.0])),
    "random": ([(6,)], lambda x: x + tf.random.uniform((6,))),
    "xor": ([(6,)], lambda x: tf.bitwise.bitwise_xor(tf.cast(x, tf.int32), 3)),
    "shift": ([(6,)], lambda x: tf.bitwise.right_shift(tf.cast(x, tf.int32), 1)),
    "matmul": ([(3, 5, 4), (3, 5, 6)], lambda a, b: tf.matmul(a, b, transpose_a=True)),
    "einsum": ([(3, 4, 5), (5, 6)], lambda a, b: tf.einsum("abc,cd->abd", a, b)),
    "resize": ([(1, 4, 4, 3)], lambda x: tf.image.resize(x, (8, 8))),
    "add_relu": ([(4, 6), (4, 6)], lambda a, b: tf.nn.relu(a + b)),
    "cumsum": ([(4, 3)], tf.cumsum),
    "elu": ([(6,)], lambda x: tf.nn.elu(x) + tf.nn.leaky_relu(x)),
}


@pytest.mark.parametrize("name", CASES)
def test_operator(name, tmp_path):
    shapes, call = CASES[name]
    concrete = tf.function(call).get_concrete_function(*[tf.TensorSpec(s, F32) for s in shapes])
    graph = convert_variables_to_constants_v2(concrete).graph
    (tmp_path / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
    lite = tf.lite.TFLiteConverter.from_concrete_functions([concrete]).convert()
    (tmp_path / "model.tflite").write_bytes(lite)
    ours, theirs = count(tmp_path / "model.tflite"), count(tmp_path / "graph.pb")
    assert not ours["not_counted"]
    for what in ("macs", "float_ops"):
        assert ours["total"][what] == theirs["total"][what]


def test_variables(tmp_path):
    """The shape of a variable that the model changes is not known: reading it is listed, by the
    operator's name."""
    class Model(tf.Module):
        def __init__(self):
            self.n = tf.Variable(tf.zeros([4]))

        @tf.function(input_signature=[tf.TensorSpec([4], F32)])
        def call(self, x):
            self.n.assign(self.n + x)
            return self.n * 2.0

    model = Model()
    tf.saved_model.save(model, str(tmp_path), signatures=model.call)
    converter = tf.lite.TFLiteConverter.from_saved_model(str(tmp_path))
    converter.experimental_enable_resource_variables = True
    (tmp_path / "model.tflite").write_bytes(converter.convert())
    assert "READ_VARIABLE" in count(tmp_path / "model.tflite")["not_counted"]


def text_of(path):
    return subprocess.run([tree.program(), "model", str(path)], capture_output=True, text=True, check=True).stdout


def test_operations_on_integers_are_no_float_operations(tmp_path):
    """4 x 8 products of int8; quantizing has its own float operations."""
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8)])
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([tf.random.normal((1, 4))] for _ in range(2))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    (tmp_path / "model.tflite").write_bytes(converter.convert())
    counted = count(tmp_path / "model.tflite")
    assert (counted["total"]["macs"], counted["total"]["integer_ops"]) == (32, 64)
    text = text_of(tmp_path / "model.tflite")
    assert "; 64 integer operations and 0 float operations\n" in text
    assert "FLOPs" not in text


def test_totals_say_what_is_not_counted():
    text = text_of(pathlib.Path(__file__).parent / "files/custom.keras")
    assert " float operations (1 kind of layers not counted: Scale x1) = " in text


def test_layers_are_in_the_order_in_which_they_run():
    """The file has the names of later ones first."""
    layers = [layer["name"] for layer in count(pathlib.Path(__file__).parent / "files/bert_tiny/model.tflite")["layers"]]
    assert layers.index("tok") < layers.index("mha_0") < layers.index("ffn_up_0") < layers.index("mha_1") < layers.index("pooler")
