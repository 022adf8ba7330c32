/* Keras's layers, a line each:
 *
 *     class    as config files name it
 *     rule     its shape, its cost and its parameters (layer_NAME, layers.h)
 *     factor   float operations per element, or what the rule takes it for
 *     place    where its result lives (see ops.h)
 *
 * Dropout and the like do nothing at inference. Classes of keras.ops that models call
 * are here as well; of those that only move data, the file itself has the shape. */
#ifndef TFPROF_COUNT_LAYER_LIST_H
#define TFPROF_COUNT_LAYER_LIST_H

/* clang-format off */
#define LAYERS(X) \
	X(InputLayer, same, 0, ALIAS) \
	X(Dense, dense, 0, NEW) \
	X(EinsumDense, einsum_dense, 0, NEW) \
	X(Embedding, embedding, 0, NEW) \
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
	X(GroupNormalization, group_norm, 9, NEW) \
	X(UnitNormalization, elementwise, 4, OVER) \
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
	X(Bidirectional, bidirectional, 0, NEW) \
	X(TimeDistributed, time_distributed, 0, NEW) \
	X(Activation, activation, 0, OVER) \
	X(ReLU, elementwise, 1, OVER) \
	X(LeakyReLU, elementwise, 1, OVER) \
	X(ELU, elementwise, 1, OVER) \
	X(PReLU, prelu, 4, OVER) \
	X(ThresholdedReLU, elementwise, 1, OVER) \
	X(Softmax, elementwise, 5, OVER) \
	X(Add, merge, 1, OVER) \
	X(Subtract, merge, 1, OVER) \
	X(Multiply, merge, 1, OVER) \
	X(Average, merge, 1, OVER) \
	X(Maximum, merge, 1, OVER) \
	X(Minimum, merge, 1, OVER) \
	X(Divide, merge, 1, OVER) \
	X(TrueDivide, merge, 1, OVER) \
	X(Power, merge, 1, OVER) \
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
	X(RandomCrop, given, 0, NEW) \
	X(GetItem, given, 0, NEW) \
	X(ExpandDims, given, 0, ALIAS) \
	X(Squeeze, given, 0, ALIAS) \
	X(Transpose, given, 0, NEW) \
	X(Stack, given, 0, NEW) \
	X(Split, given, 0, NEW) \
	X(BroadcastTo, given, 0, NEW) \
	X(Cast, given, 0, NEW) \
	X(Pad, given, 0, NEW) \
	X(Take, given, 0, NEW) \
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
	X(Gelu, elementwise, 5, OVER) \
	X(Silu, elementwise, 2, OVER)

#define LAYER_RULES(X) \
	X(same) X(dense) X(einsum_dense) X(embedding) X(conv) X(conv_transpose) X(depthwise) \
	X(separable) X(rnn) X(conv_lstm) X(attention) X(grouped_attention) X(dot_attention) \
	X(batch_norm) X(layer_norm) X(group_norm) X(normalization) X(layer_scale) X(pool) \
	X(global_pool) X(bidirectional) X(time_distributed) X(activation) X(elementwise) X(prelu) \
	X(merge) X(concatenate) X(matmul) X(dot) X(flatten) X(reshape) X(permute) X(repeat_vector) \
	X(zero_padding) X(cropping) X(up_sampling) X(resizing) X(given)
/* clang-format on */

#endif
