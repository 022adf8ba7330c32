"""Run the original: the profiler in TensorFlow's wheel.

It prints with C stdio, keeps one profiler per process and aborts on some inputs,
so it runs in a child process:

    this process --socket--> nursery (imports TensorFlow once)
                                 | fork
                             worker (holds the profiler, file descriptors 1
                                     and 2 are memory files)

A worker serves any number of calls. When it crashes, the call raises `Aborted` with
what it printed, and the next call gets a new worker, which has no profiler yet.
Forking from the nursery makes that cheap: importing TensorFlow takes seconds, a fork
milliseconds.

    with Original() as original:
        original.new(graph, op_log)
        original.add_step(0, b"", run_meta, b"")       # -> coverage
        original.profile("op", options).stdout
"""

import ctypes
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
from typing import NamedTuple


class Answer(NamedTuple):
    message: bytes
    stdout: bytes
    stderr: bytes


class Aborted(Exception):
    """The original crashed its process."""

    def __init__(self, reason, stdout=b"", stderr=b""):
        super().__init__(f"{reason}: {stderr.decode(errors='replace')[-600:]}")
        self.reason = reason
        self.stdout = stdout
        self.stderr = stderr


class Refused(Exception):
    """The original raised a Python exception."""


def python_with_tensorflow():
    """The interpreter that has the wheel: TFPROF_TENSORFLOW_PYTHON, the
    virtual environment in the cache directory, or this one."""
    chosen = os.environ.get("TFPROF_TENSORFLOW_PYTHON")
    if chosen:
        return chosen
    cache = os.environ.get("TFPROF_CACHE") or os.path.expanduser("~/.cache/tfprof")
    cached = os.path.join(cache, "venv", "bin", "python")
    return cached if os.path.exists(cached) else sys.executable


def _send(sock, value):
    data = pickle.dumps(value)
    sock.sendall(struct.pack("<Q", len(data)) + data)


def _receive_exactly(sock, size):
    parts = []
    while size:
        part = sock.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _receive(sock):
    (size,) = struct.unpack("<Q", _receive_exactly(sock, 8))
    return pickle.loads(_receive_exactly(sock, size))


