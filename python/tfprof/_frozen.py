"""Results that can be pickled. A native result belongs to its profile; what a pickle
holds is its content: the columns, and the report and the message as rendered.

    native result ── freeze ──> Frozen ── pickle ──> Frozen

A Frozen has the attributes and methods of a native result that the package uses."""

import os
from typing import Any, Dict, Iterable, List, Optional, Tuple

from tfprof import _files, _native

_CASTS = {"int64": "q", "bool": "q", "double": "d"}


def freeze(native: Any, names: Iterable[str], formats: Iterable[str]) -> "Frozen":
    """The content of a native result: its default columns and those named, and what it
    renders to in these formats. A frozen one is returned as it is."""
    if isinstance(native, Frozen):
        return native
    made = Frozen()
    made.columns = native.columns
    made.exported = native.exported
    made.n_rows = len(native)
    made.text, made.notes, made.level = native.text, native.notes, native.level
    made.rendered = {format: native.render(format) for format in formats}
    for name in [*made.columns, *names]:
        try:
            values = native.column(name)
        except _native.Error:
            continue  # not computed before the profile changed: the result lacks it, too
        made.content[name] = (*native.column_type(name), values)
    return made


class Frozen:
    def __init__(self) -> None:
        self.columns: List[str] = []
        self.exported: List[str] = []  # in the Arrow stream
        self.n_rows = 0
        self.text = b""
        self.notes = ""
        self.level = 0
        self.rendered: Dict[str, bytes] = {}
        # name → type, whether it is nullable, values: a list, or bytes of numbers
        self.content: Dict[str, Tuple[str, bool, Any]] = {}

    def render(self, format: str) -> bytes:
        if format not in self.rendered:
            raise _native.ArgumentError(f"a result that was pickled cannot be written as {format}: "
                                        "run the query again")
        return self.rendered[format]

    def save(self, format: str, path: Any) -> None:
        directory, name = os.path.split(os.fsdecode(path))
        _files.write_whole(directory, name, self.render(format))

    def _find(self, name: str) -> Tuple[str, bool, Any]:
        if name not in self.content:
            raise KeyError(f"no column '{name}'")
        return self.content[name]

    def column(self, name: str) -> Any:
        return self._find(name)[2]

    def column_type(self, name: str) -> Tuple[str, bool]:
        kind, is_nullable, _ = self._find(name)
        return kind, is_nullable

    def value(self, name: str, row: int) -> Any:
        if not 0 <= row < self.n_rows:
            raise IndexError("row out of range")
        kind, is_nullable, values = self._find(name)
        if kind not in _CASTS:
            return values[row]
        value = memoryview(values).cast(_CASTS[kind])[row]
        if kind == "bool":
            return value != 0
        return None if is_nullable and value < 0 else value

    def values(self, name: str) -> List[Any]:
        """The column as Python values."""
        return [self.value(name, row) for row in range(self.n_rows)]

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, row: int) -> Tuple[Any, ...]:
        return tuple(self.value(name, row) for name in self.columns)

    def _arrow(self, names: Optional[List[str]] = None) -> Any:
        from tfprof import _tables
        return _tables.arrow_from_columns(self, self.exported if names is None else names)

    def __arrow_c_schema__(self) -> object:
        return self._arrow().schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        names = None
        if requested_schema is not None:
            from tfprof._need import need
            pyarrow = need("pyarrow", "the Arrow stream of a result that was pickled")
            names = pyarrow.Schema._import_from_c_capsule(requested_schema).names
        return self._arrow(names).__arrow_c_stream__()
