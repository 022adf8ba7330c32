#!/usr/bin/env python3
"""Write timelines and pprof profiles of the models of tests/golden with TensorFlow's
profiler, and save their content in tests/data/outputs.

    python tests/oracle/outputs_golden.py

Each file there is JSON, compressed with xz: a list of answers, each with the view,
the options (as text and as serialized), the output on stdout and the files by name,
as lists of lines made by traces.py.
"""

import glob
import json
import lzma
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]

import traces  # noqa: E402
import tree  # noqa: E402
from messages import OptionsProto  # noqa: E402
from original import Original  # noqa: E402

DATA = os.path.join(tree.DATA, "outputs")
MODELS = ("devices", "loop", "resnet")
# Replaced by the test's own directory.
OUTFILE = "@OUT@/out"


def options(output, **more):
    chosen = OptionsProto(max_depth=10_000, step=-1, order_by="name",
                          output=f"{output}:outfile={OUTFILE}")
    chosen.account_type_regexes.append(".*")
    chosen.start_name_regexes.append(".*")
    chosen.show_name_regexes.append(".*")
    chosen.select.append("micros")
    for name, value in more.items():
        if isinstance(value, (list, tuple)):
            getattr(chosen, name)[:] = value
        else:
            setattr(chosen, name, value)
    return chosen


def queries(steps):
    """(view, options) of each query on a model."""
    yield "graph", options("timeline", step=steps[0])
    yield "graph", options("timeline", step=steps[-1], order_by="micros",
                           hide_name_regexes=[".*weight.*", ".*grad.*"])
    yield "graph", options("timeline", step=steps[1], max_depth=12,
                           account_type_regexes=[".*[cg]pu:0", "Conv2D", "MatMul"])
    yield "graph", options("timeline", max_depth=6, trim_name_regexes=[".*bn.*"])
    yield "scope", options("timeline", order_by="micros")
    yield "scope", options("timeline", step=steps[1], max_depth=3, min_micros=10)
    yield "code", options("timeline")
    yield "code", options("timeline", step=steps[-1], order_by="bytes",
                          show_name_regexes=[".*(train|model|loop|devices).*"])
    for i, select in enumerate(("micros", "cpu_micros", "accelerator_micros", "bytes",
                                "peak_bytes", "residual_bytes", "output_bytes", "params",
                                "float_ops")):
        yield "code", options("pprof", select=[select], step=steps[i % 3] if i % 2 else -1)
    yield "code", options("pprof", max_depth=5)
    yield "code", options("pprof", show_name_regexes=[".*(train|model|loop|devices).*"])
    yield "code", options("pprof", account_type_regexes=["Mul", "MatMul", ".*Conv2D.*"])
    yield "code", options("pprof", select=["micros", "bytes"])
    yield "op", options("timeline")
    yield "op", options("pprof")


def ask(original, directory, view, chosen):
    for path in glob.glob(os.path.join(directory, "*")):
        os.unlink(path)
    there = OptionsProto.FromString(chosen.SerializeToString())
    there.output = there.output.replace("@OUT@", directory)
    answer = original.profile(view, there.SerializeToString())
    read = traces.pprof_lines if chosen.output.startswith("pprof") else traces.timeline_lines
    files = {}
    for path in sorted(glob.glob(os.path.join(directory, "*"))):
        with open(path, "rb") as file:
            files[os.path.basename(path)] = read(file.read())
    return {
        "view": view, "options": str(chosen), "message": chosen.SerializeToString().hex(),
        "stdout": answer.stdout.decode().replace(directory, "@OUT@"),
        "notes": [line for line in answer.stderr.decode().splitlines() if "pprof" in line
                  or "timeline" in line],
        "files": files}


def main():
    os.makedirs(DATA, exist_ok=True)
    for model in MODELS:
        profile = tree.read_packed("golden", model, "profile")
        with tempfile.TemporaryDirectory() as directory, Original() as original:
            path = os.path.join(directory, "profile")
            with open(path, "wb") as file:
                file.write(profile)
            original.from_file(path)
            steps = steps_of(profile)
            answers = [ask(original, directory, view, chosen)
                       for view, chosen in queries(steps)]
        text = json.dumps(answers, indent=0, ensure_ascii=False)
        with open(os.path.join(DATA, model + ".json.xz"), "wb") as file:
            file.write(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def steps_of(profile):
    from messages import ProfileProto
    steps = sorted(ProfileProto.FromString(profile).steps)
    assert len(steps) == 3, steps
    return steps


if __name__ == "__main__":
    main()
