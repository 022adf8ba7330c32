"""Inputs in text form that are damaged or cut short: --recover loads the intact parts."""

import random
import re
import subprocess

import pytest
import tree
from test_damage import good, run as run_bytes

pytest.importorskip("google.protobuf")
pytest.importorskip("tensorflow.core.framework.graph_pb2")

from google.protobuf import text_format  # noqa: E402
from tensorflow.core.framework import graph_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_log_pb2  # noqa: E402
from tensorflow.core.protobuf import config_pb2  # noqa: E402

TYPES = {"graph": graph_pb2.GraphDef, "run_meta": config_pb2.RunMetadata,
         "op_log": tfprof_log_pb2.OpLogProto, "profile": tfprof_log_pb2.ProfileProto}
# What is dropped, at which indentation.
PARTS = {"graph": "node {", "run_meta": "    node_stats {", "op_log": "log_entries {",
         "profile": "nodes {"}


@pytest.fixture(scope="module", params=TYPES)
def text(request):
    message = TYPES[request.param].FromString(good(request.param))
    return request.param, text_format.MessageToString(message)


def run(directory, kind, data, *flags):
    """(status, rows, stderr)"""
    answer = run_bytes(directory, kind, data.encode(), *flags)
    assert answer[0] in (0, 1), answer[2]
    return answer


def notes(errors):
    """[(bytes, offset, line)] of what was dropped"""
    return [tuple(map(int, one)) for one in
            re.findall(r"(\d+) from byte (\d+) on \(line (\d+)\)", errors)]


def spans(kind, data):
    """Where the messages are that are dropped one by one."""
    indent = re.match(" *", PARTS[kind])[0]
    return [found.span() for found in re.finditer(
        rf"^{re.escape(PARTS[kind])}\n(?:{indent} .*\n)*{indent}}}\n", data, re.M)]


def test_whole_texts(text, tmp_path):
    kind, data = text
    plain = run(tmp_path, kind, data)
    assert plain[0] == 0
    assert run(tmp_path, kind, data, "--recover") == plain
    assert run(tmp_path, kind, data, "--strict")[:2] == plain[:2]


def test_cut_texts(text, tmp_path):
    kind, data = text
    n_whole = len(run(tmp_path, kind, data)[1]["nodes"])
    n_before = 0
    for n in range(len(data) // 40, len(data), len(data) // 20):
        status, _, errors = run(tmp_path, kind, data[:n])
        if status == 0:  # between two messages
            continue
        assert "(--recover loads the intact parts)" in errors
        status, rows, errors = run(tmp_path, kind, data[:n], "--recover")
        if kind == "run_meta" and status:
            assert "has no step_stats" in errors
            continue
        assert status == 0, errors
        (size, offset, line), = notes(errors)
        assert size + offset == n and line == data[:offset].count("\n") + 1
        assert n_before <= len(rows["nodes"]) <= n_whole
        n_before = len(rows["nodes"])
    assert n_before > n_whole * 0.8


DAMAGES = {
    "a bracket that does not open": lambda part: part.replace("{", " ", 1),
    "a bracket that does not close": lambda part: part.rstrip().rstrip("}") + "\n",
    "a string that does not end": lambda part: re.sub(r'"$', "", part, count=1, flags=re.M),
    "an unknown field": lambda part: part.replace(": ", "x: ", 1),
    "a field without a value": lambda part: re.sub(r": .*$", "", part, count=1, flags=re.M),
    "zeros": lambda part: part[:20] + "\0" * (len(part) - 40) + part[-20:],
}


@pytest.mark.parametrize("how", DAMAGES)
def test_one_damaged_message_is_all_that_is_dropped(text, tmp_path, how):
    """The oracle: the same text without it."""
    kind, data = text
    found = spans(kind, data)
    assert len(found) > 10
    for begin, end in found[1:-1:len(found) // 5]:
        part = DAMAGES[how](data[begin:end])
        if part == data[begin:end] or "\0" in part and begin < 5000:
            continue  # what begins with zeros is no text
        status, rows, errors = run(tmp_path, kind, data[:begin] + part + data[end:], "--recover")
        assert status == 0, errors
        (size, offset, line), = notes(errors)
        indent = len(data[begin:end]) - len(data[begin:end].lstrip())
        assert begin <= offset <= begin + indent and line == data[:begin].count("\n") + 1
        assert abs(size - len(part)) <= 8, (size, len(part))
        if kind != "profile":  # whose inputs of a dropped node are dropped, too
            assert rows == run(tmp_path, kind, data[:begin] + data[end:], "--recover")[1]


def test_texts_in_one_line(text, tmp_path):
    kind, data = text
    line = text_format.MessageToString(TYPES[kind].FromString(good(kind)), as_one_line=True)
    whole = run(tmp_path, kind, line)[1]
    chance = random.Random(1)
    for _ in range(10):
        at = chance.randrange(len(line) // 4, len(line))
        status, rows, errors = run(tmp_path, kind, line[:at] + "}}{\"" + line[at:], "--recover")
        assert status == 0 and notes(errors), errors
        assert len(rows["nodes"]) > len(whole["nodes"]) * 0.2


def test_many_places(tmp_path):
    """Each of 2,000 damaged nodes is dropped, and each whole one kept; the note is short."""
    data = "".join('node { name: "n%d" op: "A" }\n' % i if i % 2 else 'node { name: n%d }\n' % i
                   for i in range(4000))
    status, rows, errors = run(tmp_path, "graph", data, "--recover")
    assert status == 0 and len(rows["nodes"]) == 2001
    assert "(2000 damaged messages)" in errors and "and 1995 more places" in errors
    assert len(errors) < 1000


@pytest.mark.parametrize("data", [
    "a#" * 500_000, " " * 1_000_000 + "node {" * 100_000, "node { " * 300_000, "node { } }" * 100_000,
    "node { name: \"" + "\\" * 1_000_000, "node [ { } , " * 100_000, "\n" * 1_000_000 + "node {",
    "node { attr { value { func { attr { value { " * 20_000,
], ids=range(8))
def test_hostile_texts_do_not_take_long(tmp_path, data):
    for head in ("node { name: \"x\" op: \"A\" }\nnode { x", "node { name: \"x\" op: \"A\" }\n"):
        status, _, errors = run(tmp_path, "graph", head + data, "--recover")
        assert status == 0, errors


@pytest.mark.parametrize("packer", ["gzip", "zstd"])
def test_cut_packed_texts(tmp_path, packer):
    chance = random.Random(2)
    data = "".join('node { name: "n%x" op: "A" }\n' % chance.getrandbits(64) for _ in range(30_000))
    packed = subprocess.run([packer, "-c"], input=data.encode(), capture_output=True, check=True).stdout
    (tmp_path / "file").write_bytes(packed[:len(packed) * 9 // 10])
    done = subprocess.run([tree.program(), "scope", "file", "--recover", "--max_depth=2"], cwd=tmp_path,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^file: the {packer} data ends after \d+ bytes of content", done.stderr, re.M)
    assert done.stdout.count("\n  n") > 20_000
