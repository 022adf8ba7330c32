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
import sys
import tempfile
from typing import Any, ContextManager, Dict, Iterator, List, Optional, Set, Tuple, Type

from tfprof import _function_graph, _native
from tfprof._inputs import Path
from tfprof._profile import Profile, load
from tfprof._warn import warn


class _TensorFlow:
    name = "TensorFlow"

    def __init__(self, tf: Any):
        self._tf = tf

    def start(self, logdir: str) -> None:
        self._tf.profiler.experimental.start(logdir)

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


class _JAX:
    name = "JAX"

    def __init__(self, jax: Any):
        self._jax = jax
        self._last: Any = None

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


class Trace:
    """A recording; see trace()."""

    def __init__(self, logdir: Optional[Path], graph: Any, framework: Optional[str]):
        if logdir is not None and "://" in os.fsdecode(logdir):
            raise _native.ArgumentError(f"logdir: expected a local directory, "
                                        f"got {os.fsdecode(logdir)!r}")
        if graph is not None:
            _function_graph.check(graph)
        self._given = None if logdir is None else os.fsdecode(logdir)
        self._graph = graph
        self._framework = framework
        self._temporary: Optional[tempfile.TemporaryDirectory[str]] = None
        self._recorders: Dict[str, Any] = {}      # those that record, by package
        self._directories: List[str] = []
        self._before: Set[Tuple[str, int]] = set()
        self._profile: Optional[Profile] = None
        self._why_none = "the trace has not been started: use it as with tfprof.trace() as t:"

    @property
    def profile(self) -> Profile:
        """The recorded profile, available after the block."""
        if self._profile is None:
            raise RuntimeError(f"there is no profile: {self._why_none}")
        return self._profile

    def step(self, n: int) -> ContextManager[Any]:
        """Marks what runs in its block as step n."""
        if not self._recorders:
            raise RuntimeError("t.step(n) marks a step that is being recorded: use it inside of "
                               "with tfprof.trace() as t:")
        return self._mark(n)

    @contextlib.contextmanager
    def _mark(self, n: int) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for recorder in self._recorders.values():
                stack.enter_context(recorder.step(n))
            yield

    def __enter__(self) -> "Trace":
        if self._recorders:
            raise RuntimeError("this trace is already being recorded")
        recorders = _choose(self._framework)
        if self._given is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="tfprof-")
        top = self._temporary.name if self._temporary else self._given
        assert top is not None
        # Both would write a file of the same name.
        directories = [top if len(recorders) == 1 else os.path.join(top, name)
                       for name in recorders]
        self._directories = directories
        self._before = set(self._files())
        self._profile = None
        self._why_none = "the trace is still being recorded: use it after the with block"
        try:
            for (name, recorder), directory in zip(recorders.items(), directories):
                self._start(name, recorder, directory)
        except BaseException:
            self._why_none = "recording could not be started"
            self._stop(save=False)
            self._remove()
            raise
        return self

    def __exit__(self, kind: Any, *unused: Any) -> None:
        self._why_none = "an exception ended the block"
        try:
            if kind is None:
                for recorder in self._recorders.values():
                    recorder.wait()
            self._stop(is_failing=kind is not None)
            if kind is None:
                self._why_none = "the trace could not be read"
                self._profile = self._load()
        finally:
            self._stop(is_failing=True)
            self._remove()

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

    def _stop(self, save: bool = True, is_failing: bool = False) -> None:
        """Stops every recorder. While another error is on its way, those of stopping are
        not of interest."""
        failed = None
        while self._recorders:
            recorder = self._recorders.popitem()[1]
            try:
                recorder.stop(save)
            except Exception as error:  # of the framework, each has its own
                failed = error
                what = f"{recorder.name}'s profiler could not be stopped: did the block stop it?"
        if failed and save and not is_failing:
            raise RuntimeError(f"{what} ({failed})") from failed

    def _files(self) -> List[Tuple[str, int]]:
        found = []
        for directory in self._directories:
            pattern = os.path.join(glob.escape(directory), "plugins", "profile", "*",
                                   "*.xplane.pb")
            found += [(path, os.stat(path).st_mtime_ns) for path in sorted(glob.glob(pattern))]
        return found

    def _load(self) -> Profile:
        paths = [file[0] for file in self._files() if file not in self._before]
        if not paths:
            raise _native.FileError("the profiler wrote no trace to "
                                    + " or ".join(self._directories))
        inputs: Dict[str, Any] = {}
        graph = None if self._graph is None else _function_graph.find(self._graph)
        if graph is not None:
            inputs["graph"], inputs["op_log"] = _function_graph.collect(graph)
        made = load(xplane=paths, progress=False, **inputs)
        if not made.steps or all(_is_ours(node.name) for node in made.scope()[1:]):
            warn("the trace has no operations: did TensorFlow or JAX run anything in the block, "
                 "in this process?")
        return made

    def _remove(self) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


def trace(logdir: Optional[Path] = None, *, graph: Any = None,
          framework: Optional[str] = None) -> Trace:
    """Records what runs in a block, with TensorFlow's or JAX's own profiler.

    ::

        with tfprof.trace() as t:
            for n, (images, labels) in enumerate(batches):
                with t.step(n):
                    train_step(images, labels)
        print(t.profile.op(order_by='micros'))

    If the block raises, recording stops, and there is no profile.

    Args:
      logdir: where to keep the trace, for TensorBoard or `tfprof LOGDIR`; by default it is
        removed once it is read.
      graph: what ran, for data flow, shapes, float operations, parameters and lines of
        Python in traces of TensorFlow: a concrete function or its graph, or a tf.function
        that was called.
      framework: 'tensorflow' or 'jax'; by default whichever is imported, or both.
    """
    return Trace(logdir, graph, framework)
