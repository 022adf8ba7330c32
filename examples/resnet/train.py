"""Train the ResNet for a few steps and leave everything a profiler reads.

    python train.py OUTPUT_DIRECTORY

Writes graph.pbtxt and graph.pb (the model), run_meta_0, run_meta_1, ... (one
per traced step), tfprof_log (call stacks, float operations, variable types),
model.ckpt.* (a checkpoint) and profile (all of it but the checkpoint).
"""

import os
import sys

import tensorflow.compat.v1 as tf
import tfprof

import resnet_model

BATCH_SIZE = 128
WARM_UP_STEPS = 2
TRACED_STEPS = 3


def make_batch():
    with tf.variable_scope("input"):
        images = tf.random.uniform([BATCH_SIZE, 32, 32, 3], -1.0, 1.0, name="images")
        labels = tf.random.uniform([BATCH_SIZE], 0, resnet_model.N_CLASSES, tf.int32,
                                   name="labels")
    return images, labels


def build_model():
    images, labels = make_batch()
    global_step = tf.train.get_or_create_global_step()
    logits = resnet_model.build_logits(images)
    cost = tf.identity(resnet_model.build_cost(logits, labels), name="cost")
    return resnet_model.build_train_op(cost, global_step)


def make_config():
    """The graph runs as it is written: what the profile shows has the names
    of the model, not those an optimiser made up."""
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def train(directory):
    train_op = build_model()
    tf.io.write_graph(tf.get_default_graph(), directory, "graph.pbtxt")
    tf.io.write_graph(tf.get_default_graph(), directory, "graph.pb", as_text=False)
    tfprof.write_op_log(tf.get_default_graph(), directory)
    with tf.Session(config=make_config()) as session:
        session.run(tf.global_variables_initializer())
        profiler = tfprof.Profiler(session.graph)
        for _ in range(WARM_UP_STEPS):
            session.run(train_op)
        for step in range(TRACED_STEPS):
            traced = tf.RunMetadata()
            session.run(train_op, run_metadata=traced, options=tf.RunOptions(
                trace_level=tf.RunOptions.FULL_TRACE))
            profiler.add_step(step, traced)
            write(directory, f"run_meta_{step}", traced.SerializeToString())
        write(directory, "profile", profiler.serialize_to_string())
        tf.train.Saver().save(session, os.path.join(directory, "model.ckpt"))


def write(directory, name, data):
    with open(os.path.join(directory, name), "wb") as file:
        file.write(data)


if __name__ == "__main__":
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
    tf.set_random_seed(1)
    train(sys.argv[1])
