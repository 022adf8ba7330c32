"""What is wrong in a file is noticed: notes count it, --strict refuses it, and --recover loads
the intact parts and says what was dropped."""

import gzip
import json
import os
import re
import subprocess

import pytest
import tree
from wire import field, log_entry, node, read_varint, varint

CPU = "/job:w/replica:0/task:0/device:CPU:0"
SAMPLES = os.path.join(tree.TESTS, "xplane", "samples")
GOLDEN = {"graph": "graph.pb", "run_meta": "run_meta_0", "op_log": "tfprof_log", "profile": "profile"}
GRAPH = tree.read_packed("golden", "loop", "graph.pb")


def good(kind):
    if kind == "xplane":
        with gzip.open(os.path.join(SAMPLES, "tf_cnn_loop.xplane.pb.gz")) as file:
            return file.read()
    return tree.read_packed("golden", "loop", GOLDEN[kind])


def run(directory, kind, data, *flags, view="scope", name="file"):
    """(status, the answer but for the sizes of its files, stderr)"""
    (directory / name).write_bytes(data)
    out = directory / "out.json"
    out.unlink(missing_ok=True)
    command = [tree.program(), view, f"--{kind}_path={name}", "--max_depth=10000",
               "--account_displayed_op_only=false", "--output=json:outfile=out.json", *flags]
    if kind == "op_log":
        (directory / "graph").write_bytes(GRAPH)
        command += ["--graph_path=graph", "--select=float_ops"]
    done = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)
    answer = json.loads(out.read_text()) if out.exists() else None
    for file in answer["capture"]["files"] if answer else []:
        del file["bytes"]
    return done.returncode, answer, done.stderr


# ---- noticed ------------------------------------------------------------------

STATS = field(1, "n") + field(2, 1000) + field(4, 5) + field(5, 5)
ATTR = field(5, field(1, "k") + field(2, field(99, 1)))


def step(device, stats):
    return field(1, field(1, (field(1, device) if device else b"") + field(2, stats)))


def profile_node(more, name="n"):
    return field(1, field(1, 0) + field(2, field(1, name) + field(9, "Op") + field(13, 0) + more))


# kind, bytes, what notes say, what --strict says if that is more
NOTICED = {
    "an input that names no node":
        ("graph", node("a", "A", ["b"]), "1 input of a node names no node: ignored", ""),
    "a node without a name": ("graph", node("", "A"), "1 node or device without a name", ""),
    "an unknown field": ("graph", node("a", "A") + field(99, 1), "1 unknown field skipped", ""),
    "an unknown field of a node":
        ("graph", node("a", "A", [], field(99, 1)), "1 unknown field skipped", ""),
    "a name as a number": ("graph", node("a", "A", [], field(2, 7)),
                           "1 field with the wrong wire type skipped", ""),
    "two kinds of fields": ("graph", node("a", "A", [], field(2, 7) + field(98, 1) + field(99, 1)),
                            "1 field with the wrong wire type skipped, 2 unknown fields skipped", ""),
    "an unknown field of an attribute":
        ("graph", node("a", "A", [], ATTR), None, "1 unknown field skipped"),
    "a device without a name":
        ("run_meta", step("", STATS), "1 node or device without a name", ""),
    "an entry without a name":
        ("run_meta", step(CPU, field(2, 1000) + field(5, 5)), "1 node or device without a name", ""),
    "an unknown field of an entry":
        ("run_meta", step(CPU, STATS + field(99, 1)), None, "1 unknown field skipped"),
    "an op log of another graph": ("op_log", log_entry("what", []),
                                   "1 of 1 entries name no node of the graph: skipped", ""),
    "a profile's node without a name":
        ("profile", profile_node(b"", ""), "1 node or device without a name", ""),
    "an unknown field of a profile's node":
        ("profile", profile_node(field(77, 1)), "1 unknown field skipped", ""),
    "a step as text": ("profile", profile_node(b"") + field(2, "x"),
                       "1 field with the wrong wire type skipped", ""),
}


