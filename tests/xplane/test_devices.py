"""Traces of accelerators as real recorders write them: launches that repeat the operation, clocks
that differ, planes of devices that were not used."""

import json

import make
import product
import pytest

US = 1_000_000


def write(tmp_path, *planes):
    path = tmp_path / "t.xplane.pb"
    path.write_bytes(make.space(*planes))
    return path


def nodes(path, tmp_path):
    rows, _ = product.query("scope", path, directory=tmp_path)
    return {row["name"]: (int(row["exec_micros"]), int(row["run_count"]))
            for row in rows if int(row["run_count"])}


def kernel(name, start, duration, correlation, op, program=1, module="jit_f"):
    return (name, start * US, duration * US,
            {"correlation_id": correlation, "hlo_op": op, "hlo_module": module,
             "program_id": program, "tf_op": "XlaModule:"})


def gpu(kernels, launches, marks=()):
    device, unused, host = (make.Plane("/device:GPU:0"), make.Plane("/device:GPU:1"),
                            make.Plane("/host:CPU"))
    device.add_line("Stream #16(Kernel)", kernels)
    host.add_line("Host Threads/1", launches)
    host.add_line("python", [("GpuExecutable::ExecuteThunks", start * US, n * US,
                              {"module_name": "jit_f"}) for start, n in marks], id_=2)
    return device, unused, host


def test_launches_are_not_executions(tmp_path):
    kernels = [kernel("k.kd", 10 + 20 * i, 5, i, "fusion.1") for i in range(4)]
    launches = [kernel("hipModuleLaunchKernel", 2 + 20 * i, 3, i, "fusion.1") for i in range(4)]
    path = write(tmp_path, *gpu(kernels, launches))
    assert nodes(path, tmp_path) == {"f/fusion.1": (20, 4)}


def test_launches_without_correlation(tmp_path):
    """Neither can be joined to its kernel; a call of the driver is no execution all the same."""
    kernels = [kernel("k.kd", 10 + 20 * i, 5, i, "fusion.1") for i in range(4)]
    launches = [kernel(name, 2 + 20 * i, 3, i, "fusion.1") for i, name in
                enumerate(["hipModuleLaunchKernel", "cuLaunchKernelEx", "cudaLaunchKernel", "hipMemcpyAsync"])]
    for *_, stats in kernels + launches:
        del stats["correlation_id"]
    path = write(tmp_path, *gpu(kernels, launches))
    assert nodes(path, tmp_path) == {"f/fusion.1": (20, 4)}
    row = json.loads(product.run("devices", path, "--output=json").stdout)["nodes"][1]
    assert (row["name"], row["runs"], row["launch_delay_micros"]) == ("gpu:0", 4, None)


@pytest.mark.parametrize("has_marks", [False, True])
def test_kernels_of_one_execution(has_marks, tmp_path):
    """conv takes two kernels; add runs between its executions."""
    kernels, launches, marks = [], [], []
    for i in range(3):
        for k, (name, op) in enumerate([("a", "conv"), ("b", "conv"), ("c", "add")]):
            kernels.append(kernel(name, 100 * i + 10 * k + 50, 4, 3 * i + k, op))
            launches.append(kernel("hipModuleLaunchKernel", 100 * i + 10 * k, 1, 3 * i + k, op))
        marks.append((100 * i, 30))
    path = write(tmp_path, *gpu(kernels, launches, marks if has_marks else ()))
    assert nodes(path, tmp_path) == {"f/conv": (24, 3), "f/add": (12, 3)}


def test_runs_of_a_single_operation(tmp_path):
    """Without marks, the first kernel tells that another execution begins."""
    kernels = [kernel("ab"[i % 2], 10 * i, 2, i, "conv") for i in range(6)]
    path = write(tmp_path, *gpu(kernels, []))
    assert nodes(path, tmp_path) == {"f/conv": (12, 3)}


