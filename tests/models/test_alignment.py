"""Columns of reports stand below each other, whatever letters the names have."""

import subprocess
import unicodedata

import keras
import pytest
import tree

NAMES = ["plain", "couche_\u00e9t\u00e9", "cafe\u0301", "\u5c64\u306e\u540d", "\ud55c\uae00", "smile_\U0001f600"]


def columns(text):
    """Of a terminal, as Unicode's tables have it."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    layers = [keras.layers.Dense(4, name=name) for name in NAMES]
    path = tmp_path_factory.mktemp("names") / "model.keras"
    keras.Sequential([keras.Input((4,)), *layers]).save(path)
    return path


def run(*words):
    done = subprocess.run([tree.program(), *map(str, words)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


def test_model(model):
    lines = [line for line in run("model", model) if " Dense " in line]
    assert [line.split()[0] for line in lines] == NAMES
    assert len({columns(line[:line.index(" Dense ")]) for line in lines}) == 1
    assert len({columns(line) for line in lines}) == 1


def test_diff(model, tmp_path):
    layers = [keras.layers.Dense(8 if i < len(NAMES) - 1 else 4, name=name)
              for i, name in enumerate(NAMES)]
    other = tmp_path / "other.keras"
    keras.Sequential([keras.Input((4,)), *layers]).save(other)
    lines = [line for line in run("diff", "scope", model, other, "--select=float_ops")
             if " | " in line and "  " in line.split(" | ", 1)[1]]
    assert any("\u5c64" in line for line in lines)
    assert len({columns(line[:line.index(" | ")]) for line in lines}) == 1
