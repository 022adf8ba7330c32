"""What the advisor says of planted programs: the planted cause, and nothing else."""

import glob
import json
import os
import subprocess

import pytest
import tree
from test_planted import CASES, HERE, trace

# case: {what was planted, as a finding: a word of its text}. Nothing: the program has no fault.
FOUND = {
    "j01_compute": {},
    "j02_sleep": {"python_bound": "wait_for_lock"},
    "j04_numpy_input": {"python_bound": "load_batch"},
    "j05_recompile": {"recompilation": "argument 0: f32["},
    "j06_async": {},
    "j09_pmap_straggler": {"late_device": "device 2"},
    "j11_callback": {"callback": "pure_callback"},
    "j12_ops": {},
    "j13_sleep_nopy": {"python_bound": "not traced"},
    "j14_ops2": {},
    "j15_async_python": {"python_bound": "make_batch"},
    "t01_map_numpy": {"input_bound": "MapDataset:1"},
    "t02_map_tf": {"input_contention": "MatMul"},
    "t04_good_input": {},
    "t05_in_graph_iter": {"input_bound": "MapDataset:"},
    "t06_retrace": {"retracing": "f: 4 times"},
    "t08_compute": {},
    "t09_jit": {},
    "t10_fit_slow_map": {"input_bound": "MapDataset:"},
    "t11_fit_spe": {"input_bound": "MapDataset:"},
    "t13_nomarks_sleep": {"python_bound": "Python"},
    "t16_next_outside": {"input_bound": "MapDataset:1", "gap_between_steps": "MapDataset:1"},
}
# A finding, and the part of the headline that must have its share of the step.
PARTS = {"python_bound": "Python", "recompilation": "tracing and compiling", "retracing": "tracing and compiling",
         "callback": "Python called back", "input_bound": "waiting for input"}


def advise(path, *more):
    done = subprocess.run([tree.program(), "advise", str(path), "--output=json:outfile=-", *more],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["checkers"]


def alarms(checkers):
    """{finding: it}, without information, and without single steps that the machine made slow."""
    return {f["what"]: f for checker in checkers for f in checker["findings"]
            if f["level"] != "none" and f["what"] != "slow_step"}


@pytest.fixture(scope="module")
def advice():
    return {case: advise(trace(case)) for case in CASES}


@pytest.mark.parametrize("case", CASES)
def test_the_planted_fault_and_no_other_is_found(advice, case):
    found = alarms(advice[case])
    assert set(found) == set(FOUND[case]), {what: f["text"] for what, f in found.items()}
    for what, word in FOUND[case].items():
        assert word in found[what]["text"]
        assert found[what]["stake"]["micros"] > 0 and found[what]["remedy"]


@pytest.mark.parametrize("case", [case for case in CASES if set(FOUND[case]) & set(PARTS)])
def test_advice_and_headline_agree(advice, case):
    headline = subprocess.run([tree.program(), "step", trace(case)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=True).stdout.splitlines()[0]
    for what, finding in alarms(advice[case]).items():
        if what in PARTS and "gap_between_steps" not in FOUND[case]:
            share = f"{100 * finding['stake']['share']:.0f} % {PARTS[what]}"
            assert share in headline, (share, headline)


def test_programs_that_compute_are_said_to(advice):
    for case in ["j01_compute", "j06_async", "j12_ops", "j14_ops2", "t04_good_input", "t09_jit"]:
        whats = {f["what"] for checker in advice[case] for f in checker["findings"]}
        assert "compute_bound" in whats, case


def test_findings_have_the_line(advice):
    lines = {case: [place.get("line", "") for place in finding["where"]]
             for case in ("j02_sleep", "j11_callback") for finding in alarms(advice[case]).values()}
    assert lines["j02_sleep"] == ["pj.py:47:wait_for_lock"]
    assert lines["j11_callback"][0].startswith("pj.py:126:f")


def test_what_happens_in_one_step_is_no_finding():
    """Its first step has 12.7 ms of dispatch, which the others lack."""
    assert "dispatch_bound" not in alarms(advise(trace("t10_fit_slow_map")))


def test_most_checkers_apply_to_a_trace_of_a_cpu(advice):
    skipped = {checker["name"] for checker in advice["t08_compute"] if checker["skipped"]}
    assert skipped == {"CompiledMemoryChecker", "CompiledTimeChecker", "JobChecker", "HalfPrecisionChecker", "MemoryPeakChecker",
                       "PlacementChecker",
                       "StragglerChecker", "TinyKernelChecker"}


# ---- programs of our own ---------------------------------------------------------------------

OF_PART = {"python": {"python_bound"}, "input": {"input_bound"}, "callback": {"callback"}, "dispatch": {"dispatch_bound"},
           "compile": {"recompilation", "retracing"}, "gap": {"gap_between_steps", "python_bound", "input_bound"},
           "compute": {"late_device"}}
RECORDED = sorted(glob.glob(os.path.join(os.environ.get("TFPROF_RECORDINGS", os.path.join(HERE, "recorded")), "*.truth.json")))


@pytest.mark.parametrize("truth", RECORDED, ids=[os.path.basename(path).split(".")[0] for path in RECORDED])
def test_nothing_but_what_was_planted_is_found(truth):
    """How long threads wait for a processor is up to the machine: that they do is not planted."""
    parts = json.load(open(truth))["parts"]
    found = set(alarms(advise(truth.replace(".truth.json", ".xplane.pb.gz")))) - {"waiting_idle"}
    assert found <= set().union(*(OF_PART[part] for part in parts)), found
    for part in set(parts) - {"compute"}:
        assert found & OF_PART[part], (part, found)
