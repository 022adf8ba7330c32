"""The model of samples/tf_cnn_loop and tf_cnn_fit: its graph and op log, and the graph that fit
runs, for joining them with the traces. To make them again: python training.py DIRECTORY"""
import sys

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
tf.keras.utils.set_random_seed(1)

x = i = layers.Input((16, 16, 3))
x = layers.Conv2D(8, 3, activation="relu", name="conv_a")(x)
x = layers.BatchNormalization(name="bn_a")(x)
x = layers.MaxPooling2D(name="pool_a")(x)
x = layers.Conv2D(16, 3, activation="relu", name="conv_b")(x)
x = layers.GlobalAveragePooling2D(name="gap")(x)
model = tf.keras.Model(i, layers.Dense(10, name="logits")(x))
optimizer = tf.keras.optimizers.SGD(0.01)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


optimizer.build(model.trainable_variables)
graph = train_step.get_concrete_function(tf.constant(np.zeros((16, 16, 16, 3), "float32")),
                                         tf.constant(np.zeros(16, "int64"))).graph
with open(sys.argv[1] + "/graph.pb", "wb") as file:
    file.write(graph.as_graph_def(add_shapes=True).SerializeToString())
tf.compat.v1.profiler.write_op_log(graph, sys.argv[1])

# What fit runs: the step is a function that this graph calls.
model.compile(tf.keras.optimizers.Adam(), loss_fn)
model.optimizer.build(model.trainable_variables)
batches = tf.data.Dataset.from_tensors((np.zeros((16, 16, 16, 3), "float32"), np.zeros(16, "int64")))
step = tf.function(model.train_step)
graph = tf.function(lambda iterator: step(next(iterator))).get_concrete_function(iter(batches)).graph
with open(sys.argv[1] + "/fit_graph.pb", "wb") as file:
    file.write(graph.as_graph_def(add_shapes=True).SerializeToString())
