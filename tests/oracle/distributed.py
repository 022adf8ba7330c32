#!/usr/bin/env python3
"""Train a small model on real tf.distribute.Servers and save its run metadata.

    python distributed.py [DIRECTORY]

Every task runs in its own process on 127.0.0.1. Writes a directory per cluster,
with `graph.gz` (GraphDef) and `run_meta_<step>.gz` (RunMetadata, FULL_TRACE). Made
`tests/data/advise`; needs TensorFlow.

    one_worker   1 ps, 1 worker, reference variables
    two_workers  1 ps, 2 workers driven by the same client
    balanced     2 ps with half of the variables each, 1 worker
    unbalanced   2 ps, all variables but one on ps 1, 1 worker
"""

import gzip
import json
import os
import socket
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
WIDTH = 256
BATCH = 2048
WARM_UP, STEPS = 3, 3

# ps tasks, workers, the ps of each layer's variable, resource variables?
CLUSTERS = {
    "one_worker": (1, 1, [0, 0, 0, 0, 0, 0], False),
    "two_workers": (1, 2, [0, 0, 0, 0, 0, 0], True),
    "balanced": (2, 1, [0, 1, 0, 1, 0, 1], True),
    "unbalanced": (2, 1, [1, 1, 1, 0, 1, 1], True),
}


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def serve(cluster, job, task):
    tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=task).join()


def build(n_workers, places, resources):
    variables = []
    for i, ps in enumerate(places):
        with v1.device(f"/job:ps/task:{ps}"):
            variables.append(v1.get_variable(f"layer{i}/w", [WIDTH, WIDTH],
                                             use_resource=resources))
    losses = []
    for worker in range(n_workers):
        with v1.device(f"/job:worker/task:{worker}"), v1.name_scope(f"worker{worker}"):
            hidden = v1.random_normal([BATCH, WIDTH])
            for variable in variables:
                hidden = tf.nn.tanh(tf.matmul(hidden, variable))
            losses.append(tf.reduce_mean(hidden))
    optimizer = v1.train.GradientDescentOptimizer(0.01)
    return [optimizer.minimize(loss, colocate_gradients_with_ops=True) for loss in losses]


def train(cluster, shape, directory):
    n_workers, places, resources = shape[1:]
    with tf.Graph().as_default() as graph:
        train_op = build(n_workers, places, resources)
        keep(directory, "graph", graph.as_graph_def(add_shapes=True))
        with v1.Session("grpc://" + cluster["worker"][0]) as session:
            session.run(v1.global_variables_initializer())
            for _ in range(WARM_UP):
                session.run(train_op)
            for step in range(STEPS):
                run_meta = v1.RunMetadata()
                session.run(train_op, options=v1.RunOptions(
                    trace_level=v1.RunOptions.FULL_TRACE), run_metadata=run_meta)
                keep(directory, f"run_meta_{step}", run_meta)


def keep(directory, name, message):
    with open(os.path.join(directory, name + ".gz"), "wb") as file:
        file.write(gzip.compress(message.SerializeToString(deterministic=True), 9, mtime=0))


def run(name, directory):
    shape = CLUSTERS[name]
    ports = [f"127.0.0.1:{port}" for port in free_ports(shape[0] + shape[1])]
    cluster = {"ps": ports[:shape[0]], "worker": ports[shape[0]:]}
    os.makedirs(directory, exist_ok=True)
    servers = [subprocess.Popen([sys.executable, os.path.abspath(__file__), "--serve",
                                 json.dumps(cluster), job, str(task)])
               for job, tasks in cluster.items() for task in range(len(tasks))]
    try:
        train(cluster, shape, directory)
    finally:
        for server in servers:
            server.kill()
            server.wait()


def main():
    if sys.argv[1:2] == ["--serve"]:
        serve(json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
        return
    here = os.path.dirname(os.path.abspath(__file__))
    directory = sys.argv[1] if sys.argv[1:] else os.path.join(here, "..", "data", "advise")
    v1.disable_eager_execution()
    for name in CLUSTERS:
        run(name, os.path.join(directory, name))


if __name__ == "__main__":
    main()
