"""ProfileContext: which steps it traces, what it writes, and that it changes nothing
else."""

import collections
import os
import random
import threading
import time
import warnings

import numpy
import pytest

from live_models import build, resnet, tf

from google.protobuf import text_format
from original import Original
from tensorflow.core.profiler.tfprof_log_pb2 import ProfileProto
from tensorflow.python.client.session import BaseSession
import tfprof
import tfprof._step_rules
from tfprof import ProfileContext, ProfileOptionBuilder


QUIET = dict(ProfileOptionBuilder.time_and_memory(), output="none")
FULL_TRACE = tf.RunOptions.FULL_TRACE


@pytest.fixture(autouse=True)
def session_intact():
    """Afterwards, sessions are as before, whatever happens."""
    before = dict(vars(BaseSession)), dict(vars(tf.Session))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    assert (dict(vars(BaseSession)), dict(vars(tf.Session))) == before


def make_graph():
    """A graph with a product `y`, another fetch `z`, and a division `bad` that
    fails while it is fed 0."""
    graph = tf.Graph()
    with graph.as_default():
        ones = tf.cast(tf.random.uniform([4, 3]) >= 0, tf.float32)  # not folded into a constant
        x = tf.placeholder_with_default(ones, [None, 3], name="x")
        y = tf.matmul(x, tf.ones([3, 5]), name="y")
        tf.reduce_sum(y, name="z")
        divisor = tf.placeholder_with_default(0, [], name="divisor")
        tf.floordiv(7, divisor, name="bad")
    return graph


@pytest.fixture
def graph():
    return make_graph()


def load(path):
    """The steps of a dumped profile, as loaded and as in the message."""
    with open(path, "rb") as file:
        message = ProfileProto.FromString(file.read())
    steps = sorted({step for node in message.nodes.values() for step in node.execs})
    assert steps == sorted(message.steps)
    return steps


def traced_steps(context):
    return tfprof.load(context.profiler.serialize_to_string()).steps


# ---- by default --------------------------------------------------------------

def test_automatic(graph, tmp_path):
    """150 steps write profile_100, which TensorFlow's profiler and ours can read."""
    with ProfileContext(tmp_path) as context:
        with tf.Session(graph=graph) as session:
            for _ in range(150):
                session.run("y:0")
    assert os.listdir(tmp_path) == ["profile_100"]
    path = str(tmp_path / "profile_100")
    steps = load(path)
    assert steps[0] == 11, "steps 0 to 10 warm up"
    assert steps == expected_steps(["y:0"] * 150, context)
    ours = tfprof.load(path).op(
        select=["micros", "accelerator_micros", "cpu_micros", "occurrence"], order_by="name")
    with Original() as original:
        original.from_file(path)
        options = dict(QUIET, output="stdout", select=["micros", "occurrence"], order_by="name",
                       min_bytes=0, min_micros=0)
        theirs = original.profile("op", tfprof._options.from_dict(options)).stdout.decode()
    assert "MatMul" in theirs
    for line in str(ours).splitlines():
        if "MatMul" in line or "Const" in line:
            assert line in theirs


def expected_steps(fetches, context):
    """A naive version of the rules: new fetches, else at random while coverage is low."""
    draw, seen, steps = random.Random(111), set(), []
    for step, fetch in enumerate(fetches):
        if step <= 10:
            continue
        if fetch not in seen:
            seen.add(fetch)
            steps.append(step)
        elif step < 100 and context.profiler._coverage < 0.5 and draw.randint(0, 10) < 2:
            steps.append(step)
    return steps


def test_new_fetches_are_traced(tmp_path):
    """However they are given, and only once if they cover enough."""
    graph = tf.Graph()
    with graph.as_default():
        y = tf.square(tf.constant(2.0), name="y")
        z = tf.square(y, name="z")
        op = tf.group(z, name="op")
    pair = collections.namedtuple("pair", "a b")
    fetches = [y, "y:0", [y], {"a": [y]}, [y, y], [y, z], pair(z, y), {"k": (z,)}, op, "op", z]
    with ProfileContext(tmp_path) as context:
        with tf.Session(graph=graph) as session:
            for _ in range(11):
                session.run(z)
            for fetch in [[y, z, op]] + fetches:
                session.run(fetch)
        assert context.profiler._coverage >= 0.5
        assert traced_steps(context) == [11, 12, 17, 19, 20]


