"""Wrong command lines: status 2 and one line with what is wrong, what was expected
and, for a misspelt word, the nearest one."""

import os
import shutil
import signal
import subprocess
import time

import pytest
import tree
from wire import field

GOOD = "--profile_path=p"


@pytest.mark.parametrize("argument, nearest", [
    ("--selct=micros", "select"), ("--max_dept=3", "max_depth"), ("--orderby=name", "order_by"),
    ("--profil_path=p", "profile_path"), ("--account_type_regex=.*", "account_type_regexes"),
])
def test_unknown_flag(tfprof, argument, nearest):
    tfprof.refuses(2, "op", GOOD, argument, says=[argument.partition("=")[0], nearest])


@pytest.mark.parametrize("argument, bad, nearest", [
    ("--select=micro", "micro", "micros"), ("--select=micros,byte", "byte", "bytes"),
    ("--select=param", "param", "params"), ("--order_by=micro", "micro", "micros"),
    ("--order_by=Name", "Name", "name"), ("--order_by=float_op", "float_op", "float_ops"),
    ("--output=stdot", "stdot", "stdout"), ("--output=fille:outfile=x", "fille", "file"),
])
def test_unknown_word(tfprof, argument, bad, nearest):
    line = tfprof.refuses(2, "op", GOOD, argument, says=[bad, nearest])
    assert line.count(",") >= 2, "the valid words: " + line


@pytest.mark.parametrize("argument", [
    "--max_depth=abc", "--max_depth=", "--max_depth=1x", "--min_micros=1.5", "--step=first",
    "--max_depth=99999999999999999999", "--account_displayed_op_only=perhaps",
])
def test_bad_value(tfprof, argument):
    name, _, value = argument.partition("=")
    tfprof.refuses(2, "scope", GOOD, argument, says=[name.lstrip("-"), value])


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
@pytest.mark.parametrize("option", ["account_type_regexes", "start_name_regexes",
                                    "trim_name_regexes", "show_name_regexes",
                                    "hide_name_regexes"])
@pytest.mark.parametrize("regex", ["(bad", "a[", "*x", "[b-a]", "(?<n"])
def test_bad_regex(tfprof, view, option, regex):
    line = tfprof.refuses(2, view, GOOD, f"--{option}={regex}", says=[regex, option])
    assert any(letter.isdigit() for letter in line.replace(regex, "")), "the position: " + line


@pytest.mark.parametrize("word, shown", [
    (b"\xff", "?"), (b"a\xc3", "a?"), (b"\xe2\x82", "??"), (b"\xc2\x9b2J", "??2J"),
    (b"\xf5\x80\x80\x80", "????"), (b"\xe0\x80\x9b2J", "???2J"), (b"\xed\xa0\x80", "???"),
    ("a\u202eb\u2028".encode(), "a???b???"), ("Größe€😀".encode(), "Größe€😀"),
])
def test_messages_are_utf8(tfprof, word, shown):
    """Whatever bytes were typed, and also where a long message is cut."""
    word = os.fsdecode(word)
    tfprof.refuses(2, "scope", GOOD, word, says=[f"unexpected word: {shown}: "])
    tfprof.refuses(2, "scope", GOOD, word * 2000, says=["unexpected word: "])


def test_bad_regex_behind_a_good_one(tfprof):
    tfprof.refuses(2, "scope", GOOD, "--show_name_regexes=.*,(bad", says=["(bad"])


def test_regex_exceeds_the_match_limit(tfprof):
    """An error or an answer, within the time limit of a test."""
    done = tfprof.run("scope", GOOD, "--show_name_regexes=(([a-z_/0-9]*)*)*!")
    assert done.returncode in (0, 1, 2)
    assert done.returncode == 0 or (done.stdout == b"" and done.stderr.startswith(b"tfprof: "))


@pytest.fixture(scope="module")
def many_names(tmp_path_factory):
    """20,000 names that the regexes below take a long time to reject."""
    path = tmp_path_factory.mktemp("names") / "g"
    path.write_bytes(b"".join(
        field(1, field(1, "a" * 30 + f"!{i}") + field(2, f"{'b' * 30}!{i}"))
        for i in range(20000)))
    return path


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
@pytest.mark.parametrize("option", ["account_type_regexes", "start_name_regexes",
                                    "trim_name_regexes", "show_name_regexes",
                                    "hide_name_regexes"])
