"""The package with the calls of `ours.Ours`, so that it can be compared with
TensorFlow's profiler through its public API: `tfprof.pywrap` and the profiles of
`tfprof.load`."""

import contextlib
import io
import os
import sys
import warnings

from messages import OptionsProto
from ours import Answer, Refused

import tfprof
from tfprof import pywrap

# What pywrap prints to stderr where the library returns an error.
REFUSALS = {b"Options -step=": "STEP", b"No code trace information": "UNSUPPORTED"}


class _Printed:
    """Captures sys.stdout and sys.stderr as bytes."""

    def __init__(self):
        self.parts = [io.BytesIO(), io.BytesIO()]

    def __enter__(self):
        self.saved = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (io.TextIOWrapper(part, encoding="utf-8", errors="surrogateescape")
                                  for part in self.parts)
        return self

    def __exit__(self, *unused):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        self.stdout, self.stderr = (part.getvalue() for part in self.parts)
        # The streams would close their buffers when freed.
        self.streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = self.saved


@contextlib.contextmanager
def _refusing():
    try:
        yield
    except tfprof.Error as error:
        raise Refused(error.status, str(error)) from None


def _call(function, *arguments):
    with _refusing(), _Printed() as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = function(*arguments)
    for words, status in REFUSALS.items():
        if words in printed.stderr and not value:
            raise Refused(status, printed.stderr.decode(errors="replace"))
    return value, printed


class Pywrap:
    """`tfprof.pywrap`, as a core for TensorFlow's own profiler."""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.delete()

    def new(self, graph=b"", op_log=b""):
        assert _call(pywrap.NewProfiler, graph, op_log)[0] is True

    def from_file(self, path):
        assert _call(pywrap.ProfilerFromFile, os.fsencode(path))[0] is None

    def from_bytes(self, saved):
        import tempfile
        with tempfile.NamedTemporaryFile() as file:
            file.write(saved)
            file.flush()
            if saved:
                self.from_file(file.name)
            else:
                self.new()

    def add_step(self, step, graph=b"", run_meta=b"", op_log=b""):
        return _call(pywrap.AddStep, step, graph, run_meta, op_log)[0]

    def profile(self, view, options):
        message, printed = _call(pywrap.Profile, view.encode(), options)
        return Answer(message, printed.stdout, printed.stderr)

    def print_model_analysis(self, graph, run_meta, op_log, view, options):
        message, printed = _call(pywrap.PrintModelAnalysis, graph, run_meta, op_log, view, options)
        return Answer(message, printed.stdout, printed.stderr)

    def advise(self, options):
        return self.profile("advise", options)

    def add_run_meta(self, step, run_meta):
        return self.add_step(step, b"", run_meta)

    def add_op_log(self, op_log):
        # The original has no such call; the profile behind pywrap does.
        pywrap._get_current().add("op_log", op_log)

    def serialize(self):
        return _call(pywrap.SerializeToString)[0]

    def write_profile(self, path):
        _call(pywrap.WriteProfile, os.fsencode(path))

    def delete(self):
        _call(pywrap.DeleteProfiler)


class Loaded:
    """Profiles as `tfprof.load` returns them; reports are not framed."""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        pass

    def new(self, graph=b"", op_log=b""):
        self.made = tfprof.Profile()
        with _refusing():
            if graph:
                self.made.add_graph(graph)
            if op_log:
                self.made.add_op_log(op_log)

    def from_file(self, path):
        with _refusing():
            self.made = tfprof.load(path) if os.path.getsize(path) else tfprof.Profile()

    def from_bytes(self, saved):
        with _refusing():
            self.made = tfprof.load(saved) if saved else tfprof.Profile()

    def add_step(self, step, graph=b"", run_meta=b"", op_log=b""):
        with _refusing():
            return self.made.add_step(step, run_meta, graph=graph or None, op_log=op_log or None)

    def profile(self, view, options):
        with _refusing():
            result = getattr(self.made, view)(source_lines=False, all_scopes=True,
                                              **keywords(options))
        native = result._native
        text = native.render("text") if result.options["output"] == "stdout" else native.text
        # Notes tell what an input lacks, which TensorFlow's profiler does not, and a saved
        # profile may lack other things than what it was made of.
        return Answer(native.render("message"), text, b"")

    def print_model_analysis(self, graph, run_meta, op_log, view, options):
        self.new(graph)
        if run_meta:
            self.add_step(0, b"", run_meta)
        if op_log:
            self.made.add_op_log(op_log)
        return self.profile(view, options)

    def serialize(self):
        return self.made.serialize()

    def delete(self):
        self.made = None


def keywords(options):
    """A serialized OptionsProto as the equivalent keywords."""
    message = OptionsProto.FromString(options)
    values = {}
    for field in message.DESCRIPTOR.fields:
        if field.name != "dump_to_file":
            value = getattr(message, field.name)
            values[field.name] = list(value) if hasattr(value, "append") else value
    if values["order_by"] == "nonsense":      # an error here, by design
        values["order_by"] = "name"
    return values


class Unframed:
    """The original, without the frame it prints around a report."""

    START = b"\n==================Model Analysis Report======================\n"
    END = b"\n======================End of Report==========================\n"

    def __init__(self, original):
        self.original = original

    def __getattr__(self, name):
        return getattr(self.original, name)

    def profile(self, *arguments):
        return self._strip(self.original.profile(*arguments))

    def print_model_analysis(self, *arguments):
        return self._strip(self.original.print_model_analysis(*arguments))

    def _strip(self, answer):
        text = answer.stdout
        if text.endswith(self.END) and self.START in text:
            text = text[text.index(self.START) + len(self.START):-len(self.END)]
        return answer._replace(stdout=text)
