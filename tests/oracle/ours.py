"""Run libtfprof, with the calls of `original.Original`.

Uses only ctypes and the public header. The library is TFPROF_LIB, or libtfprof.so of
TFPROF_BUILD or of build/.
"""

import ctypes
import os
from typing import NamedTuple

STATUSES = ("OK", "NO_MEMORY", "IO", "FORMAT", "ARGUMENT", "REGEX", "STEP", "CANCELLED",
            "UNSUPPORTED")
LEVELS = ("none", "notice", "warning", "high")
FRAMED = 1
INT64, BOOL, TEXT, TEXTS, DOUBLE = range(5)


class Answer(NamedTuple):
    message: bytes
    stdout: bytes
    stderr: bytes


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status
        self.text = text


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class _Input(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("unit", ctypes.c_char_p),
                ("is_nullable", ctypes.c_int), ("n_rows", ctypes.c_size_t),
                ("numbers", ctypes.POINTER(ctypes.c_int64)),
                ("doubles", ctypes.POINTER(ctypes.c_double)),
                ("lists", ctypes.POINTER(ctypes.c_int64)),
                ("offsets", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.POINTER(ctypes.c_char))]

    def values(self):
        return [self._value(row) for row in range(self.n_rows)]

    def _text(self, item):
        return self.bytes[self.offsets[item]:self.offsets[item + 1]].decode(errors="replace")

    def _value(self, row):
        if self.type == TEXT:
            return self._text(row)
        if self.type == TEXTS:
            return [self._text(i) for i in range(self.lists[row], self.lists[row + 1])]
        if self.type == DOUBLE:
            return self.doubles[row] if self.doubles[row] == self.doubles[row] else None
        if self.is_nullable and self.numbers[row] < 0:
            return None
        return bool(self.numbers[row]) if self.type == BOOL else self.numbers[row]


def library_path():
    here = os.path.dirname(os.path.abspath(__file__))
    build = os.environ.get("TFPROF_BUILD") or os.path.join(here, "..", "..", "build")
    return os.environ.get("TFPROF_LIB") or os.path.abspath(os.path.join(build, "libtfprof.so"))


def load_library(path=None):
    library = ctypes.CDLL(path or library_path())
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    error, given = ctypes.POINTER(_Error), ctypes.POINTER(_Input)
    size_out = ctypes.POINTER(size)
    for name, result, arguments in (
        ("profile_new", pointer, []),
        ("profile_free", None, [pointer]),
        ("profile_add", ctypes.c_int,
         [pointer, ctypes.c_char_p, given, ctypes.c_int64, error]),
        ("profile_add_step", ctypes.c_int,
         [pointer, ctypes.c_int64, given, given, given, ctypes.POINTER(ctypes.c_double), error]),
        ("profile_get_coverage", ctypes.c_double, [pointer]),
        ("profile_serialize", ctypes.c_int, [pointer, ctypes.POINTER(pointer), size_out, error]),
        ("profile_save", ctypes.c_int, [pointer, ctypes.c_char_p, error]),
        ("step_timeline_write", ctypes.c_int,
         [given, ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(pointer), size_out,
          error]),
        ("bytes_free", None, [pointer]),
        ("options_new", pointer, []),
        ("options_free", None, [pointer]),
        ("options_set", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_char_p, error]),
        ("options_set_message", ctypes.c_int, [pointer, ctypes.c_char_p, size, error]),
        ("result_output", ctypes.c_int, [pointer, ctypes.c_uint, pointer, pointer, pointer, error]),
        ("result_render", ctypes.c_int,
         [pointer, ctypes.c_char_p, ctypes.POINTER(pointer), size_out, error]),
        ("result_get_column_name", ctypes.c_char_p, [pointer, size, pointer]),
        ("result_get_column", ctypes.c_int,
         [pointer, ctypes.c_char_p, ctypes.POINTER(_Column), error]),
        ("result_get_node_rows", ctypes.c_int,
         [pointer, ctypes.POINTER(ctypes.POINTER(ctypes.c_int64)), size_out, error]),
        ("result_free", None, [pointer]),
        ("options_add_checker", ctypes.c_int,
         [pointer, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, error]),
        ("options_set_advice_message", ctypes.c_int, [pointer, ctypes.c_char_p, size, error]),
        ("ask", ctypes.c_int,
         [pointer, ctypes.c_char_p, pointer, pointer, ctypes.POINTER(pointer), error]),
        ("result_get_level", ctypes.c_int, [pointer]),
        ("result_get_text", pointer, [pointer, size_out]),
        ("result_get_notes", pointer, [pointer, size_out]),
    ):
        function = getattr(library, "tfprof_" + name)
        function.restype, function.argtypes = result, arguments
    return library


