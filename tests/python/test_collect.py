"""What is collected from a live graph, compared with what TensorFlow's logger
collects from it."""

import warnings

import numpy
import pytest

from live_models import (MODELS, build, expected_log, get_shapes, know_feeds, loop, resolve,
                         run_traced, tf, varied)

from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.core.profiler.tfprof_log_pb2 import OpLogProto
from tensorflow.python.framework import ops
from tfprof._collect import Collector, collect
from tfprof._live_stacks import Stacks

pytestmark = pytest.mark.usefixtures("quiet")
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def collect_log(graph, **arguments):
    return OpLogProto.FromString(collect(graph, **arguments)[1])


def output_shapes(graph_def_bytes):
    """Node name → its output shapes in the GraphDef, serialized."""
    return {node.name: [shape.SerializeToString() for shape in node.attr["_output_shapes"].list.shape]
            for node in GraphDef.FromString(graph_def_bytes).node}


# ---- like TensorFlow --------------------------------------------------------

@pytest.mark.parametrize("add_trace", [True, False])
@pytest.mark.parametrize("model", MODELS)
def test_as_tensorflow(model, add_trace, tmp_path):
    graph = build(model)[0]
    expected = expected_log(graph, tmp_path, add_trace=add_trace)
    assert any(entry.float_ops for entry in expected.log_entries)
    ours = collect_log(graph, add_trace=add_trace)
    assert resolve(ours) == resolve(expected)
    assert ours.id_to_string == expected.id_to_string


@pytest.mark.parametrize("add_trace", [True, False])
@pytest.mark.parametrize("model", MODELS)
def test_with_run_metadata(model, add_trace, tmp_path):
    built, (other, _, feed_dict, _) = [build(model) for _ in range(2)]
    run_meta = run_traced(*built)
    know_feeds(feed_dict, run_meta)
    graph = built[0]
    before = get_shapes(graph)
    without = collect_log(graph)
    graph_def, op_log = collect(graph, run_meta=run_meta, add_trace=add_trace)
    assert get_shapes(graph) == before, "the caller's graph has changed"
    expected = expected_log(other, tmp_path, run_meta=run_meta, add_trace=add_trace)
    assert get_shapes(other) != before
    ours = OpLogProto.FromString(op_log)
    assert resolve(ours) == resolve(expected)
    assert total(ours) > total(without) or model is loop
    # TensorFlow has written the shapes into its graph, so they are in its GraphDef.
    theirs = other.as_graph_def(add_shapes=True)
    assert output_shapes(graph_def) == output_shapes(theirs.SerializeToString())
    assert GraphDef.FromString(graph_def) == theirs


def total(log):
    return sum(entry.float_ops for entry in log.log_entries)


def test_without_trainable_variables(tmp_path):
    graph = build(varied)[0]
    log = collect_log(graph, add_trainable_var=False)
    assert not any(entry.types for entry in log.log_entries)
    assert any(entry.types for entry in collect_log(graph).log_entries)


def test_graph_goes_with_its_shapes():
    graph = build(varied)[0]
    expected = graph.as_graph_def(add_shapes=True)
    assert GraphDef.FromString(collect(graph)[0]) == expected


def test_function_graph(tmp_path):
    graph = tf.Graph()
    with graph.as_default():
        from tensorflow.python.eager import def_function

        double = def_function.function(lambda a: tf.matmul(a, a))
        inner = double.get_concrete_function(tf.ones([3, 3])).graph
    log = collect_log(inner)
    assert resolve(log) == resolve(expected_log(inner, tmp_path))
    assert total(log) == 54


def test_functions():
    """What functions do that the graph calls, as operation@function."""
    from tensorflow.python.eager import def_function

    graph = tf.Graph()
    with graph.as_default():
        double = def_function.function(lambda a: tf.matmul(a, a))  # here
        double(tf.ones([3, 3]))
    assert not any("@" in entry.name for entry in collect_log(graph).log_entries)
    log = OpLogProto.FromString(
        Collector(graph, source_lines=True, functions=True).collect_op_log())
    (name, float_ops, _, frames), = [entry for entry in resolve(log)
                                     if entry[0].startswith("MatMul@__inference_")]
    assert float_ops == 54
    assert any(source.endswith("# here") for _, _, _, source, _ in frames), name


def test_empty_graph(tmp_path):
    graph = tf.Graph()
    assert resolve(collect_log(graph)) == resolve(expected_log(graph, tmp_path)) == []
    assert dict(collect_log(graph).id_to_string) == {0: "none"}


def test_default_graph():
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1.0, name="one")
        assert [entry.name for entry in collect_log(None).log_entries] == ["one"]


