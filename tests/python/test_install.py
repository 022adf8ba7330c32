"""install() brings back the names of TensorFlow 1 around its profiler; uninstall() leaves
TensorFlow as it was."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from package_under_test import needs_tensorflow
from tree import TOP

SAMPLE = os.path.join(TOP, "examples", "resnet", "profile")

# What there is of TensorFlow: modules, and the names of those that may change.
LOOK = """
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
import tfprof

def look():
    places = {"tf": tf, "tf.profiler": tf.profiler, "tf.train": tf.train, "v1": tf.compat.v1,
              "v1.profiler": tf.compat.v1.profiler, "v1.train": tf.compat.v1.train,
              "pywrap": sys.modules["tensorflow.python.util._pywrap_tfprof"],
              "log": sys.modules["tensorflow.core.profiler.tfprof_log_pb2"]}
    return ({name: module for name, module in sys.modules.items() if name.startswith("tensorflow")},
            {place: dict(vars(module)) for place, module in places.items()}, list(sys.meta_path))

def same(before, after):
    assert set(before[0]) == set(after[0]), set(before[0]) ^ set(after[0])
    assert all(before[0][name] is after[0][name] for name in before[0])
    for place, names in before[1].items():
        assert set(names) == set(after[1][place]), (place, set(names) ^ set(after[1][place]))
        assert all(names[name] is after[1][place][name] for name in names), place
    assert before[2] == after[2]

def missing(name):
    try:
        __import__(name)
    except ModuleNotFoundError:
        return True
"""

USE = """
import importlib, types
from tensorflow.contrib.tfprof import ProfileContext, model_analyzer
from tensorflow.contrib.tfprof.model_analyzer import print_model_analysis
from tensorflow.contrib.tfprof.python.tools.tfprof import tfprof_logger
import tensorflow.contrib.tfprof.tfprof_logger as the_same
from tensorflow.tools.tfprof import tfprof_log_pb2
from tensorflow.core.profiler import tfprof_log_pb2 as todays

assert tf.contrib.tfprof.ProfileContext is ProfileContext is tfprof.ProfileContext
assert tf.contrib.tfprof.model_analyzer is model_analyzer is tfprof.model_analyzer
assert print_model_analysis is tfprof.model_analyzer.print_model_analysis
assert tf.contrib.tfprof.tfprof_logger is tfprof_logger is the_same is tfprof.tfprof_logger
assert tfprof_log_pb2.OpLog is todays.OpLog is todays.OpLogProto
assert tf.profiler.ProfileOptionBuilder is tfprof.ProfileOptionBuilder
assert tf.profiler.Profiler is tfprof.Profiler and tf.profiler.profile is tfprof.profile
assert tf.estimator.ProfilerHook is tf.train.ProfilerHook is tfprof.ProfilerHook
assert tf.Session is tf.compat.v1.Session and tf.RunOptions is tf.compat.v1.RunOptions
assert tfprof.model_analyzer.__name__ == tfprof.model_analyzer.__spec__.name == "tfprof.model_analyzer"
assert isinstance(importlib.util.find_spec("tensorflow.contrib.tfprof"), importlib.machinery.ModuleSpec)
assert "tfprof" in dir(tf.contrib) and "ProfileContext" in dir(tf.contrib.tfprof)
try:
    tf.contrib.slim
except AttributeError as error:
    assert "only what the profiler had" in str(error)
else:
    raise AssertionError
# TensorFlow's own, where it has them.
assert tf.compat.v1.profiler.Profiler is not tfprof.Profiler
assert tf.compat.v1.train.ProfilerHook is not tfprof.ProfilerHook
"""

RUN = """
with tf.Graph().as_default(), tf.Session() as sess:
    step = tf.compat.v1.train.get_or_create_global_step()
    hook = tf.estimator.ProfilerHook(save_steps=1, output_dir=sys.argv[1])
    hook.begin()
    with tf.contrib.tfprof.ProfileContext(sys.argv[1], trace_steps=[0], dump_steps=[0]) as pctx:
        sess.run(tf.constant(1.0) + 1)
        pctx.profiler.profile_operations(tf.profiler.ProfileOptionBuilder.time_and_memory())
assert os.path.exists(sys.argv[1] + "/profile_0")
"""

EXPERIMENTAL = """
import glob
tf.profiler.experimental.start(sys.argv[1])
with tf.profiler.experimental.Trace("train", step_num=1, _r=1):
    tf.constant(1.0) + 1
tf.profiler.experimental.stop()
assert glob.glob(sys.argv[1] + "/plugins/profile/*/*.xplane.pb")
"""


@needs_tensorflow
def test_tensorflow_is_left_as_it_was(run_python, tmp_path):
    run_python(LOOK + "import tensorflow.tools\nbefore = look()\ntfprof.install()\n" + USE + RUN + """
