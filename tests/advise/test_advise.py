"""The advisor: each checker where it must report something and where it must not.

Needs only libtfprof. tests/differential/test_random_advice.py compares the three
checkers that TensorFlow's profiler has with the originals.
"""

import json
import os
import random
import re
import subprocess

import advise_profiles as make
import pytest
import tree
import wire
from advise_profiles import (
    CPU, FLOAT, GPU, MEMCPY, STREAM, WORKER, Profile, entry, node, run_meta)
from ours import Ours, Refused

ORDER = ["AcceleratorUtilizationChecker", "OperationChecker", "JobChecker",
         "ExpensiveOperationChecker", "CompiledMemoryChecker", "CompiledTimeChecker", "HalfPrecisionChecker", "IdleGapChecker",
         "InputPipelineChecker", "MemcpyChecker", "MemoryPeakChecker", "PlacementChecker",
         "StepChecker", "StepOutlierChecker", "StragglerChecker", "TinyKernelChecker"]
HEADED = ORDER[:4]  # those that TensorFlow's documents show


@pytest.fixture
def ours():
    with Ours() as library:
        yield library


def advise(ours, *checkers, **how):
    """(the JSON, level)"""
    answer, level = ours.ask_advice(*checkers, output="json", **how)
    advice = json.loads(answer.stdout)
    assert advice["level"] == level
    return advice, level


def findings(ours, checker, *options):
    """The findings of one checker, by `what`."""
    advice, _ = advise(ours, checker, *((checker, name, value) for name, value in options))
    (verdict,) = advice["checkers"]
    assert verdict["name"] == checker
    found = {}
    for finding in verdict["findings"]:
        found.setdefault(finding["what"], []).append(finding)
    return found


def remark(ours, checker):
    advice, _ = advise(ours, checker)
    (verdict,) = advice["checkers"]
    assert not verdict["findings"]
    return verdict["skipped"], verdict["remark"]


# -- all checkers ----------------------------------------------------------------


def test_sections_come_in_a_fixed_order(ours):
    make.clean().load(ours)
    advice, _ = advise(ours)
    assert [verdict["name"] for verdict in advice["checkers"]] == ORDER
    text = ours.ask_advice()[0].stdout.decode()
    places = [text.index(f"\n{name}:\n") for name in HEADED]
    assert places == sorted(places)


def test_only_the_oldest_checkers_have_a_heading_without_findings(ours):
    for profile in (make.clean(), Profile(make.layers(3), []), Profile([], [])):
        profile.load(ours)
        advice, _ = advise(ours)
        text = ours.ask_advice()[0].stdout.decode()
        found = [verdict["name"] for verdict in advice["checkers"]
                 if verdict["findings"] or verdict["name"] in HEADED]
        assert re.findall(r"^(\w+):$", text, re.M) == found


def test_a_clean_profile_gets_no_alarm(ours):
    make.clean().load(ours)
    advice, level = advise(ours)
    assert level == "none", [finding["text"] for verdict in advice["checkers"]
                             for finding in verdict["findings"] if finding["level"] != "none"]


def test_the_sample_gets_no_alarm(ours):
    ours.from_file(os.path.join(tree.TOP, "examples", "resnet", "profile"))
    assert advise(ours)[1] == "none"


def test_without_run_metadata_it_says_so(ours):
    Profile(make.layers(3), []).load(ours)
    answer, level = ours.ask_advice()
    assert level == "none"
    assert answer.stdout.decode() == "".join(f"\n{name}:\n" for name in HEADED) + (
        "\nnothing found by: OperationChecker\n"
        "not applicable: AcceleratorUtilizationChecker (no accelerator); "
        + ", ".join(ORDER[2:]) + " (no run metadata)\n")
    assert answer.stderr.decode() == \
        "Missing op_log (code traces) for ExpensiveOperationChecker\n"


def test_an_empty_profile_is_no_error(ours):
    Profile([], []).load(ours)
    answer, level = ours.ask_advice()
    assert level == "none"
    assert b"; OperationChecker (no operations)" in answer.stdout


def test_one_cpu_only(ours):
    Profile([node("a", "MatMul")], [run_meta((CPU, [entry("a", 1, 500)]))]).load(ours)
    answer, level = ours.ask_advice()
    assert level == "none"
    assert answer.stdout.decode().splitlines()[-2:] == [
        "nothing found by: OperationChecker",
        "not applicable: AcceleratorUtilizationChecker, HalfPrecisionChecker, IdleGapChecker, "
        "MemcpyChecker, MemoryPeakChecker, PlacementChecker, TinyKernelChecker (no accelerator); "
        "JobChecker (not distributed); CompiledMemoryChecker, CompiledTimeChecker (no compiled programs); InputPipelineChecker (no input operations); StepChecker (no trace); "
        "StepOutlierChecker (too few steps); "
        "StragglerChecker (too few devices and tasks to compare)"]
    advice, _ = advise(ours)
    remarks = {verdict["name"]: verdict["remark"] for verdict in advice["checkers"]
               if verdict["skipped"]}
    for checker, sentence in (("JobChecker", "No tensor was sent between tasks"),
                              ("HalfPrecisionChecker", "No accelerator time in the profile"),
                              ("PlacementChecker", "No operation ran on an accelerator"),
                              ("StepOutlierChecker", "1 of the 3 steps"),
                              ("StragglerChecker", "Fewer than 3 devices or tasks")):
        assert sentence in remarks[checker]


def test_without_empty_checkers_there_is_no_end(ours):
    make.clean().load(ours)
    text = ours.ask_advice("AcceleratorUtilizationChecker")[0].stdout.decode()
    assert "utilization" in text and "nothing found" not in text and "not applicable" not in text


def test_every_checker_can_be_asked_alone(ours):
    make.clean().load(ours)
    whole, _ = advise(ours)
    for i, checker in enumerate(ORDER):
        alone, _ = advise(ours, checker)
        assert alone["checkers"] == [whole["checkers"][i]]


def test_all_with_an_option_of_one(ours):
    make.clean().load(ours)
    advice, level = advise(ours, "all", ("AcceleratorUtilizationChecker", "min_utilization", "2"))
    assert [verdict["name"] for verdict in advice["checkers"]] == ORDER
    assert level == "warning"


