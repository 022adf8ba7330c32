"""Asks XProf what it makes of traces. Runs in its own environment (tools/venv-xprof):

    python ask_xprof.py    # lines "PATH TOOL" on stdin; a line of JSON on stdout for each

The file is copied to a fresh directory, since XProf leaves caches next to it."""

import json
import os
import shutil
import sys
import tempfile

from xprof.convert import raw_to_tool_data


def ask(path, tool):
    with tempfile.TemporaryDirectory() as directory:
        run = os.path.join(directory, "plugins", "profile", "run")
        os.makedirs(run)
        copy = os.path.join(run, "vm.xplane.pb")
        shutil.copy(path, copy)
        data, _ = raw_to_tool_data.xspace_to_tool_data([copy], tool, {"use_saved_result": False})
    return json.loads(data) if data else None


if __name__ == "__main__":
    # What the library prints itself must not get in between.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        path, tool = line.split()
        print(json.dumps(ask(path, tool)), file=out, flush=True)
