"""A trace of TensorFlow together with a graph that has functions: what ran are their nodes."""

import os
import re

import make
import product
import pytest

JOIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "join")
FIT = f"--graph_path={JOIN}/fit_graph.pb.gz"


def attr(key, value):
    return make.piece(5, make.piece(1, key) + make.piece(2, value))


def calls(key, function):
    return attr(key, make.piece(10, make.piece(1, function)))


def shapes(*dims):
    shape = b"".join(make.piece(2, make.number(1, n)) for n in dims)
    return attr("_output_shapes", make.piece(1, make.piece(7, shape)))


def node(name, op, *attrs, inputs=()):
    return (make.piece(1, name) + make.piece(2, op) + b"".join(make.piece(3, i) for i in inputs)
            + b"".join(attrs))


def dense(*dims, mark="mark"):
    """The nodes of a layer: the shape of its product is what the other's input has."""
    return (node("dense/MatMul", "MatMul", shapes(*dims), attr(mark, make.number(3, 7))),
            node("dense/BiasAdd", "BiasAdd", shapes(*dims), inputs=["dense/MatMul:product:0"]))


def function(name, *nodes):
    return (make.piece(1, make.piece(1, name)) + b"".join(make.piece(3, n) for n in nodes))


def graph(nodes, functions):
    library = b"".join(make.piece(1, f) for f in functions)
    return b"".join(make.piece(1, n) for n in nodes) + make.piece(2, library)


CALL = node("PartitionedCall", "PartitionedCall", calls("f", "f"))
CALL_1 = node("PartitionedCall_1", "PartitionedCall", calls("f", "g"))


class Files:
    def __init__(self, directory):
        self.directory = directory

    def write(self, graph_def, *names):
        """Returns what to ask about: each name ran for 1 ms."""
        events = [(f"{name}:{name.split('/')[-1]}", i * 10**9, 10**9, {})
                  for i, name in enumerate(names)]
        (self.directory / "t.xplane.pb").write_bytes(make.host(events))
        (self.directory / "graph.pb").write_bytes(graph_def)
        return self.directory / "t.xplane.pb", f"--graph_path={self.directory}/graph.pb"

    def join(self, graph_def, *names):
        """Rows by name, input shapes by name, and what was said."""
        files = self.write(graph_def, *names)
        rows, said = product.query("scope", *files, directory=self.directory)
        ran = {row["name"]: int(row["exec_micros"]) for row in rows if int(row["run_count"])}
        assert sum(ran.values()) == 1000 * len(names)
        text = product.run("scope", *files, "--select=input_shapes,micros", "--max_depth=20").stdout
        return ran, dict(re.findall(r"^ *(\S+) \(.*, (\S+)\)$", text, re.M)), said


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def test_step_of_fit(samples, tmp_path):
    rows, said = product.query("scope", samples["tf_cnn_fit"], FIT, "--step=1", directory=tmp_path)
    alone, _ = product.query("scope", samples["tf_cnn_fit"], "--step=1", directory=tmp_path)
    share = re.search(r"([\d.]+)% of the time is in nodes of the graph", said)
    assert float(share[1]) >= 99, said

    def took(rows):
        return {row["name"]: row["exec_micros"] for row in rows if int(row["exec_micros"])}

    # A fused kernel is named after its last node; its time is that of its first.
    owners = {"conv_a_1/Relu": "conv_a_1/convolution", "conv_b_1/Relu": "conv_b_1/convolution",
              "logits_1/BiasAdd": "logits_1/MatMul"}
    scope = "StatefulPartitionedCall/functional_1/"
    names = {scope + last: scope + owner for last, owner in owners.items()}
    assert took(rows) == {names.get(name, name): micros for name, micros in took(alone).items()}
    text = product.run("scope", samples["tf_cnn_fit"], FIT, "--select=input_shapes,micros",
                       "--max_depth=20").stdout
    # A convolution of 3×3 over 16×16 pixels leaves 14×14, and the layer has 8 filters.
    assert re.search(r"functional_1/pool_a_1/MaxPool2d \(.*, 0:16x14x14x8\)", text)


