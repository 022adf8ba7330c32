/* Keras's layers, a line each:
 *
 *     class    as config files name it
 *     rule     its shape, its cost and its parameters (layer_NAME, layers.h)
 *     factor   float operations per element, or what the rule takes it for
 *     place    where its result lives (see ops.h)
 *
 * Dropout, random changes of images and the like do nothing at inference. Operations of keras.ops
 * that models call are here as well. */
#ifndef TFPROF_COUNT_LAYER_LIST_H
#define TFPROF_COUNT_LAYER_LIST_H

/* clang-format off */
#define LAYERS(X) \
	X(InputLayer, same, 0, ALIAS) \
	X(Dense, dense, 0, NEW) \
	X(EinsumDense, einsum_dense, 0, NEW) \
	X(Embedding, embedding, 0, NEW) \
	X(ReversibleEmbedding, embedding, 0, NEW) \
	X(Conv1D, conv, 1, NEW) \
	X(Conv2D, conv, 2, NEW) \
	X(Conv3D, conv, 3, NEW) \
	X(Convolution2D, conv, 2, NEW) \
	X(Conv1DTranspose, conv_transpose, 1, NEW) \
	X(Conv2DTranspose, conv_transpose, 2, NEW) \
	X(Conv3DTranspose, conv_transpose, 3, NEW) \
	X(DepthwiseConv1D, depthwise, 1, NEW) \
	X(DepthwiseConv2D, depthwise, 2, NEW) \
	X(SeparableConv1D, separable, 1, NEW) \
	X(SeparableConv2D, separable, 2, NEW) \
	X(LSTM, rnn, 4, NEW) \
	X(CuDNNLSTM, rnn, 4, NEW) \
	X(GRU, rnn, 3, NEW) \
	X(CuDNNGRU, rnn, 3, NEW) \
	X(SimpleRNN, rnn, 1, NEW) \
	X(RNN, rnn_of_cells, 0, NEW) \
	X(LSTMCell, cell, 4, NEW) \
	X(GRUCell, cell, 3, NEW) \
	X(SimpleRNNCell, cell, 1, NEW) \
	X(ConvLSTM1D, conv_lstm, 1, NEW) \
	X(ConvLSTM2D, conv_lstm, 2, NEW) \
	X(ConvLSTM3D, conv_lstm, 3, NEW) \
	X(MultiHeadAttention, attention, 0, NEW) \
	X(GroupQueryAttention, grouped_attention, 0, NEW) \
	X(GroupedQueryAttention, grouped_attention, 0, NEW) \
	X(Attention, dot_attention, 0, NEW) \
	X(AdditiveAttention, dot_attention, 1, NEW) \
	X(BatchNormalization, batch_norm, 2, NEW) \
	X(SyncBatchNormalization, batch_norm, 2, NEW) \
	X(LayerNormalization, layer_norm, 9, NEW) \
	X(RMSNormalization, layer_norm, 5, NEW) \
	X(GroupNormalization, group_norm, 6, NEW) \
	X(UnitNormalization, elementwise, 3, OVER) \
	X(Normalization, normalization, 2, NEW) \
	X(LayerScale, layer_scale, 1, OVER) \
	X(MaxPooling1D, pool, 1, NEW) \
	X(MaxPooling2D, pool, 2, NEW) \
	X(MaxPooling3D, pool, 3, NEW) \
	X(AveragePooling1D, pool, 1, NEW) \
	X(AveragePooling2D, pool, 2, NEW) \
	X(AveragePooling3D, pool, 3, NEW) \
	X(GlobalAveragePooling1D, global_pool, 1, NEW) \
	X(GlobalAveragePooling2D, global_pool, 2, NEW) \
	X(GlobalAveragePooling3D, global_pool, 3, NEW) \
	X(GlobalMaxPooling1D, global_pool, 1, NEW) \
	X(GlobalMaxPooling2D, global_pool, 2, NEW) \
	X(GlobalMaxPooling3D, global_pool, 3, NEW) \
	X(AdaptiveAveragePooling1D, adaptive_pool, 1, NEW) \
	X(AdaptiveAveragePooling2D, adaptive_pool, 2, NEW) \
	X(AdaptiveAveragePooling3D, adaptive_pool, 3, NEW) \
	X(AdaptiveMaxPooling1D, adaptive_pool, 1, NEW) \
	X(AdaptiveMaxPooling2D, adaptive_pool, 2, NEW) \
	X(AdaptiveMaxPooling3D, adaptive_pool, 3, NEW) \
	X(SpectralNormalization, spectral, 0, NEW) \
	X(Bidirectional, bidirectional, 0, NEW) \
	X(TimeDistributed, time_distributed, 0, NEW) \
	X(Activation, activation, 0, OVER) \
	X(ReLU, elementwise, 1, OVER) \
	X(LeakyReLU, elementwise, 1, OVER) \
	X(ELU, elementwise, 1, OVER) \
	X(PReLU, prelu, 5, OVER) \
	X(ThresholdedReLU, elementwise, 1, OVER) \
	X(Softmax, elementwise, 5, OVER) \
	X(Add, merge, 0, OVER) \
	X(Subtract, merge, 0, OVER) \
	X(Multiply, merge, 0, OVER) \
	X(Average, merge, 1, OVER) \
	X(Maximum, merge, 0, OVER) \
	X(Minimum, merge, 0, OVER) \
	X(Divide, merge, 0, OVER) \
	X(TrueDivide, merge, 0, OVER) \
	X(Power, merge, 0, OVER) \
	X(Concatenate, concatenate, 0, NEW) \
	X(Matmul, matmul, 0, NEW) \
	X(Dot, dot, 0, NEW) \
	X(Flatten, flatten, 0, ALIAS) \
	X(Reshape, reshape, 0, ALIAS) \
	X(Permute, permute, 0, NEW) \
	X(RepeatVector, repeat_vector, 0, NEW) \
	X(ZeroPadding1D, zero_padding, 1, NEW) \
	X(ZeroPadding2D, zero_padding, 2, NEW) \
	X(ZeroPadding3D, zero_padding, 3, NEW) \
	X(Cropping1D, cropping, 1, NEW) \
	X(Cropping2D, cropping, 2, NEW) \
	X(Cropping3D, cropping, 3, NEW) \
	X(UpSampling1D, up_sampling, 1, NEW) \
	X(UpSampling2D, up_sampling, 2, NEW) \
	X(UpSampling3D, up_sampling, 3, NEW) \
	X(Rescaling, elementwise, 2, OVER) \
	X(Resizing, resizing, 7, NEW) \
	X(CenterCrop, resizing, 0, NEW) \
	X(Dropout, same, 0, ALIAS) \
	X(SpatialDropout1D, same, 0, ALIAS) \
	X(SpatialDropout2D, same, 0, ALIAS) \
	X(SpatialDropout3D, same, 0, ALIAS) \
	X(AlphaDropout, same, 0, ALIAS) \
	X(GaussianNoise, same, 0, ALIAS) \
	X(GaussianDropout, same, 0, ALIAS) \
	X(StochasticDepth, same, 0, ALIAS) \
	X(ActivityRegularization, same, 0, ALIAS) \
	X(Identity, same, 0, ALIAS) \
	X(Masking, elementwise, 2, OVER) \
	X(RandomFlip, same, 0, ALIAS) \
	X(RandomRotation, same, 0, ALIAS) \
	X(RandomZoom, same, 0, ALIAS) \
	X(RandomTranslation, same, 0, ALIAS) \
	X(RandomContrast, same, 0, ALIAS) \
	X(RandomBrightness, same, 0, ALIAS) \
	X(RandomColorDegeneration, same, 0, ALIAS) \
	X(RandomColorJitter, same, 0, ALIAS) \
	X(RandomElasticTransform, same, 0, ALIAS) \
	X(RandomErasing, same, 0, ALIAS) \
	X(RandomGaussianBlur, same, 0, ALIAS) \
	X(RandomGrayscale, same, 0, ALIAS) \
	X(RandomHue, same, 0, ALIAS) \
	X(RandomInvert, same, 0, ALIAS) \
	X(RandomPerspective, same, 0, ALIAS) \
	X(RandomPosterization, same, 0, ALIAS) \
	X(RandomSaturation, same, 0, ALIAS) \
	X(RandomSharpness, same, 0, ALIAS) \
	X(RandomShear, same, 0, ALIAS) \
	X(AugMix, same, 0, ALIAS) \
	X(CutMix, same, 0, ALIAS) \
	X(MixUp, same, 0, ALIAS) \
	X(RandAugment, same, 0, ALIAS) \
	X(Solarization, same, 0, ALIAS) \
	X(AutoContrast, elementwise, 7, OVER) \
	X(Discretization, lookup, 0, NEW) \
	X(Hashing, lookup, 0, NEW) \
	X(HashedCrossing, lookup, 0, NEW) \
	X(IntegerLookup, lookup, 0, NEW) \
	X(StringLookup, lookup, 0, NEW) \
	X(CategoryEncoding, category_encoding, 0, NEW) \
	X(RandomCrop, resizing, 0, NEW) \
	X(GetItem, get_item, 0, NEW) \
	X(ExpandDims, expand_dims, 0, ALIAS) \
	X(Squeeze, squeeze, 0, ALIAS) \
	X(Transpose, transpose, 0, NEW) \
	X(Stack, stack, 0, NEW) \
	X(Split, split, 0, NEW) \
	X(BroadcastTo, broadcast_to, 0, NEW) \
	X(Cast, cast, 0, NEW) \
	X(Pad, pad, 0, NEW) \
	X(Take, take, 0, NEW) \
	X(Relu, elementwise, 1, OVER) \
	X(Relu6, elementwise, 1, OVER) \
	X(Sigmoid, elementwise, 1, OVER) \
	X(Tanh, elementwise, 1, OVER) \
	X(Exp, elementwise, 1, OVER) \
	X(Log, elementwise, 1, OVER) \
	X(Sqrt, elementwise, 1, OVER) \
	X(Rsqrt, elementwise, 2, OVER) \
	X(Square, elementwise, 1, OVER) \
	X(Negative, elementwise, 1, OVER) \
	X(Absolute, elementwise, 1, OVER) \
	X(Clip, elementwise, 2, OVER) \
	X(Gelu, elementwise, 8, OVER) \
	X(Silu, elementwise, 3, OVER) \
	X(Mean, reduce, 1, NEW) \
	X(Sum, reduce, 0, NEW) \
	X(Max, reduce, 0, NEW) \
	X(Min, reduce, 0, NEW) \
	X(Prod, reduce, 0, NEW) \
	X(Amax, reduce, 0, NEW) \
	X(Amin, reduce, 0, NEW) \
	X(Var, reduce, 4, NEW) \
	X(Norm, reduce, 2, NEW) \
	X(Std, deviation, 4, NEW) \
	X(Logsumexp, deviation, 4, NEW) \
	X(Any, reduce_bool, 0, NEW) \
	X(All, reduce_bool, 0, NEW) \
	X(Argmax, arg, 0, NEW) \
	X(Argmin, arg, 0, NEW) \
	X(TopK, top_k, 0, NEW) \
	X(Einsum, einsum, 0, NEW) \
	X(Tensordot, tensordot, 0, NEW) \
	X(DotProductAttention, heads_attention, 0, NEW) \
	X(Equal, compare, 1, NEW) \
	X(NotEqual, compare, 1, NEW) \
	X(Greater, compare, 1, NEW) \
	X(GreaterEqual, compare, 1, NEW) \
	X(Less, compare, 1, NEW) \
	X(LessEqual, compare, 1, NEW) \
	X(LogicalAnd, compare, 0, NEW) \
	X(LogicalOr, compare, 0, NEW) \
	X(LogicalXor, compare, 0, NEW) \
	X(Where, where, 0, NEW) \
	X(OneHot, one_hot, 0, NEW) \
	X(FloorDivide, merge, 0, OVER) \
	X(Mod, merge, 0, OVER) \
	X(Arctan2, merge, 0, OVER) \
	X(AveragePool, pool, 0, NEW) \
	X(MaxPool, pool, 0, NEW) \
	X(Resize, resizing, 7, NEW) \
	X(Unstack, unstack, 0, NEW) \
	X(Swapaxes, swap_axes, 0, NEW) \
	X(Moveaxis, move_axis, 0, NEW) \
	X(Tile, tile, 0, NEW) \
	X(Repeat, repeat, 0, NEW) \
	X(Ravel, ravel, 0, ALIAS) \
	X(Flip, elementwise, 0, NEW) \
	X(Roll, elementwise, 0, NEW) \
	X(ZerosLike, elementwise, 0, NEW) \
	X(OnesLike, elementwise, 0, NEW) \
	X(LogicalNot, elementwise, 0, NEW) \
	X(StopGradient, elementwise, 0, NEW) \
	X(Sin, elementwise, 1, OVER) \
	X(Cos, elementwise, 1, OVER) \
	X(Tan, elementwise, 1, OVER) \
	X(Arctan, elementwise, 1, OVER) \
	X(Sinh, elementwise, 1, OVER) \
	X(Cosh, elementwise, 1, OVER) \
	X(Erf, elementwise, 1, OVER) \
	X(Erfinv, elementwise, 1, OVER) \
	X(Log1p, elementwise, 1, OVER) \
	X(Log2, elementwise, 1, OVER) \
	X(Log10, elementwise, 1, OVER) \
	X(Expm1, elementwise, 1, OVER) \
	X(Exp2, elementwise, 1, OVER) \
	X(Reciprocal, elementwise, 1, OVER) \
	X(Softplus, elementwise, 1, OVER) \
	X(Softsign, elementwise, 1, OVER) \
	X(Elu, elementwise, 1, OVER) \
	X(LeakyRelu, elementwise, 1, OVER) \
	X(Selu, elementwise, 1, OVER) \
	X(Celu, elementwise, 1, OVER) \
	X(Floor, elementwise, 1, OVER) \
	X(Ceil, elementwise, 1, OVER) \
	X(Round, elementwise, 1, OVER) \
	X(Trunc, elementwise, 1, OVER) \
	X(Sign, elementwise, 1, OVER) \
	X(Cumsum, elementwise, 1, OVER) \
	X(Cumprod, elementwise, 1, OVER) \
	X(LogSigmoid, elementwise, 1, OVER) \
	X(HardSigmoid, elementwise, 3, OVER) \
	X(HardTanh, elementwise, 3, OVER) \
	X(Normalize, elementwise, 3, OVER) \
	X(HardSilu, elementwise, 4, OVER) \
	X(RMSNorm, elementwise, 4, OVER) \
	X(LogSoftmax, elementwise, 5, OVER)

