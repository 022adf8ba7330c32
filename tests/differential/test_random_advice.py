"""Advice on random profiles of a fixed seed, compared with TensorFlow's profiler.

For more: tests/differential/advice.py --seed S --count N.
"""

import pytest

try:
    import messages  # noqa: F401
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)

import advice  # noqa: E402


def test_100_random_profiles(capsys):
    failed, comparison = advice.run("fixed", 100)
    assert not failed, capsys.readouterr().out
    # Most of them could be compared.
    assert comparison.asked - comparison.aborted > 100
