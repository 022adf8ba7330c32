"""The drop-in API on live graphs: our API and TensorFlow's API on our core answer
like `tf.compat.v1.profiler`."""

import ctypes
import json
import os
import re
import threading

import pytest
from package_under_test import needs_tensorflow

pytestmark = [needs_tensorflow, pytest.mark.usefixtures("quiet")]
pytest.importorskip("tensorflow")

import live_models  # noqa: E402
import traces  # noqa: E402
from compare import _clear_input_shapes  # noqa: E402
from live_models import (  # noqa: E402
    build, know_feeds, loop, resnet, run_traced, tf, varied, without_source)

import tfprof  # noqa: E402
from tfprof import _ask, model_analyzer  # noqa: E402

ORIGINAL = tf.profiler
Builder = tfprof.ProfileOptionBuilder
VIEWS = ("scope", "graph", "op", "code")
METHODS = {"scope": "profile_name_scope", "graph": "profile_graph", "op": "profile_operations",
           "code": "profile_python"}
EVERYTHING = dict(Builder().build(), max_depth=1000, select=[
    "bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros", "accelerator_micros",
    "cpu_micros", "params", "float_ops", "occurrence", "device", "op_types"])
PRESETS = {
    "trainable": Builder.trainable_variables_parameter(),
    "flops": Builder.float_operation(),
    "time": Builder.time_and_memory(),
    "everything": EVERYTHING,
    "filtered": dict(EVERYTHING, order_by="micros", min_micros=1, min_occurrence=2,
                     hide_name_regexes=[".*grad.*"], account_type_regexes=[".*Mul.*", "Add.*"]),
    "nothing": {},
}


@pytest.fixture(scope="module", params=[resnet, loop, varied], ids=lambda model: model.__name__)
def model(request):
    """Equal graphs, one for each profiler, because the original writes to those it is
    given; and run metadata of one of them."""
    graphs = [build(request.param) for _ in range(6)]
    run_meta = run_traced(*graphs[0])
    for told in (graphs[0], graphs[5]):
        know_feeds(told[2], run_meta)
    return Model([built[0] for built in graphs], run_meta)


class Model:
    def __init__(self, graphs, run_meta):
        # Two for calls with run metadata, two for calls without, one for ours alone, and one
        # for TensorFlow's API on our core.
        (self.theirs, self.mine, self.theirs_static, self.mine_static, self.fresh,
         self.told) = graphs
        self.run_meta = run_meta

    def mine_for(self, api):
        return self.told if api is ORIGINAL else self.mine


def same_messages(theirs, mine):
    """Except input shapes: the original takes every input as output 0."""
    for message in (theirs, mine):
        _clear_input_shapes(message)
    assert type(theirs) is type(mine)
    assert theirs == mine


def flush():
    ctypes.CDLL(None).fflush(None)


CASES = [(preset, True) for preset in sorted(PRESETS)] + [("flops", False), ("everything", False)]


def check_profile(api, model, view, preset, with_run_meta, path):
    options = dict(PRESETS[preset], output=f"file:outfile={path}")
    graphs = ((model.theirs, model.mine_for(api)) if with_run_meta
              else (model.theirs_static, model.mine_static))
    run_meta = model.run_meta if with_run_meta else None
    theirs = on_their_core(ORIGINAL.profile, graphs[0], run_meta, None, view, options)
    expected = path.read_bytes()
    mine = api.profile(graphs[1], run_meta, None, view, options)
    assert path.read_bytes() == expected
    same_messages(theirs, mine)


def placed():
    with tf.device("/job:ps/task:1/device:CPU:0"):
        weight = tf.get_variable("w", [3, 5])
    with tf.device("/job:worker/task:0"):
        return tf.matmul(weight, weight, transpose_b=True), {}


