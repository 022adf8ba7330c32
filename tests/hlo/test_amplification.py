"""Compiled programs whose computations call each other twice: what they cost doubles with each, and
the work to find that out does not."""

import pathlib
import resource
import subprocess
import sys

import pytest
import tree
from wire import field

sys.path.append(str(pathlib.Path(tree.TESTS, "xplane")))
import make  # noqa: E402

US = 10**6


def instruction(name, opcode, number, calls=(), operands=()):
    return field(2, field(1, name) + field(2, opcode) + field(3, field(2, 11)) + field(35, number)
                 + b"".join(field(36, o) for o in operands) + b"".join(field(38, c) for c in calls))


def program(depth, opcode):
    """Computation i calls i + 1 twice; the last one adds two numbers."""
    computations = []
    for i in range(depth):
        first, second = 2 * i + 1, 2 * i + 2
        calls = [i + 2] * (2 if opcode == "while" else 1)
        body = (instruction(f"x{i}", opcode, first, calls) + instruction(f"y{i}", opcode, second, calls, [first])
                if i < depth - 1 else
                instruction(f"x{i}", "constant", first) + instruction(f"y{i}", "add", second, (), [first, first]))
        computations.append(field(3, field(1, f"c{i}") + body + field(5, i + 1) + field(6, second)))
    return field(1, field(1, "m") + field(2, "c0") + b"".join(reversed(computations)) + field(6, 1))


@pytest.fixture
def trace(tmp_path):
    def write(depth, opcode):
        meta = field(1, 1) + field(2, "m(1)") + field(5, field(1, 1) + field(6, program(depth, opcode)))
        programs = (field(2, "/host:metadata") + field(4, field(1, 1) + field(2, meta))
                    + field(5, field(1, 1) + field(2, field(1, 1) + field(2, "Hlo Proto"))))
        host = make.Plane("/host:CPU")
        host.add_line("tf_XLAEigen/1", [(f"x{i}", 20 * i * US, 9 * US, {
            "hlo_module": "m", "hlo_op": f"x{i}", "program_id": 1}) for i in range(5)])
        path = tmp_path / "t.xplane.pb"
        path.write_bytes(make.space(host) + field(1, programs))
        return path
    return write


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


@pytest.mark.parametrize("opcode", ["call", "while", "conditional", "fusion"])
@pytest.mark.parametrize("depth", [60, 20_000])
def test_programs_that_double(trace, depth, opcode):
    path = trace(depth, opcode)
    for question in ("op", "roofline", "memory", "step", "layers", "overview"):
        done = subprocess.run([tree.program(), question, path], capture_output=True, text=True, check=False,
                              preexec_fn=limit_memory)
        assert done.returncode == 0, (question, done.stderr)