@pytest.mark.parametrize("checkers, words", [
    (("JobCheker",), ("JobCheker", "did you mean 'JobChecker'")),
    ((("JobChecker", "pss", "x"),), ("unknown option 'pss' of JobChecker", "ps_job")),
    ((("OperationChecker", "x", "1"),), ("unknown option 'x' of OperationChecker: expected one of: top",)),
    ((("IdleGapChecker", "notice", "much"),), ("IdleGapChecker", "notice", "'much'", "number")),
    ((("IdleGapChecker", "notice", ""),), ("number",)),
    ((("all", "top", "1"),), ("name a checker",)),
])
def test_wrong_options_are_refused(ours, checkers, words):
    make.clean(1).load(ours)
    with pytest.raises(Refused) as refused:
        ours.ask_advice(*checkers)
    assert refused.value.status == "ARGUMENT"
    for word in words:
        assert word in refused.value.text


def test_a_wrong_regex_is_refused(ours):
    make.clean(1).load(ours)
    with pytest.raises(Refused) as refused:
        ours.ask_advice(("PlacementChecker", "ignore_types", "Mat(Mul"))
    assert refused.value.status == "REGEX"
    assert "ignore_types" in refused.value.text and "Mat(Mul" in refused.value.text


# -- outputs ---------------------------------------------------------------------


def advice_message(data):
    """AdviceProto → {checker: [report]}"""
    advice = {}
    for _, item in wire.read(data):
        parts = dict(wire.read(item))
        advice[parts[1].decode()] = [report.decode() for number, report in wire.read(parts[2])
                                     if number == 2]
    return advice


def describe(place):
    """A place as text shows it."""
    known = ", ".join(place[key] for key in ("node", "op") if key in place)
    line = place.get("line", "")
    return f"{known} ({line})" if known and line else known or line


def section(verdict):
    """A checker's section, from the JSON."""
    lines, found = [], verdict["findings"]
    for finding, following in zip(found, found[1:] + [None]):
        text = finding["text"]
        untold = [describe(place) for place in finding["where"]
                  if any(place.get(key, "") not in text for key in ("node", "op", "line"))]
        lines.append(text)
        lines += [("           " if i else "    where: ") + place for i, place in enumerate(untold)]
        if following and all(finding[key] == following[key]
                             for key in ("what", "level", "confidence", "remedy")):
            continue
        lines.append("    level: information" if finding["level"] == "none" else
                     f"    level: {finding['level']}, confidence: {finding['confidence']}")
        lines.append(f"    to do: {finding['remedy']}")
    return f"\n{verdict['name']}:\n" + "".join(line + "\n" for line in lines)


def end(advice):
    """The last lines, from the JSON."""
    empty = [verdict for verdict in advice["checkers"] if not verdict["findings"]]
    clean = [verdict["name"] for verdict in empty if not verdict["skipped"]]
    reasons = {}
    for verdict in empty:
        if verdict["skipped"]:
            reasons.setdefault(verdict["reason"], []).append(verdict["name"])
    skipped = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
    return ("\n" * bool(empty) + (f"nothing found by: {', '.join(clean)}\n" if clean else "")
            + (f"not applicable: {skipped}\n" if skipped else ""))


@pytest.mark.parametrize("profile", [make.clean, *(
    lambda name=name: name for name in ("unbalanced", "one_worker", "two_workers"))])
def test_text_message_and_json_agree(ours, profile):
    profile = profile()
    if isinstance(profile, str):
        load_real(ours, profile)
    else:
        profile.load(ours)
    answer, _ = ours.ask_advice()
    advice, _ = advise(ours)
    message = advice_message(answer.message)
    assert answer.stdout.decode() == "".join(
        section(verdict) for verdict in advice["checkers"]
        if verdict["findings"] or verdict["name"] in HEADED) + end(advice)
    assert message == {verdict["name"]: [finding["text"] for finding in verdict["findings"]]
                       for verdict in advice["checkers"]}


def test_json_has_the_documented_members(ours):
    load_real(ours, "unbalanced")
    advice, _ = advise(ours)
    assert set(advice) == {"schema", "version", "question", "options", "capture", "notes", "tfprof",
                           "level", "checkers", "nodes"}
    assert (advice["schema"], advice["version"]) == ("tfprof.advise", 2)
    assert len(advice["nodes"]) == 1 + sum(len(one["findings"]) for one in advice["checkers"])
    for verdict in advice["checkers"]:
        assert set(verdict) - {"remark", "reason"} == {"name", "skipped", "options", "findings"}
        assert ("reason" in verdict) == verdict["skipped"]
        for finding in verdict["findings"]:
            assert {"what", "level", "confidence", "text", "stake", "where", "figures"} \
                <= set(finding) <= {"what", "level", "confidence", "text", "remedy", "step",
                                    "from", "to", "stake", "where", "figures"}
            assert set(finding["stake"]) <= {"micros", "bytes", "share"}
            assert finding["level"] in ("none", "notice", "warning", "high")
            assert finding["confidence"] in ("low", "medium", "high")
            for place in finding["where"]:
                assert set(place) <= {"device", "node", "op", "line", "micros", "bytes"}
            assert finding["remedy"].endswith(".")


def test_options_in_json_have_their_types(ours):
    make.clean(1).load(ours)
    advice, _ = advise(ours, ("JobChecker", "ps_job", "7"), ("JobChecker", "top", "5"),
                       ("JobChecker", "wait_notice", "0.25"))
    options = advice["checkers"][0]["options"]
    assert options["ps_job"] == "7"
    assert (options["top"], options["wait_notice"]) == (5, 0.25)
    text = ours.ask_advice(("JobChecker", "top", "5"), output="json")[0].stdout
    assert b'"top":5,' in text


def test_to_files(ours, tmp_path):
    make.clean(2).load(ours)
    text = ours.ask_advice()[0].stdout
    report, data = tmp_path / "report", tmp_path / "advice.json"
    assert ours.ask_advice(output=f"file:outfile={report}")[0].stdout == b""
    assert report.read_bytes() == text
    ours.ask_advice(output=f"json:outfile={data}")
    assert data.read_bytes() == ours.ask_advice(output="json")[0].stdout
    answer, _ = ours.ask_advice(output="none")
    assert answer.stdout == b"" and advice_message(answer.message)


