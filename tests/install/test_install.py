"""`make install` and `make deb`: what is installed where, whether it works there, and that
it can be removed."""

import json
import os
import re
import runpy
import shutil
import subprocess

import pytest
from tree import TOP

SAMPLE = os.path.join(TOP, "examples", "resnet", "profile")
PROGRAM = """
#include <stdio.h>
#include <tfprof/tfprof.h>

int main(int argc, char **argv)
{
	tfprof_profile *profile = tfprof_profile_new();
	struct tfprof_input input = tfprof_input_file(argv[1]);
	struct tfprof_error err = {0};
	size_t n = 0;

	if (tfprof_profile_add(profile, "profile", &input, 0, &err) != TFPROF_OK)
		return puts(err.text), 1;
	tfprof_profile_get_steps(profile, &n);
	printf("%zu steps\\n", n);
	tfprof_profile_free(profile);
	return 0;
}
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=900, **more)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def files_below(directory):
    return {os.path.relpath(os.path.join(where, name), directory)
            for where, _, names in os.walk(directory) for name in names}


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """For the package, and then for installations elsewhere."""
    directory = tmp_path_factory.mktemp("make") / "build"
    run("meson", "setup", directory, TOP, "--prefix=/usr", "-Dtests=false", "-Dbench=false")
    run("ninja", "-C", directory)
    return directory


@pytest.fixture(scope="module")
def package(build, tmp_path_factory):
    directory = tmp_path_factory.mktemp("package")
    made = run(os.path.join(TOP, "tools", "deb"), directory,
               env={**os.environ, "TFPROF_DEB_BUILD": str(build)}).strip()
    assert os.path.dirname(made) == str(directory)
    return made


@pytest.fixture(scope="module")
def installed(build, package, tmp_path_factory):
    """Elsewhere than the build directory was set up for; with a blank in the name."""
    prefix = tmp_path_factory.mktemp("installed") / "here and there"
    before = os.listdir("/usr/local/bin")
    text = run("make", "-C", TOP, "install", f"BUILD={build}", f"PREFIX={prefix}")
    targets = [line.rpartition(" to ")[2] for line in text.splitlines()
               if line.startswith("Installing ")]
    assert targets and all(target.startswith(str(prefix)) for target in targets), targets
    assert os.listdir("/usr/local/bin") == before
    return prefix


def library_directory(prefix):
    return next(where for where, _, names in os.walk(prefix / "lib") if "libtfprof.so" in names)


def test_what_make_install_installs(installed):
    names = files_below(installed)
    libdir = os.path.relpath(library_directory(installed), installed)
    assert {"bin/tfprof", "include/tfprof/tfprof.h", "share/man/man1/tfprof.1",
            "share/bash-completion/completions/tfprof", "share/zsh/site-functions/_tfprof",
            "share/fish/vendor_completions.d/tfprof.fish", f"{libdir}/libtfprof.so",
            f"{libdir}/libtfprof.a", f"{libdir}/pkgconfig/tfprof.pc"} <= names


def check_licences(text):
    """MIT and ISC ask for their texts wherever the page goes that has such packages in it."""
    with open(os.path.join(TOP, "web", "package-lock.json")) as file:
        packages = json.load(file)["packages"]
    bundled = [path.rpartition("node_modules/")[2] for path, package in packages.items()
               if path and not package.get("dev")]
    assert {"preact", "@dagrejs/dagre", "d3-hierarchy"} <= set(bundled)
    for name in bundled:
        assert re.search(f"^{re.escape(name)}$", text, re.M), name
    assert len(re.findall("^Copyright ", text, re.M)) >= len(bundled)
    assert text.count("Permission ") >= len(bundled)


def test_the_licences_of_the_page_are_installed(installed):
    check_licences((installed / "share/doc/tfprof/LICENSES").read_text())


def test_the_installed_program_runs(installed):
    text = run(installed / "bin" / "tfprof", "scope", f"--profile_path={SAMPLE}",
               "--select=params", "--account_type_regexes=_trainable_variables")
    assert "_TFProfRoot (--/464.15k params)" in text


@pytest.mark.parametrize("how", ["shared", "static"])
def test_pkg_config_finds_the_library(installed, tmp_path, how):
    libdir = library_directory(installed)
    environment = {**os.environ, "PKG_CONFIG_PATH": os.path.join(libdir, "pkgconfig")}
    prefix = run("pkg-config", "--variable=prefix", "tfprof", env=environment)
    assert prefix.strip().replace("\\ ", " ") == str(installed)
    (tmp_path / "user.c").write_text(PROGRAM)
    flags = run("pkg-config", "--cflags", "--libs",
                *(["--static"] if how == "static" else []), "tfprof", env=environment)
    if how == "static":
        flags = flags.replace("-ltfprof ", "-l:libtfprof.a ")
    run("sh", "-c", f"cc user.c -o user {flags}", cwd=tmp_path)
    library_path = {"LD_LIBRARY_PATH": libdir} if how == "shared" else {}
    assert run(tmp_path / "user", SAMPLE, env={**os.environ, **library_path}) == "3 steps\n"


def test_a_prefix_that_is_given_again(installed, build, tmp_path):
    """And a relative one."""
    text = run("make", "-C", TOP, "install", f"BUILD={build}", "DESTDIR=" + str(tmp_path / "stage"),
               f"PREFIX={os.path.relpath('/opt/tfprof', TOP)}")
    assert "Installing tfprof to" in text
    assert (tmp_path / "stage" / "opt" / "tfprof" / "bin" / "tfprof").exists()
    assert files_below(tmp_path / "stage") == {
        os.path.join("opt/tfprof", name) for name in files_below(installed)}


# ---- the Debian package --------------------------------------------------------------

def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


def test_the_package_describes_itself(package):
    with open(os.path.join(TOP, "meson.build")) as file:
        version = file.read().partition("version: '")[2].partition("'")[0]
    assert field(package, "Version") == f"{version}-1"
    assert os.path.basename(package) == f"tfprof_{version}-1_{field(package, 'Architecture')}.deb"
    assert "libpcre2-8-0" in field(package, "Depends")


def test_the_package_depends_on_what_its_programs_need(package, tmp_path):
    run("dpkg-deb", "-x", package, tmp_path)
    needed = set()
    for name in files_below(tmp_path):
        path = tmp_path / name
        if os.access(path, os.X_OK) and path.read_bytes()[:4] == b"\x7fELF":
            needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path)))
    assert len(needed) > 4
    depends = {one.split()[0] for one in field(package, "Depends").split(", ")}
    for library in needed:
        owners = run("dpkg", "-S", f"*/{library}")
        assert {line.partition(":")[0] for line in owners.splitlines()} & depends, library


def test_what_is_in_the_package(package, tmp_path):
    run("dpkg-deb", "-x", package, tmp_path)
    names = files_below(tmp_path)
    assert {"usr/bin/tfprof", "usr/include/tfprof/tfprof.h", "usr/share/man/man1/tfprof.1.gz",
            "usr/share/doc/tfprof/copyright", "usr/share/zsh/vendor-completions/_tfprof"} <= names
    check_licences((tmp_path / "usr/share/doc/tfprof/LICENSES").read_text())
    assert not [name for name in names if not name.startswith("usr/")]
    assert run("dpkg-deb", "--info", package).count("DEBIAN") == 0
    listing = run("dpkg-deb", "-c", package).splitlines()
    assert all(" root/root " in line for line in listing)
    text = run(tmp_path / "usr" / "bin" / "tfprof", "--version")
    assert field(package, "Version").rpartition("-")[0] in text
    libdir = os.path.dirname(next(name for name in names if name.endswith("/libtfprof.so")))
    pc = (tmp_path / libdir / "pkgconfig" / "tfprof.pc").read_text()
    assert pc.startswith("prefix=/usr\n")


def test_the_package_installs_and_removes_cleanly(package, tmp_path):
    """Below another root, whose list of packages is this system's: dpkg checks the
    dependencies, and the system stays as it is."""
    root, state = tmp_path / "root", tmp_path / "root" / "var" / "lib" / "dpkg"
    (state / "info").mkdir(parents=True)
    (state / "updates").mkdir()
    (state / "triggers").mkdir()
    shutil.copy("/var/lib/dpkg/status", state / "status")

    # Triggers would need this system's programs below the root.
    dpkg = [*([] if os.geteuid() == 0 else ["fakeroot"]), "dpkg", f"--root={root}",
            "--force-script-chrootless", "--no-triggers", "--log=/dev/null"]
    run(*dpkg, "-i", package)
    assert run("dpkg-query", f"--admindir={state}", "-W", "-f", "${db:Status-Status}",
               "tfprof") == "installed"
    assert (root / "usr" / "bin" / "tfprof").exists()
    assert run(*dpkg, "--verify", "tfprof") == ""
    run(*dpkg, "-i", package)       # again, as an upgrade would
    run(*dpkg, "--purge", "tfprof")
    assert files_below(root / "usr") == set()
    assert not list(state.glob("info/tfprof.*"))


def packages_of(names):
    """The Debian source packages of these packages."""
    return set(run("dpkg-query", "-W", "-f", "${source:Package}\n", *names).split())


def test_the_list_of_libraries_is_complete():
    """Everything that the loader finds for what is built, and nothing else."""
    build = os.path.join(TOP, os.environ.get("TFPROF_BUILD", "build"))
    found = re.findall(r"=> (/\S+)", run("ldd", *(os.path.join(build, name) for name in (
        "tfprof", "tfprof-ui", "libtfprof.so"))))
    owners = {run("dpkg-query", "--search", f"*/{os.path.basename(path)}").split(":")[0]
              for path in found}
    listed = runpy.run_path(os.path.join(TOP, "tools", "sbom"))["libraries"]()
    names = [package for _, package, _, _ in listed]
    assert packages_of(names) == packages_of(owners)
