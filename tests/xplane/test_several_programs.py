"""A function that was compiled for several shapes: its programs have the same names."""

import make
import product
from test_join_compiled import instruction

MS = 10**9


def program(size):
    """A product of two square matrices, and its parameters."""
    contracting = make.piece(30, make.number(1, 1) + make.number(2, 0))
    return (make.number(5, 1) + instruction(1, "a", "parameter", [size, size])
            + instruction(2, "dot.1", "dot", [size, size], "jit(f)/dot_general", [1, 1], contracting))


def test_float_operations(tmp_path):
    """2·n³ for each run of a product of n×n: three of 4, one of 8."""
    metadata, host, events = make.Plane("/host:metadata"), make.Plane("/host:CPU"), []
    for id_, size, n_runs in ((1, 4, 3), (2, 8, 1)):
        metadata.name_id(f"jit_f({id_})", stats=[("Hlo Proto", make.piece(
            1, make.piece(1, "jit_f") + make.piece(3, program(size))))])
        for _ in range(n_runs):
            events.append(("dot.1", len(events) * MS, MS,
                           {"hlo_op": "dot.1", "hlo_module": "jit_f", "program_id": id_}))
    host.add_line("thread", events)
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.space(metadata, host))
    rows, _ = product.query("scope", path, directory=tmp_path)
    row = {row["name"]: row for row in rows}["jit(f)/dot_general/dot.1"]
    assert int(row["run_count"]) == 4 and int(row["exec_micros"]) == 4000
    assert int(row["float_ops"]) == 3 * 2 * 4**3 + 2 * 8**3
