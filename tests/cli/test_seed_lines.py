"""Command lines from the documents of TensorFlow's profiler, typed into the shell on
our 32-layer ResNet. Figures that depend on the model must match; for those that
depend on the machine, the form. Names of other models are replaced by ours."""

import json
import os
import re

import pytest
from tree import DATA
from wire import field

FILES = ("--graph_path=graph.pbtxt", "--op_log_path=tfprof_log",
         "--run_meta_path=run_meta_0,run_meta_1,run_meta_2")
TIMES = r"\d+(us|\.\d\dms|\.\d\dsec)/\d+(us|\.\d\dms|\.\d\dsec)"
MICROS = {"us": 1, "ms": 1e3, "sec": 1e6}


@pytest.fixture(scope="module")
def say(run):
    """The answer to the last line, without the explanation of columns."""
    def answer(*lines, files=FILES, directory=None):
        done = run(*files, stdin="".join(line + "\n" for line in lines).encode(),
                   directory=directory)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().split("\nProfile:\n")[-1]
    return answer


def shown(text):
    """(indentation, name, text in parentheses) of each line."""
    return [(len(indent), name, values) for indent, name, values in
            re.findall(r"^( *)(\S.*) \(([^()]*)\)$", text, re.M)]


def names(text):
    return [name for _, name, _ in shown(text)]


def micros(text):
    """'11.75ms' as a number."""
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|sec)", text).groups()
    return float(number) * MICROS[unit]


def own_micros(rows):
    """Own time by name, without the root."""
    return {name: micros(values.split("/")[0]) for _, name, values in rows[1:]}


def test_enter_shows_the_options(say):
    rows = [line.split() for line in say("").splitlines()]
    assert [row[0] for row in rows[:3]] == ["-max_depth", "-min_bytes", "-min_peak_bytes"]
    for row in (["-step", "-1"], ["-start_name_regexes", ".*"], ["-trim_name_regexes"],
                ["-account_displayed_op_only", "false"],
                ["-order_by", "name", "(op:", "first", "number", "in", "select)"]):
        assert row in rows
    assert ["-select", "micros"] in rows
    rows = [line.split() for line in say("set -order_by name", "").splitlines()]
    assert ["-order_by", "name"] in rows
    rows = [line.split() for line in say("", files=FILES[:1]).splitlines()]
    assert ["-select", "params"] in rows


def test_which_line_of_python_costs_most(say):
    text = say("code -max_depth 1000 -show_name_regexes .*resnet.*py.* -select micros "
               "-account_type_regexes .* -order_by micros")
    rows = shown(text)
    assert rows[0][:2] == (0, "_TFProfRoot")
    for _, name, values in rows[1:]:
        assert re.fullmatch(r"resnet\w*\.py:\d+:[^:]+:.*", name), name
        assert re.fullmatch(TIMES, values), values
    assert any(indent >= 6 for indent, _, _ in rows)


def test_model_variables(say):
    """The document's lines, no other; TensorFlow has since given a scalar the shape 1."""
    header, *lines = say("scope -account_type_regexes VariableV2 -max_depth 4 "
                         "-select params").splitlines()
    assert lines == ["_TFProfRoot (--/930.58k params)",
                     "  global_step (1, 1/1 params)",
                     "  init/init_conv/DW (3x3x3x16, 432/864 params)",
                     "  pool_logit/DW (64x10, 640/1.28k params)",
                     "    pool_logit/DW/Momentum (64x10, 640/640 params)",
                     "  pool_logit/biases (10, 10/20 params)",
                     "    pool_logit/biases/Momentum (10, 10/10 params)",
                     "  unit_last/final_bn/beta (64, 64/128 params)",
                     "  unit_last/final_bn/gamma (64, 64/128 params)",
                     "  unit_last/final_bn/moving_mean (64, 64/64 params)",
                     "  unit_last/final_bn/moving_variance (64, 64/64 params)"]


