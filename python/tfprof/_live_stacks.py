"""Call stacks of live operations as the op log's CodeDef messages.

Operations share equal stacks, and stacks share equal frames: a graph built by
loops has thousands of operations but only dozens of distinct stacks.
"""

import linecache
import os
import sys
import sysconfig

from tfprof import _layer_lines

_OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


class Strings:
    """An op log's table of strings: ids in order of first use, `none` is 0."""

    def __init__(self):
        self._id_of = {"none": 0}

    def id_of(self, text):
        return self._id_of.setdefault(text, len(self._id_of)) if text else 0

    def write_into(self, id_to_string):
        for text, number in self._id_of.items():
            id_to_string[number] = text


class UsersFiles(dict):
    """File name → whether it is the user's own: not of an installed package, of
    Python's library or of a framework, wherever that was imported from."""

    FRAMEWORKS = ("tensorflow", "keras", "tf_keras", "tfprof")

    def __init__(self):
        super().__init__()
        paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
        for name in self.FRAMEWORKS:
            paths += getattr(sys.modules.get(name), "__path__", ())
        self._libraries = tuple(os.path.join(path, "") for path in paths if path)

    def __missing__(self, filename):
        parts = filename.replace(os.sep, "/").split("/")
        known = self[filename] = not (
            "site-packages" in parts or "dist-packages" in parts
            or filename.startswith(self._libraries))
        return known


class Stacks:
    """Converts tracebacks to CodeDefs. With `source_lines`, reads the text of the user's
    own lines from their files if TensorFlow does not provide it."""

    def __init__(self, source_lines=False):
        from tensorflow.core.profiler.tfprof_log_pb2 import CodeDef

        self.strings = Strings()
        self._code_def_class = CodeDef
        self._is_users = UsersFiles() if source_lines else None
        self._code_defs = {}
        self._frames = {}

    def find_layers(self, names):
        """A function from the name of one of these operations to the line that made its layer;
        None: it has none."""
        return lambda name: None

    def get(self, traceback, layer=None):
        """The CodeDef, or None for an operation without a traceback.

        Keys are copies: TensorFlow's tracebacks and frames point into the graph
        and must not outlive it.
        """
        if traceback is None:
            return None
        key = len(traceback), str(traceback), layer
        code_def = self._code_defs.get(key)
        if code_def is None:
            code_def = self._code_def_class(
                traces=[self._get_frame(f) for f in self._choose(traceback, layer)])
            self._code_defs[key] = code_def
        return code_def

    def _choose(self, traceback, layer):
        return traceback

    def _get_frame(self, frame):
        key = tuple(frame)
        known = self._frames.get(key)
        if known is None:
            known = self._frames[key] = self._make_frame(*key)
        return known

    def _make_frame(self, filename, lineno, function, line):
        if not line and self._is_users is not None and lineno and self._is_users[filename]:
            line = linecache.getline(filename, lineno).strip()
        id_of = self.strings.id_of
        return self._code_def_class.Trace(
            file_id=id_of(filename), function_id=id_of(function), line_id=id_of(line),
            lineno=lineno or -1, func_start_line=-1)


class UsersStacks(Stacks):
    """Only frames of the user's own files, with their source text. A stack without such
    frames stays whole. Where Keras calls a layer, the line that made the layer ends it."""

    def __init__(self):
        super().__init__(source_lines=True)

    def find_layers(self, names):
        lines = _layer_lines.find_lines(names)
        return lambda name: _layer_lines.line_of(lines, name)

    def _choose(self, traceback, layer):
        users = [n for n, frame in enumerate(traceback) if self._is_users[frame[0]]]
        if not users:
            # Of a thread of a distribution strategy, say.
            return [(*layer, None)] if layer else _without_ours(traceback)
        chosen = [traceback[n] for n in users]
        if layer and any(_is_call_of_keras(frame) for frame in traceback[users[-1] + 1:]):
            chosen.append((*layer, None))
        return chosen


def _without_ours(traceback):
    """What calls a step to record it is no line of the program."""
    return [frame for frame in traceback if not frame[0].startswith(_OURS)] or traceback


def _is_call_of_keras(frame):
    return frame[2] in ("call", "__call__") and "keras" in frame[0].replace(os.sep, "/").split("/")
