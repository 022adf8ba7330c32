"""The source text of the user's own lines, from a live graph to the program's code view."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest
from tree import TOP, program

tf = pytest.importorskip("tensorflow").compat.v1

import tfprof  # noqa: E402
from tfprof._live_stacks import UsersFiles  # noqa: E402

EXAMPLE = os.path.join(TOP, "examples", "resnet")


def code_view(profile, *arguments):
    done = subprocess.run([program(), "code", f"--profile_path={profile}", "--max_depth=1000",
                           "--select=cpu_micros", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.partition("Profile:\n")[2]


def labels(report):
    """Lines without their times, and the order of siblings, which depends on them."""
    return {re.sub(r" \([^()]*\)$", "", line) for line in report.splitlines()[1:]}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """What the shipped example writes, with small batches."""
    directory = tmp_path_factory.mktemp("trained")
    code = ("import runpy, sys; import tensorflow.compat.v1 as tf; uniform = tf.random.uniform\n"
            "tf.random.uniform = lambda shape, *more, **named: "
            "uniform([2] + shape[1:], *more, **named)\n"
            "runpy.run_path('train.py', run_name='__main__')")
    work = tmp_path_factory.mktemp("work")
    for name in ("train.py", "resnet_model.py"):
        shutil.copy(os.path.join(EXAMPLE, name), work)
    done = subprocess.run([sys.executable, "-c", code, directory], cwd=work, capture_output=True,
                          text=True, timeout=300, env={**os.environ, "PYTHONPATH": os.pathsep.join(
                              [str(work), os.environ["PYTHONPATH"]])})
    assert done.returncode == 0, done.stderr[-3000:]
    return directory


def test_the_shipped_example_has_the_text_of_the_sample(trained):
    """All lines of the two scripts, with their text, as in the README."""
    mine = ("--show_name_regexes=.*(train|resnet_model).py.*",)
    shown = labels(code_view(trained / "profile", *mine))
    sample = labels(code_view(os.path.join(EXAMPLE, "profile"), *mine))
    assert any("resnet_model.py:47:residual_unit:x = conv(\"conv2\",... (gradient)" in line
               for line in shown)
    strip = {line.strip() for line in shown}
    assert strip == {line.strip() for line in sample}
    assert not any(line.endswith(":none") for line in strip)


def test_the_op_log_has_it_too(trained):
    report = subprocess.run(
        [program(), "code", f"--graph_path={trained}/graph.pb", f"--op_log_path={trained}/tfprof_log",
         "--select=float_ops", "--max_depth=1000", "--show_name_regexes=.*resnet_model.py.*"],
        capture_output=True, text=True, check=True).stdout
    assert "resnet_model.py:66:conv:return tf.nn.conv... (" in report


def test_lines_of_libraries_have_none(trained):
    report = code_view(trained / "profile", "--show_name_regexes=.*(ops|dispatch|variables)[.]py.*")
    found = labels(report) - {"_TFProfRoot"}
    assert len(found) > 20
    assert all(re.search(r":none( \(gradient\))?$", line) for line in found)


def test_profile_context_records_it(tmp_path):
    with tf.Graph().as_default(), tfprof.ProfileContext(tmp_path, trace_steps=[0],
                                                        dump_steps=[0]):
        product = tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]))  # mine
        with tf.Session() as session:
            session.run(product)
    line = test_profile_context_records_it.__code__.co_firstlineno + 3
    assert re.search(rf"test_source_text.py:{line}:test_profile\S*:product = tf.matm\.\.\. ",
                     code_view(tmp_path / "profile_0"))


def test_library_files_and_user_files():
    is_users = UsersFiles()
    stdlib = sysconfig.get_path("stdlib")
    assert is_users["/home/me/train.py"] and is_users["train.py"]
    assert is_users["/home/me/keras/train.py"] and is_users["<ipython-input-3-abc>"]
    assert not is_users["/venv/lib/python3.11/site-packages/tensorflow/python/ops.py"]
    assert not is_users["/usr/lib/python3/dist-packages/keras/layer.py"]
    assert not is_users[os.path.join(stdlib, "contextlib.py")]
    assert not is_users[tfprof.__file__]
