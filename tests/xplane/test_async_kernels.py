"""Kernels of TensorFlow that call back when they are done, such as calls of functions that XLA
compiled: their times are their own, and end where they are done."""

import make
import product
import pytest

US = 1_000_000


def start(name, at, length, id_, type_="StatefulPartitionedCall"):
    return ("ExecutorState::ProcessAsync::Start", at * US, length * US,
            {"name": name, "kernel_type": type_, "_pt": 2, "_p": id_})


def done(at, length, id_):
    return ("ExecutorState::ProcessAsync::Done", at * US, length * US, {"_ct": 2, "_c": id_})


def op(name, at, length):
    return (f"{name}:Mul", at * US, length * US, {})


@pytest.mark.parametrize("lines, want", [
    # What runs within it on its thread is counted separately.
    ([[start("call", 0, 50, 1), op("a", 10, 7), op("b", 20, 8), done(48, 1, 1)]],
     {"call": 48 - 7 - 8, "a": 7, "b": 8}),
    # What its callback runs is not part of it.
    ([[start("call", 0, 50, 1), op("a", 2, 3), done(10, 40, 1), op("b", 12, 20)]],
     {"call": 10 - 3, "a": 3, "b": 20}),
    # One calls another.
    ([[start("outer", 0, 50, 1), start("inner", 5, 30, 2), op("a", 6, 4), done(20, 15, 2),
       op("b", 22, 6), done(45, 2, 1)]],
     {"outer": 45 - 15 - 6, "inner": 15 - 4, "a": 4, "b": 6}),
    # An operation calls one.
    ([[op("a", 0, 50), start("call", 10, 30, 1), done(20, 15, 1), op("b", 21, 5)]],
     {"a": 50 - 10 - 5, "call": 10, "b": 5}),
    # Another thread ends it.
    ([[start("call", 0, 20, 1), op("a", 5, 10)], [done(90, 5, 1)]], {"call": 90 - 10, "a": 10}),
])
def test_own_times(lines, want, tmp_path):
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.host(*lines))
    found = product.nodes(path, 0, tmp_path)
    assert {name: time for name, (time, _) in found.items()} == want


def test_kernel_with_events_of_its_own(tmp_path):
    """A collective of two devices runs on another thread, under its own name: that is the
    operation, as in XProf. The step still leads to it."""
    collective = "grads/Reduce:CollectiveReduceV2"
    main, other = [], []
    for step in range(2):
        at = 100 * step
        main += [("train", at * US, 50 * US, {"_r": 1, "step_num": step}),
                 op("around", at + 1, 30),
                 start("grads/Reduce", at + 5, 10, step, "CollectiveReduceV2")]
        other += [("Run", (at + 60) * US, 32 * US, {"_ct": 2, "_c": step}),
                  (collective, (at + 70) * US, 20 * US, {}), done(at + 88, 1, step)]
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.host(main, other))
    for step in range(2):
        assert product.nodes(path, step, tmp_path) == {"around": (30, 1), "grads/Reduce": (20, 1)}
