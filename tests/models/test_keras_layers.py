"""Every class of keras.layers: a model of one layer as .keras file has the shape and the
parameters that Keras says, and the multiply-accumulates of its frozen graph."""

import inspect

import pytest
from frozen import freeze
from test_models import count

import keras
from keras import layers as L

WORDS, IMAGE, VOLUME = (10, 6), (8, 9, 3), (6, 8, 7, 2)
MOVIE = (4, 8, 8, 3)
# class: the inputs' shapes, how a layer of it is made. A cell is in an RNN.
LAYERS = {
    "Activation": ([WORDS], lambda: L.Activation("gelu")),
    "ActivityRegularization": ([WORDS], lambda: L.ActivityRegularization(0.1)),
    "AdaptiveAveragePooling1D": ([WORDS], lambda: L.AdaptiveAveragePooling1D(4)),
    "AdaptiveAveragePooling2D": ([IMAGE], lambda: L.AdaptiveAveragePooling2D((4, 3))),
    "AdaptiveAveragePooling3D": ([VOLUME], lambda: L.AdaptiveAveragePooling3D(2)),
    "AdaptiveMaxPooling1D": ([WORDS], lambda: L.AdaptiveMaxPooling1D(4)),
    "AdaptiveMaxPooling2D": ([IMAGE], lambda: L.AdaptiveMaxPooling2D(4)),
    "AdaptiveMaxPooling3D": ([VOLUME], lambda: L.AdaptiveMaxPooling3D(2)),
    "Add": ([WORDS, WORDS, WORDS], L.Add),
    "AdditiveAttention": ([WORDS, (7, 6)], L.AdditiveAttention),
    "AlphaDropout": ([WORDS], lambda: L.AlphaDropout(0.1)),
    "Attention": ([WORDS, (7, 6)], lambda: L.Attention(use_scale=True)),
    "AugMix": ([IMAGE], L.AugMix),
    "AutoContrast": ([IMAGE], L.AutoContrast),
    "Average": ([WORDS, WORDS], L.Average),
    "AveragePooling1D": ([WORDS], lambda: L.AveragePooling1D(2)),
    "AveragePooling2D": ([IMAGE], lambda: L.AveragePooling2D(3, 2, "same")),
    "AveragePooling3D": ([VOLUME], lambda: L.AveragePooling3D(2)),
    "BatchNormalization": ([IMAGE], L.BatchNormalization),
    "Bidirectional": ([WORDS], lambda: L.Bidirectional(L.LSTM(5, return_sequences=True))),
    "CategoryEncoding": ([(6,)], lambda: L.CategoryEncoding(9)),
    "CenterCrop": ([IMAGE], lambda: L.CenterCrop(4, 5)),
    "Concatenate": ([WORDS, (10, 2)], L.Concatenate),
    "Conv1D": ([WORDS], lambda: L.Conv1D(4, 3, padding="causal", dilation_rate=2)),
    "Conv1DTranspose": ([WORDS], lambda: L.Conv1DTranspose(4, 3, 2)),
    "Conv2D": ([IMAGE], lambda: L.Conv2D(6, (3, 2), 2, activation="relu", groups=3)),
    "Conv2DTranspose": ([IMAGE], lambda: L.Conv2DTranspose(4, 3, 2, "same", use_bias=False)),
    "Conv3D": ([VOLUME], lambda: L.Conv3D(4, 3, padding="same")),
    "Conv3DTranspose": ([VOLUME], lambda: L.Conv3DTranspose(3, 2, 2)),
    "ConvLSTM1D": ([(4, 8, 3)], lambda: L.ConvLSTM1D(4, 3)),
    "ConvLSTM2D": ([MOVIE], lambda: L.ConvLSTM2D(4, 3, padding="same", return_sequences=True)),
    "ConvLSTM3D": ([(3, 5, 5, 5, 2)], lambda: L.ConvLSTM3D(2, 3)),
    "Cropping1D": ([WORDS], lambda: L.Cropping1D(2)),
    "Cropping2D": ([IMAGE], lambda: L.Cropping2D(((1, 2), (0, 3)))),
    "Cropping3D": ([VOLUME], lambda: L.Cropping3D(1)),
    "CutMix": ([IMAGE], L.CutMix),
    "Dense": ([WORDS], lambda: L.Dense(5, "tanh")),
    "DepthwiseConv1D": ([WORDS], lambda: L.DepthwiseConv1D(3, depth_multiplier=2)),
    "DepthwiseConv2D": ([IMAGE], lambda: L.DepthwiseConv2D(3, 2, "same")),
    "Discretization": ([WORDS], lambda: L.Discretization([0.0, 1.0, 2.0])),
    "Dot": ([WORDS, (7, 6)], lambda: L.Dot(axes=2, normalize=True)),
    "Dropout": ([WORDS], lambda: L.Dropout(0.1)),
    "ELU": ([WORDS], L.ELU),
    "EinsumDense_first": ([(6,)], lambda: L.EinsumDense("ab,bcd->acd", (4, 5), bias_axes="cd")),
    "EinsumDense": ([WORDS], lambda: L.EinsumDense("abc,cde->abde", (None, 4, 5), bias_axes="de")),
    "Embedding": ([(6,)], lambda: L.Embedding(20, 8)),
    "Flatten": ([IMAGE], L.Flatten),
    "GRU": ([WORDS], lambda: L.GRU(5, reset_after=False)),
    "GRUCell": ([WORDS], lambda: L.RNN(L.GRUCell(5))),
    "GaussianDropout": ([WORDS], lambda: L.GaussianDropout(0.1)),
    "GaussianNoise": ([WORDS], lambda: L.GaussianNoise(0.1)),
    "GlobalAveragePooling1D": ([WORDS], L.GlobalAveragePooling1D),
    "GlobalAveragePooling2D": ([IMAGE], lambda: L.GlobalAveragePooling2D(keepdims=True)),
    "GlobalAveragePooling3D": ([VOLUME], L.GlobalAveragePooling3D),
    "GlobalMaxPooling1D": ([WORDS], L.GlobalMaxPooling1D),
    "GlobalMaxPooling2D": ([IMAGE], L.GlobalMaxPooling2D),
    "GlobalMaxPooling3D": ([VOLUME], L.GlobalMaxPooling3D),
    "GroupNormalization": ([(8, 8, 6)], lambda: L.GroupNormalization(3)),
    "GroupedQueryAttention": ([(10, 8), (7, 8)], lambda: L.GroupQueryAttention(4, 4, 2)),
    "HashedCrossing": ([(1,), (1,)], lambda: L.HashedCrossing(9)),
    "Hashing": ([(6,)], lambda: L.Hashing(9)),
    "Identity": ([WORDS], L.Identity),
    "IntegerLookup": ([(6,)], lambda: L.IntegerLookup(vocabulary=[3, 5, 9])),
    "LSTM": ([WORDS], lambda: L.LSTM(5, return_sequences=True, use_bias=False)),
    "LSTMCell": ([WORDS], lambda: L.RNN(L.LSTMCell(5), return_sequences=True)),
    "LayerNormalization": ([WORDS], L.LayerNormalization),
    "LeakyReLU": ([WORDS], L.LeakyReLU),
    "Masking": ([WORDS], L.Masking),
    "MaxPooling1D": ([WORDS], L.MaxPooling1D),
    "MaxPooling2D": ([IMAGE], lambda: L.MaxPooling2D((3, 2), 2)),
    "MaxPooling3D": ([VOLUME], lambda: L.MaxPooling3D(2, padding="same")),
    "Maximum": ([WORDS, WORDS], L.Maximum),
    "Minimum": ([WORDS, WORDS], L.Minimum),
    "MixUp": ([IMAGE], L.MixUp),
    "MultiHeadAttention": ([(10, 8), (7, 8)], lambda: L.MultiHeadAttention(2, 4, value_dim=3)),
    "Multiply": ([WORDS, WORDS], L.Multiply),
    "Normalization": ([WORDS], L.Normalization),
    "PReLU": ([IMAGE], lambda: L.PReLU(shared_axes=[1, 2])),
    "Permute": ([IMAGE], lambda: L.Permute((3, 1, 2))),
    "Pipeline": ([IMAGE], lambda: L.Pipeline([L.Rescaling(0.5), L.Resizing(4, 4)])),
    "RMSNormalization": ([WORDS], L.RMSNormalization),
    "RNN": ([WORDS], lambda: L.RNN(L.SimpleRNNCell(4))),
    "RandAugment": ([IMAGE], L.RandAugment),
    "RandomBrightness": ([IMAGE], lambda: L.RandomBrightness(0.1)),
    "RandomColorDegeneration": ([IMAGE], lambda: L.RandomColorDegeneration(0.1)),
    "RandomColorJitter": ([IMAGE], L.RandomColorJitter),
    "RandomContrast": ([IMAGE], lambda: L.RandomContrast(0.1)),
    "RandomCrop": ([IMAGE], lambda: L.RandomCrop(4, 5)),
    "RandomElasticTransform": ([IMAGE], L.RandomElasticTransform),
    "RandomErasing": ([IMAGE], L.RandomErasing),
    "RandomFlip": ([IMAGE], L.RandomFlip),
    "RandomGaussianBlur": ([IMAGE], L.RandomGaussianBlur),
    "RandomGrayscale": ([IMAGE], L.RandomGrayscale),
    "RandomHue": ([IMAGE], lambda: L.RandomHue(0.1)),
    "RandomInvert": ([IMAGE], L.RandomInvert),
    "RandomPerspective": ([IMAGE], L.RandomPerspective),
    "RandomPosterization": ([IMAGE], lambda: L.RandomPosterization(4)),
    "RandomRotation": ([IMAGE], lambda: L.RandomRotation(0.1)),
    "RandomSaturation": ([IMAGE], lambda: L.RandomSaturation(0.1)),
    "RandomSharpness": ([IMAGE], lambda: L.RandomSharpness(0.1)),
    "RandomShear": ([IMAGE], lambda: L.RandomShear(0.1, 0.1)),
    "RandomTranslation": ([IMAGE], lambda: L.RandomTranslation(0.1, 0.1)),
    "RandomZoom": ([IMAGE], lambda: L.RandomZoom(0.1)),
    "ReLU": ([WORDS], L.ReLU),
    "RepeatVector": ([(6,)], lambda: L.RepeatVector(3)),
    "Rescaling": ([IMAGE], lambda: L.Rescaling(0.5)),
    "Reshape": ([WORDS], lambda: L.Reshape((5, -1))),
    "Resizing": ([IMAGE], lambda: L.Resizing(4, 5)),
    "ReversibleEmbedding": ([(6,)], lambda: L.ReversibleEmbedding(20, 8)),
    "SeparableConv1D": ([WORDS], lambda: L.SeparableConv1D(4, 3, depth_multiplier=2)),
    "SeparableConv2D": ([IMAGE], lambda: L.SeparableConv2D(4, 3, padding="same")),
    "SimpleRNN": ([WORDS], lambda: L.SimpleRNN(5)),
    "SimpleRNNCell": ([WORDS], lambda: L.RNN(L.SimpleRNNCell(5), return_sequences=True)),
    "Softmax": ([WORDS], L.Softmax),
    "Solarization": ([IMAGE], L.Solarization),
    "SpatialDropout1D": ([WORDS], lambda: L.SpatialDropout1D(0.1)),
    "SpatialDropout2D": ([IMAGE], lambda: L.SpatialDropout2D(0.1)),
    "SpatialDropout3D": ([VOLUME], lambda: L.SpatialDropout3D(0.1)),
    "SpectralNormalization": ([IMAGE], lambda: L.SpectralNormalization(L.Conv2D(4, 3))),
    "StackedRNNCells": ([WORDS], lambda: L.RNN(L.StackedRNNCells(
        [L.LSTMCell(5), L.GRUCell(4), L.SimpleRNNCell(3)]))),
    "Subtract": ([WORDS, WORDS], L.Subtract),
    "TimeDistributed": ([MOVIE], lambda: L.TimeDistributed(L.Conv2D(4, 3))),
    "UnitNormalization": ([WORDS], L.UnitNormalization),
    "UpSampling1D": ([WORDS], L.UpSampling1D),
    "UpSampling2D": ([IMAGE], lambda: L.UpSampling2D(2, interpolation="bilinear")),
    "UpSampling3D": ([VOLUME], L.UpSampling3D),
    "ZeroPadding1D": ([WORDS], L.ZeroPadding1D),
    "ZeroPadding2D": ([IMAGE], lambda: L.ZeroPadding2D(((1, 0), (2, 3)))),
    "ZeroPadding3D": ([VOLUME], L.ZeroPadding3D),
}
# Not counted, and listed so: they prepare data in ways that no model computes at inference.
LISTED = {
    "ContrastLimitedAdaptiveHistogramEqualization": (
        [IMAGE], lambda: L.ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(2, 2))),
    "MelSpectrogram": ([(4000,)], L.MelSpectrogram),
}
# Abstract, of other frameworks, with code of the user, or on text: nothing to compare with.
# Equalization and STFTSpectrogram cannot be built here.
OTHERS = {"Equalization", "FlaxLayer", "InputLayer", "InputSpec",
          "JaxLayer", "Lambda", "Layer", "MaxNumBoundingBoxes", "STFTSpectrogram", "StringLookup",
          "TFSMLayer", "TextVectorization", "TorchModuleWrapper", "Wrapper"}
