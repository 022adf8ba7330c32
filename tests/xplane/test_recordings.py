"""Real TPU, NVIDIA and AMD recordings: operations against reference numbers."""

import json
import re
from collections import defaultdict

import product
import pytest
import recordings

pytestmark = recordings.needed
every = pytest.mark.parametrize("name", recordings.NAMES or ["none"])


def ask(question, name, *more):
    result = product.run(question, recordings.trace(name), "--output=json", *more)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def rows(view, name, *more):
    return ask(view, name, "--select=micros,occurrence,float_ops,matrix_float_ops", "--max_depth=100000", *more)["nodes"]


def to_us(ps):
    return (ps + 500_000) // 1_000_000


def without_shapes(name):
    return re.sub(r" \([^/]*\)$", "", name)


@every
def test_operations(name):
    """Own time, executions and float operations of each operation of each program.

    The reference counts matrix products, convolutions and what the device recorded."""
    found, want = defaultdict(list), defaultdict(list)
    for row in rows("scope", name):
        if row["run_count"] and "/" in row["name"]:
            found[without_shapes(row["name"]).split("/")[-1]].append(
                (row["exec_micros"], row["run_count"], row["matrix_float_ops"], row["float_ops"]))
    for op in recordings.reference(name)["ops"]:
        if op["program_id"] is None:
            continue
        products = 0 if "model_flops_per_execution" in op else op["flops_per_execution"] or 0
        flops = op.get("model_flops_per_execution", products)
        want[op["name"]].append((to_us(op["self_ps"]), op["occurrences"],
                                 products * op["occurrences"], flops * op["occurrences"]))
    for op, numbers in want.items():
        assert len(found[op]) == len(numbers)
        for (us, runs, products, flops), wanted in zip(sorted(found[op]), sorted(numbers)):
            assert abs(us - wanted[0]) <= 1
            assert (runs, products) == wanted[1:3]
            assert flops == wanted[3] if wanted[3] else flops >= 0


@every
def test_types(name):
    """Sums over operations of a type; a thousand roundings do not add up."""
    found = {row["name"]: row for row in rows("op", name)}
    for want in recordings.reference(name)["op_types"]:
        kernel = want["type"].removesuffix(".kd")
        row = found[kernel]
        assert abs(row["accelerator_exec_micros"] - to_us(want["self_ps"])) <= 1
        assert row["kernel_count"] == (want["kernels"] or want["occurrences"])
        # TensorFlow also casts on the host.
        assert row["run_count"] - want["occurrences"] in (0, 1 if want["type"] == "Cast" else 0)


@every
def test_float_operations(name):
    ops = recordings.reference(name)["ops"]
    is_recorded = any("model_flops_per_execution" in op for op in ops)
    want = sum((op.get("model_flops_per_execution", op.get("flops_per_execution")) or 0)
               * op["occurrences"] for op in ops)
    found = rows("scope", name)[0]
    assert found["total_float_ops" if is_recorded else "total_matrix_float_ops"] == want


@every
def test_costs_are_those_of_roofline(name):
    root = ask("scope", name, "--select=float_ops,matrix_float_ops,bytes_accessed")["nodes"][0]
    if name == "nvidia_v100_bert":  # nothing was compiled
        assert not root["total_matrix_float_ops"]
        return
    want = ask("roofline", name)["nodes"]
    for key in "float_ops", "matrix_float_ops", "bytes_accessed":
        of_rows = sum(row[key] or 0 for row in want if row["depth"])
        # Two kernels of this file have no name of an operation.
        assert root["total_" + key] == pytest.approx(of_rows, rel=2e-4 if "conv" in name else 0)


def devices(name, *more):
    return {row["name"]: row for row in ask("devices", name, *more)["nodes"][1:]
            if row["kind"] != "cpu"}


