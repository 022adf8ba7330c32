"""Traces that are damaged, cut short or built to do harm: an error or a note, never a
crash, a hang or silence."""

import gzip
import json
import os
import random
import subprocess

import make
import product
import pytest
import tree

US = 1_000_000


def write(path, data):
    path.write_bytes(data)
    return path


def ran(path, *more):
    """Runs the views; the program must end by itself, with a report or a message."""
    for view in ("op", "graph"):
        result = product.run(view, path, *more)
        assert result.returncode in (0, 1), (view, result.returncode, result.stderr)
        assert result.returncode == 0 or result.stderr.startswith("tfprof: "), result.stderr
    return result


def run_many(inputs, directory):
    """One run for many files: a script of the shell cannot load, so a loop of the shell."""
    for i, data in enumerate(inputs):
        (directory / f"{i}.xplane.pb").write_bytes(data)
    script = ('for f in "$2"/*.xplane.pb; do "$1" op --xplane_path="$f" </dev/null >/dev/null '
              '2>"$2/said"; s=$?; case $s in 0) ;; 1) grep -q "^tfprof: " "$2/said" || '
              'echo "$f silent" ;; *) echo "$f $s"; cat "$2/said" ;; esac; done')
    done = subprocess.run(["sh", "-c", script, "sh", tree.program(), directory], text=True,
                          capture_output=True, timeout=600)
    assert done.stdout == "" and done.returncode == 0, done.stdout[:2000]


def small():
    """A trace with something of everything, in a few hundred bytes."""
    host = make.Plane("/host:CPU")
    host.add_line("python", [
        ("train", 0, 90 * US, {"step_num": 3, "_r": 1}),
        ("FunctionRun", 5 * US, 9 * US, {"id": -5, "_r": 1, "_pt": 2, "_p": 77}),
        ("dense/MatMul:MatMul", 20 * US, 9 * US, {}),
        ("EagerExecute", 40 * US, 4 * US, {"eager_op": "Mul", "is_func": 0}),
        ("MemoryAllocation", 21 * US, 0, {"tf_op": "dense/MatMul", "requested_bytes": 64, "addr": 8})])
    host.add_line("tf_Compute/1", [
        ("ExecutorState::Process", 10 * US, 9 * US, {"id": -5, "iter_num": 0, "_ct": 2, "_c": 77}),
        ("a/b:Add", 11 * US, 2 * US, {}),
        ("dot", 14 * US, 2 * US, {"hlo_op": "dot", "hlo_module": "jit_f", "program_id": 6,
                                  "run_id": 1})])
    gpu = make.Plane("/device:GPU:0")
    gpu.add_line("Stream #1", [("kernel", 30 * US, 9 * US, {"correlation_id": 4, "hlo_op": "dot",
                                                           "program_id": 6})])
    module = make.piece(1, make.piece(1, "jit_f") + make.piece(3, make.number(5, 1) + make.piece(
        2, make.piece(1, "dot") + make.piece(2, "dot") + make.piece(7, make.piece(2, "f/dot"))
        + make.number(35, 9) + make.piece(36, make.varint(9)))))
    metadata = make.Plane("/host:metadata")
    metadata.name_id("jit_f(6)", "", [("Hlo Proto", module)])
    return make.space(metadata, host, gpu)


def test_cut_at_every_byte(tmp_path):
    data = small()
    assert len(data) < 2000
    run_many((data[:n] for n in range(len(data))), tmp_path)


def test_damaged_bytes(tmp_path):
    data, numbers = small(), random.Random(1)
    inputs = []
    for _ in range(500):
        damaged = bytearray(data)
        for _ in range(numbers.randint(1, 4)):
            damaged[numbers.randrange(len(damaged))] = numbers.choice([0, 1, 127, 128, 255,
                                                                       numbers.randrange(256)])
        inputs.append(bytes(damaged))
    run_many(inputs, tmp_path)


