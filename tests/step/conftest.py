"""The anatomy of steps, by the program."""

import os
import sys

import tree

sys.path.append(os.path.join(tree.TESTS, "xplane"))  # make: writes traces
