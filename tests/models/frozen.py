"""Frozen graphs of Keras models, and what tfprof counts of files."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf  # noqa: E402
from tensorflow.python.framework.convert_to_constants import (  # noqa: E402
    convert_variables_to_constants_v2)


def freeze(model, path, lower=True, batch=1):
    """Writes a GraphDef of what a model computes; loops as While, or lowered."""
    specs = [tf.TensorSpec((batch, *x.shape[1:]), x.dtype) for x in model.inputs]

    @tf.function
    def call(*inputs):
        return model(inputs[0] if len(inputs) == 1 else list(inputs), training=False)

    concrete = call.get_concrete_function(*specs)
    graph = convert_variables_to_constants_v2(concrete, lower_control_flow=lower).graph
    path.write_bytes(graph.as_graph_def().SerializeToString())
    return graph


def has_valid_transpose(operations):
    """Whether TensorFlow's profiler counts transposed convolutions wrongly: it does with VALID
    padding (docs/differences.md#float-operations)."""
    return any(op.type == "Conv2DBackpropInput" and op.get_attr("padding") == b"VALID"
               for op in operations)
