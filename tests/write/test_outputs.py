"""Timelines, pprof profiles, JSON and CSV, without TensorFlow.

Timelines and pprof profiles are compared with those that TensorFlow's profiler wrote of
the models of tests/golden (tests/data/outputs, made by oracle/outputs_golden.py).
Needs the library and the program: TFPROF_LIB and TFPROF_PROGRAM, or those in
build/ of this tree.
"""

import csv
import gzip
import io
import json
import lzma
import os
import re
import subprocess
import sys

import ours
import pytest
import traces
import tree
from wire import field, varint

MODELS = ("devices", "loop", "resnet")


def read_golden(model):
    with lzma.open(os.path.join(tree.DATA, "outputs", model + ".json.xz")) as file:
        return json.load(file)


def describe(model, i, golden):
    """The query, for the test's name."""
    message = golden["options"]
    output = "pprof" if "pprof" in message else "timeline"
    selects = re.findall(r'^select: "(\w+)"', message, re.MULTILINE)
    return "-".join([model, str(i), golden["view"], output, *selects])


GOLDEN = [pytest.param(model, i, id=describe(model, i, golden))
          for model in MODELS for i, golden in enumerate(read_golden(model))]


@pytest.fixture(scope="session")
def profiles(models):
    """Paths of saved profiles by model."""
    return {model: str(models / model / "profile") for model in MODELS}


@pytest.fixture(scope="session")
def loaded(profiles):
    made = {model: ours.Ours() for model in MODELS}
    for model in MODELS:
        made[model].from_file(profiles[model])
    return made


@pytest.fixture(scope="session")
def goldens():
    return {model: read_golden(model) for model in MODELS}


