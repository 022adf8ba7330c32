"""A small fleet with what the shipped views must find: from night 7 on Conv2D takes 12 %
longer in model `big`, worker 3 is 25 % slower, and the memory of `leaky` grows."""

import random

import tfprof

NIGHTS, WORKERS, STEPS = 10, 5, 3
OPS = {"Conv2D": 4000, "MatMul": 2500, "Relu": 700, "BiasAdd": 500}
SLOW_OP, SLOW_NIGHT, SLOW_WORKER = "Conv2D", 7, 3


def _graph(n_layers):
    return "".join(f'node {{ name: "layer_{i}/{op}" op: "{op}" }}\n'
                   for i in range(n_layers) for op in OPS)


def _run_meta(draw, n_layers, slower, n_bytes, start):
    entries, at = [], start
    for i in range(n_layers):
        for op, micros in OPS.items():
            took = round(micros * slower.get(op, 1) * slower["all"] * draw.uniform(0.99, 1.01))
            entries.append(
                f'node_stats {{ node_name: "layer_{i}/{op}" all_start_micros: {at} '
                f"op_end_rel_micros: {took} all_end_rel_micros: {took} "
                f'timeline_label: "layer_{i}/{op} = {op}()" memory {{ allocator_name: "cpu" '
                f"total_bytes: {n_bytes} peak_bytes: {n_bytes} }} }}\n")
            at += took
    return ('step_stats { dev_stats { device: "/job:w/replica:0/task:0/device:CPU:0"\n'
            + "".join(entries) + "} }")


def make(directory):
    """Writes 100 profiles as model=…/run=…/worker=…/profile."""
    draw = random.Random(7)
    for model, n_layers in (("big", 5), ("leaky", 3)):
        graph = _graph(n_layers).encode()
        for night in range(1, NIGHTS + 1):
            for worker in range(WORKERS):
                slower = {"all": 1.25 if worker == SLOW_WORKER else 1}
                if model == "big" and night >= SLOW_NIGHT:
                    slower[SLOW_OP] = 1.12
                n_bytes = 1000000 + (night * 20000 if model == "leaky" else 0)
                profile = tfprof.load(graph=graph, run_meta=[
                    _run_meta(draw, n_layers, slower, n_bytes, 10**6 * (step + 1)).encode()
                    for step in range(STEPS)])
                path = directory / f"model={model}" / f"run={night}" / f"worker={worker}"
                path.mkdir(parents=True)
                profile.save(path / "profile")
    return directory
