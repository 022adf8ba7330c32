"""What a callback has to watch of fit() beyond what Keras tells it.

Keras tells a callback neither in which graph the training step is traced, nor that fit()
raised. So fit() calls the model's train_function through a WatchedStep, which records the
one and notices the other; and a thread notices when fit() is gone otherwise, as after an
exception in the input pipeline or in another callback. The same goes for evaluate() and its
test_function, and for predict().

    model.train_function ->  WatchedStep of a callback  ->  WatchedStep of another  ->  Keras's own
"""

import sys
import threading
from typing import Any, Callable, Dict, Optional

from tfprof import _function_graph
from tfprof._guard import Guard

_POLL_S = 0.02
_MISSING = object()


class RecordedGraph:
    """The graph in which the model's step was traced last, and the size of its batches."""

    def __init__(self, get_batch: Callable[[], Optional[int]]):
        self.graph: Any = None
        self._get_batch = get_batch

    def get_shapes(self, graph: Any) -> Dict[str, Any]:
        batch = self._get_batch()
        return {} if batch is None else _function_graph.shapes_of_batch(graph, batch)


def batch_of(data: Any) -> Optional[int]:
    """The first dimension of the first array in the data; None if there is none."""
    while isinstance(data, (list, tuple, dict)):
        data = next(iter(data.values() if isinstance(data, dict) else data), None)
    shape = tuple(getattr(data, "shape", ()))
    return int(shape[0]) if shape and shape[0] else None


class WatchedStep:
    def __init__(self, model: Any, kind: str, graph: Optional[RecordedGraph], guard: Guard):
        self.inner: Any = None
        self._model, self._graph, self._guard = model, graph, guard
        self._step, self._function = f"{kind}_step", f"{kind}_function"

    @classmethod
    def put(cls, model: Any, kind: str, graph: Optional[RecordedGraph], guard: Guard) -> None:
        """Watches the model's steps until the guard restores.

        kind: train, test or predict.
        graph: records the graph of the step: Keras then retraces it, since that of an earlier
        call is out of reach. None: no graph is recorded."""
        watched = cls(model, kind, graph, guard)
        if graph is not None and not isinstance(getattr(model, watched._function, None), cls):
            watched._run_recording(getattr(model, f"make_{watched._function}"), force=True)
        if not callable(getattr(model, watched._function, None)):
            return
        watched.inner = getattr(model, watched._function)
        setattr(model, watched._function, watched)
        guard.on_restore(watched._take_out)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        try:
            if not self._guard.is_on or self._graph is None:
                return self.inner(*args, **keywords)
            return self._run_recording(self.inner, *args, **keywords)
        except BaseException as error:
            # With the first two, Keras learns that the dataset has ended.
            if type(error).__name__ not in ("OutOfRangeError", "StopIteration"):
                self._guard.restore()
            raise

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def _run_recording(self, call: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        """While it runs, the model's step is one that records the graph it is traced in."""
        own, name, graph = vars(self._model), self._step, self._graph
        before, step = own.get(name, _MISSING), getattr(self._model, name)

        def traced(*args: Any, **keywords: Any) -> Any:
            tf = sys.modules["tensorflow"]
            if graph is not None and not tf.executing_eagerly():
                graph.graph = tf.compat.v1.get_default_graph()
            return step(*args, **keywords)

        own[name] = traced      # Keras would look at it for microseconds
        try:
            return call(*args, **keywords)
        finally:
            if before is _MISSING:
                own.pop(name, None)
            else:
                own[name] = before

    def _take_out(self) -> None:
        """From the chain, in which callbacks may end in any order."""
        outer = getattr(self._model, self._function, None)
        if outer is self:
            setattr(self._model, self._function, self.inner)
        while isinstance(outer, WatchedStep):
            if outer.inner is self:
                outer.inner = self.inner
            outer = outer.inner


def find_frame(function: str) -> Any:
    """The innermost frame of this thread in a function of this name; None if there is none."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back    # type: ignore[assignment]
    return frame


def when_ended(frame: Any, call: Callable[[], Any]) -> Callable[[], None]:
    """Calls a function, in a thread, soon after what runs in a frame of this thread is gone.
    Returns a function that ends the watching."""
    is_over, thread = threading.Event(), threading.get_ident()

    def watch() -> None:
        while not is_over.wait(_POLL_S):
            inner = sys._current_frames().get(thread)
            while inner is not None and inner is not frame:
                inner = inner.f_back
            if inner is None:
                call()
                return

    if frame is not None:
        threading.Thread(target=watch, daemon=True, name="tfprof-watch").start()
    return is_over.set
