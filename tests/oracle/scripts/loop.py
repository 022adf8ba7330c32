"""Trains a recurrent network written as a while loop: loops run a node many times,
and their gradients are loops, too.

    python loop.py OUTPUT_DIRECTORY
"""

import os
import sys

import numpy
import tensorflow.compat.v1 as tf

BATCH, INPUTS, UNITS = 4, 3, 8
LENGTHS = (2, 5, 3)  # how often the loop runs in each traced step


def cell(inputs, state):
    with tf.variable_scope("cell", reuse=tf.AUTO_REUSE):
        kernel = tf.get_variable("kernel", [INPUTS + UNITS, UNITS])
        bias = tf.get_variable("bias", [UNITS], initializer=tf.zeros_initializer())
    return tf.tanh(tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), kernel), bias))


def unroll(sequence, length):
    def more(i, state):
        return i < length

    def step(i, state):
        return i + 1, cell(tf.gather(sequence, i), state)

    start = tf.zeros([BATCH, UNITS])
    return tf.while_loop(more, step, [0, start], name="rnn")[1]


def build():
    sequence = tf.placeholder(tf.float32, [None, BATCH, INPUTS], name="sequence")
    length = tf.placeholder(tf.int32, [], name="length")
    state = unroll(sequence, length)
    loss = tf.nn.l2_loss(state, name="loss")
    return sequence, length, tf.train.AdamOptimizer(0.01).minimize(loss)


def main(directory):
    sequence, length, train_op = build()
    tf.profiler.write_op_log(tf.get_default_graph(), directory)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        profiler = tf.profiler.Profiler(session.graph)
        write(directory, "graph.pb", session.graph.as_graph_def(add_shapes=True))
        for step, n in enumerate(LENGTHS):
            traced = tf.RunMetadata()
            session.run(train_op, {sequence: numpy.ones([n, BATCH, INPUTS]), length: n},
                        tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), traced)
            write(directory, f"run_meta_{step}", traced)
            profiler.add_step(step, traced)
        with open(os.path.join(directory, "profile"), "wb") as file:
            file.write(profiler.serialize_to_string())


def write(directory, name, message):
    with open(os.path.join(directory, name), "wb") as file:
        file.write(message.SerializeToString(deterministic=True))


if __name__ == "__main__":
    tf.disable_v2_behavior()
    tf.disable_control_flow_v2()
    tf.disable_resource_variables()
    tf.set_random_seed(1)
    main(sys.argv[1])
