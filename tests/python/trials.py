"""Programs with a planted truth, tried as a new user would.  trials.py [NAME...]

Each trial builds and runs something with TensorFlow/Keras, asks tfprof, and returns rows (what, got, lowest, highest). Run in an environment
with tensorflow-cpu and the tfprof package. Exits with the number of rows outside of their bounds. Times are compared as shares, never as milliseconds.
They are examples of a kind, not the list: other programs of the same kinds will be tried."""
import os, sys, tempfile, time, traceback
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
import numpy as np, tensorflow as tf, keras, tfprof
from keras import layers

TRIALS = {}
def trial(f): TRIALS[f.__name__] = f; return f
def types(result, metric='exec_micros'):
    """Share of each operation type in an op view."""
    v = {n.name: getattr(n, metric) for n in result}; total = sum(v.values()) or 1
    return {k: x / total for k, x in v.items()}
def float_ops(profile): return profile.scope(select='float_ops', max_depth=1).root.total_float_ops

def resnet():
    def block(x, filters, name):
        y = layers.Conv2D(filters, 3, padding='same', name=name + '_c1')(x)
        y = layers.BatchNormalization(name=name + '_bn1')(y)
        y = layers.Conv2D(filters, 3, padding='same', name=name + '_c2')(layers.ReLU(name=name + '_r1')(y))
        if x.shape[-1] != filters: x = layers.Conv2D(filters, 1, name=name + '_proj')(x)
        return layers.ReLU(name=name + '_out')(layers.Add(name=name + '_add')([x, y]))
    i = keras.Input([32, 32, 3]); x = layers.Conv2D(16, 3, padding='same', name='stem')(i)
    x = block(block(x, 16, 'b1'), 64, 'wide'); x = block(layers.MaxPooling2D(name='pool')(x), 16, 'b3')
    return keras.Model(i, layers.Dense(10, name='head')(layers.GlobalAveragePooling2D(name='gap')(x)))

@trial
def fused_convolutions():
    """The time of a fused kernel belongs to its convolution: in the raw trace these kernels are ~90 % of the time."""
    logs = tempfile.mkdtemp(); m = resnet(); x = tf.random.uniform([8, 32, 32, 3])
    p = tfprof.profile_function(m, x, logdir=logs, steps=10)
    plain = tfprof.load(logs); raw = types(plain.op(select=['micros'])); want = sum(v for k, v in raw.items() if 'Conv2D' in k)
    # The kernel has the name of the last node that was fused: the addition behind wide_c2 with oneDNN, its bias without.
    nodes = plain.scope(select=['micros', 'op_types']); kernel = sum(n.exec_micros for n in nodes if ('wide_c2' in n.name or 'wide_add' in n.name)
                 and any('Conv2D' in t for t in n.op_types)) / nodes.root.total_exec_micros
    got = types(p.op(select=['micros'])); scope = p.scope(select=['micros'])
    heavy = sum(n.exec_micros for n in scope if '/wide_c2' in n.name or 'wide_c2/' in n.name) / max(1, sum(n.exec_micros for n in scope))
    return [('share of convolutions', sum(v for k, v in got.items() if 'Conv2D' in k), want - .05, 1), ('its kernel in the plain trace', kernel, .05, 1),
            ('share of layer wide_c2, 66 % of the work', heavy, kernel - .05, kernel + .05)]

@trial
def fused_in_loop():
    d = layers.Dense(64, activation='relu'); d.build([8, 64])
    @tf.function
    def f(x):
        for _ in tf.range(100): x = d(x)
        return x
    w = 100 * 2 * 8 * 64 * 64
    return [('float operations', float_ops(tfprof.profile_function(f, tf.ones([8, 64]))), w, 1.05 * w)]

@trial
def gru():
    i = keras.Input([None, 64]); m = keras.Model(i, layers.GRU(24, name='gru')(i)); w = 2 * 8 * 40 * 3 * 24 * (64 + 24)
    return [('float operations', float_ops(tfprof.profile_function(m, tf.random.uniform([8, 40, 64]))), w, 1.1 * w)]

