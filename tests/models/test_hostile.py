"""Model files that are damaged or made to hurt: a message or a bounded answer, never a
crash, and neither time nor memory without bound."""

import json
import pathlib
import random
import re
import resource
import struct
import subprocess
import sys
import time
import zipfile
import zlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import tree  # noqa: E402
from wire import field  # noqa: E402

FILES = pathlib.Path(__file__).parent / "files"
# a second or two, and many times that under the sanitizers on a busy machine
SECONDS = 300 if "asan" in tree.program() else 60


def limit():
    """3 GB of memory, unless a sanitizer needs its own address space."""
    if "asan" not in tree.program():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def run(path, *flags):
    start = time.monotonic()
    done = subprocess.run([tree.program(), "model", str(path), *flags], capture_output=True,
                          text=True, errors="replace", timeout=SECONDS, preexec_fn=limit,
                          check=False)
    assert done.returncode in (0, 1, 2), (done.returncode, done.stderr[-2000:])
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    if done.returncode:
        assert done.stderr.startswith("tfprof: ") and done.stderr.count("\n") == 1, done.stderr
    return done, time.monotonic() - start


SMALL = ["loop/export/saved_model.pb", "loop/frozen_lowered.pb", "mixed.keras", "sub.keras",
         "k2_small/model.h5", "conv1d/model.tflite", "tf1_ref/model.ckpt.meta"]


