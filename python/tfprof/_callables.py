"""What profile_function() is given, as something to run again and again.

    a Keras model or layer     its call, or with targets its training step, as one function
    a method of a Keras model  itself, such as model.train_on_batch
    a tf.function              itself
    a function from jax.jit    itself
    another function           with JAX jitted, with TensorFlow itself: its operations run eagerly

Arrays become tensors, and of a dataset the first batch is taken.
"""

import functools
import inspect
import sys
import types
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from tfprof import _native

Arguments = Tuple[Any, ...]
Keywords = Dict[str, Any]
MODES = ("train", "predict")
ON_BATCH = {"train_on_batch": "train", "test_on_batch": "test", "predict_on_batch": "predict"}


class Call(NamedTuple):
    """What to run, and the graph of it once it has run; None if the trace has it all."""
    framework: str
    run: Callable[[], Any]
    get_graph: Optional[Callable[[], Any]] = None
    arguments: Arguments = ()    # tensors
    notes: Tuple[str, ...] = ()  # what a user may not expect
    watched: Optional[Tuple[Any, str]] = None  # a model, and which of its functions is run


def prepare(fn: Any, args: Arguments, keywords: Keywords, mode: Optional[str]) -> Call:
    if mode is not None and mode not in MODES:
        raise _native.ArgumentError(f"mode: expected one of: {', '.join(MODES)}, got {mode!r}")
    while isinstance(fn, functools.partial):
        fn, args, keywords = fn.func, fn.args + args, {**fn.keywords, **keywords}
    model, method = method_of_model(fn)
    if method in ("__call__", "call"):
        fn, model = model, None
    keras = keras_of(fn)
    if keras is not None:
        return _prepare_keras(keras, fn, args, keywords, mode)
    if mode is not None:
        raise TypeError(f"profile_function: mode='{mode}' applies to Keras models, got {_kind(fn)}: leave mode out")
    if model is not None and method in ON_BATCH:
        return _prepare_on_batch(model, method, args, keywords)
    tf, jax = sys.modules.get("tensorflow"), sys.modules.get("jax")
    if hasattr(tf, "nest") and (hasattr(fn, "get_concrete_function") or _is_concrete(tf, fn)):
        return _prepare_tensorflow(tf, fn, args, keywords)
    if jax is not None and callable(fn) and (hasattr(fn, "lower") or _is_compiled(jax, fn)):
        args, keywords = _to_device(jax, (first_batches(fn, args), keywords))
        return Call("jax", lambda: jax.block_until_ready(fn(*args, **keywords)))
    return _prepare_function(fn, args, keywords, tf if hasattr(tf, "nest") else None, jax)


def _kind(fn: Any) -> str:
    return f"the class {fn.__name__}" if isinstance(fn, type) else type(fn).__name__


# ---- datasets ----------------------------------------------------------------------

def first_batches(fn: Any, args: Arguments) -> Arguments:
    """The arguments, with the first batch of each dataset in its place. The parts of the batch
    become several arguments if the dataset is the only one, and the function takes them so."""
    if len(args) == 1 and _is_dataset(args[0]):
        batch = first_batch(args[0])
        return batch if isinstance(batch, tuple) and not _accepts(fn, batch) else (batch,)
    return tuple(first_batch(one) if _is_dataset(one) else one for one in args)


def _accepts(fn: Any, batch: Any) -> bool:
    """Whether the function takes the batch as one argument."""
    try:
        inspect.signature(getattr(fn, "python_function", fn)).bind(batch)
    except TypeError:
        return False
    except ValueError:  # a function of C
        pass
    return True


def _is_dataset(given: Any) -> bool:
    return (isinstance(given, types.GeneratorType)
            or hasattr(given, "element_spec") and hasattr(given, "__iter__")
            and not hasattr(given, "__next__")    # an iterator is passed as it is
            or _is_indexed(given))


