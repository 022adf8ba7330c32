"""Who holds the memory, where something was planted that does."""

import gzip
import os
import subprocess

from test_commands import ask
from tree import program

HERE = os.path.dirname(os.path.abspath(__file__))
PLANTED = 8 * 64 * 512 * 1024 * 4  # waves, in planted/out_of_memory.py


def test_a_step_that_finds_no_memory_is_named_first(tmp_path):
    """Nothing of it ran, but a smaller program did."""
    path = tmp_path / "trace.xplane.pb"
    with gzip.open(os.path.join(HERE, "planted", "out_of_memory.xplane.pb.gz")) as file:
        path.write_bytes(file.read())
    done = subprocess.run([program(), "memory", path], capture_output=True, check=True, text=True)
    first = done.stdout.splitlines()[0]
    assert first.startswith("jit_train_step(26) was called, but nothing of it ran: 4.31GB on each device;")
    assert first.endswith("of which 1.07GB is f32[8,64,512,1024] of block_2/mlp, /tmp/planted/train.py:18")
    nodes = ask("memory", path)["nodes"]
    assert [node["name"] for node in nodes if node["depth"] == 1] == ["jit_train_step(26)", "jit_evaluate(24)"]
    largest = max((node for node in nodes if node["depth"] == 4), key=lambda node: node["bytes"])
    assert (largest["bytes"], largest["layer"]) == (PLANTED, "block_2/mlp")
