"""A table of failures: each entry point of the package × each way in which profiling can fail.

    guard_cells.py DIRECTORY ENTRY...

A cell is a real training of six steps, with the profiler on, while something goes wrong. For each
a line of JSON is written to DIRECTORY/cells.jsonl:

    entry, failure
    raised      the exception that reached the user, if any
    same        whether the weights are those of the same training without a profiler
    said        warnings and what was written to stderr
    left        what was not restored: the profiler still records, something is still patched
"""

import contextlib
import io
import json
import os
import resource
import shutil
import signal
import sys
import time
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras  # noqa: E402
import numpy  # noqa: E402
import tensorflow as tf  # noqa: E402

import tfprof  # noqa: E402

v1 = tf.compat.v1
BaseSession = v1.Session.__mro__[1]
N_STEPS, FAILS_AT = 6, 3          # steps 2 to 4 are profiled
profiler = tf.profiler.experimental
X = numpy.random.RandomState(1).rand(4 * N_STEPS, 3).astype("float32")
Y = numpy.random.RandomState(2).rand(4 * N_STEPS, 2).astype("float32")
batches = [(X[4 * n:4 * n + 4], Y[4 * n:4 * n + 4]) for n in range(N_STEPS)]
START = [numpy.random.RandomState(3).rand(3, 2).astype("float32"), numpy.zeros(2, "float32")]


class Own(Exception):
    """The user's own exception."""


# ---- entry points: each trains, and returns the weights ------------------------------

def make_model():
    model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(2)])
    model.set_weights(START)
    model.compile(keras.optimizers.SGD(0.1), "mse")
    return model


def fit(case, model, users=()):
    case.get_weights = model.get_weights
    case.patched = lambda: ["train_step" in vars(model) and "train_step",
                            type(model.train_function).__name__ == "WatchedStep"
                            and "train_function"]
    ours = [tfprof.KerasCallback(case.logdir, (2, case.last), strict=case.strict)
            for _ in range(case.copies if case.profiled else 0)]
    case.made = lambda: [one.profile.steps for one in ours if one.profile]
    with case.until_the_end():
        # The user's callback comes last: its exception comes while a step is marked.
        model.fit(X, Y, batch_size=4, shuffle=False, verbose=0, callbacks=[*ours, *users])


def with_callback(case):
    class Users(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            case.in_step(batch)

    model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(2)])
    model.set_weights(START)
    model.compile(keras.optimizers.SGD(0.1), "mse")
    fit(case, model, [Users()])


def with_callback_inside(case):
    """As before, but the user's code that fails is inside of the training step."""
    class Model(keras.Sequential):
        n = -1

        def train_step(self, data):
            Model.n += 1
            case.in_step(Model.n)
            return super().train_step(data)

    model = Model([keras.layers.Input([3]), keras.layers.Dense(2)])
    model.set_weights(START)
    model.compile(keras.optimizers.SGD(0.1), "mse", run_eagerly=True)
    fit(case, model)


def make_step(case):
    weights = [tf.Variable(start) for start in START]
    case.get_weights = lambda: [weight.numpy() for weight in weights]

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ weights[0] + weights[1] - y) ** 2)
        for weight, gradient in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(0.1 * gradient)

    step(*batches[0])
    return step


def with_trace(case):
    step = make_step(case)
    traces = []

    def made():
        with contextlib.suppress(RuntimeError, IndexError):
            return [traces[0].profile.steps]

    case.made = made
    with case.until_the_end(), contextlib.ExitStack() as stack:
        for _ in range(case.copies if case.profiled else 0):
            traces.append(stack.enter_context(tfprof.trace(case.logdir, graph=step,
                                                           strict=case.strict)))
        for n in range(1, N_STEPS):
            with traces[-1].step(n) if traces else contextlib.nullcontext():
                case.in_step(n)
                step(*batches[n])


