"""Compare the answers of TensorFlow's profiler with ours for one case.

`compare` returns the list of differences. Deliberate ones (docs/differences.md)
are left out, each by a rule in `Traits` or `_same_refusal`. Everything else must
be equal: report text and files byte for byte, messages field by field.
"""

import difflib
import os
import re
from dataclasses import dataclass

from google.protobuf import text_format
from google.protobuf.message import DecodeError

import original as original_module
import ours as ours_module
from messages import GraphNodeProto, MultiGraphNodeProto, ProfileProto

WARNING = re.compile(rb"\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
                     rb".*\n.*\n\n")
# What a query prints to stderr besides its report.
NOTE = re.compile(r"^(Note: code view ignores account_displayed_op_only"
                  r"|tensor_value.*code view.*)$", re.MULTILINE)
GRADIENTS = re.compile(r"^\d+ gradient nodes not accounted$", re.MULTILINE)


FROM_OURS = " loaded from ours"


@dataclass
class Difference:
    what: str          # "text", "message", "coverage", "profile", ...
    query: int         # index, -1 if it is not about a query
    expected: str
    actual: str

    def diff(self):
        if self.expected == self.actual:
            return "(the same as text)"
        lines = difflib.unified_diff(self.expected.split("\n"), self.actual.split("\n"),
                                     "original", "ours", lineterm="", n=2)
        return "\n".join(line if len(line) < 400 else line[:400] + "..." for line in lines)

    def same_kind(self, other):
        return self.what == other.what


class Traits:
    """Properties of a case that the two are known to treat differently."""

    def __init__(self, case):
        inputs = [text for graph in case.graphs() for node in graph.node for text in node.input]
        names = {node.name for graph in case.graphs() for node in graph.node}
        names.update(entry.node_name.partition(":")[0] for entry in _entries(case))
        # TensorFlow's profiler takes every reference as output 0.
        self.other_outputs = any(re.search(r":\d*[1-9]\d*$", text) for text in inputs)
        # Its saved profiles have one output index per source of a node.
        self.mixed_outputs = any(
            len({_source(text) for text in node.input}) < len(set(map(_edge, node.input)))
            for graph in case.graphs() for node in graph.node)
        # It cannot write a profile with an input that names no node.
        self.unresolved = any(_source(text) not in names for text in inputs)
        # It divides sums as unsigned numbers when it averages.
        self.negative = any(entry.op_end_rel_micros < 0
                            or any(memory.live_bytes < 0 for memory in entry.memory)
                            for entry in _entries(case))

    def comparable(self, query):
        return not (self.negative and query.options.step < 0)


def _entries(case):
    for step in case.steps:
        for stats in step.run_meta.step_stats.dev_stats:
            yield from stats.node_stats


def _edge(text):
    """(source, output) of an input."""
    index = re.search(r":(\d+)$", text)
    return _source(text), int(index.group(1)) if index else 0


def _source(text):
    return (text[1:] if text.startswith("^") else text).partition(":")[0]


