"""One rule at a time, in traces written for it; and traces that are built to do harm."""

import glob
import json
import os
import random
import subprocess

import make
import pytest
import tree
from asked import ask, check, run

US = 1_000_000
RECORD, START, STOP = ("ThreadpoolListener::" + name for name in ("Record", "StartRegion", "StopRegion"))


def write(path, *lines, names=(), planes=()):
    """A trace of a host; lines are lists of events, times in microseconds."""
    plane = make.Plane("/host:CPU")
    for i, events in enumerate(lines):
        name = names[i] if i < len(names) else f"thread/{i}"
        plane.add_line(name, [(e[0], e[1] * US, e[2] * US, e[3] if len(e) > 3 else {}) for e in events], id_=i + 1)
    path.write_bytes(make.space(plane, *planes))
    return path


def marker(number, start, duration):
    return ("train", start, duration, {"step_num": number, "_r": 1})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t.xplane.pb"


def us(step, part):
    return step.parts[part] / US


def test_a_task_works_for_the_operation_that_queued_it(path):
    answer = ask(write(path, [marker(0, 0, 100), ("a:MatMul", 10, 20), (RECORD, 12, 0, {"_pt": 15, "_p": 7})],
                       [(START, 15, 0, {"_ct": 15, "_c": 7}), (STOP, 28, 0)]))
    check(answer)
    assert us(answer.steps[0], "compute") == 20
    assert answer.steps[0].causes["compute"] == {"a": 20 * US}


def test_a_task_counts_only_until_its_operation_is_over(path):
    answer = ask(write(path, [marker(0, 0, 100), ("a:MatMul", 10, 20), (RECORD, 12, 0, {"_pt": 15, "_p": 7}),
                              (RECORD, 13, 0, {"_pt": 15, "_p": 8})],
                       [(START, 15, 0, {"_ct": 15, "_c": 7}), (STOP, 90, 0)],
                       [(START, 40, 0, {"_ct": 15, "_c": 8}), (STOP, 60, 0)]))
    assert us(answer.steps[0], "compute") == 20


def call(graph, start, duration, n_traced=1, how="notTraced-nonXla"):
    """Of a tf.function f, which runs a graph."""
    return [("f", start, duration, {"tf_function_call": how, "tracing_count": n_traced}),
            ("EagerExecute", start + 1, duration - 2, {"eager_op": graph, "is_func": 1})]


def test_functions_of_one_name_are_told_apart_by_their_graphs(path):
    """Keras calls what trains and what evaluates by one name."""
    starts = [0, 50, 100, 150, 180, 220, 270]
    graphs = ["__inference_f_7"] * 3 + ["__inference_f_30"] * 2 + ["__inference_f_7"] * 2
    events = [event for start, graph in zip(starts, graphs) for event in call(graph, start, 40 if "7" in graph else 20)]
    answer = ask(write(path, events))
    check(answer)
    assert answer.steps_by == "calls of f"
    assert [(step.wall / US, step.gap / US) for step in answer.steps] == [(40, 0), (50, 0), (50, 0), (60, 60), (50, 0)]
    assert [note["text"] for note in answer.document["notes"] if note["id"] == "other_calls"] == [
        "2 calls of another function of this name, f_30, 0.0 ms in all, are no steps: --step_function=f_30 makes them "
        "steps"]
    answer = ask(path, "--step_function=f_30")
    assert answer.steps_by == "calls of f" and [step.wall / US for step in answer.steps] == [20, 30]
    # What computes gradients trains, though it takes less here.
    gradient = ("model/gradient_tape/dense/MatMul:MatMul", 155, 5)
    assert [step.wall / US for step in ask(write(path, events, [gradient])).steps] == [20, 30]
    assert len(ask(path, "--step_function=f_7").steps) == 5


@pytest.mark.parametrize("calls", [
    # Traced three times: three graphs of one function.
    [("__inference_f_1", 3), ("__inference_f_2", 3), ("__inference_f_3", 3), ("__inference_f_1", 3)],
    [("__inference_f_1", 1), ("__inference_f_2", 2), ("__inference_f_3", 3)],
    # Made anew each time.
    [("__inference_f_1", 1), ("__inference_f_2", 1), ("__inference_f_3", 1)],
    # Nothing tells how often; graphs of other names.
    [("__inference_f_1", 0), ("__inference_f_2", 0), ("__inference_f_3", 0)],
    [("__forward_f_1", 1), ("__inference_f_2", 1), ("__inference_g_3", 1)]])
