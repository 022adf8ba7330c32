"""Comparisons of traces: the wall of a step and its parts, and budgets for them."""

import json
import os
import subprocess

import pytest
import tree

COMPUTE, INPUT, OUTSIDE, RETRACE = (os.path.join(tree.TESTS, "step", "planted", name + ".xplane.pb.gz") for name in
                                    ("t08_compute", "t01_map_numpy", "t16_next_outside", "t06_retrace"))


def diff(base, new, *more):
    return subprocess.run([tree.program(), "diff", *base, "--", *new, *more], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)


def test_the_first_line_says_what_changed_of_the_step():
    line = diff([COMPUTE], [INPUT]).stdout.splitlines()[0]
    assert line.startswith("step 9.77 ms to 21.3 ms, +118 %: input +74 points (Iterator::Root::Prefetch::Map")
    document = json.loads(diff([COMPUTE], [INPUT], "--output=json").stdout)
    assert document["headline"] == line


def test_computing_that_does_not_change_is_said_not_to():
    line = diff([COMPUTE], [COMPUTE]).stdout.splitlines()[0]
    assert line == "step 9.77 ms to 9.77 ms, +0 %: compute unchanged; not distinguishable from noise"


@pytest.mark.parametrize("new, limits, status", [
    (INPUT, "input_share>10pt", 3), (INPUT, "input_share>90pt", 0), (INPUT, "input_share>70", 3),
    (INPUT, "wall>5%", 3), (INPUT, "wall>50ms", 0), (INPUT, "wall>5ms", 3), (INPUT, "compile_share>1pt", 0),
    (RETRACE, "compile_share>10pt", 3), (RETRACE, "input_share>10pt,wall>500%", 0),
    (RETRACE, "input_share>10pt,wall>5%", 3), (OUTSIDE, "gap>5ms", 4), (OUTSIDE, "wall>5%", 0),
])
def test_budgets_name_parts_and_walls(new, limits, status):
    done = diff([COMPUTE], [new], f"--fail_if={limits}")
    assert done.returncode == status, done.stderr
    assert done.stderr.count("budget ") == limits.count(">")


def test_budgets_of_shares_in_json():
    (budget,) = json.loads(diff([COMPUTE], [INPUT], "--fail_if=input_share>10pt", "--output=json").stdout)["budgets"]
    assert budget["status"] == "over" and budget["base"] == 0 and 0.7 < budget["new"] < 0.8 and budget["p"] <= 0.05


def test_gaps_have_a_budget():
    """Of four gaps each: that before the first step is not known."""
    recorded = os.path.join(tree.TESTS, "step", "recorded")
    done = diff([os.path.join(recorded, "jax_accumulation.xplane.pb.gz")],
                [os.path.join(recorded, "jax_checkpoint.xplane.pb.gz")], "--fail_if=gap>5ms")
    assert done.returncode == 3, done.stderr


def test_what_cannot_be_told_does_not_pass(tmp_path):
    """Without a trace, or with too few steps."""
    profile = os.path.join(tree.TOP, "examples", "resnet", "profile")
    done = diff([profile], [profile], "--fail_if=wall>5%")
    assert done.returncode == 4 and "cannot tell: only traces tell it" in done.stderr
    done = diff([COMPUTE], [INPUT], "--step=1", "--fail_if=input_share>10pt")
    assert done.returncode == 4 and "1 against 1 steps are too few" in done.stderr


@pytest.mark.parametrize("limits, why", [
    ("input_share>5%", "a share changes by points, such as input_share>10pt"),
    ("MatMul:wall>5%", "steps have no rows"),
    ("idle_share>5pt", "unknown word 'idle_share'"),
])
def test_budgets_that_mean_nothing_are_refused(limits, why):
    done = diff([COMPUTE], [INPUT], f"--fail_if={limits}")
    assert done.returncode == 2 and why in done.stderr, done.stderr
