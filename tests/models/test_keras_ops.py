"""Operations of keras.ops that a model calls: as .keras file they have the shapes that Keras
says and the multiply-accumulates and float operations of the frozen graph."""

import pytest
from frozen import freeze
from test_models import count

import keras
from keras import layers as L
from keras import ops

W, I = (10, 6), (8, 8, 3)
OPS = {
    "add": ([W, W], lambda a, b: ops.add(a, b)),
    "plus_const": ([W], lambda a: a * 2.0 + 1.0),
    "sub_rev": ([W], lambda a: 1.0 - a),
    "subtract": ([W, W], lambda a, b: ops.subtract(a, b)),
    "multiply": ([W, (6, )], lambda a, b: ops.multiply(a, ops.expand_dims(b, 1))),
    "divide": ([W, W], lambda a, b: a / b),
    "power": ([W], lambda a: a**2),
    "matmul": ([W, (6, 4)], lambda a, b: ops.matmul(a, b)),
    "reshape": ([W], lambda a: ops.reshape(a, (-1, 5, 12))),
    "mean": ([W], lambda a: ops.mean(a, axis=1)),
    "mean_keep": ([W], lambda a: ops.mean(a, axis=-1, keepdims=True)),
    "mean_all": ([W], lambda a: ops.mean(a)),
    "sum": ([W], lambda a: ops.sum(a, axis=(1, 2))),
    "max": ([W], lambda a: ops.max(a, axis=1)),
    "min": ([W], lambda a: ops.min(a, axis=1)),
    "var": ([W], lambda a: ops.var(a, axis=-1, keepdims=True)),
    "std": ([W], lambda a: ops.std(a, axis=-1)),
    "einsum": ([W, (7, 6)], lambda a, b: ops.einsum("bic,bjc->bij", a, b)),
    "concatenate": ([W, W], lambda a, b: ops.concatenate([a, b], axis=1)),
    "softmax": ([W], lambda a: ops.softmax(a, axis=-1)),
    "log_softmax": ([W], lambda a: ops.log_softmax(a, axis=-1)),
    "transpose": ([W], lambda a: ops.transpose(a, (0, 2, 1))),
    "transpose_none": ([W], lambda a: ops.transpose(a)),
    "stack": ([W, W], lambda a, b: ops.stack([a, b], axis=1)),
    "split": ([W], lambda a: ops.split(a, 2, axis=1)[1]),
    "getitem": ([W], lambda a: a[:, 0]),
    "getitem2": ([W], lambda a: a[:, 2:7:2, ::-1]),
    "expand": ([W], lambda a: ops.expand_dims(a, 1)),
    "squeeze": ([(1, 6)], lambda a: ops.squeeze(a, 1)),
    "relu": ([W], lambda a: ops.relu(a)),
    "gelu": ([W], lambda a: ops.gelu(a)),
    "silu": ([W], lambda a: ops.silu(a)),
    "sigmoid": ([W], lambda a: ops.sigmoid(a)),
    "tanh": ([W], lambda a: ops.tanh(a)),
    "exp": ([W], lambda a: ops.exp(a)),
    "log": ([W], lambda a: ops.log(a)),
    "sqrt": ([W], lambda a: ops.sqrt(a)),
    "rsqrt": ([W], lambda a: ops.rsqrt(a)),
    "abs": ([W], lambda a: ops.abs(a)),
    "sin": ([W], lambda a: ops.sin(a)),
    "cos": ([W], lambda a: ops.cos(a)),
    "square": ([W], lambda a: ops.square(a)),
    "neg": ([W], lambda a: -a),
    "erf": ([W], lambda a: ops.erf(a)),
    "softplus": ([W], lambda a: ops.softplus(a)),
    "elu": ([W], lambda a: ops.elu(a)),
    "leaky": ([W], lambda a: ops.leaky_relu(a)),
    "hard_sigmoid": ([W], lambda a: ops.hard_sigmoid(a)),
    "swish": ([W], lambda a: ops.hard_silu(a)),
    "relu6": ([W], lambda a: ops.relu6(a)),
    "selu": ([W], lambda a: ops.selu(a)),
    "clip": ([W], lambda a: ops.clip(a, 0, 1)),
    "maximum": ([W, W], lambda a, b: ops.maximum(a, b)),
    "minimum": ([W, W], lambda a, b: ops.minimum(a, b)),
    "where": ([W, W], lambda a, b: ops.where(a > b, a, b)),
    "cast": ([W], lambda a: ops.cast(a, "float16")),
    "pad": ([W], lambda a: ops.pad(a, [[0, 0], [1, 2], [0, 0]])),
    "tile": ([W], lambda a: ops.tile(a, [1, 2, 1])),
    "repeat": ([W], lambda a: ops.repeat(a, 3, axis=1)),
    "broadcast": ([(1, 6)], lambda a: ops.broadcast_to(a, (1, 4, 6))),
    "argmax": ([W], lambda a: ops.argmax(a, axis=-1)),
    "top_k": ([W], lambda a: ops.top_k(a, 2)[0]),
    "one_hot": ([W], lambda a: ops.one_hot(ops.argmax(a, axis=-1), 6)),
    "average_pool": ([I], lambda a: ops.average_pool(a, 2)),
    "max_pool": ([I], lambda a: ops.max_pool(a, 2)),
    "resize": ([I], lambda a: ops.image.resize(a, (4, 4))),
    "l2norm": ([W], lambda a: ops.norm(a, axis=-1)),
    "normalize": ([W], lambda a: ops.normalize(a, axis=-1)),
    "cumsum": ([W], lambda a: ops.cumsum(a, axis=1)),
    "flip": ([W], lambda a: ops.flip(a, axis=1)),
    "roll": ([W], lambda a: ops.roll(a, 1, axis=1)),
    "swapaxes": ([W], lambda a: ops.swapaxes(a, 1, 2)),
    "moveaxis": ([W], lambda a: ops.moveaxis(a, 1, 2)),
    "logsumexp": ([W], lambda a: ops.logsumexp(a, axis=-1)),
    "attention": (
        [(10, 2, 4), (10, 2, 4), (10, 2, 4)], lambda q, k, v: ops.dot_product_attention(q, k, v)),
    "ravel": ([W], lambda a: ops.ravel(a)),
    "floor": ([W], lambda a: ops.floor(a)),
    "round": ([W], lambda a: ops.round(a)),
    "equal": ([W, W], lambda a, b: ops.cast(ops.equal(a, b), "float32")),
    "logical": ([W, W], lambda a, b: ops.logical_and(a > 0, b > 0)),
    "unstack": ([W], lambda a: ops.unstack(a, axis=1)[0]),
    "layernorm": ([W], lambda a: ops.rms_normalization(a, None)),
    "zeros_like": ([W], lambda a: ops.zeros_like(a)),
    "last": ([W], lambda a: a[..., -1]),
    "row": ([W], lambda a: a[0]),
    "new axis": ([W], lambda a: a[:, None, :4]),
    "split at": ([W], lambda a: ops.split(a, [3, 4], axis=1)[0]),
    "take by": ([W, (3,)], lambda a, b: ops.take(a[0], ops.cast(b, "int32")[0], axis=1)),
}
# A graph takes more steps: for zeros of either sign, to keep from dividing by 0.
SPELLED = {"argmax", "one_hot", "normalize", "attention", "layernorm"}


