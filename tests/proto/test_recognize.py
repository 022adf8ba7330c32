"""Recognizing files: real ones as TensorFlow writes them, and random messages of each
kind."""

import gzip
import json
import os
import random

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip("tensorflow.core.framework.graph_pb2")

from google.protobuf import text_format  # noqa: E402
from tensorflow.core.framework import graph_pb2  # noqa: E402
from tensorflow.core.profiler import profile_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_log_pb2  # noqa: E402
from tensorflow.core.protobuf import config_pb2  # noqa: E402
from tensorflow.core.protobuf import meta_graph_pb2  # noqa: E402
from tensorflow.core.protobuf import saved_model_pb2  # noqa: E402

from hooks import Hooks  # noqa: E402
from random_messages import fill  # noqa: E402

UNKNOWN = "something unknown"
SEED = int(os.environ.get("TFPROF_SEED", "1"))
COUNT = int(os.environ.get("TFPROF_COUNT", "300"))

MESSAGES = {
    "a GraphDef": graph_pb2.GraphDef,
    "a RunMetadata": config_pb2.RunMetadata,
    "an OpLogProto": tfprof_log_pb2.OpLogProto,
    "a ProfileProto": tfprof_log_pb2.ProfileProto,
    "a MetaGraphDef": meta_graph_pb2.MetaGraphDef,
    "a SavedModel": saved_model_pb2.SavedModel,
    "a pprof profile": profile_pb2.Profile,
}


