#!/usr/bin/env python3
"""Compare the advice of TensorFlow's profiler and libtfprof on random profiles.

    advice.py --seed 1 --count 500

The three checkers of TensorFlow's profiler must give the same reports, as text
and message, for a profile as it was built and as it was saved and loaded, one by
one and together. TensorFlow's order of sections is random and not compared. The
exit status is 1 if anything differs, 77 ("skipped") without TensorFlow's wheel.
"""

import argparse
import faulthandler
import os
import random
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE] + [os.path.join(HERE, "..", folder) for folder in ("oracle", "support")]

import original as original_module  # noqa: E402

SKIPPED = 77

try:
    import messages  # noqa: F401
except ImportError as error:
    python = original_module.python_with_tensorflow()
    if __name__ != "__main__" or os.environ.get("TFPROF_ADVICE_AGAIN") or python == sys.executable:
        print(f"advice: skipped: {error}", file=sys.stderr)
        sys.exit(SKIPPED)
    os.environ["TFPROF_ADVICE_AGAIN"] = "1"
    os.execv(python, [python, os.path.realpath(__file__)] + sys.argv[1:])

import generate  # noqa: E402
import store  # noqa: E402
from compare import Traits  # noqa: E402
from messages import AdviceProto, AdvisorOptionsProto  # noqa: E402
from ours import Ours  # noqa: E402

CHECKERS = ("AcceleratorUtilizationChecker", "OperationChecker", "ExpensiveOperationChecker")
GPU = "/job:worker/replica:0/task:0/device:GPU:%d"


def make_case(seed, number):
    """A random profile that causes findings."""
    case = generate.make_case(seed, number, 0)
    rng = random.Random(f"advice/{seed}/{number}")
    if rng.random() < 0.6:
        _in_one_minute(rng, case)
    if rng.random() < 0.6:
        _on_accelerators(rng, case)
    for name, op in (("net/BatchNorm/mul", "Mul"), ("xBatchNorm", "BatchNormWithGlobal"),
                     ("fused", "FusedBatchNorm"), ("fused3", "FusedBatchNormV3")):
        if rng.random() < 0.2:
            case.graph.node.add(name=name, op=op)
    return case


def _in_one_minute(rng, case):
    """Start times close together, so that utilization is not always 0.00."""
    for stats in _devices(case):
        for entry in stats.node_stats:
            if entry.all_start_micros:
                entry.all_start_micros = 1_700_000_000_000_000 + rng.randint(0, 60_000)
                entry.op_end_rel_micros = min(entry.op_end_rel_micros, 5000)


def _on_accelerators(rng, case):
    """Nodes that run on a GPU and its stream."""
    for step in case.steps:
        gpu = GPU % rng.randint(0, 2)
        for device in (gpu, gpu + "/stream:all"):
            stats = step.run_meta.step_stats.dev_stats.add(device=device)
            for node in rng.sample(list(case.graph.node), len(case.graph.node) // 2):
                stats.node_stats.add(node_name=node.name,
                                     all_start_micros=1_700_000_000_000_000
                                     + rng.randint(0, 30_000),
                                     op_end_rel_micros=rng.choice((0, 7, 500, 4000)))


def _devices(case):
    for step in case.steps:
        yield from step.run_meta.step_stats.dev_stats


def make_options(seed, number):
    rng = random.Random(f"advice options/{seed}/{number}")
    options = AdvisorOptionsProto()
    for checker in CHECKERS:
        if rng.random() < 0.9:
            options.checkers[checker].SetInParent()
    if rng.random() < 0.1:
        options.checkers["NoSuchChecker"].SetInParent()
    return options.SerializeToString()


def _bytes(message):
    return message.SerializeToString() if message else b""


def _feed(profiler, case):
    profiler.new(_bytes(case.graph), _bytes(case.op_log))
    for step in case.steps:
        profiler.add_step(step.step, _bytes(step.graph), _bytes(step.run_meta),
                          _bytes(step.op_log))


def sections(text):
    """Checker → the text of its section."""
    before, *parts = re.split(r"\n(%s):\n" % "|".join(CHECKERS), text)
    return {"": before, **dict(zip(parts[::2], parts[1::2]))}


def readable(answer):
    """Everything that must be equal, as text."""
    advice = AdviceProto.FromString(answer.message)
    parts = sections(answer.stdout.decode(errors="replace"))
    lines = [f"before {parts['']!r}"]
    for checker in CHECKERS:
        if checker in advice.checkers or checker in parts:
            lines.append(f"[{checker}] {parts.get(checker)!r}")
            lines += [f"report {report!r}" for report in advice.checkers[checker].reports]
    notes = answer.stderr.decode(errors="replace").splitlines()
    lines += ["note " + note for note in notes if note.startswith("Missing ")]
    return lines


class Comparison:
    def __init__(self, original, ours, directory):
        self.original = original
        self.ours = ours
        self.path = os.path.join(directory, "profile")
        self.asked = self.aborted = 0

    def compare(self, case, options):
        """[(how it was run, TensorFlow's lines, ours)] where they differ."""
        differences = []
        if Traits(case).negative:
            return differences      # averages of negative numbers differ by design
        ways = ("at once",) if case.all_at_once else ("fed", "loaded")
        if not any(graph.node for graph in case.graphs()) and not case.steps:
            ways = ways[:1]         # saved, it is an empty file, which is an error
        for how in ways:
            self.asked += 1
            mine = readable(self._ask(self.ours, how, case, options))
            try:
                theirs = readable(self._ask(self.original, how, case, options))
            except (original_module.Aborted, original_module.Refused):
                self.aborted += 1
                continue
            if theirs != mine:
                differences.append((how, theirs, mine))
        return differences

    def _ask(self, profiler, how, case, options):
        if how == "at once":
            run_meta = _bytes(case.steps[0].run_meta) if case.steps else b""
            inputs = _bytes(case.graph), run_meta, _bytes(case.op_log)
            if profiler is self.original:
                return profiler.print_model_analysis(*inputs, "advise", options)
            profiler.new(inputs[0])
            if run_meta:
                profiler.add_run_meta(0, run_meta)
            if inputs[2]:
                profiler.add_op_log(inputs[2])
        else:
            _feed(profiler, case)
            if how == "loaded":
                profiler.write_profile(self.path)
                profiler.delete()
                profiler.from_file(self.path)
        answer = profiler.advise(options)
        profiler.delete()
        return answer


def run(seed, count, first=0, keep=None):
    """Prints the cases that differ; returns their number."""
    failed = reports = 0
    with tempfile.TemporaryDirectory() as directory, original_module.Original() as original, \
            Ours() as ours:
        comparison = Comparison(original, ours, directory)
        for number in range(first, first + count):
            case, options = make_case(seed, number), make_options(seed, number)
            differences = comparison.compare(case, options)
            if differences:
                failed += 1
                print(f"seed {seed} profile {number}")
                if keep:
                    store.save(case, os.path.join(keep, f"{seed}-{number}"))
            for how, theirs, mine in differences:
                print(f"--- {how}")
                print("\n".join(["- " + line for line in theirs if line not in mine]
                                + ["+ " + line for line in mine if line not in theirs]))
    print(f"{comparison.asked} runs; TensorFlow's profiler crashed on {comparison.aborted} of them")
    print(f"{count - failed} passed, {failed} failed")
    return failed, comparison


def main():
    parser = argparse.ArgumentParser(prog="advice.py", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", metavar="DIR", help="where failing cases go")
    arguments = parser.parse_args()
    faulthandler.enable()
    failed, _ = run(arguments.seed, arguments.count, arguments.first, arguments.keep)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
