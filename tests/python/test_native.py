"""The native layer alone: objects, errors, lifetimes."""

import gc
import sys

import pytest

from tfprof import _native


@pytest.fixture
def native(loop_files):
    made = _native.Profile()
    made.add("profile", loop_files / "profile")
    return made


def test_inputs_are_bytes_or_paths(loop_files):
    path = loop_files / "graph.pb"
    data = path.read_bytes()
    expected = None
    for given in (path, str(path), data, bytearray(data), memoryview(data)):
        made = _native.Profile()
        made.add("graph", given)
        saved = made.serialize()
        expected = expected or saved
        assert saved == expected


@pytest.mark.parametrize("given", [None, 5, [], {}, object(), 1.5])
def test_other_inputs_are_type_errors_that_name_the_argument(given):
    with pytest.raises(TypeError, match="graph"):
        _native.Profile().add("graph", given)
    with pytest.raises(TypeError, match="run_meta"):
        _native.Profile().add_step(0, None, given)


def test_path_with_null_byte():
    with pytest.raises(ValueError):
        _native.Profile().add("graph", "a\0b")


def test_steps_and_summary(native):
    assert native.steps == [0, 1, 2]
    summary = native.summary
    assert summary["n_steps"] == 3
    assert summary["has_run_meta"] is True and summary["has_checkpoint"] is False
    assert _native.Profile().steps == []
    assert _native.Profile().summary["n_nodes"] == 0


def test_errors_are_errors_of_both_kinds(native, tmp_path):
    with pytest.raises(OSError, match="nowhere") as caught:
        _native.Profile().add("profile", tmp_path / "nowhere")
    assert isinstance(caught.value, _native.Error) and caught.value.status == "IO"
    with pytest.raises(ValueError, match="byte") as caught:
        _native.Profile().add("profile", b"\xff\xff\xff")
    assert isinstance(caught.value, _native.Error) and caught.value.status == "FORMAT"
    with pytest.raises(ValueError, match=", ".join(name for name, *_ in _native.views())):
        native.query("opp")
    with pytest.raises(ValueError, match="Available steps: 0 1 2") as caught:
        native.query("op", settings=[("step", "7")])
    assert caught.value.status == "STEP"
    with pytest.raises(ValueError, match="position") as caught:
        native.query("op", settings=[("show_name_regexes", "(x")])
    assert caught.value.status == "REGEX"


def test_settings_are_pairs_of_strings(native):
    for wrong in ([("select",)], [("select", 5)], ["select"], [None], 5):
        with pytest.raises(TypeError):
            native.query("op", settings=wrong)


def test_rows(native):
    result = native.query("op", settings=[("max_depth", "100")])
    assert len(result) > 10
    row = dict(zip(_native.ROW_FIELDS, result[1]))
    assert row["parent"] == 0 and row["depth"] == 1 and row["accounted"] is True
    with pytest.raises(IndexError):
        result[len(result)]
    with pytest.raises(KeyError, match="no column 'nonsense'"):
        result.column("nonsense")
    names = result.column("name")
    assert names == [result[i][0] for i in range(len(result))]
    numbers = memoryview(result.column("exec_micros")).cast("q")
    field = _native.ROW_FIELDS.index("exec_micros")
    assert list(numbers) == [result[i][field] for i in range(len(result))]


def test_nothing_is_rendered_before_it_is_asked_for(native, tmp_path):
    out = tmp_path / "report"
    result = native.query("op", settings=[("output", f"file:outfile={out}")])
    assert not result.text and not out.exists()
    result.output()
    assert out.read_bytes() == result.render("text")
    assert result.render("csv").startswith(b"id,parent,depth,name,accounted,")
    with pytest.raises(ValueError, match="Only scope and code view can be written as speedscope"):
        result.render("speedscope")
    with pytest.raises(ValueError, match="unknown format 'xml'"):
        result.render("xml")


def test_results_outlive_their_profile(loop_files):
    made = _native.Profile()
    made.add("profile", loop_files / "profile")
    result = made.query("scope")
    names = result.column("name")
    made.add_step(7, None, loop_files / "run_meta_0")
    del made
    gc.collect()
    assert result.column("name") == names


def test_results_are_not_made_by_hand():
    with pytest.raises(TypeError):
        _native.Result()


def test_failed_step_changes_nothing(native, loop_files):
    before = native.serialize()
    for graph, run_meta, op_log in (
            (None, b"\xff\xff", None), (b"\xff\xff", loop_files / "run_meta_0", None),
            (None, loop_files / "run_meta_0", b"\xff\xff"), (None, b"", None),
            (None, loop_files / "nowhere", None),
            (loop_files / "graph.pb", loop_files / "graph.pb", None)):
        with pytest.raises(_native.Error):
            native.add_step(9, graph, run_meta, op_log)
        assert native.serialize() == before
        assert native.steps == [0, 1, 2]


def test_options_and_checkers_are_listed():
    options = {row[0]: row for row in _native.options() if "op" in row[7].split()}
    assert options["select"][1] == "words" and "micros" in options["select"][2]
    assert options["max_depth"][3] == "10"
    assert "OperationChecker" in [row[0] for row in _native.checkers()]


def test_inputs_are_listed():
    inputs = {row[0]: row for row in _native.inputs()}
    assert inputs["graph"][1] == "tensorflow.GraphDef" and inputs["checkpoint"][1] is None
    assert inputs["run_meta"][3] & _native.INPUT_BY_STEP
    assert all(row[2].endswith(".") for row in inputs.values())


def test_nothing_leaks(native, loop_files):
    """Memory in use by Python stays the same over many calls."""
    def exercise():
        result = native.query("scope", settings=[("select", "micros")])
        result.output()
        result.render("message"), result.value("device", 1)
        result.__arrow_c_stream__()
        result.__arrow_c_schema__()
        list(map(result.__getitem__, range(5)))
        native.steps, native.summary, native.notes, native.progress
        native.advise().render("text")
        with pytest.raises(_native.Error):
            native.query("scope", settings=[("select", "x")])
        with pytest.raises(TypeError):
            _native.Profile().add("graph", 5)
        _native.options(), _native.checkers(), _native.inputs()

    for _ in range(3):
        exercise()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(50):
        exercise()
    gc.collect()
    assert sys.getallocatedblocks() - before < 100


def test_step_timeline(loop_files, tmp_path):
    import json
    trace = _native.step_timeline(loop_files / "run_meta_0")
    assert json.loads(trace)["traceEvents"]
    path = tmp_path / "trace.json"
    assert _native.step_timeline((loop_files / "run_meta_0").read_bytes(), path=path) is None
    assert path.read_bytes() == trace
    with pytest.raises(ValueError):
        _native.step_timeline(b"\xff\xff")
    with pytest.raises(TypeError, match="run_meta"):
        _native.step_timeline(5)
    with pytest.raises(OSError):
        _native.step_timeline(loop_files / "run_meta_0", path=tmp_path / "no" / "where")
