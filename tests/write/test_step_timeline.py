"""The step timeline, compared with TensorFlow's timeline module event by event.

The golden part needs only the library (TFPROF_LIB, or build/libtfprof.so of this
tree); the rest needs TensorFlow and is skipped without it. TFPROF_SEED and
TFPROF_COUNT choose the random cases.
"""

import glob
import gzip
import json
import os
import random
from collections import Counter

import pytest
from ours import Ours, Refused
from step_timeline_golden import BY_HAND, DATA, KINDS, run_metadata_path, timeline_path
from wire import field

SEED = int(os.environ.get("TFPROF_SEED", "1"))
COUNT = int(os.environ.get("TFPROF_COUNT", "300"))


@pytest.fixture(scope="module")
def library():
    return Ours()


def write(library, run_meta, dataflow=True, memory=True, path=None):
    """The trace's bytes, or those of the file; run_meta is bytes or a path."""
    trace = library.step_timeline(run_meta, dataflow, memory, path)
    if path is None:
        return trace
    assert trace is None
    with open(path, "rb") as file:
        return file.read()


def events(trace):
    """The events as a multiset."""
    trace = json.loads(trace)
    assert list(trace) == ["traceEvents"]
    return Counter(json.dumps(event, sort_keys=True) for event in trace["traceEvents"])


def assert_same(ours, expected):
    expected = Counter(json.dumps(event, sort_keys=True) for event in expected)
    assert sorted((ours - expected).elements()) == sorted((expected - ours).elements())


# ---- without TensorFlow ----------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BY_HAND)
def test_golden(library, name, kind):
    with open(timeline_path(name, kind)) as file:
        expected = json.load(file)
    assert len(expected) > 5
    assert_same(events(write(library, run_metadata_path(name), *KINDS[kind])), expected)


def test_golden_data_is_complete():
    assert len(glob.glob(os.path.join(DATA, "*.json"))) == 4 * len(
        glob.glob(os.path.join(DATA, "*.pbtxt")))


def test_every_event_is_a_line(library):
    trace = write(library, run_metadata_path("cpu"))
    lines = trace.decode().splitlines()
    assert lines[0] == '{"traceEvents":[' and lines[-1] == "]}"
    assert len(lines) == 2 + sum(events(trace).values())


def test_files(library, tmp_path):
    given = run_metadata_path("gpu")
    trace = write(library, given)
    assert write(library, given, path=str(tmp_path / "t.json")) == trace
    packed = write(library, given, path=str(tmp_path / "t.json.gz"))
    assert packed != trace and gzip.decompress(packed) == trace
    assert sorted(os.listdir(tmp_path)) == ["t.json", "t.json.gz"]


def test_unwritable(library, tmp_path):
    target = str(tmp_path / "missing" / "t.json")
    with pytest.raises(Refused, match="missing/t.json: cannot write: No such file") as refused:
        write(library, b"", path=target)
    assert refused.value.status == "IO"


def test_missing_input(library):
    with pytest.raises(Refused, match="/nonexistent/run_meta") as refused:
        write(library, "/nonexistent/run_meta")
    assert refused.value.status == "IO"


def test_arguments(library):
    with pytest.raises(Refused) as refused:
        library.step_timeline(None, path="x")
    assert refused.value.status == "ARGUMENT"
    with pytest.raises(Refused, match="needs") as refused:
        library.step_timeline(b"", wanted=False)
    assert refused.value.status == "ARGUMENT"


def run_meta_of(*entries, device=b"d"):
    stats = field(1, device) + b"".join(field(2, entry) for entry in entries)
    return field(1, field(1, stats))


def test_malformed_leaves_the_file(library, tmp_path):
    """On input cut off anywhere, an existing file is left unchanged."""
    target = tmp_path / "t.json"
    target.write_text("before")
    description = field(2, field(2, field(1, 3))) + field(4, field(1, 100))
    whole = run_meta_of(field(1, b"a") + field(7, field(3, description)))
    assert b'"a"' in write(library, whole)
    for end in range(1, len(whole)):
        with pytest.raises(Refused) as refused:
            write(library, whole[:end], path=str(target))
        assert refused.value.status == "FORMAT"
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["t.json"]


