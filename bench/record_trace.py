"""Records a trace to measure: record_trace.py tf_transformer|tf_mobilenet|jax_python OUT."""

import glob
import os
import shutil
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def tf_transformer(logdir):
    """400 steps of a custom loop."""
    import tensorflow as tf

    layers = tf.keras.layers
    x = inputs = layers.Input((16, 32))
    for n in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8, name=f"attention_{n}")(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, activation="relu")(x)))
    model = tf.keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))
    optimizer = tf.keras.optimizers.SGD()
    images, labels = tf.random.normal((16, 16, 32)), tf.zeros(16, tf.int32)

    @tf.function
    def train_step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images)))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)

    train_step()
    tf.profiler.experimental.start(logdir)
    for step in range(400):
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            train_step()
    tf.profiler.experimental.stop()


def tf_mobilenet(logdir):
    """40 steps of fit."""
    import numpy as np
    import tensorflow as tf

    model = tf.keras.applications.MobileNetV2((96, 96, 3), weights=None, classes=10)
    model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
    images, labels = np.zeros((160, 96, 96, 3), "float32"), np.zeros(160)
    model.fit(images[:8], labels[:8], batch_size=4, verbose=0)
    tf.profiler.experimental.start(logdir)
    model.fit(images, labels, batch_size=4, verbose=0)
    tf.profiler.experimental.stop()


def jax_python(logdir, seconds=20):
    """Small eager calls beside a compiled step: most events are calls of Python functions."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(weights, x):
        def loss(w):
            return jnp.sum(jnp.tanh(jnp.tanh(x @ w[0]) @ w[1]) ** 2)
        return [w - 1e-3 * g for w, g in zip(weights, jax.grad(loss)(weights))]

    weights, x = [jnp.ones((64, 64)), jnp.ones((64, 64))], jnp.ones((16, 64))
    step(weights, x)
    end, n = time.time() + seconds, 0
    with jax.profiler.trace(logdir):
        while time.time() < end:
            with jax.profiler.StepTraceAnnotation("train", step_num=n):
                [float((x[i] * 2).sum()) for i in range(4)]
                weights = jax.block_until_ready(step(weights, x))
            n += 1


with tempfile.TemporaryDirectory() as directory:
    {"tf_transformer": tf_transformer, "tf_mobilenet": tf_mobilenet,
     "jax_python": jax_python}[sys.argv[1]](directory)
    (path,) = glob.glob(os.path.join(directory, "**", "*.xplane.pb"), recursive=True)
    shutil.copy(path, sys.argv[2])
