"""Files of every kind that change while they are loaded, and between two reports: an error or a
report, never a crash. tools/check runs this with the sanitizers, too."""

import glob
import gzip
import os
import random
import shutil
import subprocess
import threading
import time

import pytest
import tree

FILES = os.path.join(tree.TESTS, "models", "files")
CHECKPOINT = os.path.join(tree.DATA, "checkpoint", "single")
TRACE = os.path.join(tree.TESTS, "xplane", "samples", "tf_cnn_loop.xplane.pb.gz")


def zstd(data):
    return subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=True).stdout


def read(path):
    with open(path, "rb") as file:
        return file.read()


def resnet(name):
    return tree.read_packed("golden", "resnet", name)


# What is run, and the files that change: name -> bytes.
KINDS = {
    "profile": (["op", "profile"], lambda: {"profile": resnet("profile")}),
    "graph": (["graph", "graph.pb", "run_meta_0"],
              lambda: {name: resnet(name) for name in ("graph.pb", "run_meta_0")}),
    "op_log": (["code", "graph.pb", "--op_log_path=tfprof_log"],
               lambda: {name: resnet(name) for name in ("graph.pb", "tfprof_log")}),
    "text": (["scope", "graph.pbtxt"], lambda: {"graph.pbtxt": resnet("graph.pbtxt")}),
    "xplane": (["op", "x.xplane.pb"], lambda: {"x.xplane.pb": gzip.decompress(read(TRACE))}),
    "gzip": (["scope", "profile.gz"], lambda: {"profile.gz": gzip.compress(resnet("profile"))}),
    "zstd": (["scope", "profile.zst"], lambda: {"profile.zst": zstd(resnet("profile"))}),
    "checkpoint": (["scope", "--checkpoint_path=model.ckpt", "--select=params,tensor_value"],
                   lambda: {os.path.basename(path): read(path)
                            for path in glob.glob(CHECKPOINT + "/model.ckpt.*")}),
    **{kind: ([command, name], lambda path=path, name=name: {name: read(os.path.join(FILES, path))})
       for kind, command, name, path in [
           ("saved_model", "scope", "saved_model.pb", "bert_tiny/export/saved_model.pb"),
           ("saved_model counted", "model", "saved_model.pb", "bert_tiny/export/saved_model.pb"),
           ("meta_graph", "scope", "x.meta", "tf1_ref/model.ckpt.meta"),
           ("keras", "model", "x.keras", "bert_tiny/model.keras"),
           ("keras_h5", "model", "x.h5", "k2_small/model.h5"),
           ("tflite", "scope", "x.tflite", "bert_tiny/model.tflite")]},
}
HOW = ["overwritten", "cut", "replaced", "grown"]


def change_once(path, whole, how, chance):
    was = path.stat()
    if how == "overwritten":
        with open(path, "r+b") as file:
            for _ in range(50):
                file.seek(chance.randrange(len(whole)))
                file.write(chance.randbytes(8))
    elif how == "cut":
        os.truncate(path, chance.randrange(len(whole)))
    elif how == "grown":
        with open(path, "ab") as file:
            file.write(whole[:5000])
    else:
        path.with_name(path.name + ".new").write_bytes(whole[:chance.randrange(len(whole))])
        os.replace(path.with_name(path.name + ".new"), path)
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))  # as rsync --inplace -t does


def change(path, how, stop):
    """Changes a file again and again."""
    chance = random.Random(how)
    whole = path.read_bytes()
    while not stop.is_set():
        change_once(path, whole, how, chance)
        time.sleep(0.001)
        path.write_bytes(whole)
        time.sleep(0.001)


def check(status, errors):
    """What the program may end with: no signal, and what a sanitizer says is no message."""
    assert status in (0, 1, 2, 3, 4), (status, errors)
    assert "Sanitizer" not in errors and "runtime error" not in errors, errors
    assert status == 0 or errors
    assert errors.count("was truncated while") <= 1  # several threads find it out


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", KINDS)
def test_while_it_is_loaded(tmp_path, kind, how):
    command, files = KINDS[kind]
    stop, writers = threading.Event(), []
    for name, data in files().items():
        (tmp_path / name).write_bytes(data)
        writers.append(threading.Thread(target=change, args=(tmp_path / name, how, stop)))
    for writer in writers:
        writer.start()
    try:
        for i in range(8):
            flags = ["--recover"] if i % 2 else []
            done = subprocess.run([tree.program(), *command, *flags], cwd=tmp_path, timeout=120,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
            check(done.returncode, done.stderr)
    finally:
        stop.set()
        for writer in writers:
            writer.join()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", ["profile", "graph", "op_log", "text", "xplane", "gzip", "zstd",
                                  "checkpoint"])
def test_between_two_reports(tmp_path, kind, how):
    """All views and outputs of a file that has changed since it was loaded."""
    command, files = KINDS[kind]
    for name, data in files().items():
        (tmp_path / name).write_bytes(data)
    with subprocess.Popen([tree.program(), *command[1:]], cwd=tmp_path, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as shell:
        shell.stdin.write("scope -max_depth 1\n")
        shell.stdin.flush()
        for line in iter(shell.stdout.readline, ""):  # until it is loaded
            if "_TFProfRoot" in line:
                break
        threading.Thread(target=shutil.copyfileobj, daemon=True,
                         args=(shell.stdout, open(os.devnull, "w"))).start()
        for name, data in files().items():
            change_once(tmp_path / name, data, how, random.Random(kind))
        for view in ("scope", "graph", "op", "code"):
            for output in ("stdout", "csv", "json", "pprof:outfile=o.pprof"):
                shell.stdin.write(f"{view} -max_depth 1000 -output {output} "
                                  "-select micros,params,float_ops,input_shapes,op_types\n")
        shell.stdin.write("save saved\nadvise\n")
        shell.stdin.close()
        errors = shell.stderr.read()
        check(shell.wait(120), errors)
    if how in ("overwritten", "cut", "grown") and kind in ("profile", "graph", "op_log"):
        assert "it has changed since it was loaded: reload it" in errors
        assert not (tmp_path / "saved").exists()