@pytest.mark.parametrize("name", SMALL)
def test_cut_anywhere(name, tmp_path):
    data = (FILES / name).read_bytes()
    step = max(1, len(data) // 60)
    for size in list(range(0, 64, 7)) + list(range(64, len(data), step)):
        file = tmp_path / "cut"
        file.write_bytes(data[:size])
        run(file)


@pytest.mark.parametrize("name", SMALL)
def test_bytes_changed(name, tmp_path):
    data, dice = (FILES / name).read_bytes(), random.Random(5)
    for _ in range(60):
        changed = bytearray(data)
        for _ in range(dice.randrange(1, 12)):
            changed[dice.randrange(len(changed))] = dice.choice([0, 1, 127, 128, 255,
                                                                 dice.randrange(256)])
        file = tmp_path / "changed"
        file.write_bytes(changed)
        run(file)


# ---- graphs --------------------------------------------------------------------------

def node(name, op, *inputs, **attrs):
    body = field(1, name) + field(2, op) + b"".join(field(3, i) for i in inputs)
    for key, value in attrs.items():
        body += field(5, field(1, key) + field(2, value))
    return body


def shape(*dims):
    return field(7, b"".join(field(2, field(1, d)) for d in dims))


def function(name, args, nodes, rets):
    signature = field(1, name) + b"".join(field(2, field(1, a)) for a in args)
    signature += b"".join(field(3, field(1, r)) for r in rets)
    body = field(1, signature) + b"".join(field(3, n) for n in nodes)
    return body + b"".join(field(4, field(1, k) + field(2, v)) for k, v in rets.items())


def graph(nodes, functions=()):
    library = b"".join(field(1, f) for f in functions)
    return b"".join(field(1, n) for n in nodes) + field(2, library)


def call(name, target, *inputs):
    return node(name, "PartitionedCall", *inputs, f=field(10, field(1, target)))


X = node("x", "Placeholder", shape=shape(1, 8), dtype=field(6, 1))


def test_functions_that_call_themselves(tmp_path):
    file = tmp_path / "graph.pb"
    f = function("f", ["a"], [call("c", "f", "a")], {"r": "c:output:0"})
    file.write_bytes(graph([X, call("main", "f", "x")] * 1, [f]))
    done, _ = run(file)
    assert "more than 100 deep" in done.stdout


def saved_model(main, last):
    info = field(2, 1) + field(3, shape(1, 8)[2:])
    signature = (field(1, field(1, "x") + field(2, field(1, "x:0") + info)) +
                 field(2, field(1, "y") + field(2, field(1, last + ":0"))))
    meta = (field(1, field(4, "serve")) + field(2, main) +
            field(5, field(1, "serving_default") + field(2, signature)))
    return field(1, 1) + field(2, meta)


def test_functions_in_several_roles(tmp_path):
    """A SavedModel's functions are built when they are called and may be gone after that, but
    not while somebody uses them: here the condition of a loop calls the loop's body."""
    g = function("g", ["a"], [node("e", "Relu", "a")], {"r": "e:activations:0"})
    k = function("k", ["a"], [call("c", "g", "a"), call("d", "g", "c:output:0")],
                 {"r": "d:output:0"})
    loop = node("loop", "StatelessWhile", "x", cond=field(10, field(1, "k")),
                body=field(10, field(1, "g")))
    again = [call(f"c{i}", "g", f"c{i - 1}" if i else "loop") for i in range(5)]
    file = tmp_path / "saved_model.pb"
    file.write_bytes(saved_model(graph([X, loop, *again], [g, k]), "c4"))
    done, _ = run(file, "--output=json:outfile=-")
    assert json.loads(done.stdout)["total"]["float_ops"] == 6 * 8


def test_calls_that_double(tmp_path):
    """f0 calls f1 twice, f1 calls f2 twice, and so on, 60 deep."""
    file = tmp_path / "graph.pb"
    functions = [function(f"f{i}", ["a"], [call("c", f"f{i + 1}", "a"), call("d", f"f{i + 1}",
                                                                           "c:output:0")],
                          {"r": "d:output:0"}) for i in range(60)]
    functions.append(function("f60", ["a"], [node("e", "Relu", "a")], {"r": "e:activations:0"}))
    file.write_bytes(graph([X, call("main", "f0", "x")], functions))
    done, _ = run(file)
    assert "more calls and operations than are followed: the rest is not counted" in done.stdout
    assert "not all there are" in done.stdout and "%)" not in done.stdout.split("counted  ")[1]


def test_empty_calls_that_double(tmp_path):
    """Of a small file in which nothing is counted not all is followed, so it passes no gate."""
    file = tmp_path / "graph.pb"
    functions = [function(f"f{i}", ["a"], [call("c", f"f{i + 1}", "a"), call("d", f"f{i + 1}",
                                                                           "c:output:0")],
                          {"r": "d:output:0"}) for i in range(24)]
    functions.append(function("f24", ["a"], [], {"r": "a"}))
    file.write_bytes(graph([X, call("main", "f0", "x")], functions))
    done = subprocess.run([tree.program(), "model", str(file), "--fail_if=macs>1"], text=True,
                          capture_output=True, timeout=SECONDS, preexec_fn=limit, check=False)
    assert done.returncode == 4
    assert "cannot tell" in done.stderr and "more calls and operations" in done.stderr


def test_huge_shapes(tmp_path):
    file = tmp_path / "graph.pb"
    huge = node("x", "Placeholder", shape=shape(1 << 62, 1 << 62), dtype=field(6, 1))
    file.write_bytes(graph([huge, node("r", "Relu", "x"), node("m", "MatMul", "x", "x",
                                                              transpose_b=field(5, 1))]))
    done, _ = run(file, "--output=json:outfile=-")
    total = json.loads(done.stdout)["total"]
    assert total["macs"] == total["float_ops"] == 2 ** 63 - 1
    assert "does not fit in 64 bits" in done.stdout


def test_a_loop_of_a_million_turns(tmp_path):
    file = tmp_path / "graph.pb"

    def const(name, value):
        return node(name, "Const", dtype=field(6, 3),
                    value=field(8, field(1, 3) + field(2, b"") + field(7, value)))

    cond = function("cond", ["i", "y"], [const("n", 2000000000), node("l", "Less", "i",
                                                                      "n:output:0")],
                    {"r": "l:z:0"})
    body = function("body", ["i", "y"], [const("one", 1), node("a", "AddV2", "i", "one:output:0"),
                                         node("t", "Tanh", "y")], {"r": "a:z:0", "s": "t:y:0"})
    loop = node("w", "While", "zero", "x", cond=field(10, field(1, "cond")),
                body=field(10, field(1, "body")))
    file.write_bytes(graph([X, const("zero", 0), loop, node("out", "Relu", "w:1")], [cond, body]))
    done, seconds = run(file, "--output=json:outfile=-")
    model = json.loads(done.stdout)
    assert any("1000000 turns" in note["text"] for note in model["notes"])
    assert {op["type"]: op["float_ops"] for op in model["operations"]}["Tanh"] == 8 * 1000000
    assert seconds < SECONDS / 2


def test_a_lowered_loop_of_a_million_turns(tmp_path):
    """The same as Enter, Merge, Switch, Exit and NextIteration."""
    file = tmp_path / "graph.pb"

    def const(name, value, *after):
        return node(name, "Const", *after, dtype=field(6, 3),
                    value=field(8, field(1, 3) + field(2, b"") + field(7, value)))

    nodes = [X, const("zero", 0), const("n", 2000000000)]
    for var, start in (("i", "zero"), ("y", "x")):
        nodes += [node(f"{var}e", "Enter", start, frame_name=field(2, "f")),
                  node(f"{var}m", "Merge", f"{var}e", f"{var}n"), node(f"{var}s", "Switch", f"{var}m", "c"),
                  node(f"{var}x", "Exit", f"{var}s")]
    nodes += [node("ne", "Enter", "n", frame_name=field(2, "f"), is_constant=field(5, 1)), node("l", "Less", "im", "ne"),
              node("c", "LoopCond", "l"), const("one", 1, "^im"), node("a", "AddV2", "is:1", "one"), node("in", "NextIteration", "a"),
              node("t", "Tanh", "ys:1"), node("yn", "NextIteration", "t"), node("out", "Relu", "yx")]
    file.write_bytes(graph(nodes, []))
    done, seconds = run(file, "--output=json:outfile=-")
    model = json.loads(done.stdout)
    assert any("1000000 turns" in note["text"] for note in model["notes"])
    assert {op["type"]: op["float_ops"] for op in model["operations"]}["Tanh"] == 8 * 1000000
    assert seconds < SECONDS / 2


def test_a_long_chain(tmp_path):
    """200,000 operations, each depending on the one before."""
    file = tmp_path / "graph.pb"
    chain = [X] + [node(f"n{i}", "Relu", f"n{i - 1}" if i else "x") for i in range(200000)]
    file.write_bytes(graph(chain))
    done, _ = run(file, "--max_depth=1", "--output=json:outfile=-")
    assert json.loads(done.stdout)["total"]["float_ops"] == 8 * 200000


def test_cycles(tmp_path):
    file = tmp_path / "graph.pb"
    file.write_bytes(graph([node("a", "Relu", "b"), node("b", "Relu", "a"),
                            node("c", "Relu", "a")]))
    done, _ = run(file)
    assert "not counted" in done.stdout


def test_many_filled_values(tmp_path):
    """Each is small in the file and 4096 numbers in memory."""
    file = tmp_path / "graph.pb"
    value = field(8, field(1, 3) + field(2, field(2, field(1, 4096))) + field(7, 1))
    nodes = [node(f"c{i}", "Const", dtype=field(6, 3), value=value) for i in range(60000)]
    nodes.append(node("all", "AddN", *[f"c{i}" for i in range(60000)]))
    file.write_bytes(graph(nodes))
    run(file)


# ---- containers ----------------------------------------------------------------------

def keras(path, config, weights=None, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("metadata.json", '{"keras_version": "3.0"}')
        archive.writestr("config.json", config)
        if weights is not None:
            archive.writestr("model.weights.h5", weights)


@pytest.mark.parametrize("text", [
    "[" * 100000, '{"a":' * 100000, "", "{", '{"config": {"layers": [1, 2', '"' + "x" * 100,
    '{"config": {"layers": [[], {}, 3, null, "x", {"class_name": 5, "config": []}]}}',
    '{"class_name": "Functional", "config": {"layers": [{"class_name": "Dense", "name": "a",'
    '"config": {"units": 9223372036854775807}, "inbound_nodes": [[["a", 0, 0, {}]]]}],'
    '"input_layers": [], "output_layers": [["a", 0, 0]]}}',
    # an output, and an input, of a layer that is not there
    '{"class_name": "Functional", "config": {"layers": [{"class_name": "Dense", "name": "a",'
    '"config": {"units": 2}, "inbound_nodes": [[["b", 7, 9, {}]]]}],'
    '"input_layers": [], "output_layers": [["c", 5, 0], ["a", 0, 0]]}}',
], ids=range(9))
def test_json_bombs(text, tmp_path):
    keras(tmp_path / "x.keras", text)
    run(tmp_path / "x.keras")


def test_zip_bombs(tmp_path):
    keras(tmp_path / "x.keras", " " * 200_000_000, method=zipfile.ZIP_DEFLATED)
    done, _ = run(tmp_path / "x.keras")
    assert done.returncode == 1 and "at most 67108864 are unpacked" in done.stderr
    keras(tmp_path / "x.keras", "[" + "[]," * 20_000_000, method=zipfile.ZIP_DEFLATED)
    done, _ = run(tmp_path / "x.keras")
    assert done.returncode == 1
    packed = zlib.compress(b"x" * 1000)[2:-4]
    name = b"config.json"
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, 0, len(packed), 0xf0000000,
                        len(name), 0) + name + packed
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 0, 0, len(packed), 0xf0000000,
                        len(name), 0, 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(local), 0)
    (tmp_path / "y.keras").write_bytes(local + entry + end)
    done, _ = run(tmp_path / "y.keras")
    assert done.returncode == 1


