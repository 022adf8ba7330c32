"""The result of ``tfprof.load(...).advise()``."""

from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from tfprof import _native, _wording

LEVELS = ("none", "notice", "warning", "high")


class Advice:
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

    def __init__(self, report: _native.Result, output: str = "stdout"):
        self._report = report
        self._output = output
        self._details: Optional[Dict[str, Any]] = None

    @property
    def text(self) -> str:
        """The report; for outputs other than stdout, the message about the file."""
        report = self._report
        text = report.render("text") if self._output == "stdout" else report.text
        return text.decode("utf-8", "replace")

    @property
    def notes(self) -> str:
        """Lines saying what could not be checked and why."""
        return _wording.to_keywords(self._report.notes)

    @property
    def level(self) -> str:
        """The highest level among the findings: 'none', 'notice', 'warning' or 'high'."""
        return LEVELS[self._report.level]

    @property
    def message(self) -> Any:
        """The advice as an AdviceProto, as TensorFlow's API returns it. Needs protobuf."""
        from tfprof import _messages
        return _messages.parse("AdviceProto", self._report.render("message"))

    @property
    def checkers(self) -> List[Dict[str, Any]]:
        """The checkers that were run, each with its options and findings."""
        return self.to_dict()["checkers"]

    def to_dict(self) -> Dict[str, Any]:
        """Everything, in the form of the JSON output."""
        if self._details is None:
            import json
            self._details = json.loads(self._report.render("json").decode("utf-8", "replace"))
        return self._details

    def to_pandas(self) -> Any:
        """The findings as a pandas.DataFrame, a row each: the checker, what it found, its
        level, the text, what to do about it, its cost, and the devices, nodes, operation
        types and lines it concerns."""
        from tfprof import _tables
        return _tables.to_pandas(self._report, self._report.columns)

    def to_arrow(self) -> Any:
        """The same as a pyarrow.Table."""
        from tfprof import _tables
        return _tables.to_arrow(self)

    def _repr_html_(self) -> str:
        from tfprof import _html_advice
        return _html_advice.table(self)

    def __copy__(self) -> "Advice":
        return Advice(self._report, self._output)

    def __deepcopy__(self, memo: Any) -> "Advice":
        return Advice(self._report, self._output)

    def __reduce__(self) -> Any:
        from tfprof import _frozen
        formats = ("text", "json", "message")
        return Advice, (_frozen.freeze(self._report, (), formats), self._output)

    def __arrow_c_schema__(self) -> object:
        return self._report.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The findings as an Arrow stream, for pyarrow.table(advice) and others."""
        return self._report.__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        for checker in self.checkers:
            for finding in checker["findings"]:
                yield {"checker": checker["name"], **finding}

    def __len__(self) -> int:
        return sum(len(checker["findings"]) for checker in self.checkers)

    def __str__(self) -> str:
        return self.text

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