@every
def test_devices(name):
    """Only those that were used, each by its own clock."""
    want = recordings.reference(name)
    active = {device["plane"][len("/device:"):].lower(): device
              for device in want["devices"] if device.get("span_ps")}
    found = devices(name)
    assert found.keys() == active.keys()
    for device, facts in active.items():
        row = found[device]
        for number in "busy", "span", "idle":
            assert row[f"{number}_micros"] == to_us(facts[f"{number}_ps"]), number
        # On AMD, copies are kernels of the runtime, which the reference takes for kernels.
        if name.startswith("nvidia"):
            assert row["kernel_busy_micros"] == to_us(facts["kernel_busy_ps"])
        derived = "TensorFlow Ops", "TensorFlow Name Scope", "Steps"
        lines = [line for line in facts["lines"] if line["events"] and line["name"] not in derived
                 and (line["name"] == "XLA Ops" or row["kind"] == "gpu")]
        assert row["lanes"] == len(lines)
        assert row["kind"] == device[:3]
        if "launch_to_start_ps" in facts:
            assert row["launch_delay_micros"] == pytest.approx(
                facts["launch_to_start_ps"]["median"] / 1e6, abs=1)
            assert row["host_late_micros"] == to_us(facts["gaps"]["host_late_ps"])


@every
def test_recorded_steps(name):
    """Of each device, and of the slowest one in the sentence and in step."""
    found, steps = devices(name), recordings.reference(name)["steps"]
    assert {device for device, row in found.items() if row["steps"]} == {
        step["device"][len("/device:"):].lower() for step in steps}
    for step in steps:
        row = found[step["device"][len("/device:"):].lower()]
        assert (row["steps"], row["step_micros"], row["step_busy_micros"]) == (
            1, to_us(step["duration_ps"]), to_us(step["busy_ps"]))
    if steps:
        slowest = max(steps, key=lambda step: step["duration_ps"])
        idle = 1 - slowest["busy_ps"] / slowest["duration_ps"]
        said = product.run(recordings.trace(name)).stdout.splitlines()[0]
        assert f"a step takes {slowest['duration_ps'] / 1e9:.1f} ms on gpu:6" in said
        assert f"busy {slowest['busy_ps'] / 1e9:.1f} ms of it and idle {100 * idle:.0f} %" in said
        assert ask("step", name)["wall_micros"] == pytest.approx(slowest["duration_ps"] / 1e6)


@every
def test_program_runs(name):
    want = sum(program["executions"] for program in recordings.reference(name)["modules"])
    if want:
        assert sum(row["runs"] for row in devices(name).values()) == want


@every
def test_memory(name):
    found, checked = devices(name), 0
    for pool in recordings.reference(name)["memory"]:
        number = re.fullmatch(r"GPU_(\d+)_bfc|device (\d+)", pool["allocator"])
        row = number and (found.get(f"gpu:{number[1]}") or found.get(f"tpu:{number[2]}"))
        for bytes_ in ("peak_bytes", "lifetime_peak_bytes", "capacity_bytes") if row else ():
            assert row[bytes_] == pool[bytes_]
            checked += 1
    assert checked >= 3
    # What TPUs record of the life of the process lacks what programs reserve.
    said = [note["id"] for note in ask("devices", name)["notes"]]
    assert ("lifetime_without_reserved" in said) == name.startswith("tpu")


@pytest.mark.skipif("tpu_v6e_host_offload" not in recordings.NAMES, reason="is not here")
def test_of_equal_buffers_the_one_with_a_line_is_named():
    """Four buffers of 5.37GB are live at the peak; three are copies that the compiler made."""
    said = product.run("memory", recordings.trace("tpu_v6e_host_offload")).stdout.splitlines()[0]
    assert said.endswith("/host_offload_stress_test.py:29")


@every
def test_peaks(name):
    product, flops, sheet, bandwidth = {
        "tpu": ("TPU v6e", 918e12, 918e12, 1637.993152512e9),
        "nvi": ("NVIDIA V100", None, 125.3376e12, 898048000000),
        "amd": ("AMD MI300X (gfx942)", None, 1307.4432e12, 2 * 2662400000000)}[name[:3]]
    for row in devices(name).values():
        assert (row["product"], row["peak_flops"]) == (product, flops)
        assert row["peak_bandwidth"] == pytest.approx(bandwidth)
    for row in devices(name, "--peak_flops=sheet").values():
        assert row["peak_flops"] == pytest.approx(sheet)


