"""The directories in which commands run."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "python"), os.path.join(os.path.dirname(HERE), "cli")]

import package_under_test  # noqa: E402, F401  (finds the package)
from places import Workplace  # noqa: E402


@pytest.fixture(scope="session")
def workplace(models, tmp_path_factory):
    return Workplace(tmp_path_factory.mktemp("seeds"), models)
