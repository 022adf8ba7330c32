#!/usr/bin/env python3
"""Large files with little memory: an answer, which is that without a limit, or one line that says why not.

    tests/trust/large.py [BYTES_OF_TRACE] [N_NODES]

Prints a line for each file and limit of the address space (as of ulimit -v).
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "xplane")]
import make  # noqa: E402
import tree  # noqa: E402
from wire import field  # noqa: E402

US = 1_000_000
SHARES = (0.5, 1, 2, 3, 5, 8, 16)  # of the size of the file, besides 64 MB


def write_trace(path, n_bytes):
    """Lines that are copies of one, of 1,000 names."""
    host = make.Plane("/host:CPU")
    host.add_line("tf_Compute/0", [(f"n{i % 1000}:Add", i * 10 * US, 9 * US, {}) for i in range(100_000)])
    line = field(3, host.lines.pop())
    names = host.bytes()
    n = n_bytes // len(line) + 1
    with open(path, "wb") as file:
        size = len(names) + n * len(line)
        file.write(field(1, b"")[:1] + make_length(size) + names)
        for _ in range(n):
            file.write(line)


def make_length(size):
    return field(1, size)[1:]


def write_graph(path, n_nodes):
    with open(path, "wb") as file:
        for first in range(0, n_nodes, 10_000):
            file.write(b"".join(field(1, field(1, f"layer_{i % 1000}/op_{i}") + field(2, f"Type{i % 50}"))
                                for i in range(first, min(first + 10_000, n_nodes))))


def ask(path, limit=None):
    def lower():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return subprocess.run([tree.program(), "op", path, "--select=occurrence,micros"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, preexec_fn=lower, check=False)


def check(path):
    size, whole = path.stat().st_size, ask(path)
    assert whole.returncode == 0, whole.stderr
    for share in SHARES:
        limit = int(share * size) + (64 << 20)
        done = ask(path, limit)
        print(f"{path.name}, {size >> 20} MB, limit {limit >> 20} MB: ",
              "answered" if done.returncode == 0 else done.stderr.strip(), flush=True)
        if done.returncode == 0:
            assert done.stdout == whole.stdout
        else:
            assert done.returncode == 1 and done.stdout == "", (done.returncode, done.stdout)
            assert done.stderr.startswith("tfprof: ") and done.stderr.count("\n") == 1, done.stderr
    assert done.returncode == 0, "with sixteen times the size of the file"


def main(n_bytes=1_100_000_000, n_nodes=10_000_000):
    with tempfile.TemporaryDirectory() as folder:
        for name, write, n in (("trace.xplane.pb", write_trace, n_bytes), ("graph.pb", write_graph, n_nodes)):
            path = pathlib.Path(folder, name)
            write(path, n)
            check(path)
            path.unlink()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
