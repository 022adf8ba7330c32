/* The lines of the table of operation types; ops.h explains the columns. */
#ifndef TFPROF_COUNT_OP_LIST_H
#define TFPROF_COUNT_OP_LIST_H

/* clang-format off */
#define SHAPES(X) \
	X(same) X(same_n) X(broadcast) X(compare) X(select) X(cast) X(add_n) X(matmul) \
	X(batch_matmul) X(einsum) X(conv) X(depthwise) X(pool) X(given) X(given_filter) X(reduce) \
	X(arg_reduce) X(shape_of) X(shape_n) X(size) X(rank) X(reshape) X(squeeze) X(expand_dims) \
	X(transpose) X(pack) X(unpack) X(concat) X(concat_v2) X(split) X(split_v) X(strided_slice) \
	X(slice) X(tile) X(broadcast_to) X(pad) X(gather) X(gather_nd) X(one_hot) X(space_to_batch) \
	X(batch_to_space) X(space_to_depth) X(depth_to_space) X(resize) X(constant) X(placeholder) \
	X(variable) X(read_variable) X(assign) X(fill) X(range) X(linspace) X(like) X(batch_norm) X(second) X(nothing) \
	X(list_reserve) X(list_from) X(list_get) X(list_set) X(list_push) X(list_pop) X(list_stack) \
	X(list_length) X(top_k) X(where) X(unique) X(dynamic_stitch) X(batch_norm_grad) X(bias_grad) \
	X(cross_entropy) X(rfft) X(check) X(tf_array_new) \
	X(tf_array_set) X(tf_array_scatter) X(tf_array_get) X(tf_array_gather) X(bucketize) \
	X(scatter) X(sparse_to_dense) X(open) X(lookup) X(segments) X(unsorted_segments) X(diagonal) \
	X(rfft2d) X(lite_rnn) X(dequantize) X(conv_input) \
	X(lite_dense) X(lite_lstm) X(lite_svdf) X(lite_concat) X(lite_embedding) X(call) X(while) X(if) X(enter) X(exit) X(next) X(merge) X(loop_cond)

#define COSTS(X) \
	X(none) X(per_output) X(per_input) X(matmul) X(einsum) X(conv) X(depthwise) \
	X(conv_input) X(conv_filter) X(depthwise_filter) X(depthwise_input) X(pool) X(reduce) X(mean) \
	X(add_n) X(l2_loss) X(fft) X(batch_norm) X(max_pool_grad) X(avg_pool_grad) X(bias_grad) \
	X(cross_entropy) X(lite_dense) X(lite_lstm) X(lite_svdf) X(scatter) X(lite_rnn)

#define VALUES(X) \
	X(none) X(copy) X(neg) X(abs) X(floor) X(ceil) X(round) X(sqrt) X(square) X(cast) X(not) \
	X(add) X(sub) X(mul) X(div) X(floor_div) X(truncate_div) X(floor_mod) X(truncate_mod) X(max) \
	X(min) X(pow) X(less) X(less_equal) X(greater) X(greater_equal) X(equal) X(not_equal) \
	X(and) X(or) X(sum) X(product) X(all) X(any) X(zero) X(one) X(exp) X(log) X(sign)

