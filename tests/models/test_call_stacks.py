"""Call stacks of model files: the debug information that TensorFlow saves with them, in all its
forms, as lines of the script that built the model."""

import json
import re
import subprocess
import sys

import pytest
import tree
from frozen import tf
from google.protobuf import text_format
from tensorflow.core.framework import graph_debug_info_pb2
from tensorflow.core.protobuf import saved_model_pb2

# A line that makes something says what in its comment; its number is what must be reported.
SCRIPT = """\
import tensorflow as tf


class Model(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.ones([64, 10]), name="w")
        self.b = tf.Variable(tf.zeros([10]), name="b")

    def dense(self, x):
        y = tf.matmul(x, self.w)  # product
        return y + self.b  # bias

    @tf.function(input_signature=[tf.TensorSpec([None, 64], tf.float32, "x")])
    def __call__(self, x):
        y = self.dense(x)  # dense
        for _ in tf.range(3):
            y = tf.nn.relu(y)  # relu
        return tf.nn.softmax(y)  # softmax


def save(directory, **options):
    model = Model()
    tf.saved_model.save(model, directory, signatures=model.__call__.get_concrete_function(),
                        options=tf.saved_model.SaveOptions(**options))


def build_graph():
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [2, 64], name="x")
    w = v1.get_variable("w", [64, 10], use_resource=False)  # variable
    return v1.matmul(x, w, name="product")  # v1
"""
LINES = {found[1]: i for i, line in enumerate(SCRIPT.splitlines(), 1)
         if (found := re.search(r"# (\w+)$", line))}
