"""`python -m tfprof …` runs the program, and `python -m tfprof ui FILE` its page."""

import os
import shutil
import sys

from tfprof import _native, _show


def main() -> None:
    """Replaces this process by the program."""
    if sys.argv[1:2] == ["ui"]:
        try:
            path = _show.find_server()
        except _native.FileError as error:
            sys.exit(f"tfprof: {error}")
        os.execv(path, [path, *sys.argv[2:]])
    beside = os.path.join(os.path.dirname(sys.executable), "tfprof")
    found = beside if os.access(beside, os.X_OK) else shutil.which("tfprof")
    if not found:
        sys.exit("tfprof: the program is not installed beside Python, nor on PATH")
    os.execv(found, [found, *sys.argv[1:]])


main()