def _is_indexed(given: Any) -> bool:
    """Keras's PyDataset, and Sequence as it was called before."""
    names = {kind.__name__ for kind in type(given).__mro__}
    return bool(names & {"PyDataset", "Sequence"}) and hasattr(given, "__getitem__") and (
        not isinstance(given, (list, tuple, str, bytes)))


def first_batch(dataset: Any) -> Any:
    if _is_indexed(dataset):
        return dataset[0]
    for batch in dataset:
        return batch
    raise _native.ArgumentError("profile_function: the dataset is empty: expected at least one batch")


# ---- functions -------------------------------------------------------------------------

def _is_concrete(tf: Any, fn: Any) -> bool:
    kind = getattr(getattr(getattr(tf, "types", None), "experimental", None),
                   "ConcreteFunction", None)
    return kind is not None and isinstance(fn, kind)


def _is_compiled(jax: Any, fn: Any) -> bool:
    kind = getattr(getattr(jax, "stages", None), "Compiled", None)
    return kind is not None and isinstance(fn, kind)


def _prepare_tensorflow(tf: Any, fn: Any, args: Arguments, keywords: Keywords) -> Call:
    args = first_batches(fn, args)
    args, keywords = tf.nest.map_structure(lambda one: _to_tensor(tf, one), (args, keywords))

    def get_graph() -> Any:
        if not hasattr(fn, "get_concrete_function"):
            return fn
        return fn.get_concrete_function(*args, **keywords)

    flat = tuple(tf.nest.flatten((args, keywords), expand_composites=True))
    return Call("tensorflow", lambda: fn(*args, **keywords), get_graph, flat)


def _to_tensor(tf: Any, given: Any) -> Any:
    """An array as a tensor, so that it is copied once, not in each step."""
    return tf.convert_to_tensor(given) if hasattr(given, "__array_interface__") else given


def _prepare_function(fn: Any, args: Arguments, keywords: Keywords, tf: Any, jax: Any) -> Call:
    if not callable(fn) or isinstance(fn, type):
        raise TypeError("profile_function: expected a Keras model, a method of one, or a function, "
                        f"got {_kind(fn)}" + _hint(fn))
    if tf is None and jax is None:
        raise TypeError("profile_function: neither TensorFlow nor JAX is imported, so there is no "
                        "profiler to record with: import tensorflow or jax first")
    framework = _framework_of(fn, args, keywords) if tf and jax else "tensorflow" if tf else "jax"
    args = first_batches(fn, args)
    if framework == "jax":
        return _prepare_jax(jax, fn, args, keywords)
    return Call("tensorflow", lambda: fn(*args, **keywords), lambda: _function_in(fn), notes=(
        "the function is no tf.function, so what it does itself runs eagerly, one operation at a "
        "time, and its float operations are not counted; to profile it as one graph, pass "
        "tf.function(fn)",))


def _hint(fn: Any) -> str:
    if isinstance(fn, type):
        return ": pass an instance of it"
    if isinstance(fn, (str, bytes)) or hasattr(fn, "__fspath__"):
        return ": to count what is in a file, use tfprof.model(path); to run it, load it first"
    if _is_dataset(fn):
        return ": pass a function that takes its batches, and the dataset as its argument"
    if hasattr(fn, "signatures"):
        return ": pass one of its signatures, such as loaded.signatures['serving_default']"
    return ""


def _function_in(fn: Any) -> Any:
    """The tf.function that the function calls, if it names exactly one, and that was traced
    once."""
    try:
        names = inspect.getclosurevars(inspect.unwrap(fn))
    except TypeError:
        return None
    found = {id(one): one for one in [*names.nonlocals.values(), *names.globals.values()]
             if hasattr(one, "_list_all_concrete_functions")}
    traced = [one._list_all_concrete_functions() for one in found.values()]
    return traced[0][0] if len(traced) == 1 and len(traced[0]) == 1 else None


