"""The shell without a terminal: lines from a pipe or a file."""

import re
import shutil
import signal
import subprocess

import pytest

SUMMARY = (r"\d+ nodes, 3 steps, 1 device; call stacks, float operations, no checkpoint; "
           r"coverage 0\.\d\d")


@pytest.fixture(scope="module")
def script(run):
    def run_script(text, *arguments):
        done = run(*(arguments or ["--profile_path=profile"]), stdin=text.encode())
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        assert "tfprof> " not in done.stdout + done.stderr
        return done
    return run_script


def test_what_the_documents_promise(script):
    done = script("set -select params\nscope\n")
    assert done.returncode == 0
    assert "_TFProfRoot (--/930.58k params)" in done.stdout


def test_lines_equal_single_reports(script, run):
    done = script("op -select micros -order_by micros\nscope -max_depth 2 -select params\n")
    one = run("op", "--profile_path=profile", "--select=micros", "--order_by=micros").stdout
    two = run("scope", "--profile_path=profile", "--max_depth=2", "--select=params").stdout
    assert done.stdout == (one + two).decode()


def test_options_hold_for_their_line_only(script):
    done = script("scope -select params -max_depth 1\n\n")
    assert "-select                     micros\n" in done.stdout
    assert "-max_depth                  10\n" in done.stdout


def test_set_holds_on(script):
    done = script("set -select params -max_depth 2\nset -step 1\nset\n")
    for line in ("-select                     params", "-max_depth                  2",
                 "-step                       1"):
        assert line + "\n" in done.stdout


def test_options_of_the_command_line_are_the_first_defaults(script):
    done = script("\nset -max_depth 7\n\n", "--profile_path=profile", "--max_depth=3",
                  "--select=params")
    assert done.stdout.count("-select                     params\n") == 2
    assert "-max_depth                  3\n" in done.stdout
    assert "-max_depth                  7\n" in done.stdout


def test_empty_line_and_set_alone_show_the_same(script):
    assert script("\n").stdout == script("set\n").stdout == script("  \t \n").stdout
    assert script("\n").stdout.splitlines()[0] == "-max_depth                  10"


def test_the_form_of_the_options(script):
    for line in script("\n").stdout.splitlines():
        assert line.startswith("-") and line[27] == " " and (len(line) == 28 or line[28] != " ")


@pytest.mark.parametrize("line, status, says", [
    ("scope -select parms", 2, "'parms'"), ("scop", 2, "did you mean scope?"),
    ("scope -selct params", 2, "did you mean -select?"),
    ("scope -max_depth x", 2, "-max_depth: 'x'"),
    ("scope -max_depth", 2, "no value given: -max_depth"), ("scope 'x", 2, "quote"),
    ("scope params", 2, "unexpected word: params"), ("-max_depth 3", 2, "no command"),
    ("set -order_by size", 2, "'size'"), ("scope -show_name_regexes (", 2, "-show_name_regexes"),
    ("scope -step 77", 2, "0 1 2"), ("help nothing_like_it", 2, "nothing_like_it"),
    ("scope -output file", 2, "outfile"),
    ("scope -output file:outfile=/no/such/x", 1, "/no/such/x"),
    ("scope -profile_path x", 2, "-profile_path is a command line flag"),
    ("set -fail_on high", 2, "-fail_on is an option of the command advise"),
    ("scope -help", 2, "-help"), ("op | no-such-command", 2, "cannot run: no-such-command"),
    ("op | false", 1, "exit status 1: false"),
    ("op | cat > /dev/full", 1, "exit status 1: cat > /dev/full"),
    ("op | kill -9 $$", 1, "exit status 137: kill -9 $$"),
])
def test_a_wrong_line(script, line, status, says):
    """One error line; the other lines still run; the status is that of the first failure."""
    done = script(f"{line}\nscope -max_depth 1 -select params\nquit now\nop -select\n")
    errors = [text for text in done.stderr.splitlines() if text.startswith("E: ")]
    assert len(errors) == 3
    assert errors[0].startswith("E: line 1: ") and says in errors[0], errors[0]
    assert errors[1].startswith("E: line 3: ") and errors[2].startswith("E: line 4: ")
    assert "_TFProfRoot (--/930.58k params)" in done.stdout
    assert done.returncode == status


def test_a_command_that_has_seen_enough_has_not_failed(script):
    done = script("graph -max_depth 100000 | true\ngraph -max_depth 100000 | head -1\n"
                  "graph -max_depth 100000 | kill -PIPE $$\n")
    assert done.returncode == 0 and "E: " not in done.stderr


def test_a_wrong_line_changes_no_default(script):
    before = script("set -max_depth 4\nset\n").stdout
    assert script("set -max_depth 4\nset -step 1 -select nothing\nset\n").stdout == before
    assert script("set -max_depth 4\nset -max_depth 9 -hide_name_regexes [\nset\n").stdout == before


def test_quit_ends_it(script):
    for word in ("quit", "exit"):
        done = script(f"{word}\nscope -select nonsense\n")
        assert (done.returncode, done.stdout) == (0, "")


