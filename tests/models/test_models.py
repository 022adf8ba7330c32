"""What model files cost: every sample file gives the figures of expected.json, which were
checked against TensorFlow's profiler, Keras, torch's flop counter or by hand."""

import json
import pathlib
import subprocess
import sys
import zipfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import tree  # noqa: E402
from wire import field, node  # noqa: E402

FILES = pathlib.Path(__file__).parent / "files"
EXPECTED = {k: v for k, v in json.loads((FILES / "expected.json").read_text()).items()
            if not k.startswith("_")}

# Where the expected figures are known to be short: expected.json's comment says why.
RIGHT_PARAMETERS = {
    "loop/frozen_lowered.pb": 6144,
    "tf1_ref/model.ckpt.meta": 5456,
}


def count(path, *flags):
    result = subprocess.run([tree.program(), "model", str(path), "--output=json:outfile=-", *flags],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def float_ops(model):
    return {op["type"]: op["float_ops"] for op in model["operations"]}


def graphs():
    return [k for k in EXPECTED if k.endswith((".pb", ".meta"))]


@pytest.mark.parametrize("name", graphs())
def test_sample(name):
    expected, model = EXPECTED[name], count(FILES / name)
    assert model["total"]["macs"] == expected["macs"]
    assert model["total"]["parameters"] == RIGHT_PARAMETERS.get(name, expected["params"])
    found = float_ops(model)
    assert {op: found.get(op) for op in expected["flops_by_op"]} == expected["flops_by_op"]
    # More rules than the program that made the figures had is no loss; data that moves costs 0.
    counted_since = {"VarIsInitializedOp", "DynamicStitch", "ReluGrad", "FusedBatchNormGradV3",
                     "SparseSoftmaxCrossEntropyWithLogits", "Assign", "SaveV2", "RestoreV2"}
    missing = {op: n for op, n in expected["not_counted"].items() if op not in counted_since}
    assert missing.items() <= model["not_counted"].items()
    if not expected["not_counted"]:
        assert not model["not_counted"]
        assert model["total"]["float_ops"] == expected["flops"]


def keras_files():
    return [k for k, v in EXPECTED.items() if k.endswith((".keras", ".h5")) and "macs" in v]


@pytest.mark.parametrize("name", keras_files())
def test_keras_file(name):
    expected, model = EXPECTED[name], count(FILES / name)
    assert model["total"]["macs"] == expected["macs"]
    # Weights of layers that no rule knows count, too.
    assert model["total"]["parameters"] == expected["params_hdf5"]
    if not expected["not_counted"]:
        assert model["total"]["parameters"] == expected["params_config"]
        assert model["total"]["trainable_parameters"] == expected["trainable"]
    assert model["not_counted"] == expected["not_counted"]
    assert model["notes"] == []


def test_subclassed_model_has_parameters_only():
    model = count(FILES / "sub.keras")
    assert [(row["name"], row["parameters"]) for row in model["layers"]] == [("a", 40), ("b", 18)]
    assert model["total"]["macs"] == 0
    assert model["notes"][0]["id"] == "no_layer_graph"
    assert "model.export()" in model["notes"][0]["text"]
    assert model["title"] == "3.15.1 subclassed model"


@pytest.mark.parametrize("name", [k for k in EXPECTED if k.endswith(".tflite")])
def test_tflite_file(name):
    model = count(FILES / name)
    assert model["total"]["macs"] == EXPECTED[name]["macs"]
    assert not model["not_counted"]


def text(path):
    return subprocess.run([tree.program(), "model", str(path)], capture_output=True, text=True,
                          check=True).stdout


def test_weights_alone_do_not_say_what_is_trained_or_runs(tmp_path):
    """A file of weights has those of a batch normalization that no optimizer changes, too."""
    with zipfile.ZipFile(FILES / "conv1d" / "model.keras") as archive:
        archive.extract("model.weights.h5", tmp_path)
    report = text(tmp_path / "model.weights.h5").splitlines()
    parameters = count(FILES / "conv1d" / "model.keras")["total"]["parameters"]
    assert [line for line in report if line.startswith("parameters ")][0].startswith(
        f"parameters   {parameters:,} (")
    for word in ("trainable", "operations ", "activations ", "counted "):
        assert not [line for line in report if word in line], report
    assert "trainable" in text(FILES / "conv1d" / "model.keras")
    assert "trainable" not in text(FILES / "conv1d" / "model.tflite")


def test_formats_agree():
    for name in ["bert_tiny", "conv1d"]:
        macs = {count(FILES / name / file)["total"]["macs"]
                for file in ["export", "frozen.pb", "model.keras", "model.tflite"]}
        assert len(macs) == 1


def test_layers_of_a_keras_file():
    rows = {row["name"]: row for row in count(FILES / "conv1d/model.keras")["layers"]}
    assert list(rows)[:3] == ["input_layer", "conv1d", "max_pooling1d"]
    assert rows["conv1d"]["macs"] == 128 * 32 * 5 * 16
    assert rows["conv1d"]["float_ops"] == 2 * 128 * 32 * 5 * 16 + 2 * 128 * 32  # bias, relu
    assert rows["conv1d"]["parameters"] == 5 * 16 * 32 + 32
    assert rows["conv1d_transpose"]["output_shapes"] == [[1, 114, 16]]


@pytest.mark.parametrize("name", [k for k in graphs() if "lowered" not in k and "meta" not in k]
                         + keras_files() + [k for k in EXPECTED if k.endswith(".tflite")])
def test_batch_of_8_costs_8_times_as_much(name):
    one, eight = count(FILES / name)["total"], count(FILES / name, "--batch_size=8")["total"]
    assert eight["macs"] == 8 * one["macs"]
    assert eight["parameters"] == one["parameters"]


def test_layers_add_up_to_the_total():
    model = count(FILES / "bert_tiny/export")
    for number in ["parameters", "trainable_parameters", "macs", "float_ops", "weight_bytes",
                   "activation_bytes"]:
        assert sum(layer[number] for layer in model["layers"]) == model["total"][number]


def test_keys():
    model = count(FILES / "mlp/export")
    numbers = {"parameters", "trainable_parameters", "macs", "float_ops", "weight_bytes",
               "activation_bytes"}
    assert model.keys() >= {"total", "layers", "not_counted", "inputs", "batch_size"}
    assert model["total"].keys() >= numbers | {"peak_activation_bytes"}
    assert model["layers"][0].keys() >= numbers | {"name", "type", "output_shapes"}


def test_layers_of_a_saved_model():
    model = count(FILES / "mlp/export")
    rows = [(row["name"], row["type"], row["output_shapes"], row["parameters"], row["macs"])
            for row in model["layers"]]
    assert rows == [
        ("dense", "MatMul", [[1, 64]], 784 * 64 + 64, 784 * 64),
        ("batch_normalization", "Rsqrt", [[1, 64]], 4 * 64, 0),
        ("dense_1", "MatMul", [[1, 10]], 64 * 10 + 10, 64 * 10),
    ]
    assert model["inputs"] == [{"name": "keras_tensor", "shape": [1, 784], "dtype": "float32"}]
    assert model["batch_size"] == 1
    assert model["total"]["trainable_parameters"] == 51146 - 2 * 64


def test_layers_of_a_training_graph():
    """What the model does is apart from first values, gradients and the optimizer."""
    rows = {row["name"]: row for row in count(FILES / "tf1_ref/model.ckpt.meta")["layers"]}
    first = rows["m/c1"]
    assert (first["type"], first["output_shapes"]) == ("Conv2D", [[1, 32, 32, 16]])
    assert (first["parameters"], first["macs"]) == (3 * 3 * 3 * 16 + 2 * 16, 32 * 32 * 16 * 27)
    assert rows["m"]["parameters"] == 32 * 10  # a product of it is all that reads them
    assert rows["Initializer"]["macs"] == rows["Initializer"]["parameters"] == 0
    assert rows["gradients/m"]["macs"] == sum(row["macs"] for row in rows.values()) - sum(
        rows[name]["macs"] for name in ("m/c1", "m/c2", "m"))


def test_layers_are_in_the_order_of_the_data():
    """Although the second loop asks for its counter before it asks for the first one's results."""
    names = [row["name"] for row in count(FILES / "lstm/export")["layers"]]
    assert names == ["lstm", "lstm_1", "dense"]


T4 = (8.1e12, 320e9)  # float operations and bytes per second, of its data sheet


@pytest.mark.parametrize("flags", [["--device=T4"],
                                   ["--peak_flops=8.1T", "--peak_bandwidth=320G"]])
def test_roofline(flags):
    """A layer takes as long as its arithmetic or its bytes do: input, weights and output."""
    model = count(FILES / "conv1d/model.keras", *flags)
    rows = {row["name"]: row for row in model["layers"]}
    assert rows["conv1d"]["moved_bytes"] == 4 * (128 * 16 + 2592 + 128 * 32)
    assert rows["dense"]["moved_bytes"] == 4 * (16 + 51 + 3)
    for row in rows.values():
        seconds = max(row["float_ops"] / T4[0], row["moved_bytes"] / T4[1])
        assert row["min_seconds"] == pytest.approx(seconds)
    assert model["total"]["min_seconds"] == pytest.approx(
        sum(row["min_seconds"] for row in rows.values()))
    report = run(FILES / "conv1d/model.keras", *flags).stdout
    assert "8.10TFLOP/s" in report and "320.00GB/s" in report


def test_a_table_is_read_by_row():
    model = count(FILES / "bert_tiny/model.keras")
    [table] = [row for row in model["layers"] if row["name"] == "tok"]
    assert table["moved_bytes"] == 4 * (16 + 2 * 16 * 32)  # which rows; they are read, and written


def test_shapes_in_a_tflite_file_are_no_weights():
    total = count(FILES / "conv1d/model.tflite")["total"]
    assert list(total["weights"]) == ["float32"]
    assert total["weight_bytes"] == 4 * total["parameters"]


def test_weights_of_several_types(tmp_path):
    """Bytes by type add up to those of all weights."""
    sizes = {"float32": (1, 4), "float64": (2, 8), "float16": (19, 2)}
    nodes = b""
    for name, (dtype, _) in sizes.items():
        shape = field(7, field(2, field(1, 3)) + field(2, field(1, 5)))
        nodes += node(name, "VariableV2", attributes=field(5, field(1, "shape") + field(2, shape)) +
                      field(5, field(1, "dtype") + field(2, field(6, dtype))))
        nodes += node(f"read_{name}", "Identity", [name]) + node(f"use_{name}", "Neg", [f"read_{name}"])
    (tmp_path / "graph.pb").write_bytes(nodes)
    total = count(tmp_path / "graph.pb")["total"]
    assert total["weights"] == {name: 15 * size for name, (_, size) in sizes.items()}
    assert total["weight_bytes"] == 15 * 14


def test_loops_and_conditionals():
    notes = [note["text"] for note in count(FILES / "loop/export")["notes"]]
    assert any("loop x7" in note for note in notes)
    assert any("more expensive branch" in note for note in notes)
    unknown = count(FILES / "loop/export", "--trip_count=5")
    # 64 x 64 more for each turn of the loop whose end depends on data
    assert unknown["total"]["macs"] == 38912 + 4 * 64 * 64


def run(*words):
    return subprocess.run([tree.program(), "model", *map(str, words)], capture_output=True,
                          text=True, check=False)


def test_fail_if():
    file = FILES / "mlp/export"
    assert run(file, "--fail_if=macs>50816,params>60k").returncode == 0
    result = run(file, "--fail_if=macs>=50816,peak_activation_bytes>1MB")
    assert result.returncode == 3
    assert "macs>=50816: it is 50816" in result.stderr
    assert "peak" not in result.stderr


def test_order_by_and_depth():
    macs = [row["macs"] for row in count(FILES / "bert_tiny/export", "--order_by=macs")["layers"]]
    assert macs == sorted(macs, reverse=True)
    assert len(count(FILES / "bert_tiny/export", "--max_depth=1")["layers"]) == 1


def test_csv():
    lines = run(FILES / "mlp/export", "--output=csv:outfile=-").stdout.splitlines()
    assert lines[0].startswith("id,parent,depth,name,type,output_shape,parameters,")
    assert lines[1].startswith("0,,0,model,,")
    assert lines[2].startswith("1,0,1,dense,MatMul,1x64,50240,")
    assert len(lines) == 5


@pytest.mark.parametrize("words, message", [
    (["--signature=nope"], "expected one of: serve, serving_default"),
    (["--input_shapes=x:1x2"], "the model has no input 'x': expected one of: keras_tensor"),
    (["--input_shapes=x"], "expected NAME:DIMxDIM"),
    (["--order_by=mac"], "did you mean 'macs'?"),
    (["--fail_if=mac>1"], "did you mean 'macs'?"),
    (["--fail_if=macs=1"], "expected NAME>VALUE"),
    (["--peak_flops=1T"], "give both"),
    (["--device=A100"], "A100-40"),
    (["--batch_size=0"], "expected a number of at least 1"),
    (["--select=params"], "--select is not an option of the command model"),
])
def test_wrong_options(words, message):
    result = run(FILES / "mlp/export", *words)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_other_files_are_refused(tmp_path):
    file = tmp_path / "x"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    result = run(file)
    assert result.returncode == 1
    assert "a PNG image" in result.stderr
    assert "no file" in run().stderr
    result = run(tmp_path)
    assert result.returncode == 1
    assert "it looks like a directory without a saved_model.pb: expected a model" in result.stderr


@pytest.mark.parametrize("name", ["mlp/export", "conv1d/model.keras", "conv1d/model.tflite",
                                  "k2_small/model.h5", "tf1_ref/model.ckpt.meta"])
def test_a_model_without_a_command(name):
    plain = subprocess.run([tree.program(), str(FILES / name), "--order_by=macs"],
                           capture_output=True, text=True, check=True).stdout
    assert plain == run(FILES / name, "--order_by=macs").stdout
    assert "multiply-accumulates" in plain


def view(name, *words):
    done = subprocess.run([tree.program(), name, *map(str, words), "--output=json:outfile=-"],
                          capture_output=True, text=True, check=True)
    return {row["name"]: row for row in json.loads(done.stdout)["nodes"]}


def test_views_of_a_saved_model():
    """Parameters, float operations and data flow are those of the model."""
    file = FILES / "mlp/export"
    ops = view("op", file, "--select=float_ops,params", "--max_depth=1000")
    assert {op: ops[op]["float_ops"] for op in EXPECTED["mlp/export/saved_model.pb"]["flops_by_op"]
            } == EXPECTED["mlp/export/saved_model.pb"]["flops_by_op"]
    assert ops["VarHandleOp"]["parameters"] == 51146
    scope = view("scope", file, "--select=params",
                 "--account_type_regexes=_trainable_variables")
    assert scope["_TFProfRoot"]["total_parameters"] == 51018
    graph = view("graph", file, "--select=float_ops,params", "--max_depth=100")
    assert graph["_TFProfRoot"]["total_float_ops"] == 102332
    loops = view("op", FILES / "lstm/export", "--select=float_ops")
    assert loops["MatMul"]["float_ops"] == 3686720
