"""One call from a function or a model to its profile."""

import sys
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from tfprof import _function_graph, _native
from tfprof._guard import Guard
from tfprof._inputs import Path
from tfprof._profile import Profile
from tfprof._trace import Trace


class _Call(NamedTuple):
    """What to run, and the graph of it once it has run; None if the trace has it all."""
    framework: str
    run: Callable[[], Any]
    get_graph: Optional[Callable[[], Any]]
    arguments: Tuple[Any, ...] = ()  # tensors


def profile_function(fn: Any, *args: Any, steps: int = 5, warmup: int = 2,
                     logdir: Optional[Path] = None, strict: bool = False,
                     **keywords: Any) -> Profile:
    """Runs a function or a model on these arguments and returns a profile of it: times of
    each step together with its graph, float operations, parameters, shapes and lines
    of Python.

    ::

        profile = tfprof.profile_function(train_step, images, labels)
        print(profile.code(order_by='micros', select='micros,float_ops'))

    Args:
      fn: a tf.function, a Keras model or a function from jax.jit. A model is called on the
        arguments; a compiled model that is given inputs and targets, `model, x, y`, is
        trained on them: each step changes its weights.
      args, keywords: passed to the function.
      steps: how many runs to record, as steps 0, 1, 2, ...
      warmup: how many runs come before them: the first ones compile and allocate.
      logdir: where to keep the trace; by default it is removed once it is read.
      strict: whether to raise if recording fails. Otherwise that is a warning, the function has
        run as often, and what is returned is false; using it raises RuntimeError with the reason.
    """
    _check_count("steps", steps, 1)
    _check_count("warmup", warmup, 0)
    call = _prepare(fn, args, keywords)
    for _ in range(warmup):
        call.run()
    graph = _Later(call.get_graph, call.arguments) if call.get_graph else None
    guard = Guard("tfprof.profile_function", strict)
    with Trace(logdir, graph, call.framework, guard) as trace:
        for n in range(steps):
            with trace.step(n):
                call.run()
    return NoProfile(guard.failure) if guard.failure else trace.profile


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


def _prepare(fn: Any, args: Tuple[Any, ...], keywords: Dict[str, Any]) -> _Call:
    keras = _keras_of(fn)
    if keras is not None:
        return _prepare_keras(keras, fn, args, keywords)
    tf, jax = sys.modules.get("tensorflow"), sys.modules.get("jax")
    if tf is not None and (hasattr(fn, "get_concrete_function") or _is_concrete(tf, fn)):
        return _prepare_tensorflow(tf, fn, args, keywords)
    if jax is not None and callable(fn) and (hasattr(fn, "lower") or _is_compiled(jax, fn)):
        return _Call("jax", lambda: jax.block_until_ready(fn(*args, **keywords)), None)
    hint = "tf.function(fn) or jax.jit(fn)" if tf and jax else (
        "tf.function(fn)" if tf else "jax.jit(fn)" if jax else
        "import tensorflow or jax, and use tf.function(fn) or jax.jit(fn)")
    raise TypeError("profile_function: expected a tf.function, a Keras model or a function from "
                    f"jax.jit, got {type(fn).__name__}"
                    + (f": {hint}" if callable(fn) else ""))


def _is_concrete(tf: Any, fn: Any) -> bool:
    kind = getattr(getattr(getattr(tf, "types", None), "experimental", None),
                   "ConcreteFunction", None)
    return kind is not None and isinstance(fn, kind)


def _is_compiled(jax: Any, fn: Any) -> bool:
    kind = getattr(getattr(jax, "stages", None), "Compiled", None)
    return kind is not None and isinstance(fn, kind)


def _prepare_tensorflow(tf: Any, fn: Any, args: Tuple[Any, ...],
                        keywords: Dict[str, Any]) -> _Call:
    args, keywords = tf.nest.map_structure(lambda one: _to_tensor(tf, one), (args, keywords))

    def get_graph() -> Any:
        if not hasattr(fn, "get_concrete_function"):
            return fn
        return fn.get_concrete_function(*args, **keywords)

    flat = tuple(tf.nest.flatten((args, keywords), expand_composites=True))
    return _Call("tensorflow", lambda: fn(*args, **keywords), get_graph, flat)


def _to_tensor(tf: Any, given: Any) -> Any:
    """An array as a tensor, so that it is copied once, not in each step."""
    return tf.convert_to_tensor(given) if hasattr(given, "__array_interface__") else given


# ---- Keras ----------------------------------------------------------------------

def _keras_of(fn: Any) -> Any:
    """The package whose layer or model this is: Keras, tf_keras, or None."""
    for name in ("keras", "tf_keras"):
        keras = sys.modules.get(name)
        layers = getattr(keras, "layers", None)
        if layers is not None and isinstance(fn, layers.Layer):
            return keras
    return None


def _prepare_keras(keras: Any, model: Any, args: Tuple[Any, ...],
                   keywords: Dict[str, Any]) -> _Call:
    backend = keras.backend.backend()
    is_training = len(args) > 1 and bool(getattr(model, "compiled", False)
                                         or getattr(model, "optimizer", None))
    if is_training and keywords:
        raise TypeError("profile_function: a compiled model that is trained on inputs and targets "
                        f"takes no keywords, got {', '.join(keywords)}")
    if backend == "tensorflow":
        return _prepare_keras_tensorflow(model, args, keywords, is_training)
    if backend != "jax":
        raise TypeError("profile_function: expected Keras on TensorFlow or JAX, got Keras on "
                        f"{backend}: set KERAS_BACKEND=tensorflow")
    jax = sys.modules["jax"]
    if is_training:
        return _Call("jax", lambda: model.train_on_batch(*args), None)
    function = jax.jit(lambda trained, others, args: model.stateless_call(
        trained, others, *args, **keywords))
    if not model.built:
        model(*args, **keywords)

    def run() -> Any:
        return jax.block_until_ready(function(
            [one.value for one in model.trainable_variables],
            [one.value for one in model.non_trainable_variables], args))

    return _Call("jax", run, None)


def _prepare_keras_tensorflow(model: Any, args: Tuple[Any, ...], keywords: Dict[str, Any],
                              is_training: bool) -> _Call:
    tf = sys.modules["tensorflow"]
    jit = getattr(model, "jit_compile", None) is True
    if is_training:
        function = tf.function(lambda *data: model.train_step(data), jit_compile=jit or None)
    else:
        function = tf.function(lambda *inputs, **more: model(*inputs, **more),
                               jit_compile=jit or None)
    return _prepare_tensorflow(tf, function, args, keywords)
