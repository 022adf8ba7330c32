"""Compiled programs of traces, and what build/tests/hlo_dump says about them."""

import gzip
import json
import pathlib
import struct
import subprocess

import tree
import wire

DUMP = pathlib.Path(tree.BUILD) / "tests" / "hlo_dump"
COSTS = ("float_ops", "matrix_float_ops", "transcendentals", "bytes", "sent_bytes", "unknown")


def fields(message):
    """The fields of a message, each a list of values."""
    found = {}
    for number, value in wire.read(message):
        found.setdefault(number, []).append(value)
    return found


def programs_of(trace):
    """{name: HloProto} of the bytes of a trace."""
    found = {}
    for plane in fields(trace).get(1, []):
        plane = fields(plane)
        if plane.get(2, [b""])[0] != b"/host:metadata":
            continue
        for entry in plane.get(4, []):
            name = fields(fields(entry)[2][0])
            for stat in name.get(5, []):
                for value in fields(stat).get(6, []):
                    found[name[2][0].decode()] = value
    return found


def read_trace(path):
    with gzip.open(path) as file:
        return file.read()


def dump(messages, directory):
    """What hlo_dump prints for each program."""
    path = directory / "programs"
    path.write_bytes(b"".join(struct.pack("<Q", len(m)) + m for m in messages))
    output = subprocess.run([DUMP, path], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]