class Comparison:
    """Both profilers on one case; counts what could not be compared."""

    def __init__(self, original, ours, directory):
        self.original = original
        self.ours = ours
        self.directory = directory
        self.aborted = 0
        self.asked = 0

    def compare(self, case):
        self.case = case
        self.traits = Traits(case)
        self.found = []
        self.gradients = set(), set()
        self.code_shown = False
        self._clean()
        if case.all_at_once:
            self._compare_at_once()
        else:
            self._compare_profilers()
        if self.code_shown and self.gradients[0] != self.gradients[1]:
            self._differ("notes", -1, *map(_lines, self.gradients))
        return self.found

    # -- queries -------------------------------------------------------------

    def _compare_at_once(self):
        case = self.case
        run_meta = _bytes(case.steps[0].run_meta) if case.steps else b""
        inputs = _bytes(case.graph), run_meta, _bytes(case.op_log)
        for i, query in enumerate(case.queries):
            self._compare_query(
                i, query, lambda options: self.original.print_model_analysis(
                    *inputs, query.view, options),
                lambda options: self.ours.print_model_analysis(*inputs, query.view, options))

    def _compare_profilers(self):
        case = self.case
        coverages = [_feed(profiler, case) for profiler in (self.original, self.ours)]
        if any(abs(a - b) > 1e-9 for a, b in zip(*coverages)):
            self._differ("coverage", -1, *map(str, coverages))
        saved = self._compare_profiles()
        self._compare_queries(lambda: _feed(self.original, case), case.queries)
        if saved:
            self._compare_loaded(*saved, self._reports())

    def _compare_queries(self, rebuild, queries, loaded=""):
        for i, query in enumerate(queries):
            def ask_original(options):
                try:
                    return self.original.profile(query.view, options)
                except original_module.Aborted:
                    rebuild()
                    raise
            self._compare_query(i, query, ask_original,
                                lambda options: self.ours.profile(query.view, options), loaded)

    # -- saved profiles ------------------------------------------------------

    def _compare_profiles(self, loaded=""):
        """Compares the two ProfileProtos; returns (TensorFlow's, ours) if both exist."""
        ours = self.ours.serialize()
        mine = ProfileProto.FromString(ours)
        try:
            theirs_bytes = self.original.serialize()
        except original_module.Refused:
            if not self.traits.unresolved:
                self._differ("profile" + loaded, -1, "raised", "written")
            return None
        theirs = ProfileProto.FromString(theirs_bytes)
        mine.DiscardUnknownFields()
        if loaded:
            # TensorFlow's profiler forgets this on loading.
            theirs.ClearField("miss_accelerator_stream")
            mine.ClearField("miss_accelerator_stream")
        if self.traits.other_outputs:
            for profile in (theirs, mine):
                for node in profile.nodes.values():
                    node.ClearField("src_output_index")
                    node.ClearField("input_shapes")
        if theirs != mine:
            self._differ("profile" + loaded, -1, *map(_text, (theirs, mine)))
        return theirs_bytes, ours

    def _compare_loaded(self, theirs, ours, fresh):
        """The answers are the same, whichever program wrote or loads a profile."""
        queries = self.case.queries[:3]
        for writer, saved in (("original", theirs), ("ours", ours)):
            if not saved:
                continue  # an empty profile; here an empty file is an error
            self._load_both(saved)
            self._compare_queries(lambda: self._load(self.original), queries,
                                  f" loaded from {writer}")
            if writer == "ours" and not self.traits.unresolved:
                self._compare_with_fresh(fresh)
            first = self.ours.serialize()
            self.ours.from_bytes(first)
            second = self.ours.serialize()
            if first != second:
                self._differ("fixed point", -1, *(_text(ProfileProto.FromString(saved))
                                                  for saved in (first, second)))
        if self.case.steps and theirs:
            self._compare_continued(theirs)

    def _reports(self):
        return [self._ask(query, lambda options: self.ours.profile(query.view, options))
                for query in self.case.queries]

    def _compare_with_fresh(self, fresh):
        """Saving and loading changes no answer of ours."""
        for i, (before, after) in enumerate(zip(fresh, self._reports())):
            if repr(before) != repr(after):
                kind = message_kind(self.case.queries[i].view)
                self._differ("after saving", i, *(
                    _decode(answer.stdout + file) + _text(kind.FromString(answer.message))
                    if isinstance(answer, ours_module.Answer) else str(answer)
                    for answer, file in (before, after)))

    def _compare_continued(self, saved):
        """Steps can be added to a loaded profile."""
        self._load_both(saved)
        step = self.case.steps[-1]
        coverages = [_add(profiler, step, step.step + 1)
                     for profiler in (self.original, self.ours)]
        if abs(coverages[0] - coverages[1]) > 1e-9:
            self._differ("coverage loaded", -1, *map(str, coverages))
        self._compare_profiles(" loaded and continued")

    def _load_both(self, saved):
        with open(os.path.join(self.directory, "saved"), "wb") as file:
            file.write(saved)
        self._load(self.original)
        self._load(self.ours)

    def _load(self, profiler):
        profiler.delete()
        profiler.from_file(os.path.join(self.directory, "saved"))

    # -- one query -----------------------------------------------------------

    def _compare_query(self, i, query, ask_original, ask_ours, loaded=""):
        if not self.traits.comparable(query):
            return
        # TensorFlow's profiler uses an index once it is saved.
        known = self.traits.mixed_outputs if loaded == FROM_OURS else self.traits.other_outputs
        if known:
            query = self._without_input_shapes(query)
        self.asked += 1
        theirs, their_file = self._ask(query, ask_original)
        mine, my_file = self._ask(query, ask_ours)
        if query.view == "code":
            self._note_gradients(theirs, mine)
        if isinstance(theirs, original_module.Aborted):
            self.aborted += 1
            return
        if isinstance(theirs, original_module.Refused):
            return
        if isinstance(mine, ours_module.Refused):
            if not _same_refusal(theirs, mine):
                self._differ("refused" + loaded, i, _decode(theirs.stdout + theirs.stderr),
                             str(mine))
            return
        texts = theirs.stdout, mine.stdout
        if loaded:
            texts = [WARNING.sub(b"", text) for text in texts]
            their_file, my_file = (WARNING.sub(b"", text) for text in (their_file, my_file))
        if texts[0] != texts[1]:
            self._differ("text" + loaded, i, *map(_decode, texts))
        if their_file != my_file:
            self._differ("file" + loaded, i, *map(_decode, (their_file, my_file)))
        if theirs.message != mine.message:
            self._compare_messages(i, query, theirs.message, mine.message, known, loaded)
        self._compare_notes(i, theirs.stderr.decode(), mine.stderr.decode(), loaded)

    def _without_input_shapes(self, query):
        if "input_shapes" not in query.options.select:
            return query
        plain = type(query)(query.view, type(query.options)())
        plain.options.CopyFrom(query.options)
        while "input_shapes" in plain.options.select:
            plain.options.select.remove("input_shapes")
        return plain

    def _ask(self, query, ask):
        path = os.path.join(self.directory, "report")
        if os.path.exists(path):
            os.unlink(path)
        try:
            answer = ask(query.bytes_for(path))
        except (original_module.Aborted, original_module.Refused, ours_module.Refused) as error:
            answer = error
        if not os.path.exists(path):
            return answer, b"(no file)"
        with open(path, "rb") as file:
            return answer, file.read()

    def _compare_messages(self, i, query, theirs, mine, without_input_shapes, loaded):
        kind = message_kind(query.view)
        try:
            theirs, mine = kind.FromString(theirs), kind.FromString(mine)
        except DecodeError:
            # Protobuf parses neither if nested more than a hundred deep. They may
            # differ only in the order of fields, so their sorted bytes are equal.
            if sorted(theirs) != sorted(mine) and not without_input_shapes:
                self._differ("deep message" + loaded, i, f"{len(theirs)} bytes", f"{len(mine)} bytes")
            return
        if without_input_shapes:
            for message in (theirs, mine):
                _clear_input_shapes(message)
        if theirs != mine:
            self._differ("message" + loaded, i, *map(_text, (theirs, mine)))

    def _compare_notes(self, i, theirs, mine, loaded):
        notes = [NOTE.findall(text) for text in (theirs, mine)]
        if notes[0] != notes[1]:
            self._differ("notes" + loaded, i, *map(_lines, notes))

    def _note_gradients(self, *answers):
        """TensorFlow's profiler reports them once, when it first builds the view, so
        compares what was printed over the whole case."""
        self.code_shown |= isinstance(answers[1], ours_module.Answer)
        for seen, answer in zip(self.gradients, answers):
            seen.update(GRADIENTS.findall(getattr(answer, "stderr", b"").decode()))

    # -- helpers -------------------------------------------------------------

    def _differ(self, what, query, expected, actual):
        self.found.append(Difference(what, query, expected, actual))

    def _clean(self):
        for name in os.listdir(self.directory):
            os.unlink(os.path.join(self.directory, name))


