"""Programs in which something was planted, with the times that their own clocks measured."""

import glob
import gzip
import json
import os
import statistics
import subprocess

import pytest
import tree
from asked import ask, check

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = sorted(os.path.basename(path)[:-len(".truth.json")]
               for path in glob.glob(os.path.join(HERE, "planted", "*.truth.json")))

# Steps of these are not waited for, or have no markers: their walls are not the clock's.
ASYNCHRONOUS = {"j06_async", "j15_async_python"}
WITHOUT_MARKERS = {"t10_fit_slow_map": "calls of multi_step_on_iterator", "t11_fit_spe": "calls of multi_step_on_iterator",
                   "t13_nomarks_sleep": "calls of train"}

# case: {part: (what the sentence calls it, milliseconds per step as planted or clocked)}. None: the clock did not
# tell, or the phase that it measured has more than the part.
PLANTED = {
    "j01_compute": {"compute": ("computing", "compute")},
    "j02_sleep": {"python": ("wait_for_lock", "python"), "compute": ("computing", "compute")},
    "j04_numpy_input": {"python": ("load_batch", "python"), "compute": ("computing", "compute")},
    "j05_recompile": {"compile": ("predict", None)},
    "j06_async": {"compute": ("computing", "alone_ms")},
    "j09_pmap_straggler": {"compute": ("device 2", None)},
    "j11_callback": {"callback": ("pure_callback.1 at pj.py:126", 12.0)},
    "j12_ops": {"compute": ("computing", None)},
    "j13_sleep_nopy": {"python": ("Python", "python"), "compute": ("computing", "compute")},
    "j14_ops2": {"compute": ("computing", None)},
    "j15_async_python": {"python": ("make_batch", None), "compute": ("computing", "alone_ms")},
    "t01_map_numpy": {"input": ("MapDataset:1", "input"), "compute": ("computing", "compute")},
    "t02_map_tf": {"compute": ("computing", "compute")},
    "t04_good_input": {"compute": ("computing", None)},
    "t05_in_graph_iter": {"input": ("MapDataset:", None)},
    "t06_retrace": {"compile": ("trace and compile f", None)},
    "t08_compute": {"compute": ("computing", None)},
    "t09_jit": {"compute": ("computing", None)},
    "t10_fit_slow_map": {"input": ("MapDataset:", None)},
    "t11_fit_spe": {"input": ("MapDataset:", None)},
    "t13_nomarks_sleep": {"python": ("Python", "python")},
    "t16_next_outside": {"gap": ("MapDataset:1", "input between")},
}


def trace(case):
    return os.path.join(HERE, "planted", case + ".xplane.pb.gz")


@pytest.fixture(scope="module")
def truths():
    return {case: json.load(open(os.path.join(HERE, "planted", case + ".truth.json"))) for case in CASES}


@pytest.fixture(scope="module")
def answers():
    return {case: ask(trace(case)) for case in CASES}


def test_every_planted_program_is_expected():
    assert sorted(PLANTED) == CASES and len(CASES) >= 22


@pytest.mark.parametrize("case", CASES)
def test_parts_add_up(answers, case):
    check(answers[case])


@pytest.mark.parametrize("case", sorted(set(CASES) - ASYNCHRONOUS - set(WITHOUT_MARKERS)))
def test_walls_are_those_of_the_clock(answers, truths, case):
    answer, truth = answers[case], truths[case]["steps"]
    assert answer.steps_by == "markers" and len(answer.steps) == len(truth)
    for step in answer.steps:
        clock = truth[str(step.number)]["wall"]
        assert abs(step.wall / 1e9 - clock) <= max(0.01 * clock, 0.05), step.name


@pytest.mark.parametrize("case", sorted(ASYNCHRONOUS))
def test_steps_that_are_not_waited_for_end_when_their_work_does(answers, truths, case):
    answer, truth = answers[case], truths[case]["steps"]
    clock = sum(step["period"] for step in truth.values())
    assert abs(sum(step.wall + step.gap for step in answer.steps) / 1e9 - clock) <= 0.01 * clock


@pytest.mark.parametrize("case", sorted(WITHOUT_MARKERS))
def test_without_markers_calls_are_steps(answers, truths, case):
    answer, truth = answers[case], truths[case]["steps"]
    assert answer.steps_by == WITHOUT_MARKERS[case]
    # Nothing tells the time before the first call.
    clock = statistics.median(step["period"] for step in truth.values())
    ours = statistics.median(step.wall for step in answer.steps[1:]) / 1e9
    assert abs(ours - clock) <= max(0.1 * clock, 1), (ours, clock)


def clocked(truth, what):
    if isinstance(what, float):
        return what
    if what in truth:
        return truth[what]
    return statistics.median(step["phases"][what] for step in truth["steps"].values())


