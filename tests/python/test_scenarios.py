"""Typical uses, one scenario each, with our API and with TensorFlow's on our core."""

import os

import pytest
from package_under_test import needs_tensorflow

pytestmark = [needs_tensorflow, pytest.mark.usefixtures("quiet")]
pytest.importorskip("tensorflow")

import numpy  # noqa: E402
import tensorflow  # noqa: E402
from live_models import tf  # noqa: E402

import tfprof  # noqa: E402

Builder = tfprof.ProfileOptionBuilder
FULL_TRACE = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
THIS_FILE = os.path.basename(__file__)


def options(**changes):
    """Options that show everything and print nothing."""
    return {**Builder().build(), "max_depth": 10000, "output": "none", **changes}


def trace(session, fetches, feed_dict=None):
    run_meta = tf.RunMetadata()
    session.run(fetches, feed_dict, FULL_TRACE, run_meta)
    return run_meta


def walk(message):
    stack = [message]
    while stack:
        one = stack.pop()
        yield one
        stack.extend(reversed(one.children))


def find(message, name):
    found = [one for one in walk(message) if one.name == name]
    assert len(found) == 1, (name, len(found))
    return found[0]


def build_small():
    image = tf.zeros([2, 6, 6, 3], name="image")
    kernel = tf.get_variable("DW", [3, 3, 3, 6])
    x = tf.nn.conv2d(image, kernel, [1, 2, 2, 1], "SAME", name="first")
    kernel = tf.get_variable("DW2", [2, 2, 6, 12])
    return tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME", name="second")


@pytest.fixture
def small():
    """(session, fetch) of a model with two convolutions."""
    with tf.Graph().as_default():
        x = build_small()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            yield session, x


# ---- parameters and float operations ------------------------------------------------

def test_parameters_of_trainable_variables(api, small):
    session, _ = small
    found = api.profile(session.graph, options=options(
        account_type_regexes=["_trainable_variables"], select=["params"]))
    assert found.total_parameters == 3 * 3 * 3 * 6 + 2 * 2 * 6 * 12
    assert [(child.name, child.parameters) for child in found.children] == [
        ("DW", 162), ("DW2", 288)]


def test_float_operations(api, small):
    session, _ = small
    found = api.profile(session.graph, options={**Builder.float_operation(), "output": "none",
                                                "account_type_regexes": ["Conv2D"]})
    # 2 * outputs * inputs of each
    assert find(found, "first").float_ops == 2 * (2 * 3 * 3 * 6) * (3 * 3 * 3)
    assert find(found, "second").float_ops == 2 * (2 * 2 * 2 * 12) * (2 * 2 * 6)


def test_float_operations_with_shapes_of_the_run(api):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        y = tf.placeholder(tf.float32, [4, None], name="y")
        z = tf.matmul(tf.nn.relu(x), tf.nn.relu(y), name="z")
        run_meta = trace(session, z, {x: numpy.ones([3, 4]), y: numpy.ones([4, 7])})
        wanted = options(select=["float_ops"], account_type_regexes=["MatMul"])
        without = api.profile(graph, options=wanted)
        known = api.profile(graph, run_meta, options=wanted)
    assert find(without, "z").float_ops == 0
    assert find(known, "z").float_ops == 2 * 3 * 7 * 4


# ---- time and memory ----------------------------------------------------------------

def test_steps_average(api, small):
    """The average over steps, and each step alone."""
    session, x = small
    run_metas = [trace(session, x) for _ in range(3)]
    profiler = api.Profiler(session.graph)
    for step, run_meta in enumerate(run_metas):
        profiler.add_step(step, run_meta)

    def micros(step):
        return {one.name: one.exec_micros
                for one in walk(profiler.profile_name_scope(options(step=step)))}

    steps = [micros(step) for step in range(3)]
    expected = [max(stats.op_end_rel_micros, 1)
                for run_meta in run_metas for device in run_meta.step_stats.dev_stats
                for stats in device.node_stats if stats.node_name == "first"]
    assert [step["first"] for step in steps] == expected
    assert micros(-1)["first"] == sum(expected) // 3
    del profiler


def test_runs_of_one_step_add_up(api, small):
    session, x = small
    run_meta = trace(session, x)
    profiler = api.Profiler(session.graph)
    profiler.add_step(7, run_meta)
    once = find(profiler.profile_name_scope(options(step=7)), "first")
    profiler.add_step(7, run_meta)
    twice = find(profiler.profile_name_scope(options(step=7)), "first")
    assert (twice.exec_micros, twice.run_count) == (2 * once.exec_micros, 2)
    del profiler


