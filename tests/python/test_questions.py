"""Questions of a profile in Python: methods that follow from the library's list."""

import inspect
import pickle

import package_under_test  # noqa: F401  (finds the package)
import pytest
from tree import TOP

import tfprof
from tfprof import _native


@pytest.fixture(scope="module")
def traced():
    return tfprof.load(TOP + "/examples/traces/jax_transformer.xplane.pb.gz", progress=False)


@pytest.mark.parametrize("name", [name for name, _ in _native.questions()])
def test_every_question_is_a_method_with_its_options(name):
    method = getattr(tfprof.Profile, name)
    options = {row[0] for row in _native.options() if name in row[7].split() or row[7] == "all"}
    if name == "advise":
        # Checkers by name, and each with its own options; fail_on is for exit statuses, and
        # max_bytes for readers of JSON.
        options = options - {"checker", "fail_on", "max_bytes"} | {"checkers", "options"}
    assert set(inspect.signature(method).parameters) == {"self"} | options
    assert method.__doc__ and method.__name__ == name


def test_an_answer_is_its_rows(traced):
    answer = traced.devices()
    assert [row["name"] for row in answer] == ["devices", "cpu:0"]
    assert answer.columns[:3] == ["parent", "depth", "name"]
    row = answer.rows[1]
    assert row["busy_micros"] + row["idle_micros"] == row["span_micros"]
    assert answer.schema == "tfprof.devices"
    assert len(answer) == 2 and answer.text.splitlines()[1].startswith("cpu:0")
    with pytest.raises(AttributeError):
        answer.nonsense


def test_cells_without_a_value_are_none(traced):
    answer = traced.devices()
    native = answer._native
    assert native.value("kind", 0) is None and native.value("busy_micros", 0) is None
    assert native.value("kind", 1) == "cpu"


def test_an_answer_converts(traced):
    pytest.importorskip("pyarrow")
    answer = traced.devices()
    table = answer.to_arrow()
    assert table.column_names == answer.columns
    assert table.column("busy_micros").to_pylist()[0] is None
    assert table.column("kind").to_pylist() == [None, "cpu"]
    again = pickle.loads(pickle.dumps(answer))
    assert again.to_dict() == answer.to_dict() and str(again) == str(answer)


def test_wrong_options_are_refused(traced):
    with pytest.raises(tfprof.ArgumentError, match="unknown option 'select'"):
        traced.devices(select="bytes")
    with pytest.raises(tfprof.ArgumentError, match="step"):
        traced.devices(step=99)
