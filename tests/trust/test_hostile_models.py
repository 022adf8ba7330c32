"""Malicious model files: names that control terminals, numbers that do not fit.
tools/check runs this with the sanitizers, too."""

import io
import json
import os
import pathlib
import re
import subprocess
import warnings
import zipfile

import h5py
import pytest
import tree

FILES = os.path.join(tree.TESTS, "models", "files")
HARM = [b"\x1b", b"\x07", b"\xe2\x80\xae", b"\xc2\x9b", b"\xff"]
NAMES = [b"keras_tensor", b"sequential", b"dense_1", b"MatMul", b"serving_default",
         b"StatefulPartitionedCall", b"2.21.0"]
BIG, SMALL = b"9223372036854775807", b"-9223372036854775808"


def read(path):
    with open(os.path.join(FILES, path), "rb") as file:
        return file.read()


def run(directory, *arguments):
    done = subprocess.run([tree.program(), *arguments], cwd=directory, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)
    printed = done.stdout + done.stderr
    assert done.returncode in (0, 1, 2), printed[-2000:]
    assert b"Sanitizer" not in printed and b"runtime error" not in printed, printed[-2000:]
    assert not [byte for byte in HARM if byte in printed], printed[-2000:]
    return done


def run_all(directory, name, other):
    for view in ("model", "scope", "op", "graph"):
        for more in ([], ["--recover"], ["--strict"]):
            run(directory, view, name, "--max_depth=100", *more)
    for output in ("stdout", "markdown"):
        run(directory, "diff", name, "--", os.path.join(FILES, other), f"--output={output}")
    run(directory, "model", name, "--signature=none")
    run(directory, "model", name, "--input_shapes=none:1x2")


@pytest.mark.parametrize("old", NAMES)
def test_names_of_a_saved_model(tmp_path, old):
    new = (b"\x1b[2J\x07\xe2\x80\xae\xff\xc2\x9b" + b"Z" * 40)[:len(old)]
    data = read("mlp/export/saved_model.pb")
    assert old in data
    (tmp_path / "saved_model.pb").write_bytes(data.replace(old, new))
    run_all(tmp_path, "saved_model.pb", "mlp/export/saved_model.pb")


@pytest.mark.parametrize("path", ["loop/model.tflite", "loop/frozen.pb", "tf1_ref/model.ckpt.meta",
                                  "k2_small/model.h5"])
def test_names_of_other_files(tmp_path, path):
    """Each letter of words of four letters and more is one that does harm."""
    data = read(path)
    for letter in (b"a", b"e", b"n"):
        for harm in (b"\x1b", b"\xff"):
            changed = re.sub(rb"[a-zA-Z_/0-9]{4,}", lambda word: word[0].replace(letter, harm), data)
            (tmp_path / "file").write_bytes(changed)
            for view in ("model", "scope", "op"):
                run(tmp_path, view, "file")


@pytest.mark.parametrize("path", ["mixed.keras", "bert_tiny/model.keras", "compiled.keras"])
@pytest.mark.parametrize("pattern, new", [
    (rb'"name": "', b'"name": "' + json.dumps("\x1b[2J\x07\u202e\u009b")[1:-1].encode()),
    (rb'"class_name": "', b'"class_name": "' + json.dumps("\x1b[2J\u202e")[1:-1].encode()),
    (rb'"units": \d+', b'"units": ' + BIG), (rb'"units": \d+', b'"units": -1'),
    (rb'"units": \d+', b'"units": 1e308'), (rb'"units": \d+', b'"units": "x"'),
    (rb": \d+", b": " + BIG), (rb": \d+", b": " + SMALL), (rb": \d+", b": 0"),
    (rb"\[null", b"[0"), (rb"\[null", b"[" + BIG), (rb"null", b"{}"), (rb"null", b"[[[[]]]]"),
    (rb'"[a-z_]+": ', b'"name": '),
], ids=range(14))
def test_configurations_of_keras(tmp_path, path, pattern, new):
    archive = zipfile.ZipFile(io.BytesIO(read(path)))
    with zipfile.ZipFile(tmp_path / "x.keras", "w", zipfile.ZIP_DEFLATED) as out:
        for name in archive.namelist():
            data = archive.read(name)
            out.writestr(name, re.sub(pattern, new.replace(b"\\", rb"\\"), data)
                         if name == "config.json" else data)
    for view in ("model", "scope", "op", "graph"):
        run(tmp_path, view, "x.keras", "--max_depth=100")
    run(tmp_path, "model", "x.keras", f"--batch_size={BIG.decode()}")
    run(tmp_path, "diff", "x.keras", "--", os.path.join(FILES, path))


@pytest.mark.parametrize("option", ["batch_size", "trip_count", "max_depth", "peak_flops"])
@pytest.mark.parametrize("value", [BIG.decode(), SMALL.decode(), "0", "-1", "9" * 30, "x", "1e400"])
def test_options_that_do_not_fit(tmp_path, option, value):
    for path in ("mlp/export/saved_model.pb", "loop/model.tflite", "mixed.keras", "loop/frozen.pb"):
        run(tmp_path, "model", os.path.join(FILES, path), f"--{option}={value}",
            *(["--peak_bandwidth=1"] if option == "peak_flops" else []))


def test_a_member_twice_in_an_archive(tmp_path):
    """Python reads the last of them, others the first: whose layers would be counted?"""
    model = pathlib.Path(tree.TESTS, "models", "files", "mixed.keras")
    other = b'{"class_name": "Sequential", "config": {"name": "other", "layers": []}}'
    path = tmp_path / "twice.keras"
    path.write_bytes(model.read_bytes())
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("config.json", other)
    done = subprocess.run([tree.program(), "model", path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "twice.keras: config.json is in the archive 2 times" in done.stderr


def test_links_of_hdf5_that_lead_back(tmp_path):
    path = tmp_path / "links.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = '{"class_name": "Sequential", "config": {"name": "s", "layers": []}}'
        group = file.create_group("model_weights")
        inner = group.create_group("a")
        inner["up"], inner["self"], file["root"] = group, inner, file["/"]
        inner.create_dataset("kernel", data=[[1.0, 2.0]])
        inner["soft"] = h5py.SoftLink("/model_weights/a/soft")
    done = subprocess.run([tree.program(), "model", path], capture_output=True, text=True, check=False,
                          timeout=20)
    assert done.returncode == 1
    assert "links.h5: " in done.stderr
