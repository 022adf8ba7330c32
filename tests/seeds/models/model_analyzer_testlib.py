"""A model for model_analyzer_run.py."""

import tensorflow.compat.v1 as tf


def BuildSmallModel(image):
    kernel = tf.get_variable("DW", [3, 3, 3, 6],
                             initializer=tf.random_normal_initializer(stddev=0.001))
    x = tf.nn.conv2d(image, kernel, [1, 2, 2, 1], padding="SAME")
    return tf.reshape(x, [-1, 6])


def BuildFullModel():
    seq = []
    for i in range(4):
        with tf.variable_scope(f"inp_{i}"):
            seq.append(tf.expand_dims(BuildSmallModel(tf.ones([2, 6, 6, 3])), 1))
    cell = tf.concat(seq, axis=1)
    target = tf.zeros_like(cell)
    loss = tf.nn.l2_loss(cell - target)
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss)
