"""Writes an op log: what the command line and `tfprof.load` need to know about a
graph beyond its GraphDef."""

from tfprof._collect import TRAINABLE_VARIABLES as TRAINABLE_VARIABLES
from tfprof._collect import Collector
from tfprof._files import directory_path, write_whole


def write_op_log(graph, log_dir, op_log=None, run_meta=None, add_trace=True, *,
                 source_lines=True):
    """Writes `log_dir/tfprof_log`: an OpLogProto with the float operations of
    the graph's operations, their call stacks and which variables are trainable.
    Operations of functions that the graph calls are there, too, as
    `operation@function`, for traces in which they ran.

    graph: a tf.Graph; None means the default graph.
    log_dir: the directory; created if it does not exist.
    op_log: your own OpLogProto, whose types, float operations and call stacks are
        kept and completed.
    run_meta: a RunMetadata of a traced run, whose shapes complete those the
        graph does not know. The graph itself is not changed.
    add_trace: whether to add call stacks, which code view needs.
    source_lines: whether to add the source text of your own lines of code, which the
        command line's code view shows. Lines of installed packages have none.
    """
    log_dir = directory_path(log_dir, "log_dir")
    collector = Collector(graph, source_lines=source_lines, functions=True)
    write_whole(log_dir, "tfprof_log", collector.collect_op_log(op_log, run_meta, add_trace))
