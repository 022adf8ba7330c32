"""Functions and models whose products are known by formula, from CNNs to distribution.

Each is made by a function that returns (what to profile, its arguments, float operations of all matrix
products and convolutions: two per multiply-accumulate). The formulas use the usual rules: a product of
[m, k] and [k, n] costs 2mkn; a convolution 2 x results x window x channels that it reads; the gradient of
either costs the same again for each of its two inputs that needs one.
"""

import numpy as np
import tensorflow as tf

import keras
from keras import layers as L

MODELS = {}


def model(kind):
    def add(make):
        MODELS[make.__name__] = (kind, make)
        return make
    return add


def ones(*shape):
    return tf.ones(shape)


def product(m, k, n):
    return 2 * m * k * n


def conv(results, window, channels):
    return 2 * results * window * channels


# ---- convolutions ------------------------------------------------------------------

@model("CNN")
def lenet():
    m = keras.Sequential([keras.Input([28, 28, 1]), L.Conv2D(6, 5, padding="same", activation="relu"), L.AveragePooling2D(2),
                          L.Conv2D(16, 5, activation="relu"), L.AveragePooling2D(2), L.Flatten(),
                          L.Dense(120, activation="relu"), L.Dense(84, activation="relu"), L.Dense(10)])
    return m, [ones(4, 28, 28, 1)], (conv(4 * 28 * 28 * 6, 25, 1) + conv(4 * 10 * 10 * 16, 25, 6)
                                     + product(4, 400, 120) + product(4, 120, 84) + product(4, 84, 10))


@model("CNN")
def residual_blocks():
    x = i = keras.Input([16, 16, 8])
    for _ in range(3):
        y = L.ReLU()(L.BatchNormalization()(L.Conv2D(8, 3, padding="same", use_bias=False)(x)))
        x = L.ReLU()(L.Add()([x, L.BatchNormalization()(L.Conv2D(8, 3, padding="same", use_bias=False)(y))]))
    return keras.Model(i, L.GlobalAveragePooling2D()(x)), [ones(2, 16, 16, 8)], 6 * conv(2 * 16 * 16 * 8, 9, 8)


@model("CNN")
def bottleneck_with_stride():
    i = keras.Input([32, 32, 64])
    y = L.Conv2D(16, 1, activation="relu")(i)
    y = L.Conv2D(64, 1)(L.Conv2D(16, 3, 2, padding="same", activation="relu")(y))
    m = keras.Model(i, L.Add()([L.Conv2D(64, 1, 2)(i), y]))
    return m, [ones(2, 32, 32, 64)], (conv(2 * 1024 * 16, 1, 64) + conv(2 * 256 * 16, 9, 16) + conv(2 * 256 * 64, 1, 16)
                                      + conv(2 * 256 * 64, 1, 64))


@model("CNN")
def separable():
    m = keras.Sequential([keras.Input([24, 24, 8]), L.DepthwiseConv2D(3, padding="same"), L.Conv2D(16, 1, activation="relu6"),
                          L.SeparableConv2D(12, 5, depth_multiplier=2)])
    return m, [ones(2, 24, 24, 8)], (conv(2 * 576 * 8, 9, 1) + conv(2 * 576 * 16, 1, 8) + conv(2 * 400 * 32, 25, 1)
                                     + conv(2 * 400 * 12, 1, 32))


@model("CNN")
def grouped():
    m = keras.Sequential([keras.Input([16, 16, 32]), L.Conv2D(64, 3, groups=4, padding="same", activation="relu")])
    return m, [ones(2, 16, 16, 32)], conv(2 * 256 * 64, 9, 8)


@model("CNN")
def autoencoder():
    m = keras.Sequential([keras.Input([16, 16, 4]), L.Conv2D(8, 3, 2, padding="same", activation="relu"),
                          L.Conv2DTranspose(4, 3, 2, padding="same", activation="sigmoid")])
    # Of a transposed convolution each element that is read meets each weight.
    return m, [ones(2, 16, 16, 4)], conv(2 * 64 * 8, 9, 4) + conv(2 * 64 * 8, 9, 4)


