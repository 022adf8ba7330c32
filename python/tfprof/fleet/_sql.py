"""SQL over the tables that index() writes."""

import json
import os
import warnings
from typing import Any, Iterator, List, Sequence, Tuple, Union

import tfprof
from tfprof._need import need
from tfprof.fleet import _keys, _read, _schema
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


def _add_table(db: Any, table: str, files: Sequence[str], left_out: Sequence[str]) -> None:
    if not files:
        db.register(f"{table}_rows", _schema.schema(table).empty_table())
    else:
        listed = ", ".join(map(_text, files))
        db.execute(f"CREATE VIEW {table}_rows AS SELECT * FROM read_parquet([{listed}], "
                   "union_by_name=true, hive_partitioning=false)")
    columns = [row[0] for row in db.execute(f"DESCRIBE {table}_rows").fetchall()]
    query = base_query(table, f"{table}_rows", columns)
    if table == "files" and left_out:
        query += f" WHERE t.file_id NOT IN ({', '.join(map(_text, left_out))})"
    db.execute(f"CREATE VIEW {table} AS {query}")


def _older(paths: Sequence[str]) -> List[str]:
    """The files whose numbers have another meaning than those made now."""
    dataset = need("pyarrow", "tfprof.fleet", "dataset")
    if not paths:
        return []
    rows = dataset.dataset(paths, format="parquet", schema=_schema.schema("files")).to_table(
        columns=["file_id", "error", "numbers_version"]).to_pylist()
    return sorted(row["file_id"] for row in rows if not _schema.is_current(row))


def connect(out: Union[str, "os.PathLike[str]"]) -> Any:
    """A DuckDB connection, in memory, with the tables of a directory and the shipped views
    (`SELECT * FROM regressions`). Profiles with a damaged Parquet file are left out with a
    warning."""
    out = _keys.folder_of_tables(out)
    if not os.path.isdir(os.path.join(out, "files")):
        raise tfprof.ArgumentError(
            f"{out}: not a directory of tables: make one with tfprof index SRC {out}")
    db = need("duckdb", "tfprof.fleet").connect()
    files = {table: _schema.files_of(os.path.abspath(out), table) for table in _schema.TABLES}
    damaged = [path for table in files.values() for path in table if not _schema.is_whole(path)]
    left_out = sorted({os.path.basename(path)[:-len(".parquet")] for path in damaged})
    if damaged:
        warnings.warn(f"{damaged[0]}: a damaged Parquet file; {len(left_out)} of the profiles left "
                      "out: run tfprof index again to read what it was made of", stacklevel=2)
    older = _older([path for path in files["files"] if path not in damaged])
    if older:
        warnings.warn(f"{out}: the numbers of {len(older)} profiles have an older meaning, and "
                      "are left out: run tfprof index again", stacklevel=2)
    left_out += older
    for table in _schema.TABLES:
        whole = [path for path in files[table] if path not in damaged]
        _add_table(db, table, whole, left_out)
    for name, query in views_sql():
        db.execute(f"CREATE VIEW {name} AS {query}")
    return db


#: Columns of `ops` of files, besides those of the table: shorter names, and what the time is spent on.
_OPS_OF_FILES = """
SELECT n.* EXCLUDE (name, depth), n.exec_micros AS micros, coalesce(k.kind, '') AS kind
FROM nodes n LEFT JOIN kinds k ON n.file_id = k.file_id AND n.name = k.name
"""


def connect_files(paths: Sequence[str]) -> Any:
    """A DuckDB connection, in memory, with the tables of some files, which are read now. Their
    `ops` have a row per step and node, with its kind."""
    pyarrow = _schema.arrow()
    db = need("duckdb", "tfprof.fleet").connect()
    sources = _keys.find(list(paths))
    names = _keys.label_names(sources)
    parts: dict = {table: [_schema.schema(table, names).empty_table()] for table in _schema.TABLES}
    kinds: dict = {"file_id": [], "name": [], "kind": []}
    for source in sources:
        profile = tfprof.load(source.path, progress=False)
        for table in _schema.TABLES:
            parts[table].append(_read.rows_of(profile, source, table, names))
        for row in json.loads(profile.scope(select="kind,micros")._native.render("json"))["nodes"]:
            if row.get("kind"):
                kinds["file_id"].append(source.file_id)
                kinds["name"].append(row["name"])
                kinds["kind"].append(row["kind"])
    for table in _schema.TABLES:
        if table != "ops":
            db.register(table, pyarrow.concat_tables(parts[table]))
    db.register("kinds", pyarrow.table(kinds, schema=pyarrow.schema(
        [(name, pyarrow.string()) for name in kinds])))
    db.execute(f"CREATE VIEW ops AS {_OPS_OF_FILES}")
    return db
