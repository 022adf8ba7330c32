"""Plain tables of all steps: numbers add up to those of views, times to those of events."""

import gzip
import pathlib
import subprocess

import pytest

import tfprof

pyarrow = pytest.importorskip("pyarrow")

NUMBERS = ("exec_micros", "accelerator_exec_micros", "cpu_exec_micros", "requested_bytes",
           "peak_bytes", "residual_bytes", "output_bytes", "parameters", "float_ops", "run_count")

GRAPH = """
node { name: "a" op: "Conv2D" }
node { name: "b" op: "Relu" input: "a" }
node { name: "c" op: "Conv2D" }
"""

# Two entries overlap on cpu:0, which is then busy from 100 to 180; gpu:0 runs later.
RUN_META = """
step_stats {
  dev_stats { device: "/job:w/replica:0/task:0/device:CPU:0"
    node_stats { node_name: "a" all_start_micros: %(at)d op_start_rel_micros: 0
                 op_end_rel_micros: 50 all_end_rel_micros: 50 timeline_label: "a = Conv2D()" }
    node_stats { node_name: "b" all_start_micros: %(later)d op_start_rel_micros: 0
                 op_end_rel_micros: 60 all_end_rel_micros: 60 timeline_label: "b = Relu(a)" }
  }
  dev_stats { device: "/job:w/replica:0/task:0/device:GPU:0"
    node_stats { node_name: "c" all_start_micros: %(last)d op_start_rel_micros: 0
                 op_end_rel_micros: 7 all_end_rel_micros: 7 timeline_label: "c = Conv2D()" }
  }
}
"""


SAMPLE = pathlib.Path(__file__).parents[2] / "examples/resnet/profile"


@pytest.fixture(name="profile", params=["loop", "sample"])
def each_profile(request, loop_files):
    return tfprof.load(SAMPLE if request.param == "sample" else loop_files / "profile")


def rows(table):
    return pyarrow.table(table).to_pylist()


def test_ops_are_those_of_op_view(profile):
    for step in profile.steps:
        found = {}
        for row in rows(profile.table("ops", step)):
            sums = found.setdefault(row["op"], dict.fromkeys(NUMBERS + ("definition_count",), 0))
            for name in sums:
                sums[name] += row[name]
        view = list(profile.op(step=step))[1:]
        assert sorted(found) == sorted(node.name for node in view)
        for node in view:
            assert found[node.name] == {name: getattr(node, name) for name in found[node.name]}


def test_nodes_are_those_of_scope_view(profile):
    for step in profile.steps:
        found = {row["name"]: row for row in rows(profile.table("nodes", step))}
        assert len(found) == len(profile)
        for node in list(profile.graph(step=step))[1:]:
            row = found[node.name]
            assert [row[name] for name in NUMBERS] == [getattr(node, name) for name in NUMBERS]
        total = profile.scope(step=step).root
        for name in NUMBERS:
            assert sum(row[name] for row in found.values()) == getattr(total, f"total_{name}")


def test_lines_are_those_of_code_view(profile):
    """Own numbers of lines add up to the view's total; the line that everything is called
    from has the total."""
    for step in profile.steps:
        table = rows(profile.table("lines", step))
        view = profile.code(step=step)
        for name in NUMBERS:
            assert sum(row[name] for row in table) == getattr(view.root, f"total_{name}")
            assert max(row[f"total_{name}"] for row in table) == getattr(
                view.root, f"total_{name}")
        columns = view.to_arrow(["path", "line", "function", "exec_micros"]).to_pylist()[1:]
        sums = {}
        for row in columns:
            key = row["path"], row["line"], row["function"]
            sums[key] = sums.get(key, 0) + row["exec_micros"]
        assert sums == {(row["path"], row["line"], row["function"]): row["exec_micros"]
                        for row in table}


@pytest.mark.parametrize("table", ["steps", "devices", "ops", "nodes", "lines"])
def test_all_steps_are_the_steps_one_by_one(profile, table):
    every = rows(profile.table(table))
    single = [row for step in profile.steps for row in rows(profile.table(table, step))]
    key = repr
    assert sorted(every, key=key) == sorted(single, key=key)


def test_times_follow_from_events(profile):
    for step in profile.steps:
        events = rows(profile.events(step))
        row, = rows(profile.table("steps", step))
        first = min(event["start_micros"] for event in events)
        last = max(event["start_micros"] + event["duration_micros"] for event in events)
        assert (row["start_micros"], row["wall_micros"]) == (first, last - first)
        device, = rows(profile.table("devices", step))
        covered = set()
        for event in events:
            covered.update(range(event["start_micros"],
                                 event["start_micros"] + event["duration_micros"]))
        assert device["busy_micros"] == len(covered)
        assert device["run_count"] == len(events)


def two_steps(tmp_path):
    (tmp_path / "graph.pbtxt").write_text(GRAPH)
    for step, at in enumerate((100, 1000)):
        (tmp_path / f"run_{step}").write_text(
            RUN_META % {"at": at, "later": at + 20, "last": at + 200})
    return tfprof.load(graph=tmp_path / "graph.pbtxt",
                       run_meta=[tmp_path / "run_0", tmp_path / "run_1"])


