"""Checkpoints of every kind, written by TensorFlow, and what it reads back.

    python checkpoints.py DIRECTORY [SEED]

makes one subdirectory per kind and `expected.json`: a list of

    {"case": "single", "path": "single/model.ckpt",
     "tensors": [{"name": "v", "dtype": DataType, "dims": […], "values": […]}]}

Values are exact: floats are hexadecimal, strings are bytes in hexadecimal, a
complex number is a pair. Made `tests/data/checkpoint`; needs TensorFlow.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.core.framework import types_pb2  # noqa: E402
from tensorflow.core.protobuf import tensor_bundle_pb2  # noqa: E402
from tensorflow.python.ops import gen_io_ops  # noqa: E402

import table  # noqa: E402

v1 = tf.compat.v1
# Everything but references, resources and variants, which have no values.
DTYPES = [number for name, number in types_pb2.DataType.items()
          if 0 < number < 100 and name not in ("DT_RESOURCE", "DT_VARIANT")]


# -- what TensorFlow reads -------------------------------------------------

def hex_float(value):
    """As C's %a writes it."""
    text = float(value).hex()
    if "p" not in text:
        return text
    digits, exponent = text.split("p")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return f"{digits}p{exponent}"


def exact(values):
    values = np.asarray(values)
    flat = values.reshape(-1)
    if values.dtype == object or values.dtype.kind in "SU":
        return [bytes(item).hex() for item in flat]
    if values.dtype.kind == "c":
        return [[hex_float(item.real), hex_float(item.imag)] for item in flat]
    if values.dtype.kind == "b" or values.dtype.kind in "iu":
        return [int(item) for item in flat]
    if values.dtype.fields:                           # quantized types
        return [int(item[0]) for item in flat]
    as_float = flat.astype(np.float64)
    if "int" in values.dtype.name and "float" not in values.dtype.name:
        return [int(item) for item in as_float]       # int4 and the like
    return [hex_float(item) for item in as_float]


def read_back(path, pattern=None):
    """All tensors of a checkpoint, as TensorFlow reads them."""
    reader = tf.train.load_checkpoint(pattern or path)
    shapes = reader.get_variable_to_shape_map()
    dtypes = reader.get_variable_to_dtype_map()
    is_v2 = os.path.exists(path + ".index")
    tensors = []
    for name in sorted(shapes, key=lambda n: n.encode()):
        dtype = dtypes[name]
        if is_v2:
            value, = gen_io_ops.restore_v2(path, [name], [""], [dtype])
        else:
            value = gen_io_ops.restore(pattern or path, name, dtype)
        tensors.append({"name": name, "dtype": dtype.as_datatype_enum,
                        "dims": list(shapes[name]), "values": exact(value.numpy())})
    return tensors


# -- the kinds -------------------------------------------------------------

