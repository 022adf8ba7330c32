"""The manual page: complete, and without a warning from troff."""

import os
import shutil
import subprocess

import pytest
import tree

TEMPLATE = os.path.join(tree.TOP, "man", "tfprof.1.in")


@pytest.fixture(scope="module")
def page(run):
    with open(TEMPLATE, "rb") as template:
        done = run("--generate=man", stdin=template.read())
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def render(page):
    return subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-rLL=100n"], input=page,
                          capture_output=True, check=True)


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff")
def test_no_warning(page):
    done = render(page)
    assert done.stderr == b""
    assert len(done.stdout) > 5000


@pytest.mark.skipif(not shutil.which("man"), reason="no man")
def test_man_shows_it(page, tmp_path):
    (tmp_path / "tfprof.1").write_bytes(page)
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "tfprof.1"],
                          cwd=tmp_path, capture_output=True, check=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert done.stderr == b""


def test_every_flag_is_there(run, page):
    flags = [line.split()[0].split("=")[0] for line in run("--help").stdout.decode().splitlines()
             if line.startswith("  --")]
    assert len(flags) > 25
    for flag in flags:
        assert b"\\fB" + flag.replace("-", "\\-").encode() + b"\\fR" in page, flag


def test_nothing_is_left_to_fill_in(page):
    assert b"@" not in page
