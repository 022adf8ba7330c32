"""%load_ext tfprof in a notebook that is executed."""

import os

import pytest
from package_under_test import PACKAGE, needs_tensorflow

pytest.importorskip("IPython")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

CELLS = [
    "import time\nimport tensorflow as tf\nx = tf.random.normal([400, 400])\n%load_ext tfprof",
    "@tf.function\ndef f(x):\n    y = tf.tanh(x)\n    for _ in range(8):\n        y = y @ x\n    return tf.reduce_sum(y)",
    "%tfprof f(x)",
    "%%tfprof\nfor i in range(3):\n    f(x)\n    time.sleep(0.02)",
    "_.profile.overview()['headline']",
    "%%tfprof unexpected\n1",
    "%tfprof undefined_name(x)",
]


@pytest.fixture(scope="module")
def executed():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True).execute(
        env=environment)
    return [cell["outputs"] for cell in notebook.cells]


def shown(outputs):
    return next(one["data"] for one in outputs if one["output_type"] == "execute_result")


def errors(outputs):
    return [one["evalue"] for one in outputs if one["output_type"] == "error"]


@needs_tensorflow
def test_an_expression_shows_headline_layers_and_lines(executed):
    data = shown(executed[2])
    assert data["text/plain"].startswith("A step takes ")
    page = data["text/html"]
    assert "A step takes" in page and "exec" in page
    assert "f(x)" in page


@needs_tensorflow
def test_a_cell_shows_each_of_its_lines(executed):
    data = shown(executed[3])
    for line in ("for i in range(3):", "    f(x)", "    time.sleep(0.02)"):
        assert line in data["text/plain"] and line in data["text/html"]
    assert "headline" not in shown(executed[4])["text/plain"] and "takes" in shown(executed[4])["text/plain"]


@needs_tensorflow
def test_what_is_wrong_is_the_users_error(executed):
    assert errors(executed[5]) == ["%%tfprof takes no arguments, got 'unexpected'"]
    assert errors(executed[6]) == ["name 'undefined_name' is not defined"]
