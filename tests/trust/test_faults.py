"""The program under a system that fails: signals and limits."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import pytest
import tree

RESOURCES = {
    "file size": (resource.RLIMIT_FSIZE, [0, 1, 4096, 100_000]),
    "descriptors": (resource.RLIMIT_NOFILE, range(3, 12)),
    "address space": (resource.RLIMIT_AS, [n << 20 for n in (8, 16, 24, 32, 48, 64, 96, 128)]),
}


@pytest.fixture
def profile(models, tmp_path):
    shutil.copy(models / "resnet" / "profile", tmp_path)
    return tmp_path


def start(directory, *arguments, **more):
    return subprocess.Popen([tree.program(), *arguments], cwd=directory, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def dump(directory, **more):
    return start(directory, "graph", "profile", "--step=-1", "--output=json:outfile=out.json", **more)


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_killed_dumps_leave_only_whole_files(profile, name):
    """200 dumps, half of them over an older one, each killed at another moment."""
    dump(profile).communicate()
    whole = (profile / "out.json").read_bytes()
    begun = time.perf_counter()
    dump(profile).communicate()
    takes = time.perf_counter() - begun
    for i in range(200 if name == signal.SIGKILL else 40):
        if i % 2:
            (profile / "out.json").unlink(missing_ok=True)
        process = dump(profile)
        time.sleep(takes * random.Random(i).random())
        process.send_signal(name)
        process.communicate()
        left = set(os.listdir(profile))
        # What cannot catch a signal may be hit between a link and its rename.
        hidden = {file for file in left if file.startswith(".tfprof-")}
        assert not hidden or name == signal.SIGKILL and len(hidden) == 1
        for file in hidden | left - {"profile"}:
            assert (profile / file).read_bytes() == whole
        for file in hidden:
            (profile / file).unlink()


def test_a_signal_that_was_ignored_stays_ignored(profile):
    process = dump(profile, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    process.communicate()
    assert process.returncode == 0


@pytest.mark.parametrize("kind, limit", [(kind, limit) for kind, (_, limits) in RESOURCES.items()
                                         for limit in limits])
def test_limits_of_the_system(profile, kind, limit):
    which = RESOURCES[kind][0]
    process = dump(profile, preexec_fn=lambda: resource.setrlimit(which, (limit, limit)))
    _, errors = process.communicate(timeout=60)
    if process.returncode == 0:
        json.loads((profile / "out.json").read_text())
    else:
        assert process.returncode > 0, (process.returncode, errors)  # no signal
        assert errors.startswith(("tfprof: ", str(tree.program()) + ": error while loading")), errors
        assert len(errors.splitlines()) == 1
        assert os.listdir(profile) == ["profile"]