def test_all_scopes_brings_the_others_back(say):
    line = "scope -account_type_regexes VariableV2 -max_depth 4 -select params"
    some, all_rows = shown(say(line)), shown(say(line + " -all_scopes"))
    assert len(all_rows) > 100
    assert ("pool_logit", "--/1.30k params") in [row[1:] for row in all_rows]
    assert [row[1:] for row in all_rows if "--/" not in row[2] or row[1] == "_TFProfRoot"] == \
        [row[1:] for row in some]


def test_most_expensive_operations(say):
    text = say("op -select micros,bytes,occurrence -order_by micros")
    header, *rows, rest = text.splitlines()
    assert re.fullmatch(r"… \d+ more \(max_depth 10\)", rest)
    assert header == ("node name | requested bytes | total execution time | op occurrence "
                      "(run|defined)")
    share = r"\(\d+\.\d\d%, \d+\.\d\d%\)"
    for row in rows:
        assert re.fullmatch(rf"\S+ +\d[\d.]*[KM]?B {share}, +{TIMES.split('/')[0]} {share}, "
                            r"+\d+\|\d+", row), row
    cumulated = [float(re.findall(r"\((\d+\.\d\d)%", row)[1]) for row in rows]
    assert cumulated[0] == 100 and cumulated == sorted(cumulated, reverse=True)


def test_accelerators_have_a_column_of_their_own(say, devices):
    """The table of the later document."""
    text = say("op -select micros,bytes,occurrence -order_by micros",
               files=("--profile_path=profile",), directory=devices)
    assert text.splitlines()[0] == (
        "node name | requested bytes | total execution time | accelerator execution time | "
        "cpu execution time | op occurrence (run|defined)")


def test_operations_below_a_minimum_are_not_listed(say):
    every = say("op -max_depth 1000").splitlines()[1:]
    some = say("op -max_depth 1000 -min_micros 20000").splitlines()[1:]
    assert some == [row for row in every if micros(row.split()[1]) >= 20000]
    assert 3 < len(some) < len(every)


def test_what_cost_depends_on(say):
    text = say("graph -start_name_regexes cost.* -max_depth 1000 -min_micros 1000 -select micros "
               "-account_type_regexes .*")
    rows = shown(text)
    assert rows[1][1] == "cost"
    assert "unit_1_0/sub2/conv2/Conv2D" in names(text)
    assert not any(name.startswith("gradients/") for name in names(text))
    for _, _, values in rows[1:]:
        assert re.fullmatch(TIMES, values), values


def test_what_cost_depends_on_and_takes_long_itself(say):
    line = "graph -start_name_regexes cost.* -max_depth 100 -select micros -account_type_regexes .*"
    every = own_micros(shown(say(line)))
    some = own_micros(shown(say(line + " -min_own_micros 8000")))
    assert some == {name: time for name, time in every.items() if time >= 8000}
    assert 1 < len(some) < 20


def test_expensive_back_propagation(say):
    text = say("scope -start_name_regexes gradient.* -max_depth 100 -min_micros 1000 "
               "-select micros -account_type_regexes .*")
    found = names(text)
    assert all(name.startswith("gradients") for name in found[1:])
    filters = re.compile(r"gradients/unit_1_\d/sub\d/conv\d/Conv2D_grad/Conv2DBackpropFilter")
    assert any(filters.fullmatch(name) for name in found)


def test_expensive_back_propagation_itself(say):
    """As in the document: one level, each row's own time is its total."""
    line = "scope -start_name_regexes gradient.* -max_depth 100 -select micros " \
        "-account_type_regexes .*"
    rows = shown(say(line + " -min_own_micros 20000"))
    for indent, name, values in rows[1:]:
        own, total = values.split("/")
        assert (indent, own) == (2, total)
        assert re.fullmatch(r"gradients/unit_\d_\d/sub\d/conv\d/Conv2D_grad/Conv2DBackprop\w+", name)
    every = own_micros(shown(say(line)))
    assert own_micros(rows) == {name: time for name, time in every.items() if time >= 20000}
    assert 10 < len(rows) < 40


