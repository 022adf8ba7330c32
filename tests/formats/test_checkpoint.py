"""Checkpoints: our values compared with those TensorFlow reads back, and damage of
every kind.

`tests/data/checkpoint` and its `expected.json` were made by
`tests/oracle/checkpoints.py`; if TensorFlow is installed, new ones are made as
well. The reader runs in `checkpoint_dump`, which is TFPROF_CHECKPOINT_DUMP or
build/tests/checkpoint_dump of this tree.
"""

import json
import math
import os
import shutil
import struct
import subprocess

import pytest
import table
import tree
import wire

DATA = os.path.join(tree.DATA, "checkpoint")
SEED = int(os.environ.get("TFPROF_SEED", "2"))
DT_FLOAT, DT_INT32 = 1, 3


class Dump:
    """A running checkpoint_dump: paths in, answers out."""

    def __init__(self):
        self._process = subprocess.Popen([tree.checkpoint_dump()], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, path, count=None):
        line = os.fspath(path) if count is None else f"{count}:{os.fspath(path)}"
        self._process.stdin.write(os.fsencode(line) + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer.endswith(b"\n"), f"died on {line}, status {self._process.wait()}"
        answer = json.loads(answer.decode(errors="replace"))
        for tensor in answer.get("tensors", ()):
            tensor["name"] = bytes.fromhex(tensor["name"]).decode(errors="surrogateescape")
        return answer

    def close(self):
        self._process.stdin.close()
        assert self._process.wait() == 0


@pytest.fixture(scope="module")
def dump():
    running = Dump()
    yield running
    running.close()


@pytest.fixture(scope="module")
def makers():
    """The module that makes checkpoints, if TensorFlow is installed."""
    pytest.importorskip("tensorflow")
    import checkpoints
    return checkpoints


def load_cases(directory=DATA):
    with open(os.path.join(directory, "expected.json")) as file:
        return json.load(file)


CASES = {case["case"]: case for case in load_cases()}


def comparable(values):
    """NaNs equal each other, whatever their bits; everything else is exact."""
    result = []
    for value in values:
        if isinstance(value, list):
            value = tuple(comparable(value))
        elif isinstance(value, str) and ("x" in value or value.strip("-") in ("inf", "nan")):
            number = float.fromhex(value)
            value = "nan" if math.isnan(number) else number.hex()
        result.append(value)
    return result


def assert_same(answer, expected, count=None):
    assert "error" not in answer, answer["error"]
    assert [t["name"] for t in answer["tensors"]] == [t["name"] for t in expected]
    for ours, theirs in zip(answer["tensors"], expected):
        assert "error" not in ours, ours["error"]
        assert (ours["dtype"], ours["dims"]) == (theirs["dtype"], theirs["dims"]), ours["name"]
        assert comparable(ours["values"]) == comparable(theirs["values"][:count]), ours["name"]


def copy_case(case, directory):
    """A private copy of a committed checkpoint; its path."""
    path = CASES[case]["path"]
    folder = os.path.join(directory, os.path.dirname(path))
    shutil.copytree(os.path.join(DATA, os.path.dirname(path)), folder, dirs_exist_ok=True)
    return os.path.join(directory, path)


# -- values ------------------------------------------------------------------

@pytest.mark.parametrize("case", CASES)
def test_committed(dump, case):
    expected = CASES[case]
    assert_same(dump(os.path.join(DATA, expected["path"])), expected["tensors"])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("count", [0, 1, 8, 1000])
def test_first_elements(dump, case, count):
    expected = CASES[case]
    assert_same(dump(os.path.join(DATA, expected["path"]), count), expected["tensors"], count)


def test_fresh(dump, makers, tmp_path):
    makers.make(tmp_path, SEED)
    cases = load_cases(tmp_path)
    assert {case["case"] for case in cases} == set(CASES)
    for expected in cases:
        assert_same(dump(tmp_path / expected["path"]), expected["tensors"])


def test_every_dtype_is_among_them(makers):
    assert {t["dtype"] for t in CASES["dtypes"]["tensors"]} == set(makers.DTYPES)


@pytest.mark.parametrize("version", [1, 2])
def test_far_slices(dump, makers, tmp_path, version):
    """Positions that take two and three bytes in a slice's key."""
    maker = makers.Maker(tmp_path, SEED)
    shapes = [([20000, 2], 0, 3), ([3, 70000], 1, 4), ([130, 1, 9], 0, 130)]
    maker.partitioned("far", version, shapes)
    assert_same(dump(tmp_path / maker.cases[0]["path"]), maker.cases[0]["tensors"])


def test_random_boxes(dump, makers, tmp_path):
    import numpy as np
    import tensorflow as tf
    random = np.random.default_rng(SEED)
    maker = makers.Maker(tmp_path, SEED)
    names, slices, pieces = [], [], []
    for i in range(60):
        shape = random.integers(1, 7, random.integers(1, 5))
        values = random.integers(-9, 99, shape)
        cuts = [sorted({0, int(n), *random.integers(0, n + 1, 2).tolist()}) for n in shape]
        grids = np.meshgrid(*[range(len(c) - 1) for c in cuts], indexing="ij")
        for at in random.permutation(np.stack([g.ravel() for g in grids], -1)):
            box = [(cuts[d][k], cuts[d][k + 1] - cuts[d][k]) for d, k in enumerate(at)]
            text = ":".join("-" if size == n and random.integers(2) else f"{start},{size}"
                            for (start, size), n in zip(box, shape))
            names.append(f"t{i}")
            slices.append(" ".join(map(str, shape)) + " " + text)
            pieces.append(tf.constant(values[tuple(slice(s, s + n) for s, n in box)]))
    path = maker.path("boxes")
    makers.gen_io_ops.save_v2(path, names, slices, pieces)
    expected = makers.read_back(path)
    assert_same(dump(path), expected)
    for count in (1, 5, 17):
        assert_same(dump(path, count), expected, count)


def test_slices_of_strings(dump, makers, tmp_path):
    """TensorFlow writes them but cannot reassemble them."""
    import tensorflow as tf
    words = [[b"a", b"", b"ccc"], [b"d" * 200, b"e", b"\0"]]
    path = os.fspath(tmp_path / "model.ckpt")
    makers.gen_io_ops.save_v2(
        path, ["words"] * 3, [f"2 3 -:{j},1" for j in range(3)],
        [tf.constant([[row[j]] for row in words]) for j in range(3)])
    tensor, = dump(path)["tensors"]
    assert tensor["dims"] == [2, 3]
    assert [bytes.fromhex(v) for v in tensor["values"]] == words[0] + words[1]


@pytest.mark.parametrize("block_size", [1, 64, 1 << 20])
@pytest.mark.parametrize("compression", [table.PLAIN, table.SNAPPY])
@pytest.mark.parametrize("source", ["dtypes", "partitioned", "v1", "v1_dtypes"])
def test_other_tables(dump, makers, tmp_path, source, block_size, compression):
    """Tables split and compressed differently load in TensorFlow and here."""
    copy_case(source, tmp_path)
    maker = makers.Maker(tmp_path)
    rewrite = maker.rewritten_v1 if source.startswith("v1") else maker.rewritten
    rewrite("other", source, block_size, compression)
    assert maker.cases[0]["tensors"] == CASES[source]["tensors"]
    assert_same(dump(tmp_path / "other" / "model.ckpt"), CASES[source]["tensors"])


# -- ways to name a checkpoint -----------------------------------------------

@pytest.mark.parametrize("suffix", ["", ".index", ".data-00000-of-00003", ".data-00002-of-00003"])
def test_any_of_its_files(dump, suffix):
    path = os.path.join(DATA, CASES["sharded"]["path"]) + suffix
    assert_same(dump(path), CASES["sharded"]["tensors"])


@pytest.mark.parametrize("named", ["objects", "objects/", "objects/checkpoint"])
def test_directory(dump, named):
    assert_same(dump(os.path.join(DATA, named)), CASES["objects"]["tensors"])


def test_meta_graph_beside_it(dump, tmp_path):
    path = copy_case("single", tmp_path)
    with open(path + ".meta", "wb") as file:
        file.write(b"\x0a\0")
    assert_same(dump(path + ".meta"), CASES["single"]["tensors"])


@pytest.mark.parametrize("named", ["model.ckpt", "./model.ckpt", "/somewhere/else/model.ckpt"])
@pytest.mark.parametrize("case", ["single", "v1", "v1_sharded"])
def test_state_file(dump, tmp_path, case, named):
    """Relative to the directory, and absolute before it was moved."""
    path = copy_case(case, tmp_path)
    with open(os.path.join(os.path.dirname(path), "checkpoint"), "w") as file:
        file.write(f'# latest\nmodel_checkpoint_path: "{named}"\n'
                   f'all_model_checkpoint_paths: "nothing"\n')
    assert_same(dump(os.path.dirname(path)), CASES[case]["tensors"])


def test_escaped_state(dump, tmp_path):
    path = copy_case("v1", tmp_path)
    os.rename(path, os.path.join(os.path.dirname(path), 'it"s \u00e9'))
    with open(os.path.join(os.path.dirname(path), "checkpoint"), "w") as file:
        file.write('model_checkpoint_path: "it\\"s \\303\\251"\n')
    assert_same(dump(os.path.dirname(path)), CASES["v1"]["tensors"])


# -- damage ------------------------------------------------------------------

def errors_of(answer):
    """All error texts: from opening, or from each tensor by name."""
    if "error" in answer:
        return {None: answer["error"]}
    return {t["name"]: t["error"] for t in answer["tensors"] if "error" in t}


def assert_rest_right(answer, expected, hurt):
    """Tensors that are not reported as broken are correct."""
    if "error" in answer:
        return
    values = {t["name"]: t["values"] for t in expected}
    assert [t["name"] for t in answer["tensors"]] == list(values)
    for tensor in answer["tensors"]:
        if tensor["name"] not in hurt:
            assert comparable(tensor["values"]) == comparable(values[tensor["name"]])


def flips(path):
    """Changes each byte of a file in three ways; yields its position."""
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "r+b", buffering=0) as file:
        for position, byte in enumerate(data):
            for change in (0x01, 0x80, 0xFF):
                os.pwrite(file.fileno(), bytes([byte ^ change]), position)
                yield position
            os.pwrite(file.fileno(), bytes([byte]), position)


