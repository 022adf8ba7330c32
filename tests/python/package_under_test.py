"""Finds the package to test.

It is the one in TFPROF_PYTHONPATH, or the installed one, or is built into
build-python at the top of the tree.
"""

import importlib.util
import os
import subprocess
import sys

import pytest
from tree import TESTS, TOP

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

sys.path.insert(0, os.path.join(TESTS, "differential"))


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
# For child processes of tests.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [PACKAGE] + [path for path in [os.environ.get("PYTHONPATH")] if path])


def have_tensorflow():
    return importlib.util.find_spec("tensorflow") is not None


needs_tensorflow = pytest.mark.skipif(not have_tensorflow(), reason="needs TensorFlow")
