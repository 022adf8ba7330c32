"""The line of a layer that Keras calls is the one that made it, in code view of recordings. Float
operations tell which layer a line is of."""

from package_under_test import needs_tensorflow
from test_trace import run

MODELS = """
import copy, pickle, sys, tfprof
assert 'keras' not in sys.modules; import numpy as np, tensorflow as tf
layers, Model, Sequential, Input = (tf.keras.layers, tf.keras.Model, tf.keras.Sequential, tf.keras.Input)
x = np.ones([8, 64], 'float32')

def products(profile):
    '''Float operations of products, forward, by the last line of their stack.'''
    found = {}
    for node in profile.code(select='float_ops', account_type_regexes=['MatMul', '.*Einsum']):
        if node.float_ops and '(gradient)' not in node.name:
            line = int(node.name.split(':')[1])
            found[line] = found.get(line, 0) + node.float_ops
    return found
"""


@needs_tensorflow
def test_layers_have_the_lines_that_made_them():
    """Also where names of operations and of layers end in numbers, and Keras was not imported
    before tfprof."""
    run(MODELS + """
def make(n):
    return layers.Dense(n)              # 17


model = Sequential([Input([64]),
                    layers.Dense(100),  # 21
                    layers.Dense(50),   # 22
                    make(10),           # helpers count
                    layers.Dense(5, name='dense_7'),    # 24
                    layers.Dense(2, name='dense_7_1')]) # 25
model.compile('sgd', 'mse')
want = {21: 2 * 8 * 64 * 100, 22: 2 * 8 * 100 * 50, 17: 2 * 8 * 50 * 10, 24: 2 * 8 * 10 * 5,
        25: 2 * 8 * 5 * 2}
assert products(tfprof.profile_function(model, x, steps=1)) == want
y = np.ones([8, 2], 'float32')
for trained in (tfprof.profile_function(model, x, y, steps=1),
                tfprof.profile_function(model.train_on_batch, x, y, steps=1),
                tfprof.profile_function(model.fit, x, y, epochs=4, steps=1)):
    assert products(trained) == want, (products(trained), want)

@tf.function
def step(x):
    return model(x) + model(x)

assert products(tfprof.profile_function(step, x, steps=1)) == {n: 2 * ops for n, ops in want.items()}
""")


@needs_tensorflow
def test_models_in_models_and_code_of_the_users_own():
    run(MODELS + """
class Own(layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = layers.Dense(16)
    def call(self, x):
        return self.inner(x)            # 21

inputs = Input([64])
branch = Sequential([layers.Dense(32),  # 24
                     Own()], name='branch')
hidden = branch(inputs)
hidden = layers.Lambda(
    lambda x: tf.matmul(x, tf.ones([16, 4])))(hidden)       # 28
model = Model(inputs, layers.Dense(3)(hidden))              # 29
assert products(tfprof.profile_function(model, x, steps=1)) == {
    24: 2 * 8 * 64 * 32, 21: 2 * 8 * 32 * 16, 28: 2 * 8 * 16 * 4, 29: 2 * 8 * 4 * 3}

class Big(Model):
    def __init__(self):
        super().__init__()
        self.part = Sequential([layers.Dense(20),           # 36
                                layers.Dense(6)])           # 37
        self.head = layers.Dense(4)
    def call(self, x):
        return self.head(self.part(x))  # 40

assert products(tfprof.profile_function(Big(), x, steps=1)) == {
    36: 2 * 8 * 64 * 20, 37: 2 * 8 * 20 * 6, 40: 2 * 8 * 6 * 4}

# Two models of one name: the one that has the layers.
first = Sequential([Input([64]), layers.Dense(9, name='a')], name='twin')
second = Sequential([Input([64]), layers.Dense(7, name='b')], name='twin')  # 47
assert products(tfprof.profile_function(second, x, steps=1)) == {47: 2 * 8 * 64 * 7}
""")


@needs_tensorflow
def test_noting_lines_changes_nothing_for_keras(tmp_path):
    run(MODELS + f"""
class Equal(layers.Layer):              # without a hash
    def __eq__(self, other):
        return self is other

class Positional(layers.Layer):
    def __init__(self, units, scale=2, **more):
        super().__init__(**more)
        self.units, self.scale = units, scale

Equal()
made = Positional(3, scale=4, name='p')
assert made.get_config()['units'] == 3 and made.get_config()['scale'] == 4
assert Positional.from_config(made.get_config()).scale == 4
model = Sequential([Input([64]), layers.Dense(5)])
for other in (tf.keras.models.clone_model(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
    assert other.get_config()['layers'][1]['config']['units'] == 5
model.save({str(tmp_path / 'm.keras')!r})
assert tf.keras.models.load_model({str(tmp_path / 'm.keras')!r}).count_params() == 325
try:
    layers.Dense()
except TypeError as error:
    assert 'units' in str(error)
from tfprof import _layer_lines
n_finders = len(sys.meta_path)
_layer_lines.watch()
_layer_lines.watch()
assert len(sys.meta_path) == n_finders and not hasattr(tf.keras.layers.Layer.__new__.__wrapped__, '_of_tfprof')
import gc
del model, made, other
gc.collect()
assert len(_layer_lines._lines) < 20        # it keeps no layer alive
""")
