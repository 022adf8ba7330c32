"""Help is readable, and complete because it is generated from the tables."""

import re

import pytest

OPTIONS = """max_depth min_bytes min_peak_bytes min_residual_bytes min_output_bytes min_micros
    min_accelerator_micros min_cpu_micros min_params min_float_ops min_occurrence step order_by
    account_type_regexes start_name_regexes trim_name_regexes show_name_regexes hide_name_regexes
    account_displayed_op_only select output""".split()
FILES = "profile_path graph_path run_meta_path op_log_path checkpoint_path".split()
COMMANDS = "scope graph op code step advise help".split()


def text(run, *arguments):
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def test_overview(run):
    overview = text(run, "--help")
    for name in OPTIONS + FILES:
        assert f"\n  --{name}" in overview
    for command in COMMANDS:
        assert f"\n  {command} " in overview
    assert max(map(len, overview.splitlines())) <= 80
    assert overview == text(run) == text(run, "help") == text(run, "-h") == text(run, "-help")
    assert "--generate" not in overview, "that is for the build"


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(run, command):
    shown = text(run, "help", command)
    assert shown.startswith(f"tfprof {command} ")
    assert shown == text(run, command, "--help") == text(run, "--help", command)


@pytest.mark.parametrize("option", OPTIONS + FILES + ["checker", "fail_on"])
def test_options(run, option):
    shown = text(run, "help", "--" + option)
    assert shown.startswith(f"--{option}=")
    if option not in COMMANDS:  # "help step" is about the command
        assert shown == text(run, "help", option) == text(run, "--help", option)


def test_words_are_explained(run):
    shown = text(run, "help", "select")
    for word in """bytes peak_bytes residual_bytes output_bytes micros accelerator_micros cpu_micros
            params float_ops occurrence tensor_value device op_types input_shapes""".split():
        line = next(line for line in shown.splitlines() if line.startswith(f"  {word} "))
        assert len(line.split()) > 2


@pytest.mark.parametrize("usage", ["op FILE [OPTION...]", "advise FILE [OPTION...]", "model FILE|DIR [OPTION...]",
                                   "ui FILE... [OPTION...]", "run [OPTION...] [--] SCRIPT.py ARG...",
                                   "mcp [ROOT...]", "index SRC OUT [OPTION...]", "sql OUT|FILE... [QUERY]",
                                   "fleet OUT", "save OUT FILE..."])
def test_usage(run, usage):
    assert text(run, "help", usage.split()[0]).startswith(f"tfprof {usage}\n")


def test_descriptions_fit_a_terminal(run):
    for command in re.findall(r"^  ([a-z]+) ", text(run, "help").split("\nCommands:\n")[1].split("\n\n")[0], re.M):
        description = text(run, "help", command).split("\n\n")[1]
        assert max(map(len, description.splitlines())) <= 80, command
    assert "memory of each layer" in " ".join(text(run, "help", "model").split())


def test_the_example_of_save_works(run, resnet, tmp_path):
    line = text(run, "help", "save").rstrip().splitlines()[-1]
    words = line.replace("run.xplane.pb", str(resnet / "profile")).split()
    done = run(*words[1:], directory=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "profile").stat().st_size > 0


def test_the_examples_work(run):
    """Those of scope, graph, op and code, as printed."""
    for command in ("scope", "graph", "op", "code"):
        line = text(run, "help", command).rstrip().splitlines()[-1]
        words = line.replace("FILE", "profile").split()
        assert words[:2] == ["tfprof", command]
        assert "_TFProfRoot" in text(run, *words[1:]) or command == "op"


def test_version(run):
    assert text(run, "--version").split()[0] == "tfprof"
    assert len(text(run, "--version").split()[1].split(".")) == 3
