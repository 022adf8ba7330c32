"""Columns of results as tables of other packages."""

from typing import Any, Dict, Iterable

from tfprof._need import need


def to_pandas(native: Any, names: Iterable[str]) -> Any:
    """A pandas.DataFrame with these columns."""
    pandas = need("pandas", "to_pandas()")  # before numpy, which comes with it
    numpy = need("numpy", "to_pandas()")
    made: Dict[str, Any] = {}
    for name in names:
        values = native.column(name)
        kind, is_nullable = native.column_type(name)
        if kind in ("int64", "bool", "double"):
            values = numpy.frombuffer(values, "float64" if kind == "double" else "int64").copy()
        if kind == "bool":
            values = values.astype(bool)
        elif is_nullable and kind == "int64":
            present = pandas.array(values, dtype="Int64")
            present[values < 0] = pandas.NA
            values = present
        made[name] = values
    return pandas.DataFrame(made)


def to_arrow(table: Any) -> Any:
    """A pyarrow.Table of what has an Arrow stream."""
    return need("pyarrow", "to_arrow()").table(table)


def arrow_from_columns(native: Any, names: Iterable[str]) -> Any:
    """The same as the Arrow stream of a native result, from its columns."""
    pyarrow = need("pyarrow", "the Arrow stream of a result that was pickled")
    types = {"int64": pyarrow.int64(), "bool": pyarrow.bool_(), "double": pyarrow.float64(),
             "text": pyarrow.string(), "texts": pyarrow.list_(pyarrow.string())}
    arrays, fields = [], []
    for name in names:
        kind, _ = native.column_type(name)
        arrays.append(pyarrow.array(native.values(name), types[kind]))
        fields.append(pyarrow.field(name, types[kind]))
    return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))