@pytest.mark.parametrize("view", ["scope", "op"])
def test_devices_written_in_the_graph_are_not_devices(view, tmp_path):
    """TensorFlow's profiler knows those of runs only."""
    path = tmp_path / "report"
    for types in ([".*"], [".*task:1.*"]):
        options = dict(EVERYTHING, account_type_regexes=types, output=f"file:outfile={path}")
        on_their_core(ORIGINAL.profile, build(placed)[0], None, None, view, options)
        expected = path.read_text()
        tfprof.profile(build(placed)[0], None, None, view, options)
        assert path.read_text() == expected
        assert "task:1" not in expected


@pytest.mark.parametrize("preset, with_run_meta", CASES)
@pytest.mark.parametrize("view", VIEWS)
def test_profile(model, view, preset, with_run_meta, tmp_path):
    check_profile(tfprof, model, view, preset, with_run_meta, tmp_path / "report")


@pytest.mark.parametrize("view", VIEWS)
def test_profile_by_tensorflow_on_our_core(model, view, tmp_path):
    with tfprof.installed():
        check_profile(ORIGINAL, model, view, "everything", True, tmp_path / "report")


def on_their_core(function, *arguments, **keywords):
    """Calls TensorFlow's API on its own core, whatever is installed."""
    from tfprof import _install
    was_in = bool(_install._originals)
    tfprof.uninstall()
    try:
        return function(*arguments, **keywords)
    finally:
        if was_in:
            tfprof.install()


def test_stdout_is_the_same(api, model, capfd):
    options = Builder.time_and_memory()
    printed = []
    for profile in (lambda *a, **k: on_their_core(ORIGINAL.profile, *a, **k), api.profile):
        profile(model.fresh, model.run_meta, cmd="op", options=options)
        flush()
        printed.append(capfd.readouterr().out)
    assert "=====Options=====" in printed[0] and "End of Report" in printed[0]
    assert printed[0] == printed[1]


def test_reports_appear_where_python_prints(api, model):
    """In notebooks and wherever else sys.stdout is replaced."""
    import contextlib
    import io
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print("before")
        api.profile(model.mine, options=Builder.trainable_variables_parameter())
        print("after")
    text = out.getvalue()
    assert text.startswith("before\n\n====") and text.endswith("====\nafter\n")
    assert "_TFProfRoot (--/" in text


def test_default_options(api, model, capfd):
    theirs = on_their_core(ORIGINAL.profile, model.theirs_static)
    same_messages(theirs, api.profile(model.mine_static))


def test_profiler_over_steps(api, model, tmp_path):
    profilers = [on_their_core(ORIGINAL.Profiler, model.theirs),
                 api.Profiler(model.mine_for(api))]
    for step in (0, 3, 3):
        on_their_core(profilers[0].add_step, step, model.run_meta)
        profilers[1].add_step(step, model.run_meta)
    for view, method in METHODS.items():
        for step in (-1, 0, 3):
            for preset in ("time", "everything"):
                answers = []
                for who in (0, 1):
                    options = dict(PRESETS[preset], step=step,
                                   output=f"file:outfile={tmp_path / str(who)}")
                    call = getattr(profilers[who], method)
                    answers.append(on_their_core(call, options) if who == 0 else call(options))
                assert (tmp_path / "1").read_bytes() == (tmp_path / "0").read_bytes()
                same_messages(*answers)
    theirs = tfprof.ProfileProto.FromString(on_their_core(profilers[0].serialize_to_string))
    mine = tfprof.ProfileProto.FromString(profilers[1].serialize_to_string())
    mine.DiscardUnknownFields()
    stacks = [_take_stacks(saved) for saved in (theirs, mine)]
    assert stacks[0] == {name: without_source(stack) for name, stack in stacks[1].items()}
    assert mine == theirs
    on_their_core(profilers.pop, 0)


def _take_stacks(saved):
    """Removes the stacks, because ids of strings differ, and the outputs that inputs
    come from, which are right only here."""
    text = saved.id_to_string
    stacks = {}
    for node in saved.nodes.values():
        # TensorFlow's API writes shapes of runs to its graph, for later profilers; ours does not.
        node.attrs.pop("_output_shapes", None)
        node.ClearField("output_shapes")
        stacks[node.name] = [(text[trace.file_id], trace.lineno, text[trace.function_id],
                              text[trace.line_id], trace.func_start_line)
                             for trace in node.trace.traces]
        for field in ("trace", "src_output_index", "input_shapes"):
            node.ClearField(field)
    saved.ClearField("id_to_string")
    return stacks


