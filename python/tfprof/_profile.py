"""Profiles from the files of a run. Does not need TensorFlow."""

import html
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, TypeVar

from tfprof import _advice, _answer, _diff, _generated, _inputs, _native, _options, _progress
from tfprof._generated import Questions
from tfprof._inputs import Input, Path
from tfprof._result import Result

if TYPE_CHECKING:
    from tfprof import _show

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _signature_of(documented: _Function) -> Callable[[Callable[..., Any]], _Function]:
    """Decorates a function that takes any keywords, so that it can name the unknown ones:
    type checkers, inspect.signature() and help() see the signature of the other."""
    def decorate(function: Any) -> Any:
        function.__wrapped__ = documented
        return function
    return decorate


@_signature_of(_generated.load)
def load(*files: Any, profile: Optional[Input] = None, progress: Optional[bool] = None,
         count_float_ops: bool = False, strict: bool = False, recover: bool = False,
         **inputs: Any) -> "Profile":
    """A profile from files.

    Args:
      files: inputs of any kinds, recognized by their content, or lists of them: a saved
        profile, such as ``profile_100``, or the directory of a ProfileContext; or a graph,
        run metadata (steps 0, 1, 2, ...), an op log, a checkpoint. ``-`` is standard input.
      profile: a saved profile (ProfileProto).
{inputs}
      progress: whether to show progress; by default on a terminal, for what
        takes longer than a second.
      count_float_ops: whether to count the float operations of graph nodes that have none in
        an op log, from their types and shapes.
      strict: whether to refuse files with anything that would be ignored: unknown fields,
        inputs that name no node, and the like.
      recover: whether to load the intact parts of damaged files; notes say what was dropped.

    Each is a path, or the message or its bytes; a checkpoint is a path. Files may be compressed
    with gzip or zstd.

    >>> import tfprof
    >>> profile = tfprof.load('examples/resnet/profile')
    >>> profile.steps
    [0, 1, 2]
    >>> profile  # doctest: +ELLIPSIS
    <Profile: ... nodes, steps 0, 1, 2>
    """
    given = {name: value for name, value in {"profile": profile, **inputs}.items()
             if value is not None}
    several = [one for one in _inputs.flatten(files) if one is not None]
    _inputs.check(given, len(several))
    made = Profile(progress=progress, strict=strict, recover=recover)
    with _inputs.as_text():
        arranged = _inputs.arrange(several, given)
    notes = ""
    for kind, one, step in arranged:
        made._add(one, kind, step)
        notes += made._native.notes
    if count_float_ops:
        made._native.count_float_ops()
        notes += made._native.notes
    made._loaded_notes = notes
    return made


load.__doc__ = (load.__doc__ or "").replace("{inputs}", _inputs.documentation())