def _framework_of(fn: Any, args: Arguments, keywords: Keywords) -> str:
    """By what it is given, or by what it names."""
    try:
        names = inspect.getclosurevars(inspect.unwrap(fn))
        named: List[Any] = [*names.nonlocals.values(), *names.globals.values()]
    except TypeError:
        named = []
    for several in ([*args, *keywords.values()], named):
        found = {name for name, package in (("jax", "jax"), ("jax", "jaxlib"),
                                            ("tensorflow", "tensorflow"), ("tensorflow", "keras"))
                 for one in several if _package_of(one) == package}
        if len(found) == 1:
            return found.pop()
    raise TypeError("profile_function: TensorFlow and JAX are both imported: pass tf.function(fn) or "
                    "jax.jit(fn), to say which of them the function is for")


def _package_of(given: Any) -> str:
    name = given.__name__ if isinstance(given, types.ModuleType) else type(given).__module__
    return name.split(".")[0]


def _to_device(jax: Any, given: Any) -> Any:
    """The same with arrays of NumPy on the device, so that they are copied once."""
    return jax.tree_util.tree_map(
        lambda one: jax.numpy.asarray(one) if hasattr(one, "__array_interface__")
        and one.dtype.kind in "biufc" else one, given)


def _prepare_jax(jax: Any, fn: Any, args: Arguments, keywords: Keywords) -> Call:
    args, keywords = _to_device(jax, (args, keywords))
    jitted, note = jax.jit(fn), "the function was not jitted, so it is profiled as jax.jit(fn)"
    try:
        jitted.lower(*args, **keywords)
    except Exception as error:
        jitted = fn
        note = (f"the function cannot be jitted ({type(error).__name__}), so it is profiled as it is, one "
                "operation at a time; if it has arguments that are no arrays, pass "
                "jax.jit(fn, static_argnums=...)")
    return Call("jax", lambda: jax.block_until_ready(jitted(*args, **keywords)), notes=(note,))


# ---- Keras -------------------------------------------------------------------------------

def keras_of(fn: Any) -> Any:
    """The package whose layer or model this is: Keras, tf_keras, or None."""
    for name in ("keras", "tf_keras"):
        keras = sys.modules.get(name)
        layers = getattr(keras, "layers", None)
        if layers is not None and isinstance(fn, layers.Layer):
            return keras
    return None


def method_of_model(fn: Any) -> Tuple[Any, str]:
    """(model, name) of a method of a Keras model; (None, "") for anything else."""
    model = getattr(fn, "__self__", None)
    return (model, getattr(fn, "__name__", "")) if keras_of(model) is not None else (None, "")


def _prepare_on_batch(model: Any, method: str, args: Arguments, keywords: Keywords) -> Call:
    keras = keras_of(model)
    if len(args) == 1 and _is_dataset(args[0]):
        args = _parts_of(args[0])[:1 if method == "predict_on_batch" else 3]
    backend = _backend_of(keras)
    call = getattr(model, method)
    return Call(backend, lambda: call(*args, **keywords), arguments=args,
                watched=(model, ON_BATCH[method]) if backend == "tensorflow" else None)


def _parts_of(dataset: Any) -> Arguments:
    """The first batch as (inputs, targets, weights), as far as there are such."""
    batch = first_batch(dataset)
    return tuple(batch) if isinstance(batch, tuple) else (batch,)


def _backend_of(keras: Any) -> str:
    backend = keras.backend.backend()
    if backend not in ("tensorflow", "jax"):
        raise TypeError("profile_function: expected Keras on TensorFlow or JAX, got Keras on "
                        f"{backend}: set KERAS_BACKEND=tensorflow")
    return str(backend)


