"""Where steps begin in a program that ``tfprof run`` runs: what is put into TensorFlow, Keras and
JAX while it waits, and taken out once recording has ended.

    Keras's CallbackList      gets a callback of ours, which records steps of fit(), evaluate()
                              or predict()
    calls of tf.function      are counted and timed, while that is of use: the most expensive
                              function is the step, and its graph is the profile's
    marks of the program      StepTraceAnnotation, tf.profiler.experimental.Trace with step_num
    start of a profiler       ends our recording first, as only one is possible
    compilation by JAX        tells that something has run
"""

import contextlib
import functools
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional

from tfprof import _function_graph

DEFAULT_FOR_S = 5.0


def _imported(name: str, attribute: str) -> Any:
    """A module that is imported completely, or None."""
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    if module is None or getattr(spec, "_initializing", False) or not hasattr(module, attribute):
        return None
    return module


class _Here(threading.local):
    """Of a thread."""
    is_ours = False        # what starts a profiler is this module's recording
    is_inside = False      # of a tf.function


class Steps:
    def __init__(self, recording: Any):
        self._recording = recording
        self._undo: List[Callable[[], None]] = []
        self._undo_calls: Optional[Callable[[], None]] = None    # while calls are watched
        self._tf = self._jax = self._keras = None
        self._here = _Here()
        self._spent: Dict[Any, List[float]] = {}     # by tf.function: calls, seconds
        self._is_marked = False
        self.count = 0
        self.seen_at = float("inf")
        self.has_worked = False
        self.last_compiled = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether all that can be watched is."""
        return self._keras is not None and (self._tf is not None or self._jax is not None)

    @property
    def framework(self) -> Optional[str]:
        """What to record with: JAX, which compiles whatever it runs, if it has; else TensorFlow."""
        if self.last_compiled:
            return "jax"
        return "tensorflow" if self._tf is not None else None

    # -- the graph of the profile: see Trace ------------------------------------------------

    @property
    def graph(self) -> Any:
        """That of the function that took most time."""
        for function in sorted(self._spent, key=lambda one: -self._spent[one][1]):
            traced = _function_graph.concrete_functions(function)
            if traced:
                return traced[-1].graph
        return None

    # -- watching -----------------------------------------------------------------------------

    def watch(self) -> None:
        tf, jax = _imported("tensorflow", "profiler"), _imported("jax", "profiler")
        if self._tf is None and tf is not None and hasattr(tf, "function"):
            self._tf = tf
            self.seen_at = min(self.seen_at, time.monotonic())
            self.watch_calls()
            self._watch_marks(tf.profiler.experimental, "Trace", "step_num")
            for module in ("tensorflow.python.profiler.profiler_v2",
                           "tensorflow._api.v2.profiler.experimental"):
                self._watch_start(sys.modules.get(module), "start")
            self._watch_start(tf.profiler.experimental, "start")
        if self._jax is None and jax is not None and hasattr(jax, "monitoring"):
            self._jax = jax
            self.seen_at = min(self.seen_at, time.monotonic())
            jax.monitoring.register_event_duration_secs_listener(self._compiled)
            self._watch_marks(jax.profiler, "StepTraceAnnotation", "step_num")
            for module in (jax.profiler, sys.modules.get("jax._src.profiler")):
                self._watch_start(module, "start_trace")
        keras = _imported("keras", "callbacks")
        if self._keras is None and keras is not None and hasattr(keras.callbacks, "CallbackList"):
            self._keras = keras
            self._watch_keras(keras.callbacks.CallbackList)

    def restore(self) -> None:
        self.ignore_calls()
        while self._undo:
            self._undo.pop()()

    def _replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        undo = self._replaced(owner, name, make)
        if undo is not None:
            self._undo.append(undo)

    def _replaced(self, owner: Any, name: str,
                  make: Callable[[Any], Any]) -> Optional[Callable[[], None]]:
        before = getattr(owner, name, None)
        if before is None or hasattr(before, "_tfprof_run"):
            return None
        after = make(before)
        after._tfprof_run = True
        setattr(owner, name, after)

        def undo() -> None:
            if getattr(owner, name, None) is after:    # unless the program has replaced it
                setattr(owner, name, before)
        return undo

    def _compiled(self, event: str, duration: float, **unused: Any) -> None:
        if event.endswith("backend_compile_duration"):
            self.last_compiled = time.monotonic()
            self.has_worked = True
            self._recording.work_seen()

    # -- steps ----------------------------------------------------------------------------------

    def _begin_step(self) -> None:
        wanted = self._recording.steps_wanted
        if wanted and self.count == wanted[0]:
            self._recording.start()
        elif wanted and self.count == wanted[1] + 1:
            self._recording.finish()

    def _end_step(self) -> None:
        self.count += 1
        wanted = self._recording.steps_wanted
        if wanted and self.count == wanted[1] + 1:
            self._recording.finish()

    def _watch_marks(self, owner: Any, name: str, keyword: str) -> None:
        """Steps that the program marks itself."""
        steps = self

        def make(before: Any) -> Any:
            class Marked(before):     # type: ignore[misc]
                def __init__(self, *args: Any, **keywords: Any):
                    super().__init__(*args, **keywords)
                    self._is_step = keyword in keywords

                def __enter__(self) -> Any:
                    if self._is_step and not steps._in_keras():
                        if not steps._is_marked:
                            steps._is_marked, steps.count = True, 0
                        steps.has_worked = True
                        steps._begin_step()
                    return super().__enter__()

                def __exit__(self, *error: Any) -> Any:
                    result = super().__exit__(*error)
                    if self._is_step and not steps._in_keras():
                        steps._end_step()
                    return result
            Marked.__name__, Marked.__qualname__ = before.__name__, before.__qualname__
            Marked.__module__ = before.__module__
            return Marked
        self._replace(owner, name, make)

    def _in_keras(self) -> bool:
        return self._recording.callback is not None

    def watch_calls(self) -> None:
        """Calls of tf.function from Python, not from within another: until one has run, again
        while they are recorded, and all the time if steps are wanted. Each costs a microsecond."""
        module = sys.modules.get("tensorflow.python.eager.polymorphic_function.polymorphic_function")
        function = getattr(module, "Function", None)
        steps, here, spent, now = self, self._here, self._spent, time.perf_counter
        wanted = self._recording.steps_wanted
        due = wanted[0] if wanted else float("inf")      # calls before a step

        def make(before: Any) -> Any:
            @functools.wraps(before)
            def call(inner: Any, *args: Any, **keywords: Any) -> Any:
                if here.is_inside:
                    return before(inner, *args, **keywords)
                here.is_inside = True
                mine = spent.get(inner)
                if mine is None:
                    mine = spent[inner] = [0, 0.0]
                if mine[0] >= due and steps._is_step(mine):
                    steps.count = int(mine[0])
                    steps._begin_step()
                began = now()
                try:
                    return before(inner, *args, **keywords)
                finally:
                    mine[1] += now() - began
                    mine[0] += 1
                    here.is_inside = False
                    if not steps.has_worked:
                        steps._first_call()
                    if mine[0] > due and steps._is_step(mine):
                        steps.count = int(mine[0]) - 1
                        steps._end_step()
            return call
        if function is not None and self._undo_calls is None:
            self._undo_calls = self._replaced(function, "__call__", make)

    def ignore_calls(self) -> None:
        undo, self._undo_calls = self._undo_calls, None
        if undo is not None:
            undo()

    def _is_step(self, mine: List[float]) -> bool:
        return (not self._is_marked and not self._in_keras()
                and mine[1] >= max(one[1] for one in self._spent.values()))

    def _first_call(self) -> None:
        if self._in_keras():
            return
        self.has_worked = True
        self._recording.work_seen()
        if not self._recording.steps_wanted and not self._recording.is_recording:
            self.ignore_calls()

    # -- Keras ------------------------------------------------------------------------------------

    def _watch_keras(self, callback_list: Any) -> None:
        from tfprof._keras import NEVER, KerasCallback     # Keras: it is there
        from tfprof._run_inside import QuietGuard
        recording = self._recording

        class Callback(KerasCallback):       # type: ignore[misc, valid-type]
            """Begins and ends by the clock if a time was given."""

            def __init__(self) -> None:
                super().__init__(recording.logdir, recording.keras_steps, report=False,
                                 sample_python=recording.sample_python)
                self._guard = QuietGuard(recording.notes)
                self._ends_at = float("inf")
                #: Keras's, which this leaves once it is done.
                self.list: Any = None

            def _choose_steps(self) -> None:
                if recording.by_time:
                    self._first, self._last = NEVER, NEVER
                    self.look(time.monotonic())
                else:
                    super()._choose_steps()

            def give_way(self) -> None:
                """Ends the recording, if there is one."""
                if self._trace is not None:
                    self._leave_step()
                    self._guard.run("the steps could not be profiled", self._finish)

            def _watch(self) -> None:
                with recording.steps.by_us():
                    super()._watch()

            def _begin_step(self, phase: str, batch: int) -> None:
                with recording.steps.by_us():
                    super()._begin_step(phase, batch)

            def look(self, now: float) -> None:
                if not recording.by_time or self._is_done:
                    return
                if self._ends_at == float("inf") and recording.is_time(now):
                    self._first = 0
                    self._ends_at = now + (recording.duration or DEFAULT_FOR_S)
                elif now >= self._ends_at:
                    self._last = -1

            def _end(self, phase: str) -> None:
                is_mine = self._phase == phase
                if recording.by_time and is_mine and self._trace is not None:
                    self._last = -1          # it ends with fit(): nothing is missing
                super()._end(phase)
                if is_mine and recording.callback is self:
                    recording.keras_is_done(self)

            def _finish(self) -> None:
                super()._finish()
                if self.profile is not None:
                    # Another list, as Keras walks along this one now.
                    self.list.callbacks = [one for one in self.list.callbacks if one is not self]
                    recording.keras_is_done(self)

        def make(before: Any) -> Any:
            @functools.wraps(before)
            def init(inner: Any, callbacks: Any = None, *args: Any, **keywords: Any) -> None:
                try:
                    own = Callback() if recording.make_way() else None
                except Exception:        # the program runs on
                    own = None
                if own is None:
                    return before(inner, callbacks, *args, **keywords)
                given = [] if callbacks is None else (
                    list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks])
                before(inner, [*given, own], *args, **keywords)
                own.list = inner
                recording.give_to_keras(own)
            return init
        self._replace(callback_list, "__init__", make)

    @contextlib.contextmanager
    def by_us(self) -> Iterator[None]:
        """Inside, a profiler that is started is ours."""
        self._here.is_ours = True
        try:
            yield
        finally:
            self._here.is_ours = False

    # -- other profilers ----------------------------------------------------------------------------

    def _watch_start(self, owner: Any, name: str) -> None:
        """A profiler that the program starts: ours ends first."""
        def make(before: Any) -> Any:
            @functools.wraps(before)
            def start(*args: Any, **keywords: Any) -> Any:
                if not self._here.is_ours:
                    self._recording.give_way(is_for_good=bool(args and args[0] or keywords))
                return before(*args, **keywords)
            return start
        if owner is not None:
            self._replace(owner, name, make)
