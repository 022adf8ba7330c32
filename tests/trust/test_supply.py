"""What is built and shipped: hardened, reproducible, without network, all of it listed."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
import tree

PROFILE = os.path.join(tree.TOP, "examples", "resnet", "profile")
MODEL = os.path.join(tree.TESTS, "models", "files", "mlp", "export")
WANTED = ["Position Independent Executable", "Stack protected", "Fortify Source functions",
          "Read-only relocations", "Immediate binding"]


def built():
    names = ["tfprof", "libtfprof.so", "tfprof-ui"]
    return [path for path in (os.path.join(tree.BUILD, name) for name in names)
            if os.path.exists(path)]


def test_hardening():
    """A library is position independent, whatever hardening-check calls it."""
    assert built()
    for path in built():
        text = subprocess.run(["hardening-check", path], capture_output=True, text=True).stdout
        for wanted in WANTED:
            found = re.search(f"^ {wanted}: (.*)$", text, re.M)
            assert found and (found.group(1).startswith("yes") or
                              ".so" in path and "library" in found.group(1)), (path, text)


def test_control_flow_integrity():
    """Of our own code: what Debian 12 links to it has none, and so nor has the whole."""
    object_file = os.path.join(tree.BUILD, "libtfprof_core.a.p", "src_base_mem.c.o")
    text = subprocess.run(["readelf", "-n", object_file], capture_output=True, text=True).stdout
    assert "IBT, SHSTK" in text


def test_two_builds_are_the_same_bytes(tmp_path):
    """In two directories, from two copies of the source."""
    made = []
    for name in ("one", "another/deeper"):
        source = tmp_path / name / "source"
        shutil.copytree(tree.TOP, source, ignore=shutil.ignore_patterns("build*", ".git", "node_modules", "tests"))
        subprocess.run(["meson", "setup", "build", "-Dtests=false", "-Dui=disabled"], cwd=source,
                       check=True, capture_output=True)
        subprocess.run(["ninja", "-C", "build", "tfprof", "libtfprof.so.0.1.0"], cwd=source,
                       check=True, capture_output=True)
        made.append([(source / "build" / file).read_bytes()
                     for file in ("tfprof", "libtfprof.so.0.1.0")])
    assert made[0] == made[1]


def network_calls(log):
    return [line for line in log.read_text().splitlines() if not re.search(r"\+\+\+|---", line)]


@pytest.mark.parametrize("command", [["op"], ["scope"], ["graph"], ["code"], ["advise"], [],
                                     ["save", "out"], ["diff", PROFILE], ["model", MODEL]])
def test_no_network(tmp_path, command):
    log = tmp_path / "calls"
    inputs = [] if command and command[0] == "model" else [PROFILE]
    done = subprocess.run(["strace", "-f", "-e", "trace=network", "-o", log, tree.program(),
                           *command, *inputs], stdin=subprocess.DEVNULL, cwd=tmp_path,
                          capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert network_calls(log) == []


def test_the_page_is_served_on_this_machine_only(tmp_path):
    """What the server binds and is asked from; it connects to nothing."""
    log = tmp_path / "calls"
    with subprocess.Popen(["strace", "-f", "-e", "trace=network", "-o", log, tree.program(), "ui", PROFILE,
                           "--port=0", "--token=none"], stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        try:
            for path in ("", "api/load", "api/overview"):
                with contextlib.suppress(urllib.error.HTTPError):
                    urllib.request.urlopen(address + path, timeout=30).read()
        finally:
            os.kill(int(children.read_text().split()[0]), signal.SIGINT)
            process.wait(30)
    calls = network_calls(log)
    named = [line for line in calls if re.search(r"\b(bind|connect|accept4?|sendto)\(", line)]
    assert [line for line in named if "bind(" in line] and [line for line in named if "accept" in line]
    assert not [line for line in named if "connect(" in line]
    for line in named:
        for family in re.findall(r"sa_family=(\w+)", line):
            assert family == "AF_INET" and 'inet_addr("127.0.0.1")' in line, line
    families = {family for line in calls for family in re.findall(r"socket\((\w+)", line)}
    assert families == {"AF_INET"}


def test_every_linked_library_is_listed():
    listed = json.loads(subprocess.run([sys.executable, os.path.join(tree.TOP, "tools", "sbom")],
                                       capture_output=True, text=True, check=True).stdout)
    packages = {package["name"] for package in listed["packages"]}
    assert all(package["licenseDeclared"] != "NOASSERTION" for package in listed["packages"])
    owner = {"pcre2-8": "pcre2", "z": "zlib", "zstd": "zstd",
             "snappy": "snappy", "edit": "libedit",
             "microhttpd": "libmicrohttpd", "c": "glibc", "m": "glibc"}
    for path in built():
        text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
        for needed in re.findall(r"\(NEEDED\).*\[lib([^\]]*?)\.so", text):
            assert owner.get(needed) in packages, (path, needed)


def test_every_package_in_the_page_is_listed():
    """esbuild lists what went into the bundle."""
    listed = json.loads(subprocess.run([sys.executable, os.path.join(tree.TOP, "tools", "sbom")],
                                       capture_output=True, text=True, check=True).stdout)
    versions = {package["name"]: package["versionInfo"] for package in listed["packages"]}
    web = os.path.join(tree.BUILD, "web")
    if not os.path.exists(os.path.join(web, "node_modules")):
        pytest.skip("the page is not built here")
    bundled = set()
    for entry in ("app", "layout"):
        (source,) = pathlib.Path(tree.TOP, "web", "src").glob(f"{entry}.ts*")
        made = subprocess.run(
            [os.path.join(web, "node_modules", ".bin", "esbuild"), source, "--bundle", "--format=esm",
             "--jsx=automatic", "--jsx-import-source=preact", "--metafile=/dev/stderr",
             "--outfile=/dev/null", "--log-level=silent"],
            env={**os.environ, "NODE_PATH": os.path.join(web, "node_modules")}, capture_output=True,
            text=True, check=True)
        for path in json.loads(made.stderr)["inputs"]:
            found = re.search(r"node_modules/((?:@[^/]+/)?[^/]+)/(?!.*node_modules)", path)
            if found:
                bundled.add(found.group(1))
    assert {"preact", "@dagrejs/dagre"} <= bundled
    for name in bundled:
        with open(os.path.join(web, "node_modules", name, "package.json")) as file:
            assert versions.get(name) == json.load(file)["version"], name
