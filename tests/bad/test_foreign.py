"""Files of other programs are refused by what they are, whichever way they are given."""

import os

import pytest
import tree
from wire import field

FLAGS = ["profile", "graph", "run_meta", "op_log"]
TRACES = ["tf_eager.xplane.pb", "synthetic_tpu.xplane.pb", "jax_while.xplane.pb"]
TRACE = "it looks like a trace of tf.profiler or jax.profiler (XSpace)"


def sample(name):
    return tree.read_packed("data", "foreign", name)


def onnx(version=8):
    return field(1, version) + field(2, "tf2onnx") + field(7, field(2, "graph")) + field(8, field(2, 15))


def keras_metadata():
    node = field(2, 0) + field(3, "root") + field(4, "_tf_keras_model") + field(5, '{"name": "m"}')
    return field(1, node)


#: Models, cut after their first bytes: what is said of them if they are given as something
#: else, and as what they are.
MODELS = {
    "model.tflite": ("a TensorFlow Lite model", b"\x1c\0\0\0TFL3\x14\0\x20\0",
                     "a TensorFlow Lite model without a graph: damaged or cut short"),
    "model.keras": ("a zip archive (perhaps a Keras model)", b"PK\x03\x04\x14\0\0\0\0\0",
                    "a zip archive"),
    "model.h5": ("an HDF5 file (perhaps a Keras model)", b"\x89HDF\r\n\x1a\n\0\0\0\0",
                 "cut short, or an address beyond its end (byte 0 of 12)"),
}

#: Samples are real, unless a few bytes are all that matters.
FOREIGN = {
    "fingerprint.pb": ("the fingerprint of a SavedModel", None),
    "events": ("a TensorBoard event file", None),
    "keras_metadata.pb": ("the metadata of a Keras SavedModel", keras_metadata()),
    "model.onnx": ("an ONNX model", onnx()),
    "timeline.json": ("a timeline (JSON of a Chrome trace)", b'{"traceEvents": [\n{"ph": "M"}]}'),
    "array.npy": ("a NumPy array", b"\x93NUMPY\x01\0v\0{'descr': '<f4'}"),
    # as TensorFlow's TFRecordWriter writes "hello"
    "data.tfrecord": ("a TFRecord file",
                      b"\x05\0\0\0\0\0\0\0\xea\xb2\x04>hello\xbb\x1f\x1c\x19"),
}


@pytest.fixture(params=sorted(FOREIGN))
def foreign(request, tfprof):
    """(path, what it is)"""
    phrase, content = FOREIGN[request.param]
    path = tfprof.directory / request.param
    path.write_bytes(sample(request.param) if content is None else content)
    return path, phrase


@pytest.mark.parametrize("kind", FLAGS)
def test_by_flag(tfprof, foreign, kind):
    path, phrase = foreign
    others = ["--graph_path=g"] if kind == "op_log" else []
    tfprof.refuses(1, "op", f"--{kind}_path={path.name}", *others,
                   says=[f"{path.name}: not a", f"it looks like {phrase}"])


@pytest.mark.parametrize("version, is_known", [(0, False), (1, True), (31, True), (32, False)])
def test_onnx_by_its_version(tfprof, version, is_known):
    (tfprof.directory / "model.onnx").write_bytes(onnx(version))
    result = tfprof.run("op", "--profile_path=model.onnx")
    assert (b"an ONNX model" in result.stderr) == is_known


def test_without_a_flag(tfprof, foreign):
    path, phrase = foreign
    tfprof.refuses(1, "op", path.name, says=[f"{path.name}: it looks like {phrase}: expected"])
    tfprof.refuses(1, "op", "p", path.name, says=[f"it looks like {phrase}"])


@pytest.mark.parametrize("name", sorted(MODELS))
def test_damaged_models(tfprof, name):
    phrase, content, reason = MODELS[name]
    (tfprof.directory / name).write_bytes(content)
    for kind in FLAGS:
        others = ["--graph_path=g"] if kind == "op_log" else []
        tfprof.refuses(1, "op", f"--{kind}_path={name}", *others,
                       says=[f"{name}: not a", f"it looks like {phrase}"])
    tfprof.refuses(1, "op", f"--checkpoint_path={name}", says=[f"it looks like {phrase}"])
    tfprof.refuses(1, "op", name, says=[name + ": ", reason])


def test_checkpoint(tfprof, foreign):
    path, phrase = foreign
    tfprof.refuses(1, "op", f"--checkpoint_path={path.name}", says=[f"it looks like {phrase}"])


@pytest.mark.parametrize("name", TRACES)
def test_traces_are_not_taken_for_another_input(tfprof, name):
    path = tfprof.directory / name
    path.write_bytes(sample(name))
    for kind in FLAGS:
        others = ["--graph_path=g"] if kind == "op_log" else []
        tfprof.refuses(1, "op", f"--{kind}_path={name}", *others, says=[f"{name}: not a", TRACE])
    tfprof.refuses(1, "op", f"--checkpoint_path={name}", says=[TRACE])


def test_packed_ones_are_named_for_their_content(tfprof):
    packed = os.path.join(tree.DATA, "foreign", "tf_eager.xplane.pb.gz")
    tfprof.refuses(1, "op", f"--run_meta_path={packed}", says=[f"{TRACE}, compressed with gzip"])
