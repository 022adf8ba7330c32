"""The worker function of every engine: a file becomes Arrow tables with its labels."""

import hashlib
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import tfprof
from tfprof.fleet import _keys
from tfprof.fleet._keys import Keys, Source
from tfprof.fleet._schema import arrow, check_tables, column_of, native, numbers_version, plain, schema

class Unread(Exception):
    """A file that cannot be read; the message says why."""


def _with_keys(rows: Any, table: str, source: Source, keys: Sequence[str]) -> Any:
    pyarrow = arrow()
    made = schema(table, keys)
    labels = {"file_id": source.file_id, **{name: source.keys.get(name) for name in keys}}
    columns = [pyarrow.nulls(rows.num_rows, field.type) if labels.get(field.name, "") is None
               else pyarrow.repeat(pyarrow.scalar(labels[field.name], field.type), rows.num_rows)
               if field.name in labels else rows.column(field.name) for field in made]
    return pyarrow.Table.from_arrays(columns, schema=made)


def file_row(source: Source, keys: Sequence[str], profile: Any = None, error: Optional[str] = None,
             checksum: bool = False) -> Any:
    """The row of `files`: what was read, or why it was not."""
    pyarrow = arrow()
    row: Dict[str, Any] = {"path": _keys.text_of(source.path), "size": source.size,
                           "mtime_ns": source.mtime_ns, "error": error and _keys.text_of(error),
                           "tfprof_version": tfprof.__version__}
    if checksum and not error:
        row["sha256"] = _sha256(source.path)
    if profile is not None:
        row.update(native(profile, "files").to_pylist()[0])
    columns = plain("files")
    rows = pyarrow.Table.from_pylist([{name: row.get(name) for name in columns.names}], columns)
    return _with_keys(rows, "files", source, keys)


def _sha256(path: str) -> str:
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            found.update(block)
    return found.hexdigest()


def _is_readable(path: str) -> bool:
    """Not a pipe or a device: reading one may wait forever."""
    return os.path.isfile(path) or os.path.isdir(path)


def rows_of(profile: Any, source: Source, table: str, keys: Sequence[str],
            checksum: bool = False) -> Any:
    """A table of a loaded file, with its labels."""
    if table == "files":
        return file_row(source, keys, profile, checksum=checksum)
    return _with_keys(native(profile, table), table, source, keys)


def tables_of(source: Source, tables: Sequence[str], keys: Sequence[str],
              checksum: bool = False) -> Dict[str, Any]:
    """All tables of a file as pyarrow.Tables with its keys. Raises Unread."""
    if os.path.exists(source.path) and not _is_readable(source.path):
        raise Unread(f"{source.path}: a pipe, socket or device, not a file")
    try:
        profile = tfprof.load(source.path, progress=False)
        if native(profile, "files")["numbers_version"][0].as_py() != numbers_version():
            raise Unread(f"{source.path}: saved when a number of traces had another meaning: save "
                         "it again from its trace")
        return {table: rows_of(profile, source, table, keys, checksum) for table in tables}
    except (tfprof.Error, OSError, MemoryError) as error:
        raise Unread(str(error) or type(error).__name__) from None


def read(source: Union[str, Sequence[str]], table: str = "ops", *, keys: Optional[Keys] = None,
         where: Optional[Mapping[str, Any]] = None, mode: str = "fail") -> Any:
    """A table of all files as one pyarrow.Table, without writing anything.

    Args:
      source: a directory, or paths.
      table: one of TABLES.
      where: {key: value}: only files with these labels are opened.
      mode: 'fail' at the first file that cannot be read, or 'skip' it.
    """
    check_tables([table])
    found = _keys.find(source, keys)
    names = _keys.label_names(found)
    parts = [schema(table, names).empty_table()]
    labels = {column_of(name): value for name, value in (where or {}).items()}
    for one in _keys.select(found, labels):
        parts.extend(batch_of(one, table, names, mode))
    return arrow().concat_tables(parts)


def batch_of(source: Source, table: str, keys: Sequence[str], mode: str) -> Tuple[Any, ...]:
    """One table of a file, or nothing if it cannot be read and mode is 'skip'."""
    if mode not in ("fail", "skip"):
        raise tfprof.ArgumentError(f"mode: expected one of: fail, skip, got {mode!r}")
    try:
        return (tables_of(source, [table], keys)[table],)
    except Unread as error:
        if mode == "skip":
            return (file_row(source, keys, error=str(error)),) if table == "files" else ()
        raise tfprof.Error(str(error)) from None