def test_a_function_may_have_several_graphs(path, calls):
    events = [event for i, (graph, n) in enumerate(calls) for event in call(graph, 50 * i, 40, n)]
    answer = ask(write(path, events))
    assert len(answer.steps) == len(calls) and not answer.document["notes"]


def test_calls_of_several_threads_at_once_launch_runs_of_their_own(path):
    runs = [(f"dot.{i}", start, 10, {"hlo_op": "dot.1", "hlo_module": "jit_f", "program_id": 1, "run_id": 10 + i})
            for i, start in enumerate([5, 20, 105, 120])]
    answer = ask(write(path, [marker(0, 0, 50), marker(1, 100, 50)],
                       [("PjitFunction(f)", 1, 30), ("PjitFunction(f)", 2, 28), ("PjitFunction(f)", 101, 30)],
                       [("PjitFunction(f)", 3, 30), ("PjitFunction(f)", 103, 30)], runs,
                       names=["python", "a", "b", "tf_XLAEigen/1"]))
    check(answer)
    assert [(step.wall / US, us(step, "compute")) for step in answer.steps] == [(50, 20), (50, 20)]


def test_elements_of_a_stage_are_one_cause(path):
    def stage(index, name, start):
        return (f"Iterator::Root::Interleave[{index}]::Map", start, 10, {"name": name})
    answer = ask(write(path, [marker(0, 0, 100), ("IteratorGetNextOp::DoCompute", 0, 40),
                              stage(0, "MapDataset:3", 0), stage(1, "MapDataset:5", 10), stage(0, "MapDataset:7", 20),
                              ("Iterator::Root::FlatMap[0]::Generator", 30, 10, {"name": "GeneratorDataset:5"})]))
    check(answer)
    assert answer.steps[0].causes["input"] == {"Iterator::Root::Interleave::Map (MapDataset)": 30 * US,
                                               "Iterator::Root::FlatMap[0]::Generator (GeneratorDataset:5)": 10 * US}


def test_what_runs_side_by_side_shares_the_time(path):
    answer = ask(write(path, [marker(0, 0, 100), ("a:MatMul", 10, 40)], [("b:Conv2D", 30, 40)]))
    assert answer.steps[0].causes["compute"] == {"a": 30 * US, "b": 30 * US}
    assert us(answer.steps[0], "compute") == 60


def test_an_asynchronous_step_ends_when_its_work_does(path):
    def xla(run, start, duration):
        return ("dot", start, duration, {"hlo_op": "dot", "hlo_module": "jit_f", "program_id": 6, "run_id": run})
    answer = ask(write(path, [marker(0, 0, 5), ("PjitFunction(f)", 1, 3), marker(1, 6, 5), ("PjitFunction(f)", 7, 3)],
                       [xla(1, 2, 40), xla(2, 42, 50)]))
    check(answer)
    assert [step.wall / US for step in answer.steps] == [42, 50]
    assert [step.gap for step in answer.steps] == [0, 0]
    assert us(answer.steps[1], "compute") == 50


def test_the_time_between_markers_is_a_gap(path):
    answer = ask(write(path, [marker(0, 0, 10), ("$user.py:9 log_metrics", 12, 6), marker(1, 20, 10)]))
    assert [step.gap / US for step in answer.steps] == [0, 10]
    assert answer.steps[1].causes["gap"]["user.py:9 log_metrics"] == 6 * US
    assert "log_metrics" in answer.headline


