"""libtfprof as its users see it: installed, found by pkg-config, linked shared and
static, used from C, C++ and several threads.

The build directory is TFPROF_BUILD, or build; everything in it must be built.
"""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from tree import BUILD, TOP

SAMPLE = os.path.join(TOP, "examples", "resnet", "profile")
EXAMPLE = os.path.join(TOP, "docs", "example.c")
HEADERS = sorted((pathlib.Path(TOP) / "include" / "tfprof").glob("*.h"))


def run(*command, **more):
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, **more)


def output(*command, **more):
    done = run(*command, **more)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    return done.stdout


class Installed:
    """What `meson install` installs, in a separate directory."""

    def __init__(self, root):
        self.root = root
        output("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", str(root))
        (self.pkg_config_file,) = root.rglob("tfprof.pc")
        self.libraries = self.pkg_config_file.parent.parent

    def pkg_config(self, *what):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.pkg_config_file.parent),
                           PKG_CONFIG_SYSROOT_DIR=str(self.root))
        return output("pkg-config", *what, "tfprof", env=environment).split()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    for tool in ("meson", "pkg-config", "cc", "nm", "readelf"):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool}")
    return Installed(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def shared(installed, tmp_path_factory):
    """(program, environment)"""
    target = tmp_path_factory.mktemp("shared") / "example"
    output("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", EXAMPLE,
           *installed.pkg_config("--cflags", "--libs"), "-o", str(target))
    return target, dict(os.environ, LD_LIBRARY_PATH=str(installed.libraries))


@pytest.fixture(scope="module")
def static(installed, tmp_path_factory):
    target = tmp_path_factory.mktemp("static") / "example"
    output("cc", "-std=c11", "-static", EXAMPLE,
           *installed.pkg_config("--static", "--cflags", "--libs"), "-o", str(target))
    return target, dict(os.environ)


@pytest.mark.parametrize("how", ["shared", "static"])
def test_the_example_runs(how, request):
    program, environment = request.getfixturevalue(how)
    text = output(str(program), SAMPLE, env=environment)
    report, last = text[:text.rindex("\n", 0, -1) + 1], text.splitlines()[-1]
    assert report == output(os.path.join(BUILD, "tfprof"), "op", f"--profile_path={SAMPLE}",
                            "--select=micros,occurrence", "--order_by=micros")
    assert last == "Conv2DBackpropFilter: 547645 us"


@pytest.mark.parametrize("how", ["shared", "static"])
def test_the_example_says_what_is_wrong(how, request, tmp_path):
    program, environment = request.getfixturevalue(how)
    done = run(str(program), str(tmp_path / "nothing"), env=environment)
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(r"example: .*nothing.*: No such file or directory\n", done.stderr)


def test_the_example_is_short():
    with open(EXAMPLE, encoding="utf-8") as file:
        code = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 32


def test_the_document_shows_the_example():
    with open(EXAMPLE, encoding="utf-8") as file, \
            open(os.path.join(TOP, "docs", "c_api.md"), encoding="utf-8") as document:
        assert f"```c\n{file.read()}```\n" in document.read()


def test_shared_programs_need_the_versioned_library(installed, shared):
    names = sorted(path.name for path in installed.libraries.glob("libtfprof*"))
    version = installed.pkg_config("--modversion")[0]
    assert names == ["libtfprof.a", "libtfprof.so", "libtfprof.so.0", f"libtfprof.so.{version}"]
    assert "[libtfprof.so.0]" in output("readelf", "-d", str(installed.libraries / names[-1]))
    assert "[libtfprof.so.0]" in output("readelf", "-d", str(shared[0]))


def test_versions_agree(installed):
    version = installed.pkg_config("--modversion")[0]
    library = ctypes.CDLL(str(installed.libraries / "libtfprof.so"))
    library.tfprof_get_version.restype = ctypes.c_char_p
    assert library.tfprof_get_version().decode() == version
    assert output(os.path.join(BUILD, "tfprof"), "--version").strip() == f"tfprof {version}"


def declared():
    text = "".join(header.read_text(encoding="utf-8") for header in HEADERS)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return sorted(re.findall(r"TFPROF_API\s[^;]*?\b(tfprof_\w+)\(", text))


def test_what_is_exported_is_what_the_headers_declare(installed):
    listed = output("nm", "-D", "--defined-only", str(installed.libraries / "libtfprof.so"))
    assert sorted(line.split()[2] for line in listed.splitlines()) == declared()
    assert len(declared()) > 40


def test_only_the_public_headers_are_installed(installed):
    assert sorted(path.name for path in installed.root.rglob("*.h")) == [header.name for header in HEADERS]


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.name)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_each_header_is_enough(installed, tmp_path, header, language):
    source = tmp_path / "program"
    source.write_text(f"#include <tfprof/{header.name}>\n"
                      "int main(void) { tfprof_options_free(tfprof_options_new());"
                      " return !tfprof_option_get_info(0); }\n", encoding="utf-8")
    output("cc", "-Wall", "-Wextra", "-Werror", "-x", language, "-fsyntax-only",
           *installed.pkg_config("--cflags"), str(source))


def is_sanitized():
    return "__asan_init" in output("nm", "-D", os.path.join(BUILD, "libtfprof.so"))


