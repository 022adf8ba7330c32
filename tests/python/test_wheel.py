"""`make wheel`: an sdist from the tree, a wheel from the sdist, repaired by auditwheel, used
in empty virtual environments of every Python at hand. Needs a package index."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile

import pytest
from tree import TOP

CHECK = """
import sys, tfprof, urllib.request
assert "site-packages" in tfprof.__file__, tfprof.__file__
profile = tfprof.load(sys.argv[1])
assert profile.steps == [0, 1, 2]
for view in ("scope", "graph", "op", "code"):
    assert len(getattr(profile, view)()) > 1
with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1] for line in maps if "libpcre2" in line}
assert libraries and all("tfprof.libs" in path for path in libraries), libraries
print(profile.scope(account_type_regexes="_trainable_variables", select="params"))
with profile.show(port=0) as page:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert b"<title>tfprof</title>" in opener.open(page.url).read()
    page.stop()
    try:
        opener.open(page.url)
    except OSError:
        print("stopped")
"""


def interpreters():
    """This Python and any other from 3.9 on, one of each version."""
    found = {}
    for path in ["/usr/bin/python3", sys.executable,
                 *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python")))]:
        if not os.path.exists(path):
            continue
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
    """Built and repaired by tools/wheel, by the system's Python, from the committed tree."""
    if not shutil.which("git") or not os.path.exists(os.path.join(TOP, ".git")):
        pytest.skip("an sdist is made from a git checkout")
    directory = tmp_path_factory.mktemp("wheel")
    if pip(make_environment(sys.executable, directory / "environment"),
           "download", "--no-deps", "-d", str(directory / "tried"), "meson-python").returncode:
        pytest.skip("no package index")
    subprocess.run(["git", "clone", "-q", TOP, str(directory / "tree")], check=True)
    done = subprocess.run([str(directory / "tree" / "tools" / "wheel"), str(directory)],
                          capture_output=True, text=True, env=clean_environment(), timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    made, = glob.glob(str(directory / "*.whl"))
    assert done.stdout.strip() == made
    assert glob.glob(str(directory / "*.tar.gz"))
    return made


def test_one_wheel_for_all_versions(wheel):
    assert re.fullmatch(r"tfprof-[0-9.]+-cp39-abi3-manylinux_2_[0-9]+_x86_64\.whl",
                        os.path.basename(wheel))


def test_it_uses_only_what_python_3_9_has(wheel, tmp_path):
    """abi3audit knows which version brought which symbol of the stable ABI."""
    python = make_environment(sys.executable, tmp_path / "environment")
    assert pip(python, "install", "abi3audit").returncode == 0
    done = subprocess.run([str(tmp_path / "environment" / "bin" / "abi3audit"), "--strict",
                           "--report", wheel], capture_output=True, text=True,
                          env=clean_environment())
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    found, = report["specs"].values()
    modules = [one for one in found["wheel"] if one["name"].startswith("_native")]
    assert len(modules) == 1 and modules[0]["result"]["is_abi3"]
    assert modules[0]["result"]["is_abi3_baseline_compatible"]
    assert modules[0]["result"]["baseline"] == "3.9"


def test_it_brings_its_libraries(wheel):
    """And links to no other that a manylinux system may lack."""
    names = zipfile.ZipFile(wheel).namelist()
    brought = {re.match(r"tfprof\.libs/(lib[a-z0-9-]+?)-[0-9a-f]{8}\.so", name).group(1)
               for name in names if name.startswith("tfprof.libs/lib")}
    assert brought == {"libbsd", "libedit", "libmd", "libmicrohttpd", "libpcre2-8", "libsnappy",
                       "libtinfo", "libzstd"}


def test_it_brings_the_licences_of_what_it_brings(wheel):
    """Of each library, and of each package that the page is bundled from."""
    archive = zipfile.ZipFile(wheel)
    places = {name.rpartition("/")[2]: name for name in archive.namelist()
              if "dist-info/licenses/bundled/" in name and not name.endswith("/")}
    assert set(places) == {"libbsd0", "libedit2", "libmd0", "libmicrohttpd", "libpcre2-8-0",
                           "libsnappy1v5", "libtinfo6", "libzstd1", "web"}
    texts = {name: archive.read(place).decode() for name, place in places.items()}
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in texts["libmicrohttpd"]
    version = subprocess.run(["dpkg-query", "-W", "-f", "${source:Version}", "libmicrohttpd-dev"],
                             capture_output=True, text=True, check=True).stdout
    assert f"Debian's package libmicrohttpd {version}\n" in texts["libmicrohttpd"]
    for package in ("@dagrejs/dagre", "@dagrejs/graphlib", "d3-hierarchy", "preact"):
        assert f"{package}\n\n" in texts["web"]
    listed, = (name for name in archive.namelist() if name.endswith("/sboms/tfprof.spdx.json"))
    versions = {package["name"]: package["versionInfo"]
                for package in json.loads(archive.read(listed))["packages"]}
    assert versions["libmicrohttpd"] == version.partition("-")[0] and "preact" in versions


def test_it_stays_small(wheel):
    assert os.path.getsize(wheel) < 3 << 20


def test_an_sdist_builds_the_page_without_npm(wheel, tmp_path):
    sdist, = glob.glob(os.path.join(os.path.dirname(wheel), "*.tar.gz"))
    subprocess.run(["tar", "xzf", sdist, "--strip-components=1", "-C", str(tmp_path)], check=True)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "npm").write_text("#!/bin/sh\nexit 1\n")
    (programs / "npm").chmod(0o755)
    environment = {**clean_environment(), "PATH": f"{programs}:{os.environ['PATH']}"}
    for command in (["meson", "setup", "build", "-Dui=enabled", "-Dtests=false"],
                    ["ninja", "-C", "build", "tfprof-ui"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_what_is_in_it(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if name.endswith(".so")} == {"tfprof/_native.abi3.so",
                                                                 "tfprof/bin/libtfprof_core.so"}
    assert "tfprof/_generated.py" in names
    assert [name for name in names if name.endswith("/scripts/tfprof")]
    assert {"tfprof/bin/tfprof", "tfprof/bin/tfprof-ui"} <= set(names)
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
    assert done.stdout.endswith("stopped\n")
    program = subprocess.run([str(tmp_path / "environment" / "bin" / "tfprof"), "scope",
                              f"--profile_path={sample}", "--select=params",
                              "--account_type_regexes=_trainable_variables"],
                             capture_output=True, text=True)
    assert "_TFProfRoot (--/464.15k params)" in program.stdout
    for command in ([installed, "-m", "tfprof"], [str(tmp_path / "environment" / "bin" / "tfprof")]):
        assert_page_is_served([*command, "ui", sample, "--port=0"], clean_environment(), tmp_path)
        assert_commands_run_here(command, sample, tmp_path)


def assert_commands_run_here(command, sample, directory):
    """In the environment of the program, which is not activated: as pipx and uvx start it."""
    outside = {**clean_environment(), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([*command, "op", sample, "--select=params"], cwd=directory, env=outside,
                          capture_output=True, text=True)
    assert done.returncode == 0 and "VariableV2" in done.stdout, done.stderr
    for arguments in (["sql", "tables"], ["fleet", "tables"]):
        done = subprocess.run([*command, *arguments], cwd=directory, env=outside,
                              capture_output=True, text=True)
        assert done.returncode == 1, done.stderr
        assert done.stderr.startswith("tfprof: tables: not a directory of tables"), done.stderr


def assert_page_is_served(command, environment, directory):
    server = subprocess.Popen(command, cwd=directory, env=environment, stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert b"<title>tfprof</title>" in opener.open(address, timeout=20).read()
    script = opener.open(address.partition("?")[0] + "app.js", timeout=20).read()
    assert len(script) > 50000
    server.terminate()
    assert server.wait(10) == 0
    server.stdout.close()


def test_it_works_outside_of_site_packages(wheel, tmp_path):
    """As `pip install --user` and `--target` put it: the program is found from the package."""
    python = make_environment(sys.executable, tmp_path / "environment")
    target = tmp_path / "target"
    assert pip(python, "install", "--no-index", "--target", str(target), wheel).returncode == 0
    environment = {**clean_environment(), "PYTHONPATH": str(target)}
    sample = os.path.join(TOP, "examples", "resnet", "profile")
    for command in ([str(target / "bin" / "tfprof")], [python, "-m", "tfprof"]):
        assert_page_is_served([*command, "ui", sample, "--port=0"], environment, tmp_path)


def test_pip_shows_licence_and_classifiers(wheel, tmp_path):
    """In one word, not the text of the licence."""
    python = make_environment(sys.executable, tmp_path / "environment")
    assert pip(python, "install", "--upgrade", "pip").returncode == 0
    assert pip(python, "install", "--no-index", wheel).returncode == 0
    shown = pip(python, "show", "--verbose", "--files", "tfprof").stdout
    assert "\nLicense-Expression: Apache-2.0\n" in shown
    assert "Programming Language :: Python :: 3.9\n" in shown and "Typing :: Typed" in shown
    assert "TERMS AND CONDITIONS" not in shown
    assert "licenses/LICENSE" in shown
