"""Programs with a planted truth (trials.py), tried as a new user would: shares within bounds of what the
clock or the plain trace says, float operations as worked out by hand."""

import os
import subprocess
import sys

import pytest
from package_under_test import PACKAGE, needs_tensorflow
from tree import TESTS, program

HERE = os.path.join(TESTS, "python")
TRIALS = ["fused_convolutions", "fused_in_loop", "gru", "attention", "batch_of_a_dataset",
          "lines_add_up", "input_bound", "gate_of_the_uncounted"]


def test_every_trial_is_run():
    with open(os.path.join(HERE, "trials.py"), encoding="utf-8") as file:
        assert file.read().count("@trial\n") == len(TRIALS)


# What a trial prints where the machine is too busy for its clock: there is no truth to compare with.
UNSETTLED = "the clock settles"
MOST_RUNS = 3


def run(trial):
    return subprocess.run([sys.executable, "trials.py", trial], cwd=HERE, capture_output=True,
                          text=True, timeout=300,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join([PACKAGE, HERE]),
                                   TFPROF_PROGRAM=program()))


@needs_tensorflow
@pytest.mark.parametrize("trial", TRIALS)
def test_trial(trial):
    for _ in range(MOST_RUNS):
        done = run(trial)
        if UNSETTLED not in done.stdout:
            break
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert " ok   [" in done.stdout