def test_calls_are_followed(files):
    """The same name is of another function below another call."""
    ran, inputs, said = files.join(
        graph([CALL, CALL_1], [function("f", *dense(2, 3)), function("g", *dense(4, 5))]),
        "PartitionedCall/dense/MatMul", "PartitionedCall/dense/BiasAdd",
        "PartitionedCall_1/dense/MatMul", "PartitionedCall_1/dense/BiasAdd")
    assert set(ran.values()) == {1000}
    assert inputs["PartitionedCall/dense/BiasAdd"] == "0:2x3"
    assert inputs["PartitionedCall_1/dense/BiasAdd"] == "0:4x5"
    assert "100.0% of the time is in nodes of the graph" in said and "ambiguous" not in said


@pytest.mark.parametrize("way", [
    ["PartitionedCall/", CALL, function("f", node("PartitionedCall", "PartitionedCall",
                                                  calls("f", "inner")))],
    ["lstm/while/body/_12/", node("lstm/while", "While", calls("body", "inner"))],
    ["lstm/while/cond/_3/", node("lstm/while", "While", calls("cond", "inner"))],
    ["if/then/_3/", node("if", "If", calls("then_branch", "inner"), calls("else_branch", "f"))],
    ["if/else/_3/", node("if", "If", calls("then_branch", "f"), calls("else_branch", "inner"))],
    ["inner/", node("other", "NoOp")],
    ["", node("other", "NoOp")],
    ["StatefulPartitionedCall_3/StatefulPartitionedCall/", node("other", "NoOp")],
], ids=["nested", "body", "cond", "then", "else", "function", "not inlined", "unknown call"])
def test_ways(way, files):
    prefix, main, *functions = way
    prefix += "PartitionedCall/" if functions else ""
    _, inputs, said = files.join(
        graph([main], functions + [function("inner", *dense(2, 3))]),
        prefix + "dense/MatMul", prefix + "dense/BiasAdd", "elsewhere/Add")
    assert inputs[prefix + "dense/BiasAdd"] == "0:2x3"
    assert "66.7% of the time is in nodes of the graph" in said


def test_ambiguous_name_of_two_functions(files):
    """No call says which of two is meant: neither is taken, and it is said."""
    ran, inputs, said = files.join(
        graph([CALL], [function("f", *dense(2, 3)), function("g", *dense(4, 5)),
                       function("h", node("alone", "Relu", shapes(1)))]),
        "StatefulPartitionedCall_9/dense/BiasAdd", "StatefulPartitionedCall_9/dense/MatMul",
        "StatefulPartitionedCall_9/alone")
    assert ran["StatefulPartitionedCall_9/dense/BiasAdd"] == 1000
    assert "StatefulPartitionedCall_9/dense/BiasAdd" not in inputs
    assert "33.3% of the time is in nodes of the graph" in said
    assert "2 names are ambiguous: not joined with the graph" in said


def test_ambiguous_way(files):
    """Two calls whose names read as the beginning of the same name."""
    main = [node("a", "PartitionedCall", calls("f", "f")),
            node("a/b", "PartitionedCall", calls("f", "g"))]
    _, _, said = files.join(
        graph(main, [function("f", node("b/c", "Relu")), function("g", node("c", "Relu"))]), "a/b/c")
    assert "1 name is ambiguous: not joined with the graph" in said
    assert "0.0% of the time" in said


def test_ambiguous_name_of_the_graph(files):
    """Two operations of the trace cannot both be one node of the graph."""
    ran, _, said = files.join(graph(dense(2, 3), []), "StatefulPartitionedCall/dense/MatMul",
                              "StatefulPartitionedCall_1/dense/MatMul", "dense/BiasAdd")
    assert ran == {"StatefulPartitionedCall/dense/MatMul": 1000,
                   "StatefulPartitionedCall_1/dense/MatMul": 1000, "dense/BiasAdd": 1000}
    assert "2 names are ambiguous: not joined with the graph" in said
    assert "33.3% of the time is in nodes of the graph" in said