@pytest.mark.parametrize("output", ["file", "file:", "stdout:outfile=x", "fil:outfile=x",
                                    "json:file=x", "timeline:outfile=x"])
def test_wrong_outputs_are_refused(ours, output):
    make.clean(1).load(ours)
    with pytest.raises(Refused) as refused:
        ours.ask_advice(output=output)
    assert refused.value.status == "ARGUMENT"


def test_a_file_that_cannot_be_written(ours, tmp_path):
    make.clean(1).load(ours)
    with pytest.raises(Refused) as refused:
        ours.ask_advice(output=f"file:outfile={tmp_path}/none/x")
    assert refused.value.status == "IO"


def options_message(*checkers):
    """AdvisorOptionsProto of names, or (name, {option: value})."""
    out = b""
    for checker in checkers:
        name, options = (checker, {}) if isinstance(checker, str) else checker
        settings = b"".join(wire.field(1, wire.field(1, key) + wire.field(2, value))
                            for key, value in options.items())
        out += wire.field(1, wire.field(1, name) + wire.field(2, settings))
    return out


def test_options_as_a_message(ours):
    make.clean(1).load(ours)
    assert ours.advise(b"").stdout == b""
    answer = ours.advise(options_message("OperationChecker", "Nonsense"))
    assert answer.stdout == b"\nOperationChecker:\n"
    assert answer.stderr == b"Unknown checker: Nonsense\n"
    answer = ours.advise(options_message(("AcceleratorUtilizationChecker",
                                          {"min_utilization": "0.999"})))
    assert b"low utilization: 0.99" in answer.stdout
    for wrong, status in ((options_message(("JobChecker", {"nothing": "1"})), "ARGUMENT"),
                          (b"\x0a\x05\x0a", "FORMAT"), (b"\x0a\x7f", "FORMAT")):
        with pytest.raises(Refused) as refused:
            ours.advise(wrong)
        assert refused.value.status == status


def test_lines_with_and_without_source_text(ours):
    profile = make.clean(1)
    main = ("main.py", 3, "<module>", "train()")
    profile.op_log = make.op_log({
        f"layer{i}/MatMul": [main, ("net.py", 10 + i % 2, "build", "x = layer(x)")]
        for i in range(8)})
    profile.load(ours)
    where = findings(ours, "ExpensiveOperationChecker")["expensive_lines"][0]["where"]
    assert [place["line"] for place in where] == \
        ["net.py:10:build:x = layer(x)", "net.py:11:build:x = layer(x)"]
    answer, _ = ours.ask_advice("ExpensiveOperationChecker", source_lines=False)
    assert answer.stdout.decode().splitlines()[-4:-2] == [
        "net.py:10:build, cpu: 80us, accelerator: 3.60ms, total: 3.68ms",
        "net.py:11:build, cpu: 80us, accelerator: 3.60ms, total: 3.68ms"]


# -- expensive operations ----------------------------------------------------------------


def lines_of(ours, what):
    return findings(ours, "ExpensiveOperationChecker")[what][0]["text"].splitlines()


def test_the_most_expensive_nodes_not_their_scopes(ours):
    """As in TensorFlow's documents; times are means over the steps a node ran in."""
    Profile([node("a/b/MatMul", "MatMul"), node("a/c/Add", "Add"), node("d", "Mul"),
             node("a", "NoOp"), node("e", "Sub")],
            [run_meta((CPU, [entry("a/b/MatMul", 1, 300), entry("a/c/Add", 310, 900),
                             entry("d", 1300, 5000), entry("e", 7000, 99)])),
             run_meta((CPU, [entry("a/b/MatMul", 1, 100)]))]).load(ours)
    assert lines_of(ours, "expensive_nodes") == [
        "top 1 graph node: d, cpu: 5.00ms, accelerator: 0us, total: 5.00ms",
        "top 2 graph node: a/c/Add, cpu: 900us, accelerator: 0us, total: 900us",
        "top 3 graph node: a/b/MatMul, cpu: 200us, accelerator: 0us, total: 200us"]
    found = findings(ours, "ExpensiveOperationChecker", ("top", 1))["expensive_nodes"][0]
    assert found["where"] == [{"device": CPU.lower(), "node": "d", "op": "Mul", "micros": 5000}]
    found = findings(ours, "ExpensiveOperationChecker", ("min_node_micros", 901))
    assert len(found["expensive_nodes"][0]["where"]) == 1


def test_nodes_and_types_are_named_by_what_ran(ours):
    Profile([node("a/Relu", "Relu")], [run_meta((CPU, [
        entry("a/Relu", 1, 300, "a/Relu = _FusedConv2D(x)")]))],
        {"a/Relu": [("/me/net.py", 7, "build", "x = relu(x)")]}).load(ours)
    assert lines_of(ours, "expensive_types") == [
        "top 1 operation type: _FusedConv2D, cpu: 300us, accelerator: 0us, total: 300us (100.00%)"]
    assert lines_of(ours, "expensive_nodes") == [
        "top 1 graph node: a/Relu, cpu: 300us, accelerator: 0us, total: 300us"]
    assert b"    where: a/Relu, _FusedConv2D (net.py:7:build:x = relu(x))\n" \
        in ours.ask_advice()[0].stdout


LIBRARY = ("/venv/lib/python3.11/site-packages/tensorflow/python/ops.py", 9, "op", "")


