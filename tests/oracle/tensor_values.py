"""What TensorFlow's profiler shows for tensor_value: text and message per tensor.

    python tensor_values.py DIRECTORY [SEED]

writes a checkpoint and `expected.json`, a list of {"name", "text", "message"}
(the message, a TFProfTensorProto, in hexadecimal), both shortened by `digest()` if
they are long. Made `tests/data/tensor_value`. Needs TensorFlow and a C++ compiler;
runs in its own process, because the profiler aborts on unsupported types.
"""

import ctypes
import hashlib
import json
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.core.framework import graph_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_options_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_output_pb2  # noqa: E402
from tensorflow.python.ops import gen_io_ops  # noqa: E402
from tensorflow.python.util import _pywrap_tfprof  # noqa: E402


def build(directory):
    here = os.path.dirname(os.path.abspath(__file__))
    library = os.path.join(directory, "tensor_values.so")
    wheel = os.path.dirname(tf.__file__)
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-o", library,
         os.path.join(here, "tensor_values.cc"), f"-L{wheel}", f"-Wl,-rpath,{wheel}",
         "-l:libtensorflow_cc.so.2", "-l:libtensorflow_framework.so.2"], check=True)
    return ctypes.CDLL(library)


def ask(checkpoint, names, view="scope"):
    """[(text, TFProfTensorProto)] in order of names."""
    graph = graph_pb2.GraphDef()
    for name in names:
        graph.node.add(name=name, op="VariableV2")
    with tempfile.TemporaryDirectory() as scratch:
        library = build(scratch)
        profile, report = os.path.join(scratch, "profile"), os.path.join(scratch, "report")
        _pywrap_tfprof.NewProfiler(graph.SerializeToString(), b"")
        _pywrap_tfprof.WriteProfile(profile.encode())
        _pywrap_tfprof.DeleteProfiler()
        options = tfprof_options_pb2.OptionsProto(
            max_depth=10, account_type_regexes=[".*"], start_name_regexes=[".*"],
            show_name_regexes=[".*"], select=["tensor_value"], order_by="name", step=-1,
            output=f"file:outfile={report}").SerializeToString()
        message, size = ctypes.c_void_p(), ctypes.c_size_t()
        failed = library.show(
            profile.encode(), checkpoint.encode(), view.encode(), options,
            ctypes.c_size_t(len(options)), ctypes.byref(message), ctypes.byref(size))
        assert not failed
        root = tfprof_output_pb2.GraphNodeProto.FromString(
            ctypes.string_at(message, size.value))
        with open(report) as file:
            text = file.read()
    answers = []
    for child in root.children:
        _, text = text.split(f"\n  {child.name} ()\n" if not answers else f"  {child.name} ()\n", 1)
        answers.append([child.name, text, child.tensor_value])
    for before, after in zip(answers, answers[1:]):
        before[1] = before[1][:before[1].index(f"  {after[0]} ()\n")]
    assert [name for name, _, _ in answers] == sorted(names)
    return [(text, value) for _, text, value in answers]


def tensors(random):
    """TensorFlow's profiler shows only float, double, int32 and int64."""
    yield np.float32(2), np.int64(-7), np.float64(1 / 3)
    yield from ([np.zeros(shape, np.float32)] for shape in ([0], [0, 3], [3, 0, 2], [2, 0]))
    yield (np.array([1.5, 2, 1234567.89], np.float32),
           np.array([-0.0, 0.005, 0.015, 1e300, -1e-300, 123456.5, 1234565, 0.3, 99999.95, 999999.5]),
           np.array([0.1, 16777216, 3.4e38, 1.17e-38, 1e-45], np.float32),
           np.array([[1, np.nan], [np.inf, -np.inf]]),
           np.array([-2**63, 2**63 - 1]), np.arange(24).reshape(2, 3, 4))
    # Around the limit of 10,000 bytes, with values that print as 100 bytes each
    # and a last one that makes up the rest.
    for size in range(9990, 10006):
        row = np.array([1e95] * (size // 100 - 1) + [10.0 ** (size % 100 + 95)])
        yield row, row.reshape(1, -1), row.reshape(-1, 1)
    yield (np.arange(4000, dtype=np.int32).reshape(10, 20, 20),)
    for _ in range(40):
        shape = random.integers(1, 9, random.integers(1, 5))
        values = random.normal(size=shape) * 10.0 ** random.integers(-9, 12)
        kind = random.choice(["float32", "float64", "int32", "int64"])
        if kind == "int32":
            values = np.clip(values, -2**31, 2**31 - 1)
        yield (values.astype(kind),)


def digest(text):
    """Long texts by their size, end and hash."""
    if len(text) < 2000:
        return text
    sha = hashlib.sha256(text.encode()).hexdigest()
    return {"size": len(text), "end": text[-60:], "sha256": sha}


def make(directory, seed=1):
    random = np.random.default_rng(seed)
    values = [tf.constant(value) for group in tensors(random) for value in group]
    names = [f"t{i:03}" for i in range(len(values))]
    path = os.path.join(directory, "model.ckpt")
    gen_io_ops.save_v2(path, names, [""] * len(names), values)
    answers = ask(path, names)
    assert [text for text, _ in ask(path, names, "graph")] == [text for text, _ in answers]
    with open(os.path.join(directory, "expected.json"), "w") as file:
        file.write("[" + ",\n".join(
            json.dumps({"name": name, "text": digest(text),
                        "message": digest(value.SerializeToString().hex())})
            for name, (text, value) in zip(names, answers)) + "]\n")


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