def test_marks_tell_runs_of_equal_kernels_apart(tmp_path):
    """A fill and its repetition within a run are one execution."""
    kernels = [kernel("fill", 10 * i + 5, 2, i, "call") for i in range(4)]
    launches = [kernel("hipModuleLaunchKernel", 10 * i, 1, i, "call") for i in range(4)]
    path = write(tmp_path, *gpu(kernels, launches, [(0, 19), (20, 19)]))
    assert nodes(path, tmp_path) == {"f/call": (8, 2)}


def test_programs_of_one_name_are_told_apart(tmp_path):
    kernels = [kernel("k", 0, 2, 1, "dot", program=5), kernel("k", 10, 7, 2, "dot", program=9)]
    path = write(tmp_path, *gpu(kernels, []))
    assert nodes(path, tmp_path) == {"f/dot (program 5)": (2, 1), "f/dot (program 9)": (7, 1)}


def test_kernels_of_tensorflow_belong_to_their_nodes(tmp_path):
    """By annotation, or by the event around the launch."""
    device, host = make.Plane("/device:GPU:0"), make.Plane("/host:CPU")
    device.add_line("Stream #1(Compute)", [
        ("void a::b::Kernel<c>(int*)", 100 * US, 5 * US,
         {"correlation_id": 1, "annotation": "dense/x/Cast:Cast#shape=(int32[3])#::#e=1#"}),
        ("void a::b::Kernel<c>(int*)", 110 * US, 6 * US, {"correlation_id": 2}),
        ("void a::b::Kernel<c>(int*)", 120 * US, 7 * US, {"correlation_id": 3}),
        ("MemcpyH2D", 130 * US, 8 * US,
         {"correlation_id": 4, "memcpy_details": "size:112 dest:4 async:0"})])
    host.add_line("tf", [("y/Mul:Mul", 0, 20 * US), ("cudaLaunchKernel", 2 * US, 3 * US,
                                                    {"correlation_id": 2}),
                         ("cudaLaunchKernel", 30 * US, 3 * US, {"correlation_id": 3})])
    assert nodes(write(tmp_path, device, host), tmp_path) == {
        "dense/x/Cast": (5, 1), "y/Mul": (26, 1), "MemcpyH2D": (8, 1),
        "kernels without an operation/b::Kernel": (7, 1)}


def core(name, start, duration, host_start, host_duration, program=7):
    return ((f"%{name} = f32[8]{{0}} {name.split('.')[0]}(f32[8]{{0}} %x)", name,
             [("program_id", program)]),
            host_start * US, host_duration * US,
            {"device_offset_ps": start * US, "device_duration_ps": duration * US})


def test_the_device_has_a_clock_of_its_own(tmp_path):
    """The host's squeezes one event to nothing, and puts it behind what follows it."""
    device = make.Plane("/device:TPU:0")
    device.add_line("XLA Ops", [
        core("while.1", 100, 100, 100, 90), core("add.2", 110, 20, 105, 5),
        core("copy-done.4", 140, 50, 130, 60), core("mul.3", 131, 8, 130, 0)], sort=False)
    device.add_line("XLA Modules", [("jit_f(7)", 100 * US, 90 * US)], id_=2)
    assert nodes(write(tmp_path, device), tmp_path) == {
        "while.1": (22, 1), "add.2": (20, 1), "copy-done.4": (50, 1), "mul.3": (8, 1)}