def test_times_worked_out_by_hand(tmp_path):
    profile = two_steps(tmp_path)
    steps = rows(profile.table("steps"))
    assert [(row["step"], row["start_micros"], row["wall_micros"], row["exec_micros"],
             row["run_count"]) for row in steps] == [(0, 100, 207, 117, 3), (1, 1000, 207, 117, 3)]
    devices = rows(profile.table("devices", 1))
    assert [(row["device"].rsplit("/", 1)[1], row["start_micros"], row["end_micros"],
             row["busy_micros"], row["wall_micros"]) for row in devices] == [
                 ("device:cpu:0", 1000, 1080, 80, 80), ("device:gpu:0", 1200, 1207, 7, 7)]
    ops = rows(profile.table("ops", 0))
    assert [(row["op"], row["device"].rsplit("/", 1)[1], row["exec_micros"],
             row["definition_count"]) for row in ops] == [
                 ("Conv2D", "device:cpu:0", 50, 1), ("Conv2D", "device:gpu:0", 7, 1),
                 ("Relu", "device:cpu:0", 60, 1)]


PLANTED = pathlib.Path(__file__).parents[1] / "step" / "planted" / "t16_next_outside.xplane.pb.gz"


def test_steps_of_traces_have_walls_and_parts():
    """As `tfprof step` says; the times are compared with a clock in tests/step."""
    profile = tfprof.load(PLANTED)
    walls = {row["name"]: row for row in profile.step(max_depth=2) if row["name"].startswith("step ")}
    steps = {f"step {row['step']}": row for row in rows(profile.table("steps"))}
    assert list(steps) == list(walls) and len(steps) == 4
    for name, row in steps.items():
        assert row["wall_micros"] == round(walls[name]["wall_micros"])
    assert [row["gap_micros"] is None for row in steps.values()] == [True, False, False, False]
    parts = rows(profile.table("parts"))
    for name, row in walls.items():
        own = [part for part in parts if f"step {part['step']}" == name]
        assert abs(sum(part["part_micros"] for part in own if part["part"] != "gap") - row["wall_micros"]) < 1e-3
        assert [part["part_micros"] for part in own if part["part"] == "gap"] == [row["gap_micros"]]
    assert {part["cause"] for part in parts if part["part"] == "gap" and part["step"] > 0} == {
        "Iterator::Root::Prefetch::Map (MapDataset:1)"}
    assert rows(profile.table("parts", 2)) == [part for part in parts if part["step"] == 2]


def test_without_steps_there_is_one_without_a_number(tmp_path):
    (tmp_path / "graph.pbtxt").write_text(GRAPH)
    profile = tfprof.load(tmp_path / "graph.pbtxt")
    assert {row["step"] for row in rows(profile.table("ops"))} == {None}
    assert rows(profile.table("steps"))[0]["wall_micros"] is None
    assert rows(profile.table("devices")) == rows(profile.table("lines")) == []


def test_graph_hash_is_of_names_and_ops(tmp_path):
    def hash_of(text):
        (tmp_path / "g.pbtxt").write_text(text)
        return rows(tfprof.load(tmp_path / "g.pbtxt").table("summary"))[0]["graph_hash"]
    nodes = GRAPH.strip().splitlines()
    assert hash_of(GRAPH) == hash_of("\n".join(reversed(nodes)))
    assert hash_of(GRAPH) != hash_of(GRAPH.replace("Relu", "Relu6"))
    assert hash_of(GRAPH) != hash_of(GRAPH.replace('"c"', '"d"'))


def test_unknown_table_and_step(profile):
    with pytest.raises(tfprof.ArgumentError, match="unknown word 'opps': expected one of: ops, nodes"):
        profile.table("opps")
    with pytest.raises(tfprof.Error, match="step=9 not found"):
        profile.table("ops", 9)


def test_arrow_honours_select(profile):
    chosen = pyarrow.table(profile.scope(select="params")).column_names
    assert chosen == ["name", "parent", "depth", "accounted", "parameters", "total_parameters",
                      "shape"]
    assert all(field.nullable for field in pyarrow.table(profile.scope()).schema)
    schema = pyarrow.schema([("exec_micros", pyarrow.int64()), ("name", pyarrow.string())])
    reader = pyarrow.RecordBatchReader.from_stream(profile.scope(), schema)
    assert reader.schema.names == ["exec_micros", "name"]


def test_plain_op_column():
    profile = tfprof.load(SAMPLE)
    names = {row["name"]: row["op"] for row in profile.graph().to_arrow(["name", "op"]).to_pylist()}
    assert names["costs/Const"] == "Const"
    assert all(row["name"] == row["op"] for row in
               profile.op().to_arrow(["name", "op"]).to_pylist()[1:])


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_packed_inputs_of_every_kind(tmp_path, suffix):
    plain = two_steps(tmp_path)
    plain.save(tmp_path / "profile")
    for name in ("graph.pbtxt", "run_0", "run_1", "profile"):
        path = tmp_path / name
        if suffix == ".gz":
            pathlib.Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        else:
            subprocess.run(["zstd", "-q", path], check=True)
    parts = tfprof.load(*(f"{tmp_path}/{name}{suffix}" for name in ("graph.pbtxt", "run_0", "run_1")))
    whole = tfprof.load(f"{tmp_path}/profile{suffix}")
    assert rows(parts.table("ops")) == rows(whole.table("ops")) == rows(plain.table("ops"))
