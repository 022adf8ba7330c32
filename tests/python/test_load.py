"""tfprof.load: profiles from files, without TensorFlow."""

import glob
import gzip
import json
import os
import pickle
import shutil

import pytest
from golden_report import read_golden
from tree import DATA, GOLDEN, read_packed

import tfprof
from tfprof import _inputs, _native

QUERIES = sorted(os.path.relpath(path, GOLDEN)
                 for path in glob.glob(os.path.join(GOLDEN, "*", "*.query")))
LISTS = ("select", "account_type_regexes", "start_name_regexes", "trim_name_regexes",
         "show_name_regexes", "hide_name_regexes")
BOOLS = ("account_displayed_op_only", "source_lines", "executed_types")


def convert(name, value):
    """The value of an option on the command line as a Python value."""
    if name in LISTS:
        return [word for word in value.split(",") if word]
    if name in BOOLS:
        return value == "true"
    return int(value) if name == "max_depth" or name == "step" or name.startswith("min_") else value


def load(files, directory):
    arguments = {}
    for name, value in files.items():
        paths = [directory / one for one in value.split(",") if one]
        short = name[:-len("_path")]
        if short == "profile":
            return tfprof.load(paths[0])
        arguments[short] = paths if short == "run_meta" else paths[0]
    return tfprof.load(**arguments)


def test_there_are_golden_files():
    assert len(QUERIES) > 50


@pytest.mark.parametrize("name", QUERIES)
def test_the_original_report(name, models):
    query, expected = read_golden(os.path.join(GOLDEN, name))
    profile = load(query.files, models / os.path.dirname(name))
    options = {name: convert(name, value) for name, value in query.options.items()}
    assert str(getattr(profile, query.view)(**options, all_scopes=True)) == expected


def test_a_graph_answers_with_parameters(loop_files):
    profile = tfprof.load(graph=loop_files / "graph.pb")
    for view in (profile.scope, profile.graph, profile.op):
        assert str(view()) == str(view(select="params"))
        assert "\nnode name | # parameters\n" in str(view())
    assert "\nnode name | total execution time\n" in str(profile.scope(select="micros"))


def test_ways_to_give_the_same(loop_files):
    files = {name: loop_files / name for name in ("graph.pb", "tfprof_log", "run_meta_0",
                                                  "run_meta_1")}
    run_metas = [files["run_meta_0"], files["run_meta_1"]]
    expected = tfprof.load(graph=files["graph.pb"], op_log=files["tfprof_log"],
                           run_meta=run_metas).serialize()
    assert tfprof.load(graph=files["graph.pb"].read_bytes(), op_log=str(files["tfprof_log"]),
                       run_meta={0: run_metas[0], 1: run_metas[1].read_bytes()}
                       ).serialize() == expected
    one = tfprof.load(graph=files["graph.pb"], run_meta=run_metas[0])
    assert one.steps == [0]
    assert tfprof.load(graph=files["graph.pb"], run_meta={5: run_metas[0]}).steps == [5]
    step_by_step = tfprof.Profile()
    step_by_step.add_graph(files["graph.pb"])
    step_by_step.add_op_log(files["tfprof_log"])
    coverages = [step_by_step.add_step(i, run_meta) for i, run_meta in enumerate(run_metas)]
    assert 0 < coverages[0] <= coverages[1] <= 1
    assert step_by_step.serialize() == expected


def test_run_metadata_alone(loop_files):
    profile = tfprof.load(run_meta=loop_files / "run_meta_0")
    assert len(profile) > 10
    assert profile.op().root.total_exec_micros > 0


def test_saved_and_loaded_again(profile, tmp_path):
    profile.save(tmp_path / "saved")
    again = tfprof.load(tmp_path / "saved")
    for view in ("scope", "graph", "op", "code"):
        assert str(getattr(again, view)()) == str(getattr(profile, view)())
    assert again.serialize() == (tmp_path / "saved").read_bytes()
    assert tfprof.load(profile.serialize()).serialize() == again.serialize()


