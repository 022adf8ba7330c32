"""``tfprof index``, ``tfprof sql`` and ``tfprof fleet``."""

import argparse
import csv
import json
import math
import os
import sys
import warnings
from typing import Any, Iterable, List, Optional, Sequence, Set, Tuple

import tfprof
from tfprof import fleet
from tfprof._need import need
from tfprof.fleet import _index as _index_files
from tfprof.fleet import _schema
from tfprof.fleet._keys import text_of
from tfprof.fleet._sql import connect_files, views_sql


class _NotTaken(argparse.Action):
    """--recover and --strict, which other commands take."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        parser.error(f"{option}: index lists damaged files and skips them; tfprof save OUT FILE "
                     "--recover writes their intact parts to a new file")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tfprof", description="Many profiles together: Parquet tables and SQL over them.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="index|sql|fleet")

    one = commands.add_parser("index", help="read profiles and traces into Parquet tables")
    one.add_argument("source", metavar="SRC", help="a directory of profiles and traces")
    one.add_argument("out", metavar="OUT", help="the directory of the tables")
    one.add_argument("--tables", default=",".join(fleet.DEFAULT_TABLES), metavar="NAME,...",
                     help="which tables to write; any of: " + ", ".join(fleet.TABLES)
                     + " (default: all but nodes, which has a hundred times the rows)")
    one.add_argument("--key", metavar="REGEX",
                     help="labels of a file: the named groups of a regular expression that is "
                     "searched in its path, such as '(?P<run>\\d{8})'")
    one.add_argument("--manifest", metavar="CSV",
                     help="which files to read, and their labels: columns path and any others")
    one.add_argument("--jobs", type=int, metavar="N",
                     help="how many files to read at a time (default: the number of processors)")
    one.add_argument("--checksum", action="store_true", help="fill in files.sha256")
    one.add_argument("--recover", "--strict", nargs=0, action=_NotTaken, help=argparse.SUPPRESS)
    one.set_defaults(run=_index)

    one = commands.add_parser("sql", help="run a query over the tables, or over some files")
    one.add_argument("words", metavar="OUT|FILE... [QUERY]", nargs="+",
                     help="the directory of the tables, or profiles and traces, which are read now; and a "
                     "query such as 'SELECT * FROM regressions'; without it the tables and views "
                     "are listed")
    one.add_argument("--output", choices=("text", "csv", "json"), default="text",
                     help="how to print rows (default: text)")
    one.set_defaults(run=_sql)

    one = commands.add_parser("fleet", help="write a report with plots")
    one.add_argument("out", metavar="OUT", help="the directory of the tables")
    one.add_argument("--html", metavar="FILE",
                     help="where to write the report (default: OUT/report.html)")
    one.set_defaults(run=_report)
    return parser


def _index(given: Any) -> int:
    keys = fleet.Keys(given.key, given.manifest)
    done = fleet.index(given.source, given.out, tables=given.tables.split(","), keys=keys,
                       jobs=given.jobs, checksum=given.checksum)
    for path, reason in done.bad:
        print(_visible(f"tfprof: skipped {path if path not in reason else 'file'}: {reason}"),
              file=sys.stderr)
    for label, column in done.renamed.items():
        print(_visible(f"tfprof: label {label} is in the column {column}: the tables have a "
                       f"column {label} of their own"), file=sys.stderr)
    print(f"{_visible(given.out)}: {done.n_read} files read ({done.n_bytes / 1e6:.1f} MB), "
          f"{done.n_unchanged} unchanged, {done.n_removed} removed, {len(done.bad)} bad")
    return 0


def _visible(text: str) -> str:
    """Keeps control codes in profiles and file names from reaching the terminal."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text_of(text))


