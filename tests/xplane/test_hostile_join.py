"""Small files that would take a trace and a graph a very long time to join: each of these took
more than 20 seconds, and takes less than one."""

import subprocess

import pytest
import tree
from test_join_functions import call, graph, node, op_log, product_function
from test_join_programs import F, F_MODULE, Files, layer, main, matmul

LONGEST = 10  # seconds


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def run(*arguments):
    done = subprocess.run([tree.program(), "scope", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr
    return done


def test_long_name_of_a_call(files):
    """Whether a call is of a compiled function is looked up once for each call, by its name, not
    for each of its operations and all that the name begins with."""
    way = "/".join("a" * 20_000)
    products = [matmul(f"m{i}", f"m{i - 1}:product:0" if i else "b") for i in range(500)]
    given = files.write(
        graph(main(call("one", F), call(way, "g"), node("result", "Identity", inputs=["one"]),
                   node("result_1", "Identity", inputs=[way])),
              [layer(F), product_function("g", products, "m499:product:0")]),
        op_log(), **{F_MODULE: ["dense/MatMul"]})
    run(*given, "--count_float_ops")
