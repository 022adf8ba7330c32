"""Runs a small network with TensorFlow's graph optimizer on, which fuses convolutions
and products with what follows them and inlines functions.

    python fused.py OUTPUT_DIRECTORY
"""

import os
import sys

import numpy
import tensorflow as tf2

tf = tf2.compat.v1


def conv(x, channels, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [3, 3, int(x.shape[-1]), channels], use_resource=True)
        b = tf.get_variable("b", [channels], use_resource=True)
        return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b))


@tf2.function
def head(x):
    return tf.nn.softmax(x) * 2 + tf.nn.elu(x)


def build():
    x = tf.placeholder(tf.float32, [8, 32, 32, 3], name="x")
    y = tf.reduce_mean(conv(conv(x, 16, "c1"), 32, "c2"), [1, 2])
    with tf.variable_scope("fc"):
        w = tf.get_variable("w", [32, 10], use_resource=True)
        b = tf.get_variable("b", [10], use_resource=True)
        y = tf.nn.relu(tf.nn.bias_add(tf.matmul(y, w), b), name="logits")
    return x, head(y)


def main(directory):
    x, y = build()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            traced = tf.RunMetadata()
            session.run(y, {x: numpy.ones(x.shape, numpy.float32)}, run_metadata=traced,
                        options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))
    for name, message in (("graph.pb", tf.get_default_graph().as_graph_def(add_shapes=True)),
                          ("run_meta_0", traced)):
        with open(os.path.join(directory, name), "wb") as file:
            file.write(message.SerializeToString())


if __name__ == "__main__":
    tf.disable_eager_execution()
    main(sys.argv[1])
