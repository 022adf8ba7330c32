"""Errors and notes of tfprof.load and its profiles name Python keywords, not flags."""

import re

import pytest

import tfprof
from tfprof import _native

FLAG = re.compile(r"(?<![\w-])--?[a-z]\w+")


def error_of(function, *arguments, **keywords):
    with pytest.raises(tfprof.Error) as caught:
        function(*arguments, **keywords)
    text = str(caught.value)
    assert not FLAG.search(text), text
    return text


def test_an_input_given_by_the_wrong_keyword(loop_files):
    inputs = {"profile": "profile", "graph": "graph.pb", "run_meta": "run_meta_0"}
    for keyword in inputs:
        for kind, name in inputs.items():
            if kind != keyword:
                text = error_of(tfprof.load, **{keyword: loop_files / name})
                assert text.endswith(f"(give it as {kind}=)")
    profile = tfprof.Profile()
    assert "(give it as run_meta=)" in error_of(profile.add, loop_files / "run_meta_0", "graph")
    profile.add_graph(loop_files / "graph.pb")
    assert "(give it as graph=)" in error_of(profile.add_step, 0, loop_files / "graph.pb")


def test_options_of_a_query(profile, tmp_path):
    assert error_of(profile.op, step=7) == "step=7 not found. Available steps: 0 1 2"
    assert error_of(profile.events, 7) == "step=7 not found. Available steps: 0 1 2"
    assert error_of(profile.op, output="file").endswith(
        "type file needs a file: output='file:outfile=PATH'")
    assert error_of(profile.code, output=f"pprof:outfile={tmp_path / 'x'}",
                    select="device") == "pprof doesn't support select=device"
    assert error_of(profile.advise, output="file").startswith("output: type file needs a file")


@pytest.mark.parametrize("option", [row[0] for row in _native.options() if row[1] == "regexes"])
def test_regexes_are_quoted_as_written(profile, option):
    with pytest.raises(tfprof.ArgumentError) as caught:
        profile.scope(**{option: "(--graph_path -step=3"})
    assert str(caught.value).startswith(f"{option}: ")
    assert "'(--graph_path -step=3'" in str(caught.value)


def test_the_class_and_status_of_an_error_stay(profile, tmp_path):
    with pytest.raises(tfprof.ArgumentError) as caught:
        profile.op(step=7)
    assert caught.value.status == "STEP"
    with pytest.raises(OSError) as caught:
        tfprof.load(graph=tmp_path / "nowhere")
    assert caught.value.status == "IO"


def test_the_drop_in_api_keeps_tensorflows_words(loop_files, capfd):
    from tfprof import pywrap
    pywrap.ProfilerFromFile(str(loop_files / "profile"))
    options = tfprof._options.from_dict({"step": 7})
    assert pywrap.Profile(b"scope", options) == b""
    assert "-step=7 not found" in capfd.readouterr().err
    pywrap.DeleteProfiler()
