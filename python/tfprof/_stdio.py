"""Prints reports and notes to Python's stdout and stderr, so that notebooks and
others that replace them get the output in order."""

import sys


def print_report(data: bytes) -> None:
    """To stdout, byte for byte if possible: names in a report may not be valid
    text."""
    out = sys.stdout
    if not data or out is None:
        return
    buffer = getattr(out, "buffer", None)
    encoding = (getattr(out, "encoding", None) or "").lower().replace("-", "")
    if buffer is not None and encoding in ("utf8", "ascii", "usascii"):
        # If possible past the buffer: what is left in that of a stdout that is gone would turn
        # the exit status of the program to 120.
        out.flush()
        raw = getattr(buffer, "raw", buffer)
        rest = memoryview(data)
        while rest:
            rest = rest[raw.write(rest) or 0:]
        buffer.flush()
        return
    text = data.decode("utf-8", "replace")
    try:
        out.write(text)
    except UnicodeEncodeError:
        out.write(text.encode(out.encoding, "replace").decode(out.encoding))
    out.flush()


def print_notes(text: str) -> None:
    """To stderr, except what has already been a Python warning."""
    lines = [line for line in text.splitlines(keepends=True)
             if not line.startswith("Unknown select: ")]
    if lines and sys.stderr is not None:
        sys.stderr.write("".join(lines))
        sys.stderr.flush()
