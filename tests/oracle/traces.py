"""Timelines and pprof profiles in comparable form: their content, not its encoding.

Needs neither TensorFlow nor protobuf.
"""

import gzip
import json

import wire


def timeline_lines(data):
    """The events of a Chrome trace, one line each, sorted."""
    trace = json.loads(data)
    assert list(trace) == ["traceEvents"], list(trace)
    return sorted(json.dumps(event, sort_keys=True) for event in trace["traceEvents"])


def pprof_lines(data):
    """A gzip'd perftools.profiles.Profile with all its references resolved:
    its types, a line for each sample (values, labels, calls from the leaf on),
    and how many of each table it has."""
    profile = _Profile(gzip.decompress(data))
    lines = [f"sample_type {profile.text(type_)} {profile.text(unit)}"
             for type_, unit in profile.types]
    lines += [f"comment {profile.text(comment)}" for comment in profile.comments]
    lines.append(f"{len(profile.samples)} samples, {len(profile.locations)} locations, "
                 f"{len(profile.functions)} functions")
    lines.append(f"other fields {sorted(profile.others)}")
    return lines + sorted(profile.sample(*sample) for sample in profile.samples)


class _Profile:
    def __init__(self, data):
        self.strings, self.types, self.comments, self.samples = [], [], [], []
        self.locations, self.functions, self.others = {}, {}, []
        for number, value in wire.read(data):
            if number == 1:
                self.types.append(_pair(value, 1, 2))
            elif number == 2:
                self.samples.append(self._read_sample(value))
            elif number == 4:
                self._keep(self.locations, value)
            elif number == 5:
                self._keep(self.functions, value)
            elif number == 6:
                self.strings.append(value.decode())
            elif number == 13:
                self.comments += _varints(value)
            else:
                self.others.append((number, value))
        assert self.strings[0] == "", self.strings[:1]
        assert len(set(self.strings)) == len(self.strings), "a string twice"

    @staticmethod
    def _keep(table, message):
        key = dict(wire.read(message))[1]
        assert key and key not in table, key
        table[key] = message

    @staticmethod
    def _read_sample(message):
        locations, values, labels = [], [], []
        for number, value in wire.read(message):
            if number == 1:
                locations += _varints(value)
            elif number == 2:
                values += _varints(value)
            elif number == 3:
                labels.append(dict(wire.read(value)))
        return locations, values, labels

    def text(self, index):
        return repr(self.strings[index])

    def sample(self, locations, values, labels):
        described = [self._label(label) for label in labels]
        calls = [self._location(location) for location in locations]
        return f"{[_signed(value) for value in values]} {' '.join(described)} <- " + " <- ".join(
            calls)

    def _label(self, label):
        return " ".join(f"{number}:{self.text(value) if number in (1, 2) else value}"
                        for number, value in sorted(label.items()))

    def _location(self, key):
        parts = []
        for number, value in wire.read(self.locations[key]):
            if number == 4:
                line = dict(wire.read(value))
                parts.append(f"{self._function(line[1])}@{_signed(line.get(2, 0))}")
            elif number != 1:
                parts.append(f"{number}={value}")
        return "+".join(parts)

    def _function(self, key):
        function = dict(wire.read(self.functions[key]))
        return (f"{self.text(function.get(2, 0))}|{self.text(function.get(3, 0))}|"
                f"{self.text(function.get(4, 0))}:{_signed(function.get(5, 0))}")


def _pair(message, first, second):
    found = dict(wire.read(message))
    return found.get(first, 0), found.get(second, 0)


def _signed(value):
    return value - (1 << 64) if value >> 63 else value


def _varints(value):
    """A repeated number, packed or not."""
    if isinstance(value, int):
        return [value]
    values, at = [], 0
    while at < len(value):
        item, at = wire.read_varint(value, at)
        values.append(item)
    return values