THREE_CHECKERS = {name: {} for name in ("AcceleratorUtilizationChecker", "OperationChecker",
                                        "ExpensiveOperationChecker")}


def test_advice_of_tensorflow_on_our_core(model, capfd):
    theirs = on_their_core(ORIGINAL.advise, model.theirs, model.run_meta, THREE_CHECKERS)
    with tfprof.installed():
        mine = ORIGINAL.advise(model.mine, model.run_meta, THREE_CHECKERS)
        assert mine == theirs
        profiler = ORIGINAL.Profiler(model.mine)
        profiler.add_step(0, model.run_meta)
        assert profiler.advise(THREE_CHECKERS) == mine
        del profiler


def test_advice_names_the_most_expensive_nodes(capfd):
    """As older versions of TensorFlow did, where today's names scopes, with a time of 0."""
    graph, fetches, feed, initializer = build(resnet)
    run_meta = run_traced(graph, fetches, feed, initializer)
    micros = {}
    for device in run_meta.step_stats.dev_stats:
        for node in device.node_stats:
            micros[node.node_name] = micros.get(node.node_name, 0) + node.op_end_rel_micros
    profiler = tfprof.Profiler(graph)
    profiler.add_step(0, run_meta)
    for advise in (lambda: tfprof.advise(graph, run_meta), profiler.advise):
        capfd.readouterr()
        found = advise()
        printed = capfd.readouterr().out
        reports = "\n".join(found.checkers["ExpensiveOperationChecker"].reports)
        nodes = re.findall(r"^top \d graph node: (\S+), cpu: (\S+), accelerator: 0us, total: (\S+)$",
                           reports, re.M)
        assert [name for name, *_ in nodes] == sorted(
            (name for name in micros if name in {op.name for op in graph.get_operations()}),
            key=lambda name: -micros[name])[:3]
        assert all(cpu == total != "0us" for _, cpu, total in nodes)
        assert re.search(r"^ *\S+\.py:\d+:[^:]+:.*, cpu: \S+, accelerator: 0us, total: \S+$",
                         reports, re.M)
        for line in reports.splitlines():
            assert line in printed
        assert set(found.checkers) == set(tfprof.ALL_ADVICE)
        assert printed.index("\nJobChecker:\n") < printed.index("\nExpensiveOperationChecker:\n")


def test_advice_is_that_of_the_program(model, capfd):
    profiler = tfprof.Profiler(model.mine)
    profiler.add_step(0, model.run_meta)
    found = profiler.advise(THREE_CHECKERS)
    loaded = tfprof.load(profiler.serialize_to_string()).advise(*THREE_CHECKERS)
    assert str(loaded) in capfd.readouterr().out
    assert sum(len(one.reports) for one in found.checkers.values()) >= 1


@pytest.mark.parametrize("view", ["graph", "scope", "code"])
def test_timelines(api, model, view, tmp_path, capfd):
    files = []
    for who, graph in (("theirs", model.theirs), ("mine", model.mine)):
        profile = ORIGINAL.profile if who == "theirs" else api.profile
        options = Builder(Builder.time_and_memory()).with_step(0).with_timeline_output(
            str(tmp_path / who)).build()
        arguments = graph, model.run_meta, None, view, options
        if who == "theirs":
            on_their_core(profile, *arguments)
        else:
            profile(*arguments)
        with open(f"{tmp_path / who}_0", "rb") as file:
            files.append(traces.timeline_lines(file.read()))
    assert files[0] == files[1] and len(files[0]) > 5


