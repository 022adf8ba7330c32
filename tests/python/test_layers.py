"""The table of layers against model.summary(), for models that Keras builds."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import package_under_test  # noqa: F401  (finds the package)
import pytest

tf = pytest.importorskip("tensorflow")
import keras  # noqa: E402
from keras import layers  # noqa: E402

import tfprof  # noqa: E402


@pytest.fixture(autouse=True)
def as_tensorflow_2():
    """Models of TensorFlow 1 in other files of tests set these for the whole process."""
    was = tf.compat.v1.control_flow_v2_enabled()
    tf.compat.v1.enable_control_flow_v2()
    tf.compat.v1.enable_v2_tensorshape()
    yield
    if not was:
        tf.compat.v1.disable_control_flow_v2()
        tf.compat.v1.disable_v2_tensorshape()


def cnn():
    i = keras.Input([16, 16, 3])
    x = layers.Conv2D(8, 3, padding="same", name="stem")(i)
    y = layers.BatchNormalization(name="norm")(layers.Conv2D(8, 3, padding="same", name="body")(x))
    x = layers.ReLU(name="out")(layers.Add(name="add")([x, y]))
    return keras.Model(i, layers.Dense(10, name="head")(layers.GlobalAveragePooling2D(name="pool")(x))), [4, 16, 16, 3]


def unnamed():
    """Keras's own names: dense, dense_1, …, or whatever comes next in this process."""
    return keras.Sequential([keras.Input([32]), *[layers.Dense(16, activation="relu") for _ in range(4)]]), [4, 32]


def shared():
    i = keras.Input([16])
    dense = layers.Dense(16, name="twice")
    return keras.Model(i, layers.Dense(2, name="once")(dense(dense(i)))), [4, 16]


def nested():
    inner = keras.Sequential([layers.Dense(8, name="a"), layers.Dense(8, name="b")], name="inner")
    i = keras.Input([8])
    return keras.Model(i, layers.Dense(3, name="last")(inner(i))), [4, 8]


def recurrent():
    i = keras.Input([None, 16])
    return keras.Model(i, layers.Dense(3, name="last")(layers.GRU(8, name="gru")(i))), [4, 12, 16]


def attention():
    i = keras.Input([12, 16])
    x = layers.LayerNormalization(name="norm")(layers.MultiHeadAttention(2, 8, name="mha")(i, i))
    return keras.Model(i, layers.Dense(16, name="dense")(x)), [4, 12, 16]


class Pair(keras.Model):
    def __init__(self, **names):
        super().__init__(**names)
        self.one = layers.Dense(16, name="first")
        self.two = layers.Dense(8, name="second")

    def call(self, x):
        return self.two(self.one(x))


def subclassed():
    model = Pair(name="pair")
    model(tf.zeros([4, 16]))
    return model, [4, 16]


def made_backwards():
    """Each pair is called in the other order than it was made and named in."""
    i = x = keras.Input([16])
    for _ in range(2):
        x = layers.Add()([x, layers.Dense(16)(layers.Dense(8)(x))])
    return keras.Model(i, layers.Dense(3, name="last")(x)), [4, 16]


class Looping(keras.Model):
    """The layer in the loop comes first, in a graph whose loops have their nodes last."""

    def __init__(self, **names):
        super().__init__(**names)
        self.again = layers.Dense(16, activation="tanh", name="again")
        self.last = layers.Dense(3, name="last")

    def call(self, x):
        _, x = tf.while_loop(lambda n, x: n < 5, lambda n, x: (n + 1, self.again(x)), [0, x])
        return self.last(x)


def looping():
    model = Looping(name="looping")
    model(tf.zeros([4, 16]))
    return model, [4, 16]


MODELS = [cnn, unnamed, shared, nested, recurrent, attention, subclassed, made_backwards, looping]


def summary(model):
    """Layers with their parameters, in the order of model.summary(); inputs do nothing."""
    return [(layer.name, layer.count_params()) for layer in model.layers
            if not isinstance(layer, keras.layers.InputLayer)]


def table(answer):
    return [(row["name"], row["parameters"]) for row in answer
            if row["depth"] == 1 and not row["name"].startswith("(")]


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_rows_are_those_of_the_summary(make):
    model, shape = make()
    profile = tfprof.profile_function(model, tf.random.uniform(shape), steps=2)
    answer = profile.layers()
    assert table(answer) == summary(model)
    # Nothing is lost: the total is that of all operations.
    rows = answer.rows
    assert rows[0]["name"] == "total"
    assert rows[0]["exec_micros"] == sum(row["exec_micros"] or 0 for row in rows if row["depth"] == 1)
    assert rows[0]["exec_micros"] == profile.op(select="micros").root.total_exec_micros
    assert rows[0]["float_ops"] == profile.op(select="float_ops").root.total_float_ops
    # Sorted by cost, the first is the most expensive; the rest folds into one row with its sums.
    top = profile.layers(order_by="float_ops", top=1).rows
    assert top[1]["float_ops"] == max(row["float_ops"] for row in rows[1:])
    if len(rows) > 3:
        assert top[2]["name"] == f"... {len(rows) - 2} more" and len(top) == 3
        assert top[1]["float_ops"] + top[2]["float_ops"] == rows[0]["float_ops"]


