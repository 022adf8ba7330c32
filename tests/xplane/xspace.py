"""Reads an XSpace (a trace of tf.profiler or jax.profiler) with nothing but field numbers."""

import struct

from wire import read_varint


def fields(data):
    """(number, value) of each field; a number of 64 bits is unsigned."""
    at, end = 0, len(data)
    while at < end:
        tag, at = read_varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 2:
            n, at = read_varint(data, at)
            value, at = data[at:at + n], at + n
        elif kind == 5:
            value, at = data[at:at + 4], at + 4
        else:
            raise ValueError(f"wire type {kind}")
        yield tag >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def text(data):
    return data.decode("utf-8", "replace")


class Event:
    __slots__ = ("line", "meta", "name", "start", "duration", "stats", "parent", "children", "group",
                 "occurrences")

    @property
    def end(self):
        return self.start + self.duration

    def __repr__(self):
        return f"<{self.name} {self.start}+{self.duration} {self.stats}>"


class Line:
    def __init__(self):
        self.id, self.name, self.timestamp_ns, self.events, self.plane = 0, "", 0, [], None


class Meta:
    def __init__(self):
        self.id, self.name, self.display, self.stats = 0, "", "", {}


class Plane:
    def __init__(self, data):
        self.name, self.lines, self.metas, self.stat_names, self.stats = "", [], {}, {}, {}
        raw_lines, raw_metas, raw_stats = [], [], []
        for number, value in fields(data):
            if number == 2:
                self.name = text(value)
            elif number == 3:
                raw_lines.append(value)
            elif number == 4:
                raw_metas.append(value)
            elif number == 5:
                key, entry = self.entry(value)
                for n, v in fields(entry):
                    if n == 2:
                        self.stat_names[key] = text(v)
            elif number == 6:
                raw_stats.append(value)
        for value in raw_metas:
            key, entry = self.entry(value)
            self.metas[key] = self.meta(entry)
        self.stats = dict(map(self.stat, raw_stats))
        self.lines = [self.line(value) for value in raw_lines]

    @staticmethod
    def entry(data):
        key, value = 0, b""
        for n, v in fields(data):
            if n == 1:
                key = v
            elif n == 2:
                value = v
        return key, value

    def meta(self, data):
        m = Meta()
        for n, v in fields(data):
            if n == 1:
                m.id = v
            elif n == 2:
                m.name = text(v)
            elif n == 4:
                m.display = text(v)
            elif n == 5:
                key, value = self.stat(v)
                m.stats[key] = value
        return m

    def stat(self, data):
        name, value = "", None
        for n, v in fields(data):
            if n == 1:
                name = self.stat_names.get(v, "")
            elif n in (2, 3, 6):
                value = v
            elif n == 4:
                value = signed(v)
            elif n == 5:
                value = text(v)
            elif n == 7:
                value = self.stat_names.get(v, "")
        return name, value

    def line(self, data):
        line, raw = Line(), []
        line.plane = self
        for n, v in fields(data):
            if n == 1:
                line.id = v
            elif n == 2:
                line.name = text(v)
            elif n == 3:
                line.timestamp_ns = signed(v)
            elif n == 4:
                raw.append(v)
        line.events = [self.event(line, v) for v in raw]
        return line

    def event(self, line, data):
        e = Event()
        e.line, e.meta, e.stats, e.parent, e.children, e.group = line, None, {}, None, [], None
        e.start, e.duration, e.occurrences = line.timestamp_ns * 1000, 0, None
        for n, v in fields(data):
            if n == 1:
                e.meta = self.metas.get(v)
            elif n == 2:
                e.start = line.timestamp_ns * 1000 + signed(v)
            elif n == 3:
                e.duration = signed(v)
            elif n == 4:
                key, value = self.stat(v)
                e.stats[key] = value
            elif n == 5:
                e.occurrences = v
        e.name = e.meta.name if e.meta else ""
        return e


class Space:
    def __init__(self, data):
        self.planes, self.hosts = [], []
        for n, v in fields(data):
            if n == 1:
                self.planes.append(Plane(v))
            elif n == 4:
                self.hosts.append(text(v))