@model("CNN")
def u_net():
    i = keras.Input([16, 16, 4])
    a = L.Conv2D(8, 3, padding="same", activation="relu")(i)
    b = L.Conv2D(16, 3, padding="same", activation="relu")(L.MaxPooling2D()(a))
    c = L.Concatenate()([a, L.UpSampling2D()(b)])
    m = keras.Model(i, L.Conv2D(3, 1)(L.Conv2D(8, 3, padding="same", activation="relu")(c)))
    return m, [ones(2, 16, 16, 4)], (conv(2 * 256 * 8, 9, 4) + conv(2 * 64 * 16, 9, 8) + conv(2 * 256 * 8, 9, 24)
                                     + conv(2 * 256 * 3, 1, 8))


@model("CNN")
def squeeze_and_excite():
    i = keras.Input([8, 8, 32])
    x = L.Conv2D(32, 3, padding="same", activation="swish")(i)
    s = L.Dense(32, activation="sigmoid")(L.Dense(8, activation="relu")(L.GlobalAveragePooling2D()(x)))
    m = keras.Model(i, L.Multiply()([x, L.Reshape([1, 1, 32])(s)]))
    return m, [ones(2, 8, 8, 32)], conv(2 * 64 * 32, 9, 32) + 2 * product(2, 32, 8)


@model("CNN")
def wavenet():
    x = i = keras.Input([64, 8])
    for rate in (1, 2, 4):
        x = L.Add()([x, L.Conv1D(8, 2, dilation_rate=rate, padding="causal", activation="tanh")(x)])
    return keras.Model(i, x), [ones(2, 64, 8)], 3 * conv(2 * 64 * 8, 2, 8)


@model("CNN")
def volume():
    m = keras.Sequential([keras.Input([8, 8, 8, 2]), L.Conv3D(4, 3, activation="relu"), L.MaxPooling3D(), L.Conv3D(8, 2)])
    return m, [ones(2, 8, 8, 8, 2)], conv(2 * 216 * 4, 27, 2) + conv(2 * 8 * 8, 8, 4)


# ---- attention ---------------------------------------------------------------------

def attention_cost(batch, n, d, keys=None):
    keys = keys or n
    return batch * (2 * product(n, d, d) + 2 * product(keys, d, d) + 2 * product(n, d, keys))


@model("attention")
def encoder_block():
    i = keras.Input([24, 32])
    x = L.LayerNormalization()(L.Add()([i, L.MultiHeadAttention(4, 8)(i, i)]))
    m = keras.Model(i, L.LayerNormalization()(L.Add()([x, L.Dense(32)(L.Dense(64, activation="gelu")(x))])))
    return m, [ones(2, 24, 32)], attention_cost(2, 24, 32) + 2 * product(48, 32, 64)


@model("attention")
def cross_attention():
    a, b = keras.Input([10, 32]), keras.Input([24, 32])
    return keras.Model([a, b], L.MultiHeadAttention(2, 16)(a, b)), [[ones(2, 10, 32), ones(2, 24, 32)]], attention_cost(
        2, 10, 32, 24)


@model("attention")
def grouped_queries():
    i = keras.Input([12, 32])
    m = keras.Model(i, L.GroupQueryAttention(8, 4, 2)(i, i))    # width 8, 4 heads, 2 of keys and values
    return m, [ones(2, 12, 32)], 2 * (2 * product(12, 32, 32) + 2 * product(12, 32, 16) + 4 * 2 * product(12, 8, 12))


@model("attention")
def dot_and_additive():
    a, b = keras.Input([6, 8]), keras.Input([9, 8])
    m = keras.Model([a, b], [L.Attention()([a, b]), L.AdditiveAttention()([a, b])])
    return m, [[ones(2, 6, 8), ones(2, 9, 8)]], 2 * (3 * product(6, 8, 9))


@model("attention")
def causal_by_hand():
    w = tf.Variable(ones(32, 96))

    @tf.function
    def f(x):
        q, k, v = tf.split(x @ w, 3, axis=-1)
        score = tf.matmul(q, k, transpose_b=True)
        mask = tf.linalg.band_part(tf.ones_like(score), -1, 0)
        return tf.nn.softmax(score * mask) @ v
    return f, [ones(2, 20, 32)], product(40, 32, 96) + 2 * 2 * product(20, 32, 20)


