"""Questions: each can be asked by command, in every format that tables have, and says in one
sentence why it does not apply."""

import csv
import io
import json
import os
import re
import subprocess

import pytest
from tree import TOP, program

TRACE = TOP + "/examples/traces/jax_transformer.xplane.pb.gz"
GPU_TRACE = TOP + "/tests/xplane/samples/synthetic_gpu.xplane.pb.gz"
PROFILE = TOP + "/examples/resnet/profile"
MODEL = TOP + "/tests/models/files/mlp/export"

GRAPH = """
node { name: "a" op: "NoOp" }
node { name: "b" op: "NoOp" }
node { name: "c" op: "NoOp" }
"""

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"

# device, node, start, duration: gpu:0 is busy in 100 … 160 and 200 … 230. Of streams, a profile keeps
# stream:all, which has what ran on each.
PLANTED = [
    (GPU + "/stream:all", "a", 100, 50), (GPU + "/stream:all", "b", 120, 40),
    (GPU + "/stream:all", "a", 200, 30),
    (GPU + "/stream:7", "a", 100, 50), (GPU + "/stream:8", "b", 120, 40),
    (GPU + "/stream:7", "a", 200, 30),
    (GPU, "a", 10, 5), (GPU, "b", 900, 5),  # launches: the host's time
    (CPU, "c", 1, 7), (CPU, "c", 4, 9),
]


def run(*words, check=True, **more):
    done = subprocess.run([program(), *map(str, words)], capture_output=True, check=False, **more)
    assert not check or done.returncode == 0, done.stderr
    return done


def entry(device, node, start, duration):
    return (f'  dev_stats {{ device: "{device}" node_stats {{ node_name: "{node}" '
            f"all_start_micros: {1000 + start} op_end_rel_micros: {duration} "
            f"all_end_rel_micros: {duration} }} }}\n")


@pytest.fixture
def planted(tmp_path):
    """A graph and run metadata with times that are known."""
    (tmp_path / "graph.pbtxt").write_text(GRAPH)
    (tmp_path / "run_meta").write_text(
        "step_stats {\n" + "".join(entry(*one) for one in PLANTED) + "}\n")
    return [tmp_path / "graph.pbtxt", tmp_path / "run_meta"]


def test_devices_adds_up_planted_times(planted):
    answer = json.loads(run("devices", *planted, "--output=json").stdout)
    assert (answer["schema"], answer["version"]) == ("tfprof.devices", 2)
    root, *rows = answer["nodes"]
    assert (root["id"], root["parent"], root["depth"]) == (0, None, 0)
    by_name = {row["name"]: row for row in rows}
    assert sorted(by_name) == ["cpu:0", "gpu:0"]
    gpu = by_name["gpu:0"]
    assert gpu["parent"] == 0 and gpu["depth"] == 1 and gpu["kind"] == "gpu"
    assert (gpu["busy_micros"], gpu["span_micros"], gpu["idle_micros"]) == (90, 130, 40)
    assert gpu["runs"] == 3 and gpu["lanes"] is None
    cpu = by_name["cpu:0"]
    assert (cpu["busy_micros"], cpu["span_micros"], cpu["runs"]) == (12, 12, 2)
    assert cpu["lanes"] is None  # run metadata does not tell lanes


def test_a_step_is_a_part(planted):
    answer = json.loads(run("devices", *planted, "--step=0", "--output=json").stdout)
    assert answer["options"]["step"] == 0
    failed = run("devices", *planted, "--step=5", check=False)
    assert failed.returncode == 2 and b"Available steps: 0" in failed.stderr


def questions():
    """The commands of questions, each with its options."""
    return ["overview", "annotate", "layers", "layers --top=2", "step", "devices", "memory", "roofline", "roofline --by=layer", "events", "table",
            "table --table=nodes", "table --table=lines",
            "table --table=steps", "table --table=devices", "table --table=summary"]