class Maker:
    def __init__(self, directory, seed=1):
        self.directory = directory
        self.random = np.random.default_rng(seed)
        self.cases = []

    def path(self, case, name="model.ckpt"):
        os.makedirs(os.path.join(self.directory, case), exist_ok=True)
        return os.path.join(self.directory, case, name)

    def add(self, case, path, pattern=None, **more):
        self.cases.append({"case": case, "path": os.path.relpath(path, self.directory),
                           "tensors": read_back(path, pattern), **more})

    def numbers(self, dtype, shape):
        """Random bits, infinities and NaNs included."""
        n = int(np.prod(shape, dtype=np.int64))
        if dtype == tf.string:
            return tf.constant([self.random.bytes(int(size)) for size in
                                self.random.integers(0, 40, n)], dtype, shape)
        if dtype == tf.bool:
            return tf.constant(self.random.integers(0, 2, n) == 1, dtype, shape)
        kind = np.dtype(dtype.as_numpy_dtype)
        if kind.name in ("int4", "int2"):
            bits = 4 if kind.name == "int4" else 2
            raw = self.random.integers(-1 << bits - 1, 1 << bits - 1, n).astype(kind)
        elif kind.name in ("uint4", "uint2"):
            raw = self.random.integers(0, 1 << (4 if kind.name == "uint4" else 2), n).astype(kind)
        elif kind.name == "float4_e2m1fn":
            raw = self.random.integers(0, 16, n).astype(np.uint8).view(kind)
        else:
            raw = np.frombuffer(self.random.bytes(n * kind.itemsize), kind)
        return tf.constant(raw.reshape(shape), dtype)

    def save(self, path, tensors):
        names = list(tensors)
        gen_io_ops.save_v2(path, names, [""] * len(names), [tensors[name] for name in names])

    def single(self):
        path = self.path("single")
        with tf.Graph().as_default(), v1.Session() as session:
            v1.get_variable("global_step", dtype=tf.int64, initializer=np.int64(1234))
            with v1.variable_scope("layer"):
                for name, shape in (("weights", [5, 4]), ("biases", [4]), ("kernel", [2, 3, 2, 2])):
                    values = self.random.normal(size=shape).astype(np.float32)
                    v1.get_variable(name, initializer=values)
                    v1.get_variable(name + "/Momentum", initializer=values * 0.1)
            v1.get_variable("empty", initializer=np.zeros([2, 0, 3], np.float32))
            v1.get_variable("scalar", initializer=np.float64(-1 / 3))
            session.run(v1.global_variables_initializer())
            v1.train.Saver().save(session, path, write_meta_graph=False)
        self.add("single", path)

    def sharded(self, case, version, n=3):
        """A saver that writes a shard per device."""
        path = self.path(case)
        config = v1.ConfigProto(device_count={"CPU": n})
        with tf.Graph().as_default(), v1.Session(config=config) as session:
            for i in range(7):
                with v1.device(f"/cpu:{i % n}"):
                    values = self.random.normal(size=[i + 1, 3]).astype(np.float32)
                    v1.get_variable(f"v{i}", initializer=values)
            session.run(v1.global_variables_initializer())
            v1.train.Saver(sharded=True, write_version=version).save(
                session, path, write_meta_graph=False)
        self.add(case, path, None if version == v1.train.SaverDef.V2 else
                 path + "-?????-of-?????")

    def partitioned(self, case, version, shapes):
        """Variables in several pieces, along the first and other axes."""
        path = self.path(case)
        with tf.Graph().as_default(), v1.Session() as session:
            for i, (shape, axis, n) in enumerate(shapes):
                v1.get_variable(f"part{i}", shape, dtype=tf.int32,
                                initializer=v1.zeros_initializer(),
                                partitioner=v1.fixed_size_partitioner(n, axis))
            v1.get_variable("whole", initializer=self.random.normal(size=[2, 2]))
            session.run(v1.global_variables_initializer())
            for i, (shape, axis, n) in enumerate(shapes):
                values = self.random.integers(-2**31, 2**31, shape).astype(np.int32)
                pieces = [v for v in v1.global_variables() if v.name.startswith(f"part{i}/")]
                at = 0
                for piece in pieces:
                    size = piece.shape.as_list()[axis]
                    piece.load(np.take(values, range(at, at + size), axis), session)
                    at += size
            v1.train.Saver(write_version=version).save(session, path, write_meta_graph=False)
        self.add(case, path)

    def boxes(self):
        """Slices along two axes at once, saved by hand."""
        path = self.path("boxes")
        values = self.random.normal(size=[6, 5, 4]).astype(np.float32)
        names, slices, pieces = [], [], []
        for i, di in ((0, 2), (2, 4)):
            for j, dj in ((0, 3), (3, 2)):
                for k, dk in ((0, 1), (1, 3)):
                    names.append("cube")
                    slices.append(f"6 5 4 {i},{di}:{j},{dj}:{k},{dk}")
                    pieces.append(tf.constant(values[i:i + di, j:j + dj, k:k + dk]))
        gen_io_ops.save_v2(path, names, slices, pieces)
        self.add("boxes", path)

    def dtypes(self):
        path = self.path("dtypes")
        tensors = {}
        for number in DTYPES:
            dtype = tf.as_dtype(number)
            tensors[f"t{number:02}"] = self.numbers(dtype, [3, 7])
        self.save(path, tensors)
        self.add("dtypes", path)

    def v1_dtypes(self):
        """V1 cannot hold all of them."""
        path = self.path("v1_dtypes")
        tensors = {}
        for number in DTYPES:
            values = self.numbers(tf.as_dtype(number), [3, 7])
            try:
                gen_io_ops.save(path, ["x"], [values])
            except (tf.errors.OpError, RuntimeError):
                continue
            tensors[f"t{number:02}"] = values
        gen_io_ops.save(path, list(tensors), list(tensors.values()))
        self.add("v1_dtypes", path)

    def strings(self):
        path = self.path("strings")
        self.save(path, {
            "none": tf.constant([], tf.string),
            "one": tf.constant(b"scalar"),
            "several": tf.constant([[b"", b"a", b"\0\xff\n"], [b"b" * 127, b"c" * 128, b"d" * 300]]),
        })
        self.add("strings", path)

    def single_v1(self):
        path = self.path("v1")
        with tf.Graph().as_default(), v1.Session() as session:
            for name, values in (("layer/weights", self.random.normal(size=[5, 4])),
                                 ("layer/biases", self.random.normal(size=[4]).astype(np.float32)),
                                 ("global_step", np.int64(-7)),
                                 ("empty", np.zeros([0, 3], np.float32))):
                v1.get_variable(name, initializer=values)
            session.run(v1.global_variables_initializer())
            v1.train.Saver(write_version=v1.train.SaverDef.V1).save(
                session, path, write_meta_graph=False)
        self.add("v1", path)

    def objects(self):
        """tf.train.Checkpoint: the object graph is a string tensor."""
        directory = os.path.dirname(self.path("objects"))
        checkpoint = tf.train.Checkpoint(
            step=tf.Variable(5, dtype=tf.int64),
            weights=tf.Variable(self.random.normal(size=[2, 3]).astype(np.float32)))
        manager = tf.train.CheckpointManager(checkpoint, directory, max_to_keep=1)
        self.add("objects", manager.save(), directory="objects")

    def rewritten(self, case, source, block_size, compression):
        """A V2 checkpoint with an index rewritten by table.py."""
        path, old = self.path(case), self.path(source)
        with open(old + ".index", "rb") as file:
            entries = list(table.Table(file.read()).entries())
        self._copy_data(old, path)
        with open(path + ".index", "wb") as file:
            file.write(table.write_table(entries, block_size, compression))
        self.add(case, path)

    def rewritten_v1(self, case, source, block_size, compression):
        path = self.path(case)
        with open(self.path(source), "rb") as file:
            entries = list(table.Table(file.read()).entries())
        with open(path, "wb") as file:
            file.write(table.write_table(entries, block_size, compression))
        self.add(case, path)

    def big_endian(self):
        """What a big-endian machine would have written (numbers only)."""
        path, old = self.path("big_endian"), self.path("dtypes")
        with open(old + ".index", "rb") as file:
            entries = list(table.Table(file.read()).entries())
        with open(old + ".data-00000-of-00001", "rb") as file:
            data = bytearray(file.read())
        out = []
        for key, value in entries:
            if not key:
                header = tensor_bundle_pb2.BundleHeaderProto.FromString(value)
                header.endianness = tensor_bundle_pb2.BundleHeaderProto.BIG
                out.append((key, header.SerializeToString()))
                continue
            entry = tensor_bundle_pb2.BundleEntryProto.FromString(value)
            dtype = tf.as_dtype(entry.dtype)
            # TensorFlow does not swap the bytes of newer types.
            if dtype == tf.string or entry.dtype > types_pb2.DT_UINT64:
                continue
            unit = dtype.size // 2 if dtype.is_complex else dtype.size
            stored = np.frombuffer(data[entry.offset:entry.offset + entry.size], f"V{unit}")
            swapped = b"".join(item.tobytes()[::-1] for item in stored)
            data[entry.offset:entry.offset + entry.size] = swapped
            entry.crc32c = table.mask(table.crc32c(swapped))
            out.append((key, entry.SerializeToString()))
        with open(path + ".index", "wb") as file:
            file.write(table.write_table(out))
        with open(path + ".data-00000-of-00001", "wb") as file:
            file.write(data)
        self.add("big_endian", path)

    def _copy_data(self, old, new):
        directory, base = os.path.split(old)
        for name in os.listdir(directory):
            if name.startswith(base + ".data-"):
                with open(os.path.join(directory, name), "rb") as file:
                    data = file.read()
                with open(new + name[len(base):], "wb") as file:
                    file.write(data)