def test_pprof(api, model, tmp_path, capfd):
    files = []
    for who, graph in (("theirs", model.theirs), ("mine", model.mine)):
        options = Builder(Builder.time_and_memory()).select(["micros"]).with_pprof_output(
            str(tmp_path / who)).build()
        arguments = graph, model.run_meta, None, "code", options
        if who == "theirs":
            on_their_core(ORIGINAL.profile, *arguments)
        else:
            api.profile(*arguments)
        files.append(traces.pprof_lines((tmp_path / who).read_bytes()))
    assert files[0] == files[1] and len(files[0]) > 10


def test_own_types(api, model, capfd):
    log = tfprof.OpLogProto()
    name = model.mine.get_operations()[0].name
    entry = log.log_entries.add(name=name)
    entry.types.append("mine")
    entry.float_ops = 12345
    options = Builder(EVERYTHING).with_accounted_types(["mine"]).with_empty_output().build()
    theirs = on_their_core(ORIGINAL.profile, model.theirs_static, None, log, "op", options)
    found = api.profile(model.mine_static, None, log, "op", options)
    same_messages(theirs, found)
    assert found.children[0].graph_nodes[0].name == name
    assert found.children[0].float_ops == 12345


# ---- extensions and errors ---------------------------------------------------------

def small_graph():
    graph = tf.Graph()
    with graph.as_default():
        tf.get_variable("w", [3, 4])
    return graph


QUIET = dict(EVERYTHING, output="none")


def test_many_profilers_at_once():
    graphs = [small_graph() for _ in range(3)]
    for i, graph in enumerate(graphs):
        with graph.as_default():
            tf.get_variable("v", [i + 1])
    profilers = [tfprof.Profiler(graph) for graph in graphs]
    assert [profiler.profile_name_scope(QUIET).total_parameters for profiler in profilers] == [
        13, 14, 15]


def test_profilers_in_threads():
    found = []

    def work(i):
        graph = tf.Graph()
        with graph.as_default():
            tf.get_variable("v", [i + 1])
        profiler = tfprof.Profiler(graph)
        found.append((i, profiler.profile_operations(QUIET).total_parameters))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(i, i + 1) for i in range(8)]


def test_unknown_cmd():
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown cmd: nonsense"):
        tfprof.profile(small_graph(), cmd="nonsense")
    with pytest.raises(ValueError, match="expected one of: " + ", ".join(_ask.VIEWS)):
        tfprof.profile(small_graph(), cmd="nonsense")


def test_unknown_words_are_accepted(capfd):
    from tfprof import _options
    _options._warned.clear()
    options = dict(EVERYTHING, select=["params", "bites"], order_by="nonsense", output="stdout")
    with pytest.warns(UserWarning, match="'bites'"):
        tfprof.profile(small_graph(), options=options)
    printed = capfd.readouterr()
    assert "Unknown select: bites" in printed.out and printed.err == ""


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("output", ["stdout", "file", "timeline"])
def test_a_missing_step_prints_what_tensorflow_prints(api, model, view, output, capfd, tmp_path):
    options = dict(Builder.time_and_memory(), step=9,
                   output=output if output == "stdout" else f"{output}:outfile={tmp_path}/x")
    printed = []
    for core, who, graph in ((on_their_core, ORIGINAL, model.theirs),
                             (lambda call, *a: call(*a), api, model.mine)):
        profiler = core(who.Profiler, graph)
        core(profiler.add_step, 3, model.run_meta)
        flush()
        capfd.readouterr()
        found = core(getattr(profiler, METHODS[view]), options)
        flush()
        assert found == type(found)() and not os.listdir(tmp_path)
        printed.append(capfd.readouterr())
        del profiler
    assert printed[0].out == printed[1].out and ("Options" in printed[0].out) == (output == "stdout")
    assert printed[0].err == printed[1].err == "Options -step=9 not found.\nAvailable steps: 3 \n"


@pytest.mark.parametrize("graph", ["x", 5, b"", tf.GraphDef(), [], tf.Session])
def test_not_a_graph(graph):
    for call in (tfprof.profile, tfprof.advise, tfprof.Profiler):
        with pytest.raises(TypeError, match="graph"):
            call(graph)