def test_some_more_while_coverage_is_low(tmp_path):
    """At random, but the same in every run, and not from step 100 on."""
    graph = tf.Graph()
    with graph.as_default():
        tf.square(2.0, name="y")
        for _ in range(9):
            tf.ones([3])
    found = []
    for _ in range(2):
        with ProfileContext(tmp_path) as context:
            with tf.Session(graph=graph) as session:
                for _ in range(130):
                    session.run("y:0")
            assert context.profiler._coverage < 0.5
            found.append(traced_steps(context))
    assert found[0] == found[1] == expected_steps(["y"] * 130, context)
    assert 5 < len(found[0]) < 40 and found[0][-1] < 100


def test_tracing_stops(graph, tmp_path):
    """After 101 steps, even if new fetches come or it is asked for."""
    fetches = [f"n{i}:0" for i in range(130)]
    with graph.as_default():
        for fetch in fetches:
            tf.constant(1.0, name=fetch[:-2])
    with ProfileContext(tmp_path, dump_steps=[]) as context:
        with tf.Session(graph=graph) as session:
            for fetch in fetches:
                session.run(fetch)
            context.trace_next_step()
            session.run("y:0")
        assert traced_steps(context) == list(range(11, 112))


def test_nothing_dumped_on_the_way(graph, tmp_path):
    with pytest.warns(UserWarning, match="no profile was written in 15 steps .*profile_14") as told:
        with ProfileContext(tmp_path / "new"):
            with tf.Session(graph=graph) as session:
                for _ in range(15):
                    session.run("y:0")
    assert told[-1].filename == __file__
    assert os.listdir(tmp_path / "new") == ["profile_14"]
    assert load(tmp_path / "new" / "profile_14")[0] == 11


def test_only_warm_up_still_has_the_graph(graph, tmp_path):
    with pytest.warns(UserWarning, match="profile_2 has no times .* none of 3 steps was traced"):
        with ProfileContext(tmp_path):
            with tf.Session(graph=graph) as session:
                for _ in range(3):
                    session.run("y:0")
    report = tfprof.load(str(tmp_path / "profile_2")).op(select=["float_ops"])
    assert "MatMul" in str(report)


def test_nothing_to_trace_is_said(graph, tmp_path):
    with pytest.warns(UserWarning, match="profile_1 has no times .* none of 2 steps was traced"):
        with ProfileContext(tmp_path, trace_steps=[], dump_steps=[1]):
            with tf.Session(graph=graph) as session:
                session.run("y:0")
                session.run("y:0")


def test_directory_that_cannot_be_made(tmp_path, monkeypatch):
    """Reported before the training, not after it."""
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="file"):
        with ProfileContext(tmp_path / "file" / "new", strict=True):
            pytest.fail("the loop must not begin")
    monkeypatch.setattr(os, "access", lambda path, mode: False)    # root may write anywhere
    with pytest.raises(PermissionError, match="is not writable"):
        with ProfileContext(tmp_path / "a" / "b", strict=True):
            pytest.fail("the loop must not begin")