def everything():
    """Every question with an input that it applies to: views, advice, models and comparisons, too."""
    return ([[*question.split(), TRACE] for question in questions()]
            + [[view, PROFILE] for view in ("scope", "graph", "op", "code")]
            + [["transfers", GPU_TRACE], ["op", "--by=kernel", GPU_TRACE]]
            + [["advise", PROFILE], ["model", MODEL], ["diff", "op", PROFILE, "--", PROFILE]])


def name_of(words):
    return "_".join(words[:-1] if words[0] != "diff" else ["diff"])


def check_pre_order(nodes):
    """Row 0 is the only root, and every other row follows its parent's subtree so far."""
    ancestors = []
    for i, node in enumerate(nodes):
        assert node["id"] == i and isinstance(node["name"], str)
        assert (node["depth"] == 0) == (i == 0) and 0 <= node["depth"] <= len(ancestors)
        del ancestors[node["depth"]:]
        assert node["parent"] == (ancestors[-1] if ancestors else None)
        ancestors.append(i)
    assert nodes


@pytest.mark.parametrize("words", everything(), ids=name_of)
@pytest.mark.parametrize("format", ["json", "jsonl", "csv", "arrow", "markdown", "file"])
def test_every_question_is_written_in_every_format(tmp_path, words, format):
    path = tmp_path / "written"
    done = run(words[0], f"--output={format}:outfile={path}", *words[1:])
    assert path.stat().st_size > 0 and done.stdout == b""
    if format == "json":
        answer = json.loads(path.read_text(encoding="utf-8"))
        assert answer["schema"] == "tfprof." + words[0] and answer["version"] == 2
        assert answer["question"] == words[0]
        assert all(re.fullmatch("[a-z_]+", note["id"]) and note["text"] for note in answer["notes"])
        assert isinstance(answer["options"], dict)
        check_pre_order(answer["nodes"])


def fold(nodes, top, columns):
    """What --top leaves of a table, the slow way: (name, numbers) of each row, and how many rows are gone."""
    below = {}
    for node in nodes[1:]:
        below.setdefault(node["parent"], []).append(node)

    def rows(node):
        kept = below.get(node["id"], [])
        rest = kept[top:] if len(kept) > top + 1 else []
        found = [(node["name"], [node[column] or 0 for column in columns])]
        for child in kept[:len(kept) - len(rest)]:
            found += rows(child)
        return found + ([(f"... {len(rest)} more", [sum(child[column] or 0 for child in rest) for column in columns])]
                        if rest else [])

    found = rows(nodes[0])
    return found, len(nodes) - sum(not name.startswith("... ") for name, _ in found)


@pytest.mark.parametrize("top", [1, 2, 5, 1000])
@pytest.mark.parametrize("question", ["layers --max_depth=9", "roofline --by=layer", "op", "scope", "graph",
                                      "code", "scope --order_by=micros --max_depth=3"])
def test_what_top_leaves_out_is_counted_and_added_up(question, top):
    def ask(*more):
        return json.loads(run(*question.split(), TRACE, *more, "--output=json").stdout)

    every, part = ask(), ask(f"--top={top}")
    columns = ["exec_micros", "float_ops"] if question.startswith("layers") else ["exec_micros"]
    if question.split()[0] in ("scope", "graph", "code"):
        columns.append("total_exec_micros")
    columns = [column for column in columns if column in every["nodes"][0]]
    expected, n_left_out = fold(every["nodes"], top, columns)
    assert [(node["name"], [node[column] or 0 for column in columns]) for node in part["nodes"]] == [
        (name, [pytest.approx(number) for number in numbers]) for name, numbers in expected]
    assert part["rows_left_out"] == n_left_out and "rows_left_out" not in every
    assert columns and (n_left_out > 0 or top > 2) and (not n_left_out or top < 1000)
    if question == "op":    # a total is that of a row and of all after it
        assert [node["total_exec_micros"] for node in part["nodes"]] == [
            node["total_exec_micros"] for node in every["nodes"]][:len(part["nodes"])]


