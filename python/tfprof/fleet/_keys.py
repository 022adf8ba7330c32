"""Which files to read, and the labels (model, run, worker, ...) of each."""

import csv
import hashlib
import os
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from tfprof import _native
from tfprof.fleet._schema import column_of

_HIVE = re.compile(r"^([A-Za-z_][A-Za-z0-9_]*)=(.*)$")
_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def text_of(name: str) -> str:
    """A name of a file as text: bytes that are not UTF-8 as \\xff."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def folder_of_tables(out: Union[str, "os.PathLike[str]"]) -> str:
    """The path of a directory of tables, in UTF-8, as pyarrow and DuckDB need it."""
    path = os.fspath(out)
    if text_of(path) != path:
        raise _native.ArgumentError(f"{text_of(path)}: the path of the tables is not UTF-8")
    return path


class Source(NamedTuple):
    """A file to read: a hash of its path, the path, its labels, size and time of change."""
    file_id: str
    path: str
    keys: Dict[str, str]
    size: int
    mtime_ns: int


class Keys:
    """How labels follow from a path below the source directory: from folders named
    ``key=value``; from the named groups of a regular expression, which is searched in the
    path; and from a CSV file with a column ``path`` and a column for each key. A manifest
    also says which files to read."""

    def __init__(self, pattern: Optional[str] = None,
                 manifest: Optional[Union[str, "os.PathLike[str]"]] = None):
        self._pattern = self._compile(pattern) if pattern else None
        self._listed: Optional[Dict[str, Dict[str, str]]] = None
        if manifest is not None:
            self._listed = self._read(os.fspath(manifest))

    @staticmethod
    def _compile(pattern: str) -> Any:
        try:
            made = re.compile(pattern)
        except re.error as error:
            raise _native.ArgumentError(f"key: {error}: {pattern}") from None
        if not made.groupindex:
            raise _native.ArgumentError(
                f"key: expected named groups, such as (?P<worker>\\d+): {pattern}")
        return made

    @staticmethod
    def _read(manifest: str) -> Dict[str, Dict[str, str]]:
        with open(manifest, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or []
            if "path" not in names:
                raise _native.ArgumentError(f"{manifest}: expected a column 'path', got: "
                                            + ", ".join(names))
            for name in names:
                if not _NAME.match(name):
                    raise _native.ArgumentError(f"{manifest}: not a column name: {name!r}")
            return {row["path"]: {name: row[name] or "" for name in names if name != "path"}
                    for row in reader}

    def of(self, relative: str) -> Dict[str, str]:
        """The labels of a path."""
        found = {}
        for folder in relative.split(os.sep)[:-1]:
            match = _HIVE.match(folder)
            if match:
                found[match[1]] = match[2]
        if self._pattern:
            match = self._pattern.search(relative)
            if match:
                found.update({name: value for name, value in match.groupdict().items()
                              if value is not None})
        if self._listed is not None:
            found.update(self._listed.get(relative, {}))
        return found

    def listed(self) -> Optional[List[str]]:
        return None if self._listed is None else sorted(self._listed)


def _walk(source: str) -> Iterator[str]:
    unread: List[OSError] = []
    for folder, folders, files in os.walk(source, onerror=unread.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith((".", "_")):
                yield os.path.join(folder, name)
    # Listed like a file that cannot be read.
    yield from (error.filename for error in unread)


def find(source: Union[str, Sequence[str]], keys: Optional[Keys] = None) -> List[Source]:
    """The files of a directory (or of several paths), by path. A file that cannot be looked
    at is listed with size -1."""
    keys = keys or Keys()
    made: Dict[str, Source] = {}
    for top in [source] if isinstance(source, (str, os.PathLike)) else source:
        top = os.fspath(top)
        if not os.path.exists(top):
            raise FileNotFoundError(f"{top}: no such file or directory")
        listed = keys.listed()
        is_directory = os.path.isdir(top)
        if is_directory and listed is not None:
            paths: Any = [os.path.join(top, name) for name in listed]
        else:
            paths = _walk(top) if is_directory else [top]
        for path in paths:
            relative = os.path.relpath(path, top) if is_directory else os.path.basename(path)
            try:
                status = os.stat(path)
                size, mtime = status.st_size, status.st_mtime_ns
            except OSError:
                size, mtime = -1, 0
            full = os.path.abspath(path)
            file_id = hashlib.blake2b(os.fsencode(full), digest_size=10).hexdigest()
            labels = {column_of(name): text_of(label)
                      for name, label in keys.of(relative).items()}
            made[full] = Source(file_id, path, labels, size, mtime)
    return [made[path] for path in sorted(made)]


def label_names(sources: Sequence[Source]) -> List[str]:
    """All labels that some file has."""
    return sorted({name for source in sources for name in source.keys})


def select(sources: Sequence[Source], wanted: Mapping[str, Any]) -> List[Source]:
    """Those whose labels equal these."""
    return [source for source in sources
            if all(source.keys.get(name) == str(value) for name, value in wanted.items())]
