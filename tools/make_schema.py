#!/usr/bin/env python3
"""Generates src/proto/schema.c, the field tables of messages, and src/proto/fields.h,
names for the field numbers.

Field numbers, enum values and the like are facts of TensorFlow's protocol
buffers; this reads them from the descriptors in its wheel. Run it with a Python
that has TensorFlow:

    python tools/make_schema.py            # rewrites both
    python tools/make_schema.py --check    # fails if that would change one
"""

import os
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from google.protobuf import descriptor_pb2  # noqa: E402
from tensorflow.compiler.xla import xla_data_pb2  # noqa: E402
from tensorflow.compiler.xla.service import hlo_pb2  # noqa: E402
from tensorflow.core.framework import graph_debug_info_pb2  # noqa: E402
from tensorflow.core.framework import graph_pb2  # noqa: E402
from tensorflow.core.framework import op_def_pb2  # noqa: E402
from tensorflow.core.framework import types_pb2  # noqa: E402
from tensorflow.core.framework import variable_pb2  # noqa: E402
from tensorflow.core.profiler import profile_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_log_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_options_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_output_pb2  # noqa: E402
from tensorflow.core.protobuf import config_pb2  # noqa: E402
from tensorflow.core.protobuf import meta_graph_pb2  # noqa: E402
from tensorflow.core.protobuf import saved_model_pb2  # noqa: E402
from tensorflow.core.protobuf import saved_object_graph_pb2  # noqa: E402
from tensorflow.core.protobuf import tensor_bundle_pb2  # noqa: E402
from tensorflow.core.protobuf import trackable_object_graph_pb2  # noqa: E402
from tensorflow.core.util import saved_tensor_slice_pb2  # noqa: E402
from tensorflow.tsl.profiler.protobuf import xplane_pb2  # noqa: E402

# Parsed as text, so everything they can contain is needed.
ROOTS = [
    graph_pb2.GraphDef,
    config_pb2.RunMetadata,
    graph_debug_info_pb2.GraphDebugInfo,
    tfprof_log_pb2.OpLogProto,
    tfprof_log_pb2.ProfileProto,
    tfprof_options_pb2.OptionsProto,
    tfprof_options_pb2.AdvisorOptionsProto,
    tfprof_output_pb2.GraphNodeProto,
    tfprof_output_pb2.MultiGraphNodeProto,
    tfprof_output_pb2.AdviceProto,
    xplane_pb2.XSpace,
]

# Only recognized: the messages they contain are opaque bytes, except for those that
# are in the tables anyway.
SHAPES = [
    meta_graph_pb2.MetaGraphDef,
    saved_model_pb2.SavedModel,
    profile_pb2.Profile,
]
PARTS_OF_SHAPES = [
    meta_graph_pb2.MetaGraphDef.MetaInfoDef,
    op_def_pb2.OpList,
    profile_pb2.ValueType,
    profile_pb2.Sample,
    profile_pb2.Label,
    profile_pb2.Mapping,
    profile_pb2.Location,
    profile_pb2.Line,
    profile_pb2.Function,
]

# Only decoded: their fields get names but no table.
DECODED = [
    tensor_bundle_pb2.BundleHeaderProto,
    tensor_bundle_pb2.BundleEntryProto,
    saved_tensor_slice_pb2.SavedTensorSlices,
]

# The same, but not the messages they contain: those of a compiler contain hundreds.
DECODED_ALONE = [
    hlo_pb2.HloProto,
    hlo_pb2.HloModuleProto,
    hlo_pb2.HloComputationProto,
    hlo_pb2.HloInstructionProto,
    hlo_pb2.StackFrameIndexProto,
    hlo_pb2.StackFrameIndexProto.FileLocation,
    hlo_pb2.StackFrameIndexProto.StackFrame,
    hlo_pb2.HloScheduleProto,
    hlo_pb2.HloScheduleProto.InstructionSequence,
    hlo_pb2.HloInputOutputAliasProto,
    hlo_pb2.HloInputOutputAliasProto.AliasEntryProto,
    hlo_pb2.BufferAssignmentProto,
    hlo_pb2.LogicalBufferProto,
    hlo_pb2.LogicalBufferProto.Location,
    hlo_pb2.BufferAllocationProto,
    hlo_pb2.BufferAllocationProto.Assigned,
    hlo_pb2.HeapSimulatorTrace,
    hlo_pb2.HeapSimulatorTrace.Event,
    xla_data_pb2.OpMetadata,
    xla_data_pb2.ShapeProto,
    xla_data_pb2.LayoutProto,
    xla_data_pb2.OutputOperandAliasing,
    xla_data_pb2.ReplicaGroup,
    xla_data_pb2.CollectiveDeviceListProto,
    xla_data_pb2.IotaReplicaGroupListProto,
    xla_data_pb2.RaggedDotDimensionNumbers,
    xla_data_pb2.DotDimensionNumbers,
    xla_data_pb2.Window,
    xla_data_pb2.WindowDimension,
    xla_data_pb2.ConvolutionDimensionNumbers,
    meta_graph_pb2.SignatureDef,
    meta_graph_pb2.TensorInfo,
    meta_graph_pb2.CollectionDef,
    meta_graph_pb2.CollectionDef.BytesList,
    saved_object_graph_pb2.SavedObjectGraph,
    saved_object_graph_pb2.SavedObject,
    trackable_object_graph_pb2.TrackableObjectGraph.TrackableObject.ObjectReference,
    saved_object_graph_pb2.SavedVariable,
    saved_object_graph_pb2.SavedConcreteFunction,
    variable_pb2.VariableDef,
]

