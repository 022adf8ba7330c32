"""Lets TensorFlow's own ``tf.compat.v1.profiler`` run on this core."""

import contextlib
import threading
from typing import Any, Dict, Iterator

_lock = threading.Lock()
_originals: Dict[str, Any] = {}


def _target() -> Any:
    try:
        from tensorflow.python.util import _pywrap_tfprof
    except ImportError as error:
        raise ImportError(f"tfprof.install() needs TensorFlow with its profiler: {error}") from None
    return _pywrap_tfprof


def install() -> None:
    """Swaps this core in under TensorFlow's own profiler.

    Afterwards ``tf.compat.v1.profiler`` behaves as before, only faster. Calling
    it again changes nothing.
    """
    from tfprof import pywrap
    target = _target()
    with _lock:
        if _originals:
            return
        for name in pywrap.NAMES:
            _originals[name] = getattr(target, name)
            setattr(target, name, getattr(pywrap, name))


def uninstall() -> None:
    """Puts TensorFlow's own core back. Without install() before, nothing changes."""
    with _lock:
        if not _originals:
            return
        target = _target()
        for name, original in _originals.items():
            setattr(target, name, original)
        _originals.clear()


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """``with tfprof.installed():`` this core for a block, then what was before."""
    with _lock:
        already = bool(_originals)
    install()
    try:
        yield
    finally:
        if not already:
            uninstall()
