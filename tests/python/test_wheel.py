"""`pip install`: an sdist from the tree, a wheel from the sdist, both in empty virtual
environments. Needs a package index."""

import glob
import os
import shutil
import subprocess
import sys

import pytest
from tree import TOP

CHECK = """
import sys, tfprof
assert "site-packages" in tfprof.__file__, tfprof.__file__
profile = tfprof.load(sys.argv[1])
assert profile.steps == [0, 1, 2]
for view in ("scope", "graph", "op", "code"):
    assert len(getattr(profile, view)()) > 1
print(profile.scope(account_type_regexes="_trainable_variables", select="params"))
"""


def interpreters():
    """This Python and any other from 3.9 on, one of each version."""
    found = {sys.version_info[:2]: sys.executable}
    for path in sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python"))):
        done = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"],
                              capture_output=True, text=True)
        if done.returncode == 0:
            version = tuple(map(int, done.stdout.split()))
            if version >= (3, 9):
                found.setdefault(version, path)
    return [found[version] for version in sorted(found)]


def make_environment(python, directory):
    subprocess.run([python, "-m", "venv", str(directory)], check=True)
    return str(directory / "bin" / "python")


def clean_environment():
    """Without the package that the other tests use."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def pip(python, *arguments):
    return subprocess.run([python, "-m", "pip", "-q", "--disable-pip-version-check", *arguments],
                          capture_output=True, text=True, env=clean_environment(), timeout=900)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built by the oldest Python, from an sdist of the committed tree."""
    if not shutil.which("git") or not os.path.exists(os.path.join(TOP, ".git")):
        pytest.skip("an sdist is made from a git checkout")
    directory = tmp_path_factory.mktemp("wheel")
    python = make_environment(interpreters()[0], directory / "environment")
    if pip(python, "install", "build").returncode:
        pytest.skip("no package index")
    subprocess.run(["git", "clone", "-q", TOP, str(directory / "tree")], check=True)
    done = subprocess.run([python, "-m", "build", "--outdir", str(directory),
                           str(directory / "tree")], capture_output=True, text=True,
                          env=clean_environment(), timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    made, = glob.glob(str(directory / "*.whl"))
    assert glob.glob(str(directory / "*.tar.gz"))
    return made


def test_one_wheel_for_all_versions(wheel):
    oldest = subprocess.run([interpreters()[0], "-c", "import sys; print('cp%d%d' % "
                             "sys.version_info[:2])"], capture_output=True, text=True).stdout
    assert f"-{oldest.strip()}-abi3-" in os.path.basename(wheel)


def test_what_is_in_it(wheel):
    import zipfile
    names = zipfile.ZipFile(wheel).namelist()
    assert len([name for name in names if name.endswith(".so")]) == 1
    assert [name for name in names if name.endswith("/scripts/tfprof")]
    sources = {os.path.relpath(path, os.path.join(TOP, "python"))
               for pattern in ("*.py", "*.pyi", "py.typed", "_messages/*.py", "_messages/*.bin")
               for path in glob.glob(os.path.join(TOP, "python", "tfprof", pattern))}
    committed = subprocess.run(["git", "ls-files", "python/tfprof"], cwd=TOP, capture_output=True,
                               text=True).stdout.split()
    assert {name for name in sources if "python/" + name in committed} <= set(names)


@pytest.mark.parametrize("python", interpreters())
def test_it_works(wheel, python, tmp_path):
    installed = make_environment(python, tmp_path / "environment")
    done = pip(installed, "install", "--no-index", wheel)
    assert done.returncode == 0, done.stderr
    sample = os.path.join(TOP, "examples", "resnet", "profile")
    done = subprocess.run([installed, "-c", CHECK, sample], capture_output=True, text=True,
                          cwd=tmp_path, env=clean_environment())
    assert done.returncode == 0, done.stderr
    assert "_TFProfRoot (--/464.15k params)" in done.stdout
    program = subprocess.run([str(tmp_path / "environment" / "bin" / "tfprof"), "scope",
                              f"--profile_path={sample}", "--select=params",
                              "--account_type_regexes=_trainable_variables"],
                             capture_output=True, text=True)
    assert "_TFProfRoot (--/464.15k params)" in program.stdout
