"""Runs a program in a pseudo-terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

ESCAPE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07")
PROMPT = "tfprof> "


class Terminal:
    """`seen` is the output so far without escape sequences, `raw` with them."""

    def __init__(self, command, directory, environment, rows=24, columns=80):
        self.raw = b""
        self.mark = 0
        self.status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(directory)
            base = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8"}
            base.update({name: os.environ[name] for name in os.environ if "SAN_OPTIONS" in name})
            try:
                os.execve(command[0], command, {**base, **environment})
            finally:
                os._exit(127)  # must not continue as a second test run

    @property
    def seen(self):
        return ESCAPE.sub(b"", self.raw).decode(errors="replace").replace("\r\n", "\n")

    def read(self, seconds):
        """Reads what arrives within this time; False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.raw += data
        return bool(data)

    def expect(self, text, seconds=30):
        """Waits for a text after the one expected before; returns the output before
        it."""
        end = time.monotonic() + seconds
        while True:
            seen = self.seen
            found = seen.find(text, self.mark)
            if found >= 0:
                before = seen[self.mark:found]
                self.mark = found + len(text)
                return before
            alive = self.read(0.1)
            assert alive or text in self.seen[self.mark:], \
                f"the program ended without {text!r}: {self.seen[self.mark:]!r}"
            assert time.monotonic() < end, f"no {text!r} in {self.seen[self.mark:]!r}"

    def send(self, text):
        os.write(self.fd, text.encode() if isinstance(text, str) else text)

    def prompt(self):
        return self.expect(PROMPT)

    def ask(self, line):
        """Types a line at the prompt; returns the output up to the next prompt."""
        self.send(line + "\n")
        return self.prompt()

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait(self, seconds=30):
        """The exit status."""
        end = time.monotonic() + seconds
        while self.status is None:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            assert time.monotonic() < end, f"it does not end: {self.seen[self.mark:]!r}"
        while select.select([self.fd], [], [], 0)[0] and self.read(0):
            pass
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
