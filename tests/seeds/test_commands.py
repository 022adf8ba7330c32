"""Every command of the documents, with every line of its listing."""

import json
import re
import subprocess
import urllib.request

import documents
import pytest
import tree
from forms import form
from places import NOT_OURS, NOT_SAID, place_of
from pseudo_terminal import Terminal

COMMANDS = [command for command in documents.commands() if not command.text.startswith(NOT_OURS)]
LISTED = [command for command in COMMANDS if command.listing]
STARTS = [command for command in COMMANDS if command.text.startswith("bazel-bin/")
          and not command.text.endswith("profiler_1") and "profiler_ui" not in command.text]

# Lines of reports that the documents have not got: headers, and that a report was cut.
MORE = (r"node name \|.*", r"… \d+ more \(max_depth \d+\)", r"=+", r"Doc:.*|Profile:|",
        r"    (level|where|to do): .*|           \S.*")
# Where the model is that of the documents, so are the numbers.
EXACT = (r"scope -account_type_regexes (VariableV2|_checkpoint_variables|pool_logit)",
         r"scope -min_float_ops", r"scope -max_depth 4", r"scope -show_name_regexes unit_2_1",
         r"scope -select device", r"advise: top \d graph node")
# Except these: in this ResNet the step has a shape, and more types have float operations.
OTHERWISE = ("global_step (1/1 params)", "global_step (0/0 params)", "_TFProfRoot (0/17.63b flops)",
             "pool_logit/xw_plus_b (1.28k/165.12k flops)")


def report_of(text):
    """Without the explanation of a view, and without checkers that the documents have not got."""
    text = text.split("\nProfile:\n")[-1]
    return re.split(r"\n(?!Accelerator|Operation|Job|Expensive)\w+Checker:\n|\nnothing found by: ", text)[0]


def ids(command):
    return str(command)


@pytest.mark.parametrize("command, line", [(command, i) for command in LISTED
                                           for i in range(len(command.listing))],
                         ids=lambda value: str(value))
def test_a_line_of_a_listing(workplace, command, line):
    if command.text.startswith(("tfprof scope", "cat ")):
        printed = one_shot(workplace) if command.text.startswith("tfprof") else dumped(workplace)
    else:
        printed = workplace.answer(command)
    expected = workplace.localize(command.listing[line])
    if expected in NOT_SAID:
        assert expected.strip() not in printed, NOT_SAID[expected]
        return
    lines = report_of(printed).splitlines()
    wanted, found = form(expected), {form(one) for one in lines}
    assert wanted in found or (expected.startswith("-") and f"{wanted} at 28" in found), (
        f"{expected!r} has the form {wanted!r}; printed:\n" + "\n".join(lines[:30]))
    text = expected.strip().replace("(0/", "(--/")
    if any(re.match(pattern, f"{command.text}: {text}") for pattern in EXACT) and (
            expected.strip() not in OTHERWISE):
        assert text in {one.strip() for one in lines}, "\n".join(lines[:40])


@pytest.mark.parametrize("command", [command for command in LISTED
                                     if command.is_typed and command.text], ids=ids)
def test_nothing_is_printed_that_the_document_has_not_got(workplace, command):
    listed = {form(workplace.localize(line)) for line in command.listing}
    for line in report_of(workplace.answer(command)).splitlines():
        assert form(line) in listed or any(re.fullmatch(more, line) for more in MORE), line


@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.listing
                                     and command.is_typed], ids=ids)
def test_a_command_without_a_listing(workplace, command):
    printed = workplace.answer(command)
    if command.text.startswith("set "):
        assert printed == ""
    elif "pprof:" in command.text:
        assert (workplace.root / "tmp" / "out").read_bytes()[:2] == b"\x1f\x8b"
    else:
        assert "node name | " in printed


@pytest.mark.parametrize("command", STARTS, ids=ids)
def test_a_start_of_the_program(workplace, command):
    """Interactive, unless there is a command; the shell then has what was loaded."""
    directory = place_of(command)[0]
    printed = workplace.shell(command.text, directory, "scope -max_depth 1 -select params\n")
    if command.text.endswith(" help"):
        assert all(f"  {view}" in printed for view in ("scope", "graph", "op", "code"))
    else:
        assert "\n_TFProfRoot (--/" in printed


def test_the_page(workplace):
    command, = (one for one in COMMANDS if "profiler_ui" in one.text)
    server = subprocess.Popen(["bash", "-c", "exec " + workplace.localize(command.text) + " --port=0"],
                              cwd=workplace.root / "resnet", stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert b"<title>tfprof</title>" in opener.open(address, timeout=20).read()
    finally:
        server.terminate()
        server.wait(20)
        server.stdout.close()


# ---- one report into a file ------------------------------------------------------------------

def one_shot(workplace):
    """What a terminal shows."""
    if "one shot" not in workplace.kept:
        command, = (one for one in COMMANDS if one.text.startswith("tfprof scope"))
        terminal = Terminal(["/bin/bash", "-c", workplace.localize(command.text)],
                            workplace.root / "resnet", workplace.environment())
        terminal.wait()
        workplace.kept["one shot"] = terminal.seen
        terminal.close()
    return workplace.kept["one shot"]


def dumped(workplace):
    one_shot(workplace)
    return (workplace.root / "tmp" / "dump").read_text()


# ---- timelines ------------------------------------------------------------------------------

@pytest.mark.parametrize("view", ["code", "op", "scope", "graph"])
def test_each_view_can_be_a_timeline(workplace, view):
    """"For each view, there are 3 ways to display outputs": stdout, timeline and file."""
    directory = workplace.root / "tmp"
    for way in ("timeline", "file"):
        workplace.shell(f"tfprof {view} --graph_path=graph.pbtxt --run_meta_path=run_meta "
                        f"--op_log_path=tfprof_log --output={way}:outfile=/tmp/{view}.{way}", "resnet")
    assert "\nnode name | " in (directory / f"{view}.file").read_text()
    assert json.loads((directory / f"{view}.timeline").read_text())["traceEvents"]


def test_the_timeline_is_the_file_that_was_named(workplace):
    command, = (one for one in COMMANDS if one.text.startswith("graph -step -1"))
    workplace.kept.pop(str(command), None)
    (workplace.root / "tmp" / "out").unlink(missing_ok=True)
    workplace.answer(command)
    assert json.loads((workplace.root / "tmp" / "out").read_text())["traceEvents"]


# ---- options ----------------------------------------------------------------------------------

@pytest.mark.parametrize("document, line, name", documents.options())
def test_an_option_exists(document, line, name):
    text = subprocess.run([tree.program(), "--help"], capture_output=True, text=True).stdout
    more = subprocess.run([tree.program(), "help", name], capture_output=True, text=True)
    assert f"-{name}" in text or (more.returncode == 0 and name in more.stdout)


@pytest.mark.parametrize("document, line, option, word", documents.words())
def test_a_word_of_an_option_exists(workplace, document, line, option, word):
    view = "op" if word == "occurrence" else "scope"
    workplace.shell(f"tfprof {view} --graph_path=graph.pbtxt --run_meta_path=run_meta "
                    f"--checkpoint_path=model.ckpt --max_depth=1 --{option}={word}", "resnet")


def test_every_command_is_run():
    """What is left out is named."""
    left_out = [command for command in documents.commands() if command not in COMMANDS]
    assert [command.text.split()[0] for command in left_out] == ["google-pprof", "bazel"]
    assert len(documents.commands()) == 38 and sum(len(one.listing) for one in LISTED) == 226
