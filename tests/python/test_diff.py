"""new.diff(base): rows, tables, notebooks."""

import json
import pathlib

import pytest
import tfprof
from tree import TOP

RESNET = pathlib.Path(TOP) / "examples" / "resnet" / "profile"


@pytest.fixture(scope="module")
def resnet():
    return tfprof.load(RESNET)


def test_steps(resnet):
    diff = resnet.diff(resnet, base_step=0, step=1)
    old, new = resnet.op(step=0).root, resnet.op(step=1).root
    total = diff.total["micros"]
    assert (total["base"], total["new"]) == (old.total_exec_micros, new.total_exec_micros)
    assert total["delta"] == total["new"] - total["base"] and total["verdict"] == "too few runs"
    assert len(diff) == len(list(diff)) == len(resnet.op())
    assert "op: 1 run against 1" in str(diff) and "| total |" in diff.markdown


def test_tables(resnet):
    diff = resnet.diff(resnet, "scope", base_step=0, step=1, select=["micros", "params"])
    table = diff.to_pandas()
    assert list(table["micros_delta"]) == [row["micros"]["delta"] for row in diff]
    assert not table["params_delta"].any() and (table["state"] == "same").all()
    parts = table[["micros_grew", "micros_shrank", "micros_added", "micros_removed"]].sum(axis=1)
    assert (parts == table["micros_delta"]).all()


def test_several_runs(resnet):
    diff = tfprof.diff([resnet] * 4, [resnet] * 4, fail_if="micros>5%,params>0")
    assert diff.to_dict()["samples"] == [4, 4] and diff.budget == "within"
    assert [one["status"] for one in diff.budgets] == ["within", "within"]
    assert resnet.diff(resnet, base_step=0, step=1, fail_if="micros>5%").budget == "unknown"


def test_files(resnet, tmp_path):
    diff = resnet.diff(resnet, base_step=0, step=1)
    diff.save(tmp_path / "diff.json")
    assert json.loads((tmp_path / "diff.json").read_text())["schema"] == "tfprof.diff"
    diff.save(tmp_path / "diff.csv", "csv")
    assert (tmp_path / "diff.csv").read_text().startswith("id,name,base_name,")
    diff.save(tmp_path / "diff.pprof", "pprof")
    assert (tmp_path / "diff.pprof").read_bytes().startswith(b"\x1f\x8b")
    with pytest.raises(tfprof.ArgumentError, match="loaded from this file"):
        diff.save(RESNET)
    with pytest.raises(tfprof.ArgumentError, match="unknown format 'xml'"):
        diff.save(tmp_path / "diff.xml", "xml")
    with pytest.raises(tfprof.FileError):
        diff.save(tmp_path / "no" / "diff.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["diff.csv", "diff.json", "diff.pprof"]


def test_hostile_names_are_text_in_notebooks():
    name = "<script>alert(1)</script>&\"'"
    graph = 'node {{ name: {} op: "NoOp" attr {{ key: "shape" value {{ shape {{ }} }} }} }}'
    old = tfprof.load(graph=graph.format('"a"').encode())
    new = tfprof.load(graph=graph.format(json.dumps(name)).encode())
    page = new.diff(old, "scope", select="params")._repr_html_()
    assert "<script" not in page and "alert(1)" in page


def test_what_is_refused(resnet):
    with pytest.raises(tfprof.ArgumentError, match="expected one of"):
        resnet.diff(resnet, min_chnge="5%")
    with pytest.raises(tfprof.ArgumentError, match="expected a percentage"):
        resnet.diff(resnet, min_change="x")
    with pytest.raises(TypeError, match="expected a path"):
        resnet.diff(5)
    with pytest.raises(tfprof.FileError, match="nowhere: No such file"):
        resnet.diff("nowhere")


GRAPH = b'node { name: "y" op: "MatMul" }\n'


def run_of(micros):
    return ('step_stats { dev_stats { device: "/device:CPU:0" node_stats { node_name: "y" '
            f"all_start_micros: 100 op_end_rel_micros: {micros} }} }} }}\n").encode()


def test_a_side_may_be_files(tmp_path):
    (tmp_path / "graph.pbtxt").write_bytes(GRAPH)
    for i in range(2):
        (tmp_path / f"run_meta_{i}").write_bytes(run_of(100 + i))
        tfprof.load(graph=GRAPH, run_meta=run_of(100 + i)).save(tmp_path / f"saved_{i}")
    old, new = (tfprof.load(graph=GRAPH, run_meta=run_of(us)) for us in (100, 101))
    parts = [[tmp_path / "graph.pbtxt", tmp_path / f"run_meta_{i}"] for i in range(2)]
    for base, other in ((parts[0], parts[1]), ([GRAPH, run_of(100)], [GRAPH, run_of(101)]),
                        (old, parts[1]), (tmp_path / "saved_0", new)):
        diff = tfprof.diff(base, other)
        assert (diff.total["micros"]["base"], diff.total["micros"]["new"]) == (100, 101)
        assert diff.to_dict()["samples"] == [1, 1]
    wholes = [tmp_path / "saved_0", tmp_path / "saved_1"]
    assert tfprof.diff(wholes, new).to_dict()["samples"] == [2, 1]
    with pytest.raises(tfprof.Error, match="are runs by themselves"):
        tfprof.diff([*wholes, tmp_path / "graph.pbtxt"], new)
    with pytest.raises(TypeError, match="got both"):
        tfprof.diff([old, tmp_path / "graph.pbtxt"], new)
