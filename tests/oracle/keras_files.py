"""Makes the Keras and HDF5 files of unit tests, with Keras and h5py:

    tests/data/keras/layers.zip   configurations of models of a layer or an operation each, as
                                  `NAME.json`, and `expected.txt`: NAME, the shape of the result and
                                  the parameters, by Keras, and multiply-accumulates, by hand
    tests/data/hdf5/*.h5          files of Keras and of h5py, and `expected.txt`: their datasets

Run it in tests/models, with the Python of tools/venv:

    PYTHONPATH=.:../support python ../oracle/keras_files.py
"""

import os
import zipfile

import h5py
import keras
import numpy
from keras import layers as L
from keras import ops
from test_keras_layers import LAYERS, build
from test_keras_ops import OPS
from tree import TESTS

DATA = os.path.join(TESTS, "data")

# A convolution has a product for each element of its result, value of its kernel and input
# channel of its group; a transposed one for each element of its input instead. A recurrent layer
# has the gates' products with its input and with its state in each step.
MACS = {
    "AdditiveAttention": 10 * 7 * 6,                  # the scores have no products
    "Attention": 10 * 7 * 6 + 10 * 7 * 6,             # scores, and what they weigh
    "Bidirectional": 2 * 10 * 4 * (6 * 5 + 5 * 5),
    "Conv1D": 10 * 4 * 3 * 6,
    "Conv1DTranspose": 10 * 6 * 3 * 4,
    "Conv2D": 3 * 4 * 6 * (3 * 2 * 1),                # three groups of one channel
    "Conv2DTranspose": 8 * 9 * 3 * 3 * 3 * 4,
    "Conv3D": 6 * 8 * 7 * 4 * 27 * 2,
    "Conv3DTranspose": 6 * 8 * 7 * 2 * 8 * 3,
    "ConvLSTM1D": 4 * 6 * (4 * 4) * (3 * 3 + 3 * 4),
    "ConvLSTM2D": 4 * 8 * 8 * (4 * 4) * (9 * 3 + 9 * 4),
    "ConvLSTM3D": 3 * 27 * (4 * 2) * (27 * 2 + 27 * 2),
    "Dense": 10 * 6 * 5,
    "DepthwiseConv1D": 8 * (6 * 2) * 3,
    "DepthwiseConv2D": 4 * 5 * 3 * 9,
    "Dot": 10 * 7 * 6,
    "EinsumDense": 10 * 6 * 4 * 5,
    "GRU": 10 * 3 * (6 * 5 + 5 * 5),
    "GRUCell": 10 * 3 * (6 * 5 + 5 * 5),
    # queries, keys and values, scores and what they weigh, result
    "GroupedQueryAttention": 10 * 8 * 16 + 2 * 7 * 8 * 8 + 2 * 4 * 10 * 7 * 4 + 10 * 16 * 8,
    "LSTM": 10 * 4 * (6 * 5 + 5 * 5),
    "LSTMCell": 10 * 4 * (6 * 5 + 5 * 5),
    "MultiHeadAttention": (10 * 8 * 8 + 7 * 8 * 8 + 7 * 8 * 6 + 2 * 10 * 7 * 4 + 2 * 10 * 7 * 3
                           + 10 * 6 * 8),
    "RNN": 10 * (6 * 4 + 4 * 4),
    "SeparableConv1D": 8 * 12 * 3 + 8 * 12 * 4,
    "SeparableConv2D": 8 * 9 * 3 * 9 + 8 * 9 * 3 * 4,
    "SimpleRNN": 10 * (6 * 5 + 5 * 5),
    "SimpleRNNCell": 10 * (6 * 5 + 5 * 5),
    "SpectralNormalization": 6 * 7 * 4 * 27,
    "StackedRNNCells": 10 * (4 * (6 * 5 + 25) + 3 * (5 * 4 + 16) + (4 * 3 + 9)),
    "TimeDistributed": 4 * 6 * 6 * 4 * 27,
    "matmul": 10 * 6 * 4,
    "einsum": 10 * 7 * 6,
    "attention": 2 * (2 * 10 * 10 * 4),
    "tensordot": 10 * 6 * 4,
}
# More cases of the same rules.
MORE = {
    "channels_first": ([(3, 8, 9)], lambda x: L.Conv2D(4, 3, data_format="channels_first")(x),
                       6 * 7 * 4 * 27),
    "lstm_states": ([(10, 6)], lambda x: L.LSTM(5, return_state=True)(x)[0],
                    10 * 4 * (6 * 5 + 25)),
    "both_summed": ([(10, 6)], lambda x: L.Bidirectional(L.GRU(5), merge_mode="sum")(x),
                    2 * 10 * 3 * (6 * 5 + 25)),
    "transpose_padded": ([(4, 4, 2)], lambda x: L.Conv2DTranspose(
        3, 3, 2, "same", output_padding=1)(x), 4 * 4 * 2 * 9 * 3),
    "global_channels_first": ([(3, 8, 9)], lambda x: L.GlobalMaxPooling2D(
        data_format="channels_first")(x), 0),
    "tensordot": ([(10, 6), (6, 4)], lambda a, b: ops.tensordot(a[0], b[0], axes=1), 10 * 6 * 4),
    "self_attention": ([(10, 8)], lambda x: L.MultiHeadAttention(2, 4)(x, x),
                       4 * 10 * 8 * 8 + 2 * 2 * 10 * 10 * 4),
    "dense_in_time": ([(4, 6)], lambda x: L.TimeDistributed(L.Dense(3))(x), 4 * 6 * 3),
    "one_hot_codes": ([(6,)], lambda x: L.CategoryEncoding(9, output_mode="one_hot")(x), 0),
}


