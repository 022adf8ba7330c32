"""The tables of a fleet and their columns."""

import glob
import os
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, Optional, Sequence

import tfprof
from tfprof._need import need

TABLES = ("files", "steps", "parts", "devices", "ops", "lines", "findings", "nodes")
DEFAULT_TABLES = TABLES[:-1]

# Columns of `files` that do not come from the profile.
_FILE_COLUMNS = (("path", "string"), ("size", "int64"), ("mtime_ns", "int64"),
                 ("sha256", "string"), ("tfprof_version", "string"), ("error", "string"))
_schemas: Dict[str, Any] = {}
_reserved: Optional[FrozenSet[str]] = None


def arrow() -> Any:
    return need("pyarrow", "tfprof.fleet")


def check_tables(tables: Iterable[str]) -> List[str]:
    """The names, in the order of TABLES; `files` is always one of them."""
    wanted = list(tables)
    for name in wanted:
        if name not in TABLES:
            raise tfprof.ArgumentError(
                f"tables: expected some of: {', '.join(TABLES)}, got {name!r}")
    return [name for name in TABLES if name in wanted or name == "files"]


def native(profile: Any, table: str) -> Any:
    if table == "findings":
        return arrow().table(profile.advise())
    return arrow().table(profile.table("summary" if table == "files" else table))


def plain(table: str) -> Any:
    """Without keys; of an empty profile, since columns do not depend on it."""
    pyarrow = arrow()
    if table not in _schemas:
        fields = list(native(tfprof.Profile(), table).schema)
        if table == "files":
            fields = [pyarrow.field(name, pyarrow.type_for_alias(kind))
                      for name, kind in _FILE_COLUMNS] + fields
        _schemas[table] = pyarrow.schema(fields)
    return _schemas[table]


def numbers_version() -> int:
    """Which meaning the numbers of tables have that are made now."""
    return native(tfprof.Profile(), "files")["numbers_version"][0].as_py()


def is_current(row: Mapping[str, Any]) -> bool:
    """Whether a row of `files` is of tables whose numbers have the meaning of those made now."""
    return row["error"] is not None or row["numbers_version"] == numbers_version()


def schema(table: str, keys: Sequence[str] = ()) -> Any:
    """The pyarrow.Schema of a table: `file_id`, the keys, the columns of rows."""
    pyarrow = arrow()
    labels = [pyarrow.field(name, pyarrow.string()) for name in ("file_id", *keys)]
    return pyarrow.schema(labels + list(plain(table)))


def column_of(label: str) -> str:
    """The column of a label: its name, unless a table has a column of that name (SQL
    ignores case). No two labels have the same."""
    global _reserved
    if _reserved is None:
        _reserved = frozenset(name.lower() for table in TABLES
                              for name in ("file_id", *plain(table).names))
    is_taken = label.lower() in _reserved or label.lower().startswith("label_")
    return f"label_{label}" if is_taken else label


def renamed(columns: Iterable[str]) -> Dict[str, str]:
    """The labels whose columns have other names, and the columns."""
    return {name[len("label_"):]: name for name in columns if name.startswith("label_")}


def files_of(out: str, table: str) -> List[str]:
    """The Parquet files of a table below a directory."""
    return sorted(glob.glob(os.path.join(glob.escape(os.path.join(out, table)), "**", "*.parquet"),
                            recursive=True))


def is_whole(path: str) -> bool:
    """Whether a Parquet file is there and has its end, which a cut one lacks."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            end = file.read(8)
            file.seek(0)
            return (file.read(4) == b"PAR1" and end[4:] == b"PAR1"
                    and int.from_bytes(end[:4], "little") + 12 <= size)
    except OSError:
        return False
