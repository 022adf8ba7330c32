"""`tfprof memory` and `tfprof roofline` on traces: every number of the reference, as users read it."""

import collections
import gzip
import json
import subprocess

import pytest
from test_cost import load, traces
from tree import program

SPACES = {"0": "", "1": " (VMEM)", "2": " (synchronization flags)", "5": " (host memory)", "6": " (scalar memory)"}


def ask(question, path, *options):
    done = subprocess.run([program(), question, path, "--output=json", *options], capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture
def unpacked(tmp_path):
    def unpack(trace):
        path = tmp_path / "trace.xplane.pb"
        with gzip.open(trace) as file:
            path.write_bytes(file.read())
        return path
    return unpack


def children(nodes):
    """{id: the nodes below it}"""
    found = collections.defaultdict(list)
    for node in nodes[1:]:
        found[node["parent"]].append(node)
    return found


@pytest.mark.parametrize("reference, trace", list(traces()))
def test_memory_has_every_number_of_the_reference(reference, trace, unpacked):
    modules = {module["name"]: module for module in load(reference)["modules"] if module["memory"]["spaces"]}
    below = children(ask("memory", unpacked(trace))["nodes"])
    found = below[0][:len(modules)]  # allocators follow
    assert {node["name"] for node in found} == set(modules)
    ran = [modules[node["name"]]["ran"] for node in found]
    assert ran == sorted(ran, reverse=True)
    for node in found:
        memory = modules[node["name"]]["memory"]
        classes = {row["name"]: row for row in below[node["id"]]}
        device = memory["spaces"]["0"]
        assert node["bytes"] == device["reserved"]
        for space, sizes in memory["spaces"].items():
            for name in ("parameters", "outputs", "temporaries", "constants"):
                if space == "0" or sizes[name]:
                    assert classes[name + SPACES[space]]["bytes"] == sizes[name]
        for arena in memory["arenas"]:
            row = classes["temporaries" + SPACES[str(arena["space"])]]
            assert row["peak_bytes"] == arena["peak"]
            layers = {layer["name"]: [layer["bytes"], layer["buffers"]] for layer in below[row["id"]]}
            assert layers == {layer["name"]: [layer["bytes"], layer["buffers"]] for layer in arena["by_layer"]}
            buffers = [buffer for layer in below[row["id"]] for buffer in below[layer["id"]]]
            lines = collections.Counter()
            for buffer in buffers:
                lines[buffer["line"] or "(no line)"] += buffer["bytes"]
            assert lines == {line["name"]: line["bytes"] for line in arena["by_line"]}
            assert {b["instruction"] for b in arena["buffers"]} <= {b["name"] for b in buffers}


@pytest.mark.parametrize("reference, trace", list(traces()))
def test_allocators_have_every_number_of_the_reference(reference, trace, unpacked):
    reference = load(reference)
    below = children(ask("memory", unpacked(trace))["nodes"])
    n_programs = sum(bool(module["memory"]["spaces"]) for module in reference["modules"])
    found = {node["name"]: node for node in below[0][n_programs:]}
    assert set(found) == {allocator["allocator"] for allocator in reference["allocators"]}
    for allocator in reference["allocators"]:
        row = found[allocator["allocator"]]
        assert row["peak_bytes"] == row["bytes"] == allocator["peak"]
        assert row["lifetime_peak_bytes"] == allocator["lifetime_peak"]
        assert row["capacity_bytes"] == allocator["limit"]
        own = {node["name"]: node["bytes"] for node in below[row["id"]]}
        assert own.pop("held since before the trace", 0) == allocator["before_trace"]
        assert own.pop("reserved for temporaries of programs", 0) == allocator["reserved_at_peak"]
        assert sum(own.values()) == allocator["held_bytes"]
        holders = collections.Counter()
        for node in below[row["id"]]:
            for holder in below[node["id"]] or [node]:
                holders[holder["name"]] += holder["bytes"]
        for held in allocator["at_peak"]:
            name = "(not known)" if held["who"] == "unknown" else held["who"]
            assert holders[name] >= held["bytes"], name


def test_the_first_line_names_the_largest_buffer(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "fn_scan_grad"))
    done = subprocess.run([program(), "memory", path], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[0] == (
        "jit_scan_grad(80): 28.09MB on each device while it runs; temporaries peak at 21.67MB in "
        "copy_bitcast_fusion.1, of which 2.10MB is f32[4,4,64,512] of mlp (kept by a loop), /home/me/x/funcs.py:20")
    assert "4 parameters could be donated (donate_argnums): at most 3.15MB less" in done.stderr


def test_a_trace_in_memory_says_the_same_as_a_file(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "fn_scan_grad"))
    packed = path.with_suffix(".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert ask("memory", packed)["nodes"] == ask("memory", path)["nodes"]


def test_damaged_programs_are_left_out_and_named(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "jax_while"))
    bytes_ = path.read_bytes()
    at = bytes_.index(b"\n\x0cjit_multiply\x12") + 14  # in its HloModuleProto
    path.write_bytes(bytes_[:at] + b"\xff" * 11 + bytes_[at + 11:])
    answer = ask("memory", path)
    assert "jit_multiply(4)" not in [node["name"] for node in answer["nodes"]]
    assert [note["text"] for note in answer["notes"] if note["id"] == "damaged"] == [
        "jit_multiply(4): it is damaged and left out"]


