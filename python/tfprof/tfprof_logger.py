"""Leave an op log beside a model: what the command line and `tfprof.load`
need to know of a graph beyond its GraphDef."""

from tfprof._collect import Collector
from tfprof._files import directory_path, write_whole


def write_op_log(graph, log_dir, op_log=None, run_meta=None, add_trace=True, *,
                 source_lines=False):
    """Writes `log_dir/tfprof_log`: an OpLogProto with the float operations of
    the graph's operations, their call stacks and which variables are trainable.

    graph: a tf.Graph; None is the default graph.
    log_dir: the directory; made if it does not exist.
    op_log: an OpLogProto of your own, whose types, float operations and call
        stacks are kept and completed.
    run_meta: a RunMetadata of a traced run, whose shapes complete those the
        graph does not know. The graph itself stays as it is.
    add_trace: whether to add call stacks; the code view needs them.
    source_lines: whether to read the text of each stack's lines from the
        source files; the command line's code view shows it.
    """
    log_dir = directory_path(log_dir, "log_dir")
    collector = Collector(graph, source_lines=source_lines)
    write_whole(log_dir, "tfprof_log", collector.collect_op_log(op_log, run_meta, add_trace))
