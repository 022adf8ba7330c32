"""Never an empty answer without a word."""

import pytest
from wire import field

WHOLE = "regexes match whole names: use "


def notes(run, *arguments, **more):
    done = run(*arguments, **more)
    assert done.returncode == 0, done.stderr
    return done.stderr.decode().splitlines()


@pytest.mark.parametrize("view, option, names", [
    ("scope", "show_name_regexes", "name"), ("scope", "start_name_regexes", "name"),
    ("scope", "hide_name_regexes", "name"), ("graph", "trim_name_regexes", "name"),
    ("op", "show_name_regexes", "operation type"), ("code", "show_name_regexes", "line of code"),
    ("scope", "account_type_regexes", "type"), ("op", "account_type_regexes", "type"),
])
def test_a_regex_that_matches_nothing(run, view, option, names):
    part = {"name": "conv2", "operation type": "Conv", "line of code": "resnet_model.py",
            "type": "rainable_var"}[names]
    base = [view, "profile", "--max_depth=1000"]
    assert notes(run, *base, f"--{option}={part}") == [
        f"--{option}: '{part}' matches no {names}: {WHOLE}'.*{part}.*'"]
    assert notes(run, *base, f"--{option}=no_such_thing") == [
        f"--{option}: 'no_such_thing' matches no {names}"]
    assert notes(run, *base, f"--{option}=.*{part}.*") == []


def test_each_regex_of_a_list(run):
    """Also one that is not tried because another one matches first."""
    regexes = "--show_name_regexes=unit_1.*,unit_1_0.*,unit_1_0,no_such_thing"
    assert notes(run, "scope", "profile", regexes, "--max_depth=1000") == [
        "--show_name_regexes: 'no_such_thing' matches no name"]


def test_a_list_of_thousands_gets_a_few_notes(run):
    regexes = ",".join(f"unit_{i}" for i in range(2000))
    lines = notes(run, "scope", "profile", f"--show_name_regexes={regexes}", "--max_depth=1000")
    assert len(lines) == 6
    assert lines[0].startswith("--show_name_regexes: 'unit_0' matches no name")
    assert lines[5] == "--show_name_regexes: more of its 2000 regexes may match no name"


def test_nothing_passes(run):
    assert notes(run, "scope", "profile", "--min_params=1000000000") == [
        "no node passes all regexes and minimums"]
    assert notes(run, "scope", "profile", "--max_depth=1") == []


@pytest.mark.parametrize("files, select, remedy", [
    (["graph.pb"], "micros", "RunMetadata"), (["graph.pb"], "device", "RunMetadata"),
    (["graph.pb", "tfprof_log"], "peak_bytes", "RunMetadata"),
    (["graph.pb"], "float_ops", "OpLogProto"), (["run_meta_0"], "params", "GraphDef"),
    (["graph.pb"], "input_shapes", "add_shapes=True"), (["profile"], "tensor_value", "checkpoint"),
])
def test_words_of_select_without_data(run, files, select, remedy):
    lines = [line for line in notes(run, "scope", *files, f"--select={select}")
             if "coverage" not in line]
    assert len(lines) == 1 and remedy in lines[0]


@pytest.mark.parametrize("select", ["params", "occurrence", "op_types"])
def test_words_that_a_graph_has_data_for(run, select):
    assert notes(run, "scope", "graph.pb", f"--select={select}") == []


def test_code_view_without_stacks(run):
    done = run("code", "graph.pb")
    assert done.returncode == 1
    assert done.stderr == (b"tfprof: No code trace information: add an op log (OpLogProto), as "
                           b"tfprof.write_op_log() writes it, or save the model with save_debug_info=True\n")


# ---- what a file held and the profile did not take ----------------------------------------


def graph(*names):
    return b"".join(field(1, field(1, name) + field(2, "NoOp")) for name in names)


def run_meta(*names):
    stats = b"".join(field(2, field(1, name) + field(2, 5) + field(3, 0) + field(5, 7))
                     for name in names)
    return field(1, field(1, field(1, "/cpu:0") + stats))


@pytest.fixture
def load(run, tmp_path):
    """The notes of loading files, given by name and content."""
    def loaded(**files):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        lines = notes(run, "op", *(f"--{name}_path={name}" for name in files),
                      "--select=occurrence", directory=tmp_path)
        return [line for line in lines if "coverage" not in line and "has no nodes" not in line]
    return loaded


def test_entries_outside_the_graph(load):
    log = b"".join(field(1, field(1, name) + field(2, 7)) for name in "axyz")
    assert load(graph=graph("a", "b"), run_meta=run_meta("a", "b", "new"), op_log=log) == [
        "op_log: 3 of 4 entries name no node of the graph: skipped",
        "run_meta: 1 of 3 entries name no node of the graph: added as nodes"]
    assert load(run_meta=run_meta("a", "b")) == []
    assert load(graph=graph("a"), run_meta=run_meta("a")) == []


def test_unknown_fields(load):
    unknown = field(200, "later") + field(201, 5)
    assert load(graph=graph("a") + field(200, 1)) == ["graph: 1 unknown field skipped"]
    assert load(graph=graph("a"), run_meta=run_meta("a") + unknown) == [
        "run_meta: 2 unknown fields skipped"]
    log = field(1, field(1, "b") + field(2, 7)) + unknown
    assert load(graph=graph("a"), op_log=log) == [
        "op_log: 1 of 1 entries name no node of the graph: skipped, 2 unknown fields skipped"]
    node = field(1, field(1, 0) + field(2, field(1, "a") + field(2, "NoOp")))
    assert load(profile=node * 1 + unknown) == ["profile: 2 unknown fields skipped"]


def test_an_input_that_names_no_node(load):
    assert load(graph=field(4, field(1, 9))) == ["graph: it names no node"]
    assert load(graph=graph("a"), op_log=field(200, 1)) == [
        "op_log: it names no node, 1 unknown field skipped"]
    assert load(graph=graph("a"), run_meta=field(1, field(1, field(1, "/cpu:0")))) == [
        "run_meta: it names no node"]


def test_inputs_of_nodes_that_name_no_node(load):
    def node(name, *inputs):
        return field(1, field(1, name) + field(2, "NoOp") +
                     b"".join(field(3, source) for source in inputs))
    assert load(graph=node("a", "later:1", "^later") + node("later")) == []
    assert load(graph=node("a", "gone")) == ["graph: 1 input of a node names no node: ignored"]
    assert load(graph=node("a", "gone:2", "b", "^gone") + node("b") + field(200, 1)) == [
        "graph: 2 inputs of nodes name no node: ignored, 1 unknown field skipped"]


def test_a_graph_without_variables_has_no_parameters(run, tmp_path):
    (tmp_path / "graph.pbtxt").write_text(
        "node { name: 'c' op: 'Const' } node { name: 'r' op: 'Relu' input: 'c' }")
    done = run("scope", "graph.pbtxt", "--select=params", directory=tmp_path)
    assert done.returncode == 0
    assert b"no parameters in this profile: add the graph with its variables" in done.stderr
    assert b"parameters" not in run("scope", "graph.pbtxt", "--select=op_types", directory=tmp_path).stderr