def test_profiles_pickle(profile):
    again = pickle.loads(pickle.dumps(profile))
    assert again.serialize() == profile.serialize()
    assert len(pickle.loads(pickle.dumps(tfprof.Profile()))) == 0


def test_checkpoint_values(models):
    checkpoint = os.path.join(DATA, "checkpoint", "single", "model.ckpt")
    profile = tfprof.load(models / "loop" / "profile", checkpoint=checkpoint)
    assert profile.summary["has_checkpoint"]


def test_options_as_keywords_dict_or_both(profile):
    builder = tfprof.ProfileOptionBuilder
    options = builder(builder.time_and_memory()).with_max_depth(3).build()
    assert str(profile.scope(options)) == str(profile.scope(**options))
    assert profile.scope(options, max_depth=1).options["max_depth"] == 1
    assert options["max_depth"] == 3


def test_strings_where_lists_are_meant(profile):
    assert str(profile.op(select="micros,bytes")) == str(profile.op(select=["micros", "bytes"]))
    regex = "Variable.{0,2}"
    assert str(profile.op(account_type_regexes=regex)) == str(
        profile.op(account_type_regexes=[regex]))


def test_every_option_has_the_command_lines_default(profile):
    options = profile.scope().options
    assert set(options) == {row[0] for row in _native.options() if "scope" in row[7] or row[7] == "all"}
    assert {value for name, value in options.items() if name.startswith("min_")} == {0}
    assert options.items() >= {
        "max_depth": None, "step": -1, "order_by": "name", "account_displayed_op_only": False,
        "output": "stdout", "source_lines": True, "executed_types": False, "doc": True}.items()
    assert {name: value for name, value in options.items() if isinstance(value, list)} == {
        "account_type_regexes": [".*"], "start_name_regexes": [".*"], "trim_name_regexes": [],
        "show_name_regexes": [".*"], "hide_name_regexes": [], "select": ["micros"]}


def test_results_have_every_row_and_reports_count_what_they_omit(profile):
    for view in ("scope", "graph", "op", "code"):
        ask = getattr(profile, view)
        result, whole, cut = ask(), ask(max_depth=100000), ask(max_depth=10)
        assert len(result) == len(whole) > len(cut) or view == "scope"
        assert [node.name for node in result] == [node.name for node in whole]
        assert len(ask(max_depth=None)) == len(result)
        lines = str(result).splitlines()
        if len(result) > len(cut):
            assert lines.pop() == f"… {len(result) - len(cut)} more (max_depth 10)"
        assert lines == str(cut).splitlines()
        assert "more (max_depth" not in str(whole) + str(cut)


def test_operations_by_the_first_number_selected(profile):
    result = profile.op(select="occurrence, micros")
    assert result.options["order_by"] == "occurrence"
    counts = [node.definition_count for node in result][1:]
    assert counts == sorted(counts, reverse=True)
    result = profile.op()
    assert result.options["order_by"] == "work"
    assert [node.name for node in result] == [node.name for node in profile.op(order_by="micros")]
    names = [node.name for node in profile.op(order_by="name")][1:]
    assert names == sorted(names) and profile.op(select="device").options["order_by"] == "name"
    assert profile.scope().options["order_by"] == "name"


def test_units(profile):
    assert [node.name for node in profile.op(min_micros="50ms")] == [
        node.name for node in profile.op(min_micros=50000)]
    assert len(profile.scope(min_bytes="1MB")) == len(profile.scope(min_bytes=1000000))
    with pytest.raises(tfprof.ArgumentError, match="unknown unit 'parsec'.*us, ms, s"):
        profile.op(min_micros="3parsec")


def test_doc(profile):
    assert "Doc:" in str(profile.op()) and "Doc:" not in str(profile.op(doc=False))


def test_tables_as_text(profile):
    assert json.loads(profile.op(output="json").text)["view"] == "op"
    assert profile.op(output="csv").text.startswith("id,parent,depth,name,")


