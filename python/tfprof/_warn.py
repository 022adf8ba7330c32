"""Warnings that point to the caller's line, however deep in the package they are
raised."""

import os
import sys
import warnings

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn(text, category=UserWarning):
    depth = 2
    frame = sys._getframe(1)
    while frame and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        frame = frame.f_back
        depth += 1
    warnings.warn(text, category, stacklevel=depth)


def some(names, at_most=5):
    """The names as text, shortened if there are many."""
    names = list(names)
    more = len(names) - at_most
    return ", ".join(map(str, names[:at_most])) + (f" and {more} more" if more > 0 else "")
