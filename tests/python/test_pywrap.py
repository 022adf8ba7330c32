"""tfprof.pywrap in place of TensorFlow's own native module."""

import os
import threading

import pytest
from wire import field, node
from package_under_test import needs_tensorflow

import tfprof
from tfprof import pywrap

GRAPH = node("a", "A") + node("b", "B", ["a"])


@pytest.fixture(autouse=True)
def no_profiler():
    pywrap.DeleteProfiler()
    yield
    pywrap.DeleteProfiler()


@pytest.fixture
def options():
    from tfprof import _options
    return _options.from_dict({**tfprof.ProfileOptionBuilder().build(), "output": "none"})


@pytest.fixture
def run_meta(loop_files):
    return (loop_files / "run_meta_0").read_bytes()


def test_life_of_a_profiler(options, run_meta, tmp_path):
    assert pywrap.NewProfiler(GRAPH, b"") is True
    assert pywrap.AddStep(0, b"", run_meta, b"") >= 0
    assert isinstance(pywrap.Profile(b"op", options), bytes)
    saved = pywrap.SerializeToString()
    assert pywrap.WriteProfile(os.fsencode(tmp_path / "saved")) is None
    assert (tmp_path / "saved").read_bytes() == saved
    assert pywrap.DeleteProfiler() is None
    assert pywrap.ProfilerFromFile(str(tmp_path / "saved")) is None
    assert pywrap.Profile("op", options)


def test_strings_are_bytes(options):
    assert pywrap.NewProfiler("", "") is True
    assert pywrap.SerializeToString() == b""
    assert pywrap.PrintModelAnalysis(bytearray(GRAPH), "", "", "scope", options) == \
        pywrap.PrintModelAnalysis(GRAPH, b"", b"", b"scope", options)


def test_one_takes_the_place_of_the_other():
    pywrap.NewProfiler(GRAPH, b"")
    first = pywrap.SerializeToString()
    pywrap.NewProfiler(node("other", "X"), b"")
    assert pywrap.SerializeToString() != first


def test_all_at_once_leaves_the_living_one_alone(options):
    pywrap.NewProfiler(GRAPH, b"")
    before = pywrap.SerializeToString()
    pywrap.PrintModelAnalysis(node("other", "X"), b"", b"", b"scope", options)
    assert pywrap.SerializeToString() == before


def test_nothing_living(options, run_meta, tmp_path):
    """Where the original aborts."""
    for call in (lambda: pywrap.Profile(b"op", options), pywrap.SerializeToString,
                 lambda: pywrap.WriteProfile(str(tmp_path / "x")),
                 lambda: pywrap.AddStep(0, b"", run_meta, b"")):
        with pytest.raises(tfprof.Error, match="NewProfiler"):
            call()
    pywrap.DeleteProfiler()


def test_run_metadata_that_is_none(options, capfd):
    pywrap.NewProfiler(GRAPH, b"")
    before = pywrap.SerializeToString()
    with pytest.raises(tfprof.Error):
        pywrap.AddStep(0, b"", b"", b"")
    with pytest.raises(tfprof.Error):
        pywrap.AddStep(0, b"", b"\xff\xff", b"")
    # Accepted by the original with a message on stderr: a run that was not traced.
    untraced = field(3, node("a", "A")[2:])
    assert pywrap.AddStep(0, b"", untraced, b"") == 0.0
    assert "Invalid RunMetadata for step 0" in capfd.readouterr().err
    assert pywrap.PrintModelAnalysis(GRAPH, untraced, b"", b"scope", options) == \
        pywrap.PrintModelAnalysis(GRAPH, b"", b"", b"scope", options)
    assert pywrap.SerializeToString() == before


@pytest.mark.parametrize("call", [
    lambda options: pywrap.NewProfiler(b"\xff\xff", b""),
    lambda options: pywrap.NewProfiler(GRAPH, b"\xff\xff"),
    lambda options: pywrap.ProfilerFromFile("/no/where"),
    lambda options: pywrap.PrintModelAnalysis(GRAPH, b"", b"", b"nonsense", options),
    lambda options: pywrap.PrintModelAnalysis(GRAPH, b"", b"", b"scope", b"\xff\xff"),
    lambda options: pywrap.PrintModelAnalysis(b"\xff\xff", b"", b"", b"scope", options),
    lambda options: pywrap.PrintModelAnalysis(GRAPH, b"\xff\xff", b"", b"scope", options),
    lambda options: pywrap.PrintModelAnalysis(GRAPH, b"", b"", b"advise", b"\xff\xff"),
])
def test_bad_input(call, options):
    pywrap.NewProfiler(GRAPH, b"")
    before = pywrap.SerializeToString()
    with pytest.raises(tfprof.Error):
        call(options)
    assert pywrap.SerializeToString() == before, "the living one is as it was"


