"""The Python code in docs/inputs.md creates the files it describes, and that in docs/start.md
prints what it shows.

Needs TensorFlow; the program then reads the files.
"""

import importlib.util
import os
import re
import subprocess
import sys

import pytest
from tree import TESTS, TOP, program

sys.path.insert(0, os.path.join(TESTS, "python"))

from package_under_test import PACKAGE  # noqa: E402

PYTHON = re.compile(r"^```python\n((?:.*\n)*?)```$", re.MULTILINE)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A directory in which the snippets have run."""
    if not importlib.util.find_spec("tensorflow"):
        pytest.skip("there is no TensorFlow")
    directory = tmp_path_factory.mktemp("inputs")
    with open(os.path.join(TOP, "docs", "inputs.md"), encoding="utf-8") as file:
        (directory / "snippets.py").write_text("".join(PYTHON.findall(file.read())))
    done = subprocess.run([sys.executable, "snippets.py"], cwd=directory, encoding="utf-8",
                          env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    assert done.returncode == 0, done.stdout
    return directory


def ask(directory, *arguments):
    done = subprocess.run([program(), *arguments], cwd=directory, encoding="utf-8",
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


RUNS = "--run_meta_path=run_meta_0,run_meta_1,run_meta_2"


@pytest.mark.parametrize("graph", ["graph.pbtxt", "graph.pb", "graph_with_shapes.pb"])
def test_graphs(made, graph):
    text = ask(made, "scope", f"--graph_path={graph}", "--account_type_regexes=Var.*",
               "--select=params", "--min_params=1")
    assert "\n  w (64x10, 640/640 params)\n" in text


def test_run_metadata(made):
    text = ask(made, "op", "--graph_path=graph.pb", RUNS, "--select=occurrence", "--step=2")
    assert re.search(r"^Relu +1\|1$", text, re.MULTILINE), text


def test_op_log(made):
    text = ask(made, "scope", "--graph_path=graph.pb", "--op_log_path=log/tfprof_log",
               "--account_type_regexes=my_layer", "--select=params,op_types", "--min_params=1")
    assert "_trainable_variables|my_layer" in text
    text = ask(made, "op", "--graph_path=graph.pb", "--op_log_path=log/tfprof_log",
               "--select=float_ops", "--account_type_regexes=MatMul")
    assert "491.52k float_ops" in text     # three products of 2 * 128 * 64 * 10
    assert "snippets.py:" in ask(made, "code", "--graph_path=graph.pb",
                                 "--op_log_path=log/tfprof_log")


def test_checkpoint(made):
    text = ask(made, "scope", "--graph_path=graph.pb", "--checkpoint_path=model.ckpt",
               "--account_type_regexes=_checkpoint_variables", "--select=tensor_value")
    assert re.search(r"^  w \(\)\n\[\[-?\d\.\d\d ", text, re.MULTILINE), text


def test_profile(made):
    text = ask(made, "scope", "--profile_path=profile", "--step=0", "--show_name_regexes=product",
               "--select=occurrence,input_shapes")
    assert re.search(r"^  product \(1/\d\|1/\d, 0:128x64\|1:64x10\)$", text, re.MULTILINE), text


def test_functions(made):
    text = ask(made, "scope", "--graph_path=saved/graph.pbtxt", "--run_meta_path=saved/run_meta",
               "--show_name_regexes=.*/MatMul", "--select=occurrence")
    assert re.search(r"^  StatefulPartitionedCall/.*/MatMul \(1/", text, re.MULTILINE), text


# ---- docs/start.md ------------------------------------------------------------------

@pytest.fixture(scope="module")
def keras(tmp_path_factory):
    """What my_model.py prints, and what docs/start.md shows of it."""
    if not importlib.util.find_spec("tensorflow"):
        pytest.skip("there is no TensorFlow")
    directory = tmp_path_factory.mktemp("keras")
    with open(os.path.join(TOP, "docs", "start.md"), encoding="utf-8") as file:
        found = re.search(r"^```python\n(# my_model.py\n(?:.*\n)*?)```\n\nprints[^`]*```text\n"
                          r"((?:.*\n)*?)```$", file.read(), re.MULTILINE)
    (directory / "my_model.py").write_text(found[1])
    done = subprocess.run([sys.executable, "my_model.py"], cwd=directory, encoding="utf-8",
                          env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONPATH=PACKAGE),
                          capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout, found[2]


def without_times(text):
    return re.sub(r"\b\d+(\.\d+)?(us|ms|sec)\b", "TIME", text)


def test_report_on_a_keras_model(keras):
    """All but the times, which differ from run to run."""
    printed, shown = keras
    reports = re.findall(r"^Profile:\n((?:.+\n)+)", printed, re.MULTILINE)
    assert without_times("\n".join(reports)) == without_times(shown)
    root, program = re.findall(r"^(?:_TFProfRoot|  my_model.py:17).* \(\S+?/(\S+),", reports[0], re.MULTILINE)
    assert root == program != "0us"


def test_the_float_operations_are_right(keras):
    """Worked out by hand, for 32 images: an output pixel of the convolution takes nine products
    and sums, one of the pooling four comparisons."""
    convolution, pooling = 32 * 26 * 26 * 16 * 9 * 2, 32 * 13 * 13 * 16 * 4
    product = 32 * 13 * 13 * 16 * 10 * 2
    for name, number in (("conv_1/convolution", f"{convolution / 1e6:.2f}m"),
                         ("pool_1/MaxPool2d", f"{pooling / 1e3:.2f}k"),
                         ("logits_1/MatMul", f"{product / 1e6:.2f}m")):
        assert f"{name} ({number}/{number} flops)" in keras[1]
    line = f"{(convolution + 2 * 32 * 26 * 26 * 16 + pooling) / 1e6:.2f}m"  # bias and activation
    assert re.search(rf"my_model.py:13:call:.*, {line}/{line} flops", keras[1])