def test_no_step_no_file(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ProfileContext(tmp_path / "new"):
            pass
    assert os.listdir(tmp_path) == []


def test_shapes_that_follow_are_not_missed(graph, tmp_path):
    """The sizes are unknown in the graph, but known from the traced run."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ProfileContext(tmp_path, [0], [0]):
            with tf.Session(graph=graph) as session:
                session.run("z:0")
    report = tfprof.load(str(tmp_path / "profile_0")).op(select=["float_ops"])
    assert {node.name: node.float_ops for node in report}["MatMul"] == 2 * 4 * 3 * 5


# ---- chosen steps --------------------------------------------------------------

def test_steps_given(graph, tmp_path):
    with ProfileContext(tmp_path, trace_steps=range(10, 20), dump_steps=[12, 20]) as context:
        context.add_auto_profiling("op", QUIET, [15, 18, 20])
        context.add_auto_profiling("scope", dict(QUIET, output=f"file:outfile={tmp_path}/report"),
                                   profile_steps=[20])
        with tf.Session(graph=graph) as session:
            for _ in range(30):
                session.run("y:0")
    assert sorted(os.listdir(tmp_path)) == ["profile_12", "profile_20", "report"]
    assert load(tmp_path / "profile_12") == [10, 11, 12]
    assert load(tmp_path / "profile_20") == list(range(10, 21))
    profiles = context.get_profiles("op")
    assert sorted(profiles) == [15, 18, 20]
    assert all("MultiGraphNodeProto" == type(result).__name__ for result in profiles.values())
    assert list(context.get_profiles("scope")) == [20]
    assert "_TFProfRoot" in (tmp_path / "report").read_text()
    with pytest.raises(ValueError, match="'graph' has not been profiled yet: only op, scope"):
        context.get_profiles("graph")


@pytest.mark.parametrize("cmd", ["scope", "graph", "op", "code"])
def test_every_view(cmd, graph, tmp_path):
    with ProfileContext(tmp_path, [], [1]) as context:
        context.add_auto_profiling(cmd, QUIET, [1])
        with tf.Session(graph=graph) as session:
            for _ in range(3):
                session.run("y:0")
        result = context.get_profiles(cmd)[1]
        assert result.name == "_TFProfRoot" and result.total_exec_micros > 0


def test_one_step_at_a_time(graph, tmp_path):
    with ProfileContext(str(tmp_path), trace_steps=[], dump_steps=[]) as context:
        with tf.Session(graph=graph) as session:
            session.run("y:0")
            context.trace_next_step()
            session.run("y:0")
            session.run("y:0")
            assert os.listdir(tmp_path) == []
            context.dump_next_step()
            session.run("y:0")
            session.run("y:0")
            context.trace_next_step()
            context.dump_next_step()
            session.run("y:0")
            result = context.profiler.profile_operations(options=QUIET)
    assert sorted(os.listdir(tmp_path)) == ["profile_3", "profile_5"]
    assert load(tmp_path / "profile_3") == [1]
    assert load(tmp_path / "profile_5") == [1, 5]
    assert result.total_exec_micros > 0


def test_every_run_is_a_step(graph, tmp_path):
    with ProfileContext(tmp_path, trace_steps=[1, 2, 3], dump_steps=[3]):
        with tf.Session(graph=graph) as session:
            session.run([])
            graph.get_tensor_by_name("y:0").eval(session=session)
            session.make_callable("z:0", feed_list=["x:0"])(numpy.ones([2, 3]))
        session = tf.InteractiveSession(graph=graph)
        session.run("y:0")
        session.close()
    assert load(tmp_path / "profile_3") == [1, 2, 3]


def test_step_in_the_profile_is_the_run(graph, tmp_path):
    """The figures are those of the caller's own trace of the same run."""
    mine = tf.RunMetadata()
    with ProfileContext(tmp_path, [0], [0]) as context:
        with tf.Session(graph=graph) as session:
            session.run("z:0", run_metadata=mine)
    profiler = tfprof.Profiler(graph)
    profiler.add_step(0, mine)
    expected = ProfileProto.FromString(profiler.serialize_to_string())
    assert ProfileProto.FromString(context.profiler.serialize_to_string()) == expected
    assert ProfileProto.FromString((tmp_path / "profile_0").read_bytes()) == expected


def test_debug(graph, tmp_path, capfd):
    with ProfileContext(tmp_path, debug=True):
        with tf.Session(graph=graph) as session:
            for _ in range(11):
                session.run("y:0")
            assert os.listdir(tmp_path) == []
            session.run("y:0")
            assert os.listdir(tmp_path) == ["run_meta_11"]
    text = (tmp_path / "run_meta_11").read_text()
    run_meta = text_format.Parse(text, tf.RunMetadata())
    assert {"y"} <= {entry.node_name for device in run_meta.step_stats.dev_stats
                     for entry in device.node_stats}
    out, err = capfd.readouterr()
    assert out == "" and "tracing step 11" in err


def test_disabled(graph, tmp_path):
    with ProfileContext(tmp_path / "new", trace_steps=[0], dump_steps=[0], enabled=False) as context:
        context.trace_next_step()
        context.dump_next_step()
        context.add_auto_profiling("op", QUIET, [0])
        with ProfileContext(tmp_path / "new", enabled=False), tf.Session(graph=graph) as session:
            session.run("y:0")
        assert context.profiler is None
        assert not hasattr(BaseSession, "profile_context")
    assert os.listdir(tmp_path) == []
    with pytest.raises(ValueError):
        context.get_profiles("op")


def test_context_is_known_to_sessions(tmp_path):
    with ProfileContext(tmp_path) as context:
        assert BaseSession.profile_context is context
        assert BaseSession.run.__name__ == "run"


# ---- the caller's own options and metadata ---------------------------------------

def test_callers_options_and_metadata(graph, tmp_path):
    with ProfileContext(tmp_path, trace_steps=[1, 3], dump_steps=[]) as context:
        with tf.Session(graph=graph) as session:
            for step in range(4):
                options = tf.RunOptions(output_partition_graphs=True)
                mine = tf.RunMetadata()
                value = session.run("z:0", {"x:0": numpy.full([2, 3], 2)}, options, mine)
                assert value == 60
                assert options == tf.RunOptions(output_partition_graphs=True)
                assert len(mine.partition_graphs) == 1, f"at step {step}"
                assert mine.HasField("step_stats") == (step in (1, 3))
        assert traced_steps(context) == [1, 3]


def test_callers_own_tracing(graph, tmp_path):
    with ProfileContext(tmp_path, trace_steps=[1], dump_steps=[]) as context:
        with tf.Session(graph=graph) as session:
            for _ in range(3):
                mine = tf.RunMetadata()
                options = tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE)
                session.run("z:0", options=options, run_metadata=mine)
                assert options.trace_level == tf.RunOptions.SOFTWARE_TRACE
                assert mine.step_stats.dev_stats
        assert traced_steps(context) == [1]


