"""What describe(), overview() and a notebook say of a step is what `tfprof step` says."""

import glob
import html
import json
import os
import subprocess

import pytest
import tree

import tfprof

PATHS = [*sorted(glob.glob(os.path.join(tree.TESTS, "step", "planted", "*.gz")))[::4],
         *sorted(glob.glob(os.path.join(tree.TESTS, "xplane", "samples", "*.gz")))[::4],
         os.path.join(tree.TOP, "examples", "resnet", "profile")]


@pytest.mark.parametrize("path", PATHS, ids=os.path.basename)
def test_describe_begins_with_the_step(path):
    asked = subprocess.run([tree.program(), "step", path, "--output=json"], capture_output=True, check=True)
    step, profile = json.loads(asked.stdout), tfprof.load(path)
    found = profile.overview()
    if not any(row["kind"] in ("gpu", "tpu") for row in profile.devices()):  # else it is about them
        assert found["headline"] == step["headline"]
    assert profile.describe().split("\n")[0] == found["headline"]
    assert html.unescape(profile._repr_html_()).startswith("<pre>" + found["headline"])
    assert found["wall_micros"] == step["wall_micros"]
    assert found["exec_micros"] == profile.op(select="micros").root.total_exec_micros


def test_the_function_that_is_a_step_can_be_named():
    """Of programs without markers."""
    path = os.path.join(tree.TESTS, "step", "planted", "t13_nomarks_sleep.xplane.pb.gz")
    profile = tfprof.load(path)
    assert profile.overview(step_function="train")["steps_by"] == "calls of train"


def test_what_is_not_known_is_none(loop_files):
    found = tfprof.load(loop_files / "graph.pb").overview()
    for key in ("headline", "wall_micros", "exec_micros", "requested_bytes", "float_ops"):
        assert found[key] is None, key
