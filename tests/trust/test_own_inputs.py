"""No way of writing overwrites a file that was read, whatever name leads to it."""

import gzip
import os
import pathlib
import shutil
import subprocess

import pytest
import tree

LOGDIR = os.path.join(tree.TESTS, "xplane", "samples", "tf_cnn_loop.xplane.pb.gz")
CHECKPOINT = pathlib.Path(tree.DATA) / "checkpoint" / "single"

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
    "packed": (["profile.gz"], ["profile.gz"]),
    "checkpoint": (["--checkpoint_path=model.ckpt"],
                   ["model.ckpt.index", "model.ckpt.data-00000-of-00001"]),
}
QUERIES = {
    "json": ["op", "--output=json:outfile={}"],
    "csv": ["op", "--output=csv:outfile={}"],
    "report": ["scope", "--output=file:outfile={}"],
    "pprof": ["code", "--output=pprof:outfile={}"],
    "timeline": ["scope", "--output=timeline:outfile={}"],
    "collapsed": ["scope", "--output=collapsed:outfile={}"],
    "speedscope": ["scope", "--output=speedscope:outfile={}"],
    "prometheus": ["op", "--output=prometheus:outfile={}"],
    "diff": ["diff", "--output=json:outfile={}"],
    "markdown": ["diff", "--output=markdown:outfile={}"],
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
    with gzip.open(directory / "profile.gz", "wb") as file:
        file.write((directory / "profile").read_bytes())
    for path in CHECKPOINT.glob("model.ckpt.*"):
        shutil.copy(path, directory)
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
            if query == "model" and kind not in ("saved_model", "keras"):
                continue  # it cannot read them
            if QUERIES[query][0] == "diff" and INPUTS[kind][0][0].startswith("--"):
                continue  # it takes whole profiles
            for link in LINKS:
                if (query, link) != ("timeline", "itself"):  # its name gets the step
                    yield kind, query, link


def command(query, given, to):
    words = [word.format(to) for word in QUERIES[query]]
    sides = [*given, "--"] if words[0] == "diff" else []
    return [tree.program(), *words, *sides, *given]


@pytest.mark.parametrize("kind, query, link", list(cases()))
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
