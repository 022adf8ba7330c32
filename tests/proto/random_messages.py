"""Random protobuf messages of any type."""

import math
import struct

from google.protobuf.descriptor import FieldDescriptor as F

INTEGERS = {
    F.TYPE_INT32: (-2**31, 2**31 - 1), F.TYPE_INT64: (-2**63, 2**63 - 1),
    F.TYPE_UINT32: (0, 2**32 - 1), F.TYPE_UINT64: (0, 2**64 - 1),
    F.TYPE_SINT32: (-2**31, 2**31 - 1), F.TYPE_SINT64: (-2**63, 2**63 - 1),
    F.TYPE_FIXED32: (0, 2**32 - 1), F.TYPE_FIXED64: (0, 2**64 - 1),
}


def random_integer(draw, low, high):
    return draw.choice([
        0, 1, low, high, max(low, -1), draw.randint(low, high),
        draw.randint(max(low, -300), 300)])


def one_nan(number):
    """Text format does not distinguish NaNs."""
    return math.nan if math.isnan(number) else number


def random_double(draw):
    return draw.choice([
        0.0, -0.0, math.inf, -math.inf, math.nan, 1.5, 5e-324, 1.7976931348623157e308, 0.1,
        draw.uniform(-1e6, 1e6), draw.random() * 10.0 ** draw.randint(-300, 300),
        one_nan(struct.unpack("<d", draw.randbytes(8))[0]), float(draw.randint(-2**63, 2**63))])


def random_float(draw):
    return draw.choice([
        0.0, -0.0, math.inf, -math.inf, math.nan, 1.5, 1e-45, 3.4028234663852886e38, 0.1,
        draw.uniform(-1e6, 1e6), one_nan(struct.unpack("<f", draw.randbytes(4))[0])])


def random_text(draw):
    kinds = ["plain/name_1", "", "a\"b'c\\d", "\n\t\r\0\x01\x7f", "é√𝄞", "x" * 127, "y" * 128,
             "".join(chr(draw.randint(1, 0xd7ff)) for _ in range(draw.randint(0, 200))),
             "".join(draw.choice("abc/_:0123") for _ in range(draw.randint(0, 20)))]
    return draw.choice(kinds)


def random_bytes(draw):
    return draw.choice([b"", random_text(draw).encode(), bytes(range(256)),
                        draw.randbytes(draw.randint(0, 300))])


def random_scalar(draw, field):
    if field.type in INTEGERS:
        return random_integer(draw, *INTEGERS[field.type])
    if field.type == F.TYPE_BOOL:
        return draw.random() < 0.5
    if field.type == F.TYPE_ENUM:
        if draw.random() < 0.2 and not field.enum_type.is_closed:
            return random_integer(draw, -2**31, 2**31 - 1)
        return draw.choice(field.enum_type.values).number
    return {F.TYPE_FLOAT: random_float, F.TYPE_DOUBLE: random_double,
            F.TYPE_STRING: random_text, F.TYPE_BYTES: random_bytes}[field.type](draw)


def is_map(field):
    return field.message_type and field.message_type.GetOptions().map_entry


def fill(draw, message, budget, maps):
    """Sets some of the fields, nested ones with the rest of the budget."""
    for field in message.DESCRIPTOR.fields:
        if draw.random() < 0.4:
            continue
        if field.message_type and budget < 1 or is_map(field) and not maps:
            continue
        if field.containing_oneof and message.WhichOneof(field.containing_oneof.name):
            continue
        target = getattr(message, field.name)
        share = budget / 4 - 1
        if is_map(field):
            key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
            for _ in range(draw.randint(0, 3)):
                if value.message_type:
                    fill(draw, target[random_scalar(draw, key)], share, maps)
                else:
                    target[random_scalar(draw, key)] = random_scalar(draw, value)
        elif field.message_type and field.is_repeated:
            for _ in range(draw.randint(0, 3)):
                fill(draw, target.add(), share, maps)
        elif field.message_type:
            target.SetInParent()
            fill(draw, target, share, maps)
        elif field.is_repeated:
            target.extend(random_scalar(draw, field) for _ in range(draw.randint(0, 4)))
        else:
            setattr(message, field.name, random_scalar(draw, field))