def test_some_of_the_steps_can_be_asked_for(path):
    """Whether a step stands for the rest is decided among all of them; the gap before the first one chosen is known."""
    write(path, [marker(0, 0, 500), marker(1, 510, 10), marker(2, 530, 20), marker(3, 560, 30), marker(4, 600, 10)])
    some = ask(path, "--steps=2:3")
    check(some)
    assert [(step.number, step.wall / US, step.gap / US) for step in some.steps] == [(2, 20, 10), (3, 30, 10)]
    assert some.document["wall_micros"] == 25 and some.document["gap_micros"] == 10
    assert [step.number for step in ask(path, "--steps=4").steps] == [4]
    first = ask(path, "--steps=0:1")
    assert [step.steady for step in first.steps] == [False, True] and first.document["wall_micros"] == 10
    assert ask(path, "--steps=0").document["wall_micros"] == 500
    for wrong, said in (("3:2", "such as 10:20"), ("a", "such as 10:20"), ("1:", "such as 10:20"), ("-1", "such as 10:20"),
                        ("7:9", "the steps are 0 to 4"), ("99999999999999999999", "the steps are 0 to 4")):
        done = run(path, f"--steps={wrong}")
        assert done.returncode and said in done.stderr, wrong


def test_a_marker_that_begins_in_a_python_frame_is_not_cut(path):
    answer = ask(write(path, [("$profiler.py:385 __init__", 0, 2), marker(0, 1, 20)]))
    assert answer.steps[0].wall == 20 * US


def test_a_wait_is_two_events(path):
    wait = "CommonPjRtBuffer::Await"
    answer = ask(write(path, [marker(0, 0, 100), (wait, 10, 0, {"_pt": 1, "_p": 5}), (wait, 60, 0, {"_ct": 1, "_c": 5})]))
    assert us(answer.steps[0], "runtime") == 50


def test_compiling_is_everything_in_a_call_that_compiles(path):
    answer = ask(write(path, [marker(0, 0, 100), ("PjitFunction(f)", 10, 50), ("backend_compile_and_load", 20, 10)]))
    assert us(answer.steps[0], "compile") == 50
    assert "trace and compile PjitFunction(f)" in answer.headline


def test_a_python_function_called_compile_does_not_compile(path):
    """A call with effects runs through Python each time, where functions have such names."""
    answer = ask(write(path, [marker(0, 0, 100), ("PjitFunction(f)", 10, 50), ("$pxla.py:1209 compile", 20, 10)]))
    assert us(answer.steps[0], "compile") == 0 and us(answer.steps[0], "dispatch") == 50
    assert not any(note["id"] == "compiled" for note in answer.document["notes"])


def test_a_function_that_xla_compiles_is_compiled_before_it_runs(path):
    """TensorFlow does so where the function is about to run: no event of its own is around all of it."""
    name = "__inference_f_6:__inference_f_6"
    answer = ask(write(path, [marker(0, 0, 100), ("f", 5, 90, {"tf_function_call": "notTraced-xla"}), (name, 10, 80),
                              ("HLO passes through layout assignment", 20, 10), ("CpuCompiler::RunBackend", 30, 40),
                              ("dot", 80, 5, {"hlo_op": "dot", "hlo_module": "a_inference_f_6", "program_id": 6})]))
    check(answer)
    step = answer.steps[0]
    assert step.causes["compile"] == {"trace and compile f": step.parts["compile"]} and us(step, "compile") >= 60
    assert us(step, "python") == 10 and us(step, "compute") == 5
    assert any(note["text"].startswith("f was compiled 1 time, ") for note in answer.document["notes"])


def test_a_callback_beside_computing_is_hidden(path):
    answer = ask(write(path, [marker(0, 0, 100), ("a:PyFunc", 10, 50)], [("b:MatMul", 40, 40)]))
    check(answer)
    step = answer.steps[0]
    assert us(step, "callback") == 30 and step.hidden["callback"] == 20 * US and us(step, "compute") == 40


def test_functions_of_c_between_those_of_the_user_are_passed_over(path):
    answer = ask(write(path, [marker(0, 0, 1000), ("$train.py:9 main", 0, 1000), ("$builtins next", 100, 800),
                              ("$data.py:5 augment", 200, 600), ("$fromnumeric.py:939 sort", 250, 500)]))
    assert answer.steps[0].causes["python"]["train.py:9 main > data.py:5 augment"] == 600 * US


