"""Saving, timelines and other outputs of a trace."""

import json
import os
import pathlib
import tempfile

import make
import product
import pytest

SAMPLES = ["jax_while", "jax_transformer", "tf_cnn_fit", "tf_cnn_loop_jit", "tf_lstm_loop",
           "synthetic_gpu", "synthetic_tpu"]


def has_frames(sample):
    return sample.startswith("jax_") or sample.startswith("synthetic_")


@pytest.mark.parametrize("sample, view", [
    (sample, view) for sample in SAMPLES for view in ("scope", "graph", "op", "code")
    if view != "code" or has_frames(sample)])
def test_saved_profile_has_the_same_rows(sample, view, samples, tmp_path):
    saved = tmp_path / "profile"
    result = product.run("save", saved, samples[sample])
    assert result.returncode == 0, result.stderr
    assert "not saved: which thread" in result.stderr
    assert product.run(view, saved, "--max_depth=1000").stdout == \
        product.run(view, samples[sample], "--max_depth=1000").stdout
    for step in (0, 1):
        assert product.query(view, saved, f"--step={step}", directory=tmp_path)[0] == \
            product.query(view, samples[sample], f"--step={step}", directory=tmp_path)[0]


def test_code_view_without_frames(samples):
    result = product.run("code", samples["tf_cnn_fit"])
    assert result.returncode == 1
    assert "no Python frames" in result.stderr and "an op log" in result.stderr


def test_no_operations(tmp_path):
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(make.host([("$file.py:1 f", 0, 10, {})]))
    result = product.run("op", path)
    assert result.returncode == 0
    assert "0 operations in this trace: did TensorFlow or JAX run anything" in result.stderr
    assert " steps" not in result.stderr.splitlines()[0]


def test_graph_view_without_graph(samples):
    result = product.run("graph", samples["tf_cnn_fit"])
    assert result.returncode == 0
    assert "not the graph: add a graph" in result.stderr
    assert "--graph_path" not in product.run("graph", samples["jax_while"]).stderr


def test_float_operations_without_graph(samples):
    """Counting them needs a graph: the note does not offer that alone."""
    result = product.run("op", samples["tf_cnn_fit"], "--select=float_ops")
    assert result.returncode == 0
    assert "TensorFlow records none on a CPU: add a graph" in result.stderr


def timeline(path, tmp_path):
    out = tmp_path / "timeline"
    result = product.run("graph", path, "--step=0", f"--output=timeline:outfile={out}")
    assert result.returncode == 0, result.stderr
    return json.loads(out.read_text())["traceEvents"]


def test_lanes_are_threads(samples, tmp_path):
    events = timeline(samples["jax_while"], tmp_path)
    threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert [name.split("/")[0] for name in threads.values()] == ["tf_XLAPjRtCpuClient"]
    ran = [e for e in events if e["ph"] == "X"]
    assert {e["tid"] for e in ran} == set(threads)
    loop, = (e for e in ran if e["name"].endswith("while.14"))
    inside = [e for e in ran if "/scan/while/body/" in e["name"]]
    assert len(inside) > 1
    for e in inside:
        assert loop["ts"] <= e["ts"] and e["ts"] + e["dur"] <= loop["ts"] + loop["dur"]


def test_lanes_are_streams(samples, tmp_path):
    events = timeline(samples["synthetic_gpu"], tmp_path)
    threads = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
    assert sorted(threads) == ["Stream #13(Compute)", "Stream #14(MemcpyH2D)"]
    copy, = (e for e in events if e["ph"] == "X" and e["name"] == "MemcpyH2D")
    assert copy["dur"] == 20


@pytest.mark.parametrize("view, output", [("code", "pprof"), ("scope", "json"), ("op", "csv")])
def test_formats(view, output, samples, tmp_path):
    out = tmp_path / "out"
    result = product.run(view, samples["jax_transformer"], f"--output={output}:outfile={out}")
    assert result.returncode == 0, result.stderr
    assert out.stat().st_size > 500


@pytest.mark.parametrize("sample", ["jax_transformer", "jax_async", "jax_while"])
def test_lines_add_up(sample, samples, tmp_path):
    """The sum over lines is the sum over operations, in every step."""
    steps = {"jax_async": (100, 105)}.get(sample, (0, 1))
    for step in steps:
        totals = [max(int(row["total_exec_micros"]) for row in
                      product.query(view, samples[sample], f"--step={step}", directory=tmp_path)[0])
                  for view in ("code", "scope")]
        assert totals[0] == totals[1] > 0


def test_most_expensive_lines(samples, tmp_path):
    """Of the transformer's step, the backward pass of the line with the two large products
    costs most."""
    rows, _ = product.query("code", samples["jax_transformer"], "--step=0", "--select=micros,matrix_float_ops",
                            directory=tmp_path)
    most = max(rows, key=lambda row: int(row["exec_micros"]))
    assert most["name"] == "training.py:192:layer:none (gradient)"
    assert int(most["matrix_float_ops"]) == 8388608


def code_names(trace, directory):
    return {row["name"] for row in product.query("code", trace, "--step=0", directory=directory)[0]}


def test_source_text(samples, tmp_path):
    """Lines of JAX have the text of the user's files, if these are as they were recorded."""
    was = b"/home/me/project/models/training.py"
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        file = pathlib.Path(directory, "training.py")
        path = bytes(file).replace(b"/training", b"/" * (len(was) - len(bytes(file)) + 1) + b"training")
        trace = tmp_path / "a.xplane.pb"
        trace.write_bytes(samples["jax_transformer"].read_bytes().replace(was, path))
        lines = ["#\n"] * 200
        lines[191] = "\treturn x + y \r\n"
        lines[188] = "z = 'größer als 20 Bytes'\n"
        file.write_text("".join(lines), newline="")
        os.utime(file, (1, 1))
        names = code_names(trace, tmp_path)
        assert "training.py:192:layer:return x + y (gradient)" in names
        assert "training.py:189:layer:z = 'größer als..." in names
        assert "training.py:202:train_step:none" in names  # the file ends before
        file.write_bytes(b"\xff\n" * 300)
        os.utime(file, (1, 1))
        assert "training.py:192:layer:none" in code_names(trace, tmp_path)  # not UTF-8
        file.write_text("x\n" * 300)  # after the trace was recorded
        assert "training.py:192:layer:none" in code_names(trace, tmp_path)
        file.unlink()
        os.mkfifo(file)
        assert "training.py:192:layer:none" in code_names(trace, tmp_path)