def test_many_ways_to_read_a_name(files):
    """Two to the power of 40 ways: given up, not tried."""
    own = [node("/".join("a" * n), "PartitionedCall", calls("f", "f")) for n in range(1, 41)]
    _, _, said = files.join(graph(own, [function("f", *own)]), "/".join("a" * 41) + "/x")
    assert "1 name is ambiguous" in said


def test_attributes(files, tmp_path):
    files.join(graph([CALL], [function("f", *dense(2, 3, mark="own_mark"))]),
               "PartitionedCall/dense/MatMul")
    result = product.run("save", tmp_path / "saved", tmp_path / "t.xplane.pb",
                         f"--graph_path={tmp_path}/graph.pb")
    assert result.returncode == 0, result.stderr
    assert b"own_mark" in (tmp_path / "saved").read_bytes()


def test_plain_graph_has_no_nodes_of_functions(tmp_path):
    (tmp_path / "graph.pb").write_bytes(graph([CALL], [function("f", *dense(2, 3))]))
    result = product.run("scope", f"--graph_path={tmp_path}/graph.pb", "--select=op_types",
                         "--max_depth=20")
    assert "PartitionedCall" in result.stdout and "dense" not in result.stdout


def test_damaged_functions(files):
    """The rest of the graph is joined nevertheless."""
    bad = make.piece(1, make.piece(1, "f")) + make.piece(3, b"\x0a\x7f")
    ran, _, said = files.join(graph([CALL, node("x", "Relu")], [bad]), "x",
                              "PartitionedCall/dense/MatMul")
    assert "the functions of the graph are damaged: their nodes are missing" in said
    assert "50.0% of the time is in nodes of the graph" in said


# ---- lines and float operations --------------------------------------------------------

def entry(name, float_ops=0, line=0):
    frame = make.number(2, line) + make.number(6, 1) + make.number(7, 2) + make.number(8, 0)
    return make.piece(1, make.piece(1, name) + make.number(2, float_ops)
                      + (make.piece(4, make.piece(1, frame)) if line else b""))


def op_log(*entries):
    texts = [(0, "none"), (1, "training.py"), (2, "step")]
    return b"".join(entries) + b"".join(
        make.piece(2, make.number(1, n) + make.piece(2, text)) for n, text in texts)


FORWARD = function("forward", node("dense/MatMul", "MatMul", inputs=["x"]),
                   node("dense/BiasAdd", "BiasAdd", inputs=["dense/MatMul:product:0"]))
BACKWARD = function("backward", node("gradients/dense/MatMul_grad/MatMul", "MatMul"))
STEP = graph([node("StatefulPartitionedCall", "StatefulPartitionedCall", calls("f", "forward")),
              node("PartitionedCall", "PartitionedCall", calls("f", "backward"))],
             [FORWARD, BACKWARD])
RAN = ["StatefulPartitionedCall/dense/BiasAdd",
       "PartitionedCall/gradients/dense/MatMul_grad/MatMul"]


def lines_of(files, log, kind="op_log", step=STEP):
    given = files.write(step, *RAN)
    (files.directory / "log").write_bytes(log)
    rows, said = product.query("code", *given, f"--{kind}_path={files.directory}/log",
                               directory=files.directory)
    return {row["name"]: (int(row["total_exec_micros"]), int(row["total_float_ops"]))
            for row in rows if row["depth"] == "1"}, said