@model("attention")
def heads_by_einsum():
    w = tf.Variable(ones(16, 4, 8))

    @tf.function
    def f(x):
        h = tf.einsum("btd,dhk->bthk", x, w)
        return tf.einsum("bhts,bshk->bthk", tf.nn.softmax(tf.einsum("bthk,bshk->bhts", h, h)), h)
    return f, [ones(3, 10, 16)], product(30, 16, 32) + 2 * 3 * 4 * product(10, 8, 10)


@model("attention")
def vision_transformer():
    i = keras.Input([32, 32, 3])
    x = L.Reshape([16, 24])(L.Conv2D(24, 8, 8)(i))
    for _ in range(2):
        y = L.LayerNormalization()(x)
        x = x + L.MultiHeadAttention(3, 8)(y, y)
        x = x + L.Dense(24)(L.Dense(48, activation="gelu")(L.LayerNormalization()(x)))
    m = keras.Model(i, L.Dense(10)(L.GlobalAveragePooling1D()(x)))
    return m, [ones(2, 32, 32, 3)], (conv(2 * 16 * 24, 64, 3) + 2 * (attention_cost(2, 16, 24) + 2 * product(32, 24, 48))
                                     + product(2, 24, 10))


# ---- recurrent ---------------------------------------------------------------------

def cells(batch, turns, gates, inputs, units):
    return turns * product(batch, inputs + units, gates * units)


@model("RNN")
def lstm():
    return keras.Sequential([keras.Input([None, 12]), L.LSTM(8)]), [ones(4, 15, 12)], cells(4, 15, 4, 12, 8)


@model("RNN")
def gru_twice():
    m = keras.Sequential([keras.Input([None, 12]), L.GRU(8, return_sequences=True), L.GRU(6), L.Dense(3)])
    return m, [ones(4, 15, 12)], cells(4, 15, 3, 12, 8) + cells(4, 15, 3, 8, 6) + product(4, 6, 3)


@model("RNN")
def bidirectional():
    m = keras.Sequential([keras.Input([20, 12]), L.Bidirectional(L.LSTM(8, return_sequences=True)), L.TimeDistributed(L.Dense(5))])
    return m, [ones(4, 20, 12)], 2 * cells(4, 20, 4, 12, 8) + product(80, 16, 5)


@model("RNN")
def stacked_cells():
    m = keras.Sequential([keras.Input([9, 6]), L.RNN([L.GRUCell(8), L.LSTMCell(5)]), L.Dense(2)])
    return m, [ones(4, 9, 6)], cells(4, 9, 3, 6, 8) + cells(4, 9, 4, 8, 5) + product(4, 5, 2)


@model("RNN")
def simple_unrolled():
    return keras.Sequential([keras.Input([7, 6]), L.SimpleRNN(8, unroll=True)]), [ones(4, 7, 6)], cells(4, 7, 1, 6, 8)


@model("RNN")
def conv_lstm():
    m = keras.Sequential([keras.Input([5, 8, 8, 3]), L.ConvLSTM2D(4, 3, padding="same")])
    return m, [ones(2, 5, 8, 8, 3)], 5 * conv(2 * 64 * 16, 9, 3 + 4)


# ---- loops -------------------------------------------------------------------------

@model("loop")
def dense_in_a_range():
    d = L.Dense(16, activation="relu")
    d.build([4, 16])

    @tf.function
    def f(x):
        for _ in tf.range(30):
            x = d(x)
        return x
    return f, [ones(4, 16)], 30 * product(4, 16, 16)


@model("loop")
def loop_in_a_loop():
    w = tf.Variable(ones(16, 16))

    @tf.function
    def f(x):
        for i in tf.range(5):
            for _ in tf.range(3):
                x = tf.tanh(x @ w)
            x = x + tf.cast(i, tf.float32)
        return x
    return f, [ones(4, 16)], 15 * product(4, 16, 16)


@model("loop")
def map_and_scan():
    w = tf.Variable(ones(8, 8))

    @tf.function
    def f(x):
        a = tf.map_fn(lambda row: row @ w, x)
        return tf.scan(lambda state, row: tf.tanh(state @ w + row), a)
    return f, [ones(10, 4, 8)], 10 * product(4, 8, 8) + 9 * product(4, 8, 8)


