"""What ``tfprof run`` does inside the program that it runs.

    wait     a thread looks for TensorFlow, JAX and Keras among the imported modules, and puts
             itself where steps begin (_run_steps.py)
    record   steps of Keras by KerasCallback, everything else by Trace; one recording per run
    report   at exit: the headline, on stderr

Everything goes through a Guard: if it fails, the program runs on as if it were not there.
"""

import atexit
import json
import os
import shutil
import sys
import threading
import time
from typing import Any, Dict, List, Optional

from tfprof import _run_steps
from tfprof._guard import Guard
from tfprof._run_steps import DEFAULT_FOR_S
from tfprof._trace import Trace

_POLL_S = 0.02
# Recording that waits for the end of compilation ends after this time at the latest.
_MOST_S = 30.0
# Work that cannot be noticed, of TensorFlow without tf.function, is waited for so long.
_IDLE_S = 3.0
_JOIN_S = 60.0


def begin(plan: str) -> None:
    Recording(json.loads(plan)).begin()


class QuietGuard(Guard):
    """Keeps what there is to say until the program ends."""

    def __init__(self, notes: List[str]):
        super().__init__("tfprof run")
        self._notes = notes

    def _say(self, text: str) -> None:
        self._notes.append(text)


class Recording:
    """One recording, and the thread that decides when it begins and ends."""

    def __init__(self, plan: Dict[str, Any]):
        self._plan = plan
        self._began = time.monotonic()
        self._process = os.getpid()
        self.notes: List[str] = []
        self._guard = QuietGuard(self.notes)
        self._is_over = threading.Event()      # the program ends
        self._is_done = threading.Event()      # there is a profile, or there will be none
        self._wakes = threading.Event()        # something may have to begin or end
        self._lock = threading.Lock()
        self._trace: Optional[Trace] = None
        self._started = 0.0
        self._size = 0
        self._profile: Any = None
        self.callback: Any = None             # of Keras, which records instead
        self.steps = _run_steps.Steps(self)
        self._thread = threading.Thread(target=self._run, daemon=True, name="tfprof-run")

    def begin(self) -> None:
        # Runs last, after what the program registers; again once the frameworks are there.
        atexit.register(self._end)
        self._thread.start()

    # -- called by hooks in the program's threads ------------------------------------------

    @property
    def steps_wanted(self) -> Optional[List[int]]:
        return self._plan["steps"]

    @property
    def keras_steps(self) -> Any:
        """None: those that KerasCallback chooses."""
        return tuple(self._plan["steps"]) if self._plan["steps"] else None

    @property
    def by_time(self) -> bool:
        return self._plan["start"] is not None or self._plan["for"] is not None

    @property
    def duration(self) -> Optional[float]:
        return self._plan["for"]

    @property
    def logdir(self) -> str:
        return str(self._plan["logdir"])

    @property
    def sample_python(self) -> bool:
        return bool(self._plan["sample_python"])

    @property
    def is_recording(self) -> bool:
        """Not by Keras's callback."""
        return self._trace is not None

    def may_begin(self) -> bool:
        return (not self._is_done.is_set() and self._trace is None and self.callback is None
                and os.getpid() == self._process)

    def make_way(self) -> bool:
        """Whether steps of Keras, which tell more, may be recorded: instead of what began by
        itself."""
        if not self.by_time and not self.steps_wanted:
            self._drop()
        return self.may_begin()

    def _drop(self) -> None:
        with self._lock:
            if self._trace is not None:
                self._trace = None
                self._guard.restore()
                shutil.rmtree(os.path.join(self.logdir, "plugins"), ignore_errors=True)

    def give_to_keras(self, callback: Any) -> None:
        self.callback = callback
        self.steps.ignore_calls()
        atexit.register(self._end)
        self._wakes.set()

    def keras_is_done(self, callback: Any) -> None:
        """Keras's steps have ended; if none was recorded, the next fit() may be."""
        self.callback = None
        if callback.profile is not None:
            self._profile = callback.profile
            self._is_done.set()
            self.steps.restore()
        else:
            self.steps.watch_calls()
        self._wakes.set()

    def work_seen(self) -> None:
        self._wakes.set()

    def start(self) -> None:
        with self._lock:
            if not self.may_begin():
                return
            atexit.register(self._end)
            main = threading.main_thread().ident
            self._trace = Trace(self.logdir, self.steps, self.steps.framework, self._guard,
                                self.sample_python, thread=main)
            self._size, self._started = _resident_bytes(), time.monotonic()
            self.steps.watch_calls()
            self._guard.begin()
            with self.steps.by_us():
                self._trace.start()
            self._wakes.set()

    def finish(self, note: Optional[str] = None) -> None:
        with self._lock:
            trace, self._trace = self._trace, None
            if trace is None or os.getpid() != self._process:
                return
            if note:
                self.notes.append(note)
            self.steps.restore()
            trace.finish()
            if self._guard.is_on:
                self._guard.run("the profile could not be saved", self._save, trace)
            self._guard.restore()
            self._is_done.set()

    def _save(self, trace: Trace) -> None:
        self._profile = trace.profile
        self._profile.save(os.path.join(self.logdir, "profile"))

    def give_way(self, is_for_good: bool) -> None:
        """Ends what is recorded: the program starts a profiler, and only one is possible. If only
        to try it, as TensorBoard's callback does, there will be another recording."""
        if not is_for_good:
            self._drop()
            return
        note = "recording ended early: the program started its own profiler"
        if self.callback is not None:
            self.callback.give_way()
            self.notes.append(note)
        self.finish(note)

    # -- the thread ------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._is_over.is_set() and not self._is_done.is_set():
                self._look()
                self._wakes.wait(_POLL_S if not self.steps.is_complete or self._trace else 0.1)
                self._wakes.clear()
        except Exception as error:
            self._guard.fail("nothing is recorded", error)
            self._is_done.set()

    def _look(self) -> None:
        self.steps.watch()
        now = time.monotonic()
        if self._trace is not None:
            if now >= self._ends_at():
                self.finish()
            elif _resident_bytes() - self._size > self._plan["max_bytes"]:
                self.finish(f"recording ended early: the program has grown by more than "
                            f"{self._plan['max_bytes'] / 1e9:g} GB (--max_memory)")
            return
        if self.callback is not None:
            self.callback.look(now)
        elif self.may_begin() and not self.steps_wanted and self.is_time(now):
            self.start()

    def _ends_at(self) -> float:
        if self.duration is not None:
            return self._started + self.duration
        if self.steps_wanted:
            return self._started + _MOST_S
        return min(self._started + _MOST_S,
                   max(self._started, self.steps.last_compiled) + DEFAULT_FOR_S)

    def is_time(self, now: float) -> bool:
        if self.steps.framework is None:
            return False
        return now - self._began >= (self._plan["start"] or 0) and (
            self.steps.has_worked or self.callback is not None
            or now - self.steps.seen_at > _IDLE_S)

    # -- the end of the program --------------------------------------------------------------

    def _end(self) -> None:
        if os.getpid() != self._process or self._is_over.is_set():
            return
        self._is_over.set()
        self._wakes.set()
        try:
            self._thread.join(_JOIN_S)
            self.finish()
            self._report()
        except BaseException:    # Ctrl-C, a stderr that is gone: the program is over
            pass

    def _report(self) -> None:
        lines = list(self.notes)
        if self._profile is not None:
            overview = self._profile.overview()
            lines.insert(0, overview["headline"] or "nothing ran while it was recorded")
            lines.append(f"for details: tfprof {os.path.relpath(self.logdir)}")
        elif not lines:
            lines.append(self._why_none())
        if sys.stderr is not None:
            sys.stdout.flush()
            print("".join(f"tfprof run: {line}\n" for line in lines), end="", file=sys.stderr,
                  flush=True)

    def _why_none(self) -> str:
        lasted = time.monotonic() - self._began
        if self.steps.framework is None:
            return "nothing was recorded: neither TensorFlow nor JAX ran in this process"
        if self.steps_wanted:
            return (f"nothing was recorded: {self.steps.count} steps were seen, before step "
                    f"{self.steps_wanted[0]}; mark steps with StepTraceAnnotation (JAX) or "
                    "tf.profiler.experimental.Trace, or give --start and --for")
        return f"nothing was recorded: the program ended after {lasted:.1f} s; give an earlier --start"


def _resident_bytes() -> int:
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:      # not Linux
        return 0
