"""Parses trees that are nested too deeply for protobuf.

protobuf recurses and stops at 100 levels; a chain of operations goes deeper. So the
tree is split here, level by level, and protobuf parses the pieces:

    node = [own fields] [children: [own fields] [children: ...] ...] ...
"""

from typing import Any, Iterator, List, Tuple

from google.protobuf.message import DecodeError

# Pieces up to this size are first tried whole: parsing is fast, but copies.
SMALL = 1 << 16


def parse(message: Any, data: bytes) -> None:
    """Parses a GraphNodeProto or MultiGraphNodeProto into an empty message."""
    number = message.DESCRIPTOR.fields_by_name["children"].number
    stack: List[Tuple[Any, memoryview]] = [(message, memoryview(data))]
    while stack:
        node, view = stack.pop()
        if len(view) <= SMALL and _parse_whole(node, view):
            continue
        own = []
        for is_child, piece in _split(view, number):
            if is_child:
                stack.append((node.children.add(), piece))
            else:
                own.append(piece)
        node.MergeFromString(b"".join(own))


def _parse_whole(node: Any, view: memoryview) -> bool:
    try:
        node.MergeFromString(bytes(view))
        return True
    except DecodeError:
        node.Clear()
        return False


def _split(view: memoryview, number: int) -> Iterator[Tuple[bool, memoryview]]:
    """(True, the message) for each child, (False, the field) for other fields."""
    at, end = 0, len(view)
    while at < end:
        start = at
        tag, at = _varint(view, at)
        if tag & 7 == 2:
            size, at = _varint(view, at)
            at += size
            if tag >> 3 == number:
                yield True, view[at - size:at]
                continue
        elif tag & 7 == 0:
            _, at = _varint(view, at)
        else:
            at += {1: 8, 5: 4}[tag & 7]
        yield False, view[start:at]


def _varint(view: memoryview, at: int) -> Tuple[int, int]:
    number = shift = 0
    while view[at] & 0x80:
        number |= (view[at] & 0x7F) << shift
        shift += 7
        at += 1
    return number | view[at] << shift, at + 1
