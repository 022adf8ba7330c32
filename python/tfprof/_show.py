"""A profile in a browser: the server of `tfprof ui`, started and stopped from Python."""

import html
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from typing import Any, List, NoReturn, Optional

from tfprof import _native, _programs

_NAME = "tfprof-ui"


def find_server() -> str:
    """The path of the server; raises if it is not installed."""
    path = _programs.find(_NAME, os.environ.get("TFPROF_UI"))
    if path:
        return path
    raise _native.FileError("this tfprof was built without its web page: install libmicrohttpd-dev and npm and "
                            "install it again, or set TFPROF_UI to the path of another tfprof-ui")


class Page:
    """A profile that is shown in a browser, until ``stop`` is called or Python exits.

    Attributes:
      url: the address to open. It contains the token that the server requires.
    """

    def __init__(self, process: "subprocess.Popen[str]", directory: str) -> None:
        self._end = weakref.finalize(self, _end, process, directory)
        assert process.stdout is not None
        self.url = process.stdout.readline().strip()
        if not self.url.startswith("http"):
            self.stop()
            raise _native.Error(f"tfprof-ui did not start: {self.url or 'it ended at once'}")

    def stop(self) -> None:
        """Ends the server and removes its copy of the profile. May be called again."""
        self._end()

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Page: {self.url if self._end.alive else 'stopped'}>"

    def _repr_html_(self) -> str:
        """A link that opens a tab: the page cannot be shown in a frame."""
        if not self._end.alive:
            return "<p>tfprof: stopped</p>"
        url = html.escape(self.url, quote=True)
        return f'<p><a href="{url}" target="_blank" rel="noopener">Open the profile in a new tab</a></p>'


def _end(process: "subprocess.Popen[str]", directory: str) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
    shutil.rmtree(directory, ignore_errors=True)


def show(profile: Any, port: Optional[int] = None) -> Page:
    """Saves a profile to a temporary file and starts the server on it."""
    server = find_server()
    directory = tempfile.mkdtemp(prefix="tfprof-")
    try:
        path = os.path.join(directory, "profile")
        profile._native.save(path)
        process = subprocess.Popen([server, path, f"--port={6117 if port is None else port}"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    return Page(process, directory)


def run(arguments: List[str]) -> NoReturn:
    """Replaces this process by the server: `python -m tfprof ui FILE`."""
    try:
        path = find_server()
    except _native.FileError as error:
        sys.exit(f"tfprof: {error}")
    _programs.run(path, arguments)