def test_float_operations(say):
    """Counts the operations that had a formula when the document was written."""
    text = say("scope -min_float_ops 1 -max_depth 10 -select float_ops "
               "-account_type_regexes Conv2D,MatMul,BiasAdd", files=FILES[:2])
    for line in ("_TFProfRoot (--/17.63b flops)",
                 "  gradients/pool_logit/xw_plus_b/MatMul_grad/MatMul (163.84k/163.84k flops)",
                 "  gradients/pool_logit/xw_plus_b/MatMul_grad/MatMul_1 (163.84k/163.84k flops)",
                 "  init/init_conv/Conv2D (113.25m/113.25m flops)",
                 "  pool_logit/xw_plus_b (1.28k/165.12k flops)",
                 "    pool_logit/xw_plus_b/MatMul (163.84k/163.84k flops)",
                 "  unit_1_0/sub1/conv1/Conv2D (603.98m/603.98m flops)",
                 "  unit_1_0/sub2/conv2/Conv2D (603.98m/603.98m flops)",
                 "  unit_1_1/sub1/conv1/Conv2D (603.98m/603.98m flops)",
                 "  unit_1_1/sub2/conv2/Conv2D (603.98m/603.98m flops)"):
        assert line + "\n" in text + "\n", line


def test_trainable_variables(say):
    """The document's lines, no other."""
    text = say("set -account_type_regexes _trainable_variables",
               "scope -max_depth 4 -select params")
    assert text.splitlines()[1:] == [
        "_TFProfRoot (--/464.15k params)", "  init/init_conv/DW (3x3x3x16, 432/432 params)",
        "  pool_logit/DW (64x10, 640/640 params)", "  pool_logit/biases (10, 10/10 params)",
        "  unit_last/final_bn/beta (64, 64/64 params)",
        "  unit_last/final_bn/gamma (64, 64/64 params)"]


def test_chosen_by_name(say):
    """Without a run, -select params is the default."""
    text = say("set -account_type_regexes _trainable_variables", "set -account_type_regexes .*",
               "scope -show_name_regexes unit_2_1.*DW -max_depth 100 -account_displayed_op_only",
               files=FILES[:2])
    assert text.splitlines()[1:] == [
        "_TFProfRoot (--/18.43k params)",
        "  unit_2_1/sub1/conv1/DW (3x3x32x32, 9.22k/9.22k params)",
        "  unit_2_1/sub2/conv2/DW (3x3x32x32, 9.22k/9.22k params)"]


def test_types_of_ones_own(say, resnet):
    (resnet / "own_log").write_bytes(b"".join(
        field(1, field(1, name) + field(3, b"pool_logit"))
        for name in (b"pool_logit/DW", b"pool_logit/biases")))
    text = say("scope -account_type_regexes pool_logit -max_depth 4 -select params",
               files=("--graph_path=graph.pbtxt", "--op_log_path=own_log"))
    assert text.splitlines()[1:] == [
        "_TFProfRoot (--/650 params)", "  pool_logit/DW (64x10, 640/640 params)",
        "  pool_logit/biases (10, 10/10 params)"]


def test_one_shot_without_a_run(run):
    done = run("scope", "--graph_path=graph.pbtxt", "--max_depth=3")
    text = done.stdout.decode()
    assert "\n_TFProfRoot (--/930.58k params)\n" in text and "0us" not in text
    assert done.stderr == b""
    for view in ("scope", "graph", "op"):
        done = run(view, "--graph_path=graph.pbtxt", "--output=json")
        assert json.loads(done.stdout)["options"]["select"] == ["params"]


def test_report_into_a_file(run, tmp_path):
    done = run("scope", "--graph_path=graph.pbtxt", "--max_depth=3",
               f"--output=file:outfile={tmp_path}/dump")
    assert (done.returncode, done.stdout) == (0, b"")
    text = (tmp_path / "dump").read_text()
    assert "\n_TFProfRoot (--/930.58k params)\n" in text
    assert "\n    pool_logit/DW (64x10, 640/1.28k params)\n" in text
    assert "\n    pool_logit/biases (10, 10/20 params)\n" in text