def _prepare_keras(keras: Any, model: Any, args: Arguments, keywords: Keywords,
                   mode: Optional[str]) -> Call:
    backend = _backend_of(keras)
    is_compiled = bool(getattr(model, "compiled", False) or getattr(model, "optimizer", None))
    is_dataset = len(args) == 1 and _is_dataset(args[0])
    if is_dataset:
        args = _parts_of(args[0])
    else:
        args = tuple(first_batch(one) if _is_dataset(one) else one for one in args)
    is_training = mode == "train" or mode is None and is_compiled and len(args) > 1
    if is_training:
        _check_training(model, is_compiled, args, keywords)
    elif is_dataset or mode == "predict":
        args = args[:1]
    _check_inputs(model, args, is_training)
    if backend == "tensorflow":
        return _prepare_keras_tensorflow(keras, model, args, keywords, is_training)
    jax = sys.modules["jax"]
    if is_training:
        return Call("jax", lambda: model.train_on_batch(*args))
    function = jax.jit(lambda trained, others, args: model.stateless_call(
        trained, others, *args, **keywords))
    if not model.built:
        model(*args, **keywords)

    def run() -> Any:
        return jax.block_until_ready(function(
            [one.value for one in model.trainable_variables],
            [one.value for one in model.non_trainable_variables], args))

    return Call("jax", run)


def _check_training(model: Any, is_compiled: bool, args: Arguments, keywords: Keywords) -> None:
    if not hasattr(model, "train_step"):
        raise TypeError("profile_function: mode='train' applies to models, got the layer "
                        f"{type(model).__name__}: put it into a keras.Sequential and compile that")
    if not is_compiled:
        raise TypeError("profile_function: to train, the model needs a loss and an optimizer: call "
                        "model.compile(optimizer, loss) first")
    if keywords:
        raise TypeError("profile_function: a compiled model that is trained on inputs and targets "
                        f"takes no keywords, got {', '.join(keywords)}")
    has_loss = getattr(model, "loss", None) is not None
    is_own = type(model).train_step.__module__.split(".")[0] not in ("keras", "tf_keras")
    if len(args) < 2 and has_loss and not is_own:
        raise TypeError("profile_function: to train, the model needs targets: pass "
                        "profile_function(model, inputs, targets), or a dataset of such pairs")


def _check_inputs(model: Any, args: Arguments, is_training: bool) -> None:
    """Says what a model built from layers expects, before Keras says it from the inside."""
    try:
        wanted = [tuple(one.shape) for one in model.inputs]
    except Exception:  # not built yet, or a model with a call of its own
        return
    expected = ", ".join(map(str, wanted))
    if not args:
        raise TypeError(f"profile_function: the model needs inputs: expected shape {expected}")
    if len(args) > 1 and not is_training:
        raise TypeError(
            "profile_function: expected the inputs as one argument" + (
                f", a list of {len(wanted)}: profile_function(model, [a, b])" if len(wanted) > 1
                else "; to train on inputs and targets, call model.compile(optimizer, loss) first"))
    given = args[0]
    several = (list(given.values()) if isinstance(given, dict) else
               list(given) if isinstance(given, (list, tuple)) else [given])
    if isinstance(given, dict) or not all(hasattr(one, "shape") for one in several):
        return      # matched by name, or lists of numbers: for Keras to say
    shapes = [tuple(one.shape) for one in several]
    if len(shapes) != len(wanted) or not all(map(_fits, shapes, wanted)):
        raise _native.ArgumentError(f"profile_function: the model's inputs have shape {expected}, got "
                                    + ", ".join(map(str, shapes)))


def _fits(shape: Any, wanted: Any) -> bool:
    # Keras adds or drops a last dimension of 1.
    if len(shape) != len(wanted):
        return abs(len(shape) - len(wanted)) == 1
    return all(one is None or other is None or one == other for one, other in zip(shape, wanted))


def _prepare_keras_tensorflow(keras: Any, model: Any, args: Arguments, keywords: Keywords,
                              is_training: bool) -> Call:
    tf = sys.modules["tensorflow"]

    def train(*data: Any) -> Any:
        return model.train_step(data)

    def call(*inputs: Any, **more: Any) -> Any:
        return model(*inputs, **more)

    # Keras 3 converts nothing of a model either, and a failure then names no line of ours.
    function = tf.function(train if is_training else call,
                           jit_compile=getattr(model, "jit_compile", None) is True or None,
                           autograph=keras.__name__ != "keras")
    return _prepare_tensorflow(tf, function, args, keywords)
