"""The boxes and edges of the Graph page: the answers of the server of `tfprof ui`."""

import random
import re
from urllib.parse import quote

from serving import Server
from test_selection import good

SIZES = {"DT_FLOAT": 4, "DT_HALF": 2, "DT_INT64": 8, "DT_BOOL": 1}


def node(name, op, *inputs, shape=(8, 16), **types):
    attributes = "".join(f" attr {{ key: '{key}' value {{ type: {value} }} }}" for key, value in types.items())
    dims = " ".join(f"dim {{ size: {d} }}" for d in shape)
    return (f"node {{ name: '{name}' op: '{op}'" + "".join(f" input: '{i}'" for i in inputs) + attributes +
            f" attr {{ key: '_output_shapes' value {{ list {{ shape {{ {dims} }} }} }} }} }}\n")


def serve(tmp_path, text, use):
    path = tmp_path / "graph.pbtxt"
    path.write_text(text)
    server = Server(str(path))
    server.wait_until_loaded()
    try:
        return use(server)
    finally:
        assert server.stop() == 0


def test_edges_have_the_bytes_of_their_tensors(tmp_path):
    text = (node("a/x", "Relu", T="DT_HALF") + node("b/cast", "Cast", "a/x", SrcT="DT_HALF", DstT="DT_FLOAT") +
            node("c/less", "Less", "b/cast", "a/x", T="DT_FLOAT") + node("d/where", "Where", "c/less", shape=(5, 2), T="DT_BOOL") +
            node("e/top", "ArgMax", "b/cast", shape=(7,), T="DT_FLOAT", output_type="DT_INT64") + node("f/use", "Use", "e/top", "a/x"))
    answer = serve(tmp_path, text, lambda server: good(server, "graph?metric_column=parameters"))
    names = {box["id"]: box["name"] for box in answer["boxes"]}
    found = {(names[e["from"]], names[e["to"]]): (e["tensors"], e["bytes"], e["shape"]) for e in answer["edges"]}
    assert found == {
        ("a", "b"): (1, 8 * 16 * SIZES["DT_HALF"], "8x16"), ("b", "c"): (1, 8 * 16 * SIZES["DT_FLOAT"], "8x16"),
        ("a", "c"): (1, 8 * 16 * SIZES["DT_HALF"], "8x16"), ("c", "d"): (1, 8 * 16 * SIZES["DT_BOOL"], "8x16"),
        ("b", "e"): (1, 8 * 16 * SIZES["DT_FLOAT"], "8x16"), ("e", "f"): (1, 7 * SIZES["DT_INT64"], "7"),
        ("a", "f"): (1, 8 * 16 * SIZES["DT_HALF"], "8x16")}


def folds(names):
    """What siblings become, the slow way: {name of a box: the names it stands for}."""
    classes = {}
    for name in names:
        classes.setdefault(re.sub(r"\d+", "#", name), []).append(name)
    boxes = {}
    for alike in classes.values():
        numbers = [re.findall(r"\d+", name) for name in alike]
        varying = [i for i in range(len(numbers[0])) if len({n[i] for n in numbers}) > 1]
        if len(alike) <= 12 or not varying:
            boxes.update({name: [name] for name in alike})
            continue
        groups = {}
        for name, of in zip(alike, numbers):
            pieces = re.split(r"\d+", name)
            key = "".join(p + (n if i != varying[-1] else "\0") for i, (p, n) in enumerate(zip(pieces, of + [""])))
            groups.setdefault(key, []).append((int(of[varying[-1]]), of[varying[-1]], name))
        for key, members in groups.items():
            members.sort()
            label = key.replace("\0", f"[{members[0][1]}-{members[-1][1]}]") if len(members) > 1 else members[0][2]
            boxes[label] = [m[2] for m in members]
    return boxes


def test_siblings_that_differ_in_digits_are_one_box(tmp_path):
    seed = random.Random(7)
    for _ in range(4):
        names = {f"unit_{i}_{j}" for i in range(1, 4) for j in range(5)} | {"unit_last", "head"}
        names |= {f"few_{i}" for i in range(12)}
        names |= {f"block{seed.randrange(3)}_{seed.randrange(99)}{seed.choice(['', '_bn', '[0-3]'])}" for _ in range(60)}
        text = "".join(node(f"{name}/op", "Relu", T="DT_FLOAT") for name in sorted(names))

        def check(server):
            expected = folds(names)
            found = {box["name"]: box for box in good(server, "graph?metric_column=parameters&limit=120")["boxes"]}
            assert set(found) == set(expected)
            for name, members in expected.items():
                assert found[name]["nodes"] == len(members), name
                assert found[name].get("alike", 1) == len(members), name
                # A fold can be selected as a layer can, and opened.
                term = quote(f"scope:{name}")
                assert good(server, f"selection?sel={term}&metric_column=parameters")["nodes"] == len(members), name
            assert "few_11" in found and "unit_2_[0-4]" in found
            opened = {box["name"] for box in good(server, f"graph?metric_column=parameters&limit=120&open={quote('unit_2_[0-4]')}")["boxes"]}
            assert {f"unit_2_{i}" for i in range(5)} <= opened and "unit_2_[0-4]" not in opened and "unit_1_[0-4]" in opened
            inside = {box["name"] for box in good(server, "graph?metric_column=parameters&limit=120&open=unit_2_3")["boxes"]}
            assert "unit_2_3/op" in inside and "unit_2_2" in inside and "unit_2_[0-4]" not in inside
            plain = good(server, "graph?metric_column=parameters&limit=120&fold_alike=false")
            assert plain.get("rest", {"boxes": 0})["boxes"] + len(plain["boxes"]) == len(names)

        serve(tmp_path, text, check)
