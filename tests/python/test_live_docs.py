"""The snippets of docs/python.md about live graphs run, and write what the text
says."""

import os
import re
import subprocess
import sys

import pytest

from live_models import read_log
from tree import TOP

import tfprof

SECTIONS = ("Training loops: ProfileContext", "Monitored sessions: ProfilerHook",
            "Op logs: write_op_log",
            "Running programs: trace, profile_function, KerasCallback")


def snippets(section):
    with open(os.path.join(TOP, "docs", "python.md"), encoding="utf-8") as file:
        text = file.read()
    body = re.split(r"^## ", text, flags=re.MULTILINE)
    found, = [part for part in body if part.startswith(section + "\n")]
    return re.findall(r"^```python\n(.*?)^```$", found, re.MULTILINE | re.DOTALL)


MODEL = snippets(SECTIONS[0])[0]


def run(code, directory):
    """In a new process: TensorFlow's mode is chosen once per process."""
    program = "\n".join(code).replace("'/tmp/", f"'{directory}/")
    done = subprocess.run([sys.executable, "-c", program], cwd=directory, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def train_dir(tmp_path):
    return tmp_path / "train_dir"


def test_context(tmp_path, train_dir):
    model, automatic, explicit, steps = snippets(SECTIONS[0])
    assert run([model, automatic], tmp_path).stdout == ""
    assert os.listdir(train_dir) == ["profile_100"]
    assert tfprof.load(str(train_dir / "profile_100")).steps[0] == 11

    builder = "\n".join(explicit.splitlines()[:2])
    done = run([model, explicit], tmp_path)
    assert "Conv2D" in done.stdout
    assert tfprof.load(str(train_dir / "profile_1")).steps == [1]

    done = run([model, builder, steps], tmp_path)
    assert tfprof.load(str(train_dir / "profile_20")).steps == list(range(10, 21))
    assert [line.split()[0] for line in done.stdout.splitlines()[-3:]] == ["15", "18", "20"]
    assert "trainable" in done.stdout


def test_hook(tmp_path, train_dir):
    run([MODEL] + snippets(SECTIONS[1]), tmp_path)
    names = os.listdir(train_dir)
    assert len([name for name in names if name.startswith("timeline-")]) == 2
    assert len([name for name in names if "tfevents" in name]) == 1


def test_op_log(tmp_path, train_dir):
    run([MODEL] + snippets(SECTIONS[2]), tmp_path)
    assert {"graph.pbtxt", "tfprof_log"} <= set(os.listdir(train_dir))
    entries = {entry.name: entry for entry in read_log(tmp_path / "my_op_log_dir").log_entries}
    for name in ("dense/kernel", "dense/bias"):
        assert entries[name].types == ["dense", "_trainable_variables"]
    profile = tfprof.load(graph=str(train_dir / "graph.pbtxt"),
                          op_log=str(tmp_path / "my_op_log_dir" / "tfprof_log"))
    report = profile.scope(account_type_regexes=["dense"], select=["params"])
    assert report[0].total_parameters == 32 * 32 * 8 * 10 + 10


def test_running_programs(tmp_path):
    done = run(snippets(SECTIONS[3]), tmp_path)
    assert re.search(r"\n    <string>:18:train_step:none \(", done.stdout)  # logits = model(images)
    assert "conv/convolution/ReadVariableOp/resource (3x3x3x8, 216/216 params)" in re.sub(
        r"conv_\d", "conv", done.stdout)
    assert "\ntfprof: A step takes " in done.stdout
    assert "\n  6 steps; operation time, all threads: " in done.stdout
    assert re.search(r"\n      <string>:6:<module>:none \(", done.stdout)    # conv, below its call
    assert "\n[10, 11, 12, 13, 14, 15]\n" in done.stdout
    profile = tfprof.load(tmp_path / "logs")
    assert profile.steps == list(range(10, 16)) and profile.summary["has_code_traces"]
