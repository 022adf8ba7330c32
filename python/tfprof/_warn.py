"""Warnings that point to the caller's line, however deep in the package they are
raised."""

import contextlib
import os
import sys
import threading
import warnings

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_here = threading.local()


def warn(text, category=UserWarning):
    depth = 2
    frame = sys._getframe(1)
    while frame and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        frame = frame.f_back
        depth += 1
    try:
        warnings.warn(text, category, stacklevel=depth)
    except Exception:  # python -W error, or a stderr that is gone
        if not getattr(_here, "must_not_raise", 0):
            raise
        with contextlib.suppress(Exception):
            sys.stderr.write(f"{category.__name__}: {text}\n")


@contextlib.contextmanager
def never_raising():
    """Inside, warnings of this thread are printed where they would raise."""
    _here.must_not_raise = getattr(_here, "must_not_raise", 0) + 1
    try:
        yield
    finally:
        _here.must_not_raise -= 1


def some(names, at_most=5):
    """The names as text, shortened if there are many."""
    names = list(names)
    more = len(names) - at_most
    return ", ".join(map(str, names[:at_most])) + (f" and {more} more" if more > 0 else "")
