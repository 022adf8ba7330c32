"""Small files that would take a trace and a graph a very long time to join: each of these took
more than 20 seconds, and takes less than one."""

import subprocess

import pytest
import tree
from test_join_functions import call, calls, function, graph, node, op_log, product_function
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


def test_functions_that_all_call_each_other(files):
    """What a function calls is read once, and what all of them reach is limited."""
    n, each = 1000, 150  # more than 1,024 were ignored
    functions = [function(f"f{i}", *(node(f"c{k}", "PartitionedCall", calls("f", f"f{(each * i + k) % n}"))
                                     for k in range(each))) for i in range(n)]
    run(*files.write(graph(main(call("one", "f0")), functions), op_log(),
                     **{f"f{i}__1": ["unknown"] for i in range(n)}))


@pytest.mark.parametrize("n_functions", [1, 30_000])
def test_many_programs_and_calls(n_functions, files):
    """The calls of compiled functions are looked for once, not for each program."""
    n = 30_000
    run(*files.write(graph(main(*(node(f"c{i}", "PartitionedCall", calls("f", f"f{i % n_functions}"))
                                  for i in range(n))),
                           [function(f"f{i}", node("x", "Relu")) for i in range(n_functions)]),
                     op_log(), **{f"f{i % n_functions}__{i}": ["x"] for i in range(n)}))
