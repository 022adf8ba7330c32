"""Functions of Python that hold up a step are named, with their line, though TensorFlow records no
Python: planted ones, in loops and in fit()."""

import re

import pytest
from package_under_test import needs_tensorflow
from test_trace import jax_python, run  # noqa: F401

import tfprof
from tfprof import _sampler

LOOP = """
import re, sys, time, keras, numpy as np, tensorflow as tf, tfprof

def wait_for_lock():                    # line 4
    time.sleep(0.02)

def tokenize():                         # line 7
    until, total = time.perf_counter() + 0.02, 0
    while time.perf_counter() < until:
        total += 1

def train_loop(step, planted, n=12, **more):     # line 12
    step()
    with tfprof.trace(**more) as t:
        for i in range(n):
            with t.step(i):
                planted()
                step()
    return t.profile.step()

w = tf.ones([64, 64])
product = tf.function(lambda: tf.matmul(w, w))
"""


@needs_tensorflow
@pytest.mark.parametrize("planted, line", [("wait_for_lock", 4), ("tokenize", 7)])
def test_a_function_in_a_loop_is_named_with_its_line(planted, line):
    run(LOOP + f"""
answer = train_loop(product, {planted})
assert '% Python (<string>:{line} {planted})' in answer.headline, answer.headline
assert 'Python (not traced)' not in answer.headline
interval = sys.getswitchinterval()
off = train_loop(product, {planted}, sample_python=False)
assert '% Python (not traced)' in off.headline, off.headline
assert sys.getswitchinterval() == interval == 0.005
""")


@needs_tensorflow
def test_what_the_loop_does_itself_has_the_line_of_the_loop():
    run(LOOP + """
answer = train_loop(product, lambda: None, n=40)
assert 'wait_for_lock' not in str(answer) and 'tokenize' not in str(answer)

def eager():                            # line 27
    for i in range(200):
        float(tf.reduce_sum(w[i % 64]))

answer = train_loop(product, eager)
named = sum(row['micros'] for row in answer.rows if 'eager > ' in row['name'])
dispatch = sum(row['micros'] for row in answer.rows if row['name'] == 'dispatch')
assert named > 0.5 * dispatch > 0, str(answer)
assert re.search(r'dispatch by the framework .*<string>:27 eager', answer.headline), answer.headline
""")


@needs_tensorflow
@pytest.mark.parametrize("call", ["fit", "evaluate", "predict"])
def test_a_callback_of_the_users_is_named(call, tmp_path):
    run(LOOP + f"""
class Log(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        self.write_slowly()
    on_test_batch_end = on_predict_batch_end = on_train_batch_end
    def write_slowly(self):
        wait_for_lock()
        tokenize()

model = keras.Sequential([keras.Input([64]), keras.layers.Dense(8)])
model.compile('sgd', 'mse')
x, y = np.ones([80, 64], 'float32'), np.ones([80, 8], 'float32')
callback = tfprof.KerasCallback({str(tmp_path)!r}, (4, 19), report=False)
{{'fit': lambda **more: model.fit(x, y, **more), 'evaluate': lambda **more: model.evaluate(x, y, **more),
 'predict': lambda **more: model.predict(x, **more)}}[{call!r}](
    batch_size=4, verbose=0, callbacks=[Log(), callback])
answer = callback.profile.step()
causes = {{row['name']: row['micros'] for row in answer.rows}}
total = {{name: sum(row['micros'] for row in answer.rows if name in row['name'])
         for name in ('wait_for_lock', 'tokenize')}}
# Each takes 20 ms of each step, by the clock.
assert 0.7 * 20e3 < total['wait_for_lock'] / 16 < 1.5 * 20e3, (total, causes)
assert 'Python (most in <string>:' in answer.headline, answer.headline
assert 'wait_for_lock' in answer.headline or 'tokenize' in answer.headline
""")


def test_a_loop_of_jax(jax_python):  # noqa: F811
    run("""
import time, jax, jax.numpy as jnp, tfprof

def load_batch():                       # line 4
    time.sleep(0.02)

step = jax.jit(lambda x: x @ x)
x = jnp.ones([64, 64])
step(x)
with tfprof.trace() as t:
    for n in range(6):
        with t.step(n):
            load_batch()
            step(x).block_until_ready()
assert '% Python (<string>:4 load_batch)' in t.profile.step().headline, t.profile.step().headline
""", jax_python)


def test_the_saved_trace_has_the_names(tmp_path):
    run(LOOP + f"train_loop(product, wait_for_lock, logdir={str(tmp_path)!r})")
    assert "<string>:4 wait_for_lock" in tfprof.load(tmp_path).step().headline


# ---- what is in a file may be anything -------------------------------------------------

def plane(texts, events):
    sampler = _sampler.Sampler()
    sampler._texts = texts
    sampler._times, sampler._which = [at for at, _ in events], [which for _, which in events]
    return sampler.encode(0)


@pytest.fixture(scope="module")
def trace_without_samples(tmp_path_factory):
    """A trace with the clock of samples, and none of them."""
    folder = tmp_path_factory.mktemp("trace")
    run(LOOP + f"""
from tfprof import _sampler
_sampler.Sampler.append_to = lambda *unused: None
train_loop(product, wait_for_lock, logdir={str(folder)!r})""")
    path, = folder.glob("**/*.xplane.pb")
    return path.read_bytes()


MS = 10**6


@pytest.mark.parametrize("planes, named", [
    (plane([], []), False),
    (plane(["$a.py:1 f"], [(n * MS, 0) for n in range(500)]), True),
    (plane(["no frame", "$", "$ > ", "$a.py:1 f > "], [(n * MS, n % 4) for n in range(500)]), True),
    (plane(["$a.py:1 f"], [(5, 0), (3, 0), (2**60, 0), (1, 0)]), False),
    (plane(["$a.py:1 f"], [(n * MS, 0) for n in range(500)]) * 2, True),
    (plane(["$a.py:1 f"], [(MS, 0)]) + plane(["$b.py:1 g"], [(MS, 3)]), False)])
def test_samples_name_time_and_never_add_to_it(planes, named, trace_without_samples):
    plain = tfprof.load(xplane=trace_without_samples).step()
    with_samples = tfprof.load(xplane=trace_without_samples + planes).step()

    def parts(answer):
        return [(row["name"], row["micros"]) for row in answer.rows if row["depth"] <= 2]
    assert parts(plain) == parts(with_samples)
    assert "Python (not traced)" in plain.headline
    assert ("Python (a.py:1 f)" in with_samples.headline) == named
    assert ("(not traced)" in with_samples.headline) != named
    without = re.compile(r" \(.*?\)+")
    assert without.sub("", plain.headline) == without.sub("", with_samples.headline)


def test_waiting_for_a_device_is_no_python(trace_without_samples):
    waits = plane(["$a.py:1 f > b.py:2 block_until_ready"], [(n * MS, 0) for n in range(500)])
    answer = tfprof.load(xplane=trace_without_samples + waits).step()
    assert "Python" not in answer.headline and "waiting with nothing running" in answer.headline
