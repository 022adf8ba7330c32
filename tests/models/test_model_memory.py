"""What models are estimated to take in memory: beside what XLA allocates (measured once by
tools/validate_memory, with JAX 0.10.2 on a CPU), and what follows from the model alone."""

import json
import subprocess
import sys
import pathlib

import pytest

import keras
from keras import layers as L

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import tree  # noqa: E402

FILES = pathlib.Path(__file__).parent / "files"
TRACE = pathlib.Path(tree.TOP) / "examples" / "traces" / "jax_transformer.xplane.pb.gz"


def run(path, *flags):
    return subprocess.run([tree.program(), "memory", str(path), *flags], capture_output=True,
                          text=True, check=False)


def memory(path, *flags):
    done = run(path, "--output=json", *flags)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def parts(answer):
    return {row["name"]: row for row in answer["nodes"] if row["depth"] == 2}


def kept(answer):
    """Bytes kept for the backward pass by layer."""
    return {row["name"]: row["bytes"] for row in answer["nodes"] if row["depth"] == 3}


def stack(shape, *layers):
    return keras.Sequential([L.Input(shape), *layers])


@pytest.fixture(scope="module")
def tanh(tmp_path_factory):
    """Three dense layers; the first two are frozen in the second file."""
    folder = tmp_path_factory.mktemp("memory")
    model = stack((128,), L.Dense(64, activation="tanh", name="a"),
                  L.Dense(32, activation="tanh", name="b"), L.Dense(10, name="c"))
    model.save(folder / "trained.keras")
    model.export(folder / "export", verbose=False)
    for name in "ab":
        model.get_layer(name).trainable = False
    model.save(folder / "frozen.keras")
    return folder


def cnn():
    return stack((32, 32, 3), L.Conv2D(32, 3, activation="relu"), L.MaxPooling2D(),
                 L.Conv2D(64, 3, activation="relu"), L.MaxPooling2D(), L.Flatten(),
                 L.Dense(128, activation="relu"), L.Dense(10))


def gelu():
    return stack((256,), *(L.Dense(256, activation="gelu") for _ in range(12)), L.Dense(10))


def lstm():
    return stack((100,), L.Embedding(5000, 128), L.LSTM(128, return_sequences=True), L.LSTM(128),
                 L.Dense(2))


# What XLA allocates for a step with Adam: arguments and temporaries.
@pytest.mark.parametrize("make, batch, measured", [
    (cnn, 64, 4575360 + 78558440),
    (gelu, 1024, 10557568 + 51693572),
    (lstm, 64, 10870728 + 99494400),
])
def test_estimate_is_near_what_xla_allocates(tmp_path, make, batch, measured):
    model = make()
    model.save(tmp_path / "model.keras")
    found = memory(tmp_path / "model.keras", f"--batch_size={batch}", "--training")
    assert found["is_estimate"] == 1 and found["batch_size"] == batch
    assert found["estimated_peak_bytes"] == pytest.approx(measured, rel=0.15)


@pytest.mark.parametrize("file", ["trained.keras", "export"])
def test_each_layer_keeps_its_result(tanh, file):
    found = memory(tanh / file, "--batch_size=50", "--training")
    assert sorted(kept(found).values()) == [50 * 32 * 4, 50 * 64 * 4]
    weights = (128 * 64 + 64 + 64 * 32 + 32 + 32 * 10 + 10) * 4
    assert parts(found)["weights"]["bytes"] == weights
    assert parts(found)["optimizer slots"]["bytes"] == 2 * weights
    assert parts(found)["gradients"]["bytes"] == weights
    assert parts(found)["inputs"]["bytes"] == 50 * 128 * 4
    # The peak is the sum of what is alive then, and everything is in the root.
    model = found["nodes"][1]
    assert sum(part["peak_bytes"] for part in parts(found).values()) == model["peak_bytes"]
    assert model["peak_bytes"] == found["estimated_peak_bytes"]


def test_frozen_layers_keep_nothing_before_the_first_trained_one(tanh):
    found = memory(tanh / "frozen.keras", "--batch_size=50", "--training")
    assert kept(found) == {"b": 50 * 32 * 4}
    assert parts(found)["gradients"]["bytes"] == (32 * 10 + 10) * 4
    assert parts(found)["optimizer slots"]["bytes"] == 2 * (32 * 10 + 10) * 4


@pytest.mark.parametrize("optimizer, slots", [("sgd", 0), ("momentum", 1), ("rmsprop", 1),
                                              ("adamw", 2)])
def test_optimizers_keep_slots(tanh, optimizer, slots):
    found = memory(tanh / "trained.keras", "--training", f"--optimizer={optimizer}")
    assert parts(found)["optimizer slots"]["bytes"] == slots * parts(found)["weights"]["bytes"]


def test_largest_batch_is_the_last_that_fits(tanh):
    limit = 3_000_000
    file = tanh / "trained.keras"
    batch = memory(file, "--training", f"--limit={limit}")["largest_batch"]
    peaks = [memory(file, "--training", f"--batch_size={n}")["estimated_peak_bytes"]
             for n in (batch, batch + 1)]
    assert peaks[0] <= limit < peaks[1]
    assert memory(file, "--training", "--limit=100KB")["largest_batch"] == 0


def test_half_precision_halves_activations(tanh):
    whole, half, mixed = (memory(tanh / "trained.keras", "--training", "--batch_size=64", f"--dtype={d}")
                          for d in ("file", "bfloat16", "mixed_bfloat16"))
    for one in (half, mixed):
        assert parts(one)["activations"]["bytes"] * 2 == parts(whole)["activations"]["bytes"]
    assert parts(half)["weights"]["bytes"] * 2 == parts(whole)["weights"]["bytes"]
    assert parts(mixed)["weights"]["bytes"] == parts(whole)["weights"]["bytes"]
    assert parts(mixed)["gradients"]["bytes"] == parts(whole)["gradients"]["bytes"]


def test_a_call_needs_no_gradients(tanh):
    found = memory(tanh / "trained.keras", "--batch_size=64")
    assert set(parts(found)) == {"weights", "inputs", "activations"}
    assert "a call of" in found["headline"] and "at batch 64" in found["headline"]


def test_options_that_do_not_apply_are_refused(tanh):
    done = run(tanh / "trained.keras", "--optimizer=adam")
    assert done.returncode != 0 and "training" in done.stderr
    done = run(TRACE, "--batch_size=4")
    assert done.returncode != 0 and "applies to the memory of a model file" in done.stderr


def test_files_of_all_formats_have_an_answer():
    models = [*FILES.glob("*/export"), *FILES.glob("*/*.keras"), *FILES.glob("*.keras")]
    assert len(models) >= 4
    for path in models:
        if run(path).returncode == 0:
            assert memory(path, "--training")["estimated_peak_bytes"] > 0
