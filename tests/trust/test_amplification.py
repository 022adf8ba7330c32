"""Small files that would take gigabytes or hours: what they name many times is counted before it is made."""

import os
import pathlib
import resource
import struct
import subprocess
import sys

import pytest
import tree
from wire import field, node

sys.path.append(str(pathlib.Path(tree.TESTS, "xplane")))
import large  # noqa: E402
import make  # noqa: E402

US = 10**6
GB = 10**9


def run(*arguments, memory=GB):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
    return subprocess.run([tree.program(), *map(str, arguments)], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, preexec_fn=limit)


def test_many_devices_in_many_steps(tmp_path):
    """Parts of each step on each device: 4,000 × 20,000 would take 7 GB of a file of 1 MB."""
    host, devices = make.Plane("/host:CPU"), []
    host.add_line("python", [("train", i * 100 * US, 90 * US, {"step_num": i, "_r": 1}) for i in range(20_000)])
    for i in range(4000):
        devices.append(make.Plane(f"/device:GPU:{i}"))
        devices[i].add_line("Stream #1", [("k", 10 * US, US, {})])
    path = tmp_path / "t.xplane.pb"
    path.write_bytes(make.space(host, *devices))
    for question in ("step", "overview", "advise"):
        done = run(question, path)
        assert done.returncode == 0, done.stderr
        assert "AcceleratorUtilizationChecker" not in done.stdout or "GPU:3999" not in done.stdout
    done = run("step", path, "--on=GPU:0")
    assert done.returncode == 1
    assert "4000 devices in 20000 steps are too many to tell them apart" in done.stderr


def test_a_long_name_of_many_events(tmp_path):
    """The table would have a MB for each of 20,000 rows."""
    plane = make.Plane("/host:CPU")
    plane.name_id("n" * 10**6 + ":Add")
    events = b"".join(field(4, field(1, 1) + field(2, i * 10 * US) + field(3, US)) for i in range(20_000))
    plane.lines.append(field(1, 1) + field(2, "x") + field(3, 1000) + events)
    path = tmp_path / "t.xplane.pb"
    path.write_bytes(make.space(plane))
    done = run("events", path, memory=4 * GB)
    assert done.returncode == 1
    assert "the texts of column 'name' take more than 2 GB" in done.stderr
    assert run("op", path).returncode == run("step", path).returncode == 0


def test_many_types_in_one_row(tmp_path):
    """400,000 types that 2,000 nodes have: looked up one after the other, they take a minute."""
    graph, log = tmp_path / "graph.pb", tmp_path / "log"
    graph.write_bytes(b"".join(node(f"n{i}", "A") for i in range(2000)))
    log.write_bytes(b"".join(field(1, field(1, f"n{i}") + b"".join(field(3, f"t{k}_{i}") for k in range(200)))
                             for i in range(2000)))
    done = run("op", f"--graph_path={graph}", f"--op_log_path={log}", "--select=op_types", "--max_depth=1")
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith("A "))
    types = row.split()[-1].split("|")
    assert len(types) == len(set(types)) == 400_001 and types == sorted(types)


def lite(n_graphs, n_operators, n_operands, n_tensors=1):
    """A TensorFlow Lite file in which all of these are the same one."""
    out = bytearray(b"\0\0\0\0TFL3")

    def point(at, to):
        struct.pack_into("<I", out, at, to - at)

    def add_list(n):
        at = len(out)
        out.extend(struct.pack("<I", n) + bytes(4 * n))
        return at

    def add_table(n):
        """With n fields of 4 bytes. Returns where they are."""
        at = len(out)
        out.extend(struct.pack(f"<HH{n}H", 4 + 2 * n, 4 + 4 * n, *range(4, 4 + 4 * n, 4)) + bytes(2 * n % 4))
        table = len(out)
        out.extend(struct.pack("<i", table - at) + bytes(4 * n))
        return table, [table + 4 + 4 * i for i in range(n)]

    def add_same(at, n, n_fields):
        """A list of n times one table, for the field at `at`. Returns the table's fields."""
        items = add_list(n)
        point(at, items)
        table, fields = add_table(n_fields)
        for i in range(n):
            point(items + 4 + 4 * i, table)
        return fields

    model, fields = add_table(5)
    point(0, model)
    point(fields[3], add_list(0))
    add_same(fields[1], 1, 1)  # kinds of operators
    add_same(fields[4], 1, 1)  # buffers
    graph = add_same(fields[2], n_graphs, 4)
    add_same(graph[0], n_tensors, 1)
    for at in graph[1:3]:
        point(at, add_list(1))
    operator = add_same(graph[3], n_operators, 3)
    point(operator[1], add_list(n_operands))
    point(operator[2], add_list(1))
    return bytes(out)