def with_profile_function(case):
    step, calls = make_step(case), []

    class Function:
        """A function in whose calls the user's code runs, outside of a graph."""
        get_concrete_function = step.get_concrete_function

        def __call__(self, x, y):
            calls.append(x)
            case.in_step(len(calls))
            step(x, y)

    with case.until_the_end():
        if not case.profiled:
            for _ in range(N_STEPS):
                Function()(*batches[0])
            return
        profile = tfprof.profile_function(Function(), *batches[0], steps=N_STEPS - 1, warmup=1,
                                          logdir=case.logdir, strict=case.strict)
    case.made = lambda: [profile.steps] if profile else []
    if not profile:
        try:
            profile.op()
        except RuntimeError as error:
            assert "there is no profile: " in str(error) and "no profile" in repr(profile)


def train_in_session(case, hooks=()):
    graph = tf.Graph()
    with graph.as_default():
        x, y = v1.placeholder(tf.float32, [4, 3]), v1.placeholder(tf.float32, [4, 2])
        weights = [v1.get_variable(name, initializer=start)
                   for name, start in zip("wb", START)]
        loss = tf.reduce_mean((x @ weights[0] + weights[1] - y) ** 2)
        train_op = v1.train.GradientDescentOptimizer(0.1).minimize(
            loss, v1.train.get_or_create_global_step())
        with v1.train.MonitoredTrainingSession(hooks=hooks) as session:
            try:
                for n in range(N_STEPS):
                    case.in_step(n)
                    session.run(train_op, {x: batches[n][0], y: batches[n][1]})
            finally:
                case.weights = BaseSession.run(session._tf_sess(), weights)


def files(case, start):
    return sorted(name for name in os.listdir(case.logdir) if name.startswith(start)) if (
        os.path.isdir(case.logdir)) else []


def with_hook(case):
    case.get_weights = lambda: case.weights
    case.made = lambda: files(case, "timeline-")
    hooks = [tfprof.ProfilerHook(save_steps=2, output_dir=case.logdir, strict=case.strict)
             for _ in range(case.copies if case.profiled else 0)]
    # In a forked child, TensorFlow cannot close the session.
    case.leave = lambda: [hook.end(None) for hook in hooks] and os._exit(0)
    with case.until_the_end():
        train_in_session(case, hooks)


def with_context(case):
    original = BaseSession.run
    case.patched = lambda: [BaseSession.run is not original and "Session.run"]
    case.get_weights = lambda: case.weights
    case.made = lambda: files(case, "profile_")
    with case.until_the_end():
        with tfprof.ProfileContext(case.logdir, trace_steps=range(4, 9), dump_steps=[case.last + 5],
                                   enabled=case.profiled, strict=case.strict) as context:
            case.leave = lambda: context.__exit__(SystemExit, SystemExit(0), None)
            context.add_auto_profiling("op", {}, [8])
            train_in_session(case)
        if case.profiled:
            context.get_profiles("op")


ENTRIES = {"callback": with_callback, "callback_inside": with_callback_inside,
           "trace": with_trace, "profile_function": with_profile_function,
           "hook": with_hook, "context": with_context}


# ---- a cell -------------------------------------------------------------------------------

class Case:
    """What a training asks about its cell; failures override it."""

    raises = None        # what the user must get
    needs_warning = True
    copies = 1           # of the profiler

    def __init__(self, directory, entry):
        self.entry = entry
        self.directory = directory
        self.logdir = os.path.join(directory, "logs")
        self.profiled, self.strict = True, False
        self.last = 4        # step to profile
        self.patched = self.made = list
        self.weights = None

    @property
    def must_warn(self):
        return self.needs_warning

    def in_step(self, n):
        """Called by the user's code in each step."""

    def leave(self):
        """In a forked child, leaves the blocks of the profiler."""
        raise SystemExit(0)

    @contextlib.contextmanager
    def until_the_end(self):
        """Around the training, but inside of the user's program."""
        yield


FAILURES = {}


def failure(made):
    FAILURES[made.__name__] = made
    return made


@failure
class nothing(Case):
    needs_warning = False


@failure
class logdir_is_a_file(Case):
    def __init__(self, *args):
        super().__init__(*args)
        with open(self.logdir, "w"):
            pass


@failure
class logdir_is_not_writable(Case):
    def __init__(self, *args):
        super().__init__(*args)
        self.logdir = "/proc/no/such"      # nobody can write there, root included