@pytest.mark.parametrize("question", ["events", "table --table=nodes", "devices", "memory"])
def test_top_of_other_tables(question):
    def ask(*more):
        return json.loads(run(*question.split(), TRACE, *more, "--output=json").stdout)

    every, part = ask(), ask("--top=1")
    kept = len(part["nodes"]) - sum(node["name"].startswith("... ") for node in part["nodes"])
    assert part["rows_left_out"] == len(every["nodes"]) - kept and kept <= len(every["nodes"])
    if question.startswith(("events", "table")):
        assert part["nodes"] == every["nodes"][:2]
        text = run(*question.split(), TRACE, "--top=1").stdout.decode().splitlines()
        assert len(text) == 3 and text[2] == f"... {len(every['nodes']) - 2} more"


@pytest.mark.parametrize("max_bytes", [1, 2000, 4000, 10**9])
@pytest.mark.parametrize("question", ["step", "scope", "events", "advise", "annotate"])
def test_bounded_json_has_the_rows_that_fit_and_names_a_file_with_all(question, max_bytes, tmp_path):
    env = {**os.environ, "TMPDIR": str(tmp_path / '"odd\\ name')}
    os.mkdir(env["TMPDIR"])
    every = run(question, TRACE, "--output=json").stdout
    bounded = run(question, TRACE, "--output=json", f"--max_bytes={max_bytes}", env=env).stdout
    files = os.listdir(env["TMPDIR"])
    if len(every) <= max_bytes:
        assert json.loads(bounded)["nodes"] == json.loads(every)["nodes"] and files == []
        return
    part, every = json.loads(bounded), json.loads(every)["nodes"]
    whole = os.path.join(env["TMPDIR"], *files)
    assert part["cut"]["whole"] == whole and os.stat(whole).st_mode & 0o777 == 0o600
    assert json.load(open(whole))["nodes"] == every
    assert part["nodes"] == every[:len(part["nodes"])]
    assert part["cut"]["rows_left_out"] == len(every) - len(part["nodes"])
    if len(part["nodes"]):
        # Another row of the largest size would not fit with the member "cut".
        row = max(len(json.dumps(one)) for one in every)
        assert max_bytes - row - 7 * len(whole) - 100 < len(bounded) <= max_bytes


def test_bounded_json_without_a_place_for_the_rest_is_an_error():
    done = run("step", TRACE, "--output=json", "--max_bytes=2KB", check=False,
               env={**os.environ, "TMPDIR": "/nowhere"})
    assert done.returncode == 1 and b"/nowhere/tfprof-" in done.stderr and b"No such file" in done.stderr


@pytest.mark.parametrize("file", [TRACE, PROFILE], ids=["trace", "profile"])
def test_a_file_alone_as_json_is_its_overview(file):
    assert run(file, "--output=json").stdout == run("overview", file, "--output=json").stdout


@pytest.mark.parametrize("rows", [
    [(0, None), (1, 0), (3, 1)],  # a level is missing
    [(0, None), (1, 0), (1, 0), (2, 1)],  # its parent's subtree has ended
    [(0, None), (0, None)], [(1, 0)], []])
def test_other_orders_are_noticed(rows):
    nodes = [{"id": i, "name": "", "depth": depth, "parent": parent}
             for i, (depth, parent) in enumerate(rows)]
    with pytest.raises(AssertionError):
        check_pre_order(nodes)


def test_all_questions_are_listed():
    """Each has a command, and is tried in every format."""
    with open(TOP + "/src/ask/question.h", encoding="utf-8") as file:
        listed = set(re.findall(r"\bX\((\w+), \w+, \w+, \w+\)", file.read()))
    assert listed == {words[0] for words in everything()}
    overview = run("help").stdout.decode()
    for name in listed:
        assert re.search(rf"^  {name} +\w", overview, re.M)


