"""Deliberate differences from TensorFlow's profiler: docs/differences.md names a test
for each; these are the ones that no other file has.

Inputs are in text format to be readable here. The library is TFPROF_LIB or
build/libtfprof.so, the program TFPROF_PROGRAM or build/tfprof.
"""

import json
import os
import re
import subprocess

import pytest
import tree
from messages import OptionsProto
from ours import Ours, Refused

DOCUMENT = os.path.join(tree.TOP, "docs", "differences.md")


@pytest.fixture
def ours():
    with Ours() as one:
        yield one


def program(*arguments, text=""):
    return subprocess.run([tree.program(), *map(str, arguments)], input=text,
                          encoding="utf-8", capture_output=True, timeout=60)


def lines(answer):
    """The lines of a report, without its header."""
    return answer.stdout.decode().partition("\nProfile:\n")[2].splitlines()[1:]


def run_meta(*entries, device="/job:a/replica:0/task:0/device:CPU:0"):
    return f"""step_stats {{ dev_stats {{ device: "{device}" {" ".join(
        f"node_stats {{ {entry} }}" for entry in entries)} }} }}""".encode()


def ran(name, micros=5, more=""):
    return f'node_name: "{name}" all_start_micros: 100 op_end_rel_micros: {micros} {more}'


def stack(name, *frames):
    """An op log entry; frames are (line, file id, function id, source id)."""
    return f"""log_entries {{ name: "{name}" code_def {{ {" ".join(
        f"traces {{ lineno: {line} file_id: {file} function_id: {function} line_id: {source} }}"
        for line, file, function, source in frames)} }} }}"""


def strings(*texts):
    return " ".join(f'id_to_string {{ key: {key} value: "{text}" }}'
                    for key, text in enumerate(texts))


# Output 0 is 2, output 1 is 3x4.
TWO_OUTPUTS = b"""
node { name: "split" op: "Split" attr { key: "_output_shapes" value { list {
    shape { dim { size: 2 } } shape { dim { size: 3 } dim { size: 4 } } } } } }
node { name: "one" op: "A" input: "split:1" }
node { name: "both" op: "B" input: "split" input: "split:1" input: "split:1" }
"""


def input_shapes(ours):
    return dict(re.findall(r"^  (\w+) \((.*)\)$", "\n".join(
        lines(ours.ask("scope", select="input_shapes"))), re.MULTILINE))


def test_inputs_have_the_shape_of_the_output_they_name(ours):
    ours.new(TWO_OUTPUTS)
    assert input_shapes(ours) == {"split": "", "one": "0:3x4", "both": "0:2|1:3x4|2:3x4"}


def test_edges_from_several_outputs_survive_saving(ours):
    ours.new(TWO_OUTPUTS)
    for _ in range(3):
        ours.from_bytes(ours.serialize())
        assert input_shapes(ours) == {"split": "", "one": "0:3x4", "both": "0:2|1:3x4|2:3x4"}


def test_nodes_that_come_after_a_view_was_built(ours):
    ours.new(b'node { name: "a" op: "A" }')
    before = {view: ours.ask(view, select="occurrence").stdout for view in ("scope", "graph", "op")}
    ours.add_step(0, run_meta=run_meta(ran("a"), ran("late")))
    for view, text in before.items():
        assert b"late" not in text
        assert b"late" in ours.ask(view, select="occurrence").stdout


def test_stacks_that_come_after_a_view_was_built(ours):
    ours.new(b'node { name: "a" op: "A" } node { name: "b" op: "B" }')
    with pytest.raises(Refused, match="No code trace information"):
        ours.ask("code")
    texts = strings("", "/x/model.py", "build", "layer()")
    ours.add_op_log((stack("a", (7, 1, 2, 3)) + texts).encode())
    first = lines(ours.ask("code", select="occurrence"))
    ours.add_op_log((stack("b", (9, 1, 2, 3)) + texts).encode())
    second = lines(ours.ask("code", select="occurrence"))
    assert [line.partition(" (")[0] for line in first] == ["_TFProfRoot",
                                                           "  model.py:7:build:layer()"]
    assert [line.partition(" (")[0] for line in second] == [
        "_TFProfRoot", "  model.py:7:build:layer()", "  model.py:9:build:layer()"]