def test_the_hottest_lines_and_below_each_what_it_calls(ours):
    """Libraries are omitted, single calls followed, and the largest comes first."""
    main = ("/me/main.py", 3, "<module>", "main()")
    def line(number, function="f"):
        return ("/me/net.py", number, function, f"line {number}")
    stacks = {
        "a": ([main, line(10), line(20), line(31), LIBRARY], 2000),
        "b": ([main, line(10), line(20), LIBRARY, line(32)], 4000),
        "c": ([main, line(10), line(20), line(33)], 1500),
        "d": ([main, line(11), line(40), LIBRARY], 9000),
        "e": ([main, line(12), LIBRARY, line(50)], 900),
    }
    steps = [entry(name, 1, micros) for name, (_, micros) in stacks.items()]
    Profile([node(name, "Op") for name in stacks], [run_meta((CPU, steps))],
            {name: frames for name, (frames, _) in stacks.items()}).load(ours)
    assert [re.sub(r", cpu: .* total:", "", text)
            for text in lines_of(ours, "expensive_lines")] == [
        "net.py:11:f:line 11 9.00ms",
        "net.py:10:f:line 10 7.50ms",
        "  net.py:32:f:line 32 4.00ms",
        "  net.py:31:f:line 31 2.00ms",
        "  net.py:33:f:line 33 1.50ms"]
    found = findings(ours, "ExpensiveOperationChecker", ("code_levels", 1), ("top", 1))
    assert len(found["expensive_lines"][0]["where"]) == 1


def test_code_of_libraries_alone_is_shown(ours):
    other = LIBRARY[:1] + (10,) + LIBRARY[2:]
    Profile([node("a", "Op"), node("b", "Op")], [run_meta(
        (CPU, [entry("a", 1, 2000), entry("b", 1, 3000)]))],
        {"a": [LIBRARY], "b": [other]}).load(ours)
    assert [text.split(",")[0] for text in lines_of(ours, "expensive_lines")] == [
        "ops.py:10:op:none", "ops.py:9:op:none"]


def test_messages_get_the_reports_of_tensorflow(ours):
    """Scopes, types of the graph, no levels and no end."""
    make.clean(1).load(ours)
    checker = wire.field(1, wire.field(1, "ExpensiveOperationChecker") + wire.field(2, b""))
    text = ours.advise(checker).stdout.decode()
    assert "top 1 graph node: layer0, cpu: 0us, accelerator: 0us, total: 0us\n" in text
    assert "level:" not in text and "to do:" not in text and "nothing found" not in text


# -- a saved profile ----------------------------------------------------------------


def hand_made():
    return {
        "clean": make.clean(), "straggler step": slow_step(), "tiny kernels": tiny_kernels(),
        "op on cpu": op_on_cpu(), "input": input_bound(600), "copies": copies(3000),
        "memory": memory(), "float32": float_work(), "idle": idle(2000),
        "stragglers": straggling_task(90_000),
    }


@pytest.mark.parametrize("name", ["clean", "straggler step", "tiny kernels", "op on cpu", "input",
                                  "copies", "memory", "float32", "idle", "stragglers"])
def test_a_saved_profile_gets_the_same_advice(ours, name):
    def answer():
        """All but which files it was read from."""
        advice = json.loads(ours.ask_advice(output="json")[0].stdout)
        assert advice["capture"].pop("files")
        return advice

    hand_made()[name].load(ours)
    fed = answer()
    ours.from_bytes(ours.serialize())
    assert answer() == fed
    # Writing is a fixed point from the second time on.
    saved = ours.serialize()
    ours.from_bytes(saved)
    assert ours.serialize() == saved
    assert answer() == fed


# -- each checker ----------------------------------------------------------------------


def slow_step(factor=3):
    """Step 3 is slow because of one node."""
    steps = [gpu_steps(8) for _ in range(5)]
    steps[3] = gpu_steps(8, slow="layer5/MatMul", factor=factor)
    return Profile(make.layers(8), steps, {"layer5/MatMul": [
        ("/home/me/train.py", 7, "<module>", "loss = net(x)"),
        ("/home/me/net.py", 21, "layer", "return tf.matmul(x, w)"),
        ("/venv/lib/python3/site-packages/tensorflow/python/ops/math_ops.py", 3000, "matmul", "")]})


def gpu_steps(n, slow=None, factor=1):
    launches, kernels, at = [], [], 50
    for i in range(n):
        for name in (f"layer{i}/MatMul", f"layer{i}/Relu"):
            long = 900 * (10 * factor if name == slow else 1)
            launches.append(entry(name, at - 22, 20))
            kernels.append(entry(name, at, long))
            at += long + 10
    return run_meta((CPU, [entry("x", 1, 20)]), (GPU, launches), (STREAM, kernels))


def test_a_slow_step_and_its_node_are_found(ours):
    slow_step().load(ours)
    (found,) = findings(ours, "StepOutlierChecker")["slow_step"]
    assert found["level"] == "warning" and found["step"] == 3
    assert found["where"][0]["node"] == "layer5/MatMul"
    assert found["where"][0]["line"] == "net.py:21:layer:return tf.matmul(..."
    assert found["where"][0]["micros"] == found["stake"]["micros"] == 29 * 900
    assert "step 3" in found["text"] and "layer5/MatMul (net.py:21:layer" in found["text"]
    assert ours.ask_advice()[1] == "warning"


def test_even_steps_have_no_finding(ours):
    make.clean(8).load(ours)
    assert remark(ours, "StepOutlierChecker") == \
        (False, "None of 8 steps took unusually long.")


def test_a_slow_step_is_judged_by_the_options(ours):
    slow_step().load(ours)
    assert not findings(ours, "StepOutlierChecker", ("min_excess", 5))
    assert not findings(ours, "StepOutlierChecker", ("min_steps", 6))
    assert not findings(ours, "StepOutlierChecker", ("outlier_score", 1e6))


def test_two_steps_are_too_few(ours):
    Profile(make.layers(8), [gpu_steps(8), gpu_steps(8, "layer5/MatMul", 9)]).load(ours)
    assert remark(ours, "StepOutlierChecker")[0]


def test_a_slow_step_whose_nodes_are_not(ours):
    steps = [run_meta((CPU, [entry("a", 1, 100), entry("b", 200 + wait, 100)]))
             for wait in (0, 3, 5, 90_000, 1)]
    Profile([node("a", "MatMul"), node("b", "MatMul")], steps).load(ours)
    (found,) = findings(ours, "StepOutlierChecker")["slow_step"]
    assert found["step"] == 3 and not found["where"]
    assert "between them" in found["text"]


