"""Texts of the library in Python's terms: the library names options and inputs as the
command line does, callers of this package know them as keywords."""

import contextlib
import re
from typing import Dict, Iterator

from tfprof import _inputs, _native


# Flags of the program that are not options of queries.
_SWITCHES = ("strict", "recover")


def _keywords() -> Dict[str, str]:
    """The names of flags → the keywords that mean the same."""
    made = {row[0]: row[0] for row in _native.options()}
    made.update((name + "_path", name) for name in _inputs.KINDS)
    made.update((name, name) for name in _SWITCHES)
    return made


_KEYWORDS = _keywords()

# A flag, with its value or colon if any; or quoted text, which is the user's.
_FLAG = re.compile(r"'[^']*'|(?:\bOptions )?(?<![\w/.-])--?(?P<name>" + "|".join(_KEYWORDS)
                   + r")\b(?:(?P<sign>[:=])| (?P<file>\w+:outfile=\S+))?")


def to_keywords(text: str) -> str:
    """
    >>> to_keywords("x: not a GraphDef: it looks like a RunMetadata (give it as --run_meta_path)")
    'x: not a GraphDef: it looks like a RunMetadata (give it as run_meta=)'
    >>> to_keywords("-output: type csv needs a file: -output csv:outfile=PATH")
    "output: type csv needs a file: output='csv:outfile=PATH'"
    >>> to_keywords("-hide_name_regexes: missing ) at position 6 of '(-step'")
    "hide_name_regexes: missing ) at position 6 of '(-step'"
    """
    return _FLAG.sub(_keyword, text)


def _keyword(found: "re.Match[str]") -> str:
    name = found.group("name")
    if not name:
        return found.group()
    if found.group("file"):
        return f"{_KEYWORDS[name]}='{found.group('file')}'"
    if name in _SWITCHES:
        return name + "=True"
    return _KEYWORDS[name] + (found.group("sign") or "=")


@contextlib.contextmanager
def in_keywords() -> Iterator[None]:
    """Errors raised inside name keywords. Text that is not Unicode is one of them."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise _native.ArgumentError(
            f"expected text that can be written as UTF-8, got {error.object!r}") from None
    except _native.Error as error:
        error.args = (to_keywords(str(error)).rstrip(), *error.args[1:])
        raise
