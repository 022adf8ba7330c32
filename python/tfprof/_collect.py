"""Collects what a live tf.Graph knows but its GraphDef does not: call stacks,
float operations and which variables are trainable, as an OpLogProto.

    collect(graph, ...)            once:  -> (GraphDef bytes, OpLogProto bytes)
    Collector(graph).collect(...)  step by step, without repeating work

The caller's graph, op log and run metadata are never modified.
"""

import collections
import contextlib
import contextvars

from tfprof._live_shapes import GraphView, RunShapes
from tfprof._live_stacks import Stacks
from tfprof._need import need
from tfprof._warn import some, warn

TRAINABLE_VARIABLES = "_trainable_variables"
INT64 = range(-2**63, 2**63)

_is_quiet = contextvars.ContextVar("is_quiet", default=False)


def collect(graph, op_log=None, run_meta=None, add_trace=True, add_trainable_var=True):
    """Returns (GraphDef bytes, OpLogProto bytes) of a live graph.

    graph: a tf.Graph; None means the default graph, or no graph in eager mode.
    op_log: the user's OpLogProto to merge, or None.
    run_meta: a RunMetadata that completes output shapes, or None.
    add_trace: whether to add call stacks.
    add_trainable_var: whether to mark trainable variables.
    """
    return Collector(graph).collect(op_log, run_meta, add_trace, add_trainable_var)