def models():
    """(name, model, its multiply-accumulates)"""
    for name in LAYERS:
        keras.backend.clear_session()
        yield name, build(name), MACS.get(name, 0)
    for name, (shapes, call) in OPS.items():
        keras.backend.clear_session()
        inputs = [keras.Input(shape) for shape in shapes]
        yield f"ops {name}", keras.Model(inputs, call(*inputs)), MACS.get(name, 0)
    for name, (shapes, call, macs) in MORE.items():
        keras.backend.clear_session()
        inputs = [keras.Input(shape) for shape in shapes]
        yield f"more {name}", keras.Model(inputs, call(*inputs)), macs


def shape_of(model):
    """Of the result for a batch of 1, computed."""
    inputs = [keras.ops.ones((1, *x.shape[1:]), x.dtype) for x in model.inputs]
    result = model(inputs[0] if len(inputs) == 1 else inputs)
    return "x".join(map(str, result.shape)) or "scalar"


def make_layers():
    lines = []
    with zipfile.ZipFile(os.path.join(DATA, "keras", "layers.zip"), "w", zipfile.ZIP_DEFLATED,
                         compresslevel=9) as archive:
        def write(name, text):
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED, 9)

        for name, model, macs in models():
            name = name.replace(" ", "_")
            model.save("/tmp/model.keras")
            with zipfile.ZipFile("/tmp/model.keras") as saved:
                write(f"{name}.json", saved.read("config.json"))
            lines.append(f"{name} {shape_of(model)} {model.count_params()} {macs}\n")
        write("expected.txt", "".join(lines))


def make_hdf5():
    folder = os.path.join(DATA, "hdf5")
    model = keras.Sequential([L.Input([4]), L.Dense(3, name="first"), L.Dense(2, name="second")])
    model.save(os.path.join(folder, "keras_model.h5"))
    model.save_weights(os.path.join(folder, "keras.weights.h5"))
    with h5py.File(os.path.join(folder, "types.h5"), "w", libver="earliest") as file:
        for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                     "float16", "float32", "float64", "bool"):
            file.create_dataset(f"of/{kind}", data=numpy.zeros([2, 3], kind))
        file["of/text"] = numpy.array([b"abc"], "S3")
        for rank in range(9):
            file.create_dataset(f"rank/{rank}", shape=[1] * rank, dtype="float32")
        file.create_dataset("rank/9", shape=[1] * 9, dtype="float32")
        many = file.create_group("many")
        for n in range(50):           # several nodes of the tree
            many.create_dataset(f"{n:02}", shape=[n], dtype="float32")
        file["of"].attrs["name"] = "a fixed text"
        file["rank"].attrs["name"] = numpy.bytes_("bytes")
        file.attrs["keras_version"] = "9.9"
        file.attrs["model_config"] = "{}"
    with h5py.File(os.path.join(folder, "newest.h5"), "w", libver="latest") as file:
        file["x"] = [1.0]
    with open(os.path.join(folder, "expected.txt"), "w") as out:
        for name in ("keras_model.h5", "keras.weights.h5", "types.h5"):
            with h5py.File(os.path.join(folder, name)) as file:
                def write(path, item):
                    if isinstance(item, h5py.Dataset):
                        shape = "x".join(map(str, item.shape)) or "scalar"
                        out.write(f"{name} {path} {shape} {item.dtype}\n")

                file.visititems(write)


if __name__ == "__main__":
    make_layers()
    make_hdf5()
