"""What is concluded from traces of accelerators: the first sentence, steps, delays. All times are
planted."""

import json

import make
import product
import pytest

US = 1_000_000


def write(tmp_path, *planes, host="vm"):
    path = tmp_path / f"{host}.xplane.pb"
    path.write_bytes(make.space(*planes, host=host))
    return path


def sentence(*paths):
    return product.run(f"--xplane_path={','.join(map(str, paths))}").stdout.splitlines()[0]


def ask(question, path):
    result = product.run(question, path, "--output=json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def devices(path):
    return {row["name"]: row for row in ask("devices", path)["nodes"][1:]}


# ---- cores -----------------------------------------------------------------------------


def op(name, start, duration, program=7, flops=0, bytes_=0, opcode=None):
    opcode = opcode or name.split(".")[0]
    stats = [("program_id", program), ("hlo_category", opcode)]
    stats += [("model_flops", flops)] if flops else []
    stats += [("bytes_accessed", bytes_)] if bytes_ else []
    return ((f"%{name} = f32[8]{{0}} {opcode}(f32[8]{{0}} %x)", name, stats), (start + 5) * US, duration * US,
            {"device_offset_ps": start * US, "device_duration_ps": duration * US})


def core(number, ops, runs):
    plane = make.Plane(f"/device:TPU:{number}")
    plane.add_stat("device_type_string", "TPU v5 lite")
    plane.add_stat("peak_teraflops_per_second", 200.0)
    plane.add_stat("peak_hbm_bw_gigabytes_per_second", 800.0)
    plane.add_line("XLA Modules", [(f"jit_step({program})", (start + 5) * US, length * US, {})
                                   for program, start, length in runs])
    plane.add_line("XLA Ops", ops, id_=2)
    return plane


def training(number, runs=4):
    """500 us of products, 200 us of an all-reduce, 100 us of nothing, 200 us more of products."""
    ops = []
    for i in range(runs):
        at = 2000 * i
        ops += [op("fusion.1", at, 500, flops=40_000_000_000, bytes_=40_000_000),
                op("all-reduce.2", at + 500, 200), op("add.3", at + 800, 200)]
    return core(number, ops, [(7, 2000 * i, 1000) for i in range(runs)])


def test_collectives_do_not_compute(tmp_path):
    assert sentence(write(tmp_path, training(0), training(1))) == (
        "2 × TPU v5e, 4 runs of jit_step of 1.00 ms; 20 % of a run is spent in collectives; "
        "70 % computes, at 40 % of peak float operations; 10 % is idle.")


def test_a_program_on_some_devices(tmp_path):
    idle = core(1, [op("add.9", 10, 5, program=8)], [(8, 10, 5)])
    assert sentence(write(tmp_path, training(0), idle)).startswith(
        "2 × TPU v5e, 4 runs of jit_step of 1.00 ms on 1 of them; ")


def test_runs_that_differ(tmp_path):
    assert sentence(write(tmp_path, training(0), training(1, runs=3))).startswith(
        "2 × TPU v5e, 3 to 4 runs of jit_step of 1.00 ms; ")


def test_two_hosts_run_one_program(tmp_path):
    hosts = [write(tmp_path, training(0), training(1), host=host) for host in ("h0", "h1")]
    hosts[1].write_bytes(make.space(training(1), training(0), host="h1"))
    assert sentence(*hosts) == (
        "4 × TPU v5e, 4 runs of jit_step of 1.00 ms; 20 % of a run is spent in collectives; "
        "70 % computes, at 40 % of peak float operations; 10 % is idle.")


def test_hosts_that_run_different_programs(tmp_path):
    other = core(0, [op("add.9", 100 * i, 50, program=9) for i in range(3)],
                 [(9, 100 * i, 50) for i in range(3)])
    said = sentence(write(tmp_path, training(0), host="h0"), write(tmp_path, other, host="h1"))
    assert said.startswith("2 × TPU v5e, 7 runs of 2 programs; busy ")


def test_waits_for_collectives_are_collectives(tmp_path):
    ops = []
    for at in (0, 1000):
        ops += [op("all-gather-start.1", at, 1), op("add.2", at + 1, 299),
                (("%all-gather-done.1 = f32[8]{{0}} all-gather-done((f32[8], f32[8]) %all-gather-start.1)",
                  "all-gather-done.1", [("program_id", 7)]), (at + 305) * US, 100 * US,
                 {"device_offset_ps": (at + 300) * US, "device_duration_ps": 100 * US})]
    assert sentence(write(tmp_path, core(0, ops, [(7, 0, 400), (7, 1000, 400)]))) == (
        "1 × TPU v5e, 2 runs of jit_step of 0.40 ms; 25 % of a run is spent in collectives; "
        "75 % computes.")


def stretched(us):
    """The host's clock, in ps: it began earlier and runs slower."""
    return round((7000 + 1.3 * us) * US)


def marked(number, has_clock, waits=0):
    """Runs of 900 us every 2 ms, in steps that begin 100 us before."""
    def event(name, start, duration, meta=(), is_clocked=True):
        clock = {"device_offset_ps": start * US, "device_duration_ps": duration * US}
        return ((name, name.split(" ")[0][1:], [("program_id", 7), *meta]) if meta else name,
                stretched(start), stretched(start + duration) - stretched(start), clock if is_clocked else {})

    plane = make.Plane(f"/device:TPU:{number}")
    plane.add_stat("device_type_string", "TPU v5")
    add = ("%add.1 = f32[8] add(f32[8] %x)", [("hlo_category", "add")])
    psum = ("%all-reduce.2 = f32[8] all-reduce(f32[8] %x)", [("tf_op", "jit(f)/psum:")])
    starts = [2000 * i + 200 for i in range(4)]
    plane.add_line("Steps", [event(str(30 + i), start - 100, 1000 + 10 * number, is_clocked=has_clock)
                             for i, start in enumerate(starts)], timestamp_ns=0, id_=1)
    plane.add_line("XLA Modules", [event("jit_f(7)", start - 100, 1000, is_clocked=False)
                                   for start in starts], timestamp_ns=0, id_=2)
    plane.add_line("XLA Ops", [event(name, start + first, duration, meta) for start in starts
                               for (name, meta), first, duration in ((add, 0, 600), (psum, 700, 200))],
                   timestamp_ns=0, id_=3)
    if waits:
        plane.add_line("XLA TraceMe", [("barrier-cores", start * US, waits * US) for start in starts],
                       timestamp_ns=0, id_=4)
    for i, name in enumerate(["Framework Name Scope", "Framework Ops", "Source code", "Overlay"]):
        plane.add_line(name, [event("f", start, 900) for start in starts], timestamp_ns=0, id_=5 + i)
    return plane


@pytest.mark.parametrize("has_clock, first, second", [(True, 1000, 1010), (False, 900, 900)])
def test_steps_of_cores(has_clock, first, second, tmp_path):
    """By the device's clock; without it, from the first operation to the end of the last."""
    path = write(tmp_path, marked(0, has_clock, waits=90), marked(1, has_clock))
    rows = devices(path)
    for name, length, waits in ("tpu:0", first, 4 * 90), ("tpu:1", second, None):
        row = rows[name]
        assert (row["product"], row["steps"], row["step_micros"], row["step_busy_micros"]) == (
            "TPU v5p", 4, length, 800)
        assert row["dependency_micros"] == waits
    document = ask("step", path)
    assert (document["steps_by"], document["wall_micros"]) == ("device steps", max(first, second))
    parts = {row["name"]: row["micros"] for row in document["nodes"] if row["depth"] == 2}
    assert (parts["compute"], parts["communication"]) == (600, 200)
    kinds = {row["name"]: row["kind"] for row in ask("op", path)["nodes"]}
    assert kinds["psum"] == "collective"


def test_what_is_left_out_is_known(tmp_path):
    """Lines that repeat others, and planes that are no devices, are not worth a word."""
    known, other = marked(0, True, waits=1), make.Plane("/device:CUSTOM:Megascale Trace")
    path = write(tmp_path, known, other)
    assert "not read" not in product.run("op", path).stderr
    known.add_line("Another engine", [("x", 0, US)], timestamp_ns=0, id_=20)
    assert "not read: 1 line of a device" in product.run("op", write(tmp_path, known, other)).stderr


# ---- streams ---------------------------------------------------------------------------


def kernel(name, start, duration, **stats):
    return name, start * US, duration * US, stats


def gpu(*streams, number=0):
    plane = make.Plane(f"/device:GPU:{number}")
    for i, events in enumerate(streams):
        plane.add_line(f"Stream #{13 + i}(Kernel)", events, id_=13 + i)
    return plane


@pytest.mark.parametrize("plane", ["/host:CPU", "/host:CUPTI"])
def test_a_graph_of_kernels_is_launched_once(plane, tmp_path):
    """Later kernels of the graph do not wait for a launch; its call is no time of each."""
    host = make.Plane(plane)
    host.add_line("1", [kernel("cuGraphLaunch", 1000 * i, 8, correlation_id=i) for i in range(3)])
    kernels = [kernel("k", 1000 * i + 15 + 30 * k, 28, correlation_id=i, hlo_op=f"fusion.{k}",
                      hlo_module="jit_f", program_id=6) for i in range(3) for k in range(20)]
    path = write(tmp_path, host, gpu(kernels))
    row = devices(path)["gpu:0"]
    assert (row["launch_delay_micros"], row["bound"]) == (15, "launch-bound")
    assert row["host_late_micros"] == 2 * (1015 - (15 + 19 * 30 + 28))
    assert sum(node["launch_micros"] for node in ask("op", path)["nodes"]) == 3 * 8


def test_groups_are_steps(tmp_path):
    """Two streams; nothing else tells steps. The same node runs once in each."""
    def events(first, length):
        return [kernel("k", 1000 * group + first, length, group_id=group, tf_op="dense/MatMul:MatMul")
                for group in range(5)]
    path = write(tmp_path, gpu(events(100, 200), events(250, 150)))
    document = ask("step", path)
    assert (document["steps_by"], document["wall_micros"]) == ("device steps", 300)
    parts = {row["name"]: row["micros"] for row in document["nodes"] if row["depth"] == 2}
    assert {part: us for part, us in parts.items() if us} == {"compute": 300}
    row = devices(path)["gpu:0"]
    assert (row["steps"], row["step_micros"], row["step_busy_micros"], row["executions"]) == (5, 300, 300, 10)
    assert "a step takes 0.30 ms on gpu:0, which is busy 0.30 ms of it and idle 0 %" in sentence(path)


def test_runs_of_a_program_on_a_stream_are_steps(tmp_path):
    kernels = [kernel("k", 1000 * i + 100 * k, 90, hlo_op=name, hlo_module="jit_f", program_id=6)
               for i in range(4) for k, name in enumerate(["a", "b", "b", "c"])]
    document = ask("step", write(tmp_path, gpu(kernels)))
    assert (document["steps_by"], document["wall_micros"]) == ("runs of jit_f", 390)
    assert sum(row["depth"] == 1 for row in document["nodes"]) == 4


def test_a_single_operation_tells_no_runs(tmp_path):
    kernels = [kernel("k", 100 * i, 50, hlo_op="a", hlo_module="jit_f", program_id=6) for i in range(4)]
    path = write(tmp_path, gpu(kernels))
    assert len(ask("step", path)["nodes"]) == 1
    assert " no steps, " in product.run(path).stdout


def test_launching_is_not_computing(tmp_path):
    """The operation on the host only launches; the kernel has its name, not that of its code."""
    host = make.Plane("/host:CPU")
    host.add_line("tf_executor", [
        event for i in range(3) for event in (
            ("y/Mul:Mul", 1000 * i * US, 300 * US),
            kernel("cudaLaunchKernel", 1000 * i + 10, 20, correlation_id=i))])
    device = gpu([kernel("void a::b::Kernel<c>(int*)", 1000 * i + 300, 400, correlation_id=i,
                         group_id=i, annotation="y/Mul:Mul") for i in range(3)])
    device.add_line("Steps", [(str(i), 1000 * i * US, 1000 * US) for i in range(3)], id_=99)
    document = ask("step", write(tmp_path, host, device))
    parts = {row["name"]: row for row in document["nodes"] if row["depth"] == 2}
    assert parts["compute"]["micros"] == 400
    assert parts["dispatch"]["micros"] == pytest.approx(300, abs=21)
    causes = [row["name"] for row in document["nodes"] if row["parent"] == parts["compute"]["id"]]
    assert causes == ["y/Mul"]


def test_gaps_before_kernels_without_launches(tmp_path):
    """Whether the host was late is not known there: it is neither that nor a dependency."""
    host = make.Plane("/host:CPU")
    host.add_line("1", [kernel("cuLaunchKernel", 0, 2, correlation_id=1),
                        kernel("cuLaunchKernel", 50, 2, correlation_id=2),
                        kernel("cuLaunchKernel", 55, 2, correlation_id=4)])
    path = write(tmp_path, host, gpu([
        kernel("a", 10, 10, correlation_id=1), kernel("b", 60, 10, correlation_id=2),
        kernel("c", 100, 10, correlation_id=3), kernel("d", 200, 10, correlation_id=4)]))
    row = devices(path)["gpu:0"]
    assert (row["idle_micros"], row["host_late_micros"], row["dependency_micros"]) == (160, 40, 90)


@pytest.mark.parametrize("type_, kind", [
    ("GreaterEqual", "element-wise"), ("RandomUniform", "element-wise"), ("Cast", "data movement"),
    ("SelectV2", "element-wise"), ("ResourceApplyAdam", "element-wise"), ("MatMul", "matmul"),
    ("NoSuchOp", "other"), ("Sum", "reduction"), ("GatherV2", "gather/scatter/sort")])
def test_kinds_of_types_of_tensorflow(type_, kind, tmp_path):
    path = write(tmp_path, gpu([kernel("k", 0, 10, tf_op=f"x/y:{type_}")]))
    rows = ask("op", path)["nodes"]
    result = product.run("op", path, "--by=kind", "--output=json")
    assert [row["name"] for row in json.loads(result.stdout)["nodes"][1:]] == [kind], rows
