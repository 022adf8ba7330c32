"""Runs TensorFlow's own ``tf.compat.v1.profiler`` on this library, and programs that use names of
TensorFlow 1 around it."""

import contextlib
import threading
from typing import Any, Dict, Iterator

from tfprof import _old_names
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
    """Lets programs that use TensorFlow's profiler run on this library, unchanged.

    Replaces the native code under ``tf.compat.v1.profiler``, which behaves as before,
    only faster. Brings back what TensorFlow 2 has removed: ``tf.contrib.tfprof``, the
    names of ``tf.profiler``, ``tf.estimator.ProfilerHook``, ``tf.train.ProfilerHook`` and
    ``from tensorflow.contrib.tfprof import …``, and ``tf.Session`` with what it takes to
    trace a run. Calling this again has no effect.
    """
    from tfprof import pywrap
    target = _target()
    with _lock:
        if _originals:
            return
        for name in pywrap.NAMES:
            _originals[name] = getattr(target, name)
            setattr(target, name, getattr(pywrap, name))
        _old_names.add()


def uninstall() -> None:
    """Leaves TensorFlow as it was. Has no effect without install()."""
    with _lock:
        if not _originals:
            return
        target = _target()
        for name, original in _originals.items():
            setattr(target, name, original)
        _originals.clear()
        _old_names.remove()


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
