"""ProfilerHook: fires when TensorFlow's own does, and writes the same events."""

import json
import os
import subprocess
import sys
import time
import warnings
from collections import Counter

import pytest

from live_models import build, loop, resnet, tf
from tree import TESTS

from tensorflow.python.client.timeline import Timeline
import tfprof
from tfprof import ProfilerHook

sys.path.append(os.path.join(TESTS, "write"))
import step_timeline_cases  # noqa: E402

THEIRS = tf.train.ProfilerHook
FLAGS = [(dataflow, memory) for dataflow in (False, True) for memory in (False, True)]


def events(trace):
    """The events as a multiset; `trace` is JSON text."""
    trace = json.loads(trace)
    return Counter(json.dumps(event, sort_keys=True) for event in trace["traceEvents"])


def timelines(directory):
    names = [name for name in os.listdir(directory) if name.startswith("timeline-")]
    return sorted(int(name[len("timeline-"):-len(".json")]) for name in names)


def summaries(directory):
    """The contents of the event file: (step, kind, tag, run metadata)."""
    found = []
    for name in os.listdir(directory):
        if "tfevents" in name:
            for event in tf.train.summary_iterator(os.path.join(directory, name)):
                tagged = event.tagged_run_metadata
                found.append((event.step, event.WhichOneof("what"), tagged.tag,
                              tf.RunMetadata.FromString(tagged.run_metadata)))
    return found


# ---- when it fires -----------------------------------------------------------

class FakeSession:
    def run(self, tensor):
        return self.global_step


def drive(hook_class, directory, before, after, clock=None, **arguments):
    """Calls a hook like a session whose global step is before[i] and after[i] around
    run i. Returns the traced runs and what was written after each."""
    done = []
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        hook, session = hook_class(output_dir=str(directory), **arguments), FakeSession()
        hook.begin()
        for i, value in enumerate(before):
            context = tf.train.SessionRunContext(tf.train.SessionRunArgs([]), session)
            asked = hook.before_run(context)
            run_meta = tf.RunMetadata()
            run_meta.step_stats.dev_stats.add(device="/cpu:0").node_stats.add(
                node_name="a", timeline_label="a = B()")
            session.global_step = after[i]
            if clock:
                clock()
            hook.after_run(context, tf.train.SessionRunValues(
                {key: value for key in asked.fetches}, asked.options, run_meta))
            done.append((asked.options and asked.options.trace_level, list(asked.fetches),
                         timelines(directory)))
        hook.end(session)
    tf.summary.FileWriterCache.get(str(directory)).flush()
    return done, [(step, what, tag) for step, what, tag, _ in summaries(directory)]


RUNS = {
    "one by one": (range(12), range(1, 13)),
    "restored": (range(100, 112), range(101, 113)),
    "read before it counts": (range(1, 12), range(1, 12)),
    "ahead by other workers": ([0, 1, 2, 10, 11, 12, 30, 31], [1, 2, 10, 11, 12, 30, 31, 32]),
    "jumps": ([0, 10, 20, 21, 22, 23, 24, 30], [1, 11, 21, 22, 23, 24, 25, 31]),
    "back": ([0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 7]),
}


# TensorFlow's hook raises if steps repeat and it saves one twice: see below.
@pytest.mark.parametrize("runs, save_steps", [
    (runs, save_steps) for runs in RUNS for save_steps in (1, 2, 3, 5, 100, 2.5, 0)
    if runs != "back" or save_steps not in (0, 1, 2)])
def test_fires_with_tensorflows(runs, save_steps, tmp_path):
    before, after = RUNS[runs]
    ours = drive(ProfilerHook, tmp_path / "ours", before, after, save_steps=save_steps)
    theirs = drive(THEIRS, tmp_path / "theirs", before, after, save_steps=save_steps)
    assert ours == theirs


@pytest.mark.parametrize("save_secs", [3, 2.5, 0.1, 1000])
@pytest.mark.parametrize("seconds_per_step", [0.5, 1, 10])
def test_fires_by_seconds(seconds_per_step, save_secs, tmp_path, monkeypatch):
    results = []
    for hook, name in ((ProfilerHook, "ours"), (THEIRS, "theirs")):
        now = [1000.0]

        def clock():
            now[0] += seconds_per_step

        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: now[0])
            results.append(drive(hook, tmp_path / name, range(12), range(1, 13), clock,
                                 save_secs=save_secs))
    assert results[0] == results[1]