def as_csv(value):
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("question", questions())
@pytest.mark.parametrize("format", ["json", "jsonl", "csv", "markdown"])
def test_every_format_has_the_rows_of_json(tmp_path, question, format):
    nodes = json.loads(run(*question.split(), TRACE, "--output=json").stdout)["nodes"]
    path = tmp_path / "written"
    run(*question.split(), TRACE, f"--output={format}:outfile={path}")
    text = path.read_text(encoding="utf-8")
    if format == "json":
        assert json.loads(text)["nodes"] == nodes
    elif format == "jsonl":
        assert [json.loads(line) for line in text.splitlines()] == nodes
    elif format == "csv":
        read = list(csv.DictReader(io.StringIO(text, newline="")))
        assert read == [{name: as_csv(value) for name, value in node.items()} for node in nodes]
    else:
        has_total = any(value is not None for name, value in nodes[0].items()
                        if name not in ("id", "parent", "depth", "name"))
        # A header of two; the root if it shows something.
        assert len(text.splitlines()) == len(nodes) + 1 + has_total
    for i, node in enumerate(nodes):
        assert node["id"] == i
        assert (node["parent"] is None) == (i == 0)
        assert node["depth"] == (0 if i == 0 else nodes[node["parent"]]["depth"] + 1)


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
@pytest.mark.parametrize("format", ["jsonl", "markdown"])
def test_views_have_the_formats_of_tables(view, format):
    nodes = json.loads(run(view, PROFILE, "--output=json").stdout)["nodes"]
    lines = run(view, PROFILE, f"--output={format}").stdout.decode().splitlines()
    if format == "jsonl":
        for node in nodes:
            node.pop("input_types", None)
        assert [json.loads(line) for line in lines] == nodes
    else:
        assert len(lines) == len(nodes) + 2


@pytest.mark.parametrize("question", [*questions(), "scope", "op --select=device,params,occurrence"])
def test_arrow_has_the_rows_of_json(tmp_path, question):
    feather = pytest.importorskip("pyarrow.feather")
    nodes = json.loads(run(*question.split(), TRACE, "--output=json").stdout)["nodes"]
    run(*question.split(), TRACE, f"--output=arrow:outfile={tmp_path}/rows.arrow")
    table = feather.read_table(tmp_path / "rows.arrow")
    table.validate(full=True)
    rows = table.to_pylist()
    if "parent" not in table.column_names:
        nodes = nodes[1:]  # a list has no root
    assert len(rows) == len(nodes)
    for row, node in zip(rows, nodes):
        for name, value in row.items():
            given = node["own_depth" if name == "depth" and "own_depth" in node else name]
            assert given == ("|".join(value) if isinstance(value, list) else value)


def test_a_question_that_does_not_apply_says_what_to_add(planted):
    failed = run("devices", planted[0], check=False)
    assert failed.returncode == 1 and not failed.stdout
    assert failed.stderr.decode().count("\n") == 1
    assert b"devices: nothing ran: add a trace of tf.profiler or jax.profiler" in failed.stderr


def save(trace, path):
    run("save", path, trace)
    return path


@pytest.mark.parametrize("trace", [TRACE, GPU_TRACE], ids=["cpu", "gpu"])
@pytest.mark.parametrize("question", ["scope", "graph", "op", "code", "advise", *questions(), "transfers"])
def test_a_saved_trace_answers_as_the_trace_or_says_what_it_lacks(tmp_path, question, trace):
    saved = save(trace, tmp_path / "saved")
    asked = [run(*question.split(), path, "--output=json", check=False) for path in (trace, saved)]
    if asked[1].returncode == 1:
        assert re.fullmatch(rb"tfprof: \w+: a saved profile lacks .*: add the trace that it was saved from "
                            rb"\(\*\.xplane\.pb\)\n", asked[1].stderr)
        return
    one, other = (json.loads(done.stdout) for done in asked)
    notes = [note["id"] for note in other["notes"]]
    inputs = {"inputs", "capture"}
    assert "not_saved" in notes or {key: one[key] for key in one if key not in inputs} == {
        key: other[key] for key in other if key not in inputs}


def older(path):
    """As a version wrote it whose numbers of traces had another meaning."""
    written = path.read_bytes()
    assert written.count(b"\xc8\x3e\x03") == 1  # field 1001
    path.write_bytes(written.replace(b"\xc8\x3e\x03", b"\xc8\x3e\x02"))
    return path


