"""Real TPU, NVIDIA and AMD recordings: operations against reference numbers."""

import json
import re
from collections import defaultdict

import product
import pytest
import recordings

pytestmark = recordings.needed
every = pytest.mark.parametrize("name", recordings.NAMES or ["none"])


def ask(question, name, *more):
    result = product.run(question, recordings.trace(name), "--output=json", *more)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def rows(view, name, *more):
    return ask(view, name, "--select=micros,occurrence,float_ops", "--max_depth=100000", *more)["nodes"]


def to_us(ps):
    return (ps + 500_000) // 1_000_000


def without_shapes(name):
    return re.sub(r" \([^/]*\)$", "", name)


@every
def test_operations(name):
    """Own time, executions and float operations of each operation of each program."""
    found, want = defaultdict(list), defaultdict(list)
    for row in rows("scope", name):
        if row["run_count"] and "/" in row["name"]:
            found[without_shapes(row["name"]).split("/")[-1]].append(
                (row["exec_micros"], row["run_count"], row["float_ops"]))
    for op in recordings.reference(name)["ops"]:
        if op["program_id"] is None:
            continue
        flops = op.get("model_flops_per_execution", op["flops_per_execution"]) or 0
        want[op["name"]].append((to_us(op["self_ps"]), op["occurrences"], flops * op["occurrences"]))
    for op, numbers in want.items():
        assert len(found[op]) == len(numbers)
        for (us, runs, flops), wanted in zip(sorted(found[op]), sorted(numbers)):
            assert abs(us - wanted[0]) <= 1
            assert (runs, flops) == wanted[1:]


@every
def test_types(name):
    """Sums over operations of a type; a thousand roundings do not add up."""
    found = {row["name"]: row for row in rows("op", name)}
    for want in recordings.reference(name)["op_types"]:
        kernel = want["type"].removesuffix(".kd")
        row = found[kernel]
        assert abs(row["accelerator_exec_micros"] - to_us(want["self_ps"])) <= 1
        # TensorFlow also casts on the host.
        assert row["run_count"] - want["occurrences"] in (0, 1 if want["type"] == "Cast" else 0)


@every
def test_float_operations(name):
    ops = recordings.reference(name)["ops"]
    want = sum((op.get("model_flops_per_execution", op.get("flops_per_execution")) or 0)
               * op["occurrences"] for op in ops)
    found = rows("scope", name)[0]["total_float_ops"]
    assert found == want
