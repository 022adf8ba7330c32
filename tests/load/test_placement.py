"""Devices written in the graph are devices of their nodes, unless a run placed them elsewhere."""

import subprocess

import pytest
from advise_profiles import run_meta
from tree import program
from wire import field, node

WORKER = "/job:worker/replica:0/task:0/device:GPU:0"


def shape(*dims):
    """The attribute `shape` of a variable."""
    value = field(7, b"".join(field(2, field(1, size)) for size in dims))
    return field(5, field(1, "shape") + field(2, value))


def on(device):
    return field(4, device)


GRAPH = (node("a", "VariableV2", (), on("/job:ps/replica:0/task:0") + shape(3, 5))
         + node("b", "VariableV2", (), on("/job:ps/replica:0/task:1/device:CPU:0") + shape(7, 11))
         + node("c", "VariableV2", (), on("/job:ps/replica:0/task:1/device:CPU:0") + shape(2))
         + node("d", "VariableV2", (), shape(1000))
         + node("mul", "MatMul", ("a", "b"), on(WORKER)))
PS_1 = "/job:ps/replica:0/task:1/device:cpu:0"


def ran(name, start=10):
    return field(1, name) + field(2, start) + field(5, 20)


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "graph.pb").write_bytes(GRAPH)

    def run(view, *more, files=("graph.pb",)):
        result = subprocess.run(
            [program(), view, *(tmp_path / file for file in files), *more],
            capture_output=True, text=True, timeout=30)
        assert result.returncode == 0, result.stderr
        assert "no times, memory and devices" not in result.stderr
        return result.stdout
    return run


@pytest.mark.parametrize("task, params", [(0, 15), (1, 79)])
def test_balance_of_parameter_servers_without_a_run(ask, task, params):
    """Seed 004, section 13."""
    text = ask("scope", "-select", "device,params", "-account_type_regexes",
               f".*ps.*task:{task}.*", "-max_depth", "1")
    assert f"_TFProfRoot (--/{params} params" in text


def test_devices_are_shown_and_are_types(ask):
    text = ask("scope", "--select=device,op_types", "--account_type_regexes=.*")
    assert f"  b ({PS_1}, {PS_1}|VariableV2)" in text
    assert "  a (/job:ps/replica:0/task:0, /job:ps/replica:0/task:0|VariableV2)" in text
    assert "  d (VariableV2)" in text


def test_op_view_shows_them(ask):
    text = ask("op", "--select=device,params", "--account_type_regexes=.*task:1.*")
    (line,) = [line for line in text.splitlines() if line.startswith("VariableV2")]
    assert PS_1 in line and "79" in line


def test_the_device_of_a_run_wins(ask, tmp_path):
    cpu = "/job:worker/replica:0/task:0/device:CPU:0"
    (tmp_path / "run_meta").write_bytes(run_meta((cpu, [ran("b")])))
    both = ("graph.pb", "run_meta")
    text = ask("scope", "--select=device,op_types", "--account_type_regexes=.*", files=both)
    assert f"  b ({cpu.lower()}, {cpu.lower()}|VariableV2)" in text
    assert f"  c ({PS_1}, {PS_1}|VariableV2)" in text
    text = ask("scope", "--select=params", "--account_type_regexes=.*ps.*task:1.*",
               "--max_depth=1", files=both)
    assert "_TFProfRoot (--/2 params" in text


def test_a_saved_profile_answers_the_same(ask, tmp_path):
    cpu = "/job:worker/replica:0/task:0/device:CPU:0"
    (tmp_path / "run_meta").write_bytes(run_meta((cpu, [ran("b")])))
    options = ("--select=device,op_types,params", "--account_type_regexes=.*")
    for files in (("graph.pb",), ("graph.pb", "run_meta")):
        subprocess.run([program(), "save", tmp_path / "saved", *(tmp_path / f for f in files)],
                       check=True, capture_output=True, timeout=30)
        assert ask("scope", *options, files=("saved",)) == ask("scope", *options, files=files)
        ask("scope", "--strict", *options, files=("saved",))
