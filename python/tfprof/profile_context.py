"""Profiles a training loop without changing it: inside a ProfileContext every
`Session.run` is a step; some steps are traced, and after some the profile is
written to a file.

    run = begin (number, trace? dump?)  ->  the session's own run  ->  finish
          taken back if run raises                                    (add, dump, profile)
"""

import contextlib
import functools
import os
import sys
import threading
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set

from tfprof import _options
from tfprof._collect import Collector, quietly
from tfprof._files import check_directory, directory_path, write_whole
from tfprof._guard import Guard
from tfprof._need import need
from tfprof._step_rules import (FULL_TRACE, SOFTWARE_TRACE, WARM_UP_STEPS, Step, StepRules,
                                is_hardware_traced, step_set, traces_hardware)
from tfprof._warn import never_raising
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
      strict: True raises if profiling fails; otherwise that is a warning, and the loop
        continues without profiling.
    """

    def __init__(self, profile_dir: Any, trace_steps: Optional[Iterable[int]] = None,
                 dump_steps: Optional[Iterable[int]] = None, enabled: bool = True,
                 debug: bool = False, *, strict: bool = False):
        self._directory = directory_path(profile_dir, "profile_dir")
        if not self._directory:
            raise ValueError("profile_dir is empty: expected the directory to write profiles to")
        self._rules = StepRules(trace_steps, dump_steps)
        self._enabled = bool(enabled)
        self._debug = bool(debug)
        self._auto_profiles: List[Any] = []  # (cmd, options, steps)
        self._guard = Guard("tfprof.ProfileContext", strict)

        self._lock = threading.RLock()  # protects everything below
        self._profiler: Optional[Profiler] = None
        self._collectors: Dict[Any, Collector] = {}  # by graph
        self._last_graph: Any = None
        self._profiles: Dict[str, Dict[int, Any]] = {}
        self._failed_views: Set[str] = set()
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
                if self._guard.failure or cmd in self._failed_views:
                    return {}  # what follows the loop must go on, too
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

        with _patch_lock:
            if _active is not None:
                raise errors.InternalError(None, None, "another ProfileContext is already active: "
                                           "only one is allowed at a time")
            self._guard.begin()
            self._guard.run("nothing can be written", check_directory, self._directory,
                            "profile_dir")
            self._guard.run("sessions cannot be watched", self._patch, BaseSession)
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self._guard.restore()
        if self._guard.failure:
            self._dump_rest()
            return
        # An error of the loop is not replaced.
        with contextlib.nullcontext() if exc_type is None else contextlib.suppress(Exception):
            self._guard.run("the profile could not be written", self._dump_at_exit)

    def _dump_rest(self) -> None:
        """Writes what was traced before profiling failed, if it can be written."""
        with self._lock, never_raising(), contextlib.suppress(Exception):
            if not self._n_dumped and self._profiler is not None and self._profiler._profile.steps:
                self._dump(self._rules.n_steps - 1, self._last_graph)

    def _patch(self, session_class: Any) -> None:
        global _active
        unpatch = _patch(session_class, self)
        _active = self

        def leave() -> None:
            global _active
            _active = None
            unpatch()

        self._guard.on_restore(leave)

    def _dump_at_exit(self) -> None:
        with self._lock:
            n_steps = self._rules.n_steps
            if self._n_dumped or not n_steps:
                return
            wanted = ", ".join(map(str, sorted(self._rules.dump_steps))) or "none"
            path = os.path.join(self._directory, f"profile_{n_steps - 1}")
            self._guard.note(f"no profile was written in {self._rules.n_run} steps (dump_steps: "
                             f"{wanted}): writing {path} now")
            self._dump(n_steps - 1, self._last_graph)

    # -- a step ------------------------------------------------------------

    def _run(self, run: Any, session: Any, fetches: Any, feed_dict: Any, options: Any,
             run_metadata: Any) -> Any:
        """Replaces a session's `run` inside the context."""
        step = self._guard.run("a step could not be begun", self._begin, session, fetches, options)
        if step is None:
            return run(session, fetches, feed_dict, options, run_metadata)
        try:
            traced = options, run_metadata
            if step.trace_level:
                traced = _traced(step, options, run_metadata)
            result = run(session, fetches, feed_dict, *traced)
        except BaseException as error:
            self._rules.take_back(step)
            if step.trace_level != FULL_TRACE or type(error).__name__ != "AlreadyExistsError":
                raise
            self._rules.trace_no_hardware()
            self._guard.note(f"another profiler began to trace hardware during step {step.number}, "
                             "which has run and is run again: later steps are traced without it")
            return run(session, fetches, feed_dict, options, run_metadata)
        self._rules.end(step)
        self._finish(step, session.graph, traced[1])
        return result

    def _begin(self, session: Any, fetches: Any, options: Any) -> Step:
        step = self._rules.begin(session, fetches, options)
        if step.trace_level == FULL_TRACE and is_hardware_traced():
            # TensorFlow would run the step, and then raise.
            self._rules.trace_no_hardware()
            self._rules.end(step)
            step.has_hardware, step.trace_level = False, SOFTWARE_TRACE
            self._guard.note("another profiler is tracing hardware: steps are traced without it")
        if step.trace_level:
            self._log(f"tracing step {step.number}")
        return step

    def _finish(self, step: Step, graph: Any, run_metadata: Any) -> None:
        """Adds, dumps and profiles the step."""
        self._last_graph = graph
        profiles = [one for one in self._auto_profiles if step.number in one[2]]
        if not (step.trace_level or step.is_dumped or profiles):
            return
        with self._lock:
            if step.trace_level:
                self._guard.run(f"step {step.number} could not be added to the profile",
                                self._add_step, step.number, graph, run_metadata)
            if step.is_dumped:
                self._guard.run(f"profile_{step.number} could not be written",
                                self._dump, step.number, graph)
            for one in profiles:
                self._guard.run(f"profiling at step {step.number} failed",
                                self._profile, step.number, graph, one)

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
        if not run_metadata.step_stats.dev_stats:
            return                   # nothing ran, as in session.run([])
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
            self._guard.note(f"{name} has no times and no memory: none of {self._rules.n_run} steps "
                             "was traced (set trace_steps; by default tracing begins after step "
                             f"{WARM_UP_STEPS})")

    def _profile(self, step: int, graph: Any, auto_profile: Any) -> None:
        cmd, options, _ = auto_profile
        self._log(f"profiling {cmd} at step {step}")
        try:
            result = getattr(self._get_profiler(graph), _METHODS[cmd])(options)
        except Exception as error:  # of this view; the others go on
            self._auto_profiles.remove(auto_profile)
            self._failed_views.add(cmd)
            self._guard.note(f"profiling {cmd!r} at step {step} failed", error)
            return
        self._profiles.setdefault(cmd, {})[step] = result

    def _log(self, text: str) -> None:
        if self._debug and sys.stderr is not None:
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
