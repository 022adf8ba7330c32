"""Own times of operations: against a slow version of the rules on random traces, and against the clock of programs that
ran operations alone as well."""

import glob
import gzip
import json
import os
import random
import statistics
from collections import defaultdict

import make
import own_time
import product
import pytest
import reference
import tree
import xspace

US = 1_000_000
MS = 1000 * US
PLANTED = os.path.join(tree.TOP, "tests", "step", "planted")


class Maker:
    """Threads with operations, tasks that those queue, waits, and events that end operations, at random."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.n_threads = self.r.randint(1, 4)
        self.lines = [[] for _ in range(self.n_threads)]
        self.last_task = self.r.choice([0, 10**6])
        self.last_key, self.queued, self.running = 0, [], []

    def event(self, line, name, start, end, **stats):
        self.lines[line].append((name, start, end - start, stats))

    def inside(self, line, start, end, depth):
        """What runs between two times, one after the other."""
        at = start
        while at < end - 4 and self.r.random() < 0.9:
            begin = self.r.randint(at + 1, end - 2)
            until = self.r.randint(begin + 1, end)
            self.one(line, begin, until, depth)
            at = until

    def one(self, line, start, end, depth):
        what = self.r.choice(["op", "op", "named", "thunks", "wait", "record", "record", "record", "end", "other", "eager",
                              "await", "$python"])
        stats = {}
        if what == "op":
            self.last_key += 1
            key = self.last_key
            stats = {"hlo_op": f"dot.{self.r.randint(1, 5)}", "hlo_module": "jit_f", "program_id": 77, "run_id": 1,
                     **({"_pt": 0, "_p": key} if self.r.random() < 0.8 else {})}
            self.running.append(key)  # to be ended once
            self.event(line, "dot", start, end, **stats)
        elif what == "named":
            self.event(line, self.r.choice(["a/MatMul:MatMul", "b:Mul"]), start, end)
        elif what == "thunks":
            self.event(line, "ThunkExecutor::Execute", start, end)
        elif what == "wait":
            self.event(line, self.r.choice(["Rendezvous", "SlinkyThreadPool::Await", "Wait: pending_threads=2"]), start, end)
        elif what == "record":
            self.last_task += 1
            self.queued.append(self.last_task)
            self.event(line, "ThreadpoolListener::Record", start, start, _pt=15, _p=self.last_task)
            return
        elif what == "end":
            key = self.running.pop(self.r.randrange(len(self.running))) if self.running else 0
            self.event(line, "end: dot", start, end, _ct=0, _c=key)
        elif what == "eager":
            self.event(line, "EagerExecute", start, end, is_func=0, eager_op="Sum")
        elif what == "await" and end - start > 8:
            middle = (start + end) // 2
            key = self.r.randint(1000, 10**9)
            self.event(line, "Buffer::Await", start, start + 1, _pt=1, _p=key)
            self.inside(line, start + 2, middle, 0)
            self.event(line, "Buffer::Await", middle + 1, end, _ct=1, _c=key)
            return
        else:
            self.event(line, "$a.py:1 f" if what == "$python" else "something", start, end)
        if depth and self.r.random() < 0.7:
            self.inside(line, start, end, depth - 1)

    def trace(self):
        for line in range(self.n_threads):
            at = self.r.randint(0, 5 * MS)
            for _ in range(self.r.randint(1, 6)):
                until = at + self.r.randint(20, 3 * MS)
                if self.r.random() < 0.6:
                    task = self.r.choice(self.queued) if self.queued and self.r.random() < 0.8 else self.r.randint(1, 9)
                    self.event(line, "ThreadpoolListener::StartRegion", at, at, _ct=15, _c=task)
                    self.inside(line, at + 1, until, 3)
                    if self.r.random() < 0.8:
                        self.event(line, "ThreadpoolListener::StopRegion", until + 1, until + 1)
                else:
                    self.inside(line, at, until, 3)
                at = until + self.r.randint(2, MS)
        self.r.shuffle(self.lines)
        return make.host(*self.lines)


def distinct(lines):
    """Events at the same time can be nested either way."""
    return all(len({e[1] for e in line}) == len(line) for line in lines)


def to_us(ps):
    return (ps + US // 2) // US


def test_random_traces_agree_with_the_rules(tmp_path):
    compared = with_tasks = 0
    for seed in range(200):
        maker = Maker(seed)
        data = maker.trace()
        if not distinct(maker.lines):
            continue
        want, of_threads = defaultdict(lambda: [0, 0]), defaultdict(lambda: [0, 0])
        for row in reference.read(data):
            assert row["step"] == 0
            want[row["node"]][0] += row["self_ps"]
            want[row["node"]][1] += row["count"]
            of_threads[row["node"]][0] += row["busy_ps"]
            of_threads[row["node"]][1] += row["waiting_ps"]
            with_tasks += row["self_ps"] > row["event_ps"]
        path = tmp_path / "random.xplane.pb"
        path.write_bytes(data)
        found = product.nodes(path, 0, tmp_path) if want else {}
        assert found == {name: (to_us(ps), n) for name, (ps, n) in want.items()}, seed
        assert {name: row[1:3] for name, row in (product.threads(path) if want else {}).items()} == \
            {name: (to_us(busy), to_us(waiting)) for name, (busy, waiting) in of_threads.items()}, seed
        compared += bool(want)
    assert compared >= 100 and with_tasks >= 100


TRACES = sorted(path for folder in ("tests/step/planted", "tests/step/recorded", "tests/xplane/samples")
                for path in glob.glob(os.path.join(tree.TOP, folder, "*.xplane.pb*")))


@pytest.mark.parametrize("path", TRACES, ids=[os.path.basename(path) for path in TRACES])
def test_no_thread_works_for_two_operations_at_a_time(path):
    """By the rules; and the program gives each operation of a step as much of them."""
    data = open(path, "rb").read()
    data = gzip.decompress(data) if path.endswith(".gz") else data
    space = xspace.Space(data)
    lines = [line for plane in reference.host_planes(space) for line in plane.lines]
    found = own_time.own_times(lines, reference.host_ops(space))
    for thread in found.threads:
        times = sorted((start, end) for _, start, end, _ in own_time.pieces(found, thread))
        assert all(before[1] <= after[0] for before, after in zip(times, times[1:]))
    want = defaultdict(dict)
    for row in reference.read(data):
        if row["step"] is not None and not row["async"]:
            want[row["step"]][row["node"]] = to_us(row["busy_ps"] + row["waiting_ps"])
    for step in sorted(want)[:2]:
        ours = product.threads(path, f"--step={step}")
        for name, us in want[step].items():  # what only waits is not work for us; each of the two is rounded
            assert abs(sum(ours[name][1:3]) - us) <= 1, (step, name)


@pytest.mark.parametrize("operation", ["sort", "loop8", "conv", "dot", "cumsum"])
def test_an_operation_takes_as_long_as_when_it_is_timed_alone(operation, tmp_path):
    """What is missing is dispatch."""
    clock = statistics.mean(json.load(open(os.path.join(PLANTED, "j14_ops2.truth.json")))["alone_ms"][operation])
    rows, _ = product.query("scope", os.path.join(PLANTED, "j14_ops2.xplane.pb.gz"), directory=tmp_path)
    programs = (f"jit(alone_{operation})", f"jit_alone_{operation}")
    ours = sum(int(row["total_exec_micros"]) for row in rows if row["name"] in programs) / 1000
    assert clock - max(0.03 * clock, 0.3) <= ours <= clock


@pytest.mark.parametrize("case", ["j12_ops", "j14_ops2", "j09_pmap_straggler", "t08_compute", "t09_jit"])
def test_operations_take_no_more_than_the_threads_had(case, tmp_path):
    truth = json.load(open(os.path.join(PLANTED, case + ".truth.json")))["steps"]
    rows, _ = product.query("scope", os.path.join(PLANTED, case + ".xplane.pb.gz"), directory=tmp_path)
    total = sum(int(row["exec_micros"]) for row in rows) / 1000
    threads = {"j09_pmap_straggler": 4}.get(case, 2)
    assert total <= threads * statistics.mean(step["wall"] for step in truth.values())


def test_threads_of_an_operation_are_what_was_planted(tmp_path):
    """An operation of 20 us, whose event takes 8 and whose two tasks 10 each; a collective that waits for 30; an operation
    that only waits."""
    def xla(name, start, duration, key):
        return (name, start * US, duration * US, {"hlo_op": name, "hlo_module": "jit_f", "program_id": 7, "run_id": 1, "_pt": 0, "_p": key})

    def at(name, time, duration=0, **stats):
        return (name, time * US, duration * US, stats)

    path = tmp_path / "planted.xplane.pb"
    path.write_bytes(make.host(
        [xla("dot", 10, 8, 1), at("ThreadpoolListener::Record", 11, _pt=15, _p=7),
         at("ThreadpoolListener::Record", 12, _pt=15, _p=8), xla("all-reduce", 50, 40, 2), at("Rendezvous", 55, 30),
         at("get:IteratorGetNext", 100, 70)],
        [at("ThreadpoolListener::StartRegion", 14, _ct=15, _c=7), at("ThreadpoolListener::StopRegion", 24)],
        [at("ThreadpoolListener::StartRegion", 20, _ct=15, _c=8), at("ThreadpoolListener::StopRegion", 30),
         at("end: dot", 31, 1, _ct=0, _c=1)]))
    assert product.threads(path) == {"jit_f/dot": (20, 28, 0, 1.4), "jit_f/all-reduce": (10, 10, 30, 1),
                                     "get": (70, 0, 70, None)}
    rows = json.loads(product.run("op", path, "--output=json", "--select=micros").stdout)["nodes"]
    assert [row["name"] for row in rows[1:]] == ["dot", "all-reduce", "IteratorGetNext"]
    assert [row["exec_micros"] for row in rows[1:]] == [20, 10, 70]
    asked = json.loads(product.run("op", path, "--output=json", "--order_by=micros").stdout)["nodes"]
    assert asked[1]["name"] == "IteratorGetNext"


def test_profiles_without_threads_say_so():
    said = product.run("op", os.path.join(tree.TOP, "examples", "resnet", "profile"), "--select=busy", "--max_depth=1")
    assert "need a trace" in said.stderr


def test_what_waits_is_not_the_most_expensive_operation():
    said = product.run("advise", os.path.join(PLANTED, "t05_in_graph_iter.xplane.pb.gz")).stdout
    listed = [line for line in said.splitlines() if line.startswith("top ")]
    assert any("MatMul" in line for line in listed) and not any("IteratorGetNext" in line for line in listed)
