"""What needs a package that is not installed says which one, and how to install it."""

import pytest

CALLS = [
    ("tensorflow", "tfprof.ProfilerHook", "tfprof.ProfilerHook needs TensorFlow"),
    ("tensorflow", "tfprof.ProfileContext('x').__enter__()",
     "tfprof.ProfileContext needs TensorFlow"),
    ("tensorflow", "tfprof.write_op_log(None, 'x')", "profiling a graph needs TensorFlow"),
    ("keras", "tfprof.KerasCallback", "tfprof.KerasCallback needs Keras"),
    ("tensorflow", "tfprof.install()", "tfprof.install() needs TensorFlow"),
    ("tensorflow", "tfprof._files.write_whole('gs://x', 'y', b'')",
     "writing to a URL needs TensorFlow"),
    ("pandas", "profile.op().to_pandas()", "to_pandas() needs pandas"),
    ("pandas", "profile.advise().to_pandas()", "to_pandas() needs pandas"),
    ("pandas", "profile.events().to_pandas()", "to_pandas() needs pandas"),
    ("pyarrow", "profile.op().to_arrow()", "to_arrow() needs pyarrow"),
    ("pyarrow", "profile.op().to_arrow(['name'])", "to_arrow() needs pyarrow"),
    ("pyarrow", "profile.advise().to_arrow()", "to_arrow() needs pyarrow"),
    ("pyarrow", "profile.events().to_arrow()", "to_arrow() needs pyarrow"),
    ("pandas", "profile.diff(profile).to_pandas()", "to_pandas() needs pandas"),
    ("pyarrow", "profile.diff(profile).to_pandas()", "to_pandas() needs pyarrow"),
    ("pyarrow", "tfprof.model('tests/models/files/mlp/export').to_arrow()",
     "to_arrow() needs pyarrow"),
    ("pyarrow", "pickle.loads(pickle.dumps(profile.op())).__arrow_c_stream__()",
     "the Arrow stream of a result that was pickled needs pyarrow"),
    ("google.protobuf", "profile.op().message", "a result message needs protobuf"),
    ("google.protobuf", "tfprof.OptionsProto", "a result message needs protobuf"),
]


@pytest.mark.parametrize("package, call, words", CALLS)
def test_without_a_package(run_python, package, call, words, loop_files):
    done = run_python(f"""
import pickle, sys
sys.modules[{package!r}] = None
import tfprof, tfprof._files
profile = tfprof.load(sys.argv[1])
try:
    {call}
except ModuleNotFoundError as error:
    print(error.name, "|", error)
""", loop_files / "profile")
    name = package.rpartition(".")[2]
    assert done.stdout == f"{package} | {words}: python -m pip install {name}\n"


def test_a_package_that_is_there_but_broken(run_python, tmp_path):
    """Its own error is shown: installing it would not help."""
    (tmp_path / "pandas").mkdir()
    (tmp_path / "pandas" / "__init__.py").write_text("import no_such_dependency\n")
    done = run_python(f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import tfprof
try:
    tfprof.load('examples/resnet/profile').op().to_pandas()
except ImportError as error:
    print(error)
""")
    assert done.stdout == "No module named 'no_such_dependency'\n"
