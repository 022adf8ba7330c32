#!/usr/bin/env python3
"""Create the real models that the golden tests and the example profile use.

    models.py OUTPUT_DIRECTORY [resnet] [loop] [devices]

Each model is a script that builds a TensorFlow graph and runs it traced, in its own
directory under /tmp. The file names in call stacks are then replaced by those of an
installed TensorFlow, so that the output does not depend on where it was created.
TensorFlow does not record source text: it is read from the scripts. The ResNet's needs
the package tfprof, which records its own. Files per model:
graph.pb, tfprof_log, run_meta_<i>, profile; for the ResNet also graph.pbtxt and a
checkpoint.
"""

import linecache
import os
import shutil
import subprocess
import sys

from messages import OpLogProto, ProfileProto
from original import python_with_tensorflow

HERE = os.path.dirname(os.path.realpath(__file__))
RESNET = os.path.join(HERE, "..", "..", "examples", "resnet")
SCRIPTS = {
    "resnet": [os.path.join(RESNET, "train.py"), os.path.join(RESNET, "resnet_model.py")],
    "loop": [os.path.join(HERE, "scripts", "loop.py")],
    "devices": [os.path.join(HERE, "scripts", "devices.py")],
}
INSTALLED = "/usr/lib/python3/dist-packages/"


def make(model, directory):
    os.makedirs(directory, exist_ok=True)
    workplace = os.path.join("/tmp", model)
    shutil.rmtree(workplace, ignore_errors=True)
    os.makedirs(workplace)
    for script in SCRIPTS[model]:
        shutil.copy(script, workplace)
    main = os.path.basename(SCRIPTS[model][0])
    subprocess.run([python_with_tensorflow(), main, os.path.realpath(directory)], cwd=workplace,
                   env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"), check=True,
                   stderr=subprocess.DEVNULL)
    shutil.rmtree(workplace)
    for name, kind in (("tfprof_log", OpLogProto), ("profile", ProfileProto)):
        complete_stacks(os.path.join(directory, name), kind, model)


def complete_stacks(path, kind, model):
    """Replaces file names in call stacks by neutral ones, and adds the source text of
    the model's own scripts, but not of others."""
    with open(path, "rb") as file:
        message = kind.FromString(file.read())
    move_stacks(message)
    fill_lines(message, f"/tmp/{model}/", os.path.dirname(SCRIPTS[model][0]))
    with open(path, "wb") as file:
        file.write(message.SerializeToString(deterministic=True))


def move_stacks(message):
    for number, text in message.id_to_string.items():
        before, found, after = text.partition("/site-packages/")
        if found:
            message.id_to_string[number] = INSTALLED + after


def fill_lines(message, recorded, real):
    """Adds the source text of files recorded in directory `recorded`, reading `real`."""
    id_of = {text: number for number, text in message.id_to_string.items()}
    if isinstance(message, OpLogProto):
        stacks = [entry.code_def for entry in message.log_entries]
    else:
        stacks = [message.nodes[number].trace for number in sorted(message.nodes)]
    for frame in (frame for stack in stacks for frame in stack.traces):
        text = read_line(message.id_to_string[frame.file_id], frame.lineno, recorded, real)
        if text and text not in id_of:
            id_of[text] = max(id_of.values()) + 1
            message.id_to_string[id_of[text]] = text
        if text:
            frame.line_id = id_of[text]


def read_line(name, number, recorded, real):
    if not name.startswith(recorded):
        return ""
    return linecache.getline(os.path.join(real, name[len(recorded):]), number).strip()


if __name__ == "__main__":
    for model in sys.argv[2:] or SCRIPTS:
        make(model, os.path.join(sys.argv[1], model))
