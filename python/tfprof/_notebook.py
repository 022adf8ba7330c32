"""``%load_ext tfprof``: profiles in a notebook.

    %tfprof f(x)      runs the expression a few times, as tfprof.profile_function does
    %%tfprof          runs the cell once

Both show the headline, the layers and the lines of the cell with their costs, and return the profile.
"""

import html
import os
import shutil
import tempfile
from typing import Any, Dict, List, Optional

from tfprof import _native

_STYLE = ("<style>.tfprof-cell pre {margin: 0; line-height: 1.35} .tfprof-cell .hot "
          "{background: rgb(230 80 30 / 25%)}</style>")


class Shown:
    """A profile of a cell: what a notebook displays of it."""

    def __init__(self, profile: Any, source: str, name: str):
        #: The profile, to ask more.
        self.profile = profile
        self.headline: Optional[str] = profile.overview()["headline"]
        self.layers = _ask(profile, "layers")
        #: Rows of the cell, with its source: ``annotate``.
        self.lines = _lines(profile, source, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.profile, name)

    def __repr__(self) -> str:
        parts = [self.headline or "nothing ran", self.layers.text if self.layers else "",
                 "\n".join(f"{_cost(row):>10}  {row['source'] or ''}" for row in self.lines)]
        return "\n\n".join(part.rstrip() for part in parts if part)

    def _repr_html_(self) -> str:
        layers = f"<pre>{html.escape(self.layers.text)}</pre>" if self.layers else ""
        lines = "".join(
            f'<pre class="{"hot" if (row.get("share") or 0) >= 0.2 else ""}">{_cost(row):>10}  '
            f"{html.escape(row['source'] or ' ')}</pre>" for row in self.lines)
        return (f'<div class="tfprof-cell">{_STYLE}<p><b>{html.escape(self.headline or "nothing ran")}</b></p>'
                f"{layers}<p></p>{lines}</div>")


def _cost(row: Dict[str, Any]) -> str:
    micros = row.get("total_exec_micros") or row.get("python_micros")
    return f"{micros / 1000:.2f} ms" if micros else ""


def _ask(profile: Any, question: str, **options: Any) -> Any:
    try:
        return getattr(profile, question)(**options)
    except _native.Error:
        return None


def _lines(profile: Any, source: str, name: str) -> List[Dict[str, Any]]:
    """Every line of the cell, with a cost if one is known; its file is known by the name that Python
    gave it."""
    directory = tempfile.mkdtemp(prefix="tfprof-")
    try:
        path = os.path.join(directory, os.path.basename(name))
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        found = _ask(profile, "annotate", source=path)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if found:
        return [row for row in found if row["depth"] == 2]
    return [{"source": line} for line in source.splitlines()]


def _file_of(code: Any) -> str:
    return str(code.co_filename)


def load_ipython_extension(shell: Any) -> None:
    """Called by %load_ext."""
    from IPython.core.magic import register_line_cell_magic

    def tfprof(line: str, cell: Optional[str] = None) -> Any:
        """%tfprof EXPRESSION, or %%tfprof and a cell: runs it and shows what costs time."""
        if cell is None:
            return _run_line(shell, line)
        if line.strip():
            raise _native.ArgumentError(f"%%tfprof takes no arguments, got {line.strip()!r}")
        return _run_cell(shell, cell)

    register_line_cell_magic(tfprof)


def _compile(shell: Any, source: str, mode: str) -> Any:
    """As IPython compiles cells, so that tracebacks and profiles know the text."""
    name = shell.compile.cache(source)
    return compile(source, name, mode)


def _run_line(shell: Any, line: str) -> Shown:
    from tfprof._function import profile_function

    if not line.strip():
        raise _native.ArgumentError("expected an expression, such as %tfprof train_step(images)")
    code = _compile(shell, line.strip(), "eval")
    profile = profile_function(lambda: eval(code, shell.user_ns))
    return _shown(shell, profile, line, _file_of(code))


def _run_cell(shell: Any, cell: str) -> Shown:
    from tfprof._trace import trace

    source = shell.transform_cell(cell)
    code = _compile(shell, source, "exec")
    with trace() as recorded:
        exec(code, shell.user_ns)
    return _shown(shell, recorded.profile, source, _file_of(code))


def _shown(shell: Any, profile: Any, source: str, name: str) -> Any:
    return Shown(profile, source, name) if profile else profile
