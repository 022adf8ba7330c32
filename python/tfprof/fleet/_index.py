"""Turns a tree of profiles into Parquet tables.

    OUT/ops/model=m/run=7/FILE_ID.parquet     one file per table and input
    OUT/files/model=m/run=7/FILE_ID.parquet   written last: what it lists is complete

A file is written beside its place and renamed, so readers see all of it or nothing; the
name follows from the input's path, so an input that is read again replaces its rows.
"""

import concurrent.futures
import contextlib
import glob
import hashlib
import multiprocessing
import os
import signal
import sys
import time
import urllib.parse
from typing import (Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence,
                    Tuple, Union)

import tfprof
from tfprof._need import need
from tfprof.fleet import _keys, _read, _schema
from tfprof.fleet._keys import Keys, Source
from tfprof.fleet._schema import DEFAULT_TABLES, TABLES

_PARTITIONS = ("model", "run")
_PART_SECONDS = 600  # after which nobody is writing a file any more
_NAME_MAX = 200  # bytes of a folder's name; file systems allow 255, some less


class Summary(NamedTuple):
    """What index() did: numbers of files, (path, reason) of those it could not read, and
    the columns of labels whose names the tables have already."""
    n_read: int
    n_unchanged: int
    n_removed: int
    n_bytes: int
    bad: List[Tuple[str, str]]
    renamed: Dict[str, str]


def _folder_name(name: str, value: str) -> str:
    """Quoted, so that no value can escape the directory; a value too long for a file name
    by its hash. Readers take the value from the columns."""
    quoted = f"{name}={urllib.parse.quote(value, safe='')}"
    if len(quoted) <= _NAME_MAX:
        return quoted
    return f"{name}={hashlib.blake2b(value.encode(), digest_size=16).hexdigest()}"


def _folder(out: str, table: str, keys: Dict[str, str]) -> str:
    return os.path.join(out, table, *(_folder_name(name, keys[name])
                                      for name in _PARTITIONS if name in keys))