def tiny_kernels(kernel=3, launch=25, n=150):
    """Consecutive nodes whose kernels are shorter than their launches."""
    names = [f"cell{i}/Mul" for i in range(n)]
    nodes = [node(name, "Mul") for name in names] + [node("big", "MatMul")]
    frames = [("rnn.py", 12, "cell", "h = h * gate")]
    steps = []
    for _ in range(2):
        launches = [entry(name, 1 + i * launch, launch) for i, name in enumerate(names)]
        kernels = [entry(name, launch + i * launch, kernel) for i, name in enumerate(names)]
        launches.append(entry("big", 1 + n * launch, launch))
        kernels.append(entry("big", (n + 1) * launch, 1000))
        steps.append(run_meta((GPU, launches), (STREAM, kernels)))
    return Profile(nodes, steps, {name: frames for name in names})


def test_a_storm_of_tiny_kernels_is_found(ours):
    tiny_kernels().load(ours)
    (found,) = findings(ours, "TinyKernelChecker")["tiny_kernels"]
    assert found["level"] == "warning"
    assert found["figures"]["kernels"] == 151
    assert found["figures"]["median_kernel_micros"] == 3
    assert found["figures"]["median_launch_micros"] == 25
    assert found["stake"]["micros"] == 150 * 22
    assert found["where"][0]["op"] == "Mul"
    assert found["where"][0]["line"] == "rnn.py:12:cell:h = h * gate"


@pytest.mark.parametrize("kernel, launch, n", [(100, 25, 150), (26, 25, 150), (3, 25, 40)])
def test_kernels_that_are_long_enough_or_few(ours, kernel, launch, n):
    tiny_kernels(kernel, launch, n).load(ours)
    assert not findings(ours, "TinyKernelChecker")


def test_many_tiny_kernels_beside_long_ones_do_not_matter(ours):
    """Most kernels are tiny, but the time goes elsewhere."""
    names = [f"small{i}" for i in range(120)]
    launches = [entry(name, 1 + 10 * i, 8) for i, name in enumerate(names)]
    kernels = [entry(name, 20 + 10 * i, 5) for i, name in enumerate(names)]
    launches.append(entry("big", 1300, 8))
    kernels.append(entry("big", 1310, 200_000))
    Profile([node(name, "Add") for name in names] + [node("big", "Conv2D")],
            [run_meta((GPU, launches), (STREAM, kernels))]).load(ours)
    assert not findings(ours, "TinyKernelChecker")


def op_on_cpu(op="Softmax", inputs=("a",), where=CPU, micros=800):
    nodes = [node("a", "MatMul", T=make.HALF), node("left", op, inputs),
             node("b", "MatMul", ["left"], T=make.HALF)]
    step = run_meta((GPU, [entry("a", 1, 10), entry("b", micros + 1100, 10)]),
                    (STREAM, [entry("a", 20, 1000), entry("b", micros + 1200, 1000)]),
                    (where, [entry("left", 1050, micros)]))
    return Profile(nodes, [step] * 3,
                   {"left": [("model.py", 44, "attend", "p = tf.nn.softmax(s)")]})


def test_an_operation_left_on_the_cpu_is_found(ours):
    op_on_cpu().load(ours)
    (found,) = findings(ours, "PlacementChecker")["cpu_between_accelerator"]
    assert found["level"] == "warning"
    assert found["where"][0]["node"] == "left" and found["where"][0]["op"] == "Softmax"
    assert found["where"][0]["line"] == "model.py:44:attend:p = tf.nn.softmax..."
    assert found["stake"]["micros"] == 800
    assert "model.py:44" in found["text"]


def test_a_short_operation_left_on_the_cpu_is_a_notice(ours):
    op_on_cpu(micros=5).load(ours)
    (found,) = findings(ours, "PlacementChecker")["cpu_between_accelerator"]
    assert found["level"] == "notice"


@pytest.mark.parametrize("profile", [
    dict(op="Assert"),                              # belongs on the CPU
    dict(inputs=["^a"]),                            # no data from the accelerator
    dict(inputs=[]),
    dict(where=GPU),
])
def test_operations_that_are_where_they_belong(ours, profile):
    op_on_cpu(**profile).load(ours)
    assert not findings(ours, "PlacementChecker")
    ours.from_bytes(ours.serialize())
    assert not findings(ours, "PlacementChecker")


def test_an_operation_not_read_by_the_accelerator(ours):
    profile = op_on_cpu()
    profile.graph = b"".join([node("a", "MatMul"), node("left", "Softmax", ["a"]),
                              node("b", "MatMul", ["a", "^left"])])
    profile.load(ours)
    assert not findings(ours, "PlacementChecker")


def input_bound(wait):
    """The step begins with its input, then computes for 2 ms."""
    nodes = [node("next", "IteratorGetNext"), node("a", "MatMul", ["next"]), node("c", "Const")]
    step = run_meta((CPU, [entry("next", 1, wait), entry("c", 1, 2), entry("a", 1 + wait, 2000)]))
    return Profile(nodes, [step] * 3)


@pytest.mark.parametrize("wait, level", [(90, None), (130, "notice"), (450, "notice"),
                                         (600, "high")])
def test_waiting_for_input(ours, wait, level):
    input_bound(wait).load(ours)
    found = findings(ours, "InputPipelineChecker")
    if level is None:
        assert not found
        return
    (found,) = found["input_bound"]
    assert found["level"] == level
    assert found["where"][0]["node"] == "next"
    assert found["stake"]["micros"] == wait - 2
    assert found["stake"]["share"] == pytest.approx((wait - 2) / (wait + 2000))


def test_input_while_other_work_runs_costs_nothing(ours):
    Profile([node("next", "IteratorGetNext"), node("a", "MatMul")],
            [run_meta((CPU, [entry("next", 1, 2000), entry("a", 1, 2500)]))]).load(ours)
    assert not findings(ours, "InputPipelineChecker")
    assert findings(ours, "InputPipelineChecker", ("types", "MatMul"))


def copies(micros, name="MEMCPYHtoD"):
    step = run_meta((GPU, [entry("a", 1, 10)]), (STREAM, [entry("a", 20, 9980)]),
                    (MEMCPY, [entry(name, 100, micros, "MEMCPYHtoD 4096 bytes"),
                              entry(name, 200, micros - 150)]))
    return Profile([node("a", "MatMul", T=make.HALF)], [step] * 3)


