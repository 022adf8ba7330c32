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


# ---- time ---------------------------------------------------------------------

def advise_time(path, *settings):
    options = ",".join(("min_micros=10", *settings))
    done = subprocess.run([program(), "advise", path, "--output=json", f"--checker=CompiledTimeChecker:{options}"],
                          capture_output=True, check=True)
    (checker,) = json.loads(done.stdout)["checkers"]
    return {finding["what"]: finding for finding in checker["findings"]}


def self_micros(name, is_wanted):
    """By the reference, of all devices."""
    return sum(op["self_ps"] for device in load(case(name)[0])["devices"] for op in device["ops"] if is_wanted(op)) / 1e6


def test_layout_changes_beside_products_are_reported_with_their_time(unpacked):  # noqa: F811
    path = unpacked(case("fn_transformer_grad")[1])
    layout = advise_time(path, "layout=0.1")["layout_changes"]
    assert layout["stake"]["micros"] == int(self_micros("fn_transformer_grad", lambda op: op["type"] == "transpose") / 3)
    assert [place["line"] for place in layout["where"]] == ["/home/me/x/funcs.py:20"]
    assert "layout_changes" not in advise_time(path)  # 12 % are no 20


def test_without_products_layout_changes_are_no_problem(unpacked):  # noqa: F811
    assert not advise_time(unpacked(case("fn_sort_topk")[1]), "layout=0.01")


def test_an_operation_far_from_the_limits_is_reported_with_the_time_it_loses(unpacked):  # noqa: F811
    low = advise_time(unpacked(case("synthetic_gpu")[1]))["low_efficiency"]
    (op,) = [op for op in load(case("synthetic_gpu")[0])["devices"][0]["ops"] if op["op"] == "broadcast_select_fusion"]
    lost = op["self_ps"] / 1e6 * (1 - op["efficiency"])
    assert low["stake"]["micros"] == pytest.approx(lost / 3, abs=1)
    assert [place["line"] for place in low["where"]] == ["/home/me/models/tiny.py:8"]


def test_products_of_32_bits_are_reported_on_gpus_only(unpacked):  # noqa: F811
    half = advise_time(unpacked(case("synthetic_gpu")[1]))["half_precision"]
    assert half["stake"]["micros"] == (210 + 150) // 2 // 3
    assert "half_precision" not in advise_time(unpacked(case("synthetic_tpu")[1]))  # they use 16 bits
    assert "half_precision" not in advise_time(unpacked(case("fn_transformer_grad")[1]))  # CPUs gain nothing