def check_table_flips(dump, path, named, expected):
    with open(path, "rb") as file:
        data = file.read()
    whole = table.Table(data)
    # Nothing reads these bytes, so nothing can go wrong with them.
    padding = whole.padding
    for position in flips(path):
        answer = dump(named)
        errors = errors_of(answer)
        assert_rest_right(answer, expected, errors)
        block = whole.block_at(position)
        if position in padding:
            assert not errors, position
        elif block:
            assert errors, position
            for text in errors.values():
                assert text.startswith(f"{path}: block at byte {block.offset}: "), (position, text)
                assert "checksum" in text
        elif position >= len(data) - 8:
            assert "not a checkpoint" in errors[None] and path in errors[None]
        elif errors:
            # The top bit of a handle's last byte may change nothing: 0 follows.
            assert errors[None].startswith(f"{path}: footer at byte {whole.footer}: "), position


@pytest.mark.parametrize("case", ["single", "strings", "snappy"])
def test_flipped_index(dump, tmp_path, case):
    path = copy_case(case, tmp_path)
    check_table_flips(dump, path + ".index", path, CASES[case]["tensors"])


@pytest.mark.parametrize("case", ["v1", "v1_sharded"])
def test_flipped_v1(dump, tmp_path, case):
    path = copy_case(case, tmp_path)
    file = path + "-00001-of-00003" if case == "v1_sharded" else path
    check_table_flips(dump, file, path, CASES[case]["tensors"])


