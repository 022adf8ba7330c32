"""Files without a command: an overview, and then a shell, a script or nothing."""

import json
import json
import os
import re
import shlex
import shutil
import subprocess

import pytest
from tree import DATA, TESTS, TOP
from wire import field

CHECKPOINT = os.path.join(DATA, "checkpoint", "single", "model.ckpt")


def overview(run, *files, **more):
    done = run(*files, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


SHOWN = {"us": ("us", "ms", "s"), "B": ("B", "KB", "MB", "GB"), "": ("", "k", "M", "G")}


def root(run, *arguments):
    """The totals of scope view, as people are shown them."""
    done = run("scope", "profile", *arguments, "--output=json")
    total = json.loads(done.stdout)["nodes"][0]

    def show(column, unit):
        value, i = total[f"total_{column}"], 0
        while round(value / 1000 ** i, 2) >= 1000 and i + 1 < len(SHOWN[unit]):
            i += 1
        return f"{value / 1000 ** i:.2f}{SHOWN[unit][i]}" if i else f"{value}{SHOWN[unit][0]}"
    return show


def test_what_was_found(run, resnet):
    text = overview(run, "profile")
    size = os.path.getsize(resnet / "profile") / 1e6
    assert text.startswith("A step takes 1203 ms: 99 % computing.\n\n"
                           f"profile: a ProfileProto, {size:.2f}MB\n")
    nodes = re.search(r"^(\d+) nodes, 3 steps, 1 device; (\d+)% of the nodes ran$", text, re.M)
    summary = run("profile", stdin=b"quit\n").stderr.decode()
    assert f"{nodes[1]} nodes, 3 steps, 1 device" in summary
    assert f"coverage 0.{nodes[2]}" in summary


def test_notes_follow_the_sentence_that_is_read_first(program, resnet):
    """At a terminal, where both streams are seen, files with notes begin with the answer, too."""
    files = ["graph.pb", "run_meta_0"]
    for command in ([], ["step"]):
        shown = subprocess.run([program, *command, *files], cwd=resnet, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        assert shown.stdout.startswith("A step takes "), shown.stdout
        assert "entries name no node of the graph" in shown.stdout


def test_totals_are_those_of_reports(run):
    text = overview(run, "profile")
    total = root(run, "--select=micros,accelerator_micros,cpu_micros,bytes,float_ops")
    time, accelerator, cpu = (
        total(column, "us") for column in ("exec_micros", "accelerator_exec_micros",
                                           "cpu_exec_micros"))
    assert (f"\noperation time, all threads  {time} (cpu {cpu}, accelerator {accelerator}), "
            "mean of 3 steps\n") in text
    assert f"\nmemory            {total('requested_bytes', 'B')} requested" in text
    assert f"\nfloat operations  {total('float_ops', '')}\n" in text
    trainable, variables = (
        root(run, "--select=params", f"--account_type_regexes={types}")("parameters", "")
        for types in ("_trainable_variables", "VariableV2"))
    assert f"\nparameters        {trainable} trainable, {variables} in all variables\n" in text


def test_the_peak_is_what_the_allocator_had_in_use(run, tmp_path):
    """a holds 300 bytes and b 400, but b is made when a's are given back: never 700."""
    (tmp_path / "graph.pbtxt").write_text('node { name: "a" op: "MatMul" }\nnode { name: "b" op: "MatMul" }\n')
    (tmp_path / "run_meta.pbtxt").write_text("step_stats { dev_stats { device: '/device:GPU:0' %s } }\n" % " ".join(
        f"node_stats {{ node_name: '{name}' all_start_micros: {start} op_end_rel_micros: 10 all_end_rel_micros: 10 "
        f"memory {{ allocator_name: 'GPU_0_bfc' total_bytes: {size} peak_bytes: {size} allocator_bytes_in_use: {in_use} }} }}"
        for name, start, size, in_use in (("a", 100, 300, 300), ("b", 200, 400, 450))))
    said = json.loads(run("graph.pbtxt", "run_meta.pbtxt", "--output=json", directory=tmp_path).stdout)
    assert (said["peak_bytes"], said["requested_bytes"]) == (450, 700)
    # Saved profiles have no readings of allocators.
    assert json.loads(run("profile", "--output=json").stdout)["peak_bytes"] is None


def test_variables_in_a_checkpoint_are_counted_once(run, tmp_path):
    """They get a second type."""
    dims = b"".join(field(2, field(1, size)) for size in (5, 4))
    (tmp_path / "graph.pb").write_bytes(field(1, (
        field(1, "layer/weights") + field(2, "VariableV2") +
        field(5, field(1, "shape") + field(2, field(7, dims))))))
    for files in [tmp_path / "graph.pb"], [tmp_path / "graph.pb", CHECKPOINT]:
        assert "\nparameters        20\n" in overview(run, *files)


def test_what_is_missing_and_how_to_get_it(run):
    def missing(*files):
        lines = overview(run, *files).split("\nmissing", 1)[-1].split("\n\n")[0].splitlines()
        return [line.split(":")[0].strip() for line in lines if ": add " in line]
    assert missing("profile") == ["values of variables"]
    assert missing("graph.pb") == ["times, memory and devices", "float operations", "lines of code",
                                   "values of variables"]
    assert missing("profile", CHECKPOINT) == []
    assert missing("run_meta_0") == ["data flow, shapes and parameters", "float operations",
                                     "lines of code", "values of variables"]
    assert missing(CHECKPOINT) == ["times, memory and devices", "float operations", "lines of code"]
    assert "add run metadata (RunMetadata)" in overview(run, "graph.pb")


def test_what_is_missing_in_a_trace(run):
    """In words of those who recorded it; programs of JAX tell all that a graph would."""
    fit = overview(run, os.path.join(TOP, "examples", "traces", "keras_fit.xplane.pb.gz"))
    missing = fit[fit.index("\nmissing"):].split("\n\n")[0]
    assert "lines of code: add a SavedModel saved with save_debug_info=True, or record with tfprof.KerasCallback" in missing
    assert "op log" not in missing and "checkpoint" not in missing
    jax = os.path.join(TOP, "examples", "traces", "jax_transformer.xplane.pb.gz")
    assert "\nmissing" not in overview(run, jax)


@pytest.mark.parametrize("name", ["profile", "it's my profile", "$HOME", "a\tb'c\\d"])
@pytest.mark.parametrize("flag", ["", "--profile_path="])
def test_commands_worth_trying(run, program, resnet, tmp_path, name, flag):
    """They can be pasted into a shell as they are."""
    shutil.copy(resnet / "profile", tmp_path / name)
    text = overview(run, flag + (name if flag else f"./{name}"), directory=tmp_path)
    commands = re.findall(r"^  (tfprof .*)$", text, re.M)
    assert [command.split()[1] for command in commands] == ["step", "op", "code", "advise"]
    environment = {**os.environ, "PATH": f"{os.path.dirname(program)}:{os.environ['PATH']}"}
    for command in commands:
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True,
                              env=environment, timeout=60)
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) > 5