SOURCE = os.path.join(os.path.dirname(__file__), "..", "src", "proto")
PACKAGES = ("tensorflow.tfprof.", "tensorflow.profiler.", "tensorflow.", "xla.")
# Otherwise XEVENT_METADATA_ID could be a field of two messages.
RENAMED = {"XEventMetadata": "xevent_meta", "XStatMetadata": "xstat_meta",
           "TrackableObjectGraph.TrackableObject.ObjectReference": "object_reference"}
# Strings that files of 2017 have, and today's descriptors no longer: (number, name).
REMOVED = {"CodeDef.Trace": [(1, "file"), (3, "function"), (4, "line")]}
MAX_FIELDS, MAX_VALUES = 64, 100  # as in schema.h

SCHEMA_HEAD = """\
/* Generated by tools/make_schema.py from TensorFlow's descriptors; do not edit. */
/* clang-format off */
#include "proto/schema.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define VALUE(name, number) {name, sizeof(name) - 1, number}
#define ENUM(variable, name)                                                   \\
\tconst struct schema_enum variable = {name, variable##_values, COUNT(variable##_values)}

#define FIELD(name, number, kind, how, type)                                   \\
\t{name, sizeof(name) - 1, number, SCHEMA_##kind, SCHEMA_##how, {type}}
#define OF(variable) .message = &variable
#define NAMED(variable) .enumeration = &variable
#define MESSAGE(variable, name)                                                \\
\tconst struct schema_message variable = {name, variable##_fields, COUNT(variable##_fields)}

"""
FIELDS_HEAD = """\
/* Generated by tools/make_schema.py from TensorFlow's descriptors; do not edit. */
/* Names of field numbers: the message without "Proto", then the field. Map entries
 * share MAP_KEY and MAP_VALUE. The values of DataType and PrimitiveType are at the
 * end. */
/* clang-format off */
#ifndef TFPROF_PROTO_FIELDS_H
#define TFPROF_PROTO_FIELDS_H

enum { MAP_KEY = 1, MAP_VALUE = 2 };

"""


def short_name(descriptor):
    for package in PACKAGES:
        if descriptor.full_name.startswith(package):
            return descriptor.full_name[len(package):]
    raise SystemExit(f"{descriptor.full_name}: unknown package")


def c_name(descriptor):
    """AttrValue.ListValue → attr_value_list_value"""
    name = short_name(descriptor)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace(".", "_"))
    return RENAMED.get(name, words.lower())


def constant(message, name):
    """TensorShapeProto.Dim's size → TENSOR_SHAPE_DIM_SIZE"""
    return f"{re.sub(r'_proto(?=_|$)', '', c_name(message))}_{name}".upper()


def numbered(message):
    """The (number, name) of its fields, in order, and those removed since."""
    return sorted([(field.number, field.name) for field in message.fields]
                  + REMOVED.get(short_name(message), []))


def collect(roots):
    """Every message and enum the roots can contain, in order of first use."""
    messages, enums, waiting = {}, {}, list(roots)
    while waiting:
        message = waiting.pop(0)
        if message.full_name in messages:
            continue
        messages[message.full_name] = message
        for field in message.fields:
            if field.message_type:
                waiting.append(field.message_type)
            if field.enum_type:
                enums[field.enum_type.full_name] = field.enum_type
    return list(messages.values()), list(enums.values())


def kind(field):
    name = descriptor_pb2.FieldDescriptorProto.Type.Name(field.type)
    return name.removeprefix("TYPE_")


def how(field):
    message = field.containing_type
    if field.message_type and field.message_type.GetOptions().map_entry:
        return "MAP"
    if field.is_repeated:
        return "PACKED" if field.is_packed else "REPEATED"
    if field.containing_oneof:
        return "ONEOF"
    # Map entries are written completely, including zeros.
    if field.has_presence or message.GetOptions().map_entry:
        return "OPTIONAL"
    return "SINGLE"


