"""Recordings of real accelerators, and what a slow decoder read from them. They are other people's
data and not in this repository: TFPROF_RECORDINGS names their directory."""

import gzip
import json
import os
from pathlib import Path

import pytest

DIRECTORY = Path(os.environ.get("TFPROF_RECORDINGS")
                 or Path(__file__).resolve().parents[2] / "../shared/xplane/devices")
NAMES = sorted(path.name.removesuffix(".json.gz")
               for path in DIRECTORY.glob("reference/*.json.gz"))

needed = pytest.mark.skipif(not NAMES, reason=f"no recordings of accelerators in {DIRECTORY}: "
                                              "set TFPROF_RECORDINGS")


def trace(name):
    return DIRECTORY / f"{name}.xplane.pb.gz"


def reference(name):
    return json.loads(gzip.decompress((DIRECTORY / f"reference/{name}.json.gz").read_bytes()))