@model("loop")
def decoder_with_a_cache():
    """One token per turn; what it attends to has a fixed size."""
    n, d = 12, 16
    wq, wk, wv, wo = (tf.Variable(ones(d, d)) for _ in range(4))

    @tf.function
    def f(x):
        k, v = tf.zeros([2, n, d]), tf.zeros([2, n, d])
        for t in tf.range(n):
            at = tf.one_hot(t, n)[None, :, None]
            k, v = k + at * (x @ wk)[:, None], v + at * (x @ wv)[:, None]
            score = tf.nn.softmax(tf.einsum("bd,btd->bt", x @ wq, k))
            x = tf.einsum("bt,btd->bd", score, v) @ wo
        return x
    return f, [ones(2, d)], n * (4 * product(2, d, d) + 2 * 2 * product(1, d, n))


@model("loop")
def power_iteration():
    @tf.function
    def f(a, v):
        return tf.while_loop(lambda i, v: i < 20, lambda i, v: (i + 1, tf.math.l2_normalize(a @ v)), (0, v))[1]
    return f, [ones(32, 32), ones(32, 1)], 20 * product(32, 32, 1)


@model("loop")
def triangle_of_loops():
    w = tf.Variable(ones(12, 12))

    @tf.function
    def f(x):
        for i in tf.range(6):
            for _ in tf.range(i):
                x = tf.tanh(x @ w)
        return x
    return f, [ones(3, 12)], 15 * product(3, 12, 12)


@model("loop")
def branch_by_turn():
    w = tf.Variable(ones(12, 12))

    @tf.function
    def f(x):
        for i in tf.range(9):
            if i % 3 == 0:
                x = tf.tanh(x @ w)
            else:
                x += 1.
        return x
    return f, [ones(3, 12)], 3 * product(3, 12, 12)


@model("loop")
def decoder_with_a_growing_cache():
    w = tf.Variable(ones(16, 48))

    @tf.function
    def f(x):
        k, v, grows = tf.zeros([2, 0, 16]), tf.zeros([2, 0, 16]), tf.TensorShape([2, None, 16])
        for _ in tf.range(10):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(k, grows), (v, grows)])
            query, key, value = tf.split(x @ w, 3, axis=-1)
            k, v = tf.concat([k, key[:, None]], 1), tf.concat([v, value[:, None]], 1)
            x = tf.matmul(tf.nn.softmax(tf.matmul(query[:, None], k, transpose_b=True)), v)[:, 0]
        return x
    # In turn n, the query meets n keys and values.
    return f, [ones(2, 16)], 10 * product(2, 16, 48) + 2 * 2 * 55 * product(1, 16, 1)


# ---- custom layers and gradients ---------------------------------------------------

class LowRank(L.Layer):
    def __init__(self, rank):
        super().__init__()
        self.rank = rank

    def build(self, shape):
        self.a = self.add_weight(shape=[shape[-1], self.rank])
        self.b = self.add_weight(shape=[self.rank, shape[-1]])

    def call(self, x):
        for _ in range(3):
            x = x + tf.matmul(tf.matmul(x, self.a), self.b)
        return x


@model("custom")
def layer_with_a_loop_of_python():
    return keras.Sequential([keras.Input([32]), LowRank(4), L.Dense(2)]), [ones(8, 32)], (
        6 * product(8, 32, 4) + product(8, 32, 2))


@model("custom")
def mixture_of_experts():
    class Experts(keras.Model):
        def __init__(self):
            super().__init__()
            self.gate, self.experts = L.Dense(3, activation="softmax"), [L.Dense(16, activation="relu") for _ in range(3)]

        def call(self, x):
            return tf.einsum("be,bed->bd", self.gate(x), tf.stack([one(x) for one in self.experts], axis=1))
    m = Experts()
    m(ones(4, 16))
    return m, [ones(4, 16)], product(4, 16, 3) + 3 * product(4, 16, 16) + 4 * product(1, 3, 16)


@model("custom")
def gradient_of_our_own():
    w = tf.Variable(ones(16, 16))

    @tf.custom_gradient
    def f(x):
        y = x @ w

        def back(dy, variables=None):
            return dy @ tf.transpose(w), [tf.transpose(x) @ dy]
        return y, back

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(f(x)))
        return tape.gradient(y, [x, w])
    return step, [ones(4, 16)], 3 * product(4, 16, 16)


