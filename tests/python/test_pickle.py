"""Results, nodes, advice and events can be pickled and copied."""

import copy
import multiprocessing
import pickle
import re

import pytest

import tfprof

VIEWS = ("scope", "graph", "op", "code")
SELECT = "micros,bytes,params,float_ops,occurrence,device,op_types,input_shapes"


@pytest.fixture(params=VIEWS)
def result(request, profile):
    return getattr(profile, request.param)(max_depth=1000, select=SELECT)


def round_trip(value, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


def without_id(page):
    """Each table has its own."""
    return re.sub("tfprof-[0-9]+-[0-9a-f]+", "", page)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_results_are_the_same(result, protocol):
    again = round_trip(result, protocol)
    assert type(again) is tfprof.Result
    assert (again.view, again.options, again.notes) == (result.view, result.options, result.notes)
    assert again.text == result.text and repr(again) == repr(result)
    assert again.to_dict() == result.to_dict()
    assert list(again) == list(result)
    assert [node.parent for node in again] == [node.parent for node in result]
    assert without_id(again._repr_html_()) == without_id(result._repr_html_())
    assert round_trip(again).text == result.text


def test_pickled_messages(result):
    pytest.importorskip("google.protobuf")
    assert round_trip(result).message == result.message


def test_pickled_tables(result):
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    again = round_trip(result)
    pandas.testing.assert_frame_equal(again.to_pandas(), result.to_pandas())
    columns = ["name", "parent", "node", "path", "line", "end", "tensor_value", "accounted"]
    pandas.testing.assert_frame_equal(again.to_pandas(columns), result.to_pandas(columns))
    assert pyarrow.table(again).equals(pyarrow.table(result))
    assert pyarrow.table(again).schema.equals(pyarrow.table(result).schema)
    assert again.to_arrow(columns).equals(result.to_arrow(columns))


def test_a_pickle_is_of_the_result_and_not_of_the_profile(profile):
    assert len(pickle.dumps(profile.scope(max_depth=1))) < len(profile.serialize()) / 2


def test_a_pickle_outlives_a_change_of_the_profile(loop_files):
    profile = tfprof.load(graph=loop_files / "graph.pb", run_meta=loop_files / "run_meta_0")
    result = profile.op()
    text = result.text
    profile.add_step(1, loop_files / "run_meta_1")
    assert round_trip(result).text == text


def test_nodes(result):
    node = result[len(result) // 2]
    for again in (round_trip(node), copy.copy(node), copy.deepcopy(node)):
        assert type(again) is tfprof.Node and again == node and hash(again) == hash(node)
        assert again.parent == node.parent and again.children == node.children
    first, second = round_trip((result[0], result[1]))
    assert first._result is second._result


def test_copies_of_results(result):
    for again in (copy.copy(result), copy.deepcopy(result)):
        assert again is not result and again.text == result.text and list(again) == list(result)
    deep = copy.deepcopy(result)
    deep.options["select"].append("x")
    assert "x" not in result.options["select"]
    both = copy.deepcopy([result, result])
    assert both[0] is both[1]


def test_advice(profile):
    advice = profile.advise()
    for again in (round_trip(advice), copy.copy(advice), copy.deepcopy(advice)):
        assert type(again) is tfprof.Advice
        assert (again.text, again.level, again.notes) == (advice.text, advice.level, advice.notes)
        assert again.to_dict() == advice.to_dict() and len(again) == len(advice) > 0
        assert again._repr_html_() == advice._repr_html_()
    copied = copy.deepcopy(advice)
    copied.to_dict().clear()
    assert advice.to_dict()


def test_advice_as_tables(profile):
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    advice = profile.advise()
    again = round_trip(advice)
    pandas.testing.assert_frame_equal(again.to_pandas(), advice.to_pandas())
    assert again.to_arrow().equals(advice.to_arrow())
    pytest.importorskip("google.protobuf")
    assert again.message == advice.message


def test_events(profile):
    pandas = pytest.importorskip("pandas")
    events = profile.events()
    for again in (round_trip(events), copy.copy(events), copy.deepcopy(events)):
        assert len(again) == len(events) and again.columns == events.columns
        pandas.testing.assert_frame_equal(again.to_pandas(), events.to_pandas())


def test_errors(profile):
    with pytest.raises(tfprof.Error) as caught:
        profile.op(step=7)
    again = round_trip(caught.value)
    assert type(again) is tfprof.ArgumentError
    assert (str(again), again.status) == (str(caught.value), "STEP")


def ask(view):
    """In another process."""
    result = getattr(ask.profile, view)(select=SELECT)
    return result, result.root, ask.profile.advise("ExpensiveOperationChecker")


def set_profile(profile):
    ask.profile = profile


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_other_processes(profile, method):
    """Profiles go there, results, nodes and advice come back."""
    context = multiprocessing.get_context(method)
    with context.Pool(2, set_profile, (profile,)) as pool:
        answers = pool.map(ask, VIEWS)
    advice = profile.advise("ExpensiveOperationChecker")
    for view, (result, root, found) in zip(VIEWS, answers):
        expected = getattr(profile, view)(select=SELECT)
        assert str(result) == str(expected) and list(result) == list(expected)
        assert root == expected.root and str(found) == str(advice)


def test_what_a_pickle_does_not_hold(profile):
    again = round_trip(profile.op())
    with pytest.raises(tfprof.Error, match="cannot be written as csv: run the query again"):
        again._native.render("csv")
    with pytest.raises(KeyError, match="no column 'nonsense'"):
        again.to_pandas(["nonsense"])