def test_averages_of_negative_sums(ours):
    ours.new(b'node { name: "a" op: "A" }')
    for step, size in enumerate((-700, -300)):
        ours.add_step(step, run_meta=run_meta(ran("a", more="memory { allocator_name: \"cpu\" "
                                                  f"total_bytes: {size} }}")))
    assert lines(ours.ask("op", select="bytes"))[0].split()[:2] == ["A", "-500B"]
    assert lines(ours.ask("scope", select="bytes"))[1] == "  a (-500B/-500B)"


def test_profile_with_an_input_that_names_no_node(ours):
    ours.new(b'node { name: "a" op: "A" input: "b" input: "nowhere" } node { name: "b" op: "B" }')
    ours.from_bytes(ours.serialize())
    assert lines(ours.ask("graph", select="input_shapes"))[1:] == ["  a (0:unknown)", "    b ()"]


def test_a_missing_stream_stays_known(ours):
    warning = "misses accelerator stream stats"
    ours.new(b'node { name: "a" op: "A" }')
    assert warning not in ours.ask("scope").stdout.decode()
    ours.add_step(0, run_meta=run_meta(ran("a"), device="/job:a/replica:0/task:0/device:GPU:0"))
    before = ours.ask("scope").stdout
    assert warning in before.decode()
    ours.from_bytes(ours.serialize())
    assert ours.ask("scope").stdout == before


def test_transfers_are_no_nodes_but_kept(ours):
    label = ("[1.0MB] edge_8_w/read from /job:ps/replica:0/task:0/device:CPU:0 to "
             "/job:worker/replica:0/task:0/device:CPU:0")
    ours.new(b'node { name: "a" op: "A" }')
    ours.add_step(0, run_meta=run_meta(ran("a"), ran("RecvTensor", 40, f'timeline_label: "{label}"'),
                                       device="/job:worker/replica:0/task:0/device:CPU:0"))
    for _ in range(2):
        assert len(lines(ours.ask("scope"))) == 2
        advice = ours.ask_advice("JobChecker")[0].stdout.decode()
        assert "/job:ps/task:0 -> /job:worker/task:0: 1 transfer" in advice
        ours.from_bytes(ours.serialize())


@pytest.fixture
def nested(tmp_path):
    path = tmp_path / "graph.pbtxt"
    path.write_text('node { name: "s/a" op: "A" } node { name: "s/b" op: "B" } '
                    'node { name: "t/c" op: "A" }')
    return path


@pytest.mark.parametrize("given, names", [
    ((), ["s", "s/a", "s/b", "t", "t/c"]),
    (("--account_type_regexes=A",), ["s/a", "t/c"]),
    (("--start_name_regexes=s",), ["s", "s/a", "s/b"]),
    (("--start_name_regexes=s", "--account_type_regexes=B"), ["s/b"])])
