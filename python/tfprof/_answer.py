"""What the questions of ``tfprof.load(...)`` return, such as ``.devices()``."""

from typing import Any, Dict, Iterator, List

from tfprof import _frozen, _native, _tables
from tfprof._report import Report


class Answer(Report):
    """The answer of a question: a tree or a list of rows, and what was noted.

    Printing it shows the report. Iterating yields the rows as dictionaries, the root first:
    id, parent (an id or None), depth, name, and the columns of the question. What the JSON output
    has besides are attributes.

    >>> import tfprof
    >>> devices = tfprof.load('examples/resnet/profile').devices()
    >>> [(row['name'], row['kind'], row['runs']) for row in devices if row['depth']]
    [('cpu:0', 'cpu', 6489)]
    """

    def __init__(self, native: _native.Result, question: str, output: str = "stdout"):
        super().__init__(native)
        self._output = output
        self.question = question  #: its name

    @property
    def text(self) -> str:
        """The report; for outputs other than stdout, the message about the file."""
        if self._output == "stdout":
            return self._render("text")
        return self._native.text.decode("utf-8", "replace")

    @property
    def notes(self) -> str:
        """Lines about the answer; often empty. ``to_dict()['notes']`` has their ids."""
        return self._native.notes

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return self._native.columns

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """A dictionary per row, the root first."""
        return self.to_dict()["nodes"]

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame."""
        return _tables.to_pandas(self._native, self.columns)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.to_dict():
            return self.to_dict()[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __copy__(self) -> "Answer":
        return Answer(self._native, self.question, self._output)

    def __deepcopy__(self, memo: Any) -> "Answer":
        return self.__copy__()

    def __repr__(self) -> str:
        return f"<{self.question}: {len(self)} rows>"

    def __reduce__(self) -> Any:
        # A list, such as events, may be long: of it only the columns are kept.
        formats = ("text", "json", "jsonl", "csv", "markdown") if "parent" in self.columns else ()
        return Answer, (_frozen.freeze(self._native, (), formats), self.question, self._output)