def run(profile, view, *arguments, **more):
    done = subprocess.run([tree.program(), view, "--profile_path=" + profile, *arguments],
                          capture_output=True, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def files_in(directory, read):
    return {path.name: read(path.read_bytes()) for path in sorted(directory.iterdir())}


# ---- like TensorFlow's profiler ---------------------------------------------

@pytest.mark.parametrize("model,i", GOLDEN)
def test_golden(loaded, goldens, tmp_path, model, i):
    golden = goldens[model][i]
    options = bytes.fromhex(golden["message"])
    # The path's length stands before it in the message: replace it there, too.
    before = options.index(b"@OUT@") - len("timeline:outfile=" if b"timeline" in options
                                           else "pprof:outfile=")
    end = before + options[before - 1]
    output = options[before:end].replace(b"@OUT@", os.fsencode(tmp_path))
    options = options[:before - 1] + varint(len(output)) + output + options[end:]
    answer = loaded[model].profile(golden["view"], options)
    assert answer.stdout.decode().replace(str(tmp_path), "@OUT@") == golden["stdout"]
    read = traces.pprof_lines if "pprof" in golden["options"] else traces.timeline_lines
    assert files_in(tmp_path, read) == golden["files"]
    notes = answer.stderr.decode().splitlines()
    assert [note for note in notes if "pprof" in note or "timeline" in note] == golden["notes"]


def test_golden_has_all_kinds(goldens):
    kinds = set()
    for golden in goldens["devices"]:
        for lines in golden["files"].values():
            if "pprof" not in golden["options"]:
                kinds.update((golden["view"], json.loads(line)["ph"]) for line in lines)
    assert {("graph", phase) for phase in "MXstC"} <= kinds
    assert {(view, phase) for view in ("scope", "code") for phase in "MX"} <= kinds


def test_results_of_refused_outputs(loaded, tmp_path):
    """An error if strict. (A note if the options came as a message, see above.)"""
    cases = [("op", "speedscope", "micros", "Only scope and code view can be written as speedscope"),
             ("code", "pprof", "micros,bytes", "Can only select 1 attribute"),
             ("code", "pprof", "device", "pprof doesn't support -select=device")]
    for view, output, select, complaint in cases:
        with pytest.raises(ours.Refused, match=complaint) as refused:
            loaded["devices"].ask(view, output=f"{output}:outfile={tmp_path}/x", select=select)
        assert refused.value.status == "ARGUMENT"
    assert not list(tmp_path.iterdir())


# ---- files ------------------------------------------------------------------

def test_packed_timelines(profiles, tmp_path):
    plain = run(profiles["devices"], "graph", f"--output=timeline:outfile={tmp_path}/t")
    packed = run(profiles["devices"], "graph", f"--output=timeline:outfile={tmp_path}/t.json.gz")
    for step in (10, 11, 12):
        with gzip.open(tmp_path / f"t_{step}.json.gz") as file:
            assert file.read() == (tmp_path / f"t_{step}").read_bytes()
        assert f"t_{step}.\n".encode() in plain and f"t_{step}.json.gz.\n".encode() in packed
    assert len(list(tmp_path.iterdir())) == 6


def as_message(step=-1, output="stdout", select="micros"):
    """An OptionsProto with TensorFlow's other defaults."""
    return field(1, 10) + field(18, step) + field(7, "name") + field(15, output) + field(
        14, select) + b"".join(field(number, ".*") for number in (8, 9, 11))


NAMES = [
    ("t.json", "t_11.json", "t.json_11"), ("t", "t_11", "t_11"), ("t.gz", "t_11.gz", "t_11.gz"),
    ("t.json.gz", "t_11.json.gz", "t.json_11.gz"), (".hidden", ".hidden_11", ".hidden_11"),
    ("v1.2/t", "v1.2/t_11", "v1.2/t_11"), ("v1.2/a.b.json", "v1.2/a.b_11.json",
                                           "v1.2/a.b.json_11"),
    ("v1.2/.json", "v1.2/.json_11", "v1.2/.json_11"), ("t.", "t_11.", "t._11"),
]


def names_in(directory):
    return {str(each.relative_to(directory)) for each in directory.rglob("*") if each.is_file()}


@pytest.mark.parametrize("outfile", [row[0] for row in NAMES])
@pytest.mark.parametrize("view, step", [("graph", 11), ("op", 11), ("scope", 11), ("scope", -1),
                                        ("code", -1)])
def test_a_timeline_is_the_file_that_was_named(loaded, tmp_path, outfile, view, step):
    (tmp_path / "v1.2").mkdir()
    loaded["devices"].ask(view, step=step, output=f"timeline:outfile={tmp_path}/{outfile}")
    assert names_in(tmp_path) == {outfile}


def test_a_profile_with_one_step_has_one_timeline(tmp_path):
    (tmp_path / "run_meta").write_bytes(tree.read_packed("golden", "loop", "run_meta_0"))
    (tmp_path / "graph").write_bytes(tree.read_packed("golden", "loop", "graph.pb"))
    for view in ("graph", "op"):
        said = subprocess.run(
            [tree.program(), view, f"--graph_path={tmp_path}/graph",
             f"--run_meta_path={tmp_path}/run_meta",
             f"--output=timeline:outfile={tmp_path}/{view}.json"], capture_output=True, check=True)
        assert f"written to {tmp_path}/{view}.json.\n" in said.stdout.decode()
        assert json.loads((tmp_path / f"{view}.json").read_text())["traceEvents"]


@pytest.mark.parametrize("outfile, expected, as_tensorflow", NAMES)
def test_timelines_of_several_steps_have_them_in_their_names(loaded, tmp_path, outfile, expected,
                                                             as_tensorflow):
    """Where options are a message they are named as by TensorFlow's profiler, a single one as well."""
    output = f"timeline:outfile={tmp_path}/{outfile}"
    (tmp_path / "v1.2").mkdir()
    for view in ("graph", "op"):
        loaded["devices"].ask(view, output=output)
        assert names_in(tmp_path) == {expected.replace("11", str(step)) for step in (10, 11, 12)}
        for each in names_in(tmp_path):
            (tmp_path / each).unlink()
    loaded["devices"].profile("graph", as_message(step=11, output=output))
    assert names_in(tmp_path) == {as_tensorflow}


def test_op_view_has_lanes_by_operation_type(profiles):
    """Every run of every node of the step, as graph view and events have them: a process for each
    type of the report, in its order, and rows in which nothing overlaps."""
    asked = ("--step=11", "--max_depth=100000", "--account_type_regexes=.*")
    rows = json.loads(run(profiles["devices"], "op", *asked, "--order_by=micros",
                          "--output=json:outfile=-"))["nodes"][1:]
    trace = json.loads(run(profiles["devices"], "op", *asked, "--order_by=micros",
                           "--output=timeline:outfile=-"))["traceEvents"]
    named = {event["pid"]: event["args"]["name"] for event in trace
             if event["name"] == "process_name"}
    order = [row["name"] for row in rows]
    assert [order.index(name) for name in named.values()] == sorted(
        order.index(name) for name in named.values())
    lanes = {(event["pid"], event["tid"]): event["args"]["name"] for event in trace
             if event["name"] == "thread_name"}
    shown, by_lane = set(), {}
    for event in trace:
        if event["ph"] == "X":
            assert event["args"]["op"] == named[event["pid"]]
            lane = lanes[event["pid"], event["tid"]]
            shown.add((lane, event["name"], event["ts"], event["dur"]))
            by_lane.setdefault((event["pid"], event["tid"]), []).append(event)
    assert set(by_lane) == set(lanes) and all(map(nested, by_lane.values()))
    graph = json.loads(run(profiles["devices"], "graph", *asked,
                           "--output=timeline:outfile=-"))["traceEvents"]
    devices = {event["pid"]: event["args"]["name"].partition(": ")[2] for event in graph
               if event["name"] == "process_name"}
    seen = {(devices[event["pid"]], event["name"], event["ts"], event["dur"])
            for event in graph if event["ph"] == "X"}
    assert seen and seen <= shown and {"gpu" in lane for lane, *_ in shown} == {True, False}


def test_a_timeline_of_op_view_shows_what_the_report_shows(profiles):
    trace = json.loads(run(profiles["devices"], "op", "--step=11", "--show_name_regexes=MatMul",
                           "--account_type_regexes=.*gpu:1.*",
                           "--output=timeline:outfile=-"))["traceEvents"]
    assert {event["args"]["name"] for event in trace if event["name"] == "process_name"} == {"MatMul"}
    assert {"gpu:1" in event["args"]["name"] or "cpu" in event["args"]["name"]
            for event in trace if event["name"] == "thread_name"} == {True}


def test_every_event_is_a_line(profiles):
    trace = run(profiles["devices"], "graph", "--step=11", "--output=timeline:outfile=-")
    lines = trace.decode().splitlines()
    assert lines[0] == '{"traceEvents":[' and lines[-1] == "]}"
    assert len(lines) == 2 + len(json.loads(trace)["traceEvents"])


def test_standard_output(profiles, tmp_path):
    """`-` is stdout, and nothing else goes there."""
    profile = profiles["devices"]
    for view, output in (("graph", "timeline"), ("op", "timeline"), ("scope", "timeline"),
                         ("code", "timeline"), ("code", "pprof"), ("op", "json"), ("scope", "csv"), ("code", "file")):
        step = ["--step=11"] if output == "timeline" else []
        streamed = run(profile, view, f"--output={output}:outfile=-", *step)
        run(profile, view, f"--output={output}:outfile={tmp_path}/x", *step)
        written = (tmp_path / "x").read_bytes()
        if output == "json":  # has the output option in it
            assert json.loads(streamed)["nodes"] == json.loads(written)["nodes"]
        else:
            assert streamed == written


def test_all_steps_do_not_fit_standard_output(profiles):
    done = subprocess.run([tree.program(), "graph", "--profile_path=" + profiles["devices"],
                           "--output=timeline:outfile=-"], capture_output=True)
    assert done.returncode == 2 and not done.stdout
    assert b"choose one with --step" in done.stderr


def test_no_steps_no_timeline(tmp_path):
    (tmp_path / "graph").write_bytes(tree.read_packed("golden", "devices", "graph.pb"))
    done = subprocess.run([tree.program(), "graph", f"--graph_path={tmp_path}/graph",
                           f"--output=timeline:outfile={tmp_path}/t"], capture_output=True)
    assert done.returncode == 1 and b"the profile has none" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]


