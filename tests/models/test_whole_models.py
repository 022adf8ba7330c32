"""Frozen graphs of whole models: the float operations of each type are those that TensorFlow's
profiler counts, and the shape of each output is that of TensorFlow's shape inference. Files of
one model agree."""

import json
import subprocess

import pytest
import tree
from frozen import freeze, has_valid_transpose
from test_models import count

import keras
import tensorflow as tf
from keras import layers as L

v1 = tf.compat.v1


def stack(shape, *layers):
    return keras.Sequential([L.Input(shape), *layers])


def transformer():
    ids = L.Input((16,), dtype="int32")
    x = L.Embedding(100, 32)(ids)
    for _ in range(2):
        x = L.LayerNormalization()(x + L.MultiHeadAttention(4, 8)(x, x))
        x = L.LayerNormalization()(x + L.Dense(32)(L.Dense(64, activation="gelu")(x)))
    return keras.Model(ids, L.Dense(2)(x[:, 0]))


def unet():
    image, skips = L.Input((32, 32, 3)), []
    x = image
    for width in (8, 16):
        x = L.Conv2D(width, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = L.MaxPooling2D()(x)
    for width in (16, 8):
        x = L.Conv2DTranspose(width, 3, strides=2, padding="same")(x)
        x = L.GroupNormalization(4)(L.Concatenate()([x, skips.pop()]))
    return keras.Model(image, L.Conv2D(2, 1, activation="sigmoid")(x))


def products():
    """Products with either side transposed, and sums over letters."""
    a, b = L.Input((6, 5)), L.Input((7, 5))
    x = keras.ops.matmul(a, keras.ops.transpose(b, (0, 2, 1)))
    y = L.Dot(axes=(2, 1))([x, b])
    z = keras.ops.einsum("bij,bkj->bik", y, a)
    return keras.Model([a, b], L.Attention()([z, z]))


APPLICATIONS = {
    "MobileNet": 64, "MobileNetV2": 64, "MobileNetV3Small": 64, "EfficientNetB0": 64,
    "EfficientNetV2B0": 64, "ResNet50V2": 64, "DenseNet121": 64, "NASNetMobile": 64, "Xception": 80,
    "ConvNeXtTiny": 64, "InceptionResNetV2": 96, "VGG16": 32,
}
MODELS = {
    **{name: lambda name=name, side=side: getattr(keras.applications, name)(
        weights=None, input_shape=(side, side, 3), include_top=name != "VGG16")
       for name, side in APPLICATIONS.items()},
    "transformer": transformer,
    "unet": unet,
    "products": products,
    "LSTM unrolled": lambda: stack((5, 8), L.LSTM(6, unroll=True), L.Dense(2)),
    "GRU unrolled": lambda: stack((5, 8), L.Bidirectional(L.GRU(6, unroll=True)), L.Dense(2)),
    "Conv1D": lambda: stack((40, 8), L.Conv1D(16, 5, 2), L.SeparableConv1D(8, 3), L.Conv1DTranspose(
        4, 3, 2, "same"), L.AveragePooling1D(2), L.GlobalMaxPooling1D(), L.Dense(2)),
    "Conv3D": lambda: stack((8, 8, 8, 2), L.Conv3D(4, 3), L.BatchNormalization(), L.Conv3DTranspose(
        2, 2, 2), L.Flatten(), L.Dense(2)),
    "depthwise": lambda: stack((16, 16, 4), L.DepthwiseConv2D(3, depth_multiplier=2), L.LeakyReLU(),
                               L.SeparableConv2D(8, 3, 2, "same"), L.PReLU(),
                               L.Dense(3, "softmax")),
    "resize": lambda: stack((16, 16, 3), L.Rescaling(1 / 255), L.Resizing(24, 24),
                            L.ZeroPadding2D(2), L.UpSampling2D(2, interpolation="bilinear"),
                            L.Conv2D(4, 5, 4)),
    "dilated": lambda: stack((21, 21, 3), L.Conv2D(8, 3, dilation_rate=3, padding="same"),
                             L.Conv2D(8, 3, groups=4), L.UnitNormalization(),
                             L.LayerNormalization()),
}
def profiled(graph):
    """Of each operation type: float operations of nodes that compute floats."""
    builder = v1.profiler.ProfileOptionBuilder
    options = builder(builder.float_operation()).with_empty_output().build()
    totals, stack_of_nodes = {}, [v1.profiler.profile(graph, options=options, cmd="scope")]
    while stack_of_nodes:
        node = stack_of_nodes.pop()
        stack_of_nodes.extend(node.children)
        if not node.float_ops or node.name == "_TFProfRoot":
            continue
        operation = graph.get_operation_by_name(node.name)
        if not all(i.dtype.is_integer for i in operation.inputs):
            totals[operation.type] = totals.get(operation.type, 0) + node.float_ops
    return totals


def check_shapes(graph, file):
    """Of all inputs of all nodes, as the views show them; a scalar is a vector of one."""
    done = subprocess.run([tree.program(), "scope", str(file), "--count_float_ops",
                           "--max_depth=1000", "--select=input_shapes", "--output=json:outfile=-"],
                          capture_output=True, check=True)
    shapes = {row["name"]: row["input_shapes"] for row in json.loads(done.stdout)["nodes"]}
    n_inputs = 0
    for operation in graph.get_operations():
        if not all(x.shape.is_fully_defined() for x in operation.inputs) or not operation.inputs:
            continue
        expected = ["x".join(map(str, x.shape.as_list() or [1])) for x in operation.inputs]
        found = [x.split(":")[1] for x in shapes[operation.name].split("|")]
        for i, x in enumerate(operation.inputs):
            # Views know the first output of a node, and none of a call.
            if x.value_index or x.op.type.endswith("PartitionedCall"):
                expected[i] = found[i]
        assert found[:len(expected)] == expected, operation.name
        n_inputs += len(expected)
    assert n_inputs > 10


@pytest.mark.parametrize("name", MODELS)
def test_model(name, tmp_path):
    keras.backend.clear_session()
    model = MODELS[name]()
    frozen = freeze(model, tmp_path / "graph.pb")
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(frozen.as_graph_def(), name="")
    ours = count(tmp_path / "graph.pb")
    assert not ours["not_counted"]
    found = {op["type"]: op["float_ops"] for op in ours["operations"]}
    theirs = profiled(graph)
    if has_valid_transpose(graph.get_operations()):
        del theirs["Conv2DBackpropInput"]
    # It omits what is called, as grouped convolutions are.
    for function in frozen.as_graph_def().library.function:
        for node in function.node_def:
            assert found.get(node.op, 0) >= theirs.pop(node.op, 0), node.op
    assert {op: found.get(op) for op in theirs} == theirs and theirs
    check_shapes(graph, tmp_path / "graph.pb")


STEP = 4 * 6 * (8 + 6)
# name: (model, MACs of its graph, of its layers, of its SavedModel): docs/model.md says why.
DIFFERENT = {
    "dilation": (lambda: stack((20, 20, 3), L.Conv2D(8, 3, dilation_rate=3, padding="same")),
                 21 * 21 * 8 * 27, 20 * 20 * 8 * 27, 21 * 21 * 8 * 27),
    "mask": (lambda: stack((10,), L.Embedding(20, 8, mask_zero=True), L.LSTM(6)),
             10 * STEP, 10 * STEP, 11 * STEP),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_files_that_differ(name, tmp_path):
    make, *expected = DIFFERENT[name]
    model = make()
    freeze(model, tmp_path / "graph.pb")
    model.save(tmp_path / "model.keras")
    model.export(tmp_path / "export", verbose=False)
    assert [count(tmp_path / file)["total"]["macs"]
            for file in ("graph.pb", "model.keras", "export")] == expected


LARGE = {"InceptionResNetV2", "NASNetMobile"}


@pytest.mark.parametrize("name", [name for name in MODELS if name not in LARGE])
def test_files_agree(name, tmp_path):
    keras.backend.clear_session()
    model = MODELS[name]()
    freeze(model, tmp_path / "graph.pb")
    model.save(tmp_path / "model.keras")
    model.export(tmp_path / "export", verbose=False)
    macs = {file: count(tmp_path / file)["total"]["macs"]
            for file in ("graph.pb", "model.keras", "export")}
    assert len(set(macs.values())) == 1, macs
    assert count(tmp_path / "model.keras")["total"]["parameters"] == model.count_params()
    for file in ("model.keras", "export"):
        batch = count(tmp_path / file, "--batch_size=8")
        assert batch["total"]["macs"] == 8 * macs["graph.pb"], file
