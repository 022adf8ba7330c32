"""Programs of programs/, as recorded with the times of their clocks. `make validate` records all of them anew, in a
folder that TFPROF_RECORDINGS names."""

import glob
import json
import os
import statistics

import pytest
from asked import ask, check

HERE = os.path.dirname(os.path.abspath(__file__))


def pytest_generate_tests(metafunc):
    folder = os.environ.get("TFPROF_RECORDINGS", os.path.join(HERE, "recorded"))
    paths = sorted(glob.glob(os.path.join(folder, "*.truth.json")))
    assert len(paths) >= 6, folder
    metafunc.parametrize("recording", paths, indirect=True,
                         ids=[os.path.basename(path)[:-len(".truth.json")] for path in paths])


@pytest.fixture(scope="module")
def recording(request):
    truth = json.load(open(request.param))
    return ask(request.param.replace(".truth.json", ".xplane.pb.gz")), truth


def test_parts_add_up(recording):
    check(recording[0])


def test_the_wall_is_that_of_the_clock(recording):
    answer, truth = recording
    assert answer.steps_by == truth["steps_by"] and len(answer.steps) == len(truth["steps"])
    if not truth["waits"]:
        ours = sum(step.wall + step.gap for step in answer.steps) / 1e9
        clock = sum(step["period"] for step in truth["steps"])
        assert abs(ours - clock) <= 0.01 * clock
    elif truth["steps_by"] == "markers":
        for step, clocked in zip(answer.steps, truth["steps"]):
            assert abs(step.wall / 1e9 - clocked["wall"]) <= max(0.01 * clocked["wall"], 0.05), step.name
    else:  # Calls are compared with batches, from the end of the first to that of the last, before callbacks.
        ours = sum(step.wall for step in answer.steps[1:]) / 1e9
        first, *_, last = [step["wall"] - step["phases"].get("python", 0) for step in truth["steps"]]
        clock = sum(step["period"] for step in truth["steps"][:-1]) - first + last
        assert abs(ours - clock) <= max(0.01 * clock, 0.5)


# From the call to the result, a clock also has what the framework does and waits for.
OF_PROGRAM = ["compute", "communication", "copy", "runtime", "dispatch"]


def part_of(step, part):
    return sum(step.parts.get(name, 0) for name in (OF_PROGRAM if part == "compute" else [part])) / 1e9


def test_what_was_planted_is_found(recording):
    """Parts of all steps together, as single ones may be interrupted by the machine."""
    answer, truth = recording
    for part, (word, phase) in truth["parts"].items():
        assert word in answer.headline, answer.headline
        if not phase:
            continue
        # The gap before a step comes after the one before it.
        pairs = zip(answer.steps[part == "gap":], truth["steps"])
        pairs = [(part_of(step, part), clocked["phases"].get(phase, 0)) for step, clocked in pairs if step.steady]
        ours, clock = (statistics.median(values) for values in zip(*pairs))
        assert abs(ours - clock) <= max(0.1 * clock, 1), (part, pairs)
        if part == "compute":
            assert statistics.median(step.parts["compute"] for step in answer.steps) / 1e9 >= 0.5 * clock