def test_code_lines_carry_their_source_unless_disabled(profile):
    def labels(**options):
        return [node.name for node in profile.code(max_depth=1000, **options)][1:]
    assert all(label.count(":") > 2 for label in labels())
    assert all(label.count(":") == 2 for label in labels(source_lines=False))


def test_files_are_written(profile, tmp_path):
    outfile = tmp_path / "report"
    result = profile.scope(output=f"file:outfile={outfile}")
    assert outfile.read_text() == str(profile.scope())
    assert len(result) == len(profile.scope())


def test_nothing_is_printed(profile, capfd):
    profile.scope(), profile.op(), profile.code(account_displayed_op_only=True), profile.graph()
    profile.advise()
    assert capfd.readouterr() == ("", "")


def test_notes(profile):
    assert "account_displayed_op_only" in profile.code(account_displayed_op_only=True).notes


def test_advice(profile):
    advice = profile.advise()
    assert "\nExpensiveOperationChecker:\ntop 1 operation type: " in str(advice)
    assert [checker["name"] for checker in advice.checkers][:2] == [
        "AcceleratorUtilizationChecker", "OperationChecker"]
    assert len(advice) == len(list(advice)) > 0
    assert advice.level in ("none", "notice", "warning", "high")
    only = profile.advise("OperationChecker")
    assert [checker["name"] for checker in only.checkers] == ["OperationChecker"]
    one = profile.advise(options={"ExpensiveOperationChecker": {"top": 1}})
    assert "top 1 " in str(one) and "top 2 " not in str(one)


def test_advice_written_to_a_file(profile, tmp_path):
    profile.advise(output=f"file:outfile={tmp_path / 'advice'}")
    assert (tmp_path / "advice").read_text() == str(profile.advise())


# ---- bad input ------------------------------------------------------------------

@pytest.mark.parametrize("options, words", [
    ({"selct": "micros"}, ["selct", "'select'", "max_depth"]),
    ({"select": ["micro"]}, ["select", "micro", "'micros'", "bytes"]),
    ({"select": "micros,x"}, ["select", "'x'", "bytes"]),
    ({"select": [5]}, ["select", "5"]),
    ({"select": None}, ["select", "None"]),
    ({"order_by": "time"}, ["order_by", "'time'", "micros"]),
    ({"order_by": 5}, ["order_by", "5"]),
    ({"output": "screen"}, ["output", "screen", "stdout"]),
    ({"output": "file"}, ["output", "outfile"]),
    ({"output": None}, ["output", "None"]),
    ({"max_depth": "5"}, ["max_depth", "'5'", "whole number"]),
    ({"max_depth": 1.5}, ["max_depth", "1.5"]),
    ({"max_depth": True}, ["max_depth", "True"]),
    ({"min_micros": 1 << 63}, ["min_micros", "64-bit"]),
    ({"step": None}, ["step", "None"]),
    ({"step": 7}, ["step=7", "0 1 2"]),
    ({"account_displayed_op_only": "yes"}, ["account_displayed_op_only", "True or False"]),
    ({"show_name_regexes": 5}, ["show_name_regexes", "5"]),
    ({"show_name_regexes": ["(x"]}, ["show_name_regexes", "(x", "position"]),
])
def test_wrong_options(profile, options, words):
    for view in ("scope", "graph", "op", "code"):
        with pytest.raises(ValueError) as caught:
            getattr(profile, view)(**options)
        assert isinstance(caught.value, tfprof.Error)
        for word in words:
            assert word in str(caught.value)


def test_options_that_are_no_dict(profile):
    for options in (5, 0, "max_depth", ["max_depth"]):
        with pytest.raises(tfprof.Error, match="options: expected a dict"):
            profile.scope(options)


def test_options_whose_names_are_no_text(profile):
    with pytest.raises(tfprof.ArgumentError, match="unknown option 1: expected one of: max_depth"):
        profile.scope({1: 2})


