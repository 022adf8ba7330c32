"""The graph and the op log of a function of TensorFlow 2.

A function's graph has no variables: it gets their handles as arguments. In what is
returned here, these are variables, with shapes and, if they are trained, the type
that says so. Call stacks have the user's own lines only: between the call of a step and
the line of a layer are dozens of frames of TensorFlow and Keras. What no result of the
function depends on is left out: TensorFlow does not run it. Arguments whose shapes the
graph leaves open have those that they ran with, where these are known.
"""

from typing import Any, Dict, List, Optional, Set, Tuple

from tfprof._collect import TRAINABLE_VARIABLES, Collector
from tfprof._live_stacks import UsersStacks


Shapes = Dict[str, Any]  # by the name of the argument's node: its shape, all of it known


def shapes_of_arguments(graph: Any, arguments: Any) -> Shapes:
    """Shapes of the tensors that a function was called with, where its graph leaves them
    open."""
    inputs, found = _arguments(graph), {}
    tensors = [one for one in arguments if hasattr(one, "shape") and hasattr(one, "dtype")]
    if len(tensors) != len(inputs):
        return {}
    for placeholder, tensor in zip(inputs, tensors):
        known, shape = placeholder.shape, type(placeholder.shape)(tensor.shape)
        if (not known.is_fully_defined() and shape.is_fully_defined()
                and known.is_compatible_with(shape)):
            found[placeholder.op.name] = shape
    return found


def shapes_of_batch(graph: Any, batch: int) -> Shapes:
    """The arguments that lack nothing but the size of the batch, with it."""
    found = {}
    for placeholder in _arguments(graph):
        known = placeholder.shape
        if not known.rank or known[0] is not None:
            continue
        shape = type(known)([batch] + known[1:].as_list())
        if shape.is_fully_defined():
            found[placeholder.op.name] = shape
    return found


def _arguments(graph: Any) -> List[Any]:
    captured = {id(inner) for _, inner in getattr(graph, "captures", ())}
    return [one for one in getattr(graph, "inputs", ()) if id(one) not in captured]


def check(given: Any) -> None:
    """Whether a graph can be had from it, once it has run."""
    if not any(hasattr(given, name) for name in ("get_concrete_function", "graph",
                                                 "get_operations")):
        raise TypeError("graph: expected a tf.function, a concrete function or a tf.Graph, "
                        f"got {type(given).__name__}")


def find(given: Any) -> Any:
    """The graph of a concrete function or of a tf.function; a graph is returned as it is."""
    if hasattr(given, "get_concrete_function"):
        traced = concrete_functions(given)
        if len(traced) != 1:
            raise ValueError(f"graph: the function was traced {len(traced)} times, so it has no "
                             "single graph: give fn.get_concrete_function(...)")
        given = traced[0]
    return getattr(given, "graph", given)


def collect(graph: Any, shapes: Shapes) -> Tuple[bytes, bytes]:
    """(GraphDef bytes, OpLogProto bytes) of a function's graph, whose arguments had these
    shapes."""
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
    if not variables and not shapes and run is None:
        return data, op_log
    graph_def, log = GraphDef.FromString(data), OpLogProto.FromString(op_log)
    if run is not None:
        _keep(graph_def.node, run)
        _keep(log.log_entries, run)
    of_name = _rename(graph_def, log, _names_in_loops(graph), dict(variables))
    for node in graph_def.node:
        if node.name in shapes:
            shape = node.attr["shape"].shape
            shape.CopyFrom(shapes[node.name].as_proto())
            del node.attr["_output_shapes"].list.shape[:]
            node.attr["_output_shapes"].list.shape.add().CopyFrom(shape)
        variable = of_name.get(node.name)
        if variable is not None and variable.shape.is_fully_defined():
            node.op = "VarHandleOp"
            node.attr["dtype"].type = variable.dtype.as_datatype_enum
            node.attr["shape"].shape.CopyFrom(variable.shape.as_proto())
    return graph_def.SerializeToString(), log.SerializeToString()


def _names_in_loops(graph: Any) -> Dict[str, str]:
    """New names of variables that only loops and conditionals take: 'while/input_4' tells no layer;
    what reads it within does, such as 'while/dense/MatMul/ReadVariableOp'."""
    taken = {operation.name for operation in graph.get_operations()}
    found: Dict[str, str] = {}
    for _, inner in getattr(graph, "captures", ()):
        try:
            reader = _reader(inner)
        except Exception:    # of another TensorFlow: the name stays
            continue
        name = None if reader is None else f"{reader}/resource"
        if name is not None and name not in taken:
            taken.add(name)
            found[inner.op.name] = name
    return found


def _reader(tensor: Any) -> Optional[str]:
    """The first operation in a function that reads a tensor which its graph only passes on."""
    is_inside = False
    while True:
        consumers = tensor.consumers()
        if not consumers:
            return None
        operation = consumers[0]
        branch = next((one for one in ("body", "then_branch", "branches") if one in
                       operation.node_def.attr), None)
        if branch is None:
            return operation.name if is_inside else None
        value = operation.node_def.attr[branch]
        name = value.list.func[0].name if branch == "branches" else value.func.name
        place = next(i for i, one in enumerate(operation.inputs) if one is tensor)
        function = operation.graph._get_function(name)
        tensor = function.graph.inputs[place if branch == "body" else place - 1]
        is_inside = True


def _rename(graph_def: Any, log: Any, names: Dict[str, str],
            variables: Dict[str, Any]) -> Dict[str, Any]:
    """Renames nodes; returns the variables by their new names."""
    if names:
        for node in graph_def.node:
            node.name = names.get(node.name, node.name)
            for i, one in enumerate(node.input):
                if one.split(":")[0] in names:
                    node.input[i] = names[one.split(":")[0]]
        for entry in log.log_entries:
            entry.name = names.get(entry.name, entry.name)
    return {names.get(name, name): variable for name, variable in variables.items()}


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


def concrete_functions(function: Any) -> List[Any]:
    listed = getattr(function, "_list_all_concrete_functions", None)
    if listed is None:
        raise ValueError("graph: give fn.get_concrete_function(...): this TensorFlow does not "
                         "tell which graphs a function has")
    return list(listed())
