/* Keras's layers, a line each:
 *
 *     class    as config files name it
 *     rule     its shape, its cost and its parameters (layer_NAME, layers.h)
 *     op       the operation it is lowered to (op_list.h), if that differs between classes of a
 *              rule
 *     factor   float operations per element that no operation stands for, or what the rule takes
 *              it for: spatial dimensions, gates
 *     place    where its result lives (see ops.h)
 *
 * Dropout, random changes of images and the like do nothing at inference. Operations of keras.ops
 * that models call are here as well. */
#ifndef TFPROF_COUNT_LAYER_LIST_H
#define TFPROF_COUNT_LAYER_LIST_H

/* clang-format off */
#define LAYERS(X) \
	X(InputLayer, same, "", 0, ALIAS) \
	X(Dense, dense, "", 0, NEW) \
	X(EinsumDense, einsum_dense, "", 0, NEW) \
	X(Embedding, embedding, "", 0, NEW) \
	X(ReversibleEmbedding, embedding, "", 0, NEW) \
	X(Conv1D, conv, "", 1, NEW) \
	X(Conv2D, conv, "", 2, NEW) \
	X(Conv3D, conv, "", 3, NEW) \
	X(Convolution2D, conv, "", 2, NEW) \
	X(Conv1DTranspose, conv_transpose, "", 1, NEW) \
	X(Conv2DTranspose, conv_transpose, "", 2, NEW) \
	X(Conv3DTranspose, conv_transpose, "", 3, NEW) \
	X(DepthwiseConv1D, depthwise, "", 1, NEW) \
	X(DepthwiseConv2D, depthwise, "", 2, NEW) \
	X(SeparableConv1D, separable, "", 1, NEW) \
	X(SeparableConv2D, separable, "", 2, NEW) \
	X(LSTM, rnn, "", 4, NEW) \
	X(CuDNNLSTM, rnn, "", 4, NEW) \
	X(GRU, rnn, "", 3, NEW) \
	X(CuDNNGRU, rnn, "", 3, NEW) \
	X(SimpleRNN, rnn, "", 1, NEW) \
	X(RNN, rnn_of_cells, "", 0, NEW) \
	X(LSTMCell, cell, "", 4, NEW) \
	X(GRUCell, cell, "", 3, NEW) \
	X(SimpleRNNCell, cell, "", 1, NEW) \
	X(ConvLSTM1D, conv_lstm, "", 1, NEW) \
	X(ConvLSTM2D, conv_lstm, "", 2, NEW) \
	X(ConvLSTM3D, conv_lstm, "", 3, NEW) \
	X(MultiHeadAttention, attention, "", 0, NEW) \
	X(GroupQueryAttention, grouped_attention, "", 0, NEW) \
	X(GroupedQueryAttention, grouped_attention, "", 0, NEW) \
	X(Attention, dot_attention, "", 0, NEW) \
	X(AdditiveAttention, dot_attention, "", 1, NEW) \
	X(BatchNormalization, batch_norm, "", 2, NEW) \
	X(SyncBatchNormalization, batch_norm, "", 2, NEW) \
	X(LayerNormalization, layer_norm, "", 9, NEW) \
	X(RMSNormalization, layer_norm, "", 5, NEW) \
	X(GroupNormalization, group_norm, "", 6, NEW) \
	X(UnitNormalization, elementwise, "", 3, OVER) \
	X(Normalization, normalization, "", 2, NEW) \
	X(LayerScale, layer_scale, "", 1, OVER) \
	X(MaxPooling1D, pool, "MaxPool", 1, NEW) \
	X(MaxPooling2D, pool, "MaxPool", 2, NEW) \
	X(MaxPooling3D, pool, "MaxPool", 3, NEW) \
	X(AveragePooling1D, pool, "MaxPool", 1, NEW) \
	X(AveragePooling2D, pool, "MaxPool", 2, NEW) \
	X(AveragePooling3D, pool, "MaxPool", 3, NEW) \
	X(GlobalAveragePooling1D, global_pool, "Mean", 1, NEW) \
	X(GlobalAveragePooling2D, global_pool, "Mean", 2, NEW) \
	X(GlobalAveragePooling3D, global_pool, "Mean", 3, NEW) \
	X(GlobalMaxPooling1D, global_pool, "Max", 1, NEW) \
	X(GlobalMaxPooling2D, global_pool, "Max", 2, NEW) \
	X(GlobalMaxPooling3D, global_pool, "Max", 3, NEW) \
	X(AdaptiveAveragePooling1D, adaptive_pool, "", 1, NEW) \
	X(AdaptiveAveragePooling2D, adaptive_pool, "", 2, NEW) \
	X(AdaptiveAveragePooling3D, adaptive_pool, "", 3, NEW) \
	X(AdaptiveMaxPooling1D, adaptive_pool, "", 1, NEW) \
	X(AdaptiveMaxPooling2D, adaptive_pool, "", 2, NEW) \
	X(AdaptiveMaxPooling3D, adaptive_pool, "", 3, NEW) \
	X(SpectralNormalization, spectral, "", 0, NEW) \
	X(Bidirectional, bidirectional, "", 0, NEW) \
	X(TimeDistributed, time_distributed, "", 0, NEW) \
	X(Activation, activation, "", 0, OVER) \
	X(ReLU, op, "Relu", 0, OVER) \
	X(LeakyReLU, op, "LeakyRelu", 0, OVER) \
	X(ELU, op, "Elu", 0, OVER) \
	X(PReLU, prelu, "", 5, OVER) \
	X(ThresholdedReLU, op, "Relu", 0, OVER) \
	X(Softmax, op, "Softmax", 0, OVER) \
	X(Add, merge, "AddV2", 0, OVER) \
	X(Subtract, merge, "Sub", 0, OVER) \
	X(Multiply, merge, "Mul", 0, OVER) \
	X(Average, merge, "AddV2", 1, OVER) \
	X(Maximum, merge, "Maximum", 0, OVER) \
	X(Minimum, merge, "Minimum", 0, OVER) \
	X(Divide, merge, "RealDiv", 0, OVER) \
	X(TrueDivide, merge, "RealDiv", 0, OVER) \
	X(Power, merge, "Pow", 0, OVER) \
	X(Concatenate, concatenate, "", 0, NEW) \
	X(Matmul, matmul, "", 0, NEW) \
	X(Dot, dot, "", 0, NEW) \
	X(Flatten, flatten, "", 0, ALIAS) \
	X(Reshape, reshape, "", 0, ALIAS) \
	X(Permute, permute, "", 0, NEW) \
	X(RepeatVector, repeat_vector, "", 0, NEW) \
	X(ZeroPadding1D, zero_padding, "", 1, NEW) \
	X(ZeroPadding2D, zero_padding, "", 2, NEW) \
	X(ZeroPadding3D, zero_padding, "", 3, NEW) \
	X(Cropping1D, cropping, "", 1, NEW) \
	X(Cropping2D, cropping, "", 2, NEW) \
	X(Cropping3D, cropping, "", 3, NEW) \
	X(UpSampling1D, up_sampling, "", 1, NEW) \
	X(UpSampling2D, up_sampling, "", 2, NEW) \
	X(UpSampling3D, up_sampling, "", 3, NEW) \
	X(Rescaling, elementwise, "", 2, OVER) \
	X(Resizing, resizing, "", 7, NEW) \
	X(CenterCrop, resizing, "", 0, NEW) \
	X(Dropout, same, "", 0, ALIAS) \
	X(SpatialDropout1D, same, "", 0, ALIAS) \
	X(SpatialDropout2D, same, "", 0, ALIAS) \
	X(SpatialDropout3D, same, "", 0, ALIAS) \
	X(AlphaDropout, same, "", 0, ALIAS) \
	X(GaussianNoise, same, "", 0, ALIAS) \
	X(GaussianDropout, same, "", 0, ALIAS) \
	X(StochasticDepth, same, "", 0, ALIAS) \
	X(ActivityRegularization, same, "", 0, ALIAS) \
	X(Identity, same, "", 0, ALIAS) \
	X(Masking, elementwise, "", 2, OVER) \
	X(RandomFlip, same, "", 0, ALIAS) \
	X(RandomRotation, same, "", 0, ALIAS) \
	X(RandomZoom, same, "", 0, ALIAS) \
	X(RandomTranslation, same, "", 0, ALIAS) \
	X(RandomContrast, same, "", 0, ALIAS) \
	X(RandomBrightness, same, "", 0, ALIAS) \
	X(RandomColorDegeneration, same, "", 0, ALIAS) \
	X(RandomColorJitter, same, "", 0, ALIAS) \
	X(RandomElasticTransform, same, "", 0, ALIAS) \
	X(RandomErasing, same, "", 0, ALIAS) \
	X(RandomGaussianBlur, same, "", 0, ALIAS) \
	X(RandomGrayscale, same, "", 0, ALIAS) \
	X(RandomHue, same, "", 0, ALIAS) \
	X(RandomInvert, same, "", 0, ALIAS) \
	X(RandomPerspective, same, "", 0, ALIAS) \
	X(RandomPosterization, same, "", 0, ALIAS) \
	X(RandomSaturation, same, "", 0, ALIAS) \
	X(RandomSharpness, same, "", 0, ALIAS) \
	X(RandomShear, same, "", 0, ALIAS) \
	X(AugMix, same, "", 0, ALIAS) \
	X(CutMix, same, "", 0, ALIAS) \
	X(MixUp, same, "", 0, ALIAS) \
	X(RandAugment, same, "", 0, ALIAS) \
	X(Solarization, same, "", 0, ALIAS) \
	X(AutoContrast, elementwise, "", 7, OVER) \
	X(Discretization, lookup, "", 0, NEW) \
	X(Hashing, lookup, "", 0, NEW) \
	X(HashedCrossing, lookup, "", 0, NEW) \
	X(IntegerLookup, lookup, "", 0, NEW) \
	X(StringLookup, lookup, "", 0, NEW) \
	X(CategoryEncoding, category_encoding, "", 0, NEW) \
	X(RandomCrop, resizing, "", 0, NEW) \
	X(GetItem, get_item, "", 0, NEW) \
	X(ExpandDims, expand_dims, "", 0, ALIAS) \
	X(Squeeze, squeeze, "", 0, ALIAS) \
	X(Transpose, transpose, "", 0, NEW) \
	X(Stack, stack, "", 0, NEW) \
	X(Split, split, "", 0, NEW) \
	X(BroadcastTo, broadcast_to, "", 0, NEW) \
	X(Cast, cast, "", 0, NEW) \
	X(Pad, pad, "", 0, NEW) \
	X(Take, take, "", 0, NEW) \
	X(Relu, op, "Relu", 0, OVER) \
	X(Relu6, op, "Relu6", 0, OVER) \
	X(Sigmoid, op, "Sigmoid", 0, OVER) \
	X(Tanh, op, "Tanh", 0, OVER) \
	X(Exp, op, "Exp", 0, OVER) \
	X(Log, op, "Log", 0, OVER) \
	X(Sqrt, op, "Sqrt", 0, OVER) \
	X(Rsqrt, op, "Rsqrt", 0, OVER) \
	X(Square, op, "Square", 0, OVER) \
	X(Negative, op, "Neg", 0, OVER) \
	X(Absolute, op, "Abs", 0, OVER) \
	X(Clip, elementwise, "", 2, OVER) \
	X(Gelu, elementwise, "", 8, OVER) \
	X(Silu, elementwise, "", 3, OVER) \
	X(Mean, reduce, "Mean", 0, NEW) \
	X(Sum, reduce, "Sum", 0, NEW) \
	X(Max, reduce, "Max", 0, NEW) \
	X(Min, reduce, "Min", 0, NEW) \
	X(Prod, reduce, "Prod", 0, NEW) \
	X(Amax, reduce, "Max", 0, NEW) \
	X(Amin, reduce, "Min", 0, NEW) \
	X(Var, reduce, "Mean", 3, NEW) \
	X(Norm, reduce, "EuclideanNorm", 0, NEW) \
	X(Std, deviation, "Mean", 3, NEW) \
	X(Logsumexp, deviation, "Mean", 3, NEW) \
	X(Any, reduce, "Any", 0, NEW) \
	X(All, reduce, "All", 0, NEW) \
	X(Argmax, arg, "Max", 0, NEW) \
	X(Argmin, arg, "Min", 0, NEW) \
	X(TopK, top_k, "", 0, NEW) \
	X(Einsum, op, "Einsum", 0, NEW) \
	X(Tensordot, tensordot, "", 0, NEW) \
	X(DotProductAttention, heads_attention, "", 0, NEW) \
	X(Equal, merge, "Equal", 0, NEW) \
	X(NotEqual, merge, "NotEqual", 0, NEW) \
	X(Greater, merge, "Greater", 0, NEW) \
	X(GreaterEqual, merge, "GreaterEqual", 0, NEW) \
	X(Less, merge, "Less", 0, NEW) \
	X(LessEqual, merge, "LessEqual", 0, NEW) \
	X(LogicalAnd, merge, "LogicalAnd", 0, NEW) \
	X(LogicalOr, merge, "LogicalOr", 0, NEW) \
	X(LogicalXor, merge, "LogicalOr", 0, NEW) \
	X(Where, where, "", 0, NEW) \
	X(OneHot, one_hot, "", 0, NEW) \
	X(FloorDivide, merge, "FloorDiv", 0, OVER) \
	X(Mod, merge, "FloorMod", 0, OVER) \
	X(Arctan2, merge, "Atan2", 0, OVER) \
	X(AveragePool, pool, "MaxPool", 0, NEW) \
	X(MaxPool, pool, "MaxPool", 0, NEW) \
	X(Resize, resizing, "", 7, NEW) \
	X(Unstack, unstack, "", 0, NEW) \
	X(Swapaxes, swap_axes, "", 0, NEW) \
	X(Moveaxis, move_axis, "", 0, NEW) \
	X(Tile, tile, "", 0, NEW) \
	X(Repeat, repeat, "", 0, NEW) \
	X(Ravel, ravel, "", 0, ALIAS) \
	X(Flip, op, "ReverseV2", 0, NEW) \
	X(Roll, op, "Roll", 0, NEW) \
	X(ZerosLike, op, "ZerosLike", 0, NEW) \
	X(OnesLike, op, "OnesLike", 0, NEW) \
	X(LogicalNot, op, "LogicalNot", 0, NEW) \
	X(StopGradient, op, "StopGradient", 0, NEW) \
	X(Sin, op, "Sin", 0, OVER) \
	X(Cos, op, "Cos", 0, OVER) \
	X(Tan, op, "Tan", 0, OVER) \
	X(Arctan, op, "Atan", 0, OVER) \
	X(Sinh, op, "Sinh", 0, OVER) \
	X(Cosh, op, "Cosh", 0, OVER) \
	X(Erf, op, "Erf", 0, OVER) \
	X(Erfinv, op, "Erfinv", 0, OVER) \
	X(Log1p, op, "Log1p", 0, OVER) \
	X(Log2, op, "Log", 0, OVER) \
	X(Log10, op, "Log", 0, OVER) \
	X(Expm1, op, "Expm1", 0, OVER) \
	X(Exp2, op, "Exp", 0, OVER) \
	X(Reciprocal, op, "Reciprocal", 0, OVER) \
	X(Softplus, op, "Softplus", 0, OVER) \
	X(Softsign, op, "Softsign", 0, OVER) \
	X(Elu, op, "Elu", 0, OVER) \
	X(LeakyRelu, op, "LeakyRelu", 0, OVER) \
	X(Selu, op, "Selu", 0, OVER) \
	X(Celu, op, "Elu", 0, OVER) \
	X(Floor, op, "Floor", 0, OVER) \
	X(Ceil, op, "Ceil", 0, OVER) \
	X(Round, op, "Round", 0, OVER) \
	X(Trunc, op, "Round", 0, OVER) \
	X(Sign, op, "Sign", 0, OVER) \
	X(Cumsum, op, "Cumsum", 0, OVER) \
	X(Cumprod, op, "Cumprod", 0, OVER) \
	X(LogSigmoid, op, "Softplus", 0, OVER) \
	X(HardSigmoid, elementwise, "", 3, OVER) \
	X(HardTanh, elementwise, "", 3, OVER) \
	X(Normalize, elementwise, "", 3, OVER) \
	X(HardSilu, elementwise, "", 4, OVER) \
	X(RMSNorm, elementwise, "", 4, OVER) \
	X(LogSoftmax, op, "LogSoftmax", 0, OVER)

#define LAYER_RULES(X) \
	X(same) X(op) X(dense) X(einsum_dense) X(embedding) X(conv) X(conv_transpose) X(depthwise) \
	X(separable) X(rnn) X(rnn_of_cells) X(cell) X(conv_lstm) X(attention) X(grouped_attention) X(dot_attention) \
	X(batch_norm) X(layer_norm) X(group_norm) X(normalization) X(layer_scale) X(pool) \
	X(global_pool) X(bidirectional) X(time_distributed) X(activation) X(elementwise) X(prelu) \
	X(merge) X(concatenate) X(matmul) X(dot) X(flatten) X(reshape) X(permute) X(repeat_vector) \
	X(zero_padding) X(cropping) X(up_sampling) X(resizing) X(given) \
	X(adaptive_pool) X(spectral) X(lookup) X(category_encoding) X(reduce) X(deviation) \
	X(arg) X(top_k) X(tensordot) X(heads_attention) X(where) \
	X(cast) X(one_hot) X(take) X(get_item) X(expand_dims) X(squeeze) X(transpose) X(swap_axes) \
	X(move_axis) X(stack) X(split) X(unstack) X(pad) X(tile) X(repeat) X(broadcast_to) X(ravel)
/* clang-format on */

#endif