@pytest.mark.parametrize("output,view", [("timeline", "graph"), ("timeline", "scope"),
                                         ("pprof", "code"), ("json", "op"), ("csv", "op"),
                                         ("file", "op")])
def test_unwritable(profiles, tmp_path, output, view):
    directory = tmp_path / "closed"
    directory.mkdir()
    for target in (tmp_path / "missing" / "x", tmp_path / "closed"):
        # The name of one of several timelines has a number: make that a directory as well.
        (tmp_path / "closed_10").mkdir(exist_ok=True)
        done = subprocess.run([tree.program(), view, "--profile_path=" + profiles["devices"],
                               f"--output={output}:outfile={target}"], capture_output=True)
        assert done.returncode == 1 and not done.stdout.startswith(b"{")
        assert done.stderr.count(b"\n") == 1 and b"cannot write" in done.stderr


# ---- Perfetto ----------------------------------------------------------------

def nested(events):
    """Whether the events of one row are nested or do not overlap."""
    open_until = []
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        while open_until and open_until[-1] <= event["ts"]:
            open_until.pop()
        if open_until and event["ts"] + event["dur"] > open_until[-1]:
            return False
        open_until.append(event["ts"] + event["dur"])
    return True


def rows_of(events):
    rows = {}
    for event in events:
        if event["ph"] == "X":
            rows.setdefault((event["pid"], event["tid"]), []).append(event)
    return rows