@pytest.mark.parametrize("name", ["MEMCPYHtoD", "edge_3_x:MEMCPYHtoD", "a:MEMCPYDtoH"])
def test_copies_that_take_a_large_share(ours, name):
    copies(3000, name).load(ours)
    (found,) = findings(ours, "MemcpyChecker")["host_device_copies"]
    assert found["level"] == "warning"
    assert found["stake"]["micros"] == 3000          # they overlap
    assert found["stake"]["bytes"] == 4096
    assert found["stake"]["share"] == pytest.approx(0.3, abs=0.001)
    assert found["where"][0]["device"] == MEMCPY.lower()


def test_copies_that_do_not_matter(ours):
    copies(900).load(ours)
    assert remark(ours, "MemcpyChecker")[0] is False
    copies(3000, "MEMCPYDtoD").load(ours)
    assert remark(ours, "MemcpyChecker")[0] is True


def memory():
    nodes = [node("big", "Conv2D"), node("small", "Relu")]
    first = entry("big", 100, 50, in_use=700_000_000, allocations=[(90, 600_000_000)])
    second = entry("small", 200, 50, in_use=950_000_000,
                   allocations=[(190, 250_000_000), (500, 10**9)])
    return Profile(nodes, [run_meta((GPU, [first, second]))])


def test_the_memory_peak_and_its_holders(ours):
    memory().load(ours)
    (found,) = findings(ours, "MemoryPeakChecker")["memory_peak"]
    assert found["level"] == "none" and found["stake"]["bytes"] == 950_000_000
    assert [(place["node"], place["bytes"]) for place in found["where"]] == \
        [("big", 600_000_000), ("small", 250_000_000)]


@pytest.mark.parametrize("limit, level", [(2 * 10**9, "none"), (10**9, "warning"),
                                          (960_000_000, "high")])
def test_the_memory_peak_against_a_limit(ours, limit, level):
    memory().load(ours)
    (found,) = sum(findings(ours, "MemoryPeakChecker", ("limit_bytes", limit)).values(), [])
    assert found["level"] == level


def float_work(dtype=FLOAT, share=0.5):
    work = int(1000 * share)
    nodes = [node("mm", "MatMul", T=dtype), node("add", "AddV2", T=FLOAT)]
    step = run_meta((GPU, [entry("mm", 1, 5), entry("add", 10, 5)]),
                    (STREAM, [entry("mm", 20, work), entry("add", 20 + work, 1000 - work)]))
    return Profile(nodes, [step])


def test_float32_work_on_an_accelerator(ours):
    float_work().load(ours)
    (found,) = findings(ours, "HalfPrecisionChecker")["float32_work"]
    assert found["level"] == "notice" and found["confidence"] == "low"
    assert found["where"][0]["node"] == "mm"
    assert found["stake"] == {"micros": 250, "share": 0.5}


@pytest.mark.parametrize("profile", [dict(dtype=make.HALF), dict(dtype=14), dict(share=0.1)])
def test_16_bit_or_little_float32_work(ours, profile):
    float_work(**profile).load(ours)
    assert remark(ours, "HalfPrecisionChecker")[0] is False


def idle(gap):
    """Kernels of 100 µs with gaps; the longest while the cpu sorts."""
    names = [f"k{i}" for i in range(20)]
    launches, kernels, at = [], [], 100
    for i, name in enumerate(names):
        launches.append(entry(name, at - 15, 10))
        kernels.append(entry(name, at, 100))
        at += 100 + (gap if i == 9 else 5)
    sort = entry("sort", 100 + 10 * 105 + 2, max(1, gap - 40))
    step = run_meta((GPU, launches), (STREAM, kernels), (CPU, [sort]))
    return Profile([node(name, "Conv2D", T=make.HALF) for name in names] + [node("sort", "TopK")],
                   [step] * 2)


@pytest.mark.parametrize("gap, level", [(5, None), (600, "notice"), (2000, "warning")])
def test_gaps_between_kernels(ours, gap, level):
    idle(gap).load(ours)
    found = findings(ours, "IdleGapChecker")
    if level is None:
        assert not found
        return
    (found,) = found["idle_accelerator"]
    assert found["level"] == level
    assert [place["node"] for place in found["where"]] == ["k10", "k9", "sort"]
    assert found["figures"]["longest_gap_micros"] == gap
    assert found["stake"]["micros"] == gap + 18 * 5


def straggling_task(slow, n=4):
    """The same work on n tasks whose clocks disagree by minutes."""
    nodes = [node(f"tower{i}/MatMul", "MatMul") for i in range(n)]
    steps = []
    for step in range(3):
        devices = [((WORKER % i) + "/device:CPU:0",
                    [entry(f"tower{i}/MatMul", 1 + i * 60_000_000,
                           slow if i == 2 else 50_000 + 100 * i + step)]) for i in range(n)]
        steps.append(run_meta(*devices))
    return Profile(nodes, steps)


def test_a_straggling_task_is_found(ours):
    straggling_task(90_000).load(ours)
    found = findings(ours, "StragglerChecker")
    (task,), (device,) = found["straggling_task"], found["straggling_device"]
    assert "/job:worker/task:2" in task["text"]
    assert device["where"][0]["device"] == (WORKER % 2 + "/device:CPU:0").lower()
    assert task["level"] == device["level"] == "warning"
    # The median of 50001, 50101, 50301 and 90000 is 50201.
    assert device["stake"]["micros"] == 90_000 - 50_201


def test_even_tasks_and_few_tasks(ours):
    straggling_task(50_200).load(ours)
    assert remark(ours, "StragglerChecker")[0] is False
    straggling_task(90_000, 2).load(ours)
    assert remark(ours, "StragglerChecker")[0] is True


def test_a_batch_norm_and_a_data_format(ours):
    Profile([node("BatchNorm/mul", "Mul"), node("c", "Conv2D", data_format=b"NHWC")],
            [run_meta((GPU, [entry("c", 1, 10)]), (STREAM, [entry("c", 1, 10)]))]).load(ours)
    found = findings(ours, "OperationChecker")
    assert found["batch_norm_not_fused"][0]["where"][0]["node"] == "BatchNorm/mul"
    assert found["nhwc_on_gpu"][0]["where"][0]["node"] == "c"


