"""Our text format reader compared with protobuf's: text that google.protobuf writes,
in any style, becomes the bytes it serializes (except for the order of map entries).

Needs TensorFlow (for its messages) and the test hooks; TFPROF_SEED and
TFPROF_COUNT choose the random messages.
"""

import os
import random

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
text_format = pytest.importorskip("google.protobuf.text_format")
pytest.importorskip("tensorflow.core.framework.graph_pb2")

from tensorflow.core.framework import attr_value_pb2  # noqa: E402
from tensorflow.core.framework import cost_graph_pb2  # noqa: E402
from tensorflow.core.framework import function_pb2  # noqa: E402
from tensorflow.core.framework import graph_pb2  # noqa: E402
from tensorflow.core.framework import node_def_pb2  # noqa: E402
from tensorflow.core.framework import step_stats_pb2  # noqa: E402
from tensorflow.core.framework import tensor_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_log_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_options_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_output_pb2  # noqa: E402
from tensorflow.core.protobuf import config_pb2  # noqa: E402

from hooks import Hooks, Refused  # noqa: E402
from random_messages import fill  # noqa: E402

SEED = int(os.environ.get("TFPROF_SEED", "1"))
COUNT = int(os.environ.get("TFPROF_COUNT", "60"))

ROOTS = [
    graph_pb2.GraphDef,
    node_def_pb2.NodeDef,
    attr_value_pb2.AttrValue,
    tensor_pb2.TensorProto,
    function_pb2.FunctionDefLibrary,
    config_pb2.RunMetadata,
    step_stats_pb2.NodeExecStats,
    cost_graph_pb2.CostGraphDef,
    tfprof_log_pb2.OpLogProto,
    tfprof_log_pb2.ProfileProto,
    tfprof_options_pb2.OptionsProto,
    tfprof_options_pb2.AdvisorOptionsProto,
    tfprof_output_pb2.GraphNodeProto,
    tfprof_output_pb2.MultiGraphNodeProto,
    tfprof_output_pb2.AdviceProto,
]

STYLES = {
    "default": {},
    "one line": {"as_one_line": True},
    "pointy": {"pointy_brackets": True},
    "short lists": {"use_short_repeated_primitives": True},
    "pointy line of lists": {"as_one_line": True, "pointy_brackets": True,
                             "use_short_repeated_primitives": True},
    "utf-8": {"as_utf8": True},
    "colons": {"force_colon": True},
    "declared order": {"use_index_order": True},
}


@pytest.fixture(scope="session")
def convert():
    return Hooks().text_to_wire


def same_message(convert, message, style, same_order):
    text = text_format.MessageToString(message, **STYLES[style])
    wire = convert(type(message), text)
    back = type(message).FromString(wire)
    theirs = message.SerializeToString(deterministic=True)
    assert back.SerializeToString(deterministic=True) == theirs
    if same_order and style != "declared order":
        assert wire == theirs
    return len(text)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.DESCRIPTOR.name)
def test_random_messages(convert, root, style):
    draw = random.Random(f"{SEED} {root.DESCRIPTOR.name} {style}")
    written = 0
    for i in range(COUNT):
        message = root()
        fill(draw, message, draw.choice([1, 10, 100, 300]), maps=i % 2 == 0)
        written += same_message(convert, message, style, same_order=i % 2 == 1)
    assert written > COUNT * 20


# ---- real files -------------------------------------------------------------


@pytest.fixture(scope="module")
def traced():
    """A graph with a loop, a function and constants, and the trace of a run."""
    tf = pytest.importorskip("tensorflow").compat.v1
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [None, 8], name="x")
        w = tf.get_variable("w", [8, 8])
        table = tf.constant([[0.1, 1e-30, float("inf")]] * 100)
        words = tf.constant([b"a\n\"b\"", "é".encode(), b"\xff\0"])

        @tf.function
        def twice(value):
            return value * 2

        _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tf.matmul(y, w)), [0, x])
        loss = tf.reduce_sum(twice(y)) + tf.reduce_min(table)
        step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        session.run(tf.global_variables_initializer())
        meta = config_pb2.RunMetadata()
        session.run([step, words], {x: [[1.0] * 8]}, run_metadata=meta,
                    options=config_pb2.RunOptions(
                        trace_level=config_pb2.RunOptions.FULL_TRACE,
                        output_partition_graphs=True))
        return graph.as_graph_def(add_shapes=True), meta


@pytest.mark.parametrize("style", STYLES)
def test_real_graph(convert, traced, style):
    assert traced[0].library.function
    assert same_message(convert, traced[0], style, same_order=False) > 10000


