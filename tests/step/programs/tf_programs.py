"""Programs of TensorFlow."""

import contextlib
import os
import threading
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from clocked import program  # noqa: E402


@contextlib.contextmanager
def trace(folder, _):
    tf.profiler.experimental.start(folder)
    yield
    tf.profiler.experimental.stop()


def mark(i):
    return tf.profiler.experimental.Trace("train", step_num=i, _r=1)


def dense(x, w, n=6):
    for _ in range(n):
        x = tf.tanh(x @ w)
    return x


def weights(n=400):
    return tf.Variable(tf.random.normal((n, n)) * 0.01)


def slowly(ms):
    def get(value):
        time.sleep(ms / 1e3)
        return np.float32(value)
    return lambda value: tf.ensure_shape(tf.numpy_function(get, [value], tf.float32), [])


def train_on(run, data, n=400):
    """A step takes a batch, then trains."""
    w, batches = weights(n), iter(data)

    @tf.function
    def train(batch):
        return tf.reduce_sum(dense(w, w)) * tf.reduce_sum(tf.cast(batch, tf.float32))

    def step(_):
        with run.phase("input"):
            batch = next(batches)
        with run.phase("compute"):
            train(batch).numpy()
    return step


@program("two functions in turn, with gradients", compute=("computing", "compute"))
def tf_gan(run):
    a, b = weights(), weights()

    def one(of, other):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(dense(of, other, 3))
        of.assign_sub(1e-9 * tape.gradient(loss, of))
        return loss
    discriminate = tf.function(lambda: one(a, b))
    generate = tf.function(lambda: one(b, a))

    def step(_):
        with run.phase("compute"):
            discriminate().numpy()
            generate().numpy()
    run.steps(step)


@program("training and evaluation in turn", compute=("computing", None))
def tf_train_and_eval(run):
    w = weights()
    train = tf.function(lambda: dense(w, w))
    evaluate = tf.function(lambda: tf.reduce_mean(dense(w, w, 3)))
    run.steps(lambda i: (evaluate if i % 2 else train)().numpy(), n=6)


@program("gradients of 4 batches are added up, then applied", compute=("computing", "compute"))
def tf_accumulation(run):
    w, total = weights(), tf.Variable(tf.zeros((400, 400)))

    @tf.function
    def add():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(dense(w, w, 2))
        total.assign_add(tape.gradient(loss, w))
        return loss

    @tf.function
    def apply():
        w.assign_sub(1e-9 * total)
        total.assign(tf.zeros_like(total))
        return tf.reduce_sum(w)

    def step(_):
        with run.phase("compute"):
            for _ in range(4):
                add().numpy()
            apply().numpy()
    run.steps(step)


@program("a checkpoint is written between steps", compute=("computing", None), gap=("between steps", "save"))
def tf_checkpoint(run):
    w = weights()
    train, checkpoint = tf.function(lambda: dense(w, w)), tf.train.Checkpoint(w=w)

    def between(_):
        with run.phase("save"):
            checkpoint.write(os.path.join(run.folder, "checkpoint"))
    run.steps(lambda _: train().numpy(), between=between)


@program("8 elements in a batch, 5 ms for each", input=("waiting for input", "input"))
def tf_map_before_batch(run):
    run.steps(train_on(run, tf.data.Dataset.range(10**6).map(slowly(5)).batch(8), 300))


@program("files are read in turn, 40 ms for each element", input=("Interleave", "input"))
def tf_interleave(run):
    data = tf.data.Dataset.range(10**6).interleave(lambda v: tf.data.Dataset.from_tensors(v).map(slowly(40)),
                                                   cycle_length=1)
    run.steps(train_on(run, data, 300))


@program("a generator that takes 40 ms", input=("Generator", "input"))
def tf_generator(run):
    def numbers():
        while True:
            time.sleep(0.04)
            yield np.float32(1)
    data = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.float32))
    run.steps(train_on(run, data, 300))


@program("slow input that is read from a cache", compute=("computing", "compute"))
def tf_cache(run):
    data = tf.data.Dataset.range(4).map(slowly(10)).cache().repeat().prefetch(2)
    run.steps(train_on(run, data), warm=6)


@program("input as slow as half of the step, prefetched", compute=("computing", "compute"))
def tf_prefetched(run):
    run.steps(train_on(run, tf.data.Dataset.range(10**6).map(slowly(4)).prefetch(4), 700), warm=3)


@program("the graph calls Python, which sleeps 20 ms", callback=("called back", "callback"))
def tf_py_function(run):
    w = weights()

    def check(x):
        with run.phase("callback"):
            time.sleep(0.02)
        return x

    @tf.function
    def train():
        y = tf.reduce_sum(dense(w, w))
        return tf.py_function(check, [y], tf.float32) + 1

    run.steps(lambda _: train().numpy())


@program("sequences of another length in each step", compile=("encode", None))
def tf_lengths(run):
    w = weights(100)

    @tf.function
    def encode(x):
        return dense(x, w)
    run.steps(lambda i: encode(tf.zeros((10 + i, 100))).numpy(), n=4)