def test_lines_of_functions(files):
    """An op log has nodes of functions as node@function. The product is part of what ran as
    BiasAdd; its gradient has its line, not the one that asks for gradients."""
    rows, said = lines_of(files, op_log(
        entry("StatefulPartitionedCall", line=5), entry("PartitionedCall", line=6),
        entry("dense/MatMul@forward", 48, line=9), entry("dense/BiasAdd@forward", 6, line=10),
        entry("gradients/dense/MatMul_grad/MatMul@backward", 48, line=6)))
    assert rows == {"training.py:9:step:none": (0, 48), "training.py:10:step:none": (1000, 6),
                    "training.py:9:step:none (gradient)": (1000, 48),
                    "training.py:5:step:none": (0, 0), "training.py:6:step:none": (0, 0)}
    assert "not in the graph" not in said


def test_line_of_the_call(files):
    """What is not in the log has the line that calls its function; a gradient, that of the
    function it is the gradient of."""
    rows, _ = lines_of(files, op_log(entry("StatefulPartitionedCall", line=5),
                                     entry("PartitionedCall", line=6)))
    assert rows == {"training.py:5:step:none": (1000, 0),
                    "training.py:5:step:none (gradient)": (1000, 0),
                    "training.py:6:step:none": (0, 0)}


@pytest.mark.parametrize("within", [True, False], ids=["of the graph", "by itself"])
def test_lines_of_debug_information(within, files):
    """The same lines as of an op log, from a GraphDebugInfo."""
    info = make.piece(1, "training.py") + b"".join(
        make.piece(2, make.piece(1, name) + make.piece(2, make.piece(
            1, make.number(2, line) + make.piece(4, "step"))))
        for name, line in (("StatefulPartitionedCall", 5), ("PartitionedCall@", 6),
                           ("dense/MatMul@forward", 9), ("dense/BiasAdd@forward", 10)))
    if within:
        rows, _ = lines_of(files, op_log(), step=STEP + make.piece(5, info))
    else:
        rows, _ = lines_of(files, info, "debug_info")
    assert rows == {"training.py:9:step:none": (0, 0), "training.py:10:step:none": (1000, 0),
                    "training.py:9:step:none (gradient)": (1000, 0),
                    "training.py:5:step:none": (0, 0), "training.py:6:step:none": (0, 0)}


def with_argument(name, *nodes):
    argument = make.piece(2, make.piece(1, "x") + make.number(2, 1))
    return (make.piece(1, make.piece(1, name) + argument)
            + b"".join(make.piece(3, n) for n in nodes))


@pytest.mark.parametrize("way, call", [
    ("PartitionedCall/", node("PartitionedCall", "PartitionedCall", calls("f", "f"),
                              inputs=["data"])),
    ("w/body/_1/", node("w", "While", calls("body", "f"), inputs=["data"])),
    ("if/then/_1/", node("if", "If", calls("then_branch", "f"), inputs=["which", "data"])),
    ("case/branch1/_6/", node("case", "Case", attr("branches", make.piece(1, make.piece(
        9, make.piece(1, "other")) + make.piece(9, make.piece(1, "f")))),
        inputs=["which", "data"])),
    ("a/b/", node("a", "PartitionedCall", calls("f", "outer"), inputs=["data"])),
], ids=["call", "loop", "conditional", "case", "call of a call"])
def test_arguments_are_what_a_call_gets(way, call, files):
    main = [node("data", "Placeholder", shapes(2, 3)), node("which", "Placeholder", shapes(7)), call]
    _, inputs, said = files.join(
        graph(main, [with_argument("f", node("act", "Relu", inputs=["x"])),
                     with_argument("outer", node("b", "PartitionedCall", calls("f", "f"),
                                                 inputs=["x"]))]), way + "act")
    assert inputs[way + "act"] == "0:2x3"
    assert "100.0% of the time is in nodes of the graph" in said


# What leads to the training step inside of fit, and with steps_per_execution.
CALLERS = ["StatefulPartitionedCall/",
           "while/body/_1/while/cond/then/_119/while/cond/StatefulPartitionedCall/"]


