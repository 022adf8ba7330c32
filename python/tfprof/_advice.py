"""The result of ``tfprof.load(...).advise()``."""

from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from tfprof import _native
from tfprof._report import Report

LEVELS = ("none", "notice", "warning", "high")


class Advice(Report):
    """The findings of the checkers.

    Printing it shows the report. Iterating yields the findings as dictionaries: what
    was found, where, and its cost.

    >>> import tfprof
    >>> advice = tfprof.load('examples/resnet/profile').advise('ExpensiveOperationChecker')
    >>> for finding in advice:
    ...     print(finding['checker'], finding['what'])
    ExpensiveOperationChecker expensive_types
    ExpensiveOperationChecker expensive_nodes
    ExpensiveOperationChecker expensive_lines
    """

    def __init__(self, native: _native.Result, output: str = "stdout"):
        super().__init__(native)
        self._output = output

    @property
    def text(self) -> str:
        """The report; for outputs other than stdout, the message about the file."""
        if self._output == "stdout":
            return self._render("text")
        return self._native.text.decode("utf-8", "replace")

    @property
    def notes(self) -> str:
        """Lines saying what could not be checked and why."""
        return self._native.notes

    @property
    def level(self) -> str:
        """The highest level among the findings: 'none', 'notice', 'warning' or 'high'."""
        return LEVELS[self._native.level]

    @property
    def message(self) -> Any:
        """The advice as an AdviceProto, as TensorFlow's API returns it. Needs protobuf."""
        from tfprof import _messages
        return _messages.parse("AdviceProto", self._native.render("message"))

    @property
    def checkers(self) -> List[Dict[str, Any]]:
        """The checkers that were run, each with its options and findings."""
        return self.to_dict()["checkers"]

    def to_pandas(self) -> Any:
        """The findings as a pandas.DataFrame, a row each: the checker, what it found, its
        level, the text, what to do about it, its cost, and the devices, nodes, operation
        types and lines it concerns."""
        from tfprof import _tables
        return _tables.to_pandas(self._native, self._native.columns)

    def _repr_html_(self) -> str:
        from tfprof import _html_advice
        return _html_advice.table(self)

    def __copy__(self) -> "Advice":
        return Advice(self._native, self._output)

    def __deepcopy__(self, memo: Any) -> "Advice":
        return Advice(self._native, self._output)

    def __reduce__(self) -> Any:
        from tfprof import _frozen
        formats = ("text", "json", "message")
        return Advice, (_frozen.freeze(self._native, (), formats), self._output)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        for checker in self.checkers:
            for finding in checker["findings"]:
                yield {"checker": checker["name"], **finding}

    def __len__(self) -> int:
        return sum(len(checker["findings"]) for checker in self.checkers)

    def __repr__(self) -> str:
        return f"<advice: {len(self)} findings, level {self.level}>"


Setting = Tuple[str, Optional[str], Optional[str]]


def settings(checkers: Tuple[str, ...], options: Mapping[str, Any]) -> List[Setting]:
    """Checkers by name and {checker: {option: value}} as settings of the library."""
    made: List[Setting] = [(checker, None, None) for checker in checkers]
    for checker in made:
        if not isinstance(checker[0], str):
            raise TypeError(f"checkers: expected names, got {checker[0]!r}")
    if not isinstance(options, Mapping):
        raise _native.ArgumentError(
            f"options: expected a dict of checkers, each with a dict of its options, got {options!r}")
    for name, values in options.items():
        if not isinstance(values, Mapping):
            raise _native.ArgumentError(
                f"checker {name!r}: expected a dict of its options, got {values!r}")
        made.append((name, None, None))
        made += [(name, option, str(value)) for option, value in values.items()]
    return made
