"""``tfprof run``: runs a script of Python and records a part of it.

This process becomes the script's Python, so that its output, signals and exit status are its
own. PYTHONPATH makes that Python import _run_start/sitecustomize.py first, which begins to watch
(_run_inside.py).
"""

import argparse
import json
import os
import re
import shutil
import sys
import time
from typing import Any, List, NoReturn, Optional, Tuple

_UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "m": 60.0, "min": 60.0, "h": 3600.0}


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip())
    if not found or found[2] not in _UNITS:
        raise argparse.ArgumentTypeError(f"expected a time such as 10s, 500ms or 2min, got {text!r}")
    return float(found[1]) * _UNITS[found[2]]


def _steps(text: str) -> Tuple[int, int]:
    found = re.fullmatch(r"(\d+):(\d+)", text.strip())
    if not found or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError("expected the first and the last step, such as 10:15, "
                                         f"got {text!r}")
    return int(found[1]), int(found[2])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tfprof run", usage="tfprof run [OPTION...] [--] SCRIPT.py ARG...\n"
        "       tfprof run [OPTION...] [--] -m MODULE ARG...",
        description="Runs a program of TensorFlow, Keras or JAX, records a part of it and prints "
        "where the time of a step goes. The program is not changed: its output, signals and exit "
        "status are its own. If recording fails, it runs on.")
    parser.add_argument("--start", type=_seconds, metavar="TIME",
                        help="when to begin, after the start of the program, such as 10s, but not before "
                        "something has run (default: step 10 of a Keras fit, or the last third of a shorter one; else as soon "
                        "as something has run)")
    parser.add_argument("--for", dest="duration", type=_seconds, metavar="TIME",
                        help="how long to record (default: 5s)")
    parser.add_argument("--steps", type=_steps, metavar="FIRST:LAST",
                        help="which steps to record instead, such as 10:15: batches of Keras, steps "
                        "that the program marks, or calls of its most expensive tf.function")
    parser.add_argument("--logdir", metavar="DIR",
                        help="where to write the profile (default: tfprof_runs/DATE-TIME)")
    parser.add_argument("--max_memory", type=float, default=2.0, metavar="GB",
                        help="stop recording once the program has grown by so much (default: 2)")
    parser.add_argument("--no_python", action="store_true",
                        help="do not look which function of Python runs")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="SCRIPT.py ARG...",
                        help="the program, as for python3")
    return parser


def _split(arguments: List[str]) -> Tuple[List[str], List[str]]:
    """Options of ours, and the program: -- or the first word that is not an option or its value
    separates them."""
    takes = {"--start", "--for", "--steps", "--logdir", "--max_memory"}
    i = 0
    while i < len(arguments):
        word = arguments[i]
        if word == "--":
            return arguments[:i], arguments[i + 1:]
        if word == "-m" or not word.startswith("-"):
            break
        i += 2 if word in takes else 1
    return arguments[:i], arguments[i:]


def _find_python(program: List[str]) -> Tuple[str, List[str]]:
    """The Python that runs the program, and its arguments: `python3 train.py` names one."""
    first = os.path.basename(program[0])
    if re.fullmatch(r"python[0-9.]*", first) and len(program) > 1:
        return shutil.which(program[0]) or program[0], program[1:]
    return sys.executable, program


def main(arguments: List[str]) -> int:
    """Returns only on failure: an exit status."""
    parser = _parser()
    ours, program = _split(arguments[1:])
    given = parser.parse_args(ours)
    if not program:
        parser.error("no program given: expected SCRIPT.py or -m MODULE")
    if given.steps and (given.start is not None or given.duration is not None):
        parser.error("--steps cannot be combined with --start or --for")
    logdir = os.path.abspath(given.logdir or os.path.join(
        "tfprof_runs", time.strftime("%Y%m%d-%H%M%S")))
    from tfprof._files import check_directory
    try:
        check_directory(logdir, "--logdir")
    except OSError as error:
        print(f"tfprof: {error}", file=sys.stderr)
        return 1
    plan = {"start": given.start, "for": given.duration, "steps": given.steps, "logdir": logdir,
            "max_bytes": int(given.max_memory * 1e9), "sample_python": not given.no_python}
    _become(*_find_python(program), plan)


def _become(python: str, program: List[str], plan: Any) -> NoReturn:
    before: Optional[str] = os.environ.get("PYTHONPATH")
    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_run_start")
    if before is not None:
        os.environ["TFPROF_RUN_PYTHONPATH"] = before
    os.environ["PYTHONPATH"] = start + (os.pathsep + before if before else "")
    os.environ["TFPROF_RUN"] = json.dumps(plan)
    sys.stdout.flush()
    os.execvp(python, [python, *program])