@pytest.mark.parametrize("what", NOTICED)
def test_noticed(tmp_path, what):
    kind, data, note, more = NOTICED[what]
    status, rows, errors = run(tmp_path, kind, data)
    assert status == 0 and rows
    assert re.findall(r"^file: (.*)$", errors, re.M) == ([note] if note else [])
    status, rows, errors = run(tmp_path, kind, data, "--strict")
    assert (status, rows) == (1, None)
    assert errors == f"tfprof: file: {more or note} (an error because of --strict)\n"


@pytest.mark.parametrize("name, note", [
    (b"", "1 event without a name"),
    (field(4, field(1, 7) + field(2, field(1, 7) + field(2, b"\xff\xfe:Add"))),
     "1 event with a name that is not UTF-8"),
])
def test_a_trace_with_events_that_cannot_be_right(tmp_path, name, note):
    plane = field(2, "/host:CPU") + field(3, field(2, "t") + field(4, field(1, 7) + field(3, 5)))
    status, _, errors = run(tmp_path, "xplane", field(1, plane + name))
    assert status == 0 and "not read: " + note in errors
    status, rows, errors = run(tmp_path, "xplane", field(1, plane + name), "--strict")
    assert (status, rows) == (1, None) and "1 implausible event" in errors


@pytest.mark.parametrize("kind", ["graph", "run_meta", "op_log", "profile", "xplane"])
def test_good_files_are_strict(tmp_path, kind):
    for flag in ("--strict", "--recover", "--strict=false"):
        status, rows, errors = run(tmp_path, kind, good(kind), flag)
        assert status == 0 and rows == run(tmp_path, kind, good(kind))[1]
        assert "recovered" not in errors


def test_own_profiles_are_strict(models, tmp_path):
    for files in (["profile"], ["graph.pb", "run_meta_0", "tfprof_log"]):
        paths = [str(models / "resnet" / name) for name in files]
        subprocess.run([tree.program(), "save", "saved", *paths], cwd=tmp_path, check=True,
                       capture_output=True)
        subprocess.run([tree.program(), "op", "--strict", "saved"], cwd=tmp_path, check=True,
                       capture_output=True)


def test_strict_and_recover_exclude_each_other(tmp_path):
    status, _, errors = run(tmp_path, "graph", GRAPH, "--strict", "--recover")
    assert status == 2 and errors == "tfprof: --strict and --recover cannot be combined\n"


# ---- recovered ----------------------------------------------------------------

def dropped(errors):
    """(bytes dropped, of how many, messages) and the rest of the line"""
    found = re.search(r"^file: recovered: dropped (\d+) of (\d+) bytes \((\d+) damaged messages?\)(.*)$",
                      errors, re.M)
    return found and (int(found[1]), int(found[2]), int(found[3]), found[4])


def totals(rows):
    """Of all steps: reports show averages."""
    root, n_steps = rows["nodes"][0], max(1, len(rows["steps"]))
    return {"nodes": len(rows["nodes"]),
            **{key: value * n_steps for key, value in root.items() if key.startswith("total_")}}