def test_a_session_instead_of_its_graph():
    session = tf.Session(graph=small_graph())
    session.close()
    with pytest.raises(TypeError, match=r"graph: .*\.graph"):
        tfprof.Profiler(session)
    assert tfprof.Profiler(session.graph).profile_operations(QUIET).total_parameters == 12


@pytest.mark.parametrize("run_meta", ["x", 5, tf.RunOptions(), tfprof.OpLogProto()])
def test_not_run_metadata(run_meta):
    with pytest.raises(TypeError, match="run_meta.*RunMetadata"):
        tfprof.profile(small_graph(), run_meta)
    with pytest.raises(TypeError, match="run_meta.*RunMetadata"):
        tfprof.Profiler(small_graph()).add_step(0, run_meta)


@pytest.mark.parametrize("op_log", ["x", 5, tf.RunMetadata()])
def test_not_an_op_log(op_log):
    with pytest.raises(TypeError, match="op_log.*OpLogProto"):
        tfprof.profile(small_graph(), op_log=op_log)
    with pytest.raises(TypeError, match="op_log.*OpLogProto"):
        tfprof.Profiler(small_graph(), op_log)


def test_failed_step_changes_nothing():
    graph, fetches, feed, initializer = build(varied)
    run_meta = run_traced(graph, fetches, feed, initializer)
    profiler = tfprof.Profiler(graph)
    profiler.add_step(0, run_meta)
    before = profiler.serialize_to_string()
    for step, bad in ((1, tf.RunMetadata()), (1, None), ("1", run_meta), (1.5, run_meta),
                      (1 << 64, run_meta), (1, b"\xff\xff")):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            profiler.add_step(step, bad)
        assert profiler.serialize_to_string() == before
    profiler.add_step(1, run_meta)
    assert profiler.serialize_to_string() != before


def test_untraced_run_says_what_to_do():
    with pytest.raises(ValueError, match="FULL_TRACE"):
        tfprof.Profiler(small_graph()).add_step(0, tf.RunMetadata())


def test_wrong_option_values_name_the_option():
    for options in ({"max_depth": "x"}, {"select": 5}, {"output": "screen"}, {"order_by": None},
                    {"show_name_regexes": ["(x"]}):
        name, = options
        with pytest.raises(ValueError, match=name):
            tfprof.profile(small_graph(), options=dict(QUIET, **options))
    with pytest.raises(ValueError, match="options: expected a dict"):
        tfprof.Profiler(small_graph()).profile_graph(None)


def test_report_that_cannot_be_written(tmp_path):
    with pytest.raises(OSError, match="where"):
        tfprof.profile(small_graph(), options=dict(
            QUIET, output=f"file:outfile={tmp_path / 'no' / 'where'}"))


def test_advice_options():
    graph, fetches, feed, initializer = build(varied)
    run_meta = run_traced(graph, fetches, feed, initializer)
    found = tfprof.advise(graph, run_meta, {"ExpensiveOperationChecker": {"top": "1"}})
    assert "top 2" not in str(found) and "top 1" in str(found)
    with pytest.raises(ValueError, match="unknown option 'x'"):
        tfprof.advise(graph, run_meta, {"ExpensiveOperationChecker": {"x": "1"}})
    with pytest.raises(ValueError, match="expected a dict"):
        tfprof.advise(graph, run_meta, {"ExpensiveOperationChecker": 5})
    with pytest.raises(ValueError, match="expected a dict"):
        tfprof.advise(graph, run_meta, "ExpensiveOperationChecker")
    assert tfprof.advise(graph, run_meta, {}) == tfprof.AdviceProto()


def test_callers_graph_is_not_touched(model):
    before = model.fresh.as_graph_def(add_shapes=True)
    shapes = live_models.get_shapes(model.fresh)
    tfprof.profile(model.fresh, model.run_meta, cmd="code", options=QUIET)
    profiler = tfprof.Profiler(model.fresh)
    profiler.add_step(0, model.run_meta)
    assert model.fresh.as_graph_def(add_shapes=True) == before
    assert live_models.get_shapes(model.fresh) == shapes