class Profile(Questions):
    """A profile: graph nodes, their cost in each step, and the code that created
    them.

    The views (scope, graph, op, code) take options by keyword (see docs/options.md) or as the
    dictionary of a ProfileOptionBuilder. With `top` or `by='kernel'` they return an Answer, as
    other questions do:

    >>> import tfprof
    >>> profile = tfprof.load('examples/resnet/profile')
    >>> profile.op(order_by='params', select='params', top=1).rows[-1]['name']
    '... 49 more'
    >>> profile.scope(account_type_regexes='_trainable_variables', select='params').root
    <Node '_TFProfRoot'>
    >>> profile.op(order_by='params')[1].name
    'VariableV2'
    >>> profile.op(select='mircos')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    tfprof.ArgumentError: option 'select': unknown word 'mircos': expected one of: ..., micros, \
... (did you mean 'micros'?)

    Any number of profiles can be used at once, and a profile can be used from
    several threads.
    """

    def __init__(self, *, progress: Optional[bool] = None, strict: bool = False,
                 recover: bool = False):
        if strict and recover:
            raise _native.ArgumentError("strict and recover cannot be combined")
        self._native = _native.Profile()
        self._native.set_reading(strict=bool(strict), recover=bool(recover))
        self._progress = progress
        self._loaded_notes: Optional[str] = None  # of all inputs of load()

    # -- adding ----------------------------------------------------------------

    def add(self, given: Input, kind: Optional[str] = None, *, step: int = 0) -> None:
        """Adds an input: a path, or a message or its bytes.

        Args:
          kind: the keyword of load() for it, such as 'graph'; by default it is
            detected from the content.
          step: the step of run metadata.

        >>> import tfprof
        >>> profile = tfprof.Profile()
        >>> profile.add('examples/resnet/profile')
        >>> profile.steps
        [0, 1, 2]
        """
        if kind is not None and kind not in _inputs.KINDS:
            raise _native.ArgumentError(f"kind: expected one of: {', '.join(_inputs.KINDS)}, "
                                        f"got {kind!r}")
        self._add(given, _inputs.KINDS[kind] if kind else _inputs.kind_of(given), step)

    def add_graph(self, graph: Input) -> None:
        """Adds the nodes of a GraphDef that are not in the profile yet."""
        self.add(graph, "graph")

    def add_op_log(self, op_log: Input) -> None:
        """Adds types, float operations and call stacks to existing nodes."""
        self.add(op_log, "op_log")

    def add_step(self, step: int, run_meta: Input, *, graph: Optional[Input] = None,
                 op_log: Optional[Input] = None) -> float:
        """Adds a run to a step, optionally with a newer graph and an op log.

        Returns the share of the nodes that have run so far. On failure the profile
        is unchanged."""
        _inputs.check_step(step)
        given = [None if one is None else _inputs.to_native(one, _inputs.KINDS[name])
                 for name, one in (("graph", graph), ("op_log", op_log))]
        with self._watched(run_meta, "run metadata"), _inputs.as_text():
            return self._native.add_step(
                step, given[0], _inputs.to_native(run_meta, _inputs.KINDS["run_meta"]), given[1])

    def add_checkpoint(self, path: Path) -> None:
        """Adds the values of variables, and the type ``_checkpoint_variables`` to
        their nodes."""
        self.add(path, "checkpoint")

    # -- queries -----------------------------------------------------------------

    def advise(self, *checkers: str, options: Optional[Mapping[str, Mapping[str, Any]]] = None,
               output: str = "stdout") -> "_advice.Advice":
        """Runs all checkers, or those named, and returns their findings.

        Args:
          checkers: names of checkers, such as 'JobChecker'.
          options: {checker: {option: value}}; these checkers are run, too.
          output: 'stdout' (the report is in the value returned),
            'file:outfile=PATH' or 'json:outfile=PATH'.
        """
        chosen = _advice.settings(checkers, {} if options is None else options)
        with _inputs.as_text():
            found = self._native.advise(settings=chosen, output=output)
            if output != "stdout":
                found.output()
        return _advice.Advice(found, output)

    def diff(self, base: Any, view: str = "op", **options: Any) -> _diff.Diff:
        """Compares with another profile or, as samples of the same model, several.

        Args:
          base: a Profile or a list of them; to compare several runs with several, use
            tfprof.diff(base_runs, new_runs).
          view: what to compare: op, scope, graph or code.
          options: those of the view (select, step, …) and of comparisons: base_step, min_change,
            min_delta_micros, rename, no_guess, fail_if, order_by (docs/diff.md).
        """
        return _diff.compare(_diff.natives(base), [self._native], view, options)

    def events(self, step: Optional[int] = None,  # type: ignore[override]
               output: str = "stdout", max_bytes: int = 0, top: int = 0) -> _answer.Answer:
        """When and where nodes ran: a row per execution of a step, or of all steps.

        >>> import tfprof
        >>> events = tfprof.load('examples/resnet/profile').events(step=0)
        >>> events.columns
        ['name', 'op', 'node', 'step', 'device', 'kind', 'lane', 'start_micros', 'duration_micros']
        """
        return self._ask("events", {"step": _step(step), "output": output, "max_bytes": max_bytes,
                                    "top": top})

    def table(self, table: str = "ops",  # type: ignore[override]
              step: Optional[int] = None, output: str = "stdout",
              max_bytes: int = 0, top: int = 0) -> _answer.Answer:
        """A plain table of all steps, or of one, to put together with those of other
        profiles: 'summary', 'steps', 'parts', 'devices', 'ops', 'nodes' or 'lines'. Own numbers
        only, so that they add up; docs/fleet.md lists the columns.

        >>> import tfprof
        >>> ops = tfprof.load('examples/resnet/profile').table('ops')
        >>> ops.columns[:4]
        ['step', 'device', 'op', 'exec_micros']
        """
        return self._ask("table", {"table": table, "step": _step(step), "output": output,
                                   "max_bytes": max_bytes, "top": top})

    @property
    def steps(self) -> List[int]:
        """The steps, ascending."""
        return self._native.steps

    @property
    def summary(self) -> Dict[str, Any]:
        """The number of nodes, steps and devices, and whether there are call stacks,
        run metadata, float operations and a checkpoint."""
        return self._native.summary

    def overview(self, steps: str = "",  # type: ignore[override]
                 step_function: str = "", output: str = "stdout",
                 max_bytes: int = 0) -> Dict[str, Any]:
        """The profile at a glance. ``headline`` says how long a step takes and what that goes
        to, ``wall_micros`` is that time. The other numbers are totals of reports, averages over
        the steps; ``exec_micros`` is operation time, all threads. ``inputs`` are
        [(name, kind, bytes)], ``missing`` [(what, remedy)]. What the profile does not tell is None.

        >>> import tfprof
        >>> overview = tfprof.load('examples/resnet/profile').overview()
        >>> overview['trainable_parameters']
        464154
        >>> overview['missing'][0][0]
        'values of variables'
        """
        found = self._ask("overview", {"steps": steps, "step_function": step_function,
                                       "output": output, "max_bytes": max_bytes}).to_dict()
        rows = found.pop("nodes")
        for name in ("schema", "version", "question", "options", "notes"):
            found.pop(name)

        def below(section: str) -> List[Dict[str, Any]]:
            parents = [row["id"] for row in rows if row["depth"] == 1 and row["name"] == section]
            return [row for row in rows if row["parent"] in parents]
        return {**found,
                "inputs": [(row["name"], row["kind"], row["bytes"]) for row in below("inputs")],
                "missing": [(row["name"], row["text"]) for row in below("missing")]}

    def describe(self) -> str:
        """The overview as text, as the program prints it for a file alone. Its first line says
        how long a step takes, and what that goes to."""
        return self._ask("overview", {}).text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.describe())}</pre>"

    @property
    def notes(self) -> str:
        """Lines about what was loaded, or else about the last addition: the newest profile
        of a directory, what of a file was skipped and the like. Often empty."""
        notes = self._native.notes if self._loaded_notes is None else self._loaded_notes
        return notes

    def __len__(self) -> int:
        return self._native.summary["n_nodes"]

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        steps = self.steps
        shown = ", ".join(map(str, steps[:10])) + (", ..." if len(steps) > 10 else "")
        which = f"step{'s' if len(steps) > 1 else ''} {shown}" if steps else "no steps"
        return f"<Profile: {len(self)} nodes, {which}>"

    def show(self, *, port: Optional[int] = None) -> "_show.Page":
        """Shows the profile in a browser: starts a server on a copy of it, and returns an
        object with its address ``url`` and ``stop()``. In a notebook it is a link.

        Args:
          port: the port to listen on, or the next free one; by default 6117.
        """
        from tfprof import _show  # what it imports, few need

        return _show.show(self, port)

    # -- saving ------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Writes the profile (a ProfileProto), completely or not at all."""
        with _progress.writing(path, self._progress):
            self._native.save(path)

    def serialize(self) -> bytes:
        """The profile as the bytes of a ProfileProto."""
        return self._native.serialize()

    def __reduce__(self) -> Any:
        return _from_bytes, (self.serialize(),)

    # -- internal ----------------------------------------------------------------

    def _query(self, view: str, options: Optional[Mapping[str, Any]],
               keywords: Mapping[str, Any]) -> Result:
        settings, values = _options.from_keywords(view, options, keywords)
        if values["output"] == "stdout":
            # The report is rendered when somebody reads it.
            settings.append(("output", "none"))
        with _inputs.as_text():
            found = self._native.query(view, settings=settings)
            if values["output"] != "stdout":
                found.output()
        if values.get("top") or values.get("by") == "kernel":
            # Not rows of nodes, but a table.
            return _answer.Answer(found, view, values["output"])    # type: ignore[return-value]
        return Result(found, view, values)

    def _ask(self, question: str, keywords: Mapping[str, Any]) -> _answer.Answer:
        settings, values = _options.from_keywords(question, None, keywords)
        with _inputs.as_text():
            found = self._native.ask(question, settings=settings)
            if values["output"] != "stdout":
                found.output()
        return _answer.Answer(found, question, values["output"])

    def _add(self, given: Input, kind: Optional[_inputs.Kind], step: int) -> None:
        _inputs.check_step(step)
        self._loaded_notes = None
        with self._watched(given, kind.name if kind else "input"), _inputs.as_text():
            self._native.add(kind.name if kind else None, _inputs.to_native(given, kind), step)

    def _watched(self, given: Any, name: str) -> Any:
        if isinstance(given, (str, os.PathLike)):
            name = os.path.basename(os.fspath(given))
        return _progress.shown(self._native, f"reading {name}", self._progress)


def _step(step: Optional[int]) -> int:
    """A step as the native module takes it: -1 for all."""
    if step is None:
        return -1
    _inputs.check_step(step)
    return step


def _add_method(name: str, function: Any) -> None:
    documented = getattr(Questions, name)
    method = _signature_of(documented)(function)
    method.__name__ = name
    method.__qualname__ = f"Profile.{name}"
    method.__doc__ = documented.__doc__
    setattr(Profile, name, method)


def _add_view(name: str) -> None:
    def query(self: Profile, options: Optional[Mapping[str, Any]] = None,
              **keywords: Any) -> Result:
        return self._query(name, options, keywords)
    _add_method(name, query)


def _add_question(name: str) -> None:
    def ask(self: Profile, **keywords: Any) -> _answer.Answer:
        return self._ask(name, keywords)
    _add_method(name, ask)


for _row in _native.views():
    _add_view(_row[0])
for _row in _native.questions():
    if _row[0] not in vars(Profile):
        _add_question(_row[0])


def _from_bytes(data: bytes) -> Profile:
    made = Profile()
    if data:
        made._native.add("profile", data)
    return made
