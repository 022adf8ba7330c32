"""The shell at a terminal: commands, completion, history, interrupts."""

import itertools
import json
import os
import re
import signal
import time

import pytest
import tree
from wire import field

UP, DOWN, TAB, CTRL_C, CTRL_D, CTRL_R = "\x1b[A", "\x1b[B", "\t", "\x03", "\x04", "\x12"


@pytest.fixture
def shell(sit_down):
    terminal = sit_down("--profile_path=profile", rows=500)
    terminal.prompt()
    return terminal


# ---- commands ----------------------------------------------------------------


def test_prompt_and_report(shell):
    text = shell.ask("scope -select params -max_depth 1")
    assert "_TFProfRoot (--/930.58k params)" in text
    assert b"\x1b[2mDoc:" in shell.raw and b"\x1b[1mnode name" in shell.raw


def test_loading_says_what_it_loaded(sit_down):
    terminal = sit_down("--graph_path=graph.pb", "--run_meta_path=run_meta_0", columns=200)
    text = terminal.prompt()
    assert text.startswith("Reading Files...\nParsing GraphDef...\n")
    assert re.search(r"^run graph coverage: 0\.\d\d$", text, re.M)
    assert re.search(r"^graph.pb: a GraphDef, [\d.]+KB\nrun_meta_0: a RunMetadata, [\d.]+KB\n"
                     r"\d+ nodes, 1 step, 1 device; \d\d% of the nodes ran$", text, re.M)


def test_set_and_empty_line(shell):
    assert "-max_depth                  10\n" in shell.ask("")
    shell.ask("set -max_depth 3")
    assert "-max_depth                  3\n" in shell.ask("")
    assert "-max_depth                  3\n" in shell.ask("set")


def test_errors_keep_the_session(shell):
    assert "E: -select: unknown word 'parms'" in shell.ask("set -max_depth 5 -select parms")
    assert "E: unknown command: scpe" in shell.ask("scpe")
    assert "-max_depth                  10\n" in shell.ask("")
    shell.send("quit\n")
    assert shell.wait() == 0, "the person has seen the errors"


def test_doc_is_shown_once_for_each_view(shell):
    for view in ("op", "scope"):
        assert "Doc:" in shell.ask(f"{view} -max_depth 1")
        again = shell.ask(f"{view} -max_depth 1")
        assert "Doc:" not in again and "node name | " in again
        assert "Doc:" in shell.ask(f"{view} -max_depth 1 -doc true")
        assert "Doc:" not in shell.ask(f"{view} -max_depth 1 | cat")
    shell.ask("set -doc false")
    assert "Doc:" not in shell.ask("code -max_depth 1")
    shell.ask("reset")
    assert "Doc:" in shell.ask("code -max_depth 1")
    shell.ask("set -doc true")
    assert "Doc:" in shell.ask("op -max_depth 1")


def test_reset(sit_down):
    terminal = sit_down("--profile_path=profile", "--max_depth=7", rows=500)
    terminal.prompt()
    terminal.ask("set -max_depth 3 -select params")
    assert "-max_depth                  3\n" in terminal.ask("")
    terminal.ask("reset")
    text = terminal.ask("")
    assert "-max_depth                  7\n" in text
    assert "-select                     micros\n" in text


def test_question_mark(shell):
    assert "Commands:\n" in shell.ask("?")
    assert shell.ask("? select") == shell.ask("help select").replace("help select", "? select")


def test_save(shell, run, tmp_path, home):
    assert f"saved: {tmp_path}/it" in shell.ask(f"save {tmp_path}/it")
    expected = run("op", "--profile_path=profile").stdout
    assert run("op", f"--profile_path={tmp_path}/it").stdout == expected
    shell.ask("save ~/it")
    assert (home / "it").exists()
    assert "E: no file name given: use save FILE" in shell.ask("save")
    assert "E: unexpected word: b" in shell.ask("save a b")
    assert f"E: {tmp_path}/no/such: cannot write" in shell.ask(f"save {tmp_path}/no/such")


