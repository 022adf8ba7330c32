"""Good files to damage, and the program to run on them."""

import os
import subprocess

import pytest
import tree


@pytest.fixture(scope="session")
def good(tmp_path_factory, models):
    """A small real model, in files whose names do not reveal their kind."""
    directory = tmp_path_factory.mktemp("good")
    names = {"graph.pb": "g", "tfprof_log": "l", "profile": "p", "run_meta_0": "r"}
    for name, short in names.items():
        os.symlink(models / "loop" / name, directory / short)
    return directory


class Program:
    def __init__(self, directory):
        self.directory = directory

    def run(self, *arguments, stdout=subprocess.PIPE):
        return subprocess.run([tree.program()] + [str(one) for one in arguments],
                              cwd=self.directory, stdin=subprocess.DEVNULL, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=60)

    def refuses(self, status, *arguments, says=()):
        """Runs it twice, to stdout and to an existing file, and checks what holds for
        every error. Returns the error line."""
        outfile = self.directory / "outfile"
        outfile.write_bytes(b"as it was\n")
        for extra in ((), (f"--output=file:outfile={outfile}",)):
            done = self.run(*arguments, *extra)
            line = done.stderr.decode()
            assert done.returncode == status, (done.returncode, line, done.stdout[:200])
            assert done.stdout == b""
            assert line.startswith("tfprof: ") and line.endswith("\n") and line.count("\n") == 1
            assert outfile.read_bytes() == b"as it was\n"
            if any(str(argument).startswith("--output") for argument in arguments):
                break
        for word in says:
            assert word in line, f"{word!r} is not in {line!r}"
        return line


@pytest.fixture
def tfprof(good, tmp_path):
    """The program, run where the good files are."""
    for path in good.iterdir():
        os.symlink(path, tmp_path / path.name)
    return Program(tmp_path)
