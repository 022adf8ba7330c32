"""What is built and shipped: hardened, reproducible, without network, all of it listed."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import tree

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


@pytest.mark.parametrize("command", [["op"], ["scope"], ["graph"], ["code"], ["advise"], []])
def test_no_network(models, tmp_path, command):
    log = tmp_path / "calls"
    done = subprocess.run(["strace", "-f", "-e", "trace=network", "-o", log, tree.program(),
                           *command, models / "resnet" / "profile"], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    calls = [line for line in log.read_text().splitlines()
             if not re.search(r"\+\+\+|---", line)]
    assert calls == []


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
