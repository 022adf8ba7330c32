"""The graph and the op log of a function of TensorFlow 2.

A function's graph has no variables: it gets their handles as arguments. In what is
returned here, these are variables, with shapes and, if they are trained, the type
that says so. Call stacks have the user's own lines only: between the call of a step and
the line of a layer are dozens of frames of TensorFlow and Keras. What no result of the
function depends on is left out: TensorFlow does not run it.
"""

from typing import Any, List, Optional, Set, Tuple

from tfprof._collect import TRAINABLE_VARIABLES, Collector
from tfprof._live_stacks import UsersStacks


def check(given: Any) -> None:
    """Whether a graph can be had from it, once it has run."""
    if not any(hasattr(given, name) for name in ("get_concrete_function", "graph",
                                                 "get_operations")):
        raise TypeError("graph: expected a tf.function, a concrete function or a tf.Graph, "
                        f"got {type(given).__name__}")


def find(given: Any) -> Any:
    """The graph of a concrete function or of a tf.function; a graph is returned as it is."""
    if hasattr(given, "get_concrete_function"):
        traced = _concrete_functions(given)
        if len(traced) != 1:
            raise ValueError(f"graph: the function was traced {len(traced)} times, so it has no "
                             "single graph: give fn.get_concrete_function(...)")
        given = traced[0]
    return getattr(given, "graph", given)


def collect(graph: Any) -> Tuple[bytes, bytes]:
    """(GraphDef bytes, OpLogProto bytes) of a function's graph."""
    from tensorflow.core.framework.graph_pb2 import GraphDef
    from tensorflow.core.profiler.tfprof_log_pb2 import OpLogProto

    collector = Collector(graph, UsersStacks(), functions=True, counts=False)
    variables = _captured(graph)
    users = OpLogProto()
    for name, variable in variables:
        if variable.trainable:
            users.log_entries.add(name=name, types=[TRAINABLE_VARIABLES])
    data, op_log = collector.collect(op_log=users)
    run = _names_that_run(graph)
    if not variables and run is None:
        return data, op_log
    graph_def = GraphDef.FromString(data)
    if run is not None:
        _keep(graph_def.node, run)
        log = OpLogProto.FromString(op_log)
        _keep(log.log_entries, run)
        op_log = log.SerializeToString()
    of_name = dict(variables)
    for node in graph_def.node:
        variable = of_name.get(node.name)
        if variable is not None and variable.shape.is_fully_defined():
            node.op = "VarHandleOp"
            node.attr["dtype"].type = variable.dtype.as_datatype_enum
            node.attr["shape"].shape.CopyFrom(variable.shape.as_proto())
    return graph_def.SerializeToString(), op_log


def _names_that_run(graph: Any) -> Optional[Set[str]]:
    """Of the operations that results depend on, and of the arguments; None if the graph is not
    that of a function."""
    if not hasattr(graph, "outputs") or not hasattr(graph, "control_outputs"):
        return None
    reached = {tensor.op for tensor in list(graph.outputs) + list(graph.inputs)}
    reached.update(graph.control_outputs)
    found = list(reached)
    for operation in found:  # grows
        more = {tensor.op for tensor in operation.inputs}
        more.update(operation.control_inputs)
        found += more - reached
        reached |= more
    return {operation.name for operation in found}


def _keep(messages: Any, names: Set[str]) -> None:
    """Drops the messages of other nodes; those of functions, `node@function`, stay."""
    kept = [one for one in messages if one.name in names or "@" in one.name]
    if len(kept) < len(messages):
        kept = [type(one).FromString(one.SerializeToString()) for one in kept]
        del messages[:]
        messages.extend(kept)


def _captured(graph: Any) -> List[Tuple[str, Any]]:
    """(node, variable) of the variables that are arguments of a function's graph."""
    of_handle = {id(variable.handle): variable for variable in getattr(graph, "variables", ())
                 if hasattr(variable, "handle")}
    return [(inner.op.name, of_handle[id(outer)])
            for outer, inner in getattr(graph, "captures", ()) if id(outer) in of_handle]


def _concrete_functions(function: Any) -> List[Any]:
    listed = getattr(function, "_list_all_concrete_functions", None)
    if listed is None:
        raise ValueError("graph: give fn.get_concrete_function(...): this TensorFlow does not "
                         "tell which graphs a function has")
    return list(listed())
