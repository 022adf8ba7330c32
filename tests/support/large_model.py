#!/usr/bin/env python3
"""Writes a SavedModel of about N nodes: a stem, equal blocks after each other, and a head.

    python3 large_model.py DIRECTORY N

Each block has 1,000 nodes: ten layers of a product, a sum and others. Needs only Python's library.
"""

import os
import sys

PER_BLOCK, LAYERS = 1000, 10


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def attribute(name, value):
    return field(5, field(1, name) + field(2, value))


FLOAT = attribute("T", b"\x30\x01")
SHAPE = attribute("_output_shapes", field(1, field(7, b"".join(field(2, b"\x08" + varint(d)) for d in (64, 64)))))


def node(name, op, *inputs):
    return field(1, field(1, name) + field(2, op) + b"".join(field(3, i) for i in inputs) + FLOAT + SHAPE)


def nodes(n):
    last = "stem/Relu"
    yield node("input", "Placeholder")
    yield node(last, "Relu", "input")
    for block in range(max(1, n // PER_BLOCK)):
        for layer in range(LAYERS):
            scope = f"block_{block}/layer_{layer}"
            yield node(f"{scope}/MatMul", "MatMul", last, last)
            previous = f"{scope}/MatMul"
            for i in range(PER_BLOCK // LAYERS - 2):
                yield node(f"{scope}/act_{i}", "Relu", previous)
                previous = f"{scope}/act_{i}"
            last = f"{scope}/Add"
            yield node(last, "AddV2", previous, f"{scope}/MatMul")
    yield node("head/MatMul", "MatMul", last, last)


def main(directory, n):
    os.makedirs(directory, exist_ok=True)
    graph = b"".join(nodes(int(n)))
    meta = field(1, field(4, "serve")) + field(2, graph)
    with open(os.path.join(directory, "saved_model.pb"), "wb") as file:
        file.write(b"\x08\x01" + field(2, meta))


if __name__ == "__main__":
    main(*sys.argv[1:])
