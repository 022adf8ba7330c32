"""Which runs a ProfileContext traces and after which it dumps.

    step = rules.begin(session, fetches)    # its number, trace level, whether to dump
    ... the run ...
    rules.end(step)                         # or
    rules.take_back(step)                   # the run failed: as if it had not begun

The next run gets the number of a failed run and what was requested for that step, even
if other threads have begun later steps in the meantime.
"""

import random
import threading
import weakref
from typing import Any, Iterable, List, Optional, Set

WARM_UP_STEPS = 10
MAX_TRACED_STEPS = 100
DEFAULT_DUMP_STEPS = (100,)
ENOUGH_COVERAGE = 0.5
SEED = 111
MAX_WAIT_S = 10

# RunOptions.TraceLevel
SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 1, 2, 3


class Step:
    def __init__(self, number: int):
        self.number = number
        self.trace_level = 0          # 0: not traced, or only by the caller
        self.is_dumped = False
        self.has_hardware = False     # holds the lock on hardware tracing
        self.claims: List[Any] = []   # functions that undo its claims


class StepRules:
    """Thread-safe. `coverage` may be set at any time: the share of the graph
    that the traced steps have covered so far."""

    def __init__(self, trace_steps: Optional[Iterable[int]], dump_steps: Optional[Iterable[int]]):
        self.coverage = 0.0
        self.n_steps = 0
        self._given_back: Set[int] = set()  # numbers below n_steps that are free again
        self._is_automatic = trace_steps is None
        self._trace_steps = step_set(() if trace_steps is None else trace_steps, "trace_steps")
        if len(self._trace_steps) > MAX_TRACED_STEPS:
            raise ValueError(f"trace_steps: {len(self._trace_steps)} steps, but at most "
                             f"{MAX_TRACED_STEPS} can be traced")
        self.dump_steps = step_set(DEFAULT_DUMP_STEPS if dump_steps is None else dump_steps,
                                   "dump_steps")
        self._lock = threading.Lock()
        self._trace_next = self._dump_next = False
        self._n_traced = 0
        self._fetched: Any = weakref.WeakKeyDictionary()  # graph → sets of fetches seen
        self._random = random.Random(SEED)
        # Held while a run traces hardware. TensorFlow can do that for one run at a time; a
        # second one fails after it has done its work.
        self._hardware = threading.Lock()
        self._may_trace_hardware = True

    @property
    def n_run(self) -> int:
        """Steps that have begun and not failed."""
        return self.n_steps - len(self._given_back)

    # -- requests ------------------------------------------------------------

    def trace_next(self) -> None:
        with self._lock:
            self._trace_next = True

    def dump_next(self) -> None:
        with self._lock:
            self._dump_next = True

    def trace_also(self, steps: Set[int]) -> None:
        with self._lock:
            self._trace_steps |= steps

    def trace_no_hardware(self) -> None:
        """From now on, because another profiler does."""
        self._may_trace_hardware = False

    # -- a step --------------------------------------------------------------

    def begin(self, session: Any, fetches: Any, options: Any) -> Step:
        with self._lock:
            step = Step(self._take_number())
            step.claims.append(lambda: self._take_number_back(step.number))
            self._decide_trace(step, session, fetches)
            step.is_dumped = step.number in self.dump_steps or self._dump_next
            if self._dump_next:
                self._dump_next = False
                step.claims.append(lambda: setattr(self, "_dump_next", True))
        if traces_hardware(options) and not step.trace_level:
            # The caller's own trace. Not forever: the other run may be waiting for this one.
            step.has_hardware = self._hardware.acquire(timeout=MAX_WAIT_S)
        return step

    def end(self, step: Step) -> None:
        if step.has_hardware:
            self._hardware.release()

    def take_back(self, step: Step) -> None:
        self.end(step)
        with self._lock:
            _call_reversed(step.claims)

    # -- with the lock held --------------------------------------------------

    def _take_number(self) -> int:
        number = min(self._given_back, default=self.n_steps)
        self._given_back.discard(number)
        self.n_steps = max(self.n_steps, number + 1)
        return number

    def _take_number_back(self, number: int) -> None:
        self._given_back.add(number)
        while self.n_steps - 1 in self._given_back:
            self.n_steps -= 1
            self._given_back.remove(self.n_steps)

    def _decide_trace(self, step: Step, session: Any, fetches: Any) -> None:
        if self._n_traced > MAX_TRACED_STEPS:
            return
        claims: List[Any] = []
        if not self._is_worth_tracing(step.number, session.graph, fetches, claims):
            step.claims += claims
            return
        if self._may_trace_hardware and _has_accelerator(session):
            step.has_hardware = self._hardware.acquire(blocking=False)
            if not step.has_hardware:
                _call_reversed(claims)
                self._trace_next |= step.number in self._trace_steps  # the next one instead
                return
        step.trace_level = FULL_TRACE if step.has_hardware else SOFTWARE_TRACE
        self._n_traced += 1
        step.claims += claims + [lambda: setattr(self, "_n_traced", self._n_traced - 1)]

    def _is_worth_tracing(self, step: int, graph: Any, fetches: Any, claims: List[Any]) -> bool:
        if self._trace_next:
            self._trace_next = False
            claims.append(lambda: setattr(self, "_trace_next", True))
            return True
        if step in self._trace_steps:
            return True
        if not self._is_automatic or step <= WARM_UP_STEPS:
            return False
        names, seen = _fetch_names(fetches), self._fetched.setdefault(graph, set())
        if names not in seen:
            seen.add(names)
            claims.append(lambda: seen.discard(names))
            return True
        if step >= MAX_TRACED_STEPS or self.coverage >= ENOUGH_COVERAGE:
            return False
        state = self._random.getstate()
        claims.append(lambda: self._random.setstate(state))
        return self._random.randint(0, 10) < 2


def step_set(given: Any, argument: str) -> Set[int]:
    """The user's step numbers; TypeError names the argument."""
    try:
        steps = set(given)
    except TypeError:
        raise TypeError(f"{argument}: expected a list of step numbers, got {given!r}") from None
    for step in steps:
        if isinstance(step, bool) or not hasattr(step, "__index__"):
            raise TypeError(f"{argument}: expected step numbers, got {step!r}")
    return steps


def traces_hardware(options: Any) -> bool:
    return getattr(options, "trace_level", 0) >= HARDWARE_TRACE


def is_hardware_traced() -> bool:
    """Whether another profiler of this process records: TensorFlow lets only one trace
    hardware."""
    import tensorflow as tf
    from tfprof._trace import _TensorFlow

    return _TensorFlow(tf).is_busy()


def _call_reversed(functions: List[Any]) -> None:
    for function in reversed(functions):
        function()


def _has_accelerator(session: Any) -> bool:
    """Whether there is hardware to trace. Without it, a software trace records the
    same and does not get in anybody's way."""
    try:
        return any(device.device_type not in ("CPU", "XLA_CPU")
                   for device in session.list_devices())
    except Exception:  # a closed session: its run will say so
        return False


def _fetch_names(fetches: Any) -> Any:
    """Identifies a set of fetches, whatever their structure."""
    import tensorflow as tf

    try:
        flat = tf.nest.flatten(fetches, expand_composites=True)
    except (TypeError, ValueError):
        flat = [fetches]
    return frozenset(fetch if isinstance(fetch, str) else getattr(fetch, "name", None) or repr(fetch)
                     for fetch in flat)
