"""The programs that belong to this package: where they are, and running them."""

import os
import shutil
import sys
from typing import List, NoReturn, Optional


def _places(name: str, named: Optional[str]) -> List[str]:
    """Where a program may be: as named, in a wheel, in a build directory, beside `tfprof`, installed."""
    package = os.path.dirname(os.path.abspath(__file__))
    program = shutil.which("tfprof")
    bins = [os.path.dirname(os.path.realpath(program))] if program else []
    bins.append(os.path.join(sys.prefix, "bin"))
    return [*([named] if named else []), os.path.join(package, "bin", name),
            os.path.join(package, "..", "..", name),
            *(os.path.join(one, name) for one in bins),
            *(os.path.join(one, "..", "libexec", "tfprof", name) for one in bins)]


def find(name: str, named: Optional[str] = None) -> Optional[str]:
    """The path of a program, or None. `named` is tried first."""
    for path in _places(name, named):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.normpath(path)
    return None


def run(path: str, arguments: List[str]) -> NoReturn:
    """Replaces this process by a program, whose commands in Python run in this Python."""
    os.environ["TFPROF_PYTHON"] = sys.executable
    sys.stdout.flush()
    os.execv(path, [path, *arguments])
