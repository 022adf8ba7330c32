"""``tfprof mcp``, asked by the SDK's own client: a script of questions whose answers are known."""

import json
import os
import sys

import pytest
from package_under_test import PACKAGE
from tree import TESTS, TOP

mcp = pytest.importorskip("mcp")
import anyio  # noqa: E402

PROGRAM = os.path.join(os.path.dirname(PACKAGE), "tfprof")
PLANTED = os.path.join(TESTS, "step", "planted")
RESNET = os.path.join(TOP, "examples", "resnet", "profile")

# What was planted, and a word by which the headline must name it.
CAUSES = {
    "j01_compute": "computing", "j02_sleep": "wait_for_lock", "j04_numpy_input": "load_batch",
    "j05_recompile": "predict", "j09_pmap_straggler": "device 2", "j11_callback": "called back",
    "t01_map_numpy": "MapDataset:1", "t05_in_graph_iter": "input", "t06_retrace": "trace and compile f",
    "t10_fit_slow_map": "input", "t16_next_outside": "between steps",
}
# Steps with markers, whose walls the program's clock measured, too.
CLOCKED = ["j01_compute", "j02_sleep", "j05_recompile", "t01_map_numpy", "t06_retrace", "t08_compute"]


def ask(script, roots=(TESTS, os.path.join(TOP, "examples"))):
    """Runs a coroutine with a client of a new server."""
    async def main():
        server = mcp.StdioServerParameters(command=PROGRAM, args=["mcp", *roots],
                                           env={**os.environ, "TFPROF_PYTHON": sys.executable})
        async with mcp.Client(server) as client:
            return await script(client)
    return anyio.run(main)


async def call(client, tool, **arguments):
    done = await client.call_tool(tool, arguments)
    assert not done.is_error, done.content[0].text
    assert json.loads(done.content[0].text) == done.structured_content
    return done.structured_content


def planted(case):
    return f"step/planted/{case}.xplane.pb.gz"


def test_headlines_and_walls_are_what_was_planted():
    async def script(client):
        said = {case: (await call(client, "overview", path=planted(case)))["headline"]
                for case in CAUSES}
        walls = {case: [row["wall_micros"] / 1000 for row in (await call(
            client, "step", path=planted(case), max_bytes=10**6))["nodes"] if row["depth"] == 1]
            for case in CLOCKED}
        return said, walls

    said, walls = ask(script)
    for case, word in CAUSES.items():
        assert word in said[case], case
    for case in CLOCKED:
        truth = json.load(open(os.path.join(PLANTED, case + ".truth.json")))["steps"].values()
        for mine, clock in zip(walls[case], truth):
            assert abs(mine - clock["wall"]) <= max(0.01 * clock["wall"], 0.05), case


def test_questions_about_operations_layers_and_changes():
    async def script(client):
        base, new = planted("j01_compute"), planted("j02_sleep")
        return {
            "scope": await call(client, "scope", path=RESNET, select=["params"],
                                account_type_regexes=["_trainable_variables"]),
            "op": await call(client, "op", path=RESNET, order_by="micros", max_depth=2),
            "missing": await call(client, "what_is_missing", path=planted("t08_compute")),
            "diff": await call(client, "diff", base=base, new=new),
            "devices": await call(client, "devices", path=planted("j09_pmap_straggler")),
            "advise": await call(client, "advise", path=planted("t01_map_numpy"), max_bytes=10**6),
            "code": await call(client, "code", path=RESNET, max_depth=3),
            "roofline": await call(client, "roofline", path=planted("j01_compute")),
        }

    answers = ask(script)
    for name, answer in answers.items():
        assert name == "missing" or answer["schema"] == f"tfprof.{name}"
    # 32 layers: the number that TensorFlow's tutorial prints for this model.
    assert answers["scope"]["nodes"][0]["total_parameters"] == 464154
    assert any(one["what"].startswith("data flow") for one in answers["missing"]["missing"])
    assert "python +56 points" in answers["diff"]["headline"]
    assert "input" in json.dumps(answers["advise"]).lower()


def test_answers_are_bounded_and_the_rest_is_in_a_file():
    async def script(client):
        short = await call(client, "graph", path=RESNET, max_bytes=5000)
        whole = json.load(open(short["cut"]["whole"]))
        os.remove(short["cut"]["whole"])
        return short, whole

    short, whole = ask(script)
    assert 4000 < len(json.dumps(short, ensure_ascii=False, separators=(",", ":")).encode()) <= 5000
    assert short["nodes"] == whole["nodes"][:len(short["nodes"])]
    assert len(short["nodes"]) + short["cut"]["rows_left_out"] == len(whole["nodes"])


def test_only_files_below_the_roots_are_read(tmp_path):
    (tmp_path / "link").symlink_to(RESNET)

    async def script(client):
        said = []
        for path in ("/etc/passwd", "../../etc/passwd", "link", RESNET):
            done = await client.call_tool("overview", {"path": path})
            said.append((done.is_error, done.content[0].text))
        return said

    for is_error, text in ask(script, roots=[str(tmp_path)]):
        assert is_error and "only files below" in text


@pytest.mark.parametrize("tool, arguments, message", [
    ("op", {}, "op needs path"),
    ("op", {"path": RESNET, "output": "file:x"}, "op does not take output"),
    ("op", {"path": RESNET, "order_by": "beauty"}, "order_by"),
    ("annotate", {"path": RESNET, "source": "/etc/passwd"}, "only files below"),
    ("diff", {"base": RESNET, "new": RESNET, "budgets": "/etc/passwd"}, "only files below"),
    ("overview", {"path": "nothing_there"}, "nothing_there"),
    ("overview", {"path": RESNET, "max_bytes": 3}, "at least 1000"),
])
def test_wrong_arguments_are_errors_of_the_tool(tool, arguments, message):
    async def script(client):
        done = await client.call_tool(tool, arguments)
        return done.is_error, done.content[0].text

    is_error, text = ask(script)
    assert is_error and message in text


def test_tools_resources_and_prompts_are_listed():
    async def script(client):
        tools = (await client.list_tools()).tools
        await call(client, "overview", path=RESNET)
        resources = (await client.list_resources()).resources
        read = await client.read_resource(str(resources[0].uri))
        prompts = [one.name for one in (await client.list_prompts()).prompts]
        prompt = await client.get_prompt("find_why_a_step_is_slow", {"path": "logs"})
        return tools, resources, read, prompts, prompt

    tools, resources, read, prompts, prompt = ask(script)
    names = {tool.name for tool in tools}
    assert {"overview", "step", "layers", "op", "scope", "code", "graph", "devices", "memory", "roofline",
            "advise", "diff", "annotate", "what_is_missing"} <= names
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
    assert len(resources) == 1 and json.loads(read.contents[0].text)["schema"] == "tfprof.overview"
    assert prompts == ["find_why_a_step_is_slow", "compare_two_runs"]
    assert "logs" in prompt.messages[0].content.text
