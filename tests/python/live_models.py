"""Live graphs, and the op logs that TensorFlow writes of them.

A model is a function that builds into the default graph and returns
(fetches, feed_dict). Models are built twice where TensorFlow's functions get run
metadata, because they write to the graph they are given.
"""

import linecache
import os
import sys

import numpy
import pytest
from tree import TESTS, TOP

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow").compat.v1

from tensorflow.core.profiler.tfprof_log_pb2 import OpLogProto  # noqa: E402

sys.path += [os.path.join(TOP, "examples", "resnet"), os.path.join(TESTS, "oracle", "scripts")]

import loop as loop_script  # noqa: E402
import resnet_model  # noqa: E402

BATCH = 2


def resnet(units_per_stage=1):
    """The example's ResNet, shallower, for batches of any size."""
    images = tf.placeholder(tf.float32, [None, 32, 32, 3], name="images")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    global_step = tf.train.get_or_create_global_step()
    depth, resnet_model.UNITS_PER_STAGE = resnet_model.UNITS_PER_STAGE, units_per_stage
    try:
        logits = resnet_model.build_logits(images)
    finally:
        resnet_model.UNITS_PER_STAGE = depth
    cost = resnet_model.build_cost(logits, labels)
    return (resnet_model.build_train_op(cost, global_step),
            {images: numpy.ones([BATCH, 32, 32, 3]), labels: numpy.ones([BATCH])})


def loop():
    """A trained recurrent network: nodes that run many times."""
    sequence, length, train_op = loop_script.build()
    n = 3
    return train_op, {sequence: numpy.ones([n, loop_script.BATCH, loop_script.INPUTS]), length: n}


def varied():
    """A bit of everything: both kinds of variables and a partitioned one, branches, a
    function, operations without a stack or of unknown rank."""
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    anything = tf.placeholder(tf.float32, name="anything")
    with tf.variable_scope("layer"):
        kernel = tf.get_variable("kernel", [6, 4], use_resource=True)
        bias = tf.get_variable("bias", [4], use_resource=False)
        fixed = tf.get_variable("fixed", [4], trainable=False)
        parts = tf.get_variable("parts", [8, 3], partitioner=tf.fixed_size_partitioner(2))
    hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, kernel), bias)) * fixed
    left, right = tf.split(hidden, 2, axis=1)
    joined = tf.concat([left, tf.square(right), hidden], 1)
    product = tf.matmul(joined, tf.convert_to_tensor(parts))
    chosen = tf.cond(tf.reduce_sum(product) > 0, lambda: tf.exp(product), lambda: product)
    loss = tf.reduce_mean(chosen) + tf.reduce_sum(tf.square(anything))
    train_op = tf.train.AdamOptimizer().minimize(loss)
    body = tf.Graph()
    with body.as_default():
        a = tf.placeholder(tf.float32, [5, 5], name="a")
        tf.matmul(a, a, name="twice")
    twice, = tf.import_graph_def(body.as_graph_def(), {"a": tf.ones([5, 5])}, ["twice:0"],
                                 name="imported")
    return [train_op, twice], {x: numpy.ones([BATCH, 6]), anything: numpy.ones([3, 2])}


MODELS = [resnet, loop, varied]


def build(model):
    """(graph, fetches, feed_dict, initializer); loops and conditions as in TensorFlow 1, so
    that their parts are nodes of the graph."""
    tf.disable_control_flow_v2()
    tf.disable_v2_tensorshape()
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        fetches, feed_dict = model()
        return graph, fetches, feed_dict, tf.global_variables_initializer()


def run_traced(graph, fetches, feed_dict, initializer):
    run_meta = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(initializer)
        session.run(fetches, feed_dict, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
                    run_meta)
    return run_meta


def know_feeds(feed_dict, run_meta):
    """Tells TensorFlow's API the shapes that were fed and used, which ours takes from the run."""
    used = [entry.node_name for device in run_meta.step_stats.dev_stats
            for entry in device.node_stats]
    for tensor, value in feed_dict.items():
        if any(name.startswith(f"_arg_{tensor.op.name}_") for name in used):
            tensor.set_shape(numpy.shape(value))


def get_shapes(graph):
    return {tensor.name: str(tensor.shape) for operation in graph.get_operations()
            for tensor in operation.outputs}


def expected_log(graph, directory, **arguments):
    """The OpLogProto that TensorFlow itself writes."""
    tf.profiler.write_op_log(graph, str(directory), **arguments)
    return read_log(directory)


def read_log(directory):
    with open(os.path.join(str(directory), "tfprof_log"), "rb") as file:
        return OpLogProto.FromString(file.read())


def resolve(log):
    """The entries in order, with strings instead of ids in their stacks."""
    text = log.id_to_string
    assert text[0] == "none"
    return [(entry.name, entry.float_ops, list(entry.types), entry.HasField("code_def") and [
        (text[trace.file_id], trace.lineno, text[trace.function_id], text[trace.line_id],
         trace.func_start_line) for trace in entry.code_def.traces])
            for entry in log.log_entries]


def without_source(stack):
    """A resolved stack as TensorFlow records it: without the text of the user's lines,
    which must be what their files say."""
    for file, line, _, source, _ in stack or ():
        assert source in ("none", linecache.getline(file, line).strip())
        assert source == "none" or "site-packages" not in file
    return stack and [(*frame[:3], "none", frame[4]) for frame in stack]
