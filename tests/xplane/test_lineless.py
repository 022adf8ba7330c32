"""Code view of a trace: what no line made is in rows of its own, so that lines add up."""

import os

import make
import product
import pytest

JOIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "join")
FILES = (f"--graph_path={JOIN}/graph.pb.gz", f"--op_log_path={JOIN}/op_log.gz")


def top(rows):
    """Microseconds of the outermost rows."""
    return {row["name"]: int(row["total_exec_micros"]) for row in rows if row["depth"] == "1"}


@pytest.mark.parametrize("sample", ["tf_cnn_loop", "tf_cnn_fit", "tf_cnn_loop_jit"])
def test_lines_add_up_to_operations(sample, samples, tmp_path):
    operations, _ = product.query("op", samples[sample], *FILES, directory=tmp_path)
    lines, _ = product.query("code", samples[sample], *FILES, directory=tmp_path)
    all_of = sum(int(row["exec_micros"]) for row in operations)
    assert sum(top(lines).values()) == all_of > 0
    assert int(lines[0]["total_exec_micros"]) == all_of


def test_rows_say_what_has_no_line(samples, tmp_path):
    """Operations that neither the graph nor the op log has, 1 ms each."""
    names = ["MatMul:MatMul", "IteratorGetNext:IteratorGetNext",
             "__inference_step_7:__inference_step_7", "elsewhere/Relu:Relu"]
    (tmp_path / "t.xplane.pb").write_bytes(make.host(
        [(name, i * 10**9, 10**9, {}) for i, name in enumerate(names)]))
    lines, _ = product.query("code", tmp_path / "t.xplane.pb", *FILES, directory=tmp_path)
    assert {name: micros for name, micros in top(lines).items() if micros} == {
        "(eager)": 1000, "(input pipeline)": 1000, "(framework)": 1000, "(no line)": 1000}