@program("a loop of 20 products in the graph", compute=("computing", "compute"))
def tf_while(run):
    w = weights()

    @tf.function
    def train():
        return tf.while_loop(lambda i, x: i < 20, lambda i, x: (i + 1, tf.tanh(x @ w)), (0, tf.identity(w)))[1]

    def step(_):
        with run.phase("compute"):
            train().numpy()
    run.steps(step)


@program("operations run one by one", compute=("computing", None))
def tf_eager(run):
    w = weights(300)

    def step(_):
        x = w
        for _ in range(30):
            x = tf.tanh(x @ w)
        x.numpy()
    run.steps(step)


@program("a batch of NumPy for each step, made in 25 ms", python=("Python", "python"), compute=("computing", None))
def tf_numpy_batches(run):
    w = weights()
    train = tf.function(lambda x: tf.reduce_sum(dense(x, w)))

    def step(_):
        with run.phase("python"):
            batch = np.ones((400, 400), "f")
            time.sleep(0.025)
        train(batch).numpy()
    run.steps(step)


def model():
    layers = [tf.keras.Input((256,))] + [tf.keras.layers.Dense(256, "tanh") for _ in range(4)]
    made = tf.keras.Sequential(layers + [tf.keras.layers.Dense(1)])
    made.compile("sgd", "mse")
    return made


class Recorded(tf.keras.callbacks.Callback):
    """Clocks the batches of an epoch after the first."""

    def __init__(self, run, wait_ms=0):
        super().__init__()
        self.run, self.wait_ms = run, wait_ms

    def on_train_batch_begin(self, batch, logs=None):
        self.run.starts.append(time.perf_counter())

    def on_train_batch_end(self, batch, logs=None):
        start = time.perf_counter()
        time.sleep(self.wait_ms / 1e3)
        now = time.perf_counter()
        self.run.clocked.append({"wall": (now - self.run.starts[-1]) * 1e3, "phases": {"python": (now - start) * 1e3}})


def fit(run, data, callback, steps=6):
    made = model()
    made.fit(data, steps_per_epoch=3, epochs=1, verbose=0)
    with trace(run.folder, True):
        made.fit(data, steps_per_epoch=steps, epochs=1, verbose=0, callbacks=[callback])
        run.starts.append(time.perf_counter())
    run.save()


def in_memory():
    return tf.data.Dataset.from_tensors((tf.zeros((64, 256)), tf.zeros((64, 1)))).repeat()


@program("Keras' fit; a callback takes 25 ms after each batch", steps_by="calls of multi_step_on_iterator",
         python=("Python", "python"))
def tf_fit_callback(run):
    fit(run, in_memory(), Recorded(run, 25))


@program("Keras' fit; a map takes 40 ms", steps_by="calls of multi_step_on_iterator", input=("waiting for input", None))
def tf_fit_input(run):
    wait = slowly(40)
    data = tf.data.Dataset.range(10**6).map(lambda v: (tf.zeros((64, 256)) + wait(v), tf.zeros((64, 1))))
    fit(run, data, Recorded(run))


@program("Keras' fit with validation, which is quick; a map takes 30 ms for a batch of training",
         steps_by="calls of multi_step_on_iterator", input=("waiting for input", None))
def tf_fit_validation(run):
    wait, made = slowly(30), model()
    data = tf.data.Dataset.range(10**6).map(lambda v: (tf.zeros((64, 256)) + wait(v), tf.zeros((64, 1))))
    options = {"steps_per_epoch": 5, "verbose": 0, "validation_data": in_memory(), "validation_steps": 5}
    made.fit(data, epochs=1, **options)
    with trace(run.folder, True):
        made.fit(data, epochs=1, callbacks=[Recorded(run)], **options)
        run.starts.append(time.perf_counter())
    run.save()


@program("train_on_batch in a loop, 25 ms of Python before it", python=("Python", "python"))
def tf_train_on_batch(run):
    made, x, y = model(), np.zeros((64, 256), "f"), np.zeros((64, 1), "f")

    def step(_):
        with run.phase("python"):
            time.sleep(0.025)
        made.train_on_batch(x, y)
    run.steps(step, warm=3)


class Looked(tf.keras.Sequential):
    """Its training step calls Python, which sleeps 15 ms."""

    def train_step(self, data):
        def look(loss):
            time.sleep(0.015)
            return loss
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(data[0], training=True) - data[1]) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": tf.ensure_shape(tf.numpy_function(look, [loss], tf.float32), [])}


def fit_model(run, made, data, callback, steps, **options):
    made.compile("sgd", "mse", **options)
    made.fit(data, steps_per_epoch=5, epochs=1, verbose=0)
    with trace(run.folder, True):
        made.fit(data, steps_per_epoch=steps, epochs=1, verbose=0, callbacks=[callback])
        run.starts.append(time.perf_counter())
    run.save()


