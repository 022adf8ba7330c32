"""The documents show what the program prints.

Every fenced block of README.md and docs/*.md that starts with a tfprof command is
run in a directory with the files of tools/sample, and its output is compared with
the lines shown. There are two forms:

    $ tfprof op --profile_path=profile        commands of a POSIX shell; other
    (what it prints)                          commands may follow in the block

    # tfprof --profile_path=profile           an interactive session; with `$`
    tfprof> op -max_depth 3                   instead of `#`, messages printed
    (what it prints)                          while loading are shown, too

A line `...` stands for any number of lines, `, ...` within a line for the rest of a
list. A report may be shown without its
paragraph `Doc:` and its header line. Lines that start with `# ` are comments. The
program is the one that TFPROF_PROGRAM names, or build/tfprof.
"""

import glob
import os
import re
import shlex
import subprocess

import pytest
from tree import TOP, program

DOCUMENTS = [os.path.join(TOP, "README.md")] + sorted(glob.glob(os.path.join(TOP, "docs", "*.md")))
FENCE = re.compile(r"^( *)```.*\n((?:.*\n)*?)\1```$", re.MULTILINE)
OPENS = re.compile(r"(?:# .*\n)*(?:\$ (?:.*\| )?tfprof\b|tfprof>)")
PROMPT = "tfprof> "
# An unknown command: its one-line error separates the answers of a session.
SEPARATOR = "next-answer"


def blocks_of(text):
    """The blocks to run, each with the number of its first line."""
    for found in FENCE.finditer(text):
        indent = len(found[1])
        block = "".join(line[indent:] or "\n" for line in found[2].splitlines(keepends=True))
        if OPENS.match(block):
            yield text.count("\n", 0, found.start(2)) + 1, block


def all_blocks():
    found = []
    for path in DOCUMENTS:
        with open(path, encoding="utf-8") as file:
            for line, block in blocks_of(file.read()):
                found.append(pytest.param(block, id=f"{os.path.relpath(path, TOP)}:{line}"))
    return found


def take_apart(block):
    """[(command with its prompt, lines shown after it)]"""
    parts, lines = [], block.splitlines()
    while lines:
        line = lines.pop(0)
        if line.startswith(("$ ", PROMPT.rstrip())):
            while line.endswith("\\"):
                line = line[:-1] + lines.pop(0).lstrip()
            parts.append((line, []))
        elif line.startswith("# "):
            if not parts and line.startswith("# tfprof "):
                parts.append((line, []))
        else:
            parts[-1][1].append(line)
    return parts


def trimmed(lines):
    """Without blanks at the ends of lines, and blank lines at either end."""
    lines = [line.rstrip() for line in lines]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


class Line(str):
    """A line as shown, equal to what it may stand for."""

    def __eq__(self, other):
        pattern = ".*".join(map(re.escape, self.split(", ...")))
        return re.fullmatch(pattern, str(other)) is not None

    __hash__ = str.__hash__


def agrees(shown, printed):
    """Whether `printed` is `shown` with something for each `...`. The earliest
    place for what follows an elision is as good as any later one."""
    shown = list(map(Line, shown))
    pieces, current = [], []
    for line in shown:
        if line.strip() == "...":
            pieces.append(current)
            current = []
        else:
            current.append(line)
    pieces.append(current)
    if len(pieces) == 1:
        return shown == printed
    first, last = pieces[0], pieces[-1]
    if len(first) + len(last) > len(printed) or printed[:len(first)] != first or \
            printed[len(printed) - len(last):] != last:
        return False
    at, end = len(first), len(printed) - len(last)
    for piece in pieces[1:-1]:
        while printed[at:at + len(piece)] != piece:
            at += 1
            if at + len(piece) > end:
                return False
        at += len(piece)
    return at <= end


def shortened(printed):
    """`printed`, and the shorter forms that may be shown for it."""
    yield printed
    if "Profile:" in printed:
        below = printed[printed.index("Profile:") + 1:]
        yield below
        if below and below[0].startswith("node name |"):
            yield below[1:]