@failure
class logdir_disappears(Case):
    """A file is in its place when the profile is to be written."""

    def in_step(self, n):
        if n == FAILS_AT:
            shutil.rmtree(self.logdir, ignore_errors=True)
            with open(self.logdir, "w"):
                pass


@failure
class another_profiler(Case):
    @contextlib.contextmanager
    def until_the_end(self):
        theirs = os.path.join(self.directory, "theirs")
        profiler.start(theirs)
        try:
            yield
        finally:
            profiler.stop()        # raises if it was stopped
            assert os.path.isdir(theirs)

    # The profilers of sessions can record beside it.
    @property
    def must_warn(self):
        return self.entry not in ("hook", "context")


@failure
class two_at_once(Case):
    copies = 2

    @property
    def must_warn(self):
        return self.entry not in ("profile_function", "context")    # these run one


@failure
class stopped_by_the_user(Case):
    def in_step(self, n):
        if n == FAILS_AT:
            with contextlib.suppress(tf.errors.UnavailableError):
                profiler.stop(save=False)

    @property
    def must_warn(self):
        return self.entry not in ("hook", "context")


@failure
class stopped_and_another_started(Case):
    """The user's own recording must be left alone."""

    def in_step(self, n):
        if n == FAILS_AT:
            with contextlib.suppress(tf.errors.UnavailableError):
                profiler.stop(save=False)
            profiler.start(os.path.join(self.directory, "theirs"))

    @contextlib.contextmanager
    def until_the_end(self):
        yield
        profiler.stop()

    @property
    def must_warn(self):
        return self.entry not in ("hook", "context")


@failure
class stdout_is_closed(Case):
    @contextlib.contextmanager
    def until_the_end(self):
        saved, sys.stdout = sys.stdout, io.StringIO()
        sys.stdout.close()
        try:
            yield
        finally:
            sys.stdout = saved

    @property
    def must_warn(self):
        return self.entry.startswith(("callback", "context"))    # these print a report


@failure
class stdout_is_a_broken_pipe(Case):
    @contextlib.contextmanager
    def until_the_end(self):
        reading, writing = os.pipe()
        os.close(reading)
        saved, sys.stdout = sys.stdout, os.fdopen(writing, "w")
        try:
            yield
            sys.stdout.flush()     # nothing of ours may be left in it
        finally:
            sys.stdout.close()
            sys.stdout = saved

    @property
    def must_warn(self):
        return self.entry.startswith(("callback", "context"))    # these print a report


class Damaged(Case):
    """What TensorFlow recorded is replaced: the files of traces, and run metadata."""

    def damage(self, data):
        raise NotImplementedError

    @contextlib.contextmanager
    def until_the_end(self):
        stop, timeline = profiler.stop, tfprof._native.step_timeline
        add_step, case = tfprof.Profiler.add_step, self

        def damaging_stop(save=True):
            stop(save=save)
            for folder, _, names in os.walk(self.logdir):
                for name in names:
                    if name.endswith(".xplane.pb"):
                        with open(os.path.join(folder, name), "rb+") as file:
                            data = self.damage(file.read())
                            file.seek(0)
                            file.truncate()
                            file.write(data)

        profiler.stop = damaging_stop
        tfprof.hooks._native.step_timeline = self.damaging(timeline)
        tfprof.Profiler.add_step = self.damaging_step(add_step)
        try:
            yield
        finally:
            profiler.stop = stop
            tfprof.hooks._native.step_timeline = timeline
            tfprof.Profiler.add_step = add_step

    def damaging(self, timeline):
        return lambda data, *rest, **more: timeline(self.damage(data), *rest, **more)

    def damaging_step(self, add_step):
        def damaged_step(profile, step, run_meta):
            return profile._profile.add_step(
                step, None, self.damage(run_meta.SerializeToString()), None)
        return damaged_step


@failure
class trace_is_unreadable(Damaged):
    def damage(self, data):
        return b"\xff" * 100


@failure
class trace_is_cut_short(Damaged):
    def damage(self, data):
        return data[:len(data) * 2 // 3]


@failure
class trace_is_empty(Damaged):
    def damage(self, data):
        return b""

    @property
    def must_warn(self):
        return self.entry != "hook"        # where an empty run is no failure


@failure
class disk_is_full(Case):
    def in_step(self, n):
        if n == FAILS_AT:
            _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, most))