@model("custom")
def training_by_tape():
    m = keras.Sequential([keras.Input([12]), L.Dense(16, activation="relu"), L.Dense(4)])
    optimizer = tf.Variable(0.1)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(m(x) - y))
        for one, slope in zip(m.trainable_variables, tape.gradient(loss, m.trainable_variables)):
            one.assign_sub(optimizer * slope)
        return loss
    # The first layer needs no gradient of its input.
    return step, [ones(8, 12), ones(8, 4)], 2 * product(8, 12, 16) + 3 * product(8, 16, 4)


@model("custom")
def training_of_a_cnn():
    m = keras.Sequential([keras.Input([12, 12, 3]), L.Conv2D(8, 3, activation="relu"), L.Conv2D(4, 3, 2, padding="same"),
                          L.Flatten(), L.Dense(5)])
    m.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return m, [ones(4, 12, 12, 3), tf.zeros([4], tf.int32)], (
        2 * conv(4 * 100 * 8, 9, 3) + 3 * conv(4 * 25 * 4, 9, 8) + 3 * product(4, 100, 5))


@model("custom")
def training_of_attention():
    i = keras.Input([10, 16])
    m = keras.Model(i, L.Dense(2)(L.GlobalAveragePooling1D()(L.MultiHeadAttention(2, 8)(i, i))))
    m.compile("sgd", "mse")
    # Queries, keys and values are products of the input, which needs no gradient.
    return m, [ones(3, 10, 16), ones(3, 2)], (2 * 3 * 3 * product(10, 16, 16) + 3 * 3 * product(10, 16, 16)
                                               + 3 * 2 * 3 * product(10, 16, 10) + 3 * product(3, 16, 2))


@model("custom")
def training_of_an_lstm():
    m = keras.Sequential([keras.Input([10, 6]), L.LSTM(8), L.Dense(2)])
    m.compile("sgd", "mse")
    # Inputs need no gradient, states do.
    return m, [ones(4, 10, 6), ones(4, 2)], 10 * (2 * product(4, 6, 32) + 3 * product(4, 8, 32)) + 3 * product(4, 8, 2)


@model("custom")
def product_with_the_hessian():
    w = tf.Variable(ones(16, 16))

    @tf.function
    def f(x, v):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum(tf.square(x @ w))
            slope = inner.gradient(loss, w)
            dot = tf.reduce_sum(slope * v)
        return outer.gradient(dot, w)
    # 2 x' (x v): no other product reaches the result.
    return f, [ones(4, 16), ones(16, 16)], 2 * product(4, 16, 16)


# ---- mixed precision ---------------------------------------------------------------

def with_policy(policy, make):
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_global_policy(policy)
    try:
        return make()
    finally:
        keras.mixed_precision.set_global_policy(before)


@model("mixed precision")
def half_cnn():
    m = with_policy("mixed_float16", lambda: keras.Sequential([
        keras.Input([16, 16, 3]), L.Conv2D(8, 3, padding="same", activation="relu"), L.Conv2D(8, 3, activation="relu"), L.Flatten(),
        L.Dense(10, dtype="float32")]))
    return m, [ones(2, 16, 16, 3)], conv(2 * 256 * 8, 9, 3) + conv(2 * 196 * 8, 9, 8) + product(2, 1568, 10)


@model("mixed precision")
def brain_float_training():
    m = with_policy("mixed_bfloat16", lambda: keras.Sequential([keras.Input([24]), L.Dense(32, activation="relu"), L.Dense(4)]))
    m.compile("sgd", "mse")
    return m, [ones(8, 24), ones(8, 4)], 2 * product(8, 24, 32) + 3 * product(8, 32, 4)


# ---- jit ---------------------------------------------------------------------------

@model("jit")
def compiled_perceptron():
    m = keras.Sequential([keras.Input([24]), L.Dense(32, activation="relu"), L.Dense(4)])
    return tf.function(lambda x: m(x), jit_compile=True), [ones(8, 24)], product(8, 24, 32) + product(8, 32, 4)


@model("jit")
def compiled_training():
    m = keras.Sequential([keras.Input([12, 12, 3]), L.Conv2D(8, 3, activation="relu"), L.Flatten(), L.Dense(5)])
    m.compile("sgd", "mse", jit_compile=True)
    return m, [ones(4, 12, 12, 3), ones(4, 5)], 2 * conv(4 * 100 * 8, 9, 3) + 3 * product(4, 800, 5)


