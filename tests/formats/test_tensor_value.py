"""tensor_value: text and message, compared with TensorFlow's profiler.

`tests/data/tensor_value` was made by `tests/oracle/tensor_values.py`; if TensorFlow
and a C++ compiler are installed, new values are compared as well. Types that
TensorFlow's profiler does not show are compared with hand-written values.
"""

import hashlib
import json
import os
import shutil
import subprocess

import pytest
import tree
from original import python_with_tensorflow
from test_checkpoint import SEED, dump, makers  # noqa: F401

DATA = os.path.join(tree.DATA, "tensor_value")


def digest(text):
    """As tensor_values.py shortens long ones."""
    if len(text) < 2000:
        return text
    sha = hashlib.sha256(text.encode()).hexdigest()
    return {"size": len(text), "end": text[-60:], "sha256": sha}


def shown(dump, path):  # noqa: F811
    """{name: (text, message in hexadecimal)}"""
    answer = dump(f"report:{path}")
    assert "error" not in answer, answer["error"]
    return {t["name"]: (bytes.fromhex(t["text"]).decode(), t["message"])
            for t in answer["tensors"]}


def assert_as_the_original(dump, directory):  # noqa: F811
    with open(os.path.join(directory, "expected.json")) as file:
        expected = json.load(file)
    ours = shown(dump, os.path.join(directory, "model.ckpt"))
    assert list(ours) == [tensor["name"] for tensor in expected]
    assert len(expected) > 90
    for tensor in expected:
        text, message = ours[tensor["name"]]
        assert digest(text) == tensor["text"], tensor["name"]
        assert digest(message) == tensor["message"], tensor["name"]


def test_committed(dump):  # noqa: F811
    assert_as_the_original(dump, DATA)


def test_fresh(dump, tmp_path):  # noqa: F811
    python = python_with_tensorflow()
    if not shutil.which("g++") or subprocess.run(
            [python, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('tensorflow'))"],
            check=False).returncode:
        pytest.skip("needs TensorFlow and a C++ compiler")
    subprocess.run([python, os.path.join(tree.TESTS, "oracle", "tensor_values.py"), tmp_path, str(SEED)],
                   check=True, stderr=subprocess.DEVNULL)
    assert_as_the_original(dump, tmp_path)


@pytest.fixture
def save(dump, makers, tmp_path):  # noqa: F811
    """Saves one tensor; returns its text and message."""
    from tensorflow.core.profiler import tfprof_output_pb2

    def save_and_show(values, dtype):
        import tensorflow as tf
        path = os.fspath(tmp_path / "model.ckpt")
        makers.gen_io_ops.save_v2(path, ["x"], [""], [tf.constant(values, dtype)])
        text, message = shown(dump, path)["x"]
        message = tfprof_output_pb2.TFProfTensorProto.FromString(bytes.fromhex(message))
        assert message.dtype == tf.as_dtype(dtype).as_datatype_enum
        return text, message

    return save_and_show


@pytest.mark.parametrize("dtype", ["half", "bfloat16", "float8_e5m2", "float8_e4m3fn"])
def test_small_floats(save, dtype):
    text, message = save([[1.5, -2], [0.25, 0]], dtype)
    assert text == "[[1.50 -2.00 ],\n[0.25 0.00 ],\n],\n"
    assert list(message.value_double) == [1.5, -2, 0.25, 0]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32", "uint64"])
def test_integers(save, dtype):
    text, message = save([0, 1, 127], dtype)
    assert text == "[0 1 127 ],\n"
    assert list(message.value_int64) == [0, 1, 127]


def test_largest_natural(save):
    text, message = save([2**64 - 1], "uint64")
    assert text == "[18446744073709551615 ],\n"
    assert list(message.value_int64) == [-1]


def test_bool(save):
    text, message = save([True, False], "bool")
    assert text == "[1 0 ],\n"
    assert list(message.value_int64) == [1, 0]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(save, dtype):
    text, message = save([1 + 2j, 0.5 - 1234567j], dtype)
    assert text == "[1.00+2.00j 0.50-1234570.00j ],\n"
    assert list(message.value_double) == [1, 2, 0.5, -1234570]


def test_strings(save):
    text, message = save([["a", "it's"], ["", "\u00e9"]], "string")
    assert text == "[['a' 'it's' ],\n['' '\u00e9' ],\n],\n"
    assert list(message.value_str) == ["a", "it's", "", "\u00e9"]


def test_strange_strings(save):
    """Only what a terminal and a protobuf string accept."""
    text, message = save([b"\n\t\0\x1b", b"\xff\xc3\xa9\xc3", b"\xed\xa0\x80\xf0\x8f\x80\x80"],
                         "string")
    assert text == ("['\\n\\t\\x00\\x1b' '\\xff\u00e9\\xc3' "
                    "'\\xed\\xa0\\x80\\xf0\\x8f\\x80\\x80' ],\n")
    assert list(message.value_str) == [
        "\n\t\0\x1b", "\\xff\u00e9\\xc3", "\\xed\\xa0\\x80\\xf0\\x8f\\x80\\x80"]


def test_long_string(save):
    text, message = save([b"x" * 20000, b"y"], "string")
    assert text == "['" + "x" * 9998 + "],\n...omitted from display\n\n"
    assert list(message.value_str) == ["x" * 20000, "y"]
