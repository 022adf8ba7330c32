"""A callback for Keras that profiles some steps of fit(), evaluate() or predict().

The class is created on first use: it inherits from Keras's Callback, and importing
this module must not import Keras.
"""

import os
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple

from tfprof import _native
from tfprof._files import check_directory, local_directory
from tfprof._guard import Guard, guarded
from tfprof._inputs import Path
from tfprof._need import need
from tfprof._profile import Profile
from tfprof._stdio import print_report
from tfprof._trace import Trace, find_busy
from tfprof._watched_fit import RecordedGraph, WatchedStep, batch_of, find_frame, when_ended


_DEFAULT_STEPS = (10, 15)
NEVER = sys.maxsize
# What runs, by Keras's word for it in callbacks: the method, and its name for a reader.
_PHASES = {"train": ("fit", "training"), "test": ("evaluate", "evaluation"),
           "predict": ("predict", "prediction")}


class _KerasCallback:
    """Profiles some steps of fit(), evaluate() or predict(), writes `logdir/profile_<last step>`
    and prints a short report.

    ::

        model.fit(images, labels, callbacks=[tfprof.KerasCallback('logs', steps=(10, 15))])

    The profile has lines of Python, shapes, parameters and float operations of the training
    step, too; `tfprof logs` and `tfprof.load('logs')` read it. To get them, fit() retraces its
    training step. If profiling fails, that is a warning, and training continues.

    Args:
      logdir: a directory; it is created if it does not exist.
      steps: the first and the last step to profile, counted from 0 over all epochs; by default
        10 and 15. If there are not that many, the last third of the steps is profiled.
      report: whether to print the report.
      sample_python: whether to look every few milliseconds which function of Python runs, so that
        `profile.step()` can name it.
      strict: whether to raise if profiling fails.
    """

    def __init__(self, logdir: Path, steps: Optional[Tuple[int, int]] = None, *,
                 report: bool = True, sample_python: bool = True, strict: bool = False):
        super().__init__()
        self.logdir = local_directory(logdir, "logdir")
        self._is_default = steps is None
        self._steps = _check_steps(_DEFAULT_STEPS if steps is None else steps)
        self._report = bool(report)
        self._sample_python = bool(sample_python)
        self._guard = Guard("tfprof.KerasCallback", strict)
        #: The profile, once the steps have run.
        self.profile: Optional[Profile] = None
        self._phase: Optional[str] = None
        self._reset()

    def _reset(self) -> None:
        self._first, self._last = self._steps
        self._n = 0                      # the next step
        self._n_before_epoch = 0
        self._trace: Optional[Trace] = None
        self._mark: Any = None
        self._graph = RecordedGraph(self._get_batch)
        self._batch: Optional[int] = None
        self._is_done = False

    @property
    def why_none(self) -> str:
        return self._guard.failure or f"no step from {self._first} to {self._last} has run"

    # -- what Keras calls: validation within fit() is none of these phases -----------
    # Most batches are outside of what is recorded: these do next to nothing then.

    def on_train_begin(self, logs: Any = None) -> None:
        self._begin("train")

    def on_test_begin(self, logs: Any = None) -> None:
        if self._phase != "train":
            self._begin("test")

    def on_predict_begin(self, logs: Any = None) -> None:
        self._begin("predict")

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        if self._n_before_epoch + batch >= self._first:
            self._begin_step("train", batch)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        if self._n_before_epoch + batch >= self._first:
            self._begin_step("test", batch)

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        if self._n_before_epoch + batch >= self._first:
            self._begin_step("predict", batch)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._phase == "train":
            self._n = self._n_before_epoch + batch + 1
            if self._trace is not None:
                self._end_step()

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._phase == "test":
            self._n = self._n_before_epoch + batch + 1
            if self._trace is not None:
                self._end_step()

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._batch is None and isinstance(logs, dict):
            self._batch = batch_of(logs.get("outputs"))
        if self._phase == "predict":
            self._n = self._n_before_epoch + batch + 1
            if self._trace is not None:
                self._end_step()

    @guarded("an epoch could not be finished")
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._n_before_epoch = self._n

    def on_train_end(self, logs: Any = None) -> None:
        self._end("train")

    def on_test_end(self, logs: Any = None) -> None:
        self._end("test")

    def on_predict_end(self, logs: Any = None) -> None:
        self._end("predict")

    def _begin(self, phase: str) -> None:
        self._guard.begin()
        self._reset()
        self._phase = phase
        self._guard.run("nothing can be profiled", self._watch)

    def _end(self, phase: str) -> None:
        if self._phase != phase:
            return
        self._guard.run("the steps could not be profiled", self._finish_early)
        self._guard.restore()
        self._phase = None

    # -- through the guard ---------------------------------------------------------

    def _watch(self) -> None:
        check_directory(self.logdir, "logdir")
        busy = find_busy()
        if busy is not None:
            raise RuntimeError(f"{busy}'s profiler is already recording, and only one recording "
                               "at a time is possible")
        phase, model = self._phase or "train", self.model  # type: ignore[attr-defined]
        frame = find_frame(_PHASES[phase][0])
        self._guard.on_restore(when_ended(frame, self._guard.restore))
        WatchedStep.put(model, phase, self._graph if _is_on_tensorflow(model) else None,
                        self._guard)
        self._choose_steps()

    def _choose_steps(self) -> None:
        """The last third, if there are fewer steps than the window needs."""
        given = getattr(self, "params", None) or {}
        n_steps = given.get("steps")
        if not n_steps:
            return      # not known before they have run
        if self._phase == "train":
            n_steps *= given.get("epochs") or 1
        if self._first < n_steps and (self._last < n_steps or not self._is_default):
            return
        self._first, self._last = n_steps - max(1, n_steps // 3), n_steps - 1
        which = (f"step {self._first}" if self._first == self._last else
                 f"the last third, steps {self._first} to {self._last}")
        self._guard.note(f"{self._what} has {n_steps} step{'s' if n_steps > 1 else ''}, too few for "
                         f"steps {self._steps[0]} to {self._steps[1]}: it profiles {which}"
                         + (", in which the step is also traced" if n_steps == 1 else ""))

    @property
    def _what(self) -> str:
        return _PHASES[self._phase or "train"][1]

    @guarded("a step could not be begun")
    def _begin_step(self, phase: str, batch: int) -> None:
        if phase != self._phase:
            return                       # of validation
        self._leave_step()               # of a dataset that ended in the middle of it
        n = self._n = self._n_before_epoch + batch
        if self._is_done:
            return
        if self._trace is None:
            if self._batch is None:
                self._batch = self._find_batch(batch)
            self._trace = Trace(self.logdir, self._graph, None, self._guard, self._sample_python,
                                find_frame(_PHASES[phase][0]))
            self._trace.start()
            self._guard.on_restore(self._leave_step)
        if self._guard.is_on:
            self._mark = self._trace.step(n)
            self._mark.__enter__()

    @guarded("a step could not be finished")
    def _end_step(self) -> None:
        self._leave_step()
        if self._n > self._last:
            self._finish()

    def _finish_early(self) -> None:
        if self._trace is not None:
            self._guard.note(f"{self._what} ended after {self._n} steps: it profiled steps "
                             f"{self._first} to {self._n - 1}, not to {self._last}")
            self._finish()
        elif not self._is_done:
            self._guard.note(f"{self._what} ended after {self._n} steps, before step "
                             f"{self._first}: nothing was profiled; give other steps=")

    def _finish(self) -> None:
        trace, self._trace, self._is_done = self._trace, None, True
        self._first = NEVER
        assert trace is not None
        trace.finish()
        self._guard.restore()
        if not self._guard.is_on:
            return
        profile, path = trace.profile, os.path.join(self.logdir, f"profile_{self._n - 1}")
        profile.save(path)
        self.profile = profile
        if self._report:
            text = "\n" + "\n".join(_report(profile, path, self._batch)) + "\n"
            try:
                print_report(text.encode())
            except Exception as error:  # the profile is there
                self._guard.note("the report could not be printed", error)

    def _find_batch(self, n_steps: int) -> Optional[int]:
        """The size of a batch, by the examples that Keras's loss has counted over so many steps
        of this epoch; None if these do not tell."""
        try:
            loss = next(one for one in self.model.metrics  # type: ignore[attr-defined]
                        if one.name == "loss")
            n_examples = float(loss.count)
            size = int(n_examples / n_steps)
            return size if size and size * n_steps == n_examples else None
        except Exception:  # a model without such a loss, the first step of an epoch
            return None

    def _get_batch(self) -> Optional[int]:
        """Call when recording has ended: asking Keras would be an operation of the trace."""
        if self._batch is None:
            self._batch = self._find_batch(self._n - self._n_before_epoch)
        return self._batch

    def _leave_step(self) -> None:
        mark, self._mark = self._mark, None
        if mark is not None:
            mark.__exit__(None, None, None)


def _check_steps(steps: Any) -> Tuple[int, int]:
    try:
        first, last = (int(n.__index__()) for n in steps)
    except (TypeError, ValueError, AttributeError):
        raise TypeError(f"steps: expected the first and the last step, such as (10, 15), "
                        f"got {steps!r}") from None
    if not 0 <= first <= last:
        raise _native.ArgumentError("steps: expected the first step, at least 0, and the last "
                                    f"one, not before it, got {steps!r}")
    return first, last


def _is_on_tensorflow(model: Any) -> bool:
    backend = getattr(sys.modules.get("keras"), "backend", None)
    return not isinstance(model, _model_class("keras")) or backend.backend() == "tensorflow"


def _model_class(package: str) -> Any:
    return getattr(sys.modules.get(package), "Model", ())


def _report(profile: Profile, path: str, batch: Optional[int]) -> Iterator[str]:
    """The most expensive items, in a few lines."""
    overview = profile.overview()
    total = overview["exec_micros"] or 0
    steps = profile.steps
    counted = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
    yield f"tfprof: {overview['headline'] or 'nothing ran.'}"
    yield (f"  {counted}; operation time, all threads: {_milliseconds(total)}; "
           f"saved as {path}")
    if overview["float_ops"]:
        about = [f"batch {batch}" if batch else None, overview["uncounted"]]
        yield (f"  {overview['float_ops']:,} float operations per step"
               + "".join(f" ({one})" for one in about if one))
    costly = _costly_layers(profile) if total else []
    if costly:
        yield "  layers that take most time:"
    for row in costly:
        yield (f"    {_milliseconds(row['exec_micros']):>10} {100 * row['share']:5.1f}%  {row['name']}"
               + (f"  ({row['line']})" if row["line"] else ""))
    found = [one for one in profile.advise() if one["level"] in ("warning", "high")]
    if found:
        yield "  findings:"
    for one in found:
        yield f"    {one['text'].splitlines()[0]}" + (f": {one['remedy']}" if one.get("remedy") else "")
    yield f"  more: tfprof {path}"


def _costly_layers(profile: Profile) -> List[Dict[str, Any]]:
    """Those that take most time; none if the model's layers are not known."""
    try:
        rows = profile.layers(order_by="micros", top=5).rows
    except _native.Error:
        return []
    return [row for row in rows if row["depth"] == 1 and row.get("exec_micros")
            and not row["name"].startswith(("... ", "("))]


def _milliseconds(micros: int) -> str:
    return f"{micros / 1000:.2f}ms"


def __getattr__(name: str) -> Any:
    if name != "KerasCallback":
        raise AttributeError(f"module 'tfprof._keras' has no attribute {name!r}")
    legacy = sys.modules.get("tf_keras") if "keras" not in sys.modules else None
    keras = legacy or need("keras", "tfprof.KerasCallback")
    made = type(name, (_KerasCallback, keras.callbacks.Callback),
                {"__doc__": _KerasCallback.__doc__, "__module__": __name__})
    return globals().setdefault(name, made)  # the first, if several threads race
