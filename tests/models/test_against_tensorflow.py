"""Shapes and costs of operations, compared with TensorFlow's own shape inference and with
what its profiler counts, operation by operation. Where its profiler counts nothing or is
wrong, the expected figure is worked out here."""

import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import pytest
import tensorflow as tf

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from frozen import has_valid_transpose  # noqa: E402
from test_models import count  # noqa: E402

v1 = tf.compat.v1
raw = tf.raw_ops
F32 = tf.float32


def x(*shape, dtype=F32, name=None):
    return v1.placeholder(dtype, shape, name=name)


def ints(*values):
    return tf.constant(values, tf.int32)


# name: (the operation, float operations if TensorFlow's profiler does not count it)
UNARY = {name: lambda name=name: getattr(raw, name)(**{
    "features" if name in ("Relu", "Relu6", "Elu", "Selu", "LeakyRelu", "Softplus", "Softsign")
    else "x": x(2, 3, 4)}) for name in
    "Relu Relu6 Elu Selu LeakyRelu Softplus Softsign Sigmoid Tanh Exp Log Sqrt Rsqrt Square Neg "
    "Abs Sign Floor Ceil Round Reciprocal Erf Erfc Sin Cos Log1p Expm1".split()}
BINARY = {name: lambda name=name: getattr(raw, name)(x=x(2, 1, 4), y=x(3, 1)) for name in
          "Add AddV2 Sub Mul RealDiv FloorDiv FloorMod Maximum Minimum Pow SquaredDifference Less "
          "LessEqual Greater GreaterEqual Equal NotEqual DivNoNan Atan2".split()}
