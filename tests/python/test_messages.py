"""Result messages: TensorFlow's classes if it is imported, else ours, and no conflict
between the two."""

import subprocess
import sys

import pytest
from package_under_test import needs_tensorflow
from tree import TOP

pytest.importorskip("google.protobuf")

NAMES = ("AdviceProto", "GraphNodeProto", "MultiGraphNodeProto", "OpLogProto", "OptionsProto",
         "ProfileProto")

WITHOUT = """
import sys, tfprof
result = tfprof.load(sys.argv[1]).op()
message = result.message
assert "tensorflow" not in sys.modules
assert type(message).__name__ == "MultiGraphNodeProto"
assert message.children[0].name == result[1].name
from google.protobuf import descriptor_pool
try:
    descriptor_pool.Default().FindMessageTypeByName("tensorflow.tfprof.OpLogProto")
    raise SystemExit("the message is in everyone's pool")
except KeyError:
    pass
"""


def test_without_tensorflow(run_python, loop_files):
    run_python(WITHOUT, loop_files / "profile")


def test_all_messages(run_python):
    run_python(f"import tfprof\nfor name in {NAMES!r}: getattr(tfprof, name)().SerializeToString()")


@needs_tensorflow
def test_tensorflow_later(run_python, loop_files):
    run_python(WITHOUT + """
ours = type(message)
import tensorflow as tf
from tensorflow.core.profiler import tfprof_log_pb2, tfprof_output_pb2
assert type(result.message) is tfprof_output_pb2.MultiGraphNodeProto is not ours
assert result.message.SerializeToString(deterministic=True) == \
    message.SerializeToString(deterministic=True)
assert tfprof.OpLogProto is tfprof_log_pb2.OpLogProto
# A message of ours is taken where TensorFlow's is meant.
made = ours.DESCRIPTOR.file.pool.FindMessageTypeByName("tensorflow.tfprof.OpLogProto")
from google.protobuf import message_factory
log = message_factory.GetMessageClass(made)()
entry = log.log_entries.add()
entry.name, entry.types[:] = "x", ["mine"]
with tf.Graph().as_default() as graph:
    tf.constant(1.0, name="x")
found = tfprof.profile(graph, op_log=log, options={
    "account_type_regexes": ["mine"], "show_name_regexes": [".*"], "start_name_regexes": [".*"],
    "output": "none"})
assert [child.name for child in found.children] == ["x"]
""", loop_files / "profile")


@needs_tensorflow
def test_tensorflow_before(run_python, loop_files):
    run_python("""
import sys
import tensorflow
import tfprof
from tensorflow.core.profiler import tfprof_output_pb2
assert type(tfprof.load(sys.argv[1]).scope().message) is tfprof_output_pb2.GraphNodeProto
assert "tensorflow.python.profiler.model_analyzer" in sys.modules
""", loop_files / "profile")


def test_something_else_called_tensorflow(run_python, loop_files):
    run_python("import sys, types\nsys.modules['tensorflow'] = types.ModuleType('tensorflow')\n"
               "import tfprof\nassert tfprof.load(sys.argv[1]).op().message.children",
               loop_files / "profile")


def test_without_protobuf(run_python, loop_files):
    done = run_python("""
import sys
sys.modules["google.protobuf"] = None
import tfprof
result = tfprof.load(sys.argv[1]).op()
assert str(result) and len(result)
try:
    result.message
except ImportError as error:
    assert "pip install protobuf" in str(error), error
else:
    raise SystemExit("no error")
""", loop_files / "profile")
    assert done.stderr == ""


@needs_tensorflow
def test_descriptors_are_those_of_the_wheel():
    subprocess.run([sys.executable, f"{TOP}/tools/make_messages.py", "--check"], check=True)


def walk(message):
    stack = [(message, 0)]
    while stack:
        one, depth = stack.pop()
        yield one, depth
        stack.extend((child, depth + 1) for child in reversed(one.children))


@pytest.mark.parametrize("view, nodes", [("graph", 5000), ("op", 5000), ("scope", 3000)])
def test_chains_deeper_than_protobufs_limit(view, nodes, tmp_path):
    """A chain with many short branches; every node has all its numbers."""
    from wire import node

    import tfprof
    chain = {"graph": lambda i: node(f"n{i}", "Op", [f"n{i - 1}"] if i else []),
             "op": lambda i: node(f"n{i}", f"Op{i:05}"),
             "scope": lambda i: node("/".join("s" * (i + 1)), "Op")}[view]
    (tmp_path / "graph").write_bytes(b"".join(map(chain, range(nodes))) + b"".join(
        node(f"branch{i}", "Branch") for i in range(2000)))
    result = getattr(tfprof.load(graph=tmp_path / "graph"), view)(max_depth=100_000)
    found = list(walk(result.message))
    assert max(depth for _, depth in found) >= nodes
    assert [one.name for one, _ in found] == [one.name for one in result]
    if view == "scope":
        assert [one.total_definition_count for one, _ in found] == [
            one.total_definition_count for one in result]


def test_pieces_of_every_size(monkeypatch, tmp_path):
    from wire import node

    import tfprof
    from tfprof._messages import _deep
    (tmp_path / "graph").write_bytes(b"".join(
        node(f"n{i}", "Op", [f"n{i - 1}"] if i else []) for i in range(300)))
    result = tfprof.load(graph=tmp_path / "graph").graph(max_depth=1000)
    expected = [str(one.name) for one in result]
    for small in (0, 1, 500, 5000, 1 << 20):
        monkeypatch.setattr(_deep, "SMALL", small)
        assert [one.name for one, _ in walk(result.message)] == expected