def check(command, shown, printed):
    shown, printed = trimmed(shown), trimmed(printed)
    if any(agrees(shown, trimmed(form)) for form in shortened(printed)):
        return
    pytest.fail("\n".join([f"the document shows for {command}", *shown, "", "but it prints",
                           *printed]), pytrace=False)


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """The environment of commands: `tfprof` is on the path, nothing else is inherited."""
    path = tmp_path_factory.mktemp("bin")
    os.symlink(program(), path / "tfprof")
    home = tmp_path_factory.mktemp("home")
    kept = {name: value for name, value in os.environ.items()
            if name.endswith("SAN_OPTIONS") or name == "LD_LIBRARY_PATH"}
    return dict(kept, PATH=f"{path}:{os.environ['PATH']}", HOME=str(home), LC_ALL="C.UTF-8")


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """The sample files; the repository's examples and model files under their own names."""
    directory = tmp_path_factory.mktemp("sample")
    subprocess.run([os.path.join(TOP, "tools", "sample"), directory], check=True)
    os.symlink(os.path.join(TOP, "examples"), directory / "examples")
    os.symlink(os.path.join(TOP, "tests", "models", "files"), directory / "models")
    return directory


@pytest.fixture
def place(sample, tmp_path):
    """A private copy of the sample: no other test sees what a command writes."""
    for path in sample.iterdir():
        os.symlink(path, tmp_path / path.name)
    return tmp_path


def run(command, place, environment, text=None):
    done = subprocess.run(command, cwd=place, env=environment, input=text, encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                          **({} if text else {"stdin": subprocess.DEVNULL}))
    assert done.returncode in (0, 1, 2, 3), done.stdout
    return done.stdout.splitlines()


def check_commands(parts, place, environment):
    for command, shown in parts:
        # Reports go to stdout; messages of loading are shown only if wanted.
        printed = run(["sh", "-c", command[2:]], place, environment)
        quiet = [line for line in printed if not line.startswith("run graph coverage: ")
                 and not line.endswith(" entries name no node of the graph: added as nodes")]
        check(command, shown, quiet if quiet != printed and not any(
            line.startswith("run graph coverage: ") for line in shown) else printed)


def check_session(parts, place, environment):
    opening, *lines = parts
    script = "".join(f"{SEPARATOR}\n{line[len(PROMPT):]}\n" for line, _ in lines)
    printed = run(shlex.split(opening[0][2:]), place, environment, script)
    answers = [[]]
    for line in printed:
        if SEPARATOR in line:
            answers.append([])
        else:
            # Errors have line numbers in a script, but not at a terminal.
            answers[-1].append(re.sub(r"^E: line \d+: ", "E: ", line))
    assert len(answers) == len(parts), printed
    if opening[0].startswith("#"):
        answers[0] = []
    for (command, shown), answer in zip(parts, answers):
        check(command, shown, answer)


@pytest.mark.parametrize("block", all_blocks())
def test_documents_show_what_is_printed(block, place, environment):
    parts = take_apart(block)
    if any(command.startswith(PROMPT.rstrip()) for command, _ in parts):
        assert parts[0][0].startswith(("# tfprof ", "$ tfprof ")), "say which files are loaded"
        check_session(parts, place, environment)
    else:
        check_commands(parts, place, environment)


def test_every_option_is_described_with_its_default(place, environment):
    with open(os.path.join(TOP, "docs", "options.md"), encoding="utf-8") as file:
        sections = re.split(r"^## (.*)\n", file.read(), flags=re.MULTILINE)
    described = dict(zip(sections[1::2], sections[2::2]))
    echo = run(["tfprof", "--profile_path=profile"], place, environment, "\n")
    options = [line[1:].split() for line in echo if line.startswith("-")]
    assert len(options) > 20
    for name, *value in options:
        default = value[0].rstrip(":") if value else ""
        text = described["minimums" if re.match("min_(own|total)_", name) else name]
        expected = f"`{default}`" if default else "nothing"
        assert re.search(rf"\bDefault:\s{re.escape(expected)}", text), f"{name}: {expected}"
        assert f"-{name}" in text or f"`{name}`" in text, f"no example of {name}"


def words_of(option, place, environment):
    listed = [re.match(r"  (\w+)  ", line) for line in
              run(["tfprof", "help", option], place, environment)]
    return [found[1] for found in listed if found]


@pytest.mark.parametrize("option, document", [("select", "options.md"), ("order_by", "options.md"),
                                              ("output", "options.md"), ("output", "output.md")])
