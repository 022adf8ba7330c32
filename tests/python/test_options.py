"""Options: from dictionaries to messages, TensorFlow's way and ours, and the builder
of the dictionaries."""

import inspect
import warnings

import pytest
from package_under_test import needs_tensorflow

import tfprof
from tfprof import _options

Builder = tfprof.ProfileOptionBuilder

PRESET = {
    "max_depth": 10000, "min_bytes": 0, "min_micros": 0, "min_params": 0, "min_float_ops": 0,
    "min_occurrence": 0, "order_by": "name", "account_type_regexes": ["_trainable_variables"],
    "start_name_regexes": [".*"], "trim_name_regexes": [], "show_name_regexes": [".*"],
    "hide_name_regexes": [], "account_displayed_op_only": True, "select": ["params"], "step": -1,
    "output": "stdout"}

# Calls of the builder, by method.
CALLS = {
    "with_max_depth": [(3,)], "with_min_memory": [(), (1,), (1, 2, 3, 4)],
    "with_min_execution_time": [(), (5,), (5, 6, 7)], "with_min_parameters": [(8,)],
    "with_min_occurrence": [(9,)], "with_min_float_operations": [(10,)],
    "with_accounted_types": [(["a", "b"],), (("a",),), ([],)],
    "with_node_names": [(), (["s"],), (["s"], ["sh"], ["h"], ["t"]), ([], [], [], []),
                        (None, None, ["h"])],
    "account_displayed_op_only": [(True,), (False,)], "with_step": [(7,), (-1,)],
    "order_by": [("bytes",), ("nonsense",)], "select": [(["params", "x"],), (("bytes",),), ([],)],
    "with_empty_output": [()], "with_stdout_output": [()],
    "with_file_output": [("/a b,c=d",)], "with_timeline_output": [("/t",)],
    "with_pprof_output": [("/p",)],
}


@pytest.fixture(autouse=True)
def forget_warnings():
    _options._warned.clear()


# ---- the builder ----------------------------------------------------------------

def test_a_preset_in_full():
    assert Builder.trainable_variables_parameter() == PRESET


def test_builder_copies_what_it_gets_and_gives():
    options = Builder.float_operation()
    builder = Builder(options)
    assert builder.with_max_depth(1) is builder
    names = ["a"]
    builder.select(names)
    built = builder.build()
    names.append("b")
    built["select"].append("c")
    assert options["max_depth"] == 10000 and options["select"] == ["float_ops"]
    assert builder.build()["select"] == ["a"]
    assert Builder({}).build() == {}


@needs_tensorflow
class TestAgainstTensorFlow:
    @pytest.fixture
    def theirs(self):
        import tensorflow as tf
        return tf.compat.v1.profiler.ProfileOptionBuilder

    def test_presets(self, theirs):
        for name in ("trainable_variables_parameter", "float_operation", "time_and_memory"):
            assert getattr(Builder, name)() == getattr(theirs, name)()
        assert Builder.time_and_memory(*range(7)) == theirs.time_and_memory(*range(7))
        assert Builder().build() == theirs().build()

    @pytest.mark.parametrize("name", sorted(CALLS))
    def test_methods(self, theirs, name):
        for arguments in CALLS[name]:
            for start in (None, {}, Builder.time_and_memory()):
                built = [getattr(builder(start), name)(*arguments).build()
                         for builder in (Builder, theirs)]
                assert built[0] == built[1]

    def test_no_method_is_missing_and_signatures_agree(self, theirs):
        for name in dir(theirs):
            if not name.startswith("_"):
                ours = inspect.signature(getattr(Builder, name)).parameters
                expected = inspect.signature(getattr(theirs, name)).parameters
                assert [(key, value.default) for key, value in ours.items()] == [
                    (key, value.default) for key, value in expected.items()], name
                assert (isinstance(inspect.getattr_static(Builder, name), staticmethod)
                        == isinstance(inspect.getattr_static(theirs, name), staticmethod))
        assert set(CALLS) <= set(dir(theirs))


