"""TensorFlow's message classes without TensorFlow.

The generated `_pb2` modules need only the protobuf runtime, but importing one the
usual way imports all of TensorFlow, which takes seconds and starts threads. Here a
bare module with its search path replaces the package, so that only the message
modules themselves are loaded. Must be imported before TensorFlow.
"""

import importlib.util
import os
import sys
import types

if "tensorflow" not in sys.modules:
    _spec = importlib.util.find_spec("tensorflow")
    if _spec is None:
        raise ImportError("TensorFlow's message classes need the tensorflow-cpu wheel")
    _bare = types.ModuleType("tensorflow")
    _bare.__path__ = [os.path.dirname(_spec.origin)]
    sys.modules["tensorflow"] = _bare

from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.core.profiler.tfprof_log_pb2 import OpLogProto, ProfileProto
from tensorflow.core.profiler.tfprof_options_pb2 import AdvisorOptionsProto, OptionsProto
from tensorflow.core.profiler.tfprof_output_pb2 import (
    AdviceProto, GraphNodeProto, MultiGraphNodeProto)
from tensorflow.core.protobuf.config_pb2 import RunMetadata

__all__ = ["AdviceProto", "AdvisorOptionsProto", "GraphDef", "GraphNodeProto",
           "MultiGraphNodeProto", "OpLogProto", "OptionsProto", "ProfileProto", "RunMetadata"]
