"""Result messages: TensorFlow's own classes if TensorFlow is imported,
otherwise the same messages from our own descriptors.

Ours are in a private descriptor pool, so that importing TensorFlow later causes
no name conflict. protobuf is needed only here.
"""

import os
import sys
from typing import Any, Dict

from tfprof._need import need

_MODULES = {
    "AdviceProto": "tfprof_output_pb2",
    "AdvisorOptionsProto": "tfprof_options_pb2",
    "GraphNodeProto": "tfprof_output_pb2",
    "MultiGraphNodeProto": "tfprof_output_pb2",
    "OpLogProto": "tfprof_log_pb2",
    "OptionsProto": "tfprof_options_pb2",
    "ProfileProto": "tfprof_log_pb2",
}

_own: Dict[str, Any] = {}


def get(name: str) -> Any:
    """The class of a message of package tensorflow.tfprof."""
    if "tensorflow" in sys.modules:
        try:
            from importlib import import_module
            module = import_module("tensorflow.core.profiler." + _MODULES[name])
            return getattr(module, name)
        except ImportError:      # something else named tensorflow, or only part of it
            pass
    if not _own:
        _own.update(_make())
    return _own[name]


def _make() -> Dict[str, Any]:
    need("google.protobuf", "a result message")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    files = descriptor_pb2.FileDescriptorSet()
    with open(os.path.join(os.path.dirname(__file__), "descriptors.bin"), "rb") as source:
        files.ParseFromString(source.read())
    for file in files.file:
        pool.Add(file)
    if hasattr(message_factory, "GetMessageClass"):
        make = message_factory.GetMessageClass
    else:
        make = message_factory.MessageFactory(pool).GetPrototype
    return {name: make(pool.FindMessageTypeByName("tensorflow.tfprof." + name))
            for name in _MODULES}


def parse(name: str, data: bytes) -> Any:
    """Parses the message of that name, however deeply nested."""
    message = get(name)()
    from google.protobuf.message import DecodeError
    try:
        message.ParseFromString(data)
    except DecodeError:
        from tfprof._messages import _deep
        message.Clear()
        _deep.parse(message, data)
    return message


def to_bytes(value: Any, argument: str, full_name: str) -> bytes:
    """The bytes of an argument that is bytes or a message of either class,
    TensorFlow's or ours."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    descriptor = getattr(value, "DESCRIPTOR", None)
    found = getattr(descriptor, "full_name", None)
    if found == full_name and hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    kind = found or f"{type(value).__module__}.{type(value).__qualname__}"
    raise TypeError(f"{argument}: expected a {full_name} message or its bytes, got {kind}")