KINDS = {"elementwise": "element-wise"}


@every
def test_kinds(name):
    """Of each operation, and added up."""
    found, sums, want_sums = defaultdict(set), defaultdict(int), defaultdict(int)
    for row in ask("scope", name, "--select=micros,kind", "--max_depth=100000")["nodes"]:
        found[without_shapes(row["name"]).split("/")[-1]].add(row["kind"])
    for row in ask("op", name, "--by=kind")["nodes"][1:]:
        sums[row["name"]] = row["accelerator_exec_micros"]
    for op in recordings.reference(name)["ops"]:
        if "kind" in op:
            kind = KINDS.get(op["kind"], op["kind"])
            assert kind in found[op["name"]], op["name"]
            want_sums[kind] += op["self_ps"]
    for kind, ps in want_sums.items():
        if kind != "data movement":  # copies are, too
            assert abs(sums[kind] - ps / 1e6) <= 3


def test_a_wait_is_no_work():
    if "tpu_v6e_host_offload" not in recordings.NAMES:
        pytest.skip("no recording of a TPU")
    kinds = {row["name"]: row["exec_micros"] for row in
             ask("op", "tpu_v6e_host_offload", "--by=kind")["nodes"][1:]}
    for kind, us in ("waiting", 304_033_212), ("element-wise", 9_619_894), ("collective", 1_460_345):
        assert abs(kinds[kind] - us) <= 1  # each node is rounded


def test_launches_have_their_time():
    if "amd_mi300_gemm" not in recordings.NAMES:
        pytest.skip("no recording of an AMD GPU")
    total = sum(row["launch_micros"] for row in ask("op", "amd_mi300_gemm")["nodes"])
    assert 494 <= total <= 494 + 12 * 100


@every
def test_the_sentence(name):
    """The overview begins with what the accelerators are, and what they did."""
    said = product.run(recordings.trace(name)).stdout.splitlines()[0]
    reference = recordings.reference(name)
    active, present = reference["active_devices"], reference["present_devices"]
    assert said.startswith(f"{active} × " if active == present else f"{active} of {present} × ")
    if name == "tpu_v6e_host_offload":
        assert said == (
            "4 × TPU v6e, 100 runs of jit_f of 784.1 ms; 97 % of a run waits for copies between host "
            "memory and HBM (5.37 GB each, up to 29 GB/s); 3 % computes, at 80 % of HBM bandwidth.")
    else:
        busy, span = reference["totals"]["busy_ps_sum"], reference["totals"]["span_ps_sum"]
        assert f"busy {busy / active / 1e9:.2f} ms of {span / active / 1e9:.2f} ms" in said


@every
def test_roofline(name):
    """Time, executions and float operations of operations, as in the views; recorded bytes."""
    found, want = defaultdict(list), defaultdict(list)
    reference = recordings.reference(name)
    if not reference["modules"]:
        return
    for row in ask("roofline", name)["nodes"][1:]:
        found[row["name"]].append((row["exec_micros"], row["executions"], row["bytes_accessed"]))
    for op in reference["ops"]:
        if op["program_id"] is not None:
            want[op["name"]].append((op["self_ps"] / 1e6, op["occurrences"],
                                     op.get("bytes_per_execution", 0) * op["occurrences"]))
    for op, numbers in want.items():
        for (us, n, moved), wanted in zip(sorted(found[op]), sorted(numbers), strict=True):
            assert us == pytest.approx(wanted[0])
            if name.startswith("tpu"):
                assert (n, moved) == wanted[1:]


@every
def test_utilization_is_of_steps_or_else_of_operations(name):
    done = product.run("roofline", recordings.trace(name), "--output=json", "--peak_flops=100T")
    if done.returncode:
        assert "no compiled program ran" in done.stderr
        return
    answer = json.loads(done.stdout)
    step = product.run("step", recordings.trace(name), "--output=json")
    step = json.loads(step.stdout) if step.returncode == 0 else {"steps_by": "none"}
    note = next(one["text"] for one in answer["notes"] if one["id"] == "utilization")
    matrix = sum(row["matrix_float_ops"] or 0 for row in answer["nodes"])
    if step["steps_by"] in ("none", "whole trace"):
        assert "there are no steps" in note
        seconds = sum(row["exec_micros"] or 0 for row in answer["nodes"]) / 1e6
    else:
        n_devices = len(ask("devices", name)["nodes"]) - 1
        seconds = step["wall_micros"] / 1e6 * (step["steady"] + step["left_out"]) * n_devices
    assert answer["hfu"] == pytest.approx(matrix / (100e12 * seconds))


