"""The same trace twice is not twice the time."""

import gzip
import pathlib
import shutil

import product
import pytest

SAMPLES = pathlib.Path(__file__).parent / "samples"


@pytest.fixture
def two(tmp_path):
    """A trace, a copy, and a packed copy."""
    packed = SAMPLES / "jax_while.xplane.pb.gz"
    run = tmp_path / "run"
    run.mkdir()
    one = run / "a.xplane.pb"
    one.write_bytes(gzip.decompress(packed.read_bytes()))
    return one, packed, run


def test_same_content_is_refused(two):
    one, packed, run = two
    for again in (one, packed):
        result = product.run("op", one, again)
        assert result.returncode == 2
        assert result.stderr == f"tfprof: cannot add: {again}: the same trace is there already: give it once\n"
    shutil.copy(one, run / "b.xplane.pb")
    result = product.run("op", run)
    assert result.returncode == 2
    assert f"{run}/b.xplane.pb: the same trace" in result.stderr


def test_same_host_is_a_note(two):
    one, _, _ = two
    result = product.run("op", one, SAMPLES / "jax_async.xplane.pb.gz")
    assert result.returncode == 0, result.stderr
    assert "host vm is in an earlier trace, too: times of both are added up\n" in result.stderr
    assert "earlier trace" not in product.run("op", one).stderr
