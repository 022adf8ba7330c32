"""Recording with TensorFlow's or JAX's own profiler.

    with tfprof.trace() as t:
        for n in range(5):
            with t.step(n):
                train_step(images, labels)
    t.profile
"""

import contextlib
import glob
import os
import shutil
import sys
import tempfile
import weakref
from typing import Any, ContextManager, Dict, Iterator, List, Optional, Set, Tuple, Type

from tfprof import _function_graph, _native
from tfprof._files import check_directory, local_directory
from tfprof._guard import Guard
from tfprof._inputs import Path
from tfprof._profile import Profile, load
from tfprof._sampler import Sampler, mark_clock


class _TensorFlow:
    name = "TensorFlow"

    def __init__(self, tf: Any):
        self._tf = tf
        self._started: Any = None

    def is_busy(self) -> bool:
        """Whether another recording is under way: only one is possible. Trying it takes 40
        microseconds, as nothing is recorded."""
        profiler = self._tf.profiler.experimental
        try:
            profiler.start("", profiler.ProfilerOptions(host_tracer_level=0, python_tracer_level=0,
                                                        device_tracer_level=0))
        except self._tf.errors.AlreadyExistsError:
            return True
        profiler.stop(save=False)
        return False

    def start(self, logdir: str) -> None:
        self._tf.profiler.experimental.start(logdir)
        current = self._get_current()
        # A reference would keep alive what the program stops without saving.
        self._started = None if current is None else weakref.ref(current)

    def is_recording(self) -> bool:
        """Whether what start() started still records: the program may have stopped it, and have
        started another. True if this TensorFlow does not tell."""
        return self._started is None or (self._started() is not None
                                         and self._started() is self._get_current())

    def _get_current(self) -> Any:
        """TensorFlow's object for the recording under way."""
        module = sys.modules.get("tensorflow.python.profiler.profiler_v2")
        return getattr(module, "_profiler", None)

    def wait(self) -> None:
        """Waits for what accelerators still run. On a CPU nothing does, and waiting would be
        an operation of the trace."""
        wait = getattr(getattr(self._tf.test, "experimental", None), "sync_devices", None)
        if wait and self._tf.executing_eagerly() and any(
                device.device_type != "CPU" for device in self._tf.config.list_logical_devices()):
            wait()

    def stop(self, save: bool = True) -> None:
        self._tf.profiler.experimental.stop(save=save)

    def step(self, n: int) -> Any:
        return self._tf.profiler.experimental.Trace("step", step_num=n, _r=1)

    def annotate(self, name: str) -> Any:
        return self._tf.profiler.experimental.Trace(name)


class _JAX:
    name = "JAX"

    def __init__(self, jax: Any):
        self._jax = jax
        self._last: Any = None

    def is_busy(self) -> bool:
        return False    # it cannot be asked; start() says so

    def is_recording(self) -> bool:
        return True     # it cannot be asked; stop() says so

    def start(self, logdir: str) -> None:
        profiler = self._jax.profiler
        if not hasattr(profiler, "ProfileOptions"):
            profiler.start_trace(logdir)
            return
        # Calls of Python are most of JAX's traces and not shown.
        options = profiler.ProfileOptions()
        options.python_tracer_level = 0
        profiler.start_trace(logdir, profiler_options=options)

    def wait(self) -> None:
        """Waits for what was called and not waited for. JAX can only wait for results, and
        some may be dropped: so this runs something after them, as devices work in order."""
        jax = self._jax
        if self._last is None:
            def tfprof_wait(unused: Any) -> float:
                return 0.0

            self._last = jax.jit(tfprof_wait, keep_unused=True)
        jax.block_until_ready([self._last(jax.device_put(0.0, device))
                               for device in jax.local_devices()])

    def stop(self, save: bool = True) -> None:
        self._jax.profiler.stop_trace()

    def step(self, n: int) -> Any:
        return self._jax.profiler.StepTraceAnnotation("step", step_num=n)

    def annotate(self, name: str) -> Any:
        return self._jax.profiler.TraceAnnotation(name)


def _is_ours(name: str) -> bool:
    """Whether a node is of waiting for JAX."""
    return name.startswith("jit_tfprof_wait")


# By the name of the package, which is the value of framework=.
_RECORDERS: Dict[str, Type[Any]] = {"tensorflow": _TensorFlow, "jax": _JAX}


def _choose(framework: Optional[str]) -> Dict[str, Any]:
    """Recorders by package: of the one given, or of each that is imported."""
    if framework is not None and framework not in _RECORDERS:
        raise _native.ArgumentError(f"framework: expected one of: {', '.join(_RECORDERS)}, "
                                    f"got {framework!r}")
    found = {name: make(sys.modules[name]) for name, make in _RECORDERS.items()
             if framework in (None, name) and hasattr(sys.modules.get(name), "profiler")}
    if not found:
        wanted = _RECORDERS[framework].name if framework else "Neither TensorFlow nor JAX"
        raise RuntimeError(
            f"{wanted} is {'not ' if framework else ''}imported, so there is no profiler to record "
            f"with: import {framework or 'tensorflow or jax'} before tfprof.trace()")
    return found


