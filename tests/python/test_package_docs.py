"""The examples in docs/python.md and in docstrings run. (test_live_docs.py has the
sections about training loops.)"""

import doctest
import importlib
import os
import re
import subprocess
import sys

import pytest
from package_under_test import PACKAGE, needs_tensorflow
from tree import TOP

MODULES = ("_advice", "_format", "_options", "_profile", "_progress", "_result",
           "model_analyzer", "option_builder")
LIVE = ("Profiler", "Options", "Names of tf.contrib.tfprof",
        "TensorFlow's own profiler on this core")


def sections():
    with open(os.path.join(TOP, "docs", "python.md"), encoding="utf-8") as file:
        text = file.read()
    return {part.partition("\n")[0]: part for part in re.split(r"^## ", text, flags=re.MULTILINE)}


def snippets(section):
    return re.findall(r"^```python\n(.*?)^```$", sections()[section], re.MULTILINE | re.DOTALL)


def run(code, directory):
    """In a new process, at the top of the tree, where the examples are."""
    program = "\n".join(code).replace("/tmp/", f"{directory}/")
    path = directory / "my_code.py"
    path.write_text(program)
    done = subprocess.run([sys.executable, str(path)], cwd=TOP, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, monkeypatch):
    monkeypatch.chdir(TOP)
    module = importlib.import_module("tfprof." + name)
    failed, tried = doctest.testmod(module)
    assert failed == 0 and (tried > 0 or name in ("_options", "model_analyzer"))


def test_without_tensorflow(tmp_path):
    blocks = snippets("Profiles without TensorFlow: load")
    try:
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError:
        blocks = [block for block in blocks if "pandas" not in block and "pyarrow" not in block]
    guard = ("import sys\nassert 'tensorflow' not in sys.modules, "
             "'tensorflow was imported for files'\n")
    done = run(blocks + [guard], tmp_path)
    assert "VariableV2" not in done.stdout.partition("pool_logit")[0]
    assert "<Profile: " in done.stdout
    assert "did you mean 'micros'?" in done.stdout
    assert "top 1 operation type" in done.stdout
    assert (tmp_path / "timeline").exists() and (tmp_path / "profile").exists()
    assert done.stderr == ""


@needs_tensorflow
def test_live_sections(tmp_path):
    model = snippets("Training loops: ProfileContext")[0]
    done = run([model] + [block for section in LIVE for block in snippets(section)], tmp_path)
    assert (tmp_path / "timeline_0").exists() and (tmp_path / "timeline_10").exists()
    assert (tmp_path / "report").read_text().count("MatMul") >= 1
    assert "total_params: " in done.stdout
    assert done.stdout.count("Model Analysis Report") >= 10
    trainable = 3 * 3 * 3 * 8 + 32 * 32 * 8 * 10 + 10
    assert f"\n{trainable}\n" in done.stdout
    # What was written can be read.
    done = run(["import tfprof\nprint(tfprof.load('/tmp/profile').steps)\n"
                "print(len(tfprof.load(run_meta='/tmp/run_meta')))"], tmp_path)
    assert done.stdout.startswith("[0, 10]\n")


def test_every_snippet_of_mine_is_run():
    known = set(LIVE) | {"Profiles without TensorFlow: load", "Training loops: ProfileContext",
                         "Monitored sessions: ProfilerHook", "Op logs: write_op_log",
                         "Running programs: trace, profile_function, KerasCallback"}
    for title in sections():
        if "```python" in sections()[title]:
            assert title in known, f"the section {title!r} is run by no test"


def test_every_public_name_is_documented():
    import tfprof
    with open(os.path.join(TOP, "docs", "python.md"), encoding="utf-8") as file:
        text = file.read()
    for name in tfprof.__all__:
        if name not in ("Advice", "ArgumentError", "FileError", "FormatError", "Node", "Profile",
                        "Result", "__version__", "hooks", "option_builder", "profile_context"):
            assert name in text, name


def test_type_hints(tmp_path):
    """mypy accepts what users write."""
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text("""
import tfprof
profile = tfprof.load("x", progress=False)
steps: list[int] = profile.steps
node: tfprof.Node = profile.op(select=["micros"])[1]
micros: int = node.exec_micros
names: list[str] = [one.name for one in profile.scope()]
options = tfprof.ProfileOptionBuilder().with_max_depth(3).build()
data: bytes = tfprof.Profiler().serialize_to_string()
try:
    tfprof.install()
except tfprof.Error as error:
    status: str = error.status
wrong: str = node.exec_micros
""")
    done = subprocess.run([sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir=/dev/null",
                           "user.py"], cwd=tmp_path, env=dict(os.environ, MYPYPATH=PACKAGE),
                          capture_output=True, text=True)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1 and "user.py:14" in errors[0], done.stdout
