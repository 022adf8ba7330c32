"""SQL over the tables that index() writes."""

import glob
import os
from typing import Any, Iterator, List, Sequence, Tuple, Union

import tfprof
from tfprof._need import need
from tfprof.fleet import _keys, _read
from tfprof.fleet._views import VIEWS

#: Labels that the views group by. A fleet without one has it empty.
GROUPS = ("model", "run", "worker")


def views_sql() -> Iterator[Tuple[str, str]]:
    """(name, query) of the shipped views, in the order in which to create them. They use
    the names of the tables, and run in DuckDB and in Spark SQL."""
    for name, _, query in VIEWS:
        yield name, query.strip()


def base_query(table: str, rows: str, columns: Sequence[str]) -> str:
    """A table with all of GROUPS, and of rows only those of files that were read whole."""
    quoted = [name for name in columns if name not in GROUPS]
    chosen = [f"coalesce(t.{name}, '') AS {name}" if name in columns else f"'' AS {name}"
              for name in GROUPS] + [f't."{name}"' for name in quoted]
    query = f"SELECT {', '.join(chosen)} FROM {rows} t"
    if table != "files":
        query += " WHERE t.file_id IN (SELECT file_id FROM files WHERE error IS NULL)"
    return query


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _add_table(db: Any, out: str, table: str) -> None:
    folder = os.path.join(os.path.abspath(out), table)
    files: List[str] = sorted(glob.glob(os.path.join(glob.escape(folder), "**", "*.parquet"),
                                        recursive=True))
    if not files:
        db.register(f"{table}_rows", _read.schema(table).empty_table())
    else:
        listed = ", ".join(map(_text, files))
        db.execute(f"CREATE VIEW {table}_rows AS SELECT * FROM read_parquet([{listed}], "
                   "union_by_name=true, hive_partitioning=false)")
    columns = [row[0] for row in db.execute(f"DESCRIBE {table}_rows").fetchall()]
    db.execute(f"CREATE VIEW {table} AS {base_query(table, f'{table}_rows', columns)}")


def connect(out: Union[str, "os.PathLike[str]"]) -> Any:
    """A DuckDB connection, in memory, with the tables of a directory and the shipped views
    (`SELECT * FROM regressions`). Reads files, and changes none."""
    out = _keys.folder_of_tables(out)
    if not os.path.isdir(os.path.join(out, "files")):
        raise tfprof.ArgumentError(
            f"{out}: not a directory of tables: make one with tfprof index SRC {out}")
    db = need("duckdb", "tfprof.fleet").connect()
    for table in _read.TABLES:
        _add_table(db, out, table)
    for name, query in views_sql():
        db.execute(f"CREATE VIEW {name} AS {query}")
    return db