def test_eager_has_no_graph():
    assert tf.executing_eagerly()
    assert collect(None) == (b"", b"")


def test_source_lines():
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1.0, name="one")  # this line
    log = OpLogProto.FromString(Collector(graph, source_lines=True).collect_op_log())
    (_, _, _, frames), = resolve(log)
    assert any(source == 'tf.constant(1.0, name="one")  # this line'
               for _, _, _, source, _ in frames)


# ---- hand-made run metadata -------------------------------------------------

def two_products():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    unranked = tf.placeholder(tf.float32, name="unranked")
    tf.matmul(x, tf.ones([3, 4]), name="product")
    first, second = tf.split(x, [1, 2], axis=1, name="parts")
    tf.square(second, name="squares")
    tf.square(unranked, name="others")
    return [], {}


def make_run_meta(*entries):
    """Entries are (node, shapes of its outputs) or (device, node, shapes)."""
    run_meta = tf.RunMetadata()
    for entry in entries:
        device, node, shapes = entry if len(entry) == 3 else (CPU, *entry)
        stats = run_meta.step_stats.dev_stats.add(device=device).node_stats.add(node_name=node)
        for slot, shape in enumerate(shapes):
            output = stats.output.add(slot=slot)
            for size in shape or ():
                output.tensor_description.shape.dim.add(size=size)
    return run_meta


X, PRODUCT = ("x", [[2, 3]]), ("product", [[2, 4]])
BY_HAND = {
    "all": [X, PRODUCT, ("parts", [[2, 1], [2, 2]]), ("squares", [[2, 2]]),
            ("unranked", [[5]]), ("others", [[5]])],
    "input only": [X],
    "output only": [PRODUCT],
    "the first entry counts": [X, PRODUCT, ("x", [[5, 3]]), ("product", [[7, 4]])],
    "of several devices too": [("/gpu:0/stream:all", *X), ("/cpu:1", "x", [[5, 3]]), PRODUCT],
    "another number of outputs": [("x", [[2, 3], [1]]), PRODUCT, ("parts", [[2, 1]])],
    "then the right one": [("x", [[2, 3], [1]]), X, PRODUCT],
    "another size": [("x", [[2, 9]]), PRODUCT],
    "another rank": [("x", [[2, 9, 9]]), PRODUCT],
    "no shape": [("x", [None]), PRODUCT, ("unranked", [None]), ("others", [None])],
    "complete before": [("ones", [[9, 9]]), X, PRODUCT],
    "no outputs": [("x", []), PRODUCT],
    "unknown node": [("nowhere", [[1]]), X, PRODUCT],
    "nothing": [],
}


@pytest.mark.parametrize("case", BY_HAND)
def test_run_metadata_by_hand(case, tmp_path):
    run_meta = make_run_meta(*BY_HAND[case])
    graph, other = [build(two_products)[0] for _ in range(2)]
    before = get_shapes(graph)
    log = collect_log(graph, run_meta=run_meta)
    assert resolve(log) == resolve(expected_log(other, tmp_path, run_meta=run_meta))
    assert get_shapes(graph) == before


@pytest.mark.parametrize("entry", [("x:Placeholder", [[2, 3]]), ("x", [[-1, 3]]), (":", [[2, 3]])])
def test_entries_tensorflow_chokes_on(entry, tmp_path):
    run_meta = make_run_meta(entry, PRODUCT)
    log = collect_log(build(two_products)[0], run_meta=run_meta)
    assert total(log) == 0
    with pytest.raises(ValueError):
        expected_log(build(two_products)[0], tmp_path, run_meta=run_meta)


def test_contradictions_are_reported():
    run_meta = make_run_meta(("x", [[2, 9]]))
    with pytest.warns(UserWarning, match="contradict the graph are ignored: x:0") as told:
        collect(build(two_products)[0], run_meta=run_meta)
    assert told[0].filename == __file__


# ---- step by step ----------------------------------------------------------

def test_shapes_stay_between_calls(tmp_path):
    """As in TensorFlow, where they persist because it writes them to the graph."""
    graph, other = [build(two_products)[0] for _ in range(2)]
    collector = Collector(graph)
    for entries in ([X, PRODUCT], [("x", [[7, 3]]), ("product", [[7, 4]]), ("parts", [[7, 1], [7, 2]]),
                                   ("squares", [[7, 2]])]):
        run_meta = make_run_meta(*entries)
        log = OpLogProto.FromString(collector.collect_op_log(run_meta=run_meta))
        assert resolve(log) == resolve(expected_log(other, tmp_path, run_meta=run_meta))
    assert dict(counts(log)) == {"product": 48, "squares": 14}


