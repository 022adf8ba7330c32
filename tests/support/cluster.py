#!/usr/bin/env python3
"""Writes a hand-made training run of 2 tasks with 2 GPUs each, 5 steps, as text messages.

    python3 cluster.py DIRECTORY

Every GPU has a tower of three layers, each a convolution and its gradients, on one stream;
the input of each tower is copied to the GPU; the host adds the gradients up. The allocator of
each GPU is read at every kernel. Step 3 is slow. Writes graph.pbtxt, op_log.pbtxt and
run_meta_0.pbtxt to run_meta_4.pbtxt; needs only Python's library.

Times by hand, in microseconds: in layer L of tower T a convolution takes 100 (L + 1), Relu 20,
Conv2DBackpropFilter 200 (L + 1), and everything twice as long in step 3.
"""

import os
import sys

N_TASKS, N_GPUS, N_LAYERS, N_STEPS, SLOW = 2, 2, 3, 5, 3
START = 1_000_000
FILES = ["/home/me/train.py", "/home/me/model.py", "/usr/lib/python3/dist-packages/lib.py"]


def towers():
    return [(task * N_GPUS + gpu, task, gpu) for task in range(N_TASKS) for gpu in range(N_GPUS)]


def place(task, device):
    return f"/job:worker/replica:0/task:{task}/device:{device}"


def node(name, op, device, *inputs, shape=(8, 16)):
    dims = " ".join(f"dim {{ size: {d} }}" for d in shape)
    lines = [f'node {{ name: "{name}" op: "{op}" device: "{device}"']
    lines += [f' input: "{i}"' for i in inputs]
    lines.append(f' attr {{ key: "shape" value {{ shape {{ {dims} }} }} }}' if op == "VariableV2" else "")
    lines.append(f' attr {{ key: "_output_shapes" value {{ list {{ shape {{ {dims} }} }} }} }} }}')
    return "".join(lines)


def graph():
    nodes, sums = [], []
    for tower, task, gpu in towers():
        on = place(task, f"GPU:{gpu}")
        before = f"tower_{tower}/input"
        nodes.append(node(before, "Placeholder", place(task, "CPU:0")))
        for layer in range(N_LAYERS):
            scope = f"tower_{tower}/layer_{layer}"
            nodes.append(node(f"{scope}/w", "VariableV2", on, shape=(3, 16)))
            nodes.append(node(f"{scope}/Conv2D", "Conv2D", on, before, f"{scope}/w"))
            nodes.append(node(f"{scope}/Relu", "Relu", on, f"{scope}/Conv2D"))
            nodes.append(node(f"gradients/{scope}/Conv2D_grad/Conv2DBackpropFilter", "Conv2DBackpropFilter", on,
                              before, f"{scope}/Relu"))
            before = f"{scope}/Relu"
            sums.append(f"gradients/{scope}/Conv2D_grad/Conv2DBackpropFilter")
    nodes.append(node("train/AddN", "AddN", place(0, "CPU:0"), *sums, "^tower_0/input"))
    return "\n".join(nodes) + "\n"


def entry(name, start, micros, memory=""):
    return (f'node_stats {{ node_name: "{name}" all_start_micros: {start} op_start_rel_micros: 0 '
            f'op_end_rel_micros: {micros} all_end_rel_micros: {micros} {memory} }}')


def held(name, at, until, bytes_, in_use):
    return (f'memory {{ allocator_name: "GPU_0_bfc" total_bytes: {bytes_} peak_bytes: {bytes_} live_bytes: {bytes_} '
            f'allocator_bytes_in_use: {in_use} allocation_records {{ alloc_micros: {at} alloc_bytes: {bytes_} }} '
            f'allocation_records {{ alloc_micros: {until} alloc_bytes: {-bytes_} }} }}')


def device(name, entries):
    return f'dev_stats {{ device: "{name}"\n' + "\n".join(entries) + "\n}"


def tower_stats(tower, task, gpu, begin, slow):
    """Host launches, stream and copies of a GPU, and when it ends."""
    launches, kernels, copies, used, now = [], [], [], 0, begin + 50
    copies.append(entry(f"tower_{tower}/input:MEMCPYHtoD", begin, 50))
    work = [(f"tower_{tower}/layer_{i}/{op}", op, micros) for i in range(N_LAYERS)
            for op, micros in (("Conv2D", 100 * (i + 1)), ("Relu", 20))]
    work += [(f"gradients/tower_{tower}/layer_{i}/Conv2D_grad/Conv2DBackpropFilter", "Conv2DBackpropFilter", 200 * (i + 1))
             for i in reversed(range(N_LAYERS))]
    for name, op, micros in work:
        micros *= slow
        used += 1_000_000
        launches.append(entry(name, now - 5, 4, held(name, now - 5, begin + 10_000, 1_000_000, used)))
        kernels.append(entry(f"{name}:{op}", now, micros))
        now += micros
    on = place(task, f"GPU:{gpu}")
    stats = [device(on, launches), device(f"{on}/stream:all", kernels), device(f"{on}/stream:15", kernels),
             device(f"{on}/memcpy", copies)]
    return stats, now


def run_meta(step):
    begin, slow = START + 20_000 * step, 2 if step == SLOW else 1
    stats, end = [], 0
    for tower, task, gpu in towers():
        more, last = tower_stats(tower, task, gpu, begin + 10 * tower, slow)
        stats += more
        end = max(end, last)
    for task in range(N_TASKS):
        host = [entry(f"tower_{t}/input", begin - 30 + 10 * t, 8) for t, of, _ in towers() if of == task]
        if task == 0:
            host.append(entry("train/AddN", end, 60))
        stats.append(device(place(task, "CPU:0"), host))
    return "step_stats {\n" + "\n".join(stats) + "\n}\n"


def trace(*frames):
    return " ".join(f"traces {{ file_id: {file} lineno: {line} function_id: {3 + function} line_id: {6 + text} }}"
                    for file, line, function, text in frames)


def op_log():
    texts = [*FILES, "main", "conv", "call", "train(model)", "y = conv(x)", "return call(f)"]
    strings = "\n".join(f'id_to_string {{ key: {i} value: "{t}" }}' for i, t in enumerate(texts))
    entries = []
    for tower, _, _ in towers():
        for layer in range(N_LAYERS):
            stack = trace((0, 10, 0, 0), (1, 20 + layer, 1, 1), (2, 99, 2, 2))
            for op in ("w", "Conv2D", "Relu"):
                entries.append(f'log_entries {{ name: "tower_{tower}/layer_{layer}/{op}" float_ops: '
                               f'{1000 * (layer + 1) if op == "Conv2D" else 0} code_def {{ {stack} }} }}')
            entries.append(f'log_entries {{ name: "gradients/tower_{tower}/layer_{layer}/Conv2D_grad/Conv2DBackpropFilter" '
                           f'code_def {{ {trace((0, 13, 0, 0))} }} }}')
    for name, line in [("train/AddN", 12)] + [(f"tower_{t}/input", 11) for t, _, _ in towers()]:
        entries.append(f'log_entries {{ name: "{name}" code_def {{ {trace((0, line, 0, 0))} }} }}')
    return "\n".join(entries) + "\n" + strings + "\n"


def main(directory):
    os.makedirs(directory, exist_ok=True)
    files = {"graph.pbtxt": graph(), "op_log.pbtxt": op_log()}
    files.update({f"run_meta_{step}.pbtxt": run_meta(step) for step in range(N_STEPS)})
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
