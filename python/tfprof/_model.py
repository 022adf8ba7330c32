"""What a model costs: ``tfprof.model(...)``."""

import os
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, TypeVar

from tfprof import _native, _options
from tfprof._answer import Answer
from tfprof._report import Report


class Model(Report):
    """Parameters, multiply-accumulates, float operations and memory of a model.

    Printing it shows the report. Iterating yields a dictionary per layer; ``total`` has
    the sums.

    >>> import tfprof
    >>> cost = tfprof.model('tests/models/files/mlp/export')
    >>> cost.macs, cost.parameters
    (50816, 51146)
    >>> [layer['name'] for layer in cost]
    ['sequential/dense', 'sequential/batch_normalization', 'sequential/dense_1']
    """

    @property
    def total(self) -> Dict[str, Any]:
        """Sums over all layers."""
        return self.to_dict()["total"]

    @property
    def layers(self) -> List[Dict[str, Any]]:
        """A dictionary per layer, in the model's order unless order_by says otherwise."""
        return self.to_dict()["layers"]

    @property
    def parameters(self) -> int:
        """Numbers in the model's weights."""
        return self.total["parameters"]

    @property
    def macs(self) -> int:
        """Multiply-accumulates of products and convolutions."""
        return self.total["macs"]

    @property
    def float_ops(self) -> int:
        """Float operations: two per multiply-accumulate, and all others."""
        return self.total["float_ops"]

    @property
    def not_counted(self) -> Dict[str, int]:
        """Operation types that were not counted, and how many there are of each."""
        return self.to_dict()["not_counted"]

    @property
    def notes(self) -> List[str]:
        """What was assumed."""
        return [note["text"] for note in self.to_dict()["notes"]]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.layers)

    def __repr__(self) -> str:
        return (f"<model: {self.parameters:,} parameters, {self.macs:,} MACs, "
                f"{self.float_ops:,} float operations>")

    def _repr_html_(self) -> str:
        """A table of the layers in notebooks."""
        from html import escape
        names = ("name", "type", "parameters", "macs", "float_ops")
        head = "".join(f"<th>{name}</th>" for name in names)
        rows = "".join("<tr>" + "".join(f"<td>{escape(_cell(row[name]))}</td>" for name in names)
                       + "</tr>" for row in [*self.layers, {**self.total, "name": "total",
                                                            "type": ""}])
        return f"<table><tr>{head}</tr>{rows}</table>"


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _settings(question: str, batch_size: Optional[int],
              options: Dict[str, Any]) -> List[Tuple[str, Any]]:
    known = ["batch_size", *(name for name in _options.of(question)
                             if name not in ("batch_size", "output"))]
    function = "model_memory" if question == "memory" else question
    for name in options:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}: expected one "
                            f"of: {', '.join(known)}")
    given = {name: value for name, value in options.items() if value is not None}
    if batch_size is not None:
        given["batch_size"] = batch_size
    return _options.from_keywords(question, None, given)[0]


_Counted = TypeVar("_Counted", bound=Report)


def _frozen(function: Any) -> bytes:
    """A concrete function with its variables as constants, functions and loops as they are."""
    from tensorflow.python.framework import convert_to_constants
    frozen = convert_to_constants.convert_variables_to_constants_v2(
        function, lower_control_flow=False)
    return frozen.graph.as_graph_def().SerializeToString()


def model(model: Any, batch_size: Optional[int] = None, *, strict: bool = False,
          recover: bool = False, **options: Any) -> Model:
    """What a model costs, by layer.

    ``model`` is the path of a model file or of a SavedModel's directory, its bytes, a Keras
    model, a concrete function of TensorFlow or a GraphDef. Options are those of
    ``tfprof model``: ``input_shapes`` (also a dictionary), ``signature``, ``trip_count``,
    ``device``, ``peak_flops``, ``peak_bandwidth``, ``order_by``, ``max_depth``. Needs
    TensorFlow or Keras only for objects of theirs.

    ``recover`` counts the intact parts of a damaged file, and ``notes`` say what was dropped;
    ``strict`` refuses files with anything that would be ignored.
    """
    if strict and recover:
        raise _native.ArgumentError("strict and recover cannot be combined")
    settings = _settings("model", batch_size, options)

    def count(source: Any) -> Model:
        return Model(_native.model(source, settings=settings, strict=bool(strict),
                                   recover=bool(recover)))
    return _read(model, count)


def model_memory(model: Any, batch_size: Optional[int] = None, **options: Any) -> Answer:
    """An estimate of the memory that a model takes: of a call or, with ``training=True``, of a
    training step: weights, the optimizer's slots, gradients, and what each layer keeps for the
    backward pass.

    ``model`` is what ``tfprof.model`` takes. Options are those of ``tfprof memory`` for models:
    ``optimizer``, ``dtype``, ``limit`` (then ``largest_batch`` is the largest that fits),
    ``input_shapes``, ``signature``, ``trip_count``.

    >>> import tfprof
    >>> found = tfprof.model_memory('tests/models/files/mlp/export', 64, training=True, limit='1GB')
    >>> found.is_estimate, found.batch_size
    (1, 64)
    """
    settings = _settings("memory", batch_size, options)
    return _read(model, lambda source: Answer(
        _native.model(source, settings=settings, question="memory"), "memory"))


def _read(model: Any, count: Callable[[Any], _Counted]) -> _Counted:
    """Gives what is counted as a file: its path or its bytes."""
    if isinstance(model, (str, bytes, bytearray, memoryview)) or hasattr(model, "__fspath__"):
        return count(model)
    if hasattr(model, "SerializeToString"):
        return count(model.SerializeToString())
    if hasattr(model, "structured_input_signature") and hasattr(model, "graph"):
        return count(_frozen(model))
    if hasattr(model, "layers") and hasattr(model, "save"):
        with tempfile.TemporaryDirectory() as directory:
            if hasattr(model, "output_shape") or hasattr(model, "get_config"):
                path = os.path.join(directory, "model.keras")
                model.save(path)
                counted = count(path)
                if not any(note["id"] == "no_layer_graph" for note in counted.to_dict()["notes"]):
                    return counted
            path = os.path.join(directory, "export")
            model.export(path, verbose=False)
            counted = count(path)
            counted.to_dict()
            return counted
    raise TypeError(f"model: expected a path, bytes, a Keras model, a concrete function or a "
                    f"GraphDef, got {type(model)!r}")
