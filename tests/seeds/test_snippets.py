"""Every snippet of the documents runs after tfprof.install(), and every signature is as printed."""

import inspect
import json
import os
import re
import subprocess
import sys

import documents
import pytest
import snippets

import tfprof

HERE = os.path.dirname(os.path.abspath(__file__))
FLAVORS = ("tensorflow", "tensorflow.compat.v1")
SNIPPETS = snippets.repaired()

TABLE = r"node name \| requested bytes \| .*\n(.*\n)*MatMul +\S+B \("
PARAMETERS = r"_TFProfRoot \(--/650 params\)\n"
# What a snippet prints and writes, by a piece of its text: (text, printed, files)
EXPECTED = (
    ("pctx:\n  # High level API", "", ["tmp/train_dir/profile_100"]),
    ("pctx.trace_next_step()", TABLE, ["tmp/train_dir/profile_0"]),
    ("add_auto_profiling", PARAMETERS, ["tmp/train_dir/profile_20"]),
    ("profiler = Profiler(sess.graph)", PARAMETERS, ["timeline_0"]),
    ("tfprof_cmd='code',\n    tfprof_options=opts)\n\n# param", r"total_params: \d+\n", []),
    ("FLOAT_OPS_OPTIONS", r"MatMul \(10\.24k/10\.24k flops\)", []),
    ("run_metadata = tf.RunMetadata()", "", []),
    ("PRINT_ALL_TIMING_MEMORY.copy()", r"my_code\.py:\d+:build", []),
    ("entry.types.append('pool_logit')", "", []),
    ("# Get run-time shape information", "", ["tmp/my_op_log_dir/tfprof_log"]),
    ("config_pb2.RunMetadata()", "", ["run_meta"]),
    ("write_op_log(graph, log_dir", "", ["tfprof_log"]),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Of all snippets, from one process."""
    directory = tmp_path_factory.mktemp("snippets")
    done = subprocess.run([sys.executable, os.path.join(HERE, "run_snippets.py"), str(directory)],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    with open(directory / "results.json", encoding="utf-8") as file:
        return json.load(file)


@pytest.mark.parametrize("flavor", FLAVORS)
@pytest.mark.parametrize("name, code", SNIPPETS, ids=[name for name, _ in SNIPPETS])
def test_a_snippet_runs(results, name, code, flavor):
    (text, printed, files), = (one for one in EXPECTED if one[0] in code)
    result = results[f"{name} {flavor}"]
    assert result["error"] == ""
    assert re.search(printed, result["printed"]), result["printed"][-3000:]
    assert set(files) <= set(result["files"]), result["files"]


def test_every_snippet_has_an_expectation():
    assert len(SNIPPETS) == len(EXPECTED) == 12
    assert all(sum(text in code for text, _, _ in EXPECTED) == 1 for _, code in SNIPPETS)


@pytest.mark.parametrize("flavor", FLAVORS)
def test_messages_are_those_of_the_document(results, flavor):
    made, = (one["values"] for name, one in results.items()
             if "op_log" in one["values"] and "pool_logit/DW" in one["values"]["op_log"]
             and name.endswith(f" {flavor}"))
    assert made["op_log"].count('types: "pool_logit"') == 2


# ---- signatures ----------------------------------------------------------------------------

def find(document, name):
    """The function here that a signature is of."""
    name = name.rpartition(".")[2]
    owner = {"profiler_class.md": tfprof.Profiler, "profiler_hook.md": tfprof.ProfilerHook,
             "profile_function.md": tfprof}[document]
    return owner if name == owner.__name__ else getattr(owner, name)


@pytest.mark.parametrize("document, line, text", documents.signatures())
def test_a_signature(document, line, text):
    name, _, arguments = text.partition("(")
    arguments = arguments.rstrip()[:-1].replace("_DEFAULT_PROFILE_OPTIONS", "0")
    printed = eval(f"lambda {arguments}: 0")
    mine = inspect.signature(find(document, name)).parameters
    mine = {key: one for key, one in mine.items() if key != "self"}
    theirs = inspect.signature(printed).parameters
    assert list(mine)[:len(theirs)] == list(theirs)
    for key, parameter in theirs.items():
        if parameter.default is not inspect.Parameter.empty:
            assert mine[key].default == parameter.default
    assert all(one.kind is one.KEYWORD_ONLY or one.default is not one.empty
               for one in list(mine.values())[len(theirs):])