@trial
def attention():
    """Keras's MultiHeadAttention is Einsum."""
    n, d, h = 64, 32, 4; i = keras.Input([n, d]); m = keras.Model(i, layers.MultiHeadAttention(h, d // h, name='mha')(i, i))
    w = 2 * 4 * (4 * n * d * d + 2 * n * n * d)
    p = tfprof.profile_function(m, tf.random.uniform([4, n, d]))
    return [('float operations', float_ops(p), w, 1.25 * w)]

@trial
def batch_of_a_dataset():
    m = keras.Sequential([keras.Input([64]), layers.Dense(256, name='a'), layers.Dense(10, name='b')]); m.compile('sgd', 'mse')
    ds = tf.data.Dataset.from_tensor_slices((np.zeros([640, 64], 'f'), np.zeros([640, 10], 'f'))).batch(16)
    cb = tfprof.KerasCallback(tempfile.mkdtemp(), steps=(10, 15)); m.fit(ds, verbose=0, callbacks=[cb])
    w = 2 * 16 * (64 * 256 * 2 + 256 * 10 * 3)  # no gradient for the input
    return [('float operations of a training step', float_ops(cb.profile), w, 1.3 * w)]

def share_more(less, more):
    """By how much of its time `more` takes longer than `less`. What disturbs a run only adds to it, and disturbs neighbours alike: so both
    are read in turn, and the least times compared, until the third least would say the same. None if they never do."""
    a, b = [], []
    for _ in range(9):
        a.append(less()); b.append(more())
        low, high = (1 - sorted(a)[i] / sorted(b)[2 - i] for i in (2, 0)) if len(a) > 2 else (0, 1)
        if low > .3 or high <= .05: return 1 - min(a) / min(b)

def input_share(mode):
    """Share of a step spent waiting for input, by the clock: a step with its pipeline against one with the batch at hand."""
    X = np.random.rand(16, 32, 32, 3).astype('f'); Y = np.zeros(16, 'int32')
    def slow(x, y):
        a = tf.ones([600, 600])
        for _ in range(9): a = tf.matmul(a, a) * 1e-6 + tf.random.uniform([])
        return x + 0 * a[0, 0], y
    base = tf.data.Dataset.from_tensors((X, Y)).repeat(48)
    ds = {'map': base.map(slow), 'sleep': base.map(lambda x, y: (tf.ensure_shape(tf.numpy_function(lambda v: (time.sleep(.02), v)[1], [x], tf.float32), [16, 32, 32, 3]), y)), 'none': base}[mode]
    m = keras.Sequential([keras.Input([32, 32, 3]), layers.Conv2D(8, 3, activation='relu'), layers.Flatten(), layers.Dense(10)])
    m.compile('sgd', keras.losses.SparseCategoricalCrossentropy(from_logits=True)); m.fit(base, verbose=0)
    def clock(d): t = time.perf_counter(); m.fit(d, verbose=0); return time.perf_counter() - t
    clock(ds); truth = 0 if ds is base else share_more(lambda: clock(base), lambda: clock(ds))
    cb = tfprof.KerasCallback(tempfile.mkdtemp(), steps=(20, 28)); m.fit(ds, verbose=0, callbacks=[cb])
    return truth, cb.profile

@trial
def input_bound():
    rows = []
    for mode in 'map', 'sleep', 'none':
        truth, p = input_share(mode)
        if truth is None: rows.append((mode + ': the clock settles', 0, 1, 1)); continue
        found = any('nput' in f['checker'] and f['level'] in ('warning', 'high') for f in p.advise())
        rows.append(('%s: truth %.0f %% waiting; input named as a problem' % (mode, 100 * truth), int(found), int(truth > .3), int(truth > .05)))
    return rows

@trial
def lines_add_up():
    """Eager work and Python between steps are in code view, and lines add up to operations."""
    w = tf.random.normal([256, 256])
    @tf.function
    def step(x): return tf.matmul(x, w)
    def hog(y):
        for i in range(100): float(tf.reduce_sum(y[i]))
    x = tf.random.normal([256, 256]); hog(step(x))
    with tfprof.trace(graph=step) as t:
        for i in range(4):
            with t.step(i): hog(step(x))
    p = t.profile; op = sum(n.exec_micros for n in p.op(select=['micros'])); code = p.code(select=['micros'])
    return [('sum over lines / sum over operations', code.root.total_exec_micros / max(1, op), .98, 1.02),
            ('share of the hog or of eager work', sum(n.exec_micros for n in code if 'hog' in n.name or 'eager' in n.name) / max(1, op), .5, 1)]

@trial
def gate_of_the_uncounted():
    import subprocess
    @keras.saving.register_keras_serializable()
    class Mix(layers.Layer):
        def build(self, s): self.w = self.add_weight(shape=[s[-1], s[-1]], name='w')
        def call(self, x): return tf.matmul(x, self.w)
        def compute_output_shape(self, s): return s
    i = keras.Input([128]); m = keras.Model(i, layers.Dense(10)(Mix(name='mix')(layers.Dense(128)(i)))); f = tempfile.mkdtemp() + '/m.keras'; m.save(f)
    r = subprocess.run([os.environ.get('TFPROF_PROGRAM') or os.path.join(os.path.dirname(sys.executable), 'tfprof'), 'model', f, '--fail_if=macs>20k'], capture_output=True)
    return [('exit status (4: cannot tell)', r.returncode, 4, 4)]

if __name__ == '__main__':
    bad = 0
    for name in sys.argv[1:] or TRIALS:
        try: rows = TRIALS[name]()
        except Exception: traceback.print_exc(); rows = [('raised', 1, 0, 0)]
        for what, got, low, high in rows:
            ok = low <= got <= high; bad += not ok
            print('%-22s %-70s %14.6g  %s [%.6g, %.6g]' % (name, what, got, 'ok  ' if ok else 'OUT ', low, high), flush=True)
    sys.exit(bad)
