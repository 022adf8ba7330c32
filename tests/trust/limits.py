"""Bad inputs: what tfprof does with each, and what the originals do. The one table of
test_limits.py, which runs every row, and of docs/limits.md:

    python tests/trust/limits.py            # print the rows of the document

The originals are TensorFlow's profiler for graphs, run metadata, op logs and profiles, and
XProf for traces. An empty last column says that they do not read such a file, or that the
question does not arise (a path, an option)."""

import functools
import gzip
import io
import os
import re
import subprocess
import sys
import zipfile
from typing import Callable, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
TOP = os.path.dirname(TESTS)
sys.path[:0] = [os.path.join(TESTS, part) for part in ("support", "oracle", "xplane")]

import make  # noqa: E402
import tree  # noqa: E402
from wire import field, log_entry, node, strings, varint  # noqa: E402

MODELS = os.path.join(TESTS, "models", "files")
BIG = (1 << 63) - 1
CPU = "/job:w/replica:0/task:0/device:CPU:0"
US = 1_000_000
TOO_LARGE = "a number does not fit in 64 bits and is shown as the largest that does"


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


# ---- good files of each kind, to damage ---------------------------------------

GOOD = {
    "graph": lambda: tree.read_packed("golden", "loop", "graph.pb"),
    "run_meta": lambda: tree.read_packed("golden", "loop", "run_meta_0"),
    "op_log": lambda: tree.read_packed("golden", "loop", "tfprof_log"),
    "debug_info": lambda: debug_info(*(f"node_{i}@" for i in range(101))),
    "profile": lambda: tree.read_packed("golden", "loop", "profile"),
    "xplane": lambda: tree.read_packed("xplane", "samples", "tf_cnn_loop.xplane.pb"),
    "saved_model": lambda: read(MODELS, "mlp", "export", "saved_model.pb"),
    "meta_graph": lambda: read(MODELS, "tf1_ref", "model.ckpt.meta"),
    "keras": lambda: read(MODELS, "sub.keras"),
    "keras_h5": lambda: read(MODELS, "k2_small", "model.h5"),
    "tflite": lambda: read(MODELS, "conv1d", "model.tflite"),
    "checkpoint": lambda: read(tree.DATA, "checkpoint", "v1", "model.ckpt"),
}


def debug_info(*names, frame=1, file=0, frames=1, files=1):
    """GraphDebugInfo in which all names have the same call stack."""
    def fixed(number, value):
        return varint(number << 3 | 1) + value.to_bytes(8, "little")
    line = field(1, file) + field(2, 7) + field(4, "main")
    return (field(1, "/x/a.py") * files + field(4, fixed(1, 1) + field(2, line))
            + b"".join(field(5, field(1, name) + fixed(2, 1)) for name in names)
            + field(6, fixed(1, 1) + field(2, field(2, frame.to_bytes(8, "little") * frames))))


def first_half(kind):
    data = GOOD[kind]()
    return data[:len(data) // 2]


# ---- small hostile files ----------------------------------------------------------


def run_meta(*stats, device=CPU):
    return field(1, field(1, field(1, device) + b"".join(field(2, one) for one in stats)))


def ran(name, start=1, end=5, more=b""):
    return field(1, name) + field(2, start) + field(4, end) + field(5, end) + more


def saved(*nodes):
    return b"".join(field(1, field(1, key) + field(2, body)) for key, body in nodes)


def saved_node(key, name, *inputs):
    body = field(1, name) + field(9, "A") + field(13, key)
    for i, source in enumerate(inputs):
        body += field(2, field(1, i) + field(2, source))
    return key, body


def three_in_a_cycle():
    return node("a", "A", ["c"]) + node("b", "A", ["a"]) + node("c", "A", ["b"])


def chain(n):
    return b"".join(node(f"n{i}", "A", [f"n{i - 1}"] if i else []) for i in range(n))


def many_devices(n):
    return field(1, b"".join(
        field(1, field(1, f"/job:w/replica:0/task:{i}/device:CPU:0") + field(2, ran("a")))
        for i in range(n)))


def many_types(n):
    return field(1, field(1, "a") + b"".join(field(3, f"t{i}") for i in range(n)))


def event_without_name():
    event = field(4, field(1, 99) + field(2, 1) + field(3, 5))
    return field(1, field(2, "/host:CPU") + field(3, field(1, 1) + event))


def nested_events(n):
    return line(*(("a:Add", i * 1000, 2 * (n - i) * 1000, {}) for i in range(n)))


def variable(*dims):
    shape = b"".join(field(2, field(1, dim)) for dim in dims)
    return node("v", "VariableV2", attributes=field(5, field(1, "shape") + field(2, field(7, shape))))


def flops(name, count):
    return field(1, field(1, name) + field(2, count))


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name.replace("_json", ".json"), data)
    return out.getvalue()