def test_step_for_the_second_time(tmp_path):
    """After a recovery. TensorFlow's hook raises."""
    before, after = [1, 1, 1, 1], [1, 1, 1, 1]
    with pytest.raises(ValueError, match="already used"):
        drive(THEIRS, tmp_path / "theirs", before, after, save_steps=1)
    with pytest.warns(UserWarning, match="run metadata of step 1 was not added to the event file"):
        done, _ = drive(ProfilerHook, tmp_path / "ours", before, after, save_steps=1)
    assert done[-1][2] == [1]


@pytest.mark.parametrize("arguments", [{}, {"save_steps": 1, "save_secs": 1}])
def test_exactly_one_period(arguments, tmp_path):
    """TensorFlow's hook raises, too, but names arguments that its caller did not give."""
    with tf.Graph().as_default(), pytest.raises(ValueError):
        THEIRS(**arguments, output_dir=str(tmp_path))
    with pytest.raises(ValueError, match="give either save_steps or save_secs, not "
                       + ("both" if arguments else "neither")):
        ProfilerHook(**arguments)


def test_needs_a_global_step(tmp_path):
    with tf.Graph().as_default():
        for hook in (ProfilerHook, THEIRS):
            with pytest.raises(RuntimeError, match="Global step should be created"):
                hook(save_steps=1, output_dir=str(tmp_path)).begin()


def test_begin_again_changes_nothing(tmp_path):
    graph = tf.Graph()
    with graph.as_default():
        tf.train.get_or_create_global_step()
        hook = ProfilerHook(save_steps=1, output_dir=str(tmp_path))
        hook.begin()
        before = graph.as_graph_def()
        hook.begin()
        assert graph.as_graph_def() == before


# ---- what it writes ------------------------------------------------------------

def whole_resnet():
    return resnet(units_per_stage=5)


@pytest.mark.parametrize("model,dataflow,memory", [
    (model, *flags) for model in (resnet, loop) for flags in FLAGS] + [(whole_resnet, True, True)])
def test_same_events_as_tensorflow(model, dataflow, memory, tmp_path):
    """On real models, from the run metadata in the event file."""
    graph, train_op, feed_dict, _ = build(model)
    with graph.as_default():
        if model is loop:
            train_op = [train_op, tf.assign_add(tf.train.get_or_create_global_step(), 1)]
        hook = ProfilerHook(save_steps=2, output_dir=str(tmp_path), show_dataflow=dataflow,
                            show_memory=memory)
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            for _ in range(6):
                session.run(train_op, feed_dict)
    written = timelines(tmp_path)
    assert len(written) >= 2
    tagged = {tag: run_meta for _, what, tag, run_meta in summaries(tmp_path)
              if what == "tagged_run_metadata"}
    assert sorted(tagged) == sorted(f"step_{step}" for step in written)
    for step in written:
        step_stats = tagged[f"step_{step}"].step_stats
        ours = events((tmp_path / f"timeline-{step}.json").read_text())
        assert ours == events(Timeline(step_stats).generate_chrome_trace_format(
            show_dataflow=dataflow, show_memory=memory))
        kinds = {json.loads(event)["ph"] for event in ours}
        assert {"M", "X"} <= kinds
        assert bool(kinds & {"s", "t"}) == dataflow
        assert bool(kinds & {"N", "O", "D", "C"}) == memory


@pytest.mark.parametrize("dataflow,memory", FLAGS)
@pytest.mark.parametrize("name", step_timeline_cases.BY_HAND)
def test_made_by_hand(name, dataflow, memory, tmp_path):
    """GPU streams, copies and other things this machine does not have."""
    step_stats = step_timeline_cases.by_hand(name)
    results = []
    for hook_class, directory in ((ProfilerHook, tmp_path / "ours"), (THEIRS, tmp_path / "theirs")):
        with tf.Graph().as_default():
            tf.train.get_or_create_global_step()
            hook = hook_class(save_steps=1, output_dir=str(directory), show_dataflow=dataflow,
                              show_memory=memory)
            hook.begin()
            session = FakeSession()
            for step in (1, 2):
                context = tf.train.SessionRunContext(tf.train.SessionRunArgs([]), session)
                asked = hook.before_run(context)
                session.global_step = step
                hook.after_run(context, tf.train.SessionRunValues(
                    {"global_step": step - 1}, asked.options, tf.RunMetadata(step_stats=step_stats)))
        results.append(events((directory / "timeline-2.json").read_text()))
    assert results[0] == results[1]


