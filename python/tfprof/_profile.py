"""Profiles from the files of a run. Does not need TensorFlow."""

import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from tfprof import _advice, _native, _options, _progress
from tfprof._result import Result

Path = Union[str, "os.PathLike[str]"]
Input = Union[bytes, Path, Any]

_NAMES = {"graph": "tensorflow.GraphDef", "run_meta": "tensorflow.RunMetadata",
          "op_log": "tensorflow.tfprof.OpLogProto", "profile": "tensorflow.tfprof.ProfileProto"}


def load(profile: Optional[Input] = None, *, graph: Optional[Input] = None,
         run_meta: Union[Input, Iterable[Input], Mapping[int, Input], None] = None,
         op_log: Optional[Input] = None, checkpoint: Optional[Path] = None,
         progress: Optional[bool] = None) -> "Profile":
    """A profile from files.

    Args:
      profile: a saved profile (ProfileProto), such as ``profile_100``; or else
      graph: a GraphDef, text or binary,
      run_meta: RunMetadata: one, a list (steps 0, 1, 2, ...) or a dict by step,
      op_log: an OpLogProto, such as ``tfprof_log``,
      checkpoint: the prefix or file of a TensorFlow checkpoint; alone, its variables
        are the nodes.
      progress: whether to show progress; by default on a terminal, for what
        takes longer than a second.

    Each is a path, or the message or its bytes.

    >>> import tfprof
    >>> profile = tfprof.load('examples/resnet/profile')
    >>> profile.steps
    [0, 1, 2]
    >>> profile  # doctest: +ELLIPSIS
    <Profile: ... nodes, steps 0, 1, 2>
    """
    if profile is None and graph is None and run_meta is None and (
            checkpoint is None or op_log is not None):
        raise _native.ArgumentError(
            "op_log: it adds to nodes: give graph= with it" if op_log is not None else
            "nothing to load: give a saved profile, or graph= and run_meta=, or checkpoint=")
    for name, given in (("graph", graph), ("run_meta", run_meta)):
        if profile is not None and given is not None:
            raise _native.ArgumentError(
                f"{name}: a saved profile holds that already: give either the profile or its parts")
    made = Profile(progress=progress)
    if profile is not None:
        made._do("load", profile, "profile")
    if graph is not None:
        made.add_graph(graph)
    if op_log is not None:
        made.add_op_log(op_log)
    for step, one in _steps(run_meta):
        made.add_step(step, one)
    if checkpoint is not None:
        made.add_checkpoint(checkpoint)
    return made