ON_NUMBERS = {"CategoryEncoding", "Embedding", "HashedCrossing", "Hashing", "IntegerLookup",
              "ReversibleEmbedding"}
# Keras itself cannot freeze them: they would set the state of a random generator.
NOT_FROZEN = {"MixUp", "RandomColorDegeneration", "RandomGrayscale", "RandomHue",
              "RandomPosterization", "RandomSaturation", "RandomSharpness"}
# Their statistics become constants like others.
NO_WEIGHTS_IN_GRAPH = {"Normalization", "SpectralNormalization"}
# Layers that a graph spells in several operations: how far the float operations may differ.
SPELLED = {"AutoContrast": 0.01, "BatchNormalization": 0.05,
           "GroupNormalization": 0.02, "LayerNormalization": 0.08, "Masking": 1.0,
           "Normalization": 0.1, "PReLU": 0.01, "RMSNormalization": 0.12,
           "UnitNormalization": 0.11}


def build(name):
    shapes, make = {**LAYERS, **LISTED}[name]
    inputs = [keras.Input(s, dtype="int32" if name in ON_NUMBERS else "float32") for s in shapes]
    layer = make()
    if name in ("GroupedQueryAttention", "MultiHeadAttention"):
        return keras.Model(inputs, layer(*inputs))
    return keras.Model(inputs, layer(inputs[0] if len(inputs) == 1 else inputs))


