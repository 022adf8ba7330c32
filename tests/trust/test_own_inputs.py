"""No way of writing overwrites a file that was read, whatever name leads to it."""

import os
import shutil
import subprocess

import pytest
import tree

LOGDIR = os.path.join(tree.TESTS, "xplane", "samples", "tf_cnn_loop.xplane.pb.gz")

# Files to load, and those that must stay what they are.
INPUTS = {
    "profile": (["profile"], ["profile"]),
    "graph": (["--graph_path=graph.pb", "--run_meta_path=run_meta_0", "--op_log_path=tfprof_log"],
              ["graph.pb", "run_meta_0", "tfprof_log"]),
    "text": (["graph.pbtxt"], ["graph.pbtxt"]),
    "trace": (["host.xplane.pb.gz"], ["host.xplane.pb.gz"]),
    "traces": (["logs"], ["logs/plugins/profile/run/host.xplane.pb.gz"]),
    "saved_model": (["mlp"], ["mlp/saved_model.pb"]),
    "keras": (["sub.keras"], ["sub.keras"]),
}
QUERIES = {
    "json": ["op", "--output=json:outfile={}"],
    "csv": ["op", "--output=csv:outfile={}"],
    "report": ["scope", "--output=file:outfile={}"],
    "pprof": ["code", "--output=pprof:outfile={}"],
    "timeline": ["scope", "--output=timeline:outfile={}"],
    "save": ["save", "{}"],
    "advice": ["advise", "--output=json:outfile={}"],
    "model": ["model", "--output=json:outfile={}"],
}
LINKS = {"itself": None, "hard": os.link, "symbolic": lambda a, b: os.symlink(os.path.abspath(a), b)}


@pytest.fixture(scope="module")
def files(models, tmp_path_factory):
    directory = tmp_path_factory.mktemp("inputs")
    for name in ("profile", "graph.pb", "graph.pbtxt", "run_meta_0", "tfprof_log"):
        shutil.copy(models / "resnet" / name, directory)
    shutil.copy(LOGDIR, directory / "host.xplane.pb.gz")
    run = directory / "logs" / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    shutil.copy(LOGDIR, run / "host.xplane.pb.gz")
    shutil.copytree(os.path.join(tree.TESTS, "models", "files", "mlp", "export"), directory / "mlp")
    shutil.copy(os.path.join(tree.TESTS, "models", "files", "sub.keras"), directory)
    return directory


def cases():
    for kind in INPUTS:
        for query in QUERIES:
            if query != "model" if kind == "keras" else query == "model" and kind != "saved_model":
                continue  # only `tfprof model` reads it, or cannot
            for link in LINKS:
                if (query, link) != ("timeline", "itself"):  # its name gets the step
                    yield kind, query, link


def command(query, given, to):
    words = [word.format(to) for word in QUERIES[query]]
    return [tree.program(), *words, *given]


@pytest.mark.parametrize("kind, query, link", cases())
def test_inputs_stay_what_they_are(files, kind, query, link):
    given, kept = INPUTS[kind]
    for name in kept:
        before, to = (files / name).read_bytes(), name
        if LINKS[link]:
            to = "other"
            other = files / ("other_-1" if query == "timeline" else "other")
            if os.path.lexists(other):
                other.unlink()
            LINKS[link](files / name, other)
        done = subprocess.run(command(query, given, to), cwd=files, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        assert (files / name).read_bytes() == before
        if "No code trace" in done.stderr:  # refused before the file is looked at
            continue
        assert done.returncode != 0 and "loaded from this file" in done.stderr, done.stderr
