"""One call from a function or a model to its profile."""

import shutil
import sys
import tempfile
from typing import Any, Callable, Dict, Optional, Tuple

from tfprof import _callables, _function_graph, _native
from tfprof._guard import Guard
from tfprof._inputs import Path
from tfprof._profile import Profile
from tfprof._trace import Trace
from tfprof._watched_fit import RecordedGraph, WatchedStep, batch_of


def profile_function(fn: Any, *args: Any, steps: int = 5, warmup: int = 2,
                     mode: Optional[str] = None, logdir: Optional[Path] = None,
                     sample_python: bool = True, strict: bool = False,
                     **keywords: Any) -> Profile:
    """Runs a function or a model on these arguments and returns a profile of it: times of
    each step together with its graph, float operations, parameters, shapes and lines
    of Python.

    ::

        profile = tfprof.profile_function(train_step, images, labels)
        print(profile.code(order_by='micros', select='micros,float_ops'))

    Args:
      fn: a Keras model, a tf.function, a function from jax.jit, or a Python function: with JAX it
        is jitted, with TensorFlow it runs as it is. A model is called on the arguments; a
        compiled model that is given inputs and targets, `model, x, y`, is trained on them: each
        step changes its weights. Of model.fit, model.evaluate and model.predict, which run
        once, batches are the steps; each call of model.train_on_batch and the like is a step.
      args, keywords: passed to the function. Of a dataset it gets the first batch, except for
        fit, evaluate and predict. Arrays of NumPy become tensors.
      steps: how many runs to record, as steps 0, 1, 2, ...
      warmup: how many runs come before them: the first ones compile and allocate.
      mode: for a model, 'train' or 'predict': whether to run its training step, with the loss and the
        optimizer it is compiled with, or its call. By default it is trained if it can be.
      logdir: where to keep the trace; by default it is removed once it is read.
      sample_python: whether to look every few milliseconds which function of Python runs, so that
        `profile.step()` can name it.
      strict: whether to raise if recording fails. Otherwise that is a warning, the function has
        run as often, and what is returned is false; using it raises RuntimeError with the reason.
    """
    _check_count("steps", steps, 1)
    _check_count("warmup", warmup, 0)
    model, method = _callables.method_of_model(fn)
    if method in ("fit", "evaluate", "predict") and mode is None:
        window = warmup, warmup + steps - 1
        return _profile_batches(fn, args, keywords, logdir, dict(
            steps=window, sample_python=sample_python, strict=strict))
    call = _callables.prepare(fn, args, keywords, mode)
    watch = Guard("tfprof.profile_function", strict)
    graph = _watch(call, watch) if call.watched else (
        _Later(call.get_graph, call.arguments) if call.get_graph else None)
    guard = Guard("tfprof.profile_function", strict)
    for note in call.notes:
        guard.note(note)
    try:
        for _ in range(warmup):
            call.run()
        with Trace(logdir, graph, call.framework, guard, sample_python,
                   sys._getframe()) as trace:
            for n in range(steps):
                with trace.step(n):
                    call.run()
    finally:
        watch.restore()
    return NoProfile(guard.failure) if guard.failure else trace.profile


def _watch(call: _callables.Call, guard: Guard) -> RecordedGraph:
    """The graph in which Keras traces the model's step, from now on."""
    graph = RecordedGraph(lambda: batch_of(call.arguments))
    assert call.watched is not None
    model, kind = call.watched
    guard.run("the profile has no graph", WatchedStep.put, model, kind, graph, guard)
    return graph


def _profile_batches(fn: Any, args: Tuple[Any, ...], keywords: Dict[str, Any],
                     logdir: Optional[Path], options: Dict[str, Any]) -> Profile:
    """Of fit(), evaluate() or predict(), which run once."""
    from tfprof import _keras

    given = keywords.pop("callbacks", None) or []
    temporary = tempfile.mkdtemp(prefix="tfprof-") if logdir is None else None
    callback = _keras.KerasCallback(logdir or temporary, report=False, **options)
    keywords.setdefault("verbose", 0)
    try:
        fn(*args, callbacks=[*(given if isinstance(given, (list, tuple)) else [given]), callback],
           **keywords)
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
    return callback.profile or NoProfile(callback.why_none)


class NoProfile(Profile):
    """Stands for a profile that could not be recorded: false, and using it says why."""

    def __init__(self, why: str):
        vars(self)["why"] = why

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return super().__getattribute__(name)
        raise RuntimeError(f"there is no profile: {vars(self)['why']}")

    @property
    def _native(self) -> Any:
        raise RuntimeError(f"there is no profile: {vars(self)['why']}")

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<no profile: {vars(self)['why']}>"

    __str__ = __repr__


class _Later:
    """A graph that is there when the function has run."""

    def __init__(self, get: Callable[[], Any], arguments: Tuple[Any, ...]):
        self._get = get
        self._arguments = arguments

    @property
    def graph(self) -> Any:
        return _function_graph.find(self._get())

    def get_shapes(self, graph: Any) -> Dict[str, Any]:
        return _function_graph.shapes_of_arguments(graph, self._arguments)


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected a whole number, got {value!r}")
    if value < least:
        raise _native.ArgumentError(f"{name}: expected at least {least}, got {value}")
