"""Queries a native profile the way TensorFlow does: prints the report to stdout
and notes to stderr, and returns a result message as bytes."""

from typing import Any, Dict, List, Mapping, Optional, Tuple

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
        if error.status == "STEP":
            print_report(_native.frame(message))
        print_notes(str(error).replace(". Available", ".\nAvailable") + "\n")
        return b""
    return _print(result)


def advise(profile: _native.Profile, message: bytes) -> bytes:
    """Runs checkers with a serialized AdvisorOptionsProto, as TensorFlow does."""
    result = profile.advise(message=message)
    result.output()
    return _print(result)


def advise_by_name(profile: _native.Profile, settings: "List[_Setting]") -> bytes:
    """Runs checkers, named by advice_settings(), with the findings of the program."""
    if not settings:
        return b""
    result = profile.advise(settings=settings)
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
    return error.id == "no_step_stats"


# ---- the advisor's options ------------------------------------------------------

_Setting = Tuple[str, Optional[str], Optional[str]]


def advice_settings(options: Optional[Mapping[str, Mapping[str, Any]]]) -> List[_Setting]:
    """{checker: {option: value}} as (checker, option, value). One without options gets
    (checker, None, None)."""
    if options is None:
        return []
    if not isinstance(options, Mapping):
        raise _native.ArgumentError(
            f"options: expected a dict of checkers, like ALL_ADVICE, got {options!r}")
    known = [row[0] for row in _native.checkers()]
    out: List[_Setting] = []
    for checker, settings in options.items():
        if not isinstance(checker, str) or not isinstance(settings, (Mapping, type(None))):
            raise _native.ArgumentError(
                f"options: expected a dict of options for each checker, got {checker!r}: "
                f"{settings!r}")
        if checker not in known:
            _options.warn_once(f"unknown checker {checker!r} is ignored: expected one of: "
                               + ", ".join(known))
            continue
        out.append((checker, None, None))
        out += [(checker, str(name), str(value)) for name, value in (settings or {}).items()]
    return out
