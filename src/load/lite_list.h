/* TensorFlow Lite's operators, a line each: number, name, the rule it has (op_list.h), how
 * its options are read (lite_NAME in model_tflite.c); and options that are plain numbers: operator,
 * slot in its table, attribute. One without a rule is listed by its name. */
#ifndef TFPROF_LOAD_LITE_LIST_H
#define TFPROF_LOAD_LITE_LIST_H

/* clang-format off */
#define LITE_OPERATORS(X) \
	X(0, ADD, "Add", PLAIN) \
	X(1, AVERAGE_POOL_2D, "AvgPool", POOL) \
	X(2, CONCATENATION, "LITE_CONCAT", PLAIN) \
	X(3, CONV_2D, "Conv", CONV) \
	X(4, DEPTHWISE_CONV_2D, "DepthwiseConv2dNative", DEPTHWISE) \
	X(5, DEPTH_TO_SPACE, "DepthToSpace", PLAIN) \
	X(6, DEQUANTIZE, "Dequantize", PLAIN) \
	X(7, EMBEDDING_LOOKUP, "LITE_EMBEDDING", PLAIN) \
	X(8, FLOOR, "Floor", PLAIN) \
	X(9, FULLY_CONNECTED, "LITE_DENSE", PLAIN) \
	X(11, L2_NORMALIZATION, "LITE_NORMALIZE", PLAIN) \
	X(13, LOCAL_RESPONSE_NORMALIZATION, "LRN", PLAIN) \
	X(14, LOGISTIC, "Sigmoid", PLAIN) \
	X(16, LSTM, "LITE_LSTM", PLAIN) \
	X(17, MAX_POOL_2D, "MaxPool", POOL) \
	X(18, MUL, "Mul", PLAIN) \
	X(19, RELU, "Relu", PLAIN) \
	X(20, RELU_N1_TO_1, "Relu", PLAIN) \
	X(21, RELU6, "Relu6", PLAIN) \
	X(22, RESHAPE, "Reshape", PLAIN) \
	X(23, RESIZE_BILINEAR, "ResizeBilinear", PLAIN) \
	X(24, RNN, "LITE_RNN", PLAIN) \
	X(25, SOFTMAX, "Softmax", PLAIN) \
	X(26, SPACE_TO_DEPTH, "SpaceToDepth", PLAIN) \
	X(27, SVDF, "LITE_SVDF", PLAIN) \
	X(28, TANH, "Tanh", PLAIN) \
	X(34, PAD, "Pad", PLAIN) \
	X(35, UNIDIRECTIONAL_SEQUENCE_RNN, "LITE_RNN", PLAIN) \
	X(36, GATHER, "GatherV2", PLAIN) \
	X(37, BATCH_TO_SPACE_ND, "BatchToSpaceND", PLAIN) \
	X(38, SPACE_TO_BATCH_ND, "SpaceToBatchND", PLAIN) \
	X(39, TRANSPOSE, "Transpose", PLAIN) \
	X(40, MEAN, "Mean", PLAIN) \
	X(41, SUB, "Sub", PLAIN) \
	X(42, DIV, "RealDiv", PLAIN) \
	X(43, SQUEEZE, "Squeeze", PLAIN) \
	X(44, UNIDIRECTIONAL_SEQUENCE_LSTM, "LITE_LSTM", PLAIN) \
	X(45, STRIDED_SLICE, "StridedSlice", PLAIN) \
	X(46, BIDIRECTIONAL_SEQUENCE_RNN, "LITE_RNN_BOTH_WAYS", PLAIN) \
	X(47, EXP, "Exp", PLAIN) \
	X(48, TOPK_V2, "TopKV2", PLAIN) \
	X(49, SPLIT, "Split", PLAIN) \
	X(50, LOG_SOFTMAX, "LogSoftmax", PLAIN) \
	X(52, BIDIRECTIONAL_SEQUENCE_LSTM, "LITE_LSTM_BOTH_WAYS", PLAIN) \
	X(53, CAST, "Cast", PLAIN) \
	X(54, PRELU, "LITE_PRELU", PLAIN) \
	X(55, MAXIMUM, "Maximum", PLAIN) \
	X(56, ARG_MAX, "ArgMax", PLAIN) \
	X(57, MINIMUM, "Minimum", PLAIN) \
	X(58, LESS, "Less", PLAIN) \
	X(59, NEG, "Neg", PLAIN) \
	X(60, PADV2, "PadV2", PLAIN) \
	X(61, GREATER, "Greater", PLAIN) \
	X(62, GREATER_EQUAL, "GreaterEqual", PLAIN) \
	X(63, LESS_EQUAL, "LessEqual", PLAIN) \
	X(64, SELECT, "Select", PLAIN) \
	X(65, SLICE, "Slice", PLAIN) \
	X(66, SIN, "Sin", PLAIN) \
	X(67, TRANSPOSE_CONV, "Conv2DBackpropInput", CONV) \
	X(68, SPARSE_TO_DENSE, "SparseToDense", PLAIN) \
	X(69, TILE, "Tile", PLAIN) \
	X(70, EXPAND_DIMS, "ExpandDims", PLAIN) \
	X(71, EQUAL, "Equal", PLAIN) \
	X(72, NOT_EQUAL, "NotEqual", PLAIN) \
	X(73, LOG, "Log", PLAIN) \
	X(74, SUM, "Sum", PLAIN) \
	X(75, SQRT, "Sqrt", PLAIN) \
	X(76, RSQRT, "Rsqrt", PLAIN) \
	X(77, SHAPE, "Shape", PLAIN) \
	X(78, POW, "Pow", PLAIN) \
	X(79, ARG_MIN, "ArgMin", PLAIN) \
	X(80, FAKE_QUANT, "FakeQuantWithMinMaxArgs", PLAIN) \
	X(81, REDUCE_PROD, "Prod", PLAIN) \
	X(82, REDUCE_MAX, "Max", PLAIN) \
	X(83, PACK, "Pack", PLAIN) \
	X(84, LOGICAL_OR, "LogicalOr", PLAIN) \
	X(85, ONE_HOT, "OneHot", PLAIN) \
	X(86, LOGICAL_AND, "LogicalAnd", PLAIN) \
	X(87, LOGICAL_NOT, "LogicalNot", PLAIN) \
	X(88, UNPACK, "Unpack", PLAIN) \
	X(89, REDUCE_MIN, "Min", PLAIN) \
	X(90, FLOOR_DIV, "FloorDiv", PLAIN) \
	X(91, REDUCE_ANY, "Any", PLAIN) \
	X(92, SQUARE, "Square", PLAIN) \
	X(93, ZEROS_LIKE, "ZerosLike", PLAIN) \
	X(94, FILL, "Fill", PLAIN) \
	X(95, FLOOR_MOD, "FloorMod", PLAIN) \
	X(96, RANGE, "Range", PLAIN) \
	X(97, RESIZE_NEAREST_NEIGHBOR, "ResizeNearestNeighbor", PLAIN) \
	X(98, LEAKY_RELU, "LeakyRelu", PLAIN) \
	X(99, SQUARED_DIFFERENCE, "SquaredDifference", PLAIN) \
	X(100, MIRROR_PAD, "MirrorPad", PLAIN) \
	X(101, ABS, "Abs", PLAIN) \
	X(102, SPLIT_V, "SplitV", PLAIN) \
	X(103, UNIQUE, "Unique", PLAIN) \
	X(104, CEIL, "Ceil", PLAIN) \
	X(105, REVERSE_V2, "ReverseV2", PLAIN) \
	X(106, ADD_N, "AddN", PLAIN) \
	X(107, GATHER_ND, "GatherNd", PLAIN) \
	X(108, COS, "Cos", PLAIN) \
	X(109, WHERE, "Where", PLAIN) \
	X(110, RANK, "Rank", PLAIN) \
	X(111, ELU, "Elu", PLAIN) \
	X(112, REVERSE_SEQUENCE, "ReverseSequence", PLAIN) \
	X(113, MATRIX_DIAG, "MatrixDiag", PLAIN) \
	X(114, QUANTIZE, "Dequantize", PLAIN) \
	X(115, MATRIX_SET_DIAG, "MatrixSetDiag", PLAIN) \
	X(116, ROUND, "Round", PLAIN) \
	X(117, HARD_SWISH, "LITE_HARD_SWISH", PLAIN) \
	X(118, IF, "If", PLAIN) \
	X(119, WHILE, "While", PLAIN) \
	X(120, NON_MAX_SUPPRESSION_V4, "NonMaxSuppressionV4", PLAIN) \
	X(121, NON_MAX_SUPPRESSION_V5, "NonMaxSuppressionV5", PLAIN) \
	X(122, SCATTER_ND, "ScatterNd", PLAIN) \
	X(123, SELECT_V2, "SelectV2", PLAIN) \
	X(124, DENSIFY, "Identity", PLAIN) \
	X(125, SEGMENT_SUM, "SegmentSum", PLAIN) \
	X(126, BATCH_MATMUL, "BatchMatMulV2", PLAIN) \
	X(128, CUMSUM, "Cumsum", PLAIN) \
	X(129, CALL_ONCE, "NoOp", PLAIN) \
	X(130, BROADCAST_TO, "BroadcastTo", PLAIN) \
	X(131, RFFT2D, "RFFT2D", PLAIN) \
	X(132, CONV_3D, "Conv", CONV_3D) \
	X(133, IMAG, "Real", PLAIN) \
	X(134, REAL, "Real", PLAIN) \
	X(135, COMPLEX_ABS, "ComplexAbs", PLAIN) \
	X(140, REDUCE_ALL, "All", PLAIN) \
	X(141, CONV_3D_TRANSPOSE, "Conv3DBackpropInputV2", PLAIN) \
	X(142, VAR_HANDLE, "", PLAIN) \
	X(143, READ_VARIABLE, "", PLAIN) \
	X(144, ASSIGN_VARIABLE, "", PLAIN) \
	X(145, BROADCAST_ARGS, "BroadcastArgs", PLAIN) \
	X(146, RANDOM_STANDARD_NORMAL, "RandomStandardNormal", PLAIN) \
	X(147, BUCKETIZE, "Bucketize", PLAIN) \
	X(148, RANDOM_UNIFORM, "RandomUniform", PLAIN) \
	X(149, MULTINOMIAL, "Multinomial", PLAIN) \
	X(150, GELU, "LITE_GELU", PLAIN) \
	X(151, DYNAMIC_UPDATE_SLICE, "Identity", PLAIN) \
	X(152, RELU_0_TO_1, "Relu", PLAIN) \
	X(153, UNSORTED_SEGMENT_PROD, "UnsortedSegmentProd", PLAIN) \
	X(154, UNSORTED_SEGMENT_MAX, "UnsortedSegmentMax", PLAIN) \
	X(155, UNSORTED_SEGMENT_SUM, "UnsortedSegmentSum", PLAIN) \
	X(156, ATAN2, "Atan2", PLAIN) \
	X(157, UNSORTED_SEGMENT_MIN, "UnsortedSegmentMin", PLAIN) \
	X(158, SIGN, "Sign", PLAIN) \
	X(159, BITCAST, "Identity", PLAIN) \
	X(160, BITWISE_XOR, "BitwiseXor", PLAIN) \
	X(161, RIGHT_SHIFT, "RightShift", PLAIN)

