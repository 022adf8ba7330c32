"""write_op_log: the file is the same as TensorFlow's, and valid."""

import contextlib
import os
import resource

import pytest

from live_models import (
    build, expected_log, know_feeds, read_log, resolve, run_traced, tf, varied, without_source)

from tensorflow.core.profiler.tfprof_log_pb2 import OpLogProto
import tfprof
from tfprof.tfprof_logger import write_op_log

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.mark.parametrize("add_trace", [True, False])
@pytest.mark.parametrize("with_run_meta", [True, False])
def test_as_tensorflow(with_run_meta, add_trace, tmp_path):
    built, (other, _, feed_dict, _) = [build(varied) for _ in range(2)]
    run_meta = run_traced(*built) if with_run_meta else None
    if with_run_meta:
        know_feeds(feed_dict, run_meta)
    assert write_op_log(built[0], str(tmp_path), run_meta=run_meta, add_trace=add_trace) is None
    ours = read_log(tmp_path)
    expected = resolve(expected_log(other, tmp_path, run_meta=run_meta, add_trace=add_trace))
    assert [(*entry[:3], without_source(entry[3])) for entry in resolve(ours)] == expected
    write_op_log(built[0], tmp_path, run_meta=run_meta, add_trace=add_trace, source_lines=False)
    assert resolve(read_log(tmp_path)) == expected


def test_names():
    assert tfprof.write_op_log is tfprof.tfprof_logger.write_op_log is write_op_log


def test_figures_of_the_documents(tmp_path):
    """The custom type of the documents' example, and their float operations."""
    graph = tf.Graph()
    with graph.as_default():
        with tf.variable_scope("pool_logit"):
            weights = tf.get_variable("DW", [64, 10])
            biases = tf.get_variable("biases", [10])
            tf.nn.xw_plus_b(tf.ones([128, 64]), weights, biases)
    op_log = OpLogProto()
    for variable in (weights, biases):
        entry = op_log.log_entries.add()
        entry.name = variable.op.name
        entry.types.append("pool_logit")
    write_op_log(graph, tmp_path, op_log)
    entries = {entry.name: entry for entry in read_log(tmp_path).log_entries}
    for name in ("pool_logit/DW", "pool_logit/biases"):
        assert entries[name].types == ["pool_logit", "_trainable_variables"]
    assert entries["pool_logit/xw_plus_b/MatMul"].float_ops == 163840
    assert entries["pool_logit/xw_plus_b"].float_ops == 1280


def test_source_lines(tmp_path):
    graph = tf.Graph()
    with graph.as_default():
        tf.ones([2])  # the source
    write_op_log(graph, tmp_path)
    frames = [frame for entry in resolve(read_log(tmp_path)) for frame in entry[3]]
    assert {source for file, _, _, source, _ in frames if file == __file__} == {
        "tf.ones([2])  # the source"}
    assert {source for file, _, _, source, _ in frames if "/tensorflow/" in file} == {"none"}


def test_directory_is_made(tmp_path):
    write_op_log(tf.Graph(), tmp_path / "new" / "deep")
    assert os.listdir(tmp_path / "new" / "deep") == ["tfprof_log"]


def test_current_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_op_log(tf.Graph(), "")
    assert os.listdir(tmp_path) == ["tfprof_log"]


def test_tensorflows_file_systems(tmp_path):
    write_op_log(tf.Graph(), f"file://{tmp_path}/new")
    assert dict(read_log(tmp_path / "new").id_to_string) == {0: "none"}
    assert os.listdir(tmp_path / "new") == ["tfprof_log"]


def test_ordinary_permissions(tmp_path):
    write_op_log(tf.Graph(), tmp_path)
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "tfprof_log").stat().st_mode == (tmp_path / "plain").stat().st_mode


@contextlib.contextmanager
def full_disk():
    """Only inside a block: the runner's own output may be a file, too."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_written_completely_or_not_at_all(tmp_path):
    write_op_log(tf.Graph(), tmp_path)
    before = (tmp_path / "tfprof_log").read_bytes()
    graph = build(varied)[0]
    with full_disk(), pytest.raises(OSError):
        write_op_log(graph, tmp_path)
    assert os.listdir(tmp_path) == ["tfprof_log"]
    assert (tmp_path / "tfprof_log").read_bytes() == before


def test_nothing_is_written_for_wrong_arguments(tmp_path):
    with pytest.raises(TypeError, match="graph must be a tf.Graph"):
        write_op_log("graph", tmp_path / "new")
    with pytest.raises(TypeError, match="op_log must be OpLogProto"):
        write_op_log(tf.Graph(), tmp_path / "new", op_log=tf.GraphDef())
    assert os.listdir(tmp_path) == []


def test_wrong_directories(tmp_path):
    with pytest.raises(TypeError, match="log_dir must be a path, not int"):
        write_op_log(tf.Graph(), 3)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        write_op_log(tf.Graph(), tmp_path / "file")


def test_nothing_on_stdout(tmp_path, capfd):
    write_op_log(build(varied)[0], tmp_path)
    assert capfd.readouterr().out == ""
