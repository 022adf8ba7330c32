"""Real files to test the package with, and new interpreters to test it in."""

import subprocess
import sys
import warnings

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
def quiet():
    """No warnings, for tests that are not about them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(params=["tfprof", "installed"])
def api(request):
    """Ours, and TensorFlow's on our core."""
    import tensorflow.compat.v1
    import tfprof
    if request.param == "tfprof":
        yield tfprof
        return
    with tfprof.installed():
        yield tensorflow.compat.v1.profiler


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