def test_all_classes_are_here():
    classes = {getattr(L, name).__name__ for name in dir(L) if inspect.isclass(getattr(L, name))}
    assert classes == {name.partition("_")[0] for name in LAYERS} | LISTED.keys() | OTHERS


@pytest.mark.parametrize("name", LAYERS)
def test_layer(name, tmp_path):
    keras.backend.clear_session()
    model = build(name)
    model.save(tmp_path / "model.keras")
    counted = count(tmp_path / "model.keras")
    assert not counted["not_counted"]
    assert counted["total"]["parameters"] == model.count_params()
    shapes = counted["layers"][-1]["output_shapes"]
    assert len(shapes) == 1 and len(shapes[0]) == len(model.output_shape)
    assert all(a == b for a, b in zip(shapes[0][1:], model.output_shape[1:]) if b is not None)
    if name in NOT_FROZEN:
        return
    freeze(model, tmp_path / "graph.pb")
    graph = count(tmp_path / "graph.pb")
    assert counted["total"]["macs"] == graph["total"]["macs"]
    if name not in NO_WEIGHTS_IN_GRAPH:
        assert graph["total"]["parameters"] == model.count_params()
    if name.startswith("Adaptive"):
        return
    theirs, allowed = graph["total"]["float_ops"], 0
    for start, share in SPELLED.items():
        allowed = share if name.startswith(start) else allowed
    assert abs(counted["total"]["float_ops"] - theirs) <= allowed * theirs


