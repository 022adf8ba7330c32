"""Commands with their listings, snippets and signatures, extracted from the documents."""

import glob
import os
import re
from typing import List, NamedTuple

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "documents")
NAMES = sorted(os.path.basename(path) for path in glob.glob(os.path.join(HERE, "*.md")))

PROMPT = "tfprof>"
PROGRAMS = ("bazel-bin/", "bazel ", "tfprof ", "google-pprof ", "cat ")


class Block(NamedTuple):
    """What is between two fences."""
    document: str
    line: int  # of its first line
    language: str
    lines: List[str]


class Command(NamedTuple):
    """A line of the shell, or of the tfprof shell, and what the document says it prints."""
    document: str
    line: int
    is_typed: bool  # after the prompt of tfprof
    text: str
    listing: List[str]
    before: List[str]  # typed before it in the same block
    start: str  # the line of the shell in the same block that starts tfprof, if there is one
    notes: List[str]  # comments of the block

    def __str__(self):
        return f"{self.document}:{self.line}"


def read(document):
    with open(os.path.join(HERE, document), encoding="utf-8") as file:
        return file.read()


def blocks(document):
    found, start, language = [], None, ""
    lines = read(document).splitlines()
    for i, line in enumerate(lines):
        fence = re.fullmatch(r"``` ?(\w*)", line)
        if not fence:
            continue
        if start is None:
            start, language = i + 1, fence.group(1)
        else:
            found.append(Block(document, start + 1, language, lines[start:i]))
            start = None
    assert start is None, document
    return found


def _is_command(line):
    return line.startswith((PROMPT, *PROGRAMS))


def _listing(block, i):
    """The lines a command prints, from line i of the block on, and where they end."""
    first = i
    while i < len(block.lines) and not _is_command(block.lines[i]):
        # A comment is the document's, except among the options, which have their own.
        if block.lines[i].startswith("#") and not block.lines[first].startswith("-"):
            break
        i += 1
    return [line for line in block.lines[first:i]
            if line.strip() and line.strip() != "..." and not line.startswith("#")], i


def commands_of(block):
    found, before, start, i = [], [], "", 0
    notes = [line for line in block.lines if line.startswith("#")]
    while i < len(block.lines):
        line = block.lines[i]
        if not _is_command(line):
            i += 1
            continue
        number, text, i = block.line + i, line, i + 1
        while text.endswith("\\") and not line.startswith(PROMPT):
            text, i = text + "\n" + block.lines[i], i + 1
        is_typed = text.startswith(PROMPT)
        text = text[len(PROMPT):].strip() if is_typed else text
        listing, i = _listing(block, i)
        found.append(Command(block.document, number, is_typed, text, listing, list(before), start,
                             notes))
        if is_typed:
            before.append(text)
        elif text.startswith("bazel-bin/"):
            start = text
    return found


def commands():
    return [command for document in NAMES for block in blocks(document)
            for command in commands_of(block)]


def snippets():
    """Blocks of Python. One goes on with commands, which are not part of it."""
    found = []
    for document in NAMES:
        for block in blocks(document):
            if block.language != "python":
                continue
            end = next((i for i, line in enumerate(block.lines) if _is_command(line)),
                       len(block.lines))
            found.append(block._replace(lines=block.lines[:end]))
    return found


def signatures():
    """(document, line, "name(argument=default, …)")"""
    found = []
    for document in NAMES:
        text = read(document)
        for match in re.finditer(r"<code>([\w.]+\(.*?\))\n</code></pre>", text, re.S):
            found.append((document, text.count("\n", 0, match.start()) + 1,
                          " ".join(match.group(1).split())))
    return found


def options():
    """Options that a document lists: (document, line, name)."""
    found = []
    for document in NAMES:
        for i, line in enumerate(read(document).splitlines(), 1):
            match = re.match(r"`-(\w+)`:|<b>--(\w+):</b>", line)
            if match:
                found.append((document, i, match.group(1) or match.group(2)))
    return found


def words():
    """Words of select and order_by that a document lists: (document, line, option, word)."""
    found = []
    for document in NAMES:
        for i, line in enumerate(read(document).splitlines(), 1):
            match = re.search(r"^`-(select|order_by)`.*\[([\w|]+)\]", line)
            if match:
                found += [(document, i, match.group(1), word)
                          for word in match.group(2).split("|")]
    return found
