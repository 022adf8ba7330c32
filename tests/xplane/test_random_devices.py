"""Random traces of accelerators, against a slow reading of them."""

import json
import re
from collections import defaultdict

import product
import pytest
import random_devices
import slow_devices as slow
import xspace


def ask(question, path, *more):
    result = product.run(question, path, "--output=json", *more)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["nodes"]


def check_steps(row, device):
    """They are by the host's clock: each is from its first operation to the end of its last."""
    inside = [[r for r in device.ran if start <= r.host_start < end] for start, end in device.steps]
    spans = [(min(r.start for r in ran), max(r.end for r in ran)) for ran in inside if ran]
    busy = [slow.overlap([(r.start, r.end) for r in device.ran], *span) for span in spans]
    assert row["steps"] == len(spans)
    assert row["step_micros"] == slow.to_us(sum(end - start for start, end in spans) // len(spans))
    assert row["step_busy_micros"] == slow.to_us(sum(busy) // len(spans))


def check_devices(path, want):
    found = {row["name"]: row for row in ask("devices", path)[1:] if row["kind"] != "cpu"}
    assert found.keys() == want.keys()
    for name, device in want.items():
        row = found[name]
        busy, span = device.busy(), device.span()
        assert (row["lanes"], row["busy_micros"], row["span_micros"], row["idle_micros"], row["kernel_busy_micros"]) == (
            len(device.lines), slow.to_us(busy), slow.to_us(span), slow.to_us(span - busy),
            slow.to_us(device.kernel_busy()))
        if not device.is_gpu:
            assert row["runs"] == len(device.modules or device.runs())
            if device.steps:
                check_steps(row, device)
            assert row["waiting_micros"] == slow.to_us(sum(
                r.self_ps for r in device.ran if r.event.meta.display.startswith("copy-done")))
            continue
        delay = device.delay()
        if delay is None or delay < 0:
            assert row["launch_delay_micros"] is None and not row["dependency_micros"]
            continue
        assert row["launch_delay_micros"] == pytest.approx(delay / 1e6, abs=1e-6)
        assert (row["host_late_micros"], row["dependency_micros"]) == tuple(map(slow.to_us, device.gaps()))


def check_operations(path, want):
    """Own times, and kernels; of all devices."""
    if any(device.steps for device in want.values()):
        return  # views are of a step on average
    times, counts = defaultdict(int), defaultdict(int)
    for device in want.values():
        for r in device.ran:
            op = r.event.stats.get("hlo_op") or r.event.meta.display
            if device.is_gpu and not op:
                op = slow.copy_of(r)
            times[op] += r.self_ps
            counts[op.split(".")[0]] += 1
    found = defaultdict(int)
    for row in ask("scope", path, "--select=micros,occurrence", "--max_depth=9")[1:]:
        if row["run_count"]:
            op = re.sub(r" \(.*\)$", "", row["name"]).split("/")[-1]
            found[op] += row["exec_micros"]
    assert found.keys() == times.keys()
    for op, ps in times.items():
        assert abs(found[op] - ps / 1e6) <= 2  # a rounding for each program
    assert {row["name"]: row["kernel_count"] for row in ask("op", path)[1:]} == counts


def check_transfers(path, want):
    copies, pairs = defaultdict(lambda: [0, 0, 0]), [0, 0, 0]
    for device in want.values():
        computing = [(r.start, r.end) for r in device.ran if device.is_gpu and not slow.copy_of(r)]
        for r in device.ran:
            if device.is_gpu and slow.copy_of(r):
                sums = copies[slow.copy_of(r)]
                sums[0] += 1
                sums[1] += r.duration
                sums[2] += r.duration - slow.overlap(computing, r.start, r.end)
        for _, _, ran in [] if device.is_gpu else device.runs():
            begun = [r for r in ran if r.event.meta.display.startswith("copy-start")]
            for r in (r for r in ran if r.event.meta.display.startswith("copy-done")):
                if begun:
                    pairs[0] += 1
                    pairs[1] += r.end - begun.pop(0).start
                    pairs[2] += r.self_ps
    found = defaultdict(lambda: [0, 0, 0])  # programs may have the same
    for row in ask("transfers", path)[1:]:
        numbers = row["count"], row["in_flight_micros"], row["exposed_micros"]
        found[row["name"]] = [a + b for a, b in zip(found[row["name"]], numbers)]
    for name, sums in copies.items():
        assert found[name] == pytest.approx([sums[0], sums[1] / 1e6, sums[2] / 1e6])
    done = [sum(row[i] for name, row in found.items() if name.startswith("copy-done")) for i in range(3)]
    assert done == pytest.approx([pairs[0], pairs[1] / 1e6, pairs[2] / 1e6])


def check_sentence(path, want):
    """Of TPUs: the runs of the program that has most of the time."""
    if any(device.is_gpu for device in want.values()):
        return
    runs = {name: device.runs() for name, device in want.items()}
    said = product.run(path).stdout.splitlines()[0]
    programs = {r.event.meta.stats["program_id"] for every in runs.values() for *_, ran in every for r in ran}
    if len(programs) > 1:
        return
    least, most = min(map(len, runs.values())), max(map(len, runs.values()))
    if most > 1:
        spans = [end - start for every in runs.values() for start, end, _ in every]
        mean = sum(spans) / len(spans) / 1e6
        assert re.search(f", {f'{least} to ' if least < most else ''}{most} runs of ", said), said
        assert abs(float(re.search(r" of (\d+\.\d) us", said)[1]) - mean) <= 0.06, said


@pytest.mark.parametrize("seed", range(16))
def test_devices_of_random_traces(seed, tmp_path):
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(random_devices.Maker(seed).trace())
    want = slow.devices(xspace.Space(path.read_bytes()))
    check_devices(path, want)
    check_operations(path, want)
    if any(device.is_gpu and slow.copy_of(r) or not device.is_gpu for device in want.values() for r in device.ran):
        check_transfers(path, want)
    check_sentence(path, want)
