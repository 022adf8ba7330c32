import os

import pytest
import tree


@pytest.fixture(scope="session")
def samples(tmp_path_factory):
    """The unpacked traces of samples/, by name."""
    directory = tree.unpack(os.path.join("xplane", "samples"), tmp_path_factory.mktemp("samples"))
    return {path.name.removesuffix(".xplane.pb"): path for path in directory.iterdir()}
