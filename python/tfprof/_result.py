"""The result of a query of ``tfprof.load(...)``: a report and its nodes."""

import operator
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union, overload

from tfprof import _native
from tfprof._generated import Columns

FIELDS = _native.ROW_FIELDS
_TEXTS = ("name", "device", "op_types", "shape", "input_shapes")
_NUMBERS = [name for name in FIELDS if name not in _TEXTS + ("parent", "depth", "accounted")]


class Node(Columns):
    """A node of a result: a scope, an operation, an operation type or a line of
    code. Its numbers are attributes; those named ``total_...`` include everything
    below it."""

    __slots__ = ("_result", "index")

    def __init__(self, result: "Result", index: int):
        self._result = result
        self.index = index

    def _value(self, name: str) -> Any:
        return self._result._native.value(name, self.index)

    @property
    def parent(self) -> Optional["Node"]:
        """The node this one is shown under; None for the root."""
        index = self._value("parent")
        return None if index is None else Node(self._result, index)

    @property
    def children(self) -> List["Node"]:
        """The nodes shown under this one, in order."""
        return [Node(self._result, i) for i in self._result._children(self.index)]

    def to_dict(self) -> Dict[str, Any]:
        """All attributes; `parent` is the index of the parent node."""
        return dict(zip(FIELDS, self._result._native[self.index]))

    def __repr__(self) -> str:
        own = {name: self._value(name) for name in _NUMBERS if not name.startswith("total_")}
        numbers = ", ".join(f"{name}={value}" for name, value in own.items() if value)
        return f"<Node {self._value('name')!r}{': ' + numbers if numbers else ''}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and (self.index, self.to_dict()) == (
            other.index, other.to_dict())

    def __hash__(self) -> int:
        return hash((self._value("name"), self.index))

    def __reduce__(self) -> Any:
        return Node, (self._result, self.index)

    def __copy__(self) -> "Node":
        return Node(self._result, self.index)

    def __dir__(self) -> List[str]:
        return sorted({*object.__dir__(self), *FIELDS})


def _listed(columns: Sequence[str]) -> Sequence[str]:
    """A name alone is a list of one, not of its letters."""
    return [columns] if isinstance(columns, str) else columns


def _attribute(name: str) -> property:
    return property(lambda self: self._value(name))


for _name in FIELDS:
    if _name != "parent":
        setattr(Node, _name, _attribute(_name))