OTHERS = {
    "MatMul": lambda: tf.matmul(x(3, 5), x(5, 7)),
    "MatMul_a": lambda: tf.matmul(x(5, 3), x(5, 7), transpose_a=True),
    "MatMul_b": lambda: tf.matmul(x(3, 5), x(7, 5), transpose_b=True),
    "BatchMatMulV2": lambda: raw.BatchMatMulV2(x=x(2, 1, 3, 5), y=x(4, 5, 7)),
    "BatchMatMulV2_adj_y": lambda: raw.BatchMatMulV2(x=x(2, 3, 5), y=x(2, 7, 5), adj_y=True),
    "BiasAdd": lambda: raw.BiasAdd(value=x(2, 5, 5, 3), bias=x(3)),
    "BiasAdd_NCHW": lambda: raw.BiasAdd(value=x(2, 3, 5, 5), bias=x(3), data_format="NCHW"),
    "Conv2D_same": lambda: tf.nn.conv2d(x(2, 9, 8, 3), x(3, 2, 3, 4), [1, 2, 2, 1], "SAME"),
    "Conv2D_valid": lambda: tf.nn.conv2d(x(2, 9, 8, 3), x(3, 2, 3, 4), [1, 2, 3, 1], "VALID"),
    "Conv2D_dilated": lambda: raw.Conv2D(input=x(1, 9, 9, 3), filter=x(3, 3, 3, 4),
                                         strides=[1, 1, 1, 1], padding="VALID",
                                         dilations=[1, 2, 3, 1]),
    "Conv2D_explicit": lambda: raw.Conv2D(input=x(1, 9, 9, 3), filter=x(3, 3, 3, 4),
                                          strides=[1, 2, 2, 1], padding="EXPLICIT",
                                          explicit_paddings=[0, 0, 1, 2, 3, 0, 0, 0]),
    "Conv2D_NCHW": lambda: tf.nn.conv2d(x(2, 3, 9, 8), x(3, 2, 3, 4), [1, 1, 2, 2], "SAME",
                                        data_format="NCHW"),
    "Conv2D_groups": lambda: tf.nn.conv2d(x(1, 8, 8, 6), x(3, 3, 2, 9), 1, "SAME"),
    "Conv3D": lambda: tf.nn.conv3d(x(1, 5, 6, 7, 2), x(2, 3, 3, 2, 4), [1, 1, 2, 1, 1], "VALID"),
    "DepthwiseConv2dNative": lambda: tf.nn.depthwise_conv2d(x(1, 9, 9, 3), x(3, 3, 3, 2),
                                                            [1, 2, 2, 1], "SAME"),
    "Conv2DBackpropInput": lambda: raw.Conv2DBackpropInput(
        input_sizes=ints(1, 8, 8, 3), filter=x(3, 3, 3, 4), out_backprop=x(1, 4, 4, 4),
        strides=[1, 2, 2, 1], padding="SAME"),
    "Conv2DBackpropFilter": lambda: raw.Conv2DBackpropFilter(
        input=x(1, 8, 8, 3), filter_sizes=ints(3, 3, 3, 4), out_backprop=x(1, 4, 4, 4),
        strides=[1, 2, 2, 1], padding="SAME"),
    "MaxPool": lambda: tf.nn.max_pool2d(x(1, 9, 9, 3), [1, 3, 2, 1], [1, 2, 2, 1], "SAME"),
    "AvgPool": lambda: tf.nn.avg_pool2d(x(1, 9, 9, 3), [1, 3, 2, 1], [1, 2, 2, 1], "VALID"),
    "Softmax": lambda: raw.Softmax(logits=x(3, 5)),
    "Sum": lambda: tf.reduce_sum(x(2, 3, 4), [0, 2]),
    "Sum_all": lambda: tf.reduce_sum(x(2, 3, 4)),
    "Mean_keep": lambda: tf.reduce_mean(x(2, 3, 4), -1, keepdims=True),
    "ArgMax": lambda: tf.argmax(x(2, 3, 4), 1),
    "ArgMax_first": lambda: tf.argmax(x(2, 3, 4), 0),
    "ArgMax_last": lambda: tf.argmax(x(2, 3, 4), -1),
    "AddN": lambda: tf.add_n([x(2, 3), x(2, 3), x(2, 3)]),
    "L2Loss": lambda: tf.nn.l2_loss(x(3, 4)),
    "BiasAddGrad": lambda: raw.BiasAddGrad(out_backprop=x(2, 5, 5, 3)),
    "RsqrtGrad": lambda: raw.RsqrtGrad(y=x(2, 3), dy=x(2, 3)),
    "MaxPoolGrad": lambda: raw.MaxPoolGrad(orig_input=x(1, 8, 8, 3), orig_output=x(1, 4, 4, 3),
                                           grad=x(1, 4, 4, 3), ksize=[1, 2, 2, 1],
                                           strides=[1, 2, 2, 1], padding="SAME"),
    "AvgPoolGrad": lambda: raw.AvgPoolGrad(orig_input_shape=ints(1, 8, 8, 3),
                                           grad=x(1, 4, 4, 3), ksize=[1, 2, 2, 1],
                                           strides=[1, 2, 2, 1], padding="SAME"),
    # moved, not computed
    "Reshape": lambda: tf.reshape(x(2, 3, 4), [-1, 6]),
    "Squeeze": lambda: tf.squeeze(x(1, 3, 1, 4), [0]),
    "Squeeze_all": lambda: tf.squeeze(x(1, 3, 1, 4)),
    "ExpandDims": lambda: tf.expand_dims(x(2, 3), -2),
    "Transpose": lambda: tf.transpose(x(2, 3, 4), [2, 0, 1]),
    "Pack": lambda: tf.stack([x(2, 3), x(2, 3)], 1),
    "Unpack": lambda: tf.unstack(x(2, 3, 4), axis=1)[0],
    "ConcatV2": lambda: tf.concat([x(2, 3), x(2, 5)], -1),
    "Split": lambda: tf.split(x(2, 9), 3, 1)[0],
    "SplitV": lambda: tf.split(x(2, 9), [2, -1, 3], 1)[0],
    "StridedSlice": lambda: x(5, 6, 7)[1:, ..., ::2],
    "StridedSlice_shrink": lambda: x(5, 6, 7)[:, tf.newaxis, 2, -3:-1],
    "StridedSlice_negative": lambda: x(5, 6)[::-2, 4:0:-1],
    "Slice": lambda: tf.slice(x(5, 6), [1, 2], [-1, 3]),
    "Tile": lambda: tf.tile(x(2, 3), [2, 3]),
    "BroadcastTo": lambda: tf.broadcast_to(x(1, 3), [4, 2, 3]),
    "Pad": lambda: tf.pad(x(2, 3), [[1, 2], [0, 3]]),
    "MirrorPad": lambda: tf.pad(x(4, 3), [[1, 2], [0, 1]], "REFLECT"),
    "GatherV2": lambda: tf.gather(x(5, 6, 7), x(2, 3, dtype=tf.int32), axis=1),
    "GatherV2_batch": lambda: tf.gather(x(5, 6, 7), x(5, 3, dtype=tf.int32), batch_dims=1, axis=1),
    "GatherNd": lambda: tf.gather_nd(x(5, 6, 7), x(2, 3, 2, dtype=tf.int32)),
    "OneHot": lambda: tf.one_hot(x(2, 3, dtype=tf.int32), 5, axis=1),
    "SpaceToBatchND": lambda: tf.space_to_batch(x(1, 7, 8, 3), [2, 2], [[0, 1], [0, 0]]),
    "BatchToSpaceND": lambda: tf.batch_to_space(x(4, 4, 4, 3), [2, 2], [[0, 1], [0, 0]]),
    "SpaceToDepth": lambda: tf.nn.space_to_depth(x(1, 8, 8, 3), 2),
    "DepthToSpace": lambda: tf.nn.depth_to_space(x(1, 4, 4, 12), 2),
    "ResizeNearestNeighbor": lambda: raw.ResizeNearestNeighbor(images=x(1, 4, 4, 3),
                                                               size=ints(8, 9)),
    "Fill": lambda: tf.fill([2, 3], 1.0),
    "Range": lambda: tf.range(1, 20, 3),
    "Range_float": lambda: tf.range(0.0, 1.0, 0.3),
    "SelectV2": lambda: tf.where(x(3, 1, dtype=tf.bool), x(4), x(3, 1)),
    "StridedSliceGrad": lambda: raw.StridedSliceGrad(
        shape=[5, 6], begin=[1, 0], end=[3, 6], strides=[1, 2], dy=x(2, 3)),
    "ScatterNd": lambda: tf.scatter_nd([[1], [2]], x(2, 3), [4, 3]),
    "TensorScatterUpdate": lambda: tf.tensor_scatter_nd_update(x(6, 4), [[1]], x(1, 4)),
    "MatrixDiagV3": lambda: tf.linalg.diag(x(2, 4)),
    "MatrixSetDiagV3": lambda: tf.linalg.set_diag(x(4, 4), x(4)),
    "SparseToDense": lambda: raw.SparseToDense(sparse_indices=[[0], [1]], output_shape=[5],
                                               sparse_values=x(2), default_value=0.0),
    "TopKV2": lambda: tf.math.top_k(x(2, 9), 3)[0],
    "Cast": lambda: tf.cast(x(2, 3), tf.int32),
    "Einsum_free": lambda: raw.Einsum(inputs=[x(2, 3)], equation="ab->ba"),
    # integers are not floats
    "Add_int": lambda: raw.AddV2(x=x(2, 3, dtype=tf.int32), y=x(3, dtype=tf.int32)),
}
# What TensorFlow's profiler counts as 0, or counts wrongly: worked out by hand.
BY_HAND = {
    "BatchMatMulV2_adj_x": (lambda: raw.BatchMatMulV2(x=x(2, 5, 3), y=x(2, 5, 7), adj_x=True),
                            2 * 2 * 3 * 7 * 5),
    "Einsum": (lambda: tf.einsum("abc,cde->abde", x(2, 3, 4), x(4, 5, 6)), 2 * 2 * 3 * 4 * 5 * 6),
    "Einsum_dots": (lambda: tf.einsum("...ij,...jk->...ik", x(2, 3, 4), x(2, 4, 5)),
                    2 * 2 * 3 * 4 * 5),
    "Einsum_outer": (lambda: tf.einsum("a,b->ab", x(3), x(4)), 12),
    "Conv2DBackpropInput_valid": (lambda: raw.Conv2DBackpropInput(
        input_sizes=ints(1, 9, 9, 3), filter=x(3, 3, 3, 4), out_backprop=x(1, 4, 4, 4),
        strides=[1, 2, 2, 1], padding="VALID"), 2 * 4 * 4 * 4 * 3 * 3 * 3),
    "Conv3DBackpropInputV2": (lambda: raw.Conv3DBackpropInputV2(
        input_sizes=ints(1, 4, 4, 4, 3), filter=x(2, 2, 2, 3, 5), out_backprop=x(1, 2, 2, 2, 5),
        strides=[1, 2, 2, 2, 1], padding="SAME"), 2 * 8 * 5 * 8 * 3),
    "MaxPool_NCHW": (lambda: raw.MaxPool(input=x(1, 3, 8, 8), ksize=[1, 1, 2, 2],
                                         strides=[1, 1, 2, 2], padding="VALID",
                                         data_format="NCHW"), 3 * 4 * 4 * 4),
    "MaxPool3D": (lambda: raw.MaxPool3D(input=x(1, 4, 4, 4, 3), ksize=[1, 2, 2, 2, 1],
                                        strides=[1, 2, 2, 2, 1], padding="VALID"), 8 * 3 * 8),
    "FusedBatchNormV3": (lambda: tf.compat.v1.nn.fused_batch_norm(
        x(2, 4, 4, 3), x(3), x(3), x(3), x(3), is_training=False)[0], 2 * 2 * 4 * 4 * 3),
    "LogSoftmax": (lambda: tf.nn.log_softmax(x(3, 5)), 75),
    "Max": (lambda: tf.reduce_max(x(2, 3, 4), 1), 24 - 8),
    "Prod": (lambda: tf.reduce_prod(x(2, 3, 4), 1), 24 - 8),
    "ResizeBilinear": (lambda: tf.compat.v1.image.resize_bilinear(x(1, 4, 4, 3), [8, 8]),
                       7 * 8 * 8 * 3),
    "Cumsum": (lambda: tf.cumsum(x(3, 4)), 12),
    "SegmentSum": (lambda: tf.math.segment_sum(x(4, 3), [0, 0, 1, 1]), 12 - 6),
    "UnsortedSegmentMax": (lambda: tf.math.unsorted_segment_max(x(4, 3), [0, 0, 1, 1], 2), 12 - 6),
    "TensorScatterAdd": (lambda: tf.tensor_scatter_nd_add(x(6, 4), [[1]], x(1, 4)), 4),
    "RFFT2D": (lambda: tf.signal.rfft2d(x(8, 16)), 5 * 128 * 7),
    "ComplexAbs": (lambda: tf.abs(x(3, dtype=tf.complex64)), 9),
    "FFT": (lambda: tf.signal.fft(x(4, 8, dtype=tf.complex64)), 5 * 32 * 3),
}
# Of these its profiler counts nothing, though it is one operation per element.
PER_ELEMENT = set("Relu Relu6 Elu Selu LeakyRelu Softplus Softsign Sigmoid Tanh Exp Sqrt Abs Sign "
                  "Floor Ceil Round Erf Erfc Sin Cos Log1p Expm1 FloorDiv FloorMod DivNoNan "
                  "Atan2".split())