@pytest.mark.parametrize("jit", [True, False])
def test_a_runaway_regex_ends_the_query_at_its_first_failure(many_names, view, option, jit):
    """All 20,000 names would take minutes."""
    begin = time.monotonic()
    done = subprocess.run([tree.program(), view, f"--graph_path={many_names}",
                           f"--{option}=(a+)+$,(b+)+$"], capture_output=True,
                          env=None if jit else {**os.environ, "TFPROF_NO_JIT": "1"})
    assert time.monotonic() - begin < 5
    line = done.stderr.decode().splitlines()[-1]
    assert done.returncode == 2 and done.stdout == b""
    assert line.startswith(f"tfprof: --{option}: matching '(") and "limit exceeded" in line


@pytest.mark.parametrize("view", ["scope", "op"])
def test_ctrl_c_takes_effect_between_names(tmp_path, view):
    """No name exceeds the limit here, but each takes milliseconds."""
    path = tmp_path / "g"
    path.write_bytes(b"".join(field(1, field(1, "a" * 16 + f"!{i}") + field(2, "a" * 16 + f"!{i}"))
                              for i in range(20000)))
    running = subprocess.Popen(
        [tree.program(), view, f"--graph_path={path}", "--show_name_regexes=(a+)+$"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    assert running.poll() is None, "too fast to interrupt"
    begin = time.monotonic()
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert time.monotonic() - begin < 2
    assert running.returncode == 130


@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 1, 2]])
def test_closed_streams(tmp_path, closed):
    """No input becomes a standard stream: its bytes would be run as commands, or be
    written over."""
    path = tmp_path / "p"  # stays open as long as the program runs
    shutil.copy(tree.TOP + "/examples/resnet/profile", path)
    before = path.read_bytes()
    script = " ".join(f"{fd}>&-" if fd else "0<&-" for fd in closed)
    for command in ("", "scope"):
        done = subprocess.run(["sh", "-c", f'exec "$0" {command} "--profile_path={path}" {script}',
                               tree.program()], capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=60)
        assert path.read_bytes() == before
        assert b"unknown command" not in done.stderr
        if 0 in closed and len(closed) == 1:
            assert done.returncode == 0
        if command and 1 in closed:
            assert done.returncode == 1, "the report is lost, and that is an error"


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_missing_step(tfprof, view):
    tfprof.refuses(2, view, GOOD, "--step=77", says=["77", "0", "1", "2"])


def test_missing_step_without_any(tfprof):
    tfprof.refuses(2, "scope", "--graph_path=g", "--step=0", says=["step"])


@pytest.mark.parametrize("other", ["--graph_path=g", "--run_meta_path=r"])
def test_profile_and_files_together(tfprof, other):
    tfprof.refuses(2, "scope", GOOD, other, says=["profile_path", other.partition("=")[0][2:]])


def test_no_files(tfprof):
    tfprof.refuses(2, "scope", says=["profile_path"])


@pytest.mark.parametrize("command, nearest", [("scop", "scope"), ("grpah", "graph"),
                                              ("ops", "op"), ("Code", "code")])
def test_unknown_command(tfprof, command, nearest):
    tfprof.refuses(2, command, GOOD, says=[command, nearest])


def test_two_commands(tfprof):
    tfprof.refuses(2, "scope", "op", GOOD, says=["op"])


@pytest.mark.parametrize("output", ["file", "file:", "file:outfile=", "file:out=x",
                                    "file:outfile"])
def test_output_without_outfile(tfprof, output):
    tfprof.refuses(2, "scope", GOOD, f"--output={output}", says=["outfile"])


def test_flag_without_value(tfprof):
    tfprof.refuses(2, "scope", GOOD, "--max_depth", says=["max_depth"])


def test_code_view_without_call_stacks(tfprof):
    line = tfprof.run("code", "--graph_path=g")
    assert line.returncode in (1, 2)
    assert line.stdout == b""
    assert b"code trace" in line.stderr


def test_an_empty_profile_is_not_saved(tfprof, tmp_path):
    """Nothing would recognize the file."""
    graph = tmp_path / "graph"
    graph.write_bytes(field(4, field(1, 1395)))
    done = tfprof.run("save", tmp_path / "new", f"--graph_path={graph}")
    assert done.returncode == 1 and b"nothing to save: the profile is empty" in done.stderr
    assert not (tmp_path / "new").exists()