def test_perfetto_shows_the_same(profiles):
    """The same runs at the same times, in a form for Perfetto: it shows tid 0 in the row
    of the tid that equals the pid, and accepts only numbers."""
    where = "--output=timeline:outfile=-,viewer="
    chrome, perfetto = (
        json.loads(run(profiles["devices"], "graph", "--step=11", where + viewer))["traceEvents"]
        for viewer in ("chrome", "perfetto"))
    assert [{**event, "tid": event["tid"] + 1} for event in chrome if event["ph"] == "X"] == [
        event for event in perfetto if event["ph"] == "X"]
    for events in rows_of(perfetto).values():
        assert nested(events)
    for event in perfetto:
        if event["ph"] != "M":
            assert event["tid"] or event["ph"] == "C"
        if event["ph"] == "C":
            assert all(isinstance(value, int) for value in event["args"].values())
    slices = [event for event in perfetto if event["ph"] == "X"]
    flows = [event for event in perfetto if event["ph"] in "sf"]
    assert len(flows) == len([event for event in chrome if event["ph"] in "st"]) > 0
    for flow in flows:
        assert any(s["pid"] == flow["pid"] and s["tid"] == flow["tid"]
                   and s["ts"] <= flow["ts"] < s["ts"] + s["dur"] for s in slices)
    tops = [[event["args"] for event in events if event["name"] == "Top Allocations"]
            for events in (chrome, perfetto)]
    assert tops[0] == tops[1] and tops[0]


def test_perfetto_flame_chart_is_one_row(profiles):
    where = "--output=timeline:outfile=-,viewer="
    chrome, perfetto = (
        json.loads(run(profiles["resnet"], "scope", "--max_depth=100", where + viewer))
        ["traceEvents"] for viewer in ("chrome", "perfetto"))
    (row,) = rows_of(perfetto).values()
    assert nested(row)
    bars = [[(event["name"], event["ts"], event["dur"]) for event in events if event["ph"] == "X"]
            for events in (chrome, perfetto)]
    assert bars[0] == bars[1] and len(bars[0]) > 100


