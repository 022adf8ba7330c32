"""What the Source page shows: costs of lines, and the text of their files."""

import json
import os
import subprocess
import sys
from urllib.parse import quote

import pytest
import tree
from serving import SAMPLE, Server
from test_selection import good

PLANTED = os.path.join(tree.TOP, "tests", "support", "planted.py")


@pytest.fixture
def planted(tmp_path):
    made = subprocess.run([sys.executable, PLANTED, tmp_path, "1"], check=True, capture_output=True, text=True)
    return tmp_path, json.loads(made.stdout)


def serve(files, use):
    server = Server(*map(str, files))
    server.wait_until_loaded()
    try:
        return use(server)
    finally:
        assert server.stop() == 0


def test_lines_files_and_functions_add_up(planted):
    directory, what = planted
    answer = serve(sorted(directory.glob("*.pbtxt")), lambda server: good(server, "lines?calls=1&only_my_code=true&fold_gradients=true"))
    slow = answer["lines"][0]
    assert (slow["line"], slow["function"], slow["total"]) == (what["slow"]["line"], "net", slow["own"])
    assert abs(slow["own"] - what["slow"]["micros"]) <= 2
    assert slow["metrics"]["requested_bytes"] == what["slow"]["bytes"]
    assert sum(line["own"] for line in answer["lines"]) == sum(f["own"] for f in answer["files"]) == sum(f["own"] for f in answer["functions"])


def test_only_files_of_call_stacks_are_read_and_only_pythons(planted):
    directory, _ = planted
    (directory / "op_log.pbtxt").write_text((directory / "op_log.pbtxt").read_text().replace("net.py", "secret.txt"))
    (directory / "secret.txt").write_text("secret\n")

    def use(server):
        answer = good(server, f"text?path={quote(str(directory / 'secret.txt'))}")
        assert (answer["state"], answer["lines"]) == ("missing", [])
        assert len(answer["recorded"]) == 12
        for path in ["/etc/passwd", "", str(directory / "net.py")]:
            status, error = server.api(f"text?path={quote(path)}")
            assert status == 400 and "no line of this profile" in error["error"]["text"]

    serve(sorted(directory.glob("*.pbtxt")), use)


@pytest.mark.parametrize("kind", ["directory", "pipe", "large"])
def test_what_is_no_file_is_not_read(planted, kind):
    directory, _ = planted
    source = directory / "net.py"
    source.unlink()
    if kind == "directory":
        source.mkdir()
    elif kind == "pipe":
        os.mkfifo(source)
    else:
        with open(source, "wb") as file:
            file.truncate(5 << 20)
    answer = serve(sorted(directory.glob("*.pbtxt")), lambda server: good(server, f"text?path={quote(str(source))}"))
    assert answer["state"] == "missing" and answer["recorded"]


def test_a_question_says_why_it_does_not_apply():
    def use(server):
        assert "jit_compile=True" in good(server, "ask?question=roofline&or_why=1")["missing"]
        assert server.api("ask?question=roofline")[0] != 200

    serve([SAMPLE], use)
