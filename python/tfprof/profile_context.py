"""Profiles a training loop without changing it: inside a ProfileContext every
`Session.run` is a step; some steps are traced, and after some the profile is
written to a file.

    run = begin (number, trace? dump?)  ->  the session's own run  ->  finish
          taken back if run raises                                    (add, dump, profile)
"""

import functools
import os
import sys
import threading
from typing import Any, Dict, Iterable, List, Mapping, Optional

from tfprof import _options
from tfprof._collect import Collector, quietly
from tfprof._files import directory_path, write_whole
from tfprof._need import need
from tfprof._step_rules import (FULL_TRACE, WARM_UP_STEPS, Step, StepRules, step_set,
                                traces_hardware)
from tfprof._warn import warn
from tfprof.model_analyzer import Profiler

_METHODS = {"scope": "profile_name_scope", "graph": "profile_graph", "op": "profile_operations",
            "code": "profile_python"}

_patch_lock = threading.Lock()
_active: Optional["ProfileContext"] = None


class ProfileContext:
    """Traces some of the steps that run inside, and writes profiles of them.

    ::

        with tfprof.ProfileContext('/tmp/train_dir'):
            train_loop()

    Every call of any session's `run` inside the context is a step, counted from 0.
    By default the context traces runs of fetches it has not seen yet, and some more
    while less than half of the graph has been covered, and writes `profile_100`
    after step 100. If the loop ends before anything was written, it writes the
    profile then, with a warning.

    Args:
      profile_dir: the directory to write profiles to.
      trace_steps: the steps to trace, at most 100. None: the context decides; an
        empty list: only `trace_next_step` traces.
      dump_steps: the steps after which to write the profile so far. None: step 100;
        an empty list: only `dump_next_step` writes.
      enabled: False makes the context do nothing.
      debug: True logs to stderr, and writes the run metadata of traced steps as
        text to `run_meta_<step>`.
    """

    def __init__(self, profile_dir: Any, trace_steps: Optional[Iterable[int]] = None,
                 dump_steps: Optional[Iterable[int]] = None, enabled: bool = True,
                 debug: bool = False):
        self._directory = directory_path(profile_dir, "profile_dir")
        if not self._directory:
            raise ValueError("profile_dir is empty: expected the directory to write profiles to")
        self._rules = StepRules(trace_steps, dump_steps)
        self._enabled = bool(enabled)
        self._debug = bool(debug)
        self._auto_profiles: List[Any] = []  # (cmd, options, steps)
        self._unpatch: Any = None

        self._lock = threading.RLock()  # protects everything below
        self._profiler: Optional[Profiler] = None
        self._collectors: Dict[Any, Collector] = {}  # by graph
        self._last_graph: Any = None
        self._profiles: Dict[str, Dict[int, Any]] = {}
        self._n_dumped = 0

    # -- control -----------------------------------------------------------

    def trace_next_step(self) -> None:
        """Traces the next step in any case."""
        self._rules.trace_next()

    def dump_next_step(self) -> None:
        """Writes the profile after the next step."""
        self._rules.dump_next()

    def add_auto_profiling(self, cmd: str, options: Mapping[str, Any],
                           steps: Optional[Iterable[int]] = None, *,
                           profile_steps: Optional[Iterable[int]] = None) -> None:
        """Traces some steps and profiles after each of them; `get_profiles` returns
        the results.

        Args:
          cmd: 'scope', 'graph', 'op' or 'code'.
          options: a dict of options, as ProfileOptionBuilder builds it.
          steps: the steps.
          profile_steps: another name for `steps`.
        """
        if cmd not in _METHODS:
            raise ValueError(f"cmd: unknown view {cmd!r}: expected one of: {', '.join(_METHODS)}")
        _options.from_dict(options)  # fail now rather than during training
        if (steps is None) == (profile_steps is None):
            raise TypeError("add_auto_profiling: give exactly one of steps and profile_steps")
        chosen = step_set(profile_steps if steps is None else steps, "steps")
        self._rules.trace_also(chosen)
        self._auto_profiles.append((cmd, options, chosen))

    # -- results -----------------------------------------------------------

    @property
    def profiler(self) -> Optional[Profiler]:
        """The Profiler with the traced steps; None if not enabled."""
        return self._get_profiler(None) if self._enabled else None

    def get_profiles(self, cmd: str) -> Dict[int, Any]:
        """The results of automatic profiling of a view so far, {step: result}."""
        with self._lock:
            if cmd not in self._profiles:
                ran = ", ".join(sorted(self._profiles)) or "none"
                raise ValueError(f"{cmd!r} has not been profiled yet: only {ran}")
            return dict(self._profiles[cmd])

    # -- the with statement ------------------------------------------------

    def __enter__(self) -> "ProfileContext":
        global _active
        if not self._enabled:
            return self
        need("tensorflow", "tfprof.ProfileContext")
        from tensorflow.python.client.session import BaseSession
        from tensorflow.python.framework import errors

        self._check_directory()  # fail now rather than after training
        with _patch_lock:
            if _active is not None:
                raise errors.InternalError(None, None, "another ProfileContext is already active: "
                                           "only one is allowed at a time")
            self._unpatch = _patch(BaseSession, self)
            _active = self
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        global _active
        if not self._enabled:
            return
        with _patch_lock:
            self._unpatch()
            _active = None
        try:
            self._dump_at_exit()
        except Exception as error:
            if exc_type is None:
                raise
            warn(f"the profile could not be written: {error}")  # do not replace the loop's error

    def _dump_at_exit(self) -> None:
        with self._lock:
            n_steps = self._rules.n_steps
            if self._n_dumped or not n_steps:
                return
            wanted = ", ".join(map(str, sorted(self._rules.dump_steps))) or "none"
            warn(f"no profile was written in {self._rules.n_run} steps (dump_steps: {wanted}): "
                 f"writing {os.path.join(self._directory, f'profile_{n_steps - 1}')} now")
            self._dump(n_steps - 1, self._last_graph)

    def _check_directory(self) -> None:
        if "://" in self._directory:
            return
        there = os.path.abspath(self._directory)
        while not os.path.lexists(there):
            there = os.path.dirname(there)
        if not os.path.isdir(there):
            raise NotADirectoryError(f"profile_dir is not a directory: {there}")
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(f"profile_dir is not writable: {there}")

    # -- a step ------------------------------------------------------------

    def _run(self, run: Any, session: Any, fetches: Any, feed_dict: Any, options: Any,
             run_metadata: Any) -> Any:
        """Replaces a session's `run` inside the context."""
        step = self._rules.begin(session, fetches, options)
        try:
            if step.trace_level:
                self._log(f"tracing step {step.number}")
                options, run_metadata = _traced(step, options, run_metadata)
            result = run(session, fetches, feed_dict, options, run_metadata)
        except BaseException as error:
            self._rules.take_back(step)
            if step.trace_level == FULL_TRACE and type(error).__name__ == "AlreadyExistsError":
                self._rules.trace_no_hardware()
                warn("another profiler is tracing hardware: later steps are traced without it")
            raise
        self._rules.end(step)
        self._finish(step, session.graph, run_metadata)
        return result

    def _finish(self, step: Step, graph: Any, run_metadata: Any) -> None:
        """Adds, dumps and profiles the step. Failures are warnings: the step itself has
        run, and its results must reach the caller."""
        self._last_graph = graph
        profiles = [(cmd, options) for cmd, options, steps in self._auto_profiles
                    if step.number in steps]
        if not (step.trace_level or step.is_dumped or profiles):
            return
        with self._lock:
            if step.trace_level:
                self._attempt(f"step {step.number} could not be added to the profile",
                              self._add_step, step.number, graph, run_metadata)
            if step.is_dumped:
                self._attempt(f"profile_{step.number} could not be written",
                              self._dump, step.number, graph)
            for cmd, options in profiles:
                self._attempt(f"profiling {cmd!r} at step {step.number} failed",
                              self._profile, step.number, graph, cmd, options)

    def _attempt(self, failure: str, function: Any, *args: Any) -> None:
        try:
            function(*args)
        except Exception as error:
            warn(f"{failure}: {error}")

    # -- the profiler; with the lock held --------------------------------------

    def _get_profiler(self, graph: Any) -> Profiler:
        with self._lock:
            if self._profiler is None:
                self._profiler = Profiler(self._last_graph if graph is None else graph)
                if self._profiler._collector:
                    self._collectors[self._profiler._graph] = self._profiler._collector
            return self._profiler

    def _add_step(self, step: int, graph: Any, run_metadata: Any) -> None:
        if self._debug:
            from google.protobuf import text_format

            text = text_format.MessageToString(run_metadata)
            write_whole(self._directory, f"run_meta_{step}", text.encode())
        with quietly():
            profiler = self._get_profiler(graph)
        if graph not in self._collectors:
            # Sessions of several graphs share the profile, hence its table of strings.
            stacks = next((known.stacks for known in self._collectors.values()), None)
            self._collectors[graph] = Collector(graph, stacks, source_lines=True)
        profiler._collector, profiler._graph = self._collectors[graph], graph
        profiler.add_step(step, run_metadata)
        self._rules.coverage = profiler._coverage

    def _dump(self, step: int, graph: Any) -> None:
        self._log(f"writing profile_{step}")
        profiler, name = self._get_profiler(graph), f"profile_{step}"
        if "://" in self._directory:
            write_whole(self._directory, name, profiler.serialize_to_string())
        else:
            os.makedirs(self._directory or ".", exist_ok=True)
            profiler._write_profile(os.path.join(self._directory, name))
        self._n_dumped += 1
        if not profiler._profile.steps:
            warn(f"{name} has no times and no memory: none of {self._rules.n_run} steps was traced "
                 f"(set trace_steps; by default tracing begins after step {WARM_UP_STEPS})")

    def _profile(self, step: int, graph: Any, cmd: str, options: Mapping[str, Any]) -> None:
        self._log(f"profiling {cmd} at step {step}")
        result = getattr(self._get_profiler(graph), _METHODS[cmd])(options)
        self._profiles.setdefault(cmd, {})[step] = result

    def _log(self, text: str) -> None:
        if self._debug:
            sys.stderr.write(f"tfprof: {text}\n")


def _patch(session_class: Any, context: ProfileContext) -> Any:
    """Replaces `run` of every session with the context's. Returns a function to undo it."""
    run = session_class.run

    @functools.wraps(run)
    def profiled_run(self: Any, fetches: Any, feed_dict: Any = None, options: Any = None,
                     run_metadata: Any = None) -> Any:
        if _active is not context:  # someone kept the method after the context ended
            return run(self, fetches, feed_dict, options, run_metadata)
        return context._run(run, self, fetches, feed_dict, options, run_metadata)

    def unpatch() -> None:
        if session_class.run is profiled_run:  # else someone has patched on top of it
            session_class.run = run
        del session_class.profile_context

    session_class.run = profiled_run
    session_class.profile_context = context
    return unpatch


def _traced(step: Step, options: Any, run_metadata: Any) -> Any:
    """The caller's options with tracing turned on, and the RunMetadata for the trace."""
    from tensorflow.core.protobuf.config_pb2 import RunMetadata, RunOptions

    tracing = RunOptions()
    if options is not None:
        tracing.CopyFrom(options)
    if not traces_hardware(tracing):
        tracing.trace_level = step.trace_level
    return tracing, RunMetadata() if run_metadata is None else run_metadata
