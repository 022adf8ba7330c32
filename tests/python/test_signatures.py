"""The keywords of load() and of the views, as type checkers, help() and editors see them."""

import inspect
import os
import pickle
import re
import subprocess
import sys

import pytest
from package_under_test import PACKAGE

import tfprof
from tfprof import _inputs, _native

VIEWS = [row[0] for row in _native.views()]


def keywords_of(function):
    return {name: parameter for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY}


def options_of(view):
    return [row for row in _native.options() if view in row[7].split() or row[7] == "all"]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_every_option(view):
    function = getattr(tfprof.Profile, view)
    assert list(keywords_of(function)) == [row[0] for row in options_of(view)]
    assert list(inspect.signature(function).parameters)[:2] == ["self", "options"]
    assert function.__qualname__ == f"Profile.{view}" and function.__name__ == view


@pytest.mark.parametrize("view", VIEWS)
def test_defaults_are_those_of_queries(profile, view):
    options = getattr(profile, view)().options
    for name, parameter in keywords_of(getattr(tfprof.Profile, view)).items():
        default = parameter.default
        if name == "order_by":
            assert default is None and options[name] == ("work" if view == "op" else "name")
            continue
        if name == "select":
            assert default is None and options[name] == ["micros"]
            continue
        if isinstance(options[name], list):
            default = [default] if isinstance(default, str) else list(default)
        assert default == options[name], name


@pytest.mark.parametrize("view", VIEWS)
def test_each_option_is_documented(view):
    text = " ".join((inspect.getdoc(getattr(tfprof.Profile, view)) or "").split())
    for name, kind, words, _, help, *_ in options_of(view):
        assert f" {name}: {help}" in text
        if kind != "bool":
            assert ", ".join(words) in text
    assert max(map(len, inspect.getdoc(getattr(tfprof.Profile, view)).splitlines())) <= 90


def test_load_has_every_input():
    assert list(keywords_of(tfprof.load)) == [
        *_inputs.KINDS, "progress", "count_float_ops", "strict", "recover"]
    text = " ".join((tfprof.load.__doc__ or "").split())
    for kind in _inputs.KINDS.values():
        assert f" {kind.name}: " in text


def test_functions_are_found_where_they_are():
    """By pickles, for other processes."""
    assert pickle.loads(pickle.dumps(tfprof.load)) is tfprof.load
    assert pickle.loads(pickle.dumps(tfprof.Profile.op)) is tfprof.Profile.op


def check(tmp_path, lines, **more):
    """The lines that mypy finds wrong, with what it says."""
    (tmp_path / "user.py").write_text(
        "from pathlib import Path\nimport tfprof\np = tfprof.load('x')\n" + "\n".join(lines) + "\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental",
                           "--cache-dir=/dev/null", "--follow-untyped-imports", "user.py"],
                          cwd=tmp_path, capture_output=True, text=True,
                          env=dict(os.environ, MYPYPATH=PACKAGE))
    found = {}
    for line in done.stdout.splitlines():
        match = re.match(r"user\.py:([0-9]+): error: (.*)", line)
        if match:
            found[lines[int(match.group(1)) - 4]] = match.group(2)
    return found, done.stdout


RIGHT = [
    "p.op(select='micros', order_by='micros', max_depth=3)",
    "p.op(min_micros='1.5ms', min_bytes=5, max_depth=None, order_by=None, doc=False)",
    "p.scope(select=['micros', 'bytes'], account_type_regexes=('a', 'b'), step=0)",
    "p.code({'max_depth': 3}, source_lines=False, output='file:outfile=x')",
    "p.graph(tfprof.ProfileOptionBuilder.time_and_memory(), trim_name_regexes=[])",
    "p.op(**tfprof.ProfileOptionBuilder().build())",
    "tfprof.load('x', Path('y'), b'z', ['x', 'y'], progress=False)",
    "tfprof.load(graph=Path('g'), run_meta=['a', b'b'], op_log=b'', checkpoint='c')",
    "tfprof.load(run_meta={3: 'a', 4: Path('b')}, profile=None)",
    "tfprof.load(xplane=['a', Path('b')])",
    "name: str = p.op()[0].name",
    "time: int = p.op()['x'].exec_micros",
    "text: str = p.advise('JobChecker').text",
    "rows: tfprof.Result = p.scope()",
    "with tfprof.trace() as t, t.step(3): pass",
    "traced: tfprof.Profile = tfprof.trace(Path('logs'), framework='jax').profile",
    "run: tfprof.Profile = tfprof.profile_function(len, 1, 2, steps=3, warmup=0, training=True)",
    "tfprof.profile_function(len, 1, mode='train', logdir=Path('logs'))",
    "tfprof.KerasCallback('logs', steps=(10, 15)).profile",
    "tfprof.KerasCallback('logs', None, report=False)",
]
WRONG = [
    ("p.op(selct='micros')", 'Unexpected keyword argument "selct"'),
    ("p.scope(max_depth='3')", 'Argument "max_depth"'),
    ("p.scope(max_depth=1.5)", 'Argument "max_depth"'),
    ("p.graph(select=5)", 'Argument "select"'),
    ("p.code(order_by=['micros'])", 'Argument "order_by"'),
    ("p.code(source_lines='yes')", 'Argument "source_lines"'),
    ("p.op('max_depth')", "Argument 1"),
    ("tfprof.load(grap='x')", 'Unexpected keyword argument "grap"'),
    ("tfprof.load(graph=5)", 'Argument "graph"'),
    ("tfprof.load(run_meta={'a': 'b'})", "Dict entry 0"),
    ("tfprof.load(checkpoint=b'x')", 'Argument "checkpoint"'),
    ("tfprof.trace(log='x')", 'Unexpected keyword argument "log"'),
    ("tfprof.profile_function(len, steps='3')", 'Argument "steps"'),
    ("tfprof.KerasCallback('x', steps=5)", 'Argument "steps"'),
    ("number: str = p.op()[0].exec_micros", "Incompatible types"),
]


def test_mypy_accepts_what_is_right_and_rejects_what_is_wrong(tmp_path):
    found, text = check(tmp_path, RIGHT + [line for line, _ in WRONG])
    assert sorted(found) == sorted(line for line, _ in WRONG), text
    for line, words in WRONG:
        assert words in found[line]


def test_what_mypy_rejects_is_an_error(profile):
    """Unless the value can be taken as meant."""
    with pytest.raises(tfprof.Error, match="'selct'.*did you mean 'select'"):
        profile.op(selct="micros")
    with pytest.raises(TypeError, match="'grap'"):
        tfprof.load(grap="x")
