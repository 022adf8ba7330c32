"""Writes traces (XSpace): by hand for tests of one rule, or random ones."""

import struct

from wire import field, varint

number = piece = field  # what the field holds: an integer; a message, bytes or text


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


class Plane:
    """A plane; events are (name, start in ps, duration in ps, {stat: value})."""

    def __init__(self, name, id_of=lambda i: i):
        self.name, self.id_of = name, id_of
        self.lines, self.names, self.entries, self.stats = [], {}, [], {}
        self.own = b""

    def stat_id(self, name):
        return self.stats.setdefault(name, self.id_of(len(self.stats) + 1))

    def stat(self, name, value):
        out = number(1, self.stat_id(name))
        if isinstance(value, bytes):
            return out + piece(6, value)
        if isinstance(value, str):
            return out + number(7, self.stat_id(value))
        if isinstance(value, float):
            return out + double(2, value)
        return out + number(3 if value >= 1 << 63 else 4, value)

    def add_stat(self, name, value):
        self.own += piece(6, self.stat(name, value))

    def name_id(self, name, display="", stats=()):
        if name not in self.names:
            self.names[name] = self.id_of(len(self.names) + 1)
            entry = number(1, self.names[name]) + piece(2, name)
            entry += piece(4, display) if display else b""
            entry += b"".join(piece(5, self.stat(*stat)) for stat in stats)
            self.entries.append(number(1, self.names[name]) + piece(2, entry))
        return self.names[name]

    def event(self, name, start, duration, stats=None):
        name = (name,) if isinstance(name, str) else name
        out = number(1, self.name_id(*name)) + number(2, start) + number(3, duration)
        return out + b"".join(piece(4, self.stat(*stat)) for stat in (stats or {}).items())

    def add_line(self, name, events, timestamp_ns=1000, id_=1, sort=True):
        if sort:
            events = sorted(events, key=lambda e: (e[1], -e[2]))
        data = number(1, id_) + piece(2, name) + number(3, timestamp_ns)
        self.lines.append(data + b"".join(piece(4, self.event(*e)) for e in events))

    def bytes(self):
        out = piece(2, self.name) + b"".join(piece(3, line) for line in self.lines)
        out += b"".join(piece(4, entry) for entry in self.entries)
        for name, id_ in self.stats.items():
            out += piece(5, number(1, id_) + piece(2, number(1, id_) + piece(2, name)))
        return out + self.own


def space(*planes, host="vm"):
    return b"".join(piece(1, plane.bytes()) for plane in planes) + piece(4, host)


def host(*lines):
    """A trace of a host whose lines are lists of events."""
    plane = Plane("/host:CPU")
    for i, events in enumerate(lines):
        plane.add_line(f"thread/{i}", events, id_=i + 1)
    return space(plane)