@pytest.mark.parametrize("ask", [
    lambda profile, step: profile.events(step), lambda profile, step: profile.table("ops", step),
    lambda profile, step: profile.add(b"", step=step),
    lambda profile, step: tfprof.load(run_meta={step: b""}),
])
def test_steps_beyond_64_bits(profile, ask):
    for step in (1 << 63, -(1 << 63) - 1, 10 ** 400):
        with pytest.raises(tfprof.ArgumentError, match="step: expected a 64-bit whole number"):
            ask(profile, step)
    with pytest.raises(TypeError, match="step: expected a whole number, got 1.5"):
        ask(profile, 1.5)


@pytest.mark.parametrize("ask", [
    lambda profile: profile.advise("\udcff"),
    lambda profile: profile.advise(options={"JobChecker": {"\udcff": 1}}),
])
def test_names_that_are_not_unicode(profile, ask):
    with pytest.raises(tfprof.ArgumentError, match=r"written as UTF-8, got '\\udcff'"):
        ask(profile)


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_open_files_are_not_lists_of_their_lines(loop_files, mode):
    with open(loop_files / "profile", mode) as file:
        for given, keywords in (((file,), {}), ((), {"profile": file}), ((), {"run_meta": file})):
            with pytest.raises(TypeError, match=f"got {type(file).__name__}: give its name, or"):
                tfprof.load(*given, **keywords)


def test_wrong_advice_options(profile):
    with pytest.raises(ValueError, match="NoChecker.*OperationChecker"):
        profile.advise("NoChecker")
    with pytest.raises(ValueError, match="unknown option 'x'"):
        profile.advise(options={"ExpensiveOperationChecker": {"x": 1}})
    with pytest.raises(ValueError, match="not a number"):
        profile.advise(options={"ExpensiveOperationChecker": {"top": "many"}})
    with pytest.raises(ValueError, match="expected a dict"):
        profile.advise(options={"ExpensiveOperationChecker": 5})
    for options in (5, 0, [], ["JobChecker"]):
        with pytest.raises(tfprof.Error, match="options: expected a dict of checkers"):
            profile.advise(options=options)
    with pytest.raises(TypeError):
        profile.advise(5)
    with pytest.raises(ValueError, match="unknown output type"):
        profile.advise(output="screen")


def test_files_that_cannot_be_read(tmp_path, loop_files):
    (tmp_path / "empty").touch()
    (tmp_path / "junk").write_bytes(b"\xff" * 100)
    for keyword in ("profile", "graph", "run_meta", "op_log"):
        base = {} if keyword in ("profile", "graph") else {"graph": loop_files / "graph.pb"}
        with pytest.raises(OSError, match="nowhere"):
            tfprof.load(**base, **{keyword: tmp_path / "nowhere"})
        with pytest.raises(OSError, match="directory"):
            tfprof.load(**base, **{keyword: tmp_path})
        for name in ("empty", "junk"):
            with pytest.raises(tfprof.Error, match=name):
                tfprof.load(**base, **{keyword: tmp_path / name})
        with pytest.raises(TypeError, match=keyword):
            tfprof.load(**base, **{keyword: 5})
    with pytest.raises(tfprof.Error, match="nowhere"):
        tfprof.load(loop_files / "profile", checkpoint=tmp_path / "nowhere")


def test_file_written_to_while_it_is_loaded(tmp_path, loop_files):
    """By a script that ran again, for one."""
    path = tmp_path / "profile"
    path.write_bytes((loop_files / "profile").read_bytes())
    profile = tfprof.load(path)
    before = str(profile.scope())
    with pytest.raises(tfprof.ArgumentError, match="the profile was loaded from this file"):
        profile.save(path)
    profile.save(tmp_path / "other")
    os.replace(tmp_path / "other", path)
    assert str(profile.scope()) == before, "another file of that name does no harm"
    profile = tfprof.load(path)
    path.write_bytes(b"")
    for ask in (profile.scope, profile.serialize, profile.advise):
        with pytest.raises(OSError, match="has changed since it was loaded"):
            ask()