def test_input_is_waited_for_only_while_nothing_computes(path):
    get = "IteratorGetNextOp::DoCompute"
    answer = ask(write(path, [marker(0, 0, 100), (get, 10, 40, {"id": 1})], [("a:MatMul", 40, 30)],
                       [("Iterator::Root::Map", 5, 60, {"name": "MapDataset:1"})],
                       names=["python", "tf_Compute/1", "tf_data_iterator_resource/1"]))
    step = answer.steps[0]
    assert us(step, "input") == 30 and us(step, "compute") == 30 and step.hidden["input"] == 10 * US
    assert step.causes["input"] == {"Iterator::Root::Map (MapDataset:1)": 30 * US}


def test_work_of_the_input_pipeline_is_never_of_the_step(path):
    answer = ask(write(path, [marker(0, 0, 100)], [("map/Mul:Mul", 10, 40)],
                       names=["python", "tf_data_private_threadpool/1"]))
    assert us(answer.steps[0], "compute") == 0 and answer.steps[0].input_work == 40 * US


def test_calls_of_the_heaviest_function_are_steps(path):
    def call(name, start, duration):
        return (name, start, duration, {"tf_function_call": "notTraced-nonXla"})
    path = write(path, [call("train", 0, 30), call("log", 31, 5), call("train", 40, 30), call("log", 71, 5)])
    answer = ask(path)
    assert answer.steps_by == "calls of train"
    assert [step.wall / US for step in answer.steps] == [30, 40]
    answer = ask(path, "--step_function=log")
    assert answer.steps_by == "calls of log" and [step.wall / US for step in answer.steps] == [5, 40]


def test_a_function_that_is_not_called_is_an_error(path):
    write(path, [marker(0, 0, 100), ("a:MatMul", 10, 20)])
    done = run(path, "--step_function=nothing")
    assert done.returncode == 2 and "no call of 'nothing'" in done.stderr


def test_without_steps_the_trace_is_one(path):
    answer = ask(write(path, [("a:MatMul", 10, 20), ("b:MatMul", 40, 20)]))
    assert answer.steps_by == "whole trace" and answer.steps[0].wall == 50 * US
    assert any(note["id"] == "no_steps" for note in answer.document["notes"])


def test_devices_on_which_nothing_repeats_have_no_steps(path):
    gpu = make.Plane("/device:GPU:0")
    gpu.add_line("Stream #1", [("kernel", 30 * US, 9 * US, {}), ("other", 50 * US, 20 * US, {})])
    answer = ask(write(path, [("PjitFunction(f)", 10, 5), ("PjitFunction(g)", 40, 5)], planes=[gpu]))
    assert answer.steps_by == "none" and not answer.steps
    assert "A step takes" not in answer.headline


def test_an_operation_of_a_tpu_is_not_what_it_takes_as_arguments(path):
    tpu = make.Plane("/device:TPU:0")
    layout = "f32[5,8]{1,0:T(8,128)S(5)}"
    ops = [("%add_fusion.1 = " + layout + " fusion(" + layout + " %copy-done.2, f32[] %all-reduce.1), kind=kLoop",
            "add_fusion.1", "loop fusion"),
           ("%copy-done.2 = " + layout + " copy-done((" + layout + ", u32[]{:S(2)}) %fusion.3)", "copy-done.2", "copy-done"),
           ("%sum.1 = (" + layout + ", f32[]) all-reduce(" + layout + " %fusion.3)", "sum.1", "")]
    tpu.add_line("XLA Ops", [((text, display, [("hlo_category", category)] if category else []), at * US, 10 * US, {})
                             for at, (text, display, category) in zip((10, 20, 30), ops)])
    answer = ask(write(path, [marker(0, 0, 100)], planes=[tpu]))
    (step,) = answer.steps
    assert [us(step, part) for part in ("compute", "copy", "communication")] == [10, 10, 10]


def tpu_that_runs(device, starts, lengths, program=7):
    """Runs of jit_f, of two operations with 2 us between them; the host's clock has other times."""
    tpu = make.Plane(f"/device:TPU:{device}")
    modules, ops = [], []
    for run, (start, length) in enumerate(zip(starts, lengths)):
        modules.append((f"jit_f({program})", 100 * run * US, 90 * US, {"run_id": 10 + run}))
        for name, begin, duration in (("dot.1", start, length - 12), ("copy-done.1", start + length - 10, 10)):
            ops.append((name, (100 * run + 5 + 40 * (begin != start)) * US, 3 * US,
                        {"device_offset_ps": begin * US, "device_duration_ps": duration * US}))
    tpu.add_line("XLA Modules", modules)
    tpu.add_line("XLA Ops", ops)
    return tpu


