#!/usr/bin/env python3
"""Create the ResNet's checkpoint for the tutorials.

    python resnet_checkpoint.py [DIRECTORY]

Trains the model of examples/resnet for a while, rounds the convolution kernels and
their momentum (930,000 random numbers would not compress), saves it with TensorFlow
and stores the compressed files in tests/data/resnet_checkpoint. Small tensors keep
their exact values. Needs TensorFlow.
"""

import gzip
import os
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "examples", "resnet"))

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

import train  # noqa: E402

TARGET = os.path.join(HERE, "..", "data", "resnet_checkpoint")
STEPS = 200
SMALL = 1000      # tensors up to this many numbers stay exact
LEVELS = 8        # distinct magnitudes kept in larger ones


def round_to_levels(values):
    largest = np.abs(values).max() or 1.0
    return (np.round(values / largest * LEVELS) * largest / LEVELS).astype(values.dtype)


def save(prefix):
    train.BATCH_SIZE = 16
    train_op = train.build_model()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS):
            session.run(train_op)
        for variable in tf.global_variables():
            values = session.run(variable)
            if values.size > SMALL:
                variable.load(round_to_levels(values), session)
        tf.train.Saver().save(session, prefix, write_meta_graph=False, write_state=False)


def keep(source, target):
    os.makedirs(target, exist_ok=True)
    for name in sorted(os.listdir(source)):
        with open(os.path.join(source, name), "rb") as file, \
                open(os.path.join(target, name + ".gz"), "wb") as packed, \
                gzip.GzipFile("", "wb", 9, packed, mtime=0) as out:
            out.write(file.read())


if __name__ == "__main__":
    tf.disable_v2_behavior()
    tf.disable_resource_variables()
    tf.set_random_seed(1)
    with tempfile.TemporaryDirectory() as directory:
        save(os.path.join(directory, "model.ckpt"))
        keep(directory, sys.argv[1] if len(sys.argv) > 1 else TARGET)
