"""What ran, by the labels of run metadata, next to what the graph names.

tests/oracle/scripts/fused.py recorded the real files: a network that TensorFlow's
optimizer fused."""

import gzip
import os
import re
import subprocess

import pytest
from advise_profiles import CPU, GPU, STREAM, Profile, entry, node, run_meta
from ours import Ours
from tree import DATA, program
from wire import field

GRAPH = [node("c/Conv2D", "Conv2D", ["x"]), node("c/Relu", "Relu", ["c/Conv2D"]),
         node("d/Relu", "Relu", ["c/Relu"]), node("Mul", "Mul"), node("call", "PartitionedCall")]
STEP = run_meta((CPU, [
    entry("c/Relu", 1, 60, "[mklcpu 0.5MB 0.5MB] c/Relu = _FusedConv2D(x, w)"),
    entry("d/Relu", 70, 10, "d/Relu = Relu(c/Relu)"),
    entry("Mul", 80, 5, "Mul = Mul(d/Relu, d/Relu)"),
    entry("call/Softmax", 90, 20, "call/Softmax = Softmax(Mul)"),
    entry("call/no_label", 110, 5),
]))


@pytest.fixture
def ours():
    with Ours() as profiler:
        yield profiler


@pytest.fixture
def profile(ours):
    return Profile(GRAPH, [STEP]).load(ours)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A directory with graph.pb and run_meta_0."""
    directory = tmp_path_factory.mktemp("executed")
    for name in ("graph.pb", "run_meta_0"):
        with gzip.open(os.path.join(DATA, "executed", name + ".gz")) as packed:
            (directory / name).write_bytes(packed.read())
    return directory



def own(ours, view, **options):
    """Name -> its own microseconds, if any."""
    columns = ours.columns(view, ["name", "exec_micros"], select="micros", max_depth=100, **options)
    return {name: value for name, value in zip(columns["name"], columns["exec_micros"]) if value}


def message(**options):
    """OptionsProto bytes, as TensorFlow's API sends them."""
    return (field(1, 100) + field(18, 2**64 - 1) + field(7, "micros")
            + b"".join(field(8, each) for each in options.get("account_type_regexes", [".*"]))
            + field(9, ".*") + field(11, ".*") + field(14, "micros") + field(14, "op_types")
            + field(15, options.get("output", "stdout")))


def test_nodes_of_no_graph_have_the_type_of_their_label(profile):
    assert own(profile, "op") == {"Relu": 70, "Softmax": 20, "Mul": 5, "call/no_label": 5}


def test_executed_types_groups_by_what_ran(profile):
    assert own(profile, "op", executed_types="true") == {
        "_FusedConv2D": 60, "Softmax": 20, "Relu": 10, "Mul": 5, "call/no_label": 5}


def test_what_ran_is_one_of_the_types(profile):
    assert own(profile, "scope", account_type_regexes="_FusedConv2D",
               account_displayed_op_only="true", show_name_regexes=".*Relu") == {"c/Relu": 60}
    columns = profile.columns("scope", ["name", "op_types"], select="op_types", max_depth=100)
    types = dict(zip(columns["name"], columns["op_types"]))
    device = CPU.lower()
    assert types["c/Relu"] == [device, "Relu", "_FusedConv2D"]
    assert types["d/Relu"] == [device, "Relu"]
    assert types["call/Softmax"] == [device, "Softmax"]
    assert types["call/no_label"] == [device, "call/no_label"]


def test_messages_see_the_types_of_the_graph(profile):
    """Asked as TensorFlow's API asks, nothing is taken from labels."""
    report = profile.profile("op", message()).stdout.decode()
    assert re.search(r"^Relu  .* 70us", report, re.M)
    assert re.search(r"^call/Softmax  .* 20us", report, re.M)
    assert "_FusedConv2D" not in report
    report = profile.profile("scope", message(account_type_regexes=["_FusedConv2D"])).stdout.decode()
    assert "c/Relu" not in report


def test_a_note_gives_the_share_under_another_name(profile):
    """60 of 100 microseconds; nodes of no graph have no other name."""
    note = profile.ask("op", select="micros").stderr.decode()
    assert note == ("60% of the time was spent in fused or replaced kernels, under the name of "
                    "another operation: c/Relu, Relu, ran as _FusedConv2D (executed_types groups "
                    "by what ran)\n")
    assert profile.ask("op", select="micros", executed_types="true").stderr == b""
    assert b"ran as" not in profile.ask("op", select="params").stderr
    assert profile.ask("scope", select="micros").stderr == b""
    assert b"ran as" not in profile.profile("op", message()).stderr


def test_labels_of_streams_are_no_types(ours):
    Profile([node("a", "MatMul")], [run_meta(
        (GPU, [entry("a", 1, 10, "a = MatMul(x)")]),
        (STREAM, [entry("a", 5, 50, "a = kernel(x)")]))]).load(ours)
    assert own(ours, "op", executed_types="true") == {"MatMul": 60}


def test_types_survive_saving(profile):
    before = profile.ask("scope", select="micros,op_types", max_depth=100).stdout
    groups = own(profile, "op", executed_types="true")
    for _ in range(2):  # what was loaded is saved again
        profile.from_bytes(profile.serialize())
        assert profile.ask("scope", select="micros,op_types", max_depth=100).stdout == before
        assert own(profile, "op", executed_types="true") == groups
        assert own(profile, "op")["Softmax"] == 20
        assert "_FusedConv2D" not in profile.profile("op", message()).stdout.decode()


def test_a_step_added_to_a_saved_profile(profile):
    profile.from_bytes(profile.serialize())
    profile.add_run_meta(1, run_meta((CPU, [
        entry("d/Relu", 1, 30, "d/Relu = _FusedMatMul(x)"),
        entry("c/Relu", 1, 60, "c/Relu = Relu(x)")])))
    assert own(profile, "op", executed_types="true", step=1) == {"_FusedMatMul": 30, "Relu": 60}
    profile.from_bytes(profile.serialize())
    assert own(profile, "op", executed_types="true", step=1) == {"_FusedMatMul": 30, "Relu": 60}
    assert own(profile, "scope", account_type_regexes="_FusedConv2D", show_name_regexes="c/.*",
               step=0)["c/Relu"] == 60


def test_a_real_run(sample):
    def ask(*arguments):
        done = subprocess.run(
            [program(), "op", "--graph_path=graph.pb", "--run_meta_path=run_meta_0",
             "--select=micros", "--max_depth=100", *arguments],
            cwd=sample, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        times = re.findall(r"^(\S+) +([\d.]+)[um]s \(", done.stdout, re.M)
        return {name for name, time in times if float(time)}, done.stderr

    graph_types, note = ask()
    assert {"Relu", "_MklSoftmax", "AddV2", "_Arg"} <= graph_types
    assert not {name for name in graph_types if "/" in name}, "function bodies have types"
    assert re.search(r"^\d+% of the time .* ran as _MklNativeFusedConv2D", note, re.M)
    executed, note = ask("--executed_types")
    assert {"_MklNativeFusedConv2D", "_MklNativeFusedMatMul", "IdentityN"} <= executed
    assert not {"Relu", "PartitionedCall"} & executed and "ran as" not in note