def test_report_to_a_file(shell, run, tmp_path):
    expected = run("op", "--profile_path=profile").stdout.decode()
    for line in (f"op > {tmp_path}/it", f"op >{tmp_path}/it", f"op > '{tmp_path}/it'"):
        assert shell.ask(line).replace(line, "").strip() == ""
        assert (tmp_path / "it").read_text() == expected, "with the explanation, each time"
        (tmp_path / "it").unlink()
    shell.ask(f"op -output json > {tmp_path}/it")
    assert json.loads((tmp_path / "it").read_text())["view"] == "op"
    shell.ask(f"op -output csv:formulas=text > {tmp_path}/it")
    assert (tmp_path / "it").read_text().startswith("id,parent,")
    shell.ask(f"advise > {tmp_path}/it")
    assert "ExpensiveOperationChecker:" in (tmp_path / "it").read_text()


@pytest.mark.parametrize("line, says", [
    ("op >", "> needs one file name"), ("op > a b", "> needs one file name"),
    ("op >> a", "cannot append"), ("help > a", "help has no report to write to a file"),
    ("> a", "> needs a report"), ("op -output none > a", "> and -output none cannot be combined"),
    ("op -output file:outfile=x > a", "> and -output file:outfile=x cannot be combined"),
    ("op |", "| needs a command"), ("op | no-such-command", "cannot run: no-such-command"),
    ("op > /dev/null/x", "/dev/null/x: cannot write"), ("op > profile", "loaded from this file"),
])
def test_wrong_ends_of_lines(shell, line, says):
    assert f"E: {says}" in shell.ask(line) or says in shell.ask(line)
    assert "_TFProfRoot" in shell.ask("scope -max_depth 1"), "and the shell goes on"


def test_completion_of_files(sit_down, tmp_path):
    (tmp_path / "unmistakable").write_text("")
    shell = sit_down("--profile_path=profile", columns=300)
    shell.prompt()
    for start in ("save", "op >"):
        shell.send(f"{start} {tmp_path}/unmis{TAB}")
        shell.expect("takable")
        shell.send(CTRL_C)
        shell.prompt()


def test_names_in_a_list_of_candidates_do_not_act(sit_down, tmp_path):
    (tmp_path / "g").write_bytes(b"".join(
        field(1, field(1, name) + field(2, "Op")) for name in ("n_\x1b[41m", "n_\x1b[42m")))
    terminal = sit_down("--graph_path=g", directory=tmp_path)
    terminal.prompt()
    terminal.send(f"scope -show_name_regexes n_{TAB}{TAB}")
    terminal.expect("n_?[41m")
    assert b"\x1b[41m" not in terminal.raw


def test_report_to_a_command(shell):
    text = shell.ask("op -doc false | grep -c Conv2D | sed 's/^/found /'")
    assert "found 3\n" in text and "\x1b[" not in text
    assert "first line" in shell.ask("scope -max_depth 100000 | head -1 | sed 's/^$/first line/'")
    assert "overview" in shell.ask("help | cat")
    assert "_TFProfRoot" in shell.ask("scope -max_depth 1")


def test_a_command_that_does_not_read(shell):
    shell.ask("graph -max_depth 100000 | true")
    shell.send("graph -max_depth 100000 | sleep 1000\n")
    time.sleep(0.5)
    shell.send(CTRL_C)
    shell.prompt()
    assert "_TFProfRoot" in shell.ask("scope -max_depth 1")


def test_operators_inside_words_are_values(shell):
    text = shell.ask("op -show_name_regexes MatMul|Relu -select params -max_depth 100")
    assert "MatMul " in text and "Relu " in text
    assert "E: " not in shell.ask("op -show_name_regexes '| x' -select params")
    assert "E: " not in shell.ask("op -show_name_regexes '> x' -select params")