def check(messages, enums):
    """Checks the assumptions of schema.h and its users."""
    for names in ([c_name(d) for d in messages + enums], [short_name(d) for d in messages]):
        assert len(set(names)) == len(names), "two messages of the same name"
    for message in messages:
        assert 0 < len(message.fields) <= MAX_FIELDS, message.full_name
        assert len(message.oneofs) <= 1, message.full_name
        assert not message.is_extendable, message.full_name
        for field in message.fields:
            assert kind(field) != "GROUP", field.full_name
    for enum in enums:
        assert len(enum.values) <= MAX_VALUES, enum.full_name


def tables(messages, enums, public, readable):
    """The lines of the file."""

    def variable(message):
        return ("schema_" if message in public else "") + c_name(message)

    def storage(message):
        return "" if message in public else "static "

    def field_line(field):
        if field.message_type and field.message_type not in messages:
            repeated = "REPEATED" if field.is_repeated else "OPTIONAL"
            return f'\tFIELD("{field.name}", {field.number}, BYTES, {repeated}, NULL),  /* opaque */'
        target = "NULL"
        if field.message_type:
            target = f"OF({variable(field.message_type)})"
        elif field.enum_type:
            target = f"NAMED({c_name(field.enum_type)})"
        line = f'\tFIELD("{field.name}", {field.number}, {kind(field)}, {how(field)}, {target}),'
        return line if len(line) + 7 <= 100 else line.replace(" OF(", "\n\t\tOF(")

    for enum in enums:
        yield f"static const struct schema_value {c_name(enum)}_values[] = {{"
        for value in enum.values:
            yield f'\tVALUE("{value.name}", {value.number}),'
        yield "};"
        yield f'static ENUM({c_name(enum)}, "{short_name(enum)}");'
        yield ""
    yield "/* Messages refer to each other in cycles, so all are declared first. */"
    for message in messages:
        if message not in public:
            yield f"static const struct schema_message {variable(message)};"
    for message in messages:
        yield ""
        yield f"static const struct schema_field {variable(message)}_fields[] = {{"
        lines = {field.number: field_line(field) for field in message.fields}
        for number, name in REMOVED.get(short_name(message), []):
            lines[number] = f'\tFIELD("{name}", {number}, STRING, SINGLE, NULL),  /* removed */'
        for _, line in sorted(lines.items()):
            yield line
        yield "};"
        line = f'{storage(message)}MESSAGE({variable(message)}, "{short_name(message)}");'
        yield line if len(line) <= 100 else line.replace(", ", ",\n\t")
    yield ""
    yield "const struct schema_message *const schema_messages[] = {"
    for message in readable:
        yield f"\t&{variable(message)},"
    yield "\tNULL,"
    yield "};"


def fields(messages):
    """The lines of the header."""
    names = [constant(message, name) for message in messages for _, name in numbered(message)]
    assert len(set(names)) == len(names), "two fields of the same name"
    for message in messages:
        yield "enum {  /* " + short_name(message) + " */"
        for number, name in numbered(message):
            yield f"\t{constant(message, name)} = {number},"
        yield "};"
        yield ""
    yield "enum {  /* DataType */"
    for value in types_pb2.DataType.DESCRIPTOR.values:
        yield f"\t{value.name} = {value.number},"
    yield "};"
    yield ""
    yield "enum {  /* PrimitiveType */"
    for value in xla_data_pb2.PrimitiveType.DESCRIPTOR.values:
        yield f"\tPRIMITIVE_TYPE_{value.name.removeprefix('PRIMITIVE_TYPE_')} = {value.number},"
    yield "};"
    yield ""
    yield "#endif"


def main():
    roots, shapes, parts = (
        [message.DESCRIPTOR for message in group] for group in (ROOTS, SHAPES, PARTS_OF_SHAPES))
    readable, enums = collect(roots)
    messages = readable + shapes + parts
    check(messages, enums)
    decoded, _ = collect(message.DESCRIPTOR for message in DECODED)
    named = [m for m in messages if not m.GetOptions().map_entry]
    named += [m for m in decoded if m not in messages]
    named += [message.DESCRIPTOR for message in DECODED_ALONE]
    texts = {
        "schema.c": SCHEMA_HEAD + "\n".join(tables(messages, enums, roots + shapes, readable)),
        "fields.h": FIELDS_HEAD + "\n".join(fields(named)),
    }
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    for name, text in texts.items():
        path = os.path.join(SOURCE, name)
        if sys.argv[1:]:
            with open(path, encoding="utf-8") as file:
                if file.read() != text + "\n":
                    raise SystemExit(f"src/proto/{name} is out of date: run tools/make_schema.py")
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")


if __name__ == "__main__":
    main()
