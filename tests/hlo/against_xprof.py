"""Compares `tfprof memory` and `roofline` with XProf's memory_viewer and roofline_model on the same
traces, and prints the tables of docs/validation.md.

  $(tools/venv-xprof) tests/hlo/against_xprof.py

What is true: sizes by JAX's memory_analysis() where jax_says.json has it; else the buffer assignment."""

import glob
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from xprof.convert import raw_to_tool_data

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import programs  # noqa: E402
from tree import program  # noqa: E402

MIB = 2**20
JAX = json.loads((HERE / "jax_says.json").read_text(encoding="utf-8"))
TRACES = [*sorted(glob.glob(str(HERE / "traces" / "*.gz"))),
          *(str(HERE.parent / "xplane" / "samples" / f"{name}.xplane.pb.gz")
            for name in ("jax_transformer", "tf_cnn_loop_jit", "tf_transformer_jit"))]

ACCELERATORS = [str(HERE.parent / "xplane" / "samples" / f"{name}.xplane.pb.gz")
                for name in ("synthetic_tpu", "synthetic_gpu")]


def ask_xprof(path, tool, **options):
    data, _ = raw_to_tool_data.xspace_to_tool_data([str(path)], tool, {"use_saved_result": False, **options})
    return json.loads(data)


def ask(question, path, *options):
    done = subprocess.run([program(), question, path, "--output=json", *options], check=True, capture_output=True)
    return json.loads(done.stdout)


def below(nodes, node):
    return [other for other in nodes if other["parent"] == node["id"]]


def compare_memory(path, name):
    """A row of the table: the largest program that ran."""
    nodes = ask("memory", path)["nodes"]
    module = next(node for node in nodes if node["depth"] == 1)
    parts = {part["name"]: part for part in below(nodes, module)}
    theirs = ask_xprof(path, "memory_viewer", host="", module_name=module["name"], memory_space="0",
                       graph_viewer_options={}, view_memory_allocation_timeline=False)
    jax = JAX.get(name.removeprefix("fn_"), {}).get("mem")
    truth = sum(part["bytes"] for part in parts.values())
    if jax:
        truth = jax["argument_size_in_bytes"] + jax["output_size_in_bytes"] - jax["alias_size_in_bytes"] + \
            jax["temp_size_in_bytes"] + parts["constants"]["bytes"]
    nameless = sum(row["logicalBufferSizeMib"] for row in theirs.get("maxHeap", []) if not row.get("tfOpName")) * MIB
    buffers = [node for node in nodes if node["depth"] == 4 and node["id"] > module["id"]]
    buffers = [node for node in buffers if in_program(nodes, node, module)]
    ours_nameless = sum(node["bytes"] for node in buffers if node["borrowed"] == "no name")
    return (name, truth, module["bytes"], theirs["totalBufferAllocationMib"] * MIB, module["peak_bytes"],
            theirs["peakHeapMib"] * MIB, ours_nameless, nameless)


def in_program(nodes, node, module):
    while node["parent"]:
        node = nodes[node["parent"]]
    return node is module


def roofline_of_xprof(path):
    """{operation: its row of the whole recording}"""
    table = ask_xprof(path, "roofline_model")[0]
    keys = [column["id"] for column in table["cols"]]
    rows = [dict(zip(keys, [cell and cell["v"] for cell in row["c"]])) for row in table["rows"]]
    return {row["operation"]: row for row in rows if row["step"] == "Total" and row["operation"] != "Program"}


def compare_rooflines(path, name):
    """Rows of the table: operations of programs."""
    theirs = roofline_of_xprof(path)
    for row in ask("roofline", path)["nodes"][1:]:
        other = theirs.get(row["name"], {})
        gib = other.get("measured_memory_bw", 0) * 2**30
        yield (f"{name}: {row['name']}", f"{row['float_ops_per_second'] / 1e9:.4f}",
               f"{other.get('measured_flop_rate', 0):.4f}", f"{row['bytes_per_second'] / 1e9:.4f}", f"{gib / 1e9:.4f}",
               f"{row['efficiency']:.3e}" if row["efficiency"] else "", f"{other.get('roofline_efficiency', 0):.3e}",
               row["bound"] or "", other.get("bound_by", "not listed"))


def unpacked(trace, directory):
    name = os.path.basename(trace).split(".")[0]
    path = pathlib.Path(directory) / f"{name}.xplane.pb"
    with gzip.open(trace) as file:
        path.write_bytes(file.read())
    return name, path


def main():
    print("| trace | true | tfprof | XProf | peak: tfprof | XProf | without a name: tfprof | XProf |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for trace in TRACES:
        with tempfile.TemporaryDirectory() as directory:
            name, path = unpacked(trace, directory)
            for module, message in programs.programs_of(path.read_bytes()).items():
                (path.parent / f"{module}.hlo_proto.pb").write_bytes(message)
            row = compare_memory(path, name)
            print("| " + " | ".join([row[0]] + [f"{round(value):,}" for value in row[1:]]) + " |", flush=True)

    print("\n| operation | 10⁹ flop/s: tfprof | XProf | 10⁹ B/s: tfprof | XProf | efficiency: tfprof | XProf | bound: tfprof | XProf |")
    print("|---|--:|--:|--:|--:|--:|--:|---|---|")
    for sample in ("synthetic_tpu", "synthetic_gpu", "fn_transformer_grad"):
        trace = next(path for path in TRACES + ACCELERATORS if sample in path)
        with tempfile.TemporaryDirectory() as directory:
            name, path = unpacked(trace, directory)
            for row in list(compare_rooflines(path, name))[:4]:
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
