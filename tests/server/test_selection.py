"""What is selected, nodes, the graph and memory: the answers of the server of `tfprof ui`."""

import json
import os
import subprocess
import sys

import pytest
import tree
from serving import Server

CLUSTER = os.path.join(tree.TOP, "tests", "support", "cluster.py")
ON = "fold_gradients=true&only_my_code=true"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    directory = str(tmp_path_factory.mktemp("cluster"))
    subprocess.run([sys.executable, CLUSTER, directory], check=True)
    server = Server(*(os.path.join(directory, name) for name in sorted(os.listdir(directory))))
    server.wait_until_loaded()
    yield server
    assert server.stop() == 0


def good(server, path):
    status, answer = server.api(path)
    assert status == 200, answer
    return answer


@pytest.mark.parametrize("path, text", [
    ("selection", "sel is missing"),
    ("selection?sel=", "sel is missing"),
    ("selection?sel=nonsense", "expected op:NAME"),
    ("selection?sel=node:x", "expected the number or the name of a node"),
    ("selection?sel=node:99999999", "expected the number or the name of a node"),
    ("selection?sel=node:-1", "expected the number or the name of a node"),
    ("selection?sel=line:model.py", "expected a file and a line"),
    ("selection?sel=line::", "expected a file and a line"),
    ("selection?sel=time:0,5", "expected a step and a stretch"),
    ("selection?sel=time:0,5-1", "expected a step and a stretch"),
    ("selection?sel=time:0,0-99999999999999999999", "expected a step and a stretch"),
    ("selection?sel=time:77,0-10", "-step=77 not found"),
    ("selection?sel=op:Mul&metric_column=x", "no such column"),
    ("rows?view=op&sel=op:Mul&metric_column=x", "no such column"),
    ("tree?view=code&root=1,2", "root"),
    ("node", "no such node"),
    ("node?name=nothing", "no such node"),
    ("node?id=99999999", "there are 3956 nodes"),
    ("graph?scope=nothing", "no such layer"),
    ("graph?around=nothing", "no such node"),
    ("graph?around=99999999", "no such node"),
    ("graph?around=unit_1_0/conv_1&show_name_regexes=nothing", "no such node"),
    ("flows", "no such node"),
    ("flows?node=nothing", "no such node"),
    ("selection?sel=find:(", "missing closing parenthesis"),
    ("graph?limit=1", "expected a number from 2"),
    ("graph?metric_column=x", "no such column"),
    ("busy?n=0", "expected a number from 1"),
    ("memory?n=99999", "expected a number from 1"),
    ("holders?at=-1", "expected a number from 0"),
])
def test_wrong_requests_say_what_is_right(server, path, text):
    status, answer = server.api(path)
    assert status in (400, 404) and text in answer["error"]["text"]


@pytest.mark.parametrize("term", ["op:Mul", "family:matrix", "scope:unit_1_3", "line:resnet_model.py:66", "node:100",
                                  "time:0,412000-640000", "op:Nothing", "family:nothing", "scope:nothing", "line:no.py:1"])
@pytest.mark.parametrize("metric", ["exec_micros", "requested_bytes", "parameters", "float_ops"])
def test_all_views_count_a_selection_alike(server, term, metric):
    asked = f"sel={term}&metric_column={metric}&{ON}"
    whole = good(server, f"selection?{asked}")["total"].get(metric, 0)
    for view in ("op", "scope", "code", "graph"):
        answer = good(server, f"rows?view={view}&limit=0&{asked}")
        assert answer["root"]["selected"] == whole, view
    assert good(server, f"graph?{asked}")["root"]["selected"] == whole


def test_hidden_rows_do_not_change_what_is_selected(server):
    plain = good(server, f"rows?view=op&limit=0&sel=op:Mul&{ON}")["root"]["selected"]
    hidden = good(server, f"rows?view=op&limit=0&sel=op:Mul&hide_name_regexes=Mul&{ON}")["root"]["selected"]
    assert plain == hidden > 0


def test_a_row_has_no_more_selected_than_it_has(server):
    for row in good(server, f"rows?view=scope&flat=1&limit=500&sel=op:Mul&{ON}")["rows"]:
        assert 0 <= row["selected"] <= row["total"].get("exec_micros", 0)


