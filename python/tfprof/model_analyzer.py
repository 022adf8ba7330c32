"""TensorFlow's profiler API: Profiler, profile, advise, and their older names.

Names, arguments and results are those of ``tf.compat.v1.profiler``. The
implementation is this package's own, so there can be any number of profilers, in
any number of threads.
"""

import sys
from typing import Any, Dict, Mapping, Optional

from tfprof import _ask, _inputs, _messages, _native, _options, _progress
from tfprof.option_builder import ProfileOptionBuilder

#: Every checker of the advisor with its default options.
ALL_ADVICE: Dict[str, Dict[str, str]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}

# Mean "the preset" and "every checker", as in TensorFlow.
_DEFAULT_PROFILE_OPTIONS: Any = 0
_DEFAULT_ADVISE_OPTIONS: Any = 0

# The options of print_model_analysis, under their old names: a new dict each time, so that
# changing one does not change the preset (see __getattr__).
TRAINABLE_VARS_PARAMS_STAT_OPTIONS: Dict[str, Any]
FLOAT_OPS_OPTIONS: Dict[str, Any]
PRINT_ALL_TIMING_MEMORY: Dict[str, Any]
_PRESETS = {
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS": ProfileOptionBuilder.trainable_variables_parameter,
    "FLOAT_OPS_OPTIONS": ProfileOptionBuilder.float_operation,
    "PRINT_ALL_TIMING_MEMORY": ProfileOptionBuilder.time_and_memory,
}


class Profiler:
    """Profiles a model over several steps.

    ::

        profiler = tfprof.Profiler(sess.graph)
        for i in range(total_steps):
            if i % 10000 == 0:
                run_meta = tf.compat.v1.RunMetadata()
                sess.run(train_op,
                         options=tf.compat.v1.RunOptions(
                             trace_level=tf.compat.v1.RunOptions.FULL_TRACE),
                         run_metadata=run_meta)
                profiler.add_step(i, run_meta)
                profiler.profile_operations(
                    options=tfprof.ProfileOptionBuilder.time_and_memory())
            else:
                sess.run(train_op)
        profiler.advise()
    """

    def __init__(self, graph: Any = None, op_log: Any = None):
        """
        Args:
          graph: tf.Graph. If None and eager execution is not enabled, the
            default graph.
          op_log: optional tensorflow.tfprof.OpLogProto that defines extra op
            types.
        """
        self._coverage = 0.0
        self._profile = _native.Profile()
        self._collector = _collector(graph, source_lines=True)
        self._graph = self._collector.graph if self._collector else None
        _check(op_log, "op_log")
        if self._collector:
            graph_def, log = self._collector.collect(op_log=op_log)
            _add(self._profile, "graph", graph_def)
            _add(self._profile, "op_log", log)

    def add_step(self, step: int, run_meta: Any) -> None:
        """Adds the statistics of a step. On failure nothing is added.

        Args:
          step: int, the step to add to. Several `run_meta` of one `step` add up;
            the option `step` selects it.
          run_meta: RunMetadata with the statistics of a session run.
        """
        data = _check(run_meta, "run_meta")
        if data is None:
            raise TypeError("run_meta: expected a tensorflow.RunMetadata message, got None")
        if isinstance(step, bool) or not hasattr(step, "__index__"):
            raise TypeError(f"step: expected a whole number, got {step!r}")
        graph_def = log = None
        if self._collector:
            graph_def, log = self._collector.collect(run_meta=run_meta)
        self._coverage = self._profile.add_step(step, graph_def or None, data, log or None)
        _ask.print_profile_notes(self._profile)

    def profile_name_scope(self, options: Mapping[str, Any]) -> Any:
        """Profiles by name scope. Returns a GraphNodeProto.

        Args:
          options: a dict of options, as ProfileOptionBuilder builds it.
        """
        return self._query("scope", options)

    def profile_graph(self, options: Mapping[str, Any]) -> Any:
        """Profiles by data flow. Returns a GraphNodeProto.

        Args:
          options: a dict of options, as ProfileOptionBuilder builds it.
        """
        return self._query("graph", options)

    def profile_operations(self, options: Mapping[str, Any]) -> Any:
        """Profiles by operation type (MatMul, Conv2D). Returns a MultiGraphNodeProto.

        Args:
          options: a dict of options, as ProfileOptionBuilder builds it.
        """
        return self._query("op", options)

    def profile_python(self, options: Mapping[str, Any]) -> Any:
        """Profiles by lines of Python. Returns a MultiGraphNodeProto.

        Call stacks are shown from their root. To see only your own code:
        ``options['show_name_regexes'] = ['.*my_code.py.*']``.

        Args:
          options: a dict of options, as ProfileOptionBuilder builds it.
        """
        return self._query("code", options)

    def advise(self, options: Mapping[str, Mapping[str, Any]] = ALL_ADVICE) -> Any:
        """Looks for problems and prints its findings. Returns an AdviceProto.

        Args:
          options: the checkers to run, each with a dict of its options, like
            ALL_ADVICE.
        """
        return _messages.parse("AdviceProto", _ask.advise_by_name(
            self._profile, _ask.advice_settings(options)))

    def serialize_to_string(self) -> bytes:
        """The profile as the bytes of a ProfileProto.

        The command line tool and ``tfprof.load`` read them from a file.
        """
        return self._profile.serialize()

    def __getattr__(self, name: str) -> Any:
        # TensorFlow's own helpers create a Profiler without __init__ to use the one
        # that ProfilerFromFile started.
        if name != "_profile":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        from tfprof import pywrap
        return pywrap._get_current()

    def _write_profile(self, filename: str) -> None:
        with _progress.writing(filename):
            self._profile.save(filename)

    def _query(self, view: str, options: Mapping[str, Any]) -> Any:
        message = _ask.query(self._profile, view, _options.from_dict(options))
        return _messages.parse(_ask.VIEWS[view], message)


