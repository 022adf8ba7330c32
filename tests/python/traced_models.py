"""Models for test_trace.py, in a file of their own: the user's."""

import keras
import numpy
import tensorflow as tf

BATCH, SIDE, FILTERS, CLASSES = 16, 32, 8, 10
POOLED = SIDE // 2

IMAGES = numpy.random.RandomState(1).rand(BATCH, SIDE, SIDE, 3).astype("float32")
LABELS = numpy.random.RandomState(2).randint(0, CLASSES, BATCH)

# Worked out by hand.
PARAMETERS = 3 * 3 * 3 * FILTERS + FILTERS + POOLED * POOLED * FILTERS * CLASSES + CLASSES
CONVOLUTION = 2 * BATCH * SIDE * SIDE * FILTERS * 3 * 3 * 3
PRODUCT = 2 * BATCH * POOLED * POOLED * FILTERS * CLASSES


class CNN(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = keras.layers.Conv2D(FILTERS, 3, padding="same", name="conv")
        self.logits = keras.layers.Dense(CLASSES, name="logits")

    def call(self, images):
        hidden = tf.nn.max_pool2d(self.conv(images), 2, 2, "SAME")    # the line of conv
        hidden = tf.reshape(hidden, [-1, POOLED * POOLED * FILTERS])
        return self.logits(hidden)                                    # the line of logits


def make():
    model = CNN()
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def make_train_step(model, forward=None):
    forward = forward or model
    optimizer = keras.optimizers.SGD(0.01)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, forward(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss
    return train_step


def line_of(comment):
    """The number of the line of this file that ends with a comment."""
    with open(__file__, encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if line.endswith(f"# {comment}\n"))


def own_share(profile, files=("traced_models.py:",), **options):
    """The share of the time of operations that reaches a line of these files."""
    own = [node for node in profile.code(**options) if node.name.startswith(files)
           and not any(parent.name.startswith(files) for parent in parents(node))]
    return sum(node.total_exec_micros for node in own) / profile.op(**options)[0].total_exec_micros


def parents(node):
    while node.parent is not None:
        node = node.parent
        yield node


def micros_at(profile, comment, gradient=False):
    """The time of a line of this file, with all that it calls."""
    start = f"traced_models.py:{line_of(comment)}:"
    return sum(node.total_exec_micros for node in profile.code() if node.name.startswith(start)
               and ("(gradient)" in node.name) == gradient)