def test_start_and_account_are_two_flags(given, names, nested):
    done = program("scope", f"--graph_path={nested}", "--select=occurrence", *given)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^ +(\S+) \(", done.stdout, re.MULTILINE) == names


def test_values_do_not_accumulate(ours, tmp_path):
    """Neither in the report nor in the message."""
    tree.unpack(os.path.join("data", "resnet_checkpoint"), tmp_path)
    ours.new(tree.read_packed("golden", "resnet", "graph.pb"))
    ours.add_checkpoint(tmp_path / "model.ckpt")
    options = {"select": "tensor_value", "show_name_regexes": "pool_logit/biases"}
    first, *others = [ours.ask("scope", **options) for _ in range(3)]
    assert len(re.findall(r"^\[", first.stdout.decode(), re.MULTILINE)) == 1
    assert all(other == first for other in others)


def test_labels_end_in_source_text(ours):
    ours.new(b'node { name: "a" op: "A" } node { name: "b" op: "B" } node { name: "c" op: "C" } '
             b'node { name: "d" op: "D" }')
    ours.add_op_log("".join([
        stack("a", (1, 1, 2, 4)), stack("b", (2, 1, 2, 5)), stack("c", (3, 1, 2, 0)),
        stack("d", (4, 1, 3, 4)),
        strings("none", "/x/model.py", "build", "a_function_of_21_byte", "nineteen_bytes_here",
                "twenty_bytes_of_text")]).encode())

    def labels(**options):
        return [line.strip().partition(" (")[0]
                for line in lines(ours.ask("code", select="params", **options))[1:]]

    assert labels() == ["model.py:1:build:nineteen_bytes_here", "model.py:2:build:twenty_bytes_of_t...",
                        "model.py:3:build:none", "model.py:4:a_function_of_21_...:nineteen_bytes_here"]
    assert labels(source_lines="false") == ["model.py:1:build", "model.py:2:build",
                                            "model.py:3:build", "model.py:4:a_function_of_21_..."]
    assert labels(show_name_regexes=".*:build") == []
    assert labels(show_name_regexes=".*:build", source_lines="false") == [
        "model.py:1:build", "model.py:2:build", "model.py:3:build"]
    assert labels(show_name_regexes=".*:none") == ["model.py:3:build:none"]


def test_lines_are_known_by_their_paths(ours):
    ours.new(b'node { name: "a" op: "A" } node { name: "b" op: "B" }')
    ours.add_op_log("".join([
        stack("a", (7, 1, 3, 0)), stack("b", (7, 2, 3, 0)),
        strings("none", "/home/me/model.py", "/home/you/model.py", "build")]).encode())
    columns = ours.columns("code", ["name", "path", "line", "function"], source_lines="false")
    assert columns == {"name": ["_TFProfRoot", "model.py:7:build", "model.py:7:build"],
                       "path": ["", "/home/me/model.py", "/home/you/model.py"],
                       "line": [None, 7, 7], "function": ["", "build", "build"]}
    # TensorFlow's API merges them.
    options = OptionsProto(max_depth=10, step=-1, order_by="name",
                           account_type_regexes=[".*"], start_name_regexes=[".*"],
                           show_name_regexes=[".*"], select=["params"])
    text = ours.profile("code", options.SerializeToString()).stdout.decode()
    assert text.count("model.py:7:build") == 1


def test_labels_are_cut_between_characters(ours):
    """Of three bytes each: 15 bytes, not 17."""
    ours.new(b'node { name: "a" op: "A" }')
    ours.add_op_log((stack("a", (1, 1, 2, 3)) + strings("none", "m.py", "層" * 7, "行" * 7)).encode())
    assert f"m.py:1:{'層' * 5}...:{'行' * 5}... (" in "".join(lines(ours.ask("code", select="params")))


def test_any_number_of_profiles():
    with Ours() as first, Ours() as second:
        first.new(b'node { name: "a" op: "A" }')
        second.new(b'node { name: "b" op: "B" }')
        assert [line[:6] for line in lines(first.ask("scope"))[1:]] == ["  a (0"]
        assert [line[:6] for line in lines(second.ask("scope"))[1:]] == ["  b (0"]
        second.delete()
        assert [line[:6] for line in lines(first.ask("scope"))[1:]] == ["  a (0"]


@pytest.mark.parametrize("view, step", [("graph", 11), ("op", 11), ("scope", -1), ("code", -1)])
def test_timelines_open_in_perfetto(view, step, ours, tmp_path):
    """Slices of a thread do not overlap unless they are nested; flows have both ends,
    in order, and lie on slices; numbers are numbers."""
    ours.from_bytes(tree.read_packed("golden", "devices", "profile"))
    ours.ask(view, step=step, max_depth=1000, output=f"timeline:outfile={tmp_path / 't.json'}")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    threads, flows = {}, {}
    for event in events:
        assert isinstance(event["pid"], int) and isinstance(event["name"], str)
        if event["ph"] == "X":
            assert event["dur"] >= 0
            threads.setdefault((event["pid"], event["tid"]), []).append(
                (event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] in "st":
            flows.setdefault(event["id"], {})[event["ph"]] = event
    assert threads and (flows or view != "graph")
    for slices in threads.values():
        ends = []
        for start, end in sorted(slices, key=lambda each: (each[0], -each[1])):
            while ends and ends[-1] <= start:
                ends.pop()
            assert not ends or end <= ends[-1]
            ends.append(end)
    for flow in flows.values():
        for event in (flow["s"], flow["t"]):
            assert any(start <= event["ts"] <= end
                       for start, end in threads[event["pid"], event["tid"]])


# ---- the document ----

def test_every_point_names_tests_that_exist():
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    points = re.findall(r"^\| (\d+) \|", text, re.MULTILINE)
    tested = re.findall(r"^(\d+)\. `tests/", text, re.MULTILINE)
    # A number stays; a new one may stand in any section.
    assert sorted(points, key=int) == tested == [str(i) for i in range(1, len(points) + 1)]
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) >= 20
    for path, name in named:
        with open(os.path.join(tree.TOP, path), encoding="utf-8") as file:
            assert re.search(rf"^ *def {name}\(", file.read(), re.MULTILINE), f"{path}::{name}"