def test_kernels_with_grid_and_block(tmp_path):
    """As recent recorders of NVIDIA write them, and AMD's, whose occupancy of 0 says nothing."""
    nvidia = ("regs:40 static_shared:1024 dynamic_shared:2048 grid:12,3,1 block:256,1,1 "
              "occ_pct:62.5")
    amd = " grid:8,1,1 block:64,1,1 private_mem:0 group_mem:512 occ_pct:0"
    path = write(tmp_path, *gpu(
        [(*kernel(name, 10 * i, duration, i, op)[:3],
          {**kernel(name, 0, 0, i, op)[3], **({"kernel_details": details} if details else {})})
         for i, (name, duration, op, details) in enumerate([
             ("void a::b::sgemm<float>(int)", 5, "dot", nvidia),
             ("void a::b::sgemm<float>(int)", 7, "dot", nvidia),
             ("void a::b::sgemm<float>(int)", 1, "dot.2", nvidia), ("_ZN1c1dILi3EEEvv.kd", 2, "add", amd),
             ("plain", 3, "mul", "regs:9"), ("bare", 1, "sub", None)])], []))
    document = json.loads(product.run("op", path, "--by=kernel", "--output=json").stdout)
    names = ("name", "node", "runs", "exec_micros", "min_micros", "max_micros", "grid", "block",
             "registers", "shared_bytes", "occupancy")
    assert [tuple(row[name] for name in names) for row in document["nodes"][1:]] == [
        ("b::sgemm", "f/dot", 2, 12, 5, 7, "12,3,1", "256,1,1", 40, 3072, 62.5),
        ("plain", "f/mul", 1, 3, 3, 3, None, None, 9, None, None),
        ("c::d", "f/add", 1, 2, 2, 2, "8,1,1", "64,1,1", None, 512, None),
        ("b::sgemm", "f/dot.2", 1, 1, 1, 1, "12,3,1", "256,1,1", 40, 3072, 62.5),
        ("bare", "f/sub", 1, 1, 1, 1, None, None, None, None, None)]
    text = product.run("op", path, "--by=kernel").stdout
    assert "b::sgemm" in text and "void" not in text


def transfers(path):
    document = json.loads(product.run("transfers", path, "--output=json").stdout)
    return {row["name"]: row for row in document["nodes"][1:]}


def times(row):
    return tuple(row[f"{part}_micros"] for part in ("in_flight", "exposed", "hidden"))


def pair(name, at, done, begin, end, result="", source="", opcode="copy"):
    """`begin` at `at`, and the wait for it from `done` to `end`."""
    stats = [("program_id", 7), ("bytes_accessed", 1000)]
    tuple_ = f"(f32[8]{{0{result}}}, f32[8]{{0{source}}}, u32[]{{:S(2)}})"
    texts = (f"%{begin} = {tuple_} {opcode}-start(f32[8]{{0{source}}} %p)",
             f"%{name} = f32[8]{{0{result}}} {opcode}-done({tuple_} %{begin})")
    for text, op, start, last in ((texts[0], begin, at, at + 1), (texts[1], name, done, end)):
        yield ((text, op, stats), start * US, (last - start) * US,
               {"device_offset_ps": start * US, "device_duration_ps": (last - start) * US})


def test_pairs_belong_to_one_run(tmp_path):
    """The second run lacks the start of its copy: that of the first does not stand in for it."""
    device = make.Plane("/device:TPU:0")
    first = list(pair("copy-done.1", 0, 50, "copy-start.1", 60, source=":S(5)"))
    back = list(pair("copy-done.2", 10, 80, "copy-start.2", 81, result=":S(5)"))
    lost = list(pair("copy-done.1", 0, 150, "copy-start.1", 160, source=":S(5)"))
    again = list(pair("copy-done.2", 110, 180, "copy-start.2", 185, result=":S(5)"))
    device.add_line("XLA Ops", sorted([*first, *back, core("add.1", 20, 20, 20, 20), lost[1], *again],
                                      key=lambda e: e[1]))
    device.add_line("XLA Modules", [("jit_f(7)", 0, 90 * US), ("jit_f(7)", 100 * US, 90 * US)], id_=2)
    rows = transfers(write(tmp_path, device))
    assert {name: (row["direction"], row["count"], *times(row), row["bytes"])
            for name, row in rows.items()} == {
        "copy-done.1": ("host to device", 1, 60, 10, 50, 1000),
        "copy-done.2": ("device to host", 2, 71 + 75, 6, 140, 2000)}


