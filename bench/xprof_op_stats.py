"""Times XProf's op table of a trace, without importing XProf. Prints [CPU seconds, peak megabytes]."""

import json
import os
import resource
import shutil
import sys
import tempfile

from xprof.convert import raw_to_tool_data


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


# What the library prints itself must not get in between.
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
with tempfile.TemporaryDirectory() as directory:
    # It leaves caches next to the file.
    run = os.path.join(directory, "plugins", "profile", "run")
    os.makedirs(run)
    copy = os.path.join(run, "vm.xplane.pb")
    shutil.copy(sys.argv[1], copy)
    start = used()
    raw_to_tool_data.xspace_to_tool_data([copy], "framework_op_stats", {"use_saved_result": False})
    seconds = used() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6]), file=out)
