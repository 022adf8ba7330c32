"""annotate: what each line costs, from planted call stacks and times."""

import html.parser
import json
import subprocess

import pytest
from tree import TESTS, TOP, program
from wire import field, log_entry, node, strings

FILES = ["/home/me/a/train.py", "/home/me/b/model.py", "/usr/lib/python3.11/site-packages/keras/layer.py"]
TRAIN = """import model

def loop(n):
    if n:
        return loop(n - 1)
    return model.build(n)

loop(1)
"""
MODEL = """def build(n):
	x = first(n)
	return second(x) + "<b>"
"""
# node, stack of (file, line, function), float operations, micros. loop() calls itself on line 5.
NODES = [
    ("a", [(0, 8), (0, 5), (0, 6), (1, 2), (2, 70)], 100, 300),
    ("b", [(0, 8), (0, 5), (0, 5), (0, 6), (1, 3)], 20, 500),
    ("c", [(0, 8)], 3, 200),
]
MICROS = {name: micros for name, _, _, micros in NODES}


def run(*words, check=True):
    done = subprocess.run([program(), *map(str, words)], capture_output=True, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.fixture
def planted(tmp_path):
    texts = [*FILES, "f"]
    (tmp_path / "graph").write_bytes(b"".join(node(name, "NoOp") for name, *_ in NODES))
    log = b"".join(log_entry(name, [(file, line, 3) for file, line in stack]) for name, stack, _, _ in NODES)
    counted = b"".join(field(1, field(1, name) + field(2, ops)) for name, _, ops, _ in NODES)
    (tmp_path / "op_log").write_bytes(log + counted + strings(texts))
    entries = "".join(f'node_stats {{ node_name: "{name}" all_start_micros: 1000 op_end_rel_micros: {micros} '
                      f"all_end_rel_micros: {micros} }} " for name, micros in MICROS.items())
    (tmp_path / "run_meta").write_text(
        f'step_stats {{ dev_stats {{ device: "/job:w/replica:0/task:0/device:CPU:0" {entries} }} }}')
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "model.py").write_text(MODEL)
    return tmp_path


def annotate(planted, *more):
    done = run("annotate", planted / "graph", planted / "op_log", planted / "run_meta", *more, "--output=json")
    return json.loads(done.stdout)


def lines_of(answer, file):
    top = next(row for row in answer["nodes"] if row["depth"] == 1 and row["name"].endswith(file))
    return top, {row["line"]: row for row in answer["nodes"] if row["parent"] == top["id"]}


def test_own_and_total_are_those_of_the_stacks(planted):
    answer = annotate(planted)
    train, lines = lines_of(answer, "train.py")
    assert {line: (row["exec_micros"], row["total_exec_micros"]) for line, row in lines.items()} == {
        5: (None, 800), 6: (None, 800), 8: (200, 1000)}
    assert (train["exec_micros"], train["total_exec_micros"], train["share"]) == (200, 1000, 1)
    # What a library does counts for the line that called it.
    model, lines = lines_of(answer, "model.py")
    assert {line: (row["exec_micros"], row["total_exec_micros"], row["total_float_ops"])
            for line, row in lines.items()} == {2: (300, 300, 100), 3: (500, 500, 20)}
    assert (model["exec_micros"], model["total_exec_micros"], model["share"]) == (800, 800, 0.8)
    assert [row["name"] for row in answer["nodes"] if row["depth"] == 1] == FILES[:2]
    assert answer["nodes"][0]["total_exec_micros"] == sum(MICROS.values())


def test_source_has_every_line(planted):
    answer = annotate(planted, planted / "model.py")
    _, lines = lines_of(answer, "model.py")
    assert [row["source"] for row in lines.values()] == MODEL.splitlines()
    assert [row["total_exec_micros"] for row in lines.values()] == [None, 300, 500]
    others = answer["nodes"][-1]
    assert (others["name"], others["exec_micros"], others["depth"]) == ("(other files)", 200, 1)
    assert annotate(planted, f"--source={planted / 'model.py'}")["nodes"] == answer["nodes"]


