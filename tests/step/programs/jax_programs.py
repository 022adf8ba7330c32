"""Programs of JAX."""

import contextlib
import functools
import multiprocessing
import os
import queue
import threading
import time

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from clocked import program  # noqa: E402


@contextlib.contextmanager
def trace(folder, frames):
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = int(frames)
    with jax.profiler.trace(folder, profiler_options=options):
        yield


def mark(i):
    return jax.profiler.StepTraceAnnotation("train", step_num=i)


def weights(n=400):
    return jax.random.normal(jax.random.PRNGKey(0), (n, n)) * 0.01


def wait(value):
    return jax.block_until_ready(value)


@jax.jit
def train(x, w):
    for _ in range(6):
        x = jnp.tanh(x @ w)
    return x


@program("two functions in turn, and 12 ms of Python that makes noise", compute=("computing", "compute"),
         python=("sample_noise", "python"))
def jax_gan(run):
    w = weights()
    discriminate, generate = jax.jit(lambda x: jnp.tanh(train(x, w))), jax.jit(lambda x: train(x, w) * 2)

    def sample_noise():
        with run.phase("python"):
            time.sleep(0.012)

    def step(_):
        sample_noise()
        with run.phase("compute"):
            wait(discriminate(w))
            wait(generate(w))
    run.steps(step)


@program("every third step is one of evaluation", compute=("computing", None))
def jax_train_and_eval(run):
    w = weights()
    evaluate = jax.jit(lambda x: (train(x, w) ** 2).mean())

    def step(i):
        wait(evaluate(w) if i % 3 == 2 else train(w, w))
    run.steps(step, n=6)


@program("gradients of 4 batches are added up, then applied", compute=("computing", "compute"))
def jax_accumulation(run):
    w = weights()
    gradient = jax.jit(jax.grad(lambda v, x: (train(x, v) ** 2).sum()))
    update = jax.jit(lambda v, g: v - 1e-6 * g)

    def step(_):
        with run.phase("compute"):
            total = gradient(w, w)
            for _ in range(3):
                total = total + gradient(w, w)
            wait(update(w, total))
    run.steps(step)


@program("8 steps of training in one call of lax.scan", compute=("computing", "compute"))
def jax_scan(run):
    w = weights(300)
    many = jax.jit(lambda v: jax.lax.scan(lambda c, _: (train(c, w), None), v, None, length=8)[0])

    def step(_):
        with run.phase("compute"):
            wait(many(w))
    run.steps(step)


@program("a checkpoint is written between steps", compute=("computing", "compute"), gap=("save_checkpoint", "save"))
def jax_checkpoint(run):
    w = weights()

    def save_checkpoint(value):
        np.save(os.path.join(os.path.dirname(run.folder), "checkpoint.npy"), value)
        time.sleep(0.012)

    def step(_):
        with run.phase("compute"):
            wait(train(w, w))

    def between(_):
        with run.phase("save"):
            save_checkpoint(np.asarray(w))
    run.steps(step, between=between)
    os.remove(os.path.join(os.path.dirname(run.folder), "checkpoint.npy"))


@program("every fourth step is logged, which takes 30 ms", compute=("computing", "compute"), gap=("log_metrics", None))
def jax_logging(run):
    w = weights()

    def log_metrics():
        time.sleep(0.03)

    def step(_):
        with run.phase("compute"):
            wait(train(w, w))

    def between(i):
        if i % 4 == 3:
            log_metrics()
    run.steps(step, n=8, between=between)


def load_forever(batches):
    while True:
        time.sleep(0.03)
        batches.put(np.ones((8, 8), "f"))


@program("batches come from another process, one in 30 ms", python=("next_batch", "python"))
def jax_loader_process(run):
    w = weights(200)
    context = multiprocessing.get_context("spawn")
    batches = context.Queue(1)
    loader = context.Process(target=load_forever, args=(batches,), daemon=True)
    loader.start()

    def next_batch():
        with run.phase("python"):
            return batches.get()

    def step(_):
        next_batch()
        wait(train(w, w))
    run.steps(step)
    loader.kill()


@program("batches come from a thread, one in 30 ms", python=("next_batch", "python"))
def jax_loader_thread(run):
    w = weights(200)
    batches = queue.Queue(1)
    threading.Thread(target=load_forever, args=(batches,), daemon=True).start()

    def next_batch():
        with run.phase("python"):
            return batches.get()

    def step(_):
        next_batch()
        wait(train(w, w))
    run.steps(step)


@program("the program calls Python back, which sleeps 16 ms", callback=("called back", "callback"))
def jax_io_callback(run):
    w = weights()

    def report(x):
        with run.phase("callback"):
            time.sleep(0.016)
        return np.float32(x)

    @jax.jit
    def reporting(x):
        y = train(x, w).sum()
        return jax.experimental.io_callback(report, jax.ShapeDtypeStruct((), jnp.float32), y) + 1

    run.steps(lambda _: wait(reporting(w)))


@program("a static argument changes in every step", compile=("scaled", None))
def jax_static_argument(run):
    w = weights(100)

    @functools.partial(jax.jit, static_argnums=1)
    def scaled(x, factor):
        return jnp.tanh(x @ x) * factor

    run.steps(lambda i: wait(scaled(w, i)), n=4)


@program("a loop of 20 products on the device", compute=("computing", "compute"))
def jax_while(run):
    w = weights(300)
    loop = jax.jit(lambda x: jax.lax.while_loop(lambda c: c[0] < 20, lambda c: (c[0] + 1, jnp.tanh(c[1] @ w)), (0, x)))

    def step(_):
        with run.phase("compute"):
            wait(loop(w))
    run.steps(step)


@program("metrics in a loop of Python", compute=("computing", "compute"), python=("count_words", "python"))
def jax_metrics(run):
    w = weights()

    def count_words():
        counts = {}
        for i in range(100000):
            counts[i % 97] = i ** 3 % 7

    def step(_):
        with run.phase("compute"):
            wait(train(w, w))
        with run.phase("python"):
            count_words()
    run.steps(step)


@program("80 operations that are not compiled together", dispatch=("dispatch", None), frames=False)
def jax_op_by_op(run):
    x = jnp.zeros(8)

    def step(_):
        y = x
        for _ in range(40):
            y = jnp.add(jnp.multiply(y, 2), 1)
        wait(y)
    run.steps(step, warm=3)


@program("results are fetched, and the host sorts them", python=("postprocess", "python"), compute=("computing", None))
def jax_fetch(run):
    w = weights()

    def postprocess(values):
        with run.phase("python"):
            return sorted(values.ravel().tolist())[:5]

    run.steps(lambda _: postprocess(np.asarray(train(w, w))))


@program("steps are not waited for; Python takes less time than the work", waits=False, compute=("computing", None))
def jax_ahead(run):
    w = weights(500)
    last = [train(w, w)]

    def step(_):
        time.sleep(0.002)
        last[0] = train(last[0], w)
    run.steps(step, n=8, after=lambda: wait(last[0]))


@program("two devices, evenly loaded", compute=("computing", None))
def jax_even_devices(run):
    w = weights(300)
    pair = jax.pmap(lambda x: jax.lax.psum(train(x, w), "i"), axis_name="i")
    x = jnp.stack([w, w])
    run.steps(lambda _: wait(pair(x)))