def test_every_word_is_described(option, document, place, environment):
    with open(os.path.join(TOP, "docs", document), encoding="utf-8") as file:
        text = file.read()
    if document == "options.md":
        text = re.search(rf"^## {option}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    words = words_of(option, place, environment)
    assert len(words) > 6
    for word in words:
        assert re.search(rf"`{word}[`:]", text), f"{document} does not describe {option} {word}"


def test_every_input_is_described(place, environment):
    with open(os.path.join(TOP, "docs", "inputs.md"), encoding="utf-8") as file:
        text = file.read()
    flags = re.findall(r"^  --(\w+_path)=", "\n".join(run(["tfprof", "--help"], place, environment)),
                       re.MULTILINE)
    assert len(flags) > 4
    for flag in flags:
        assert f"[`--{flag}`](#{flag})" in text and f"\n## {flag}\n" in text, flag


LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(path):
    with open(path, encoding="utf-8") as file:
        headings = re.findall(r"^#+ +(.*)$", FENCE.sub("", file.read()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS + [os.path.join(TOP, "CONTRIBUTING.md"),
                                              os.path.join(TOP, "CHANGELOG.md"),
                                              os.path.join(TOP, "SECURITY.md")],
                         ids=os.path.basename)
def test_links_lead_somewhere(path):
    with open(path, encoding="utf-8") as file:
        text = FENCE.sub("", file.read())
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        other = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        assert os.path.exists(other), f"{target} does not exist"
        if anchor:
            assert anchor in anchors(other), f"{target}: no such heading"


# ---- the checker itself ----

def test_elisions():
    printed = ["a", "b", "c", "b", "d"]
    for shown in (printed, ["...", "d"], ["a", "..."], ["a", "...", "d"], ["...", "b", "...", "b",
                  "..."], ["..."], ["a", "  ...", "c", "...", "d"], ["a", "...", *printed[1:]]):
        assert agrees(shown, printed), shown
    for shown in (["a"], ["b", "..."], ["...", "c"], ["a", "...", "x", "...", "d"], [],
                  ["...", "d", "...", "a", "..."], ["a", "b", "c", "...", "c", "b", "d"]):
        assert not agrees(shown, printed), shown


def test_elisions_within_a_line():
    printed = ["x: a, b, c (y)"]
    for shown in ("x: a, ... (y)", "x: a, ...", "x: a, ..., c (y)", "x: a, b, c (y)"):
        assert agrees([shown], printed), shown
    for shown in ("x: a, ... (z)", "x: b, ...", "a, ..., c (y)", "x: a ... (y)"):
        assert not agrees([shown], printed), shown


def test_reports_may_lack_what_is_above_them():
    report = ["Doc:", "op: x", "", "Profile:", "node name | y", "z"]
    check("", ["z"], report)
    check("", ["node name | y", "z"], report)
    check("", report, report)
    for wrong in (["Profile:", "z"], ["y"], ["Doc:", "z"], ["op: x", "", "z"]):
        with pytest.raises(pytest.fail.Exception):
            check("", wrong, report)


def test_blocks_are_found():
    text = "x\n```sh\n$ make\n```\n```\n# a\n$ tfprof op \\\n    --x\nout\n$ ls\n```\n```\n" \
           "# tfprof --profile_path=p\ntfprof> op\nout\n\ntfprof>\n```\n"
    (at, commands), (_, session) = blocks_of(text)
    assert at == 6
    assert take_apart(commands) == [("$ tfprof op --x", ["out"]), ("$ ls", [])]
    assert take_apart(session) == [("# tfprof --profile_path=p", []), ("tfprof> op", ["out", ""]),
                                   ("tfprof>", [])]


def test_a_wrong_figure_is_noticed(place, environment):
    right = "$ tfprof scope --profile_path=profile --select=params --max_depth=1\n" \
            "_TFProfRoot (--/930.58k params)\n"
    test_documents_show_what_is_printed(right, place, environment)
    session = "# tfprof --profile_path=profile\ntfprof> scope -select params -max_depth 1\n" \
              "_TFProfRoot (--/930.58k params)\n"
    test_documents_show_what_is_printed(session, place, environment)
    for block in (right, session):
        with pytest.raises(pytest.fail.Exception):
            test_documents_show_what_is_printed(block.replace("930.58k", "930.59k"), place,
                                                environment)