def keras_config(pattern, new):
    """A Keras file whose configuration is changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(read(MODELS, "mixed.keras"))) as old, \
            zipfile.ZipFile(out, "w") as file:
        for name in old.namelist():
            data = old.read(name)
            file.writestr(name, re.sub(pattern, new, data) if name == "config.json" else data)
    return out.getvalue()


def nested_attribute(depth):
    """func { attr { value { func { ... } } } }"""
    layers, size = [], 0
    for _ in range(depth):
        opening = b""
        for number in (2, 2, 10):
            opening = varint(number << 3 | 2) + varint(size + len(opening)) + opening
        layers.append(opening)
        size += len(opening)
    return node("a", "A", attributes=field(5, field(1, "f") + field(2, b"".join(reversed(layers)))))


def line(*events, timestamp=1000):
    plane = make.Plane("/host:CPU")
    plane.add_line("x", events, timestamp)
    return make.space(plane)


def late_recording():
    plane, task = make.Plane("/host:CPU"), make.Plane("Task Environment")
    plane.add_line("x", [("a:Add", 0, 5 * US, {})], 1000)
    task.add_stat("profile_start_time", BIG)
    return make.space(plane, task)


# ---- the table ----------------------------------------------------------------------


class Row(NamedTuple):
    kind: str           # the flag without _path; "text" is a graph in text
    input: str          # as the document says it
    make: Callable      # the bytes of the file
    status: int         # of tfprof
    says: str           # part of what tfprof prints
    original: str = ""  # what the original of this kind does
    more: tuple = ()    # arguments after the view
    view: str = "scope"
    also: dict = {}     # other files: kind -> bytes


COMMON_ORIGINALS = {  # as the rows of common() come
    "graph": ("reports", *["dies of SIGABRT"] * 4),
    "run_meta": ("dies of SIGABRT", "reports", *["reports: Invalid RunMetadata for step 0"] * 3),
    "op_log": ("reports", *["dies of SIGABRT"] * 4),
    "profile": ("reports", *["reports: Failed to parse profile"] * 4),
    "xplane": ("reports: \"rows\": []", *["reports: null"] * 4),
}


def common():
    """What happens to every kind of file."""
    messages = {"graph": "a GraphDef", "run_meta": "a RunMetadata", "op_log": "an OpLogProto",
                "debug_info": "the debug information of a graph (GraphDebugInfo)",
                "profile": "a ProfileProto",
                "xplane": "a trace of tf.profiler or jax.profiler (XSpace)"}
    models = {"saved_model": "a SavedModel", "meta_graph": "a MetaGraphDef",
              "keras": "a zip archive (perhaps a Keras model)",
              "keras_h5": "an HDF5 file (perhaps a Keras model)",
              "tflite": "a TensorFlow Lite model", "checkpoint": "a checkpoint"}
    cut_models = {"saved_model": "damaged or cut short at byte 2 of",
                  "meta_graph": "damaged or cut short at byte 5503 of",
                  "keras": "a zip archive without its end: cut short",
                  "keras_h5": "cut short, or an address beyond its end",
                  "tflite": "a TensorFlow Lite model without a graph: damaged or cut short",
                  "checkpoint": "not a checkpoint: it looks like a truncated checkpoint"}
    unknown = "it looks like something unknown"
    for kind, name in {**messages, **models}.items():
        damaged = f"not {name} from byte 0 of 4096 on: the file is damaged or cut short"
        originals = iter(COMMON_ORIGINALS.get(kind, ("",) * 5))
        for title, data, says in (
                ("an empty file", lambda: b"", f"not {name}: it looks like an empty file"),
                ("the first half of a good file", lambda kind=kind: first_half(kind),
                 cut_models.get(kind, "on: the file is damaged or cut short")),
                ("4,096 zeros", lambda: bytes(4096),
                 damaged if kind in messages else
                 cut_models[kind] if kind == "checkpoint" else unknown),
                ("4,096 bytes of 0xff", lambda: b"\xff" * 4096,
                 damaged if kind in messages else unknown),
                ("a shell script", lambda: b"#!/bin/sh\necho hello\n",
                 f"not {name}: it looks like text of an unknown kind")):
            yield Row(kind, title, data, 1, says, next(originals), also=A if kind in ("op_log", "debug_info") else {})


A = {"graph": node("a", "A")}
ROWS = [
    *common(),
    Row("graph", "a name of 16 MB", lambda: node("n" * (16 << 20), "A"), 0, "  nnnn", "reports"),
    Row("graph", "a scope 10⁶ deep", lambda: node("/".join("s" * 1_000_000), "A"),
        0, "s/s/s/s", "no answer"),
    Row("graph", "a scope 10⁶ deep, as JSON", lambda: node("/".join("s" * 1_000_000), "A"),
        1, "the names of 1000001 rows take 1000 GB, and at most 4 GB are supported: lower max_depth", "no answer",
        more=("--output=json",)),
    Row("graph", "a scope 10⁶ deep, for speedscope", lambda: node("/".join("s" * 1_000_000), "A"),
        0, '{"name":"s"}', "no answer", more=("--output=speedscope",)),
    Row("graph", "a chain of 200,000 nodes", lambda: chain(200_000),
        0, "    n0 (0/0 params", "dies of SIGSEGV",
        view="graph", more=("--max_depth=10000000", "--show_name_regexes=n1?0")),
    Row("graph", "300,000 nodes of as many types",
        lambda: b"".join(node(f"n{i}", f"T{i}") for i in range(300_000)),
        0, "T299999 ", "reports: T299999 ", view="op",
        more=("--max_depth=1000000", "--show_name_regexes=T29*")),
    Row("graph", "a node that is its own input", lambda: node("a", "A", ["a"]),
        0, "_TFProfRoot (--/0 params", "reports", view="graph"),
    Row("graph", "a cycle of three nodes", three_in_a_cycle,
        0, "_TFProfRoot (--/0 params", "reports", view="graph"),
    Row("graph", "an input that names no node", lambda: node("a", "A", ["nowhere"]),
        0, "1 input of a node names no node: ignored", "reports", view="graph"),
    Row("graph", "an input with output number 2³¹",
        lambda: node("b", "B") + node("a", "A", ["b:2147483648"]),
        0, "    b (0/0 params", "reports", view="graph"),
    Row("graph", "a node without a name", lambda: field(1, field(2, "A")) + node("a", "A"),
        0, "1 node or device without a name", "reports"),
    Row("graph", "a node without a type", lambda: field(1, field(1, "a")),
        0, "0 params (0.00%", "reports", view="op"),
    Row("graph", "a name twice", lambda: node("a", "A") + node("a", "B"),
        0, "A   ", "reports", view="op"),
    Row("graph", "a name of slashes", lambda: node("////", "A"),
        0, "      // (0/0 params", "reports"),
    Row("graph", "a name that is not UTF-8", lambda: node(b"\xff\xfe/x", "A"),
        0, '\\xff\\xfe/x', "dies of SIGABRT"),
    Row("graph", "a name with a zero byte", lambda: node(b"a\0b", "A"), 0, 'a\\x00b', "reports"),
    Row("graph", "a name with terminal escapes", lambda: node("\x1b[2Ja", "A"),
        0, '\\x1b[2Ja', "reports"),
    Row("graph", "a node called _TFProfRoot", lambda: node("_TFProfRoot", "A"),
        0, "  _TFProfRoot (0/0 params", "dies of SIGSEGV", view="graph"),
    Row("graph", "no node", lambda: field(4, field(1, 1700)), 0, "it names no node", "reports"),
    Row("graph", "a shape of 2¹²⁰ values", lambda: variable(1 << 40, 1 << 40, 1 << 40),
        0, TOO_LARGE, "reports: 0/0 params",
        more=("--select=params",)),
    Row("graph", "a shape with a dimension of -7", lambda: variable(-7, 3),
        0, "v (-7x3, 0/0 params)", "reports: v (-7x3, 0/0 params)", more=("--select=params",)),
    Row("graph", "an attribute nested 30,000 deep", lambda: nested_attribute(30_000),
        0, "  a (0/0 params", "dies of SIGABRT"),
    Row("graph", "a length of 2⁶²", lambda: b"\x0a" + varint(1 << 62),
        1, "not a GraphDef from byte 0 of 10 on: the file is damaged or cut short", "dies of SIGABRT"),
    Row("graph", "a name as a number (wrong wire type)",
        lambda: field(1, field(1, 7) + field(2, "A")) + node("b", "B"),
        0, "1 node or device without a name, 1 field with the wrong wire type skipped", "reports"),
    Row("graph", "a field that no GraphDef has", lambda: node("a", "A") + field(99, "x"),
        0, "1 unknown field skipped", "reports"),
    Row("graph", "a run metadata file", GOOD["run_meta"],
        1, "it looks like a RunMetadata (give it as --run_meta_path)", "dies of SIGABRT"),
    Row("graph", "a gzip bomb: 1 GB of zeros in 1 MB", lambda: gzip.compress(bytes(1 << 24)) * 64,
        1, "it unpacks to more than", "dies of SIGABRT"),
    Row("graph", "gzip, cut", lambda: gzip.compress(GOOD["graph"]())[:1000],
        1, "cut", "dies of SIGABRT"),
    Row("text", "a field without a value in line 5",
        lambda: b'node {\n  name: "a"\n  op: "B" }\nnode {\n  name }\n',
        1, "line 5 column 8: missing colon after name: expected name: and a value"),
    Row("text", "messages nested 100,000 deep",
        lambda: b"node { " + b"attr { value { func { " * 100_000,
        1, "the text ends inside NameAttrList"),
    Row("text", "a string that does not end", lambda: b'node { name: "a',
        1, "line 1 column 14: the string is not closed"),
    Row("text", "an unknown field", lambda: b'node { name: "a" op: "A" what: 1 }',
        1, 'line 1 column 26: NodeDef has no field "what"'),
    Row("text", "a number of 30 digits",
        lambda: b'node { attr { key: "k" value { i: 123456789012345678901234567890 } } }',
        1, "is too large: an integer has at most 64 bits"),
    Row("run_meta", "no step statistics",
        lambda: field(3, field(1, field(1, node("a", "A")[2:]))),
        1, "it has no step_stats; run the session with trace_level=FULL_TRACE",
        "reports: Invalid RunMetadata for step 0"),
    Row("run_meta", "three times of 2⁶² µs: the sum does not fit",
        lambda: run_meta(*(ran(n, 1, 1 << 62) for n in "abc")),
        0, TOO_LARGE, "reports: --/-4611686018427387904us",
        more=("--select=micros",)),
    Row("run_meta", "a time of 2⁶³ - 1 µs", lambda: run_meta(ran("a", 1, BIG)),
        0, "a (9223372036854.78sec", "reports", more=("--select=micros",)),
    Row("run_meta", "an end before its start", lambda: run_meta(ran("a", 100, -50)),
        0, "_TFProfRoot (--/-50us", "reports", more=("--select=micros",)),
    Row("run_meta", "a start at time zero", lambda: run_meta(ran("a", 0, 5)),
        0, "a has no start time, skipping", "reports: a has no start time, skipping",
        more=("--select=micros",)),
    Row("run_meta", "starts 300 years apart",
        lambda: run_meta(ran("a", 1, 5), ran("b", 300 * 365 * 86400 * US, 5)),
        0, "_TFProfRoot (--/10us", "reports", more=("--select=micros",)),
    Row("run_meta", "-5 bytes of memory",
        lambda: run_meta(ran("a", 1, 5, field(6, field(1, "cpu") + field(2, -5)))),
        0, "_TFProfRoot (--/-5B)", "reports", more=("--select=bytes",)),
    Row("run_meta", "2⁶³ - 1 bytes, twice",
        lambda: run_meta(*(ran(n, 1, 5, field(6, field(1, "cpu") + field(2, BIG))) for n in "ab")),
        0, TOO_LARGE, "reports: _TFProfRoot (--/-2B)",
        more=("--select=bytes",)),
    Row("run_meta", "an entry without a name", lambda: run_meta(ran("")),
        0, "1 node or device without a name", "reports", more=("--select=micros",)),
    Row("run_meta", "a device without a name", lambda: run_meta(ran("a"), device=""),
        0, "1 node or device without a name", "reports", more=("--select=micros,device",)),
    Row("run_meta", "2,000 devices that ran one node", lambda: many_devices(2_000),
        0, "a (5us/5us", "reports", more=("--select=micros",)),
    Row("run_meta", "nodes that the graph does not have", lambda: run_meta(ran("elsewhere")),
        0, "1 of 1 entries name no node of the graph: added as nodes", "reports",
        more=("--select=micros",), also=A),
    Row("op_log", "5,000 types of one node", lambda: many_types(5_000),
        0, "A   ", "reports", view="op", more=("--select=occurrence",), also=A),
    Row("op_log", "entries of nodes that are not there", lambda: flops("nowhere", 5),
        0, "1 of 1 entries name no node of the graph: skipped", "reports", also=A),
    Row("op_log", "2⁶³ - 1 float operations, twice", lambda: flops("a", BIG) + flops("b", BIG),
        0, TOO_LARGE, "reports: _TFProfRoot (--/-2 flops)",
        more=("--select=float_ops",), also={"graph": node("a", "A") + node("b", "A")}),
    Row("op_log", "-5 float operations", lambda: flops("a", -5),
        0, "_TFProfRoot (--/-5 flops)", "reports", more=("--select=float_ops",), also=A),
    Row("op_log", "a call stack of 50,000 frames",
        lambda: log_entry("a", [(1, 7, 2)] * 50_000) + strings(["", "/x/a.py", "main"]),
        0, "  a.py:7:main:none", "dies of SIGSEGV", view="code", more=("--max_depth=3",), also=A),
    Row("op_log", "a call stack whose strings are not there", lambda: log_entry("a", [(5, 1, 6)]),
        0, "  none:1:none:none", "raises: IndexError: map::at",
        view="code", more=("--max_depth=3",), also=A),
    Row("op_log", "an empty call stack", lambda: log_entry("a", []),
        0, "_TFProfRoot (--/0 params", "dies of SIGSEGV", view="code", also=A),
    Row("debug_info", "a call stack of 50,000 frames", lambda: debug_info("a@", frames=50_000),
        0, "  a.py:7:main:none", view="code", more=("--max_depth=3",), also=A),
    Row("debug_info", "200,000 names with the same stack of 10,000 frames",
        lambda: debug_info("a", *(f"n{i}@" for i in range(200_000)), frames=10_000),
        0, "200000 of 200001 entries name no node of the graph: skipped", view="code",
        more=("--max_depth=3",), also=A),
    Row("debug_info", "a frame that is not there", lambda: debug_info("a@", frame=2),
        1, "the call stack of 'a@' refers to frame 2, which is missing", also=A),
    Row("debug_info", "a file that is not there", lambda: debug_info("a@", file=-1),
        1, "the call stack of 'a@' refers to file 18446744073709551615, which is missing", also=A),
    Row("debug_info", "an empty call stack", lambda: debug_info("a@", frames=0),
        1, "No code trace information", view="code", also=A),
    Row("debug_info", "the first half of a good file, with --recover",
        lambda: first_half("debug_info"), 0, "recovered: dropped", more=("--recover",), also=A),
    Row("profile", "an input whose id is not there", lambda: saved(saved_node(0, "a", 99)),
        1, "node 'a' has an input from node id 99, which is not in the profile", "dies of SIGABRT",
        view="graph"),
    Row("profile", "ids twice, negative and 2⁶²",
        lambda: saved(*map(saved_node, (0, 0, 1 << 62, -1), "abcd")),
        0, "  d (0/0 params", "reports"),
    Row("profile", "a cycle", lambda: saved(saved_node(0, "a", 1), saved_node(1, "b", 0)),
        0, "_TFProfRoot (--/0 params", "reports", view="graph"),
    Row("profile", "a step that it does not have", GOOD["profile"],
        2, "Options -step=77 not found. Available steps: 0 1 2",
        "reports: Options -step=77 not found.",
        more=("--step=77",)),
    Row("xplane", "an event whose name is not there", event_without_name,
        0, "not read: 1 event without a name", 'reports: "rows": []', view="op"),
    Row("xplane", "a duration below zero",
        lambda: line(("a:Add", 5, -5, {}), ("b:Add", 5, 5, {})),
        0, "not read: 1 event with a negative duration",
        'reports: "v": "Add"}, {"v": "b"}, {"v": 1.0}, {"v": 5e-06}',
        view="op"),
    Row("xplane", "durations of 2⁶³ - 1 ps",
        lambda: line(("a:Add", 0, BIG, {}), ("b:Add", 5, BIG, {})),
        0, "not read: 2 events of 13 days or more",
        'reports: "v": "Add"}, {"v": "a"}, {"v": 1.0}, {"v": 9223372036854.775}',
        view="op"),
    Row("xplane", "a line that starts at 2⁶³ - 1 ns",
        lambda: line(("a:Add", 0, 5 * US, {}), timestamp=BIG),
        0, "5us (100.00%", 'reports: "rows": []', view="op"),
    Row("xplane", "a recording that starts at 2⁶³ - 1 ns", late_recording,
        0, "5us (100.00%", 'reports: "v": "Add"}, {"v": "a"}, {"v": 1.0}, {"v": 5.0}', view="op"),
    Row("xplane", "a line that starts at zero",
        lambda: line(("a:Add", 0, 5 * US, {}), timestamp=0),
        0, "5us (100.00%", 'reports: "v": "Add"}, {"v": "a"}, {"v": 1.0}, {"v": 5.0}', view="op"),
    Row("xplane", "200,000 events within each other", lambda: nested_events(200_000),
        0, "200000 operations in 1 step", "no answer", view="op"),
    Row("xplane", "a name of 4 MB", lambda: line(("n" * (4 << 20) + ":Add", 0, 5 * US, {})),
        0, "1 operation in 1 step", "reports", view="op"),
    Row("xplane", "a name that is not UTF-8",
        lambda: line(("QQ:Add", 0, 5 * US, {})).replace(b"QQ", b"\xff\xfe"),
        0, "not read: 1 event with a name that is not UTF-8", "reports: null", view="op"),
    Row("keras", "a zip archive without config.json", lambda: archive(other="x"),
        1, "a zip archive, but not a Keras model: it has no config.json"),
    Row("keras", "a config.json nested 100,000 deep",
        lambda: archive(config_json="[" * 100_000, metadata_json="{}"),
        1, "its configuration is not JSON: nested too deep at byte 201"),
    Row("keras", "a layer with terminal escapes in its name",
        lambda: keras_config(rb'"name": "', rb'"name": "\\u001b[2J'),
        0, "\\x1b[2Jdense_5", view="model"),
    Row("keras", "a layer of 2⁶³ - 1 units", lambda: keras_config(rb'"units": \d+', b'"units": %d' % BIG),
        0, "a total does not fit in 64 bits and is shown as the largest number that does", view="model"),
    Row("keras", "a layer of -1 units", lambda: keras_config(rb'"units": \d+', b'"units": -1'),
        0, "not counted: 1 Dense", view="model"),
    Row("keras", "a layer whose units are a text", lambda: keras_config(rb'"units": \d+', b'"units": "x"'),
        0, "not counted: 1 Dense", view="model"),
    Row("keras", "a batch of 2⁶³ - 1", lambda: keras_config(rb"\[null", b"[%d" % BIG),
        0, "a total does not fit in 64 bits and is shown as the largest number that does", view="model"),
    Row("saved_model", "a layer with terminal escapes in its name, invalid UTF-8",
        lambda: GOOD["saved_model"]().replace(b"dense", b"\x1b[2J\xff"),
        0, "\n\\x1b[2J\\xff_1 ", view="model"),
    Row("saved_model", "an unknown field, with --strict",
        lambda: GOOD["saved_model"]() + field(99, "x"),
        1, "1 unknown field", view="model", more=("--strict",)),
    Row("saved_model", "the first half of a good file, with --recover",
        lambda: first_half("saved_model"),
        0, "recovered: dropped", view="model", more=("--recover",)),
    Row("tflite", "an operator with terminal escapes in its name, invalid UTF-8",
        lambda: read(MODELS, "loop", "model.tflite").replace(b"while", b"\x1b[2J\xff"),
        0, "\\x1b[2J\\xff", view="model"),
    Row("keras", "a config.json cut in the middle",
        lambda: archive(config_json='{"class_name": "Seq', metadata_json="{}"),
        1, "its configuration is not JSON: a string without an end at byte 19"),
]


TITLES = {
    "graph": "Graphs", "text": "Graphs in text", "run_meta": "Run metadata", "op_log": "Op logs",
    "debug_info": "Debug information", "profile": "Saved profiles", "xplane": "Traces", "saved_model": "SavedModels",
    "meta_graph": "MetaGraphs", "keras": "Keras files", "keras_h5": "HDF5 files",
    "tflite": "TensorFlow Lite files", "checkpoint": "Checkpoints",
}
ASKED = ("graph", "run_meta", "op_log", "profile")  # what TensorFlow's profiler is given
WAIT = 15  # seconds for an original


def files_of(row):
    return {**row.also, row.kind: row.make()}


def run(row, directory):
    """What tfprof does: its status, and all it prints."""
    flags = []
    for kind, data in files_of(row).items():
        path = os.path.join(directory, kind)
        with open(path, "wb") as file:
            file.write(data)
        flag = f"--{'graph' if kind == 'text' else kind}_path="
        flags.append(path if row.view == "model" else flag + path)
    done = subprocess.run([tree.program(), row.view, *flags, *row.more], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    return done.returncode, (done.stderr + done.stdout).decode("utf-8", "replace")


def ask(original, row, directory):
    """What TensorFlow's profiler does: how it ends, and all it prints. `original` is an
    Original of tests/oracle."""
    from golden import options_message
    from original import Aborted, Refused
    options = dict(argument[2:].split("=") for argument in row.more)
    options = options_message({**options, "output": "stdout"}, "")
    files, printed = files_of(row), b""
    try:
        if row.kind == "profile":
            path = os.path.join(directory, "profile")
            with open(path, "wb") as file:
                file.write(files["profile"])
            original.from_file(path)
        else:
            original.new(files.get("graph", b""), files.get("op_log", b""))
        printed += original.last_stderr
        if "run_meta" in files:
            original.add_step(0, b"", files["run_meta"], b"")
            printed += original.last_stderr
        answer = original.profile(row.view, options)
        original.delete()
        return "reports", (printed + answer.stderr + answer.stdout).decode("utf-8", "replace")
    except Aborted as error:
        return error.reason.replace("died", "dies"), ""
    except Refused as error:
        original.delete()
        return "raises", str(error)


@functools.lru_cache(maxsize=None)
def xprof_python():
    return subprocess.run([os.path.join(TOP, "tools", "venv-xprof")], check=True, text=True,
                          capture_output=True).stdout.strip()


def ask_xprof(row, directory):
    """What XProf does with a trace."""
    path = os.path.join(directory, "trace")
    with open(path, "wb") as file:
        file.write(row.make())
    python = xprof_python()
    try:
        done = subprocess.run([python, os.path.join(TESTS, "xplane", "ask_xprof.py")], text=True,
                              input=f"{path} framework_op_stats\n", capture_output=True,
                              timeout=WAIT)
    except subprocess.TimeoutExpired:
        return "no answer", ""
    if done.returncode < 0:
        return f"dies of signal {-done.returncode}", ""
    return ("raises", done.stderr) if done.returncode else ("reports", done.stdout)


def cell(text):
    """Text of a program in a table of Markdown."""
    return "`" + text.strip().replace("|", "\\|") + "`"


def tables():
    """The tables of docs/limits.md."""
    out = []
    for kind, title in TITLES.items():
        theirs = ("TensorFlow's profiler" if kind in ASKED else "XProf" if kind == "xplane" else "")
        out += ["", f"### {title}", "", f"| input | tfprof |{f' {theirs} |' if theirs else ''}",
                "|---|---|" + "---|" * bool(theirs)]
        for row in ROWS:
            if row.kind == kind:
                how, _, text = row.original.partition(": ")
                done = "reports" if row.status == 0 else "refuses"
                theirs_did = f" {how}{f': {cell(text)}' if text else ''} |" if theirs else ""
                out.append(f"| {row.input} | {done}: {cell(row.says)} |{theirs_did}")
    return "\n".join(out[1:]) + "\n"


if __name__ == "__main__":
    print(tables(), end="")
