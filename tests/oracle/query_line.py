"""Parses a command line such as

    op --profile_path=profile --select=micros,bytes --order_by=micros

into view, input files and options. Does not need TensorFlow."""

import shlex
from typing import Dict, List, NamedTuple

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
    return QueryLine(arguments[0], files, options, arguments)