def profile(graph: Any = None, run_meta: Any = None, op_log: Any = None, cmd: str = "scope",
            options: Any = _DEFAULT_PROFILE_OPTIONS) -> Any:
    """Profiles a model in one call.

    Args:
      graph: tf.Graph. If None and eager execution is not enabled, the default
        graph.
      run_meta: optional RunMetadata with time and memory, and with shapes that
        the graph does not know.
      op_log: optional OpLogProto that gives nodes custom types, for
        options['account_type_regexes'].
      cmd: 'scope', 'graph', 'op' or 'code': by name scope, data flow,
        operation type or line of Python.
      options: a dict of options, as ProfileOptionBuilder builds it; by default
        trainable_variables_parameter().

    Returns:
      GraphNodeProto for 'scope' and 'graph', MultiGraphNodeProto for 'op' and
      'code'. The report goes to options['output'].
    """
    if cmd not in _ask.VIEWS:
        raise _unknown_cmd(cmd)
    if options is _DEFAULT_PROFILE_OPTIONS:
        options = ProfileOptionBuilder.trainable_variables_parameter()
    message = _options.from_dict(options)
    gathered = _gather(graph, run_meta, op_log, add_trace=cmd == "code")
    return _messages.parse(_ask.VIEWS[cmd], _ask.query(gathered, cmd, message))


def advise(graph: Any = None, run_meta: Any = None, options: Any = _DEFAULT_ADVISE_OPTIONS, *,
           tfprof_options: Any = _DEFAULT_ADVISE_OPTIONS) -> Any:
    """Looks for problems in a model and prints its findings.

    Args:
      graph: tf.Graph. If None and eager execution is not enabled, the default
        graph.
      run_meta: optional RunMetadata; most checkers need it.
      options: the checkers to run, by default ALL_ADVICE.
      tfprof_options: the old name of `options`.

    Returns:
      AdviceProto.
    """
    if options is _DEFAULT_ADVISE_OPTIONS:
        options = tfprof_options
    if options is _DEFAULT_ADVISE_OPTIONS:
        options = ALL_ADVICE
    settings = _ask.advice_settings(options)
    gathered = _gather(graph, run_meta, None, add_trace=True)
    return _messages.parse("AdviceProto", _ask.advise_by_name(gathered, settings))


def print_model_analysis(graph: Any, run_meta: Any = None, op_log: Any = None,
                         tfprof_cmd: str = "scope",
                         tfprof_options: Any = _DEFAULT_PROFILE_OPTIONS) -> Any:
    """The old name of `profile`. Its presets are TRAINABLE_VARS_PARAMS_STAT_OPTIONS, the
    default, FLOAT_OPS_OPTIONS and PRINT_ALL_TIMING_MEMORY."""
    return profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)


def __getattr__(name: str) -> Any:
    if name in _PRESETS:
        return _PRESETS[name]()
    if name == "ProfileContext":
        from tfprof.profile_context import ProfileContext
        return ProfileContext
    raise AttributeError(f"module 'tfprof.model_analyzer' has no attribute {name!r}")


# ---- building a profile ---------------------------------------------------------

def _gather(graph: Any, run_meta: Any, op_log: Any, add_trace: bool) -> _native.Profile:
    """A profile of the graph, run metadata (as step 0) and op log, added in this order."""
    run_meta_bytes = _check(run_meta, "run_meta")
    _check(op_log, "op_log")
    made = _native.Profile()
    collector, log = _collector(graph), b""
    if collector:
        graph_def, log = collector.collect(op_log=op_log, run_meta=run_meta, add_trace=add_trace)
        _add(made, "graph", graph_def)
    if run_meta_bytes:
        _add_run_meta(made, run_meta_bytes)
    _add(made, "op_log", log)
    return made


def _add(profile: _native.Profile, kind: str, data: Optional[bytes]) -> None:
    if data:
        profile.add(kind, data)


def _add_run_meta(made: _native.Profile, data: bytes) -> None:
    """Adds step 0. A run that was not traced is only reported."""
    try:
        made.add_step(0, None, data)
    except _native.Error as error:
        if not _ask.is_without_step_stats(error):
            raise
        _ask.print_notes(f"{error}\n")
        return
    _ask.print_profile_notes(made)


def _collector(graph: Any, source_lines: bool = False) -> Any:
    """A Collector of the live graph; None if there is no graph."""
    if graph is None and "tensorflow" not in sys.modules:
        return None
    if graph is not None and not hasattr(graph, "as_graph_def"):
        hint = "; pass its .graph" if hasattr(graph, "graph") else (
            "; files and messages go to tfprof.load(graph=...)")
        raise TypeError(f"graph: expected a tf.Graph, got {type(graph).__name__}{hint}")
    from tfprof._collect import Collector
    collector = Collector(graph, source_lines=source_lines)
    return collector if collector.graph is not None else None


def _check(message: Any, kind: str) -> Optional[bytes]:
    if message is None:
        return None
    return _messages.to_bytes(message, kind, str(_inputs.KINDS[kind].message))


def _unknown_cmd(cmd: Any) -> Exception:
    """Our ArgumentError, and TensorFlow's InvalidArgumentError if TensorFlow is imported."""
    text = f"unknown cmd: {cmd}\nexpected one of: {', '.join(_ask.VIEWS)}"
    if "tensorflow" not in sys.modules:
        return _native.ArgumentError(text)
    from tensorflow.python.framework import errors

    class InvalidArgumentError(errors.InvalidArgumentError, _native.ArgumentError):
        pass

    return InvalidArgumentError(None, None, text)
