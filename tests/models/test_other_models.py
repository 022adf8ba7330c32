"""Models made by Keras, as .keras file and as SavedModel: both have the multiply-accumulates
worked out by hand, and a batch of 8 costs 8 times as much."""

import os

import pytest
from test_models import count

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras  # noqa: E402
from keras import layers as L  # noqa: E402


def stack(shape, *layers):
    return keras.Sequential([L.Input(shape), *layers])


def nested():
    """A model within a model, called twice."""
    inner = stack((16,), L.Dense(8, activation="relu"), L.Dense(4))
    a, b = L.Input((16,)), L.Input((16,))
    return keras.Model([a, b], L.Dense(2)(L.Concatenate()([inner(a), inner(b)])))


def decoder():
    ids = L.Input((12,), dtype="int32")
    x = L.Embedding(50, 32)(ids)
    x = L.MultiHeadAttention(4, 8)(x, x, use_causal_mask=True)
    return keras.Model(ids, L.Dense(50)(L.GroupQueryAttention(8, 4, 2)(x, x)))


def unet():
    image = L.Input((32, 32, 3))
    a = L.Conv2D(8, 3, padding="same")(image)
    b = L.Conv2D(16, 3, strides=2, padding="same")(a)
    x = L.Concatenate()([a, L.Conv2DTranspose(8, 3, strides=2, padding="same")(b)])
    return keras.Model(image, L.Conv2D(2, 1)(L.UpSampling2D()(L.MaxPooling2D()(x))))


def pair(layer):
    a, b = L.Input((6, 8)), L.Input((9, 8))
    return keras.Model([a, b], layer([a, b]))


def deeper():
    """A model within a model that is called twice."""
    inner = stack((16,), L.Dense(8), L.Dense(16))
    outer = stack((16,), inner, L.Dense(4), L.Dense(16))
    x = L.Input((16,))
    return keras.Model(x, outer(outer(x)))


def distributed():
    """A model on each step, of two inputs."""
    inner = stack((8, 8, 3), L.Conv2D(4, 3), L.BatchNormalization(), L.Flatten(), L.Dense(5))
    each = L.TimeDistributed(inner)
    a, b = L.Input((6, 8, 8, 3)), L.Input((2, 8, 8, 3))
    return keras.Model([a, b], L.Dense(2)(L.Concatenate(axis=1)([each(a), each(b)])))


MODELS = {
    "nested": (nested, 2 * (16 * 8 + 8 * 4) + 8 * 2),
    "decoder": (decoder, 3 * 12 * 32 * 32 + 2 * 4 * 12 * 12 * 8 + 12 * 32 * 32 +
                12 * 32 * 32 + 2 * 12 * 32 * 16 + 2 * 4 * 12 * 12 * 8 + 12 * 32 * 32 + 12 * 32 * 50),
    "unet": (unet, 32 * 32 * 8 * 27 + 16 * 16 * 16 * 72 + 16 * 16 * 16 * 9 * 8 + 32 * 32 * 16 * 2),
    "dot": (lambda: pair(L.Dot(axes=(2, 2))), 6 * 8 * 9),
    "attention": (lambda: pair(L.Attention()), 2 * 6 * 8 * 9),
    "additive attention": (lambda: pair(L.AdditiveAttention()), 6 * 8 * 9),
    "einsum": (lambda: stack((10, 16), L.EinsumDense("abc,cd->abd", output_shape=(None, 24)),
                             L.EinsumDense("abc,cde->abde", output_shape=(None, 4, 6))),
               10 * 16 * 24 + 10 * 24 * 24),
    "separable": (lambda: stack((32, 32, 3), L.SeparableConv2D(8, 3, padding="same", depth_multiplier=2),
                                L.DepthwiseConv2D(3, depth_multiplier=2)),
                  32 * 32 * 6 * 9 + 32 * 32 * 6 * 8 + 30 * 30 * 16 * 9),
    "volumes": (lambda: stack((6, 8, 8, 3), L.Conv3D(4, 3, padding="same"),
                              L.Conv3DTranspose(2, 3, strides=2, padding="same")),
                6 * 8 * 8 * 4 * 27 * 3 + 6 * 8 * 8 * 4 * 27 * 2),
    "groups": (lambda: stack((16, 16, 8), L.Conv2D(16, 3, groups=4, padding="same"),
                             L.GroupNormalization(4), L.Conv2D(8, 3, dilation_rate=2)),
               16 * 16 * 16 * 9 * 2 + 12 * 12 * 8 * 9 * 16),
    "both ways": (lambda: stack((20, 8), L.Bidirectional(L.GRU(16, return_sequences=True)),
                                L.Bidirectional(L.LSTM(8), merge_mode="sum"), L.Dense(3)),
                  2 * 20 * 3 * 16 * 24 + 2 * 20 * 4 * 8 * (32 + 8) + 8 * 3),
    "deeper": (deeper, 2 * (16 * 8 + 8 * 16 + 16 * 4 + 4 * 16)),
    "distributed": (distributed, 8 * (6 * 6 * 4 * 27 + 144 * 5) + 8 * 5 * 2),
    "wrapped twice": (lambda: stack((3, 4, 6), L.TimeDistributed(L.TimeDistributed(L.Dense(5))),
                                    L.TimeDistributed(L.Bidirectional(L.GRU(7)))),
                      12 * 6 * 5 + 2 * 12 * 3 * 7 * (5 + 7)),
    "many axes": (lambda: stack((3, 4, 5), L.Dense(6), L.Dense(7, use_bias=False)),
                  12 * 30 + 12 * 42),
}


@pytest.mark.parametrize("name", MODELS)
def test_model(name, tmp_path):
    keras.backend.clear_session()
    make, macs = MODELS[name]
    model = make()
    model.save(tmp_path / "model.keras")
    model.export(tmp_path / "export", verbose=False)
    for file in ("model.keras", "export"):
        one = count(tmp_path / file)
        assert one["total"]["macs"] == macs, file
        assert one["total"]["parameters"] == model.count_params(), file
        assert not one["not_counted"], file
        assert count(tmp_path / file, "--batch_size=8")["total"]["macs"] == 8 * macs, file


def test_what_is_not_trained(tmp_path):
    """A part of a model that is set not to train after it was made."""
    keras.backend.clear_session()
    part = stack((8, 8, 3), L.Conv2D(4, 3), L.BatchNormalization(), L.Flatten())
    part.trainable = False
    model = stack((8, 8, 3), part, L.Dense(2))
    model.save(tmp_path / "model.keras")
    model.export(tmp_path / "export", verbose=False)
    trained = sum(weight.numpy().size for weight in model.trainable_weights)
    assert trained == 144 * 2 + 2
    for file in ("model.keras", "export"):
        assert count(tmp_path / file)["total"]["trainable_parameters"] == trained, file