@pytest.mark.parametrize("name, flops, bandwidth", [
    # As XProf computes them from cores and clock; the bandwidth of the data sheet is 5.3e12.
    ("amd_mi300_gemm", 1307.4e12, 5.3248e12),
    ("tpu_v6e_host_offload", 918e12, 1637993152512),
])
def test_roofs_are_those_of_the_devices(name, flops, bandwidth):
    """Each operation of known cost is below the roof, and at the share of it that its costs tell."""
    nodes = ask("roofline", name, "--peak_flops=sheet")["nodes"][1:]
    roofed = [row for row in nodes if row["efficiency"]]
    assert roofed
    for row in roofed:
        roof = max(row["float_ops"] / flops, row["bytes_accessed"] / bandwidth) * 1e6
        assert row["efficiency"] == pytest.approx(roof / row["exec_micros"], rel=1e-3)
        assert row["efficiency"] <= 1.05


def findings(name, checker, tmp_path):
    out = tmp_path / "advice.json"
    result = product.run("advise", f"--xplane_path={recordings.trace(name)}",
                         f"--checker={checker}", f"--output=json:outfile={out}")
    assert result.returncode == 0, result.stderr
    return json.loads(out.read_text())["checkers"][0]["findings"]


@every
def test_advice_on_utilization(name, tmp_path):
    """Busy of span of each device that was used, by the reference."""
    want = {device["plane"][len("/device:"):].lower(): device["busy_ps"] / device["span_ps"]
            for device in recordings.reference(name)["devices"] if device.get("span_ps")}
    found = {f["where"][0]["device"].split("device:")[1]: f
             for f in findings(name, "AcceleratorUtilizationChecker", tmp_path)}
    assert {device: f["figures"]["utilization"] for device, f in found.items()} == {
        device: pytest.approx(share) for device, share in want.items()}
    for f in found.values():
        low = f["what"] != "hardly_used" and f["figures"]["utilization"] < 0.5
        assert f["level"] == ("warning" if low else "none")
    if name == "nvidia_v100_bert":
        assert [device for device, f in found.items() if f["what"] == "hardly_used"] == ["gpu:1"]


@every
def test_advice_on_memory(name, tmp_path):
    want = sorted(row["peak_bytes"] for row in devices(name).values() if row["peak_bytes"])
    found = findings(name, "MemoryPeakChecker", tmp_path)
    assert sorted(f["stake"]["bytes"] for f in found) == want


@every
def test_kernels(name):
    """By name, grid and block, over all nodes that they ran for."""
    reference = recordings.reference(name)
    if not reference["kernels"]:
        result = product.run("op", recordings.trace(name), "--by=kernel")
        assert result.returncode != 0 and "no kernels" in result.stderr
        return
    found, want = defaultdict(lambda: [0, 0.0, []]), {}
    nodes = ask("op", name, "--by=kernel")["nodes"]
    for row in nodes[1:]:
        sums = found[row["full_name"], row["grid"], row["block"]]
        sums[0] += row["runs"]
        sums[1] += row["exec_micros"]
        sums[2].append(row["registers"])
        assert row["occupancy"] is None  # AMD writes 0, NVIDIA nothing
    for kernel in reference["kernels"]:
        want[kernel["name"], kernel["grid"], kernel["block"]] = kernel
    assert want.keys() <= found.keys()
    for key, (runs, us, registers) in found.items():
        if key not in want:
            assert "__amd_rocclr_" in key[0]  # the reference has them among copies
            continue
        assert (runs, us) == (want[key]["occurrences"], pytest.approx(want[key]["total_ps"] / 1e6))
        assert set(registers) == {want[key]["regs"] and int(want[key]["regs"])}
    assert nodes[0]["runs"] == sum(row["runs"] for row in nodes[1:])