def test_one_of_the_two(graph, tmp_path):
    """Metadata without options, options without metadata."""
    with ProfileContext(tmp_path, trace_steps=[1], dump_steps=[1]):
        with tf.Session(graph=graph) as session:
            for _ in range(2):
                mine = tf.RunMetadata()
                session.run("z:0", run_metadata=mine)
                session.run("z:0", options=tf.RunOptions(timeout_in_ms=100000))


# ---- exceptions ------------------------------------------------------------------

def test_exception_in_run(graph, tmp_path):
    """The exception is the caller's, and the run is not a step: the next one is traced."""
    with ProfileContext(tmp_path, trace_steps=[], dump_steps=[]) as context:
        with tf.Session(graph=graph) as session:
            patched = BaseSession.run
            session.run("y:0")
            context.trace_next_step()
            context.dump_next_step()
            mine, options = tf.RunMetadata(), tf.RunOptions()
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run("bad:0", None, options, mine)
            assert (options, mine) == (tf.RunOptions(), tf.RunMetadata())
            assert os.listdir(tmp_path) == []
            assert BaseSession.run is patched
            assert session.run("bad:0", {"divisor:0": 2}) == 3
            assert os.listdir(tmp_path) == ["profile_1"]
            session.run("y:0")
        assert traced_steps(context) == [1]


def test_exception_with_new_fetches(graph, tmp_path):
    with ProfileContext(tmp_path) as context:
        with tf.Session(graph=graph) as session:
            for _ in range(11):
                session.run("y:0")
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run("bad:0")
            session.run("bad:0", {"divisor:0": 2})
        assert traced_steps(context) == [11]


