"""tfprof.fleet: tables of many profiles, and the shipped questions."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types
import xml.etree.ElementTree

import pytest

import small_fleet
import tfprof
import tfprof.fleet
from tfprof.fleet import _command, _index, _keys
from tree import TOP

pyarrow = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")


@pytest.fixture(name="fleet", scope="module")
def made_fleet(tmp_path_factory):
    return small_fleet.make(tmp_path_factory.mktemp("fleet"))


@pytest.fixture(name="tables", scope="module")
def made_tables(fleet, tmp_path_factory):
    out = tmp_path_factory.mktemp("tables")
    done = tfprof.fleet.index(str(fleet), out, tables=tfprof.fleet.TABLES, jobs=2)
    assert (done.n_read, done.n_unchanged, done.bad) == (100, 0, [])
    return out


@pytest.fixture(name="db", scope="module")
def made_db(tables):
    with contextlib.closing(tfprof.fleet.connect(tables)) as db:
        yield db


def rows(db, query):
    found = db.execute(query)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row)) for row in found.fetchall()]


def test_the_notebook_runs(fleet, tmp_path, monkeypatch):
    """Its cells, in order, on a fleet of its own."""
    shown = types.SimpleNamespace(HTML=lambda page: page)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(display=shown))
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    (tmp_path / "runs").symlink_to(fleet)
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((pathlib.Path(TOP) / "examples" / "fleet.ipynb").read_text())
    scope, values = {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        *lines, last = "".join(cell["source"]).splitlines()
        exec("\n".join(lines), scope)
        values.append(eval(last, scope))
    bad, regressions, stragglers, ops, page = values
    assert bad == [] and list(regressions["op"]) == ["Conv2D"]
    assert set(stragglers["worker"]) == {"3"} and ops["op"][0] == "Conv2D"
    assert page.startswith("<!doctype html>") and page.count("<svg") == 4
    scope["db"].close()


# ---- the views ----------------------------------------------------------------------

def test_the_planted_regression_is_found(db):
    found, = rows(db, "SELECT * FROM regressions")
    assert (found["model"], found["op"], found["since"]) == ("big", "Conv2D", "7")
    assert found["change"] == pytest.approx(0.12, abs=0.01)
    assert (found["n_before"], found["n_after"]) == (6, 4)


def test_the_planted_straggler_is_found(db):
    found = rows(db, "SELECT * FROM stragglers ORDER BY model")
    assert [(row["model"], row["worker"], row["n_slow_runs"]) for row in found] == [
        ("big", "3", 10), ("leaky", "3", 10)]
    assert all(row["ratio"] == pytest.approx(1.25, abs=0.02) for row in found)


def test_the_leak_is_found(db):
    found = rows(db, "SELECT * FROM memory_growth")
    assert {row["model"] for row in found} == {"leaky"} and len(found) == 5
    # 20,000 bytes for each of 3 layers of 4 operations
    assert found[0]["bytes_per_run"] == pytest.approx(240000)


def test_top_ops(db):
    found = rows(db, "SELECT * FROM top_ops")
    assert [row["op"] for row in found] == ["Conv2D", "MatMul", "Relu", "BiasAdd"]
    assert sum(row["share"] for row in found) == pytest.approx(1)
    assert found[0]["n_models"] == 2 and found[0]["n_files"] == 100
    shares = rows(db, "SELECT model, share_of_op FROM op_by_model WHERE op = 'Relu'")
    assert shares[0]["model"] == "big" and shares[0]["share_of_op"] == pytest.approx(5 / 8, abs=.01)


def test_cost_per_scope(db):
    found = rows(db, "SELECT * FROM scope_cost WHERE model = 'leaky' ORDER BY scope")
    assert [(row["scope"], row["n_nodes"]) for row in found] == [
        ("layer_0", 4), ("layer_1", 4), ("layer_2", 4)]
    # (4000 + 2500 + 700 + 500) with one of five workers 25 % slower
    assert all(row["exec_micros"] == pytest.approx(7700 * 1.05, rel=0.01) for row in found)


def test_idle_devices(db):
    found = rows(db, "SELECT * FROM idle_devices")
    assert len(found) == 10 and all(row["idle_share"] == pytest.approx(0) for row in found)


def test_findings_and_lines(db, fleet):
    profile = tfprof.load(fleet / "model=big/run=1/worker=0/profile")
    expected = {(one["checker"], one["what"]) for one in profile.advise()}
    found = rows(db, "SELECT * FROM common_findings")
    assert expected <= {(row["checker"], row["what"]) for row in found}
    assert rows(db, "SELECT * FROM top_lines") == []


def test_runs_are_ordered_by_number(db):
    assert [row["run"] for row in rows(db, "SELECT run FROM runs WHERE model = 'big' ORDER BY "
                                           "run_number")] == [str(i) for i in range(1, 11)]


def test_every_view_answers(db):
    for name, purpose, _ in tfprof.fleet.VIEWS:
        assert purpose.endswith(".")
        db.execute(f"SELECT * FROM {name}").fetchall()


# ---- the tables -----------------------------------------------------------------------

def test_sums_are_those_of_the_program(db, fleet):
    for model in ("big", "leaky"):
        path = fleet / f"model={model}/run=8/worker=3/profile"
        for step in range(small_fleet.STEPS):
            program = subprocess.run(
                [os.environ["TFPROF_PROGRAM"] if "TFPROF_PROGRAM" in os.environ else _program(),
                 "scope", path, f"--step={step}", "--select=micros,peak_bytes", "--max_depth=0",
                 "--output=json"], check=True, stdout=subprocess.PIPE)
            root = json.loads(program.stdout)["nodes"][0]
            for table in ("steps", "ops", "nodes"):
                micros, peak = db.execute(
                    f"SELECT sum(exec_micros), sum(peak_bytes) FROM {table} WHERE model = '{model}' "
                    f"AND run = '8' AND worker = '3' AND step = {step}").fetchone()
                assert (micros, peak) == (root["total_exec_micros"], root["total_peak_bytes"])


def _program():
    return os.path.join(os.path.dirname(os.path.dirname(tfprof.__path__[0])), "tfprof")


def test_read_without_tables(fleet, db):
    found = tfprof.fleet.read(str(fleet), "ops")
    assert found.num_rows == 100 * 3 * 4 == db.execute("SELECT count(*) FROM ops").fetchone()[0]
    one = tfprof.fleet.read(str(fleet), "ops", where={"model": "big", "run": 7, "worker": 3})
    assert one.num_rows == 12 and set(one["worker"].to_pylist()) == {"3"}


def test_only_what_changed_is_read_again(fleet, tmp_path):
    source = tmp_path / "src"
    shutil.copytree(fleet / "model=big/run=1", source / "model=big/run=1")
    out = tmp_path / "out"
    assert tfprof.fleet.index(str(source), out, jobs=1).n_read == 5
    assert tfprof.fleet.index(str(source), out, jobs=1)[:3] == (0, 5, 0)
    shutil.copy(fleet / "model=leaky/run=1/worker=0/profile",
                source / "model=big/run=1/worker=0/profile")
    (source / "model=big/run=1/worker=4/profile").unlink()
    assert tfprof.fleet.index(str(source), out, jobs=1)[:3] == (1, 3, 1)
    with contextlib.closing(tfprof.fleet.connect(out)) as db:
        assert db.execute("SELECT worker, n_nodes FROM files ORDER BY worker").fetchall() == [
            ("0", 12), ("1", 20), ("2", 20), ("3", 20)]
        assert db.execute("SELECT count(*) FROM ops").fetchone() == (4 * 3 * 4,)
    # A table that was not asked for before
    again = tfprof.fleet.index(str(source), out, jobs=1, tables=["nodes"])
    assert again.n_read == 4
    # Another label: its rows move
    os.rename(source / "model=big", source / "model=other")
    assert tfprof.fleet.index(str(source), out, jobs=1)[:3] == (4, 0, 4)


def test_bad_files_are_listed_and_skipped(fleet, tmp_path):
    source = tmp_path / "src"
    shutil.copytree(fleet / "model=big/run=1", source / "run=1")
    whole = (source / "run=1/worker=0/profile").read_bytes()
    (source / "run=1/worker=1/profile").write_bytes(whole[:len(whole) // 2])
    (source / "notes.txt").write_text("bought milk")
    done = tfprof.fleet.index(str(source), tmp_path / "out", jobs=1)
    assert [os.path.relpath(path, source) for path, _ in done.bad] == [
        "notes.txt", "run=1/worker=1/profile"]
    assert "cut short" in done.bad[1][1]
    again = tfprof.fleet.index(str(source), tmp_path / "out", jobs=1)
    assert again.n_read == 0 and again.bad == done.bad
    with contextlib.closing(tfprof.fleet.connect(tmp_path / "out")) as db:
        assert db.execute("SELECT count(*), count(error) FROM files").fetchone() == (6, 2)
        assert db.execute("SELECT count(DISTINCT file_id) FROM ops").fetchone() == (4,)
    with pytest.raises(tfprof.Error, match="notes.txt"):
        tfprof.fleet.read(str(source))
    assert tfprof.fleet.read(str(source), mode="skip").num_rows == 4 * 3 * 4


def test_an_input_is_indexed_completely_or_not_at_all(fleet, tmp_path, monkeypatch):
    """Tables are written, and the process dies before the row of `files`."""
    source = _keys.find(str(fleet / "model=big/run=1"))[0]
    write, written = _index._write, []

    def die_at_files(table, folder, file_id):
        if "files" in folder:
            raise KeyboardInterrupt
        written.append(folder)
        write(table, folder, file_id)
    (tmp_path / "files").mkdir()
    monkeypatch.setattr(_index, "_write", die_at_files)
    with pytest.raises(KeyboardInterrupt):
        _index.put(source, str(tmp_path), ["files", "ops"], [])
    assert written
    with contextlib.closing(tfprof.fleet.connect(tmp_path)) as db:
        assert db.execute("SELECT count(*) FROM ops").fetchone() == (0,)
    monkeypatch.undo()
    assert tfprof.fleet.index(source.path, tmp_path, tables=["ops"], jobs=1).n_read == 1
    with contextlib.closing(tfprof.fleet.connect(tmp_path)) as db:
        assert db.execute("SELECT count(*) FROM ops").fetchone() == (12,)


# ---- keys -----------------------------------------------------------------------------

def test_keys_from_folders_regex_and_manifest(fleet, tmp_path):
    profile = fleet / "model=big/run=1/worker=0/profile"
    for name in ("resnet-20260101-w3", "resnet-20260102-w4", "other"):
        shutil.copy(profile, tmp_path / name)
    keys = tfprof.fleet.Keys(r"(?P<model>[a-z]+)-(?P<run>\d{8})-w(?P<worker>\d+)")
    found = {os.path.basename(one.path): one.keys for one in _keys.find(str(tmp_path), keys)}
    assert found == {"other": {}, "resnet-20260101-w3": {
        "model": "resnet", "run": "20260101", "worker": "3"}, "resnet-20260102-w4": {
            "model": "resnet", "run": "20260102", "worker": "4"}}
    manifest = tmp_path / ".manifest.csv"
    manifest.write_text("path,model,team\nother,bert,ads\nmissing,x,y\n")
    keys = tfprof.fleet.Keys(manifest=manifest)
    assert [(one.keys, one.size >= 0) for one in _keys.find(str(tmp_path), keys)] == [
        ({"model": "x", "team": "y"}, False), ({"model": "bert", "team": "ads"}, True)]
    done = tfprof.fleet.index(str(tmp_path), tmp_path / "out", keys=keys, jobs=1)
    assert done.n_read == 2 and len(done.bad) == 1


@pytest.mark.parametrize("pattern, message", [("(", "missing"), (r"\d+", "expected named groups")])
def test_bad_regex(pattern, message):
    with pytest.raises(tfprof.ArgumentError, match=message):
        tfprof.fleet.Keys(pattern)


def test_hostile_labels_stay_within_the_directory(fleet, tmp_path):
    profile = fleet / "model=big/run=1/worker=0/profile"
    (tmp_path / "src").mkdir()
    shutil.copy(profile, tmp_path / "src/p")
    (tmp_path / "m.csv").write_text("path,model,run\np,../../../evil,'; DROP TABLE ops; --\n")
    tfprof.fleet.index(str(tmp_path / "src"), tmp_path / "o'ut", jobs=1,
                       keys=tfprof.fleet.Keys(manifest=tmp_path / "m.csv"))
    assert sorted(os.listdir(tmp_path)) == ["m.csv", "o'ut", "src"]
    with contextlib.closing(tfprof.fleet.connect(tmp_path / "o'ut")) as db:
        assert db.execute("SELECT DISTINCT model, run FROM ops").fetchall() == [
            ("../../../evil", "'; DROP TABLE ops; --")]


def test_labels_never_replace_columns(fleet, tmp_path, capsys):
    """Names of columns, in any case, and of what such labels are renamed to."""
    profile = fleet / "model=big/run=1/worker=0/profile"
    labels = ("step=7", "error=7", "file_id=7", "op=7", "Path=7", "label_step=8", "team=ads")
    folder = tmp_path.joinpath("src", *labels)
    folder.mkdir(parents=True)
    shutil.copy(profile, folder / "p")
    status, text, notes = run("index", tmp_path / "src", tmp_path / "out", "--jobs=1", capsys=capsys)
    assert status == 0 and "1 files read" in text and "0 bad" in text
    assert sorted(notes.splitlines()) == sorted(
        f"tfprof: label {name} is in the column label_{name}: the tables have a column {name} of "
        "their own" for name in ("Path", "error", "file_id", "label_step", "op", "step"))
    plain = tfprof.fleet.read(str(profile), "ops").to_pylist()
    made = tfprof.fleet.read(str(tmp_path / "src"), "ops", where={"step": "7", "team": "ads"})
    columns = {"label_step": "7", "label_error": "7", "label_file_id": "7", "label_op": "7",
               "label_Path": "7", "label_label_step": "8", "team": "ads"}
    for row, expected in zip(made.to_pylist(), plain, strict=True):
        assert {**expected, **columns, "file_id": row["file_id"]} == row
    with contextlib.closing(tfprof.fleet.connect(tmp_path / "out")) as db:
        assert db.execute("SELECT DISTINCT label_step, team, error FROM files").fetchall() == [
            ("7", "ads", None)]
        assert [row[0] for row in db.execute("SELECT op FROM ops ORDER BY op").fetchall()] == sorted(
            row["op"] for row in plain)


def test_a_long_label_does_not_stop_the_rest(fleet, tmp_path):
    profile = fleet / "model=big/run=1/worker=0/profile"
    name = "模" * 80  # 720 bytes once it is quoted
    for model in (name, "short"):
        (tmp_path / f"src/model={model}").mkdir(parents=True)
        shutil.copy(profile, tmp_path / f"src/model={model}/p")
    done = tfprof.fleet.index(str(tmp_path / "src"), tmp_path / "out", jobs=1)
    assert (done.n_read, done.bad) == (2, [])
    with contextlib.closing(tfprof.fleet.connect(tmp_path / "out")) as db:
        assert db.execute("SELECT DISTINCT model FROM ops ORDER BY model").fetchall() == [
            ("short",), (name,)]
    assert tfprof.fleet.index(str(tmp_path / "src"), tmp_path / "out", jobs=1).n_unchanged == 2


# ---- commands ---------------------------------------------------------------------------

def run(*arguments, capsys):
    status = _command.main([str(one) for one in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_commands(fleet, tmp_path, capsys):
    source, out = tmp_path / "src", tmp_path / "out"
    shutil.copytree(fleet / "model=big/run=1", source / "model=big/run=1")
    (source / "bad").write_text("no profile")
    status, text, notes = run("index", source, out, "--jobs=1", capsys=capsys)
    assert status == 0 and "6 files read" in text and "1 bad" in text and "/bad: " in notes
    status, text, _ = run("sql", out, "SELECT worker, sum(exec_micros) AS t FROM ops GROUP BY "
                                      "worker ORDER BY worker", "--output=csv", capsys=capsys)
    assert status == 0 and text.startswith("worker,t\n0,") and len(text.splitlines()) == 6
    status, text, _ = run("sql", out, capsys=capsys)
    assert status == 0 and "regressions" in text and "table, 60 rows" in text
    status, text, notes = run("sql", out, "SELECT nothing FROM ops", capsys=capsys)
    assert status == 1 and notes.startswith("tfprof: ")
    status, _, notes = run("sql", tmp_path / "empty", "SELECT 1", capsys=capsys)
    assert (status, notes) == (1, f"tfprof: {tmp_path}/empty: not a directory of tables: make one "
                                  f"with tfprof index SRC {tmp_path}/empty\n")
    status, _, notes = run("index", tmp_path / "none", out, capsys=capsys)
    assert (status, notes) == (1, f"tfprof: {tmp_path}/none: no such file or directory\n")
    status, _, notes = run("index", source, out, "--tables=ops,opps", capsys=capsys)
    assert status == 1 and "got 'opps'" in notes


def test_names_of_files_are_text(fleet, tmp_path, capsys, monkeypatch):
    """Whatever bytes they have; bad files, good ones and labels."""
    profile = fleet / "model=big/run=1/worker=0/profile"
    source = os.fsencode(tmp_path) + b"/src/model=\xff\x1b[2J"
    os.makedirs(source)
    shutil.copy(profile, source + b"/good\xff\x1b[2J")
    for name in (b"/bad\xff", b"/bad\x1b[2J"):
        with open(source + name, "wb") as file:
            file.write(b"no profile")
    for jobs in (1, 2):
        status, text, notes = run("index", tmp_path / "src", tmp_path / f"out{jobs}", f"--jobs={jobs}",
                                  capsys=capsys)
        assert status == 0 and "3 files read" in text and "2 bad" in text
        assert "bad\\xff" in notes and "\x1b" not in text + notes
    out = tmp_path / "out1"
    status, text, notes = run("sql", out, "SELECT model, path FROM files ORDER BY path", capsys=capsys)
    assert status == 0 and text.count("model=\\xff\\x1b[2J") == 3 and "\x1b" not in text + notes
    status, text, notes = run("sql", out, "SELECT error('\x1b[2J')", capsys=capsys)
    assert status == 1 and "\x1b" not in text + notes
    query = ("sql", out, "SELECT model FROM files", "--output=csv")
    assert "\x1b[2J" in run(*query, capsys=capsys)[1], "a program that reads it gets the bytes"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    text = run(*query, capsys=capsys)[1]
    assert "\\x1b[2J" in text and "\x1b" not in text
    assert run("fleet", out, capsys=capsys)[0] == 0


def test_pipes_and_devices_are_skipped(fleet, tmp_path, capsys):
    """Opening a pipe that nobody writes to would wait forever."""
    source = tmp_path / "src"
    shutil.copytree(fleet / "model=big/run=1/worker=0", source)
    os.mkfifo(source / "pipe")
    (source / "zeros").symlink_to("/dev/zero")
    status, text, notes = run("index", source, tmp_path / "out", "--jobs=1", capsys=capsys)
    assert status == 0 and "2 bad" in text
    assert notes.count("a pipe, socket or device, not a file") == 2


@pytest.mark.parametrize("query, says", [
    ("", "the query is empty"), (" ; ", "the query is empty"), ("-- only a comment", "is empty"),
    ("SELECT '\udcff'", "the query is not UTF-8"),
])
def test_queries_that_are_none(tables, query, says, capsys):
    status, text, notes = run("sql", tables, query, capsys=capsys)
    assert (status, text) == (1, "") and notes.startswith("tfprof: ") and says in notes


def test_paths_that_cannot_have_tables(fleet, tmp_path, capsys):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/out\xff")
    for command in (("index", fleet, odd), ("sql", odd), ("fleet", odd)):
        status, text, notes = run(*command, capsys=capsys)
        assert (status, text) == (1, "") and "out\\xff: the path of the tables is not UTF-8" in notes
    (tmp_path / "file").write_text("")
    status, _, notes = run("index", fleet, tmp_path / "file", capsys=capsys)
    assert (status, notes) == (1, f"tfprof: {tmp_path}/file: not a directory: expected one for the "
                                  "tables\n")
    status, _, notes = run("index", fleet, tmp_path / "file/below", capsys=capsys)
    assert (status, notes) == (1, f"tfprof: {tmp_path}/file/below: Not a directory\n")


def test_json_of_a_query_is_json_and_complete(tables, capsys):
    status, text, _ = run("sql", tables, "SELECT 1 AS a, 2 AS a, 3 AS a_1, 'inf'::DOUBLE AS i, "
                                         "'nan'::DOUBLE AS n", "--output=json", capsys=capsys)

    def refuse(constant):
        raise ValueError(constant)
    assert status == 0 and json.loads(text, parse_constant=refuse) == [
        {"a": 1, "a_1": 2, "a_1_1": 3, "i": None, "n": None}]


def test_a_full_disk_is_an_error(tables):
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "tfprof", "sql", tables, "SELECT 1"], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1, "tfprof: standard output: No space left on device\n")


def test_a_full_disk_is_not_blamed_on_standard_output(fleet, tmp_path, capsys, monkeypatch):
    def write_table(table, path, **_):
        raise OSError(28, "Error writing bytes to file")
    monkeypatch.setattr("pyarrow.parquet.write_table", write_table)
    status, _, notes = run("index", fleet / "model=big/run=1/worker=0", tmp_path / "out", "--jobs=1",
                           capsys=capsys)
    assert status == 1
    assert notes.startswith(f"tfprof: {tmp_path}/out/") and "No space left on device" in notes


@pytest.mark.parametrize("query", [
    "COPY (SELECT 1) TO 'written'", "SELECT 1; COPY (SELECT 1) TO 'written'",
    "EXPORT DATABASE 'written'", "ATTACH 'written' AS w", "CREATE TABLE t AS SELECT 1",
])
def test_a_query_writes_nothing(tables, tmp_path, capsys, monkeypatch, query):
    monkeypatch.chdir(tmp_path)
    status, text, notes = run("sql", tables, query, capsys=capsys)
    assert (status, text) == (1, "") and "is not a query: expected SELECT, FROM or EXPLAIN" in notes
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("table", ["ops", "files"])
def test_a_cut_table_is_left_out_and_made_again(fleet, tmp_path, capsys, table):
    source = fleet / "model=big/run=1"
    n_files = tfprof.fleet.index(str(source), tmp_path, jobs=1).n_read
    whole = run("sql", tmp_path, "SELECT count(*), sum(run_count) FROM ops", capsys=capsys)
    cut = next((tmp_path / table).rglob("*.parquet"))
    cut.write_bytes(cut.read_bytes()[:-9])
    status, text, notes = run("sql", tmp_path, "SELECT count(*) AS n FROM files", capsys=capsys)
    assert status == 0 and text.split() == ["n", str(n_files - 1)]
    assert notes == (f"tfprof: {cut}: a damaged Parquet file; 1 of the profiles left out: run "
                     "tfprof index again to read what it was made of\n")
    assert tfprof.fleet.index(str(source), tmp_path, jobs=1).n_read == 1
    assert run("sql", tmp_path, "SELECT count(*), sum(run_count) FROM ops", capsys=capsys) == whole


def test_what_a_killed_process_left_is_removed(fleet, tmp_path):
    tfprof.fleet.index(str(fleet / "model=big/run=1"), tmp_path, jobs=1)
    old, new = tmp_path / "ops/x.parquet.1.part", tmp_path / "ops/x.parquet.2.part"
    for path in (old, new):
        path.touch()
    os.utime(old, (0, 0))
    tfprof.fleet.index(str(fleet / "model=big/run=1"), tmp_path, jobs=1)
    assert not old.exists() and new.exists()


@pytest.mark.parametrize("flag", ["--recover", "--strict"])
def test_damaged_files_are_not_recovered(fleet, tmp_path, flag, capsys):
    with pytest.raises(SystemExit) as stopped:
        run("index", fleet, tmp_path, flag, capsys=capsys)
    assert stopped.value.code == 2
    assert (f"{flag}: index lists damaged files and skips them; tfprof save OUT FILE --recover writes "
            "their intact parts to a new file") in capsys.readouterr().err


@pytest.mark.parametrize("link", [None, os.link, os.symlink])
def test_a_report_does_not_overwrite_what_it_is_of(fleet, tmp_path, link, capsys):
    (tmp_path / "src").mkdir()
    profile = shutil.copy(fleet / "model=big/run=1/worker=0/profile", tmp_path / "src/p")
    tfprof.fleet.index(str(tmp_path / "src"), tmp_path / "out", jobs=1)
    (table,) = (tmp_path / "out/files").rglob("*.parquet")
    for kept, reason in ((profile, "the tables were read from this file"), (table, "it is a table")):
        before = kept.read_bytes()
        to = kept
        if link:
            to = tmp_path / f"link-{kept.name}"
            link(kept, to)
        status, _, notes = run("fleet", tmp_path / "out", f"--html={to}", capsys=capsys)
        assert status == 1 and reason in notes
        assert kept.read_bytes() == before


def test_a_stopped_index_leaves_no_half_written_files(fleet, tmp_path):
    """Stopped while it writes the first table."""
    code = ("import os, signal, sys, tfprof.fleet._index as index\n"
            "from tfprof.fleet._command import main\n"
            "def write(path):\n"
            "    open(path, 'wb').close()\n"
            "    os.kill(os.getpid(), signal.SIGTERM)\n"
            "class parquet:\n"
            "    write_table = staticmethod(lambda table, path, **_: write(path))\n"
            "found = index.need\n"
            "index.need = lambda *names: parquet if 'parquet' in names else found(*names)\n"
            "main(sys.argv[1:])\n")
    done = subprocess.run([sys.executable, "-c", code, "index", fleet / "model=big/run=1",
                           tmp_path / "out", "--jobs=1"], capture_output=True, text=True)
    assert done.returncode == 128 + 15, done.stderr
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


def test_program_hands_over(fleet, tables, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(tfprof.__path__[0]),
                   "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    done = subprocess.run([_program(), "sql", tables, "SELECT count(*) AS n FROM files"],
                          env=environment, stdout=subprocess.PIPE, check=True, text=True)
    assert done.stdout == "  n\n100\n"
    # A file of the current directory is no package, whatever its name.
    (tmp_path / "here").mkdir()
    (tmp_path / "here/duckdb.py").write_text("raise SystemExit('not a package')")
    for program in ([_program()], [sys.executable, "-m", "tfprof"]):
        done = subprocess.run([*program, "sql", tables, "SELECT count(*) AS n FROM files"],
                              env=environment, stdout=subprocess.PIPE, check=True, text=True,
                              cwd=tmp_path / "here")
        assert done.stdout == "  n\n100\n"
    environment["PYTHONPATH"] = str(tmp_path)
    done = subprocess.run([_program(), "sql", tables], env=environment, stderr=subprocess.PIPE,
                          text=True, check=False)
    assert done.returncode == 1 and done.stderr == (
        "tfprof: this command needs the Python package: python3 -m pip install 'tfprof[fleet]'\n")
    # The package without the extra: one that is not found in its place
    (tmp_path / "tfprof").symlink_to(tfprof.__path__[0])
    (tmp_path / "duckdb.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'duckdb'\", name='duckdb')")
    done = subprocess.run([_program(), "sql", tables], env=environment, stderr=subprocess.PIPE,
                          text=True, check=False)
    assert done.returncode == 1 and done.stderr == (
        "tfprof: this command needs duckdb: python3 -m pip install 'tfprof[fleet]'\n")


# ---- the report -----------------------------------------------------------------------

def test_report(db, tmp_path):
    from tfprof.fleet import _report
    _report.write(db, str(tmp_path / "report.html"))
    page = (tmp_path / "report.html").read_text()
    assert "Conv2D slower from 7" in page and re.search(r"\+1[12]\.\d%", page)
    assert "1.25× slow" in page
    assert "http" not in page.replace("http://www.w3.org", "") and "<script" not in page
    for svg in page.split("<svg")[1:]:
        xml.etree.ElementTree.fromstring("<svg" + svg.split("</svg>")[0] + "</svg>")


def test_report_escapes_hostile_names(fleet, tmp_path):
    from tfprof.fleet import _report
    evil = "<script>alert(1)</script>\"'&"
    (tmp_path / "src").mkdir()
    lines = ["path,model,run,worker"]
    for night in (1, 2, 3):
        for worker in (0, 3):
            name = f"{night}-{worker}"
            shutil.copy(fleet / f"model=big/run={night}/worker={worker}/profile",
                        tmp_path / "src" / name)
            lines.append(f'{name},"{evil.replace(chr(34), chr(34) * 2)}","{evil[:-3]}{night}",'
                         f'"{evil[:-3]}{worker}"')
    (tmp_path / "m.csv").write_text("\n".join(lines))
    (tmp_path / "src/bad<b>").write_text("<i>no profile</i>")
    tfprof.fleet.index(str(tmp_path / "src"), tmp_path / "out", jobs=1,
                       keys=tfprof.fleet.Keys(manifest=tmp_path / "m.csv"))
    with contextlib.closing(tfprof.fleet.connect(tmp_path / "out")) as db:
        page = _report.render(db)
    assert "<script" not in page and "&lt;script&gt;" in page
    for svg in page.split("<svg")[1:]:
        xml.etree.ElementTree.fromstring("<svg" + svg.split("</svg>")[0] + "</svg>")


def test_sql_on_files_without_tables(capsys):
    pytest.importorskip("duckdb")
    trace = os.path.join(TOP, "examples", "traces", "jax_transformer.xplane.pb.gz")
    status, text, _ = run("sql", trace, "SELECT kind, sum(micros) AS t FROM ops GROUP BY kind", "--output=json",
                          capsys=capsys)
    assert status == 0
    by_kind = {row["kind"]: row["t"] for row in json.loads(text)}
    profile = tfprof.load(trace)
    rows = pyarrow.table(profile.table("ops")).to_pylist()
    assert sum(by_kind.values()) == sum(row["exec_micros"] for row in rows)
    # Op view has averages, which are rounded down for each node.
    for node in profile.op(by="kind", select="micros"):
        if node.exec_micros:
            assert by_kind[node.name] == pytest.approx(len(profile.steps) * node.exec_micros, rel=0.1)
    other = os.path.join(TOP, "examples", "resnet", "profile")
    status, text, _ = run("sql", trace, other, "SELECT count(*) AS n FROM files", "--output=csv", capsys=capsys)
    assert (status, text) == (0, "n\n2\n")
    status, text, _ = run("sql", other, capsys=capsys)
    assert status == 0 and "ops " in text
    status, _, notes = run("sql", __file__, "SELECT 1", capsys=capsys)
    assert status == 1 and __file__ in notes


def test_a_table_that_was_not_made_is_named(fleet, tmp_path, capsys):
    tfprof.fleet.index(str(fleet / "model=big/run=1"), tmp_path / "out", jobs=1, tables=["ops", "steps"])
    for query, missing in (("SELECT count(*) FROM nodes", "nodes"), ("FROM scope_cost", "nodes"), ("FROM top_lines", "lines"),
                           ("FROM regressions", None), ("SELECT 1", None)):
        status, _, notes = run("sql", tmp_path / "out", query, capsys=capsys)
        assert status == 0
        assert (f"has no table {missing}: make it with tfprof index --tables=" in notes) if missing else not notes
    with pytest.raises(tfprof.Error, match="tables of tfprof index, which lack graphs"):
        tfprof.load(str(tmp_path / "out"), progress=False)


def test_numbers_of_an_older_meaning_are_not_mixed(fleet, tmp_path):
    """An index, and a saved profile, of a version for which a number meant something else."""
    parquet = pytest.importorskip("pyarrow.parquet")
    profile = fleet / "model=big/run=1/worker=0/profile"
    (tmp_path / "src").mkdir()
    for name in ("a", "b"):
        shutil.copy(profile, tmp_path / "src" / name)
    tfprof.fleet.index(str(tmp_path / "src"), tmp_path / "out", jobs=1)
    path = sorted((tmp_path / "out/files").rglob("*.parquet"))[0]
    rows = parquet.read_table(path)
    assert rows["numbers_version"][0].as_py() > 1
    parquet.write_table(rows.drop_columns(["numbers_version"]), path)  # as the first version wrote it
    with pytest.warns(UserWarning, match="the numbers of 1 profiles have an older meaning"), \
            contextlib.closing(tfprof.fleet.connect(tmp_path / "out")) as db:
        assert db.execute("SELECT count(*) FROM files").fetchall() == [(1,)]
        assert db.execute("SELECT count(DISTINCT file_id) FROM ops").fetchall() == [(1,)]
    assert tfprof.fleet.index(str(tmp_path / "src"), tmp_path / "out", jobs=1)[:3] == (1, 1, 0)
    with contextlib.closing(tfprof.fleet.connect(tmp_path / "out")) as db:
        assert db.execute("SELECT count(*) FROM files").fetchall() == [(2,)]


def test_a_trace_saved_when_numbers_had_another_meaning_is_not_indexed(tmp_path):
    (tmp_path / "src").mkdir()
    saved = tmp_path / "src/p"
    tfprof.load(os.path.join(TOP, "examples", "traces", "jax_transformer.xplane.pb.gz"), progress=False).save(saved)
    with contextlib.closing(tfprof.fleet.connect(index_of(tmp_path))) as db:
        assert db.execute("SELECT count(*), max(error) FROM files").fetchall() == [(1, None)]
        # The time before the first and after the last operation is not saved.
        assert db.execute("SELECT count(wall_micros) FROM steps").fetchall() == [(0,)]
    saved.write_bytes(saved.read_bytes().replace(b"\xc8\x3e\x03", b"\xc8\x3e\x02"))
    with contextlib.closing(tfprof.fleet.connect(index_of(tmp_path))) as db:
        assert "another meaning" in db.execute("SELECT error FROM files").fetchone()[0]
        assert db.execute("SELECT count(*) FROM ops").fetchall() == [(0,)]


def index_of(path):
    tfprof.fleet.index(str(path / "src"), path / "out", jobs=1)
    return path / "out"
