"""What ``tfprof.load(...).events()`` and ``.table()`` give."""

from typing import Any, List

from tfprof import _native


class Table:
    """Columns of a profile: for pyarrow, pandas and others."""

    def __init__(self, native: _native.Result):
        self._native = native

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return self._native.columns

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<{len(self)} rows: {', '.join(self.columns)}>"

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table."""
        from tfprof import _tables
        return _tables.to_arrow(self)

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame."""
        from tfprof import _tables
        return _tables.to_pandas(self._native, self.columns)

    def __copy__(self) -> "Table":
        return type(self)(self._native)

    def __deepcopy__(self, memo: Any) -> "Table":
        return type(self)(self._native)

    def __reduce__(self) -> Any:
        from tfprof import _frozen
        return type(self), (_frozen.freeze(self._native, (), ()),)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as Arrow record batches, for polars.DataFrame(table) and others that
        know the protocol."""
        return self._native.__arrow_c_stream__(requested_schema)


class Events(Table):
    """Executions, sorted by device and start: which node ran, of which step, on which
    device and lane, when, and for how long. Lanes are what a viewer shows as the lines
    of a device."""

    def __repr__(self) -> str:
        return f"<{len(self)} events>"
