"""Model files that cannot be counted as they are: what is wrong, and what to do."""

import re
import subprocess
import zipfile

import pytest
import tree
from frozen import tf
from test_hostile import graph, node, shape
from test_models import FILES, count
from wire import field

import keras

OPEN = 2 ** 64 - 1  # -1: an unknown dimension
FLOAT = field(6, 1)


def placeholder(name, *dims):
    return node(name, "Placeholder", dtype=FLOAT, **({"shape": shape(*dims)} if dims else {}))


def run(path, *flags):
    done = subprocess.run([tree.program(), "model", str(path), *flags], capture_output=True,
                          text=True, check=False)
    assert done.returncode != 1 or done.stderr.count("\n") == 1
    return done


def refused(path, *flags):
    done = run(path, *flags)
    assert done.returncode == 1 and not done.stdout
    return done.stderr


def write(tmp_path, *nodes):
    file = tmp_path / "graph.pb"
    file.write_bytes(graph(nodes))
    return file


def test_an_input_of_unknown_size(tmp_path):
    file = write(tmp_path, placeholder("x", OPEN, OPEN, 32), node("y", "Relu", "x", T=FLOAT))
    assert ("input 'x' is ?x?x32 in the file: give --input_shapes=x:1x100x32\n"
            in refused(file))
    assert count(file, "--input_shapes=x:1x100x32")["total"]["float_ops"] == 3200


def test_an_input_of_unknown_rank(tmp_path):
    file = write(tmp_path, placeholder("x"), node("y", "Relu", "x", T=FLOAT))
    assert "input 'x' is of unknown rank in the file: give --input_shapes=x:" in refused(file)
    assert count(file, "--input_shapes=x:4x5")["total"]["float_ops"] == 20


def texts(model):
    return [note["text"] for note in model["notes"]]


def test_a_batch_that_does_not_fit(tmp_path):
    """x is a batch of rows of 100, y is what 128 of them make."""
    target = field(8, field(1, 3) + field(2, field(2, field(1, 1))) + field(7, OPEN))
    file = write(tmp_path, placeholder("x", OPEN, 100), placeholder("y", 12800),
                 node("flat", "Const", value=target, dtype=field(6, 3)),
                 node("reshape", "Reshape", "x", "flat", T=FLOAT),
                 node("sub_1", "Sub", "y", "reshape", T=FLOAT))
    assert ("batch 1 does not fit: 'sub_1' combines 12800 with 100; "
            "the file seems made for batch 128: give --batch_size=128\n") in refused(file)
    assert count(file, "--batch_size=128")["total"]["float_ops"] == 12800
    # With the batch that is asked for: what does not fit is not counted, and listed.
    model = count(file, "--batch_size=1")
    assert model["not_counted"] == {"Sub": 1} and model["total"]["float_ops"] == 0
    assert any("batch 1 does not fit: 'sub_1' combines 12800 with 100" in note
               for note in texts(model))


def test_shapes_that_fit_no_batch(tmp_path):
    file = write(tmp_path, placeholder("x", OPEN, 100), placeholder("y", 128, 7),
                 node("sub", "Sub", "x", "y", T=FLOAT), node("relu", "Relu", "x", T=FLOAT))
    model = count(file)
    assert model["not_counted"] == {"Sub": 1} and model["total"]["float_ops"] == 100
    assert "batch 1 does not fit: 'sub' combines 1x100 with 128x7" in texts(model)


def test_several_signatures(tmp_path):
    data = (FILES / "mlp/export/saved_model.pb").read_bytes()
    (tmp_path / "saved_model.pb").write_bytes(data.replace(b"serving_default", b"serving_another"))
    assert "several signatures: choose one with --signature: serve, serving_another\n" in refused(
        tmp_path)
    assert count(tmp_path, "--signature=serving_another")["total"]["macs"] == 50816


def test_arithmetic_of_another_compiler():
    model = count(FILES / "kerasjax")
    assert model["total"]["parameters"] == 51146
    assert model["not_counted"] == {"XlaCallModule": 1}
    assert any("StableHLO" in note and "count the .keras file" in note for note in texts(model))


def test_weights_that_are_not_those_of_the_configuration(tmp_path):
    with zipfile.ZipFile(FILES / "conv1d/model.keras") as old, \
            zipfile.ZipFile(tmp_path / "model.keras", "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "config.json":
                data = data.replace(b'"units": 3', b'"units": 4')
            new.writestr(name, data)
    model = count(tmp_path / "model.keras")
    assert texts(model) == [
        f"the weights in the file are 9091 numbers, not {9091 + 16 + 1} as the configuration says"]
    assert model["total"]["parameters"] == 9091


@pytest.mark.parametrize("name, data, message", [
    ("saved_model.cpb", b"x", "a SavedModel in chunks (saved_model.cpb)"),
    ("other.txt", b"x", "a directory without a saved_model.pb"),
])
def test_directories(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    assert f"it looks like {message}: expected a model" in refused(tmp_path)


def test_versions_that_keras_does_not_write(tmp_path):
    file = tmp_path / "model.h5"
    file.write_bytes(b"\x89HDF\r\n\x1a\n\x02" + bytes(200))
    assert "an HDF5 superblock of a version that Keras does not write (byte 8" in refused(file)


@pytest.mark.parametrize("name, pattern", [
    ("mlp/export/saved_model.pb", r"cut short at byte \d+ of 3000"),
    ("k2_small/model.h5", r"cut short, or an address beyond its end \(byte \d+ of 3000\)"),
    ("conv1d/model.keras", "a zip archive without its end: cut short"),
    ("conv1d/model.tflite", "damaged or cut short"),
])
def test_cut_short(name, pattern, tmp_path):
    file = tmp_path / "file"
    file.write_bytes((FILES / name).read_bytes()[:3000])
    assert re.search(pattern, refused(file))


def test_checkpoint_of_a_graph(tmp_path):
    """What the optimizer keeps is not the model's."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.variable_scope("net", use_resource=False):
        weights, bias = v1.get_variable("w", [5, 6]), v1.get_variable("b", [6])
        loss = tf.reduce_sum(tf.ones((2, 5)) @ weights + bias)
        v1.train.AdamOptimizer().minimize(loss, v1.train.get_or_create_global_step())
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            v1.train.Saver().save(session, str(tmp_path / "model.ckpt"))
    for name in ("model.ckpt", "model.ckpt.index"):
        model = count(tmp_path / name)
        assert model["total"]["parameters"] == 5 * 6 + 6
        assert [row["name"] for row in model["layers"]] == ["net"]
        assert texts(model) == [
            "a checkpoint has only variables: nothing but parameters is counted"]


def test_checkpoint_of_objects(tmp_path):
    net = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(4),
                            keras.layers.BatchNormalization()])
    net.compile("adam", "mse")
    net.fit(tf.ones((4, 8)), tf.ones((4, 4)), verbose=0)
    checkpoint = tf.train.Checkpoint(model=net, optimizer=net.optimizer)
    path = checkpoint.write(str(tmp_path / "model.ckpt"))
    assert count(path)["total"]["parameters"] == net.count_params()
