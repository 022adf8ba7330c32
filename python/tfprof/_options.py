"""Turns options into what the library takes.

There are two ways: TensorFlow's (`from_dict`), an OptionsProto, in which absent lists
are empty and unknown words are ignored with a warning, and our own (`from_keywords`),
with the command line's defaults and an error for anything invalid. The message is
encoded here, so protobuf is not needed.
"""

import operator
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple, Union

from tfprof import _native
from tfprof._warn import warn

# name → field number of tensorflow.tfprof.OptionsProto
FIELDS = {row[0]: row[5] for row in _native.options() if row[5]}
FIELDS["dump_to_file"] = 16  # deprecated: only ever read from a message

# TensorFlow's defaults for absent keys.
ABSENT = {"max_depth": 10, "step": -1, "order_by": "name", "output": "stdout"}

# Options whose default, None, depends on the view or on what is done with the result.
_OPEN = ("max_depth", "order_by")

_Setting = Union[str, bytes, List[bytes]]

_warned: Set[str] = set()


class _Option:
    def __init__(self, name: str, kind: str, words: List[str], default: str, help: str,
                 field: int, units: Optional[str], applies_to: str):
        self.name, self.kind, self.help, self.units = name, kind, help, units
        self.applies_to = applies_to.split()
        self.words = sorted(words) if kind == "words" else words
        if kind in ("words", "regexes"):
            self.default: Any = [default] if default else []
        elif kind == "int":
            self.default = int(default) if default else None
        else:
            self.default = default == "true" if kind == "bool" else default


_TABLE = [_Option(*row) for row in _native.options()]


# ---- the two ways -------------------------------------------------------------

def from_dict(options: Mapping[str, Any]) -> bytes:
    """Returns OptionsProto bytes; options as TensorFlow's API takes them."""
    if not isinstance(options, Mapping):
        raise _native.ArgumentError(
            f"options: expected a dict, as ProfileOptionBuilder builds it, got {options!r}")
    for name in options:
        if name not in FIELDS:
            warn_once(f"unknown option {name!r} is ignored: expected one of: "
                      + ", ".join(sorted(FIELDS)))
    values = {**ABSENT, **{name: value for name, value in options.items() if name in FIELDS}}
    warn_unknown_words(_strings("select", values.get("select", ())))
    return b"".join(_encode(name, values[name]) for name in FIELDS if name in values)


def of(question: str) -> Dict[str, _Option]:
    """The options of a question, by name."""
    return {option.name: option for option in _TABLE
            if question in option.applies_to or "all" in option.applies_to}


def from_keywords(question: str, options: Optional[Mapping[str, Any]],
                  keywords: Mapping[str, Any]) -> Tuple[List[Tuple[str, _Setting]], Dict]:
    """Options as our own API takes them: a builder's dict, keywords, or both.

    Returns settings of those that are given, and the values of all."""
    known = of(question)
    if options is not None and not isinstance(options, Mapping):
        raise _native.ArgumentError(
            f"options: expected a dict, as ProfileOptionBuilder builds it, got {options!r}")
    given = {**(options or {}), **keywords}
    for name in given:
        if name not in known:
            raise _native.ArgumentError(
                f"unknown option {name!r}: expected one of: {', '.join(known)}{_hint(name, known)}")
    given = {name: _convert(known[name], value) for name, value in given.items()
             if name not in _OPEN or value is not None}
    values = {name: given.get(name, option.default) for name, option in known.items()}
    if "max_depth" in known and "max_depth" not in given:
        values["max_depth"] = None
    if "order_by" not in given and question == "op":
        words = known["order_by"].words
        first = next((word for word in values["select"] if word in words), "name")
        values["order_by"] = "work" if first == "micros" else first
    return [(name, _setting(value)) for name, value in given.items()], values


def _setting(value: Any) -> _Setting:
    if isinstance(value, list):
        return [one.encode("utf-8", "surrogateescape") for one in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).encode("utf-8", "surrogateescape")