def test_runs_of_the_program_of_tpus_are_steps_by_the_clock_of_the_device(path):
    planes = [tpu_that_runs(0, (3, 105, 206), (50, 51, 52)), tpu_that_runs(1, (3, 104, 205), (60, 60, 62))]
    answer = ask(write(path, [("PjitFunction(f)", 0, 1), ("PjitFunction(f)", 2, 1)], planes=planes))
    assert answer.steps_by == "runs of jit_f"
    assert [step.wall / US for step in answer.steps] == [60, 60, 62]
    assert [step.gap / US for step in answer.steps] == [0, 41, 41]
    assert [us(answer.steps[0], part) for part in ("compute", "copy", "unknown")] == [48, 10, 2]


@pytest.mark.parametrize("planes", [[tpu_that_runs(0, (3,), (50,))],
                                    [tpu_that_runs(0, (3, 105), (50, 51)), tpu_that_runs(1, (3,), (50,))]],
                         ids=["one run", "one run on one device"])
def test_what_ran_once_on_a_tpu_is_no_step(path, planes):
    answer = ask(write(path, [("PjitFunction(f)", 0, 1), ("PjitFunction(f)", 2, 1)], planes=planes))
    assert answer.steps_by == "none" and not answer.steps


def test_runs_on_a_tpu_that_overlap_are_no_longer_than_the_time_they_took(path):
    check(ask(write(path, [("x", 0, 1)], planes=[tpu_that_runs(0, (3, 10, 11), (500, 20, 600))])))


def test_the_longest_device_decides_the_length_of_a_step(path):
    planes = []
    for i, duration in enumerate((20, 30)):
        gpu = make.Plane(f"/device:GPU:{i}")
        gpu.add_line("Steps", [("0", 10 * US, duration * US, {})])
        gpu.add_line("Stream #1", [("kernel", 10 * US, 9 * US, {})])
        planes.append(gpu)
    answer = ask(write(path, [("x", 0, 1)], planes=planes))
    assert answer.steps_by == "device steps" and [step.wall for step in answer.steps] == [30 * US]
    assert run(path, "--on=gpu:1").returncode == 0
    done = run(path, "--on=gpu:7")
    assert done.returncode == 2 and "expected one of: GPU:0, GPU:1" in done.stderr


def test_the_body_of_a_loop_over_a_dataset_computes(path):
    """tf.data calls it: "for x in data" in a tf.function."""
    main = [marker(0, 0, 100), ("KernelAndDeviceFunc::Run", 1, 98)]
    loop = [("ReduceDatasetOp::DoCompute", 2, 96, {"id": 1}), ("MakeIterator::RootDataset", 3, 7),
            ("ReduceIterator::Root", 20, 60), ("ReduceIterator::Root::Prefetch", 21, 58, {"name": "prefetch"})]
    stage = [("ReduceIterator::Root::Prefetch::Scan", 20, 59, {"name": "ScanDataset:3"}),
             ("ReduceIterator::Root::Prefetch::Scan::Map", 21, 9, {"name": "MapDataset:1"}),
             ("InstantiatedCapturedFunction::Run", 22, 8, {"id": 5}), ("InstantiatedCapturedFunction::Run", 40, 30, {"id": 6})]
    pool = [("ExecutorState::Process", 22, 7, {"id": 5, "iter_num": 0}), ("load:Cast", 23, 5),
            ("ExecutorState::Process", 41, 29, {"id": 6, "iter_num": 0}), ("a:MatMul", 42, 26)]
    answer = ask(write(path, main, loop, stage, pool,
                       names=["python", "tf_data_reduce/1", "tf_data_prefetch/2", "tf_data_private_threadpool/3"]))
    check(answer)
    (step,) = answer.steps
    assert step.causes["compute"] == {"a": 26 * US}
    assert us(step, "input") == 7 + 60 - 26 and step.causes["input"]["MakeIterator::RootDataset"] == 7 * US
    assert step.causes["input"]["ReduceIterator::Root::Prefetch::Scan::Map (MapDataset:1)"] == 9 * US
    assert step.input_work == 5 * US


