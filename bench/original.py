"""Times the original the way ours.c times us, in its own process; importing
TensorFlow is not counted. Prints one line of JSON."""

import json
import os
import resource
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from tensorflow.core.profiler import tfprof_options_pb2  # noqa: E402
from tensorflow.python.util import _pywrap_tfprof as original  # noqa: E402

times = {}
now = time.process_time if "TFPROF_BENCH_CPU" in os.environ else time.perf_counter


def timed(name, function, *arguments):
    start = now()
    function(*arguments)
    times[name] = (now() - start) * 1e3


def options(output, **changes):
    message = tfprof_options_pb2.OptionsProto(
        max_depth=100, step=-1, order_by="micros", account_type_regexes=[".*"],
        start_name_regexes=[".*"], show_name_regexes=[".*"],
        select=["micros", "bytes", "occurrence"], output=output)
    for name, value in changes.items():
        if isinstance(value, list):
            del getattr(message, name)[:]
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)
    return message.SerializeToString()


def saved(path, out, *without):
    timed("load", original.ProfilerFromFile, path)
    nothing, text = options("none"), options(f"file:outfile={out}")
    for view in ("op", "scope", "graph", "code"):
        timed(f"{view}_first", original.Profile, view.encode(), nothing)
        timed(f"{view}_again", original.Profile, view.encode(), nothing)
        timed(f"{view}_text", original.Profile, view.encode(), text)
        # It makes a message whenever it is asked.
        times[f"{view}_message"] = times[f"{view}_again"]
    timed("regex", original.Profile, b"scope", options(
        f"file:outfile={out}",
        show_name_regexes=[".*stage_[0-3]/unit_1.*(Conv|MatMul).*", ".*ReluGrad_[0-9]+7"]))
    # What TensorFlow itself needs is not the profile's.
    times["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6 - idle
    if "--no-timeline" not in without:
        timed("timeline", original.Profile, b"graph",
              options(f"timeline:outfile={out}.timeline", step=0))
    timed("serialize", original.SerializeToString)
    original.DeleteProfiler()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files(graph, op_log, run_meta):
    timed("new", original.NewProfiler, read(graph), read(op_log))
    timed("add_step", original.AddStep, 0, b"", read(run_meta), b"")
    original.DeleteProfiler()


idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
{"saved": saved, "files": files}[sys.argv[1]](*sys.argv[2:])
print(json.dumps(times))