def test_adaptive_windows(tmp_path):
    """A graph takes many steps for them; what it computes are windows of 3, 3, 3, 3 and of 4, 4
    of 10 and 8."""
    model = keras.Sequential([L.Input((10, 8, 6)), L.AdaptiveAveragePooling2D((4, 2))])
    model.save(tmp_path / "model.keras")
    assert count(tmp_path / "model.keras")["total"]["float_ops"] == 12 * 8 * 6


@pytest.mark.parametrize("how", ["nearest", "bilinear", "bicubic"])
def test_resizing_costs_what_its_interpolation_does(how, tmp_path):
    model = keras.Sequential([L.Input(IMAGE), L.Resizing(16, 12, interpolation=how)])
    model.save(tmp_path / "model.keras")
    freeze(model, tmp_path / "graph.pb")
    totals = [count(tmp_path / name)["total"]["float_ops"] for name in ("model.keras", "graph.pb")]
    assert totals[0] == totals[1]


@pytest.mark.parametrize("name", LISTED)
def test_listed(name, tmp_path):
    keras.backend.clear_session()
    build(name).save(tmp_path / "model.keras")
    assert count(tmp_path / "model.keras")["not_counted"] == {name: 1}


RECURRENT = {
    "LSTM": lambda: L.LSTM(17),
    "GRU": lambda: L.GRU(17),
    "SimpleRNN": lambda: L.SimpleRNN(17),
    "Bidirectional": lambda: L.Bidirectional(L.LSTM(17)),
    "RNN": lambda: L.RNN(L.StackedRNNCells([L.LSTMCell(17), L.GRUCell(5)])),
    "unrolled": lambda: L.LSTM(17, unroll=True),
    "both cells": lambda: L.Bidirectional(L.RNN(L.GRUCell(9))),
}


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("name", RECURRENT)
def test_initial_states_are_no_weights(name, lower, tmp_path):
    """In a frozen graph the states that a loop starts from are constants, as weights are."""
    keras.backend.clear_session()
    model = keras.Sequential([L.Input((12, 13)), RECURRENT[name](), L.Dense(4)])
    model.save(tmp_path / "model.keras")
    freeze(model, tmp_path / "graph.pb", lower)
    for file in ("model.keras", "graph.pb"):
        total = count(tmp_path / file)["total"]
        assert total["parameters"] == model.count_params(), file
    assert total["macs"] == count(tmp_path / "model.keras")["total"]["macs"]