def test_by_device(say, devices):
    """A device is a type, too."""
    for task, n_params in (("0", 690), ("1", 0)):
        text = say("scope -select device,params -max_depth 1 "
                   f"-account_type_regexes .*ps.*task:{task}.*",
                   files=("--profile_path=profile",), directory=devices)
        assert text.splitlines()[1:] == [f"_TFProfRoot (--/{n_params} params)"]


def test_values_in_a_checkpoint(say):
    prefix = os.path.join(DATA, "tensor_value", "model.ckpt")
    text = say("scope -show_name_regexes t007 -select tensor_value -max_depth 5",
               files=(f"--checkpoint_path={prefix}",))
    assert text.splitlines()[1:] == ["_TFProfRoot ()", "  t007 ()", "[1.50 2.00 1234570.00 ],"]


def test_shapes_in_a_checkpoint(say):
    prefix = os.path.join(DATA, "checkpoint", "single", "model.ckpt")
    text = say("scope -account_type_regexes _checkpoint_variables -select params -max_depth 4",
               files=(f"--checkpoint_path={prefix}",))
    for line in ("  global_step (1, 1/1 params)", "  layer/biases (4, 4/8 params)",
                 "    layer/biases/Momentum (4, 4/4 params)"):
        assert line in text.splitlines()


def test_a_checkpoint_alone_shows_shapes_and_parameters(run):
    prefix = os.path.join(DATA, "checkpoint", "single", "model.ckpt")
    alone = run("scope", f"--checkpoint_path={prefix}").stdout.decode()
    assert "    layer/biases (4, 4/8 params)" in alone.splitlines()
    asked = run("scope", f"--checkpoint_path={prefix}", "--select=micros").stdout.decode()
    assert "  global_step (0us/0us)" in asked.splitlines()


def test_advise(say):
    text = say("advise")
    order = [text.index(f"{name}:\n") for name in
             ("AcceleratorUtilizationChecker", "OperationChecker", "JobChecker",
              "ExpensiveOperationChecker")]
    assert order == sorted(order)
    time = r"\d+(us|\.\d\dms|\.\d\dsec)"
    times = rf"cpu: {time}, accelerator: 0us, total: {time}"
    # what ran: a kernel of oneDNN
    assert re.search(rf"^top 1 operation type: (_MklNative)?Conv2D\w*, {times} \(\d\d\.\d\d%\)$",
                     text, re.M)
    assert re.search(rf"^top 1 graph node: \S+/Conv2DBackprop\w+, {times}$", text, re.M)
    assert "total: 0us" not in text
    assert re.search(rf"^ *\S+\.py:\d+:.*, {times}$", text, re.M)
    assert re.search(rf"^    resnet_model.py:24:.*, {times}\n      resnet_model.py", text, re.M), \
        "below a line, the largest it calls"
    assert re.search(r"^nothing found by: .*OperationChecker", text, re.M)
    assert re.search(r"^not applicable: AcceleratorUtilizationChecker, .* \(no accelerator\)", text, re.M)


def test_timeline(say, tmp_path):
    text = say(f"graph -step -1 -max_depth 100000 -output timeline:outfile={tmp_path}/timeline")
    assert text.count("generating trace file.\n") == 3, "one for each step"
    for step in range(3):
        path = f"{tmp_path}/timeline_{step}"
        assert f"\nTimeline file is written to {path}.\n" in text
        with open(path) as file:
            assert len(json.load(file)["traceEvents"]) > 1000
    assert "\n" + "*" * 54 + "\n" in text


def test_pprof(say, tmp_path):
    path = tmp_path / "for_pprof"
    text = say(f"code -select cpu_micros -max_depth 100000 -output pprof:outfile={path}  "
               "-trim_name_regexes .*apply_op.*")
    assert "pprof" in text and str(path) in text
    assert path.read_bytes()[:2] == b"\x1f\x8b" and os.path.getsize(path) > 1000
