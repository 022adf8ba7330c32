"""Real files to test the package with."""

import glob
import gzip
import os
import subprocess
import sys

import pytest
from package_under_test import TESTS, TOP


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A directory per model of tests/golden, with the files of its run."""
    root = tmp_path_factory.mktemp("models")
    for path in glob.glob(os.path.join(TESTS, "golden", "*", "*.gz")):
        directory = root / os.path.basename(os.path.dirname(path))
        directory.mkdir(exist_ok=True)
        with gzip.open(path) as packed:
            (directory / os.path.basename(path)[:-len(".gz")]).write_bytes(packed.read())
    return root


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
