"""What is known of the traces in samples/: XProf's answers and numbers per node and step."""

import glob
import json
import os

import tree

HERE = os.path.dirname(os.path.abspath(__file__))


def names(tool):
    found = glob.glob(os.path.join(HERE, "expected", f"*.{tool}.json.gz"))
    return sorted(os.path.basename(path).split(".")[0] for path in found)


def load(sample, tool):
    return json.loads(tree.read_packed("xplane", "expected", f"{sample}.{tool}.json"))


def table(data):
    """The rows of XProf's first table, as dicts."""
    data = data[0] if isinstance(data, list) else data
    columns = [column["id"] for column in data["cols"]]
    return [dict(zip(columns, [cell and cell.get("v") for cell in row["c"]]))
            for row in data["rows"]]


def rows(sample, tool):
    return table(load(sample, tool))