def test_files_of_the_wrong_kind(loop_files):
    with pytest.raises(ValueError, match="GraphDef"):
        tfprof.load(profile=loop_files / "graph.pb")
    with pytest.raises(ValueError, match="ProfileProto"):
        tfprof.load(graph=loop_files / "profile")


def test_traces_given_as_something_else(tmp_path):
    """Refused by what they are, as files and as bytes, and read if the content may tell."""
    content = read_packed("data", "foreign", "tf_eager.xplane.pb")
    (tmp_path / "x").write_bytes(content)
    for given in (tmp_path / "x", content):
        for keyword in ("profile", "graph", "run_meta"):
            with pytest.raises(tfprof.FormatError,
                               match=r"it looks like a trace .*\(XSpace\) \(give it as xplane=\)"):
                tfprof.load(**{keyword: given})
        assert tfprof.load(given).serialize() == tfprof.load(xplane=given).serialize()


def test_foreign_files(tmp_path):
    """Refused by what they are, as files and as bytes."""
    content = read_packed("data", "foreign", "fingerprint.pb")
    (tmp_path / "x").write_bytes(content)
    for given in (tmp_path / "x", content):
        for keyword in ("profile", "graph", "run_meta"):
            with pytest.raises(tfprof.FormatError, match="it looks like the fingerprint"):
                tfprof.load(**{keyword: given})
        with pytest.raises(tfprof.FormatError, match="it looks like the fingerprint"):
            tfprof.load(given)


def test_combinations_that_make_no_sense(loop_files):
    with pytest.raises(ValueError, match="nothing to load"):
        tfprof.load()
    with pytest.raises(ValueError, match="give graph= with it"):
        tfprof.load(op_log=loop_files / "tfprof_log")
    with pytest.raises(ValueError, match="graph"):
        tfprof.load(loop_files / "profile", graph=loop_files / "graph.pb")
    with pytest.raises(ValueError, match="run_meta"):
        tfprof.load(loop_files / "profile", run_meta=loop_files / "run_meta_0")


def test_files_of_any_kind(loop_files, tmp_path):
    """Without keywords: recognized by their content, in any order, packed or not."""
    names = ("graph.pb", "tfprof_log", "run_meta_0", "run_meta_1")
    graph, op_log, first, second = (loop_files / name for name in names)
    expected = tfprof.load(graph=graph, op_log=op_log, run_meta=[first, second]).serialize()
    packed = tmp_path / "graph.gz"
    packed.write_bytes(gzip.compress(graph.read_bytes(), 1))
    assert tfprof.load(first, second, op_log, graph).serialize() == expected
    assert tfprof.load([str(first), second.read_bytes(), op_log, packed]).serialize() == expected
    assert tfprof.load(graph, [first, second], op_log=op_log).serialize() == expected
    assert tfprof.load(graph, op_log, run_meta={0: first, 1: second}).serialize() == expected
    assert tfprof.load(graph).summary["n_steps"] == 0
    with pytest.raises(ValueError, match="each is a ProfileProto: only one"):
        tfprof.load(loop_files / "profile", [loop_files / "profile"])
    with pytest.raises(ValueError, match="only adds to existing nodes"):
        tfprof.load(op_log)
    with pytest.raises(TypeError, match="input: expected a path"):
        tfprof.load(3)
    with pytest.raises(TypeError, match="graph: expected a path, a tensorflow.GraphDef message or "
                                        "its bytes, got int"):
        tfprof.load(graph=3)
    with pytest.raises(TypeError, match="keras: expected a path or bytes, got int"):
        tfprof.load(keras=3)


