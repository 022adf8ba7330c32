"""A progress line on the terminal for work that takes longer than a second.

The native call runs without the interpreter's lock and publishes its progress;
another thread reads and draws it. Nothing is drawn if stderr is not a terminal.
"""

import contextlib
import os
import sys
import threading
import time
from typing import Any, Iterator, Optional, TextIO, Tuple

DELAY = 1.0        # seconds before anything is shown
INTERVAL = 0.1     # seconds between updates
WIDTH = 20         # of the bar, in characters


@contextlib.contextmanager
def shown(profile: Any, what: str, wanted: Optional[bool] = None) -> Iterator[None]:
    """Shows the progress of the block, which adds to or saves a native profile.

    wanted: None means only if stderr is a terminal."""
    out = sys.stderr
    if wanted is None:
        wanted = _is_terminal(out)
    if not wanted or out is None:
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_draw, args=(profile, what, out, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class _Unknown:
    """Bytes are not counted while writing."""
    progress = (0, 0, 0)


def writing(path: Any, wanted: Optional[bool] = None) -> Any:
    """Shows progress while the block writes a file."""
    name = os.path.basename(os.fsdecode(path)) if isinstance(
        path, (str, bytes, os.PathLike)) else "?"
    return shown(_Unknown, f"writing {name}", wanted)


def _is_terminal(out: Optional[TextIO]) -> bool:
    try:
        return out is not None and out.isatty()
    except (AttributeError, ValueError):
        return False


def _draw(profile: Any, what: str, out: TextIO, done: threading.Event) -> None:
    start = time.monotonic()
    if done.wait(DELAY):
        return
    try:
        while True:
            out.write("\r\033[K" + line(what, profile.progress, time.monotonic() - start))
            out.flush()
            if done.wait(INTERVAL):
                break
        out.write("\r\033[K")
        out.flush()
    except (OSError, ValueError):
        pass           # the terminal is gone: do not disturb the work


def line(what: str, progress: Tuple[int, int, int], seconds: float) -> str:
    """
    >>> line('profile_100', (30_000_000, 120_000_000, 50_000), 2.0)
    'profile_100:  25%|#####               | 30.0/120.0 MB [00:02<00:06, 15.0 MB/s, 50000 nodes]'
    >>> line('profile_100', (0, 0, 0), 3.0)
    'profile_100: [00:03]'
    """
    done, total, nodes = progress
    if not total or not done:
        return f"{what}: [{_clock(seconds)}]"
    share = min(done / total, 1.0)
    bar = "#" * int(share * WIDTH)
    rate = done / seconds
    return (f"{what}: {share:4.0%}|{bar:<{WIDTH}}| {done / 1e6:.1f}/{total / 1e6:.1f} MB "
            f"[{_clock(seconds)}<{_clock((total - done) / rate)}, {rate / 1e6:.1f} MB/s, "
            f"{nodes} nodes]")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds + 0.5), 60)
    return f"{minutes:02}:{rest:02}"