def test_loops_count_their_runs(api):
    tf.disable_control_flow_v2()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        _, total = tf.while_loop(lambda i, x: i < 5,
                                 lambda i, x: [i + 1, tf.matmul(x, x, name="step")],
                                 [0, tf.ones([8, 8])], name="loop")
        run_meta = trace(session, total)
        found = api.profile(graph, run_meta, cmd="scope", options=options(
            select=["micros", "occurrence", "float_ops"]))
        listed = api.profile(graph, run_meta, cmd="op", options=options(
            select=["micros", "occurrence", "float_ops"]))
    step = find(found, "loop/step")
    assert step.run_count == 5
    assert step.float_ops == 5 * 2 * 8 * 8 * 8
    assert [node.run_count for node in find(listed, "MatMul").graph_nodes] == [5]
    assert find(found, "loop/Switch").run_count == 6


def test_memory_of_outputs_and_what_stays(api, small):
    session, x = small
    run_meta = trace(session, x)
    found = api.profile(session.graph, run_meta, options=options(
        select=["bytes", "peak_bytes", "residual_bytes", "output_bytes"]))
    entries = [stats for device in run_meta.step_stats.dev_stats for stats in device.node_stats
               if stats.node_name == "first"]
    first = find(found, "first")
    assert first.output_bytes == sum(
        max(output.tensor_description.allocation_description.requested_bytes,
            output.tensor_description.allocation_description.allocated_bytes)
        for entry in entries for output in entry.output)
    assert first.residual_bytes == sum(
        memory.live_bytes for entry in entries for memory in entry.memory) + sum(
            entry.memory_stats.persistent_memory_size for entry in entries)
    assert first.requested_bytes >= first.residual_bytes > 0


def test_minimum_occurrence(api, small):
    session, x = small
    run_meta = trace(session, x)

    def names(minimum):
        built = Builder(options(select=["occurrence"], order_by="occurrence"))
        found = api.profile(session.graph, run_meta, cmd="op",
                            options=built.with_min_occurrence(minimum).build())
        return [one.name for one in walk(found)][1:]

    assert "Conv2D" in names(2) and "Placeholder" not in names(2)
    assert len(names(1)) > len(names(2)) > len(names(5))


# ---- code ---------------------------------------------------------------------------

def test_code_lines_of_this_file(api, small):
    session, x = small
    run_meta = trace(session, x)
    found = api.profile(session.graph, run_meta, cmd="code", options=options(
        show_name_regexes=[f".*{THIS_FILE}.*"], select=["micros"], order_by="micros"))
    labels = [one.name for one in walk(found)][1:]
    assert labels and all(label.startswith(THIS_FILE) for label in labels)
    assert any(label.endswith(":build_small") for label in labels)
    lines = {label.split(":")[1] for label in labels if label.endswith(":build_small")}
    assert len(lines) == 5, "a line for each statement that makes nodes"
    assert found.total_exec_micros > 0


def test_code_leaves_have_their_graph_nodes(api, small):
    session, x = small
    run_meta = trace(session, x)
    found = api.profile(session.graph, run_meta, cmd="code",
                        options=options(select=["micros", "device"]))
    nodes = {node.name for one in walk(found) for node in one.graph_nodes}
    assert {"first", "second", "image"} <= nodes
    leaves = [one for one in walk(found) if not one.children]
    assert leaves and all(leaf.graph_nodes for leaf in leaves)


# ---- outputs ------------------------------------------------------------------------

def test_report_to_a_file(api, small, tmp_path):
    session, _ = small
    built = Builder(Builder.trainable_variables_parameter()).with_file_output(
        str(tmp_path / "report")).build()
    api.profile(session.graph, options=built)
    assert (tmp_path / "report").read_text().endswith(
        "Profile:\nnode name | # parameters\n_TFProfRoot (--/450 params)\n"
        "  DW (3x3x3x6, 162/162 params)\n  DW2 (2x2x6x12, 288/288 params)\n")


def test_very_long_reports(api, capfd):
    graph_def = tf.GraphDef()
    for i in range(60_000):
        graph_def.node.add(name=f"n{i:05}", op="NoOp")
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    api.profile(graph, options={**options(), "output": "stdout"})
    out = capfd.readouterr().out
    assert out.count("\n") > 60_000 and "n59999 (" in out
    assert out.endswith("End of Report==========================\n")


