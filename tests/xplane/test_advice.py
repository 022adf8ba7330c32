"""Every checker that applies to traces: one on which it must report, and one on which not."""

import json

import make
import product
import pytest

US = 10**6
MS = 1000 * US


def gpu_trace(kernels, step=10 * MS, n_steps=4, ops=(), memory=(), queued=US // 2):
    """Steps whose kernels are (name, start, duration, stats) from the start of a step on; each is
    launched by the host so long before, as are operations and events of memory."""
    host, device = make.Plane("/host:CPU"), make.Plane("/device:GPU:0")
    events, work, launched, id_ = [], [], [], 0
    for number in range(n_steps):
        at = number * step
        events.append(("train", at, step - US, {"step_num": number, "_r": 1}))
        for name, start, duration, stats in kernels(number) if callable(kernels) else kernels:
            id_ += 1
            launched.append(("cuLaunchKernel", at + start - queued, US // 4,
                             {"correlation_id": id_}))
            work.append((name, at + start, duration, {**stats, "correlation_id": id_}))
        launched += [(name, at + start, duration, stats) for name, start, duration, stats in ops]
        launched += [(name, at + start, 0, stats) for name, start, stats in memory]
    host.add_line("python", events + launched, id_=1)
    device.add_line("Stream #1(Compute)", work, id_=1)
    return make.space(host, device)


def kernels(n, duration, gap, start=10 * US, op="model/dense/MatMul:MatMul"):
    return [("gemm", start + i * (duration + gap), duration, {"tf_op": op}) for i in range(n)]


def host_trace(steps, host="vm"):
    """Steps of operations (name, start, duration) from their start on; times of their markers."""
    events, at = [], 0
    for number, (length, ops) in enumerate(steps):
        events.append(("train", at, length, {"step_num": number, "_r": 1}))
        events += [(name, at + start, duration, {}) for name, start, duration in ops]
        at += length + US
    plane = make.Plane("/host:CPU")
    plane.add_line("python", events)
    return make.space(plane, host=host)


def advice(checker, tmp_path, *traces, options=""):
    """The findings of a checker, and why it was not asked."""
    paths = []
    for i, data in enumerate(traces):
        paths.append(tmp_path / f"host{i}.xplane.pb")
        paths[-1].write_bytes(data)
    out = tmp_path / "advice.json"
    result = product.run("advise", f"--xplane_path={','.join(map(str, paths))}",
                         f"--checker={checker}{options}", f"--output=json:outfile={out}")
    assert result.returncode == 0, result.stderr
    (found,) = json.loads(out.read_text())["checkers"]
    return found["findings"], found.get("reason")


def matmul(duration):
    return [("model/MatMul:MatMul", 0, duration)]


def copies(duration):
    return [("MemcpyH2D", 10 * US, duration, {"memcpy_details": "kind:1 size:4096"})]


def alloc(bytes_, in_use, op, at=20 * US, address=1):
    return ("MemoryAllocation", at, {
        "allocator_name": "GPU_0_bfc", "requested_bytes": bytes_, "allocation_bytes": bytes_,
        "addr": address, "bytes_allocated": in_use, "bytes_reserved": 0, "tf_op": op,
        "region_type": "output", "peak_bytes_in_use": in_use})


INPUT = "IteratorGetNext:IteratorGetNext"
CASES = {
    # kernels take 200 µs of a step of 10 ms, or 2000 µs of one of 2100
    "AcceleratorUtilizationChecker": (gpu_trace(kernels(20, 10 * US, 90 * US)),
                                      gpu_trace(kernels(20, 100 * US, 1 * US), step=2100 * US)),
    # 90 of 100 µs between the first kernel and the last are idle, or 1 of 101
    "IdleGapChecker": (gpu_trace(kernels(20, 10 * US, 90 * US)),
                       gpu_trace(kernels(20, 100 * US, 1 * US))),
    # a copy of half the step, or of a hundredth
    "MemcpyChecker": (gpu_trace(copies(4 * MS) + kernels(1, 4 * MS, 0, start=5 * MS)),
                      gpu_trace(copies(80 * US) + kernels(1, 8 * MS, 0, start=1 * MS))),
    # input alone for half the step, or a hundredth of it
    "InputPipelineChecker": (
        host_trace([(10 * MS, [(INPUT, US, 5 * MS), ("a/MatMul:MatMul", 6 * MS, 4 * MS)])] * 3),
        host_trace([(10 * MS, [(INPUT, US, 100 * US), ("a/MatMul:MatMul", MS, 8 * MS)])] * 3)),
    # one step of eight takes three times as long, or all are even
    "StepOutlierChecker": (
        host_trace([((30 if i == 5 else 10) * MS, matmul((29 if i == 5 else 9) * MS))
                    for i in range(8)]),
        host_trace([(10 * MS, matmul((9000 + i) * US)) for i in range(8)])),
    "ExpensiveOperationChecker": (host_trace([(10 * MS, matmul(9 * MS))]),
                                  host_trace([(10 * MS, [])])),
}


@pytest.mark.parametrize("checker", CASES)
def test_reports(checker, tmp_path):
    findings, reason = advice(checker, tmp_path, CASES[checker][0])
    assert findings and not reason, reason


@pytest.mark.parametrize("checker", CASES)
def test_does_not_report(checker, tmp_path):
    findings, _ = advice(checker, tmp_path, CASES[checker][1])
    assert [f for f in findings if f["level"] != "none"] == []


def test_a_slow_step_is_told_by_its_wall(tmp_path):
    """Not by its operations, which take 29 ms of it."""
    (finding,), _ = advice("StepOutlierChecker", tmp_path, CASES["StepOutlierChecker"][0])
    assert finding["step"] == 5 and finding["figures"]["micros"] == 30000


def hosts(*durations):
    return [host_trace([(20 * MS, matmul(ms * MS))] * 4, host=f"vm{i}")
            for i, ms in enumerate(durations)]


def test_a_straggler_among_hosts(tmp_path):
    findings, reason = advice("StragglerChecker", tmp_path, *hosts(5, 5, 15, 5, 5))
    assert findings and not reason, reason
    assert any("vm2" in f["text"] for f in findings)
    assert not any(f"vm{i}" in f["text"].split(":")[0] for f in findings for i in (0, 1, 3, 4))


def test_even_hosts(tmp_path):
    assert advice("StragglerChecker", tmp_path, *hosts(5, 5, 5, 5, 5)) == ([], None)


def test_tiny_kernels(tmp_path):
    """The host takes 30 µs for each operation, its kernel 2."""
    ops = [(f"model/op_{i}:Add", (20 + 40 * i) * US, 30 * US, {}) for i in range(150)]

    def trace(duration, queued=US // 2):
        return gpu_trace([("k", start + 300 * US, duration, {"tf_op": name})
                          for name, start, _, _ in ops], ops=ops, queued=queued)
    findings, reason = advice("TinyKernelChecker", tmp_path, trace(2 * US))
    assert findings and not reason, reason
    assert advice("TinyKernelChecker", tmp_path, trace(35 * US)) == ([], None)
    assert advice("TinyKernelChecker", tmp_path, trace(2 * US, queued=99 * US))[0]
    assert advice("TinyKernelChecker", tmp_path, trace(2 * US, queued=101 * US)) == ([], None)


def test_the_peak_of_memory(tmp_path):
    busy = kernels(12, 10 * US, US)
    memory = [alloc(900, 950, "model/dense/MatMul")]
    findings, reason = advice("MemoryPeakChecker", tmp_path, gpu_trace(busy, memory=memory),
                              options=":limit_bytes=1000")
    assert not reason and [f["level"] for f in findings] == ["warning"], (reason, findings)
    findings, _ = advice("MemoryPeakChecker", tmp_path, gpu_trace(busy, memory=memory),
                         options=":limit_bytes=10000")
    assert [f for f in findings if f["level"] != "none"] == []


def busy_trace(*devices):
    """Devices that run (start, duration), in microseconds, each in a kernel or operation."""
    planes = [make.Plane("/host:CPU")]
    planes[0].add_line("python", [("main", 0, US)])
    for name, runs in devices:
        planes.append(make.Plane(f"/device:{name}"))
        planes[-1].add_line("XLA Ops" if "TPU" in name else "Stream #1(Compute)",
                            [("%add.1 = f32[8]{0} add(f32[8]{0} %x)" if "TPU" in name else "gemm",
                              start * US, duration * US) for start, duration in runs])
    return make.space(*planes)


@pytest.mark.parametrize("kind", ["GPU", "TPU"])
def test_utilization_is_busy_of_span(kind, tmp_path):
    """Of each device by itself: 900 of 1000 µs, 200 of 2000, and 2 of 500, which is hardly used."""
    findings, reason = advice("AcceleratorUtilizationChecker", tmp_path, busy_trace(
        (f"{kind}:0", [(0, 400), (500, 500)]), (f"{kind}:1", [(0, 100), (1900, 100)]),
        (f"{kind}:2", [(0, 1), (499, 1)])))
    assert not reason
    assert {f["where"][0]["device"].split("device:")[1]:
            (f["what"], f["level"], f["figures"]["utilization"]) for f in findings} == {
        f"{kind.lower()}:0": ("utilization", "none", pytest.approx(0.9)),
        f"{kind.lower()}:1": ("low_utilization", "warning", pytest.approx(0.1)),
        f"{kind.lower()}:2": ("hardly_used", "none", pytest.approx(0.004))}


@pytest.mark.parametrize("in_use,level", [(500, "none"), (950, "warning"), (990, "high")])
def test_recorded_memory_is_the_limit(in_use, level, tmp_path):
    name, at, stats = alloc(900, in_use, "model/dense/MatMul")
    memory = [(name, at, {**stats, "bytes_available": 1000 - in_use})]
    (finding,), reason = advice("MemoryPeakChecker", tmp_path,
                                gpu_trace(kernels(12, 10 * US, US), memory=memory))
    assert not reason and finding["level"] == level
    assert f"{in_use // 10}% of its memory" in finding["text"]


def test_launches_of_tpus(tmp_path):
    trace = busy_trace(("TPU:0", [(10 * i, 1) for i in range(200)]))
    assert advice("TinyKernelChecker", tmp_path, trace) == ([], "launches are not recorded on TPUs")


def test_idle_tpu(tmp_path):
    """9 of 10 µs between operations."""
    findings, _ = advice("IdleGapChecker", tmp_path,
                         busy_trace(("TPU:0", [(10 * i, 1) for i in range(200)])))
    assert any(f["what"] == "idle_accelerator" and "tpu:0" in f["text"] for f in findings)
