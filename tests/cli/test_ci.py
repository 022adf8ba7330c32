"""action.yml, the hook and what they run: limits, exit statuses, the Markdown in the job's summary."""

import os
import re
import subprocess

import pytest
from tree import TOP, program

RESNET = TOP + "/examples/resnet/profile"
SHORT = TOP + "/tests/step/planted/j01_compute.xplane.pb.gz"
LONG = TOP + "/tests/step/planted/j02_sleep.xplane.pb.gz"
MODEL = TOP + "/tests/models/files/mlp/export"


def gate(tmp_path, **given):
    environment = {**os.environ, "TFPROF": program(), "MARKDOWN": str(tmp_path / "out.md"),
                   "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "output"), **given}
    done = subprocess.run([TOP + "/tools/ci_gate"], capture_output=True, text=True, env=environment, cwd=tmp_path)
    read = {name: (tmp_path / name).read_text() if (tmp_path / name).exists() else None
            for name in ("out.md", "summary", "output")}
    return done, read


@pytest.mark.parametrize("given, status", [
    (dict(BASE=RESNET, NEW=RESNET, FAIL_IF="params>1%"), 0),
    (dict(COMMAND="model", NEW=MODEL, FAIL_IF="params>1000M"), 0),
    (dict(COMMAND="model", NEW=MODEL, FAIL_IF="params>1k"), 3),
    (dict(BASE="./gone", NEW=RESNET), 1),
    (dict(BASE=RESNET, NEW=RESNET, FAIL_IF="beauty>5%"), 2),
    (dict(COMMAND="rm", NEW=RESNET), 2),
])
def test_status_is_that_of_the_program_and_the_summary_has_the_table(tmp_path, given, status):
    done, read = gate(tmp_path, **given)
    assert done.returncode == status, done.stderr
    if status in (0, 3):
        assert read["out.md"].count("|") > 4 and read["summary"] == read["out.md"]
    assert (read["output"] == f"status={status}\n") or given.get("COMMAND") == "rm"


def test_several_runs_are_one_side(tmp_path):
    done, read = gate(tmp_path, BASE=f"{SHORT} {SHORT}", NEW=f"{LONG} {LONG}", OPTIONS="--min_change=1%")
    assert done.returncode == 0, done.stderr
    assert "j02_sleep" in read["out.md"] or "python" in read["out.md"]


def test_action_passes_every_input_on():
    with open(TOP + "/action.yml", encoding="utf-8") as file:
        text = file.read()
    inputs = re.findall(r"^  (\w+):\n    description", text.split("outputs:")[0], re.M)
    assert {"command", "base", "new", "fail_if", "options", "markdown", "install"} == set(inputs)
    for name in inputs:
        assert f"inputs.{name} }}}}" in text or f"inputs.{name} !=" in text


def test_hook_names_a_command_that_fails_as_documented(tmp_path):
    with open(TOP + "/.pre-commit-hooks.yaml", encoding="utf-8") as file:
        entry = re.search(r"entry: tfprof (.*)", file.read())[1].split()
    done = subprocess.run([program(), *entry, "--output=none", "--fail_if=params>1k", MODEL], capture_output=True)
    assert done.returncode == 3