@program("Keras' fit with a train_step that calls Python", steps_by="calls of multi_step_on_iterator",
         callback=("called back", None))
def tf_train_step(run):
    made = Looked([tf.keras.Input((256,)), tf.keras.layers.Dense(256, "tanh"), tf.keras.layers.Dense(1)])
    fit_model(run, made, in_memory(), Recorded(run), 8)


@program("a PyDataset with two workers, 40 ms for each batch", steps_by="calls of multi_step_on_iterator",
         input=("Generator", None))
def tf_workers(run):
    class Slow(tf.keras.utils.PyDataset):
        def __len__(self):
            return 40

        def __getitem__(self, _):
            time.sleep(0.04)
            return np.zeros((64, 256), "f"), np.zeros((64, 1), "f")
    fit_model(run, model(), Slow(workers=2, max_queue_size=2), Recorded(run), 12)


@program("a shuffled input whose map sorts", input=("MapAndBatch", "input"))
def tf_shuffle_map(run):
    big = tf.random.normal((300, 300))

    def heavy(value):
        x = big + tf.cast(value, tf.float32)
        for _ in range(4):
            x = tf.sort(x, axis=1)
        return tf.reduce_sum(x)
    run.steps(train_on(run, tf.data.Dataset.range(10**6).shuffle(64).map(heavy).batch(4), 200))


@program("two slow files are read at a time", input=("ParallelInterleave", "input"))
def tf_parallel_interleave(run):
    data = tf.data.Dataset.range(10**6).interleave(lambda v: tf.data.Dataset.from_tensors(v).map(slowly(60)),
                                                   cycle_length=2, num_parallel_calls=2)
    run.steps(train_on(run, data, 200), n=6)


@program("a parallel map of 30 ms, prefetched", input=("ParallelMap", "input"))
def tf_parallel_map(run):
    data = tf.data.Dataset.range(10**6).map(slowly(30), num_parallel_calls=2).prefetch(2)
    run.steps(train_on(run, data, 200), n=8)


@program("a filter that drops five of six elements, 4 ms for each", input=("MapDataset:1", "input"))
def tf_filter(run):
    data = tf.data.Dataset.range(10**6).map(slowly(4)).filter(lambda v: tf.math.floormod(v, 6.0) < 0.5)
    run.steps(train_on(run, data, 200), n=6)


@program("input of 20 ms, without markers", steps_by="calls of train", input=("MapDataset:1", "input"))
def tf_input_without_marks(run):
    run.steps(train_on(run, tf.data.Dataset.range(10**6).map(slowly(20)), 200), n=6, mark=False)


@program("a queue that a thread fills, one element in 25 ms", input=("waiting for input (numbers_Dequeue", None))
def tf_queue(run):
    numbers = tf.queue.FIFOQueue(1, tf.float32, shapes=[()], name="numbers")
    w = weights(200)

    def feed():
        while True:
            time.sleep(0.025)
            numbers.enqueue(1.0)

    @tf.function
    def train():
        return tf.reduce_sum(dense(w, w)) + numbers.dequeue(name="numbers_Dequeue")
    threading.Thread(target=feed, daemon=True).start()
    run.steps(lambda _: train().numpy(), n=6)


@program("a loop of the graph over a dataset", compute=("computing", None))
def tf_loop_over_data(run):
    w, data = weights(700), tf.data.Dataset.range(5)

    @tf.function
    def epoch():
        total = tf.constant(0.0)
        for x in data:
            total += tf.reduce_sum(dense(w, w)) + tf.cast(x, tf.float32)
        return total
    run.steps(lambda _: epoch().numpy(), n=4)


@program("steps below a millisecond", dispatch=("dispatch", None), frames=False)
def tf_short(run):
    w = weights(16)
    train = tf.function(lambda: tf.reduce_sum(w @ w))
    run.steps(lambda _: train().numpy(), n=200, warm=20)


@program("a single step, part of which sleeps", python=("Python", "python"), compute=("computing", None))
def tf_one_step(run):
    w = weights(600)
    train = tf.function(lambda: tf.reduce_sum(dense(w, w)))

    def step(_):
        with run.phase("python"):
            time.sleep(0.02)
        train().numpy()
    run.steps(step, n=1)


@program("gradients of a compiled function", compute=("computing", "compute"))
def tf_jit_gradients(run):
    w = weights()

    @tf.function(jit_compile=True)
    def train():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(dense(w, w))
        w.assign_sub(1e-9 * tape.gradient(loss, w))
        return loss

    def step(_):
        with run.phase("compute"):
            train().numpy()
    run.steps(step)


@program("a recurrent layer", compute=("computing", "compute"))
def tf_lstm(run):
    layer, x = tf.keras.layers.LSTM(128, return_sequences=True), tf.random.normal((32, 30, 64))
    train = tf.function(lambda: tf.reduce_sum(layer(x)))

    def step(_):
        with run.phase("compute"):
            train().numpy()
    run.steps(step)
