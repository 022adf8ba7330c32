"""The place through which tfprof runs inside a user's program.

A failing profiler must not break what it watches. Each object that a user's program calls
while it runs, such as a callback or a context, has a Guard, and does its work through it:

    begin    a new recording: nothing has failed yet
    run      one piece of work; if it raises, a warning says so once, what was patched is
             restored, and the guard is off: later work is skipped
    restore  the end of the recording, or the user's own exception: undoes what is patched

Ctrl-C in a piece of work also restores, and is passed on. strict=True raises instead of warning.
In a process forked from the one that began, a guard is off and restores nothing: the
recording, its files and TensorFlow's threads are the parent's.
"""

import functools
import os
import threading
from typing import Any, Callable, List, Optional

from tfprof._warn import never_raising, warn


class Guard:
    def __init__(self, who: str, strict: bool = False):
        self._who = who
        self._strict = bool(strict)
        self._undo: List[Callable[[], Any]] = []   # pop() is atomic: each runs once
        self._restoring = threading.RLock()
        self._process = os.getpid()
        #: What failed; None while all is well.
        self.failure: Optional[str] = None

    @property
    def is_on(self) -> bool:
        return self.failure is None and not self.is_forked

    @property
    def is_forked(self) -> bool:
        return os.getpid() != self._process

    def begin(self) -> None:
        self.restore()       # left from a recording that was interrupted
        self._process = os.getpid()
        self.failure = None

    def on_restore(self, undo: Callable[[], Any]) -> None:
        """Registers a function that undoes something; they run in reverse order, each once."""
        self._undo.append(undo)

    def restore(self) -> None:
        if self.is_forked:
            self._undo.clear()
            return
        with self._restoring:    # what another thread has begun to undo is undone when this returns
            self._restore()

    def _restore(self) -> None:
        interrupt = None
        with never_raising():
            while self._undo:
                try:
                    self._undo.pop()()
                except Exception:      # the rest must still be restored
                    pass
                except BaseException as error:
                    interrupt = error
        self._undo.clear()
        if interrupt is not None:
            raise interrupt

    def run(self, what: str, function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        """The function's result; None if it fails, or if something has failed before.

        what: the start of the message, such as 'the profile could not be written'."""
        if not self.is_on:
            return None
        try:
            if self._strict:
                return function(*args, **keywords)
            with never_raising():
                return function(*args, **keywords)
        except Exception as error:
            if self.failure is not None and self._strict:
                raise            # of a run inside of this one
            self.fail(what, error)
        except BaseException:    # Ctrl-C: the user's
            self.failure = f"{what}: it was interrupted"
            self.restore()
            raise
        return None

    def fail(self, what: str, error: Exception) -> None:
        """Switches off."""
        self.failure = f"{what}: {error}" if str(error) else f"{what}: {type(error).__name__}"
        self.restore()
        if self._strict:
            raise error
        with never_raising():
            self._say(f"{self.failure}; the program continues without profiling")

    def note(self, text: str, error: Optional[Exception] = None) -> None:
        """Says something that the recording survives; with strict, a given error is raised."""
        if self._strict and error is not None:
            raise error
        if self._strict:
            self._say(text)
            return
        with never_raising():
            self._say(text + (f": {error}" if error is not None else ""))

    def _say(self, text: str) -> None:
        warn(f"{self._who}: {text}")


def guarded(what: str) -> Any:
    """Decorates a method that the user's program calls: it runs through self._guard."""
    def decorate(method: Any) -> Any:
        @functools.wraps(method)
        def run(self: Any, *args: Any, **keywords: Any) -> Any:
            return self._guard.run(what, method, self, *args, **keywords)
        return run
    return decorate
