"""The hand-made messages of tests/bad, by a name of their own: there are other
modules called `wire`."""

import importlib.util
import os

_spec = importlib.util.spec_from_file_location(
    "bad_wire_source", os.path.join(os.path.dirname(__file__), "..", "bad", "wire.py"))
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
field, node, log_entry, strings = (_module.field, _module.node, _module.log_entry,
                                   _module.strings)
