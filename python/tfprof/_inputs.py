"""The kinds of input, as the library's table has them, and what may be given for
one: a path, a message or its bytes."""

import contextlib
import operator
import os
from typing import (Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple,
                    Union)

from tfprof import _native

Path = Union[str, "os.PathLike[str]"]
Input = Union[bytes, Path, Any]


class Kind(NamedTuple):
    name: str
    message: Optional[str]      # "tensorflow.GraphDef"; None if it is no message
    help: str
    traits: int

    def has(self, trait: int) -> bool:
        return bool(self.traits & trait)


#: By name, in the order in which inputs of several kinds should be added.
KINDS: Dict[str, Kind] = {row[0]: Kind(*row) for row in _native.inputs()}


def kind_of(given: Input) -> Optional[Kind]:
    """The kind of a message, by its class; None for a path or bytes, which
    are recognized by content."""
    descriptor = getattr(given, "DESCRIPTOR", None)
    for kind in KINDS.values():
        if kind.message and kind.message == getattr(descriptor, "full_name", None):
            return kind
    return None


def to_native(given: Input, kind: Optional[Kind]) -> Any:
    """A path or bytes, as the native module takes them."""
    name = kind.name if kind else "input"
    if kind and kind.has(_native.INPUT_FILES):
        return os.fsdecode(given)
    if kind and kind.message and hasattr(given, "SerializeToString"):
        from tfprof import _messages
        return _messages.to_bytes(given, name, kind.message)
    if _is_one(given) and not hasattr(given, "SerializeToString"):
        return given
    if kind and not kind.message:
        expected = "a path or bytes"
    else:
        expected = f"a path, {f'a {kind.message}' if kind else 'a'} message or its bytes"
    hint = ": give its name, or what its read() returns" if _is_open_file(given) else ""
    raise TypeError(f"{name}: expected {expected}, got {type(given).__name__}{hint}")


def by_step(given: Any, kind: Kind) -> Iterable[Tuple[int, Input]]:
    """(step, input) of one input, of a sequence of them or of a mapping."""
    if not kind.has(_native.INPUT_BY_STEP | _native.INPUT_SEVERAL) or _is_one(given):
        return ((0, given),)
    if isinstance(given, Mapping):
        return given.items()
    if _is_open_file(given):
        to_native(given, kind)
    try:
        return enumerate(given)
    except TypeError:
        to_native(given, kind)
        raise


def _is_one(given: Any) -> bool:
    return isinstance(given, (bytes, bytearray, memoryview, str, os.PathLike)) or hasattr(
        given, "SerializeToString")


def _is_open_file(given: Any) -> bool:
    """Iterable, but its lines are not inputs."""
    return hasattr(given, "read") and not _is_one(given)


def flatten(files: Iterable[Any]) -> Iterator[Input]:
    """Inputs, each one or a list of them."""
    for given in files:
        if _is_one(given) or not isinstance(given, Iterable) or isinstance(given, Mapping) or (
                _is_open_file(given)):
            yield given
        else:
            yield from given


def _of_any_kind(files: Iterable[Input]) -> List[Tuple[Optional[str], Any, int]]:
    given: List[Tuple[Optional[str], Any, int]] = []
    for one in files:
        kind = kind_of(one)
        given.append((kind.name if kind else None, to_native(one, kind), _native.NEXT_STEP))
    return given


def split_runs(files: Iterable[Input]) -> List[List[Any]]:
    """The inputs of each run of one side of a comparison: parts, such as a graph and run
    metadata, are one run; saved profiles and traces are one each."""
    n, given = _native.count_runs(_of_any_kind(files))
    found = [one for _, one, _ in given]
    return [found] if n == 1 else [[one] for one in found]


def arrange(files: Iterable[Input], keywords: Mapping[str, Any]) -> List[Tuple[Kind, Any, int]]:
    """What to add, in order: (kind, path or bytes, step)."""
    given = _of_any_kind(files)
    for name, several in keywords.items():
        for step, one in by_step(several, KINDS[name]):
            check_step(step)
            given.append((name, to_native(one, KINDS[name]), step))
    return [(KINDS[name], one, step) for name, one, step in _native.arrange(given)]


def check_step(step: Any) -> None:
    if isinstance(step, bool) or not hasattr(step, "__index__"):
        raise TypeError(f"step: expected a whole number, got {step!r}")
    if not -1 << 63 <= operator.index(step) < 1 << 63:
        raise _native.ArgumentError(f"step: expected a 64-bit whole number, got {step!r}")


def check(given: Mapping[str, Any], n_files: int) -> None:
    """Whether inputs of these kinds exist, go together and are enough, besides files
    whose kinds are not known yet."""
    for name in given:
        if name not in KINDS:
            raise TypeError(f"load() got an unexpected keyword argument {name!r}: expected one "
                            f"of: {', '.join(KINDS)}, progress")
    kinds = [KINDS[name] for name in given]
    for kind in kinds:
        if kind.has(_native.INPUT_PART) and any(one.has(_native.INPUT_WHOLE) for one in kinds):
            raise _native.ArgumentError(f"{kind.name}: a saved profile already contains that: give "
                                        "either the profile or its parts")
        if not n_files and kind.has(_native.INPUT_EXTRA) and not any(
                one.has(_native.INPUT_WHOLE | _native.INPUT_PART) for one in kinds):
            raise _native.ArgumentError(
                f"{kind.name}: it adds to nodes: give graph= with it")
    if not kinds and not n_files:
        raise _native.ArgumentError("nothing to load: give a saved profile, or graph= and "
                                    "run_meta=, or checkpoint=")


def documentation() -> str:
    """A line for each kind but the whole profile, for a docstring."""
    lines = []
    for kind in KINDS.values():
        if not kind.has(_native.INPUT_WHOLE):
            several = (" One, a list (steps 0, 1, 2, ...) or a dict by step."
                       if kind.has(_native.INPUT_BY_STEP) else
                       " One, or a list." if kind.has(_native.INPUT_SEVERAL) else "")
            lines.append(f"      {kind.name}: {kind.help}{several}")
    return "\n".join(lines)


@contextlib.contextmanager
def as_text() -> Iterator[None]:
    """Text that is not Unicode is an error of the caller."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise _native.ArgumentError(
            f"expected text that can be written as UTF-8, got {error.object!r}") from None