# ---- JSON and CSV -------------------------------------------------------------

def all_selects():
    """Every word of select that needs no checkpoint."""
    shown = subprocess.run([tree.program(), "help", "select"], check=True, capture_output=True,
                           text=True).stdout
    listed = re.findall(r"^  (\w+) ", shown, re.MULTILINE)
    assert len(listed) > 10
    return ",".join(word for word in listed if word != "tensor_value")


def rows(profile, view, **options):
    """The columns of the C API as the records of a JSON report."""
    columns = {**profile.columns(view, **options), **profile.columns(view, ["kind", "threads"], **options)}
    for name in ("device", "op_types", "input_shapes"):
        columns[name] = ["|".join(texts) for texts in columns[name]]
    return [{**dict(zip(columns, values)), "id": i}
            for i, values in enumerate(zip(*columns.values()))]


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
@pytest.mark.parametrize("model", MODELS)
def test_json_and_csv_have_what_the_rows_have(loaded, profiles, model, view):
    expected = rows(loaded[model], view, select=all_selects())
    assert len(expected) > 5
    report = json.loads(run(profiles[model], view, "--select=" + all_selects(),
                            "--output=json:outfile=-"))
    assert report["schema"] == "tfprof." + view and report["version"] == 2
    assert report["view"] == view and len(report["steps"]) == 3
    for node in report["nodes"]:
        node.pop("input_types", None)
    assert report["nodes"] == expected
    text = run(profiles[model], view, "--select=" + all_selects(), "--output=csv:outfile=-").decode()
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    as_text = [{name: "" if value is None else str(value).lower() if isinstance(value, bool)
                else str(value) for name, value in row.items()} for row in expected]
    assert read == as_text
    assert text.count("\r\n") == len(expected) + 1


def test_json_follows_select(profiles):
    always = ["id", "parent", "depth", "name", "accounted"]
    for select, names in (
            ("params", ["parameters", "total_parameters", "shape"]),
            ("cpu_micros", ["cpu_exec_micros", "total_cpu_exec_micros"]),
            ("occurrence,device", ["run_count", "total_run_count", "definition_count",
                                   "total_definition_count", "device"])):
        report = json.loads(run(profiles["loop"], "scope", "--select=" + select,
                                "--output=json:outfile=-"))
        assert all(list(node) == always + names for node in report["nodes"])
        header = run(profiles["loop"], "scope", "--select=" + select,
                     "--output=csv:outfile=-").split(b"\r\n")[0].decode()
        assert header.split(",") == always + names


def test_json_options(profiles):
    report = json.loads(run(
        profiles["loop"], "op", "--output=json:outfile=-", "--min_bytes=5", "--step=1",
        "--account_type_regexes=a,.*", "--hide_name_regexes=", "--select=bytes,device",
        "--account_displayed_op_only"))
    options = report["options"]
    assert options["min_bytes"] == 5 and options["step"] == 1 and options["max_depth"] is None
    assert options["account_type_regexes"] == ["a", ".*"] and options["hide_name_regexes"] == []
    assert options["select"] == ["bytes", "device"] and options["order_by"] == "bytes"
    assert options["account_displayed_op_only"] is True
    assert options["output"] == "json:outfile=-"


def test_json_combinations_add_up(profiles):
    report = json.loads(run(profiles["resnet"], "op", "--output=json:outfile=-",
                            "--select=micros,occurrence,input_shapes"))
    assert any(len(node.get("input_types", ())) > 1 for node in report["nodes"])
    for node in report["nodes"][1:]:
        for name in ("run_count", "definition_count", "exec_micros"):
            assert node[name] == sum(entry[name] for entry in node["input_types"])


def graph_of(*nodes):
    """A GraphDef of (name, op) pairs."""
    return b"".join(field(1, field(1, name) + field(2, op)) for name, op in nodes)


