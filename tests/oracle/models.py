#!/usr/bin/env python3
"""Make the real models that the golden tests and the example profile use.

    models.py OUTPUT_DIRECTORY [resnet] [loop] [devices]

Each model is a script that builds a TensorFlow graph and runs it traced. It
runs in a directory of its own under /tmp and afterwards the file names in the
call stacks are made those of an installed TensorFlow, so that what is written
does not depend on where it was made. Files per model: graph.pb, tfprof_log,
run_meta_<i>, profile; of the ResNet also graph.pbtxt and a checkpoint.
"""

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
        move_stacks(os.path.join(directory, name), kind)


def move_stacks(path, kind):
    with open(path, "rb") as file:
        message = kind.FromString(file.read())
    for number, text in message.id_to_string.items():
        before, found, after = text.partition("/site-packages/")
        if found:
            message.id_to_string[number] = INSTALLED + after
    with open(path, "wb") as file:
        file.write(message.SerializeToString(deterministic=True))


if __name__ == "__main__":
    for model in sys.argv[2:] or SCRIPTS:
        make(model, os.path.join(sys.argv[1], model))
