#!/usr/bin/env python3
"""Generates python/tfprof/_messages/descriptors.bin, the package's messages,
from the descriptors in TensorFlow's wheel. Run it with a Python that has
TensorFlow:

    python tools/make_messages.py            # rewrites the file
    python tools/make_messages.py --check    # fails if the file is out of date
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from google.protobuf import descriptor_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_log_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_options_pb2  # noqa: E402
from tensorflow.core.profiler import tfprof_output_pb2  # noqa: E402

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python", "tfprof",
                      "_messages", "descriptors.bin")


def add(descriptor, files, seen):
    """Adds a file after its dependencies."""
    if descriptor.name in seen:
        return
    seen.add(descriptor.name)
    for dependency in descriptor.dependencies:
        add(dependency, files, seen)
    file = files.file.add()
    descriptor.CopyToProto(file)
    file.ClearField("options")           # only for other languages
    file.ClearField("source_code_info")


def make():
    files, seen = descriptor_pb2.FileDescriptorSet(), set()
    for module in (tfprof_log_pb2, tfprof_options_pb2, tfprof_output_pb2):
        add(module.DESCRIPTOR, files, seen)
    return files.SerializeToString(deterministic=True)


def main():
    data = make()
    if "--check" in sys.argv[1:]:
        with open(TARGET, "rb") as file:
            if file.read() != data:
                sys.exit("descriptors.bin is out of date: run tools/make_messages.py")
        return
    with open(TARGET, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
