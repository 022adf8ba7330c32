"""Gradients under their layers, and call stacks without libraries."""

import json

import pytest

GRAPH = """
node { name: 'layer/conv' op: 'Conv2D' }
node { name: 'layer/relu' op: 'Relu' }
node { name: 'gradients/layer/conv_grad/Back' op: 'Conv2DBackpropFilter' }
node { name: 'gradients/layer/relu_grad/ReluGrad' op: 'ReluGrad' }
node { name: 'gradients/AddN' op: 'AddN' }
node { name: 'call/dense/MatMul' op: 'MatMul' }
node { name: 'call/gradient_tape/dense/MatMul/MatMul_1' op: 'MatMul' }
node { name: 'jit(f)/jvp(block)/dot' op: 'dot_general' }
node { name: 'jit(f)/transpose(jvp(block))/dot_1' op: 'dot_general' }
"""


@pytest.fixture
def parents(run, tmp_path):
    """{name: the name of its parent} of a scope view."""
    (tmp_path / "graph.pbtxt").write_text(GRAPH)

    def ask(*options):
        done = run("scope", "graph.pbtxt", "--output=json", *options, directory=tmp_path)
        assert done.returncode == 0, done.stderr
        nodes = json.loads(done.stdout)["nodes"]
        return {n["name"]: nodes[n["parent"]]["name"] for n in nodes if n["parent"] is not None}
    return ask


def test_gradients_go_to_their_layers(parents):
    folded = parents("--fold_gradients")
    assert folded["gradients/layer/conv_grad/Back"] == "layer/conv"
    assert folded["gradients/layer/relu_grad/ReluGrad"] == "layer/relu"
    assert folded["call/gradient_tape/dense/MatMul/MatMul_1"] == "call/dense/MatMul"
    assert folded["jit(f)/transpose(jvp(block))/dot_1"] == "jit(f)/jvp(block)"
    assert folded["gradients/AddN"] == "gradients"
    assert "gradients/layer" not in folded and "call/gradient_tape" not in folded


def test_not_unless_asked_for(parents):
    assert parents() == parents("--fold_gradients=false")
    assert parents()["gradients/layer/conv_grad/Back"] == "gradients/layer/conv_grad"


def total(run, *arguments):
    done = run(*arguments, "--profile_path=profile", "--output=json", "--select=micros,bytes,params,float_ops")
    root = json.loads(done.stdout)["nodes"][0]
    return {name: value for name, value in root.items() if name.startswith("total_")}


def test_totals_stay(run):
    assert total(run, "scope") == total(run, "scope", "--fold_gradients")
    assert total(run, "code") == total(run, "code", "--only_my_code")


def test_only_my_code(run):
    def lines(*options):
        done = run("code", "--profile_path=profile", "--output=json", *options)
        return json.loads(done.stdout)["nodes"][1:]

    assert {n["name"].split(":")[0] for n in lines("--only_my_code")} == {"train.py", "resnet_model.py"}
    assert "ops.py" in {n["name"].split(":")[0] for n in lines()}
    # What library lines took is that of the line of the user's that called them.
    own = {n["name"]: n["exec_micros"] for n in lines("--only_my_code") if n["exec_micros"]}
    assert sum(own.values()) > 0
    assert any(name.startswith("resnet_model.py:66:conv") for name in own)