def find_busy() -> Optional[str]:
    """The name of a framework whose profiler already records, if that can be told."""
    for name, make in _RECORDERS.items():
        if hasattr(sys.modules.get(name), "profiler"):
            recorder = make(sys.modules[name])
            if recorder.is_busy():
                return str(recorder.name)
    return None


def _describe(shapes: Dict[str, Any]) -> str:
    """Which shapes float operations were counted with, for notes."""
    texts = [f"{name} {'x'.join(map(str, shape.as_list()))}" for name, shape in shapes.items()]
    return f"shapes that ran, and are open in the graph: {', '.join(texts)}\n"


class Trace:
    """A recording; see trace(). Everything but wrong arguments and the user's own exceptions
    goes through the guard, which callers that have one pass on."""

    def __init__(self, logdir: Optional[Path], graph: Any, framework: Optional[str], guard: Guard,
                 sample_python: bool = True, floor: Any = None,
                 thread: Optional[int] = None):
        self._given = None if logdir is None else local_directory(logdir, "logdir")
        if graph is not None:
            _function_graph.check(graph)
        self._graph = graph
        self._framework = framework
        self._guard = guard
        self._temporary: Optional[str] = None
        self._is_inside = False
        self._recorders: Dict[str, Any] = {}      # those that record, by package
        self._directories: List[str] = []
        self._before: Set[Tuple[str, int]] = set()
        self._sample_python, self._floor = bool(sample_python), floor
        self._thread = thread                     # whose Python is sampled; None: that which starts
        self._sampler: Optional[Sampler] = None
        self._clocks: List[int] = []              # by directory
        self._profile: Optional[Profile] = None
        self._why_none = "the trace has not been started: use it as with tfprof.trace() as t:"

    @property
    def profile(self) -> Profile:
        """The recorded profile, available after the block."""
        if self._profile is None:
            raise RuntimeError(f"there is no profile: {self._guard.failure or self._why_none}")
        return self._profile

    def step(self, n: int) -> ContextManager[Any]:
        """Marks what runs in its block as step n."""
        if not self._is_inside:
            raise RuntimeError("t.step(n) marks a step that is being recorded: use it inside of "
                               "with tfprof.trace() as t:")
        return self._mark(n)

    @contextlib.contextmanager
    def _mark(self, n: int) -> Iterator[None]:
        marks = contextlib.ExitStack()
        self._guard.run(f"step {n} could not be marked", self._enter_marks, marks, n)
        try:
            yield
        finally:
            if not self._guard.is_forked:
                with contextlib.suppress(Exception):
                    marks.close()

    def _enter_marks(self, marks: contextlib.ExitStack, n: int) -> None:
        for recorder in self._recorders.values():
            marks.enter_context(recorder.step(n))

    def __enter__(self) -> "Trace":
        if self._is_inside:
            raise RuntimeError("this trace is already being recorded")
        recorders = _choose(self._framework)
        self._guard.begin()
        self.start(recorders)
        return self

    def __exit__(self, kind: Any, *unused: Any) -> None:
        if kind is None:
            self.finish()
        else:
            self._why_none = "an exception ended the block"
        self._is_inside = False
        self._guard.restore()

    # -- for callers with a guard of their own ----------------------------------------

    def start(self, recorders: Optional[Dict[str, Any]] = None) -> None:
        self._is_inside = True
        self._profile = None
        self._why_none = "the trace is still being recorded: use it after the with block"
        self._guard.on_restore(self._abandon)
        self._guard.run("recording could not be started", self._start_all,
                        recorders or _choose(self._framework))

    def finish(self) -> None:
        """Stops recording and reads the profile."""
        self._why_none = "the trace could not be read"
        self._guard.run("recording could not be finished", self._stop_all)
        self._profile = self._guard.run("the trace could not be read", self._load)
        if not self._guard.is_forked:
            self._remove()

    # -- through the guard ---------------------------------------------------------

    def _start_all(self, recorders: Dict[str, Any]) -> None:
        if self._given is None:
            self._temporary = tempfile.mkdtemp(prefix="tfprof-")
        else:
            check_directory(self._given, "logdir")
            os.makedirs(self._given, exist_ok=True)
        top = self._temporary or self._given or ""
        # Both would write a file of the same name.
        self._directories = [top if len(recorders) == 1 else os.path.join(top, name)
                             for name in recorders]
        self._before = set(self._files())
        for (name, recorder), directory in zip(recorders.items(), self._directories):
            self._start(name, recorder, directory)
        if self._sample_python:
            self._clocks = [mark_clock(recorder.annotate) for recorder in recorders.values()]
            self._sampler, self._floor = Sampler(self._floor, self._thread), None
            self._sampler.start()

    def _start(self, name: str, recorder: Any, directory: str) -> None:
        recorder.wait()
        try:
            recorder.start(directory)
        except Exception as error:  # of the framework, each has its own
            others = " and ".join(one.name for one in self._recorders.values())
            what = (f"{recorder.name}'s profiler cannot record together with {others}'s here: "
                    f"give framework='{next(iter(self._recorders))}' or framework='{name}'"
                    if others else
                    f"{recorder.name}'s profiler could not be started; only one recording at a "
                    "time is possible: is another tfprof.trace() or a TensorBoard callback with "
                    "profile_batch at work?")
            raise RuntimeError(f"{what} ({error})") from error
        self._recorders[name] = recorder

    def _stop_all(self) -> None:
        if self._sampler is not None:
            self._sampler.stop()
        for recorder in self._recorders.values():
            recorder.wait()
        while self._recorders:
            recorder = self._recorders.popitem()[1]
            if not recorder.is_recording():
                stopped = f"the program stopped {recorder.name}'s profiler"
                if not self._new_files():
                    raise RuntimeError(stopped)
                self._guard.note(f"{stopped}: the profile ends there")
                continue
            try:
                recorder.stop()
            except Exception as error:  # of the framework, each has its own
                raise RuntimeError(f"{recorder.name}'s profiler could not write its trace: "
                                   f"{error}") from error

    def _abandon(self) -> None:
        """Stops recording, if it is still under way, and removes what is temporary."""
        if self._sampler is not None:
            self._sampler.stop()
        while self._recorders:
            recorder = self._recorders.popitem()[1]
            if recorder.is_recording():
                with contextlib.suppress(Exception):
                    recorder.stop(save=self._given is not None)
        self._remove()

    def _files(self) -> List[Tuple[str, int]]:
        found = []
        for directory in self._directories:
            pattern = os.path.join(glob.escape(directory), "plugins", "profile", "*",
                                   "*.xplane.pb")
            found += [(path, os.stat(path).st_mtime_ns) for path in sorted(glob.glob(pattern))]
        return found

    def _new_files(self) -> List[str]:
        return [file[0] for file in self._files() if file not in self._before]

    def _load(self) -> Profile:
        paths = self._new_files()
        if not paths:
            raise _native.FileError("the profiler wrote no trace to "
                                    + " or ".join(self._directories))
        self._add_samples(paths)
        inputs: Dict[str, Any] = {}
        shapes: Dict[str, Any] = {}
        try:
            graph = None if self._graph is None else _function_graph.find(self._graph)
            if graph is not None:
                get_shapes = getattr(self._graph, "get_shapes", None)
                shapes = get_shapes(graph) if get_shapes else {}
                inputs["graph"], inputs["op_log"] = _function_graph.collect(graph, shapes)
        except Exception as error:  # the times are still worth having
            inputs.clear()
            shapes = {}
            self._guard.note("the profile has no graph", error)
        made = load(xplane=paths, progress=False, **inputs)
        if shapes:
            made._loaded_notes = (made._loaded_notes or "") + _describe(shapes)
        if not made.steps or all(_is_ours(node.name) for node in made.scope()[1:]):
            self._guard.note("the trace has no operations: TensorFlow leaves out those that take "
                             "microseconds; or did nothing run in the block, in this process?")
        return made

    def _add_samples(self, paths: List[str]) -> None:
        if self._sampler is None:
            return
        try:
            for directory, clock in zip(self._directories, self._clocks):
                for path in paths:
                    if path.startswith(os.path.join(directory, "plugins", "")):
                        self._sampler.append_to(path, clock)
        except Exception as error:  # the rest is still worth having
            self._guard.note("Python functions have no names in this profile", error)

    def _remove(self) -> None:
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def trace(logdir: Optional[Path] = None, *, graph: Any = None,
          framework: Optional[str] = None, sample_python: bool = True,
          strict: bool = False) -> Trace:
    """Records what runs in a block, with TensorFlow's or JAX's own profiler.

    ::

        with tfprof.trace() as t:
            for n, (images, labels) in enumerate(batches):
                with t.step(n):
                    train_step(images, labels)
        print(t.profile.op(order_by='micros'))

    If the block raises, recording stops, and there is no profile. If recording fails, that is a
    warning, the block runs on, and `t.profile` raises RuntimeError with the reason.

    Args:
      logdir: where to keep the trace, for TensorBoard or `tfprof LOGDIR`; by default it is
        removed once it is read.
      graph: what ran, for data flow, shapes, float operations, parameters and lines of
        Python in traces of TensorFlow: a concrete function or its graph, or a tf.function
        that was called.
      framework: 'tensorflow' or 'jax'; by default whichever is imported, or both.
      sample_python: whether to look every few milliseconds which function of Python runs, so that
        `profile.step()` can name it.
      strict: whether to raise if recording fails.
    """
    return Trace(logdir, graph, framework, Guard("tfprof.trace", strict), sample_python)
