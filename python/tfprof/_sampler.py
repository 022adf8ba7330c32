"""Which Python function a thread is in, every few milliseconds, while something is recorded.

TensorFlow records no Python. So a thread of ours looks at the stack of the one that is recorded,
and what it finds is added to the trace, as a plane of its own, from which the step's answer
names the functions behind "Python" and behind calls of the framework.

    clock     an event of the trace, at a time that is known here, too
    sample    time since the clock: $file.py:12 function [> leaf]

A function is the innermost one of the user's own; without such below `floor`, the frame of fit()
say, it is the package whose code runs. Times of parts never come from samples.
"""

import os
import sys
import threading
import time
from types import CodeType, FrameType
from typing import Any, Callable, Dict, List, Optional, Tuple

from tfprof._live_stacks import UsersFiles

CLOCK = "tfprof_clock"
PERIOD_S = 0.001
# A pause is this many times as long as the sample before it took the processor.
_REST = 50
# How long a thread may keep Python to itself while another waits for it. With Python's 5 ms a
# function that runs for less would never be seen.
_SWITCH_S = 0.0005
# At this many a recording has lasted for minutes: there is more to read than to learn.
_MOST = 200_000


class Sampler:
    """Samples a thread, by default the one that made it, from start() to stop()."""

    def __init__(self, floor: Optional[FrameType] = None, thread_id: Optional[int] = None):
        self._thread_id = thread_id or threading.get_ident()
        self._floor = floor
        self._is_over = threading.Event()
        self._names: Dict[Tuple[CodeType, CodeType, int], int] = {}
        self._texts: List[str] = []
        self._times: List[int] = []     # nanoseconds
        self._which: List[int] = []     # of _texts
        self._is_users = UsersFiles()
        self._switch: Optional[float] = None
        self._thread: Optional[threading.Thread] = None

    def start(self) -> None:
        if sys.getswitchinterval() > _SWITCH_S:
            self._switch = sys.getswitchinterval()
            sys.setswitchinterval(_SWITCH_S)
        self._thread = threading.Thread(target=self._run, daemon=True, name="tfprof-sampler")
        self._thread.start()

    def stop(self) -> None:
        """May be called again."""
        self._is_over.set()
        switch, self._switch = self._switch, None
        if switch is not None and abs(sys.getswitchinterval() - _SWITCH_S) < 1e-6:
            sys.setswitchinterval(switch)   # unless the program has set another meanwhile
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(1)
        self._floor = None

    def _run(self) -> None:
        floor, wait, now = self._floor, self._is_over.wait, time.perf_counter_ns
        pause, spent = PERIOD_S, time.thread_time()
        while not wait(pause) and len(self._times) < _MOST:
            at = now()
            frame = sys._current_frames().get(self._thread_id)
            if frame is None:
                return
            self._which.append(self._name(frame, floor))
            self._times.append(at)
            del frame
            before, spent = spent, time.thread_time()    # waking up included
            pause = max(PERIOD_S, _REST * (spent - before))

    def _name(self, leaf: FrameType, floor: Optional[FrameType]) -> int:
        """The place of its text."""
        frame: Optional[FrameType] = leaf
        while frame is not None and frame is not floor and (
                not self._is_users[frame.f_code.co_filename]):
            frame = frame.f_back
        found = frame if frame is not None and frame is not floor else leaf
        code = found.f_code
        # Of a module, where it is; of a function, where it is defined: it is one cause.
        line = found.f_lineno if code.co_name == "<module>" else code.co_firstlineno
        key = code, leaf.f_code, line or 1
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = len(self._texts)
            self._texts.append(self._describe(*key))
        return known

    def _describe(self, function: CodeType, leaf: CodeType, line: int) -> str:
        if function is not leaf:
            return f"${_text(function, line)} > {_text(leaf)}"
        if self._is_users[function.co_filename]:
            return f"${_text(function, line)}"
        return f"${_package(function.co_filename)} > {_text(leaf)}"

    def encode(self, clock_ns: int) -> bytes:
        """The samples as a field of an XSpace: a plane."""
        ids = range(1, len(self._texts) + 1)
        names = b"".join(_field(4, _number(1, n) + _field(2, _number(1, n) + _field(
            2, text.encode("utf-8", "replace")))) for n, text in zip(ids, self._texts))
        events = b"".join(_field(4, _number(1, which + 1) + _number(2, 1000 * (at - clock_ns)))
                          for at, which in zip(list(self._times), self._which) if at >= clock_ns)
        line = _field(3, _number(1, 1) + _field(2, b"Python") + events)
        return _field(1, _field(2, b"/host:tfprof") + line + names)

    def append_to(self, path: str, clock_ns: int) -> None:
        """Adds the samples to a trace, all of them or none."""
        if not self._times:
            return
        data, size = self.encode(clock_ns), os.path.getsize(path)
        try:
            with open(path, "ab") as file:
                file.write(data)
        except BaseException:
            os.truncate(path, size)
            raise


def mark_clock(annotate: Callable[[str], Any]) -> int:
    """Makes the event of the clock; returns its time."""
    with annotate("tfprof_start"):      # the first takes longer
        pass
    event = annotate(CLOCK)
    at = time.perf_counter_ns()
    with event:
        pass
    return at


def _text(code: CodeType, line: Optional[int] = None) -> str:
    return f"{os.path.basename(code.co_filename)}:{line or code.co_firstlineno} {code.co_name}"


def _package(path: str) -> str:
    """Its name, such as keras; of Python's own library, Python."""
    parts = path.replace(os.sep, "/").split("/")
    for folder in ("site-packages", "dist-packages"):
        if folder in parts[:-1]:
            return parts[parts.index(folder) + 1].split(".")[0]
    return next((name for name in UsersFiles.FRAMEWORKS if name in parts), "Python's library")


# ---- protocol buffers ---------------------------------------------------------------------

def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data