@contextlib.contextmanager
def replaced(path: str) -> Iterator[str]:
    """The name of a file to write, which replaces another once it is complete."""
    beside = f"{path}.{os.getpid()}.part"
    try:
        yield beside
        os.replace(beside, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(beside)
        # pyarrow does not say which file.
        if isinstance(error, OSError) and error.errno and not error.filename:
            raise OSError(error.errno, os.strerror(error.errno), path) from error
        raise


def _remove_parts(out: str) -> None:
    """What processes that were killed left behind. A file that was touched lately may still
    be written, perhaps on another machine."""
    for path in glob.glob(os.path.join(glob.escape(out), "**", "*.part"), recursive=True):
        with contextlib.suppress(OSError):
            if time.time() - os.path.getmtime(path) > _PART_SECONDS:
                os.remove(path)


def _write(table: Any, folder: str, file_id: str) -> None:
    parquet = need("pyarrow", "tfprof.fleet", "parquet")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{file_id}.parquet")
    # Keys of the folders are in the file, too: it makes sense by itself.
    with replaced(path) as beside:
        parquet.write_table(table, beside, compression="zstd")


def _remove(out: str, file_ids: Iterable[str]) -> None:
    """First from `files`: rows that it does not list are not looked at."""
    wanted = {f"{file_id}.parquet" for file_id in file_ids}
    if not wanted:
        return
    for table in TABLES:
        for folder, _, names in os.walk(os.path.join(out, table)):
            for name in wanted.intersection(names):
                os.remove(os.path.join(folder, name))


def put(source: Source, out: str, tables: Sequence[str], keys: Sequence[str],
        checksum: bool = False) -> Optional[str]:
    """Reads a file and writes its tables, `files` last. The reason if it cannot be read."""
    try:
        made = _read.tables_of(source, tables, keys, checksum)
        error = None
    except _read.Unread as unread:
        error = str(unread)
        made = {"files": _read.file_row(source, keys, error=error)}
    for table in [name for name in made if name != "files"] + ["files"]:
        _write(made[table], _folder(out, table, source.keys), source.file_id)
    return error


def _put_all(sources: Sequence[Source], out: str, tables: Sequence[str], keys: Sequence[str],
             checksum: bool) -> List[Tuple[Source, Optional[str]]]:
    return [(source, put(source, out, tables, keys, checksum)) for source in sources]


def known(out: str) -> Dict[str, Tuple[int, int, Optional[str]]]:
    """file_id → (size, mtime_ns, error) of what is in the tables; a size of -1 if its numbers
    have an older meaning."""
    dataset = need("pyarrow", "tfprof.fleet", "dataset")
    paths = [path for path in _schema.files_of(out, "files") if _schema.is_whole(path)]
    if not paths:
        return {}
    rows = dataset.dataset(paths, format="parquet", schema=_schema.schema("files")).to_table(
        columns=["file_id", "size", "mtime_ns", "error", "numbers_version"]).to_pylist()
    return {row["file_id"]: (row["size"] if _schema.is_current(row) else -1, row["mtime_ns"],
                             row["error"]) for row in rows}


def _lacks(out: str, source: Source, tables: Sequence[str]) -> bool:
    return not all(_schema.is_whole(os.path.join(_folder(out, table, source.keys),
                                                 f"{source.file_id}.parquet"))
                   for table in tables)


def plan(found: Sequence[Source], out: str, tables: Sequence[str]) -> Tuple[
        List[Source], List[str], Dict[str, str]]:
    """Which files to read, which rows to remove, and what is known to be bad."""
    before = known(out)
    todo, stale, bad = [], [], {}
    for source in found:
        size, mtime, error = before.get(source.file_id, (None, None, None))
        if (size, mtime) != (source.size, source.mtime_ns):
            todo.append(source)
            if size is not None:
                stale.append(source.file_id)
        elif error:
            bad[source.path] = error
        elif _lacks(out, source, tables):
            todo.append(source)
    stale += sorted(set(before) - {source.file_id for source in found})
    return todo, stale, bad


def bins(sources: Sequence[Source], n: int) -> List[List[Source]]:
    """Spreads files over at most n lists of about the same number of bytes."""
    lists: List[List[Source]] = [[] for _ in range(max(1, min(n, len(sources))))]
    sizes = [0] * len(lists)
    for source in sorted(sources, key=lambda one: -one.size):
        smallest = sizes.index(min(sizes))
        lists[smallest].append(source)
        sizes[smallest] += max(source.size, 1)
    return [one for one in lists if one]


def _jobs(jobs: Optional[int]) -> int:
    return jobs or len(os.sched_getaffinity(0))


def _start() -> None:
    os.environ["TFPROF_THREADS"] = "1"  # the files are what is parallel


def _stop(number: int, _: Any) -> None:
    """As exit does, so that no file is left half-written."""
    sys.exit(128 + number)


def catch_signals() -> None:
    """For programs: the command, and processes that this module starts."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)


def _start_worker() -> None:
    _start()
    catch_signals()


class _Bar:
    """Files and bytes done, on a terminal."""

    def __init__(self, shown: Optional[bool], n_files: int, n_bytes: int):
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._n_files, self._n_bytes = n_files, max(n_bytes, 1)
        self._done, self._bytes = 0, 0
        self._began = time.monotonic()

    def advance(self, source: Source) -> None:
        self._done += 1
        self._bytes += max(source.size, 0)
        if self._shown:
            share = min(self._bytes / self._n_bytes, 1.0)
            rate = self._bytes / 1e6 / max(time.monotonic() - self._began, 1e-6)
            sys.stderr.write(f"\r[{'#' * int(30 * share):30}] {self._done}/{self._n_files} files, "
                             f"{rate:.0f} MB/s")
            sys.stderr.flush()

    def close(self) -> None:
        if self._shown and self._done:
            sys.stderr.write("\n")


def index(source: Union[str, Sequence[str]], out: Union[str, "os.PathLike[str]"], *,
          tables: Iterable[str] = DEFAULT_TABLES, keys: Optional[Keys] = None,
          jobs: Optional[int] = None, progress: Optional[bool] = None,
          checksum: bool = False) -> Summary:
    """Reads profiles and traces and writes Parquet tables. Files that were read before and
    have not changed are not read again; the rows of files that are gone are removed.

    Args:
      source: a directory, or paths.
      out: the directory of the tables.
      tables: some of TABLES; 'nodes' has a hundred times the rows of the others.
      keys: labels of files, beside folders named key=value.
      jobs: how many files to read at a time; by default as many as there are processors.
      progress: whether to show a bar; by default on a terminal.
      checksum: whether to fill in files.sha256, which reads each file once more.
    """
    out = _keys.folder_of_tables(out)
    wanted = _schema.check_tables(tables)
    found = _keys.find(source, keys)
    if not found:
        raise tfprof.ArgumentError(f"{source}: there are no files")
    names = _keys.label_names(found)
    if os.path.exists(out) and not os.path.isdir(out):
        raise tfprof.ArgumentError(f"{out}: not a directory: expected one for the tables")
    os.makedirs(out, exist_ok=True)
    _remove_parts(out)
    todo, stale, bad = plan(found, out, wanted)
    _remove(out, stale)
    bar = _Bar(progress, len(todo), sum(max(one.size, 0) for one in todo))

    def done(one: Source, error: Optional[str]) -> None:
        bar.advance(one)
        if error:
            bad[one.path] = error

    _run(todo, out, wanted, names, checksum, _jobs(jobs), done)
    bar.close()
    n_gone = len(set(stale) - {one.file_id for one in todo})
    return Summary(len(todo), len(found) - len(todo), n_gone,
                   sum(max(one.size, 0) for one in todo), sorted(bad.items()),
                   _schema.renamed(names))


def _run(todo: Sequence[Source], out: str, tables: Sequence[str], keys: Sequence[str],
         checksum: bool, jobs: int, done: Callable[[Source, Optional[str]], None]) -> None:
    if jobs == 1 or len(todo) < 2:
        _start()
        for source in todo:
            done(source, put(source, out, tables, keys, checksum))
        return
    # Not forked: the library has threads. Small pieces, so that the bar moves.
    with concurrent.futures.ProcessPoolExecutor(
            jobs, multiprocessing.get_context("spawn"), _start_worker) as pool:
        running = [pool.submit(_put_all, piece, out, tables, keys, checksum)
                   for piece in bins(todo, max(jobs, len(todo) // 4))]
        try:
            for future in concurrent.futures.as_completed(running):
                for source, error in future.result():
                    done(source, error)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