def test_numbers_of_an_older_meaning_are_not_compared(tmp_path):
    old, new = older(save(TRACE, tmp_path / "old")), save(TRACE, tmp_path / "new")
    assert b"saved when a number of traces had another meaning" in run("op", old).stderr
    assert b"another meaning" not in run("op", new).stderr
    for base, other in ((old, new), (new, old), (old, TRACE)):
        failed = run("diff", "op", base, "--", other, check=False)
        assert failed.returncode == 1 and b"another meaning: save it again from its trace" in failed.stderr
    run("diff", "op", old, "--", old)
    run("diff", "op", new, "--", TRACE)
    run("diff", "op", old, "--", PROFILE)  # run metadata means what it always meant
    # Saved again, it is as old as before.
    run("save", tmp_path / "again", old)
    assert b"another meaning" in run("op", tmp_path / "again").stderr


@pytest.mark.parametrize("option", ["layers", "overview"])
def test_a_saved_model_keeps_that_its_batch_is_assumed(tmp_path, option):
    model = TOP + "/tests/models/files/mixed.keras"
    run("save", tmp_path / "saved", model)
    one, other = (json.loads(run(option, path, "--output=json").stdout) for path in (model, tmp_path / "saved"))
    assert one["assumed_batch"] == 1 if option == "overview" else True
    assert one.get("assumed_batch") == other.get("assumed_batch")
    if option == "layers":
        assert one["nodes"] == other["nodes"]


def test_options_of_others_are_refused(planted):
    failed = run("devices", *planted, "--select=bytes", check=False)
    assert failed.returncode == 2
    assert failed.stderr == b"tfprof: --select is not an option of the command devices\n"


def test_a_format_that_is_not_of_tables_is_refused(planted, tmp_path):
    failed = run("devices", *planted, f"--output=pprof:outfile={tmp_path}/p", check=False)
    assert failed.returncode == 2 and not (tmp_path / "p").exists()
    assert b"devices cannot be written as pprof" in failed.stderr
    assert b"html" not in failed.stderr
    failed = run("annotate", TOP + "/examples/resnet/profile", f"--output=pprof:outfile={tmp_path}/p", check=False)
    assert failed.returncode == 2 and b"expected one of: arrow, csv, file, html, json" in failed.stderr


def test_the_text_is_for_people(planted):
    lines = run("devices", *planted).stdout.decode().splitlines()
    assert lines[0].split() == ["name", "kind", "task", "runs", "busy", "span", "idle"]
    assert [line.split()[0] for line in lines[1:]] == ["cpu:0", "gpu:0"]
    assert lines[2].split()[-3:] == ["90us", "130us", "40us"]


@pytest.mark.parametrize("table, names", [("nodes", "ab"), ("ops", "XY")])
def test_a_table_of_one_step_is_that_part_of_the_whole_table(tmp_path, table, names):
    """Three steps: a takes 50 + 30, 100, 200 us; b is missing in the second."""
    (tmp_path / "graph.pbtxt").write_text('node { name: "a" op: "X" } node { name: "b" op: "Y" }')
    runs = [[("a", 1, 50), ("b", 60, 40), ("a", 200, 30)], [("a", 1, 100)], [("a", 1, 200), ("b", 300, 7)]]
    paths = [tmp_path / "graph.pbtxt"]
    for i, entries in enumerate(runs):
        paths.append(tmp_path / f"run_meta_{i}")
        paths[-1].write_text("step_stats {\n" + "".join(entry(CPU, *one) for one in entries) + "}\n")

    def times(*words):
        rows = csv.DictReader(io.StringIO(
            run("table", *paths, f"--table={table}", "--output=csv", *words).stdout.decode()))
        return [(int(row["step"]), row["name"], int(row["exec_micros"])) for row in rows
                if row["step"] and int(row["exec_micros"])]

    first, second = names
    expected = [(0, first, 80), (0, second, 40), (1, first, 100), (2, first, 200), (2, second, 7)]
    assert sorted(times()) == expected
    for step in range(3):
        assert sorted(times(f"--step={step}")) == [row for row in expected if row[0] == step]
