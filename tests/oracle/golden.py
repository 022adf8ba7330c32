#!/usr/bin/env python3
"""Run TensorFlow's profiler on the real models and save its reports as golden files.

    golden.py MODELS_DIRECTORY        (as models.py wrote it)

Writes tests/golden/<model>/: the inputs, compressed, and for each query
<name>.query, a command line, and <name>.txt, the report of TensorFlow's profiler.

Our program takes types from the labels of run metadata, too, and shapes that the graph leaves
open. Where that makes a difference, <name>.executed.txt is what TensorFlow's profiler reports
once it is told of them: nodes that no graph defines are added to the graph, shapes to its
nodes, and what other nodes ran as to the op log.
"""

import gzip
import os
import re
import shutil
import sys

import query_line
from google.protobuf import text_format
from messages import GraphDef, OpLogProto, OptionsProto, RunMetadata
from original import Original

GOLDEN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "golden")
GRAPH = "--graph_path=graph.pbtxt"
LOG = "--op_log_path=tfprof_log"
RUN = "--run_meta_path=run_meta_0,run_meta_1,run_meta_2"
FILES = f"--graph_path=graph.pb {RUN} {LOG}"
SAVED = "--profile_path=profile"
ALL = ("--select=bytes,peak_bytes,residual_bytes,output_bytes,micros,accelerator_micros,"
       "cpu_micros,params,float_ops,occurrence,device,op_types,input_shapes")
CODE = "--source_lines=false"

# Queries for every model. No model may have negative byte counts, which TensorFlow
# records when a kernel frees memory: its profiler averages such sums as unsigned
# numbers, ours does not.
COMMON = {
    "scope_to_depth_3":
        f"scope {FILES} --max_depth=3",
    "scope_all_columns_of_step_0":
        f"scope {FILES} {ALL} --max_depth=3 --step=0",
    "scope_min_micros_without_hidden":
        f"scope {SAVED} {ALL} --max_depth=100 --step=1 --min_micros=20 "
        "--hide_name_regexes='unit_[23].*'",
    "scope_displayed_only_by_micros":
        f"scope {SAVED} --account_displayed_op_only "
        "--show_name_regexes='.*Mat.*,.*(DW|rnn)_grad.*' --order_by=micros "
        "--select=micros,occurrence --max_depth=50",
    "graph_to_depth_3":
        f"graph {FILES} --max_depth=3",
    "graph_all_columns_by_bytes_trimmed":
        f"graph {SAVED} {ALL} --max_depth=7 --order_by=bytes --min_bytes=100 --step=1 "
        "--trim_name_regexes='gradients/unit_[23].*'",
    "graph_from_loss_min_micros":
        f"graph {SAVED} --start_name_regexes='.*loss.*,cost.*' --max_depth=100 --min_micros=10 "
        "--select=micros,device",
    "op_by_micros":
        f"op {FILES} --select=micros,bytes,occurrence --order_by=micros --max_depth=100",
    "op_memory_of_step_1":
        f"op {FILES} --select=bytes,peak_bytes,residual_bytes,output_bytes --order_by=bytes "
        "--step=1",
    "op_all_columns_by_peak_bytes":
        f"op {SAVED} {ALL} --order_by=peak_bytes --max_depth=1000 --step=2",
    "op_of_devices_by_occurrence":
        f"op {SAVED} --account_type_regexes='.*cpu.*,.*gpu.*' --select=device,micros,occurrence "
        "--order_by=occurrence --hide_name_regexes=Const --min_occurrence=2 --max_depth=40",
    "op_displayed_only_from_a_to_m":
        f"op {SAVED} --step=2 --order_by=cpu_micros --select=cpu_micros,accelerator_micros "
        "--account_displayed_op_only --start_name_regexes='[A-M].*'",
    "code_of_model_files_by_micros":
        f"code {FILES} {CODE} --max_depth=1000 --order_by=micros "
        "--show_name_regexes='.*(train|resnet_model|loop|devices).py.*'",
    "code_params_and_float_ops":
        f"code {SAVED} {CODE} --max_depth=7 --select=params,float_ops",
    "code_memory_by_bytes":
        f"code {SAVED} {CODE} --max_depth=7 --select=bytes,output_bytes --order_by=bytes",
    "code_by_cpu_micros_trimmed":
        f"code {SAVED} {CODE} --max_depth=1000 --order_by=cpu_micros --select=cpu_micros,device "
        "--trim_name_regexes='.*(variable_scope|dispatch|deprecation|traceback_utils).*' --step=0",
    "code_of_products_hidden_lines":
        f"code {SAVED} {CODE} --account_type_regexes='Mat.*,.*Conv.*' --select=micros,op_types "
        "--start_name_regexes='.*(build|main|unit).*' --max_depth=5 --hide_name_regexes='.*:2.*'",
}

