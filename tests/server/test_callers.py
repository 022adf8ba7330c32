"""Callers of lines of Python, against the command line's code view turned round by hand."""

import json
import subprocess

import pytest
import tree
from serving import SAMPLE


def code_view(tmp_path, *options):
    out = tmp_path / "code.json"
    subprocess.run([tree.program(), "code", SAMPLE, "-max_depth=1000", "-select=micros", *options,
                    f"-output=json:outfile={out}"], check=True, stdout=subprocess.DEVNULL)
    return json.loads(out.read_text())["nodes"]


def stack(rows, row):
    """The names from a row up to the outermost line."""
    names = []
    while row["parent"] is not None:
        names.append(row["name"])
        row = rows[row["parent"]]
    return names


def sums_of(stacks):
    """Callers' names, nearest first -> the sum of the stacks that begin so."""
    sums = {}
    for names, value in stacks:
        for n in range(len(names) + 1):
            key = tuple(names[:n])
            sums[key] = sums.get(key, 0) + value
    least = sums.get((), 0) // 1000
    return {key: value for key, value in sums.items() if value > least}


def answered(server, query):
    status, answer = server.api("callers?" + query)
    assert status == 200
    sums, path = {}, []
    for row in answer["rows"]:
        path = path[:row["depth"]] + [row["name"]]
        assert len(path) == row["depth"] + 1
        assert tuple(path[1:]) not in sums
        sums[tuple(path[1:])] = row["total"].get("exec_micros", 0)
        assert 0 <= row["backward"] <= sums[tuple(path[1:])]
    return sums


SWITCHES = [{"fold_gradients": fold, "only_my_code": mine} for fold in ("true", "false") for mine in ("true", "false")]


@pytest.mark.parametrize("switches", SWITCHES, ids=lambda s: "-".join(s.values()))
def test_all_lines_by_their_own_time(server, switches, tmp_path):
    rows = code_view(tmp_path, *(f"-{name}={value}" for name, value in switches.items()))
    expected = sums_of((stack(rows, row), row["exec_micros"]) for row in rows[1:] if row["exec_micros"])
    assert len(expected) > 40
    assert answered(server, "&".join(f"{name}={value}" for name, value in switches.items())) == expected


@pytest.mark.parametrize("line", ["resnet_model.py:24", "resnet_model.py:49", "train.py:48"])
def test_a_line_with_what_it_calls(server, line, tmp_path):
    rows = code_view(tmp_path, "-fold_gradients", "-only_my_code")
    chosen = [row for row in rows if row["name"].startswith(line + ":")]
    assert chosen
    expected = sums_of((stack(rows, row), row["total_exec_micros"]) for row in chosen)
    assert answered(server, f"fold_gradients=true&only_my_code=true&line={line}") == expected


def test_a_selection_is_counted(server):
    _, answer = server.api("callers?fold_gradients=true&only_my_code=true&sel=op:Conv2D")
    _, whole = server.api("selection?fold_gradients=true&only_my_code=true&sel=op:Conv2D&metric_column=exec_micros")
    root = answer["rows"][0]
    assert 0 < root["selected"] < root["total"]["exec_micros"]
    assert root["selected"] == whole["total"]["exec_micros"]
    assert root["selected"] >= sum(row["selected"] for row in answer["rows"] if row["depth"] == 1) > 0.99 * root["selected"]


def test_a_line_that_is_not_there(server):
    assert [row["total"] for row in server.api("callers?line=nowhere.py:1")[1]["rows"]] == [{}]
    assert server.api("callers?line=nowhere")[0] == 200


def test_a_metric_that_is_not_there(server):
    status, answer = server.api("callers?metric_column=weight")
    assert status == 400 and "no such column" in answer["error"]["text"]
