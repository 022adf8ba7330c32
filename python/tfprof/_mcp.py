"""``tfprof mcp``: the questions as tools of the Model Context Protocol, over stdio.

    client  --call op(path=…, top=10)-->  this process  --tfprof op PATH --top=10 --output=json-->
            <--JSON, bounded-----------                 <--JSON-------------------------------

A call runs the program, so that an answer is the command line's, and memory is given back. It only
reads, and only below the directories given at the start.
"""

import argparse
import json
import os
import subprocess
import sys
from typing import Any, Dict, List, Optional, Tuple

from tfprof import _native, _need, _programs

# By default; views are sorted by name, so that their first rows say little.
_TOP = 20
_BOUNDED = ("layers", "roofline", "transfers")
_MAX_BYTES = 20_000
_TIMEOUT_S = 120
# Options that write, or that a client has no use for.
_NOT_OFFERED = ("output",)
# Options that name a file.
_FILES = ("source", "budgets")
_NUMBERS = ("top", "max_depth", "step")

_OTHERS = {
    "diff": "what changed between two runs or models, and whether it is more than noise",
    "model": "what a model file costs by layer: parameters, MACs, memory",
    "what_is_missing": "what a file does not tell, and what to add",
}

_INSTRUCTIONS = """Answers about profiles, traces and model files of TensorFlow, Keras and JAX. Start with
`overview` of a path: its headline says how long a step takes and what that goes to, `what_is_missing` what
the file does not tell. Then `step` for causes, `layers`, `op` or `code` for what computes, `memory` and
`roofline` for compiled programs, `advise` for what to change, `diff` for two runs. Times of `step` are of
the clock and add up; times of operations are sums over threads. null means unknown, not 0."""

_PROMPTS = {
    "find_why_a_step_is_slow": (
        "Find why a step is slow", ["path"],
        "Find out why a training step in {path} is slow, with the tools of tfprof. First `overview`: how "
        "long a step takes, and its largest part. If that is input, Python, compiling, dispatch or gaps, "
        "`step` names the causes. If it is computing, ask `layers`, `op` and `code` for what costs most, "
        "and `roofline` for what could be faster. Then `advise`. Say what to change, where in the "
        "code, and how much of the step it could save at most; give the numbers you read, and say what "
        "is missing."),
    "compare_two_runs": (
        "Compare two runs", ["base", "new"],
        "Compare {base} with {new} by the tool `diff`: is a step slower, is that more than noise, and "
        "which part, layer or line changed? Check with `step` of both. If the answer is `cannot tell`, "
        "say so, and how many more runs or steps would be needed."),
}


class Refusal(Exception):
    """The text is for the client."""


