"""Real TPU, NVIDIA and AMD recordings: who held the memory of each allocator at its peak."""

import json

import product
import pytest
import recordings

pytestmark = recordings.needed


def ask(question, name):
    result = product.run(question, recordings.trace(name), "--output=json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("name, peaks", [
    ("nvidia_v100_bert", {"GPU_6_bfc": 6210111488, "GPU_4_bfc": 6208853760, "GPU_1_bfc": 4013344768,
                          "gpu_host_bfc": 605952}),
    ("tpu_v6e_host_offload", {f"TPU {i}": 21492569216 if i in (0, 3) else 21492671104 for i in range(4)}),
    ("amd_mi300_conv_8gpus", {f"GPU_{i}_bfc": 1732169984 if i else 1730171904 for i in range(8)}),
    ("amd_mi300_attention", {"GPU_0_bfc": 452985344, "xla_gpu_host_bfc": 256}),
])
def test_what_is_held_at_the_peak_adds_up_to_it(name, peaks):
    nodes = ask("memory", name)["nodes"]
    found = [node for node in nodes if node["capacity_bytes"]]
    assert {node["name"]: node["peak_bytes"] for node in found} == peaks
    for node in found:
        below = [row for row in nodes if row["parent"] == node["id"]]
        assert sum(row["bytes"] for row in below) == node["peak_bytes"]
    assert nodes[0]["peak_bytes"] is None


def test_memory_of_gpus_is_named_by_nodes_or_by_programs():
    found = {row["name"]: row for row in ask("memory", "nvidia_v100_bert")["nodes"]}
    cast = found["replica_6/bert_span_labeler/bert_encoder_1/word_embeddings/GatherV2/Cast"]
    assert (cast["bytes"], cast["shape"]) == (62509056, "[30522,1024]")
    found = [row for row in ask("memory", "amd_mi300_conv_8gpus")["nodes"]
             if row["name"] == "temporaries of jit_forward_3d_conv(15)"]
    assert [row["bytes"] for row in found] == [579072256] * 8
    found = [row for row in ask("memory", "tpu_v6e_host_offload")["nodes"]
             if row["name"] == "reserved for temporaries of programs"]
    assert {(row["bytes"], row["borrowed"]) for row in found} == {
        (21491712000, "size of temporaries of jit_f(12190760917235803885)")}