#define LITE_OPTIONS(X) \
	X(ADD, 0, fused_activation) \
	X(MUL, 0, fused_activation) \
	X(SUB, 0, fused_activation) \
	X(DIV, 0, fused_activation) \
	X(FULLY_CONNECTED, 0, fused_activation) \
	X(FULLY_CONNECTED, 2, keep_num_dims) \
	X(CONCATENATION, 0, axis) \
	X(BATCH_MATMUL, 0, adj_x) \
	X(BATCH_MATMUL, 1, adj_y) \
	X(STRIDED_SLICE, 0, begin_mask) \
	X(STRIDED_SLICE, 1, end_mask) \
	X(STRIDED_SLICE, 2, ellipsis_mask) \
	X(STRIDED_SLICE, 3, new_axis_mask) \
	X(STRIDED_SLICE, 4, shrink_axis_mask) \
	X(PACK, 1, axis) \
	X(UNPACK, 0, num) \
	X(UNPACK, 1, axis) \
	X(SPLIT, 0, num_split) \
	X(SPLIT_V, 0, num_split) \
	X(GATHER, 0, axis) \
	X(GATHER, 1, batch_dims) \
	X(ONE_HOT, 0, axis) \
	X(SPACE_TO_DEPTH, 0, block_size) \
	X(DEPTH_TO_SPACE, 0, block_size) \
	X(SVDF, 0, k) \
	X(BIDIRECTIONAL_SEQUENCE_RNN, 2, merge_outputs) \
	X(BIDIRECTIONAL_SEQUENCE_LSTM, 3, merge_outputs) \
	X(MEAN, 0, keep_dims) \
	X(SUM, 0, keep_dims) \
	X(REDUCE_PROD, 0, keep_dims) \
	X(REDUCE_MAX, 0, keep_dims) \
	X(REDUCE_MIN, 0, keep_dims) \
	X(REDUCE_ANY, 0, keep_dims) \
	X(REDUCE_ALL, 0, keep_dims)
/* clang-format on */

#endif