@pytest.mark.parametrize("files", [["graph.pb"], ["run_meta_0"], ["graph.pb", "run_meta_0"],
                                   ["graph.pb", "tfprof_log"], [CHECKPOINT]])
def test_commands_suit_the_files(run, files):
    commands = re.findall(r"^  tfprof (.*)$", overview(run, *files), re.M)
    assert len(commands) == (4 if "run_meta_0" in files else 3)
    for command in commands:
        done = run(*shlex.split(command))
        assert done.returncode == 0
        assert b"in this profile" not in done.stderr, f"{command} shows zeros"


def test_many_files_are_counted(run):
    text = overview(run, "graph.pb", *["run_meta_0"] * 11)
    assert text.count("run_meta_0: a RunMetadata") == 7
    assert "\nand 4 more\n" in text


def test_lines_on_stdin_are_run_instead(run):
    done = run("profile", stdin=b"scope -max_depth 1 -select params\n")
    assert b"_TFProfRoot" in done.stdout and b"float operations  " not in done.stdout
    assert done.returncode == 0


def test_standard_input_is_a_file_or_a_script(run, resnet):
    text = overview(run, "-", stdin=(resnet / "profile").read_bytes())
    assert "\n\nstandard input: a ProfileProto, " in text
    assert "\n  tfprof advise FILE\n" in text


def test_a_terminal_gets_the_shell_behind_it(sit_down):
    terminal = sit_down("profile", columns=200)
    text = terminal.prompt()
    assert "\nparameters        464.15k trainable" in text
    assert "\n  tfprof advise profile\n" in text


def test_a_script_without_files(run):
    """An error, not help; without lines, help."""
    done = run(stdin=b"op\n")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"tfprof: no input: give FILE")
    done = run(stdin=b"")
    assert done.returncode == 0
    assert done.stdout.startswith(b"tfprof: where the time")


def test_a_batch_that_was_assumed_is_said(run):
    """And float operations of it are not divided by the time of the batch that ran."""
    model = os.path.join(TESTS, "models", "files", "mlp", "export")
    trace = os.path.join(TESTS, "xplane", "samples", "tf_cnn_loop.xplane.pb.gz")
    said = ", of a batch of 1: the file leaves it open\n"
    assert said in overview(run, trace, model)
    assert said not in overview(run, "profile")
    answers = [json.loads(run("layers", *files, "--output=json").stdout)
               for files in ((trace, model), ("profile",))]
    assert "assumed_batch" in [note["id"] for note in answers[0]["notes"]]
    assert ["float_ops_per_second" in answer["nodes"][0] for answer in answers] == [False, True]
    assert all("float_ops" in answer["nodes"][0] for answer in answers)