@pytest.mark.parametrize("path", [(1,), (1, 1), (1, 1, 2), (1, 1, 2, 7), (1, 1, 2, 7, 3),
                                  (1, 1, 2, 7, 3, 2), (1, 1, 2, 7, 3, 2, 2), (1, 1, 2, 7, 3, 4)])
def test_malformed_at_every_level(library, path):
    message = field(15, 1) + b"\x0f"
    for number in reversed(path):
        message = field(number, message)
    with pytest.raises(Refused, match=str(len(message) - 1)) as refused:
        write(library, message)
    assert refused.value.status == "FORMAT"


def test_merges_what_comes_twice(library):
    """Protobuf merges a message given in two parts."""
    parts = field(3, field(1, 1) + field(4, field(1, 5))) + field(
        3, field(4, field(3, b"cpu")) + field(2, field(2, field(1, 7))))
    output = field(1, b"a") + field(7, parts)
    trace = json.loads(write(library, run_meta_of(output) + run_meta_of(device=b"e")))
    text, = [event["args"]["snapshot"]["tensor_description"]
             for event in trace["traceEvents"] if event["ph"] == "O"]
    assert text == ("dtype: DT_FLOAT\nshape {\n  dim {\n    size: 7\n  }\n}\n"
                    "allocation_description {\n  requested_bytes: 5\n  allocator_name: cpu\n}\n")
    names = [event["args"]["name"] for event in trace["traceEvents"] if event["ph"] == "M"]
    assert names == ["Allocators", "d Compute", "d Tensors", "e Compute", "e Tensors"]


def test_devices_have_processes_of_their_own(library):
    """Two of them each, numbered on: what a device did is in its own."""
    entry = field(1, b"a") + field(2, 100) + field(5, 7)
    message = b"".join(run_meta_of(entry, device=name) for name in (b"d", b"e", b"f", b"g"))
    events = json.loads(write(library, message))["traceEvents"]
    processes = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert list(processes) == list(range(9))
    ran = [processes[event["pid"]] for event in events if event["ph"] == "X"]
    assert ran == [f"{name} Compute" for name in "defg"]


def test_text_that_is_not_utf8(library):
    entry = field(1, b"a\xff") + field(8, b"x = O\xc3(in)")
    trace = json.loads(write(library, run_meta_of(entry, device=b"\x80")))
    event, = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert event["args"] == {"name": "a\ufffd", "op": "O\ufffd", "input0": "in"}
    assert trace["traceEvents"][1]["args"]["name"] == "\ufffd Compute"


def test_numbers_stay_at_the_limit(library):
    description = field(4, field(1, -2**63))
    entry = field(1, b"a") + field(2, 2**63 - 1) + field(5, 9) + field(7, field(3, description))
    trace = json.loads(write(library, run_meta_of(entry, entry)))
    assert all(-2**63 <= event.get("ts", 0) < 2**63 for event in trace["traceEvents"])
    assert {event["args"][""] for event in trace["traceEvents"] if event["ph"] == "C"} == {
        -2**63, -1}


def test_many_lanes(library):
    """A lane for each of 200,000 overlapping entries, quickly."""
    entry = field(5, 1)
    trace = write(library, run_meta_of(*[entry] * 200000), False, False)
    assert trace.count(b'"tid":200000,') == 1


# ---- against TensorFlow ----------------------------------------------------

@pytest.fixture(scope="module")
def cases():
    pytest.importorskip("tensorflow")
    import step_timeline_cases

    return step_timeline_cases


def compare(library, cases, step_stats):
    run_meta = cases.RunMetadata(step_stats=step_stats).SerializeToString()
    for flags in KINDS.values():
        assert_same(events(write(library, run_meta, *flags)),
                    cases.expected_events(step_stats, *flags))


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(library, cases, name):
    compare(library, cases, cases.by_hand(name))


@pytest.mark.parametrize("name", ["conv_net", "while_loop", "conditional", "several_devices"])
def test_real(library, cases, name):
    for run_meta in cases.REAL[name]():
        assert sum(len(device.node_stats) for device in run_meta.step_stats.dev_stats) > 3
        compare(library, cases, run_meta.step_stats)


def test_random(library, cases):
    draw = random.Random(SEED)
    for _ in range(COUNT):
        compare(library, cases, cases.random_step_stats(draw))
