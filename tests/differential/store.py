"""Cases on disk: a directory that can be replayed, read and shared.

    case.json        the order of inputs and the queries
    *.pb             the inputs
    *.pbtxt          the same as text
"""

import json
import os

from google.protobuf import text_format

from generate import Case, Step
from messages import GraphDef, OpLogProto, OptionsProto, RunMetadata
from queries import Query


def save(case, directory):
    os.makedirs(directory, exist_ok=True)

    def put(message, name):
        if message is None:
            return None
        with open(os.path.join(directory, name + ".pb"), "wb") as file:
            file.write(message.SerializeToString(deterministic=True))
        with open(os.path.join(directory, name + ".pbtxt"), "w", encoding="utf-8") as file:
            file.write(text_format.MessageToString(message))
        return name + ".pb"

    steps = [{"step": step.step, "graph": put(step.graph, f"step{i}_graph"),
              "run_meta": put(step.run_meta, f"step{i}_run_meta"),
              "op_log": put(step.op_log, f"step{i}_op_log")}
             for i, step in enumerate(case.steps)]
    described = {
        "graph": put(case.graph, "graph"), "op_log": put(case.op_log, "op_log"),
        "steps": steps, "all_at_once": case.all_at_once,
        "queries": [{"view": query.view,
                     "options": text_format.MessageToString(query.options, as_one_line=True)}
                    for query in case.queries]}
    with open(os.path.join(directory, "case.json"), "w", encoding="utf-8") as file:
        json.dump(described, file, indent=1)


def load(directory):
    with open(os.path.join(directory, "case.json"), encoding="utf-8") as file:
        described = json.load(file)

    def get(kind, name):
        if name is None:
            return None
        with open(os.path.join(directory, name), "rb") as file:
            return kind.FromString(file.read())

    steps = [Step(step["step"], get(GraphDef, step["graph"]),
                  get(RunMetadata, step["run_meta"]), get(OpLogProto, step["op_log"]))
             for step in described["steps"]]
    queries = [Query(query["view"], text_format.Parse(query["options"], OptionsProto()))
               for query in described["queries"]]
    return Case(get(GraphDef, described["graph"]), get(OpLogProto, described["op_log"]), steps,
                described["all_at_once"], queries)