class Tools:
    def __init__(self, roots: List[str]):
        self._roots = [os.path.realpath(root) for root in roots]
        self._program = _programs.find("tfprof")
        #: Paths that were asked about, oldest first.
        self.opened: Dict[str, None] = {}
        self.tools = {tool["name"]: tool for tool in self._list()}

    def _list(self) -> List[Dict[str, Any]]:
        known = {name: summary for name, _, summary in _native.views()}
        known.update(_native.questions())
        for name, summary in _OTHERS.items():
            known.setdefault(name, summary)
        return [self._tool(name, summary) for name, summary in known.items()]

    def _tool(self, name: str, summary: str) -> Dict[str, Any]:
        files = {"base": "the file or directory to compare with", "new": "the one to compare"} \
            if name == "diff" else {"path": "a profile, trace, model file or directory"}
        properties: Dict[str, Any] = {
            key: {"type": "string", "description": text} for key, text in files.items()}
        for option, kind, words, _, text, *_, applies_to in _native.options():
            applies = applies_to == "all" or name in applies_to.split()
            if applies and name != "what_is_missing" and option not in _NOT_OFFERED:
                properties[option] = _schema(option, kind, words, text)
        if name in _BOUNDED:
            properties["top"]["default"] = _TOP
        if "max_bytes" in properties:
            properties["max_bytes"].update({"type": "integer", "minimum": 1000, "default": _MAX_BYTES})
        return {"name": name, "description": summary[:1].upper() + summary[1:] + ".",
                "input_schema": {"type": "object", "properties": properties,
                                 "required": list(files), "additionalProperties": False}}

    # -- calls ------------------------------------------------------------------------------

    def call(self, name: str, given: Dict[str, Any]) -> Dict[str, Any]:
        tool = self.tools.get(name)
        if tool is None:
            raise Refusal(f"there is no tool {name!r}: expected one of: {', '.join(self.tools)}")
        schema = tool["input_schema"]
        unknown = [key for key in given if key not in schema["properties"]]
        if unknown:
            raise Refusal(f"{name} does not take {', '.join(unknown)}: expected "
                          + ", ".join(schema["properties"]))
        files = []
        for key in schema["required"]:
            if not isinstance(given.get(key), str):
                raise Refusal(f"{name} needs {key}: {schema['properties'][key]['description']}")
            files.append(self._check_path(given[key]))
        options = {key: value for key, value in given.items()
                   if key not in schema["required"] and value is not None}
        if name in _BOUNDED:
            options.setdefault("top", _TOP)
        for key in _FILES:
            if isinstance(options.get(key), str):
                options[key] = self._check_path(options[key])
        if "max_bytes" in schema["properties"]:
            options.setdefault("max_bytes", _MAX_BYTES)
        max_bytes = options.get("max_bytes", _MAX_BYTES)
        if not isinstance(max_bytes, int) or max_bytes < 1000:
            raise Refusal(f"max_bytes: expected a number of at least 1000, got {max_bytes!r}")
        if name == "what_is_missing":
            answer = _missing(self._ask("overview", files, {}))
        else:
            answer = self._ask(name, files, options)
        for path in files:
            self.opened[path] = None
        return answer

    def _check_path(self, path: str) -> str:
        real = os.path.realpath(path if os.path.isabs(path) else os.path.join(self._roots[0], path))
        if not any(real == root or real.startswith(os.path.join(root, "")) for root in self._roots):
            raise Refusal(f"{path}: only files below {' and '.join(self._roots)} can be read; start "
                          "tfprof mcp with another directory to read others")
        return real

    def _ask(self, question: str, files: List[str], options: Dict[str, Any]) -> Dict[str, Any]:
        assert self._program
        command = [self._program, *([] if question == "overview" else [question]), *files,
                   *(f"--{key}={_text(value)}" for key, value in options.items()), "--output=json"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise Refusal(f"no answer within {_TIMEOUT_S} seconds") from None
        try:
            return json.loads(done.stdout)
        except ValueError:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise Refusal(said or f"tfprof exited with {done.returncode}") from None


def _schema(option: str, kind: str, words: List[str], text: str) -> Dict[str, Any]:
    if kind == "bool":
        return {"type": "boolean", "description": text}
    if kind in ("words", "regexes"):
        item = {"type": "string", **({"enum": words} if kind == "words" and words else {})}
        return {"type": "array", "items": item, "description": text}
    made: Dict[str, Any] = {"type": "integer" if option in _NUMBERS else ["string", "number"],
                            "description": text}
    if kind == "word" and words:
        made = {"type": "string", "enum": words, "description": text}
    return made


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(str(one).replace(",", "\\,") for one in value)
    return str(value)


def _missing(overview: Dict[str, Any]) -> Dict[str, Any]:
    """Of the overview: what is missing, and what to add."""
    nodes = overview["nodes"]
    above = next((row["id"] for row in nodes if row["depth"] == 1 and row["name"] == "missing"), None)
    return {"missing": [{"what": row["name"], "add": row["text"]} for row in nodes
                        if above is not None and row["parent"] == above],
            "notes": overview["notes"]}


# ---- the protocol ---------------------------------------------------------------------------

def make_server(tools: Tools) -> Any:
    """A server of the SDK."""
    types = _need.need("mcp", "tfprof mcp", "types")
    server = _need.need("mcp", "tfprof mcp", "server")
    anyio = _need.need("anyio", "tfprof mcp")
    read_only = types.ToolAnnotations(read_only_hint=True, destructive_hint=False,
                                      idempotent_hint=True, open_world_hint=False)

    async def list_tools(context: Any, request: Any) -> Any:
        return types.ListToolsResult(tools=[types.Tool(**tool, annotations=read_only)
                                            for tool in tools.tools.values()])

    async def call_tool(context: Any, request: Any) -> Any:
        try:
            answer = await anyio.to_thread.run_sync(tools.call, request.name,
                                                    dict(request.arguments or {}))
        except Refusal as refusal:
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=str(refusal))], is_error=True)
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)],
                                    structured_content=answer)

    async def list_resources(context: Any, request: Any) -> Any:
        return types.ListResourcesResult(resources=[
            types.Resource(uri=f"tfprof://{path}", name=os.path.basename(path),
                           description="overview of an open profile",
                           mime_type="application/json") for path in tools.opened])

    async def read_resource(context: Any, request: Any) -> Any:
        uri = str(request.uri)
        path = uri[len("tfprof://"):] if uri.startswith("tfprof://") else uri
        try:
            answer = await anyio.to_thread.run_sync(tools.call, "overview", {"path": path})
        except Refusal as refusal:
            raise ValueError(str(refusal)) from None
        return types.ReadResourceResult(contents=[types.TextResourceContents(
            uri=uri, mime_type="application/json", text=json.dumps(answer, ensure_ascii=False))])

    async def list_prompts(context: Any, request: Any) -> Any:
        return types.ListPromptsResult(prompts=[
            types.Prompt(name=name, title=title, description=title, arguments=[
                types.PromptArgument(name=one, required=True) for one in arguments])
            for name, (title, arguments, _) in _PROMPTS.items()])

    async def get_prompt(context: Any, request: Any) -> Any:
        title, arguments, text = _find_prompt(request.name)
        given = {one: (request.arguments or {}).get(one, one) for one in arguments}
        return types.GetPromptResult(description=title, messages=[types.PromptMessage(
            role="user", content=types.TextContent(type="text", text=text.format(**given)))])

    return server.Server(
        "tfprof", version=_native.__version__, instructions=_INSTRUCTIONS, on_list_tools=list_tools,
        on_call_tool=call_tool, on_list_resources=list_resources, on_read_resource=read_resource,
        on_list_prompts=list_prompts, on_get_prompt=get_prompt)