def test_chance_does_not_depend_on_failures(tmp_path):
    graph = tf.Graph()
    with graph.as_default():
        tf.floordiv(7, tf.placeholder(tf.int32, [], name="divisor"), name="y")
        for _ in range(19):
            tf.ones([3])
    with ProfileContext(tmp_path) as context:
        with tf.Session(graph=graph) as session:
            for step in range(100):
                if step % 7 == 3:
                    with pytest.raises(tf.errors.InvalidArgumentError):
                        session.run("y:0", {"divisor:0": 0})
                session.run("y:0", {"divisor:0": 2})
        assert context.profiler._coverage < 0.5
        assert traced_steps(context) == expected_steps(["y"] * 100, context)


@pytest.mark.parametrize("fetches,feed_dict,options", [
    (None, None, None), ("nowhere:0", None, None), (3.0, None, None), ("y:0", {"x:0": "text"}, None),
    ("y:0", None, "text")])
def test_wrong_arguments_of_run(fetches, feed_dict, options, graph, tmp_path):
    """As without the context, traced or not."""
    with tf.Session(graph=graph) as session:
        with pytest.raises(Exception) as expected:
            session.run(fetches, feed_dict) if options is None else session.run(
                fetches, feed_dict, options)
        for trace_steps in ([0], [], None):
            with ProfileContext(tmp_path, trace_steps, []) as context:
                with pytest.raises(Exception) as raised:
                    session.run(fetches, feed_dict, options)
                assert context._rules.n_steps == 0
            if options is None:
                assert raised.type is expected.type
    assert os.listdir(tmp_path) == []


def test_closed_session(graph, tmp_path):
    session = tf.Session(graph=graph)
    session.close()
    with ProfileContext(tmp_path, [0], [0]):
        with pytest.raises(RuntimeError, match="closed"):
            session.run("y:0")
    assert os.listdir(tmp_path) == []


def test_exception_in_the_loop(graph, tmp_path):
    """The profile so far is written; the exception is passed on."""
    with pytest.raises(KeyError, match="loop"):
        with ProfileContext(tmp_path, [0]):
            with tf.Session(graph=graph) as session:
                session.run("y:0")
            raise KeyError("loop")
    assert os.listdir(tmp_path) == ["profile_0"]


def test_profile_cannot_be_written(graph, tmp_path):
    """Training continues; strict=True raises, but does not replace an error of the loop."""
    directory = tmp_path / "new"
    with pytest.warns(UserWarning, match="profile_0 could not be written: .*continues") as said:
        with ProfileContext(directory, [0, 1], [0, 1]):
            directory.write_text("in the way")
            with tf.Session(graph=graph) as session:
                assert session.run("z:0") == 60
                assert BaseSession.run.__name__ == "run", "nothing is patched any more"
                assert session.run("z:0") == 60
    assert len(said) == 1
    directory.unlink()
    with pytest.raises(OSError):
        with ProfileContext(directory, [0], [], strict=True):
            directory.write_text("in the way")
            with tf.Session(graph=graph) as session:
                session.run("z:0")
    directory.unlink()
    with pytest.raises(KeyError):
        with ProfileContext(directory, [0], [], strict=True):
            directory.write_text("in the way")
            with tf.Session(graph=graph) as session:
                session.run("z:0")
            raise KeyError("loop")


def test_what_was_traced_before_a_failure_is_written(graph, tmp_path, monkeypatch):
    add_step = tfprof.Profiler.add_step

    def fails_at_two(self, step, run_meta):
        if step == 2:
            raise ValueError("damaged")
        add_step(self, step, run_meta)

    monkeypatch.setattr(tfprof.Profiler, "add_step", fails_at_two)
    with pytest.warns(UserWarning, match="step 2 could not be added to the profile: damaged"):
        with ProfileContext(tmp_path, range(5), []):
            with tf.Session(graph=graph) as session:
                for _ in range(5):
                    assert session.run("z:0") == 60
    assert tfprof.load(tmp_path).steps == [0, 1]