def test_pairs_in_flight_at_the_same_time(tmp_path):
    """In a loop, the next copy begins before the last one is waited for: first in, first out."""
    device = make.Plane("/device:TPU:0")
    a, b = (list(pair("copy-done.1", at, done, "copy-start.1", end))
            for at, done, end in ((10, 40, 45), (20, 60, 70)))
    device.add_line("XLA Ops", [core("while.9", 0, 100, 0, 100),
                                *sorted([*a, *b], key=lambda e: e[1])])
    row = transfers(write(tmp_path, device))["copy-done.1"]
    assert (row["count"], *times(row), row["direction"]) == (2, 35 + 50, 15, 70, "within the device")


def test_skew_of_collectives(tmp_path):
    """The fastest device of each run shows the transfer; what others take longer is waiting."""
    planes = []
    for number, waits in enumerate([(10, 40), (30, 12), (11, 15)]):
        device = make.Plane(f"/device:TPU:{number}")
        device.add_line("XLA Ops", [core("all-reduce.1", 100 * i, us, 100 * i, us)
                                    for i, us in enumerate(waits)])
        planes.append(device)
    row = transfers(write(tmp_path, *planes))["all-reduce.1"]
    assert (row["operation"], row["count"], row["exposed_micros"]) == ("all-reduce", 6, 118)
    assert (row["transfer_micros"], row["skew_micros"]) == (3 * (10 + 12), 118 - 66)
    found = json.loads(product.run("devices", tmp_path / "t.xplane.pb", "--output=json").stdout)["nodes"][1:]
    assert [device["collective_only_micros"] for device in found] == [50, 42, 26]


def test_skew_of_several_collectives(tmp_path):
    """Each by itself: by run, the least of three devices, three times."""
    waits = {"all-gather.1": [(10, 40), (30, 12), (11, 15)], "all-reduce.2": [(5, 9), (7, 3), (2, 20)],
             "reduce-scatter.3": [(50, 1), (40, 2), (30, 3)]}
    planes = []
    for number in range(3):
        device = make.Plane(f"/device:TPU:{number}")
        device.add_line("XLA Ops", [core(name, at, us[number][i], at, us[number][i])
                                    for i in range(2) for k, (name, us) in enumerate(waits.items())
                                    for at in [1000 * i + 100 * k]])
        planes.append(device)
    rows = transfers(write(tmp_path, *planes))
    for name, us in waits.items():
        least = 3 * sum(min(runs) for runs in zip(*us))
        assert rows[name]["transfer_micros"] == least
        assert rows[name]["skew_micros"] == sum(map(sum, us)) - least


def test_collectives_of_gpus(tmp_path):
    """On a stream of their own: exposed while no other kernel runs."""
    device = make.Plane("/device:GPU:0")
    device.add_line("Stream #1(Kernel)", [kernel("add", 0, 10, 1, "add"), kernel("mul", 15, 10, 2, "mul")])
    device.add_line("Stream #2(Kernel)", [
        kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 5, 30, 3, "all-reduce-start.1")], id_=2)
    device.add_line("Stream #3(MemcpyH2D)", [
        ("MemcpyH2D", 8 * US, 4 * US, {"memcpy_details": "kind_src:pageable size:4000 dest:0 async:1"})],
        id_=3)
    rows = transfers(write(tmp_path, device))
    assert times(rows["all-reduce-start.1"]) == (30, 15, 15)
    assert rows["all-reduce-start.1"]["operation"] == "all-reduce"
    assert rows["all-reduce-start.1"]["skew_micros"] is None  # there is one device
    assert times(rows["MemcpyH2D"]) == (4, 2, 2)
    device = json.loads(product.run("devices", tmp_path / "t.xplane.pb", "--output=json").stdout)["nodes"][1]
    # It computes from 0 to 10 and from 15 to 25; the collective runs from 5 to 35.
    assert (device["collective_only_micros"], device["copy_only_micros"], device["busy_micros"]) == (15, 0, 35)
    assert (rows["MemcpyH2D"]["bytes"], rows["MemcpyH2D"]["bytes_per_second"]) == (4000, 1e9)
