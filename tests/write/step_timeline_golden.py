"""The hand-made RunMetadata in tests/data/step_timeline and the timelines that
TensorFlow's timeline module made of it. Does not need TensorFlow."""

import os

import tree

DATA = os.path.join(tree.DATA, "step_timeline")
BY_HAND = ("cpu", "gpu", "odd")
# (show_dataflow, show_memory) by name of the timeline.
KINDS = {"plain": (False, False), "memory": (False, True), "dataflow": (True, False),
         "dataflow_memory": (True, True)}


def run_metadata_path(name):
    return os.path.join(DATA, name + ".pbtxt")


def timeline_path(name, kind):
    return os.path.join(DATA, f"{name}_{kind}.json")