@pytest.mark.parametrize("make", [recurrent, attention, made_backwards, looping], ids=lambda make: make.__name__)
def test_a_step_of_training_has_the_same_rows(make):
    """Gradients of loops, losses and optimizers have scopes of their own."""
    model, shape = make()
    model.compile("adam", "mse", jit_compile=False)
    x = tf.random.uniform(shape)
    profile = tfprof.profile_function(model, x, tf.ones(tf.shape(model(x))), mode="train", steps=2)
    rows = [name for name, _ in table(profile.layers())]
    assert rows[-2] == "compile_loss" and rows[-1].startswith("adam")
    assert rows[:-2] == [name for name, _ in summary(model)]


def test_layers_of_replicas_have_the_lines_that_made_them(tmp_path):
    """Replicas run in threads, whose call stacks begin in a library."""
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        made_at = sys._getframe().f_lineno + 1
        model = keras.Sequential([keras.Input([16]), layers.Dense(8, name="only")])
        model.compile("sgd", "mse", jit_compile=False)
    callback = tfprof.KerasCallback(tmp_path, steps=(2, 4), report=False)
    model.fit(tf.zeros([64, 16]), tf.zeros([64, 8]), batch_size=8, verbose=0, callbacks=[callback])
    rows = {row["name"]: row for row in callback.profile.layers()}
    assert rows["only"]["line"] == f"test_layers.py:{made_at}"
    assert "layers.Dense(8" in rows["only"]["source"]
    assert not [row["line"] for row in rows.values() if "_watched_fit" in (row["line"] or "")]


def test_layers_within_layers_are_shown_down_to_max_depth():
    model, shape = nested()
    profile = tfprof.profile_function(model, tf.random.uniform(shape), steps=2)
    rows = [(row["depth"], row["name"]) for row in profile.layers(max_depth=3)]
    assert rows[:4] == [(0, "total"), (1, "inner"), (2, "a"), (2, "b")]


class Loops(keras.Model):
    """Layers in loops, in a loop within a loop, and in both branches of a condition."""

    def __init__(self):
        super().__init__()
        self.first, self.again = layers.Dense(6, name="first"), layers.Dense(6, name="again")
        self.either, self.inner = layers.Dense(6, name="either"), layers.Dense(6, name="inner")

    def call(self, x):
        def times(n, step, x):
            return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, step(x)), (0, x))[1]

        x = times(7, self.again, self.first(x))
        x = tf.cond(tf.reduce_sum(x) > 0, lambda: self.either(x), lambda: self.either(x) * 2)
        return times(3, lambda x: times(2, self.inner, x), x)


@pytest.mark.parametrize("mode", ["inference", "train"])
def test_layers_in_loops_have_their_parameters(mode):
    model, x = Loops(), tf.ones([2, 6])
    model(x)
    model.compile("sgd", "mse")
    profile = (tfprof.profile_function(model, x, x, mode="train", steps=1) if mode == "train"
               else tfprof.profile_function(model, x, steps=1))
    parameters = {row["name"]: row["parameters"] for row in profile.layers().rows if row["depth"] == 1}
    for layer in model.layers:
        assert parameters[layer.name] == layer.count_params() == 42
    # What a row has besides is no variable of the model.
    assert not parameters.get("(loops itself)")


def test_the_backward_pass_has_its_own_column():
    """The backward pass of a product is two products of the same size, the first layer's one."""
    i = keras.Input([64])
    model = keras.Model(i, layers.Dense(64, name="b")(layers.Dense(64, name="a")(i)))

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x))
        return loss, tape.gradient(loss, model.trainable_variables)

    profile = tfprof.profile_function(step, tf.random.uniform([32, 64]), steps=3)
    rows = {row["name"]: row for row in profile.layers()}
    product = 2 * 32 * 64 * 64
    assert 2 * product <= rows["a"]["float_ops"] < 2.1 * product
    assert 3 * product <= rows["b"]["float_ops"] < 3.1 * product
    for name in "a", "b":
        assert rows[name]["backward_micros"] > 0 and rows[name]["forward_micros"] > 0
        assert rows[name]["exec_micros"] == rows[name]["forward_micros"] + rows[name]["backward_micros"]


def test_gradients_are_on_the_lines_of_the_forward_pass():
    """Einsum and what belongs to it are no single nodes; their gradients are not tape.gradient's."""
    model, shape = attention()

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x))
        return loss, tape.gradient(loss, model.trainable_variables)

    shares = []
    while len(shares) < 3 and min(shares, default=1) >= 0.05:  # again if the machine held up an operation
        profile = tfprof.profile_function(step, tf.random.uniform(shape), steps=3)
        lines = profile.code(select="micros", only_my_code=True)
        on_tape = sum(node.exec_micros for node in lines if "return loss, tape." in node.name)
        shares.append(on_tape / profile.layers().rows[0]["backward_micros"])
    assert min(shares) < 0.05


def test_the_report_of_keras_callback_begins_with_the_layer_of_most_work(tmp_path, capfd):
    """One layer has 99 % of the products."""
    model = keras.Sequential([keras.Input([512]), layers.Dense(512, name="heavy"), layers.Dense(4, name="light")])
    model.compile("sgd", "mse")
    callback = tfprof.KerasCallback(tmp_path, steps=(2, 4))
    model.fit(tf.zeros([640, 512]), tf.zeros([640, 4]), batch_size=64, verbose=0, callbacks=[callback])
    lines = capfd.readouterr().out.splitlines()
    at = lines.index("  layers that take most time:")
    rows = [row for row in callback.profile.layers(order_by="micros")
            if row["depth"] == 1 and not row["name"].startswith("(")]
    assert rows[0]["name"] == "heavy"
    for line, row in zip(lines[at + 1:], rows[:2]):
        assert row["name"] in line and f"{100 * row['share']:.1f}%" in line