def test_tables_without_a_file_are_text(profiles, loaded):
    """json and csv go to standard output, like a report."""
    for output in ("json", "csv"):
        for view in ("scope", "graph", "op", "code"):
            streamed = run(profiles["loop"], view, f"--output={output}:outfile=-")
            plain = run(profiles["loop"], view, f"--output={output}")
            assert plain.replace(b'"output":"json"', b'"output":"json:outfile=-"') == streamed
    answer = loaded["loop"].ask("op", output="csv")
    assert answer.stdout.startswith(b"id,parent,depth,name,") and not answer.stderr


HOSTILE = {
    "\x1b[31mred\x1b[0m": r"\x1b[31mred\x1b[0m", "line\nbreak": r"line\nbreak",
    "over\rwritten": r"over\rwritten", "tab\t": r"tab\t", "bell\x07": r"bell\x07",
    "\u202eevil": r"\u202eevil", "\u2066a\u2069": r"\u2066a\u2069", "c1\x9bm": r"c1\u009bm",
    "Schicht_\u00e4": "Schicht_\u00e4", "back\\slash": "back\\slash",
}


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_hostile_names_are_shown_as_escapes(tmp_path, view):
    """In reports, on a terminal and in files; those that the options came to as a
    message are written as by TensorFlow's profiler, byte for byte."""
    graph = graph_of(*((name, name) for name in HOSTILE))
    made = ours.Ours()
    made.new(graph)
    (tmp_path / "g").write_bytes(graph)
    options = {"select": "params,op_types,device", "order_by": "name", "max_depth": 100}
    text = made.ask(view, **options).stdout.decode()
    made.ask(view, output=f"file:outfile={tmp_path}/t", **options)
    arguments = [tree.program(), view, f"--graph_path={tmp_path}/g"] + [
        f"--{name}={value}" for name, value in options.items()]
    printed = subprocess.run(arguments, capture_output=True, check=True).stdout.decode()
    assert text == (tmp_path / "t").read_text() == printed
    lines = text.partition("\nProfile:\n")[2].splitlines()[1:]
    shown = {line.strip().partition(" ")[0] for line in lines} - {"_TFProfRoot"}
    assert shown == set(HOSTILE.values())
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert all(text.count(escaped) == 2 for escaped in HOSTILE.values()), "types, too"
    raw = made.profile(view, as_message(select="op_types")).stdout.decode()
    made.profile(view, as_message(select="op_types", output=f"file:outfile={tmp_path}/raw"))
    assert (tmp_path / "raw").read_bytes().decode() in raw
    assert all(raw.count(name) == 2 for name in HOSTILE)


def test_bytes_that_are_no_text_are_shown_as_escapes():
    made = ours.Ours()
    made.new(graph_of((b"a\xffb\x9b", b"Op")))
    assert rb"  a\xffb\x9b (" in made.ask("scope").stdout


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=a,b", '=x"y']


def test_csv_formulas(tmp_path):
    """Only on request, and only text: numbers may be negative."""
    harmless = ["a=1", "x-1", "'=1"]
    made = ours.Ours()
    made.new(graph_of(*((name, "=Op") for name in FORMULAS + harmless)))
    for setting, prefix in (("", ""), (",formulas=raw", ""), (",formulas=text", "'")):
        made.ask("scope", output=f"csv:outfile={tmp_path}/c{setting}", select="op_types,params")
        with open(tmp_path / "c", newline="") as file:
            records = list(csv.DictReader(file))
        assert {record["name"] for record in records} == {"_TFProfRoot", *harmless} | {
            prefix + name for name in FORMULAS}
        assert records[1]["op_types"] == f"{prefix}=Op"
        assert records[0]["parent"] == "" and records[1]["parent"] == "0"


