"""Fused kernels: a trace has them under the name of the last node of their chain."""

import re

import make
import product
import pytest


def node(name, op, *inputs):
    return make.piece(1, make.piece(1, name) + make.piece(2, op)
                      + b"".join(make.piece(3, one) for one in inputs))


class Files:
    """A graph, and a trace in which each (name, kernel) ran for 1 ms."""

    def __init__(self, directory):
        self.directory = directory

    def ask(self, view, nodes, kernels, *more):
        events = [(f"{name}:{kernel}", i * 10**9, 10**9, {})
                  for i, (name, kernel) in enumerate(kernels)]
        (self.directory / "t.xplane.pb").write_bytes(make.host(events))
        (self.directory / "graph.pb").write_bytes(b"".join(nodes))
        rows, said = product.query(view, self.directory / "t.xplane.pb",
                                   f"--graph_path={self.directory}/graph.pb", *more,
                                   directory=self.directory)
        return {row["name"]: row for row in rows}, said

    def times(self, *arguments):
        """Milliseconds by name."""
        return {name: int(row["exec_micros"]) // 1000
                for name, row in self.ask(*arguments)[0].items() if int(row["exec_micros"])}


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def chain(*ops):
    """Nodes a0, a1, ... each fed by the one before."""
    return [node(f"a{i}", op, *([f"a{i - 1}"] if i else []), "w", "^x")
            for i, op in enumerate(ops)] + [node("w", "ReadVariableOp"), node("x", "Placeholder")]


@pytest.mark.parametrize("kernel,ops", [
    ("_FusedConv2D", ["Conv2D", "BiasAdd", "Relu"]),
    ("_MklNativeFusedConv2D", ["Conv2D", "BiasAdd", "AddV2", "Relu"]),
    ("_MklFusedMatMul", ["MatMul", "BiasAdd", "Tanh"]),
    ("_MklNativeFusedMatMul", ["MatMul", "BiasAdd"]),
    ("_FusedConv2D", ["Conv2D", "FusedBatchNormV3", "LeakyRelu"]),
    ("_FusedConv2D", ["Conv2D", "Squeeze", "BiasAdd", "Elu"]),
    ("_MklNativePadWithFusedConv2D", ["Conv2D", "BiasAdd"]),
    ("_MklNativeFusedDepthwiseConv2dNative", ["DepthwiseConv2dNative", "BiasAdd", "Relu6"]),
    ("_MklFusedBatchMatMulV2", ["BatchMatMulV2", "Mul", "AddV2"]),
    ("_FusedBatchNormEx", ["FusedBatchNormV3", "Relu"]),
])
def test_time_is_that_of_the_start_of_the_chain(kernel, ops, files):
    ran = [(f"a{len(ops) - 1}", kernel), ("w", "ReadVariableOp")]
    assert files.times("scope", chain(*ops), ran) == {"a0": 1, "w": 1}
    assert files.times("op", chain(*ops), ran) == {ops[0]: 1, "ReadVariableOp": 1}
    assert files.times("op", chain(*ops), ran, "--executed_types") == {
        kernel: 1, "ReadVariableOp": 1}
    rows, said = files.ask("scope", chain(*ops), ran)
    assert [rows[f"a{i}"]["run_count"] for i in range(len(ops))] == ["1"] * len(ops)
    assert kernel in rows["a0"]["op_types"]
    assert "50.0% of the time is in fused kernels: charged to the convolution" in said


def test_what_ran_by_itself_is_not_of_the_chain(files):
    """Both sides of the addition end in a convolution; only one of them is in the kernel."""
    nodes = [node("conv_a", "Conv2D", "x"), node("bias_a", "BiasAdd", "conv_a"),
             node("conv_b", "Conv2D", "x"), node("bias_b", "BiasAdd", "conv_b"),
             node("add", "AddV2", "bias_a", "bias_b"), node("relu", "Relu", "add")]
    ran = [("bias_a", "_FusedConv2D"), ("relu", "_FusedConv2D")]
    assert files.times("scope", nodes, ran) == {"conv_a": 1, "conv_b": 1}


@pytest.mark.parametrize("nodes", [
    [node("relu", "Relu", "elsewhere")],                                  # the graph ends
    [node("conv", "Conv2D"), node("r", "Softmax", "conv"), node("pool", "MaxPool", "r"),
     node("relu", "Relu", "pool")],                                       # no chain
    [node("a", "Conv2D"), node("b", "Conv2D"), node("relu", "AddV2", "a", "b")],   # either
    [node("conv", "MatMul"), node("relu", "Relu", "conv")],               # another kernel's
    [node("relu", "Relu", "relu")],
])
def test_without_a_chain_the_kernel_is_shown(nodes, files, tmp_path):
    ran = [("relu", "_FusedConv2D")]
    assert files.times("op", nodes, ran) == {"_FusedConv2D": 1}
    assert files.times("scope", nodes, ran) == {"relu": 1}
    assert "fused kernels: charged" not in files.ask("op", nodes, ran)[1]
    saved = tmp_path / "saved"
    assert product.run("save", saved, tmp_path / "t.xplane.pb",
                       f"--graph_path={tmp_path}/graph.pb").returncode == 0
    assert "_FusedConv2D" in product.run("op", saved).stdout


def test_another_implementation_is_not_fused(files):
    nodes = [node("m", "MatMul"), node("s", "Softmax", "m")]
    ran = [("m", "_MklMatMul"), ("s", "_MklSoftmax")]
    assert files.times("op", nodes, ran) == {"MatMul": 1, "Softmax": 1}
    assert "fused" not in files.ask("op", nodes, ran)[1]
    assert files.times("op", nodes, [("s", "_MklSwish")]) == {"_MklSwish": 1}


def test_saved_profiles_keep_runs_and_kernels(files, tmp_path):
    nodes = chain("MatMul", "BiasAdd", "Relu")
    files.ask("op", nodes, [("a2", "_FusedMatMul")] * 5)
    assert product.run("save", tmp_path / "saved", tmp_path / "t.xplane.pb",
                       f"--graph_path={tmp_path}/graph.pb").returncode == 0
    rows, said = product.query("op", tmp_path / "saved", directory=tmp_path)
    assert {row["name"]: (row["exec_micros"], row["run_count"]) for row in rows
            if int(row["run_count"])} == {
        "MatMul": ("5000", "5"), "BiasAdd": ("0", "5"), "Relu": ("0", "5")}
    assert not re.search("under the name of another operation", said)
    assert "100% of the time was spent in fused kernels: charged to" in said
    rows, _ = product.query("op", tmp_path / "saved", "--executed_types", directory=tmp_path)
    assert {row["name"] for row in rows if int(row["exec_micros"])} == {"_FusedMatMul"}