def test_all_of_it_is_read(tmp_path):
    rows, said = product.query("scope", write(tmp_path / "t.xplane.pb", small()),
                               directory=tmp_path)
    assert {"dense/MatMul", "Mul", "a/b", "f/dot/dot"} <= {row["name"] for row in rows}
    assert "5 operations in 1 step;" in said


def test_empty_file(tmp_path):
    path = write(tmp_path / "vm.xplane.pb", b"")
    for given in (path, f"--xplane_path={path}"):
        result = product.run("op", given)
        assert result.returncode == 1
        assert "2 GB" in result.stderr


def test_riegeli(tmp_path):
    result = product.run("op", write(tmp_path / "vm.xplane.riegeli", b"\x83\xaf\x70\xd1"))
    assert result.returncode == 1 and "Riegeli" in result.stderr


def test_packed(tmp_path):
    plain = product.run("op", write(tmp_path / "t.xplane.pb", small()))
    packed = product.run("op", write(tmp_path / "u.xplane.pb.gz", gzip.compress(small())))
    assert plain.returncode == 0 and packed.stdout == plain.stdout


@pytest.mark.parametrize("stats", [{}, {"_r": 1}, {"_r": 1, "step_num": 1, "_pt": 1, "_p": 1,
                                                 "_ct": 1, "_c": 1}])
def test_nested_events(stats, tmp_path):
    n = 200_000
    events = [("a:Add", i * 1000, (2 * n - 2 * i) * 1000, stats) for i in range(n)]
    result = ran(write(tmp_path / "t.xplane.pb", make.host(events)))
    assert "200000 operations in 1 step" in result.stderr


def test_events_that_consume_the_same(tmp_path):
    """Every producer leads to every consumer: 10 billion edges."""
    flow = {"_pt": 1, "_p": 1, "_ct": 1, "_c": 1}
    events = [("x", i * 1000, 10, flow) for i in range(100_000)]
    events.append(("train", 0, 100, {"_r": 1, "step_num": 1}))
    assert ran(write(tmp_path / "t.xplane.pb", make.host(events))).returncode == 0


def test_cyclic_producers(tmp_path):
    data = make.host([("a", 0, 10, {"_r": 1, "_p": 1, "_c": 2}), ("b", 20, 10, {"_p": 2, "_c": 1}),
                      ("x:Add", 22, 3, {}), ("self", 40, 10, {"_p": 5, "_c": 5, "_r": 1})])
    assert ran(write(tmp_path / "t.xplane.pb", data)).returncode == 0


def frames(parents):
    """A StackFrameIndexProto: frame i is line i of f.py and called by parents[i - 1]."""
    out = make.piece(1, "f.py") + make.piece(2, "f")
    for i in range(len(parents)):
        out += make.piece(3, make.number(1, 1) + make.number(2, 1) + make.number(3, i + 1))
    for i, parent in enumerate(parents):
        out += make.piece(4, make.number(1, i + 1) + make.number(2, parent))
    return out


def with_module(instructions, parents=(), called="dot"):
    computation = make.number(5, 1) + b"".join(make.piece(2, i) for i in instructions)
    module = make.piece(1, make.piece(1, "jit_f") + make.piece(3, computation) + make.number(6, 1)
                        + make.piece(17, frames(parents)))
    metadata = make.Plane("/host:metadata")
    metadata.name_id("jit_f", "", [("Hlo Proto", module), ("program_id", 6)])
    host = make.Plane("/host:CPU")
    host.add_line("x", [(called, 0, US, {"hlo_op": called, "hlo_module": "jit_f", "program_id": 6})])
    return make.space(metadata, host)


def instruction(name, opcode, id_, operands=(), frame=0, more=b""):
    return (make.piece(1, name) + make.piece(2, opcode) + make.number(35, id_)
            + make.piece(36, b"".join(map(make.varint, operands)))
            + make.piece(7, make.number(15, frame)) + more)