@pytest.mark.parametrize("style", STYLES)
def test_real_run_metadata(convert, traced, style):
    assert traced[1].step_stats.dev_stats and traced[1].partition_graphs
    assert same_message(convert, traced[1], style, same_order=False) > 10000


# ---- hand-written text ------------------------------------------------------

SAME_AS_PROTOBUF = r"""
i: +5
i: 0x1F
i: 0X1f
i: -0x1F
i: 017
i: -017
i: 00
i: -0
i: 9223372036854775807
i: -9223372036854775808
f: 1
f: 1.
f: .5
f: -.5
f: 1.5f
f: 1F
f: 1.e5
f: 1e+5
f: 1e5f
f: inf
f: -INF
f: Infinity
f: -inff
f: nan
f: NaN
f: -nan
f: 1e400
f: 1e-400
f: 3.5e38
f: 18446744073709551617
f: 1e-45
f: 1.17549429e-38
f: 340282356779733661637539395458142568447.9
f: 0.100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001
f: -0
b: t
b: f
b: True
b: False
b: 1
b: 0
s: "a" "b"
s: 'a' "b"   'c'
s: "\x4"
s: "\x414"
s: "\18"
s: "\a\b\f\v\r\n\t\'\"\\"
s: "\u00e9"
s: "\U0001F600"
s: "it's" 'say "x"'
s:""
type: DT_FLOAT
type: 1
type: 0x1
type: 9999
type: -1
list { i: [] }
list: { i: [1,2], f: [1.5, inf] }
list < i: 1 >
list:<>
list:{},
list { s: ["a" "b", "c"] }
list { shape: [{dim {size:1}}, <>] }
list { shape [{dim {size:1}}, <>] }
list { shape: [] }
list { shape [] }
list { shape [] i: 1 }
list { b: [true, f, 1] type: [DT_INT32, 3] type: DT_HALF }
list { i: 1 i: [2, 3] i: 4, i: 5; }
list { i: 1 s: "x" i: 2 }
i: 1;
func { attr [ {key:"a" value {i: 2}}] }
func { name: "f", attr: { key: "k"; value: < b: false >; }; }
func { name: "" name: "x" }
# only a comment
i: 1 # behind # a value
"""

REFUSED = [
    # text, position, part of the error
    ("i: 08", "1 column 4", "not an integer"),
    ("i: 1.0", "1 column 4", "not an integer"),
    ("i: 1e3", "1 column 4", "not an integer"),
    ("i: 5abc", "1 column 4", "not an integer"),
    ("i: 0x", "1 column 4", "not an integer"),
    ("i: --5", "1 column 4", "not an integer"),
    ("i: [1]", "1 column 4", "not an integer"),
    ("i: {}", "1 column 4", "not an integer"),
    ("i: true", "1 column 4", "not an integer"),
    ("i: 9223372036854775808", "1 column 4", "out of range"),
    ("i: 99999999999999999999999", "1 column 4", "too large"),
    ("f: 0x10", "1 column 4", "not a number"),
    ("f: 017", "1 column 4", "not a number"),
    ("f: 1e", "1 column 4", "not a number"),
    ("f: .", "1 column 4", "not a number"),
    ("f: .f", "1 column 4", "not a number"),
    ("f: 1..2", "1 column 4", "not a number"),
    ("b: TRUE", "1 column 4", "expected true or false"),
    ("b: 2", "1 column 4", "expected true or false"),
    ("b: 01", "1 column 4", "expected true or false"),
    (r's: "\x"', "1 column 5", "hexadecimal"),
    (r's: "\400"', "1 column 5", "\\377"),
    (r's: "\ud83d"', "1 column 5", "surrogates"),
    (r's: "\ude00"', "1 column 5", "surrogates"),
    (r's: "\U00110000"', "1 column 5", "10FFFF"),
    (r's: "\u12"', "1 column 5", "4 hexadecimal"),
    (r's: "\U0001F60"', "1 column 5", "8 hexadecimal"),
    ('s: "a\nb"', "1 column 4", "not closed"),
    ('s: "abc', "1 column 4", "not closed"),
    ('s: "abc\\', "1 column 8", "ends in the middle"),
    ("s: abc", "1 column 4", "in quotes"),
    ('s "a"', "1 column 3", "colon"),
    ("type: DT_FLOTA", "1 column 7", 'did you mean "DT_FLOAT"?'),
    ("type: 99999999999", "1 column 7", "out of range"),
    ("i: 1 i: 2", "1 column 6", "is repeated"),
    ("i: 0 i: 1", "1 column 6", "is repeated"),
    ("i: 1\nf: 2", "2 column 1", "f conflicts with i"),
    ("list {} list {}", "1 column 9", "is repeated"),
    ("func { name: 'a' name: '' }", "1 column 18", "is repeated"),
    ("i: 1,,", "1 column 6", "name of a field"),
    (",i: 1", "1 column 1", "name of a field"),
    ('2: "x"', "1 column 1", "name of a field"),
    ("list { i: [1,2,] }", "1 column 16", "not an integer"),
    ("list { i: [1 2] }", "1 column 14", "comma"),
    ("list { i [1] }", "1 column 10", "colon"),
    ("list { i: 1 >", "1 column 13", "expected }"),
    ("list {\n\n i: 1", "3 column 6", "{ at line 1 column 6"),
    ("list [ {} ]", "1 column 6", "ListValue"),
    ("list: 5", "1 column 7", "ListValue"),
    ("list::{}", "1 column 6", "ListValue"),
    ("list }", "1 column 6", "ListValue"),
    ("list { shape: [ {}, ] }", "1 column 21", "TensorShapeProto"),
    ("list { shape: [ {} {} ] }", "1 column 20", "comma"),
    ("list { shape: [ {} ", "1 column 20", "[ at line 1 column 15"),
    ("i: 1 }", "1 column 6", "unmatched }"),
    ("[foo.bar]: 3", "1 column 1", "extensions"),
    ("lits { }", "1 column 1", 'did you mean "list"?'),
    ("# é\n'é' zzzzzzzzzz: 1", "2 column 1", "name of a field"),
    ("s: 'é' zzzzzzzzzz: 1", "1 column 8", 'no field "zzzzzzzzzz"'),
    ("I: 1", "1 column 1", 'no field "I"'),
]


