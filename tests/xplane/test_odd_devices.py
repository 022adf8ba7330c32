"""Traces of accelerators on a bad day: what is cut off, numbered twice, or by another clock. Each number is right, or
there is none."""

import json

import make
import product
import pytest
from test_devices import core, gpu, kernel, nodes, write

US = 1_000_000


def rows(question, path, *more):
    result = product.run(question, path, "--output=json", *more)
    assert result.returncode == 0, result.stderr
    return {row["name"]: row for row in json.loads(result.stdout)["nodes"][1:]}


def sentence(path):
    return product.run(path).stdout.splitlines()[0]


def test_kernels_within_each_other_do_not_run_each_other(tmp_path):
    """Of a graph of kernels, or those that begin before the last one has ended."""
    kernels = [kernel("a", 0, 100, 1, "dot.1"), kernel("b", 10, 20, 1, "add.2"), kernel("c", 90, 30, 1, "mul.3")]
    path = write(tmp_path, *gpu(kernels, [kernel("cudaGraphLaunch", 0, 1, 1, None)[:3] + ({"correlation_id": 1},)]))
    assert nodes(path, tmp_path) == {"f/dot.1": (100, 1), "f/add.2": (20, 1), "f/mul.3": (30, 1)}
    row = rows("devices", path)["gpu:0"]
    assert (row["busy_micros"], row["executions"]) == (120, 3)


def test_kernels_that_begin_before_they_are_launched(tmp_path):
    """The clocks differ: neither delays nor reasons of gaps can be told."""
    kernels = [kernel("a", 100 + 50 * i, 20, i, "dot.1") for i in range(9)]
    launches = [kernel("cuLaunchKernel", 1090 + 50 * i, 3, i, "dot.1") for i in range(9)]
    path = write(tmp_path, *gpu(kernels, launches))
    row = rows("devices", path)["gpu:0"]
    assert (row["busy_micros"], row["idle_micros"]) == (180, 240)
    assert [row[name] for name in ("launch_delay_micros", "host_late_micros", "dependency_micros", "bound")] == [None] * 4
    assert "launched" not in sentence(path)
    said = json.loads(product.run("devices", path, "--output=json").stdout)["notes"]
    assert "clocks_differ" in [note["id"] for note in said]


@pytest.mark.parametrize("has_devices", [True, False])
def test_ids_that_are_used_again(has_devices, tmp_path):
    """By another process, whose kernels ran later, on another device."""
    planes, launches = [], []
    for number in range(2):
        plane = make.Plane(f"/device:GPU:{number}")
        plane.add_line("Stream #1(Kernel)", [kernel("a", 100 + 1000 * number + 50 * i, 20, i, "dot.1") for i in range(9)])
        planes.append(plane)
        for i in range(9):
            *event, stats = kernel("cuLaunchKernel", 90 + 1000 * number + 50 * i, 3, i, "dot.1")
            launches.append((*event, {**stats, **({"device_id": number} if has_devices else {})}))
    host = make.Plane("/host:CPU")
    host.add_line("Host Threads/1", launches)
    for row in rows("devices", write(tmp_path, *planes, host)).values():
        assert (row["launch_delay_micros"], row["host_late_micros"]) == (10, 240)


def test_the_call_of_a_library_around_that_of_the_driver(tmp_path):
    kernels = [kernel("a", 100, 20, 1, "dot.1"), kernel("a", 200, 20, 2, "dot.1")]
    launches = [kernel(name, at + start, n, i, "dot.1") for i, at in ((1, 80), (2, 150))
                for name, start, n in (("cudaLaunchKernel", 0, 9), ("cuLaunchKernel", 3, 4))]
    assert rows("devices", write(tmp_path, *gpu(kernels, launches)))["gpu:0"]["launch_delay_micros"] == 50


def core_trace(tmp_path, modules, is_cut):
    """Four runs of a loop; of one before them, the recording has the end."""
    plane, events, marks = make.Plane("/device:TPU:0"), [], []
    for i in range(5):
        at = 100 * i
        if i or not is_cut:
            events.append(core("while.9", at, 95, at + 1000, 95))
            marks.append(("jit_f(7)", (at + 1000) * US, 95 * US, {"run_id": i}))
        for k in range(9):
            events += [core("dot.1", at + 10 * k, 6, at + 10 * k + 1000, 6),
                       core("add.2", at + 10 * k + 6, 4, at + 10 * k + 1006, 4)]
    plane.add_line("XLA Ops", events)
    if modules:
        plane.add_line("XLA Modules", marks, id_=2)
    return write(tmp_path, plane)


