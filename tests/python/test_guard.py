"""A failing profiler does not break the program it watches: see guard_cells.py for the table
of entry points and failures."""

import json
import os
import subprocess
import sys

import pytest
from package_under_test import PACKAGE, needs_tensorflow
from tree import TESTS

HERE = os.path.join(TESTS, "python")
# Two processes: sessions, and what runs functions.
ENTRIES = [["callback", "callback_inside", "trace", "profile_function"], ["hook", "context"]]
FAILURES = ["nothing", "logdir_is_a_file", "logdir_is_not_writable", "logdir_disappears",
            "another_profiler", "two_at_once", "stopped_by_the_user",
            "stopped_and_another_started", "stdout_is_closed", "stdout_is_a_broken_pipe",
            "trace_is_unreadable", "trace_is_cut_short", "trace_is_empty", "disk_is_full",
            "warnings_are_errors", "notes_are_errors", "stderr_is_closed", "interrupted",
            "users_exception", "forked"]
# In these the profiler works, and there is a profile.
WORKING = ("nothing", "two_at_once", "stdout_is_closed", "stdout_is_a_broken_pipe",
           "notes_are_errors", "forked")

pytestmark = needs_tensorflow


def run(*arguments, **more):
    return subprocess.Popen([sys.executable, *arguments], cwd=HERE, text=True,
                            env=dict(os.environ, PYTHONPATH=os.pathsep.join([PACKAGE, HERE])),
                            **{"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **more})


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    tops = [tmp_path_factory.mktemp("cells") for _ in ENTRIES]
    running = [run("guard_cells.py", top, *entries) for top, entries in zip(tops, ENTRIES)]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors[-3000:]
    lines = "".join((top / "cells.jsonl").read_text() for top in tops).splitlines()
    return {(cell["entry"], cell["failure"], cell["strict"]): cell
            for cell in map(json.loads, lines)}


def test_table_is_complete(cells):
    assert {(entry, failure) for entry, failure, _ in cells} == {
        (entry, failure) for several in ENTRIES for entry in several for failure in FAILURES}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("entry", sum(ENTRIES, []))
def test_training_is_as_without_the_profiler(cells, entry, failure):
    cell = cells[entry, failure, False]
    assert cell["same"], "other weights"
    assert cell["raised"] == cell["plain"], "only the user's own exceptions"
    assert cell["left"] == [], "everything is restored"
    assert len(cell["said"]) == cell["must_warn"], "said once"
    if failure in WORKING:
        assert cell["made"], "there is a profile"


@pytest.mark.parametrize("failure, words", [
    ("logdir_is_a_file", "is not a directory: "),
    ("another_profiler", "only one recording at a time is possible"),
    ("stopped_by_the_user", "the program stopped TensorFlow's profiler"),
    ("disk_is_full", "File too large"),
    ("trace_is_unreadable", "could not be read"),
])
def test_message_names_the_cause(cells, failure, words):
    for entry in ("callback", "trace", "profile_function"):
        said, = cells[entry, failure, False]["said"]
        assert words in said and said.endswith("; the program continues without profiling"), said


@pytest.mark.parametrize("entry", sum(ENTRIES, []))
def test_strict_raises(cells, entry):
    cell = cells[entry, "logdir_is_a_file", True]
    assert cell["raised"].startswith("NotADirectoryError: "), cell["raised"]
    assert cell["said"] == cell["left"] == []


def test_exit_status_after_a_broken_pipe(tmp_path):
    """The program itself prints nothing, so it does not notice."""
    reading, writing = os.pipe()
    os.close(reading)
    process = run("-c", """
import keras, numpy, sys, tfprof
model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(2)])
model.compile('sgd', 'mse')
model.fit(numpy.ones([8, 3]), numpy.ones([8, 2]), batch_size=2, verbose=0,
          callbacks=[tfprof.KerasCallback(sys.argv[1], (1, 2))])
""", tmp_path, stdout=writing)
    os.close(writing)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert "the report could not be printed" in errors
    assert os.path.exists(tmp_path / "profile_2")
