"""A function that was compiled for several shapes: its programs have the same names."""

import make
import product
import pytest
from test_join_compiled import instruction

MS = 10**9


def program(size):
    """A product of two square matrices, and its parameters."""
    contracting = make.piece(30, make.number(1, 1) + make.number(2, 0))
    return (make.number(5, 1) + instruction(1, "a", "parameter", [size, size])
            + instruction(2, "dot.1", "dot", [size, size], "jit(f)/dot_general", [1, 1], contracting))


def rows(directory, *programs, inside=None):
    """Of the node of a function: (size, n_runs) of its programs, whose runs follow each other. The
    step has those `inside`; None: all."""
    metadata, host, events = make.Plane("/host:metadata"), make.Plane("/host:CPU"), []
    for id_, (size, n_runs) in enumerate(programs, 1):
        metadata.name_id(f"jit_f({id_})", stats=[("Hlo Proto", make.piece(
            1, make.piece(1, "jit_f") + make.piece(3, program(size))))])
        for _ in range(n_runs):
            events.append(("dot.1", len(events) * MS, MS,
                           {"hlo_op": "dot.1", "hlo_module": "jit_f", "program_id": id_}))
    host.add_line("thread", events)
    host.add_line("python", [("train", 0, (inside or len(events)) * MS, {"_r": 1, "step_num": 3})])
    path = directory / "vm.xplane.pb"
    path.write_bytes(make.space(metadata, host))
    found, _ = product.query("scope", path, "--select=micros,occurrence,float_ops,output_bytes",
                             directory=directory)
    return {row["name"]: row for row in found}["jit(f)/dot_general/dot.1"]


def test_float_operations(tmp_path):
    """2·n³ for each run of a product of n×n: three of 4, one of 8."""
    row = rows(tmp_path, (4, 3), (8, 1))
    assert int(row["run_count"]) == 4 and int(row["exec_micros"]) == 4000
    assert int(row["float_ops"]) == 3 * 2 * 4**3 + 2 * 8**3


@pytest.mark.parametrize("sizes", [(4, 8), (8, 4)])
def test_program_that_ran_outside(sizes, tmp_path):
    """Only the first one runs in the step."""
    row = rows(tmp_path, (sizes[0], 1), (sizes[1], 1), inside=1)
    assert int(row["run_count"]) == 1
    assert int(row["float_ops"]) == 2 * sizes[0]**3 and int(row["output_bytes"]) == 4 * sizes[0]**2


@pytest.mark.parametrize("programs", [((4, 3), (8, 1)), ((8, 1), (4, 3))])
def test_output_bytes(programs, tmp_path):
    """Each run has those of its program: n×n of 4 bytes."""
    assert int(rows(tmp_path, *programs)["output_bytes"]) == 4 * (3 * 4**2 + 8**2)