@contextlib.contextmanager
def quietly():
    """Suppresses warnings about float operations that cannot be counted yet: they
    will be, because the run metadata follows."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


class Collector:
    """Collects from one graph, any number of times.

    Shapes completed by one call's run metadata also serve later calls.
    Collectors that feed one profile share `stacks`, because a profile has one
    table of strings. With `functions`, operations of the functions that the graph calls
    are in the op log, too, as `operation@function`: what joins a trace with its graph
    looks for them. Without `counts`, float operations are left to whoever loads the graph.
    """

    def __init__(self, graph, stacks=None, source_lines=False, functions=False, counts=True):
        self.graph = _get_graph(graph)
        self.stacks = stacks or Stacks(source_lines)
        self._shapes = RunShapes(self.graph)
        self._names = []         # of the operations known so far, in graph order
        self._code_defs = []     # of the first of these; None without a call stack
        self._float_ops = {}     # by name, if not zero
        self._uncounted = {}     # by name: the operation and the error
        self._graph_def = (None, b"")  # what it was made from, and the bytes
        self._reads_functions = functions
        self._counts = counts
        self._functions = {}     # by name: its collector

    def collect(self, op_log=None, run_meta=None, add_trace=True, add_trainable_var=True):
        """Like the function of this name."""
        op_log = self.collect_op_log(op_log, run_meta, add_trace, add_trainable_var)
        return self.collect_graph(), op_log

    def collect_graph(self):
        """Returns GraphDef bytes, including output shapes."""
        if self.graph is None:
            return b""
        made_from = self.graph.version, len(self._shapes)
        if self._graph_def[0] != made_from:
            graph_def = self.graph.as_graph_def(add_shapes=True)
            self._shapes.write_into(graph_def)
            self._graph_def = made_from, graph_def.SerializeToString()
        return self._graph_def[1]

    def collect_op_log(self, op_log=None, run_meta=None, add_trace=True, add_trainable_var=True):
        """Returns OpLogProto bytes."""
        from tensorflow.core.profiler.tfprof_log_pb2 import OpLogProto
        from tensorflow.core.protobuf.config_pb2 import RunMetadata

        users = _get_message(op_log, OpLogProto, "op_log")
        run_meta = _get_message(run_meta, RunMetadata, "run_meta")
        if self.graph is None:
            return b""
        if run_meta is not None:
            self._complete_shapes(run_meta)
        self._read_operations(add_trace)
        if self._reads_functions:
            self._read_functions(add_trace)
        if run_meta is None and not _is_quiet.get():
            self._report_uncounted()

        log = OpLogProto()
        entries = self._write_users(users, log) if users is not None else {}
        self._write_operations(log, entries, add_trace)
        for name, function in self._functions.items():
            function._write_operations(log, entries, add_trace, f"@{name}")
        if add_trainable_var:
            self._write_trainable(log, entries)
        self.stacks.strings.write_into(log.id_to_string)
        return log.SerializeToString()

    # -- querying TensorFlow -------------------------------------------------

    def _complete_shapes(self, run_meta):
        contradicting = self._shapes.add(run_meta)
        if contradicting:
            warn(f"shapes in the run metadata that contradict the graph are ignored: "
                 f"{some(contradicting)}")

    def _read_operations(self, add_trace):
        operations = self.graph.get_operations()
        first_new = len(self._names)
        self._names += [operation.name for operation in operations[first_new:]]
        if add_trace:
            made_by = self.stacks.find_layers(self._names)
            self._code_defs += [self.stacks.get(operation.traceback, made_by(operation.name))
                                for operation in operations[len(self._code_defs):]]
        if self._counts:
            uncounted = [operation for operation, _ in self._uncounted.values()]
            self._uncounted = {}
            self._count(uncounted + operations[first_new:])

    def _read_functions(self, add_trace):
        of_graph = {id(one.graph): one for one in self._functions.values()}
        for name, function in getattr(self.graph, "_functions", {}).items():
            graph = getattr(function, "graph", None)
            if graph is None or name in self._functions:
                continue
            # A function and the one that is run for its gradient have the same graph.
            one = of_graph.get(id(graph))
            if one is None:
                one = of_graph[id(graph)] = Collector(graph, self.stacks, counts=self._counts)
                one._read_operations(add_trace)
            self._functions[_text(name)] = one

    def _count(self, operations):
        from tensorflow.python.framework.ops import get_stats_for_node_def

        graph = GraphView(self.graph, self._shapes) if self._shapes else self.graph
        is_registered = _Registered()
        for operation in operations:
            if not is_registered[operation.type]:
                continue
            try:
                count = get_stats_for_node_def(graph, operation.node_def, "flops").value
                count = int(count or 0)
            except Exception as error:  # whatever was registered for this type may raise
                self._uncounted[operation.name] = operation, error
                continue
            if count:
                self._float_ops[operation.name] = max(INT64[0], min(count, INT64[-1]))

    def _report_uncounted(self):
        incomplete, failed = collections.Counter(), collections.Counter()
        uncounted = list(self._uncounted.values())
        for function in {id(one): one for one in self._functions.values()}.values():
            uncounted += function._uncounted.values()
        for operation, error in uncounted:
            if isinstance(error, ValueError):  # what TensorFlow raises for unknown sizes
                incomplete[operation.type] += 1
            else:
                failed[f"{operation.type} ({type(error).__name__}: {error})"] += 1
        for counter, why in ((incomplete, "their shapes are incomplete (run metadata would "
                              "complete them)"), (failed, "counting failed")):
            if counter:
                types = [f"{n} {name}" for name, n in sorted(counter.items())]
                warn(f"float operations of {sum(counter.values())} operations are not counted, "
                     f"{why}: {some(types, 20)}")

    # -- writing -------------------------------------------------------------

    def _write_users(self, users, log):
        """Adds the user's entries, the last of each name, with this collector's string ids."""
        id_of, theirs = self.stacks.strings.id_of, users.id_to_string
        here = {number: id_of(text) for number, text in sorted(theirs.items())}
        entries = {}
        for entry in {entry.name: entry for entry in users.log_entries}.values():
            entries[entry.name] = copy = log.log_entries.add()
            copy.CopyFrom(entry)
            for trace in copy.code_def.traces if entry.HasField("code_def") else ():
                trace.file_id = here.get(trace.file_id, 0)
                trace.function_id = here.get(trace.function_id, 0)
                trace.line_id = here.get(trace.line_id, 0)
        return entries

    def _write_operations(self, log, entries, add_trace, where=""):
        float_ops = self._float_ops
        code_defs = self._code_defs if add_trace else [None] * len(self._names)
        for name, code_def in zip(self._names, code_defs):
            count = float_ops.get(name, 0)
            if not add_trace and not count:
                continue
            name += where
            entry = entries.get(name)
            if entry is None:
                entries[name] = entry = log.log_entries.add(name=name)
            if count and not entry.float_ops:
                entry.float_ops = count
            if code_def is not None and not entry.code_def.traces:
                entry.code_def.CopyFrom(code_def)

    def _write_trainable(self, log, entries):
        for variable in self.graph.get_collection("trainable_variables"):
            for name in _get_operation_names(variable):
                entry = entries.get(name)
                if entry is None:
                    entries[name] = entry = log.log_entries.add(name=name)
                entry.types.append(TRAINABLE_VARIABLES)


class _Registered(dict):
    """Operation type → whether a function is registered that counts its float
    operations. Counting costs a NodeDef, and most types have no such function."""

    def __missing__(self, op_type):
        from tensorflow.python.framework import ops

        try:
            ops._stats_registry.lookup(op_type + ",flops")
            found = True
        except LookupError:
            found = False
        except AttributeError:  # this TensorFlow names it differently: try every operation
            found = True
        self[op_type] = found
        return found


def _get_graph(graph):
    """The graph given or the default one; None in eager mode."""
    tf = need("tensorflow", "profiling a graph").compat.v1
    if graph is None:
        return None if tf.executing_eagerly() else tf.get_default_graph()
    if not isinstance(graph, tf.Graph):
        raise TypeError(f"graph must be a tf.Graph or None, not {type(graph).__name__}")
    return graph


def _text(name):
    return name.decode() if isinstance(name, bytes) else name


def _get_message(given, kind, argument):
    """Converts a message, one from another descriptor pool, or bytes; None stays None."""
    if given is None or isinstance(given, kind):
        return given
    descriptor = getattr(given, "DESCRIPTOR", None)
    if getattr(descriptor, "full_name", None) == kind.DESCRIPTOR.full_name:
        given = given.SerializeToString()
    if not isinstance(given, bytes):
        raise TypeError(f"{argument} must be {kind.DESCRIPTOR.name} (a message or its bytes), "
                        f"not {type(given).__name__}")
    try:
        return kind.FromString(given)
    except Exception as error:  # protobuf's own, whose class depends on the runtime
        raise ValueError(f"{argument} is not a {kind.DESCRIPTOR.name}: {error}") from None


def _get_operation_names(variable):
    operation = getattr(variable, "op", None)
    if operation is not None:
        return [operation.name]
    if hasattr(variable, "__iter__") and not isinstance(variable, (str, bytes)):
        return [part.op.name for part in variable]  # partitioned
    warn(f"ignored: a trainable variable has no operation: {variable!r}")
    return []
