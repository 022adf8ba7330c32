"""What tfprof makes of a trace."""

import csv
import io
import json
import subprocess

import tree


def run(*arguments):
    return subprocess.run([tree.program(), *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)


def query(view, path, *more, directory):
    """The rows of a view, all of them, as dicts of text; and what was said."""
    out = directory / "rows.csv"
    result = run(view, path, f"--output=csv:outfile={out}", "--max_depth=100000", "--min_micros=0",
                 "--select=micros,occurrence,bytes,params,float_ops,op_types,device", *more)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(out.read_text()))), result.stderr


def nodes(path, step, directory):
    """{name: (microseconds, executions)} of what ran in a step."""
    rows, _ = query("scope", path, f"--step={step}", directory=directory)
    return {row["name"]: (int(row["exec_micros"]), int(row["run_count"]))
            for row in rows if int(row["run_count"])}


def threads(path, *more):
    """{name: (microseconds, busy, waiting, threads)} of what ran, per step."""
    done = run("scope", path, "--output=json", "--max_depth=100000", "--select=micros,busy,waiting,threads,occurrence", *more)
    assert done.returncode == 0, done.stderr
    return {row["name"]: (row["exec_micros"], row["busy_micros"], row["waiting_micros"], row["threads"])
            for row in json.loads(done.stdout)["nodes"] if row["run_count"]}