def test_hdf5_cycles(tmp_path):
    """A group that contains itself: every object header address is the root's."""
    data = bytearray((FILES / "k2_small/model.h5").read_bytes())
    root = data[64:72]
    at = data.find(b"SNOD")
    while at >= 0:
        for i in range(struct.unpack_from("<H", data, at + 6)[0]):
            data[at + 8 + 40 * i + 8:at + 8 + 40 * i + 16] = root
        at = data.find(b"SNOD", at + 1)
    (tmp_path / "x.h5").write_bytes(data)
    done, _ = run(tmp_path / "x.h5")
    assert done.returncode == 1
    assert "more objects than it has room for" in done.stderr or "no name" in done.stderr


def test_models_within_models(tmp_path):
    """40 deep, each called twice by the one above: bounded, not 2^40."""
    inner = {"class_name": "Dense", "name": "d", "config": {"name": "d", "units": 4}}
    for i in range(40):
        layers = [{"class_name": "InputLayer", "name": "i", "config": {
            "name": "i", "batch_shape": [None, 4]}, "inbound_nodes": []},
            dict(inner, inbound_nodes=[[["i", 0, 0, {}]], [[inner["name"], 0, 0, {}]]])]
        config = {"name": f"m{i}", "layers": layers, "input_layers": [["i", 0, 0]],
                  "output_layers": [[inner["name"], 1, 0]]}
        inner = {"class_name": "Functional", "name": f"m{i}", "config": config}
    keras(tmp_path / "x.keras", json.dumps(inner))
    run(tmp_path / "x.keras")