# Queries for single models; the ResNet's are those of the documents.
SPECIAL = {
    "resnet": {
        "scope_params_of_variables":
            f"scope {GRAPH} --account_type_regexes=VariableV2 --max_depth=4 --select=params",
        "scope_params_of_trainable_variables":
            f"scope {GRAPH} {LOG} --account_type_regexes=_trainable_variables --max_depth=4 "
            "--select=params",
        "scope_params_of_weights_by_name":
            f"scope {GRAPH} {LOG} --account_type_regexes=_trainable_variables --max_depth=10 "
            "--select=params --show_name_regexes='.*(DW|biases|beta|gamma)'",
        "scope_float_ops_of_products":
            f"scope {GRAPH} {LOG} --min_float_ops=1 --max_depth=10 --select=float_ops "
            "--account_type_regexes=Conv2D,MatMul,BiasAdd",
        "scope_float_ops_above_10m":
            f"scope {GRAPH} {LOG} --min_float_ops=10000000 --max_depth=10 --select=float_ops",
        "op_by_float_ops":
            f"op {GRAPH} {LOG} --min_float_ops=1 --select=float_ops --order_by=float_ops",
        "scope_params_of_one_unit":
            f"scope {GRAPH} --show_name_regexes='unit_2_1.*DW' --max_depth=100 "
            "--account_displayed_op_only --select=params",
        "graph_time_from_cost":
            f"graph {FILES} --start_name_regexes='cost.*' --max_depth=100 --min_micros=10000 "
            "--select=micros --account_type_regexes='.*'",
        "scope_time_of_gradients":
            f"scope {FILES} --start_name_regexes='gradient.*' --max_depth=100 --min_micros=20000 "
            "--select=micros --account_type_regexes='.*'",
        "code_time_of_model_lines":
            f"code {SAVED} {CODE} --max_depth=1000 --show_name_regexes='.*resnet.*py.*' "
            "--select=micros --order_by=micros",
    },
    "loop": {
        "scope_runs_of_step_1":
            f"scope {SAVED} --select=occurrence,float_ops --max_depth=20 --step=1",
        "op_runs_by_occurrence":
            f"op {SAVED} --select=occurrence,float_ops,input_shapes --order_by=occurrence "
            "--max_depth=100",
        "graph_control_flow":
            f"graph {SAVED} --max_depth=1000 --select=occurrence,op_types "
            "--account_type_regexes='.*Enter|Merge|Switch|Exit|NextIteration'",
    },
    "devices": {
        "scope_all_columns_of_step_12":
            f"scope {SAVED} --step=12 --max_depth=20 {ALL}",
        "scope_params_on_one_server":
            f"scope {SAVED} --select=device,params --account_type_regexes='.*ps.*task:0.*' "
            "--max_depth=1",
        "op_by_accelerator_micros":
            f"op {SAVED} --step=11 --order_by=accelerator_micros "
            "--select=accelerator_micros,cpu_micros,device --max_depth=30",
        "graph_by_accelerator_micros":
            f"graph {FILES} --order_by=accelerator_micros --select=accelerator_micros,peak_bytes "
            "--max_depth=30 --min_accelerator_micros=1",
    },
}


def queries(model):
    """(name, command line) of each query on a model."""
    for name, line in COMMON.items():
        if model == "devices" and SAVED in line:
            # Its saved profile numbers the steps from 10.
            line = line.replace("--step=", "--step=1")
        yield name, line
    yield from SPECIAL[model].items()


def options_message(options, outfile):
    message = OptionsProto(max_depth=10, step=-1, order_by="name", account_type_regexes=[".*"],
                           start_name_regexes=[".*"], show_name_regexes=[".*"],
                           select=["micros"], output=f"file:outfile={outfile}")
    for name, value in options.items():
        if name == "source_lines":
            continue
        kind = message.DESCRIPTOR.fields_by_name[name]
        if name.endswith("_regexes") or name == "select":
            getattr(message, name)[:] = value.split(",")
        elif kind.type == kind.TYPE_BOOL:
            setattr(message, name, value == "true")
        else:
            setattr(message, name, int(value) if kind.type == kind.TYPE_INT64 else value)
    return message.SerializeToString()


def types_of_labels(run_metas):
    """Node -> the types of its labels, such as `[cpu 1.0MB] node = Type(input)`."""
    types = {}
    for run_meta in run_metas:
        for device in RunMetadata.FromString(run_meta).step_stats.dev_stats:
            for entry in device.node_stats:
                found = re.search(r" = (\w+)\(.*\)", entry.timeline_label)
                if found and entry.node_name != "_SOURCE":
                    types.setdefault(entry.node_name, []).append(found.group(1))
    return types


def add_labels(graph, op_log, run_metas):
    """Tells TensorFlow's profiler what it does not read from labels."""
    graph, op_log = GraphDef.FromString(graph), OpLogProto.FromString(op_log)
    defined = {node.name: node.op for node in graph.node}
    entries = {entry.name: entry for entry in op_log.log_entries}
    for name, types in types_of_labels(run_metas).items():
        if name not in defined:
            graph.node.add(name=name, op=types[-1])
        elif set(types) != {defined[name]}:
            entry = entries.get(name) or op_log.log_entries.add(name=name)
            entry.types.extend(set(types) - {defined[name]})
    return graph.SerializeToString(), op_log.SerializeToString()


