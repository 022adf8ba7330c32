"""Programs that clock themselves: each step, and phases of it.

    @program("what is planted", python=("headline says", "phase"))
    def name(run): …                 run.steps(step) records; run.phase("python") clocks

`record.py FRAMEWORK FOLDER [NAME…]` runs them, each in a process of its own.
"""

import contextlib
import glob
import gzip
import json
import os
import resource
import time

PROGRAMS = {}


def program(planted, steps_by="markers", frames=True, waits=True, **parts):
    """Of each part: (a word of the headline, the phase that clocks it; None: nothing does).
    frames: Python calls are traced, if the framework can. waits: for each step, within its marker."""
    def add(function):
        PROGRAMS[function.__name__] = function
        function.truth = {"planted": planted, "steps_by": steps_by, "waits": waits, "parts": parts}
        function.frames = frames
        return function
    return add


def preempted():
    """How often others took the processor from this thread: what a clock then says is not what the program took."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


class Run:
    def __init__(self, profiler, function, folder):
        self.profiler, self.function, self.folder = profiler, function, folder
        self.clocked, self.phases, self.starts = [], {}, []
        self.preempted = preempted()

    @contextlib.contextmanager
    def phase(self, name):
        start = time.perf_counter()
        yield
        self.phases[name] = self.phases.get(name, 0) + (time.perf_counter() - start) * 1e3

    def once(self, step, i, mark):
        self.phases = {}
        self.starts.append(time.perf_counter())
        with mark(i) if mark else contextlib.nullcontext():
            step(i)
        self.clocked.append({"wall": (time.perf_counter() - self.starts[-1]) * 1e3, "phases": self.phases})

    def steps(self, step, n=5, warm=2, mark=True, between=None, after=None):
        for i in range(warm):
            self.once(step, i, None)
            if between:
                between(i)
        self.clocked, self.starts = [], []
        self.preempted = preempted()
        with self.profiler.trace(self.folder, self.function.frames):
            for i in range(n):
                self.once(step, i + warm, self.profiler.mark if mark else None)
                if between and i < n - 1:
                    between(i + warm)  # its phases are those of the step before
            if after:
                after()
            self.starts.append(time.perf_counter())
        self.save()

    def save(self):
        self.preempted = preempted() - self.preempted
        path = max(glob.glob(self.folder + "/**/*.xplane.pb", recursive=True), key=os.path.getmtime)
        base = os.path.join(os.path.dirname(self.folder), self.function.__name__)
        for i, step in enumerate(self.clocked):
            step["period"] = (self.starts[i + 1] - self.starts[i]) * 1e3
        with open(base + ".xplane.pb.gz", "wb") as out:
            out.write(gzip.compress(open(path, "rb").read(), 9, mtime=0))
        truth = {**self.function.truth, "preempted": self.preempted, "steps": self.clocked}
        with open(base + ".truth.json", "w", encoding="ascii") as out:
            json.dump(truth, out, indent=1, default=float)
            out.write("\n")