def build(make):
    graph = tf.Graph()
    with graph.as_default():
        result = make()
    return graph, result


def profiled(graph):
    builder = v1.profiler.ProfileOptionBuilder
    options = builder(builder.float_operation()).with_empty_output().build()
    return v1.profiler.profile(graph, options=options, cmd="scope").total_float_ops


def ours(graph, result, tmp_path):
    file = tmp_path / "graph.pb"
    file.write_bytes(graph.as_graph_def().SerializeToString())
    model = count(file, "--max_depth=100")
    shapes = {row["name"]: row["output_shapes"] for row in model["layers"]}
    return model, shapes.get(result.op.name)


def check_shape(result, shapes):
    if shapes:  # what lives nowhere is no layer
        known = result.shape.as_list()
        assert len(shapes) == 1 and len(shapes[0]) == len(known)
        # Where its shape inference gives up, ours may know more.
        assert all(a == b for a, b in zip(shapes[0], known) if b is not None)


@pytest.mark.parametrize("name", [*UNARY, *BINARY, *OTHERS])
def test_operation(name, tmp_path):
    graph, result = build({**UNARY, **BINARY, **OTHERS}[name])
    model, shapes = ours(graph, result, tmp_path)
    check_shape(result, shapes)
    assert not model["not_counted"]
    expected = profiled(graph)
    if name in PER_ELEMENT:
        assert expected == 0
        expected = int(np.prod(result.shape.as_list()))
    elif name == "Add_int":
        expected = 0
    assert model["total"]["float_ops"] == expected


