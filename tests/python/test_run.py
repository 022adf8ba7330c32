"""``tfprof run``: the program runs as it would without it, and what is recorded is true."""

import os
import re
import signal
import subprocess
import sys

import pytest
from package_under_test import PACKAGE, needs_tensorflow
from tree import TOP

PROGRAM = os.path.join(os.path.dirname(PACKAGE), "tfprof")

TF_LOOP = """
import sys, time
import tensorflow as tf
@tf.function
def train(x):
    for _ in range(4):
        x = tf.tanh(x @ x)
    return tf.reduce_sum(x)
x = tf.random.normal([200, 200])
def wait_for_lock():
    time.sleep(0.02)
for i in range(40):
    train(x)
    wait_for_lock()
"""

KERAS = """
import sys
import keras, numpy as np
model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(64, activation="relu", name="wide"),
                          keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((640, 20), "float32"), np.ones((640, 1), "float32"), batch_size=32, verbose=0)
"""

pytestmark = [needs_tensorflow, pytest.mark.skipif(not os.path.exists(PROGRAM),
                                                   reason="the package was built without the program")]


@pytest.fixture
def run(tmp_path):
    def run(code, *options, arguments=(), python=sys.executable, **more):
        script = tmp_path / "script.py"
        script.write_text(code)
        done = subprocess.run(
            [PROGRAM, "run", f"--logdir={tmp_path / 'logs'}", *options, str(script), *arguments],
            capture_output=True, text=True, timeout=300, cwd=tmp_path,
            env={**os.environ, "TFPROF_PYTHON": python, **more})
        done.said = [line[len("tfprof run: "):] for line in done.stderr.splitlines()
                     if line.startswith("tfprof run: ")]
        return done
    return run


def share_of(text, part):
    found = re.search(rf"(\d+) % {part}", text)
    return int(found[1]) if found else 0


def test_keras_fit_keeps_its_status_output_and_arguments_and_has_its_graph(run, tmp_path):
    done = run(KERAS + "print('bye', sys.argv[1:])\nsys.exit(7)\n", arguments=["--epochs=3", "--"])
    assert (done.returncode, done.stdout) == (7, "bye ['--epochs=3', '--']\n"), done.stderr
    assert done.said[0].startswith("A step takes ")
    import tfprof
    profile = tfprof.load(tmp_path / "logs")
    assert len(profile.steps) == 6       # 10 to 15
    # Forward 2·32·(20·64 + 64·1), as much for gradients of weights, and the second layer's
    # gradient of its input.
    assert profile.scope(select=["float_ops"]).root.total_float_ops >= 2 * 32 * (2 * 1344 + 64)


def test_nothing_is_left_in_the_program_after_recording(run):
    code = """
import gc, threading
class Look(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        ours = [type(one).__module__ for lists in gc.get_objects()
                if isinstance(lists, keras.callbacks.CallbackList) for one in lists.callbacks]
        self.left = [one for one in ours if one.startswith("tfprof")] + [
            one.name for one in threading.enumerate() if one.name.startswith("tfprof")]
        step = type(self.model.train_function).__module__
        self.left += [step] if step.startswith("tfprof") else []
        if batch in (5, 30):
            print(batch, bool(self.left))
look, x = Look(), np.ones((1280, 20), "float32")
model.fit(x, x[:, :1], batch_size=32, verbose=0, callbacks=[look])
import tensorflow as tf
print(look.left, hasattr(keras.callbacks.CallbackList.__init__, "_tfprof_run"),
      hasattr(type(tf.function(lambda: 1)).__call__, "_tfprof_run"), "train_step" in vars(model))
"""
    done = run(KERAS[:KERAS.index("model.fit")] + code)
    assert done.stdout == "5 True\n30 False\n[] False False False\n", done.stderr


def test_custom_loop_names_the_function_that_it_waits_in(run):
    done = run(TF_LOOP + "print('loop done')\n", "--for=60s")
    assert (done.returncode, done.stdout) == (0, "loop done\n"), done.stderr
    assert "wait_for_lock" in done.said[0]
    wall = float(re.search(r"A step takes ([\d.]+) ms", done.said[0])[1])
    assert wall >= 20 and share_of(done.said[0], "Python") >= 100 * 19 / wall


def test_steps_are_calls_of_the_function(run, tmp_path):
    done = run(TF_LOOP, "--steps=10:14")
    assert done.returncode == 0, done.stderr
    import tfprof
    answer = tfprof.load(tmp_path / "logs").step()
    assert sum(row["depth"] == 1 for row in answer) == 5


def test_interrupted_program_dies_as_without(run):
    done = run(TF_LOOP + "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    assert done.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in done.stderr and done.said[0].startswith("A step takes ")


def test_programs_own_profiler_works(run, tmp_path):
    own = tmp_path / "own"
    done = run(TF_LOOP + f"""
tf.profiler.experimental.start({str(own)!r})
train(x)
tf.profiler.experimental.stop()
""")
    assert done.returncode == 0, done.stderr
    assert list(own.glob("plugins/profile/*/*.xplane.pb"))
    assert "recording ended early: the program started its own profiler" in done.said


def test_programs_that_it_starts_are_not_recorded(run):
    done = run("""
import multiprocessing, os, subprocess, sys
def square(n):
    return n * n, "tfprof" in sys.modules
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(square, [3]))
    print(subprocess.run([sys.executable, "-c", "import os, sys; print(os.environ.get('PYTHONPATH'), "
        "'tfprof' in sys.modules)"], capture_output=True, text=True).stdout, end="")
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"[(9, False)]\n{os.environ['PYTHONPATH']} False\n"
    assert done.said == ["nothing was recorded: neither TensorFlow nor JAX ran in this process"]


def test_recording_that_fails_leaves_the_program_alone(run):
    done = run("""
import tensorflow as tf
tf.profiler.experimental.start("elsewhere")
""" + TF_LOOP + "tf.profiler.experimental.stop()\nprint('done')\n", "--for=60s")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert any("could not be started" in line for line in done.said)


def test_jax_loop(run):
    jax = subprocess.run([os.path.join(TOP, "tools/venv-jax")], capture_output=True, text=True,
                         check=True).stdout.strip()
    done = run("""
import time
import jax, jax.numpy as jnp
@jax.jit
def model(x):
    return jnp.tanh(x @ x).sum()
x = jnp.ones((300, 300))
def wait_for_lock():
    time.sleep(0.02)
for i in range(40):
    model(x).block_until_ready()
    wait_for_lock()
print("done")
""", python=jax)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert "wait_for_lock" in done.said[0] and share_of(done.said[0], "Python") > 50


@pytest.mark.parametrize("arguments, message", [
    (["--steps=9:3", "x.py"], "expected the first and the last step, such as 10:15, got '9:3'"),
    (["--for=soon", "x.py"], "expected a time such as 10s, 500ms or 2min, got 'soon'"),
    (["--steps=1:2", "--for=1s", "x.py"], "--steps cannot be combined with --start or --for"),
    ([], "no program given: expected SCRIPT.py or -m MODULE"),
])
def test_wrong_arguments(arguments, message):
    done = subprocess.run([PROGRAM, "run", *arguments], capture_output=True, text=True,
                          env={**os.environ, "TFPROF_PYTHON": sys.executable})
    assert done.returncode == 2 and message in done.stderr


def test_file_as_directory_is_said_at_the_start(run, tmp_path):
    (tmp_path / "logs").write_text("")
    done = run("print('never')")
    assert (done.returncode, done.stdout) == (1, "") and "not a directory" in done.stderr