class Result:
    """The result of a query.

    It prints as the report, is a sequence of nodes in the order of the report
    (the root first), and converts to tables:

    >>> import tfprof
    >>> profile = tfprof.load('examples/resnet/profile')
    >>> result = profile.op(select='params', order_by='params', max_depth=1)
    >>> print(result)
    <BLANKLINE>
    Doc:
    op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes belonging to the \
same type are aggregated together.
    param: Number of parameters (in the Variable).
    <BLANKLINE>
    Profile:
    node name | # parameters
    VariableV2               930.58k params (100.00%, 100.00%)
    AddN                            0 params (0.00%, 0.00%)
    <BLANKLINE>
    >>> [(node.name, node.parameters) for node in result]
    [('_TFProfRoot', 0), ('VariableV2', 930581), ('AddN', 0)]
    >>> result['VariableV2'].parent.name
    '_TFProfRoot'
    """

    def __init__(self, native: _native.Result, view: str, options: Dict[str, Any]):
        self._native = native
        self._child_lists: Optional[Dict[int, List[int]]] = None
        self.view = view           #: 'scope', 'graph', 'op' or 'code'
        self.options = options     #: the value of every option

    # -- the report ------------------------------------------------------------

    @property
    def text(self) -> str:
        """The report; for outputs other than stdout, the message about the file."""
        if self.options["output"] == "stdout":
            return self._native.render("text").decode("utf-8", "replace")
        return self._native.text.decode("utf-8", "replace")

    @property
    def notes(self) -> str:
        """Lines about the query beside the report; often empty."""
        return self._native.notes

    @property
    def message(self) -> Any:
        """The result as TensorFlow's API returns it: a GraphNodeProto for scope and
        graph, a MultiGraphNodeProto for op and code. Needs protobuf."""
        from tfprof import _ask, _messages
        return _messages.parse(_ask.VIEWS[self.view], self._native.render("message"))

    def __str__(self) -> str:
        return self.text

    # -- copies ------------------------------------------------------------------

    def __copy__(self) -> "Result":
        return Result(self._native, self.view, self.options)  # the native one never changes

    def __deepcopy__(self, memo: Any) -> "Result":
        from copy import deepcopy
        return Result(self._native, self.view, deepcopy(self.options, memo))

    def __reduce__(self) -> Any:
        """A pickle holds the report, the message and all columns, not the profile."""
        from tfprof import _frozen
        names = [row[0] for row in _native.columns()]
        return Result, (_frozen.freeze(self._native, names, ("text", "message")), self.view,
                        self.options)

    def __repr__(self) -> str:
        return f"<{self.view} result: {len(self)} nodes>"

    # -- nodes -------------------------------------------------------------------

    @property
    def root(self) -> Node:
        """The root; its totals are those of the whole result."""
        return self[0]

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, i) for i in range(len(self)))

    @overload
    def __getitem__(self, key: Union[int, str]) -> Node: ...
    @overload
    def __getitem__(self, key: slice) -> List[Node]: ...

    def __getitem__(self, key: Any) -> Any:
        """A node by position or by name (the first of that name), or a slice."""
        if isinstance(key, slice):
            return [Node(self, i) for i in range(*key.indices(len(self)))]
        if isinstance(key, str):
            names = self._native.column("name")
            if key not in names:
                raise KeyError(f"no node {key!r} in the result")
            return Node(self, names.index(key))
        index = operator.index(key)
        if not -len(self) <= index < len(self):
            raise IndexError(f"node {index} is out of range: there are {len(self)}")
        return Node(self, index % len(self))

    def _children(self, index: int) -> List[int]:
        if self._child_lists is None:
            self._child_lists = {}
            for i, parent in enumerate(self._numbers("parent")):
                self._child_lists.setdefault(parent, []).append(i)
        return self._child_lists.get(index, [])

    def _numbers(self, name: str) -> Any:
        return memoryview(self._native.column(name)).cast("q")

    # -- conversions --------------------------------------------------------------

    def to_dict(self) -> Dict[str, Any]:
        """The tree of nodes as dictionaries, each with a list of ``children``.

        >>> import tfprof
        >>> tree = tfprof.load('examples/resnet/profile').scope(max_depth=2).to_dict()
        >>> tree['name'], 'init' in [child['name'] for child in tree['children']]
        ('_TFProfRoot', True)
        """
        made: List[Dict[str, Any]] = []
        for i in range(len(self)):
            values = dict(zip(FIELDS, self._native[i]))
            parent = values.pop("parent")
            values["children"] = []
            if parent is not None:
                made[parent]["children"].append(values)
            made.append(values)
        return made[0] if made else {}

    def to_pandas(self, columns: Optional[Sequence[str]] = None) -> Any:
        """The nodes as a pandas.DataFrame, one row per node: all columns, or those
        named. `parent` is the row number of the parent."""
        from tfprof import _tables
        return _tables.to_pandas(self._native, FIELDS if columns is None else _listed(columns))

    def to_arrow(self, columns: Optional[Sequence[str]] = None) -> Any:
        """The nodes as a pyarrow.Table: all columns, or only those named, which avoids
        computing the others. Besides `FIELDS` there are `end` (the row after the last
        descendant), `node`, `path`, `line`, `function` and `tensor_value`."""
        from tfprof import _tables
        if columns is None:
            return _tables.to_arrow(self)
        pyarrow = _tables.need("pyarrow", "to_arrow()")
        wanted = pyarrow.schema([(name, pyarrow.null()) for name in _listed(columns)])
        capsule = self._native.__arrow_c_stream__(wanted.__arrow_c_schema__())
        return pyarrow.RecordBatchReader._import_from_c_capsule(capsule).read_all()

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The nodes as an Arrow stream, for pyarrow.table(result),
        polars.DataFrame(result) and others that support the protocol."""
        return self._native.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        from tfprof import _html
        return _html.show(self)
