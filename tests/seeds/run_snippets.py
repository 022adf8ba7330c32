"""Runs every snippet after tfprof.install(), each in a graph and directory of its own; writes what
happened to results.json. With `import tensorflow as tf` and `import tensorflow.compat.v1 as tf`.

    run_snippets.py DIRECTORY
"""

import contextlib
import io
import json
import os
import sys
import traceback
import types

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import snippets
import tensorflow

import tfprof

MODEL = '''
def build(tf):
    """Runs in any session: it initializes itself."""
    kernel = tf.get_variable("pool_logit/DW", [64, 10], use_resource=True)
    biases = tf.get_variable("pool_logit/biases", [10], use_resource=True)
    with tf.control_dependencies([tf.global_variables_initializer()]):
        logits = tf.matmul(tf.ones([8, 64]), kernel.read_value()) + biases.read_value()
        return logits, tf.reduce_sum(logits)
'''


def names(tf, train_op, directory, sess):
    """What a snippet takes for granted."""
    from tensorflow.contrib.tfprof import Profiler, option_builder
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.platform import gfile
    from tensorflow.tools.tfprof import tfprof_log_pb2

    def train_loop():
        with tensorflow.compat.v1.Session() as own:
            for _ in range(110):
                own.run(train_op)

    run_meta = tensorflow.compat.v1.RunMetadata()
    sess.run(train_op, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
             run_metadata=run_meta)
    return {"tf": tf, "sys": sys, "os": os, "gfile": gfile, "config_pb2": config_pb2,
            "tfprof_log_pb2": tfprof_log_pb2, "Profiler": Profiler, "option_builder": option_builder,
            "train_op": train_op, "train_loop": train_loop, "sess": sess, "run_meta": run_meta,
            "run_metadata": run_meta, "graph": sess.graph, "self": types.SimpleNamespace(_sess=sess),
            "total_steps": 3, "filename": os.path.join(directory, "timeline"),
            "log_dir": directory, "output_dir": directory,
            "op_log": tfprof_log_pb2.OpLog()}


def run(tf, code, directory):
    """{error, printed, files, values}"""
    os.makedirs(os.path.join(directory, "tmp"))
    scope, error, printed = {}, "", io.StringIO()
    with tensorflow.Graph().as_default():
        model = {}
        exec(compile(MODEL, "my_code.py", "exec"), model)
        _, train_op = model["build"](tensorflow.compat.v1)
        with tensorflow.compat.v1.Session() as sess, contextlib.redirect_stdout(printed):
            scope.update(names(tf, train_op, directory, sess))
            try:
                exec(compile(code.replace("/tmp/", f"{directory}/tmp/"), "snippet.py", "exec"), scope)
            except Exception:
                error = traceback.format_exc()
    files = sorted(os.path.relpath(os.path.join(where, name), directory)
                   for where, _, found in os.walk(directory) for name in found)
    values = {name: str(value) for name, value in scope.items()
              if type(value).__name__.endswith("Proto")}
    return {"error": error, "printed": printed.getvalue(), "files": files, "values": values}


def main(directory):
    tensorflow.compat.v1.disable_eager_execution()
    tfprof.install()
    import tensorflow.compat.v1 as v1
    results = {}
    for flavor, tf in (("tensorflow", tensorflow), ("tensorflow.compat.v1", v1)):
        for name, code in snippets.repaired():
            results[f"{name} {flavor}"] = run(tf, code, os.path.join(
                directory, f"{name} {flavor}".replace(":", "_").replace(" ", "_")))
    tfprof.uninstall()
    with open(os.path.join(directory, "results.json"), "w") as file:
        json.dump(results, file, indent=1)


if __name__ == "__main__":
    main(sys.argv[1])
