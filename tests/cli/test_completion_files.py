"""Completion in bash, zsh and fish, invoked as the shells do."""

import os
import re
import shutil
import subprocess
import time

import pytest
from pseudo_terminal import Terminal

ASK_BASH = r"""
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tfprof
printf '%s\n' "${COMPREPLY[@]}"
"""


def needs(shell):
    return pytest.mark.skipif(not shutil.which(shell), reason=f"no {shell}")


@pytest.fixture(scope="module")
def files(run, tmp_path_factory):
    """The scripts for bash, zsh and fish by name; a folder with files to complete."""
    folder = tmp_path_factory.mktemp("completion")
    for name in ("bash", "fish"):
        (folder / name).write_bytes(run(f"--generate={name}").stdout)
    (folder / "functions").mkdir()
    (folder / "functions" / "_tfprof").write_bytes(run("--generate=zsh").stdout)
    (folder / "profiles").mkdir()
    (folder / "profiles" / "profile_100").touch()
    (folder / "pro file").touch()
    return folder


@needs("bash")
def test_bash_loads(files):
    done = subprocess.run(["bash", "--norc", "-c", "source ./bash && complete -p tfprof"],
                          cwd=files, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"complete -F _tfprof tfprof\n", b"")


# As bash splits the line: = and : are separate words.
@needs("bash")
@pytest.mark.parametrize("words, expected", [
    (["sco"], ["scope"]),
    (["--sel"], ["--select="]),
    (["--account_disp"], ["--account_displayed_op_only"]),
    (["--select", "=", "mic"], ["micros"]),
    (["--select", "mic"], ["micros"]),
    (["-select", "mic"], ["micros"]),
    (["--select", "=", "micros,by"], ["micros,bytes", "micros,bytes_accessed"]),
    (["op", "--order_by", "=", "na"], ["name"]),
    (["--output", "=", "ti"], ["timeline:outfile="]),
    (["--output", "=", "std"], ["stdout "]),
    (["--output", "=", "file", ":"], ["outfile="]),
    (["--output", "=", "file", ":", "outfile", "=", "profi"], ["profiles"]),
    (["op", "--profile_path", "=", "profiles/"], ["profiles/profile_100"]),
    (["op", "--profile_path", "pro "], ["pro file"]),
    (["--run_meta_path", "=", "a,profiles/"], ["a,profiles/profile_100"]),
    (["--account_displayed_op_only", "="], ["true", "false"]),
    (["--account_displayed_op_only", "sco"], ["scope"]),
    (["--max_depth", "=", ""], [""]),
    (["op", "sc"], [""]),
    (["op", "profiles/"], ["profiles/profile_100"]),
    (["op", "pro "], ["pro file"]),
    (["profiles/"], ["profiles/profile_100"]),
    (["profiles/profile_100", "sco"], ["scope"]),
    (["op", "profiles/profile_100", "profi"], ["profiles"]),
    (["help", "sel"], ["select"]),
    (["advise", "--fail_on", "hi"], ["high"]),
    (["advise", "--checker", "Oper"], ["OperationChecker"]),
])
def test_bash(files, words, expected):
    assert ask_bash(files, *words) == expected


