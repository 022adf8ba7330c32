"""Spark on a real cluster: a master and two workers on loopback. While jobs run, an executor
and a Python worker are killed; rows and sums must not change. Then the recipes for Dask and
Ray of docs/fleet.md.

    tools/venv-fleet's python tests/cluster/run.py BUILD-PYTHON

Takes minutes, so it is part of `make validate`, not of `make check`.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "python"))
PACKAGE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "build-python").resolve() / "python"
sys.path.insert(0, str(PACKAGE))
os.environ.update(PYTHONPATH=str(PACKAGE), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")

import pyspark  # noqa: E402
import small_fleet  # noqa: E402
import tfprof.fleet  # noqa: E402
import tfprof.spark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

MASTER = "spark://127.0.0.1:17077"


@contextlib.contextmanager
def cluster(directory):
    """A master and two workers of one core; ended by their process groups."""
    program = os.path.join(pyspark.__path__[0], "bin", "spark-class")
    environment = {**os.environ, "SPARK_WORKER_DIR": str(directory / "work")}
    started = []

    def start(*arguments):
        with open(directory / f"log-{len(started)}", "wb") as log:
            started.append(subprocess.Popen([program, *arguments], env=environment, stdout=log,
                                            stderr=subprocess.STDOUT, start_new_session=True))
    try:
        start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "17077",
              "--webui-port", "18080")
        for i in range(2):
            start("org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1",
                  "--memory", "1g", "--webui-port", str(18081 + i), MASTER)
        yield
    finally:
        for process in reversed(started):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in started:
            process.wait(60)


def processes(pattern):
    """Ids of processes of this cluster whose command line matches."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            environ = (folder / "environ").read_bytes()
            if re.search(pattern, line) and str(PACKAGE).encode() in environ:
                found.append(int(folder.name))
    return found


def kill_one(pattern, killed):
    """Kills one such process as soon as there is one that has been there for a moment."""
    for _ in range(600):
        found = processes(pattern)
        if found:
            time.sleep(0.5)
            with contextlib.suppress(ProcessLookupError):
                os.kill(found[-1], signal.SIGKILL)
                killed.append(found[-1])
                return
        time.sleep(0.1)


def while_killing(pattern, job):
    killed = []
    thread = threading.Thread(target=kill_one, args=(pattern, killed))
    thread.start()
    result = job()
    thread.join()
    assert killed, f"no process matched {pattern}"
    return result


def check_spark(fleet, directory):
    expected = tfprof.fleet.read(str(fleet), "ops")
    rows, micros = expected.num_rows, sum(expected["exec_micros"].to_pylist())
    spark = (SparkSession.builder.master(MASTER).appName("tfprof")
             .config("spark.executor.memory", "700m").config("spark.driver.host", "127.0.0.1")
             .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
             .config("spark.executorEnv.TFPROF_THREADS", "1")
             .config("spark.executorEnv.PYTHONPATH", str(PACKAGE))
             .config("spark.sql.python.filterPushdown.enabled", "true")
             .config("spark.ui.showConsoleProgress", "false")
             .config("spark.task.maxFailures", "8").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    tfprof.spark.register(spark)

    def load(**options):
        return spark.read.format("tfprof").options(table="ops", partitions="40",
                                                   **options).load(str(fleet))

    def total():
        found = load().selectExpr("count(*) AS n", "sum(exec_micros) AS t").collect()[0]
        return found["n"], found["t"]

    assert total() == (rows, micros)
    for name, pattern in (("an executor", "CoarseGrainedExecutorBackend"),
                          ("a Python worker", r"pyspark[./]daemon")):
        began = time.monotonic()
        assert while_killing(pattern, total) == (rows, micros), name
        print(f"{name} killed: same rows, same sum, {time.monotonic() - began:.0f} s")
    out = str(directory / "tables")
    done = while_killing(r"pyspark[./]daemon", lambda: tfprof.spark.index(spark, str(fleet), out))
    assert (done.n_read, done.bad) == (100, [])
    with contextlib.closing(tfprof.fleet.connect(out)) as db:
        assert db.execute("SELECT count(*), sum(exec_micros) FROM ops").fetchone() == (rows, micros)
    print("index in the workers, one killed: same rows, same sum")
    check_pruning(load, fleet)
    check_views(spark, out)
    spark.stop()


def check_pruning(load, fleet):
    """Only files of the wanted labels are opened: the others may be damaged."""
    bad = fleet / "model=big/run=1/worker=0/profile"
    content = bad.read_bytes()
    bad.write_bytes(content[:1000])
    try:
        assert load(pushdown="true").where("run = '2' AND model = 'big'").count() == 5 * 3 * 4
        assert load(mode="skip").count() == 99 * 3 * 4
        try:
            load().count()
        except Exception as error:  # Spark's own class, with our text
            assert "cut short" in str(error) and "worker=0" in str(error)
        else:
            raise AssertionError("a damaged file was not reported")
    finally:
        bad.write_bytes(content)
    print("pruning by labels, mode=skip and the message of mode=fail: as documented")


def check_views(spark, out):
    tfprof.spark.views(spark, out)
    slow, = spark.sql("SELECT * FROM regressions").collect()
    assert (slow["model"], slow["op"], slow["since"]) == ("big", "Conv2D", "7")
    assert abs(slow["change"] - 0.12) < 0.01
    workers = spark.sql("SELECT model, worker, ratio FROM stragglers").collect()
    assert {(row["model"], row["worker"]) for row in workers} == {("big", "3"), ("leaky", "3")}
    assert all(abs(row["ratio"] - 1.25) < 0.02 for row in workers)
    print("Spark SQL finds the planted regression and straggler")


def check_recipes(fleet):
    """The blocks of docs/fleet.md that import dask and ray."""
    text = (TOP / "docs" / "fleet.md").read_text()
    for package in ("dask", "ray"):
        block, = re.findall(rf"```python\n(import {package}.*?)```", text, re.DOTALL)
        script = block.replace("'runs'", repr(str(fleet)))
        script = ("if __name__ == '__main__':\n"
                  + "".join(f"    {line}\n" for line in script.splitlines())
                  + "    print(ops.num_rows)\n")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True,
                              stdout=subprocess.PIPE, text=True, timeout=600)
        assert done.stdout.split()[-1] == str(100 * 3 * 4), done.stdout
        print(f"{package}: the recipe of docs/fleet.md gives all rows")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the cluster, too
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        fleet = directory / "runs"
        fleet.mkdir()
        small_fleet.make(fleet)
        with cluster(directory):
            check_spark(fleet, directory)
        check_recipes(fleet)


if __name__ == "__main__":
    main()
