"""A limit may not pass what was not counted."""

import functools
import json
import os
import subprocess
import zipfile

import pytest
from tree import TESTS, program

DENSE = {"module": "keras.layers", "class_name": "Dense", "registered_name": None}


def layer(name, kind, shape, inbound, **config):
    return {"module": "keras.layers" if kind != "Mix" else None, "class_name": kind,
            "registered_name": None if kind != "Mix" else "Custom>Mix", "name": name,
            "config": {"name": name, "dtype": "float32", **config},
            "build_config": {"input_shape": shape},
            "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__", "config": {
                "shape": shape, "dtype": "float32", "keras_history": [inbound, 0, 0]}}],
                "kwargs": {}}] if inbound else []}


@pytest.fixture(params=[True, False], ids=["custom", "known"])
def model(request, tmp_path):
    """A model of 128 x 128 + 128 x 10 multiply-accumulates, perhaps with a layer in between that
    nobody but its author knows."""
    layers = [layer("x", "InputLayer", [None, 128], None, batch_shape=[None, 128], sparse=False),
              layer("a", "Dense", [None, 128], "x", units=128, use_bias=True, activation="linear")]
    if request.param:
        layers.append(layer("mix", "Mix", [None, 128], "a"))
    layers.append(layer("b", "Dense", [None, 128], layers[-1]["name"], units=10, use_bias=True,
                        activation="linear"))
    config = {"module": "keras.src.models.functional", "class_name": "Functional", "config": {
        "name": "m", "layers": layers, "input_layers": [["x", 0, 0]],
        "output_layers": [["b", 0, 0]]}, "registered_name": "Functional"}
    path = tmp_path / "m.keras"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("config.json", json.dumps(config))
        file.writestr("metadata.json", json.dumps({"keras_version": "3.0.0"}))
    return path, request.param


def gate(path, *more, question="model"):
    done = subprocess.run([program(), question, str(path), "--output=none", *more],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("question", ["model", "layers"])
def test_a_limit_holds_only_if_all_was_counted(model, question):
    path, is_custom = model
    gate = functools.partial(globals()["gate"], question=question)
    status, said = gate(path, "--fail_if=macs>20k")
    assert status == (4 if is_custom else 0), said
    assert ("macs>20k: cannot tell: it is at least 17664; not counted: 1 Mix" in said) == is_custom
    assert gate(path, "--fail_if=macs>20k", "--allow_uncounted")[0] == 0
    # What is exceeded is exceeded, whatever else there is.
    assert gate(path, "--fail_if=macs>17k")[0] == 3
    assert gate(path, "--fail_if=macs>17k,float_ops>1T")[0] == 3


def test_a_profile_has_limits_on_what_ran_and_not_on_what_it_lacks():
    trace = os.path.join(TESTS, "..", "examples", "traces", "keras_fit.xplane.pb.gz")
    done = subprocess.run([program(), "op", trace, "--output=json"], capture_output=True, check=True)
    micros = json.loads(done.stdout)["nodes"][0]["total_exec_micros"]
    assert micros > 1000
    assert gate(trace, f"--fail_if=micros>{micros}", question="layers")[0] == 0
    assert gate(trace, f"--fail_if=micros>={micros}", question="layers")[0] == 3
    status, said = gate(trace, "--fail_if=macs>1T", question="layers")
    assert status == 4 and "cannot tell" in said
    status, said = gate(trace, "--batch_size=8", question="layers")
    assert status == 2 and "this is a profile" in said


def test_a_model_file_is_asked_for_its_layers_at_a_batch(model):
    path, _ = model
    float_ops = []
    for batch in 1, 8:
        done = subprocess.run([program(), "layers", path, f"--batch_size={batch}", "--output=json"],
                              capture_output=True, check=True)
        float_ops.append(json.loads(done.stdout)["nodes"][0]["float_ops"])
    assert float_ops == [2 * 17664 + 138, 8 * (2 * 17664 + 138)]
    status, said = gate(path, "--fail_if=micros>1", question="layers")
    assert status == 4 and "nothing ran" in said