def ask_bash(files, *words):
    command = ["bash", "--norc", "-c", "source ./bash;" + ASK_BASH, "x", "tfprof", *words]
    done = subprocess.run(command, cwd=files, capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.decode().rstrip("\n").split("\n")


@needs("bash")
def test_bash_completes_every_command(files, run):
    overview = run("--help").stdout.decode()
    commands = re.findall(r"^  (\w+) ", overview.split("Commands:")[1].split("\n\n")[0],
                          re.MULTILINE)
    assert {"scope", "graph", "op", "code", "advise", "help"} <= set(commands)
    assert ask_bash(files, "") == commands
    for command in commands:
        assert (ask_bash(files, command, "sco") == ["scope"]) == (command == "help")


@needs("bash")
def test_bash_at_a_terminal(files, program, tmp_path):
    terminal = Terminal(["/bin/bash", "--norc"], files, {"HOME": str(tmp_path), "PS1": "$ ", "PATH":
                        os.path.dirname(program) + ":" + os.environ["PATH"]}, columns=200)
    try:
        terminal.expect("$ ")
        terminal.send("source ./bash; tfprof() { printf '<%s>' \"$@\"; }\n")
        terminal.expect("$ ")
        terminal.send("tfprof sco\t--sel\tmi\t,by\t --profile_pa\tprofiles/\t--outp\tfi\tpro\\ \t\n")
        terminal.expect("<scope><--select=micros,bytes><--profile_path=profiles/profile_100>"
                        "<--output=file:outfile=pro file>")
    finally:
        terminal.close()


@needs("zsh")
def test_zsh_at_a_terminal(files, tmp_path):
    terminal = Terminal(["/usr/bin/zsh", "-f"], files, {"HOME": str(tmp_path), "TERM": "vt100"},
                        columns=200)
    try:
        terminal.send("fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; "
                      "unsetopt zle_bracketed_paste; compdef _tfprof tfprof; "
                      "tfprof() { printf '<%s>' \"$@\"; print; }; echo re''ady\n")
        terminal.expect("ready\n", 60)
        for part in ("tfprof sco", "--sel", "mi", ",by", " --profile_pa", "profiles/", "--outp",
                     "fi", "profi"):
            terminal.send(part)
            time.sleep(0.3)
            terminal.send("\t")
            time.sleep(0.3)
        terminal.send("\n")
        terminal.expect("<scope><--select=micros,bytes><--profile_path=profiles/profile_100>"
                        "<--output=file:outfile=profiles")
    finally:
        terminal.close()


ODD_NAME = "odd'; touch PWNED $(touch PWNED) #"
SHOWS_WORDS = "tfprof() { printf '<%s>' \"$@\"; echo; }"
SHELLS = {
    "bash": (["--norc"], "source ./bash; " + SHOWS_WORDS),
    "zsh": (["-f"], "fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; "
                    "unsetopt zle_bracketed_paste; compdef _tfprof tfprof; " + SHOWS_WORDS),
    "fish": (["--no-config"], "source ./fish; "
             "function tfprof; printf '<%s>' $argv; echo; end"),
}


@pytest.mark.parametrize("flag", ["profile_path=", "run_meta_path=", "run_meta_path=x,", "output=file:outfile="])
@pytest.mark.parametrize("shell", [pytest.param(shell, marks=needs(shell)) for shell in SHELLS])
def test_odd_names_of_files_stay_words(files, tmp_path, shell, flag):
    arguments, setup = SHELLS[shell]
    (files / ODD_NAME).touch()
    terminal = Terminal([shutil.which(shell), *arguments], files,
                        {"HOME": str(tmp_path), "TERM": "vt100", "PS1": "$ "}, columns=300)
    try:
        terminal.send(setup + "; echo re''ady\n")
        terminal.expect("ready\n", 60)
        terminal.send(f"tfprof --{flag}od")
        time.sleep(0.3)
        terminal.send("\t")
        time.sleep(0.5)
        terminal.send("\n")
        terminal.expect(f"<--{flag}{ODD_NAME}>")
    finally:
        terminal.close()
        (files / ODD_NAME).unlink()
    assert not (files / "PWNED").exists()


@needs("fish")
@pytest.mark.parametrize("line, expected", [
    ("tfprof sco", ["scope"]),
    ("tfprof --sel", ["--select"]),
    ("tfprof --select=mi", ["--select=micros"]),
    ("tfprof --select micros,by", ["micros,bytes", "micros,bytes_accessed"]),
    ("tfprof op --order_by na", ["name"]),
    ("tfprof --output ti", ["timeline:outfile="]),
    ("tfprof --output=file:outfile=profi", ["--output=file:outfile=profiles/"]),
    ("tfprof op --profile_path profiles/", ["profiles/profile_100"]),
    ("tfprof op --run_meta_path profi", ["profiles/"]),
    ("tfprof op --run_meta_path=a,profiles/", ["--run_meta_path=a,profiles/profile_100"]),
    ("tfprof op --max_depth ", []),
    ("tfprof help order", ["order_by"]),
    ("tfprof advise --fail_on hi", ["high"]),
    ("tfprof op sc", []),
])
def test_fish(files, tmp_path, line, expected):
    done = subprocess.run(["fish", "--no-config", "-c",
                           "source ./fish; complete -C $argv[1]", line], cwd=files,
                          env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
                          capture_output=True, check=True)
    assert done.stderr == b""
    assert [row.split("\t")[0] for row in done.stdout.decode().splitlines()] == expected
