"""schemas/*.json, which `tfprof schema` prints, against what is printed for many files."""

import glob
import importlib.machinery
import importlib.util
import json
import os
import subprocess

import pytest
from tree import TOP, program

jsonschema = pytest.importorskip("jsonschema")
_loader = importlib.machinery.SourceFileLoader("make_schemas", os.path.join(TOP, "tools", "make_schemas"))
make_schemas = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_schemas", _loader))
_loader.exec_module(make_schemas)

# Files that the schemas were not made of.
OTHERS = [path for path in sorted(glob.glob(TOP + "/tests/xplane/samples/*.gz") + glob.glob(
    TOP + "/tests/step/planted/*.gz") + glob.glob(TOP + "/examples/traces/*.gz"))
    if os.path.relpath(path, TOP) not in make_schemas.TRACES]
PLAIN = ["overview", "annotate", "layers", "step", "devices", "transfers", "memory", "events", "advise", "roofline",
         "op", "scope", "code"]


def schema_of(question):
    return json.loads(subprocess.run([program(), "schema", question], capture_output=True, check=True).stdout)


def closed(schema):
    """The same without keys that it does not name, for what is printed now."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        made["additionalProperties"] = False
    return made


def check(question, answer):
    jsonschema.Draft202012Validator(closed(schema_of(question))).validate(answer)


def test_every_question_has_a_schema():
    listed = subprocess.run([program(), "schema"], capture_output=True)
    assert listed.returncode == 2
    names = listed.stderr.decode().split("expected one of: ")[1].strip().split(", ")
    assert set(names) == set(make_schemas.COMMANDS) == {
        os.path.basename(path)[:-5] for path in glob.glob(TOP + "/schemas/*.json")}
    for name in names:
        jsonschema.Draft202012Validator.check_schema(schema_of(name))


@pytest.mark.parametrize("question", sorted(make_schemas.COMMANDS))
def test_answers_fit(question):
    answers = [make_schemas.ask(question, arguments, program()) for arguments in make_schemas.COMMANDS[question]]
    assert any(answers)
    for answer in filter(None, answers):
        check(question, answer)


@pytest.mark.parametrize("question", PLAIN)
def test_answers_about_other_files_fit(question):
    answers = [make_schemas.ask(question, [path], program()) for path in OTHERS]
    assert question == "transfers" or any(answers)
    for answer in filter(None, answers):
        check(question, answer)


@pytest.mark.parametrize("change", [
    lambda answer: answer.pop("capture"), lambda answer: answer.update(version=1),
    lambda answer: answer["nodes"][1].update(depth="1"), lambda answer: answer["nodes"][0].pop("name"),
    lambda answer: answer["nodes"][1].update(unheard_of=1), lambda answer: answer["capture"]["files"][0].pop("kind"),
])
def test_other_answers_do_not_fit(change):
    answer = make_schemas.ask("step", [make_schemas.JAX], program())
    check("step", answer)
    change(answer)
    with pytest.raises(jsonschema.ValidationError):
        check("step", answer)


def test_capture_says_what_the_numbers_cover():
    graph = os.path.join(TOP, "examples/resnet/profile")
    answer = make_schemas.ask("op", [graph, "--step=1"], program())
    assert answer["capture"]["files"] == [{"name": graph, "kind": "profile", "bytes": os.path.getsize(graph)}]
    assert answer["capture"]["steps"] == {"count": 1, "first": 1, "last": 1}
    assert make_schemas.ask("op", [graph], program())["capture"]["steps"] == {"count": 3, "first": 0, "last": 2}
    some = make_schemas.ask("step", [make_schemas.AGAIN, "--steps=1:2"], program())["capture"]
    assert some["steps"] == {"count": 2, "first": 1, "last": 2}
    assert [one["side"] for one in make_schemas.ask("diff", ["op", graph, "--", graph], program())[
        "capture"]["files"]] == ["base", "new"]
    gpu = make_schemas.ask("devices", [make_schemas.GPU], program())
    assert gpu["capture"]["n_devices"] == len(gpu["capture"]["devices"])
    assert any("gpu" in name for name in gpu["capture"]["devices"])
    trace = make_schemas.ask("overview", [os.path.join(TOP, "tests/step/planted/t08_compute.xplane.pb.gz")], program())
    below = next(row["id"] for row in trace["nodes"] if row["name"] == "missing")
    assert {row["name"] for row in trace["nodes"] if row["parent"] == below} <= {
        one["what"] for one in trace["capture"]["missing"]}
