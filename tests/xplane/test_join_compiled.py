"""A trace of a function that XLA compiled, together with its graph: the program has the names of
the nodes that it was made from."""

import make
import product
import pytest
from test_join_functions import attr, entry, node, op_log, placeholder

MS = 10**9


def instruction(id_, name, opcode, dims, op_name="", operands=(), more=b""):
    shape = make.number(2, 11) + b"".join(make.number(3, n) for n in dims)
    return make.piece(2, make.piece(1, name) + make.piece(2, opcode) + make.piece(3, shape)
                      + (make.piece(7, make.piece(2, op_name)) if op_name else b"")
                      + make.number(35, id_) + b"".join(make.number(36, i) for i in operands) + more)


def trace(*events):
    """Each event is an instruction that ran for 1 ms."""
    contracting = make.piece(30, make.number(1, 1) + make.number(2, 0))
    computation = (make.number(5, 1) + instruction(1, "a", "parameter", [2, 3])
                   + instruction(2, "b", "parameter", [3, 4])
                   + instruction(3, "dot.1", "dot", [2, 4], "dense/MatMul", [1, 2], contracting)
                   + instruction(4, "dot.2", "dot", [3, 4], "gradient_tape/dense/MatMul/MatMul",
                                 [1, 2], contracting)
                   + instruction(5, "copy.1", "copy", [2, 4]))
    module = make.piece(1, make.piece(1, "f") + make.piece(3, computation))
    metadata = make.Plane("/host:metadata")
    metadata.name_id("f(6)", stats=[("Hlo Proto", module)])
    host = make.Plane("/host:CPU")
    host.add_line("thread", [(name, i * MS, MS, {"hlo_op": name, "hlo_module": "f", "program_id": 6})
                             for i, name in enumerate(events)])
    return make.space(metadata, host)


PRODUCT = attr("T", make.number(6, 1))
GRAPH = b"".join(make.piece(1, n) for n in (
    placeholder("a", 2, 3), placeholder("b", 3, 4),
    node("dense/MatMul", "MatMul", PRODUCT, inputs=["a", "b"]),
    node("gradient_tape/dense/MatMul/MatMul", "MatMul", PRODUCT,
         attr("transpose_a", make.number(5, 1)), inputs=["a", "dense/MatMul"])))


@pytest.fixture
def given(tmp_path):
    (tmp_path / "t.xplane.pb").write_bytes(trace("dot.1", "dot.1", "dot.2", "copy.1"))
    (tmp_path / "graph.pb").write_bytes(GRAPH)
    (tmp_path / "log").write_bytes(op_log(
        entry("dense/MatMul", 48, line=7), entry("gradient_tape/dense/MatMul/MatMul", 48, line=9)))
    return (tmp_path / "t.xplane.pb", f"--graph_path={tmp_path}/graph.pb",
            f"--op_log_path={tmp_path}/log")


def test_lines(given, tmp_path):
    """Forward and backward are on the line of the forward operation; a copy is on none."""
    rows, said = product.query("code", *given, directory=tmp_path)
    lines = {("(gradient)" in row["name"], row["name"].split(":")[1]): int(row["exec_micros"])
             for row in rows if int(row["exec_micros"]) and row["name"] != "(framework)"}
    assert lines == {(False, "7"): 2000, (True, "7"): 1000}
    assert {row["name"]: row["exec_micros"] for row in rows}["(framework)"] == "1000"
    assert "75.0% of the time is in nodes of the graph, 25.0% in neither" in said


@pytest.mark.parametrize("more", [[], ["--count_float_ops"]], ids=["log", "log and count"])
def test_float_operations_are_counted_once(more, given, tmp_path):
    """Those of the program: 2·2·3·4 for each run of a dot."""
    rows, _ = product.query("scope", *given, *more, directory=tmp_path)
    counted = {row["name"]: int(row["float_ops"]) for row in rows if int(row["float_ops"])}
    assert counted.pop("dense/MatMul/dot.1") == 2 * 48
    assert list(counted) == ["gradient_tape/dense/MatMul/MatMul/dot.2"]
    alone, _ = product.query("scope", given[0], directory=tmp_path)
    assert counted == {row["name"]: int(row["float_ops"]) for row in alone
                       if row["name"].endswith("/dot.2")}
