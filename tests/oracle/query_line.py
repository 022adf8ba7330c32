"""Parses a command line such as

    op --profile_path=profile --select=micros,bytes --order_by=micros

into view, input files and options. Does not need TensorFlow.

TensorFlow's defaults are made explicit, as those of the program differ."""

import shlex
from typing import Dict, List, NamedTuple

DEFAULTS = {"max_depth": "10", "order_by": "name"}
FILES = ("profile_path", "graph_path", "run_meta_path", "op_log_path")


class QueryLine(NamedTuple):
    view: str
    files: Dict[str, str]
    options: Dict[str, str]
    arguments: List[str]


def parse(line):
    arguments = shlex.split(line)
    files, options = {}, {}
    for argument in arguments[1:]:
        name, given, value = argument.removeprefix("--").partition("=")
        (files if name in FILES else options)[name] = value if given else "true"
    for name, value in DEFAULTS.items():
        if name not in options:
            options[name] = value
            arguments.append(f"--{name}={value}")
    return QueryLine(arguments[0], files, options, arguments)