@pytest.mark.parametrize("caller", CALLERS)
def test_graph_of_a_function_that_is_called(caller, files):
    """The graph is of a function: its own nodes and loops are found below its call."""
    main = [node("data", "Placeholder", shapes(2, 3)),
            node("lstm/while", "While", calls("body", "f"), inputs=["data"])]
    ran, inputs, said = files.join(
        graph(main, [with_argument("f", node("lstm/while/act", "Relu", inputs=["x"])),
                     with_argument("g", node("lstm/while/act", "Relu", shapes(4), inputs=["x"]))]),
        f"{caller}lstm/while/body/_24/lstm/while/act", f"{caller}data")
    assert inputs[f"{caller}lstm/while/body/_24/lstm/while/act"] == "0:2x3"
    assert ran["data"] == 1000
    assert "100.0% of the time is in nodes of the graph" in said


def test_call_that_the_graph_has(files):
    """What is below it is in its function, not in the graph around it."""
    main = [node("act", "Relu", shapes(2, 3)),
            node("head/PartitionedCall", "PartitionedCall", calls("f", "f"))]
    ran, _, said = files.join(graph(main, [function("f", node("other", "Relu"))]),
                              "head/PartitionedCall/act")
    assert ran == {"head/PartitionedCall/act": 1000}
    assert "0.0% of the time is in nodes of the graph" in said


def test_name_of_very_many_calls(files):
    """It is read in no time, up to some depth."""
    given = files.write(graph([node("act", "Relu")], [function("f", node("other", "Relu"))]),
                        "a/PartitionedCall/" * 50000 + "act", "PartitionedCall/" * 20 + "act")
    result = product.run("op", *given)
    assert result.returncode == 0
    assert "50.0% of the time is in nodes of the graph" in result.stderr


def test_results_of_calls(files):
    """What a call gives is what its function returns."""
    returning = function("f", node("act", "Relu", shapes(4, 5)))
    signature = make.piece(1, make.piece(1, "f") + make.piece(3, make.piece(1, "y")))
    returning = signature + returning[len(make.piece(1, make.piece(1, "f"))):]
    returning += make.piece(4, make.piece(1, "y") + make.piece(2, "act:activations:0"))
    outer = function("outer", node("a", "PartitionedCall", calls("f", "f")),
                     node("sum", "Sum", inputs=["a:output:0"]))
    _, inputs, _ = files.join(
        graph([node("PartitionedCall", "PartitionedCall", calls("f", "outer"))],
              [returning, outer]), "PartitionedCall/sum", "PartitionedCall/a/act")
    assert inputs["PartitionedCall/sum"] == "0:4x5"


def test_functions_that_multiply(files):
    """Calls of calls: far more nodes than the file has bytes are not made."""
    levels = 24
    functions = [function(f"f{i}", *(node(f"c{k}", "PartitionedCall", calls("f", f"f{i + 1}"))
                                     for k in range(2))) for i in range(levels)]
    functions.append(function(f"f{levels}", *(node(f"n{k}", "Relu") for k in range(30000))))
    names = ["PartitionedCall/" + "/".join(f"c{i >> k & 1}" for k in range(levels)) + "/n0"
             for i in range(60)]
    main = [node("PartitionedCall", "PartitionedCall", calls("f", "f0"))]
    result = product.run("op", *files.write(graph(main, functions), *names))
    assert result.returncode == 0
    assert ("functions have more than 1048576 nodes over all calls: not all are joined"
            in result.stderr)


def placeholder(name, *dims):
    shape = b"".join(make.piece(2, make.number(1, n)) for n in dims)
    return node(name, "Placeholder", attr("shape", make.piece(7, shape)), attr("dtype", make.number(6, 1)),
                attr("_output_shapes", make.piece(1, make.piece(7, shape))))