def test_profiling_fails(graph, tmp_path):
    with ProfileContext(tmp_path, [], [0]) as context:
        context.add_auto_profiling("scope", dict(QUIET, show_name_regexes=["("]), [0])
        context.add_auto_profiling("op", QUIET, [0])
        with tf.Session(graph=graph) as session:
            with pytest.warns(UserWarning, match="profiling 'scope' at step 0 failed"):
                assert session.run("z:0") == 60
        assert list(context.get_profiles("op")) == [0]


def test_nested(graph, tmp_path):
    with ProfileContext(tmp_path, [0], [0]):
        with pytest.raises(tf.errors.InternalError, match="already active"):
            with ProfileContext(tmp_path / "inner"):
                pass
        with tf.Session(graph=graph) as session:
            session.run("y:0")
    assert os.listdir(tmp_path) == ["profile_0"]
    with ProfileContext(tmp_path / "later"):
        pass


def test_patched_on_top(graph, tmp_path):
    """Code that wraps `run` inside and keeps it keeps working, and is not profiled."""
    original = BaseSession.run
    try:
        with ProfileContext(tmp_path, [0], [0]) as context:
            inner = BaseSession.run
            BaseSession.run = lambda self, *args, **kwargs: inner(self, *args, **kwargs)
            with tf.Session(graph=graph) as session:
                session.run("y:0")
        with tf.Session(graph=graph) as session:
            assert session.run("z:0") == 60
        assert context._rules.n_steps == 1
    finally:
        BaseSession.run = original


# ---- arguments ---------------------------------------------------------------------

def test_too_many_steps(tmp_path):
    ProfileContext(tmp_path, trace_steps=range(100))
    with pytest.raises(ValueError, match="trace_steps: 101 steps, but at most 100"):
        ProfileContext(tmp_path, trace_steps=range(101))


@pytest.mark.parametrize("arguments,message", [
    (dict(profile_dir=3), "profile_dir must be a path, not int"),
    (dict(profile_dir="x", trace_steps=3), "trace_steps: expected a list of step numbers, got 3"),
    (dict(profile_dir="x", dump_steps=["1"]), "dump_steps: expected step numbers, got '1'"),
])
def test_wrong_arguments(arguments, message):
    with pytest.raises(TypeError, match=message):
        ProfileContext(**arguments)


def test_a_directory_has_a_name():
    with pytest.raises(ValueError, match="profile_dir is empty"):
        ProfileContext("")


def test_wrong_auto_profiling(tmp_path):
    context = ProfileContext(tmp_path)
    with pytest.raises(ValueError, match="unknown view 'tree': expected one of: scope, graph, op, code"):
        context.add_auto_profiling("tree", QUIET, [1])
    with pytest.raises(ValueError, match="max_depth"):
        context.add_auto_profiling("op", dict(QUIET, max_depth="deep"), [1])
    with pytest.raises(TypeError, match="exactly one of steps"):
        context.add_auto_profiling("op", QUIET)


def test_directory_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    run = BaseSession.run
    with pytest.warns(UserWarning, match="profile_dir is not a directory: .*file; the program"):
        with ProfileContext(tmp_path / "file") as context:
            assert BaseSession.run is run
            context.add_auto_profiling("op", QUIET, [0])
    assert context.get_profiles("op") == {}


# ---- sessions of all kinds ---------------------------------------------------------

def test_monitored_training_session(tmp_path):
    graph, train_op, feed_dict, _ = build(resnet)
    with graph.as_default():
        hook = tf.train.StopAtStepHook(num_steps=20)
        with ProfileContext(tmp_path, dump_steps=[18]) as context:
            with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
                while not session.should_stop():
                    session.run(train_op, feed_dict)
    assert os.listdir(tmp_path) == ["profile_18"]
    steps = load(tmp_path / "profile_18")
    assert steps[0] >= 11
    result = context.profiler.profile_name_scope(
        dict(ProfileOptionBuilder.trainable_variables_parameter(), output="none"))
    with graph.as_default():
        expected = sum(numpy.prod(variable.shape.as_list())
                       for variable in tf.trainable_variables())
    assert result.total_parameters == expected
    counted = context.profiler.profile_operations(
        dict(ProfileOptionBuilder.float_operation(), output="none"))
    assert counted.total_float_ops > 1e6, "shapes come from the runs: the batch size is open"


