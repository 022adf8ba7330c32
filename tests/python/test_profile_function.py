"""profile_function() takes what people have, and refuses the rest with what to pass instead. Float
operations tell what ran: a product of matrices has 2 * rows * columns * depth of them."""

import pytest
from package_under_test import needs_tensorflow
from test_trace import jax_python, run  # noqa: F401

MODEL = """
import warnings, keras, numpy as np, tensorflow as tf, tfprof
warnings.simplefilter('ignore')
model = keras.Sequential([keras.Input([64]), keras.layers.Dense(256, name='a'),
                          keras.layers.Dense(10, name='b')])
model.compile('sgd', 'mse')
x, y = np.ones([64, 64], 'float32'), np.ones([64, 10], 'float32')
BATCH = 16
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
CALL = 2 * BATCH * (64 * 256 + 256 * 10)
TRAIN = 2 * BATCH * (2 * 64 * 256 + 3 * 256 * 10)    # no gradient for the input

def check(profile, products, steps=(0, 1)):
    assert profile.steps == list(steps), profile.steps
    counted = sum(row.float_ops for row in profile.op() if 'MatMul' in row.name)
    assert counted == products, (counted, products)

def profile(fn, *args, **more):
    return tfprof.profile_function(fn, *args, steps=2, warmup=1, **more)
"""


@needs_tensorflow
def test_a_model_is_called_or_trained_on_arrays_or_the_first_batch_of_a_dataset():
    run(MODEL + """
one = x[:BATCH], y[:BATCH]
check(profile(model, one[0]), CALL)
check(profile(model, *one), TRAIN)
check(profile(model, *one, mode='train'), TRAIN)
check(profile(model, *one, mode='predict'), CALL)
check(profile(model, dataset), TRAIN)
check(profile(model, dataset, mode='predict'), CALL)
n_before = int(model.optimizer.iterations)
check(profile(model, dataset, mode='train'), TRAIN)
assert int(model.optimizer.iterations) == n_before + 3
check(profile(model.call, one[0]), CALL)
class Batches(keras.utils.PyDataset):
    __len__ = lambda self: 4
    __getitem__ = lambda self, n: one
check(profile(model, Batches()), TRAIN)
check(profile(model, (pair for pair in [one])), TRAIN)

class Own(keras.Model):      # a training step of its own, which needs no targets
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(64)
    def call(self, x):
        return self.dense(x)
    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(data[0]) - data[0]) ** 2)
        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        return {'loss': loss}
own = Own()
own.compile('sgd', 'mse')
check(profile(own, one[0], mode='train'), 2 * 2 * BATCH * 64 * 64)
""")


@needs_tensorflow
def test_methods_of_a_model():
    run(MODEL + """
one = x[:BATCH], y[:BATCH]
check(profile(model.train_on_batch, *one), TRAIN)
check(profile(model.train_on_batch, dataset), TRAIN)
check(profile(model.test_on_batch, *one), CALL)
check(profile(model.predict_on_batch, dataset), CALL)
check(profile(model.fit, dataset), TRAIN, (1, 2))
check(profile(model.fit, x, y, batch_size=BATCH, epochs=2, validation_data=(x, y)), TRAIN, (1, 2))
check(profile(model.evaluate, x, y, batch_size=BATCH), CALL, (1, 2))
check(profile(model.predict, x, batch_size=BATCH), CALL, (1, 2))
seen = []
mine = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(batch))
check(profile(model.fit, dataset, callbacks=[mine]), TRAIN, (1, 2))
assert seen == [0, 1, 2, 3]          # it ran once
assert not {'train_step', 'test_step', 'predict_step'} & set(vars(model))
assert 'Watched' not in f'{model.train_function}{model.test_function}{model.predict_function}'
""")


@needs_tensorflow
def test_functions_of_tensorflow():
    done = run(MODEL + """
square = tf.function(lambda a: tf.matmul(a, a, transpose_a=True))
PRODUCT = 2 * BATCH * 64 * 64
check(profile(square, x[:BATCH]), PRODUCT)
check(profile(tf.function(lambda a, b: square(a)), dataset), PRODUCT)
check(profile(tf.function(lambda pair: square(pair[0])), dataset), PRODUCT)
import functools
check(profile(functools.partial(tf.function(lambda n, a: n * square(a)), 2.0), x[:BATCH]), PRODUCT)
iterator = iter(dataset.unbatch().batch(BATCH, drop_remainder=True).repeat())
check(profile(tf.function(lambda it: square(next(it)[0])), iterator), PRODUCT)

warnings.simplefilter('always')
calls = []
def plain(a):
    calls.append(a)
    return square(a) + 1
check(profile(plain, tf.constant(x[:BATCH])), PRODUCT)
assert len(calls) == 3
eager = profile(lambda a: tf.matmul(a, a), tf.ones([64, 64]))
assert [row.run_count for row in eager.op(step=1) if row.name == 'MatMul'] == [1]
""")
    assert done.stderr.count("the function is no tf.function, so what it does itself runs") == 2


