"""Reports on standard output are written in pieces while they are made."""

import os
import subprocess

import pytest
import wire

ALL = ["--max_depth=100", "--doc=false"]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A graph whose reports are tens of megabytes."""
    directory = tmp_path_factory.mktemp("large")
    name = "a_layer/of_a_model/" + "whose_names_are_long" * 20 + "_%d"
    (directory / "graph.pb").write_bytes(b"".join(
        wire.node(name % i, "Op") for i in range(40_000)))
    return directory


def peak_of(program, directory, output, *arguments):
    """The most memory that the process had, in bytes."""
    with open(output, "wb") as file:
        child = os.fork()
        if not child:
            os.chdir(directory)
            os.dup2(file.fileno(), 1)
            os.execv(program, [program, *arguments])
        _, status, used = os.wait4(child, 0)
    assert status == 0
    return used.ru_maxrss * 1024


@pytest.mark.parametrize("output", ["stdout", "csv", "json"])
def test_takes_no_memory(program, large, tmp_path, output):
    command = ["scope", "graph.pb", *ALL]
    kind = "file" if output == "stdout" else output
    to_file = peak_of(program, large, os.devnull, *command, f"--output={kind}:outfile={tmp_path}/file")
    to_stdout = peak_of(program, large, tmp_path / "stdout", *command, f"--output={output}")
    written = (tmp_path / "stdout").read_bytes()
    if output != "json":  # which repeats the options
        assert written == (tmp_path / "file").read_bytes()
    assert len(written) > 15_000_000
    assert to_stdout < to_file + 6_000_000


@pytest.mark.parametrize("output", ["stdout", "csv", "json"])
@pytest.mark.parametrize("lines", [1, 10_000])
def test_reader_that_has_enough(program, large, output, lines):
    with subprocess.Popen([program, "scope", "graph.pb", *ALL, f"--output={output}"], cwd=large,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        for _ in range(lines):
            assert child.stdout.readline()
        child.stdout.close()
        said = child.stderr.read()
        assert child.wait(60) == 1
    assert b"cannot write" not in said and b"tfprof:" not in said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("output", ["stdout", "csv", "json"])
def test_full_disk(program, large, output):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, "scope", "graph.pb", *ALL, f"--output={output}"], cwd=large,
                              stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1
    assert done.stderr.count(b"cannot write: standard output: No space left on device\n") == 1


def test_a_script_of_large_reports(program, large):
    script = "scope -max_depth 100\nscope -select xyzzy\nscope -max_depth 1\n"
    done = subprocess.run([program, "graph.pb"], cwd=large, input=script.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.stdout.count(b"_39999 (") == 1
    assert done.stdout.count(b"_TFProfRoot (") == 2
    assert b"line 2: " in done.stderr and done.returncode == 2


def test_a_file_that_changes_while_the_report_is_read(program, large, tmp_path):
    """It is an error, even if the report is out by then."""
    (tmp_path / "graph.pb").write_bytes((large / "graph.pb").read_bytes())
    with subprocess.Popen([program, "scope", "graph.pb", *ALL], cwd=tmp_path,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        child.stdout.readline()
        os.utime(tmp_path / "graph.pb", (1, 1))
        child.stdout.read()
        said = child.stderr.read()
        assert child.wait(60) == 1
    assert said.endswith(b"graph.pb: it has changed since it was loaded: reload it\n")


@pytest.mark.parametrize("output", ["csv", "csv:outfile=-"])
def test_names_in_csv_do_not_reach_a_terminal_as_control_codes(sit_down, program, tmp_path, output):
    name = "a\x1b[2Jb\u202e"
    (tmp_path / "graph.pb").write_bytes(wire.node(name, "Op"))
    command = ["scope", "--graph_path=graph.pb", f"--output={output}"]
    piped = subprocess.run([program, *command], cwd=tmp_path, check=True,
                           capture_output=True).stdout
    assert name.encode() in piped, "programs get the bytes"
    terminal = sit_down(*command, directory=tmp_path)
    terminal.wait()
    assert rb"a\x1b[2Jb\u202e" in terminal.raw and name.encode() not in terminal.raw
    terminal = sit_down("--graph_path=graph.pb", directory=tmp_path)
    terminal.prompt()
    terminal.ask(f"scope -output {output}")
    assert rb"a\x1b[2Jb\u202e" in terminal.raw and name.encode() not in terminal.raw