def owners(path, shard):
    """Which tensor each byte of a data shard belongs to."""
    with open(path + ".index", "rb") as file:
        entries = list(table.Table(file.read()).entries())
    result = {}
    for key, message in entries[1:]:
        fields = dict(wire.read(message))
        # A slice's key: 0, the name, 0 1, the slice.
        name = key[1:key.index(b"\0\1")] if key.startswith(b"\0") else key
        if fields.get(3, 0) == shard:
            offset = fields.get(4, 0)
            for position in range(offset, offset + fields.get(5, 0)):
                result[position] = name.decode()
    return result


@pytest.mark.parametrize("case, shard, count", [
    ("single", 0, 1), ("strings", 0, 1), ("sharded", 1, 3), ("partitioned", 0, 1),
    ("big_endian", 0, 1)])
def test_flipped_data(dump, tmp_path, case, shard, count):
    path = copy_case(case, tmp_path)
    data = f"{path}.data-{shard:05}-of-{count:05}"
    owner = owners(path, shard)
    # big_endian has bytes that belong to no tensor; the others do not.
    assert (len(owner) == os.path.getsize(data)) == (case != "big_endian")
    for position in flips(data):
        answer = dump(path)
        errors = errors_of(answer)
        assert_rest_right(answer, CASES[case]["tensors"], errors)
        assert list(errors) == ([owner[position]] if position in owner else [])
        for name, text in errors.items():
            assert text.startswith(f"{data}: tensor '{name}': "), text