def select_of(message: bytes) -> List[str]:
    """The select words of a serialized OptionsProto; [] if it is malformed."""
    at, words = 0, []
    try:
        while at < len(message):
            tag, at = _read_varint(message, at)
            if tag & 7 == 0:
                _, at = _read_varint(message, at)
            elif tag & 7 == 2:
                size, at = _read_varint(message, at)
                if tag >> 3 == FIELDS["select"]:
                    words.append(message[at:at + size].decode(errors="replace"))
                at += size
            else:
                return []
    except IndexError:
        return []
    return words


def warn_unknown_words(select: Iterable[str]) -> None:
    """Warns about select words that TensorFlow's API ignores."""
    words = of("op")["select"].words
    for word in select:
        if word not in words:
            warn_once(f"select: unknown word {word!r} is ignored: expected one of: "
                      f"{', '.join(words)}{_hint(word, words)}")


def warn_once(text: str) -> None:
    if text not in _warned:
        _warned.add(text)
        warn(text)


def _hint(word: str, words: Iterable[str]) -> str:
    import difflib
    near = difflib.get_close_matches(str(word), list(words), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


# ---- values -------------------------------------------------------------------

def _invalid(name: str, value: Any, expected: str) -> _native.ArgumentError:
    return _native.ArgumentError(f"option {name!r}: expected {expected}, got {value!r}")


def _integer(name: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise _invalid(name, value, "a whole number") from None
    if not -1 << 63 <= number < 1 << 63:
        raise _invalid(name, value, "a 64-bit whole number")
    return number


def _string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _invalid(name, value, "a string")
    return value


def _strings(name: str, value: Any) -> List[str]:
    if isinstance(value, str):
        # A string is one value, not a list of letters.
        words = [word.strip(" ") for word in value.split(",")]
        return [word for word in words if word] if name == "select" else [value]
    try:
        values = list(value)
    except TypeError:
        raise _invalid(name, value, "a list of strings") from None
    for one in values:
        if not isinstance(one, str):
            raise _invalid(name, value, "a list of strings")
    return values


def _convert(option: _Option, value: Any) -> Any:
    """Converts a value of our own API; raises if it is invalid."""
    name = option.name
    if option.kind == "int":
        if isinstance(value, str) and option.units:
            return value  # a number and a unit: the library reads it
        if isinstance(value, bool):
            raise _invalid(name, value, "a whole number")
        return _integer(name, value)
    if option.kind in _JOINED:
        return _JOINED[option.kind](value)
    if option.kind == "bool":
        if value not in (True, False):
            raise _invalid(name, value, "True or False")
        return bool(value)
    if option.kind in ("words", "regexes"):
        values = _strings(name, value)
        for word in values:
            _check_word(option, word)
        return values
    value = _string(name, value)
    if option.kind == "word" and value:
        _check_word(option, value)
    elif option.kind == "output":
        _check_word(option, value.partition(":")[0] or "stdout")
    return value


def _joined(value: Any) -> str:
    """Several conditions or rules in a list."""
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _shapes(value: Any) -> str:
    """{"x": (1, 224, 224, 3)} as x:1x224x224x3."""
    if not isinstance(value, dict):
        return str(value)
    return ",".join(f"{name}:{'x'.join(map(str, shape))}" for name, shape in value.items())


_JOINED = {"conditions": _joined, "rules": _joined, "percent": str, "shapes": _shapes}


def _check_word(option: _Option, word: str) -> None:
    if option.words and word not in option.words:
        raise _native.ArgumentError(
            f"option {option.name!r}: unknown word {word!r}: expected one of: "
            f"{', '.join(option.words)}{_hint(word, option.words)}")


# ---- encoding ----------------------------------------------------------------

def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> Tuple[int, int]:
    number = shift = 0
    while data[at] & 0x80:
        number |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
    return number | data[at] << shift, at + 1


def field(number: int, data: bytes) -> bytes:
    """A field that holds bytes: a string or a message."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _text(number: int, value: str) -> bytes:
    return field(number, value.encode("utf-8", "surrogateescape"))


def _encode(name: str, value: Any) -> bytes:
    number = FIELDS[name]
    if name == "select" or name.endswith("_regexes"):
        return b"".join(_text(number, one) for one in _strings(name, value))
    if name in ("order_by", "output", "dump_to_file"):
        return _text(number, _string(name, value))
    return _varint(number << 3) + _varint(_integer(name, value))
