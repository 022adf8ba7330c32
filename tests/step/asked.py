"""What `tfprof step` says of a trace."""

import json
import subprocess

import tree

PARTS = ["compute", "communication", "copy", "input", "callback", "compile", "runtime", "dispatch", "python",
         "unknown"]


def run(*arguments):
    return subprocess.run([tree.program(), "step", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)


def ask(path, *more):
    done = run(path, "--output=json", *more)
    assert done.returncode == 0, done.stderr
    return Answer(json.loads(done.stdout))


def ps(micros):
    return round(micros * 1e6)


class Step:
    """A step, in picoseconds: wall, gap, {part: time}, {part: hidden}, {part: {cause: time}}."""

    def __init__(self, row):
        self.name, self.number = row["name"], int(row["name"].split()[1])
        self.wall, self.gap = ps(row["wall_micros"]), ps(row["gap_micros"])
        self.batches, self.steady = row["batches"], row["steady"]
        self.parts, self.hidden, self.shares, self.causes, self.input_work = {}, {}, {}, {}, 0


class Answer:
    def __init__(self, document):
        assert document["schema"] == "tfprof.step"
        self.document, self.nodes = document, document["nodes"]
        self.headline, self.steps_by = document["headline"], document["steps_by"]
        self.steps, self.rows = [], self.nodes
        path = []
        for row in self.nodes:
            del path[row["depth"]:]
            path.append(row["name"])
            if row["depth"] == 1:
                self.steps.append(Step(row))
            elif row["depth"] == 2:
                step = self.steps[-1]
                step.parts[row["name"]] = ps(row["micros"])
                step.shares[row["name"]] = row["share"]
                step.hidden[row["name"]] = ps(row["hidden_micros"] or 0)
                step.causes[row["name"]] = {}
            elif row["depth"] == 3 and row["micros"] is None:
                self.steps[-1].input_work = ps(row["hidden_micros"])
            elif row["depth"] == 3:
                causes = self.steps[-1].causes[path[2]]  # of a gap, a name may be the cause of several parts
                causes[row["name"]] = causes.get(row["name"], 0) + ps(row["micros"])


def check(answer, per_device=False):
    """What holds for every trace."""
    for step in answer.steps:
        assert step.wall >= 0 and step.gap >= 0, step.name
        assert all(value >= 0 for value in step.parts.values()), step.parts
        own = {name: value for name, value in step.parts.items() if name != "gap"}
        assert set(own) == set(PARTS) | ({"idle"} if per_device else set())
        assert sum(own.values()) == step.wall, (step.name, own, step.wall)
        assert step.parts.get("gap", 0) == step.gap
        for part, share in step.shares.items():
            assert (share is None) == (step.wall == 0)
            assert share is None or abs(share * step.wall - step.parts[part]) <= 1, part
        for part, causes in step.causes.items():
            assert all(value > 0 for value in causes.values())
            # Shares of an instant are rounded one by one.
            if not per_device:
                assert abs(sum(causes.values()) - step.parts[part]) <= len(causes), (part, causes)
            assert step.hidden[part] <= step.wall