@pytest.mark.parametrize("case, suffix", [
    ("single", ".index"), ("single", ".data-00000-of-00001"), ("strings", ".data-00000-of-00001"),
    ("v1", ""), ("snappy", ".index")])
def test_truncated(dump, tmp_path, case, suffix):
    path = copy_case(case, tmp_path)
    for size in reversed(range(os.path.getsize(path + suffix))):
        os.truncate(path + suffix, size)
        answer = dump(path)
        errors = errors_of(answer)
        assert errors and all(path + suffix in text for text in errors.values())
        assert_rest_right(answer, CASES[case]["tensors"], errors)


def test_missing_shard(dump, tmp_path):
    path = copy_case("sharded", tmp_path)
    os.remove(path + ".data-00001-of-00003")
    answer = dump(path)
    errors = errors_of(answer)
    assert sorted(errors) == ["v1", "v4"]
    assert errors["v1"] == (f"{path}.data-00001-of-00003: No such file or directory: "
                            "tensor 'v1' is in this shard")
    assert_rest_right(answer, CASES["sharded"]["tensors"], errors)


def test_missing_v1_shard(dump, tmp_path):
    path = copy_case("v1_sharded", tmp_path)
    os.remove(path + "-00001-of-00003")
    assert dump(path)["error"] == (f"{path}-00001-of-00003: No such file or directory "
                                   "(shard 2 of 3)")


def test_missing_index(dump, tmp_path):
    path = copy_case("single", tmp_path)
    os.remove(path + ".index")
    data = path + ".data-00000-of-00001"
    assert dump(data)["error"] == f"{data}: its index {path}.index is missing"
    assert "no such checkpoint" in dump(path)["error"]


def test_directories(dump, tmp_path):
    assert dump(tmp_path)["error"] == f"{tmp_path}: a directory without a checkpoint"
    path = copy_case("single", tmp_path)
    folder = os.path.dirname(path)
    assert f"name the checkpoint, such as {path}" in dump(folder)["error"]
    with open(os.path.join(folder, "checkpoint"), "w") as file:
        file.write("nonsense\n")
    assert "no line 'model_checkpoint_path" in dump(folder)["error"]
    with open(os.path.join(folder, "checkpoint"), "w") as file:
        file.write('model_checkpoint_path: "gone"\n')
    assert f"{folder}/gone: no such checkpoint" in dump(folder)["error"]
    with open(os.path.join(folder, "checkpoint"), "w") as file:
        file.write('model_checkpoint_path: "."\n')
    assert "it names a directory" in dump(folder)["error"]


def test_state_that_names_itself(dump, tmp_path):
    state = tmp_path / "checkpoint"
    state.write_text(f'model_checkpoint_path: "{state}"\n')
    assert "not a checkpoint" in dump(tmp_path)["error"]
    assert "not a checkpoint" in dump(state)["error"]