@pytest.mark.parametrize("line", [
    "tfprof op --profile_path=profile --select=params --max_depth=0",
    "tfprof --profile_path=other op --select params --max-depth 0",
    "$ tfprof op profile --select=params --max_depth=0",
    "/usr/bin/tfprof op --graph_path=g --select=params --max_depth=0",
])
def test_pasted_command_line(shell, line):
    text = shell.ask(line)
    assert "\nVariableV2 " in text and "E: " not in text
    assert "the files named are ignored: the shell already has a profile\n" in text


def test_pasted_prompt(run):
    done = run("--profile_path=profile", stdin=b"tfprof> op -select params -max_depth 0\n")
    assert done.returncode == 0 and b"\nVariableV2 " in done.stdout


def test_units_and_blanks(shell):
    shell.ask("set -min_micros 1.5ms -min_bytes 2MB -select bytes, micros")
    text = shell.ask("")
    for line in ("-min_micros                 1500\n", "-min_bytes                  2000000\n",
                 "-select                     bytes,micros\n"):
        assert line in text
    shell.ask("set -select params -select device")
    assert "-select                     device,params\n" in shell.ask("")
    assert "E: unknown flag: -max_dept: did you mean -max_depth?" in shell.ask("op -max_dept 3")


@pytest.mark.parametrize("ending", ["quit\n", "exit\n", CTRL_D])
def test_leaving(shell, ending):
    shell.send(ending)
    assert shell.wait() == 0
    assert shell.seen.endswith("\n")


def test_terminal_that_goes_away(shell):
    os.kill(shell.pid, signal.SIGHUP)
    assert shell.wait() != 0


def test_dumb_terminal(sit_down):
    terminal = sit_down("--profile_path=profile", rows=500, TERM="dumb")
    terminal.prompt()
    assert "_TFProfRoot (--/930.58k params)" in terminal.ask("scope -select params -max_depth 1")
    assert b"\x1b[2m" not in terminal.raw


def test_without_a_home(sit_down):
    terminal = sit_down("--profile_path=profile", rows=500, HOME="")
    terminal.prompt()
    terminal.ask("set -max_depth 3")
    terminal.send(CTRL_D)
    assert terminal.wait() == 0


# ---- interrupts --------------------------------------------------------------


def test_ctrl_c_drops_the_line(shell):
    shell.send("scope -select nonsense")
    shell.expect("nonsense")
    shell.send(CTRL_C)
    assert "E:" not in shell.prompt()
    assert "E:" not in shell.ask("set -max_depth 2")


