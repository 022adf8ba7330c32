"""Asking a native profile in TensorFlow's manner: the report is printed, what
else is to be said goes to stderr, and a result message comes back as bytes."""

from typing import Any, Mapping

from tfprof import _native, _options
from tfprof._stdio import print_notes, print_report

VIEWS = ("scope", "graph", "op", "code")

# Failures that the original answers with a line on stderr and an empty
# message, and so do we.
_SAID_ONLY = ("STEP", "UNSUPPORTED")


def query(profile: _native.Profile, view: str, message: bytes) -> bytes:
    """Runs a query with a serialized OptionsProto."""
    try:
        result = profile.query(view, message=message)
        result.output(_native.FRAMED)
    except _native.Error as error:
        if error.status not in _SAID_ONLY:
            raise
        print_notes(f"{error}\n")
        return b""
    return _deliver(result)


def advise(profile: _native.Profile, message: bytes) -> bytes:
    """Runs checkers with a serialized AdvisorOptionsProto."""
    result = profile.advise(message=message)
    result.output()
    return _deliver(result)


def _deliver(result: _native.Result) -> bytes:
    print_notes(result.notes)
    print_report(result.text)
    return result.render("message")


def add_notes(profile: _native.Profile) -> None:
    """Passes on what the last addition to the profile had to say."""
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
            _options.warn_once(f"checker {checker!r} does not exist and is ignored: valid are "
                               + ", ".join(known))
            continue
        body = b"".join(_entry(str(name), str(value).encode())
                        for name, value in (settings or {}).items())
        out.append(_entry(checker, body))
    return b"".join(out)


def _entry(key: str, value: bytes) -> bytes:
    """Field 1, a map's entry: key 1, value 2."""
    return _options.field(1, _options.field(1, key.encode()) + _options.field(2, value))