class Original:
    def __init__(self, python=None, timeout=60):
        self.timeout = timeout
        self._command = [python or python_with_tensorflow(), os.path.abspath(__file__), "--serve"]
        self._nursery = None
        self._control = None
        self._worker = None
        self._worker_pid = None
        self._stdout = self._stderr = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    # -- the original's calls ------------------------------------------------

    def new(self, graph=b"", op_log=b""):
        return self._call("NewProfiler", graph, op_log).value

    def from_file(self, path):
        return self._call("ProfilerFromFile", os.fsencode(path)).value

    def add_step(self, step, graph=b"", run_meta=b"", op_log=b""):
        return self._call("AddStep", step, graph, run_meta, op_log).value

    def profile(self, view, options):
        done = self._call("Profile", view.encode(), options)
        return Answer(done.value, done.stdout, done.stderr)

    def advise(self, options):
        """Options: a serialized AdvisorOptionsProto."""
        return self.profile("advise", options)

    def print_model_analysis(self, graph, run_meta, op_log, view, options):
        done = self._call("PrintModelAnalysis", graph, run_meta, op_log, view.encode(), options)
        return Answer(done.value, done.stdout, done.stderr)

    def serialize(self):
        return self._call("SerializeToString").value

    def write_profile(self, path):
        return self._call("WriteProfile", os.fsencode(path)).value

    def delete(self):
        return self._call("DeleteProfiler").value

    @property
    def last_stdout(self):
        """What the last call printed."""
        return self._last.stdout

    @property
    def last_stderr(self):
        return self._last.stderr

    # -- child processes -----------------------------------------------------

    def close(self):
        self._drop_worker()
        if self._nursery:
            self._control.close()
            self._nursery.wait()
            self._nursery = None

    def _start_nursery(self):
        self._stdout = os.memfd_create("stdout")
        self._stderr = os.memfd_create("stderr")
        ours, theirs = socket.socketpair()
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0",
                           CUDA_VISIBLE_DEVICES="")
        # A sanitizer runtime may be preloaded for our library only.
        environment.pop("LD_PRELOAD", None)
        fds = (theirs.fileno(), self._stdout, self._stderr)
        self._nursery = subprocess.Popen(self._command + [str(fd) for fd in fds], pass_fds=fds,
                                         env=environment, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        theirs.close()
        self._control = ours
        if ours.recv(1) != b"!":
            complaint = self._nursery.stderr.read().decode(errors="replace")
            raise RuntimeError("cannot import TensorFlow with %s: %s"
                               % (self._command[0], complaint[-2000:]))

    def _start_worker(self):
        if not self._nursery:
            self._start_nursery()
        ours, theirs = socket.socketpair()
        socket.send_fds(self._control, [b"?"], [theirs.fileno()])
        theirs.close()
        ours.settimeout(self.timeout)
        self._worker = ours
        self._worker_pid = _receive(ours)

    def _drop_worker(self):
        """Ends the worker and returns how it ended."""
        if not self._worker:
            return None
        self._worker.close()
        self._worker = None
        return _receive(self._control)

    def _call(self, name, *arguments):
        if not self._worker:
            self._start_worker()
        os.ftruncate(self._stdout, 0)
        os.ftruncate(self._stderr, 0)
        try:
            _send(self._worker, (name, arguments))
            kind, value = _receive(self._worker)
        except socket.timeout:
            os.kill(self._worker_pid, signal.SIGKILL)
            self._drop_worker()
            raise Aborted("no answer", *self._printed()) from None
        except (EOFError, ConnectionError):
            raise Aborted(self._drop_worker(), *self._printed()) from None
        self._last = _Done(value, *self._printed())
        if kind == "raised":
            raise Refused(value)
        return self._last

    def _printed(self):
        return _whole(self._stdout), _whole(self._stderr)


class _Done(NamedTuple):
    value: object
    stdout: bytes
    stderr: bytes


def _whole(fd):
    return os.pread(fd, os.fstat(fd).st_size, 0)


# ---- in the child -----------------------------------------------------------


def _serve(control_fd, stdout_fd, stderr_fd):
    control = socket.socket(fileno=control_fd)
    from tensorflow.python.util import _pywrap_tfprof as module

    libc = ctypes.CDLL(None)
    control.sendall(b"!")
    while True:
        request, fds, _, _ = socket.recv_fds(control, 1, 1)
        if not request:
            return
        pid = os.fork()
        if pid == 0:
            control.close()
            _work(socket.socket(fileno=fds[0]), module, libc, stdout_fd, stderr_fd)
            os._exit(0)
        os.close(fds[0])
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        _send(control, "died of " + signal.Signals(-code).name if code < 0
              else f"exit status {code}")


def _work(sock, module, libc, stdout_fd, stderr_fd):
    for fd, memory in ((1, stdout_fd), (2, stderr_fd)):
        # Opened separately to have its own offset: appending starts at the end, to
        # which the parent truncates the file.
        here = os.open(f"/proc/self/fd/{memory}", os.O_WRONLY | os.O_APPEND)
        os.dup2(here, fd)
        os.close(here)
    _send(sock, os.getpid())
    while True:
        try:
            name, arguments = _receive(sock)
        except (EOFError, ConnectionError):
            return
        try:
            answer = "fine", getattr(module, name)(*arguments)
        except Exception as error:  # whatever pybind makes of a C++ exception
            answer = "raised", f"{type(error).__name__}: {error}"
        libc.fflush(None)
        _send(sock, answer)


if __name__ == "__main__" and sys.argv[1:2] == ["--serve"]:
    _serve(*map(int, sys.argv[2:5]))
