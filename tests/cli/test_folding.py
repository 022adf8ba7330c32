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


def test_gradients_go_to_their_lines(run):
    """A folded line has what the line and its gradients have, along every stack."""
    def stacks(*options):
        done = run("code", "--profile_path=profile", "--output=json", "--max_depth=1000", "--select=micros,bytes,float_ops", *options)
        nodes, found = json.loads(done.stdout)["nodes"], {}
        for n in nodes[1:]:
            path, at = [], n
            while at["parent"] is not None:
                path.append((at["name"].removesuffix(" (gradient)"), at.get("file"), at.get("line")))
                at = nodes[at["parent"]]
            numbers = found.setdefault(tuple(path), {})
            for name in ("exec_micros", "total_exec_micros", "requested_bytes", "total_float_ops"):
                numbers[name] = numbers.get(name, 0) + n[name]
        return nodes, found

    for mine in ((), ("--only_my_code",)):
        (plain, apart), (folded, together) = stacks(*mine), stacks("--fold_gradients", *mine)
        assert together == apart
        assert len(folded) < len(plain)
        assert not any(n["name"].endswith("(gradient)") for n in folded)
        assert len(together) == len(folded) - 1  # no stack is there twice
    assert total(run, "code") == total(run, "code", "--fold_gradients")
