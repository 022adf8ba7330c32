"""A trace of functions that XLA compiled and that another function calls, together with the graph
of the latter: the name of a program tells its function, names of its instructions the nodes."""

import make
import product
import pytest
from test_join_compiled import instruction
from test_join_functions import (attr, call, calls, entry, function, graph, node, op_log, placeholder,
                                 product_function)

MS = 10**9
CONTRACTING = make.piece(30, make.number(1, 1) + make.number(2, 0))
PRODUCT = attr("T", make.number(6, 1))
FLOAT_OPS = 2 * 3 * 3 * 3  # of a product of two matrices of 3×3


def program(*op_names):
    """Each instruction is a dot, "dot.1", …, made from a node; a copy if it is from none."""
    out = make.number(5, 1) + instruction(1, "a", "parameter", [3, 3])
    for i, name in enumerate(op_names, 1):
        out += (instruction(1 + i, f"dot.{i}", "dot", [3, 3], name, [1, 1], CONTRACTING) if name
                else instruction(1 + i, f"copy.{i}", "copy", [3, 3]))
    return out


def trace(ran=(), **programs):
    """The modules of these names: each of their instructions ran for 1 ms, one after the other, and
    then these calls."""
    metadata, host, events = make.Plane("/host:metadata"), make.Plane("/host:CPU"), []
    for id_, (module, op_names) in enumerate(programs.items(), 1):
        metadata.name_id(f"{module}({id_})", stats=[("Hlo Proto", make.piece(
            1, make.piece(1, module) + make.piece(3, program(*op_names))))])
        for i, name in enumerate(op_names, 1):
            op = f"dot.{i}" if name else f"copy.{i}"
            events.append((op, len(events) * MS, MS,
                           {"hlo_op": op, "hlo_module": module, "program_id": id_}))
    events += [(f"{name}:StatefulPartitionedCall", (len(events) + i) * MS, MS, {})
               for i, name in enumerate(ran)]
    host.add_line("thread", events)
    return make.space(metadata, host)


def matmul(name="dense/MatMul", other="b"):
    return node(name, "MatMul", PRODUCT, inputs=["a", other])


def layer(name):
    """A function of a product and its gradient."""
    gradient = "gradient_tape/dense/MatMul/MatMul"
    return product_function(name, [matmul(), matmul(gradient, "dense/MatMul:product:0")],
                            f"{gradient}:product:0")


def main(*nodes):
    return [placeholder("a", 3, 3), placeholder("b", 3, 3), *nodes]


F, LAMBDA = "__inference_f_1", "__inference_<lambda>_2"
F_MODULE, LAMBDA_MODULE = "a_inference_f_1__.7", "a_inference__lambda__2__XlaMustCompile_true_.3"
BOTH = ["dense/MatMul", "gradient_tape/dense/MatMul/MatMul"]
LOG = op_log(entry("dense/MatMul", 1, line=1), entry("one", 0, line=10), entry("two", 0, line=20),
             *(entry(f"{name}@{f}", FLOAT_OPS, line=line + k)
               for f, line in ((F, 12), (LAMBDA, 22)) for k, name in enumerate(BOTH)))


OUTER = product_function("outer", [call("two", F)], "two:output:0")


class Files:
    def __init__(self, directory):
        self.directory = directory

    def write(self, graph_def, log=LOG, ran=(), **programs):
        for name, data in (("t.xplane.pb", trace(ran, **programs)), ("graph.pb", graph_def),
                           ("log", log)):
            (self.directory / name).write_bytes(data)
        return (self.directory / "t.xplane.pb", f"--graph_path={self.directory}/graph.pb",
                f"--op_log_path={self.directory}/log")

    def lines(self, *files):
        """{(line, whether of gradients): milliseconds}, and what was said."""
        rows, said = product.query("code", *files, directory=self.directory)
        return {(int(row["name"].split(":")[1]), "(gradient)" in row["name"]):
                int(row["exec_micros"]) // 1000 for row in rows
                if int(row["exec_micros"]) and row["name"][0] != "("}, said

    def ran(self, *files):
        rows, _ = product.query("scope", *files, directory=self.directory)
        return {row["name"] for row in rows if int(row["run_count"])}

    def float_ops(self, *files):
        rows, _ = product.query("scope", *files, directory=self.directory)
        return {row["name"]: int(row["float_ops"]) for row in rows if int(row["float_ops"])}


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def test_lines_of_functions(files):
    """Operations of the same name are of several functions, and of none of the main graph, which
    has the name as well. What the compiler added is on the line of the call."""
    given = files.write(
        graph(main(matmul(), call("one", F), call("two", LAMBDA)), [layer(F), layer(LAMBDA)]),
        **{F_MODULE: [*BOTH, ""], LAMBDA_MODULE: BOTH})
    lines, said = files.lines(*given)
    assert lines == {(12, False): 1, (12, True): 1, (10, False): 1, (22, False): 1, (22, True): 1}
    assert "80.0% of the time is in nodes of the graph, 20.0% in neither" in said
    assert files.ran(*given) == {
        "one/dense/MatMul/dot.1", "one/gradient_tape/dense/MatMul/MatMul/dot.2", f"{F_MODULE}/copy.3",
        "two/dense/MatMul/dot.1", "two/gradient_tape/dense/MatMul/MatMul/dot.2"}
    saved = files.directory / "saved"
    assert product.run("save", saved, *given).returncode == 0
    assert files.lines(saved)[0] == lines