@pytest.mark.parametrize("parts", [(1, 20_000, 20_000), (20_000, 20_000, 1), (500, 500, 500), (20_000, 1, 20_000),
                                   (20_000, 1, 1, 20_000)], ids=str)
def test_parts_of_a_lite_model_that_are_one(tmp_path, parts):
    path = tmp_path / "model.tflite"
    path.write_bytes(lite(*parts))
    done = run("model", path)
    assert done.returncode == 1
    assert "more parts than it has room for: damaged" in done.stderr
    path.write_bytes(lite(1, 1, 1))
    assert run("model", path).returncode == 0


def long_names(path):
    """Names in which a regex that may begin anywhere looks from every letter to the end."""
    path.write_bytes(b"".join(node("a" * 3000 + f"{i}!", "A") for i in range(6000)))


def test_a_regex_that_matches_no_long_name(tmp_path):
    """What would match instead is looked for as long as that is worth a note: two minutes, on all names."""
    long_names(tmp_path / "graph.pb")
    command = ["scope", f"--graph_path={tmp_path / 'graph.pb'}"]
    done = run(*command, r"--show_name_regexes=\p{L}+\p{N}+$")
    assert done.returncode == 0
    assert "matches no name" in done.stderr and "use '" not in done.stderr
    assert "use '.*a1.*'" in run(*command, "--show_name_regexes=a1").stderr


def test_many_operations_in_many_steps(tmp_path):
    """A table with a row for each operation in each step would have 100 million."""
    plane = make.Plane("/host:CPU")
    plane.add_line("x", [("train", i * 10 * US, 9 * US, {"step_num": i, "_r": 1}) for i in range(10_000)] +
                   [(f"o{i}:T{i}", i * 10 * US + US, US, {}) for i in range(10_000)])
    path = tmp_path / "t.xplane.pb"
    path.write_bytes(make.space(plane))
    for table in ("ops", "nodes"):
        done = run("table", path, f"--table={table}")
        assert done.returncode == 1
        assert "rows in each of 10000 steps: a table has at most 10000000 rows: ask for one step" in done.stderr
        assert run("table", path, f"--table={table}", "--step=7").returncode == 0
    assert run("table", path, "--table=steps").stdout.count("\n") > 10_000


def test_timelines_of_many_steps(tmp_path):
    """A file for each step asks all nodes: 20,000 × 20,000 would take a minute for a file of 1 MB."""
    plane = make.Plane("/host:CPU")
    plane.add_line("x", [("train", i * 10 * US, 9 * US, {"step_num": i, "_r": 1}) for i in range(20_000)] +
                   [(f"o{i}:Add", i * 10 * US + US, US, {}) for i in range(20_000)])
    path = tmp_path / "t.xplane.pb"
    path.write_bytes(make.space(plane))
    for view in ("op", "graph"):
        done = run(view, path, f"--output=timeline:outfile={tmp_path / 'o.json'}")
        assert done.returncode == 2
        assert "timelines of 20000 steps" in done.stderr and "choose one with --step" in done.stderr
        assert not list(tmp_path.glob("o*.json"))
        assert run(view, path, "--step=7", f"--output=timeline:outfile={tmp_path / 'o.json'}").returncode == 0
        (tmp_path / "o.json").unlink()


def test_a_hundred_files_at_once(tmp_path):
    """Their times add up, and one too many for the system is named."""
    paths = []
    for i in range(100):
        host = make.Plane("/host:CPU")
        host.add_line("tf_Compute/0", [(f"n{k}:Add", (10 * k + i) * US, 5 * US, {}) for k in range(5)])
        paths.append(tmp_path / f"t{i}.xplane.pb")
        paths[-1].write_bytes(make.space(host) + field(4, f"host{i}"))
    done = run("op", *paths, "--select=micros,occurrence", "--output=csv")
    assert done.returncode == 0, done.stderr
    header, *rows = [line.split(",") for line in done.stdout.splitlines()]
    row = dict(zip(header, next(row for row in rows if "Add" in row)))
    assert int(row["total_exec_micros"]) == 100 * 5 * 5
    few = subprocess.run(["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", tree.program(), "op", *map(str, paths)],
                         capture_output=True, text=True, check=False)
    assert few.returncode == 1 and few.stdout == "" and "Too many open files" in few.stderr


def test_a_file_larger_than_memory(tmp_path):
    path = tmp_path / "graph.pb"
    path.touch()
    os.truncate(path, 8 * GB)  # without a block on the disk
    for arguments in (["op", f"--graph_path={path}"], ["op", path], ["model", path], ["index", path]):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (1, ""), arguments
        assert done.stderr


def test_large_files_with_little_memory():
    """`tools/validate large` has a trace of 1.1 GB and 10 million nodes."""
    large.main(40_000_000, 300_000)