@pytest.mark.parametrize("parents", [(1,), (2, 1), (2, 3, 1), (9, 0)])
def test_cyclic_frames(parents, tmp_path):
    data = with_module([instruction("dot", "dot", 1, frame=1)], parents)
    path = write(tmp_path / "t.xplane.pb", data)
    ran(path)
    result = product.run("code", path)
    assert result.returncode == 0 and "f.py:1:f" in result.stdout


@pytest.mark.parametrize("opcode", ["tuple", "bitcast", "get-tuple-element", "fusion"])
def test_cyclic_operands(opcode, tmp_path):
    data = with_module([instruction("dot", "dot", 1, [2, 3, 99]), instruction("a", opcode, 2, [3]),
                        instruction("b", opcode, 3, [2, 3])])
    ran(write(tmp_path / "t.xplane.pb", data))


def test_fusion_of_itself(tmp_path):
    data = with_module([instruction("fusion", "fusion", 1, [], 0, make.piece(38, make.varint(1)))],
                       called="fusion")
    ran(write(tmp_path / "t.xplane.pb", data))


def test_missing_ids(tmp_path):
    event = make.number(1, 12345) + make.number(2, 5) + make.number(3, 5)
    event += make.piece(4, make.number(1, 777) + make.number(7, 999))
    line = make.number(3, 1000) + make.piece(4, event)
    data = make.piece(1, make.piece(2, "/host:CPU") + make.piece(3, line))
    result = ran(write(tmp_path / "t.xplane.pb", data))
    assert "0 operations" in result.stderr


def test_sparse_ids(tmp_path):
    plane = make.Plane("/host:CPU", lambda i: i * 0x9E3779B97F4A7C15)
    plane.add_line("x", [("train", 0, 9 * US, {"_r": 1, "step_num": 4}), ("a:Add", US, US, {})])
    rows, said = product.query("scope", write(tmp_path / "t.xplane.pb", make.space(plane)),
                               "--step=4", directory=tmp_path)
    assert [row["name"] for row in rows if int(row["exec_micros"])] == ["a"]


@pytest.mark.parametrize("start, duration", [(0, -5), (-5, 5), (1 << 62, 1 << 62), (-1 << 63, -1),
                                             ((1 << 63) - 1, (1 << 63) - 1)])
def test_times_beyond_all(start, duration, tmp_path):
    plane = make.Plane("/host:CPU")
    for timestamp in (0, 1 << 62, -1 << 63, (1 << 63) - 1):
        plane.add_line("x", [("a:Add", start, duration, {}), ("b:Add", 5, 5, {})], timestamp)
    path = write(tmp_path / "t.xplane.pb", make.space(plane))
    result = ran(path)
    assert duration >= 0 or "events with negative durations" in result.stderr
    product.run("graph", path, "--step=0", f"--output=timeline:outfile={tmp_path / 'o'}")


def test_unsorted_events(tmp_path):
    """Order in the file does not matter."""
    events = [("train", 0, 90 * US, {"_r": 1, "step_num": 2}), ("a:A", 10 * US, 50 * US, {}),
              ("b:B", 20 * US, 9 * US, {}), ("c:C", 10 * US, 4 * US, {})]
    found = []
    for order in (events, events[::-1], events[2:] + events[:2]):
        plane = make.Plane("/host:CPU")
        plane.add_line("x", order, sort=False)
        path = write(tmp_path / "t.xplane.pb", make.space(plane))
        found.append(product.nodes(path, 2, tmp_path))
    assert found == [{"a": (37, 1), "b": (9, 1), "c": (4, 1)}] * 3


