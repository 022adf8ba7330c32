#!/usr/bin/env python3
"""Collect call stacks, float operations and variables of a live graph, and
compare with TensorFlow's own logger in the same run.

    python_collect.py [OPERATIONS [ROUNDS]]

Prints, for a graph of about 20,000 operations, the best time of each and the
ratio (below 1: faster than TensorFlow). Needs TensorFlow and the package.
"""

import os
import sys
import tempfile
import time
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow.compat.v1 as tf  # noqa: E402

import tfprof  # noqa: E402

OPERATIONS_PER_LAYER = 51
# Each layer from a source file of its own: no two stacks are the same.
LAYER = """
def layer(x, i):
    w = tf.get_variable('w%d' % i, [8, 8])
    b = tf.get_variable('b%d' % i, [8])
    return tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), b))
"""


def build(n_operations, distinct):
    """A deep network with its gradients; by one loop, or as if each layer had
    been written out."""
    x = tf.placeholder(tf.float32, [None, 8])
    for i in range(max(1, n_operations // OPERATIONS_PER_LAYER)):
        names = {"tf": tf}
        exec(compile(LAYER, f"layer_{i if distinct else 0}.py", "exec"), names)
        x = names["layer"](x, i)
    tf.train.AdamOptimizer().minimize(tf.reduce_sum(x))


def best_time(function, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def main(n_operations=20000, rounds=5):
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    warnings.simplefilter("ignore")
    for distinct in (False, True):
        graph = tf.Graph()
        with graph.as_default():
            build(n_operations, distinct)
        print(f"{len(graph.get_operations())} operations, layers "
              f"{'written out' if distinct else 'in a loop'}")
        with tempfile.TemporaryDirectory() as directory:
            for add_trace in (True, False):
                theirs, ours = [best_time(lambda: write(graph, directory, add_trace=add_trace),
                                          rounds)
                                for write in (tf.profiler.write_op_log, tfprof.write_op_log)]
                print(f"  {'with' if add_trace else 'without'} stacks: "
                      f"TensorFlow {theirs:.3f} s, here {ours:.3f} s, ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