#define LAYER_RULES(X) \
	X(same) X(dense) X(einsum_dense) X(embedding) X(conv) X(conv_transpose) X(depthwise) \
	X(separable) X(rnn) X(rnn_of_cells) X(cell) X(conv_lstm) X(attention) X(grouped_attention) X(dot_attention) \
	X(batch_norm) X(layer_norm) X(group_norm) X(normalization) X(layer_scale) X(pool) \
	X(global_pool) X(bidirectional) X(time_distributed) X(activation) X(elementwise) X(prelu) \
	X(merge) X(concatenate) X(matmul) X(dot) X(flatten) X(reshape) X(permute) X(repeat_vector) \
	X(zero_padding) X(cropping) X(up_sampling) X(resizing) X(given) \
	X(adaptive_pool) X(spectral) X(lookup) X(category_encoding) X(reduce) X(deviation) \
	X(reduce_bool) X(arg) X(top_k) X(einsum) X(tensordot) X(heads_attention) X(compare) X(where) \
	X(cast) X(one_hot) X(take) X(get_item) X(expand_dims) X(squeeze) X(transpose) X(swap_axes) \
	X(move_axis) X(stack) X(split) X(unstack) X(pad) X(tile) X(repeat) X(broadcast_to) X(ravel)
/* clang-format on */

#endif