@pytest.fixture(scope="module")
def recognize():
    return Hooks().recognize


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of each kind that TensorFlow writes, by the phrase for the kind."""
    tensorflow = pytest.importorskip("tensorflow")
    tf = tensorflow.compat.v1
    root = tmp_path_factory.mktemp("files")
    found = {}

    def take(phrase, *path):
        with open(os.path.join(root, *path), "rb") as file:
            found.setdefault(phrase, []).append(file.read())

    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [None, 8], name="x")
        w = tf.get_variable("w", [8, 8])
        y = tf.nn.relu(tf.matmul(x, w), name="y")
        session.run(tf.global_variables_initializer())
        meta = config_pb2.RunMetadata()
        session.run(y, {x: [[1.0] * 8]}, run_metadata=meta, options=config_pb2.RunOptions(
            trace_level=config_pb2.RunOptions.FULL_TRACE))

        found["a GraphDef"] = [graph.as_graph_def(add_shapes=True).SerializeToString(),
                               graph.as_graph_def().SerializeToString()]
        found["a GraphDef in text form"] = [str(graph.as_graph_def()).encode(),
                                            b"# made by hand\n\n" + str(graph.as_graph_def()).encode(),
                                            b"versions { producer: 1 } node { name: 'a' }"]
        found["a RunMetadata"] = [meta.SerializeToString()]
        found["a RunMetadata in text form"] = [str(meta).encode()]

        os.mkdir(os.path.join(root, "log"))
        os.mkdir(os.path.join(root, "plain"))
        tf.profiler.write_op_log(graph, os.path.join(root, "log"), run_meta=meta)
        take("an OpLogProto", "log", "tfprof_log")
        tf.profiler.write_op_log(graph, os.path.join(root, "plain"), add_trace=False)
        take("an OpLogProto", "plain", "tfprof_log")
        log = tfprof_log_pb2.OpLogProto.FromString(found["an OpLogProto"][0])
        found["an OpLogProto in text form"] = [str(log).encode()]

        profiler = tf.profiler.Profiler(graph)
        found["a ProfileProto"] = [profiler.serialize_to_string()]
        profiler.add_step(1, meta)
        found["a ProfileProto"].append(profiler.serialize_to_string())
        profile = tfprof_log_pb2.ProfileProto.FromString(found["a ProfileProto"][1])
        found["a ProfileProto in text form"] = [str(profile).encode()]

        tf.train.Saver().save(session, os.path.join(root, "v2"))
        take("a MetaGraphDef", "v2.meta")
        take("a table of a TensorFlow checkpoint", "v2.index")
        take("the list of checkpoints in a directory", "checkpoint")
        tf.train.Saver(write_version=tf.train.SaverDef.V1).save(
            session, os.path.join(root, "v1"), write_meta_graph=False)
        take("a table of a TensorFlow checkpoint", "v1")
        meta_graph = meta_graph_pb2.MetaGraphDef.FromString(found["a MetaGraphDef"][0])
        found["a MetaGraphDef in text form"] = [str(meta_graph).encode()]
        stripped = tf.train.export_meta_graph(graph=graph, clear_devices=True)
        found["a MetaGraphDef"].append(stripped.SerializeToString())

        tf.saved_model.simple_save(session, os.path.join(root, "saved"), {"x": x}, {"y": y})
        take("a SavedModel", "saved", "saved_model.pb")
        saved = saved_model_pb2.SavedModel.FromString(found["a SavedModel"][0])
        found["a SavedModel in text form"] = [str(saved).encode()]

        writer = tf.summary.FileWriter(os.path.join(root, "events"), graph)
        writer.close()
        take("a TensorBoard event file", "events", os.listdir(os.path.join(root, "events"))[0])

    found["a pprof profile"] = [profile_pb2.Profile(
        string_table=["", "time", "microseconds", "main", "main.py"],
        sample_type=[profile_pb2.ValueType(type=1, unit=2)],
        function=[profile_pb2.Function(id=1, name=3, filename=4)],
        location=[profile_pb2.Location(id=1, line=[profile_pb2.Line(function_id=1, line=7)])],
        sample=[profile_pb2.Sample(location_id=[1], value=[12])]).SerializeToString()]
    found["a gzip-compressed file"] = [gzip.compress(b"anything")]
    found["a timeline (JSON of a Chrome trace)"] = [json.dumps({"traceEvents": []}).encode()]
    found["JSON (perhaps a timeline)"] = [b"[]", b' [ {"ph": "M"} ]']
    found["text of an unknown kind"] = [b"node_modules are not nodes\n", b"node\n", b"\n", b"# only",
                                        b"<html></html>", b"key: value", b"{ node }"]
    found["an empty file"] = [b""]
    found["a zip archive (perhaps a Keras model)"] = [b"PK\x03\x04" + bytes(40)]
    found["an HDF5 file (perhaps a Keras model)"] = [b"\x89HDF\r\n\x1a\n" + bytes(40)]
    found[UNKNOWN] = [b"\0", bytes(1000), b"\x0a\x00", b"\x08\x01", b"\x0a\x02\x0a\x00",
                      b"\xff" * 100, bytes(range(256))]
    return found


def test_files_are_what_they_are(recognize, files):
    wrong = [(phrase, i, recognize(data)) for phrase, all_data in files.items()
             for i, data in enumerate(all_data) if recognize(data) != phrase]
    assert not wrong


def test_files_that_are_cut_off(recognize, files):
    """A file cut off anywhere is not taken for another kind; cut off in the middle, it
    is still recognized."""
    for phrase in ("a GraphDef", "a RunMetadata", "an OpLogProto", "a ProfileProto",
                   "a MetaGraphDef", "a SavedModel"):
        data = files[phrase][0]
        for cut in [*range(1, min(300, len(data))), *range(300, len(data), len(data) // 300 + 1)]:
            assert recognize(data[:cut]) in (phrase, UNKNOWN, "text of an unknown kind"), (phrase, cut)
        assert recognize(data[:len(data) // 2]) == phrase


@pytest.mark.parametrize("phrase", MESSAGES)
def test_random_messages_are_never_taken_for_another(recognize, phrase):
    draw = random.Random(f"{SEED} {phrase}")
    recognized = 0
    for _ in range(COUNT):
        message = MESSAGES[phrase]()
        fill(draw, message, draw.choice([30, 100, 300]), maps=True)
        answer = recognize(message.SerializeToString())
        assert answer in (phrase, UNKNOWN, "text of an unknown kind", "an empty file"), \
            text_format.MessageToString(message)
        recognized += answer == phrase
    assert recognized > COUNT / 10


def test_garbage_is_unknown(recognize):
    draw = random.Random(SEED)
    for _ in range(COUNT * 10):
        data = draw.randbytes(draw.randint(10, 400))
        assert recognize(data) in (UNKNOWN, "text of an unknown kind", "a gzip-compressed file")