def _find_prompt(name: str) -> Tuple[str, List[str], str]:
    if name not in _PROMPTS:
        raise ValueError(f"there is no prompt {name!r}: expected one of: {', '.join(_PROMPTS)}")
    return _PROMPTS[name]


def main(arguments: List[str]) -> Optional[int]:
    parser = argparse.ArgumentParser(
        prog="tfprof mcp", description="Answers questions of a coding agent about profiles, by the "
        "Model Context Protocol over standard input and output. It only reads.")
    parser.add_argument("roots", metavar="ROOT", nargs="*", default=["."],
                        help="directories below which files may be read (default: the current one)")
    roots = parser.parse_args(arguments[1:]).roots
    for root in roots:
        if not os.path.isdir(root):
            print(f"tfprof: {root}: not a directory", file=sys.stderr)
            return 1
    try:
        mcp, anyio = _need.need("mcp", "tfprof mcp"), _need.need("anyio", "tfprof mcp")
        server = make_server(Tools(roots))
    except ModuleNotFoundError:
        print("tfprof: this command needs the SDK of the Model Context Protocol: python3 -m pip "
              "install 'tfprof[mcp]'", file=sys.stderr)
        return 1

    async def serve() -> None:
        async with mcp.stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    anyio.run(serve)
    return 0
