"""Replays queries on real models and compares the answers of the program and the
library, byte for byte, with those of TensorFlow's profiler, which
tests/oracle/golden.py wrote here."""

import glob
import os
import subprocess

import ours
import pytest
import query_line
from tree import GOLDEN, program

QUERIES = sorted(os.path.relpath(path, GOLDEN)
                 for path in glob.glob(os.path.join(GOLDEN, "*", "*.query")))


def read(path):
    with open(path, "rb") as file:
        return file.read()


@pytest.fixture(scope="session", params=QUERIES)
def golden(request, models):
    """(query, expected report, directory of the files it names)"""
    path = os.path.join(GOLDEN, request.param)
    line = read(path).decode()
    expected = read(path[:-len(".query")] + ".txt")
    return query_line.parse(line), expected, models / os.path.dirname(request.param)


def test_there_are_golden_files():
    assert len(QUERIES) > 50


def test_program_gives_the_original_report(golden):
    query, expected, directory = golden
    done = subprocess.run([program()] + query.arguments, cwd=directory, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == expected.decode()


def test_program_writes_the_original_report(golden, tmp_path):
    query, expected, directory = golden
    outfile = tmp_path / "report"
    done = subprocess.run([program()] + query.arguments + [f"--output=file:outfile={outfile}"],
                          cwd=directory, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert outfile.read_bytes() == expected


def test_library_gives_the_original_report(golden):
    query, expected, directory = golden
    with ours.Ours() as profiler:
        load(profiler, query.files, directory)
        answer = profiler.ask(query.view, **query.options)
    assert answer.stdout.decode() == expected.decode()
    assert answer.message


def load(profiler, files, directory):
    if "profile_path" in files:
        profiler.from_file(directory / files["profile_path"])
        return
    log = files.get("op_log_path")
    profiler.new(read(directory / files["graph_path"]), read(directory / log) if log else b"")
    for step, name in enumerate(filter(None, files.get("run_meta_path", "").split(","))):
        profiler.add_step(step, b"", read(directory / name), b"")


@pytest.mark.parametrize("line", [
    "scope --graph_path=graph.pbtxt --account_type_regexes=VariableV2 --select=params",
    "scope --graph_path=graph.pb --account_type_regexes=VariableV2 --select=params",
])
def test_text_and_binary_graph_answer_alike(models, line):
    done = subprocess.run([program()] + line.split(), cwd=models / "resnet", capture_output=True)
    assert b"_TFProfRoot (--/930.58k params)\n" in done.stdout


def test_numbers_of_the_documentation(models):
    """The figures the profiler's own documents show for this network."""
    def ask(line):
        done = subprocess.run([program()] + line.split(), cwd=models / "resnet",
                              capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    files = "--graph_path=graph.pbtxt --op_log_path=tfprof_log"
    trainable = ask(f"scope {files} --select=params --max_depth=10 "
                    "--account_type_regexes=_trainable_variables")
    assert "_TFProfRoot (--/464.15k params)\n" in trainable
    assert "init/init_conv/DW (3x3x3x16, 432/432 params)\n" in trainable
    assert "unit_last/final_bn/gamma (64, 64/64 params)\n" in trainable
    flops = ask(f"scope {files} --select=float_ops --min_float_ops=1 "
                "--account_type_regexes=Conv2D,MatMul,BiasAdd")
    for line in ("_TFProfRoot (--/17.63b flops)", "  init/init_conv/Conv2D (113.25m/113.25m flops)",
                 "  unit_1_0/sub1/conv1/Conv2D (603.98m/603.98m flops)",
                 "  pool_logit/xw_plus_b (1.28k/165.12k flops)",
                 "    pool_logit/xw_plus_b/MatMul (163.84k/163.84k flops)"):
        assert line + "\n" in flops
