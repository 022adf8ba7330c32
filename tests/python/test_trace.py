"""Recording live programs: trace(), profile_function() and KerasCallback, each in a
process of its own, since a profiler and TensorFlow's mode are of the process."""

import os
import subprocess
import sys

import pytest
from package_under_test import PACKAGE, needs_tensorflow
from tree import TESTS, TOP

import tfprof

HERE = os.path.join(TESTS, "python")


def run(code, python=sys.executable):
    done = subprocess.run([python, "-c", code], cwd=HERE, capture_output=True, text=True,
                          timeout=300,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join([PACKAGE, HERE])))
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.fixture(scope="module")
def jax_python():
    return subprocess.run([os.path.join(TOP, "tools", "venv-jax")], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


# ---- functions and models of TensorFlow ------------------------------------------

@needs_tensorflow
def test_function():
    """Times, lines, shapes, float operations and parameters of a training step."""
    run("""
import tensorflow as tf, tfprof, traced_models as m
step = m.make_train_step(m.make())
profile = tfprof.profile_function(step, m.IMAGES, m.LABELS, steps=4)
assert profile.steps == [0, 1, 2, 3]
for n in profile.steps:
    assert m.own_share(profile, step=n) >= 0.95, m.own_share(profile, step=n)
assert profile.overview()['trainable_parameters'] == m.PARAMETERS
nodes = {node.name.split('/')[-1]: node for node in profile.scope() if 'gradient' not in node.name}
assert nodes['convolution'].float_ops == m.CONVOLUTION
assert nodes['MatMul'].float_ops == m.PRODUCT
assert nodes['convolution'].input_shapes[0] == f'0:{m.BATCH}x{m.SIDE}x{m.SIDE}x3'
assert m.micros_at(profile, 'the line of conv') > m.micros_at(profile, 'the line of logits') > 0
assert m.micros_at(profile, 'the line of conv', gradient=True) > 0
assert max(node.depth for node in profile.graph()) > 5
""")


@needs_tensorflow
def test_function_that_calls_others():
    """Lines and float operations are those inside of the functions that it calls."""
    run("""
import tensorflow as tf, tfprof, traced_models as m
model = m.make()
forward = tf.function(lambda images, training: model(images, training=training))
step = m.make_train_step(model, forward)
profile = tfprof.profile_function(step, m.IMAGES, m.LABELS, steps=2)
assert m.own_share(profile, step=1) >= 0.95, m.own_share(profile, step=1)
assert m.micros_at(profile, 'the line of conv') > m.micros_at(profile, 'the line of logits') > 0
assert m.micros_at(profile, 'the line of conv', gradient=True) > 0
nodes = {node.name: node for node in profile.scope()}
forward_ops = [node.float_ops for name, node in nodes.items()
               if name.startswith('StatefulPartitionedCall') and name.endswith('/convolution')]
assert sum(forward_ops) == m.CONVOLUTION, forward_ops
assert '100.0% of the time is in nodes of the graph' in profile.notes
""")


@needs_tensorflow
def test_only_lines_of_the_user_are_in_stacks():
    run("""
import tfprof, traced_models as m
profile = tfprof.profile_function(m.make(), m.IMAGES, steps=2)
lines = [node.name for node in profile.code()][1:]
assert all(line.startswith(('<string>:', 'traced_models.py:')) for line in lines
           if line != '(no line)'), lines
""")


@needs_tensorflow
def test_keras_model():
    """Called on inputs; trained if it is compiled and given targets, too."""
    run("""
import keras, tensorflow as tf, tfprof, traced_models as m
model = m.make()
profile = tfprof.profile_function(model, m.IMAGES, steps=3, warmup=0)
assert profile.steps == [0, 1, 2]
assert m.own_share(profile, step=2) >= 0.95
assert not any('gradient' in node.name for node in profile.scope())
before = model.get_weights()
profile = tfprof.profile_function(model, m.IMAGES, m.LABELS, steps=3)
# Loss and optimizer are called by Keras, and so by the line above.
assert m.own_share(profile, ('<string>:',), step=2) >= 0.95
assert m.micros_at(profile, 'the line of conv', gradient=True) > 0
assert any(node.name.startswith('gradient_tape/') and node.total_exec_micros
           for node in profile.scope())
assert int(model.optimizer.iterations) == 5
assert any((a != b).any() for a, b in zip(before, model.get_weights()))
assert profile.overview()['trainable_parameters'] == m.PARAMETERS

class Two(keras.layers.Layer):
    def call(self, a, b, twice=False):
        return tf.matmul(a, b) * (2 if twice else 1)

two = tf.ones([64, 64])
profile = tfprof.profile_function(Two(), two, two, twice=True, steps=1)
assert profile.op()['MatMul'].float_ops == 2 * 64 ** 3
assert tfprof.profile_function(tf.function(lambda x: x + x).get_concrete_function(two), two,
                               steps=2).steps == [0, 1]
""")


FUSED = """
import os, sys, tempfile, keras, tensorflow as tf, tfprof
from keras import layers
kernel = '_MklNativeFused' if os.environ['TF_ENABLE_ONEDNN_OPTS'] == '1' else '_Fused'

ALL = dict(select='micros,op_types', max_depth=100)

def micros(result):
    return {node.name: node.exec_micros for node in result}

inputs = keras.Input([24, 24, 16])
small = layers.Conv2D(16, 1, name='small')(inputs)
large = layers.Conv2D(16, 5, padding='same', activation='relu', name='large')(inputs)
outputs = layers.ReLU(name='end')(layers.Add(name='sum')([small, layers.Conv2D(
    16, 3, padding='same', name='middle')(large)]))
model = keras.Model(inputs, layers.Dense(8, 'tanh')(layers.Flatten()(outputs)))
logs = tempfile.mkdtemp()
profile = tfprof.profile_function(model, tf.random.uniform([4, 24, 24, 16]), logdir=logs, steps=3)
trace = tfprof.load(logs)
raw, op = micros(trace.op(**ALL)), micros(profile.op(**ALL))
assert raw[kernel + 'Conv2D'] > 0 and 'Conv2D' not in raw, raw
assert (op['Conv2D'], op['MatMul']) == (raw[kernel + 'Conv2D'], raw[kernel + 'MatMul']), (op, raw)
ran = micros(profile.op(**ALL, executed_types=True))
assert ran[kernel + 'Conv2D'] == raw[kernel + 'Conv2D'] and 'Conv2D' not in ran, ran
assert 'fused kernels: charged to the convolution' in profile.notes, profile.notes

# The kernels in the trace, by their layers; one of the two that are added has the addition.
kernels = {node.name.split('/')[1]: node.exec_micros for node in trace.scope(**ALL)
           if kernel + 'Conv2D' in node.op_types}
layer = {node.name.split('/')[1]: node.exec_micros for node in profile.scope(**ALL)
         if node.name.endswith('/convolution')}
assert set(layer) == {'small_1', 'middle_1', 'large_1'} and len(kernels) == 3, (layer, kernels)
assert layer['large_1'] == kernels['large_1']
for name in ('small_1', 'middle_1'):
    assert layer[name] == kernels.get(name, kernels.get('sum_1', kernels.get('end_1')))

# Each turn of a loop counts, also what is in the kernel besides the product.
dense = layers.Dense(32, activation='relu')
dense.build([4, 32])
loop = tf.function(lambda x, n: tf.while_loop(
    lambda i, x: i < n, lambda i, x: (i + 1, dense(x)), (0, x)), autograph=False)
for n in (tf.constant(7), 7):
    made = tfprof.profile_function(loop, tf.ones([4, 32]), n)
    counted = {node.name: node.float_ops for node in made.op(select='float_ops', max_depth=100)}
    assert counted['MatMul'] == 7 * 2 * 4 * 32 * 32, (n, counted)
    assert counted['BiasAdd'] == 7 * 4 * 32, (n, counted)
"""


@needs_tensorflow
@pytest.mark.parametrize("onednn", ["0", "1"])
def test_fused_kernels_are_charged_to_their_convolution(onednn, monkeypatch):
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", onednn)
    run(FUSED)


@needs_tensorflow
def test_float_operations_are_those_of_the_model_file(tmp_path):
    """One engine counts both: Einsum, loops, what is fused; not what no result depends on."""
    run(f"""
import keras, tensorflow as tf, tfprof
from keras import layers
def check(name, outputs, x, macs):
    model = keras.Model(inputs, outputs)
    profile = tfprof.profile_function(model, x, steps=2)
    path = f'{tmp_path}/{{name}}'
    model.export(path, verbose=False, input_signature=[tf.TensorSpec(x.shape, x.dtype)])
    counted = tfprof.model(path)
    assert counted.macs == macs, (name, counted.macs, macs)
    found = profile.overview()
    assert found['float_ops'] == counted.float_ops, (name, found['float_ops'], counted.float_ops)
    assert found['uncounted'] is None and not counted.not_counted
    # A saved profile has what was counted.
    profile.save(path + '.profile')
    assert tfprof.load(path + '.profile').overview()['float_ops'] == counted.float_ops
inputs = keras.Input([16, 8])
check('attention', layers.MultiHeadAttention(2, 4)(inputs, inputs), tf.ones([3, 16, 8]),
      3 * (4 * 16 * 8 * 8 + 2 * 16 * 16 * 8))
inputs = keras.Input([10, 6])
check('recurrent', layers.GRU(5)(inputs), tf.ones([2, 10, 6]), 2 * 10 * 3 * 5 * (6 + 5))
inputs = keras.Input([8, 8, 3])
check('convolution', layers.Dense(4)(layers.Flatten()(layers.Conv2D(5, 3, activation='relu')(
    inputs))), tf.ones([2, 8, 8, 3]), 2 * (36 * 5 * 27 + 180 * 4))
""")


@needs_tensorflow
def test_totals_say_what_they_lack():
    run("""
import tensorflow as tf, tfprof
function = tf.function(lambda x: tf.linalg.det(tf.linalg.inv(tf.matmul(x, x))), autograph=False)
profile = tfprof.profile_function(function, tf.eye(4), steps=2)
found = profile.overview()
lack = '2 kinds of operations not counted: MatrixDeterminant x1, MatrixInverse x1'
assert (found['float_ops'], found['uncounted']) == (2 * 4 ** 3, lack), found
assert f'128 ({lack})' in profile.describe(), profile.describe()
assert lack in profile.notes
""")


@needs_tensorflow
def test_open_shapes_are_those_that_ran(tmp_path):
    """A graph may leave the batch open; the program does not."""
    run(f"""
import keras, numpy, tensorflow as tf, tfprof
from keras import layers
product = tf.function(lambda x: tf.matmul(x, tf.ones([8, 4])), autograph=False,
                      input_signature=[tf.TensorSpec([None, 8])])
profile = tfprof.profile_function(product, tf.ones([6, 8]), steps=2)
assert profile.overview()['float_ops'] == 2 * 6 * 8 * 4
assert 'x 6x8' in profile.notes, profile.notes
model = keras.Sequential([keras.Input([8]), layers.Dense(16), layers.Dense(4)])
model.compile('sgd', 'mse')
# Nine batches of 16, and one of 8; there is no gradient for the input.
x, y = numpy.zeros([152, 8], 'f'), numpy.zeros([152, 4], 'f')
truth = 2 * 16 * (2 * 8 * 16 + 3 * 16 * 4)
for steps in ((0, 2), (4, 5), (9, 11), (10, 12)):
    callback = tfprof.KerasCallback(f'{tmp_path}/{{steps[0]}}', steps=steps)
    model.fit(x, y, batch_size=16, epochs=2, verbose=0, callbacks=[callback])
    counted = {{node.name: node.float_ops for node in callback.profile.op(select='float_ops',
                                                                      max_depth=100)}}
    assert counted['MatMul'] == truth, (steps, counted['MatMul'], truth)
    assert 'data 16x8, data_1 16x4' in callback.profile.notes, callback.profile.notes
""")


@needs_tensorflow
def test_trace_of_a_loop_and_of_fit(tmp_path):
    run(f"""
import os, tempfile, tensorflow as tf, tfprof, traced_models as m
tempfile.tempdir = {str(tmp_path / "temporary")!r}
os.mkdir(tempfile.tempdir)
model = m.make()
step = m.make_train_step(model)
images, labels = tf.constant(m.IMAGES), tf.constant(m.LABELS)
step(images, labels)
logdir = {str(tmp_path / "logs")!r}
for first in (5, 50):       # the second time to the same directory, within a second
    with tfprof.trace(logdir, graph=step.get_concrete_function(images, labels)) as t:
        for n in range(first, first + 3):
            with t.step(n):
                step(images, labels)
    assert t.profile.steps == list(range(first, first + 3))
    assert m.own_share(t.profile, step=first + 1) >= 0.95
assert tfprof.load(logdir).steps == [50, 51, 52]

model.fit(m.IMAGES, m.LABELS, batch_size=4, verbose=0)
with tfprof.trace() as t:
    model.fit(m.IMAGES, m.LABELS, batch_size=4, verbose=0)
assert len(t.profile.steps) == 4 and not t.profile.summary['has_code_traces']
assert t.profile.op()['IteratorGetNext'].exec_micros > 0
assert not [name for name in os.listdir(tempfile.tempdir) if name.startswith('tfprof')]
""")


@needs_tensorflow
def test_what_goes_wrong():
    done = run("""
import tensorflow as tf, tfprof, traced_models as m

def raised(kind, words, function):
    try:
        function()
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError('nothing was raised')

def nested():
    with tfprof.trace():
        with tfprof.trace(strict=True):
            pass

def failing():
    with tfprof.trace() as t:
        keep.append(t)
        raise KeyError('of the block')

def stopped():
    with tfprof.trace(strict=True):
        tf.profiler.experimental.stop(save=False)

keep = []
twice = tf.function(lambda x: x * 2)
raised(RuntimeError, 'only one recording at a time', nested)
raised(KeyError, 'of the block', failing)
raised(RuntimeError, 'an exception ended the block', lambda: keep[0].profile)
raised(RuntimeError, 'inside of with tfprof.trace()', lambda: keep[0].step(1))
raised(RuntimeError, "the program stopped TensorFlow's profiler", stopped)
raised(RuntimeError, 'JAX is not imported', lambda: tfprof.trace(framework='jax').__enter__())
raised(tfprof.ArgumentError, 'expected one of: tensorflow, jax',
       lambda: tfprof.trace(framework='torch').__enter__())
raised(tfprof.ArgumentError, 'logdir: expected a local directory', lambda: tfprof.trace('gs://x'))
raised(TypeError, 'graph: expected a tf.function', lambda: tfprof.trace(graph=3))
raised(tfprof.ArgumentError, 'steps: expected at least 1',
       lambda: tfprof.profile_function(twice, 1, steps=0))
raised(TypeError, 'warmup: expected a whole number',
       lambda: tfprof.profile_function(twice, 1, warmup=1.5))
raised(TypeError, 'the first and the last step', lambda: tfprof.KerasCallback('x', steps=5))
raised(tfprof.ArgumentError, 'not before it', lambda: tfprof.KerasCallback('x', steps=(5, 4)))

def untraced():
    with tfprof.trace(graph=tf.function(lambda x: x), strict=True):
        twice(tf.constant(1.0))

raised(ValueError, 'traced 0 times', untraced)
with tfprof.trace() as t:
    try:
        t.profile
    except RuntimeError as error:
        assert 'still being recorded' in str(error)
    twice(tf.constant(1.0))
assert t.profile.steps == [0]
with tfprof.trace() as t:
    pass
assert t.profile.steps == []
""")
    assert done.stderr.count("the trace has no operations") == 1, done.stderr


def test_nothing_is_imported(run_python):
    done = run_python("""
import tfprof
for call in (tfprof.trace().__enter__, lambda: tfprof.profile_function(len, [])):
    try:
        call()
    except (RuntimeError, TypeError) as error:
        print(error)
""")
    first, second = done.stdout.splitlines()
    assert first == ("Neither TensorFlow nor JAX is imported, so there is no profiler to record "
                     "with: import tensorflow or jax before tfprof.trace()")
    assert second == ("profile_function: neither TensorFlow nor JAX is imported, so there is no "
                      "profiler to record with: import tensorflow or jax first")


@needs_tensorflow
def test_function_that_is_compiled():
    """Its operations and their gradients are on lines, with the float operations of four
    products: nothing reads the value of the last."""
    run("""
import tensorflow as tf, tfprof
w = tf.Variable(tf.ones([64, 64]))
@tf.function(jit_compile=True)
def step(x):
    with tf.GradientTape() as tape:
        y = tf.tanh(x @ w) @ w
    return tape.gradient(y, [w])
profile = tfprof.profile_function(step, tf.ones([8, 64]), steps=2)
product = [row for row in profile.op() if row.name == 'MatMul'][0]
assert product.float_ops == 4 * 2 * 8 * 64 * 64, product.float_ops
lines = profile.code(account_type_regexes=['MatMul'])
assert lines[0].total_exec_micros == product.exec_micros > 0
assert any('(gradient)' in row.name and row.exec_micros for row in lines)
""")


@needs_tensorflow
def test_function_that_calls_compiled_ones():
    """Their operations have the lines inside of them; forward and backward are two programs."""
    run("""
import tensorflow as tf, tfprof, traced_models as m
model = m.make()
forward = tf.function(lambda images, training: model(images, training=training), jit_compile=True)
step = m.make_train_step(model, forward)
profile = tfprof.profile_function(step, m.IMAGES, m.LABELS, steps=2)
assert m.own_share(profile, step=1) >= 0.95, m.own_share(profile, step=1)
assert m.micros_at(profile, 'the line of conv') > 0
assert m.micros_at(profile, 'the line of conv', gradient=True) > 0
assert 'ambiguous' not in profile.notes, profile.notes
counted = {node.name: node.float_ops for node in profile.scope() if node.float_ops > 1e5}
forward = [name for name in counted if 'gradient' not in name and '/logits_1/MatMul/' in name]
assert [counted[name] for name in forward] == [m.PRODUCT], counted
assert not any(name.endswith('PartitionedCall') for name in counted), counted
""")


@needs_tensorflow
def test_collectives_of_two_devices():
    """Each replica reduces once per step."""
    run("""
import tensorflow as tf, tfprof
tf.config.set_logical_device_configuration(tf.config.list_physical_devices('CPU')[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])

def replica():
    context = tf.distribute.get_replica_context()
    return context.all_reduce('sum', tf.ones([64]))

@tf.function
def step():
    return strategy.run(replica)

step()
with tfprof.trace() as trace:
    for n in range(3):
        with trace.step(n):
            step()
reduced = [node for node in trace.profile.op(step=1) if node.name == 'CollectiveReduceV2']
assert [node.run_count for node in reduced] == [2], reduced
""")


# ---- the callback ------------------------------------------------------------------

@needs_tensorflow
def test_callback(tmp_path):
    done = run(f"""
import tfprof, traced_models as m
model = m.make()
for n in range(2):          # the second fit() has a traced step already
    callback = tfprof.KerasCallback({str(tmp_path)!r}, steps=(5, 9))
    model.fit(m.IMAGES, m.LABELS, batch_size=4, epochs=3, verbose=0, callbacks=[callback])
    assert callback.profile.steps == [5, 6, 7, 8, 9]
    assert m.micros_at(callback.profile, 'the line of conv') > 0
    assert 'train_step' not in vars(model)
late = tfprof.KerasCallback({str(tmp_path / 'late')!r}, steps=(2, 100), report=False)
beyond = tfprof.KerasCallback({str(tmp_path / 'beyond')!r}, steps=(50, 51), report=False)
model.fit(m.IMAGES, m.LABELS, batch_size=4, verbose=0, callbacks=[late])
assert late.profile.steps == [2, 3]
model.fit(m.IMAGES, m.LABELS, batch_size=4, verbose=0, callbacks=[beyond])
assert beyond.profile.steps == [3]
""")
    saved = tfprof.load(tmp_path)
    assert saved.steps == [5, 6, 7, 8, 9]
    assert saved.overview()["float_ops"] > 0 and saved.summary["has_code_traces"]
    assert os.path.exists(tmp_path / "profile_9") and os.path.exists(tmp_path / "late/profile_3")
    assert done.stdout.count("\ntfprof: A step takes ") == 2
    assert done.stdout.count("\n  5 steps; operation time, all threads: ") == 2
    assert f"more: tfprof {tmp_path}/profile_9\n" in done.stdout
    assert done.stdout.count("\n  layers that take most time:\n") == 2
    assert "ended after 4 steps: it profiled steps 2 to 3, not to 100" in done.stderr
    assert "training has 4 steps, too few for steps 50 to 51: it profiles step 3" in done.stderr


@needs_tensorflow
@pytest.mark.parametrize("at_once", [1, 2])
def test_callback_with_a_loop(at_once, tmp_path):
    """What runs in the loop of a layer, and in that over several batches, reaches a line."""
    done = run(f"""
import keras, numpy, tfprof
model = keras.Sequential([keras.layers.Input([16, 32]), keras.layers.LSTM(64)])
model.compile('sgd', 'mse', steps_per_execution={at_once})
x, y = numpy.ones([64, 16, 32], 'float32'), numpy.ones([64, 64], 'float32')
callback = tfprof.KerasCallback({str(tmp_path)!r}, (2, 3))
model.fit(x, y, batch_size=8, verbose=0, callbacks=[callback])
product = [row for row in callback.profile.op() if 'MatMul' in row.name]
lines = callback.profile.code(account_type_regexes=['.*MatMul.*'])
total = sum(row.exec_micros for row in product)
assert lines[0].total_exec_micros >= 0.9 * total > 0, (lines[0].total_exec_micros, total)
""")
    assert "\ntfprof: A step takes " in done.stdout
    assert f"\n  {'1 step' if at_once == 2 else '2 steps'}; operation time" in done.stdout


@needs_tensorflow
def test_callback_after_a_fit_that_raised(tmp_path):
    run(f"""
import keras, tfprof, traced_models as m

class Failing(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        if batch == 2:
            raise KeyError

model, callback = m.make(), tfprof.KerasCallback({str(tmp_path)!r}, steps=(1, 2), report=False)
try:
    model.fit(m.IMAGES, m.LABELS, batch_size=4, verbose=0, callbacks=[callback, Failing()])
except KeyError:
    pass
assert callback.profile is None
model.fit(m.IMAGES, m.LABELS, batch_size=4, verbose=0, callbacks=[callback])
assert callback.profile.steps == [1, 2]
""")


# ---- JAX -----------------------------------------------------------------------------

JAX = """
import jax, jax.numpy as jnp, tfprof
@jax.jit
def loss(w, x):
    hidden = x @ w
    return jnp.tanh(hidden).sum()
x = jnp.ones([64, 64])
"""


def test_jax(jax_python):
    run(JAX + """
profile = tfprof.profile_function(loss, x, x, steps=3)
assert profile.steps == [0, 1, 2]
def check(found):
    costs = loss.lower(x, x).compile().cost_analysis()
    costs = costs[0] if isinstance(costs, list) else costs
    assert found.total_matrix_float_ops == 2 * 64 ** 3, found
    assert found.total_float_ops == costs['flops'], (found, costs)
check(profile.op(select=['micros', 'float_ops', 'matrix_float_ops'])[0])
lines = [node for node in profile.code() if ':loss:' in node.name]
assert lines and sum(node.exec_micros for node in lines) == profile.op()[0].total_exec_micros
step = jax.jit(jax.grad(loss))
assert tfprof.profile_function(step.lower(x, x).compile(), x, x, steps=2).steps == [0, 1]
with tfprof.trace() as t:
    for n in range(7, 10):
        with t.step(n):
            step(x, x)              # nobody waits for it
assert t.profile.steps == [7, 8, 9]
counts = {sum(node.run_count for node in t.profile.op(step=n)) for n in t.profile.steps}
assert len(counts) == 1, counts
assert any('(gradient)' in node.name for node in t.profile.code())
""", jax_python)


def test_jax_errors(jax_python):
    done = run(JAX + """
try:
    with tfprof.trace() as t:
        1 / 0
except ZeroDivisionError:
    pass
with tfprof.trace() as t:
    pass
try:
    with tfprof.trace():
        with tfprof.trace(strict=True):
            pass
except RuntimeError as error:
    print(error)
with tfprof.trace() as outer:
    loss(x, x)
    with tfprof.trace() as t, t.step(1):
        loss(x, x)
assert outer.profile.steps == [0]
try:
    t.profile
except RuntimeError as error:
    print(error)
with tfprof.trace() as t:
    loss(x, x)
assert t.profile.op()[0].total_matrix_float_ops == 2 * 64 ** 3
""", jax_python)
    assert "\nJAX's profiler could not be started" in "\n" + done.stdout
    assert "there is no profile: recording could not be started: JAX's profiler" in done.stdout
    assert done.stderr.count("tfprof.trace: recording could not be started") == 1
    assert done.stderr.count("the trace has no operations") == 1


def test_tensorflow_and_jax_at_once(jax_python, tmp_path):
    run("import tensorflow as tf" + JAX + f"""
product = tf.function(lambda x: tf.matmul(x, x))
y = tf.ones([32, 32])
loss(x, x), product(y)
with tfprof.trace({str(tmp_path)!r}) as t:
    for n in range(3):
        with t.step(n):
            loss(x, x)
            product(y)
assert t.profile.steps == [0, 1, 2]
types = {{row.name for row in t.profile.op() if row.run_count}}
assert 'dot_general' in types or 'reduce_sum' in types, types
assert any('MatMul' in name for name in types), types

with tfprof.trace(framework='jax') as t:
    product(y)
    loss(x, x)
assert not any('MatMul' in row.name for row in t.profile.op())

def refuse(*unused, **more):
    raise OSError('one subscriber at most')

jax.profiler.start_trace = refuse
try:
    tfprof.trace(strict=True).__enter__()
except RuntimeError as error:
    assert str(error) == ("JAX's profiler cannot record together with TensorFlow's here: give "
                          "framework='tensorflow' or framework='jax' (one subscriber at most)"), error
with tfprof.trace(framework='tensorflow') as t:   # it was stopped
    product(y)
assert t.profile.steps == [0]
""", jax_python)
    assert sorted(os.listdir(tmp_path)) == ["jax", "tensorflow"]


def test_keras_on_jax(jax_python, tmp_path):
    run(f"""
import os
os.environ['KERAS_BACKEND'] = 'jax'
import keras, numpy, tfprof
model = keras.Sequential([keras.layers.Input([8]), keras.layers.Dense(4)])
model.compile('sgd', 'mse')
x, y = numpy.ones([64, 8], 'float32'), numpy.ones([64, 4], 'float32')
profile = tfprof.profile_function(model, x, steps=2)
assert profile.steps == [0, 1] and profile.op()[0].total_matrix_float_ops == 2 * 64 * 8 * 4
profile = tfprof.profile_function(model, x, y, steps=2)
assert profile.steps == [0, 1] and int(model.optimizer.iterations) == 4
callback = tfprof.KerasCallback({str(tmp_path)!r}, (2, 3), report=False)
model.fit(x, y, batch_size=8, verbose=0, callbacks=[callback])
assert callback.profile.steps == [2, 3]
""", jax_python)
    assert tfprof.load(tmp_path).steps == [2, 3]