@pytest.mark.parametrize("wrapper", ["TimeDistributed", "Bidirectional", "SpectralNormalization"])
def test_wrappers_within_wrappers(wrapper, tmp_path):
    """What no layer is around comes to an end."""
    layer = {"class_name": "Dense", "config": {"name": "d", "units": 4}}
    for i in range(30):
        layer = {"class_name": wrapper, "config": {"name": f"w{i}", "units": 4, "layer": layer}}
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": [
        {"class_name": "InputLayer", "config": {"name": "i", "batch_shape": [None, 5, 4]}}, layer]}}
    keras(tmp_path / "x.keras", json.dumps(config))
    done, _ = run(tmp_path / "x.keras")
    assert done.returncode == 0 and re.search(f"not counted: [0-9]+ {wrapper}", done.stdout)


@pytest.mark.parametrize("sections, axis, shape", [
    (2, 1, "1x2"), ([1], 1, "1x1"), (2, 7, None), (2, -9, None), ([1], 9, None), (0, 1, None), (-3, 1, None),
    ([3, 1], 1, None), (list(range(5000)), 1, None)], ids=range(9))
def test_parts_of_what_has_no_such_axis(sections, axis, shape, tmp_path):
    value = {"class_name": "__keras_tensor__", "config": {"shape": [None, 4], "keras_history": ["i", 0, 0]}}
    keras(tmp_path / "x.keras", json.dumps({"class_name": "Functional", "config": {"name": "m", "layers": [
        {"class_name": "InputLayer", "name": "i", "config": {"name": "i", "batch_shape": [None, 4]},
         "inbound_nodes": []},
        {"class_name": "Split", "module": "keras.src.ops.numpy", "name": "s",
         "config": {"name": "s", "indices_or_sections": sections, "axis": axis},
         "inbound_nodes": [{"args": [value], "kwargs": {}}]}],
        "input_layers": [["i", 0, 0]], "output_layers": [["s", 0, 0]]}}))
    done, _ = run(tmp_path / "x.keras")
    assert done.returncode == 0
    assert ("not counted: 1 Split" in done.stdout) == (shape is None)
    assert shape is None or re.search(f"^s +Split +{shape} ", done.stdout, re.M)