@pytest.mark.parametrize("text", SAME_AS_PROTOBUF.strip().splitlines())
def test_written_by_hand(convert, text):
    theirs = text_format.Parse(text, attr_value_pb2.AttrValue())
    wire = convert(attr_value_pb2.AttrValue, text)
    back = attr_value_pb2.AttrValue.FromString(wire)
    assert back.SerializeToString(deterministic=True) == \
        theirs.SerializeToString(deterministic=True)


@pytest.mark.parametrize("text, where, said", REFUSED)
def test_refused(convert, text, where, said):
    with pytest.raises((text_format.ParseError, ValueError)):
        text_format.Parse(text, attr_value_pb2.AttrValue())
    with pytest.raises(Refused) as refused:
        convert(attr_value_pb2.AttrValue, text)
    assert str(refused.value).startswith(f"line {where}: ")
    assert said in str(refused.value)


# Accepted by protobuf's C++ parser, but not by its Python one.
@pytest.mark.parametrize("text, same", [
    ("i: - 5", "i: -5"),
    ("f: - inf", "f: -inf"),
    (r's: "\ud83d\ude00"', r's: "\U0001F600"'),
    (r's: "\?\X41"', 's: "?A"'),
    ("\ufeffi: 5", "i: 5"),
])
def test_wider_than_python(convert, text, same):
    assert convert(attr_value_pb2.AttrValue, text) == convert(attr_value_pb2.AttrValue, same)
    assert convert(attr_value_pb2.AttrValue, same) == \
        text_format.Parse(same, attr_value_pb2.AttrValue()).SerializeToString()


def test_every_cut_of_a_text(convert):
    """Text that is cut off is an error, or is itself accepted by protobuf."""
    text = text_format.MessageToString(text_format.Parse(
        r'name: "n" op: "Op" attr { key: "k" value { list { i: [1, -2] s: "\001x" } } }',
        node_def_pb2.NodeDef()))
    for n in range(len(text)):
        try:
            theirs = text_format.Parse(text[:n], node_def_pb2.NodeDef())
        except text_format.ParseError:
            with pytest.raises(Refused):
                convert(node_def_pb2.NodeDef, text[:n])
        else:
            assert convert(node_def_pb2.NodeDef, text[:n]) == theirs.SerializeToString()


def test_deep_nesting_is_only_bound_by_memory(convert):
    depth = 200000
    text = "children {" * depth + "}" * depth
    wire = convert(tfprof_output_pb2.GraphNodeProto, text)
    length = 0
    for _ in range(depth - 1):  # the tag and the length of what is inside
        length += 1 + max(1, (length.bit_length() + 6) // 7)
    assert len(wire) == length + 1 + (length.bit_length() + 6) // 7
