"""The pprof tool reads our profiles.

The tool is TFPROF_PPROF, the one in the user's cache or on the path; with Go, it is
installed into the cache (github.com/google/pprof). Skipped if it is not available.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import pytest
import tree

CACHE = os.environ.get("TFPROF_CACHE") or os.path.expanduser("~/.cache/tfprof")
UNITS = {"micros": "us", "cpu_micros": "us", "bytes": "B", "output_bytes": "B", "params": "",
         "float_ops": ""}
OWN = {"micros": "exec_micros", "cpu_micros": "cpu_exec_micros", "bytes": "requested_bytes",
       "output_bytes": "output_bytes", "params": "parameters", "float_ops": "float_ops"}


def install(directory):
    subprocess.run(["go", "install", "github.com/google/pprof@latest"], check=True,
                   capture_output=True, timeout=600,
                   env=dict(os.environ, GOBIN=directory, GOFLAGS="-p=1"))


@pytest.fixture(scope="session")
def pprof():
    cached = os.path.join(CACHE, "bin", "pprof")
    for path in (os.environ.get("TFPROF_PPROF"), cached, shutil.which("pprof")):
        if path and os.path.exists(path):
            return path
    if not shutil.which("go"):
        pytest.skip("needs pprof, or a Go to install it with")
    try:
        install(os.path.join(CACHE, "bin"))
    except (subprocess.SubprocessError, OSError) as error:
        pytest.skip(f"cannot install pprof: {error}")
    return cached


@pytest.fixture(scope="session")
def profile(models):
    return str(models / "resnet" / "profile")


def code_view(profile, *arguments):
    done = subprocess.run([tree.program(), "code", "--profile_path=" + profile, "--max_depth=1000",
                           *arguments], capture_output=True, check=True)
    return done.stdout


def sum_of_leaves(profile, select, *arguments):
    """The sum over frames that call nothing, which are the ones sampled."""
    nodes = json.loads(code_view(profile, "--select=" + select, "--output=json:outfile=-",
                                 *arguments))["nodes"]
    callers = {node["parent"] for node in nodes}
    return sum(node[OWN[select]] for node in nodes if node["id"] not in callers)


@pytest.mark.parametrize("select", sorted(UNITS))
@pytest.mark.parametrize("step", [-1, 1])
def test_top_adds_up(pprof, profile, tmp_path, select, step):
    said = code_view(profile, "--select=" + select, f"--step={step}",
                     f"--output=pprof:outfile={tmp_path}/p")
    assert said.decode() == f"\nRun pprof -png --nodecount=100 --sample_index=1 <{tmp_path}/p>\n"
    unit = UNITS[select]
    done = subprocess.run([pprof, "-top", "-nodefraction=0", "-nodecount=100000",
                           "--sample_index=1", *(["-unit=" + unit] if unit else ["-unit=count"]),
                           f"{tmp_path}/p"], capture_output=True, text=True, check=True)
    total = re.search(r"of (-?\d+)" + unit + r" total", done.stdout)
    assert total, done.stdout[:500]
    expected = sum_of_leaves(profile, select, f"--step={step}")
    assert int(total.group(1)) == expected and expected > 0
    assert f"Type: {select}" in done.stdout


def test_names(pprof, profile, tmp_path):
    code_view(profile, f"--output=pprof:outfile={tmp_path}/p")
    done = subprocess.run([pprof, "-top", "-nodefraction=0", "-nodecount=100000", "-cum",
                           "--sample_index=1", f"{tmp_path}/p"], capture_output=True, text=True)
    names = {line.split("%")[-1].strip() for line in done.stdout.splitlines()}
    assert "resnet_model:residual_unit" in names
    assert "resnet_model:residual_unit (gradient)" in names


@pytest.mark.skipif(not shutil.which("dot"), reason="needs graphviz")
def test_png(pprof, profile, tmp_path):
    code_view(profile, f"--output=pprof:outfile={tmp_path}/p")
    done = subprocess.run([pprof, "-png", "--nodecount=100", "--sample_index=1",
                           f"{tmp_path}/p"], capture_output=True)
    assert done.returncode == 0 and done.stdout.startswith(b"\x89PNG")
    assert len(done.stdout) > 10_000


def test_web_interface(pprof, profile, tmp_path):
    code_view(profile, f"--output=pprof:outfile={tmp_path}/p")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([pprof, "-no_browser", f"-http=127.0.0.1:{port}", f"{tmp_path}/p"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        page = b""
        for _ in range(100):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/ui/flamegraph") as answer:
                    page = answer.read()
                break
            except OSError:
                time.sleep(0.1)
        assert b"residual_unit" in page
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
