"""Many profiles at once, one profile from many threads, and releasing the
interpreter lock."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import tfprof

VIEWS = ("scope", "graph", "op", "code")


def test_queries_side_by_side(profile):
    expected = {view: str(getattr(profile, view)()) for view in VIEWS}
    with ThreadPoolExecutor(8) as pool:
        asked = [(view, pool.submit(getattr(profile, view))) for view in VIEWS * 25]
        for view, answer in asked:
            assert str(answer.result()) == expected[view]


def test_many_profiles_at_once(loop_files):
    def work(i):
        made = tfprof.load(graph=loop_files / "graph.pb", op_log=loop_files / "tfprof_log",
                           run_meta=[loop_files / f"run_meta_{i % 3}"])
        return i % 3, str(made.op(select="micros,bytes"))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(30)))
    assert len(set(found)) == 3


def test_adding_while_asking(loop_files):
    """Every answer covers a whole number of steps."""
    made = tfprof.load(graph=loop_files / "graph.pb")
    run_meta = (loop_files / "run_meta_0").read_bytes()
    failed, stop = [], threading.Event()

    def ask():
        try:
            while not stop.is_set():
                made.op()
                steps = made.steps
                assert steps == list(range(len(steps)))
                made.notes, made.summary
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for step in range(30):
        made.add_step(step, run_meta)
    stop.set()
    for thread in threads:
        thread.join()
    assert not failed
    assert made.steps == list(range(30))
    alone = tfprof.load(graph=loop_files / "graph.pb", run_meta=[run_meta] * 30)
    assert str(alone.op()) == str(made.op())


def test_adding_from_several_threads(loop_files):
    made = tfprof.load(graph=loop_files / "graph.pb")
    run_meta = (loop_files / "run_meta_0").read_bytes()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda step: made.add_step(step, run_meta), range(40)))
    assert made.steps == list(range(40))


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    from wire import node
    path = tmp_path_factory.mktemp("big") / "graph"
    path.write_bytes(b"".join(node(f"scope{i % 1000}/n{i}", f"Op{i % 50}") for i in range(300_000)))
    return path


def test_others_run_during_native_work(big):
    """A thread keeps counting while another one loads."""
    ticks, done = [], threading.Event()

    def count():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    start = time.perf_counter()
    profile = tfprof.load(graph=big)
    profile._native.query("scope")
    profile._native.serialize()
    end = time.perf_counter()
    done.set()
    counter.join()
    during = [tick for tick in ticks if start < tick < end]
    gaps = [b - a for a, b in zip([start] + during, during + [end])]
    assert end - start > 0.02
    # If the lock were held, there would be a gap as long as each call.
    assert max(gaps) < 0.5 * (end - start) and len(during) > 10
