"""What importing the package costs and imports."""


import pytest

HEAVY = ("tensorflow", "jax", "keras", "numpy", "pandas", "pyarrow", "google.protobuf")


def test_import_is_light(run_python):
    done = run_python(f"""
import sys
import tfprof
tfprof.load, tfprof.Profiler, tfprof.ProfileOptionBuilder, tfprof.Error, tfprof.install
tfprof.trace, tfprof.profile_function
print([name for name in {HEAVY!r} if name in sys.modules])
""")
    assert done.stdout == "[]\n"


def test_first_use_loads_few_modules(run_python):
    """The cost of importing is what it loads; bench/ measures the time."""
    done = run_python("""
import sys
before = set(sys.modules)
import tfprof
tfprof.load
print(len([name for name in set(sys.modules) - before if not name.startswith("tfprof")]))
""")
    assert int(done.stdout) < 60


def test_every_name_is_there():
    import tfprof
    for name in tfprof.__all__:
        if name in tfprof._MESSAGES:
            pytest.importorskip("google.protobuf")
        if name in ("hooks", "ProfilerHook"):
            pytest.importorskip("tensorflow")
        if name == "KerasCallback":
            pytest.importorskip("keras")
        assert getattr(tfprof, name) is not None
    assert set(tfprof.__all__) == set(dir(tfprof))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tfprof.nonsense


def test_names_of_tensorflows_own_module():
    tf = pytest.importorskip("tensorflow")
    import tfprof
    names = {name for name in dir(tf.compat.v1.profiler) if not name.startswith("_")}
    assert names <= set(dir(tfprof))


def test_version():
    import tfprof
    assert tfprof.__version__.count(".") == 2


def test_stub_has_every_name():
    """Type checkers read the stub, because names are loaded lazily."""
    import os

    import tfprof
    with open(os.path.join(os.path.dirname(tfprof.__file__), "__init__.pyi")) as file:
        text = file.read()
    for name in tfprof.__all__:
        assert f" as {name}\n" in text or f"\n{name}: Any\n" in text, name