def test_a_directory_of_profiles(loop_files, tmp_path):
    shutil.copy(loop_files / "profile", tmp_path / "profile_7")
    profile = tfprof.load(tmp_path)
    assert profile.serialize() == tfprof.load(loop_files / "profile").serialize()
    assert "profile_7" in profile.notes


def test_overview(loop_files):
    profile = tfprof.load(loop_files / "profile")
    found = profile.overview()
    root = profile.scope(select=["micros", "bytes", "float_ops"]).root
    assert found["exec_micros"] == root.total_exec_micros
    assert found["requested_bytes"] == root.total_requested_bytes
    assert found["float_ops"] == root.total_float_ops
    trainable = profile.scope(select="params", account_type_regexes="_trainable_variables").root
    assert found["trainable_parameters"] == trainable.total_parameters
    path = loop_files / "profile"
    assert found["inputs"] == [(str(path), "profile", path.stat().st_size)]
    assert [what for what, _ in found["missing"]] == ["values of variables"]
    text = profile.describe()
    assert text.startswith("A step takes ") and f"\n\n{path}: a ProfileProto, " in text
    assert "values of variables" in text


def test_overview_of_a_graph(loop_files):
    found = tfprof.load((loop_files / "graph.pb").read_bytes()).overview()
    assert found["inputs"][0][:2] == ("the graph", "graph")
    assert found["trainable_parameters"] is None
    assert found["missing"][0][0] == "times, memory and devices"
    assert "RunMetadata" in found["missing"][0][1]


def test_standard_input(loop_files, run_python):
    with open(loop_files / "profile", "rb") as stdin:
        done = run_python("import tfprof; print(len(tfprof.load('-')))", stdin=stdin)
    assert int(done.stdout) == len(tfprof.load(loop_files / "profile"))


def test_every_input_is_a_keyword():
    for kind in _inputs.KINDS.values():
        assert f" {kind.name}: " in tfprof.load.__doc__
    with pytest.raises(TypeError, match="'grahp': expected one of: profile, graph"):
        tfprof.load(grahp="x")


def test_inputs_are_recognized(loop_files):
    """By their content, whatever they are called, and messages by their class."""
    expected = tfprof.load(graph=loop_files / "graph.pb", op_log=loop_files / "tfprof_log",
                           run_meta={4: loop_files / "run_meta_0"}).serialize()
    made = tfprof.Profile()
    made.add(loop_files / "graph.pb")
    made.add((loop_files / "tfprof_log").read_bytes())
    made.add(str(loop_files / "run_meta_0"), step=4)
    assert made.serialize() == expected
    with pytest.raises(ValueError, match="it looks like JSON.*expected one of: a ProfileProto"):
        made.add(b"{}")
    with pytest.raises(ValueError, match="kind: expected one of: profile, graph"):
        made.add(loop_files / "graph.pb", "graf")
    with pytest.raises(TypeError, match="step"):
        made.add(loop_files / "run_meta_0", step="4")
    with pytest.raises(TypeError, match="input: expected a path"):
        made.add(5)
    assert made.serialize() == expected


def test_messages_are_recognized(loop_files):
    pytest.importorskip("google.protobuf")
    made = tfprof.Profile()
    made.add(loop_files / "graph.pb")
    made.add(tfprof.OpLogProto.FromString((loop_files / "tfprof_log").read_bytes()))
    assert made.summary["has_code_traces"]
    with pytest.raises(TypeError, match="input: expected a path"):
        made.add(tfprof.OptionsProto())


def test_outputs_that_a_view_cannot_have(profile, loop_files, tmp_path):
    """Told by TensorFlow's API in a line only; here that is an error."""
    graph = tfprof.load(graph=loop_files / "graph.pb")
    for ask in (lambda output: profile.op(output=f"speedscope:{output}"),
                lambda output: profile.code(select="micros,bytes", output=f"pprof:{output}"),
                lambda output: graph.op(output=f"timeline:{output}"),
                lambda output: graph.graph(output=f"timeline:{output}")):
        with pytest.raises(tfprof.Error, match="pprof|timeline|speedscope"):
            ask(f"outfile={tmp_path / 'x'}")
    assert os.listdir(tmp_path) == []