#define OPS(X) \
	/* the same shape */ \
	X(Relu, same, per_output, 1, none, OVER) \
	X(Relu6, same, per_output, 1, none, OVER) \
	X(LeakyRelu, same, per_output, 1, none, OVER) \
	X(Elu, same, per_output, 1, none, OVER) \
	X(Selu, same, per_output, 1, none, OVER) \
	X(Sigmoid, same, per_output, 1, none, OVER) \
	X(Tanh, same, per_output, 1, none, OVER) \
	X(Exp, same, per_output, 1, exp, OVER) \
	X(Expm1, same, per_output, 1, none, OVER) \
	X(Log, same, per_output, 1, log, OVER) \
	X(Log1p, same, per_output, 1, none, OVER) \
	X(Sqrt, same, per_output, 1, sqrt, OVER) \
	X(Rsqrt, same, per_output, 2, none, OVER) \
	X(Square, same, per_output, 1, square, OVER) \
	X(Neg, same, per_output, 1, neg, OVER) \
	X(Abs, same, per_output, 1, abs, OVER) \
	X(Sign, same, per_output, 1, sign, OVER) \
	X(Floor, same, per_output, 1, floor, OVER) \
	X(Ceil, same, per_output, 1, ceil, OVER) \
	X(Round, same, per_output, 1, round, OVER) \
	X(Rint, same, per_output, 1, round, OVER) \
	X(Reciprocal, same, per_output, 1, none, OVER) \
	X(Inv, same, per_output, 1, none, OVER) \
	X(Erf, same, per_output, 1, none, OVER) \
	X(Erfc, same, per_output, 1, none, OVER) \
	X(Erfinv, same, per_output, 1, none, OVER) \
	X(Lgamma, same, per_output, 1, none, OVER) \
	X(Digamma, same, per_output, 1, none, OVER) \
	X(Sin, same, per_output, 1, none, OVER) \
	X(Cos, same, per_output, 1, none, OVER) \
	X(Tan, same, per_output, 1, none, OVER) \
	X(Asin, same, per_output, 1, none, OVER) \
	X(Acos, same, per_output, 1, none, OVER) \
	X(Atan, same, per_output, 1, none, OVER) \
	X(Sinh, same, per_output, 1, none, OVER) \
	X(Cosh, same, per_output, 1, none, OVER) \
	X(Softplus, same, per_output, 1, none, OVER) \
	X(Softsign, same, per_output, 1, none, OVER) \
	X(Softmax, same, per_output, 5, none, OVER) \
	X(LogSoftmax, same, per_output, 5, none, OVER) \
	X(Cumsum, same, per_output, 1, none, NEW) \
	X(Cumprod, same, per_output, 1, none, NEW) \
	X(ClipByValue, same, per_output, 2, none, OVER) \
	X(LRN, same, per_output, 10, none, NEW) \
	X(BiasAdd, same, per_output, 1, none, OVER) \
	X(BiasAddV1, same, per_output, 1, none, OVER) \
	X(FakeQuantWithMinMaxVars, same, per_output, 4, none, OVER) \
	X(FakeQuantWithMinMaxArgs, same, per_output, 4, none, OVER) \
	X(FakeQuantWithMinMaxVarsPerChannel, same, per_output, 4, none, OVER) \
	X(QuantizeAndDequantizeV2, same, per_output, 4, none, OVER) \
	X(QuantizeAndDequantizeV3, same, per_output, 4, none, OVER) \
	X(QuantizeAndDequantizeV4, same, per_output, 4, none, OVER) \
	X(Dequantize, dequantize, per_output, 2, none, NEW) \
	X(QuantizeV2, dequantize, per_output, 2, none, NEW) \
	X(CheckNumerics, same, none, 0, copy, ALIAS) \
	X(Identity, same, none, 0, copy, ALIAS) \
	X(Snapshot, same, none, 0, copy, ALIAS) \
	X(StopGradient, same, none, 0, copy, ALIAS) \
	X(PreventGradient, same, none, 0, copy, ALIAS) \
	X(PlaceholderWithDefault, placeholder, none, 0, none, ALIAS) \
	X(EnsureShape, placeholder, none, 0, copy, ALIAS) \
	X(IdentityN, same_n, none, 0, copy, ALIAS) \
	X(ReverseV2, same, none, 0, none, NEW) \
	X(Reverse, same, none, 0, none, NEW) \
	X(ReverseSequence, same, none, 0, none, NEW) \
	X(Roll, same, none, 0, none, NEW) \
	X(RandomShuffle, same, none, 0, none, NEW) \
	X(ZerosLike, same, none, 0, zero, NEW) \
	X(OnesLike, same, none, 0, one, NEW) \
	X(DisableCopyOnRead, nothing, none, 0, none, NOWHERE) \
	X(LogicalNot, same, none, 0, not, OVER) \
	X(Invert, same, none, 0, none, OVER) \
	X(IsNan, check, per_input, 1, none, NEW) \
	X(IsInf, check, per_input, 1, none, NEW) \
	X(IsFinite, check, per_input, 1, none, NEW) \
	X(Cast, cast, none, 0, cast, NEW) \
	X(Bitcast, cast, none, 0, none, ALIAS) \
	X(Bucketize, bucketize, none, 0, none, NEW) \
	X(Real, dequantize, none, 0, none, NEW) \
	X(Imag, dequantize, none, 0, none, NEW) \
	X(ComplexAbs, dequantize, per_output, 3, none, NEW) \
	/* broadcast */ \
	X(Add, broadcast, per_output, 1, add, OVER) \
	X(AddV2, broadcast, per_output, 1, add, OVER) \
	X(Sub, broadcast, per_output, 1, sub, OVER) \
	X(Mul, broadcast, per_output, 1, mul, OVER) \
	X(MulNoNan, broadcast, per_output, 1, mul, OVER) \
	X(RealDiv, broadcast, per_output, 1, div, OVER) \
	X(Div, broadcast, per_output, 1, div, OVER) \
	X(DivNoNan, broadcast, per_output, 1, none, OVER) \
	X(FloorDiv, broadcast, per_output, 1, floor_div, OVER) \
	X(TruncateDiv, broadcast, per_output, 1, truncate_div, OVER) \
	X(FloorMod, broadcast, per_output, 1, floor_mod, OVER) \
	X(Mod, broadcast, per_output, 1, truncate_mod, OVER) \
	X(TruncateMod, broadcast, per_output, 1, truncate_mod, OVER) \
	X(Maximum, broadcast, per_output, 1, max, OVER) \
	X(Minimum, broadcast, per_output, 1, min, OVER) \
	X(Pow, broadcast, per_output, 1, pow, OVER) \
	X(Atan2, broadcast, per_output, 1, none, OVER) \
	X(Xlogy, broadcast, per_output, 2, none, OVER) \
	X(Xdivy, broadcast, per_output, 1, none, OVER) \
	X(SquaredDifference, broadcast, per_output, 2, none, OVER) \
	X(BitwiseAnd, broadcast, none, 0, none, OVER) \
	X(BitwiseOr, broadcast, none, 0, none, OVER) \
	X(BitwiseXor, broadcast, none, 0, none, OVER) \
	X(LeftShift, broadcast, none, 0, none, OVER) \
	X(RightShift, broadcast, none, 0, none, OVER) \
	X(Less, compare, per_input, 1, less, NEW) \
	X(LessEqual, compare, per_input, 1, less_equal, NEW) \
	X(Greater, compare, per_input, 1, greater, NEW) \
	X(GreaterEqual, compare, per_input, 1, greater_equal, NEW) \
	X(Equal, compare, per_input, 1, equal, NEW) \
	X(NotEqual, compare, per_input, 1, not_equal, NEW) \
	X(LogicalAnd, compare, none, 0, and, OVER) \
	X(LogicalOr, compare, none, 0, or, OVER) \
	X(Select, select, none, 0, none, NEW) \
	X(SelectV2, select, none, 0, none, NEW) \
	X(AddN, add_n, add_n, 1, none, OVER) \
	X(AccumulateNV2, add_n, add_n, 1, none, OVER) \
	/* products */ \
	X(MatMul, matmul, matmul, 0, none, NEW) \
	X(SparseMatMul, matmul, matmul, 0, none, NEW) \
	X(BatchMatMul, batch_matmul, matmul, 0, none, NEW) \
	X(BatchMatMulV2, batch_matmul, matmul, 0, none, NEW) \
	X(BatchMatMulV3, batch_matmul, matmul, 0, none, NEW) \
	X(_FusedMatMul, matmul, matmul, 0, none, NEW) \
	X(Einsum, einsum, einsum, 0, none, NEW) \
	/* windows */ \
	X(Conv2D, conv, conv, 0, none, NEW) \
	X(Conv3D, conv, conv, 0, none, NEW) \
	X(Conv, conv, conv, 0, none, NEW) \
	X(_FusedConv2D, conv, conv, 0, none, NEW) \
	X(DepthwiseConv2dNative, depthwise, depthwise, 0, none, NEW) \
	X(_FusedDepthwiseConv2dNative, depthwise, depthwise, 0, none, NEW) \
	X(MaxPool, pool, pool, 0, none, NEW) \
	X(AvgPool, pool, pool, 0, none, NEW) \
	X(MaxPool3D, pool, pool, 0, none, NEW) \
	X(AvgPool3D, pool, pool, 0, none, NEW) \
	X(MaxPoolV2, pool, pool, 0, none, NEW) \
	X(Conv2DBackpropInput, conv_input, conv_input, 0, none, NEW) \
	X(Conv3DBackpropInput, conv_input, conv_input, 0, none, NEW) \
	X(Conv3DBackpropInputV2, conv_input, conv_input, 0, none, NEW) \
	X(Conv2DBackpropFilter, given_filter, conv_filter, 0, none, NEW) \
	X(Conv3DBackpropFilterV2, given_filter, conv_filter, 0, none, NEW) \
	X(DepthwiseConv2dNativeBackpropInput, given, depthwise_input, 0, none, NEW) \
	X(DepthwiseConv2dNativeBackpropFilter, given_filter, depthwise_filter, 0, none, NEW) \
	/* reductions */ \
	X(Sum, reduce, reduce, 1, sum, NEW) \
	X(Prod, reduce, reduce, 1, product, NEW) \
	X(Max, reduce, reduce, 1, max, NEW) \
	X(Min, reduce, reduce, 1, min, NEW) \
	X(Mean, reduce, mean, 1, none, NEW) \
	X(EuclideanNorm, reduce, mean, 2, none, NEW) \
	X(All, reduce, none, 0, all, NEW) \
	X(Any, reduce, none, 0, any, NEW) \
	X(ArgMax, arg_reduce, reduce, 1, none, NEW) \
	X(ArgMin, arg_reduce, reduce, 1, none, NEW) \
	X(L2Loss, nothing, l2_loss, 0, none, NEW) \
	/* the shape as a value */ \
	X(Shape, shape_of, none, 0, none, NOWHERE) \
	X(ShapeN, shape_n, none, 0, none, NOWHERE) \
	X(Size, size, none, 0, none, NOWHERE) \
	X(Rank, rank, none, 0, none, NOWHERE) \
	/* data moved, not computed */ \
	X(Reshape, reshape, none, 0, none, ALIAS) \
	X(Squeeze, squeeze, none, 0, none, ALIAS) \
	X(ExpandDims, expand_dims, none, 0, none, ALIAS) \
	X(Transpose, transpose, none, 0, none, NEW) \
	X(ConjugateTranspose, transpose, none, 0, none, NEW) \
	X(Pack, pack, none, 0, none, NEW) \
	X(Unpack, unpack, none, 0, none, NEW) \
	X(Concat, concat, none, 0, none, NEW) \
	X(ConcatV2, concat_v2, none, 0, none, NEW) \
	X(Split, split, none, 0, none, NEW) \
	X(SplitV, split_v, none, 0, none, NEW) \
	X(StridedSlice, strided_slice, none, 0, none, NEW) \
	X(StridedSliceGrad, given, none, 0, none, NEW) \
	X(Slice, slice, none, 0, none, NEW) \
	X(Tile, tile, none, 0, none, NEW) \
	X(BroadcastTo, broadcast_to, none, 0, none, NEW) \
	X(Pad, pad, none, 0, none, NEW) \
	X(PadV2, pad, none, 0, none, NEW) \
	X(MirrorPad, pad, none, 0, none, NEW) \
	X(Gather, gather, none, 0, none, NEW) \
	X(GatherV2, gather, none, 0, none, NEW) \
	X(ResourceGather, gather, none, 0, none, NEW) \
	X(GatherNd, gather_nd, none, 0, none, NEW) \
	X(OneHot, one_hot, none, 0, none, NEW) \
	X(SpaceToBatchND, space_to_batch, none, 0, none, NEW) \
	X(BatchToSpaceND, batch_to_space, none, 0, none, NEW) \
	X(SpaceToDepth, space_to_depth, none, 0, none, NEW) \
	X(DepthToSpace, depth_to_space, none, 0, none, NEW) \
	X(ResizeNearestNeighbor, resize, none, 0, none, NEW) \
	X(ResizeBilinear, resize, per_output, 7, none, NEW) \
	X(ResizeBicubic, resize, per_output, 35, none, NEW) \
	X(ResizeArea, resize, per_output, 7, none, NEW) \
	X(DynamicStitch, dynamic_stitch, none, 0, none, NEW) \
	X(InvertPermutation, same, none, 0, none, NEW) \
	X(MatrixBandPart, same, none, 0, none, NEW) \
	X(MatrixDiag, diagonal, none, 0, none, NEW) \
	X(MatrixDiagV3, diagonal, none, 0, none, NEW) \
	X(MatrixSetDiag, same, none, 0, none, OVER) \
	X(MatrixSetDiagV3, same, none, 0, none, OVER) \
	X(ScatterNd, scatter, none, 0, none, NEW) \
	X(TensorScatterUpdate, same, none, 0, none, OVER) \
	X(TensorScatterAdd, same, scatter, 0, none, OVER) \
	X(TensorScatterSub, same, scatter, 0, none, OVER) \
	X(TensorScatterMax, same, scatter, 0, none, OVER) \
	X(TensorScatterMin, same, scatter, 0, none, OVER) \
	X(SparseToDense, sparse_to_dense, none, 0, none, NEW) \
	X(SegmentSum, segments, reduce, 1, none, NEW) \
	X(SegmentMean, segments, mean, 1, none, NEW) \
	X(SegmentProd, segments, reduce, 1, none, NEW) \
	X(SegmentMax, segments, reduce, 1, none, NEW) \
	X(SegmentMin, segments, reduce, 1, none, NEW) \
	X(UnsortedSegmentSum, unsorted_segments, reduce, 1, none, NEW) \
	X(UnsortedSegmentProd, unsorted_segments, reduce, 1, none, NEW) \
	X(UnsortedSegmentMax, unsorted_segments, reduce, 1, none, NEW) \
	X(UnsortedSegmentMin, unsorted_segments, reduce, 1, none, NEW) \
	X(LookupTableFindV2, lookup, none, 0, none, NEW) \
	X(HashTableV2, nothing, none, 0, none, NOWHERE) \
	X(AsString, same, none, 0, none, NEW) \
	X(StringToHashBucketFast, same, none, 0, none, NEW) \
	X(DenseBincount, open, none, 0, none, NEW) \
	X(Multinomial, open, none, 0, none, NEW) \
	X(TopK, top_k, none, 0, none, NEW) \
	X(TopKV2, top_k, none, 0, none, NEW) \
	X(Where, where, none, 0, none, NEW) \
	X(Unique, unique, none, 0, none, NEW) \
	X(UniqueV2, unique, none, 0, none, NEW) \
	/* made from nothing */ \
	X(Const, constant, none, 0, none, NOWHERE) \
	X(Placeholder, placeholder, none, 0, none, NEW) \
	X(VarHandleOp, variable, none, 0, none, NOWHERE) \
	X(VariableV2, variable, none, 0, none, NOWHERE) \
	X(Variable, variable, none, 0, none, NOWHERE) \
	X(ReadVariableOp, read_variable, none, 0, none, ALIAS) \
	X(_ReadVariablesOp, same_n, none, 0, none, ALIAS) \
	X(Fill, fill, none, 0, none, NEW) \
	X(Range, range, none, 0, none, NEW) \
	X(LinSpace, linspace, none, 0, none, NEW) \
	X(RandomUniform, fill, none, 0, none, NEW) \
	X(RandomUniformInt, fill, none, 0, none, NEW) \
	X(RandomStandardNormal, fill, none, 0, none, NEW) \
	X(TruncatedNormal, fill, none, 0, none, NEW) \
	X(StatelessRandomUniformV2, fill, none, 0, none, NEW) \
	X(StatelessRandomNormalV2, fill, none, 0, none, NEW) \
	X(StatelessTruncatedNormalV2, fill, none, 0, none, NEW) \
	X(StatelessRandomUniform, fill, none, 0, none, NEW) \
	X(StatelessRandomNormal, fill, none, 0, none, NEW) \
	X(StatelessRandomGetKeyCounter, nothing, none, 0, none, NOWHERE) \
	/* normalization, FFT, losses */ \
	X(FusedBatchNorm, batch_norm, batch_norm, 0, none, NEW) \
	X(FusedBatchNormV2, batch_norm, batch_norm, 0, none, NEW) \
	X(FusedBatchNormV3, batch_norm, batch_norm, 0, none, NEW) \
	X(FFT, same, fft, 0, none, NEW) \
	X(FFT2D, same, fft, 0, none, NEW) \
	X(FFT3D, same, fft, 0, none, NEW) \
	X(IFFT, same, fft, 0, none, NEW) \
	X(RFFT, rfft, fft, 0, none, NEW) \
	X(RFFT2D, rfft2d, fft, 0, none, NEW) \
	/* lists of tensors */ \
	X(TensorListReserve, list_reserve, none, 0, none, NOWHERE) \
	X(EmptyTensorList, list_reserve, none, 0, none, NOWHERE) \
	X(TensorListFromTensor, list_from, none, 0, none, ALIAS) \
	X(TensorListGetItem, list_get, none, 0, none, NEW) \
	X(TensorListSetItem, list_set, none, 0, none, ALIAS) \
	X(TensorListPushBack, list_push, none, 0, none, ALIAS) \
	X(TensorListPopBack, list_pop, none, 0, none, NEW) \
	X(TensorListStack, list_stack, none, 0, none, NEW) \
	X(TensorListLength, list_length, none, 0, none, NOWHERE) \
	X(TensorListElementShape, nothing, none, 0, none, NOWHERE) \
	X(TensorArrayV3, tf_array_new, none, 0, none, NOWHERE) \
	X(TensorArrayScatterV3, tf_array_scatter, none, 0, none, ALIAS) \
	X(TensorArrayWriteV3, tf_array_set, none, 0, none, ALIAS) \
	X(TensorArrayReadV3, tf_array_get, none, 0, none, NEW) \
	X(TensorArrayGatherV3, tf_array_gather, none, 0, none, NEW) \
	X(TensorArraySizeV3, list_length, none, 0, none, NOWHERE) \
	/* gradients */ \
	X(ReluGrad, same, per_output, 1, none, OVER) \
	X(Relu6Grad, same, per_output, 1, none, OVER) \
	X(LeakyReluGrad, same, per_output, 1, none, OVER) \
	X(TanhGrad, same, per_output, 3, none, OVER) \
	X(SigmoidGrad, same, per_output, 3, none, OVER) \
	X(SqrtGrad, same, per_output, 2, none, OVER) \
	X(RsqrtGrad, same, per_output, 4, none, OVER) \
	X(SoftplusGrad, same, per_output, 2, none, OVER) \
	X(BiasAddGrad, bias_grad, bias_grad, 0, none, NEW) \
	X(MaxPoolGrad, like, max_pool_grad, 0, none, NEW) \
	X(AvgPoolGrad, given, avg_pool_grad, 0, none, NEW) \
	X(FusedBatchNormGrad, batch_norm_grad, per_output, 11, none, NEW) \
	X(FusedBatchNormGradV2, batch_norm_grad, per_output, 11, none, NEW) \
	X(FusedBatchNormGradV3, batch_norm_grad, per_output, 11, none, NEW) \
	X(SparseSoftmaxCrossEntropyWithLogits, cross_entropy, cross_entropy, 0, none, NEW) \
	X(SoftmaxCrossEntropyWithLogits, cross_entropy, cross_entropy, 0, none, NEW) \
	/* nothing is computed */ \
	X(NoOp, nothing, none, 0, none, NOWHERE) \
	X(AssignVariableOp, assign, none, 0, none, NOWHERE) \
	X(AssignAddVariableOp, assign, per_output, 1, none, NOWHERE) \
	X(AssignSubVariableOp, assign, per_output, 1, none, NOWHERE) \
	X(ResourceScatterAdd, assign, per_output, 1, none, NOWHERE) \
	X(ResourceScatterSub, assign, per_output, 1, none, NOWHERE) \
	X(ResourceScatterUpdate, assign, none, 0, none, NOWHERE) \
	X(Assign, assign, none, 0, none, NOWHERE) \
	X(AssignAdd, assign, per_output, 1, none, NOWHERE) \
	X(AssignSub, assign, per_output, 1, none, NOWHERE) \
	X(SaveV2, nothing, none, 0, none, NOWHERE) \
	X(RestoreV2, nothing, none, 0, none, NOWHERE) \
	X(MergeV2Checkpoints, nothing, none, 0, none, NOWHERE) \
	X(ShardedFilename, nothing, none, 0, none, NOWHERE) \
	X(Assert, nothing, none, 0, none, NOWHERE) \
	X(Print, same, none, 0, copy, ALIAS) \
	X(StringFormat, nothing, none, 0, none, NOWHERE) \
	X(VariableShape, shape_of, none, 0, none, NOWHERE) \
	X(VarIsInitializedOp, nothing, none, 0, none, NOWHERE) \
	X(ControlTrigger, nothing, none, 0, none, NOWHERE) \
	X(BroadcastArgs, nothing, none, 0, none, NOWHERE) \
	X(BroadcastGradientArgs, nothing, none, 0, none, NOWHERE) \
	X(_Arg, nothing, none, 0, none, NOWHERE) \
	/* TensorFlow Lite */ \
	X(LITE_DENSE, lite_dense, lite_dense, 0, none, NEW) \
	X(LITE_LSTM, lite_lstm, lite_lstm, 1, none, NEW) \
	X(LITE_LSTM_BOTH_WAYS, lite_lstm, lite_lstm, 2, none, NEW) \
	X(LITE_RNN, lite_rnn, lite_rnn, 1, none, NEW) \
	X(LITE_RNN_BOTH_WAYS, lite_rnn, lite_rnn, 2, none, NEW) \
	X(LITE_SVDF, lite_svdf, lite_svdf, 0, none, NEW) \
	X(LITE_CONCAT, lite_concat, none, 0, none, NEW) \
	X(LITE_EMBEDDING, lite_embedding, none, 0, none, NEW) \
	X(LITE_NORMALIZE, same, per_output, 3, none, OVER) \
	X(LITE_PRELU, same, per_output, 2, none, OVER) \
	X(LITE_HARD_SWISH, same, per_output, 4, none, OVER) \
	X(LITE_GELU, same, per_output, 5, none, OVER) \
	/* control flow: the walk itself runs these */ \
	X(PartitionedCall, call, none, 0, none, ALIAS) \
	X(StatefulPartitionedCall, call, none, 0, none, ALIAS) \
	X(While, while, none, 0, none, ALIAS) \
	X(StatelessWhile, while, none, 0, none, ALIAS) \
	X(If, if, none, 0, none, ALIAS) \
	X(StatelessIf, if, none, 0, none, ALIAS) \
	X(Case, if, none, 0, none, ALIAS) \
	X(StatelessCase, if, none, 0, none, ALIAS) \
	X(Enter, enter, none, 0, copy, ALIAS) \
	X(RefEnter, enter, none, 0, copy, ALIAS) \
	X(Exit, exit, none, 0, copy, ALIAS) \
	X(RefExit, exit, none, 0, copy, ALIAS) \
	X(NextIteration, next, none, 0, copy, ALIAS) \
	X(RefNextIteration, next, none, 0, copy, ALIAS) \
	X(LoopCond, loop_cond, none, 0, copy, ALIAS) \
	X(Switch, second, none, 0, copy, ALIAS) \
	X(RefSwitch, second, none, 0, copy, ALIAS) \
	X(Merge, merge, none, 0, copy, ALIAS) \
	X(RefMerge, merge, none, 0, copy, ALIAS)
/* clang-format on */

#endif
