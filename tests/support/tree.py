"""Paths of this tree, of its build, and of its packed test files.

The build is in build/, or in the directory that TFPROF_BUILD names. Single files of
other builds are named by their own variables.
"""

import glob
import gzip
import os

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = os.path.dirname(TESTS)
DATA = os.path.join(TESTS, "data")
GOLDEN = os.path.join(TESTS, "golden")
BUILD = os.path.abspath(os.environ.get("TFPROF_BUILD") or os.path.join(TOP, "build"))


def _built(variable, *path):
    found = os.path.abspath(os.environ.get(variable) or os.path.join(BUILD, *path))
    if not os.path.exists(found):
        raise FileNotFoundError(f"{found}: not built; {variable} can name another")
    return found


def program():
    return _built("TFPROF_PROGRAM", "tfprof")


def hooks():
    return _built("TFPROF_HOOKS", "tests", "libtfprof_hooks.so")


def checkpoint_dump():
    return _built("TFPROF_CHECKPOINT_DUMP", "tests", "checkpoint_dump")


def read_packed(*path):
    """The content of a file of tests/ that is stored as NAME.gz."""
    with gzip.open(os.path.join(TESTS, *path) + ".gz") as packed:
        return packed.read()


def unpack(folder, directory):
    """Unpacks the files of a folder of tests/ into a directory."""
    for path in glob.glob(os.path.join(TESTS, folder, "*.gz")):
        name = os.path.basename(path)[:-len(".gz")]
        (directory / name).write_bytes(read_packed(folder, name))
    return directory
