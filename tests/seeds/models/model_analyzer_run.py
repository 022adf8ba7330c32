"""Builds and runs a model from functions and files that are named as in the documents, and writes
graph.pbtxt, run_meta and tfprof_log."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import model_analyzer_testlib as lib
import tensorflow.compat.v1 as tf

import tfprof


def testComplexCodeView(directory):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = lib.BuildFullModel()
        sess.run(tf.global_variables_initializer())
        run_meta = tf.RunMetadata()
        sess.run(x, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
                 run_metadata=run_meta)
        tf.train.write_graph(graph.as_graph_def(add_shapes=True), directory, "graph.pbtxt")
        with open(os.path.join(directory, "run_meta"), "wb") as file:
            file.write(run_meta.SerializeToString())
        tfprof.tfprof_logger.write_op_log(graph, directory, run_meta=run_meta)


if __name__ == "__main__":
    testComplexCodeView(sys.argv[1])