@pytest.mark.parametrize("op", ["FusedBatchNorm", "FusedBatchNormV3", "_MklFusedBatchNormV3"])
def test_fused_batch_norms_of_any_version(ours, op):
    Profile([node("bn/BatchNorm/" + op, op)], [run_meta((CPU, [entry("c", 1, 10)]))]).load(ours)
    assert not findings(ours, "OperationChecker")


# -- distributed runs ---------------------------------------------------------------------


def load_real(ours, name):
    graph = tree.read_packed("data", "advise", name, "graph")
    ours.new(graph)
    for step in range(3):
        ours.add_run_meta(step, tree.read_packed("data", "advise", name, f"run_meta_{step}"))
    return graph


def variables_of(graph):
    """[(ps task, bytes)] of the variables in a GraphDef, all of them float32."""
    found = []
    for number, message in wire.read(graph):
        parts = {} if number != 1 else dict((key, value) for key, value in wire.read(message)
                                            if key != 5)
        if parts.get(2) not in (b"VariableV2", b"VarHandleOp"):
            continue
        for key, attr in wire.read(message):
            items = dict(wire.read(attr)) if key == 5 else {}
            if items.get(1) != b"shape":
                continue
            (shape,) = [value for kind, value in wire.read(items[2]) if kind == 7]
            elements = 1
            for _, dim in wire.read(shape):
                elements *= dict(wire.read(dim))[1]
            found.append((int(parts[4].decode().rpartition("task:")[2]), 4 * elements))
    return found


@pytest.mark.parametrize("name, n_ps, n_workers", [("one_worker", 1, 1), ("two_workers", 1, 2),
                                                   ("balanced", 2, 1), ("unbalanced", 2, 1)])
def test_the_bytes_of_a_real_run(ours, name, n_ps, n_workers):
    variables = variables_of(load_real(ours, name))
    assert len(variables) == 6
    links = {(link["from"], link["to"]): link for link in findings(ours, "JobChecker")["link"]}
    assert len(links) == 2 * n_ps * n_workers
    for ps in range(n_ps):
        size = sum(size for task, size in variables if task == ps)
        for worker in range(n_workers):
            ends = f"/job:ps/replica:0/task:{ps}", (WORKER % worker)
            # Every variable goes to every worker, and a gradient comes back.
            assert links[ends]["figures"]["bytes"] == pytest.approx(size, rel=0.05)
            assert links[ends[::-1]]["figures"]["bytes"] == pytest.approx(size, rel=0.05)
            assert links[ends]["figures"]["bits_per_second"] > 1e6
            assert links[ends]["where"][0]["node"]


def test_a_real_balanced_run_is_not_alarming(ours):
    for name in ("one_worker", "two_workers", "balanced"):
        load_real(ours, name)
        found = findings(ours, "JobChecker")
        assert all(finding["level"] == "none" for each in found.values() for finding in each), name


def test_a_real_unbalanced_run_names_the_server(ours):
    load_real(ours, "unbalanced")
    found = findings(ours, "JobChecker")
    (finding,) = found["unbalanced_variables"]
    assert finding["level"] == "warning"
    assert finding["where"][0]["device"] == "/job:ps/replica:0/task:1"
    assert "/job:ps/task:1 holds 5 of 6 variables" in finding["text"]
    servers = {server["where"][0]["device"]: server["figures"] for server in
               found["parameter_server"]}
    assert servers["/job:ps/replica:0/task:1"]["parameters"] == 5 * 256 * 256
    assert servers["/job:ps/replica:0/task:0"]["parameters"] == 256 * 256
    # It is still there in a saved profile.
    fed = ours.ask_advice("JobChecker")[0].stdout
    ours.from_bytes(ours.serialize())
    assert ours.ask_advice("JobChecker")[0].stdout == fed


def test_traffic_alone_can_be_unbalanced(ours):
    """Without a graph, only transfers are known."""
    load_real(ours, "unbalanced")
    Profile([], [tree.read_packed("data", "advise", "unbalanced", f"run_meta_{step}")
                 for step in range(3)]).load(ours)
    (finding,) = findings(ours, "JobChecker")["unbalanced_traffic"]
    assert finding["where"][0]["device"] == "/job:ps/replica:0/task:1"


def received(label, start, duration, size=None):
    return entry("RecvTensor", start, duration, label, received=size)


def links_of(ours, *entries, device=CPU):
    Profile([node("a", "MatMul")], [run_meta((device, list(entries)))]).load(ours)
    return findings(ours, "JobChecker")


PS = "/job:ps/replica:0/task:%d/device:CPU:0"


@pytest.mark.parametrize("label, size, expected", [
    (f"[1.0MB] [3.0Gb/s] edge_8_w/read from {PS % 0} to {CPU}", None, 1 << 20),
    (f"[2048B] [66.873466Mb/s] edge_8_w/read from {PS % 0} to {CPU}", None, 2048),
    (f"[1.0MB] [3.0Gb/s] edge_8_w/read from {PS % 0} to {CPU}", 999_999, 999_999),
    (f"edge_8_w/read from {PS % 0} to {CPU}", 5, 5),
    (f"edge_8_w/read from {PS % 0} to {CPU}", None, 0),
    (f"[0B] [0.000000Mb/s] edge_8_w/read from {PS % 0} to {CPU}", 0, 0),
])
def test_labels(ours, label, size, expected):
    (link,) = links_of(ours, received(label, 1, 100, size))["link"]
    assert (link["from"], link["to"]) == ("/job:ps/replica:0/task:0", WORKER % 0)
    assert link["figures"]["bytes"] == expected
    assert link["where"][0]["node"] == "w/read"
    assert ("b/s" in link["text"]) == (expected > 0)


@pytest.mark.parametrize("label", ["", "[", "[]", "] from", " from  to ", "edge_ from to",
                                   "x from y", "x to y", "[1.0QB] w from /job:a/task:1 to b",
                                   "[99999999999999999999999GB] w from a to b"])
def test_labels_that_say_little(ours, label):
    found = links_of(ours, received(label, 1, 100))
    assert len(found["link"]) == 1