def test_a_shorter_file_is_reported_as_changed(planted):
    (planted / "train.py").write_text("one line\n")
    answer = annotate(planted, planted / "train.py")
    assert [note["id"] for note in answer["notes"]] == ["source_changed"]
    _, lines = lines_of(answer, "train.py")
    assert list(lines) == [1, 5, 6, 8] and lines[8]["total_exec_micros"] == 1000


def test_text_and_page_show_the_lines(planted):
    files = [planted / "graph", planted / "op_log", planted / "run_meta", planted / "model.py"]
    text = run("annotate", *files).stdout.decode()
    assert "\033" not in text
    # Blanks for a tab, then the text as it is.
    assert '3          return second(x) + "<b>"\n' in text
    page = planted / "page.html"
    run("annotate", *files, f"--output=html:outfile={page}")

    class Cells(html.parser.HTMLParser):
        texts = []

        def handle_data(self, data):
            self.texts.append(data)

    Cells().feed(page.read_text())
    assert "        return second(x) + \"<b>\"" in Cells.texts and "500us" in Cells.texts


def test_terminals_get_colours_unless_they_ask_not_to(planted):
    pexpect = pytest.importorskip("pexpect")
    words = ["annotate", *map(str, [planted / "graph", planted / "op_log", planted / "run_meta"])]
    for environment, coloured in (({"TERM": "xterm-256color"}, True),
                                  ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False)):
        seen = pexpect.spawn(program(), words, env=environment, dimensions=(60, 200)).read()
        assert (b"\033[1;31m" in seen) == coloured


@pytest.mark.parametrize("source, message", [
    ("other.py", "other.py: no line of this file is in the profile"),
    ("gone/train.py", "cannot read"),
])
def test_wrong_sources(planted, source, message):
    done = run("annotate", planted / "graph", planted / "op_log", planted / source, check=False)
    assert done.returncode in (1, 2) and message in done.stderr.decode()


def test_two_files_of_one_name_are_not_confused(planted):
    log = log_entry("a", [(0, 1, 2)]) + log_entry("b", [(1, 7, 2)])
    (planted / "op_log").write_bytes(log + strings(["/x/one/same.py", "/x/two/same.py", "f"]))
    (planted / "same.py").write_text("x\n")
    failed = run("annotate", planted / "graph", planted / "op_log", planted / "run_meta", planted / "same.py",
                 check=False)
    assert failed.returncode == 2 and b"expected one of: /x/two/same.py, /x/one/same.py" in failed.stderr
    (planted / "two").mkdir()
    (planted / "two" / "same.py").write_text("x\n" * 7)
    _, lines = lines_of(annotate(planted, planted / "two" / "same.py"), "/x/two/same.py")
    assert lines[7]["exec_micros"] == 500


def test_nothing_is_claimed_without_lines(planted):
    done = run("annotate", planted / "graph", planted / "run_meta", check=False)
    assert done.returncode == 1 and b"no line is known: add an op log" in done.stderr


@pytest.mark.parametrize("case", ["j02_sleep", "j04_numpy_input"])
def test_python_time_is_that_of_the_step(case):
    """Of planted traces: the function that sleeps or loads, as long as the program's own clock says."""
    function = {"j02_sleep": "wait_for_lock", "j04_numpy_input": "load_batch"}[case]
    trace = f"{TESTS}/step/planted/{case}.xplane.pb.gz"
    rows = json.loads(run("annotate", trace, "--output=json").stdout)["nodes"]
    mine = sum(row["python_micros"] or 0 for row in rows if row["function"] == function)
    steps = json.load(open(trace.replace(".xplane.pb.gz", ".truth.json")))["steps"]
    clock = [step["phases"]["python"] for step in steps.values()]
    assert mine / 1000 == pytest.approx(sum(clock) / len(clock), rel=0.05)


def test_lines_add_up_to_code_view_of_a_real_profile():
    profile = TOP + "/examples/resnet/profile"
    rows = json.loads(run("annotate", profile, "--output=json").stdout)["nodes"]
    code = json.loads(run("code", profile, "--output=json", "--select=micros,float_ops,bytes").stdout)["nodes"]
    for column in ("total_exec_micros", "total_float_ops", "total_requested_bytes"):
        assert rows[0][column] == code[0][column]
    assert sum(row["exec_micros"] or 0 for row in rows if row["depth"] == 2) == rows[0]["total_exec_micros"]
