"""What holds for every trace there is in the tests."""

import glob
import os

import pytest
import tree
from asked import ask, check

TRACES = sorted(path for pattern in ("*.xplane.pb", "*.xplane.pb.gz")
                for path in glob.glob(os.path.join(tree.TESTS, "**", pattern), recursive=True)
                if "/fuzz/" not in path and "/bad/" not in path)


@pytest.mark.parametrize("path", TRACES, ids=[os.path.relpath(path, tree.TESTS) for path in TRACES])
def test_parts_are_not_negative_and_add_up_to_the_wall(path):
    answer = ask(path)
    check(answer)
    numbers = [step.number for step in answer.steps]
    assert len(set(numbers)) == len(numbers)
    assert answer.steps_by != "whole trace" or len(answer.steps) == 1
    assert answer.headline.endswith(".")


def test_there_are_many():
    assert len(TRACES) >= 50, len(TRACES)