def test_a_queue_is_the_cause_of_waiting_for_it(path):
    pool = [("ExecutorState::Process", 10, 60, {"id": 1, "iter_num": 0}), ("fifo_Dequeue:QueueDequeueV2", 11, 50)]
    answer = ask(write(path, [marker(0, 0, 100)], pool, [("Iterator::Root::Map", 0, 90, {"name": "MapDataset:1"})],
                       names=["python", "tf_Compute/1", "tf_data_prefetch/2"]))
    assert answer.steps[0].causes["input"] == {"fifo_Dequeue": 50 * US}


def test_the_users_file_is_that_of_the_first_frame_in_the_marker(path):
    """A library that marks steps says less than the function that it calls."""
    frames = [("$trainer.py:8 run", 0, 100), marker(0, 10, 80), ("$mine.py:3 step", 11, 70), ("$mine.py:9 augment", 20, 50),
              ("$builtins sum", 30, 30)]
    answer = ask(write(path, [*frames, ("$trainer.py:20 log", 95, 4)]))
    causes = answer.steps[0].causes["python"]
    assert causes["mine.py:9 augment > builtins sum"] == 30 * US and causes["mine.py:9 augment"] == 20 * US
    assert causes["trainer.py:8 run"] == 10 * US


@pytest.mark.parametrize("file", ["tree_util.py", "trainer.py"])
def test_a_library_or_the_same_file_in_the_marker_changes_nothing(path, file):
    frames = [("$trainer.py:8 run", 0, 100), marker(0, 10, 80), (f"${file}:30 flatten", 11, 70), ("$builtins sum", 20, 50)]
    user = "trainer.py:30 flatten" if file == "trainer.py" else "trainer.py:8 run"
    assert f"{user} > builtins sum" in ask(write(path, frames)).steps[0].causes["python"]


def test_short_steps_have_more_digits(path):
    write(path, [marker(0, 0, 47), ("a:MatMul", 10, 3)])
    text = run(path).stdout
    assert "wall 0.0470" in text and [line.split()[1] for line in text.splitlines() if line.startswith("compute")] == ["0.0030"]


