"""Real files to test the package with, and new interpreters to test it in."""

import subprocess
import sys

import package_under_test  # noqa: F401  (finds the package)
import pytest
from tree import TOP


@pytest.fixture(scope="session")
def loop_files(models):
    """A small model with a loop and three steps."""
    return models / "loop"


@pytest.fixture
def profile(loop_files):
    import tfprof
    return tfprof.load(loop_files / "profile")


@pytest.fixture
def run_python():
    """Runs code in a new interpreter; gives what it printed."""
    def run(code, *arguments, check=True, **more):
        done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)],
                              capture_output=True, text=True, timeout=300, cwd=TOP, **more)
        if check:
            assert done.returncode == 0, done.stderr[-3000:]
        return done
    return run