@pytest.mark.parametrize("modules, is_cut, n", [(True, True, 4), (True, False, 5), (False, False, 5)])
def test_runs_of_a_core(modules, is_cut, n, tmp_path):
    """By the line that records them; without it, an instruction that runs again begins another."""
    path = core_trace(tmp_path, modules, is_cut)
    assert rows("devices", path)["tpu:0"]["runs"] == n
    assert f", {n} runs of {'jit_f' if modules else 'one program'} of 95.0 us; 100 % of a run computes" in sentence(path)
    assert f"{n} steps by runs of {'jit_f' if modules else 'one program'};" in product.run("step", path).stdout


@pytest.mark.parametrize("names, numbers", [
    (("train 10", "train 11"), (10, 11)), (("10", "11"), (10, 11)), (("step", "step"), (3, 5))])
def test_steps_by_any_name(names, numbers, tmp_path):
    """The number at its end, or that of the group."""
    plane = make.Plane("/device:GPU:0")
    plane.add_line("Stream #1(Kernel)", [kernel("a", 0, 40, 1, "dot.1"), kernel("a", 100, 60, 2, "dot.1")])
    plane.add_line("Steps", [(names[1], 100 * US, 90 * US, {"group_id": 5}), (names[0], 0, 50 * US, {"group_id": 3})],
                   id_=9, sort=False)
    path = write(tmp_path, plane)
    row = rows("devices", path)["gpu:0"]
    assert (row["steps"], row["step_micros"], row["step_busy_micros"]) == (2, 70, 50)
    assert [name for name in rows("step", path) if name.startswith("step ")] == [f"step {n}" for n in numbers]


def test_runs_of_kernels_of_no_program(tmp_path):
    """They are executions of operations: an operation of TensorFlow runs once, whatever it launches."""
    device, host = make.Plane("/device:GPU:0"), make.Plane("/host:CPU")
    device.add_line("Stream #1(Compute)", [(f"k{i}", (100 + 10 * i) * US, 5 * US, {"correlation_id": i}) for i in range(6)])
    host.add_line("tf", [(name, at * US, 20 * US) for name, at in (("x/Mul:Mul", 0), ("y/Add:AddV2", 30))]
                  + [("cudaLaunchKernel", at * US, US, {"correlation_id": i})
                     for i, at in enumerate((2, 5, 8, 32, 35, 38))])
    row = rows("devices", write(tmp_path, device, host))["gpu:0"]
    assert (row["runs"], row["executions"]) == (None, 2)


@pytest.mark.parametrize("allocator", ["GPU_3_bfc", "gpu_async_3", "xla_gpu_3_bfc"])
def test_memory_of_allocators(allocator, tmp_path):
    device, host = make.Plane("/device:GPU:3"), make.Plane("/host:CPU")
    device.add_line("Stream #1(Kernel)", [kernel("a", 0, 40, 1, "dot.1")])
    host.add_line("python", [("MemoryAllocation", at * US, 0, {
        "allocator_name": name, "bytes_allocated": held, "bytes_reserved": 0, "bytes_available": 9000 - held,
        "peak_bytes_in_use": 8000, "requested_bytes": 500, "addr": at})
        for at, name, held in ((1, allocator, 500), (2, "gpu_host_bfc", 7777), (3, allocator, 3000))])
    row = rows("devices", write(tmp_path, device, host))["gpu:3"]
    assert (row["peak_bytes"], row["lifetime_peak_bytes"], row["capacity_bytes"]) == (3000, 8000, 9000)


def test_addresses_of_several_allocators(tmp_path):
    """Both hand out the same ones: what one frees, the other still holds."""
    host, events, in_use = make.Plane("/host:CPU"), [], [0, 0]
    for at, (pool, bytes_, op, address) in enumerate((
            (0, 1000, "a", 4096), (1, 700, "b", 4096), (1, -700, "b", 4096), (1, 400, "c", 8192),
            (0, 50, "d", 8192), (0, -1000, "a", 4096), (1, 500, "e", 4096)), 1):
        in_use[pool] += bytes_
        events.append(("MemoryAllocation" if bytes_ > 0 else "MemoryDeallocation", at * US, 0, {
            "allocator_name": f"GPU_{pool}_bfc", "bytes_allocated": in_use[pool], "bytes_reserved": 0,
            "bytes_available": 9000, "peak_bytes_in_use": in_use[pool], "requested_bytes": abs(bytes_),
            "allocation_bytes": abs(bytes_), "addr": address, "tf_op": op + "/MatMul", "region_type": "output"}))
    host.add_line("python", events)
    found = rows("memory", write(tmp_path, host))
    assert {name: row["bytes"] for name, row in found.items()} == {
        "GPU_0_bfc": 1050, "a": 1000, "a/MatMul": 1000, "d": 50, "d/MatMul": 50,
        "GPU_1_bfc": 900, "c": 400, "c/MatMul": 400, "e": 500, "e/MatMul": 500}


