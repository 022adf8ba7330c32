#!/usr/bin/env python3
"""Compare TensorFlow's profiler and libtfprof on random profiles and queries.

    differential --seed 1 --count 300
    differential --seed 1 --count 300 --only code --shrink
    differential --replay DIRECTORY

Needs TensorFlow's wheel (see ../oracle/original.py for which Python is used);
without it the exit status is 77, "skipped". The exit status is 1 if anything
differs; the inputs are then kept in a directory for --replay.

Cases are compared in a child process: if the library crashes, the parent reports
the case and continues with the next one.
"""

import argparse
import os
import pickle
import signal
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE] + [os.path.join(HERE, "..", folder) for folder in ("oracle", "support")]

import original as original_module  # noqa: E402

SKIPPED = 77
LONGEST_CASE_SECONDS = 120


def reach_tensorflow():
    """Restarts in an interpreter that has TensorFlow's messages."""
    try:
        import messages  # noqa: F401
    except ImportError as error:
        python = original_module.python_with_tensorflow()
        if os.environ.get("TFPROF_DIFFERENTIAL_AGAIN") or python == sys.executable:
            print(f"differential: skipped: {error}", file=sys.stderr)
            sys.exit(SKIPPED)
        os.environ["TFPROF_DIFFERENTIAL_AGAIN"] = "1"
        os.execv(python, [python, os.path.realpath(sys.argv[0])] + sys.argv[1:])


reach_tensorflow()

import compare  # noqa: E402
import generate  # noqa: E402
import queries  # noqa: E402
import shrink  # noqa: E402
import store  # noqa: E402
from ours import Ours  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(prog="differential", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="1", help="any word (default 1)")
    parser.add_argument("--count", type=int, default=300, help="number of profiles (default 300)")
    parser.add_argument("--first", type=int, default=0, help="number of the first profile")
    parser.add_argument("--queries", type=int, default=8, help="queries per profile (default 8)")
    parser.add_argument("--only", choices=queries.VIEWS, help="compare only this view")
    parser.add_argument("--shrink", action="store_true", help="shrink failing cases")
    parser.add_argument("--keep", metavar="DIR", help="where failing cases go (default: a new "
                        "directory under the system's for temporary files)")
    parser.add_argument("--max-failures", type=int, default=20, help="stop after this many")
    parser.add_argument("--replay", metavar="DIR", help="compare only this saved case")
    return parser.parse_args()


class Run:
    comparison = compare.Comparison

    def __init__(self, arguments):
        self.arguments = arguments
        self.keep = arguments.keep
        self.failed = 0

    def case(self, number):
        if self.arguments.replay:
            return store.load(self.arguments.replay)
        return generate.make_case(self.arguments.seed, number, self.arguments.queries,
                                  self.arguments.only)

    def run(self):
        arguments = self.arguments
        numbers = [0] if arguments.replay else range(arguments.first,
                                                     arguments.first + arguments.count)
        self.total = len(numbers)
        self.done = self.asked = self.aborted = 0
        while self.done < self.total and self.failed < arguments.max_failures:
            self.watch(numbers[self.done:])
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        if self.aborted:
            print(f"{self.asked} queries; TensorFlow's profiler crashed on {self.aborted} of them")
        print(f"{self.done - self.failed} passed, {self.failed} failed")
        return 1 if self.failed or self.done < self.total else 0

    def watch(self, numbers):
        """Compares these cases in a child process, until it finishes or crashes."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            status = 1
            try:
                with os.fdopen(writing, "wb") as report:
                    work(self, numbers, report)
                status = 0
            except Exception:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        os.close(writing)
        current = None
        with os.fdopen(reading, "rb") as reports:
            while True:
                try:
                    kind, number, value = pickle.load(reports)
                except EOFError:
                    break
                if kind == "start":
                    current = number
                    continue
                current = None
                self.finish(number, *value)
                if self.failed >= self.arguments.max_failures:
                    os.kill(child, signal.SIGTERM)
                    break
        _, status = os.waitpid(child, 0)
        if current is not None:
            self.died(current, status)
        elif status and self.failed < self.arguments.max_failures:
            raise SystemExit("differential: the comparing process failed")

    def finish(self, number, differences, case, asked, aborted):
        self.done += 1
        self.asked += asked
        self.aborted += aborted
        if differences:
            self.fail(number, differences, case)
        if sys.stderr.isatty():
            print(f"\r\033[K{self.done}/{self.total} profiles, {self.failed} failed", end="",
                  file=sys.stderr, flush=True)

    def died(self, number, status):
        self.done += 1
        code = os.waitstatus_to_exitcode(status)
        how = f"exit status {code}" if code >= 0 else signal.Signals(-code).name
        if code == -signal.SIGALRM:
            how = f"taking longer than {LONGEST_CASE_SECONDS} seconds"
        case = self.case(number)
        if self.arguments.shrink and code < 0:
            case = shrink.shrink(case, lambda smaller: dies(smaller, code), 400)
        self.fail(number, [compare.Difference("died of " + how, -1, "", "")], case)

    def fail(self, number, differences, case):
        self.failed += 1
        if not self.keep:
            self.keep = tempfile.mkdtemp(prefix="tfprof-differential-")
        directory = os.path.join(self.keep, f"{self.arguments.seed}-{number}")
        store.save(case, directory)
        print(f"\nseed {self.arguments.seed} profile {number}: {len(differences)} differences, "
              f"inputs in {directory}")
        for difference in differences[:3]:
            print(f"--- {difference.what}")
            if difference.query >= 0:
                query = case.queries[difference.query]
                print(f"    {query.view} {str(query.options)!r}")
            lines = difference.diff().splitlines()
            print("\n".join(lines[:60] + (["..."] if len(lines) > 60 else [])))
        sys.stdout.flush()


def work(run, numbers, report):
    """In the child: compares the cases and reports each."""
    def say(*what):
        pickle.dump(what, report)
        report.flush()

    with tempfile.TemporaryDirectory() as directory, original_module.Original() as original, \
            Ours() as ours:
        comparison = run.comparison(original, ours, directory)
        for number in numbers:
            say("start", number, None)
            signal.alarm(LONGEST_CASE_SECONDS)
            case = run.case(number)
            comparison.asked = comparison.aborted = 0
            differences = comparison.compare(case)
            counts = comparison.asked, comparison.aborted
            signal.alarm(0)
            if differences and run.arguments.shrink:
                case, differences = make_small(comparison, case, differences)
            say("done", number, (differences, case, *counts))


def make_small(comparison, case, differences):
    first = differences[0]

    def matching(smaller):
        try:
            found = comparison.compare(smaller)
        except Exception:  # too small to be a case
            return []
        return [difference for difference in found if difference.same_kind(first)]

    if not matching(case):
        return case, differences
    small = shrink.shrink(case, matching)
    return small, matching(small)


def dies(case, code):
    """Whether the library alone crashes on a case in this way."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        signal.alarm(5)
        status = 1
        try:
            with tempfile.TemporaryDirectory() as directory, Ours() as ours:
                compare.exercise(case, ours, directory)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == code


if __name__ == "__main__":
    sys.exit(Run(parse_arguments()).run())