def message_kind(view):
    return GraphNodeProto if view in ("scope", "graph") else MultiGraphNodeProto


def exercise(case, profiler, directory):
    """Makes all calls of `Comparison` to one profiler, ignoring the answers."""
    path = os.path.join(directory, "report")
    for query in case.queries:
        try:
            profiler.print_model_analysis(
                _bytes(case.graph), _bytes(case.steps[0].run_meta) if case.steps else b"",
                _bytes(case.op_log), query.view, query.bytes_for(path))
        except ours_module.Refused:
            pass
    saved = None
    for build in range(3):
        if build == 0:
            _feed(profiler, case)
        else:
            profiler.from_bytes(saved)
        for query in case.queries:
            try:
                profiler.profile(query.view, query.bytes_for(path))
            except ours_module.Refused:
                pass
        saved = profiler.serialize()


def _feed(profiler, case):
    profiler.delete()
    profiler.new(_bytes(case.graph), _bytes(case.op_log))
    return [_add(profiler, step, step.step) for step in case.steps]


def _add(profiler, step, number):
    return profiler.add_step(number, _bytes(step.graph), _bytes(step.run_meta),
                             _bytes(step.op_log))


def _same_refusal(theirs, mine):
    """TensorFlow's profiler prints an error and returns an empty report; ours fails."""
    words = {"STEP": b"Options -step=", "UNSUPPORTED": b"No code trace information"}
    return mine.status in words and words[mine.status] in theirs.stderr and not theirs.message


def _clear_input_shapes(message):
    stack = [message]
    while stack:
        node = stack.pop()
        if isinstance(node, GraphNodeProto):
            node.ClearField("input_shapes")
        else:
            stack.extend(node.graph_nodes)
        stack.extend(node.children)


def _bytes(message):
    return message.SerializeToString(deterministic=True) if message is not None else b""


def _text(message):
    return text_format.MessageToString(message, use_index_order=False)


def _lines(values):
    return "\n".join(sorted(values))


def _decode(data):
    return data.decode(errors="backslashreplace")