class Profile:
    """A profile: graph nodes, their cost in each step, and the code that created
    them.

    The four views take options by keyword (see docs/options.md) or as the
    dictionary of a ProfileOptionBuilder:

    >>> import tfprof
    >>> profile = tfprof.load('examples/resnet/profile')
    >>> profile.scope(account_type_regexes='_trainable_variables', select='params').root
    <Node '_TFProfRoot'>
    >>> profile.op(order_by='params')[1].name
    'VariableV2'
    >>> profile.op(select='mircos')
    Traceback (most recent call last):
      ...
    tfprof.ArgumentError: option 'select': unknown word 'mircos': expected one of: \
accelerator_micros, bytes, cpu_micros, device, float_ops, input_shapes, micros, occurrence, \
op_types, output_bytes, params, peak_bytes, residual_bytes, tensor_value (did you mean 'micros'?)

    Any number of profiles can be used at once, and a profile can be used from
    several threads.
    """

    def __init__(self, *, progress: Optional[bool] = None):
        self._native = _native.Profile()
        self._progress = progress

    # -- adding ----------------------------------------------------------------

    def add_graph(self, graph: Input) -> None:
        """Adds the nodes of a GraphDef that are not in the profile yet."""
        self._do("add_graph", graph, "graph")

    def add_op_log(self, op_log: Input) -> None:
        """Adds types, float operations and call stacks to existing nodes."""
        self._do("add_op_log", op_log, "op_log")

    def add_step(self, step: int, run_meta: Input, *, graph: Optional[Input] = None,
                 op_log: Optional[Input] = None) -> float:
        """Adds a run to a step, optionally with a newer graph and an op log.

        Returns the share of the nodes that have run so far. On failure the profile
        is unchanged."""
        if isinstance(step, bool) or not hasattr(step, "__index__"):
            raise TypeError(f"step: expected a whole number, got {step!r}")
        with self._watched(run_meta, "run metadata"):
            return self._native.add_step(
                step, None if graph is None else _input(graph, "graph"),
                _input(run_meta, "run_meta"),
                None if op_log is None else _input(op_log, "op_log"))

    def add_checkpoint(self, path: Path) -> None:
        """Adds the values of variables, and the type ``_checkpoint_variables`` to
        their nodes."""
        with self._watched(path, "checkpoint"):
            self._native.add_checkpoint(path)

    # -- queries -----------------------------------------------------------------

    def scope(self, options: Optional[Mapping[str, Any]] = None, **keywords: Any) -> Result:
        """The nodes by name scope."""
        return self._query("scope", options, keywords)

    def graph(self, options: Optional[Mapping[str, Any]] = None, **keywords: Any) -> Result:
        """The nodes by data flow: below a node are its inputs."""
        return self._query("graph", options, keywords)

    def op(self, options: Optional[Mapping[str, Any]] = None, **keywords: Any) -> Result:
        """The nodes by operation type."""
        return self._query("op", options, keywords)

    def code(self, options: Optional[Mapping[str, Any]] = None, **keywords: Any) -> Result:
        """The nodes by the lines of Python that created them."""
        return self._query("code", options, keywords)

    def advise(self, *checkers: str, options: Optional[Mapping[str, Mapping[str, Any]]] = None,
               output: str = "stdout") -> "_advice.Advice":
        """Runs all checkers, or those named, and returns their findings.

        Args:
          checkers: names of checkers, such as 'JobChecker'.
          options: {checker: {option: value}}; these checkers are run, too.
          output: 'stdout' (the report is in the value returned),
            'file:outfile=PATH' or 'json:outfile=PATH'.
        """
        chosen = _advice.settings(checkers, {} if options is None else options)
        found = self._native.advise(settings=chosen, output=output)
        if output != "stdout":
            found.output()
        return _advice.Advice(found, output)

    @property
    def steps(self) -> List[int]:
        """The steps, ascending."""
        return self._native.steps

    @property
    def summary(self) -> Dict[str, Any]:
        """The number of nodes, steps and devices, and whether there are call stacks,
        run metadata, float operations and a checkpoint."""
        return self._native.summary

    @property
    def notes(self) -> str:
        """Lines about the last addition; often empty."""
        return self._native.notes

    def __len__(self) -> int:
        return self._native.summary["n_nodes"]

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        steps = self.steps
        shown = ", ".join(map(str, steps[:10])) + (", ..." if len(steps) > 10 else "")
        return f"<Profile: {len(self)} nodes, {'steps ' + shown if steps else 'no steps'}>"

    # -- saving ------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Writes the profile (a ProfileProto), completely or not at all."""
        with _progress.writing(path, self._progress):
            self._native.save(path)

    def serialize(self) -> bytes:
        """The profile as the bytes of a ProfileProto."""
        return self._native.serialize()

    def __reduce__(self) -> Any:
        return _from_bytes, (self.serialize(),)

    # -- internal ----------------------------------------------------------------

    def _query(self, view: str, options: Optional[Mapping[str, Any]],
               keywords: Mapping[str, Any]) -> Result:
        message, settings, values = _options.from_keywords(options, keywords)
        found = self._native.query(view, message, settings)
        if values["output"] != "stdout":
            found.output(_native.STRICT)
        return Result(found, view, values)

    def _do(self, method: str, given: Input, name: str) -> None:
        with self._watched(given, name):
            getattr(self._native, method)(_input(given, name))

    def _watched(self, given: Any, name: str) -> Any:
        if isinstance(given, (str, os.PathLike)):
            name = os.path.basename(os.fspath(given))
        return _progress.shown(self._native, f"reading {name}", self._progress)


def _from_bytes(data: bytes) -> Profile:
    made = Profile()
    if data:
        made._native.load(data)
    return made


def _input(given: Input, name: str) -> Any:
    """A path or bytes for the native module."""
    if hasattr(given, "SerializeToString"):
        from tfprof import _messages
        return _messages.to_bytes(given, name, _NAMES[name])
    if isinstance(given, (bytes, bytearray, memoryview, str, os.PathLike)):
        return given
    raise TypeError(f"{name}: expected a path, a {_NAMES[name]} message or its bytes, "
                    f"got {type(given).__name__}")


def _steps(run_meta: Any) -> Iterable[Tuple[int, Input]]:
    if run_meta is None:
        return ()
    if isinstance(run_meta, Mapping):
        return run_meta.items()
    if isinstance(run_meta, (bytes, bytearray, memoryview, str, os.PathLike)) or hasattr(
            run_meta, "SerializeToString"):
        return ((0, run_meta),)
    try:
        return enumerate(run_meta)
    except TypeError:
        _input(run_meta, "run_meta")
        raise