@pytest.mark.parametrize("first", [1, 70_000, 1 << 40, (1 << 64) - 3], ids=hex)
@pytest.mark.parametrize("order", [1, -1], ids=["sorted", "unsorted"])
def test_numbers_of_tasks(first, order, tmp_path):
    """Work given to threads is found by its number, whatever that is: small ones without gaps,
    as recorders write them, far apart, or given twice. A line that has to be sorted counts once."""
    main, given, work = [], [], []
    for step in range(2):
        main.append(("train", step * 90 * US, 80 * US, {"_r": 1, "step_num": step}))
    for i, (step, id_) in enumerate([(0, first), (0, first + 1), (1, first + 2), (1, 7), (0, first)]):
        at = step * 90 * US + (i + 1) * US
        given.append(("ThreadpoolListener::Record", at, 0, {"_pt": 15, "_p": id_ % (1 << 64)}))
        at += 200 * US + i * 10 * US  # after all steps: only the number leads there
        work += [("ThreadpoolListener::StartRegion", at, 0, {"_ct": 15, "_c": id_ % (1 << 64)}),
                 (f"op{i}:Op", at + 1, US, {}), ("ThreadpoolListener::StopRegion", at + 2 * US, 0, {})]
    plane = make.Plane("/host:CPU")
    plane.add_line("python", main + given)
    work.sort(key=lambda e: e[1])
    plane.add_line("tf_Compute/1", work[::order], id_=2, sort=False)
    path = write(tmp_path / "t.xplane.pb", make.space(plane))
    for step, ops in ((0, (0, 1, 4)), (1, (2, 3))):
        assert product.nodes(path, step, tmp_path) == {f"op{i}": (1, 1) for i in ops}


def test_several_hosts(tmp_path):
    run = tmp_path / "logs" / "train" / "plugins" / "profile" / "2026_01_01_00_00_00"
    older = run.parent / "2025_01_01_00_00_00"
    for directory in (run, older):
        os.makedirs(directory)
    events = [("train", 0, 90 * US, {"_r": 1, "step_num": 2}), ("a:A", 10 * US, 50 * US, {})]
    for i in range(2):
        plane = make.Plane("/host:CPU")
        plane.add_line("x", events)
        write(run / f"host{i}.xplane.pb", make.space(plane, host=f"host{i}"))
    write(older / "host.xplane.pb", make.host([("old:Old", 0, 5 * US, {})]))
    for given in (run, tmp_path / "logs", run.parent, run.parent.parent):
        assert product.nodes(given, 2, tmp_path) == {"a": (100, 2)}
    rows, _ = product.query("scope", run, directory=tmp_path)
    listed = f"--xplane_path={run / 'host0.xplane.pb'},{run / 'host1.xplane.pb'}"
    assert rows == product.query("scope", listed, directory=tmp_path)[0]
    size = sum(os.path.getsize(path) for path in run.iterdir())
    assert f"(XSpace), {size}B\n" in product.run(tmp_path / "logs").stdout
    # one of them is damaged: nothing is loaded
    write(run / "host1.xplane.pb", small()[:300])
    assert product.run("op", run).returncode == 1


def test_many_devices(tmp_path):
    """Planes cost a few bytes, and devices of a node memory by their square: not all are read."""
    planes = []
    for i in range(4098):
        planes.append(make.Plane(f"/device:GPU:{i}"))
        planes[-1].add_line("Stream #1(Compute)", [("MatMul", 0, 9 * US, {})])
    result = product.run("op", write(tmp_path / "t.xplane.pb", make.space(*planes)))
    assert result.returncode == 0, result.stderr
    assert "not read: 2 planes\n" in result.stderr


def test_numbers_of_devices(tmp_path):
    planes = []
    for name in ("GPU:12", "GPU:3 (NVIDIA)", "GPU:1048576"):
        planes.append(make.Plane(f"/device:{name}"))
        planes[-1].add_line("Stream #1(Compute)", [("MatMul", 0, 9 * US, {})])
    path = write(tmp_path / "t.xplane.pb", make.space(*planes))
    result = product.run("devices", path, "--output=json")
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)["nodes"]
    assert {row["name"] for row in rows[1:]} == {"gpu:3", "gpu:12", "gpu:1048576"}