@needs_tensorflow
def test_refusals_say_what_to_pass():
    run(MODEL + """
def refuses(words, *args, **more):
    try:
        tfprof.profile_function(*args, **more)
    except (TypeError, tfprof.ArgumentError) as error:
        assert words in str(error), error
        assert 'Exception encountered' not in str(error)
        assert error.__traceback__.tb_next is None or 'keras' not in str(error.__cause__)
        return
    raise AssertionError(words)

other = keras.Sequential([keras.Input([64]), keras.layers.Dense(4)])
a, b = keras.Input([4]), keras.Input([4])
two = keras.Model([a, b], keras.layers.Add()([a, b]))
refuses('pass an instance', keras.Sequential, x)
refuses('tfprof.model(path)', 'model.keras', x)
refuses('a function that takes its batches', dataset)
refuses('got NoneType', None)
refuses("have shape (None, 64), got (64, 5)", model, x[:, :5])
refuses("have shape (None, 64), got (64, 5)", model, x[:, :5], y)
refuses('expected shape (None, 64)', model)
refuses('needs targets', model, x, mode='train')
refuses('expected one of: train, predict', model, x, mode='fit')
refuses('leave mode out', tf.function(lambda a: a), x, mode='train')
refuses('call model.compile(optimizer, loss) first', other, x, y, mode='train')
refuses('call model.compile(optimizer, loss) first', other, x, y)
refuses('a list of 2: profile_function(model, [a, b])', two, x[:, :4], x[:, :4])
refuses('keras.Sequential', keras.layers.Dense(2), x, y, mode='train')
refuses('the dataset is empty', model, dataset.take(0))
assert profile(two, [x[:, :4], x[:, :4]]).steps == [0, 1]
""")


def test_functions_of_jax(jax_python):  # noqa: F811
    done = run("""
import jax, jax.numpy as jnp, numpy as np, tfprof
x = np.ones([64, 64], 'float32')

def plain(a):
    return jnp.tanh(a @ a)

profile = tfprof.profile_function(plain, x, steps=2)
assert profile.op()[0].total_float_ops == 2 * 64 ** 3, profile.op()
assert any(':plain:' in node.name for node in profile.code())

def branches(a):                 # on a value: it cannot be jitted
    return a @ a if a.sum() > 0 else a

assert tfprof.profile_function(branches, x, steps=2).steps == [0, 1]
""", jax_python)
    assert done.stderr.count("it is profiled as jax.jit(fn)") == 1
    assert done.stderr.count("cannot be jitted (TracerBoolConversionError)") == 1


def test_the_framework_of_a_function_is_that_of_its_arguments(jax_python):  # noqa: F811
    run("""
import warnings, jax, jax.numpy as jnp, tensorflow as tf, tfprof
warnings.simplefilter('ignore')
run = tfprof.profile_function
assert 'MatMul' in str(run(lambda a: a @ a, tf.ones([8, 8]), steps=2).op())
assert 'dot_general' in str(run(lambda a: a @ a, jnp.ones([8, 8]), steps=2).op())
assert 'dot_general' in str(run(lambda: jnp.ones([8, 8]) @ jnp.ones([8, 8]), steps=2).op(max_depth=99))
try:
    run(lambda a: a, 1)
except TypeError as error:
    assert 'both imported: pass tf.function(fn) or jax.jit(fn)' in str(error)
else:
    raise AssertionError
""", jax_python)


@needs_tensorflow
@pytest.mark.parametrize("n_steps, steps, said", [
    (20, [10, 11, 12, 13, 14, 15], ""),
    (16, [10, 11, 12, 13, 14, 15], ""),
    (15, [10, 11, 12, 13, 14], "the last third, steps 10 to 14"),
    (4, [3], "it profiles step 3"),
    (1, [0], "in which the step is also traced")])
def test_a_callback_takes_the_last_third_of_few_steps(n_steps, steps, said, tmp_path):
    done = run(MODEL + f"""
warnings.simplefilter('always')
n = {n_steps}
for call in (lambda **more: model.fit(x[:n], y[:n], **more),
             lambda **more: model.evaluate(x[:n], y[:n], **more),
             lambda **more: model.predict(x[:n], **more)):
    callback = tfprof.KerasCallback({str(tmp_path)!r}, report=False)
    call(batch_size=1, verbose=0, callbacks=[callback])
    assert callback.profile.steps == {steps}
    counted = sum(row.float_ops for row in callback.profile.op() if 'MatMul' in row.name)
    assert counted in (CALL // BATCH, TRAIN // BATCH), counted
if n == 4:
    callback = tfprof.KerasCallback({str(tmp_path)!r}, report=False)
    model.fit(x[:n], y[:n], batch_size=1, epochs=5, verbose=0, callbacks=[callback])
    assert callback.profile.steps == [10, 11, 12, 13, 14, 15]
""")
    assert done.stderr.count("too few for steps 10 to 15") == (3 if said else 0)
    assert said in done.stderr
