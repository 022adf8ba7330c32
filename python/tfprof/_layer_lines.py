"""The lines that created the layers of Keras.

Keras itself calls the layers of a Sequential or functional model, so the only line of the user's in the
call stacks of their operations is the one that calls the model. What a reader looks for is the
line that made the layer. From the import of tfprof on, Layer.__new__ notes it:

    dense = Dense(10)              dense -> ("train.py", 12, "make_model")
    sequential_1/dense_1/MatMul    the layer `dense` of the model `sequential`, by its name

Names of operations have numbers where TensorFlow has seen a name before, as names of layers do.
"""

import functools
import re
import sys
import weakref
from typing import Any, Dict, Iterable, List, Optional, Tuple

Line = Tuple[str, int, str]     # path, line, function

# Where the class Layer is, by the package that has it.
_MODULES = {"keras": "keras.src.layers.layer"}
_NUMBER = re.compile(r"_\d+$")
_MOST_FRAMES = 100

_lines: "weakref.WeakKeyDictionary[Any, Line]" = weakref.WeakKeyDictionary()
_is_users: Any = None


# ---- noting --------------------------------------------------------------------------

def watch() -> None:
    """Notes lines from now on, also if Keras is imported later. Never raises."""
    for module in _MODULES.values():
        try:
            if module in sys.modules:
                _patch(sys.modules[module])
            elif not any(isinstance(one, _Finder) for one in sys.meta_path):
                sys.meta_path.insert(0, _Finder())
        except Exception:   # another Keras than those known: then there are no lines
            pass


class _Finder:
    """Patches Keras when it is imported, and is gone then."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _MODULES.values():
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        try:
            from importlib.util import find_spec

            spec = find_spec(name)
            run = spec.loader.exec_module   # type: ignore[union-attr]

            def exec_module(module: Any) -> None:
                run(module)
                try:
                    _patch(module)
                except Exception:
                    pass

            spec.loader.exec_module = exec_module   # type: ignore[union-attr, method-assign]
            return spec
        except Exception:   # others will find it
            return None


def _patch(module: Any) -> None:
    layer = module.Layer
    inner = vars(layer)["__new__"].__func__
    if hasattr(inner, "_of_tfprof"):
        return

    @functools.wraps(inner)
    def __new__(cls: Any, *args: Any, **keywords: Any) -> Any:
        made = inner(cls, *args, **keywords)
        try:
            _note(made, sys._getframe(1))
        except Exception:   # a layer without a hash, say
            pass
        return made

    __new__._of_tfprof = True   # type: ignore[attr-defined]
    layer.__new__ = staticmethod(__new__)


def _note(layer: Any, frame: Any) -> None:
    global _is_users
    if _is_users is None:
        from tfprof._live_stacks import UsersFiles

        _is_users = UsersFiles()
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        code = frame.f_code
        if _is_users[code.co_filename]:
            _lines[layer] = code.co_filename, frame.f_lineno, code.co_name
            return
        frame = frame.f_back


# ---- finding ---------------------------------------------------------------------------

def find_lines(names: Iterable[str]) -> Dict[str, Optional[Line]]:
    """By scope, such as 'sequential_1/dense_1': the line that made its layer; None if that has
    lines of its own. `names` are those of all operations of a graph."""
    models: Dict[str, List[Any]] = {}
    for layer in list(_lines):
        if hasattr(layer, "layers") and _is_called_by_keras(layer):
            models.setdefault(layer.name, []).append(layer)
    found: Dict[str, Optional[Line]] = {}
    for scope, children in (_scopes(names) if models else {}).items():
        last = scope.rpartition("/")[2]
        matches = [_match(model, children) for name in {last, _NUMBER.sub("", last)}
                   for model in models.get(name, ())]
        most = max(map(len, matches), default=0)
        best = [match for match in matches if most and len(match) == most]
        for child in best[0] if best else ():
            lines = {match.get(child) for match in best}
            if len(lines) == 1:     # or else models of the same name differ
                found[f"{scope}/{child}"] = lines.pop()
    return found


def _is_called_by_keras(layer: Any) -> bool:
    """Whether its call is Keras's; that of the user has lines of its own."""
    return str(getattr(getattr(type(layer), "call", None), "__module__", "")).startswith("keras.")


def _scopes(names: Iterable[str]) -> Dict[str, Dict[str, None]]:
    """The names directly below each scope, in order of first use."""
    scopes: Dict[str, Dict[str, None]] = {}
    for name in names:
        parent, _, child = name.rpartition("/")
        while parent:
            known = scopes.setdefault(parent, {})
            if child in known:
                break
            known[child] = None
            parent, _, child = parent.rpartition("/")
    return scopes


def _match(model: Any, children: Iterable[str]) -> Dict[str, Optional[Line]]:
    """Which of the names are which of the model's layers: dense_1 may be that layer, or another call
    of `dense`. A name that can be one layer only decides, and leaves the others to the rest."""
    layers = {layer.name: _lines.get(layer) if _is_called_by_keras(layer) else None
              for layer in model.layers}
    open_names = {child: [name for name in (child, _NUMBER.sub("", child)) if name in layers]
                  for child in children}
    matched: Dict[str, Optional[Line]] = {}
    taken = set()
    while True:
        sure = [child for child, names in open_names.items() if len(set(names)) == 1]
        if not sure:
            return matched
        for child in sure:
            name = open_names.pop(child)[0]
            taken.add(name)
            matched[child] = layers[name]
        for child, names in open_names.items():
            rest = [name for name in names if name not in taken]
            if rest:
                open_names[child] = rest


def line_of(lines: Dict[str, Optional[Line]], name: str) -> Optional[Line]:
    """Of an operation: that of the innermost scope that has one."""
    scope = name.rpartition("/")[0]
    while scope:
        if scope in lines:
            return lines[scope]
        scope = scope.rpartition("/")[0]
    return None