def _bytes_input(data):
    return ctypes.byref(_Input(None, data, len(data)))


class Ours:
    def __init__(self, path=None):
        self._library = load_library(path)
        self._profile = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self.delete()

    # -- the original's calls ------------------------------------------------

    def new(self, graph=b"", op_log=b""):
        self._begin()
        self.add_graph(graph)
        if op_log:
            self.add_op_log(op_log)

    def from_file(self, path):
        self._begin()
        self.add_file("profile", path)

    def add_step(self, step, graph=b"", run_meta=b"", op_log=b""):
        coverage = ctypes.c_double()
        self._do("profile_add_step", self._profile, step,
                 _bytes_input(graph) if graph else None, _bytes_input(run_meta),
                 _bytes_input(op_log) if op_log else None, ctypes.byref(coverage))
        return coverage.value

    def profile(self, view, options):
        chosen = self._library.tfprof_options_new()
        try:
            self._do("options_set_message", chosen, options, len(options))
            return self._run(view, chosen, FRAMED)
        finally:
            self._library.tfprof_options_free(chosen)

    def advise(self, options):
        """Options: a serialized AdvisorOptionsProto."""
        chosen = self._library.tfprof_options_new()
        try:
            self._do("options_set_advice_message", chosen, options, len(options))
            return self._advise(chosen)[0]
        finally:
            self._library.tfprof_options_free(chosen)

    def print_model_analysis(self, graph, run_meta, op_log, view, options):
        self._begin()
        try:
            self.add_graph(graph)
            if run_meta:
                self.add_run_meta(0, run_meta)
            if op_log:
                self.add_op_log(op_log)
            return self.profile(view, options)
        finally:
            self.delete()

    def serialize(self):
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        self._do("profile_serialize", self._profile, ctypes.byref(data), ctypes.byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            self._library.tfprof_bytes_free(data)

    def write_profile(self, path):
        self._do("profile_save", self._profile, os.fsencode(path))

    def delete(self):
        if self._profile:
            self._library.tfprof_profile_free(self._profile)
        self._profile = None

    # -- calls that the original does not have -------------------------------

    def from_bytes(self, saved):
        self._begin()
        self._add("profile", _bytes_input(saved))

    def add_file(self, kind, path):
        self._add(kind, ctypes.byref(_Input(os.fsencode(path), None, 0)))

    def add_graph(self, graph):
        self._add("graph", _bytes_input(graph))

    def add_run_meta(self, step, run_meta):
        self._add("run_meta", _bytes_input(run_meta), step)
        return self._library.tfprof_profile_get_coverage(self._profile)

    def add_op_log(self, op_log):
        self._add("op_log", _bytes_input(op_log))

    def ask(self, view, **options):
        """A query with options as on the command line, without the frame."""
        chosen = self._library.tfprof_options_new()
        try:
            for name, value in options.items():
                self._do("options_set", chosen, name.encode(), os.fsencode(str(value)))
            return self._run(view, chosen, 0)
        finally:
            self._library.tfprof_options_free(chosen)

    def columns(self, view, names=None, **options):
        """The columns of a query by name, as lists of values: those exported by default,
        or those named."""
        chosen, result = self._library.tfprof_options_new(), ctypes.c_void_p()
        try:
            for name, value in options.items():
                self._do("options_set", chosen, name.encode(), os.fsencode(str(value)))
            self._do("ask", self._profile, view.encode(), chosen, None, ctypes.byref(result))
            if names is None:
                names, get = [], self._library.tfprof_result_get_column_name
                while (name := get(result, len(names), None)) is not None:
                    names.append(name.decode())
            found = {}
            for name in names:
                column = _Column()
                self._do("result_get_column", result, name.encode(), ctypes.byref(column))
                found[name] = column.values()
            return found
        finally:
            self._library.tfprof_result_free(result)
            self._library.tfprof_options_free(chosen)

    def ask_advice(self, *checkers, output="stdout", source_lines=True):
        """A checker is a name, or (name, option, value). Returns the answer and the
        highest level: "none", "notice", "warning" or "high"."""
        chosen = self._library.tfprof_options_new()
        try:
            for checker in checkers:
                words = (checker, None, None) if isinstance(checker, str) else checker
                self._do("options_add_checker", chosen,
                         *(None if word is None else str(word).encode() for word in words))
            self._do("options_set", chosen, b"output", os.fsencode(output))
            self._do("options_set", chosen, b"source_lines", b"true" if source_lines else b"false")
            answer, level = self._advise(chosen)
            return answer, LEVELS[level]
        finally:
            self._library.tfprof_options_free(chosen)

    def add_checkpoint(self, path):
        self._add("checkpoint", ctypes.byref(_Input(os.fsencode(path), None, 0)))

    def step_timeline(self, run_meta, dataflow=True, memory=True, path=None, wanted=True):
        """The trace of run metadata given as bytes or a path; None if written to `path`.
        Without run metadata or a place for the trace, the library must report an error."""
        given = None
        if run_meta is not None:
            given = _bytes_input(run_meta) if isinstance(run_meta, bytes) else ctypes.byref(
                _Input(os.fsencode(run_meta), None, 0))
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        returned = wanted and path is None
        self._do("step_timeline_write", given, dataflow, memory,
                 None if path is None else os.fsencode(path),
                 ctypes.byref(data) if returned else None,
                 ctypes.byref(size) if returned else None)
        if not returned:
            return None
        try:
            return ctypes.string_at(data, size.value)
        finally:
            self._library.tfprof_bytes_free(data)

    # -- plumbing ------------------------------------------------------------

    def _begin(self):
        self.delete()
        self._profile = self._library.tfprof_profile_new()
        if not self._profile:
            raise MemoryError

    def _add(self, kind, given, step=0):
        self._do("profile_add", self._profile, kind.encode(), given, step)

    def _do(self, name, *arguments):
        error = _Error()
        status = getattr(self._library, "tfprof_" + name)(*arguments, ctypes.byref(error))
        if status:
            raise Refused(STATUSES[status], error.text.decode(errors="replace"))

    def _run(self, view, options, flags):
        result = ctypes.c_void_p()
        self._do("ask", self._profile, view.encode(), options, None, ctypes.byref(result))
        try:
            return self._answer(result, flags)
        finally:
            self._library.tfprof_result_free(result)

    def _advise(self, options):
        result = ctypes.c_void_p()
        self._do("ask", self._profile, b"advise", options, None, ctypes.byref(result))
        try:
            return self._answer(result, 0), self._library.tfprof_result_get_level(result)
        finally:
            self._library.tfprof_result_free(result)

    def _answer(self, result, flags):
        self._do("result_output", result, flags, None, None, None)
        return Answer(self._render(result, b"message"), self._part(result, "text"),
                      self._part(result, "notes"))

    def _render(self, result, format):
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        self._do("result_render", result, format, ctypes.byref(data), ctypes.byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            self._library.tfprof_bytes_free(data)

    def _part(self, result, part):
        size = ctypes.c_size_t()
        data = getattr(self._library, "tfprof_result_get_" + part)(result, ctypes.byref(size))
        return ctypes.string_at(data, size.value) if data else b""