@failure
class warnings_are_errors(logdir_is_a_file):
    pass


@failure
class notes_are_errors(Case):
    """The recording works, with something to say about it."""

    def __init__(self, *args):
        super().__init__(*args)
        self.last = 100

    @property
    def must_warn(self):
        return self.entry not in ("profile_function", "trace", "hook")


@failure
class stderr_is_closed(logdir_is_a_file):
    needs_warning = False


@failure
class interrupted(Case):
    raises = KeyboardInterrupt

    def in_step(self, n):
        if n == FAILS_AT:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
            signal.raise_signal(signal.SIGINT)

    @property
    def must_warn(self):
        return self.entry == "context"     # which writes what it has, and says so


@failure
class users_exception(Case):
    raises = Own

    def in_step(self, n):
        if n == FAILS_AT:
            raise Own("in step 3")

    @property
    def must_warn(self):
        return self.entry == "context"


@failure
class forked(Case):
    """The child leaves through the blocks of the parent."""
    needs_warning = False

    def in_step(self, n):
        if n == FAILS_AT:
            child = os.fork()
            if not child:
                self.leave()
                os._exit(1 if self.made() else 0)
            _, status = os.waitpid(child, 0)
            assert status == 0, status


# ---- running them --------------------------------------------------------------------------

def is_recording():
    try:
        profiler.start("", profiler.ProfilerOptions(0, 0, 0))
    except tf.errors.AlreadyExistsError:
        return True
    profiler.stop(save=False)
    return False


@contextlib.contextmanager
def heard(case):
    """Collects warnings and stderr."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    saved, sys.stderr = sys.stderr, io.StringIO()
    if isinstance(case, stderr_is_closed):
        sys.stderr.close()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if isinstance(case, stderr_is_closed):
                warnings.showwarning = warnings._showwarning_orig
                warnings._showwarnmsg_impl = _write
            if isinstance(case, (warnings_are_errors, notes_are_errors)):
                warnings.filterwarnings("error", category=UserWarning)
            yield
            case.said += [str(one.message) for one in caught]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        if not sys.stderr.closed:
            case.said += [line for line in sys.stderr.getvalue().splitlines() if "tfprof" in line]
        sys.stderr = saved


def _write(message):
    sys.stderr.write(str(message.message))     # raises, as it is closed


def run_cell(directory, entry, name, profiled=True, strict=False):
    case = FAILURES[name](directory, entry)
    case.profiled, case.strict = profiled, strict
    raised, parent = None, os.getpid()
    case.said = []
    try:
        with heard(case):
            try:
                ENTRIES[entry](case)
            except BaseException as error:
                raised = error
    finally:
        if os.getpid() != parent:
            os._exit(0 if isinstance(raised, SystemExit) else 1)
    case.raised = raised and f"{type(raised).__name__}: {raised}"
    deadline = time.monotonic() + 5        # the thread that watches fit() needs a moment
    while True:
        case.left = [one for one in case.patched() if one] + ["a recording"] * is_recording()
        if not case.left or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    if is_recording():
        profiler.stop(save=False)
    v1.summary.FileWriterCache.clear()
    case.weights = case.get_weights()
    return case


def main(top, entries):
    with open(os.path.join(top, "cells.jsonl"), "w") as out:
        for entry in entries:
            for name in FAILURES:
                for strict in (False, True) if name == "logdir_is_a_file" else (False,):
                    made = []
                    for profiled in (True, False):
                        directory = os.path.join(top, entry, f"{name}-{strict}-{profiled}")
                        os.makedirs(directory)
                        made.append(run_cell(directory, entry, name, profiled, strict))
                    ours, plain = made
                    assert plain.raised == (ours.raises and plain.raised), plain.raised
                    out.write(json.dumps(dict(
                        entry=entry, failure=name, strict=strict, said=ours.said, left=ours.left,
                        same=strict or all(numpy.array_equal(*pair)
                                           for pair in zip(ours.weights, plain.weights)),
                        raised=ours.raised, plain=plain.raised, made=ours.made(),
                        must_warn=ours.must_warn)) + "\n")
                    out.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