def _print_text(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    def shown(value: Any) -> str:
        return _visible("" if value is None else f"{value:.6g}" if isinstance(value, float)
                        else str(value))
    cells = [list(names)] + [[shown(value) for value in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    right = [all(isinstance(row[i], (int, float, type(None))) for row in rows)
             for i in range(len(names))]
    for row in cells:
        print("  ".join(cell.rjust(width) if is_right else cell.ljust(width)
                        for cell, width, is_right in zip(row, widths, right)).rstrip())


def _distinct(names: Iterable[str]) -> List[str]:
    """Names that columns share get a number, as in DuckDB's own data frames."""
    made: List[str] = []
    for name in names:
        new, n = name, 0
        while new in made:
            n += 1
            new = f"{name}_{n}"
        made.append(new)
    return made


def _json(value: Any) -> Any:
    """JSON has neither infinity nor NaN."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _check_reads_only(db: Any, query: str) -> None:
    """A question changes nothing: COPY and others could write files."""
    for statement in db.extract_statements(query):
        kind = str(statement.type).rpartition(".")[2]
        if kind not in ("SELECT", "EXPLAIN"):
            raise tfprof.ArgumentError(f"{kind} is not a query: expected SELECT, FROM or EXPLAIN; "
                                       "for others use tfprof.fleet.connect() in Python")


def _connect(out: str) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        db = fleet.connect(out)
    for warning in caught:
        print(_visible(f"tfprof: {warning.message}"), file=sys.stderr)
    return db


def _note_missing(out: str, query: str) -> None:
    """A table that was not made has no rows, which looks like an answer."""
    duckdb = need("duckdb", "tfprof.fleet")
    parser = duckdb.connect()  # knows no tables, and so names those of the query
    views = dict(views_sql())
    asked: Set[str] = set()
    todo = [query]
    while todo:
        try:
            found = set(parser.get_table_names(todo.pop())) - asked
        except duckdb.Error:
            return  # asking says what is wrong
        asked |= found
        todo += [views[name] for name in found if name in views]
    for name in fleet.TABLES:
        if name in asked and not _schema.files_of(out, name):
            print(_visible(f"tfprof: {out} has no table {name}: make it with tfprof index "
                           f"--tables={','.join((*fleet.DEFAULT_TABLES, name))}"), file=sys.stderr)


def _is_tables(path: str) -> bool:
    return os.path.isdir(path) and (os.path.isdir(os.path.join(path, "files")) or not os.listdir(path))


def _split(words: List[str]) -> Tuple[List[str], Optional[str]]:
    """Paths, and the query, which is no file."""
    if len(words) > 1 and not os.path.exists(words[-1]):
        return words[:-1], words[-1]
    return words, None


def _sql(given: Any) -> int:
    paths, given.query = _split(given.words)
    of_files = not (len(paths) == 1 and (_is_tables(paths[0]) or not os.path.exists(paths[0])))
    db = connect_files(paths) if of_files else _connect(paths[0])
    if given.query is None:
        for name in fleet.TABLES:
            print(f"{name:16} table, {db.execute(f'SELECT count(*) FROM {name}').fetchone()[0]} rows")
        for name, purpose, _ in [] if of_files else fleet.VIEWS:
            print(f"{name:16} {purpose}")
        return 0
    if text_of(given.query) != given.query:
        raise tfprof.ArgumentError("the query is not UTF-8")
    _check_reads_only(db, given.query)
    if not of_files:
        _note_missing(paths[0], given.query)
    found = db.execute(given.query)
    if found is None:
        raise tfprof.ArgumentError("the query is empty: expected SQL, such as 'FROM regressions'")
    names = _distinct(column[0] for column in found.description or [])
    rows = found.fetchall()
    if given.output == "csv":
        table: List[Sequence[Any]] = [names, *rows]
        if sys.stdout.isatty():
            table = [[_visible(cell) if isinstance(cell, str) else cell for cell in row]
                     for row in table]
        csv.writer(sys.stdout, lineterminator="\n").writerows(table)
    elif given.output == "json":
        json.dump([dict(zip(names, map(_json, row))) for row in rows], sys.stdout, default=str,
                  indent=1)
        print()
    else:
        _print_text(names, rows)
    return 0


def _report(given: Any) -> int:
    from tfprof.fleet import _report as report
    path = given.html or os.path.join(given.out, "report.html")
    report.write(_connect(given.out), path)
    print(f"{_visible(path)}: open it in a browser")
    return 0


def _explain(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name in ("pyarrow", "duckdb"):
        return f"this command needs {error.name}: python3 -m pip install 'tfprof[fleet]'"
    if isinstance(error, OSError) and error.strerror:
        place = "standard output" if error.filename is None else os.fspath(error.filename)
        return f"{place}: {error.strerror}"
    return str(error) or type(error).__name__


def main(arguments: Optional[List[str]] = None) -> int:
    given = _parser().parse_args(arguments)
    expected: tuple = (tfprof.Error, OSError, ModuleNotFoundError)
    if "duckdb" in sys.modules or given.command != "index":
        try:
            import duckdb
            expected += (duckdb.Error,)
        except ModuleNotFoundError:
            pass
    _index_files.catch_signals()
    try:
        status = given.run(given)
        sys.stdout.flush()  # here, where a full disk is still an error
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except expected as error:
        print("\n".join(map(_visible, f"tfprof: {_explain(error)}".splitlines())), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tfprof: interrupted; run it again to continue", file=sys.stderr)
        return 130