def test_advice_says_what_a_slow_step_did(path):
    """Nine steps that compute, one of which also sleeps."""
    events = []
    for i in range(9):
        at = 10000 * i
        events += [marker(i, at, 9000 if i == 6 else 2000 + i), ("a:MatMul", at + 10, 1500)]
        events += [("$mine.py:3 save", at + 1600, 7000)] if i == 6 else []
    done = subprocess.run([tree.program(), "advise", write(path, events), "--output=json:outfile=-"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    (checker,) = [c for c in json.loads(done.stdout)["checkers"] if c["name"] == "StepOutlierChecker"]
    (slow,) = checker["findings"]
    assert slow["step"] == 6 and slow["text"].endswith("; 7.00ms longer than usual: Python (mine.py:3 save)")


def test_operations_are_not_loaded_for_the_text(path):
    """It is the same; only what was loaded is not told."""
    write(path, [marker(0, 0, 100), ("a:MatMul", 10, 20), ("b:MatMul", 110, 5)])
    text = run(path)
    assert text.stderr == "" and text.stdout.startswith(ask(path).headline + "\n")
    path.write_bytes(path.read_bytes()[:-9])
    cut, whole = run(path), subprocess.run([tree.program(), "op", path], capture_output=True, text=True)
    assert cut.returncode == whole.returncode and cut.stderr == whole.stderr and "cut short" in cut.stderr
    assert run(path, "--recover").returncode == 0


def test_the_same_trace_twice_is_refused(path):
    write(path, [marker(0, 0, 100)])
    done = run(path, path)
    assert done.returncode == 2 and "the same trace is there already" in done.stderr


def test_max_depth_cuts_causes_and_parts(path):
    write(path, [marker(0, 0, 100), ("a:MatMul", 10, 20)])
    assert {row["depth"] for row in ask(path).rows} == {0, 1, 2, 3}
    assert {row["depth"] for row in ask(path, "--max_depth=3").rows} == {0, 1, 2}
    assert {row["depth"] for row in ask(path, "--max_depth=2").rows} == {0, 1}


def test_the_text_starts_with_the_sentence(path):
    write(path, [marker(0, 0, 100), ("a:MatMul", 10, 20)])
    lines = run(path).stdout.splitlines()
    assert lines[0] == ask(path).headline
    assert lines[2].startswith("1 step by markers")
    assert [line.split()[0] for line in lines[4:]] == ["python", "compute", "wall", "step"]


def test_a_profile_without_a_run_says_what_to_add(tmp_path):
    (tmp_path / "graph.pbtxt").write_text('node { name: "a" op: "NoOp" }')
    done = run(tmp_path / "graph.pbtxt")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "*.xplane.pb" in done.stderr


# ---- several hosts ------------------------------------------------------------------------------

def test_a_step_of_several_hosts_is_that_of_the_slowest(tmp_path):
    for name, durations in {"a": (10, 30), "b": (20, 25)}.items():
        write(tmp_path / f"{name}.xplane.pb", [marker(0, 0, durations[0]), marker(1, 50, durations[1])])
    done = run(f"--xplane_path={tmp_path}", "--output=json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["nodes"]
    walls = [(row["name"], row["wall_micros"]) for row in rows if row["wall_micros"] is not None]
    assert walls == [("step 0", 20), ("host a", 10), ("host b", 20), ("step 1", 30), ("host a", 30), ("host b", 25)]


# ---- harm ----------------------------------------------------------------------------------------

def test_tasks_that_queue_each_other_have_no_owner(path):
    answer = ask(write(path, [marker(0, 0, 100)],
                       [(START, 10, 0, {"_ct": 15, "_c": 1}), (RECORD, 11, 0, {"_pt": 15, "_p": 2}), (STOP, 20, 0)],
                       [(START, 10, 0, {"_ct": 15, "_c": 2}), (RECORD, 11, 0, {"_pt": 15, "_p": 1}), (STOP, 20, 0)],
                       [(START, 10, 0, {"_ct": 15, "_c": 3}), (RECORD, 11, 0, {"_pt": 15, "_p": 3}), (STOP, 20, 0)]))
    check(answer)
    assert us(answer.steps[0], "compute") == 0


def test_stops_without_starts_and_starts_without_stops(path):
    check(ask(write(path, [marker(0, 0, 100), (STOP, 5, 0), ("a:MatMul", 10, 5), (RECORD, 12, 0, {"_pt": 15, "_p": 1})],
                    [(STOP, 1, 0), (START, 11, 0, {"_ct": 15, "_c": 1}), (START, 13, 0, {"_ct": 15, "_c": 1})])))


def test_a_chain_of_tasks_is_followed_without_recursion(path):
    n = 30000
    line = [marker(0, 0, 2 * n + 10), ("a:MatMul", 1, 2 * n), (RECORD, 1, 0, {"_pt": 15, "_p": 0})]
    tasks = []
    for i in range(n):
        tasks += [(START, 2 * i + 2, 0, {"_ct": 15, "_c": i}), (RECORD, 2 * i + 2, 0, {"_pt": 15, "_p": i + 1}),
                  (STOP, 2 * i + 3, 0)]
    answer = ask(write(path, line, tasks))
    assert us(answer.steps[0], "compute") == 2 * n


def test_deep_nesting_takes_no_stack(path):
    n = 20000
    frames = [(f"$user.py:{i % 7} f", i, 4 * n - 2 * i) for i in range(n)]
    answer = ask(write(path, [marker(0, 0, 4 * n), *frames]))
    check(answer)
    assert us(answer.steps[0], "python") == 4 * n


def test_random_traces_add_up(tmp_path):
    rng = random.Random(5)
    names = ["train", "a:MatMul", "b:PyFunc", "c:CollectiveReduceV2", "IteratorGetNextOp::DoCompute", "Iterator::Root::Map",
             "Iterator::Root::Map::Range", "PjitFunction(f)", "backend_compile", "ThunkExecutor::Execute", "$u.py:3 f",
             "$time sleep", "EagerExecute", "KernelAndDeviceOp::Run", "CopyToMemorySpace", START, STOP, RECORD,
             "X::Await", "Rendezvous", "end: dot", "dot", "ExecutorState::Process", "mine",
             "InstantiatedCapturedFunction::Run", "ExecutorState::ProcessAsync::Start", "ExecutorState::ProcessAsync::Done"]
    keys = ["_p", "_c", "_pt", "_ct", "id", "step_num", "run_id", "program_id", "device_ordinal", "is_func",
            "correlation_id"]

    def event():
        stats = {key: rng.randrange(4) for key in keys if rng.random() < 0.2}
        if rng.random() < 0.2:
            stats["hlo_op"] = rng.choice(["dot", "while", "all-reduce.3"])
            stats["hlo_module"] = rng.choice(["jit_f", "jit_g"])
        if rng.random() < 0.1:
            stats["tf_function_call"] = rng.choice(["traced-nonXla", "notTraced-nonXla"])
        return (rng.choice(names), rng.randrange(60), rng.randrange(25), stats)

    for i in range(150):
        lines = [[event() for _ in range(rng.randrange(40))] for _ in range(rng.randrange(1, 5))]
        gpu = make.Plane(rng.choice(["/device:GPU:0", "/device:TPU:1"]))
        gpu.add_line(rng.choice(["Stream #1", "XLA Ops", "Steps"]), [
            (name, start * US, duration * US, stats) for name, start, duration, stats in (event() for _ in range(8))])
        path = write(tmp_path / f"{i}.xplane.pb", *lines, planes=[gpu] if rng.random() < 0.4 else [],
                     names=rng.sample(["python", "tf_data_x/1", "tf_XLAEigen/3", "tf_Compute/2"], 4))
        check(ask(path))


@pytest.mark.parametrize("trace", sorted(
    glob.glob(os.path.join(tree.TESTS, "xplane", "samples", "*.gz")) +
    glob.glob(os.path.join(tree.TOP, "examples", "traces", "*.gz"))), ids=os.path.basename)
def test_every_sample_adds_up(trace):
    answer = ask(trace)
    check(answer)
    assert answer.steps and answer.headline.startswith(("A step takes", "The trace, which has no steps, takes"))


def test_names_that_the_table_lacks_are_counted(tmp_path):
    main = [("train", 0, 90, {"step_num": 0}), ("mine", 1, 5, {}), ("mine", 10, 5, {}), ("yours", 20, 5, {}),
            ("PjitFunction(f)", 30, 9, {}), ("$u.py:3 f", 50, 9, {})]
    path = write(tmp_path / "names.xplane.pb", main, [("theirs", 0, 9, {})], names=["python", "tf_Compute/2"])
    assert ask(path).document["unknown_names"] == 2


def test_many_steps(tmp_path):
    """Lines are read in parts, each of which ends between tasks; causes beyond 50,000 are added up."""
    n_steps, n_ops = 300, 180
    main, pool, expected = [], [], {}
    for step in range(n_steps):
        at = 1000 * step
        main += [("train", at, 990, {"step_num": step}), ("$u.py:3 f", at + 1, 980, {})]
        for op in range(n_ops):
            pool += [(START, at + 5 * op + 2, 0, {"_c": step * n_ops + op + 1, "_ct": 15}),
                     (f"layer/{op}:MatMul", at + 5 * op + 2, 1 + op % 3, {}), (STOP, at + 5 * op + 6, 0, {})]
            expected[f"layer/{op}"] = (1 + op % 3) * US
    answer = ask(write(tmp_path / "many.xplane.pb", main, pool, names=["python", "tf_Compute/1"]))
    check(answer)
    assert len(answer.steps) == n_steps
    listed = 50000 // n_steps
    for step in answer.steps:
        causes = dict(step.causes["compute"])
        assert step.wall == 990 * US and step.parts["compute"] == sum(expected.values()), step.name
        assert causes.pop("(others)") == step.parts["compute"] - sum(causes.values())
        assert len(causes) == listed and all(expected[name] == value for name, value in causes.items())
    assert [note["id"] for note in answer.document["notes"]] == ["most_causes"]
    text = run(tmp_path / "many.xplane.pb").stdout
    assert "layer/101 0.00" in text and "(others)" not in text, text
