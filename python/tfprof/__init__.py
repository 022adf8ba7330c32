"""Profile TensorFlow models: time, memory, parameters and float operations, by
name scope, data flow, operation type and line of Python.

Four ways in:

* ``tfprof.load('profile_100')`` reads the files of a run. It does not need
  TensorFlow.
* ``tfprof.trace``, ``tfprof.profile_function`` and ``tfprof.KerasCallback`` record a
  running program of TensorFlow 2, Keras or JAX.
* ``tfprof.model('model.keras')`` computes what a model costs, from its file alone.
* ``tfprof.Profiler``, ``tfprof.profile``, ``tfprof.advise`` and the rest of
  TensorFlow's own ``tf.compat.v1.profiler``, under the same names and with the
  same results.

Importing this package imports neither TensorFlow nor numpy; its modules are
loaded on first use. From then on the lines that create layers of Keras are noted.
"""

import importlib

from tfprof import _layer_lines

_layer_lines.watch()

# name → the module that has it
_PARTS = {
    "ALL_ADVICE": "model_analyzer",
    "Advice": "_advice",
    "ArgumentError": "_native",
    "Diff": "_diff",
    "Error": "_native",
    "FileError": "_native",
    "FormatError": "_native",
    "KerasCallback": "_keras",
    "Model": "_model",
    "Node": "_result",
    "Profile": "_profile",
    "ProfileContext": "profile_context",
    "ProfileOptionBuilder": "option_builder",
    "Profiler": "model_analyzer",
    "ProfilerHook": "hooks",
    "Result": "_result",
    "__version__": "_native",
    "advise": "model_analyzer",
    "diff": "_diff",
    "install": "_install",
    "installed": "_install",
    "load": "_profile",
    "model": "_model",
    "model_memory": "_model",
    "profile": "model_analyzer",
    "profile_function": "_function",
    "trace": "_trace",
    "uninstall": "_install",
    "write_op_log": "tfprof_logger",
}
_MODULES = ("hooks", "model_analyzer", "option_builder", "profile_context", "pywrap",
            "tfprof_logger")
# TensorFlow's own classes if it has been imported when they are first used.
_MESSAGES = ("AdviceProto", "GraphNodeProto", "MultiGraphNodeProto", "OpLogProto", "OptionsProto",
             "ProfileProto")

__all__ = sorted([*_PARTS, *_MODULES, *_MESSAGES])


def __getattr__(name):
    if name in _MESSAGES:
        return importlib.import_module("tfprof._messages").get(name)
    if name in _MODULES:
        return importlib.import_module("tfprof." + name)
    if name not in _PARTS:
        raise AttributeError(f"module 'tfprof' has no attribute {name!r}")
    value = getattr(importlib.import_module("tfprof." + _PARTS[name]), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell):
    """%load_ext tfprof: the magics %tfprof and %%tfprof."""
    importlib.import_module("tfprof._notebook").load_ipython_extension(shell)


def __dir__():
    return __all__
