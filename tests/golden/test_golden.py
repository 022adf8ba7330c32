"""Replays queries on real models and compares the answers of the program and the
library, byte for byte, with those of TensorFlow's profiler, which
tests/oracle/golden.py wrote here.

Asked as TensorFlow's API asks, with a message, the library answers the same. Otherwise
golden_report.py says what differs, and --all_scopes lists the scopes that are not
accounted."""

import glob
import os
import re
import subprocess

import ours
import pytest
import query_line
from golden_report import read_golden
from tree import GOLDEN, TOP, program
from wire import field

QUERIES = sorted(os.path.relpath(path, GOLDEN)
                 for path in glob.glob(os.path.join(GOLDEN, "*", "*.query")))


def read(path):
    with open(path, "rb") as file:
        return file.read()


@pytest.fixture(scope="session", params=QUERIES)
def golden(request, models):
    """(query, expected report, directory of the files it names)"""
    query, expected = read_golden(os.path.join(GOLDEN, request.param))
    return query, expected, models / os.path.dirname(request.param)


def test_there_are_golden_files():
    assert len(QUERIES) > 50


def test_program_gives_the_original_report(golden):
    query, expected, directory = golden
    done = subprocess.run([program()] + query.arguments + ["--all_scopes"], cwd=directory,
                          capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == expected


def test_program_writes_the_original_report(golden, tmp_path):
    query, expected, directory = golden
    outfile = tmp_path / "report"
    done = subprocess.run([program()] + query.arguments + ["--all_scopes",
                                                           f"--output=file:outfile={outfile}"],
                          cwd=directory, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert outfile.read_text() == expected


@pytest.mark.parametrize("name", [name for name in QUERIES
                                  if re.match(r"\w+/scope_(?!displayed_only)", name)])
def test_scopes_that_are_not_accounted_are_left_out(name, models):
    """Else what TensorFlow's profiler lists is listed, and its totals are the same."""
    query, expected = read_golden(os.path.join(GOLDEN, name))
    done = subprocess.run([program()] + query.arguments, cwd=models / os.path.dirname(name),
                          capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    header, root, *rows = expected.partition("\nProfile:\n")[2].splitlines()
    accounted = [row.strip() for row in rows if not re.search(r"[( ]--/", row)]
    found = done.stdout.decode().partition("\nProfile:\n")[2].splitlines()
    assert [found[0], found[1], *(row.strip() for row in found[2:])] == [header, root, *accounted]


@pytest.mark.parametrize("name", QUERIES)
def test_library_gives_messages_the_original_report(name, models, tmp_path):
    query = query_line.parse(read(os.path.join(GOLDEN, name)).decode())
    outfile = tmp_path / "report"
    with ours.Ours() as profiler:
        load(profiler, query.files, models / os.path.dirname(name))
        profiler.profile(query.view, options_message(query.options, outfile))
    assert outfile.read_bytes() == read(os.path.join(GOLDEN, name[:-len(".query")] + ".txt"))


def options_message(options, outfile):
    """OptionsProto bytes; lists are separated by commas."""
    numbers = {name.lower(): int(number) for name, number in re.findall(
        r"\bOPTIONS_(\w+) = (\d+)", read(os.path.join(TOP, "src/proto/fields.h")).decode())}
    values = {"max_depth": "10", "step": "-1", "order_by": "name", "account_type_regexes": ".*",
              "start_name_regexes": ".*", "show_name_regexes": ".*", "select": "micros",
              **options, "output": f"file:outfile={outfile}"}
    message = b""
    for name, value in values.items():
        if name.endswith("_regexes") or name == "select":
            message += b"".join(field(numbers[name], each) for each in value.split(","))
        elif value in ("true", "false"):
            message += field(numbers[name], int(value == "true")) if name in numbers else b""
        else:
            number = name not in ("order_by", "output")
            message += field(numbers[name], int(value) % 2**64 if number else value)
    return message


def test_library_gives_the_original_report(golden):
    query, expected, directory = golden
    with ours.Ours() as profiler:
        load(profiler, query.files, directory)
        answer = profiler.ask(query.view, **{**query.options, "all_scopes": "true"})
    assert answer.stdout.decode() == expected
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