def counts(log):
    return [(entry.name, entry.float_ops) for entry in log.log_entries if entry.float_ops]


def test_operations_added_between_calls(tmp_path):
    graph = build(two_products)[0]
    collector = Collector(graph)
    first, = {collector.collect()[0] for _ in range(2)}
    with graph.as_default():
        tf.matmul(tf.ones([2, 3]), tf.ones([3, 2]), name="later")
        tf.get_variable("variable", [2])
    graph_def, op_log = collector.collect()
    assert resolve(OpLogProto.FromString(op_log)) == resolve(expected_log(graph, tmp_path))
    assert GraphDef.FromString(graph_def) == graph.as_graph_def(add_shapes=True)
    assert graph_def != first


def test_shape_set_between_calls(tmp_path):
    graph = build(two_products)[0]
    collector = Collector(graph)
    assert counts(OpLogProto.FromString(collector.collect_op_log())) == []
    graph.get_tensor_by_name("x:0").set_shape([2, 3])
    graph.get_tensor_by_name("product:0").set_shape([2, 4])
    log = OpLogProto.FromString(collector.collect_op_log())
    assert counts(log) == counts(expected_log(graph, tmp_path)) == [("product", 48)]


def test_stacks_only_when_wanted():
    graph = build(two_products)[0]
    collector = Collector(graph)
    assert not any(frames for _, _, _, frames in
                   resolve(OpLogProto.FromString(collector.collect_op_log(add_trace=False))))
    assert (OpLogProto.FromString(collector.collect_op_log())
            == OpLogProto.FromString(Collector(graph).collect_op_log()))
    assert not any(frames for _, _, _, frames in
                   resolve(OpLogProto.FromString(collector.collect_op_log(add_trace=False))))


def test_collectors_share_strings():
    """One profile, two graphs: an id means the same in both logs."""
    stacks = Stacks()
    logs = [OpLogProto.FromString(Collector(build(model)[0], stacks).collect_op_log())
            for model in (two_products, varied)]
    for number, text in logs[0].id_to_string.items():
        assert logs[1].id_to_string[number] == text


# ---- the user's own log ----------------------------------------------------

def users_log():
    log = OpLogProto()
    log.log_entries.add(name="product", types=["mine", "yours"])
    log.log_entries.add(name="squares", float_ops=99, types=["mine"])
    log.log_entries.add(name="not in the graph", float_ops=7, types=["mine"])
    log.log_entries.add(name="variable", types=["mine"])
    log.log_entries.add(name="x").code_def.SetInParent()
    log.log_entries.add(name="product", types=["the last counts"])
    return log


def with_variable():
    two_products()
    tf.get_variable("variable", [2])
    return [], {}


@pytest.mark.parametrize("add_trace", [True, False])
def test_users_log_is_merged(add_trace, tmp_path):
    graph, other = [build(with_variable)[0] for _ in range(2)]
    run_meta = make_run_meta(*BY_HAND["all"])
    given, theirs = users_log(), users_log()
    log = collect_log(graph, op_log=given, run_meta=run_meta, add_trace=add_trace)
    assert given == users_log(), "the user's log has changed"
    assert resolve(log) == resolve(
        expected_log(other, tmp_path, op_log=theirs, run_meta=run_meta, add_trace=add_trace))
    entries = {entry.name: entry for entry in log.log_entries}
    assert entries["variable"].types == ["mine", "_trainable_variables"]
    assert entries["squares"].float_ops == 99


def test_users_stacks_keep_their_text():
    """TensorFlow drops the user's string table; here both are kept."""
    given = OpLogProto()
    given.id_to_string.update({0: "none", 1: "model.py", 2: "build", 3: "x = 1", 9: "not used"})
    traces = given.log_entries.add(name="product").code_def.traces
    traces.add(file_id=1, lineno=12, function_id=2, line_id=3, func_start_line=10)
    traces.add(file_id=77, lineno=3)
    before = given.SerializeToString(deterministic=True)
    for log in (collect_log(build(two_products)[0], op_log=given),
                collect_log(build(two_products)[0], op_log=given.SerializeToString(),
                            add_trace=False)):
        entries = {name: frames for name, _, _, frames in resolve(log)}
        assert entries["product"] == [("model.py", 12, "build", "x = 1", 10),
                                      ("none", 3, "none", "none", 0)]
        assert "not used" in log.id_to_string.values()
        assert len(set(log.id_to_string.values())) == len(log.id_to_string)
    assert given.SerializeToString(deterministic=True) == before
    assert entries.keys() == {"product"}


# ---- what can be counted ---------------------------------------------------

COUNTED = {}


