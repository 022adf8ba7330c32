"""tfprof.model: what a model costs, from files and from live objects."""

import pathlib

import pytest
import tfprof

FILES = pathlib.Path(__file__).parent.parent / "models" / "files"


def test_a_file():
    cost = tfprof.model(FILES / "mlp/export")
    assert (cost.parameters, cost.macs) == (51146, 50816)
    assert cost.total["trainable_parameters"] == 51018
    assert len(cost) == 3
    assert [row["macs"] for row in cost] == [50176, 0, 640]
    assert "50.82k multiply-accumulates" in str(cost)
    assert repr(cost) == "<model: 51,146 parameters, 50,816 MACs, 102,332 float operations>"
    assert "<td>50,240</td>" in cost._repr_html_()


def test_save(tmp_path):
    cost = tfprof.model(FILES / "mlp/export")
    cost.save(tmp_path / "cost.txt", "text")
    assert (tmp_path / "cost.txt").read_text() == cost.text
    with pytest.raises(tfprof.ArgumentError, match="loaded from this file"):
        cost.save(FILES / "mlp/export/saved_model.pb")


def test_bytes_and_batch_size():
    data = (FILES / "conv1d/model.keras").read_bytes()
    assert tfprof.model(data, batch_size=8).macs == 8 * 695408


def test_options():
    cost = tfprof.model(str(FILES / "bert_tiny/frozen.pb"), order_by="macs", device="T4")
    macs = [row["macs"] for row in cost]
    assert macs == sorted(macs, reverse=True)
    assert cost.total["min_seconds"] > 0
    with pytest.raises(TypeError, match="expected one of: batch_size"):
        tfprof.model(FILES / "mlp/export", batch=8)
    with pytest.raises(tfprof.ArgumentError, match="did you mean 'macs'"):
        tfprof.model(FILES / "mlp/export", order_by="mac")
    with pytest.raises(TypeError, match="expected a path"):
        tfprof.model(3)
    with pytest.raises(tfprof.FileError):
        tfprof.model("no/such/file")


def test_pandas():
    frame = tfprof.model(FILES / "mlp/export").to_pandas()
    assert list(frame["name"]) == ["dense", "batch_normalization", "dense_1"]
    assert frame["parameters"].sum() == 51146


def test_live_models():
    import keras
    import tensorflow as tf
    net = keras.Sequential([keras.layers.Input((32,)), keras.layers.Dense(64, activation="relu"),
                            keras.layers.Dense(10)])
    by_layer = tfprof.model(net, batch_size=2)
    assert by_layer.macs == 2 * (32 * 64 + 64 * 10)
    assert by_layer.parameters == net.count_params()
    function = tf.function(lambda x: net(x)).get_concrete_function(tf.TensorSpec([2, 32]))
    assert tfprof.model(function).macs == by_layer.macs
    assert tfprof.model(function).parameters == by_layer.parameters

    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = keras.layers.Dense(8)

        def call(self, x):
            return self.inner(x)

    own = Own()
    own(tf.ones((1, 4)))
    assert tfprof.model(own).macs == 32


def test_views_of_model_files():
    """All outputs of a profile work on model files; Arrow needs no package of its own."""
    for name in ("k2_small/model.h5", "conv1d/model.keras", "conv1d/model.tflite"):
        cost = tfprof.model(FILES / name)
        profile = tfprof.load(FILES / name)
        assert profile.scope(select="float_ops").root.total_float_ops == cost.float_ops
        assert sum(node.float_ops for node in profile.op(select="float_ops")) == cost.float_ops
        assert sum(profile.op(select="float_ops").to_arrow()["float_ops"].to_pylist()) \
            == cost.float_ops
    assert tfprof.load(keras=FILES / "conv1d/model.keras").overview()


def test_count_float_ops():
    path = FILES / "conv1d/frozen.pb"
    expected = tfprof.model(path).float_ops
    assert tfprof.load(path).scope().root.total_float_ops == 0
    assert tfprof.load(path, count_float_ops=True).scope().root.total_float_ops == expected
    assert tfprof.load(path).scope(count_float_ops=True).root.total_float_ops == expected


def test_hostile_names_are_text_in_notebooks():
    data = (FILES / "conv1d/model.tflite").read_bytes()
    name = max((row["name"] for row in tfprof.model(data)), key=len).encode()
    evil = b"<script>alert(1)</script>\"'&".ljust(len(name), b"<")[:len(name)]
    assert len(name) >= len("<script>alert(1)")
    page = tfprof.model(data.replace(name, evil))._repr_html_()
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page


def test_damaged_files(tmp_path):
    data = (FILES / "mlp/export/saved_model.pb").read_bytes()
    cut = tmp_path / "saved_model.pb"
    cut.write_bytes(data[:len(data) // 2])
    with pytest.raises(tfprof.Error, match=r"\(recover=True loads the intact parts\)"):
        tfprof.model(cut)
    for source in (cut, cut.read_bytes()):
        assert "recovered: dropped" in "\n".join(tfprof.model(source, recover=True).notes)
    unknown = data + b"\x9a\x06\x01x"  # field 99
    assert tfprof.model(unknown).macs == 50816
    with pytest.raises(tfprof.Error, match="unknown field"):
        tfprof.model(unknown, strict=True)
    with pytest.raises(tfprof.ArgumentError, match="strict and recover cannot be combined"):
        tfprof.model(data, strict=True, recover=True)


def test_lines_of_a_saved_model(tmp_path):
    """Saved with debug information, a model has lines of Python."""
    import tensorflow as tf

    class Model(tf.Module):
        def __init__(self):
            self.w = tf.Variable(tf.ones([64, 10]), name="w")

        @tf.function(input_signature=[tf.TensorSpec([None, 64], tf.float32, "x")])
        def call(self, x):
            return tf.matmul(x, self.w)

    model = Model()
    tf.saved_model.save(model, str(tmp_path), signatures=model.call.get_concrete_function(),
                        options=tf.saved_model.SaveOptions(save_debug_info=True))
    found = {}
    for given in ({"saved_model": tmp_path / "saved_model.pb"},
                  {"saved_model": (tmp_path / "saved_model.pb").read_bytes(),
                   "debug_info": tmp_path / "debug/saved_model_debug_info.pb"}):
        rows = tfprof.load(**given).code(select="float_ops,params", max_depth=1000)
        line = Model.call.python_function.__code__.co_firstlineno + 2
        found = {row.name: (row.total_parameters, row.total_float_ops) for row in rows
                 if row.name.startswith(f"test_model.py:{line}:call")}
        assert list(found.values()) == [(640, 2 * 640)]
    assert tfprof.model(tmp_path).parameters == 640
