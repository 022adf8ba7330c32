"""What reports of models, comparisons and the advisor have in common."""

import json
from typing import Any, Dict, Optional

from tfprof import _native, _tables


class Report:
    """A report, and the table that it was made from."""

    def __init__(self, native: _native.Result):
        self._native = native
        self._details: Optional[Dict[str, Any]] = None

    def _render(self, format: str) -> str:
        return self._native.render(format).decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """The report."""
        return self._render("text")

    def to_dict(self) -> Dict[str, Any]:
        """Everything, in the form of the JSON output."""
        if self._details is None:
            self._details = json.loads(self._render("json"))
        return self._details

    def save(self, path: Any, output: str = "json") -> None:
        """Writes a file in a format of the option output or as text, completely or not at
        all, and never over a file that it was made from."""
        self._native.save(output, path)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table."""
        return _tables.to_arrow(self)

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame. Needs pyarrow."""
        _tables.need("pandas", "to_pandas()")
        return _tables.need("pyarrow", "to_pandas()").table(self).to_pandas()

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as an Arrow stream, for pyarrow.table, polars.DataFrame and others that
        support the protocol."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

    def __str__(self) -> str:
        return self.text