@pytest.mark.parametrize("case, part", [(case, part) for case in CASES for part in PLANTED[case]])
def test_the_planted_part_is_found(answers, truths, case, part):
    answer = answers[case]
    said, what = PLANTED[case][part]
    assert said in answer.headline
    if what is None:
        return
    steps = [step for step in answer.steps if step.steady and (part != "gap" or step is not answer.steps[0])]
    ours = statistics.median(step.parts.get(part, 0) for step in steps) / 1e9
    clock = clocked(truths[case], what)
    assert abs(ours - clock) <= max(0.1 * clock, 1), (ours, clock)


def test_the_headline_names_the_largest_part(answers):
    for case, words in {"j01_compute": "computing", "j02_sleep": "Python", "j05_recompile": "tracing and compiling",
                        "t01_map_numpy": "waiting for input", "t10_fit_slow_map": "waiting for input"}.items():
        first = answers[case].headline.split(":", 1)[1].split(",")[0]
        assert words in first, (case, answers[case].headline)


def test_programs_without_slow_input_are_not_said_to_have_it(answers):
    for case in ["j01_compute", "j02_sleep", "j12_ops", "j13_sleep_nopy", "t04_good_input", "t08_compute",
                 "t09_jit"]:
        assert "waiting for input" not in answers[case].headline, case


def test_what_changed_between_compilations_is_told(answers):
    notes = [note["text"] for note in answers["j05_recompile"].document["notes"] if note["id"] == "compiled"]
    assert any(note.startswith("predict was traced and compiled 4 times") and "argument 0: f32[" in note
               for note in notes), notes


@pytest.mark.parametrize("question", ["step", "memory", "roofline"])
def test_a_mapped_file_answers_like_a_packed_one(question, tmp_path):
    """Several questions read a trace again; one does not take it from the others."""
    packed = trace("j09_pmap_straggler")
    plain = tmp_path / "plain.xplane.pb"
    plain.write_bytes(gzip.decompress(open(packed, "rb").read()))
    answers = [json.loads(subprocess.run([tree.program(), question, path, "--output=json"], stdin=subprocess.DEVNULL,
                                         capture_output=True, text=True, check=True).stdout) for path in (packed, plain)]
    for answer in answers:  # the files have names and sizes of their own
        answer["capture"].pop("files")
    assert answers[0] == answers[1] and len(answers[0]["nodes"]) > 4


def test_several_batches_in_a_step_are_counted(answers):
    assert [step.batches for step in answers["t11_fit_spe"].steps][1:] == [4, 4, 4]
    assert {step.batches for step in answers["t10_fit_slow_map"].steps} == {1}


def test_devices_have_parts_of_their_own():
    answer = ask(trace("j09_pmap_straggler"), "--on=cpu:2")
    check(answer, per_device=True)
    others = ask(trace("j09_pmap_straggler"), "--on=cpu:0")
    # Device 2 does eight times the work, and the others wait for it.
    assert sum(s.parts["compute"] for s in answer.steps) > 1.5 * sum(s.parts["compute"] for s in others.steps)
    assert sum(s.parts["communication"] for s in others.steps) > 2 * sum(
        s.parts["communication"] for s in answer.steps)


# ---- the rules as a slow program ----------------------------------------------------------------

REFERENCES = sorted(os.path.basename(path)[:-len(".json.gz")]
                    for path in glob.glob(os.path.join(HERE, "reference", "*.json.gz")))


def reference_trace(name):
    path = trace(name)
    return path if os.path.exists(path) else os.path.join(HERE, "..", "xplane", "samples", name + ".xplane.pb.gz")


def near(ours_ps, theirs_ms):
    return abs(ours_ps / 1e9 - theirs_ms) <= 0.001


@pytest.mark.parametrize("name", REFERENCES)
def test_the_reference_agrees_to_a_microsecond(name):
    with gzip.open(os.path.join(HERE, "reference", name + ".json.gz")) as packed:
        reference = json.load(packed)[0]
    answer = ask(reference_trace(name))
    check(answer)
    assert answer.steps_by == reference["steps_by"]
    assert [step.number for step in answer.steps] == [step["step"] for step in reference["steps"]]
    for ours, theirs in zip(answer.steps, reference["steps"]):
        assert near(ours.wall, theirs["wall_ms"]) and near(ours.gap, theirs["gap_ms"])
        assert ours.batches == theirs["batches"]
        for part, value in ours.parts.items():
            assert part == "gap" or near(value, theirs["parts"].get(part, 0)), (ours.name, part)
        for part, value in theirs["hidden"].items():
            assert near(ours.input_work if part == "inputwork" else ours.hidden[part], value), (ours.name, part)
        for cause in theirs["causes"]:
            if cause["cause"]:
                # We also tell which line calls Python back.
                found = sum(value for name, value in ours.causes[cause["part"]].items()
                            if name.split(" at ")[0] == cause["cause"])
                assert near(found, cause["ms"]), (ours.name, cause)
        for cause in theirs["gap_causes"]:
            assert not cause["cause"] or near(ours.causes["gap"].get(cause["cause"], 0), cause["ms"]), cause
