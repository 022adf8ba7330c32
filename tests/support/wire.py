"""Just enough of protobuf's wire format to write inputs by hand and to read
outputs back."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """An integer as a varint, text or bytes as a length-delimited field."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def read_varint(data, at):
    """The varint at an offset, and the offset after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def read(data):
    """The (number, value) pairs of a message: integers as they are stored, and
    bytes."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind in (1, 2, 5):
            size, at = read_varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind} in field {tag >> 3}")
        yield tag >> 3, value


def node(name, op, inputs=(), attributes=b""):
    """A node of a GraphDef."""
    text = field(1, name) + field(2, op) + b"".join(field(3, source) for source in inputs)
    return field(1, text + attributes)


def log_entry(name, frames):
    """An entry of an OpLogProto; frames are (file id, line, function id)."""
    traces = b"".join(field(1, field(6, file) + field(2, line) + field(7, function))
                      for file, line, function in frames)
    return field(1, field(1, name) + field(4, traces))


def strings(texts):
    """The id_to_string map of an OpLogProto."""
    return b"".join(field(2, field(1, i) + field(2, text)) for i, text in enumerate(texts))
