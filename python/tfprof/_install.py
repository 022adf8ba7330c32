"""Runs TensorFlow's own ``tf.compat.v1.profiler`` on this library."""

import contextlib
import threading
from typing import Any, Dict, Iterator

from tfprof._need import need

_lock = threading.Lock()
_originals: Dict[str, Any] = {}


def _target() -> Any:
    need("tensorflow", "tfprof.install()")
    try:
        from tensorflow.python.util import _pywrap_tfprof
    except ImportError as error:
        raise ImportError(f"tfprof.install() needs TensorFlow with its profiler: {error}") from None
    return _pywrap_tfprof


def install() -> None:
    """Replaces the native code under TensorFlow's own profiler with this library.

    Afterwards ``tf.compat.v1.profiler`` behaves as before, only faster. Calling
    this again has no effect.
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
    """Restores TensorFlow's own native code. Has no effect without install()."""
    with _lock:
        if not _originals:
            return
        target = _target()
        for name, original in _originals.items():
            setattr(target, name, original)
        _originals.clear()


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """``with tfprof.installed():`` installs for a block, then restores what was before."""
    with _lock:
        already = bool(_originals)
    install()
    try:
        yield
    finally:
        if not already:
            uninstall()
