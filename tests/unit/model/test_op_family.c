#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "model/op_family.h"

static const struct {
	enum op_family family;
	const char *const *types;
} families[] = {
	{FAMILY_MATRIX,
		(const char *const[]){"Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput",
			"MatMul", "BatchMatMulV2", "Einsum", "DepthwiseConv2dNative",
			"_MklNativeFusedConv2D", "_FusedMatMul", "dot_general", "convolution",
			"conv_general_dilated", "CudnnRNNV3", NULL}},
	{FAMILY_ELEMENT,
		(const char *const[]){"AddV2", "BiasAdd", "FloorDiv", "Maximum", "Mul", "Neg",
			"RealDiv", "Relu", "ReluGrad", "Rsqrt", "RsqrtGrad", "SquaredDifference",
			"Sub", "Sigmoid", "Tanh", "Cast", "fusion", "exp", NULL}},
	{FAMILY_REDUCTION,
		(const char *const[]){"AddN", "AvgPool", "AvgPoolGrad", "BiasAddGrad", "Mean",
			"Sum", "SparseSoftmaxCrossEntropyWithLogits", "FusedBatchNormV3", "Softmax",
			"ArgMax", "reduce_sum", "reduce", "MaxPoolGrad", "L2Loss", NULL}},
	{FAMILY_COPY,
		(const char *const[]){"ExpandDims", "Fill", "Identity", "Pack", "Pad", "Reshape",
			"Slice", "Squeeze", "StopGradient", "Tile", "ZerosLike", "Transpose",
			"ConcatV2", "GatherV2", "copy", "MemcpyH2D", "broadcast_in_dim",
			"StridedSliceGrad", NULL}},
	{FAMILY_VARIABLE,
		(const char *const[]){"ApplyMomentum", "Assign", "AssignAdd", "AssignSub",
			"RandomStandardNormal", "RandomUniform", "RandomUniformInt", "VariableV2",
			"ResourceApplyAdam", "ReadVariableOp", "VarHandleOp", "SaveV2", NULL}},
	{FAMILY_COMMUNICATION,
		(const char *const[]){"_Send", "_Recv", "_HostRecv", "IteratorGetNext",
			"all-reduce", "NcclAllReduce", "CollectiveReduceV2", "Placeholder", "_Arg",
			"QueueDequeueV2", "infeed", NULL}},
	{FAMILY_CONTROL,
		(const char *const[]){"Const", "NoOp", "ShapeN", "Shape", "Switch", "Merge",
			"While", "StatefulPartitionedCall", "BroadcastGradientArgs", "Range",
			"iota", NULL}},
};

/* All types of the bundled sample are among these. */
static void test_types_have_their_family(void **state)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (const char *const *type = families[i].types; *type; type++)
			if (op_get_family(span_of(*type)) != families[i].family)
				fail_msg("%s is %s, expected %s", *type,
					op_families[op_get_family(span_of(*type))].name,
					op_families[families[i].family].name);
}

static void test_an_unknown_type_is_element_wise(void **state)
{
	char long_type[1000];

	memset(long_type, 'x', sizeof(long_type));
	assert_int_equal(op_get_family(SPAN("Frobnicate")), FAMILY_ELEMENT);
	assert_int_equal(op_get_family((struct span){long_type, sizeof(long_type)}),
		FAMILY_ELEMENT);
	assert_int_equal(op_get_family((struct span){NULL, 0}), FAMILY_ELEMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types_have_their_family),
		cmocka_unit_test(test_an_unknown_type_is_element_wise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
