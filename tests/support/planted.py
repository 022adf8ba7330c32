#!/usr/bin/env python3
"""Writes a hand-made training run in which three things are planted, and the file it was made from.

    python3 planted.py DIRECTORY SEED [slower] [at=FILE]

Of a dozen layers one line takes most of the time, and another holds a tensor of 256 MB while all others
hold a few. With `slower`, one further layer takes four times as long: a regression. Call stacks name net.py,
or FILE. What was planted is printed as JSON. Writes net.py (whose lines the call stacks name), graph.pbtxt, op_log.pbtxt and
run_meta_0.pbtxt to run_meta_5.pbtxt; needs only Python's library.
"""

import json
import os
import random
import sys

N_STEPS, START, SLOW, REGRESSION, HUGE = 6, 1_000_000, 9_000, 4, 256_000_000
WORDS = "stem norm gate mixer head pool embed decode attend project expand squeeze".split()
DEVICE = "/job:localhost/replica:0/task:0/device:GPU:0"


def plan(seed):
    """What each layer costs: [(name, line, microseconds, bytes)], and what is planted."""
    rng = random.Random(seed)
    names = [f"{word}_{rng.randrange(100)}" for word in rng.sample(WORDS, len(WORDS))]
    slow, huge, changed = rng.sample(range(len(names)), 3)
    layers = [[name, 5 + 2 * i, rng.randrange(200, 400), rng.randrange(1, 5) * 1_000_000] for i, name in enumerate(names)]
    layers[slow][2] = SLOW
    layers[huge][3] = HUGE
    return layers, {"slow": layers[slow], "huge": layers[huge], "changed": layers[changed]}


def source(layers):
    text = ["import tensorflow as tf", "", "def net(x):", '  """Twelve layers."""']
    for name, *_ in layers:
        text += [f"  x = tf.matmul(x, weights['{name}'])", ""]
    return "\n".join(text + ["  return x", ""])


def graph(layers):
    nodes, before = ['node { name: "input" op: "Placeholder" }'], "input"
    for name, *_ in layers:
        nodes.append(f'node {{ name: "{name}/MatMul" op: "MatMul" device: "{DEVICE}" input: "{before}" '
                     'attr { key: "_output_shapes" value { list { shape { dim { size: 8 } dim { size: 16 } } } } } }')
        before = f"{name}/MatMul"
    return "\n".join(nodes) + "\n"


def op_log(layers, path):
    strings, entries = [path, "net"] + [f"x = tf.matmul(x, weights['{name}'])" for name, *_ in layers], []
    for i, (name, line, *_) in enumerate(layers):
        entries.append(f'log_entries {{ name: "{name}/MatMul" code_def {{ traces {{ file_id: 0 lineno: {line} function_id: 1 line_id: {i + 2} }} }} }}')
    texts = "\n".join(f'id_to_string {{ key: {i} value: "{t}" }}' for i, t in enumerate(strings))
    return "\n".join(entries) + "\n" + texts + "\n"


def run_meta(layers, step, jitter):
    now, used, entries = START + 100_000 * step, 0, []
    end = now + sum(micros for _, _, micros, _ in layers) + 1000
    for name, _, micros, size in layers:
        used, micros = used + size, micros + jitter.randrange(-2, 3)
        memory = (f'memory {{ allocator_name: "GPU_0_bfc" total_bytes: {size} peak_bytes: {size} live_bytes: {size} allocator_bytes_in_use: {used} '
                  f'allocation_records {{ alloc_micros: {now} alloc_bytes: {size} }} allocation_records {{ alloc_micros: {end} alloc_bytes: {-size} }} }}')
        entries.append(f'node_stats {{ node_name: "{name}/MatMul" all_start_micros: {now} op_start_rel_micros: 0 op_end_rel_micros: {micros} '
                       f'all_end_rel_micros: {micros} {memory} }}')
        now += micros
    return f'step_stats {{ dev_stats {{ device: "{DEVICE}"\n' + "\n".join(entries) + "\n} }\n"


def main(directory, seed, *more):
    os.makedirs(directory, exist_ok=True)
    layers, planted = plan(int(seed))
    if "slower" in more:
        planted["changed"][2] *= REGRESSION
    named = [word[3:] for word in more if word.startswith("at=")]
    path, jitter = named[0] if named else os.path.join(os.path.abspath(directory), "net.py"), random.Random(f"{seed} {more}")
    files = {"net.py": source(layers), "graph.pbtxt": graph(layers), "op_log.pbtxt": op_log(layers, path)}
    files.update({f"run_meta_{step}.pbtxt": run_meta(layers, step, jitter) for step in range(N_STEPS)})
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    print(json.dumps({what: {"layer": name, "line": line, "micros": micros, "bytes": size} for what, (name, line, micros, size) in planted.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