@pytest.mark.parametrize("name", OPS)
def test_operation(name, tmp_path):
    keras.backend.clear_session()
    shapes, call = OPS[name]
    inputs = [keras.Input(shape) for shape in shapes]
    model = keras.Model(inputs, call(*inputs))
    model.save(tmp_path / "model.keras")
    freeze(model, tmp_path / "graph.pb")
    ours, graph = count(tmp_path / "model.keras"), count(tmp_path / "graph.pb")
    assert not ours["not_counted"]
    assert ours["total"]["macs"] == graph["total"]["macs"]
    if name not in SPELLED:
        assert ours["total"]["float_ops"] == graph["total"]["float_ops"]
    expected = keras.Model(inputs, model.output)([keras.ops.ones((1, *s)) for s in shapes]).shape
    assert ours["layers"][-1]["output_shapes"] == [list(expected)]


def test_constant_operands_are_listed(tmp_path):
    """What is only in the file as a constant has no shape here."""
    x = keras.Input(I)
    y = ops.conv(x, ops.ones((3, 3, 3, 4)), padding="same")
    keras.Model(x, L.Dense(2)(y)).save(tmp_path / "model.keras")
    counted = count(tmp_path / "model.keras")
    assert counted["not_counted"] == {"Conv": 1}
    assert counted["total"]["macs"] == 8 * 8 * 4 * 2
