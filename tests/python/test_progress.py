"""Progress is shown only on a terminal, and only for slow operations."""

import io
import os
import pty
import sys
import time

import pytest

import tfprof
from tfprof import _progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Work:
    progress = (50_000_000, 100_000_000, 1234)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(_progress, "DELAY", 0.05)
    monkeypatch.setattr(_progress, "INTERVAL", 0.01)


def test_slow_work_on_a_terminal(quick, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with _progress.shown(Work, "reading it"):
        time.sleep(0.2)
    text = terminal.getvalue()
    assert "reading it:  50%|##########          | 50.0/100.0 MB" in text and "1234 nodes" in text
    assert text.endswith("\r\033[K"), "nothing is left behind"


def test_quick_work_on_a_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with _progress.shown(Work, "reading it"):
        pass
    assert terminal.getvalue() == ""


def test_slow_work_elsewhere(quick, monkeypatch):
    for out in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", out)
        with _progress.shown(Work, "reading it"):
            time.sleep(0.1)
        assert out is None or out.getvalue() == ""


def test_wanted_or_not(quick, monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    with _progress.shown(Work, "reading it", True):
        time.sleep(0.1)
    assert "50%" in out.getvalue()
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with _progress.shown(Work, "reading it", False):
        time.sleep(0.1)
    assert terminal.getvalue() == ""


def test_errors_pass_and_the_line_goes(quick, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(KeyError):
        with _progress.shown(Work, "reading it"):
            time.sleep(0.1)
            raise KeyError
    assert terminal.getvalue().endswith("\r\033[K")


def test_a_terminal_that_goes_away(quick, monkeypatch):
    class Broken(Terminal):
        def write(self, text):
            raise OSError("gone")

    monkeypatch.setattr(sys, "stderr", Broken())
    with _progress.shown(Work, "reading it"):
        time.sleep(0.1)


def test_loading_and_saving_show_it(quick, monkeypatch, tmp_path):
    """A real profile on a real terminal, which a child process has."""
    from wire import node
    chunk = b"".join(node(f"scope{i}/n{i}", "Op", [f"scope{i}/n{i - 1}"]) for i in range(400_000))
    (tmp_path / "big").write_bytes(chunk)
    code = (f"import tfprof\nfrom tfprof import _progress\n_progress.DELAY = 0.001\n"
            f"_progress.INTERVAL = 0.001\n"
            f"profile = tfprof.load(graph={str(tmp_path / 'big')!r})\n"
            f"profile.save({str(tmp_path / 'saved')!r})\n")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", code])
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    _, status = os.waitpid(child, 0)
    assert status == 0, shown
    assert b"reading big:" in shown and b"MB/s" in shown and b"writing saved:" in shown


def test_figures_of_a_load(loop_files):
    profile = tfprof.Profile()
    assert profile._native.progress == (0, 0, 0)