def test_function_that_is_called_twice(files):
    """Which call it was is not recorded."""
    given = files.write(graph(main(call("one", F), call("two", F)), [layer(F)]), **{F_MODULE: [*BOTH, ""]})
    assert files.lines(*given)[0] == {(12, False): 1, (12, True): 1}
    assert files.ran(*given) == {f"{F}/dense/MatMul/dot.1", f"{F_MODULE}/copy.3",
                                 f"{F}/gradient_tape/dense/MatMul/MatMul/dot.2"}


def test_call_within_a_function(files):
    given = files.write(graph(main(call("one", "outer")), [OUTER, layer(F)]), **{F_MODULE: BOTH})
    assert files.lines(*given)[0] == {(12, False): 1, (12, True): 1}


@pytest.mark.parametrize("bodies, want", [(["dense/MatMul"], {(30, False): 1}), (["dense/MatMul"] * 2, {})])
def test_functions_that_it_calls(bodies, want, files):
    """A name that the function itself does not have is of one that it calls, if just one has it."""
    loops = [node(f"loop{i}", "While", calls("body", f"body{i}")) for i in range(len(bodies))]
    log = op_log(*(entry(f"dense/MatMul@{f}", FLOAT_OPS, line=30) for f in ("body0", "body1")))
    given = files.write(graph([call("one", F)], [
        function(F, *loops), function("other", matmul()),
        *(function(f"body{i}", matmul(name)) for i, name in enumerate(bodies))]),
        log, **{F_MODULE: ["dense/MatMul"]})
    lines, said = files.lines(*given) if want else ({}, product.run("scope", *given).stderr)
    assert lines == want
    assert ("1 name is ambiguous: not joined with the graph" in said) == (not want)


def test_ambiguous_names_are_counted_once(files):
    """However many programs of a function have them."""
    bodies = [function(f"body{i}", matmul()) for i in range(2)]
    loops = [node(f"loop{i}", "While", calls("body", f"body{i}")) for i in range(2)]
    given = files.write(graph([call("one", F)], [function(F, *loops), *bodies]),
                        **{F_MODULE: ["dense/MatMul"], F_MODULE.replace(".7", ".8"): ["dense/MatMul"]})
    assert "1 name is ambiguous: not joined with the graph" in product.run("scope", *given).stderr


@pytest.mark.parametrize("functions, module", [
    ([F, "__inference-f_1"], F_MODULE),       # both have that name
    ([F, F + "__"], F_MODULE.replace("__.", "____.")),
    ([F], F_MODULE.replace("f_1", "f_12")),
    ([F], "jit_f"),
])
def test_other_programs(functions, module, files):
    """The name tells no function, or several."""
    given = files.write(graph([call("one", F)], [layer(f) for f in functions]), **{module: BOTH[:1]})
    assert files.ran(*given) == {"dense/MatMul/dot.1"}
    assert "100.0% in neither" in product.run("scope", *given).stderr


@pytest.mark.parametrize("nodes, functions, ran, scope", [
    ([call("one", F)], [layer(F)], [], "one"),
    ([call("one", F), call("two", F)], [layer(F)], [], F),
    ([call("one", "outer")], [OUTER, layer(F)], ["one/two"], F),
    ([call("one", "outer")], [OUTER, product_function(F, [call("three", "inner")], "three:output:0"),
                              layer("inner")], ["one/two"], F),
], ids=["a call", "two calls", "nested", "nested, with a call"])
@pytest.mark.parametrize("more", [[], ["--count_float_ops"]], ids=["", "count"])
@pytest.mark.parametrize("log", [LOG, op_log()], ids=["log", "no log"])
def test_float_operations_are_counted_once(log, more, nodes, functions, ran, scope, files):
    """Those of the program, also where it does not say what they were made from."""
    results = [node(f"result{i}", "Identity", PRODUCT, inputs=[name])
               for i, name in enumerate(["one", "two"][:len(nodes)])]
    given = files.write(graph(main(*nodes, *results), functions), log, ran=ran,
                        **{F_MODULE: ["dense/MatMul", "unknown"]})
    if more:  # without the trace, it would find both products
        assert files.float_ops(*given[1:], *more)["one"] == 2 * FLOAT_OPS
    assert files.float_ops(*given, *more) == {f"{scope}/dense/MatMul/dot.1": FLOAT_OPS,
                                              "unknown/dot.2": FLOAT_OPS}


@pytest.mark.parametrize("ran", [[F], [LAMBDA], [F, LAMBDA]], ids=["first", "second", "both"])
def test_float_operations_of_functions_that_did_not_run(ran, files):
    """Only calls of functions that have a program lose theirs to it."""
    names = {F: "one", LAMBDA: "two"}
    results = [node(f"result_{name}", "Identity", PRODUCT, inputs=[name]) for name in names.values()]
    given = files.write(
        graph(main(*(call(name, f) for f, name in names.items()), *results), [layer(F), layer(LAMBDA)]),
        op_log(), **{module: ["dense/MatMul"] for f, module in ((F, F_MODULE), (LAMBDA, LAMBDA_MODULE))
                     if f in ran})
    assert files.float_ops(*given, "--count_float_ops") == {
        f"{name}/dense/MatMul/dot.1" if f in ran else name: FLOAT_OPS * (1 if f in ran else 2)
        for f, name in names.items()}
