"""Finds the package, and real files to test it with.

The package is the installed one, or that of TFPROF_PYTHONPATH, or else it is
built into build-python at the top of the tree.
"""

import glob
import gzip
import importlib.util
import os
import subprocess
import sys

import pytest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = os.path.dirname(TESTS)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

sys.path[:0] = [os.path.join(TESTS, "oracle"), os.path.join(TESTS, "differential")]


def find_package():
    given = os.environ.get("TFPROF_PYTHONPATH")
    if given:
        return given
    found = importlib.util.find_spec("tfprof")
    if found and found.origin:
        return os.path.dirname(os.path.dirname(found.origin))
    build = os.path.join(TOP, "build-python")
    if not os.path.isdir(build):
        subprocess.run(["meson", "setup", build, TOP, "-Dpython=true", "-Dtests=false"], check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(build, "python")


PACKAGE = find_package()
sys.path.insert(0, PACKAGE)
# For the processes that tests start.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [PACKAGE] + [path for path in [os.environ.get("PYTHONPATH")] if path])


def have_tensorflow():
    return importlib.util.find_spec("tensorflow") is not None


needs_tensorflow = pytest.mark.skipif(not have_tensorflow(), reason="needs TensorFlow")


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
