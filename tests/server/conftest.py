import pytest
from serving import SAMPLE, Server


@pytest.fixture(scope="module")
def server():
    """A server of the sample, shared by the tests of a file."""
    server = Server(SAMPLE)
    server.wait_until_loaded()
    yield server
    assert server.stop() == 0
