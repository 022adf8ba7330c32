"""record.py {jax,tf} FOLDER [NAME…]: runs programs, and writes NAME.xplane.pb.gz and NAME.truth.json.

What other programs do makes clocks wrong: then a program is run again, and the quietest recording stays."""

import importlib
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import clocked  # noqa: E402


def record(framework, folder, name):
    """A process of its own for each time: a program must not find what another has compiled."""
    best, kept = None, os.path.join(folder, "kept_" + name)
    for _ in range(3):
        subprocess.run([sys.executable, __file__, "--one", framework, folder, name], check=True, timeout=300)
        with open(os.path.join(folder, name + ".truth.json"), encoding="ascii") as truth:
            preempted = json.load(truth)["preempted"]
        if best is None or preempted < best:
            best = preempted
            for end in (".truth.json", ".xplane.pb.gz"):
                shutil.copyfile(os.path.join(folder, name + end), kept + end)
        if best <= 2:
            break
    for end in (".truth.json", ".xplane.pb.gz"):
        os.replace(kept + end, os.path.join(folder, name + end))


def main():
    if sys.argv[1] == "--one":
        return run_one(*sys.argv[2:])
    framework, folder, names = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    importlib.import_module(framework + "_programs")
    for name in names or clocked.PROGRAMS:
        record(framework, folder, name)


def run_one(framework, folder, name):
    programs = importlib.import_module(framework + "_programs")
    raw = os.path.join(folder, "raw_" + name)
    shutil.rmtree(raw, ignore_errors=True)
    function = clocked.PROGRAMS[name]
    function(clocked.Run(programs, function, raw))
    shutil.rmtree(raw)


if __name__ == "__main__":
    main()
