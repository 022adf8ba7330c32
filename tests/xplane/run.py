#!/usr/bin/env python3
"""Random traces: tfprof against XProf and against reference.py.

    run.py [--seed N] [--count N] [--keep DIRECTORY]

XProf judges sums per operation (occurrences, total and self time), reference.py what
belongs to which step on a host. Needs the environment of tools/venv-xprof."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]

import expected  # noqa: E402
import product  # noqa: E402
import random_trace  # noqa: E402
import reference  # noqa: E402
import tree  # noqa: E402
import xspace  # noqa: E402


class XProf:
    def __init__(self):
        python = subprocess.run([os.path.join(tree.TOP, "tools", "venv-xprof")], check=True,
                                capture_output=True, text=True).stdout.strip()
        self.process = subprocess.Popen([python, os.path.join(HERE, "ask_xprof.py")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)

    def ask(self, path, tool):
        self.process.stdin.write(f"{path} {tool}\n")
        self.process.stdin.flush()
        return expected.table(json.loads(self.process.stdout.readline()))


def steps_of(path):
    """All rows of each step, from the program."""
    said = product.run("op", path, "--step=123456789").stderr
    return [int(word) for word in said.partition("Available steps:")[2].split()
            if word.lstrip("-").isdigit()]


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1)


def check_host(data, rows):
    """XProf's rows of the host against reference.py, which has the outside, too. XProf's own time is that of the
    operation's event; it does not follow the tasks that the operation queued."""
    sums = defaultdict(lambda: [0, 0, 0])
    for row in reference.read(data):
        for i, key in enumerate(("count", "total_ps", "event_ps")):
            sums[row["node"]][i] += row[key]
    for row in rows:
        if row["host_or_device"] != "Host" or row["type"] in ("IDLE", "Dataset"):
            continue
        count, total, own = sums.pop(row["operation"], (0, 0, 0))
        if not (row["occurrences"] == count and near(row["total_time"], total / 1e6)
                and near(row["total_self_time"], own / 1e6)):
            yield (f"host: {row['operation']} {count} {total} {own}, XProf {row['occurrences']} "
                   f"{row['total_time']} {row['total_self_time']}")
    yield from (f"host: XProf lacks {name}" for name in sums)


def check_steps(data, path, directory):
    """The program against reference.py, per node and step."""
    want = defaultdict(dict)
    for row in reference.read(data):
        if row["step"] is not None:
            want[row["step"]][row["node"]] = ((row["self_ps"] + 500_000) // 1_000_000, row["count"])
    for step in sorted(want):
        rows, _ = product.query("scope", path, f"--step={step}", directory=directory)
        found = {row["name"]: (int(row["cpu_exec_micros"]), int(row["run_count"])) for row in rows
                 if int(row["run_count"]) and not int(row["accelerator_exec_micros"])}
        # an operation of no time may be on an accelerator
        found = {name: row for name, row in found.items() if name in want[step] or row[0]}
        if found != want[step]:
            yield f"step {step}: {sorted(set(found.items()) ^ set(want[step].items()))[:6]}"


def count_following(data):
    """{operation: kernels that follow another of the same on their stream}: XProf counts kernels of
    GPUs, and these may be of one execution."""
    following = defaultdict(int)
    for plane in xspace.Space(data).planes:
        for line in plane.lines if plane.name.startswith("/device:GPU:") else ():
            last = None
            for event in sorted(line.events, key=lambda event: (event.start, -event.duration)):
                op = event.stats.get("hlo_op")
                following[op] += op == last
                last = op
    return following


def check_device(path, data, rows, hlo, directory):
    """The program's sums over steps against XProf's rows of a device: those of its framework
    operations are sums over scopes, those of HLO operations leaves."""
    following = count_following(data)
    total, leaf = defaultdict(int), defaultdict(lambda: [0, 0])
    for step in steps_of(path):
        for row in product.query("scope", path, f"--step={step}", directory=directory)[0]:
            total[row["name"]] += int(row["total_accelerator_exec_micros"])
            if int(row["accelerator_exec_micros"]) or int(row["run_count"]):
                leaf[row["name"]][0] += int(row["run_count"])
                leaf[row["name"]][1] += int(row["accelerator_exec_micros"])
    slack = 20  # one rounding for each node and step
    for row in rows:
        if row["host_or_device"] == "Device" and row["type"] != "IDLE":
            if abs(total[row["operation"]] - row["total_self_time"]) > slack:
                yield f"device: {row['operation']} {total[row['operation']]}, XProf {row}"
    for row in hlo:
        if not row["tf_op_name"]:
            continue
        path_ = row["tf_op_name"].split(":")[0]
        name = f"{path_}/{row['hlo_op_name']}"
        if row["program_id"] != "6":
            continue  # a kernel of TensorFlow, whose node is the operation
        count, own = leaf[name]
        least = row["occurrences"] - following[row["hlo_op_name"]]
        if not least <= count <= row["occurrences"] or abs(own - row["total_self_time"]) > slack:
            yield f"hlo: {name} {count} {own}, XProf {row['occurrences']} {row['total_self_time']}"


def check(seed, xprof, directory):
    data = random_trace.Maker(seed, open(os.path.join(HERE, "tiny_hlo.pb"), "rb").read()).trace()
    path = directory / f"{seed}.xplane.pb"
    path.write_bytes(data)
    rows = xprof.ask(path, "framework_op_stats")
    differences = list(check_host(data, rows)) + list(check_steps(data, path, directory))
    if b"/device:" in data:
        differences += check_device(path, data, rows, xprof.ask(path, "hlo_stats"), directory)
    if not differences:
        path.unlink()
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--keep", default=None)
    options = parser.parse_args()
    directory = pathlib.Path(options.keep or tempfile.mkdtemp())
    directory.mkdir(exist_ok=True)
    xprof, failed = XProf(), 0
    for seed in range(options.seed, options.seed + options.count):
        differences = check(seed, xprof, directory)
        failed += bool(differences)
        for difference in differences[:5]:
            print(f"{directory / str(seed)}.xplane.pb: {difference}")
    print(f"{options.count - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