@pytest.mark.parametrize("kind", ["graph", "run_meta", "op_log", "profile", "xplane"])
def test_cut_files(tmp_path, kind):
    """Cut anywhere: it loads, with no more than the whole has, and says what is missing."""
    data = good(kind)
    whole = totals(run(tmp_path, kind, data)[1])
    assert whole["nodes"] > 20
    for n in range(97, len(data), 97 * max(1, len(data) // 97 // 150)):
        plain, _, hint = run(tmp_path, kind, data[:n])
        status, rows, errors = run(tmp_path, kind, data[:n], "--recover")
        if kind == "run_meta" and "has no step_stats" in errors:
            continue
        assert status == 0, (n, errors)
        assert bool(dropped(errors)) == (plain != 0)
        if plain:
            assert "--recover loads the intact parts" in hint
            assert dropped(errors)[1] == n
        for key, value in totals(rows).items():
            assert value <= whole.get(key, 0), (n, key)


def fields_at(data, at, end):
    """(number, offset of the tag, of the content, of the end) of the messages of a message."""
    while at < end:
        begin = at
        tag, at = read_varint(data, at)
        if tag & 7 == 2:
            size, at = read_varint(data, at)
            yield tag >> 3, begin, at, at + size
            at += size
        elif tag & 7 == 0:
            at = read_varint(data, at)[1]
        else:
            at += {1: 8, 5: 4}[tag & 7]


def inside(data, at, end, path, number):
    for found, begin, content, stop in fields_at(data, at, end):
        if path and found == path[0]:
            yield from inside(data, content, stop, path[1:], number)
        elif not path and found == number and stop - content > 4:
            yield begin, content, stop


def parts(kind, data):
    """Where the messages are that are dropped one by one: tag, content, end."""
    path = {"run_meta": [1, 1], "xplane": [1, 3]}.get(kind, [])
    return list(inside(data, 0, len(data), path, {"run_meta": 2, "xplane": 4}.get(kind, 1)))


@pytest.mark.parametrize("kind", ["graph", "run_meta", "op_log", "profile", "xplane"])
def test_one_damaged_message_is_all_that_is_dropped(tmp_path, kind):
    data = good(kind)
    found = parts(kind, data)
    assert len(found) > 20
    for begin, content, stop in found[2::len(found) // 10]:
        damaged = bytearray(data)
        damaged[content] = 7  # a wire type that there is not
        status, rows, errors = run(tmp_path, kind, bytes(damaged), "--recover")
        assert status == 0, errors
        assert dropped(errors)[:3] == (stop - begin, len(data), 1)
        assert f": {stop - begin} from byte {begin} on" in errors
        if kind in ("graph", "op_log"):  # the oracle: the same file without it
            assert rows == run(tmp_path, kind, data[:begin] + data[stop:])[1]


@pytest.mark.parametrize("kind", ["graph", "op_log", "profile"])
def test_a_damaged_length_costs_one_message(tmp_path, kind):
    data = good(kind)
    found = parts(kind, data)
    for begin, content, stop in found[2::len(found) // 10]:
        for change in (1, -1, 40):
            damaged = bytearray(data)
            damaged[begin + 1] = max(0, damaged[begin + 1] + change) % 256
            status, rows, errors = run(tmp_path, kind, bytes(damaged), "--recover")
            assert status == 0, errors
            n_bytes, _, n_messages, _ = dropped(errors)
            assert (n_bytes, n_messages) == (stop - begin, 1), (begin, change, errors)


def test_what_refers_to_dropped_nodes_is_dropped(tmp_path):
    """Inputs of a dropped node, stacks without texts, and steps: said, and no error later."""
    data = good("profile")
    for n in (len(data) // 3, len(data) // 2, len(data) - 3000):
        for view in ("graph", "scope", "op"):
            status, _, errors = run(tmp_path, "profile", data[:n], "--recover", view=view)
            assert status == 0, errors
        assert "; lost with them: " in errors
        assert ("the list of steps (3 found in nodes)" in errors) == (n < len(data) - 3000)


@pytest.mark.parametrize("kind", ["graph", "profile"])
@pytest.mark.parametrize("packer", ["gzip", "zstd"])
def test_cut_packed_files(tmp_path, kind, packer):
    data = good(kind) if kind == "profile" else b"".join(
        node(f"n{i * i * 7919 % 999983}", "A") for i in range(40_000))
    packed = subprocess.run([packer, "-c"], input=data, capture_output=True, check=True).stdout
    whole = totals(run(tmp_path, kind, data)[1])
    for share in (0.95, 0.99):
        cut = packed[:int(len(packed) * share)]
        status, _, hint = run(tmp_path, kind, cut)
        assert status == 1 and "cut short (--recover loads the intact parts)" in hint
        status, rows, errors = run(tmp_path, kind, cut, "--recover")
        assert status == 0, errors
        assert re.search(rf"^file: the {packer} data ends after \d+ bytes of content", errors, re.M)
        for key, value in totals(rows).items():
            assert value <= whole.get(key, 0)


def test_hostile_lengths_do_not_take_long(tmp_path):
    """Every byte may begin a message of all that follows: searching is bounded."""
    data = b"\x07" + b"".join(b"\x0a" + varint(200_000 - 4 * i) for i in range(50_000))
    status, _, errors = run(tmp_path, "graph", data, "--recover")
    assert status in (0, 1) and errors


def test_nothing_is_intact(tmp_path):
    status, _, errors = run(tmp_path, "graph", b"\x07" * 5000, "--recover")
    assert status == 0 and dropped(errors)[:2] == (5000, 5000) and "it names no node" in errors