def test_quoted_values(script):
    plain = script("scope -select params -show_name_regexes pool_logit/DW\n").stdout
    for quoted in ("'pool_logit/DW'", '"pool_logit/DW"', "pool_'logit/D'W", '\'pool\'"_logit"/DW'):
        assert script(f"scope -select params -show_name_regexes {quoted}\n").stdout == plain
    done = script("scope -select params -show_name_regexes 'a b' -hide_name_regexes \"it's\"\n")
    assert done.returncode == 0 and "_TFProfRoot" in done.stdout
    done = script("set -trim_name_regexes ''\nset -hide_name_regexes=\nset\n")
    assert "-trim_name_regexes          \n" in done.stdout


def test_a_backslash_is_a_letter(script):
    done = script("set -hide_name_regexes save\\/.*\nset\n")
    assert "-hide_name_regexes          save\\/.*\n" in done.stdout


def test_bool_without_value(script):
    line = "scope -show_name_regexes unit_2_1.*DW -max_depth 100 -account_displayed_op_only"
    for rest in (" -select params", " true -select params", "=true -select params"):
        assert "_TFProfRoot (--/18.43k params)" in script(line + rest + "\n").stdout
    assert "_TFProfRoot (--/930.58k params)" in script(line + " false -select params\n").stdout


def test_comments_and_line_ends(script):
    done = script("# a comment\r\nscope -max_depth 1 -select params\r\n   # another\r\n")
    assert done.returncode == 0
    assert "_TFProfRoot (--/930.58k params)" in done.stdout
    done = script("scope -max_depth 1 -select params")
    assert "_TFProfRoot (--/930.58k params)" in done.stdout, "no newline at the end"


def test_odd_bytes(run):
    done = run("--profile_path=profile", stdin=b"scope\0 -max_depth 1\n\xff\xfe\nquit\n")
    assert done.returncode == 2
    assert done.stderr.decode().count("E: ") == 2, "errors are UTF-8"


def test_a_very_long_line(script):
    regexes = ",".join(f"unit_{i}" for i in range(100_000))
    done = script(f"scope -select params -show_name_regexes {regexes}\n")
    assert done.returncode == 0
    assert "_TFProfRoot (--/930.58k params)" in done.stdout


def test_summary(run):
    done = run("--graph_path=graph.pb", "--op_log_path=tfprof_log",
               "--run_meta_path=run_meta_0,run_meta_1,run_meta_2", stdin=b"quit\n")
    lines = done.stderr.decode().splitlines()
    assert re.fullmatch(r"run_meta_0: \d+ of \d+ entries name no node of the graph: added as nodes",
                        lines.pop(0))
    assert [line[:20] for line in lines[:3]] == ["run graph coverage: "] * 3
    assert re.fullmatch(SUMMARY, lines[3])
    assert len(lines) == 4
    assert done.returncode == 0


def test_summary_counts_nodes(script):
    done = script("op -select occurrence -max_depth 10000\n", "--graph_path=graph.pb")
    defined = re.findall(r"^\S+ +\d+\|(\d+)$", done.stdout, re.M)
    assert done.stderr.startswith(f"{sum(map(int, defined))} nodes, 0 steps, 0 devices; ")


def test_stdout_that_is_full(run):
    with open("/dev/full", "wb") as full:
        done = run("--profile_path=profile", stdin=b"scope\nscope\nscope\n", stdout=full)
    assert done.returncode == 1
    assert done.stderr.count(b"cannot write") == 1, "it gives up"


def test_advise_status(script):
    assert script("advise\n").returncode == 0
    assert script("advise -checker NoSuch\n").returncode == 2


def test_help_in_the_shell(script):
    text = script("help\n").stdout
    for word in ("scope", "set", "quit", "-max_depth", "-select"):
        assert word in text
    assert "--profile_path" not in text
    assert script("help set\n").stdout.startswith("set [OPTION...]\n")
    assert "-select params" in script("help scope\n").stdout
    assert script("help -select\n").stdout == script("help select\n").stdout


@pytest.fixture
def session(program, resnet, tmp_path):
    """A shell that has loaded its own copy of a file and answered once."""
    shutil.copy(resnet / "profile", tmp_path / "profile")
    with subprocess.Popen([program, "--profile_path=profile"], cwd=tmp_path, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as shell:
        shell.stdin.write("scope -max_depth 1 -select params\n")
        shell.stdin.flush()
        assert "_TFProfRoot (--/930.58k params)\n" in iter(shell.stdout.readline, "")
        yield shell


def test_file_written_to_after_loading(session, tmp_path):
    """As a training script does when it runs again."""
    (tmp_path / "profile").write_bytes(b"")
    output, errors = session.communicate("scope\n", timeout=60)
    assert session.returncode == 1
    assert "_TFProfRoot" not in output
    assert errors.endswith("profile: it has changed since it was loaded: reload it\n")


def test_file_cut_short_while_it_is_read(session):
    """The system raises SIGBUS; when is hard to time, so the test sends it."""
    session.send_signal(signal.SIGBUS)
    _, errors = session.communicate(timeout=60)
    assert session.returncode == 1
    assert errors.endswith("tfprof: an input file was truncated while it was being read\n")
