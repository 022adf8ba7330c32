"""Queries a native profile the way TensorFlow does: prints the report to stdout
and notes to stderr, and returns a result message as bytes."""

from typing import Any, Dict, Mapping

from tfprof import _native, _options
from tfprof._stdio import print_notes, print_report

#: The message a view's result is returned as.
VIEWS: Dict[str, str] = {name: message for name, message, _ in _native.views()}

# Failures for which TensorFlow's profiler prints a line to stderr and returns
# an empty message, and so do we.
_ONLY_PRINTED = ("STEP", "UNSUPPORTED")


def query(profile: _native.Profile, view: str, message: bytes) -> bytes:
    """Runs a query with a serialized OptionsProto."""
    try:
        result = profile.query(view, message=message)
        result.output(_native.FRAMED)
    except _native.Error as error:
        if error.status not in _ONLY_PRINTED:
            raise
        print_notes(f"{error}\n")
        return b""
    return _print(result)


def advise(profile: _native.Profile, message: bytes) -> bytes:
    """Runs checkers with a serialized AdvisorOptionsProto."""
    result = profile.advise(message=message)
    result.output()
    return _print(result)


def _print(result: _native.Result) -> bytes:
    print_notes(result.notes)
    print_report(result.text)
    return result.render("message")


def print_profile_notes(profile: _native.Profile) -> None:
    """Prints the notes of the last addition to the profile."""
    print_notes(profile.notes)


def is_without_step_stats(error: _native.Error) -> bool:
    return "Invalid RunMetadata" in str(error)


# ---- the advisor's options ------------------------------------------------------

def advice_options(options: Mapping[str, Mapping[str, Any]]) -> bytes:
    """{checker: {option: value}} as AdvisorOptionsProto bytes."""
    if options is None:
        return b""
    if not isinstance(options, Mapping):
        raise _native.ArgumentError(
            f"options: expected a dict of checkers, like ALL_ADVICE, got {options!r}")
    known = [row[0] for row in _native.checkers()]
    out = []
    for checker, settings in options.items():
        if not isinstance(checker, str) or not isinstance(settings, (Mapping, type(None))):
            raise _native.ArgumentError(
                f"options: expected a dict of options for each checker, got {checker!r}: "
                f"{settings!r}")
        if checker not in known:
            _options.warn_once(f"unknown checker {checker!r} is ignored: expected one of: "
                               + ", ".join(known))
            continue
        body = b"".join(_entry(str(name), str(value).encode())
                        for name, value in (settings or {}).items())
        out.append(_entry(checker, body))
    return b"".join(out)


def _entry(key: str, value: bytes) -> bytes:
    """Field 1, a map entry: key 1, value 2."""
    return _options.field(1, _options.field(1, key.encode()) + _options.field(2, value))