SAVED = "debug/saved_model_debug_info.pb"


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The script as a module: autograph reads its file."""
    directory = tmp_path_factory.mktemp("script")
    (directory / "built_here.py").write_text(SCRIPT)
    sys.path.insert(0, str(directory))
    try:
        yield __import__("built_here")
    finally:
        sys.path.remove(str(directory))
        del sys.modules["built_here"]


@pytest.fixture(scope="module")
def saved(script, tmp_path_factory):
    directory = tmp_path_factory.mktemp("saved")
    script.save(str(directory), save_debug_info=True)
    return directory


@pytest.fixture
def copy(saved, tmp_path):
    """A copy of the model, to damage."""
    subprocess.run(["cp", "-r", str(saved), str(tmp_path / "copy")], check=True)
    return tmp_path / "copy"


def read(message, path):
    message.ParseFromString(path.read_bytes())
    return message


def info_of(saved):
    return read(graph_debug_info_pb2.GraphDebugInfo(), saved / SAVED)


def run(*words, status=0):
    done = subprocess.run([tree.program(), *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == status, done.stderr
    return done


def lines(*words, select="float_ops,params"):
    """What each line of the script has itself, by its number."""
    done = run("code", *words, f"--select={select}", "--max_depth=1000",
               "--output=json:outfile=-")
    found = {}
    for node in json.loads(done.stdout)["nodes"]:
        at = re.match(r"built_here\.py:(\d+):", node["name"])
        own = {key: value for key, value in node.items()
               if key in ("parameters", "float_ops", "exec_micros") and value}
        if at and own:
            found[int(at[1])] = own
    return found


EXPECTED = {LINES["product"]: {"parameters": 640, "float_ops": 2 * 64 * 10},
            LINES["bias"]: {"parameters": 10, "float_ops": 10},
            LINES["relu"]: {"float_ops": 3 * 10},
            LINES["softmax"]: {"float_ops": 5 * 10}}


def test_saved_model(saved):
    assert lines(saved) == lines(saved / "saved_model.pb") == EXPECTED


def test_callers_are_outside(saved):
    """The outermost line is above the others."""
    nodes = json.loads(run("code", saved, "--select=float_ops", "--max_depth=1000",
                           "--output=json:outfile=-").stdout)["nodes"]
    names = [node["name"] for node in nodes]
    depth = {name: node["depth"] for name, node in zip(names, nodes)}
    dense = next(n for n in names if n.startswith(f"built_here.py:{LINES['dense']}:__call__"))
    product = next(n for n in names if n.startswith(f"built_here.py:{LINES['product']}:dense"))
    assert depth[product] == depth[dense] + 1
    assert nodes[names.index(dense)]["total_float_ops"] == 2 * 64 * 10 + 10


def test_without_debug_information(script, tmp_path):
    script.save(str(tmp_path))
    assert "No code trace information" in run("code", tmp_path, status=1).stderr


def test_given_by_itself(saved, tmp_path):
    """To a model elsewhere, and as text."""
    model = tmp_path / "saved_model.pb"
    model.write_bytes((saved / "saved_model.pb").read_bytes())
    assert lines(model, saved / SAVED) == EXPECTED
    assert lines(f"--saved_model_path={model}", f"--debug_info_path={saved / SAVED}") == EXPECTED
    text = tmp_path / "info.pbtxt"
    text.write_text(text_format.MessageToString(info_of(saved)))
    assert lines(model, text) == EXPECTED


def as_old(info):
    """The form before frames had ids."""
    old = graph_debug_info_pb2.GraphDebugInfo(files=info.files)
    for name, trace in info.name_to_trace_id.items():
        for frame in info.traces_by_id[trace].frame_id:
            old.traces[name].file_line_cols.add().CopyFrom(info.frames_by_id[frame])
    return old


def test_older_form(saved, copy):
    (copy / SAVED).write_bytes(as_old(info_of(saved)).SerializeToString())
    assert lines(copy) == EXPECTED


@pytest.mark.parametrize("form", [lambda info: info, as_old], ids=["ids", "older"])
def test_within_the_graph(form, saved, copy, tmp_path):
    """Of a SavedModel, and of its graph as a MetaGraph."""
    model = read(saved_model_pb2.SavedModel(), saved / "saved_model.pb")
    model.meta_graphs[0].graph_def.debug_info.CopyFrom(form(info_of(saved)))
    (copy / SAVED).unlink()
    (copy / "saved_model.pb").write_bytes(model.SerializeToString())
    assert lines(copy) == EXPECTED
    meta = tmp_path / "model.meta"
    meta.write_bytes(model.meta_graphs[0].SerializeToString())
    assert lines(meta) == EXPECTED


def test_frozen_graph(script, tmp_path):
    """A GraphDef with debug information shows lines as with an op log."""
    with tf.Graph().as_default() as graph:
        script.build_graph()
        tf.compat.v1.train.export_meta_graph(str(tmp_path / "v1.meta"), save_debug_info=True)
    graph_def = graph.as_graph_def(add_shapes=True)
    graph_def.debug_info.CopyFrom(read(graph_debug_info_pb2.GraphDebugInfo(), tmp_path / "v1.debug"))
    (tmp_path / "graph.pb").write_bytes(graph_def.SerializeToString())
    # The same as by the file that TensorFlow wrote beside the MetaGraph.
    for words in ([tmp_path / "graph.pb", "--count_float_ops"], [tmp_path / "v1.meta"]):
        nodes = json.loads(run("code", *words, "--select=params,float_ops", "--max_depth=1000",
                               "--output=json:outfile=-").stdout)["nodes"]
        totals = {int(found[1]): (node["total_parameters"], node["total_float_ops"])
                  for node in nodes
                  if (found := re.match(r"built_here\.py:(\d+):build_graph", node["name"]))}
        assert totals[LINES["v1"]] == (0, 2 * 2 * 64 * 10)
        assert totals[LINES["variable"]][0] == 640


def test_together_with_a_trace(saved, tmp_path):
    """Times of the lines, in a loop, too; float operations of its turns are counted once."""
    function = tf.saved_model.load(str(saved)).signatures["serving_default"]
    function(x=tf.ones([4096, 64]))
    tf.profiler.experimental.start(str(tmp_path))
    with tf.profiler.experimental.Trace("step", step_num=0, _r=1):
        function(x=tf.ones([4096, 64]))
    tf.profiler.experimental.stop()
    found = lines(tmp_path, saved, select="micros,float_ops,params")
    for name in ("product", "relu", "softmax"):  # a bias fused with the product is part of it
        assert found[LINES[name]]["exec_micros"] > 0, name
    assert {line: own["float_ops"] for line, own in found.items() if "float_ops" in own} == {
        line: own["float_ops"] for line, own in EXPECTED.items()}


# ---- damage ---------------------------------------------------------------------


def test_cut_short(copy):
    path = copy / SAVED
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    error = run("code", copy, status=1).stderr
    assert str(path) in error and "cut short" in error and "--recover" in error
    assert "recovered: dropped" in run("code", copy, "--recover").stderr
    # What does not ask for lines is refused, too, and the model alone is not.
    run("scope", copy, status=1)
    run("model", copy)


def test_something_else(copy):
    (copy / SAVED).write_bytes(b"#!/bin/sh\necho hello\n")
    assert "it looks like text" in run("code", copy, status=1).stderr
    done = run("scope", copy, "--recover")
    assert "it looks like text" in done.stderr and "call stacks are not read" in done.stderr


def test_empty_file_has_no_stacks(copy):
    (copy / SAVED).write_bytes(b"")
    assert "No code trace information" in run("code", copy, status=1).stderr


@pytest.mark.parametrize("part, says", [("frames_by_id", "refers to frame "),
                                        ("traces_by_id", "refers to trace "),
                                        ("files", "refers to file ")])
def test_references_that_lead_nowhere(part, says, saved, copy):
    info = info_of(saved)
    if part == "files":
        del info.files[1:]
    else:
        getattr(info, part).clear()
    (copy / SAVED).write_bytes(info.SerializeToString())
    error = run("code", copy, status=1).stderr
    assert says in error and "which is missing" in error
    if part != "files":
        assert "dropped" in run("scope", copy, "--recover").stderr


def test_strict(saved, copy):
    (copy / SAVED).write_bytes((saved / SAVED).read_bytes() + b"\x98\x06\x01")  # field 99
    assert lines(copy) == EXPECTED
    assert "1 unknown field" in run("code", copy, "--strict", status=1).stderr
    assert run("code", saved, "--strict")


def test_recovery_takes_no_file_for_another(saved, copy):
    """A file name whose field is damaged: those behind it are not in its place."""
    info = info_of(saved)
    info.files.insert(0, "first.py")
    for frame in info.frames_by_id.values():
        frame.file_index += 1
    data = bytearray(info.SerializeToString())
    assert data[:2] == b"\x0a\x08"
    data[0] = 0x12  # an entry of traces: not what is in it
    data[2] = 0xff
    (copy / SAVED).write_bytes(data)
    run("code", copy, status=1)
    assert "No code trace information" in run("code", copy, "--recover", status=1).stderr
    assert re.search("dropped [0-9]+ call stacks", run("scope", copy, "--recover").stderr)
