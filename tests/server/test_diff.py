"""The comparison of two profiles by the server of `tfprof ui`: the numbers of `tfprof diff`."""

import json
import os
import subprocess

import pytest
import tree
from serving import SAMPLE, Server

KERAS = os.path.join(tree.TOP, "examples", "traces", "keras_fit.xplane.pb.gz")
MODELS = [os.path.join(tree.TOP, "tests", "models", "files", name) for name in ("compiled.keras", "mixed.keras")]


@pytest.fixture(scope="module")
def server():
    server = Server(KERAS, "--", SAMPLE)
    server.wait_until_loaded()
    yield server
    assert server.stop() == 0


def reported(*words):
    done = subprocess.run([tree.program(), "diff", *words, "--output=json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["nodes"]


def same(rows, nodes, word):
    for row in rows:
        node = nodes[row["row"]]
        assert (row["name"], row["depth"], row["state"]) == (node["name"], node["depth"], node["state"])
        assert (row["base"], row["new"], row["verdict"]) == (node[word]["base"], node[word]["new"], node[word]["verdict"])


@pytest.mark.parametrize("view, word", [("op", "micros"), ("op", "params"), ("scope", "micros"), ("graph", "bytes")])
def test_rows_are_those_of_the_command(server, view, word):
    status, answer = server.api(f"diff?view={view}&select={word}&levels=100")
    assert status == 200, answer
    nodes = reported(view, KERAS, SAMPLE, f"--select={word}")
    same(answer["rows"], nodes, word)
    if view == "op":
        assert len(answer["rows"]) == len(nodes)
    assert len(answer["rows"]) > 5


def test_below_a_row(server):
    whole = server.api("diff?view=scope&select=micros&levels=1")[1]["rows"]
    largest = next(row for row in whole[1:] if row["kids"])
    answer = server.api(f"diff?view=scope&select=micros&levels=2&root={largest['row']}")[1]
    assert answer["path"] == [{"row": largest["row"], "name": largest["name"]}]
    assert answer["rows"][0] == largest
    assert {row["depth"] for row in answer["rows"]} <= {1, 2, 3}


def test_order_and_options(server):
    names = [row["name"] for row in server.api("diff?view=op&select=micros&order=name")[1]["rows"][1:]]
    assert names == sorted(names)
    answer = server.api("diff?view=op&select=micros&show_name_regexes=Conv.*&account_type_regexes=.*")[1]
    assert all("Conv" in row["name"] for row in answer["rows"][1:])


@pytest.mark.parametrize("path, text", [
    ("diff", "view=: no such view"),
    ("diff?view=nonsense", "view=nonsense: no such view"),
    ("diff?view=op&select=micros&order=x", "order_by"),
    ("diff?view=op&select=micros&root=99999999", "root"),
    ("diff?view=op&select=micros&find=(", "missing closing parenthesis"),
    ("diff?view=op&select=micros,params", "no column"),
    ("diff?view=model&select=params", "expected model files"),
])
def test_wrong_requests(server, path, text):
    status, answer = server.api(path)
    assert status == 400 and text in answer["error"]["text"], answer


def test_one_profile_has_nothing_to_compare_with():
    server = Server(SAMPLE)
    server.wait_until_loaded()
    status, answer = server.api("diff?view=op&select=micros")
    assert (status, answer["error"]["text"]) == (400, "p=1: there are 1 profiles")
    assert server.stop() == 0


def test_models():
    server = Server(*MODELS)
    server.wait_until_loaded()
    for word in ("params", "float_ops"):
        answer = server.api(f"diff?view=model&select={word}")[1]
        same(answer["rows"], reported(*MODELS), word)
    assert server.api("command?view=model&diff=1")[1]["command"] == f"tfprof diff {MODELS[0]} {MODELS[1]} --min_change=0%"
    assert server.stop() == 0