@every
def test_async_pairs(name):
    """In flight by the device's clock, each with the operation that began it in the same run."""
    found = {row["name"]: row for row in ask("transfers", name)["nodes"][1:]}
    for pair in recordings.reference(name)["async_pairs"]:
        row = found[pair["done_op"]]
        assert (row["begun_by"], row["operation"], row["count"]) == (
            pair["start_op"], pair["op"], pair["pairs"])
        assert row["in_flight_micros"] == pytest.approx(pair["in_flight_ps"] / 1e6, abs=1e-6)
        assert row["exposed_micros"] == pytest.approx(pair["exposed_ps"] / 1e6, abs=1e-6)
        assert row["bytes"] == pair["bytes_per_execution"] * pair["pairs"]
        assert row["bytes_per_second"] == pytest.approx(
            pair["bytes_per_execution"] * pair["pairs"] / pair["in_flight_ps"] * 1e12)
        assert (row["direction"] in ("host to device", "device to host")) == pair["to_or_from_host"]
        assert row["hidden_micros"] == pytest.approx(row["in_flight_micros"] - row["exposed_micros"])


@every
def test_copies_of_gpus(name):
    """Of all devices; a size of 0, as AMD records it, is none."""
    copies = [copy for copy in recordings.reference(name)["copies"] if "Memset" not in copy["name"]]
    rows = [row for row in ask("transfers", name)["nodes"][1:]
            if row["operation"] == "copy" and not row["begun_by"] and row["name"] != "Memset"]
    assert sum(row["count"] for row in rows) == sum(copy["occurrences"] for copy in copies)
    assert sum(row["in_flight_micros"] for row in rows) == pytest.approx(
        sum(copy["total_ps"] for copy in copies) / 1e6)
    assert sum(row["bytes"] or 0 for row in rows) == sum(copy["bytes"] for copy in copies)


@every
def test_why_a_device_is_idle(name, tmp_path):
    """The parts add up, and the delay of launches tells what limits it."""
    advice = {f["where"][0]["device"].split("device:")[1]: f
              for f in findings(name, "AcceleratorUtilizationChecker", tmp_path)}
    for device in recordings.reference(name)["devices"]:
        if not device.get("span_ps") or "launch_to_start_ps" not in device:
            continue
        row = devices(name)[device["plane"][len("/device:"):].lower()]
        assert row["dependency_micros"] == to_us(device["idle_ps"] - device["gaps"]["host_late_ps"])
        assert row["copy_only_micros"] in (row["busy_micros"] - row["kernel_busy_micros"] + d
                                           for d in (-1, 0, 1))
        full = device["launch_to_start_ps"]["median"] > 200e6
        assert row["bound"] == ("device-bound" if full else "launch-bound")
        found = advice[row["name"]]
        if found["level"] == "warning":
            assert row["bound"] in found["text"].lower() and row["bound"] in found["remedy"].lower()


@every
def test_runs_of_programs_are_counted(name):
    said = product.run(recordings.trace(name)).stdout
    programs = recordings.reference(name)["modules"]
    n = sum(program["executions"] for program in programs)
    if name.startswith("amd"):
        assert f"{n} runs of {len(programs)} program" in said
    assert " in 1 step" not in product.run("op", recordings.trace(name)).stderr or not programs


@every
def test_sums_over_devices_are_called_so(name):
    said = product.run(recordings.trace(name)).stdout
    several = recordings.reference(name)["active_devices"] > 1
    assert ("added up over all devices" in said) == several
    assert ("operation time, all threads" in said) != several


@pytest.mark.skipif("nvidia_v100_bert" not in recordings.NAMES, reason="is not here")
def test_launches_of_kernels_that_wait_in_a_queue_cost_nothing(tmp_path):
    """Half of them wait for 200 µs or more, and run for 12."""
    found = product.run("advise", recordings.trace("nvidia_v100_bert")).stdout
    assert "device-bound" in found and "TinyKernelChecker:" not in found