@pytest.mark.parametrize("name", BY_HAND)
def test_operation_by_hand(name, tmp_path):
    make, expected = BY_HAND[name]
    graph, result = build(make)
    model, shapes = ours(graph, result, tmp_path)
    check_shape(result, shapes)
    assert not model["not_counted"]
    assert model["total"]["float_ops"] == expected
    assert profiled(graph) != expected


FILES = pathlib.Path(__file__).parent / "files"


@pytest.mark.parametrize("name", ["bert_tiny/frozen.pb", "conv1d/frozen.pb"])
def test_frozen_graph(name):
    """All operation types of a model with batch 1, as its profiler counts them."""
    definition = v1.GraphDef()
    definition.ParseFromString((FILES / name).read_bytes())
    for node in definition.node:
        if node.op == "Placeholder":
            node.attr["shape"].shape.dim[0].size = 1
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    builder = v1.profiler.ProfileOptionBuilder
    options = builder(builder.float_operation()).with_empty_output().build()
    node, theirs = v1.profiler.profile(graph, options=options, cmd="op"), {}
    while node.children:
        node = node.children[0]
        theirs[node.name] = node.float_ops
    found = {op["type"]: op["float_ops"] for op in count(FILES / name)["operations"]}
    wrong, checked = has_valid_transpose(graph.get_operations()), 0
    for op, number in theirs.items():
        if number and op in found and not (op == "Conv2DBackpropInput" and wrong):
            if op in ("AddV2", "Mul", "Sub"):  # it counts integers, too
                assert found[op] <= number
            else:
                assert found[op] == number, op
            checked += 1
    assert checked >= 5
