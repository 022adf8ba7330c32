#!/usr/bin/env python3
"""Compare the timelines and pprof profiles of TensorFlow's profiler and libtfprof on
random profiles: the files, event by event and sample by sample, and everything
printed and returned.

    outputs.py --seed 1 --count 200
    outputs.py --seed 1 --count 200 --only code --shrink
    outputs.py --replay DIRECTORY

Otherwise like `differential`, whose code it uses.
"""

import os
import random
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE] + [os.path.join(HERE, "..", folder) for folder in ("oracle", "support")]

import original as original_module  # noqa: E402
import ours as ours_module  # noqa: E402

import run  # noqa: E402  (before what needs TensorFlow's messages: it finds them)
from google.protobuf.message import DecodeError  # noqa: E402
import compare  # noqa: E402
import generate  # noqa: E402
import queries  # noqa: E402
import traces  # noqa: E402

VIEWS = ("graph", "scope", "code")
PPROF_SELECTS = ("micros", "accelerator_micros", "cpu_micros", "bytes", "peak_bytes",
                 "residual_bytes", "output_bytes", "params", "float_ops")
NOTE = re.compile(r"^(op view doesn't support timeline.*|Only 'code' view supports pprof.*"
                  r"|Can only select 1 attribute.*|pprof doesn't support.*"
                  r"|Must specify -step option.*)$", re.MULTILINE)


class Maker(generate._Maker):
    """More for timelines: devices that run in parallel, allocations of many sizes, at
    times that coincide with the samples."""

    def make_base(self):
        return self.rng.choice((1, 1000, 1_700_000_000_000_000))

    def amount(self):
        rng = self.rng
        return rng.choice((0, 1, 16, 256, 256, 4096, rng.randint(1, 10_000),
                           rng.randint(1, 50_000_000), 1 << 33))

    def fill_entry(self, entry):
        super().fill_entry(entry)
        if self.chance(0.3):
            entry.all_start_micros = self.make_base() + 50 * self.rng.randint(0, 60)
        if self.chance(0.2):
            stats = entry.memory_stats
            stats.persistent_memory_size = self.amount()
            stats.temp_memory_size = self.amount()

    def fill_memory(self, memory):
        super().fill_memory(memory)
        rng = self.rng
        if self.chance(0.6):
            memory.allocator_name = rng.choice(("GPU_0_bfc", "GPU_1_bfc"))
        if self.chance(0.7):
            memory.allocator_bytes_in_use = rng.choice((self.amount(), rng.randint(0, 1 << 27)))
        for _ in range(rng.choice((0, 0, 1, 2, 5))):
            sign = -1 if self.chance(0.2) else 1
            memory.allocation_records.add(
                alloc_micros=self.make_base() + rng.randint(-1, 4000),
                alloc_bytes=sign * self.amount())


def draw(rng, words, view, pprof):
    """A query of this view whose output is a timeline or a pprof profile."""
    query = queries.draw(rng, words, view)
    options = query.options
    if rng.random() < 0.6:
        # Unfiltered: filters are compared elsewhere.
        options.max_depth = 1000
        for name in queries.MINIMUMS:
            options.ClearField(name)
        for name in ("start_name_regexes", "show_name_regexes", "account_type_regexes"):
            getattr(options, name)[:] = [".*"]
        del options.hide_name_regexes[:], options.trim_name_regexes[:]
    if rng.random() < 0.5 and words.steps:
        options.step = rng.choice(words.steps)
    if pprof and rng.random() < 0.9:
        options.select[:] = [rng.choice(PPROF_SELECTS)]
    options.output = ("pprof" if pprof else "timeline") + ":outfile=" + queries.OUTFILE
    return query


def make_case(seed, number, n_queries, only):
    rng = random.Random(f"outputs/{seed}/{number}")
    case = Maker(rng).make()
    words = queries.Words(case)
    kinds = [(view, False) for view in VIEWS] + [("code", True)]
    while len(kinds) < n_queries:
        kinds.append((rng.choice(VIEWS), False) if rng.random() < 0.6 else
                     ("code", True) if rng.random() < 0.9 else
                     (rng.choice(queries.VIEWS), rng.random() < 0.5))
    rng.shuffle(kinds)
    if only:
        kinds = [(only, pprof and only == "code") for _, pprof in kinds]
    case.queries = [draw(rng, words, view, pprof) for view, pprof in kinds]
    return case


class Comparison(compare.Comparison):
    def _ask(self, query, ask):
        """The answer and all files written, in comparable form."""
        path = os.path.join(self.directory, "report")
        self._drop_files()
        try:
            answer = ask(query.bytes_for(path))
        except (original_module.Aborted, original_module.Refused, ours_module.Refused) as error:
            answer = error
        files = []
        for name in self._report_files():
            with open(os.path.join(self.directory, name), "rb") as file:
                lines = (traces.pprof_lines if query.options.output.startswith("pprof")
                         else traces.timeline_lines)(file.read())
            files.append("\n".join([name] + lines))
        return answer, "\n\n".join(files).encode()

    def _report_files(self):
        return sorted(name for name in os.listdir(self.directory) if name.startswith("report"))

    def _drop_files(self):
        for name in self._report_files():
            os.unlink(os.path.join(self.directory, name))

    def _compare_messages(self, *what):
        try:
            super()._compare_messages(*what)
        except DecodeError:
            pass  # nested more deeply than Python's protobuf can read

    def _compare_notes(self, i, theirs, mine, loaded):
        notes = [NOTE.findall(text) for text in (theirs, mine)]
        if notes[0] != notes[1]:
            self._differ("notes" + loaded, i, "\n".join(notes[0]), "\n".join(notes[1]))
        super()._compare_notes(i, theirs, mine, loaded)


class Run(run.Run):
    comparison = Comparison

    def case(self, number):
        if self.arguments.replay:
            return super().case(number)
        return make_case(self.arguments.seed, number, self.arguments.queries, self.arguments.only)


if __name__ == "__main__":
    sys.exit(Run(run.parse_arguments()).run())
