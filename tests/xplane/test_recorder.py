"""Reports that are empty say why, in words that fit the program that recorded the trace."""

import make
import product
import pytest
from test_join_compiled import instruction
from test_join_functions import attr, graph, node, placeholder

US = 1_000_000
MARKER = ("train", 0, 10 * US, {"_r": 1, "step_num": 3})
CALL = ("PjitFunction(f)", 1 * US, 8 * US, {})
NOTHING = "no operation ran in a step while the trace was recorded"
NO_PROGRAMS = ("the trace has no compiled programs: leave enable_hlo_proto of "
               "jax.profiler.ProfileOptions on")


def compiled(at):
    return ("dot", at * US, 2 * US, {"hlo_op": "dot", "hlo_module": "jit_f", "program_id": 6, "run_id": 1})


def metadata():
    """The plane that JAX writes, here without programs."""
    plane = make.Plane("/host:metadata")
    plane.add_stat("jax_version", "0.10.2")
    return plane


def product_node():
    return node("c", "MatMul", attr("T", make.number(6, 1)), inputs=["a", "b"])


def host(*events):
    plane = make.Plane("/host:CPU")
    if events:
        plane.add_line("python", list(events))
    return plane


@pytest.mark.parametrize("planes, reason", [
    ([host()], NOTHING),
    ([host(MARKER)], NOTHING),
    ([metadata(), host(("$profiler.py:307 trace", 0, US, {}))], NOTHING),
    ([metadata(), host(MARKER, compiled(20))], NOTHING),  # outside of the step
    ([metadata(), host(MARKER, compiled(2))], NO_PROGRAMS),
    ([host(MARKER, CALL, compiled(2))], NO_PROGRAMS),
    ([host(MARKER, ("a:Mul", 2 * US, 2 * US, {}))],
     "TensorFlow writes no Python frames into this trace: add a graph and an op log"),
], ids=["TensorFlow, empty", "step, empty", "JAX, empty", "JAX, outside", "JAX", "JAX, by its calls",
        "TensorFlow"])
def test_no_lines(planes, reason, tmp_path):
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.space(*planes))
    done = product.run("code", path)
    assert (done.returncode, done.stderr) == (1, f"tfprof: No code trace information: {reason}\n")


def test_nothing_is_said_once(tmp_path):
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.space(metadata(), host(MARKER)))
    said = product.run("graph", path, "--select=micros,params,float_ops").stderr
    assert said.count(NOTHING) == 1 and "TensorFlow records" not in said
    assert f"no times, memory and devices in this trace: {NOTHING}\n" in said


def test_programs_without_the_instruction(tmp_path):
    """They are there, and need not be asked for."""
    plane = metadata()
    plane.name_id("jit_f(6)", stats=[("Hlo Proto", make.piece(1, make.piece(1, "jit_f") + make.piece(
        3, make.number(5, 1) + instruction(1, "a", "parameter", [3, 3]))))])
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.space(plane, host(MARKER, compiled(2))))
    said = product.run("scope", path, "--select=float_ops").stderr
    assert NO_PROGRAMS not in said


def test_graph_without_operations_that_ran(tmp_path):
    """Float operations need the graph only."""
    path, graph_path = tmp_path / "vm.xplane.pb", tmp_path / "graph.pb"
    path.write_bytes(make.space(host(MARKER)))
    graph_path.write_bytes(graph([placeholder("a", 3, 3), placeholder("b", 3, 3), product_node()], []))
    result = product.run("scope", path, f"--graph_path={graph_path}", "--select=micros,float_ops")
    assert f"no times, memory and devices in this trace: {NOTHING}\n" in result.stderr
    assert "no float operations" not in result.stderr
    assert f"--/{2 * 3 * 3 * 3} flops" in result.stdout