def shapes_of_runs(run_metas):
    """(node, output) -> the shapes it had, as tuples."""
    shapes = {}
    for run_meta in run_metas:
        for device in RunMetadata.FromString(run_meta).step_stats.dev_stats:
            for entry in device.node_stats:
                fed = re.fullmatch(r"_(?:arg|retval)_(.+)_(\d+)_\d+", entry.node_name)
                for output in entry.output:
                    tensor = output.tensor_description
                    key = (fed[1], int(fed[2])) if fed else (entry.node_name, output.slot)
                    if tensor.HasField("shape") and tensor.dtype != 20:  # a handle
                        shapes.setdefault(key, set()).add(
                            tuple(dim.size for dim in tensor.shape.dim))
    return shapes


def add_shapes(graph, run_metas):
    """Completes the shapes of a graph by those that did not differ between runs."""
    graph = GraphDef.FromString(graph)
    nodes = {node.name: node for node in graph.node}
    for (name, output), shapes in shapes_of_runs(run_metas).items():
        if name not in nodes or len(shapes) > 1:
            continue
        known = nodes[name].attr["_output_shapes"].list.shape
        while len(known) <= output:
            known.add(unknown_rank=True)
        if known[output].unknown_rank or any(dim.size < 0 for dim in known[output].dim):
            known[output].Clear()
            for size in shapes.pop():
                known[output].dim.add(size=size)
    return graph.SerializeToString()


def correct_inputs(report, graph):
    """Shapes of inputs that name an output other than the first: TensorFlow's profiler shows
    that of the first."""
    nodes = {node.name: node for node in GraphDef.FromString(graph).node}

    def shape_of(source):
        name, _, output = source.lstrip("^").partition(":")
        known = nodes[name].attr["_output_shapes"].list.shape[int(output or 0):]
        if not known or known[0].unknown_rank:
            return "unknown"
        return "x".join(str(dim.size) for dim in known[0].dim) or "1"

    for node in nodes.values():
        if any(":" in source for source in node.input):
            right = "|".join(f"{i}:{shape_of(source)}" for i, source in enumerate(node.input))
            report = re.sub(rf"(?m)^( *{re.escape(node.name)} \(.*, )\d+:[^,]*\)$",
                            lambda found, right=right: f"{found[1]}{right})", report)
    return report


def feed(original, files, directory, labels=False, step=-1):
    """Loads the files of the command line into TensorFlow's profiler, in its order."""
    def get(name):
        if not name:
            return b""
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
        if name.endswith(".pbtxt"):
            return text_format.Parse(data, GraphDef()).SerializeToString()
        return data

    original.delete()
    if "profile_path" in files:
        original.from_file(os.path.join(directory, files["profile_path"]))
        return b""
    steps = [get(name) for name in files.get("run_meta_path", "").split(",") if name]
    graph, op_log = get(files["graph_path"]), get(files.get("op_log_path"))
    if labels:
        graph = add_shapes(graph, steps if step < 0 else steps[step:step + 1])
        graph, op_log = add_labels(graph, op_log, steps)
    original.new(graph, op_log)
    for step, run_meta in enumerate(steps):
        original.add_step(step, b"", run_meta, b"")
    return graph


def ask(original, line, directory, labels=False):
    query = query_line.parse(line)
    graph = feed(original, query.files, directory, labels, int(query.options.get("step", -1)))
    outfile = "/tmp/tfprof-golden-report"
    answer = original.profile(query.view, options_message(query.options, outfile))
    if not os.path.exists(outfile):
        raise RuntimeError(f"no report for {line}: {answer.stderr.decode()}")
    with open(outfile, "rb") as file:
        report = file.read()
    os.unlink(outfile)
    if labels and "input_shapes" in query.options.get("select", ""):
        report = correct_inputs(report.decode(), graph).encode()
    return report


def write_executed(original, name, line, source, target, report):
    if RUN not in line:
        return
    executed = ask(original, line, source, labels=True)
    if executed != report:
        with open(os.path.join(target, name + ".executed.txt"), "wb") as file:
            file.write(executed)


def write_golden(original, model, source):
    target = os.path.join(GOLDEN, model)
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    for name in sorted(os.listdir(source)):
        if name.startswith(("checkpoint", "model.ckpt")):
            continue
        with open(os.path.join(source, name), "rb") as file, \
                open(os.path.join(target, name + ".gz"), "wb") as packed, \
                gzip.GzipFile("", "wb", 9, packed, mtime=0) as out:
            shutil.copyfileobj(file, out)
    for name, line in queries(model):
        report = ask(original, line, source)
        with open(os.path.join(target, name + ".query"), "w", encoding="utf-8") as file:
            file.write(line + "\n")
        with open(os.path.join(target, name + ".txt"), "wb") as file:
            file.write(report)
        write_executed(original, name, line, source, target, report)


if __name__ == "__main__":
    with Original() as asked:
        for model in SPECIAL:
            write_golden(asked, model, os.path.join(sys.argv[1], model))