@pytest.mark.parametrize("config", [b"", b"null", b"[]", b"3"])
def test_configuration_that_is_no_object(config, tmp_path):
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", config)
    done, _ = run(path)
    assert done.returncode == 1
    assert "its configuration is not JSON" in done.stderr


def test_batch_that_the_file_fixes(tmp_path):
    """--batch_size is for what is open: that it has no effect is said."""
    file = tmp_path / "graph.pb"
    file.write_bytes(graph([X, node("y", "Relu", "x")]))
    done, _ = run(file, "--batch_size=4")
    assert "input 'x' is 1x8 in the file and does not change: give --input_shapes=x:4x8" in done.stdout
    assert "does not change" not in run(file)[0].stdout + run(file, "--batch_size=1")[0].stdout


def test_escapes_in_names(tmp_path):
    """Python's json module says what they stand for, except for half a pair."""
    given = '\\u00e9\\u4e2d\\ud83d\\ude00 \\"\\\\\\/\\b\\f\\n\\r\\t \\u00E9 \\u005cn é😀'
    halves = {"\\ud83d": "\ufffd", "\\ude00x": "\ufffdx", "\\ud83d\\u0041": "\ufffdA",
              "\\ud83d\\ud83d\\ude00": "\ufffd😀"}
    for escaped, expected in {given: json.loads(f'"{given}"'), **halves}.items():
        path = tmp_path / "x.keras"
        with zipfile.ZipFile(FILES / "mixed.keras") as old, zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                data = old.read(name)
                if name == "config.json":
                    data = data.replace(b'"name": "', b'"name": "' + escaped.encode())
                new.writestr(name, data)
        done = subprocess.run([tree.program(), "model", path, "--output=json"], check=True,
                              capture_output=True)
        names = [row["name"] for row in json.loads(done.stdout)["layers"]]
        assert names == [expected + "input_layer_3", expected + "dense_5"]
