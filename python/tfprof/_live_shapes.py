"""Output shapes from run metadata, in addition to those a live graph knows.

TensorFlow's functions that count float operations look up shapes in the graph.
Shapes from a run must reach them without being written to the caller's graph, so
they are kept here by tensor name, and those functions get a view of the graph
that includes them.
"""

import re

# What stands for a tensor that is fed or fetched, see model/run_shapes.c.
_CUT = re.compile(r"_(?:arg|retval)_(.+)_(\d+)_\d+|_recv_(.+)_(\d+)", re.DOTALL)


class RunShapes:
    """Shapes completed from run metadata, by tensor name. The first run that
    completes a shape wins."""

    def __init__(self, graph):
        self._graph = graph
        self._of_tensor = {}

    def __len__(self):
        return len(self._of_tensor)

    def get(self, tensor_name):
        return self._of_tensor.get(tensor_name)

    def add(self, run_meta):
        """Adds shapes of the run metadata. Returns the names of the tensors whose
        shapes contradict the graph."""
        operations = {operation.name: operation for operation in self._graph.get_operations()}
        contradicting = []
        for device in run_meta.step_stats.dev_stats:
            for entry in device.node_stats:
                for tensor, output in zip(_tensors(operations, entry), entry.output):
                    if not self._add_tensor(tensor, output.tensor_description.shape):
                        contradicting.append(tensor.name)
        return contradicting

    def _add_tensor(self, tensor, run_shape):
        known = tensor.shape
        if known.is_fully_defined() or tensor.name in self._of_tensor:
            return True
        sizes = [dimension.size for dimension in run_shape.dim]
        if min(sizes, default=0) < 0 or not known.is_compatible_with(sizes):
            return False
        self._of_tensor[tensor.name] = type(known)(sizes)
        return True

    def write_into(self, graph_def):
        """Writes the shapes to the `_output_shapes` of a GraphDef's nodes."""
        of_node = {}
        for tensor_name, shape in self._of_tensor.items():
            node_name, _, index = tensor_name.rpartition(":")
            of_node.setdefault(node_name, []).append((int(index), shape))
        for node in graph_def.node if of_node else ():
            for index, shape in of_node.get(node.name, ()):
                node.attr["_output_shapes"].list.shape[index].CopyFrom(shape.as_proto())


def _tensors(operations, entry):
    """The tensors that an entry's outputs are, or none if that is not clear."""
    operation = operations.get(entry.node_name)
    if operation is not None:
        return operation.outputs if len(operation.outputs) == len(entry.output) else []
    cut = _CUT.fullmatch(entry.node_name)
    if cut is None or len(entry.output) != 1:
        return []
    name, index = (part for part in cut.groups() if part is not None)
    outputs = operations[name].outputs if name in operations else []
    return outputs[int(index):int(index) + 1]


class _View:
    """A proxy for an object; subclasses override some attributes."""

    def __init__(self, target, shapes):
        self._target = target
        self._shapes = shapes

    def __getattr__(self, name):
        return getattr(self._target, name)

    def _view(self, element):
        if hasattr(element, "outputs"):
            return OperationView(element, self._shapes)
        if hasattr(element, "get_shape"):
            return TensorView(element, self._shapes)
        return element


class GraphView(_View):
    def get_tensor_by_name(self, name):
        return self._view(self._target.get_tensor_by_name(name))

    def get_operation_by_name(self, name):
        return self._view(self._target.get_operation_by_name(name))

    def as_graph_element(self, *args, **kwargs):
        return self._view(self._target.as_graph_element(*args, **kwargs))


class OperationView(_View):
    @property
    def inputs(self):
        return [self._view(tensor) for tensor in self._target.inputs]

    @property
    def outputs(self):
        return [self._view(tensor) for tensor in self._target.outputs]


class TensorView(_View):
    @property
    def shape(self):
        shape = self._shapes.get(self._target.name)
        return self._target.shape if shape is None else shape

    def get_shape(self):
        return self.shape

    @property
    def op(self):
        return self._view(self._target.op)
