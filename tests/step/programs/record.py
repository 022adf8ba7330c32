"""record.py {jax,tf} FOLDER [NAME…]: runs programs, and writes NAME.xplane.pb.gz and NAME.truth.json."""

import importlib
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import clocked  # noqa: E402


def main():
    framework, folder, names = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    programs = importlib.import_module(framework + "_programs")
    if len(names) != 1:  # a program must not find what another has compiled
        for name in names or clocked.PROGRAMS:
            subprocess.run([sys.executable, __file__, framework, folder, name], check=True, timeout=300)
        return
    raw = os.path.join(folder, "raw_" + names[0])
    shutil.rmtree(raw, ignore_errors=True)
    function = clocked.PROGRAMS[names[0]]
    function(clocked.Run(programs, function, raw))
    shutil.rmtree(raw)


if __name__ == "__main__":
    main()