# ---- the old names -----------------------------------------------------------------

def test_print_model_analysis(model, capfd):
    for cmd, options in (("scope", model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS),
                         ("graph", model_analyzer.FLOAT_OPS_OPTIONS),
                         ("op", model_analyzer.PRINT_ALL_TIMING_MEMORY)):
        expected = tfprof.profile(model.mine, model.run_meta, cmd=cmd, options=options)
        assert model_analyzer.print_model_analysis(
            model.mine, run_meta=model.run_meta, tfprof_cmd=cmd,
            tfprof_options=options) == expected
    assert model_analyzer.print_model_analysis(model.mine).total_parameters > 0
    assert "trainable_variables" in capfd.readouterr().out


def test_the_old_name_of_the_options_of_advise(model, capfd):
    one = {"ExpensiveOperationChecker": {"top": "1"}}
    assert model_analyzer.advise(model.mine, model.run_meta, tfprof_options=one) == tfprof.advise(
        model.mine, model.run_meta, one)
    assert model_analyzer.advise(model.mine, tfprof_options={}) == tfprof.AdviceProto()


def test_changing_a_preset_changes_no_other_call(model, capfd):
    """As a snippet of TensorFlow's documents does."""
    for name in ("TRAINABLE_VARS_PARAMS_STAT_OPTIONS", "FLOAT_OPS_OPTIONS", "PRINT_ALL_TIMING_MEMORY"):
        before = dict(getattr(model_analyzer, name))
        options = getattr(model_analyzer, name)
        options["show_name_regexes"] = [".*my_code1.py.*"]
        options["select"].append("device")
        assert getattr(model_analyzer, name) == before
    expected = model_analyzer.print_model_analysis(model.mine)
    assert expected.total_parameters > 0 and "my_code1" not in capfd.readouterr().out


def test_the_type_of_trainable_variables_has_a_name():
    from tensorflow.python.profiler import tfprof_logger
    assert tfprof.tfprof_logger.TRAINABLE_VARIABLES == tfprof_logger.TRAINABLE_VARIABLES


def test_old_options_are_the_presets():
    assert (model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
            == Builder.trainable_variables_parameter())
    assert model_analyzer.FLOAT_OPS_OPTIONS == Builder.float_operation()
    assert model_analyzer.PRINT_ALL_TIMING_MEMORY == Builder.time_and_memory()
    assert model_analyzer.ProfileContext is tfprof.ProfileContext
    with pytest.raises(AttributeError):
        model_analyzer.nonsense


def test_all_advice_is_tensorflows():
    from tensorflow.python.profiler.model_analyzer import ALL_ADVICE
    assert tfprof.ALL_ADVICE == ALL_ADVICE


def test_signatures_are_tensorflows():
    import inspect
    for name in ("profile", "advise", "write_op_log"):
        mine = inspect.signature(getattr(tfprof, name)).parameters
        theirs = inspect.signature(getattr(ORIGINAL, name)).parameters
        assert list(mine)[:len(theirs)] == list(theirs)
        for parameter in theirs:
            assert mine[parameter].default == theirs[parameter].default
    for name in dir(ORIGINAL.Profiler):
        if not name.startswith("_"):
            assert list(inspect.signature(getattr(tfprof.Profiler, name)).parameters) == list(
                inspect.signature(getattr(ORIGINAL.Profiler, name)).parameters)


def test_timeline_loads_as_json(model, tmp_path, capfd):
    options = Builder(Builder.time_and_memory()).with_step(0).with_timeline_output(
        str(tmp_path / "timeline")).build()
    tfprof.profile(model.mine, model.run_meta, cmd="graph", options=options)
    with open(tmp_path / "timeline_0") as file:
        assert json.load(file)["traceEvents"]
    assert os.listdir(tmp_path) == ["timeline_0"]
