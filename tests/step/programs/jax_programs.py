"""Programs of JAX."""

import concurrent.futures
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


@program("two threads call the same function, and the main one waits for them", frames=False,
         compute=("computing", None))
def jax_threads(run):
    w = weights()

    def work():
        for _ in range(2):
            wait(train(w, w))

    def step(_):
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    run.steps(step)


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


@program("two functions in turn, without markers", steps_by="calls of PjitFunction(generate)", compute=("computing", None))
def jax_gan_without_marks(run):
    w = weights()

    @jax.jit
    def discriminate(x):
        return train(x, w)

    @jax.jit
    def generate(x):
        return train(train(x, w), w)

    def step(_):
        wait(discriminate(w))
        wait(generate(w))
    run.steps(step, mark=False)


@program("an epoch in one call, without markers, after 20 ms of Python", steps_by="calls of PjitFunction(epoch)",
         python=("sample_indices", "sample"))
def jax_scan_without_marks(run):
    w = weights(300)

    @jax.jit
    def epoch(v):
        return jax.lax.scan(lambda c, _: (train(c, w), c.sum()), v, None, length=4)

    def sample_indices():
        with run.phase("sample"):
            time.sleep(0.02)

    def step(_):
        sample_indices()
        wait(epoch(w))
    run.steps(step, n=6, mark=False)


@program("a checkpoint in every third step takes 40 ms", python=("save_state", None))
def jax_checkpoint_in_steps(run):
    w = weights(300)

    def save_state():
        time.sleep(0.04)

    def step(i):
        wait(train(w, w))
        if i % 3 == 2:
            save_state()
    run.steps(step, n=9)


@program("steps are not waited for; each fifth reads the loss", waits=False, compute=("computing", None))
def jax_loss_read(run):
    w = weights(500)
    with_loss = jax.jit(lambda x: (train(x, w), jnp.sum(x)))
    last = [w]

    def step(i):
        last[0], loss = with_loss(last[0])
        if i % 5 == 4:
            float(loss)
    run.steps(step, n=10, after=lambda: wait(last[0]))


@program("donated buffers, and steps that are not waited for", waits=False, compute=("computing", None))
def jax_donated(run):
    w = weights(600)
    donating = jax.jit(lambda x, v: train(x, v), donate_argnums=0)
    last = [jnp.array(w)]

    def step(_):
        last[0] = donating(last[0], w)
    run.steps(step, n=10, after=lambda: wait(last[0]))


@program("shard_map on two devices, of which one works ten times as long", compute=("device 1 is late", None))
def jax_late_device(run):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("i",))
    spec = jax.sharding.PartitionSpec("i")
    w = weights(256)

    def body(x):
        turns = jnp.where(jax.lax.axis_index("i") == 1, 40, 4)
        return jax.lax.psum(jax.lax.fori_loop(0, turns, lambda _, c: jnp.tanh(c @ w), x), "i")
    sharded = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=jax.sharding.PartitionSpec()))
    x = jnp.concatenate([w, w])
    run.steps(lambda _: wait(sharded(x)), n=6)


@program("the program tells Python, which sleeps 20 ms, and it is waited for", callback=("called back", "callback"))
def jax_debug_callback(run):
    w = weights()

    def look(_):
        with run.phase("callback"):
            time.sleep(0.02)

    @jax.jit
    def looking(x):
        y = train(x, w)
        jax.debug.callback(look, y.sum(), ordered=True)
        return y * 2

    def step(_):
        wait(looking(w))
        jax.effects_barrier()
    run.steps(step)


@program("batches by threads that keep up", compute=("computing", "compute"))
def jax_prefetch_threads(run):
    w = weights(600)
    batches = queue.Queue(2)

    def load():
        while True:
            time.sleep(0.005)
            batches.put(jax.device_put(np.ones((600, 600), "f")))
    for _ in range(2):
        threading.Thread(target=load, daemon=True).start()

    def step(_):
        batch = batches.get()
        with run.phase("compute"):
            wait(train(batch, w))
    run.steps(step, n=8)


@program("batches of an executor, one in 20 ms", python=("take_batch", "python"))
def jax_executor(run):
    w = weights(64)
    pool = concurrent.futures.ThreadPoolExecutor(1)

    def load():
        time.sleep(0.02)
        return np.ones((64, 64), "f")
    ahead = [pool.submit(load)]

    def take_batch():
        with run.phase("python"):
            batch = ahead[0].result()
            ahead[0] = pool.submit(load)
            return batch

    run.steps(lambda _: wait(train(take_batch(), w)), n=6)


@program("steps below a millisecond", compute=("computing", None), frames=False)
def jax_short(run):
    w = weights(64)
    run.steps(lambda _: wait(train(w, w)), n=300, warm=20)


@program("a single step, part of which sleeps", python=("tokenize", "python"), compute=("computing", "compute"))
def jax_one_step(run):
    w = weights(600)

    def tokenize():
        with run.phase("python"):
            time.sleep(0.03)

    def step(_):
        tokenize()
        with run.phase("compute"):
            wait(train(w, w))
    run.steps(step, n=1)


@program("the last of 8 batches has another shape", compute=("computing", None))
def jax_last_batch(run):
    w = weights(500)
    run.steps(lambda i: wait(train(w[:300] if i == 9 else w, w)), n=8)


@program("the loop runs in a thread of its own", python=("make_batch", "python"), compute=("computing", "compute"))
def jax_loop_in_thread(run):
    w = weights(500)

    def make_batch():
        with run.phase("python"):
            time.sleep(0.015)

    def step(_):
        make_batch()
        with run.phase("compute"):
            wait(train(w, w))

    def loop():
        for i in range(5):
            run.once(step, i, mark)
    step(0)
    with trace(run.folder, True):
        thread = threading.Thread(target=loop)
        thread.start()
        thread.join()
        run.starts.append(time.perf_counter())
    run.save()


@program("a method of a loader, called by next()", python=("augment", "python"), compute=("computing", "compute"))
def jax_methods(run):
    w = weights()

    class Loader:
        def augment(self):
            with run.phase("python"):
                for _ in range(4):
                    time.sleep(0.003)

        def __iter__(self):
            while True:
                self.augment()
                yield 1
    batches = iter(Loader())

    def step(_):
        next(batches)
        with run.phase("compute"):
            wait(train(w, w))
    run.steps(step)
