"""Layers of SavedModels come in the order of model.summary(), though a file lists nodes in any."""

import json
import os
import subprocess
import zipfile

import pytest
from tree import TESTS, program

FILES = os.path.join(TESTS, "models", "files")


def layers(path):
    done = subprocess.run([program(), "layers", path, "--output=json"], capture_output=True, check=True)
    return [node["name"] for node in json.loads(done.stdout)["nodes"] if node["depth"] == 1]


@pytest.mark.parametrize("name", ["bert_tiny", "conv1d"])
def test_as_in_the_keras_file(name):
    with zipfile.ZipFile(os.path.join(FILES, name, "model.keras")) as archive:
        config = json.loads(archive.read("config.json"))
    order = [layer["config"]["name"] for layer in config["config"]["layers"]]
    shown = [layer for layer in layers(os.path.join(FILES, name, "export")) if layer in order]
    assert len(shown) >= 7
    assert shown == [layer for layer in order if layer in shown]


def test_a_layer_in_a_loop_stands_where_the_loop_does():
    """The second LSTM counts its turns before the first one runs."""
    assert layers(os.path.join(FILES, "lstm", "export")) == ["lstm", "lstm_1", "dense"]


def test_a_saved_profile_has_the_order_of_its_source(tmp_path):
    """TensorFlow wrote the nodes of this one in no order."""
    source = os.path.join(TESTS, "..", "examples", "resnet", "profile")
    saved = str(tmp_path / "saved")
    subprocess.run([program(), "save", saved, source], check=True, capture_output=True)
    rows = [subprocess.run([program(), "layers", path, "--max_depth=9", "--output=csv"], capture_output=True,
                           check=True).stdout for path in (source, saved)]
    assert rows[0] == rows[1] and rows[0].count(b"\n") > 200
    order = layers(source)
    assert order.index("init") < order.index("unit_1_0") < order.index("unit_last")


def test_a_graph_without_edges_lacks_no_graph(tmp_path):
    path = tmp_path / "graph.pbtxt"
    path.write_text('node { name: "a" op: "Placeholder" }\nnode { name: "b" op: "NoOp" }\n')
    saved = tmp_path / "saved"
    subprocess.run([program(), "save", saved, path], check=True, capture_output=True)
    for of in path, saved:
        done = subprocess.run([program(), "overview", of, "--output=json"], capture_output=True, check=True)
        missing = [gap["id"] for gap in json.loads(done.stdout)["capture"]["missing"]]
        assert "no_graph" not in missing and "no_runs" in missing