def test_times_on_a_link(ours):
    label = f"edge_8_%s from {PS % 0} to {CPU}"
    found = links_of(ours, received(label % "a", 100, 50, 1000),
                     received(label % "b", 120, 60, 500), received(label % "c", 300, 10, 500))
    (link,) = found["link"]
    assert link["figures"]["transfers"] == 3 and link["figures"]["bytes"] == 2000
    assert link["figures"]["micros"] == 120 and link["figures"]["busy_micros"] == 90
    assert link["figures"]["longest_micros"] == 60 and link["where"][0]["node"] == "b"
    assert [place["node"] for place in found["slowest_tensors"][0]["where"]] == ["b", "a", "c"]


@pytest.mark.parametrize("wait, level", [(50, "none"), (150, "notice"), (500, "warning"),
                                         (1800, "high")])
def test_waiting_for_tensors(ours, wait, level):
    label = f"edge_8_w from {PS % 0} to {CPU}"
    found = links_of(ours, received(label, 1, wait, 1000), entry("a", 1 + wait, 1000))
    (finding,) = found["waiting"]
    assert finding["level"] == level
    assert finding["stake"]["share"] == pytest.approx(wait / (wait + 1000))


def test_a_slow_link(ours):
    entries = [received(f"edge_{i}_w from {PS % i} to {CPU}", 1 + i, 900 if i == 3 else 100 + i,
                        10**6) for i in range(6)]
    found = links_of(ours, *entries, entry("a", 1, 1000))
    (slow,) = found["slow_link"]
    assert slow["from"] == "/job:ps/replica:0/task:3" and slow["level"] == "warning"
    entries[3] = received(f"edge_3_w from {PS % 3} to {CPU}", 4, 150, 10**6)
    assert "slow_link" not in links_of(ours, *entries, entry("a", 1, 1000))


def test_copies_are_links_too(ours):
    copies(3000).load(ours)
    found = findings(ours, "JobChecker")
    (copied,) = found["copies"]
    assert copied["figures"] == {"transfers": 2, "bytes": 4096, "micros": 5850,
                                 "busy_micros": 3000, "mean_micros": 2925, "longest_micros": 3000,
                                 "bits_per_second": 4096 * 8 / 0.003}
    assert copied["text"].startswith("copies to the device on " + MEMCPY.lower())
    assert set(found) == {"copies"}


def test_many_links_are_summed_up(ours):
    entries = [received(f"edge_{i}_w from {PS % i} to {CPU}", 1, 100 + i, 10) for i in range(30)]
    found = links_of(ours, *entries)
    assert len(found["link"]) == 20 and found["more_links"][0]["text"].startswith("and 10 more")


# -- the document --------------------------------------------------------------------------


def read_document():
    with open(os.path.join(tree.TOP, "docs", "advise.md"), encoding="utf-8") as file:
        return file.read()


def test_the_documented_checker_compiles(tmp_path):
    (source,) = re.findall(r"^```c\n(.*?)^```$", read_document(), re.MULTILINE | re.DOTALL)
    (tmp_path / "large_constant.c").write_text(source)
    done = subprocess.run(
        [os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
         "-Wno-unused-parameter", "-fsyntax-only", "-I", os.path.join(tree.TOP, "include"), "-I",
         os.path.join(tree.TOP, "src"), str(tmp_path / "large_constant.c")], capture_output=True,
        text=True)
    assert done.returncode == 0, done.stderr


def test_every_checker_and_option_is_documented(ours):
    text = read_document()
    make.clean(1).load(ours)
    advice, _ = advise(ours)
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL))
    assert list(sections) == ORDER
    for verdict in advice["checkers"]:
        section = sections[verdict["name"]]
        for option, value in verdict["options"].items():
            (row,) = [line for line in section.splitlines()
                      if line.startswith("| ") and f"`{option}`" in line.split("|")[1]]
            names = re.findall(r"`(\w+)`", row.split("|")[1])
            defaults = row.split("|")[2].strip().split(", ")
            if isinstance(value, (int, float)):
                assert float(defaults[names.index(option)]) == value, (verdict["name"], option)
            elif len(value) < 20:
                assert defaults[names.index(option)] == value, (verdict["name"], option)


# -- random input ------------------------------------------------------------------------


def test_random_entries_do_no_harm(ours):
    rng = random.Random(7)
    devices = [CPU, GPU, STREAM, MEMCPY, PS % 0, PS % 1, "", "/task:", "/job:/task:9", "gpu",
               "/stream:all", "/gpu:0/memcpy", WORKER % 3 + "/cpu:0"]
    names = ["a", "b", "c", "RecvTensor", "MEMCPYHtoD", "x:MEMCPYDtoH", "_SOURCE", "", "layer0/w"]
    numbers = [0, 1, 5, 1000, 10**6, 2**62, 2**63 - 1 - make.START, -1, -make.START, -2**62]
    pieces = ["[", "]", "1.0MB", "0B", " from ", " to ", "edge_", "7", "_", "/job:ps/task:0", " "]
    for _ in range(150):
        steps = []
        for _ in range(rng.randint(1, 4)):
            steps.append(run_meta(*(
                (rng.choice(devices), [
                    entry(rng.choice(names), rng.choice(numbers), rng.choice(numbers),
                          "".join(rng.choice(pieces) for _ in range(rng.randint(0, 9))),
                          rng.choice([None, 0, 7, 2**62, 2**63 - 1, -1]),
                          rng.choice([None, None, 0, 7, 2**63 - 1, -5]),
                          [(rng.choice(numbers), rng.choice(numbers)) for _ in range(2)])
                    for _ in range(rng.randint(0, 12))]) for _ in range(rng.randint(0, 5)))))
        nodes = [node("a", "MatMul", ["b", "^c"], T=1), node("c", "IteratorGetNext", ["a"]),
                 node("b", "VariableV2", shape=[2**40, 2**40])]
        Profile(nodes, steps).load(ours)
        answer, _ = ours.ask_advice(("TinyKernelChecker", "min_kernels", 1), "all",
                                    ("IdleGapChecker", "min_kernels", 1), output="json")
        json.loads(answer.stdout)