# ---- TensorFlow's way --------------------------------------------------------------

def parse(message):
    return tfprof.OptionsProto.FromString(message)


def test_message_has_every_field():
    pytest.importorskip("google.protobuf")
    numbers = {field.name: field.number for field in tfprof.OptionsProto.DESCRIPTOR.fields}
    assert _options.FIELDS == numbers
    values = {name: ["x", "y,z"] if name == "select" or name.endswith("_regexes")
              else True if name == "account_displayed_op_only"
              else f"text of {name}" if name in ("order_by", "output", "dump_to_file")
              else -(1 << 63) + number for name, number in numbers.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        message = parse(_options.from_dict(values))
    for name, value in values.items():
        found = getattr(message, name)
        assert (list(found) if isinstance(value, list) else found) == value


def test_absent_keys():
    pytest.importorskip("google.protobuf")
    message = parse(_options.from_dict({}))
    assert (message.max_depth, message.step, message.order_by, message.output) == (
        10, -1, "name", "stdout")
    assert not message.account_type_regexes and not message.select


@needs_tensorflow
def test_messages_are_those_of_tensorflow(monkeypatch):
    """What TensorFlow's API passes to its core for the same dictionaries."""
    import tensorflow as tf
    from tensorflow.python.util import _pywrap_tfprof
    sent = []
    monkeypatch.setattr(_pywrap_tfprof, "PrintModelAnalysis",
                        lambda *arguments: sent.append(arguments[-1]) or b"")
    for options in (Builder().build(), Builder.time_and_memory(1, 2, 3, 4, 5, 6, 7), {},
                    {"select": ["params"]}, {"max_depth": 0, "step": 0, "order_by": ""},
                    Builder.float_operation(), {"dump_to_file": "/x"}, {"min_micros": -5},
                    {"account_type_regexes": ("a", "b")}, {"account_displayed_op_only": 5}):
        tf.compat.v1.profiler.profile(tf.Graph(), options=options)
        expected = tfprof.OptionsProto.FromString(sent.pop())
        assert parse(_options.from_dict(options)) == expected, options


def test_unknown_keys_are_warned_about_once():
    with pytest.warns(UserWarning, match="unknown option 'viz' is ignored.*max_depth"):
        _options.from_dict({"viz": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _options.from_dict({"viz": 1})


def test_unknown_select_words_are_warned_about_once():
    with pytest.warns(UserWarning, match="'micro'.*did you mean 'micros'"):
        _options.from_dict({"select": ["micro"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _options.from_dict({"select": ["micro"]})
    with pytest.warns(UserWarning, match="'bites'"):
        _options.from_dict({"select": ["bites"]})


def test_strings_where_lists_are_meant():
    assert _options.from_dict({"select": "params,bytes"}) == _options.from_dict(
        {"select": ["params", "bytes"]})
    assert _options.from_dict({"show_name_regexes": "a{1,2}"}) == _options.from_dict(
        {"show_name_regexes": ["a{1,2}"]})


@pytest.mark.parametrize("options", [
    {"max_depth": "x"}, {"max_depth": None}, {"max_depth": 1.0}, {"step": []},
    {"select": 5}, {"select": [None]}, {"account_type_regexes": None}, {"order_by": None},
    {"output": 5}, {"account_displayed_op_only": "no"}, {"min_bytes": 1 << 64}])
def test_wrong_values(options):
    name, = options
    with pytest.raises(ValueError, match=f"{name}.*expected"):
        _options.from_dict(options)


@pytest.mark.parametrize("options", [None, 5, "select", ["select"]])
def test_options_that_are_no_dictionary(options):
    with pytest.raises(ValueError, match="options: expected a dict"):
        _options.from_dict(options)


def test_select_words_of_a_message():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        message = _options.from_dict({"select": ["a", "b"], "step": 3, "output": "none"})
    assert _options.select_of(message) == ["a", "b"]
    assert _options.select_of(b"") == []
    for damaged in (message[:3], b"\xff\xff", b"\x0b", message[:-1] + b"\xff"):
        _options.select_of(damaged)
