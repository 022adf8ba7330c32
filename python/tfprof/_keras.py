"""A callback for Keras that profiles some steps of fit().

The class is created on first use: it inherits from Keras's Callback, and importing
this module must not import Keras.
"""

import os
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple

from tfprof import _function_graph, _native
from tfprof._files import check_directory, local_directory
from tfprof._guard import Guard, guarded
from tfprof._inputs import Path
from tfprof._need import need
from tfprof._profile import Profile
from tfprof._stdio import print_report
from tfprof._trace import Trace, find_busy
from tfprof._watched_fit import WatchedStep, when_fit_ends


class _KerasCallback:
    """Profiles some steps of fit(), writes `logdir/profile_<last step>` and prints a
    short report.

    ::

        model.fit(images, labels, callbacks=[tfprof.KerasCallback('logs', steps=(10, 15))])

    The profile has lines of Python, shapes, parameters and float operations of the training
    step, too; `tfprof logs` and `tfprof.load('logs')` read it. To get them, fit() retraces its
    training step. If profiling fails, that is a warning, and training continues.

    Args:
      logdir: a directory; it is created if it does not exist.
      steps: the first and the last step to profile, counted from 0 over all epochs.
      report: whether to print the report.
      strict: whether to raise if profiling fails.
    """

    def __init__(self, logdir: Path, steps: Tuple[int, int] = (10, 15), *, report: bool = True,
                 strict: bool = False):
        super().__init__()
        self.logdir = local_directory(logdir, "logdir")
        self._first, self._last = _check_steps(steps)
        self._report = bool(report)
        self._guard = Guard("tfprof.KerasCallback", strict)
        #: The profile, once the steps have run.
        self.profile: Optional[Profile] = None
        self._reset()

    def _reset(self) -> None:
        self._n = 0                      # the next step
        self._n_before_epoch = 0
        self._trace: Optional[Trace] = None
        self._mark: Any = None
        self._graphs: List[Any] = []     # in which the training step was traced
        self._batch: Optional[int] = None
        self._is_done = False

    def on_train_begin(self, logs: Any = None) -> None:
        self._guard.begin()
        self._reset()
        self._guard.run("nothing can be profiled", self._begin)

    @guarded("a step could not be begun")
    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._leave_step()               # of a dataset that ended in the middle of it
        n = self._n = self._n_before_epoch + batch
        if self._is_done or n < self._first:
            return
        if self._trace is None:
            self._batch = self._find_batch(batch)
            self._trace = Trace(self.logdir, _LastOf(self._graphs, self), None, self._guard)
            self._trace.start()
            self._guard.on_restore(self._leave_step)
        if self._guard.is_on:
            self._mark = self._trace.step(n)
            self._mark.__enter__()

    @guarded("a step could not be finished")
    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._n = self._n_before_epoch + batch + 1
        self._leave_step()
        if self._trace is not None and self._n > self._last:
            self._finish()

    @guarded("an epoch could not be finished")
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._n_before_epoch = self._n

    def on_train_end(self, logs: Any = None) -> None:
        self._guard.run("the steps could not be profiled", self._end)
        self._guard.restore()

    # -- through the guard ---------------------------------------------------------

    def _begin(self) -> None:
        check_directory(self.logdir, "logdir")
        busy = find_busy()
        if busy is not None:
            raise RuntimeError(f"{busy}'s profiler is already recording, and only one recording "
                               "at a time is possible")
        model, tf = self.model, sys.modules.get("tensorflow")  # type: ignore[attr-defined]
        self._guard.on_restore(when_fit_ends(self._guard.restore))
        WatchedStep.put(model, tf if _is_on_tensorflow(model) else None, self._graphs, self._guard)

    def _end(self) -> None:
        if self._trace is not None:
            self._guard.note(f"training ended after {self._n} steps: it profiled steps "
                             f"{self._first} to {self._n - 1}, not to {self._last}")
            self._finish()
        elif not self._is_done:
            self._guard.note(f"training ended after {self._n} steps, before step "
                             f"{self._first}: nothing was profiled; give other steps=")

    def _finish(self) -> None:
        trace, self._trace, self._is_done = self._trace, None, True
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

    def get_batch(self) -> Optional[int]:
        """Call when recording has ended: asking Keras would be an operation of the trace."""
        if self._batch is None:
            self._batch = self._find_batch(self._n - self._n_before_epoch)
        return self._batch

    def _leave_step(self) -> None:
        mark, self._mark = self._mark, None
        if mark is not None:
            mark.__exit__(None, None, None)


class _LastOf:
    """The last of a list of graphs, when asked."""

    def __init__(self, graphs: List[Any], callback: "_KerasCallback"):
        self._graphs = graphs
        self._callback = callback

    @property
    def graph(self) -> Any:
        return self._graphs[-1] if self._graphs else None

    def get_shapes(self, graph: Any) -> Dict[str, Any]:
        batch = self._callback.get_batch()
        return {} if batch is None else _function_graph.shapes_of_batch(graph, batch)


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
    for title, rows in (("operations", profile.op(order_by="micros")),
                        ("nodes", profile.scope(order_by="micros"))):
        costly = sorted((row for row in rows if row.accounted and row.depth),
                        key=lambda row: -row.exec_micros)[:5]
        yield f"  {title} that take most time:"
        for row in costly:
            share = 100 * row.exec_micros / total if total else 0
            yield f"    {_milliseconds(row.exec_micros):>10} {share:5.1f}%  {row.name}"
    yield f"  more: tfprof {path}"


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