tfprof.install()
tfprof.uninstall()
same(before, look())
assert missing("tensorflow.contrib") and missing("tensorflow.estimator")
assert not hasattr(tf, "contrib") and not hasattr(tf.profiler, "ProfileOptionBuilder")
""" + EXPERIMENTAL, tmp_path)


@needs_tensorflow
def test_the_profiler_of_tensorflow_2_works_while_installed(run_python, tmp_path):
    run_python(LOOK + "tfprof.install()\n" + EXPERIMENTAL, tmp_path)


@needs_tensorflow
def test_for_a_block_and_again(run_python):
    run_python(LOOK + """
before = look()
for i in range(2):
    with tfprof.installed():
        import tensorflow.contrib.tfprof
        with tfprof.installed():
            pass
        assert tf.contrib.tfprof.Profiler is tfprof.Profiler
    same(before, look())
tfprof.uninstall()
same(before, look())
""")


@needs_tensorflow
def test_modules_that_are_loaded_later_have_the_names(run_python):
    """TensorFlow loads these once more, under the name they are imported by."""
    run_python(LOOK + """
tfprof.install()
import tensorflow.compat.v1 as v1
import tensorflow.profiler, tensorflow.train
assert v1.contrib.tfprof.Profiler is tfprof.Profiler
assert tf.compat.v1.contrib is v1.contrib, tf.compat.v1
assert v1.estimator.ProfilerHook is tfprof.ProfilerHook
assert tf.profiler is sys.modules["tensorflow.profiler"]
assert tf.profiler.ProfileOptionBuilder is tfprof.ProfileOptionBuilder
assert tf.train.ProfilerHook is tfprof.ProfilerHook
assert type(v1.__loader__).__module__.startswith(("importlib", "_frozen_importlib"))
tfprof.uninstall()
for module in (v1, tf, tf.profiler, tf.train):
    assert not {"contrib", "estimator", "ProfileOptionBuilder", "ProfilerHook"} & set(vars(module))
""")


def test_it_says_what_it_needs(run_python):
    done = run_python("import sys; sys.modules['tensorflow'] = None\nimport tfprof\ntfprof.uninstall()\n"
                      "tfprof.install()", check=False)
    assert "tfprof.install() needs TensorFlow" in done.stderr
    assert "ModuleNotFoundError" in done.stderr


# ---- python -m tfprof --------------------------------------------------------------------

def module(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "tfprof", *map(str, arguments)], capture_output=True,
                          text=True, timeout=300, **more)


def test_the_module_is_the_program():
    for arguments in (["--version"], ["help"], ["help", "op"], ["op", SAMPLE, "--select=micros"],
                      ["scope", SAMPLE, "--output=json", "--max_depth=1"],
                      ["advise", SAMPLE], [SAMPLE], ["nonsense"], ["op", "/nowhere"],
                      ["advise", SAMPLE, "--fail_on=notice"]):
        from package_under_test import PACKAGE
        program = os.path.join(PACKAGE, "..", "tfprof")
        expected = subprocess.run([program, *arguments], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL)
        mine = module(*arguments, stdin=subprocess.DEVNULL)
        assert (mine.returncode, mine.stdout, mine.stderr) == (
            expected.returncode, expected.stdout, expected.stderr), arguments


def test_the_module_is_a_shell():
    done = module(SAMPLE, input="scope -account_type_regexes _trainable_variables -max_depth 1 -select params\n")
    assert "_TFProfRoot (--/464.15k params)" in done.stdout


def test_the_module_says_that_there_is_no_program(run_python, tmp_path):
    done = run_python("import runpy, sys\nfrom tfprof import _programs\n"
                      "_programs._places = lambda *_: ['/nowhere']\nsys.argv[1:] = ['op', 'x']\n"
                      "runpy.run_module('tfprof', run_name='__main__')", check=False)
    assert done.returncode == 1 and "built without the program" in done.stderr


# ---- the Python of the program -----------------------------------------------------------

def test_a_program_runs_the_python_it_was_started_from(tmp_path):
    """As the script of an environment that is not activated starts it."""
    from package_under_test import PACKAGE
    program = os.path.join(PACKAGE, "..", "tfprof")
    python = tmp_path / "python of mine"
    python.write_text("#!/bin/sh\necho \"$5 $6\"\n")
    python.chmod(0o755)
    clean = {name: value for name, value in os.environ.items() if name != "TFPROF_PYTHON"}
    done = subprocess.run([program, "sql", "OUT"], capture_output=True, text=True,
                          env={**clean, "TFPROF_PYTHON": str(python)})
    assert done.stdout == "sql OUT\n"
    (tmp_path / "python3").symlink_to(python)
    done = subprocess.run([program, "sql", "OUT"], capture_output=True, text=True,
                          env={**clean, "PATH": str(tmp_path)})
    assert done.stdout == "sql OUT\n"
    done = subprocess.run([program, "sql", "OUT"], capture_output=True, text=True,
                          env={**clean, "TFPROF_PYTHON": "/nowhere/python"})
    assert done.returncode == 1
    assert done.stderr == ("tfprof: this command needs Python: /nowhere/python: No such file or "
                           "directory\n")
