"""Recorded traces: every node in every step against reference numbers, and sums against
XProf's answers."""

import re
from collections import defaultdict

import expected
import product
import pytest
import reference

RECORDED = expected.names("reference")


def to_us(ps):
    return (ps + 500_000) // 1_000_000


@pytest.mark.parametrize("sample", RECORDED)
def test_nodes_and_steps(sample, samples, tmp_path):
    steps = defaultdict(dict)
    for row in expected.load(sample, "reference"):
        steps[row["step"]][row["node"]] = (to_us(row["self_ps"]), row["count"])
    outside = steps.pop(None, {})
    for step, want in steps.items():
        assert product.nodes(samples[sample], step, tmp_path) == want
    said = product.run("op", samples[sample]).stderr
    n = sum(count for _, count in outside.values())
    ps = sum(row["self_ps"] for row in expected.load(sample, "reference") if row["step"] is None)
    assert re.search(rf"in {len(steps)} steps?\b", said), said
    assert f"{n} outside of all steps ({ps / 1e9:.2f}ms)" in said


@pytest.mark.parametrize("sample", RECORDED)
def test_types(sample, samples, tmp_path):
    want = {row["node"]: row["op"] for row in expected.load(sample, "reference")
            if row["step"] is not None}
    rows, _ = product.query("scope", samples[sample], directory=tmp_path)
    types = {row["name"]: row["op_types"] for row in rows}
    for node, op in want.items():
        assert op in re.split(r"[|;,]", types[node])


@pytest.mark.parametrize("sample", RECORDED)
def test_slow_reader(sample, samples):
    """The reader that judges random traces agrees with the numbers."""
    def key(row):
        return row["node"], str(row["step"])

    found = [{name: value for name, value in row.items()
              if name not in ("event_ps", "busy_ps", "waiting_ps")}
             for row in reference.read(samples[sample].read_bytes())]
    assert sorted(found, key=key) == sorted(expected.load(sample, "reference"), key=key)


@pytest.mark.parametrize("sample", RECORDED)
def test_xprof(sample):
    """Σ over steps and outside is XProf's row. It shows 500 rows at most and no operations
    that XLA compiled, nor eager ones; executions of the latter do not take time off their
    enclosing operation, and allocations count as occurrences."""
    sums = defaultdict(lambda: [0, 0, 0])
    for row in expected.load(sample, "reference"):
        sums[row["node"]][0] += row["count"]
        sums[row["node"]][1] += row["total_ps"]
        sums[row["node"]][2] += row["self_ps"]
    for row in expected.rows(sample, "framework_op_stats"):
        if row["host_or_device"] != "Host" or row["type"] in ("IDLE", "Dataset"):
            continue
        count, total, own = sums[row["operation"]]
        assert row["total_time"] == pytest.approx(total / 1e6)
        if not row["operation"].startswith("__inference_"):
            assert row["total_self_time"] == pytest.approx(own / 1e6)
            assert row["occurrences"] >= count
