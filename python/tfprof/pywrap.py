"""The eight functions of ``tensorflow.python.util._pywrap_tfprof`` on this
library, with the same arguments and results. ``tfprof.install()`` replaces
TensorFlow's with these.

As there, only one profiler exists at a time: NewProfiler and ProfilerFromFile
start a new one, DeleteProfiler ends it. Where TensorFlow's profiler aborts the
process, these raise an exception.
"""

import os
import threading
from typing import Any, Optional, Union

from tfprof import _ask, _native, _options

_Text = Union[str, bytes]

_lock = threading.Lock()
_current: Optional[_native.Profile] = None

NAMES = ("AddStep", "DeleteProfiler", "NewProfiler", "PrintModelAnalysis", "Profile",
         "ProfilerFromFile", "SerializeToString", "WriteProfile")


def PrintModelAnalysis(graph: _Text, run_meta: _Text, op_log: _Text, command: _Text,
                       options: _Text) -> bytes:
    """Builds a profile from messages and runs a query on it."""
    made = _native.Profile()
    _add(made, "graph", graph)
    run_meta = _data(run_meta, "run_meta")
    if run_meta:
        _add_step(made, 0, None, run_meta, None)
    _add(made, "op_log", op_log)
    return _run(made, command, options)


def NewProfiler(graph: _Text, op_log: _Text) -> bool:
    """Starts a profiler with a GraphDef and an OpLogProto, which may be empty."""
    made = _native.Profile()
    _add(made, "graph", graph)
    _add(made, "op_log", op_log)
    _replace(made)
    return True


def ProfilerFromFile(filename: _Text) -> None:
    """Starts a profiler from a file written by WriteProfile."""
    made = _native.Profile()
    made.add("profile", os.fsdecode(filename))
    _replace(made)


def DeleteProfiler() -> None:
    """Ends the profiler, if there is one."""
    _replace(None)


def AddStep(step: int, graph: _Text, run_meta: _Text, op_log: _Text) -> float:
    """Adds run metadata to a step, optionally with a newer graph and an op log.
    Returns the share of nodes that have run in the steps so far."""
    if isinstance(step, float) or not hasattr(step, "__index__"):
        raise TypeError(f"step: expected a whole number, got {step!r}")
    return _add_step(_get_current(), step, _data(graph, "graph") or None,
                     _data(run_meta, "run_meta"), _data(op_log, "op_log") or None)


def SerializeToString() -> bytes:
    """The profiler's ProfileProto."""
    return _get_current().serialize()


def WriteProfile(filename: _Text) -> None:
    """Writes the profiler's ProfileProto to a file."""
    _get_current().save(os.fsdecode(filename))


def Profile(command: _Text, options: _Text) -> bytes:
    """Runs 'scope', 'graph', 'op', 'code' with a serialized OptionsProto or
    'advise' with an AdvisorOptionsProto; returns the serialized result."""
    return _run(_get_current(), command, options)


# ---- internal ----------------------------------------------------------------------

def _data(value: Any, argument: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError(f"{argument}: expected bytes or str, got {type(value).__name__}")


def _add(profile: _native.Profile, kind: str, value: Any) -> None:
    data = _data(value, kind)
    if data:
        profile.add(kind, data)


def _add_step(profile: _native.Profile, step: int, graph: Optional[bytes], run_meta: bytes,
              op_log: Optional[bytes]) -> float:
    try:
        coverage = profile.add_step(step, graph, run_meta, op_log)
    except _native.Error as error:
        # A run that was not traced adds nothing, and the caller continues.
        if not (run_meta and _ask.is_without_step_stats(error)):
            raise
        _ask.print_notes(f"{error}\n")
        return 0.0
    _ask.print_profile_notes(profile)
    return coverage


def _run(profile: _native.Profile, command: _Text, options: _Text) -> bytes:
    name = _data(command, "command").decode(errors="replace")
    message = _data(options, "options")
    if name == "advise":
        return _ask.advise(profile, message)
    if name not in _ask.VIEWS:
        raise _native.ArgumentError(
            f"unknown command {name!r}: expected one of: {', '.join(_ask.VIEWS)}, advise")
    _options.warn_unknown_words(_options.select_of(message))
    return _ask.query(profile, name, message)


def _get_current() -> _native.Profile:
    with _lock:
        profile = _current
    if profile is None:
        raise _native.Error("no profiler: call NewProfiler or ProfilerFromFile first")
    return profile


def _replace(profile: Optional[_native.Profile]) -> None:
    global _current
    with _lock:
        _current = profile