@pytest.mark.parametrize("call", [
    lambda: pywrap.NewProfiler(None, b""), lambda: pywrap.NewProfiler(GRAPH, 5),
    lambda: pywrap.AddStep("0", b"", b"", b""), lambda: pywrap.AddStep(1.0, b"", b"", b""),
    lambda: pywrap.AddStep(0, None, b"", b""), lambda: pywrap.Profile(5, b""),
    lambda: pywrap.Profile(b"op", None), lambda: pywrap.PrintModelAnalysis(),
    lambda: pywrap.ProfilerFromFile(5), lambda: pywrap.WriteProfile(None),
])
def test_bad_types(call):
    pywrap.NewProfiler(GRAPH, b"")
    with pytest.raises(TypeError):
        call()


def test_unknown_select_words_are_warned_about_once(capfd):
    from tfprof import _options
    _options._warned.clear()
    message = _options._encode("select", ["bites"]) + _options._encode("step", -1)
    with pytest.warns(UserWarning, match="'bites'"):
        pywrap.PrintModelAnalysis(GRAPH, b"", b"", b"scope", message)
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pywrap.PrintModelAnalysis(GRAPH, b"", b"", b"scope", message)
    printed = capfd.readouterr()
    assert "Unknown select: bites" in printed.out and printed.err == ""


def test_threads_do_not_mind_each_other(options):
    pywrap.NewProfiler(GRAPH, b"")
    expected = pywrap.Profile(b"scope", options)
    failed = []

    def work():
        for _ in range(50):
            if pywrap.Profile(b"scope", options) != expected:
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_profiler_of_what_was_loaded(loop_files, options):
    """Built as TensorFlow's helpers do for a file."""
    pywrap.ProfilerFromFile(os.fsencode(loop_files / "profile"))
    profiler = tfprof.Profiler.__new__(tfprof.Profiler)
    assert profiler.serialize_to_string() == pywrap.SerializeToString()
    pytest.importorskip("google.protobuf")
    quiet = {**tfprof.ProfileOptionBuilder().build(), "output": "none"}
    assert profiler.profile_operations(quiet).SerializeToString(deterministic=True) == \
        tfprof.MultiGraphNodeProto.FromString(
            pywrap.Profile(b"op", options)).SerializeToString(deterministic=True)
    with pytest.raises(AttributeError):
        profiler.nonsense


@needs_tensorflow
class TestInstall:
    @pytest.fixture(autouse=True)
    def theirs(self):
        from tensorflow.python.util import _pywrap_tfprof
        self.module = _pywrap_tfprof
        self.originals = {name: getattr(_pywrap_tfprof, name) for name in pywrap.NAMES}
        yield
        tfprof.uninstall()
        assert self.is_theirs()

    def is_theirs(self):
        return all(getattr(self.module, name) is function
                   for name, function in self.originals.items())

    def is_ours(self):
        return all(getattr(self.module, name) is getattr(pywrap, name) for name in pywrap.NAMES)

    def test_names_are_all_of_theirs(self):
        public = {name for name in dir(self.module) if not name.startswith("_")}
        assert public == set(pywrap.NAMES)

    def test_in_and_out(self):
        assert self.is_theirs()
        tfprof.install()
        tfprof.install()
        assert self.is_ours()
        tfprof.uninstall()
        assert self.is_theirs()
        tfprof.uninstall()
        assert self.is_theirs()

    def test_for_a_block(self):
        with tfprof.installed():
            assert self.is_ours()
            with tfprof.installed():
                assert self.is_ours()
            assert self.is_ours()
        assert self.is_theirs()
        tfprof.install()
        with tfprof.installed():
            pass
        assert self.is_ours(), "installed before, installed after"

    def test_block_that_raises(self):
        with pytest.raises(KeyError):
            with tfprof.installed():
                raise KeyError
        assert self.is_theirs()

    def test_profilers_that_outlive_the_block(self):
        import tensorflow as tf
        with tf.Graph().as_default() as graph:
            tf.constant(1)
            with tfprof.installed():
                profiler = tf.compat.v1.profiler.Profiler(graph)
                assert profiler.serialize_to_string()
            del profiler       # ends theirs, which does not exist

    def test_two_at_a_time_do_not_abort(self):
        import tensorflow as tf
        with tf.Graph().as_default() as graph:
            tf.constant(1)
        with tfprof.installed():
            first = tf.compat.v1.profiler.Profiler(graph)
            second = tf.compat.v1.profiler.Profiler(graph)
            assert second.serialize_to_string() == first.serialize_to_string()
            del first
            with pytest.raises(tfprof.Error, match="no profiler"):
                second.serialize_to_string()
            del second


def test_install_without_tensorflow(run_python):
    run_python("""
import sys
sys.modules["tensorflow"] = None
import tfprof
try:
    tfprof.install()
except ImportError as error:
    assert "needs TensorFlow" in str(error)
else:
    raise SystemExit("no error")
tfprof.uninstall()
""")
