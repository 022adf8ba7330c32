"""Every write fails in turn, or stores a part only: a file is whole, or what it was before."""

import errno
import os
import re
import shutil
import signal
import subprocess

import pytest
import tree

RESNET = os.path.join(tree.TOP, "examples", "resnet", "profile")
MODEL = os.path.join(tree.TESTS, "models", "files", "mlp", "export")

# What is run, and the file that it writes; none: standard output.
WRITERS = {
    "json": (["op", RESNET, "--output=json:outfile=out.json"], "out.json"),
    "json.gz": (["op", RESNET, "--output=json:outfile=out.json.gz"], "out.json.gz"),
    "csv": (["graph", RESNET, "--output=csv:outfile=out.csv"], "out.csv"),
    "arrow": (["op", RESNET, "--output=arrow:outfile=out.arrow"], "out.arrow"),
    "jsonl": (["op", RESNET, "--output=jsonl:outfile=out.jsonl"], "out.jsonl"),
    "report": (["scope", RESNET, "--output=file:outfile=out.txt"], "out.txt"),
    "pprof": (["code", RESNET, "--output=pprof:outfile=out.pprof"], "out.pprof"),
    "timeline": (["graph", RESNET, "--step=0", "--output=timeline:outfile=out.json"], "out.json"),
    "collapsed": (["scope", RESNET, "--output=collapsed:outfile=out.txt"], "out.txt"),
    "speedscope": (["code", RESNET, "--output=speedscope:outfile=out.json"], "out.json"),
    "html": (["annotate", RESNET, "--output=html:outfile=out.html"], "out.html"),
    "prometheus": (["op", RESNET, "--output=prometheus:outfile=out.prom"], "out.prom"),
    "save": (["save", "out", RESNET], "out"),
    "advice": (["advise", RESNET, "--output=json:outfile=out.json"], "out.json"),
    "model": (["model", MODEL, "--output=json:outfile=out.json"], "out.json"),
    "diff": (["diff", "--output=markdown:outfile=out.md", RESNET, "--", RESNET], "out.md"),
    "to stdout": (["graph", RESNET, "--output=csv"], None),
    "report to stdout": (["scope", RESNET, "--max_depth=100"], None),
}


def test_every_format_is_written():
    words = subprocess.check_output([tree.program(), "help", "output"], text=True)
    formats = set(re.findall(r"^  (\w+) ", words, re.M)) - {"none", "stdout"}
    commands = " ".join(word for command, _ in WRITERS.values() for word in command)
    assert formats == set(re.findall(r"--output=(\w+):", commands))


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    made = tmp_path_factory.mktemp("shim") / "failing_writes.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", made,
                    os.path.join(tree.TESTS, "trust", "failing_writes.c"), "-ldl"], check=True)
    return made


def write(shim, directory, command, **settings):
    done = subprocess.run(
        [tree.program(), *command], cwd=directory, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
        env={**os.environ, "LD_PRELOAD": str(shim), "ASAN_OPTIONS": "verify_asan_link_order=0",
             **{name: str(value) for name, value in settings.items()}})
    return done, done.stderr.decode()


def written(directory, done, name):
    return (directory / name).read_bytes() if name else done.stdout


@pytest.mark.parametrize("writer", WRITERS)
def test_every_call_fails_once(shim, tmp_path, writer):
    command, name = WRITERS[writer]
    done, said = write(shim, tmp_path, command, COUNT=1)
    assert done.returncode == 0, said
    n_calls = int(re.search(r"calls: (\d+)", said)[1])
    assert n_calls >= (2 if name else 1)
    whole = written(tmp_path, done, name)
    for old in (b"what was there before", None) if name else (None,):
        for at in range(1, n_calls + 1):
            for code in (errno.ENOSPC, errno.EIO):
                shutil.rmtree(tmp_path)
                tmp_path.mkdir()
                if old:
                    (tmp_path / name).write_bytes(old)
                done, said = write(shim, tmp_path, command, FAIL_AT=at, FAIL_WITH=code)
                left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
                if done.returncode == 0:  # it found another way
                    assert written(tmp_path, done, name) == whole, (at, code)
                    continue
                assert done.returncode == 1 and os.strerror(code) in said, (at, code, said)
                before = {name: old} if old else {}
                # What is said on standard output follows the file.
                assert left in (before, {name: whole}), (at, code)


def calls(shim, directory, command):
    """The calls of a run, a letter for each; those to standard output follow the file."""
    done, said = write(shim, directory, command, COUNT=1)
    assert done.returncode == 0, said
    return re.search(r"calls: \d+ (\w+)", said)[1].rstrip("w")


@pytest.mark.parametrize("old", [None, b"what was there before"])
@pytest.mark.parametrize("writer", [writer for writer, (_, name) in WRITERS.items() if name])
def test_bytes_reach_the_disk_before_the_name(shim, tmp_path, writer, old):
    """After a loss of power there would be an empty file otherwise."""
    command, name = WRITERS[writer]
    if old:
        (tmp_path / name).write_bytes(old)
    assert re.fullmatch("w+f" + ("l?r" if old else "l|w+fr"), calls(shim, tmp_path, command))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("writer", ["json", "save"])
def test_a_signal_before_each_call_leaves_no_other_name(shim, tmp_path, writer, number):
    command, name = WRITERS[writer]
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored below nohup, and so by what is started here
    (tmp_path / name).write_bytes(b"what was there before")
    n_calls = len(calls(shim, tmp_path, command))
    for at in range(1, n_calls + 1):
        (tmp_path / name).write_bytes(b"what was there before")
        done, said = write(shim, tmp_path, command, FAIL_AT=at, RAISE=int(number))
        assert done.returncode == -number, (at, said)
        left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert left == {name: b"what was there before"}, at


@pytest.mark.parametrize("writer", WRITERS)
def test_short_writes(shim, tmp_path, writer):
    command, name = WRITERS[writer]
    done, said = write(shim, tmp_path, command)
    whole = written(tmp_path, done, name)
    for most in (1000, 4097):
        done, said = write(shim, tmp_path, command, SHORT=most)
        assert done.returncode == 0 and written(tmp_path, done, name) == whole, said
