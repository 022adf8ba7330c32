"""Files without flags: in any place on the line, of any kind, packed, or on stdin."""

import gzip
import os
import shutil
import subprocess

import pytest
from tree import DATA, TESTS

CHECKPOINT = os.path.join(DATA, "checkpoint", "single", "model.ckpt")
TRACE = os.path.join(TESTS, "xplane", "samples", "tf_cnn_loop.xplane.pb.gz")
OTHER_TRACE = os.path.join(TESTS, "xplane", "samples", "tf_cnn_fit.xplane.pb.gz")


def report(run, *arguments, **more):
    done = run(*arguments, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(run, status, *arguments, **more):
    done = run(*arguments, **more)
    line = done.stderr.decode()
    assert (done.returncode, done.stdout) == (status, b""), line
    assert line.startswith("tfprof: ") and line.count("\n") == 1
    return line


@pytest.fixture(scope="module")
def expected(run):
    return report(run, "op", "--profile_path=profile", "--select=params")


@pytest.mark.parametrize("line", ["op profile --select=params", "profile op --select=params",
                                  "--select=params profile op", "op --select params profile",
                                  "--select params ./profile op"])
def test_a_file_in_any_place(run, expected, line):
    assert report(run, *line.split()) == expected


def test_a_directory_of_everything_says_what_of_it_is_read(run, resnet, tmp_path):
    """A checkpoint is read by directory, the rest by name."""
    shutil.copytree(os.path.join(DATA, "checkpoint", "objects"), tmp_path, dirs_exist_ok=True)
    assert b"not read" not in run("scope", tmp_path).stderr
    for name, kept in (("run_meta_0", "run_meta"), ("tfprof_log", "tfprof_log"), ("graph.pb", "graph.pb")):
        shutil.copy(resnet / name, tmp_path / kept)
    assert run("scope", tmp_path).stderr.decode().startswith(
        f"{tmp_path}: read the checkpoint in it; not read: graph.pb, run_meta, tfprof_log: "
        "name the files to load them together\n")
    assert b"not read" not in run("scope", tmp_path, tmp_path / "graph.pb").stderr


def test_files_of_several_kinds_in_any_order(run):
    flags = report(run, "scope", "--graph_path=graph.pbtxt",
                   "--run_meta_path=run_meta_0,run_meta_1", "--op_log_path=tfprof_log",
                   "--select=micros,float_ops")
    for files in (["graph.pbtxt", "run_meta_0", "run_meta_1", "tfprof_log"],
                  ["run_meta_0", "tfprof_log", "run_meta_1", "graph.pbtxt"],
                  ["run_meta_0", "--op_log_path=tfprof_log", "run_meta_1", "graph.pb"]):
        assert report(run, "scope", *files, "--select=micros,float_ops") == flags


def test_steps_are_numbered_in_the_order_given(run):
    second = report(run, "op", "graph.pb", "run_meta_0", "run_meta_1", "--step=1")
    assert report(run, "op", "run_meta_1", "graph.pb", "run_meta_0", "--step=0") == second


@pytest.mark.parametrize("path", [CHECKPOINT, CHECKPOINT + ".index",
                                  os.path.join(DATA, "checkpoint", "objects", "checkpoint"),
                                  os.path.join(DATA, "checkpoint", "objects")])
def test_checkpoints_by_any_of_their_paths(run, path):
    """Alone they have no times: parameters are shown."""
    assert report(run, "scope", path) == report(run, "scope", f"--checkpoint_path={path}")
    assert b"params" in report(run, path, "scope")


def test_a_file_named_like_a_command(run, resnet, tmp_path, expected):
    shutil.copy(resnet / "profile", tmp_path / "op")
    assert report(run, "op", "./op", "--select=params", directory=tmp_path) == expected
    assert report(run, "op", "op", "--select=params", directory=tmp_path) == expected


def test_the_newest_profile_of_a_directory(run, resnet, tmp_path, expected):
    for step, time in ((100, 3000), (20, 5000), (3, 4000)):
        path = tmp_path / f"profile_{step}"
        path.write_bytes(b"not read" if step != 20 else (resnet / "profile").read_bytes())
        os.utime(path, (time, time))
    (tmp_path / "profile_of_me.txt").write_text("not one")
    for given in (tmp_path, f"{tmp_path}/", f"--profile_path={tmp_path}"):
        done = run("op", given, "--select=params")
        assert done.stdout == expected
        assert b"profile_20, the newest of 3\n" in done.stderr
    # of copies made at once, the last step
    os.utime(tmp_path / "profile_100", (5000, 5000))
    assert "profile_100" in refusal(run, 1, "op", tmp_path)


def test_the_newest_run_of_a_log_directory(run, tmp_path):
    runs = tmp_path / "plugins" / "profile"
    for n, name in enumerate(("2026_08_01_12_00_00", "2026_08_02_12_00_00"), 1):
        (runs / name).mkdir(parents=True)
        for host, trace in (("a", TRACE), ("b", OTHER_TRACE)):
            shutil.copy(trace, runs / name / f"{host}.xplane.pb.gz")
        done = run("op", tmp_path)
        others = ", the newest of 2" if n > 1 else ""
        assert done.returncode == 0
        assert f"{tmp_path}: read {runs / name}{others}\n" in done.stderr.decode()


def test_a_directory_of_nothing(run, tmp_path):
    assert "a directory without any of: a ProfileProto" in refusal(run, 1, "op", tmp_path)


def test_save_does_not_take_an_input_for_its_output(run, resnet, tmp_path):
    """`tfprof save graph.pb run_meta`, without OUT, wrote over the graph."""
    shutil.copy(resnet / "graph.pb", tmp_path / "graph.pb")
    shutil.copy(resnet / "profile", tmp_path / "older")
    (tmp_path / "notes.txt").write_text("as other outputs, it replaces what is no input")
    line = refusal(run, 2, "save", tmp_path / "graph.pb", "run_meta_0")
    assert "graph.pb exists and is not a saved profile but an input (graph)" in line
    assert (tmp_path / "graph.pb").read_bytes() == (resnet / "graph.pb").read_bytes()
    for name in ("older", "notes.txt", "new"):
        report(run, "save", tmp_path / name, "graph.pb", "run_meta_0")
        report(run, "op", tmp_path / name)


# ---- packed ---------------------------------------------------------------------------


@pytest.mark.parametrize("files", [["profile"], ["graph.pb", "run_meta_0", "tfprof_log"],
                                   ["graph.pbtxt"]])
def test_packed_files(run, resnet, tmp_path, files):
    for name in files:
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((resnet / name).read_bytes(), 1))
    packed = [tmp_path / f"{name}.gz" for name in files]
    expected = report(run, "op", *files, "--select=params,micros")
    assert report(run, "op", *packed, "--select=params,micros") == expected


