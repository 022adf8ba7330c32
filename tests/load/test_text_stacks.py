"""Op logs of 2017: frames hold the texts of their file, function and line, not ids."""

import subprocess

import pytest
from tree import program
from wire import field, log_entry, node, strings

GRAPH = node("conv", "Conv2D") + node("relu", "Relu", ["conv"]) + node("sum", "Sum", ["relu"])


def text_frame(file, line, function, source):
    return field(1, file) + field(2, line) + field(3, function) + field(4, source)


def text_entry(name, *frames):
    return field(1, field(1, name) + field(4, b"".join(field(1, frame) for frame in frames)))


MAIN = text_frame("/home/me/train.py", 132, "main", "x = lib.BuildFullModel()")
LOG = (text_entry("conv", MAIN, text_frame("/home/me/lib.py", 42, "build", "x = nn.conv2d(y)"))
       + text_entry("relu", MAIN, text_frame("/home/me/lib.py", 43, "build", ""))
       + text_entry("sum", MAIN))


@pytest.fixture
def code(tmp_path):
    (tmp_path / "graph.pb").write_bytes(GRAPH)

    def run(log, *more, flag=False):
        (tmp_path / "tfprof_log").write_bytes(log)
        files = [tmp_path / "graph.pb",
                 f"--op_log_path={tmp_path / 'tfprof_log'}" if flag else tmp_path / "tfprof_log"]
        return subprocess.run(
            [program(), "code", *files, "--max_depth=10", "--account_type_regexes=.*",
             "--select=occurrence", *more], capture_output=True, text=True, timeout=30)
    return run


def tree(run):
    assert run.returncode == 0, run.stderr
    return [line.split(" (")[0] for line in run.stdout.splitlines()
            if line.lstrip().split(":")[0].endswith((".py", "none"))]


EXPECTED = ["  train.py:132:main:x = lib.BuildFull...",
            "    lib.py:42:build:x = nn.conv2d(y)",
            "    lib.py:43:build:none"]


@pytest.mark.parametrize("flag", [True, False])
def test_frames_with_texts_are_read_and_recognized(code, flag):
    assert tree(code(LOG, flag=flag)) == EXPECTED


def test_text_form_is_read(code):
    log = "".join(
        'log_entries { name: "%s" code_def { traces { file: "/a/m.py" lineno: %d '
        'function: "f" line: "y = 1" } } }\n' % (name, line)
        for name, line in (("conv", 3), ("relu", 4)))
    assert tree(code(log.encode())) == ["  m.py:3:f:y = 1", "  m.py:4:f:y = 1"]


def test_frames_with_ids_and_with_texts_share_lines(code):
    """One entry by ids, one by texts: the same line of code."""
    by_id = field(1, field(1, "conv") + field(4, field(1, field(6, 1) + field(2, 132)
                                                       + field(7, 2) + field(8, 3))))
    log = by_id + text_entry("relu", MAIN) + strings(
        ["none", "/home/me/train.py", "main", "x = lib.BuildFullModel()"])
    assert tree(code(log)) == EXPECTED[:1]


def test_equal_names_in_different_directories_are_different_lines(code):
    log = (text_entry("conv", text_frame("/a/m.py", 3, "f", "y"))
           + text_entry("relu", text_frame("/b/m.py", 3, "f", "y")))
    assert tree(code(log)) == ["  m.py:3:f:y"] * 2


def test_a_missing_string_id_is_none(code):
    assert tree(code(log_entry("conv", [(5, 7, 6)]), flag=True)) == ["  none:7:none:none"]


def test_a_damaged_log_is_named(code):
    run = code(LOG[:-3], flag=True)
    assert run.returncode == 1
    assert "tfprof_log: " in run.stderr and "damaged or cut" in run.stderr


def test_recovering_keeps_stacks_with_texts(code):
    assert tree(code(LOG[:-3], "--recover", flag=True)) == EXPECTED


def test_saved_profiles_keep_them(code, tmp_path):
    code(LOG)
    subprocess.run([program(), "save", tmp_path / "saved", tmp_path / "graph.pb",
                    tmp_path / "tfprof_log"], check=True, capture_output=True, timeout=30)
    run = subprocess.run(
        [program(), "code", tmp_path / "saved", "--max_depth=10", "--account_type_regexes=.*",
         "--select=occurrence"], capture_output=True, text=True, timeout=30)
    assert tree(run) == EXPECTED