def test_a_node_has_all_its_details(cluster):
    node = good(cluster, "node?name=tower_1/layer_1/Conv2D")
    assert (node["op"], node["family"]) == ("Conv2D", "matrix")
    assert node["device"].endswith("task:0/device:gpu:1")
    assert [i["name"] for i in node["inputs"]] == ["tower_1/layer_0/Relu", "tower_1/layer_1/w"]
    assert [c["name"] for c in node["consumers"]] == ["tower_1/layer_1/Relu"]
    assert [(s["step"], s["accelerator"]) for s in node["steps"]] == [(0, 200), (1, 200), (2, 200), (3, 400), (4, 200)]
    assert [(f["file"], f["line"], f["library"]) for f in node["stack"]] == [
        ("/home/me/train.py", 10, False), ("/home/me/model.py", 21, False),
        ("/usr/lib/python3/dist-packages/lib.py", 99, True)]


def test_control_edges_are_counted_apart(cluster):
    answer = good(cluster, "graph?fold_gradients=false")
    names = {box["id"]: box["name"] for box in answer["boxes"]}
    edges = {(names[e["from"]], names[e["to"]]): (e["tensors"], e["controls"]) for e in answer["edges"]}
    assert edges[("gradients", "train")] == (12, 0)
    assert edges[("tower_0", "train")] == (0, 1)
    assert edges[("tower_2", "gradients")] == (6, 0)


def test_boxes_are_limited_and_the_rest_is_one(cluster):
    answer = good(cluster, "graph?fold_gradients=true&limit=3")
    assert len(answer["boxes"]) == 2
    assert answer["rest"]["boxes"] == 3
    total = sum(b["total"]["exec_micros"] for b in answer["boxes"]) + answer["rest"]["value"]
    assert total == answer["root"]["total"]["exec_micros"]


def test_slices_of_the_selection_are_its_own(cluster):
    answer = good(cluster, f"slices?step=0&lane=0&until_lane=100&sel=op:Relu&{ON}")
    ops = [op["name"] for op in answer["ops"]]
    chosen = [ops[op] for lane in answer["selected"] for op in lane["op"]]
    assert chosen == ["Relu"] * 24  # 12 nodes, each launched and run on its stream
    assert len(answer["selected"]) == len(answer["lanes"])


def test_memory_and_its_holders(cluster):
    devices = good(cluster, "memory?step=0&n=4")
    assert [d["peak"] for d in devices] == [9_000_000] * 4
    assert all(low <= high for d in devices for low, high in zip(d["lowest"], d["highest"]))
    holders = good(cluster, f"holders?step=0&device=0&at={devices[0]['peak_at']}")
    assert [h["bytes"] for h in holders] == [1_000_000] * 9
    assert good(cluster, "holders?step=0&device=0&at=0") == []
    assert good(cluster, "holders?step=0&device=99&at=0") == []


def test_there_is_no_memory_without_readings(server):
    assert good(server, "memory") == []


def test_answers_are_json_whatever_the_term(server):
    status, _, body = server.ask("/api/selection?sel=op:%22%3Cscript%3E")
    assert status == 200 and json.loads(body)["nodes"] == 0


def test_next_walks_all_executions_in_order_and_back(cluster):
    for step in (0, 3):
        for sel in ("", "&sel=op:Conv2D", "&sel=scope:tower_1"):
            lanes = good(cluster, f"lanes?step={step}")
            answer = good(cluster, f"slices?step={step}&lane=0&until_lane={lanes['total']}&min=0{sel}")
            expected = sorted((x, lane["lane"], i, node) for lane in answer["selected" if sel else "lanes"]
                              for i, (x, node) in enumerate(zip(lane["x"], lane["node"])))
            expected = [(x, lane, node) for x, lane, _, node in expected]
            for back, order in (("", expected), ("&back=1", expected[::-1])):
                found, at = [], ""
                while len(found) <= len(expected):
                    one = good(cluster, f"next?step={step}{sel}{back}{at}")
                    if not one:
                        break
                    found.append((one["x"], one["lane"], one["node"]))
                    at = f"&at={one['x']}&lane={one['lane']}&node={one['node']}"
                assert found == order, (step, sel, back)


def test_next_stays_on_a_lane(server):
    slices = good(server, "slices?step=1&lane=1&until_lane=2&min=0")["lanes"][0]
    first = good(server, "next?step=1&only_lane=1&lane=1")
    assert (first["x"], first["node"], first["lane"]) == (slices["x"][0], slices["node"][0], 1)
    middle = len(slices["x"]) // 2
    at = f"&at={slices['x'][middle]}&node={slices['node'][middle]}"
    assert good(server, f"next?step=1&only_lane=1&lane=1{at}")["x"] == slices["x"][middle + 1]
    assert good(server, f"next?step=1&only_lane=1&lane=1&back=1{at}")["x"] == slices["x"][middle - 1]
    assert server.api("next?lane=99")[0] == 400
    assert server.api("next?at=-1")[0] == 400