def test_what_one_allocator_frees_the_other_keeps(tmp_path):
    """Of equal addresses: the residual bytes of the nodes."""
    def event(at, pool, bytes_, op, address=4096):
        return ("MemoryAllocation" if bytes_ > 0 else "MemoryDeallocation", at * US, 0, {
            "allocator_name": f"GPU_{pool}_bfc", "requested_bytes": abs(bytes_), "allocation_bytes": abs(bytes_),
            "addr": address, "bytes_allocated": 5000, "bytes_reserved": 0, "bytes_available": 9000,
            "peak_bytes_in_use": 5000, "tf_op": op, "region_type": "output"})

    host = make.Plane("/host:CPU")
    host.add_line("python", [
        ("train", 0, 100 * US, {"step_num": 0, "_r": 1}), ("a:MatMul", 10 * US, 10 * US), event(12, 0, 1000, "a"),
        ("b:MatMul", 30 * US, 10 * US), event(32, 1, 700, "b"),
        ("c:MatMul", 50 * US, 10 * US), event(52, 0, -1000, "a"), event(53, 0, 30, "c")])
    result = product.run("table", write(tmp_path, host), "--table=nodes", "--output=json")
    found = {row["name"]: (row["peak_bytes"], row["residual_bytes"]) for row in json.loads(result.stdout)["nodes"][1:]}
    assert found == {"a": (1000, 0), "b": (700, 700), "c": (30, 30)}