def test_the_library_neither_prints_nor_exits(installed):
    """Only what TFPROF_DEBUG asks for is printed, by one file."""
    used = output("nm", "-D", "--undefined-only", str(installed.libraries / "libtfprof.so"))
    names = {line.split()[-1].partition("@")[0] for line in used.splitlines()}
    assert "malloc" in names
    assert not names & {"printf", "puts", "putchar", "fputs", "fprintf", "perror", "stdout",
                        "exit", "_exit", "abort", "signal", "setlocale"}
    objects = output("nm", "-A", "--undefined-only", os.path.join(BUILD, "libtfprof_core.a"))
    assert {line.split(":")[1].rpartition("/")[2] for line in objects.splitlines()
            if line.split()[-1] == "stderr"} == {"src_base_debug.c.o"}


def test_there_is_no_global_state(installed):
    """No writable data except the compiler's own, the thread pool, the countdown with
    which unit tests make allocations fail, and what handlers of forks and signals need:
    the profiles and their lock, the files not yet whole, the topics of TFPROF_DEBUG, and how
    texts spell options, which a front end says once."""
    if is_sanitized():
        pytest.skip("sanitizers keep state of their own")
    library = str(installed.libraries / "libtfprof.so.0")
    build = os.path.join(BUILD, "libtfprof.so")     # installing may strip
    written = {line.split()[2] for line in output("nm", build).splitlines()
               if line.split()[-2] in "bB"}
    allowed = {"fail_countdown", "__bss_start", "_end", "_edata", "pool", "inside", "quota",
               "profiles", "lock", "unfinished", "topics", "spelling"}
    assert not {name for name in written
                if name not in allowed and not name.startswith(("completed.", "__cpu_", "once."))}
    data = re.search(r" \.data +PROGBITS +\w+ +\w+ +(\w+)",
                     output("readelf", "-SW", library))
    assert data and int(data[1], 16) <= 16


@pytest.mark.parametrize("command", [
    ("cc", "-x", "c", "-std=c99"), ("cc", "-x", "c", "-std=c11"), ("cc", "-x", "c", "-std=c17"),
    ("c++", "-x", "c++", "-std=c++11"), ("c++", "-x", "c++", "-std=c++20"),
    ("clang", "-x", "c", "-std=c11"), ("clang++", "-x", "c++", "-std=c++17")], ids=" ".join)
def test_the_header_stands_alone(command, installed, tmp_path):
    if not shutil.which(command[0]):
        pytest.skip(f"there is no {command[0]}")
    source = tmp_path / "use"
    source.write_text("#include <tfprof/tfprof.h>\n#include <tfprof/tfprof.h>\n"
                      "const char *version(void) { return tfprof_get_version(); }\n")
    output(*command, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", str(source),
           *installed.pkg_config("--cflags"), "-o", str(tmp_path / "use.o"))


def test_a_cxx_program_links(installed, tmp_path):
    if not shutil.which("c++"):
        pytest.skip("there is no c++")
    source = tmp_path / "use.cc"
    source.write_text("#include <tfprof/tfprof.h>\n#include <string>\n"
                      "int main() { return std::string(tfprof_get_version()).empty(); }\n")
    output("c++", str(source), *installed.pkg_config("--cflags", "--libs"), "-o",
           str(tmp_path / "use"))
    output(str(tmp_path / "use"), env=dict(os.environ, LD_LIBRARY_PATH=str(installed.libraries)))


# ---- threads: ctypes releases Python's lock during a call ----

class Input(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name in ("profile_new", "options_new", "result_get_text"):
            getattr(self.c, f"tfprof_{name}").restype = ctypes.c_void_p
        for name in ("profile_free", "options_free", "result_free"):
            getattr(self.c, f"tfprof_{name}").argtypes = [ctypes.c_void_p]

    def load(self):
        profile = ctypes.c_void_p(self.c.tfprof_profile_new())
        assert self.c.tfprof_profile_add(
            profile, b"profile", ctypes.byref(Input(SAMPLE.encode(), None, 0)),
            ctypes.c_int64(0), None) == 0
        return profile

    def report(self, profile, view, step):
        options = ctypes.c_void_p(self.c.tfprof_options_new())
        for name, value in ((b"step", step), (b"order_by", b"micros"), (b"max_depth", b"6"),
                            (b"show_name_regexes", b".*[a-z].*")):
            assert self.c.tfprof_options_set(options, name, value, None) == 0
        result, length = ctypes.c_void_p(), ctypes.c_size_t()
        assert self.c.tfprof_ask(profile, view, options, None, ctypes.byref(result), None) == 0
        assert self.c.tfprof_result_output(result, 0, None, None, None, None) == 0
        text = ctypes.string_at(self.c.tfprof_result_get_text(result, ctypes.byref(length)),
                                length.value)
        self.c.tfprof_result_free(result)
        self.c.tfprof_options_free(options)
        return text


QUERIES = [(view, step) for view in (b"scope", b"graph", b"op", b"code") for step in (b"-1", b"0", b"2")]


@pytest.fixture(scope="module")
def library(installed):
    if is_sanitized():
        pytest.skip("Python would need the sanitizer loaded first")
    return Library(str(installed.libraries / "libtfprof.so"))


@pytest.fixture(scope="module")
def expected(library):
    profile = library.load()
    answers = [library.report(profile, *query) for query in QUERIES]
    library.c.tfprof_profile_free(profile)
    assert len(set(answers)) == len(QUERIES)
    return answers


def test_queries_of_many_threads_on_one_profile(library, expected):
    profile = library.load()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda query: library.report(profile, *query), QUERIES * 5))
    library.c.tfprof_profile_free(profile)
    assert answers == expected * 5


def test_profiles_side_by_side(library, expected):
    def work(_):
        profile = library.load()
        answers = [library.report(profile, *query) for query in QUERIES]
        library.c.tfprof_profile_free(profile)
        return answers

    with ThreadPoolExecutor(8) as pool:
        assert all(answers == expected for answers in pool.map(work, range(16)))