# ---- roofline ---------------------------------------------------------------

SUMS = {"float_ops": "flops", "matrix_float_ops": "matrix_flops", "transcendentals": "transcendentals",
        "bytes_accessed": "bytes", "communication_bytes": "comm_bytes"}


def expected_rows(reference):
    """{(program, op): numbers over all executions and devices}"""
    rows = {}
    for device in reference["devices"]:
        for op in device["ops"]:
            if "primitive" not in op:  # of no program in the file
                continue
            row = rows.setdefault((op["module"], op["op"]), collections.Counter())
            row["executions"] += op["executions"]
            row["exec_micros"] += op["self_ps"] / 1e6
            for ours, theirs in SUMS.items():
                row[ours] += op["executions"] * op[theirs]
            row["has_roof"] += op.get("efficiency") is not None
            row["roof_micros"] += (op.get("efficiency") or 0) * op["self_ps"] / 1e6
            row[f"bound {op.get('bound')}"] += 1
    return rows


@pytest.mark.parametrize("question", ["scope", "op", "code", "layers"])
def test_views_have_the_costs_of_roofline(question, unpacked):
    keys = "float_ops", "matrix_float_ops", "bytes_accessed"
    for case in traces():
        if case.id not in ("fn_scan_grad", "fn_sort_topk", "jax_while", "jax_transformer", "fn_convnet_grad"):
            continue
        path = unpacked(case.values[1])
        rows = ask("roofline", path)["nodes"][1:]
        more = [] if question == "layers" else ["--select=" + ",".join(keys)]
        answer = ask(question, path, *more)
        n_steps = 1 if case.id.startswith("jax_default") else len(ask("scope", path)["steps"])
        root = answer["nodes"][0]
        for key in keys:
            want = sum(row[key] or 0 for row in rows)
            found = root[key if question == "layers" else "total_" + key]
            assert found == pytest.approx(want / n_steps, abs=0.5 * len(rows))


def check_roof(row, want):
    """The roof is that of the devices' own peaks, where the trace records them."""
    if not want["has_roof"]:
        assert row["efficiency"] is None and row["lost_micros"] is None
        return
    assert row["efficiency"] == pytest.approx(want["roof_micros"] / want["exec_micros"], rel=1e-6)
    assert row["lost_micros"] == pytest.approx(max(0, want["exec_micros"] - want["roof_micros"]))
    assert want["bound " + row["bound"]]


RAN = [case for case in traces() if load(case.values[0])["devices"]]