def as_text(cases):
    """JSON with a line per tensor, so that a diff can be read."""
    parts = []
    for case in cases:
        tensors = ",\n".join(json.dumps(tensor) for tensor in case["tensors"])
        head = json.dumps({**case, "tensors": []})
        parts.append(head.replace('"tensors": []', f'"tensors": [\n{tensors}\n]', 1))
    return "[" + ",\n".join(parts) + "]\n"


def make(directory, seed=1):
    maker = Maker(directory, seed)
    V1, V2 = v1.train.SaverDef.V1, v1.train.SaverDef.V2
    shapes = [([10, 3], 0, 3), ([4, 130], 1, 2), ([2, 5, 3], 1, 5)]
    maker.single()
    maker.sharded("sharded", V2)
    maker.partitioned("partitioned", V2, shapes)
    maker.boxes()
    maker.dtypes()
    maker.strings()
    maker.single_v1()
    maker.sharded("v1_sharded", V1)
    maker.partitioned("v1_partitioned", V1, shapes)
    maker.v1_dtypes()
    maker.objects()
    maker.rewritten("snappy", "partitioned", 200, table.SNAPPY)
    maker.rewritten_v1("v1_snappy", "v1_partitioned", 200, table.SNAPPY)
    maker.big_endian()
    for parent, _, names in os.walk(directory):
        # Remove the savers' state files, except where a test needs one.
        if "checkpoint" in names and os.path.basename(parent) != "objects":
            os.remove(os.path.join(parent, "checkpoint"))
    with open(os.path.join(directory, "expected.json"), "w") as file:
        file.write(as_text(maker.cases))


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