def test_nothing_else_is_printed(api, small, capfd):
    session, x = small
    run_meta = trace(session, x)
    profiler = api.Profiler(session.graph)
    profiler.add_step(0, run_meta)
    for method in ("profile_name_scope", "profile_graph", "profile_operations", "profile_python"):
        getattr(profiler, method)(options())
    profiler.serialize_to_string()
    del profiler
    out, err = capfd.readouterr()
    assert out == ""
    assert not [line for line in err.splitlines() if "incomplete shapes" not in line]


# ---- saving -------------------------------------------------------------------------

def without_labels(run_meta):
    """tfprof.load takes types from labels, which TensorFlow's profiler does not."""
    for device in run_meta.step_stats.dev_stats:
        for entry in device.node_stats:
            entry.ClearField("timeline_label")
    return run_meta


def test_profile_to_file_to_profile(api, small, tmp_path):
    from original import Original
    session, x = small
    profiler = api.Profiler(session.graph)
    for step in range(2):
        profiler.add_step(step, without_labels(trace(session, x)))
    saved = profiler.serialize_to_string()
    (tmp_path / "saved").write_bytes(saved)
    wanted = options(select=["micros", "params", "bytes", "device", "op_types"])
    messages = {"scope": profiler.profile_name_scope(wanted),
                "graph": profiler.profile_graph(wanted),
                "op": profiler.profile_operations(wanted), "code": profiler.profile_python(wanted)}
    del profiler
    loaded = tfprof.load(tmp_path / "saved")
    from tfprof import _options
    with Original() as original:
        original.from_file(tmp_path / "saved")
        for view, message in messages.items():
            assert getattr(loaded, view)(wanted, source_lines=False).message == message
            theirs = original.profile(view, _options.from_dict(wanted)).message
            assert type(message).FromString(theirs) == message
    tfprof.pywrap.ProfilerFromFile(os.fsencode(tmp_path / "saved"))
    assert tfprof.pywrap.SerializeToString() == loaded.serialize()
    tfprof.pywrap.DeleteProfiler()


# ---- eager --------------------------------------------------------------------------

def test_eager_without_a_graph(api):
    if not tensorflow.executing_eagerly():
        pytest.skip("eager mode is off")
    with tf.Graph().as_default(), tf.Session() as session:
        run_meta = trace(session, tf.matmul(*2 * [tf.random.uniform([4, 4])], name="product"))
    profiler = api.Profiler()
    profiler.add_step(0, run_meta)
    found = profiler.profile_operations(options(select=["micros", "occurrence"]))
    # The op of a node that no graph defines is not known.
    product = find(found, "product")
    assert product.total_exec_micros > 0
    assert [node.run_count for node in product.graph_nodes] == [1]
    assert profiler.profile_name_scope(options()).children
    assert profiler.profile_graph(options()).children
    assert profiler.profile_python(options()) == tfprof.MultiGraphNodeProto()
    assert api.profile(run_meta=run_meta, cmd="op", options=options()).children
    profiler.advise({"ExpensiveOperationChecker": {}})
    del profiler


def test_eager_functions_leave_no_statistics(api, capfd):
    """What this TensorFlow exports of eager functions contains only graphs."""
    from tensorflow.python.eager import context
    context.enable_run_metadata()
    try:
        tensorflow.function(lambda x: tensorflow.matmul(x, x) + 1)(tensorflow.ones([4, 4]))
        run_meta = context.export_run_metadata()
    finally:
        context.disable_run_metadata()
    if run_meta.HasField("step_stats"):
        pytest.skip("this one has some")
    profiler = api.Profiler()
    try:
        profiler.add_step(0, run_meta)
    except tfprof.Error as error:
        assert api is tfprof and "FULL_TRACE" in str(error)
    else:
        assert api is not tfprof and "Invalid RunMetadata" in capfd.readouterr().err
    assert not profiler.profile_operations(options()).children
    assert not api.profile(run_meta=run_meta, options=options()).children
    del profiler


def test_default_graph(api):
    with tf.Graph().as_default():
        tf.get_variable("v", [5])
        assert api.profile(options=options(select=["params"])).total_parameters == 5
        profiler = api.Profiler()
        assert profiler.profile_name_scope(options()).total_parameters == 5
        del profiler


def test_graph_that_grows(api):
    """Nodes created after the profiler are shown once a step has run them."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        a = tf.random.uniform([2, 2], name="a")
        profiler = api.Profiler(graph)
        b = tf.matmul(a, a, name="later")
        profiler.add_step(0, trace(session, b))
        later = find(profiler.profile_name_scope(options(select=["micros", "op_types"])), "later")
        assert later.exec_micros > 0
        assert "later" in [node.name for one in walk(profiler.profile_python(options()))
                           for node in one.graph_nodes]
        del profiler
