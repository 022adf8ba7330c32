"""Advice on the memory of compiled programs, on recorded programs with planted habits."""

import json
import subprocess

import pytest
from test_commands import unpacked  # noqa: F401 (a fixture)
from test_cost import load, traces
from tree import program


def advise(path):
    done = subprocess.run([program(), "advise", path, "--output=json"], capture_output=True, check=True)
    (checker,) = [checker for checker in json.loads(done.stdout)["checkers"]
                  if checker["name"] == "CompiledMemoryChecker"]
    return {finding["what"]: finding for finding in checker["findings"]}


def case(name):
    return next(case.values for case in traces() if case.id == name)


@pytest.fixture
def found(unpacked):  # noqa: F811
    return lambda name: advise(unpacked(case(name)[1]))


def test_parameters_that_could_be_donated_are_reported(found):
    donation = found("fn_transformer_grad")["donation"]
    assert donation["stake"]["bytes"] == 3407872  # what JAX saves once they are
    assert donation["level"] == "none"  # a few megabytes are no alarm
    assert "donate_argnums" in donation["remedy"]


def test_parameters_that_are_donated_are_none(found):
    assert "donation" not in found("fn_transformer_donated")


def test_what_a_scan_keeps_for_the_backward_pass_is_a_notice_with_its_line(found):
    kept = found("fn_scan_grad")["kept_by_loop"]
    (module,) = [module for module in load(case("fn_scan_grad")[0])["modules"] if "scan_grad" in module["name"]]
    (arena,) = module["memory"]["arenas"]
    want = sum(layer["bytes"] for layer in arena["by_layer"] if layer["name"].endswith("(kept by a loop)"))
    assert kept["stake"]["bytes"] == want > 0.2 * arena["peak"]
    assert kept["level"] == "notice"
    assert [place["line"] for place in kept["where"]] == ["/home/me/x/funcs.py:20"]


def test_a_model_without_a_loop_keeps_nothing(found):
    assert "kept_by_loop" not in found("fn_transformer_grad")


def test_arenas_without_holes_are_not_fragmented(found):
    assert "fragmentation" not in found("fn_convnet_grad")