def test_odd_names(tmp_path):
    names = ['quote"d', "a,b", "line\nbreak", "cr\rlf", "tab\t", "e\u00e9", "nul\0nul", " ", "x"]
    graph = b"".join(field(1, field(1, name.encode()) + field(2, b'op,"')) for name in names)
    made = ours.Ours()
    made.new(graph)
    made.ask("scope", output=f"json:outfile={tmp_path}/j", select="op_types")
    made.ask("scope", output=f"csv:outfile={tmp_path}/c", select="op_types")
    nodes = json.loads((tmp_path / "j").read_bytes())["nodes"]
    assert [node["name"] for node in nodes] == ["_TFProfRoot"] + sorted(names)
    assert {node["op_types"] for node in nodes[1:]} == {'op,"'}
    with open(tmp_path / "c", newline="", encoding="utf-8") as file:
        read = [line.replace("\0", "\N{SYMBOL FOR NULL}") for line in file]
    table = list(csv.DictReader(read))
    assert [row["name"].replace("\N{SYMBOL FOR NULL}", "\0") for row in table] == [
        "_TFProfRoot"] + sorted(names)


def test_packed_json_and_csv(profiles, tmp_path):
    for output in ("json", "csv"):
        run(profiles["loop"], "op", f"--output={output}:outfile={tmp_path}/x.gz")
        plain = run(profiles["loop"], "op", f"--output={output}:outfile=-")
        with gzip.open(tmp_path / "x.gz") as file:
            assert file.read().splitlines()[-1] == plain.splitlines()[-1]


# ---- scale --------------------------------------------------------------------

def many_runs(n_nodes, n_runs):
    """Run metadata of nodes on two devices, each run many times."""
    devices = {b"/cpu:0": [], b"/gpu:0": []}
    for run_number in range(n_runs):
        for i in range(n_nodes):
            start = 10**15 + 4 * (run_number * n_nodes + i)
            entry = field(1, b"node%d" % i) + field(2, start) + field(4, 1 + i % 9)
            if i % 10 == 0:
                record = field(1, start) + field(2, 256)
                entry += field(6, field(1, b"GPU_0_bfc") + field(5, 10**6 + i) + field(6, record))
            devices[b"/gpu:0" if i % 10 == 0 else b"/cpu:0"].append(field(2, entry))
    return field(1, b"".join(field(1, field(1, name) + b"".join(entries))
                             for name, entries in devices.items()))


MEASURE = """
import sys
sys.path.insert(0, {oracle!r})
import ours
made = ours.Ours()
made.from_file({profile!r})
made.ask("graph", output="none", step=0)

def kilobytes(key):
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith(key)).split()[1])

with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = kilobytes("VmRSS")
made.ask("graph", output="timeline:outfile=" + {out!r}, step=0, max_depth=10**6)
print(kilobytes("VmHWM") - before)
"""


def extra_kilobytes(tmp_path, n_runs):
    """What writing a timeline adds to the memory of a loaded profile."""
    made = ours.Ours()
    made.new(b"")
    made.add_run_meta(0, many_runs(1000, n_runs))
    made.write_profile(str(tmp_path / "p"))
    done = subprocess.run([sys.executable, "-c", MEASURE.format(
        oracle=os.path.join(tree.TESTS, "oracle"), profile=str(tmp_path / "p"),
        out=str(tmp_path / "t"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "t", "rb") as file:
        n_events = sum(b'"ph":"X"' in line for line in file)
    assert n_events == 1000 * n_runs
    return int(done.stdout)


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="measures memory")
def test_a_million_events_take_no_more_memory(tmp_path):
    """Sorting in a file limits it to some megabytes, however many events there are.
    (Pages of the mapped profile count, so allow for those.)"""
    few, many = (extra_kilobytes(tmp_path, n_runs) for n_runs in (100, 1000))
    size = os.path.getsize(tmp_path / "p") // 1024
    assert many < few + 16 * 1024 + size
    assert os.path.getsize(tmp_path / "t") > 100e6