@model("jit")
def compiled_padding():
    """What a compiler leaves out, products with padding, counts as everywhere else."""
    m = keras.Sequential([keras.Input([12, 12, 3]), L.Conv2D(8, 3, padding="same", activation="relu"),
                          L.Conv2D(8, 5, 2, padding="same"), L.Conv2D(4, 3, 1), L.Conv2D(4, 3, 3, padding="same"),
                          L.Flatten(), L.Dense(5)])
    m.compile("sgd", "mse", jit_compile=True)
    return m, [ones(4, 12, 12, 3), ones(4, 5)], (
        2 * conv(4 * 144 * 8, 9, 3) + 3 * (conv(4 * 36 * 8, 25, 8) + conv(4 * 16 * 4, 9, 8) + conv(4 * 4 * 4, 9, 4)
                                           + product(4, 16, 5)))


@model("jit")
def compiled_training_of_wide_layers():
    """The compiler drops the names of some gradients."""
    m = keras.Sequential([keras.Input([32, 32, 3]), L.Conv2D(32, 3, activation="relu"), L.Conv2D(32, 3), L.Flatten(), L.Dense(10)])
    m.compile("adam", "mse", jit_compile=True)
    return m, [ones(32, 32, 32, 3), ones(32, 10)], (
        2 * conv(32 * 900 * 32, 9, 3) + 3 * conv(32 * 784 * 32, 9, 32) + 3 * product(32, 25088, 10))


@model("jit")
def compiled_transposed_and_depthwise():
    m = keras.Sequential([keras.Input([12, 12, 3]), L.DepthwiseConv2D(3, padding="same"), L.Conv2DTranspose(6, 4, 2, padding="same"),
                          L.Conv2D(2, 1), L.GlobalAveragePooling2D()])
    return tf.function(lambda x: m(x), jit_compile=True), [ones(2, 12, 12, 3)], (
        conv(2 * 144 * 3, 9, 1) + conv(2 * 144 * 6, 16, 3) + conv(2 * 576 * 2, 1, 6))


@model("jit")
def compiled_recurrence():
    m = keras.Sequential([keras.Input([10, 6]), L.LSTM(8), L.Dense(2)])
    return tf.function(lambda x: m(x), jit_compile=True), [ones(4, 10, 6)], cells(4, 10, 4, 6, 8) + product(4, 8, 2)


@model("jit")
def compiled_attention():
    i = keras.Input([10, 16])
    m = keras.Model(i, L.MultiHeadAttention(2, 8)(i, i))
    return tf.function(lambda x: m(x), jit_compile=True), [ones(3, 10, 16)], attention_cost(3, 10, 16)


@model("jit")
def compiled_in_an_ordinary_function():
    w = tf.Variable(ones(16, 16))

    @tf.function(jit_compile=True)
    def inner(x):
        return tf.nn.relu(x @ w) + 1.

    @tf.function
    def f(x):
        return tf.tanh(inner(x) @ w)
    return f, [ones(4, 16)], 2 * product(4, 16, 16)


@model("jit")
def compiled_loop():
    w = tf.Variable(ones(16, 16))

    @tf.function(jit_compile=True)
    def f(x):
        for _ in tf.range(7):
            x = tf.tanh(x @ w)
        return x
    return f, [ones(4, 16)], 7 * product(4, 16, 16)


# ---- distribution ------------------------------------------------------------------

def mirrored():
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


@model("distribution")
def two_replicas():
    strategy = mirrored()
    with strategy.scope():
        m = keras.Sequential([keras.Input([24]), L.Dense(32, activation="relu"), L.Dense(4)])

    @tf.function
    def f(x):
        return strategy.experimental_local_results(strategy.run(m, [x]))
    return f, [ones(8, 24)], 2 * (product(8, 24, 32) + product(8, 32, 4))


@model("distribution")
def training_on_two_replicas():
    strategy = mirrored()
    with strategy.scope():
        w = tf.Variable(ones(16, 8))

    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ w))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    @tf.function
    def step(x):
        return strategy.reduce("sum", strategy.run(replica, [x]), axis=None)
    return step, [ones(4, 16)], 2 * 2 * product(4, 16, 8)
