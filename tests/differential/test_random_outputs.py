"""Timelines and pprof profiles of random profiles of a fixed seed, compared with
TensorFlow's profiler. For more: tests/differential/outputs.py --seed S --count N."""

import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77


def test_random_profiles(tmp_path):
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, "outputs.py"), "--seed", "1",
         "--count", "100", "--keep", str(tmp_path)], capture_output=True, text=True)
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "100 passed, 0 failed" in done.stdout
