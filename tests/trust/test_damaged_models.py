"""Model files that are damaged or cut short: --recover loads the intact parts, --strict refuses what
would be ignored, and what cannot be recovered says what to do."""

import gzip
import os
import re
import subprocess

import pytest
import tree
from wire import field

FILES = os.path.join(tree.TESTS, "models", "files")
MODELS = {
    "saved_model": "mlp/export/saved_model.pb",
    "meta_graph": "tf1_ref/model.ckpt.meta",
    "graph": "loop/frozen.pb",
}
OTHERS = {"keras": "mixed.keras", "keras_h5": "k2_small/model.h5", "tflite": "loop/model.tflite"}
NOTE = re.compile(r"recovered: dropped (\d+) of (\d+) bytes \((\d+) damaged messages?\): "
                  r"(\d+) from byte (\d+) on")


def good(kind):
    with open(os.path.join(FILES, {**MODELS, **OTHERS}[kind]), "rb") as file:
        return file.read()


def run(directory, command, data, *flags):
    (directory / "file").write_bytes(data)
    done = subprocess.run([tree.program(), command, "file", "--max_depth=1000", *flags], cwd=directory,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    assert done.returncode == 0 or not done.stdout and done.stderr.startswith("tfprof: file: ")
    return done


def said(done):
    return done.stdout + done.stderr


@pytest.mark.parametrize("command", ["scope", "model"])
@pytest.mark.parametrize("kind", MODELS)
def test_good_models(tmp_path, kind, command):
    plain = run(tmp_path, command, good(kind))
    for flag in ("--strict", "--recover"):
        done = run(tmp_path, command, good(kind), flag)
        assert (done.returncode, said(done)) == (0, said(plain))


@pytest.mark.parametrize("command", ["scope", "model"])
@pytest.mark.parametrize("kind", MODELS)
def test_cut_models(tmp_path, kind, command):
    data = good(kind)
    n_whole = len(run(tmp_path, command, data).stdout.splitlines())
    n_loaded = 0
    for n in range(301, len(data), len(data) // 25):
        done = run(tmp_path, command, data[:n])
        if done.returncode:  # what is cut before its graph cannot be recognized
            assert ("(--recover loads the intact parts)" in done.stderr
                    or "it looks like something unknown" in done.stderr)
        done = run(tmp_path, command, data[:n], "--recover")
        if done.returncode:  # not even a graph
            assert n < len(data) // 2 and "damaged" not in done.stderr, done.stderr
            continue
        n_loaded += 1
        note = NOTE.search(said(done))
        if note:
            assert int(note[2]) == n and int(note[4]) + int(note[5]) <= n
        else:  # cut between two messages
            assert "missing at its end" in said(done) or kind == "graph"
        # Without its end a file does not tell which functions only save and restore: their nodes are
        # shown, too, but each of them once.
        shown = [line for line in done.stdout.splitlines() if line.strip()]
        assert len(shown) <= n_whole * 4 or len(set(shown)) == len(shown)
    assert n_loaded > 10


def find(data, name):
    """Where the field begins that holds a node of this name, and its end."""
    at = data.index(field(1, name))
    for size in (1, 2):  # of its length
        begin = at - size - 1
        length, shift = 0, 0
        for byte in data[begin + 1:at]:
            length |= (byte & 127) << shift
            shift += 7
        if data[begin] in (0x0a, 0x1a) and field(1, b"x" * length)[1:1 + size] == data[begin + 1:at]:
            return begin, at + length
    raise ValueError(name)


@pytest.mark.parametrize("name", ["sequential_1/dense_1_2/MatMul", "sequential/dense/kernel"])
@pytest.mark.parametrize("command", ["scope", "model"])
def test_one_node_of_a_saved_model(tmp_path, command, name):
    """Of a function, or of the graph: it alone is dropped."""
    data = bytearray(good("saved_model"))
    begin, end = find(bytes(data), name)
    data[data.index(field(1, name), begin)] = 7  # a wire type that there is not
    done = run(tmp_path, command, bytes(data), "--recover")
    assert done.returncode == 0, done.stderr
    note = NOTE.search(said(done))
    assert [int(n) for n in note.groups()] == [end - begin, len(data), 1, end - begin, begin]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("command", ["scope", "model"])
def test_unknown_fields_of_models(tmp_path, kind, command):
    done = run(tmp_path, command, good(kind) + field(99, 1), "--strict")
    assert done.returncode == 1
    assert "1 unknown field skipped (an error because of --strict)" in done.stderr
    assert run(tmp_path, command, good(kind) + field(99, 1)).returncode == 0


@pytest.mark.parametrize("command", ["scope", "model"])
@pytest.mark.parametrize("kind", OTHERS)
def test_what_cannot_be_recovered(tmp_path, kind, command):
    data = good(kind)
    for n in (len(data) // 2, len(data) - 30):
        for flags in ([], ["--recover"], ["--strict"]):
            done = run(tmp_path, command, data[:n], *flags)
            if done.returncode == 0:  # TensorFlow Lite and HDF5 files end in weights
                assert kind != "keras" and n == len(data) - 30
            else:
                assert re.search("copy it again|damaged|cut short", done.stderr), done.stderr
                assert "--recover" not in done.stderr
    if kind == "keras":
        assert "zip -FF FILE --out NEW" in run(tmp_path, command, data[:-30], "--recover").stderr


@pytest.mark.parametrize("command", ["scope", "model"])
@pytest.mark.parametrize("kind", [*MODELS, *OTHERS])
@pytest.mark.parametrize("packer", ["gzip", "zstd"])
def test_packed_models(tmp_path, kind, command, packer):
    data = good(kind)
    packed = subprocess.run([packer, "-c"], input=data, capture_output=True, check=True).stdout
    plain = run(tmp_path, command, data)
    for flag in ("--strict", "--recover", "--recover=false"):
        done = run(tmp_path, command, packed, flag)
        assert (done.returncode, said(done)) == (0, said(plain))
    done = run(tmp_path, command, packed[:len(packed) * 9 // 10])
    assert done.returncode == 1 and "data ends after" in done.stderr
    done = run(tmp_path, command, packed[:len(packed) * 9 // 10], "--recover")
    if done.returncode == 0:
        assert re.search(rf"the {packer} data ends after \d+ bytes of content", said(done))
    else:
        assert kind in OTHERS or packer == "zstd"  # which unpacks blocks of 128 KB


def test_a_cut_saved_model_says_that_its_signature_is_lost(tmp_path):
    done = run(tmp_path, "model", good("saved_model")[:20_000], "--recover")
    assert "the SavedModel has no signature: all of its operations are shown" in said(done)
    assert "39937 bytes are missing at its end" in said(done)


@pytest.mark.parametrize("kind", MODELS)
def test_comparisons_say_what_was_recovered(tmp_path, kind):
    (tmp_path / "good").write_bytes(good(kind))
    (tmp_path / "cut").write_bytes(good(kind)[:-500])
    done = subprocess.run([tree.program(), "diff", "good", "--", "cut"], cwd=tmp_path, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 1 and "(--recover loads the intact parts)" in done.stderr
    done = subprocess.run([tree.program(), "diff", "good", "--", "cut", "--recover"], cwd=tmp_path,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if NOTE.match(line.removeprefix("cut: "))]
    assert not [line for line in done.stderr.splitlines() if line.startswith("good: ")]
