"""What a callback has to watch of fit() beyond what Keras tells it.

Keras tells a callback neither in which graph the training step is traced, nor that fit()
raised. So fit() calls the model's train_function through a WatchedStep, which records the
one and notices the other; and a thread notices when fit() is gone otherwise, as after an
exception in the input pipeline or in another callback.

    model.train_function ->  WatchedStep of a callback  ->  WatchedStep of another  ->  Keras's own
"""

import contextlib
import sys
import threading
from typing import Any, Callable, Iterator, List

from tfprof._guard import Guard

_POLL_S = 0.1
_MISSING = object()


class WatchedStep:
    def __init__(self, model: Any, tf: Any, graphs: List[Any], guard: Guard):
        self.inner: Any = None
        self._model, self._tf, self._graphs, self._guard = model, tf, graphs, guard

    @classmethod
    def put(cls, model: Any, tf: Any, graphs: List[Any], guard: Guard) -> None:
        """Watches the model's training steps until the guard restores.

        tf: TensorFlow, to record in `graphs` the graph of the step: Keras then retraces it, since
        that of an earlier fit() is out of reach. None: no graph is recorded."""
        watched = cls(model, tf, graphs, guard)
        if tf is not None and not isinstance(getattr(model, "train_function", None), cls):
            with watched._recording_graph():
                model.make_train_function(force=True)
        if not callable(getattr(model, "train_function", None)):
            return
        watched.inner = model.train_function
        model.train_function = watched
        guard.on_restore(watched._take_out)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        try:
            if not self._guard.is_on or self._tf is None:
                return self.inner(*args, **keywords)
            with self._recording_graph():
                return self.inner(*args, **keywords)
        except BaseException as error:
            # With the first two, Keras learns that the dataset has ended.
            if type(error).__name__ not in ("OutOfRangeError", "StopIteration"):
                self._guard.restore()
            raise

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    @contextlib.contextmanager
    def _recording_graph(self) -> Iterator[None]:
        """Inside, the model's train_step is one that records the graph it is traced in."""
        model, tf, graphs = self._model, self._tf, self._graphs
        before, train_step = vars(model).get("train_step", _MISSING), model.train_step

        def traced(*args: Any, **keywords: Any) -> Any:
            if not tf.executing_eagerly():
                graphs[:] = [tf.compat.v1.get_default_graph()]
            return train_step(*args, **keywords)

        model.train_step = traced
        try:
            yield
        finally:
            if before is _MISSING:
                del model.train_step
            else:
                model.train_step = before

    def _take_out(self) -> None:
        """From the chain, in which callbacks may end in any order."""
        outer, model = getattr(self._model, "train_function", None), self._model
        if outer is self:
            model.train_function = self.inner
        while isinstance(outer, WatchedStep):
            if outer.inner is self:
                outer.inner = self.inner
            outer = outer.inner


def when_fit_ends(call: Callable[[], Any]) -> Callable[[], None]:
    """Calls a function, in a thread, soon after the fit() that runs now is gone. Returns a
    function that ends the watching."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "fit":
        frame = frame.f_back
    is_over, thread = threading.Event(), threading.get_ident()

    def watch(fit: Any) -> None:
        while not is_over.wait(_POLL_S):
            inner = sys._current_frames().get(thread)
            while inner is not None and inner is not fit:
                inner = inner.f_back
            if inner is None:
                call()
                return

    if frame is not None:
        threading.Thread(target=watch, args=(frame,), daemon=True, name="tfprof-watch").start()
    return is_over.set