def test_a_packed_file_by_flag_whatever_its_name(run, resnet, tmp_path, expected):
    (tmp_path / "p").write_bytes(gzip.compress((resnet / "profile").read_bytes(), 1))
    assert report(run, "op", f"--profile_path={tmp_path / 'p'}", "--select=params") == expected


def test_a_bomb_is_refused_with_the_limit(run, tmp_path):
    bomb = gzip.compress(b"node {}\n" * (10 << 20), 9)
    assert len(bomb) < 1 << 18
    (tmp_path / "bomb.gz").write_bytes(bomb)
    limit = (64 << 20) + 100 * len(bomb)
    assert f"it unpacks to more than {limit} bytes" in refusal(run, 1, "op", tmp_path / "bomb.gz")


def test_packed_files_that_are_damaged(run, resnet, tmp_path):
    packed = gzip.compress((resnet / "graph.pb").read_bytes(), 1)
    (tmp_path / "short.gz").write_bytes(packed[:-1000])
    assert "the file is cut short" in refusal(run, 1, "op", tmp_path / "short.gz")
    (tmp_path / "inner.gz").write_bytes(gzip.compress(b"\x89PNG\r\n\x1a\n"))
    assert "a PNG image, compressed with gzip" in refusal(run, 1, "op", tmp_path / "inner.gz")
    (tmp_path / "i.gz").write_bytes(gzip.compress(open(CHECKPOINT + ".index", "rb").read()))
    assert "one of several files, compressed with gzip" in refusal(run, 1, "op", tmp_path / "i.gz")


# ---- streams --------------------------------------------------------------------------


def test_standard_input(run, resnet, expected):
    content = (resnet / "profile").read_bytes()
    for stdin in (content, gzip.compress(content, 1)):
        assert report(run, "op", "-", "--select=params", stdin=stdin) == expected
        assert report(run, "op", "--profile_path=-", "--select=params", stdin=stdin) == expected
    assert "standard input: it looks like a PNG image" in refusal(
        run, 1, "op", "-", stdin=b"\x89PNG\r\n\x1a\n")
    assert "standard input: not a GraphDef: it looks like a ProfileProto" in refusal(
        run, 1, "op", "--graph_path=-", stdin=content)


def test_a_pipe_by_its_path(program, resnet, expected):
    done = subprocess.run(["bash", "-c", f"{program} op <(cat profile) --select=params"],
                          cwd=resnet, capture_output=True, timeout=60)
    assert done.stdout == expected, done.stderr


# ---- what does not go together ----------------------------------------------------------


def test_two_of_a_kind(run, resnet, tmp_path):
    shutil.copy(resnet / "profile", tmp_path / "other")
    line = refusal(run, 2, "op", "profile", tmp_path / "other")
    assert "profile and " in line and "only one can be loaded at a time" in line
    assert "only one" in refusal(run, 2, "op", "graph.pb", "graph.pbtxt")
    assert "only one" in refusal(run, 2, "op", "graph.pb", "--graph_path=graph.pbtxt")


def test_a_profile_and_its_parts(run):
    assert "profile and graph.pb cannot be combined" in refusal(run, 2, "op", "graph.pb", "profile")
    assert "cannot be combined" in refusal(run, 2, "op", "--profile_path=profile", "run_meta_0")


def test_an_op_log_alone(run):
    assert "give a graph or a saved profile with it" in refusal(run, 2, "op", "tfprof_log")


def test_missing_files(run):
    assert refusal(run, 1, "op", "nowhere.pb") == (
        "tfprof: cannot read: nowhere.pb: No such file or directory\n")
    assert "unknown command: nowhere: expected one of" in refusal(run, 2, "nowhere")
    assert "there is no file of this name" in refusal(run, 2, "op", "nowhere")