def test_event_file_is_tensorflows(tmp_path):
    """The same events around the run metadata: version, graph, meta graph."""
    kinds = []
    for hook_class, directory in ((ProfilerHook, tmp_path / "ours"), (THEIRS, tmp_path / "theirs")):
        graph = tf.Graph()
        with graph.as_default():
            train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
            hook = hook_class(save_steps=1, output_dir=str(directory))
            with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
                for _ in range(3):
                    session.run(train_op)
            tf.summary.FileWriterCache.get(str(directory)).flush()
        kinds.append([(step, what) for step, what, _, _ in summaries(directory)])
    assert kinds[0] == kinds[1]
    assert kinds[0].count((0, "tagged_run_metadata")) == 2


def test_events_are_on_disk_at_the_end(tmp_path):
    with tf.Graph().as_default():
        train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        hook = ProfilerHook(1, output_dir=str(tmp_path))
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            for _ in range(3):
                session.run(train_op)
    assert "tagged_run_metadata" in [what for _, what, _, _ in summaries(tmp_path)]


def test_current_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default():
        train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        with tf.train.MonitoredTrainingSession(hooks=[ProfilerHook(save_steps=1)]) as session:
            for _ in range(3):
                session.run(train_op)
    assert timelines(tmp_path)
    tf.summary.FileWriterCache.clear()


def test_tensorflows_file_systems(tmp_path):
    drive(ProfilerHook, tmp_path / "here", range(3), range(1, 4), save_steps=1)
    with tf.Graph().as_default():
        hook = ProfilerHook(save_steps=1, output_dir=f"file://{tmp_path}/there")
        run_meta = tf.RunMetadata()
        run_meta.step_stats.dev_stats.add(device="/cpu:0").node_stats.add(
            node_name="a", timeline_label="a = B()")
        hook._writer = tf.summary.FileWriterCache.get(f"{tmp_path}/there")
        hook._save(2, run_meta)
    assert ((tmp_path / "there" / "timeline-2.json").read_text()
            == (tmp_path / "here" / "timeline-2.json").read_text())


@pytest.mark.parametrize("name", ["save_steps", "save_secs"])
def test_frequency_that_is_no_number(name):
    for value in ("10", [10], True):
        with pytest.raises(TypeError, match=f"{name}: expected a number, got"):
            ProfilerHook(**{name: value})


def test_directory_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="output_dir is not a directory: .*file"):
        drive(ProfilerHook, tmp_path / "file" / "inside", range(3), range(1, 4), save_steps=1,
              strict=True)
    with pytest.raises(TypeError, match="output_dir must be a path, not int"):
        ProfilerHook(save_steps=1, output_dir=3)


def test_together_with_a_context(tmp_path):
    """Both want traces of the same runs; both get theirs."""
    graph = tf.Graph()
    with graph.as_default(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        hook = ProfilerHook(save_steps=2, output_dir=str(tmp_path / "hook"))
        with tfprof.ProfileContext(tmp_path, trace_steps=range(40), dump_steps=[12]) as context:
            with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
                for _ in range(10):
                    session.run(train_op)
        assert len(tfprof.load(context.profiler.serialize_to_string()).steps) > 10
    assert len(timelines(tmp_path / "hook")) >= 3


# ---- the class -------------------------------------------------------------------

def test_is_a_session_run_hook():
    hook = ProfilerHook(save_steps=1)
    assert isinstance(hook, tf.train.SessionRunHook)
    assert ProfilerHook is tfprof.hooks.ProfilerHook
    assert (ProfilerHook.__name__, ProfilerHook.__module__) == ("ProfilerHook", "tfprof.hooks")
    for method in ("begin", "after_create_session", "before_run", "after_run", "end"):
        assert callable(getattr(hook, method))
    with pytest.raises(AttributeError, match="no attribute 'Hook'"):
        tfprof.hooks.Hook


def test_made_once_over_threads():
    program = ("import threading, tfprof.hooks as h; found = []; "
               "t = [threading.Thread(target=lambda: found.append(h.ProfilerHook)) for _ in range(4)]; "
               "[x.start() for x in t]; [x.join() for x in t]; "
               "assert len(set(found)) == 1, found")
    subprocess.run([sys.executable, "-c", program], check=True)


def test_import_without_tensorflow():
    program = ("import sys, tfprof.hooks, tfprof.profile_context, tfprof.tfprof_logger; "
               "assert 'tensorflow' not in sys.modules")
    subprocess.run([sys.executable, "-c", program], check=True)