@pytest.mark.parametrize("reference, trace", RAN)
def test_roofline_has_every_number_of_the_reference(reference, trace, unpacked):
    expected = expected_rows(load(reference))
    rows = {(row["program"], row["name"]): row for row in ask("roofline", unpacked(trace))["nodes"][1:]}
    assert set(rows) == set(expected)
    for key, want in expected.items():
        row = rows[key]
        assert row["exec_micros"] == pytest.approx(want["exec_micros"], rel=1e-9)
        for name in ("executions", *SUMS):
            assert row[name] == want[name], (key, name)
        check_roof(row, want)


PEAK, BANDWIDTH = 40e9, 8e9


def roof_micros(row):
    return 1e6 * max(row["float_ops"] / PEAK, row["bytes_accessed"] / BANDWIDTH)


def test_efficiency_and_time_lost_follow_from_the_peaks(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "fn_transformer_grad"))
    answer = ask("roofline", path, "--peak_flops=40G", "--peak_bandwidth=8G")
    rows = answer["nodes"][1:]
    bounds = set()
    for row in rows:
        efficiency = roof_micros(row) / row["exec_micros"]
        assert row["efficiency"] == pytest.approx(efficiency)
        assert row["lost_micros"] == pytest.approx(max(0, row["exec_micros"] - roof_micros(row)))
        is_compute = row["float_ops"] / PEAK > row["bytes_accessed"] / BANDWIDTH
        assert row["bound"] == ("latency" if efficiency < 0.1 else "compute" if is_compute else "memory")
        bounds.add(row["bound"])
    assert bounds == {"latency", "compute", "memory"}
    # By hand: 3 runs of 3·L·(2BT(3D²+D²+8D²)+4BT²D)+6BTDV.
    assert sum(row["matrix_float_ops"] for row in rows) == 3 * 1409286144
    # Over the steps, not over the time of operations: half of the peak while half of the step waits is a quarter.
    step = ask("step", path)
    assert step["steady"] + step["left_out"] == 3
    assert answer["hfu"] == answer["mfu"] == pytest.approx(1409286144 / (step["wall_micros"] / 1e6 * PEAK))


@pytest.mark.parametrize("by", ["kind", "layer", "line", "program"])
def test_groups_add_up_operations(unpacked, by):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "fn_transformer_grad"))
    peaks = ("--peak_flops=40G", "--peak_bandwidth=8G")
    expected = collections.defaultdict(collections.Counter)
    for row in ask("roofline", path, *peaks)["nodes"][1:]:
        group = expected[row[by] or {"layer": "(no scope)", "line": "(no line)"}[by]]
        for name in ("executions", "exec_micros", "unknown", *SUMS):
            group[name] += row[name]
        group["roof"] += roof_micros(row)
    rows = ask("roofline", path, *peaks, f"--by={by}")["nodes"][1:]
    assert {row["name"] for row in rows} == set(expected)
    for row in rows:
        for name in ("executions", "exec_micros", "unknown", *SUMS):
            assert row[name] == pytest.approx(expected[row["name"]][name]), (row["name"], name)
        assert row["efficiency"] == pytest.approx(expected[row["name"]]["roof"] / row["exec_micros"])
    assert [row["lost_micros"] for row in rows] == sorted((row["lost_micros"] for row in rows), reverse=True)


def test_kinds_say_what_the_time_is_spent_on(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "fn_convnet_grad"))
    kinds = {row["name"]: row["kind"] for row in ask("roofline", path)["nodes"][1:]}
    found = collections.Counter(kinds.values())
    assert kinds["conv_general_dilated.5"] == "convolution"
    assert {"convolution", "element-wise", "data movement", "gather/scatter/sort"} <= set(found)
    path = unpacked(next(case.values[1] for case in traces() if case.id == "fn_sort_topk"))
    assert {row["kind"] for row in ask("roofline", path)["nodes"][1:]} == {"gather/scatter/sort", "data movement"}


def test_an_unknown_device_is_refused_with_the_known_ones(unpacked):
    path = unpacked(next(case.values[1] for case in traces() if case.id == "jax_while"))
    words = subprocess.run([program(), "roofline", path, "--device=nonsense"], capture_output=True, check=False,
                           text=True)
    assert words.returncode == 2 and "-device: unknown word" in words.stderr and "T4" in words.stderr
