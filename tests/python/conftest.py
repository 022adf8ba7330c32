"""Real files and new interpreters for tests of the package."""

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
    """Suppresses warnings, for tests that are not about them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(params=["tfprof", "installed"])
def api(request):
    """Our API, and TensorFlow's on our core."""
    import tensorflow.compat.v1
    import tfprof
    if request.param == "tfprof":
        yield tfprof
        return
    with tfprof.installed():
        yield tensorflow.compat.v1.profiler


@pytest.fixture
def run_python():
    """Runs code in a new interpreter; returns its output."""
    def run(code, *arguments, check=True, **more):
        done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)],
                              capture_output=True, text=True, timeout=300, cwd=TOP, **more)
        if check:
            assert done.returncode == 0, done.stderr[-3000:]
        return done
    return run
