"""A hook for monitored sessions that saves timelines of some steps.

The class is created on first use: it inherits from TensorFlow's SessionRunHook, and
importing this module must not import TensorFlow.
"""

import os
from typing import Any

from tfprof import _native
from tfprof._files import check_directory, directory_path, write_whole
from tfprof._guard import Guard, guarded
from tfprof._need import need
from tfprof._step_rules import is_hardware_traced


class _ProfilerHook:
    """Saves a trace of the devices every N steps or seconds.

    Writes `timeline-<step>.json` for chrome://tracing and Perfetto, and adds the
    run metadata to the directory's event file for TensorBoard.

    ::

        hook = tfprof.ProfilerHook(save_steps=1000, output_dir='/tmp/train_dir')
        with tf.compat.v1.train.MonitoredTrainingSession(hooks=[hook]) as sess:
            while not sess.should_stop():
                sess.run(train_op)

    Args:
      save_steps: int, save every N steps. Exactly one of `save_steps` and
        `save_secs` must be given.
      save_secs: int or float, save every N seconds.
      output_dir: the directory to write to; by default the current one.
      show_dataflow: bool, whether to draw arrows from the producers of tensors
        to their consumers.
      show_memory: bool, whether to show tensors with their sizes and lifetimes,
        and the bytes of each allocator.
      strict: bool, whether to raise if a trace cannot be saved; otherwise that is a
        warning, and the session runs on without traces.
    """

    def __init__(self, save_steps: Any = None, save_secs: Any = None, output_dir: Any = "",
                 show_dataflow: bool = True, show_memory: bool = False, *,
                 strict: bool = False):
        for name, value in (("save_steps", save_steps), ("save_secs", save_secs)):
            if value is not None and (isinstance(value, bool) or not hasattr(value, "__float__")):
                raise TypeError(f"{name}: expected a number, got {value!r}")
        if (save_steps is None) == (save_secs is None):
            given = "neither" if save_steps is None else "both"
            raise ValueError(f"ProfilerHook: give either save_steps or save_secs, not {given}")
        self._timer = _v1().train.SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._output_dir = directory_path(output_dir, "output_dir")
        self._show_dataflow = bool(show_dataflow)
        self._show_memory = bool(show_memory)
        self._guard = Guard("tfprof.ProfilerHook", strict)
        self._has_noted = False
        self._next_step: Any = None
        self._is_tracing = False
        self._global_step: Any = None
        self._writer: Any = None

    def begin(self) -> None:
        """Called once before using the session."""
        self._guard.begin()
        self._next_step = None
        self._global_step = _read_global_step()
        if self._global_step is None:
            raise RuntimeError("Global step should be created to use ProfilerHook.")
        self._guard.run("nothing can be written", self._open)

    @guarded("a step could not be begun")
    def before_run(self, run_context: Any) -> Any:
        """Called before each run: requests the global step and, if due, a trace."""
        tf = _v1()
        self._is_tracing = (self._next_step is not None
                            and self._timer.should_trigger_for_step(self._next_step))
        options = None
        if self._is_tracing:
            # If another profiler traces hardware, TensorFlow would run the step, and then raise.
            options = tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE if is_hardware_traced()
                                    else tf.RunOptions.FULL_TRACE)
        return tf.train.SessionRunArgs({"global_step": self._global_step}, options=options)

    @guarded("a trace could not be saved")
    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after each run: writes the trace, if any."""
        before = run_values.results["global_step"]
        if self._next_step is None:  # the first run starts the clock
            self._timer.update_last_triggered_step(before)
        step = before + 1
        if self._is_tracing:
            step = run_context.session.run(self._global_step)
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata)
        self._next_step = step + 1

    @guarded("the event file could not be written")
    def end(self, session: Any) -> None:
        """Called at the end of the session."""
        self._writer.flush()

    def _open(self) -> None:
        check_directory(self._output_dir, "output_dir")
        self._writer = _v1().summary.FileWriterCache.get(self._output_dir)

    def _save(self, step: int, run_metadata: Any) -> None:
        name, data = f"timeline-{step}.json", run_metadata.SerializeToString()
        settings = self._show_dataflow, self._show_memory
        if "://" in self._output_dir:
            write_whole(self._output_dir, name, _native.step_timeline(data, *settings))
        else:
            os.makedirs(self._output_dir or ".", exist_ok=True)
            _native.step_timeline(data, *settings, path=os.path.join(self._output_dir, name))
        try:
            self._writer.add_run_metadata(run_metadata, f"step_{step}")
        except ValueError as error:  # a repeated step, as after a recovery
            if not self._has_noted:
                self._guard.note(f"the run metadata of step {step} was not added to the event "
                                 f"file: {error}")
            self._has_noted = True


def _v1() -> Any:
    """tf.compat.v1. Imported by its name, TensorFlow would load a copy of it."""
    return need("tensorflow", "tfprof.ProfilerHook").compat.v1


def _read_global_step() -> Any:
    """The tensor with the global step's value that TensorFlow's own hooks read; None
    if there is no global step."""
    try:
        from tensorflow.python.training.training_util import _get_or_create_global_step_read
    except ImportError:
        return _v1().train.get_global_step()
    return _get_or_create_global_step_read()


def __getattr__(name: str) -> Any:
    if name != "ProfilerHook":
        raise AttributeError(f"module 'tfprof.hooks' has no attribute {name!r}")
    SessionRunHook = _v1().train.SessionRunHook
    made = type(name, (_ProfilerHook, SessionRunHook),
                {"__doc__": _ProfilerHook.__doc__, "__module__": __name__})
    return globals().setdefault(name, made)  # the first, if several threads race
