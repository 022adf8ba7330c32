"""Shared by the tests of all folders: import paths and real files."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support"), os.path.join(HERE, "oracle")]

import tree  # noqa: E402


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A directory per model of tests/golden, with its unpacked files."""
    root = tmp_path_factory.mktemp("models")
    for model in ("devices", "loop", "resnet"):
        (root / model).mkdir()
        tree.unpack(os.path.join("golden", model), root / model)
    return root
