"""Float operations of functions that run are those of a formula and of the exported function
(tools/validate_functions); all of counted_models.py is part of `make validate`."""

import os
import subprocess
import sys

from package_under_test import PACKAGE, needs_tensorflow
from tree import TOP, program

MODELS = ["grouped", "gru_twice", "decoder_with_a_cache", "triangle_of_loops",
          "branch_by_turn", "decoder_with_a_growing_cache", "training_of_a_cnn", "compiled_padding",
          "compiled_recurrence", "compiled_in_an_ordinary_function", "training_on_two_replicas"]


@needs_tensorflow
def test_formula_profile_and_exported_function_agree():
    done = subprocess.run([sys.executable, os.path.join(TOP, "tools", "validate_functions"), *MODELS],
                          capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, PYTHONPATH=PACKAGE, TFPROF_PROGRAM=program()))
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout.count("| equal |") == 2 * len(MODELS), done.stdout