@ops.RegisterStatistics("Bincount", "flops")
def count_bincount(graph, node):
    value = COUNTED["value"](graph, node)
    if isinstance(value, Exception):
        raise value
    return ops.OpStats("flops", value)


def bincount():
    counts = tf.placeholder(tf.int32, [None], name="counts")
    tf.get_default_graph().create_op(
        "Bincount", [counts, tf.constant(3), tf.constant([], tf.float32)], [tf.float32], name="bins")
    return [], {}


@pytest.mark.parametrize("value", [None, 0, 2.7, numpy.int64(3), numpy.float32(3.9), -4, 2**40,
                                   KeyError("k"), ValueError("v")])
def test_registered_by_the_user(value, tmp_path, monkeypatch):
    monkeypatch.setitem(COUNTED, "value", lambda graph, node: value)
    graph = build(bincount)[0]
    for add_trace in (True, False):
        assert (resolve(collect_log(graph, add_trace=add_trace))
                == resolve(expected_log(graph, tmp_path, add_trace=add_trace)))


@pytest.mark.parametrize("value,expected", [(2**70, 2**63 - 1), (-2**70, -2**63)])
def test_counts_stay_at_the_limit(value, expected, monkeypatch):
    monkeypatch.setitem(COUNTED, "value", lambda graph, node: value)
    assert counts(collect_log(build(bincount)[0])) == [("bins", expected)]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), TypeError("odd"), "many"])
def test_counting_fails(value, monkeypatch):
    monkeypatch.setitem(COUNTED, "value", lambda graph, node: value)
    with pytest.warns(UserWarning, match="float operations of 1 operations .*Bincount"):
        assert counts(collect_log(build(bincount)[0])) == []


@pytest.mark.parametrize("ask", [
    lambda graph, node: graph.get_tensor_by_name(node.input[0] + ":0").get_shape()[0],
    lambda graph, node: graph.get_tensor_by_name(node.input[0] + ":0").shape.num_elements(),
    lambda graph, node: graph.as_graph_element(node.input[0] + ":0").shape.as_list()[0],
    lambda graph, node: graph.get_operation_by_name(node.name).inputs[0].shape[0],
    lambda graph, node: graph.get_operation_by_name(node.input[0]).outputs[0].shape[0],
    lambda graph, node: graph.get_tensor_by_name("bins:0").op.inputs[0].shape[0],
    lambda graph, node: graph.get_tensor_by_name("counts:0").op.outputs[0].get_shape()[0],
])
def test_every_way_to_a_shape(ask, monkeypatch):
    """However a registered function gets a shape, it sees the completed one."""
    monkeypatch.setitem(COUNTED, "value", lambda graph, node: int(ask(graph, node)))
    run_meta = make_run_meta(("counts", [[41]]))
    assert counts(collect_log(build(bincount)[0], run_meta=run_meta)) == [("bins", 41)]


def test_uncounted_are_named():
    with pytest.warns(UserWarning) as told:
        collect(build(two_products)[0])
    text = str(told[-1].message)
    assert "of 3 operations" in text and "1 MatMul, 2 Square" in text
    assert told[-1].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        collect(build(two_products)[0], run_meta=make_run_meta(X))


# ---- odd and wrong arguments -----------------------------------------------

def test_odd_trainable_variables():
    graph = tf.Graph()
    with graph.as_default():
        whole = tf.get_variable("whole", [4], partitioner=tf.fixed_size_partitioner(2),
                                trainable=False)
        for odd in (whole, tf.constant(1.0, name="tensor"), "text"):
            graph.add_to_collection("trainable_variables", odd)
    with pytest.warns(UserWarning, match="no operation: 'text'"):
        log = collect_log(graph, add_trace=False)
    assert [entry.name for entry in log.log_entries if entry.types] == [
        "whole/part_0", "whole/part_1", "tensor"]


@pytest.mark.parametrize("argument,value,message", [
    ("graph", 3, "graph must be a tf.Graph or None, not int"),
    ("graph", GraphDef(), "graph must be a tf.Graph or None, not GraphDef"),
    ("op_log", GraphDef(), r"op_log must be OpLogProto \(a message or its bytes\), not GraphDef"),
    ("op_log", "text", "op_log must be OpLogProto .*, not str"),
    ("run_meta", OpLogProto(), "run_meta must be RunMetadata .*, not OpLogProto"),
])
def test_wrong_types(argument, value, message):
    with pytest.raises(TypeError, match=message):
        collect(**dict({"graph": tf.Graph()}, **{argument: value}))


@pytest.mark.parametrize("argument", ["op_log", "run_meta"])
def test_wrong_bytes(argument):
    with pytest.raises(ValueError, match=f"{argument} is not a "):
        collect(tf.Graph(), **{argument: b"\x0f"})