def test_hooks_options_of_a_monitored_session(graph, tmp_path):
    """A hook's own RunOptions and metadata, on traced and untraced steps alike."""
    seen = []

    class Hook(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs([], options=tf.RunOptions(output_partition_graphs=True))

        def after_run(self, run_context, run_values):
            seen.append(len(run_values.run_metadata.partition_graphs))

    with graph.as_default(), ProfileContext(tmp_path, [], []) as context:
        with tf.train.MonitoredSession(hooks=[Hook()]) as session:
            session.run("y:0")
            context.trace_next_step()
            session.run("y:0")
            session.run("y:0")
        assert len(traced_steps(context)) == 1
    assert seen == [1, 1, 1]


def run_in_threads(*functions):
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_two_sessions_in_threads(tmp_path):
    """Steps are numbered over both; two graphs end up in one profile."""
    def train(graph, fetch, n):
        with tf.Session(graph=graph) as session:
            for _ in range(n):
                session.run(fetch)

    first, second = make_graph(), tf.Graph()
    with second.as_default():
        tf.square(tf.ones([7]), name="other")
    with ProfileContext(tmp_path, trace_steps=range(20, 100), dump_steps=[50, 199]) as context:
        context.add_auto_profiling("op", QUIET, [60, 120])
        run_in_threads(lambda: train(first, "z:0", 100), lambda: train(second, "other:0", 100))
        assert context._rules.n_steps == 200
    assert sorted(os.listdir(tmp_path)) == ["profile_199", "profile_50"]
    assert load(tmp_path / "profile_199") == list(range(20, 100)) + [120]
    assert sorted(context.get_profiles("op")) == [60, 120]
    names = {node.name for node in tfprof.load(str(tmp_path / "profile_199")).scope(
        select=["micros"], account_type_regexes=[".*"])}
    assert {"y", "other"} <= names
    both = ProfileProto.FromString(context.profiler.serialize_to_string())
    for graph, node in ((first, "y"), (second, "other")):
        alone = ProfileProto.FromString(tfprof.Profiler(graph).serialize_to_string())
        assert get_stack(both, node) == get_stack(alone, node)


def get_stack(profile, name):
    trace, = [node.trace for node in profile.nodes.values() if node.name == name]
    assert len(trace.traces) > 3
    return [(profile.id_to_string[frame.file_id], frame.lineno,
             profile.id_to_string[frame.function_id]) for frame in trace.traces]


def test_one_session_in_threads(graph, tmp_path):
    with tf.Session(graph=graph) as session:
        with ProfileContext(tmp_path, dump_steps=[150]) as context:
            def train():
                for i in range(100):
                    if i % 10:
                        session.run("z:0")
                    else:
                        with pytest.raises(tf.errors.InvalidArgumentError):
                            session.run("bad:0")

            run_in_threads(train, train)
            assert context._rules.n_steps == 180, "a run that raises is not a step"
    assert os.listdir(tmp_path) == ["profile_150"]


def test_wishes_for_a_step_that_fails_among_others(graph):
    """They apply to the next run, even if later ones have started."""
    rules = tfprof._step_rules.StepRules(trace_steps=[1], dump_steps=[1])
    with tf.Session(graph=graph) as session:
        begun = [rules.begin(session, "z:0", None) for _ in range(4)]
        assert [step.number for step in begun] == [0, 1, 2, 3]
        assert [step.is_dumped for step in begun] == [False, True, False, False]
        rules.take_back(begun[1])
        rules.take_back(begun[2])
        again = [rules.begin(session, "z:0", None) for _ in range(3)]
        assert [step.number for step in again] == [1, 2, 4]
        assert [step.is_dumped for step in again] == [True, False, False]
        assert [bool(step.trace_level) for step in again] == [True, False, False]
        rules.take_back(again[1])
        rules.take_back(again[2])
        rules.take_back(begun[3])
        assert rules.n_steps == 2


def slow_counter():
    graph = tf.Graph()
    with graph.as_default():
        counter = tf.get_variable("counter", [], initializer=tf.zeros_initializer(),
                                  use_resource=False)
        wait = tf.py_func(lambda: time.sleep(0.005) or 1.0, [], tf.float64)
        with tf.control_dependencies([wait]):
            tf.assign_add(counter, 1, use_locking=True, name="count")
        tf.variables_initializer([counter], name="init")
    return graph


@pytest.mark.parametrize("users_level", [tf.RunOptions.NO_TRACE, tf.RunOptions.FULL_TRACE])
@pytest.mark.parametrize("has_gpu", [False, True])
def test_traces_do_not_meet(has_gpu, users_level, tmp_path, monkeypatch):
    """TensorFlow traces hardware for one run at a time and fails the others after they
    have run. With or without a GPU, no run may fail because of that."""
    monkeypatch.setattr(tfprof._step_rules, "_has_accelerator", lambda session: has_gpu)
    users = threading.Lock()  # the caller's own traces do not overlap

    def train():
        for _ in range(60):
            with users:
                session.run("count:0", options=tf.RunOptions(trace_level=users_level),
                            run_metadata=tf.RunMetadata())

    def train_too():
        for _ in range(60):
            session.run("count:0")

    graph = slow_counter()
    with tf.Session(graph=graph) as session:
        session.run("init")
        with ProfileContext(tmp_path, trace_steps=range(5, 100), dump_steps=[119]) as context:
            run_in_threads(train, train_too)
        assert session.run("counter:0") == 120
    assert len(traced_steps(context)) >= 40


def test_another_profiler(graph, tmp_path, monkeypatch):
    """TensorFlow fails a run that traces hardware while another profiler does, after it has run."""
    monkeypatch.setattr(tfprof._step_rules, "_has_accelerator", lambda session: True)
    import tensorflow

    with ProfileContext(tmp_path / "ours", trace_steps=range(9), dump_steps=[2]) as context:
        with tf.Session(graph=graph) as session:
            session.run("y:0")
            tensorflow.profiler.experimental.start(str(tmp_path / "theirs"))
            try:
                with pytest.warns(UserWarning, match="another profiler is tracing"):
                    session.run("y:0")
                session.run("y:0")
                # It may also begin at the wrong moment.
                monkeypatch.setattr(context._rules, "_may_trace_hardware", True)
                monkeypatch.setattr(tfprof.profile_context, "is_hardware_traced", lambda: False)
                with pytest.warns(UserWarning, match="during step 3, which .* is run again"):
                    assert session.run("z:0") == 60
            finally:
                tensorflow.profiler.experimental.stop()
        assert traced_steps(context) == [0, 1, 2]


def test_one_context_at_a_time_over_threads(tmp_path):
    inside, entered = threading.Event(), []

    def enter():
        try:
            with ProfileContext(tmp_path):
                entered.append(True)
                inside.wait(20)
        except tf.errors.InternalError:
            entered.append(False)
            inside.set()

    run_in_threads(enter, enter)
    assert sorted(entered) == [False, True]


# ---- other names ------------------------------------------------------------------

def test_names():
    assert tfprof.model_analyzer.ProfileContext is ProfileContext
    assert tfprof.profile_context.ProfileContext is ProfileContext


def test_remote_directory(graph, tmp_path):
    with ProfileContext(f"file://{tmp_path}/new", [0], [0], debug=True):
        with tf.Session(graph=graph) as session:
            session.run("y:0")
    assert sorted(os.listdir(tmp_path / "new")) == ["profile_0", "run_meta_0"]
    assert load(tmp_path / "new" / "profile_0") == [0]
