"""Names of TensorFlow 1 around its profiler, in TensorFlow 2: programs and documents of that time
run unchanged.

    tf.contrib.tfprof.…               the drop-in API, also to import from: tensorflow.contrib.tfprof
    tf.profiler.…                     the same, beside TensorFlow 2's own tf.profiler.experimental
    tf.estimator.ProfilerHook, tf.train.ProfilerHook
    tf.Session, tf.RunOptions, …      what one needs to trace a run: those of tf.compat.v1
    tensorflow.tools.tfprof           its messages

Only what is missing is added, and `remove` takes away exactly what was added. Modules that
TensorFlow loads a second time under another name (``import tensorflow.compat.v1``) get their names
when they are loaded.
"""

import importlib
import importlib.machinery
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

# Of tf.compat.v1.
_SESSIONS = ("RunMetadata", "RunOptions", "Session", "get_default_graph", "get_variable",
             "trainable_variables")
_PROFILER = ("AdviceProto", "GraphNodeProto", "MultiGraphNodeProto", "OpLogProto",
             "ProfileOptionBuilder", "Profiler", "advise", "profile", "write_op_log")
_CONTRIB = _PROFILER + ("ALL_ADVICE", "ProfileContext", "ProfilerHook", "model_analyzer",
                        "option_builder", "profile_context", "tfprof_logger")

# module → {name in it: name in the package}
_MODULES: Dict[str, Dict[str, str]] = {
    "tensorflow.contrib": {},
    "tensorflow.contrib.tfprof": {name: name for name in _CONTRIB},
    "tensorflow.contrib.tfprof.python": {},
    "tensorflow.contrib.tfprof.python.tools": {},
    "tensorflow.contrib.tfprof.python.tools.tfprof": {name: name for name in _CONTRIB},
    "tensorflow.estimator": {"ProfilerHook": "ProfilerHook"},
    "tensorflow.tools.tfprof": {},
    "tensorflow.tools.tfprof.tfprof_log_pb2": {"OpLog": "OpLogProto", "OpLogProto": "OpLogProto"},
    "tensorflow.tools.tfprof.tfprof_output_pb2": {"TFGraphNodeProto": "GraphNodeProto",
                                                  "TFMultiGraphNodeProto": "MultiGraphNodeProto"},
}
_TOPS = ("tensorflow", "tensorflow.compat.v1", "tensorflow._api.v2.compat.v1")

_added: List[Tuple[Any, str]] = []
_modules: Dict[str, "_Module"] = {}


class _Module(types.ModuleType):
    """A module whose names are looked up in the package when they are first used."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "A module of TensorFlow 1, brought back by tfprof.install().")
        self.__path__: List[str] = []
        self.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)

    def __getattr__(self, name: str) -> Any:
        below = f"{self.__name__}.{name}"
        if below in _modules:
            return _modules[below]
        if name in _MODULES[self.__name__]:
            return getattr(importlib.import_module("tfprof"), _MODULES[self.__name__][name])
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}: tfprof.install() "
                             "brings back only what the profiler had")

    def __dir__(self) -> List[str]:
        below = [one.rpartition(".")[2] for one in _modules
                 if one.rpartition(".")[0] == self.__name__]
        return sorted({*super().__dir__(), *_MODULES[self.__name__], *below})


# ---- adding names ------------------------------------------------------------------------

def add() -> None:
    """Adds the names. TensorFlow must be imported."""
    _modules.update((name, _Module(name)) for name in _MODULES)
    sys.meta_path.insert(0, _Finder)
    for name in _TOPS:
        if name in sys.modules:
            _complete(name, sys.modules[name])
    log = importlib.import_module("tensorflow.core.profiler.tfprof_log_pb2")
    _put(log, "OpLog", log.OpLogProto)


def remove() -> None:
    """Removes what was added."""
    if _Finder in sys.meta_path:
        sys.meta_path.remove(_Finder)
    while _added:
        owner, name = _added.pop()
        if name in vars(owner):
            delattr(owner, name)  # wrappers of TensorFlow have it twice
    for name in list(sys.modules):
        parent, _, child = name.rpartition(".")
        if parent in _modules or name in _modules:
            del sys.modules[name]
            if parent in sys.modules and vars(sys.modules[parent]).get(child) is _modules.get(name):
                vars(sys.modules[parent]).pop(child, None)
    _modules.clear()


def _put(owner: Any, name: str, value: Any) -> None:
    if not hasattr(owner, name):
        setattr(owner, name, value)
        _added.append((owner, name))


def _complete(name: str, module: Any) -> None:
    """Adds what a module lacks."""
    import tfprof
    if name in _TOPS:
        _put(module, "contrib", _modules["tensorflow.contrib"])
        _put(module, "estimator", _modules["tensorflow.estimator"])
        for one in _SESSIONS:
            _put(module, one, getattr(sys.modules["tensorflow"].compat.v1, one))
        _complete("tensorflow.profiler", module.profiler)
        _complete("tensorflow.train", module.train)
    elif name == "tensorflow.profiler":
        for one in _PROFILER:
            _put(module, one, getattr(tfprof, one))
    elif name == "tensorflow.train":
        _put(module, "ProfilerHook", tfprof.ProfilerHook)


# ---- importing ---------------------------------------------------------------------------

class _Finder:
    """Finds modules of TensorFlow 1, and completes those that TensorFlow loads once more."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None
                  ) -> Optional[importlib.machinery.ModuleSpec]:
        parent, _, child = name.rpartition(".")
        if name in _modules:
            return importlib.machinery.ModuleSpec(name, _Loader(lambda: _modules[name]),
                                                  is_package=True)
        if parent in _modules and child in _MODULES[parent]:
            value = getattr(_modules[parent], child)
            if isinstance(value, types.ModuleType):
                return importlib.machinery.ModuleSpec(name, _Loader(lambda: value))
        if name in ("tensorflow.compat.v1", "tensorflow.profiler", "tensorflow.train"):
            spec = importlib.machinery.PathFinder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Completing(spec.loader)
            return spec
        return None


class _Loader:
    """Gives a module that exists another name."""

    def __init__(self, get: Callable[[], types.ModuleType]) -> None:
        self._get = get

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        sys.modules[module.__name__] = self._get()


class _Completing:
    """A loader of TensorFlow's own; its module then gets what it lacks."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        self._loader.exec_module(module)
        module = sys.modules.get(module.__name__, module)  # some put a wrapper in their place
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        if _modules:
            _complete(module.__name__, module)