@pytest.fixture(scope="session")
def large_graph(tmp_path_factory):
    """Enough nodes that a report takes a while."""
    path = tmp_path_factory.mktemp("large") / "graph"
    with open(path, "wb") as file:
        for i in range(400_000):
            name = b"block_%d/unit_%d/node_%d" % (i % 97, i // 97 % 1009, i)
            file.write(field(1, field(1, name) + field(2, b"Op%d" % (i % 50))))
    return path


def test_ctrl_c_ends_the_query_only(sit_down, large_graph, tmp_path):
    terminal = sit_down(f"--graph_path={large_graph}", rows=500)
    terminal.prompt()
    # Views are cached, so Ctrl-C stops the query itself.
    terminal.ask("scope -max_depth 1")
    target = tmp_path / "report"
    # A late Ctrl-C finds the report written, an early one discards the line.
    delays = itertools.cycle(0.05 / 1.5**i for i in range(12))
    deadline = time.monotonic() + 60
    answer = ""
    while "E: the query was stopped" not in answer:
        assert time.monotonic() < deadline
        target.unlink(missing_ok=True)
        terminal.send(f"scope -select occurrence -output file:outfile={target}\n")
        time.sleep(next(delays))
        terminal.send(CTRL_C + "so_far\n")
        answer = terminal.expect("E: unknown command: so_far")
        terminal.prompt()
    assert list(tmp_path.iterdir()) == [tmp_path / "home"], "nothing half written"
    assert "_TFProfRoot" in terminal.ask("scope -max_depth 1 -select occurrence")
    terminal.send("quit\n")
    assert terminal.wait() == 0


def test_stop_and_go_on(shell):
    """Ctrl-Z returns the terminal; the line is still there afterwards."""
    shell.send("scope -select params -max")
    time.sleep(0.2)
    os.kill(shell.pid, signal.SIGTSTP)
    _, status = os.waitpid(shell.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    os.kill(shell.pid, signal.SIGCONT)
    shell.send("_depth 1\n")
    shell.expect("_TFProfRoot (--/930.58k params)")


def test_window_that_changes(shell):
    shell.resize(500, 40)
    os.kill(shell.pid, signal.SIGWINCH)
    shell.send("scope -select params -max_depth 1\n")
    shell.expect("_TFProfRoot (--/930.58k params)")


# ---- history -----------------------------------------------------------------


def test_history_over_runs(sit_down, history, home):
    first = sit_down("--profile_path=profile", rows=500)
    first.prompt()
    first.ask("set -max_depth 3")
    first.ask("scope -select nonsense")
    first.send("quit\n")
    first.wait()
    assert history() == ["set -max_depth 3", "scope -select nonsense", "quit"]
    assert (home / ".local/state/tfprof/history").stat().st_mode & 0o777 == 0o600

    second = sit_down("--profile_path=profile", rows=500)
    second.prompt()
    second.send(UP + UP + UP + "\n")
    second.prompt()
    assert "-max_depth                  3\n" in second.ask("")
    assert history()[-1] == "set -max_depth 3"


def test_history_keeps_no_line_twice_in_a_row(shell, history):
    for line in ("set", "set", "", "set -step 1", "set"):
        shell.ask(line)
    assert history() == ["set", "set -step 1", "set"]


def test_history_is_in_xdg_state_home(sit_down, tmp_path, home):
    terminal = sit_down("--profile_path=profile", rows=500, XDG_STATE_HOME=str(tmp_path / "state"))
    terminal.prompt()
    terminal.ask("set -max_depth 3")
    assert (tmp_path / "state/tfprof/history").read_text() == "set -max_depth 3\n"
    assert not list(home.iterdir())


def test_long_history_is_cut(sit_down, history, home):
    folder = home / ".local/state/tfprof"
    folder.mkdir(parents=True)
    (folder / "history").write_text("".join(f"set -step {i}\n" for i in range(5000)))
    terminal = sit_down("--profile_path=profile", rows=500)
    terminal.prompt()
    assert history() == [f"set -step {i}" for i in range(4000, 5000)]
    terminal.send(UP + "\n")
    terminal.prompt()
    assert "-step                       4999\n" in terminal.ask("")
    assert [path.name for path in folder.iterdir()] == ["history"]


def test_searching_history(shell, history):
    shell.ask("set -max_depth 6")
    shell.ask("set -step 1")
    shell.send(CTRL_R + "depth")
    time.sleep(0.2)
    shell.send("\n")
    expected = ["set -max_depth 6", "set -step 1", "set -max_depth 6"]
    assert history(expected) == expected


# ---- completion --------------------------------------------------------------


@pytest.mark.parametrize("typed, line", [
    ("sc\t-max_depth 1", "scope -max_depth 1"),
    ("gr\t-sel\tpar\t -max_d\t1", "graph -select params -max_depth 1"),
    ("set --order\tocc\t", "set --order_by occurrence "),
    ("set -order_by=mic\t", "set -order_by=micros "),
    ("set -select micros,by\t,par\t", "set -select micros,bytes,params"),
    ("set -account_d\tt\t", "set -account_displayed_op_only true "),
    ("scope -max_depth 1 -account_type_regexes _trai\t",
     "scope -max_depth 1 -account_type_regexes _trainable_variables"),
    ("scope -max_depth 1 -show_name_regexes pool_l\tD\t/Mo\t",
     "scope -max_depth 1 -show_name_regexes pool_logit/DW/Momentum"),
    ("scope -max_depth 1 -show_name_regexes costs,pool_logit/bias\t/Mo\t",
     "scope -max_depth 1 -show_name_regexes costs,pool_logit/biases/Momentum"),
    ("op -max_depth 0 -start_name_regexes Conv2DBackpropF\t",
     "op -max_depth 0 -start_name_regexes Conv2DBackpropFilter"),
    ("scope -max_depth 0 -output fi\tno_such", "scope -max_depth 0 -output file:outfile=no_such"),
    ("help ord\t", "help order_by "),
    ("advise -fail\tnon\t-checker Oper\t", "advise -fail_on none -checker OperationChecker "),
    ("set -select 'micros,by\t,par\t'", "set -select 'micros,bytes,params'"),
])
def test_tab(shell, history, typed, line):
    for part in re.split("(\t)", typed):
        shell.send(part)
        time.sleep(0.05)
    shell.send("\n")
    assert history([line]) == [line]


def test_tab_in_the_middle_of_a_line(shell, history):
    shell.send("set -sel -max_depth 3" + "\x1b[D" * len(" -max_depth 3"))
    time.sleep(0.1)
    shell.send("\tmic\t")
    time.sleep(0.1)
    shell.send("\n")
    expected = ["set -select micros -max_depth 3"]
    assert history(expected) == expected


def test_tab_completes_files(sit_down, history, tmp_path):
    work = tmp_path / "work"
    (work / "out put").mkdir(parents=True)
    (work / "other.txt").touch()
    (work / ".hidden").touch()
    os.symlink(os.path.join(tree.TOP, "examples", "resnet", "profile"), work / "profile")
    terminal = sit_down("--profile_path=profile", rows=500, directory=work)
    terminal.prompt()
    terminal.send("scope -output file:outfile=o\t")
    time.sleep(0.1)
    terminal.send("\t")
    assert "other.txt  out put/" in terminal.prompt()
    terminal.send("ut\t")
    time.sleep(0.2)
    terminal.send("x'\n")
    expected = ["scope -output 'file:outfile=out put/x'"]
    assert history(expected) == expected
    terminal.send("quit\n")
    assert terminal.wait() == 0
    assert (work / "out put" / "x").exists()


def test_tab_never_completes_a_name_into_a_command(sit_down, history, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    (work / "graph").write_bytes(b"".join(
        field(1, field(1, name) + field(2, b"NoOp"))
        for name in (b"conv1'\" | touch PWNED #", b"| touch PWNED")))
    terminal = sit_down("--graph_path=graph", rows=500, directory=work)
    terminal.prompt()
    typed = ("scope -select params -show_name_regexes con\t",
             "scope -select params -show_name_regexes \"|\t")
    for line in typed:
        for part in re.split("(\t)", line):
            terminal.send(part)
            time.sleep(0.1)
        terminal.send("\n")
        terminal.prompt()
    expected = ["""scope -select params -show_name_regexes "conv1'"'"'" | touch PWNED #""",
                'scope -select params -show_name_regexes "| touch PWNED']
    assert history(expected) == expected
    terminal.send("quit\n")
    assert terminal.wait() == 0
    assert os.listdir(work) == ["graph"]


def test_tab_lists(shell):
    shell.send("scope -show_name_regexes unit_1_\t")
    assert "unit_1_0/  unit_1_1/  unit_1_2/  unit_1_3/  unit_1_4/" in shell.prompt()
    shell.send("0/su\t")
    time.sleep(0.1)
    shell.send("\t")
    listed = shell.prompt()
    assert "sub1/" in listed and "unit_1_0/sub1/" not in listed.split("\n", 1)[1]


def test_tab_lists_commands_and_options(shell):
    shell.send("\t")
    listed = shell.prompt()
    for word in ("scope", "graph", "op", "code", "advise", "help", "set", "quit"):
        assert word in listed.split()
    shell.send("advise \t\t")
    shell.expect("-checker")
    listed = shell.prompt()
    assert "-max_depth" not in listed


def test_tab_lists_no_more_than_the_screen(sit_down):
    terminal = sit_down("--profile_path=profile", rows=10)
    terminal.prompt()
    terminal.send("op -start_name_regexes \t")
    assert re.search(r"\.\.\. and \d+ more\n", terminal.prompt())


def test_tab_with_nothing_to_say(shell, history):
    shell.send("scope -max_depth \t\t-select zzz\t\t")
    shell.expect("zzz")        # Ctrl-C discards unread input
    shell.send(CTRL_C)
    shell.prompt()
    assert "-max_depth                  10" in shell.ask("")


def test_tab_among_many_names(sit_down, large_graph):
    terminal = sit_down(f"--graph_path={large_graph}", rows=40)
    terminal.prompt()
    terminal.send("scope -show_name_regexes bl\t")
    terminal.expect("ock_")
    start = time.monotonic()
    terminal.send("96/\t\t")
    terminal.expect("more\n")
    terminal.prompt()
    assert time.monotonic() - start < 1, "the names are sorted by now"


# ---- the pager ---------------------------------------------------------------


def make_pager(directory):
    pager = directory / "pager"
    pager.write_text("#!/bin/sh\ncat > seen_by_pager\necho END OF PAGER\n")
    pager.chmod(0o755)
    return pager


def test_long_reports_are_paged(sit_down, tmp_path):
    pager = make_pager(tmp_path)
    terminal = sit_down("--profile_path=profile", rows=24, PAGER=f"cd {tmp_path}; {pager}")
    terminal.prompt()
    assert "END OF PAGER" not in terminal.ask("scope -max_depth 1 -select params"), "it fits"
    assert "END OF PAGER" in terminal.ask("scope -select params")
    text = (tmp_path / "seen_by_pager").read_text()
    assert "_TFProfRoot (--/930.58k params)" in text and text.count("\n") > 100
    assert "\x1b" not in text, "only less is known to show colours"


def test_lines_that_fold_count_as_several(sit_down, tmp_path):
    pager = make_pager(tmp_path)
    line = "scope -max_depth 1 -select params"
    for columns, paged in ((200, False), (12, True)):
        terminal = sit_down("--profile_path=profile", rows=12, columns=columns,
                            PAGER=f"cd {tmp_path}; {pager}")
        terminal.prompt()
        assert ("END OF PAGER" in terminal.ask(line)) == paged


@pytest.mark.parametrize("pager", ["", "cat"])
def test_no_pager(sit_down, pager):
    terminal = sit_down("--profile_path=profile", PAGER=pager)
    terminal.prompt()
    assert terminal.ask("scope -select params").count("\n") > 100


def test_missing_pager(sit_down):
    terminal = sit_down("--profile_path=profile", PAGER="/no/such/pager")
    terminal.prompt()
    assert "_TFProfRoot (--/930.58k params)" in terminal.ask("scope -select params")


def test_pager_that_is_left_early(sit_down):
    terminal = sit_down("--profile_path=profile", PAGER="head -3; echo ENOUGH")
    terminal.prompt()
    answer = terminal.ask("scope -select params,bytes,micros,op_types")
    assert "ENOUGH" in answer and "E:" not in answer


@pytest.mark.skipif(not os.path.exists("/usr/bin/less"), reason="no less")
def test_less(sit_down):
    terminal = sit_down("--profile_path=profile", rows=24)
    terminal.prompt()
    terminal.send("scope -select params\n")
    terminal.expect("_TFProfRoot (--/930.58k params)")
    assert b"\x1b[2mDoc:" in terminal.raw
    terminal.send("q")
    terminal.prompt()