def test_report_over_the_loaded_file(loop_files, tmp_path):
    path = tmp_path / "profile"
    path.write_bytes((loop_files / "profile").read_bytes())
    profile = tfprof.load(path)
    with pytest.raises(ValueError, match="the profile was loaded from this file"):
        profile.op(output=f"json:outfile={path}")
    assert path.read_bytes() == (loop_files / "profile").read_bytes()


def test_checkpoint_alone():
    checkpoint = os.path.join(DATA, "checkpoint", "single", "model.ckpt")
    profile = tfprof.load(checkpoint=checkpoint)
    assert len(profile) > 0
    assert profile.scope(select="params").root.total_parameters > 0


def test_files_that_cannot_be_written(profile, tmp_path):
    with pytest.raises(OSError, match="where"):
        profile.save(tmp_path / "no" / "where")
    with pytest.raises(OSError, match="where"):
        profile.scope(output=f"file:outfile={tmp_path / 'no' / 'where'}")


def test_code_view_without_stacks(loop_files):
    with pytest.raises(tfprof.Error, match="code trace"):
        tfprof.load(graph=loop_files / "graph.pb").code()


def test_failed_step_changes_nothing(profile, loop_files):
    before = profile.serialize()
    for step, run_meta in ((5, b"\xff"), (5, loop_files / "graph.pb"), ("5", b""), (5, None),
                           (True, loop_files / "run_meta_0"), (1 << 70, loop_files / "run_meta_0")):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            profile.add_step(step, run_meta)
        assert profile.serialize() == before


def test_messages_of_the_wrong_type(loop_files):
    pytest.importorskip("google.protobuf")
    with pytest.raises(TypeError, match="graph: expected.*GraphDef.*OpLogProto"):
        tfprof.load(graph=tfprof.OpLogProto())
    log = tfprof.OpLogProto.FromString((loop_files / "tfprof_log").read_bytes())
    assert tfprof.load(graph=loop_files / "graph.pb", op_log=log).summary["has_code_traces"]


def test_profile_repr_and_length(profile):
    assert repr(profile) == f"<Profile: {len(profile)} nodes, steps 0, 1, 2>"
    assert repr(tfprof.Profile()) == "<Profile: 0 nodes, no steps>"


def test_the_only_step_is_not_taken_for_a_number_of_steps(loop_files):
    profile = tfprof.load(graph=loop_files / "graph.pb", run_meta=loop_files / "run_meta_0")
    assert repr(profile) == f"<Profile: {len(profile)} nodes, step 0>"
    assert bool(tfprof.Profile())


def test_damaged_files_are_recovered_if_asked(loop_files, tmp_path):
    whole = (loop_files / "profile").read_bytes()
    (tmp_path / "cut").write_bytes(whole[:len(whole) * 2 // 3])
    with pytest.raises(tfprof.FormatError, match="recover=True"):
        tfprof.load(tmp_path / "cut")
    profile = tfprof.load(tmp_path / "cut", recover=True)
    assert 0 < len(profile) < len(tfprof.load(loop_files / "profile"))
    assert "recovered: dropped" in profile.notes
    with pytest.raises(tfprof.ArgumentError, match="cannot be combined"):
        tfprof.load(tmp_path / "cut", recover=True, strict=True)


def test_strict_refuses_what_would_be_ignored(loop_files, tmp_path):
    graph = (loop_files / "graph.pb").read_bytes()
    assert len(tfprof.load(graph=graph, strict=True)) == len(tfprof.load(graph=graph))
    unknown = graph + b"\xfa\x3f\x01x"  # field 1023
    assert len(tfprof.load(graph=unknown)) == len(tfprof.load(graph=graph))
    with pytest.raises(tfprof.FormatError, match="1 unknown field"):
        tfprof.load(graph=unknown, strict=True)
