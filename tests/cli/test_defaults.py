"""What the program does with options that are not given, and with values as people type
them."""

import csv
import io
import json
import re

import pytest


@pytest.fixture
def report(run):
    """The lines of a report below its header."""
    def ask(*arguments):
        done = run(*arguments, "--profile_path=profile")
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().partition("\nProfile:\n")[2].splitlines()[1:]
    return ask


def test_operations_by_the_first_number_selected(report):
    for select, order in (("micros,bytes", "micros"), ("bytes,micros", "bytes"),
                          ("device,occurrence,micros", "occurrence"), ("device", "name")):
        *found, rest = report("op", f"--select={select}")
        expected = report("op", f"--select={select}", f"--order_by={order}", "--max_depth=10")
        assert found == expected and rest.startswith("… ")
    names = [line.split()[0] for line in report("op", "--order_by=name", "--max_depth=1000")]
    assert names == sorted(names)


def test_trees_by_name(report):
    for view in ("scope", "graph", "code"):
        assert report(view, "--max_depth=4") == report(view, "--max_depth=4", "--order_by=name")


def test_help_states_the_default_order(run):
    text = " ".join(run("help", "order_by").stdout.decode().split())
    assert "Op view defaults to the first number in select" in text


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_tables_have_every_row_and_reports_count_what_they_omit(run, report, view):
    whole = report(view, "--max_depth=100000")
    cut = report(view, "--max_depth=10")
    found = report(view)
    if len(cut) < len(whole):
        assert found.pop() == f"… {len(whole) - len(cut)} more (max_depth 10)"
    assert found == cut
    n_rows = len(whole) + (view == "op")  # the root
    nodes = json.loads(run(view, "--profile_path=profile", "--output=json").stdout)["nodes"]
    assert len(nodes) == n_rows
    table = run(view, "--profile_path=profile", "--output=csv").stdout.decode()
    assert len(list(csv.DictReader(io.StringIO(table, newline="")))) == n_rows
    few = json.loads(run(view, "--profile_path=profile", "--output=json", "--max_depth=10").stdout)
    assert len(few["nodes"]) == len(cut) + (view == "op")


def test_timelines_and_pprof_hold_every_row(run, tmp_path):
    for view, output, name in (("graph", "timeline", "x"), ("scope", "timeline", "x"),
                               ("op", "timeline", "x"), ("code", "pprof", "x")):
        written = []
        for depth in ([], ["--max_depth=100000"], ["--max_depth=10"]):
            done = run(view, "--profile_path=profile", "--step=0", *depth,
                       f"--output={output}:outfile={tmp_path}/x")
            assert done.returncode == 0, done.stderr.decode()
            written.append((tmp_path / name).read_bytes())
        assert written[0] == written[1]
        assert written[0] != written[2] or view == "scope"


def test_doc_can_be_omitted(run):
    for argument, expected in (("--doc=false", False), ("--doc", True), ("--doc=true", True)):
        text = run("op", "--profile_path=profile", argument).stdout.decode()
        assert ("\nDoc:\n" in text) == expected
        assert text.partition("\nProfile:\n")[0] == "" or expected


@pytest.mark.parametrize("typed, plain", [
    (["--min_micros=1.5ms"], ["--min_micros=1500"]),
    (["--min-micros", "20 MS"], ["--min_micros=20000"]),
    (["--min_bytes=100MB"], ["--min_bytes=100000000"]),
    (["--min_bytes=1MiB"], ["--min_bytes=1048576"]),
    (["--min_params=1k", "--select=params"], ["--min_params=1000", "--select=params"]),
    (["--select=bytes, micros"], ["--select=bytes,micros"]),
    (["--select=bytes,", "micros,", "device"], ["--select=bytes,micros,device"]),
    (["--select", "bytes,", "micros"], ["--select=bytes,micros"]),
    (["--select", "bytes", "--select", "micros"], ["--select=bytes,micros"]),
    (["--hide_name_regexes=Mul", "--hide_name_regexes=Conv.*,", "Sum"],
     ["--hide_name_regexes=Mul,Conv.*,Sum"]),
    (["--max_depth=1", "--max-depth=2"], ["--max_depth=2"]),
    (["--select=micros,"], ["--select=micros"]),
    (["--max-depth=2", "--order-by=name"], ["--max_depth=2", "--order_by=name"]),
    (["--account-displayed-op-only"], ["--account_displayed_op_only"]),
])
def test_values_as_people_type_them(run, typed, plain):
    for view in ("op", "scope"):
        expected = run(view, "--profile_path=profile", *plain)
        done = run(view, "--profile_path=profile", *typed)
        assert (done.returncode, done.stdout) == (0, expected.stdout), done.stderr.decode()


@pytest.mark.parametrize("arguments, expected", [
    (["--min_micros=3parsec"], "tfprof: --min_micros: unknown unit 'parsec' in '3parsec': expected "
                               "one of: us, ms, s, sec, min\n"),
    (["--min_bytes=1ms"], "tfprof: --min_bytes: unknown unit 'ms' in '1ms': expected one of: B, KB, "
                          "MB, GB, TB, KiB, MiB, GiB\n"),
    (["--max_depth=1k"], "tfprof: --max_depth: '1k' is not a whole number\n"),
    (["--selec=x"], "tfprof: unknown flag: --selec: did you mean --select?\n"),
    (["--profil-path=x"], "tfprof: unknown flag: --profil-path: did you mean --profile_path?\n"),
    (["--xyzzyplugh"], "tfprof: unknown flag: --xyzzyplugh: 'tfprof --help' lists all flags\n"),
])
def test_what_is_refused(run, arguments, expected):
    done = run("op", "--profile_path=profile", *arguments)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", expected)


def test_help_lists_the_units(run):
    for option, units in (("min_micros", "us, ms, s, sec, min"), ("min_params", "k, M, G, T, b"),
                          ("min_peak_bytes", "B, KB, MB, GB, TB, KiB, MiB, GiB")):
        assert f"Units: {units}\n" in run("help", option).stdout.decode()
    assert "Units" not in run("help", "max_depth").stdout.decode()


def test_help_lists_the_new_options(run):
    text = run("--help").stdout.decode()
    assert re.search(r"--doc +Explain the view", text)
