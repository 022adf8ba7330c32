"""docs/architecture.md names files and functions that exist."""

import os
import re

import tree

TEXT = open(os.path.join(tree.TOP, "docs", "architecture.md"), encoding="utf-8").read()


def test_its_files_exist():
    names = set(re.findall(r"`((?:src|include|web|tools)/[^`(]*\.\w+)`", TEXT))
    assert len(names) > 40
    assert [n for n in sorted(names) if not os.path.exists(os.path.join(tree.TOP, n))] == []


def test_its_functions_are_in_their_files():
    """`one()` and `other()` in `src/file.c`"""
    pairs = re.findall(r"((?:`\w+(?:\(\))?`(?:,| and) )*`\w+(?:\(\))?`) in `(src/[^`]+)`", TEXT)
    assert len(pairs) > 20
    for names, path in pairs:
        with open(os.path.join(tree.TOP, path), encoding="utf-8") as file:
            code = file.read()
        for name in re.findall(r"`(\w+)(?:\(\))?`", names):
            assert re.search(rf"\b{name}\(", code), (name, path)
