"""The views show what `tfprof model` counts, whatever the format of the model."""

import csv
import io
import json
import subprocess

import pytest
import tree
from test_models import EXPECTED, FILES, count

MODELS = [name for name in EXPECTED if not name.endswith(".onnx")]


def run(*words):
    done = subprocess.run([tree.program(), *map(str, words)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done


def view(kind, name, *words):
    # A plain graph is what TensorFlow's profiler shows, unless its operations are counted.
    words = [*words, "--count_float_ops"] if "frozen" in name else words
    done = run(kind, FILES / name, "--output=json:outfile=-", *words)
    return json.loads(done.stdout)["nodes"]


def total(nodes, metric):
    return sum(node[metric] for node in nodes)


@pytest.mark.parametrize("kind", ["scope", "op", "graph"])
@pytest.mark.parametrize("name", MODELS)
def test_float_operations(name, kind):
    nodes = view(kind, name, "--select=float_ops")
    assert total(nodes, "float_ops") == count(FILES / name)["total"]["float_ops"]


# TensorFlow's rule, by which anything with a shape has parameters, is that of the others.
@pytest.mark.parametrize("name", [n for n in MODELS if "meta" not in n and "lowered" not in n])
def test_parameters(name):
    expected = count(FILES / name)["total"]
    nodes = view("scope", name, "--select=params")
    assert total(nodes, "parameters") == expected["parameters"]
    nodes = view("scope", name, "--select=params",
                 "--account_type_regexes=_trainable_variables")
    assert nodes[0]["total_parameters"] == expected["trainable_parameters"]


@pytest.mark.parametrize("name", ["bert_tiny/frozen.pb", "bert_tiny/model.keras",
                                  "k2_small/model.h5", "bert_tiny/model.tflite",
                                  "tf1_ref/model.ckpt.meta"])
def test_data_flow_and_shapes(name):
    """What an operation reads is below it, with its shape."""
    nodes = view("graph", name, "--select=float_ops,input_shapes")
    assert max(node["depth"] for node in nodes) > 4
    assert sum(bool(node["input_shapes"]) for node in nodes) > 4


def test_layers_of_a_keras_file():
    """By hand: 32 x 32 x 8 results of 27 products, each with a bias or not."""
    nodes = {node["name"]: node for node in view("graph", "k2_small/model.h5",
                                                 "--select=float_ops,params,input_shapes")}
    assert nodes["conv2d"]["float_ops"] == 2 * 32 * 32 * 8 * 27
    assert nodes["conv2d"]["input_shapes"] == "0:1x32x32x3"
    assert nodes["conv2d/weights"]["parameters"] == 27 * 8
    assert nodes["batch_normalization/statistics"]["parameters"] == 2 * 8


def test_csv():
    done = run("op", FILES / "k2_small/model.h5", "--select=float_ops", "--output=csv:outfile=-")
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    assert rows["Conv2D"]["float_ops"] == str(2 * 32 * 32 * 8 * 27)


def test_together_with_a_trace(tmp_path):
    """Operations of a model and of a run are joined by their names."""
    trace = tmp_path / "run_meta"
    trace.write_text("step_stats { dev_stats { device: '/cpu:0' node_stats { node_name: 'conv2d' "
                     "all_start_micros: 5 op_end_rel_micros: 30 "
                     "all_end_rel_micros: 30 } } }")
    nodes = {node["name"]: node for node in view("scope", "k2_small/model.h5", trace,
                                                 "--select=micros,float_ops")}
    assert nodes["conv2d"]["float_ops"] == 2 * 32 * 32 * 8 * 27
    assert nodes["conv2d"]["exec_micros"] == 30


def test_an_op_log_is_right(tmp_path):
    """What is given stays; the rest is counted."""
    graph, log = tmp_path / "graph.pbtxt", tmp_path / "log"
    shape = "attr { key: 'shape' value { shape { dim { size: 3 } dim { size: 5 } } } }"
    graph.write_text(f"node {{ name: 'x' op: 'Placeholder' {shape} }} "
                     "node { name: 'y' op: 'Relu' input: 'x' } "
                     "node { name: 'z' op: 'Tanh' input: 'y' } ")
    log.write_text("log_entries { name: 'z' float_ops: 7 }")
    files = [graph, f"--op_log_path={log}", "--select=float_ops", "--output=json:outfile=-"]

    def found(*words):
        nodes = json.loads(run("scope", *files, *words).stdout)["nodes"]
        return {node["name"]: node["float_ops"] for node in nodes}
    assert found() == {"_TFProfRoot": 0, "x": 0, "y": 0, "z": 7}
    assert found("--count_float_ops") == {"_TFProfRoot": 0, "x": 0, "y": 15, "z": 7}


def test_open_shapes(tmp_path):
    graph = tmp_path / "graph.pbtxt"
    graph.write_text("node { name: 'x' op: 'Placeholder' } node { name: 'y' op: 'Relu' input: 'x' }")
    done = run("scope", graph, "--select=float_ops", "--count_float_ops")
    assert "input 'x' is of unknown rank in the file: operations that need its shape are not counted" \
        in done.stderr
    assert "1 kind of operations not counted: Relu x1" in done.stderr


def test_a_saved_profile_keeps_what_was_counted(tmp_path):
    saved = tmp_path / "profile"
    run("save", saved, FILES / "conv1d/frozen.pb", "--count_float_ops")
    nodes = json.loads(run("scope", saved, "--select=float_ops",
                           "--output=json:outfile=-").stdout)["nodes"]
    assert total(nodes, "float_ops") == EXPECTED["conv1d/frozen.pb"]["flops"]
    done = run("scope", saved, "--count_float_ops", "--select=float_ops")
    assert "there is no graph to count" in done.stderr


def test_a_graph_in_text_form_is_counted(tmp_path):
    """x is 2x3, w 3x5: 2 * 3 * 5 multiply-accumulates."""
    graph = tmp_path / "graph.pbtxt"
    graph.write_text("""
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value {
  tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } dim { size: 5 } } float_val: 1.0 } } } }
node { name: "y" op: "MatMul" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
""")
    done = subprocess.run([tree.program(), "model", graph, "--output=json"], capture_output=True, check=True)
    assert json.loads(done.stdout)["total"]["macs"] == 30
    graph.write_text(graph.read_text() + "node { name: ")
    for words, status in (([], 1), (["--strict"], 1), (["--recover"], 0)):
        done = subprocess.run([tree.program(), "model", graph, *words, "--output=json"], capture_output=True, check=False)
        assert done.returncode == status, done.stderr
