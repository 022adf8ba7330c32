"""The program, real files, and a terminal."""

import subprocess
import time

import pytest
import tree
from pseudo_terminal import Terminal


@pytest.fixture(scope="session")
def resnet(models):
    """The 32-layer ResNet: graph.pbtxt, graph.pb, run_meta_0..2, tfprof_log, profile."""
    return models / "resnet"


@pytest.fixture(scope="session")
def devices(models):
    """A run on several devices, with the same names."""
    return models / "devices"


@pytest.fixture(scope="session")
def program():
    return tree.program()


@pytest.fixture(scope="session")
def run(program, resnet):
    """Runs the program where the ResNet's files are."""
    def run_program(*arguments, stdin=b"", directory=None, **more):
        if isinstance(stdin, bytes):
            more["input"] = stdin
        else:
            more["stdin"] = stdin
        more.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([program, *map(str, arguments)], cwd=directory or resnet,
                              stderr=subprocess.PIPE, timeout=60, **more)
    return run_program


@pytest.fixture
def home(tmp_path):
    """An empty home directory, without history or settings."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def sit_down(program, resnet, home):
    """Starts the program in a terminal where the ResNet's files are."""
    terminals = []

    def start(*arguments, rows=24, columns=80, directory=None, **environment):
        terminal = Terminal([program, *map(str, arguments)], directory or resnet,
                            {"HOME": str(home), **environment}, rows, columns)
        terminals.append(terminal)
        return terminal

    yield start
    for terminal in terminals:
        terminal.close()


@pytest.fixture
def history(home):
    """The lines of the history, oldest first; waits for the expected ones, as they
    take a while to arrive."""
    def read(expected=None):
        end = time.monotonic() + 20
        path = home / ".local/state/tfprof/history"
        while True:
            lines = path.read_text().splitlines() if path.exists() else []
            if expected is None or lines == expected or time.monotonic() > end:
                return lines
            time.sleep(0.05)
    return read