@pytest.mark.parametrize("has_modules", [True, False])
def test_steps_of_groups_on_a_core(has_modules, tmp_path):
    """By its own clock; the host's stretches what lies between."""
    plane = make.Plane("/device:TPU:0")
    plane.add_line("XLA Ops", [(*event[:3], {**event[3], "group_id": i // 2}) for i, event in
                               enumerate(core("dot.1", 100 * i, 50, 130 * i, 50) for i in range(6))])
    if has_modules:
        plane.add_line("XLA Modules", [("jit_f(7)", 130 * i * US, 50 * US) for i in range(6)], id_=2)
    path = write(tmp_path, plane)
    row = rows("devices", path)["tpu:0"]
    assert (row["steps"], row["step_micros"], row["step_busy_micros"]) == (3, 150, 100)
    assert len([name for name in rows("step", path) if name.startswith("step ")]) == 3


def test_operations_of_a_core_without_stats(tmp_path):
    """Their names are in the text of the instruction."""
    plane = make.Plane("/device:TPU:0")
    plane.add_line("XLA Ops", [("%fusion.2 = f32[8]{0} fusion(f32[8]{0} %p), kind=kLoop", 10 * i * US, 5 * US) for i in range(3)])
    path = write(tmp_path, plane)
    assert nodes(path, tmp_path) == {"fusion.2": (15, 3)}
    assert (rows("devices", path)["tpu:0"]["runs"], sentence(path)) == (
        3, "1 × accelerator, 3 runs of one program of 5.0 us; 100 % of a run computes.")


def test_runs_on_several_streams(tmp_path):
    """One of three kernels of a program on a stream of its own: runs are not those of all streams together."""
    planes = gpu([kernel(op, 100 * i + 20 * k, 10, 0, op) for i in range(3) for k, op in enumerate(["dot.1", "add.2"])], [])
    planes[0].add_line("Stream #17(Kernel)", [kernel("mul.3", 100 * i + 5, 10, 0, "mul.3") for i in range(3)]
                       + [kernel("exp", 400 + 20 * i, 10, 0, "exp.1", program=2) for i in range(2)], id_=17)
    row = rows("devices", write(tmp_path, *planes))["gpu:0"]
    assert (row["runs"], row["executions"], row["lanes"]) == (5, 11, 2)


def test_hosts_and_devices_beside_recorded_steps(tmp_path):
    """What the host does is in the last step that had begun; what a device without steps does outside of them, outside."""
    planes = []
    for number, starts in enumerate([(0, 200), ()]):
        plane = make.Plane(f"/device:GPU:{number}")
        plane.add_line("Stream #1(Compute)", [kernel("k", at, 50, 0, "dot.1") for at in (10, 210, 400)], id_=1)
        if starts:
            plane.add_line("Steps", [(f"{4 + i}", at * US, 100 * US) for i, at in enumerate(starts)], id_=2)
        planes.append(plane)
    host = make.Plane("/host:CPU")
    host.add_line("thread", [(f"x{i}:Add", at * US, 3 * US, {}) for i, at in enumerate((2, 150, 215, 350))])
    path = write(tmp_path, *planes, host)
    assert product.nodes(path, 4, tmp_path) == {"f/dot.1": (100, 2), "x0": (3, 1), "x1": (3, 1)}
    assert product.nodes(path, 5, tmp_path) == {"f/dot.1": (100, 2), "x2": (3, 1), "x3": (3, 1)}
    assert "2 outside of all steps (0.10ms)" in product.run("op", path).stderr


def test_advice_on_a_trace_without_steps(tmp_path):
    kernels = [kernel(f"k{i}", 100 * i, 10, i, f"op.{i}", program=i, module=f"jit_f{i}") for i in range(20)]
    launches = [kernel("cuLaunchKernel", 100 * i - 5 if i else 0, 2, i, f"op.{i}", program=i) for i in range(20)]
    said = product.run("advise", write(tmp_path, *gpu(kernels, launches))).stdout
    assert "idle 90% of the time between kernels: 1.71ms of 1.91ms in the trace" in said
    assert "step 0" not in said and "per step" not in said.split("nothing found")[0]
    assert "for 100% the host was late to launch what came next; launch-bound" in said


def test_what_the_host_did_while_a_device_waited(tmp_path):
    """Two calls 100 us apart; between them, 60 us of logging and 25 us of something else in Python."""
    planes = gpu([kernel("a", 20, 10, 1, "dot.1"), kernel("b", 30, 10, 2, "add.2"), kernel("a", 120, 10, 3, "dot.1"),
                  kernel("b", 130, 10, 4, "add.2")],
                 [kernel("cuLaunchKernel", at, 1, i, "dot.1") for i, at in ((1, 12), (2, 14), (3, 112), (4, 114))])
    planes[2].add_line("python", [(name, start * US, us * US, {}) for name, start, us in (
        ("$train.py:1 <module>", 0, 200), ("PjitFunction(f)", 10, 6), ("$train.py:31 log", 45, 60),
        ("PjitFunction(f)", 110, 6))], id_=2)
    path = write(tmp_path, *planes)
    row = rows("devices", path)["gpu:0"]
    assert (row["host_late_micros"], row["idle_micros"], row["late_in"]) == (80, 80, "train.py:31 log")
    said = product.run("advise", path).stdout
    assert "(meanwhile train.py:31 log 60us, train.py:1 <module> 10us, PjitFunction(f) 2us)" in said


def test_kernels_are_of_the_step_that_launched_them(tmp_path):
    """Launches of JAX are on lines of their own, and kernels run on when the marker is over; a copy comes before all."""
    planes = gpu([kernel("a", 30 + 100 * i, 90, i, "dot.1") for i in range(4)],
                 [kernel("cuLaunchKernel", 12 + 100 * i, 1, i, "dot.1") for i in range(4)])
    planes[0].add_line("Stream #17(MemcpyH2D)", [("MemcpyH2D", at * US, 5 * US, {"correlation_id": id_}) for id_, at in
                                                 ((90, 4), (91, 150), (92, 335))], id_=17)
    planes[2].add_line("Host Threads/2", [("cuMemcpyHtoDAsync_v2", at * US, US, {"correlation_id": id_})
                                          for id_, at in ((90, 2), (91, 120), (92, 330))], id_=3)
    planes[2].add_line("python", [("train", (10 + 100 * i) * US, 30 * US, {"step_num": i, "_r": 1}) for i in range(4)], id_=2)
    path = write(tmp_path, *planes)
    assert [product.nodes(path, i, tmp_path) for i in range(4)] == [
        {"f/dot.1": (90, 1), **({"MemcpyH2D": (5, 1)} if i in (1, 3) else {})} for i in range(4)]
    assert "1 outside of all steps" in product.run("op", path).stderr