def product_function(name, body, result):
    """(a, b) → result of the body."""
    def arg(text):
        return make.piece(1, text) + make.number(3, 1)
    signature = (make.piece(1, name) + make.piece(2, arg("a")) + make.piece(2, arg("b"))
                 + make.piece(3, arg("out")))
    return (make.piece(1, signature) + b"".join(make.piece(3, n) for n in body)
            + make.piece(4, make.piece(1, "out") + make.piece(2, result)))


def types(key, n):
    return attr(key, make.piece(1, b"".join(make.number(6, 1) for _ in range(n))))


def call(name, function_name):
    return node(name, "StatefulPartitionedCall", calls("f", function_name), types("Tin", 2),
                types("Tout", 1), inputs=["a", "b"])


MATMUL = node("dense/MatMul", "MatMul", attr("T", make.number(6, 1)), inputs=["a", "b"])
PRODUCT = product_function("f", [MATMUL], "dense/MatMul:product:0")


@pytest.mark.parametrize("functions, way, logged", [
    ([PRODUCT], "", True),
    ([PRODUCT], "", False),
    ([product_function("outer", [call("inner", "f")], "inner:output:0"), PRODUCT], "inner/", True),
    ([product_function("outer", [call("inner", "f")], "inner:output:0"), PRODUCT], "inner/", False),
], ids=["log", "no log", "nested, log", "nested, no log"])
def test_counted_float_ops_are_counted_once(functions, way, logged, files):
    """2·2·3·4 of the product: counting gives them to the node that ran, not to its call as well."""
    main = [placeholder("a", 2, 3), placeholder("b", 3, 4),
            call("StatefulPartitionedCall", "outer" if way else "f"),
            node("out", "Identity", attr("T", make.number(6, 1)), inputs=["StatefulPartitionedCall"])]
    name = f"StatefulPartitionedCall/{way}dense/MatMul"
    given = files.write(graph(main, functions), name)
    (files.directory / "log").write_bytes(op_log(entry("dense/MatMul@f", 48, line=9)) if logged
                                          else op_log())
    rows, _ = product.query("scope", *given, f"--op_log_path={files.directory}/log",
                            "--count_float_ops", directory=files.directory)
    assert {row["name"]: int(row["float_ops"]) for row in rows if int(row["float_ops"])} == {name: 48}


def branches(then, else_):
    return node("If", "If", calls("then_branch", then), calls("else_branch", else_), types("Tin", 2),
                types("Tout", 1), attr("Tcond", make.number(6, 10)), inputs=["c", "a", "b"])


SMALL = product_function("g", [node("small", "Square", attr("T", make.number(6, 1)), inputs=["a"])],
                         "small:y:0")
SAME = product_function("g", [MATMUL], "dense/MatMul:product:0")


@pytest.mark.parametrize("logged", [True, False], ids=["log", "no log"])
@pytest.mark.parametrize("else_, also_ran, owner", [
    (SMALL, [], "If/then/_3/dense/MatMul"),
    (SAME, ["If/else/_4/dense/MatMul"], "If"),  # both have the name: which was counted, is not known
], ids=["one branch", "both"])
def test_counted_float_ops_of_branches_are_counted_once(else_, also_ran, owner, logged, files):
    main = [placeholder("a", 2, 3), placeholder("b", 3, 4),
            node("c", "Placeholder", attr("dtype", make.number(6, 10))), branches("f", "g")]
    ran = ["If/then/_3/dense/MatMul", *also_ran]
    given = files.write(graph(main, [PRODUCT, else_]), *ran)
    (files.directory / "log").write_bytes(
        op_log(entry("dense/MatMul@f", 48, line=9), entry("dense/MatMul@g", 48, line=9)) if logged
        else op_log())
    rows, _ = product.query("scope", *given, f"--op_log_path={files.directory}/log",
                            "--count_float_ops", directory=files.directory)
    assert ({row["name"]: int(row["float_ops"]) for row in rows if int(row["float_ops"])}
            == ({name: 48 for name in ran} if logged else {owner: 48}))