@pytest.mark.parametrize("content, kind", [
    (b"", "an empty file"),
    (b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5"),
    (b"PK\x03\x04" + bytes(100), "a zip archive"),
    (b'node {\n  name: "a"\n  op: "Const"\n}\n' * 9, "a GraphDef in text form"),
    (b"some words, nothing more\n" * 9, "text"),
    (b"\0\0\x06\x08\x01\x1a\x02\x08\x01" * 9, "a truncated checkpoint"),
    (bytes(range(256)) * 4, ""),
])
def test_other_files(dump, tmp_path, content, kind):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert dump(path)["error"].startswith(f"{path}: not a checkpoint: it looks like ")
    assert kind in dump(path)["error"]
    (tmp_path / "file.index").write_bytes(content)
    assert dump(path)["error"].startswith(f"{path}.index: not a checkpoint: it looks like ")


def test_kinds_mixed_up(dump, tmp_path):
    v2, v1 = copy_case("single", tmp_path), copy_case("v1", tmp_path)
    shutil.copy(v2 + ".index", tmp_path / "renamed")
    assert "it looks like the index of a V2 one" in dump(tmp_path / "renamed")["error"]
    shutil.copy(v1, tmp_path / "other.index")
    assert "it looks like a V1 checkpoint" in dump(tmp_path / "other")["error"]


# -- wrong indexes with valid checksums --------------------------------------

def write_bundle(path, tensors, data=b"", header=None):
    """An index of messages, and one data file."""
    from tensorflow.core.protobuf import tensor_bundle_pb2 as bundle
    header = header or bundle.BundleHeaderProto(num_shards=1)
    entries = [(b"", header.SerializeToString())]
    entries += sorted((key, entry.SerializeToString()) for key, entry in tensors.items())
    with open(f"{path}.index", "wb") as file:
        file.write(table.write_table(entries))
    with open(f"{path}.data-00000-of-00001", "wb") as file:
        file.write(data)


@pytest.fixture
def bundle(makers):
    from tensorflow.core.protobuf import tensor_bundle_pb2
    return tensor_bundle_pb2


def entry_of(bundle, dims, size, dtype=DT_INT32, **more):
    entry = bundle.BundleEntryProto(dtype=dtype, size=size, **more)
    for dim in dims:
        entry.shape.dim.add(size=dim)
    return entry


@pytest.mark.parametrize("dims, size, what", [
    ([1 << 40], 1 << 42, "truncated"),
    ([1 << 62, 1 << 62], 4, "its shape or a slice of it is invalid"),
    ([-1], 4, "its shape or a slice of it is invalid"),
    ([2], 4, "its size does not match its shape"),
    ([1 << 62], 1 << 62, "truncated"),
    ([1 << 62], 0, "its size does not match its shape"),
])
def test_impossible_shapes(dump, bundle, tmp_path, dims, size, what):
    write_bundle(tmp_path / "m", {b"x": entry_of(bundle, dims, size)}, bytes(8))
    text, = errors_of(dump(tmp_path / "m")).values()
    assert "tensor 'x'" in text and what in text


@pytest.mark.parametrize("dtype", [0, 20, 21, 34, 99, 101])
def test_types_without_values(dump, bundle, tmp_path, dtype):
    write_bundle(tmp_path / "m", {b"x": entry_of(bundle, [1], 4, dtype)}, bytes(4))
    tensor, = dump(tmp_path / "m")["tensors"]
    assert tensor["dims"] == [1]
    assert "cannot be shown" in tensor["error"]


def test_slices_that_lie(dump, makers, bundle, tmp_path):
    """Slices that overlap, leave holes, or are missing."""
    import tensorflow as tf
    path = os.fspath(tmp_path / "m")
    makers.gen_io_ops.save_v2(path, ["x", "x"], ["4 0,2", "4 2,2"],
                              [tf.constant([1, 2]), tf.constant([3, 4])])
    with open(path + ".index", "rb") as file:
        entries = dict(table.Table(file.read()).entries())
    with open(path + ".data-00000-of-00001", "rb") as file:
        data = file.read()
    header = bundle.BundleHeaderProto.FromString(entries.pop(b""))
    parsed = {k: bundle.BundleEntryProto.FromString(v) for k, v in entries.items()}

    def error_with(change):
        tensor = bundle.BundleEntryProto()
        tensor.CopyFrom(parsed[b"x"])
        change(tensor)
        write_bundle(path, {**parsed, b"x": tensor}, data, header)
        text, = [text for name, text in errors_of(dump(path)).items() if name in ("x", None)]
        assert "tensor 'x'" in text
        return text

    def same_twice(tensor):
        tensor.slices[1].CopyFrom(tensor.slices[0])

    assert "its slices overlap" in error_with(same_twice)
    assert "do not cover its shape" in error_with(lambda t: t.slices.pop())
    assert "is not in the index" in error_with(
        lambda t: t.slices[0].extent[0].MergeFrom(type(t.slices[0].extent[0])(start=1)))
    assert "is invalid" in error_with(lambda t: t.slices[0].extent.add())


def test_header_for_newer_readers(dump, bundle, tmp_path):
    header = bundle.BundleHeaderProto(num_shards=1)
    header.version.min_consumer = 2
    write_bundle(tmp_path / "m", {b"x": entry_of(bundle, [1], 4)}, bytes(4), header)
    assert "newer" in dump(tmp_path / "m")["error"]


def test_huge_tensor(dump, bundle, tmp_path):
    """The first values of 40 GB (a hole in the file) are read at once; the checksum of
    a whole tensor of 65 MiB is verified."""
    small = 65 << 18
    write_bundle(tmp_path / "m", {
        b"huge": entry_of(bundle, [10**10], 4 * 10**10, DT_FLOAT),
        b"small": entry_of(bundle, [small], 4 * small, DT_FLOAT)})
    os.truncate(tmp_path / "m.data-00000-of-00001", 4 * 10**10)
    huge, part = dump(tmp_path / "m", 3)["tensors"]
    assert huge["values"] == part["values"] == ["0x0p+0"] * 3
    write_bundle(tmp_path / "m", {b"small": entry_of(bundle, [small], 4 * small, DT_FLOAT)})
    os.truncate(tmp_path / "m.data-00000-of-00001", 4 * small)
    assert "checksum" in errors_of(dump(tmp_path / "m"))["small"]


def test_huge_v1_block(dump, makers, tmp_path, monkeypatch):
    """The same where values are in the table: a block of 70 MiB whose checksum
    is wrong."""
    from tensorflow.core.util import saved_tensor_slice_pb2
    n = 70 << 18
    meta, data = (saved_tensor_slice_pb2.SavedTensorSlices() for _ in range(2))
    tensor = meta.meta.tensor.add(name="x", type=DT_FLOAT)
    tensor.shape.dim.add(size=n)
    tensor.slice.add().extent.add()
    data.data.name = "x"
    data.data.slice.extent.add()
    data.data.data.float_val.extend([1.5, -2] + [0] * (n - 2))
    real = table.crc32c
    monkeypatch.setattr(table, "crc32c", lambda data: 0 if len(data) > 1 << 20 else real(data))
    (tmp_path / "m").write_bytes(table.write_table(
        [(b"", meta.SerializeToString()),
         (b"\0x\0\1\1\1\x80\x7f", data.SerializeToString())], 1))
    tensor, = dump(tmp_path / "m", 3)["tensors"]
    assert tensor["values"] == ["0x1.8p+0", "-0x1p+1", "0x0p+0"]
    text, = errors_of(dump(tmp_path / "m")).values()
    assert "block at byte " in text and "checksum" in text


def test_lying_snappy_length(dump, tmp_path):
    """A block that claims to unpack to 4 GB does not get that much memory."""
    content = wire.varint(0xFFFFFFFF) + bytes([0, 65])
    out = bytearray()
    handles = b""
    for _ in range(2):
        handles += wire.varint(len(out)) + wire.varint(len(content))
        out += content + bytes([table.SNAPPY])
        out += struct.pack("<I", table.mask(table.crc32c(content + bytes([table.SNAPPY]))))
    out += handles.ljust(40, b"\0") + struct.pack("<Q", table.MAGIC)
    (tmp_path / "m").write_bytes(out)
    assert "block at byte 0: its uncompressed length" in dump(tmp_path / "m")["error"]
