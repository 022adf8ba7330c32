#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Rules of operations, one at a time: shapes, costs and values worked out by hand. */
#include "count/ops.h"
#include "count/window.h"

enum { FLOAT = 1, INT32 = 3 };

/* An operation with its inputs and integer attributes. */
struct operation {
	struct graph graph;
	struct op_type type;
	struct op_node node;
	struct op_attr attrs[4];
	struct tensor tensors[4], out[4];
	const struct tensor *in[4];
	struct arena arena;
	int64_t values_left;
	struct eval e;
};

static bool no_more_outputs(struct eval *e, size_t n)
{
	return false;
}

static void begin(struct operation *o, const char *type)
{
	*o = (struct operation){.values_left = 1000};
	o->type = (struct op_type){.name = span_of(type), .rule = op_find_rule(span_of(type))};
	assert_non_null(o->type.rule);
	o->node.type = &o->type;
	o->graph.attrs.at = o->attrs;
	o->graph.nodes.at = &o->node;
	o->graph.nodes.n = 1;
	o->e = (struct eval){.graph = &o->graph,
		.node = &o->node,
		.rule = o->type.rule,
		.in = o->in,
		.arena = &o->arena,
		.values_left = &o->values_left,
		.out_room = o->out,
		.out_cap = 4,
		.more_outputs = no_more_outputs};
}

static struct tensor *add_input(struct operation *o, int dtype, int rank, const int64_t *dims)
{
	struct tensor *t = &o->tensors[o->e.n_in];

	*t = tensor_make(dtype, dims, rank);
	o->in[o->e.n_in++] = t;
	return t;
}

#define INPUT(o, dtype, ...)                                                           \
	add_input(o, dtype, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
		(int64_t[]){__VA_ARGS__})

static void add_number(struct operation *o, enum attr_id id, int64_t value)
{
	o->attrs[o->graph.attrs.n++] =
		(struct op_attr){.id = (uint8_t)id, .kind = OP_INT, .number = value};
	o->node.n_attrs++;
}

static void add_ints(struct operation *o, enum attr_id id, const int64_t *values, uint32_t n)
{
	o->attrs[o->graph.attrs.n++] =
		(struct op_attr){.id = (uint8_t)id, .kind = OP_INTS, .n = n, .ints = values};
	o->node.n_attrs++;
}

static void add_text(struct operation *o, enum attr_id id, const char *text)
{
	o->attrs[o->graph.attrs.n++] = (struct op_attr){.id = (uint8_t)id,
		.kind = OP_TEXT,
		.n = (uint32_t)strlen(text),
		.text = text};
	o->node.n_attrs++;
}

static void set_values(struct operation *o, struct tensor *t, const int64_t *values)
{
	union number *to = tensor_make_values(t, &o->arena);

	assert_non_null(to);
	for (int64_t i = 0; i < tensor_elements(t); i++)
		to[i].i = values[i];
}

static void gives(struct operation *o, int rank, const int64_t *dims)
{
	assert_true(o->e.rule->shape(&o->e));
	assert_int_equal(o->e.out->rank, rank);
	for (int i = 0; i < rank; i++)
		assert_int_equal(o->e.out->dims[i], dims[i]);
	eval_value(&o->e);
}

#define GIVES(o, ...)                                                       \
	gives(o, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
		(int64_t[]){__VA_ARGS__})

static void costs(struct operation *o, int64_t macs, int64_t others)
{
	struct cost cost = {0};

	assert_true(o->e.rule->cost(&o->e, &cost));
	assert_int_equal(cost.macs, macs);
	assert_int_equal(cost.others, others);
	arena_clear(&o->arena);
}

/* ---- shapes --------------------------------------------------------------------- */

static void windows(void **state)
{
	/* ⌈224/2⌉; ⌊(224 − 6 − 1)/2⌋ + 1; dilated: ⌊(32 − 2·2 − 1)/1⌋ + 1 */
	assert_int_equal(window_size(224, 7, 2, 1, WINDOW_SAME, 0, 0), 112);
	assert_int_equal(window_size(224, 7, 2, 1, WINDOW_VALID, 0, 0), 109);
	assert_int_equal(window_size(32, 3, 1, 2, WINDOW_VALID, 0, 0), 28);
	assert_int_equal(window_size(224, 7, 2, 1, WINDOW_EXPLICIT, 3, 3), 112);
	assert_int_equal(window_size(-1, 3, 1, 1, WINDOW_SAME, 0, 0), -1);
	/* What a damaged file may say. */
	window_size(INT64_MAX, INT64_MAX, 1, INT64_MAX, WINDOW_VALID, 0, 0);
	window_size(5, 3, 0, 1, WINDOW_SAME, 0, 0);
	window_size(5, INT64_MAX, INT64_MAX, INT64_MAX, WINDOW_EXPLICIT, INT64_MAX, INT64_MAX);
}

static void broadcasting(void **state)
{
	struct operation o;

	begin(&o, "AddV2");
	INPUT(&o, FLOAT, 8, 1, 6);
	INPUT(&o, FLOAT, 7, 1);
	GIVES(&o, 8, 7, 6);
	costs(&o, 0, 8 * 7 * 6);
	begin(&o, "AddV2");
	INPUT(&o, INT32, 4);
	INPUT(&o, INT32, 4);
	GIVES(&o, 4);
	costs(&o, 0, 0); /* indices are no float operations */
	begin(&o, "AddV2");
	INPUT(&o, FLOAT, 3, 4);
	INPUT(&o, FLOAT, 3, 5);
	assert_false(o.e.rule->shape(&o.e));
	assert_true(o.e.problem[0].n > 0);
}

static void reshaping(void **state)
{
	struct operation o;

	begin(&o, "Reshape");
	INPUT(&o, FLOAT, 6, 4);
	set_values(&o, INPUT(&o, INT32, 3), (int64_t[]){2, -1, 3});
	GIVES(&o, 2, 4, 3);
	arena_clear(&o.arena);
	begin(&o, "Reshape");
	INPUT(&o, FLOAT, 6, 4);
	set_values(&o, INPUT(&o, INT32, 2), (int64_t[]){-1, 5});
	assert_false(o.e.rule->shape(&o.e));
	arena_clear(&o.arena);
}

static void values(void **state)
{
	struct operation o;
	int64_t value;

	begin(&o, "Shape");
	INPUT(&o, FLOAT, 5, 7);
	GIVES(&o, 2);
	assert_true(tensor_get_int(o.e.out, 1, &value));
	assert_int_equal(value, 7);
	arena_clear(&o.arena);
	begin(&o, "FloorDiv");
	set_values(&o, INPUT(&o, INT32, 2), (int64_t[]){-7, 7});
	set_values(&o, INPUT(&o, INT32, 2), (int64_t[]){2, 0});
	GIVES(&o, 2);
	if (tensor_get_int(o.e.out, 0, &value)) /* dividing by 0 may make all unknown */
		assert_int_equal(value, -4);
	arena_clear(&o.arena);
}

/* ---- costs ---------------------------------------------------------------------- */

static void products(void **state)
{
	struct operation o;

	begin(&o, "MatMul");
	INPUT(&o, FLOAT, 5, 3);
	INPUT(&o, FLOAT, 7, 5);
	add_number(&o, A_transpose_a, 1);
	add_number(&o, A_transpose_b, 1);
	GIVES(&o, 3, 7);
	costs(&o, 3 * 7 * 5, 0);
	begin(&o, "BatchMatMulV2");
	INPUT(&o, FLOAT, 2, 1, 4, 3);
	INPUT(&o, FLOAT, 6, 4, 5);
	add_number(&o, A_adj_x, 1);
	GIVES(&o, 2, 6, 3, 5);
	costs(&o, 2 * 6 * 3 * 5 * 4, 0);
	begin(&o, "Einsum");
	INPUT(&o, FLOAT, 2, 3, 4);
	INPUT(&o, FLOAT, 4, 5, 6);
	add_text(&o, A_equation, "abc,cde->abde");
	GIVES(&o, 2, 3, 5, 6);
	costs(&o, 2 * 3 * 4 * 5 * 6, 0);
}

static void convolutions(void **state)
{
	struct operation o;

	/* Groups: the filter has a quarter of the channels. */
	begin(&o, "Conv2D");
	INPUT(&o, FLOAT, 1, 16, 16, 8);
	INPUT(&o, FLOAT, 3, 3, 2, 12);
	add_ints(&o, A_strides, (int64_t[]){1, 2, 2, 1}, 4);
	add_text(&o, A_padding, "SAME");
	GIVES(&o, 1, 8, 8, 12);
	costs(&o, 8 * 8 * 12 * 3 * 3 * 2, 0);
	begin(&o, "DepthwiseConv2dNative");
	INPUT(&o, FLOAT, 1, 16, 16, 8);
	INPUT(&o, FLOAT, 3, 3, 8, 2);
	add_ints(&o, A_strides, (int64_t[]){1, 1, 1, 1}, 4);
	add_text(&o, A_padding, "VALID");
	GIVES(&o, 1, 14, 14, 16);
	costs(&o, 14 * 14 * 16 * 3 * 3, 0);
	begin(&o, "Conv2D");
	INPUT(&o, FLOAT, 1, 3, 10, 10);
	INPUT(&o, FLOAT, 3, 3, 3, 4);
	add_ints(&o, A_strides, (int64_t[]){1, 1, 1, 1}, 4);
	add_text(&o, A_padding, "VALID");
	add_text(&o, A_data_format, "NCHW");
	GIVES(&o, 1, 4, 8, 8);
	costs(&o, 4 * 8 * 8 * 27, 0);
}

static void reductions(void **state)
{
	struct operation o;

	begin(&o, "Sum");
	INPUT(&o, FLOAT, 4, 5, 6);
	set_values(&o, INPUT(&o, INT32, 2), (int64_t[]){0, -1});
	GIVES(&o, 5);
	costs(&o, 0, 120 - 5);
	begin(&o, "Mean");
	INPUT(&o, FLOAT, 4, 5);
	set_values(&o, INPUT(&o, INT32, 1), (int64_t[]){1});
	add_number(&o, A_keep_dims, 1);
	GIVES(&o, 4, 1);
	costs(&o, 0, 20);
}

static void products_of_the_highest_rank(void **state)
{
	struct operation o;
	int64_t dims[TENSOR_MAX_RANK] = {2, 1, 1, 1, 1, 1}, others[TENSOR_MAX_RANK];

	memcpy(others, dims, sizeof(dims));
	dims[TENSOR_MAX_RANK - 2] = 3;
	dims[TENSOR_MAX_RANK - 1] = others[TENSOR_MAX_RANK - 2] = 4;
	others[TENSOR_MAX_RANK - 1] = 5;
	begin(&o, "BatchMatMulV2");
	add_input(&o, FLOAT, TENSOR_MAX_RANK, dims);
	add_input(&o, FLOAT, TENSOR_MAX_RANK, others);
	dims[TENSOR_MAX_RANK - 1] = 5;
	gives(&o, TENSOR_MAX_RANK, dims);
	costs(&o, 2 * 3 * 4 * 5, 0);
}

/* The shape, where the slice was, and what came out of it, which has the type. */
static void gradients_of_slices(void **state)
{
	struct operation o;

	begin(&o, "StridedSliceGrad");
	set_values(&o, INPUT(&o, INT32, 2), (int64_t[]){4, 6});
	for (int i = 0; i < 2; i++)
		set_values(&o, INPUT(&o, INT32, 1), (int64_t[]){i});
	INPUT(&o, FLOAT, 4, 1);
	GIVES(&o, 4, 6);
	assert_int_equal(o.e.out->dtype, FLOAT);
	arena_clear(&o.arena);
}

/* 8 features into 20 filters of rank 2, which look at 5 moments of time: 10 units. */
static void features_over_time(void **state)
{
	struct operation o;

	begin(&o, "LITE_SVDF");
	INPUT(&o, FLOAT, 3, 8);
	INPUT(&o, FLOAT, 20, 8);
	INPUT(&o, FLOAT, 20, 5);
	add_number(&o, A_k, 2);
	GIVES(&o, 3, 10);
	costs(&o, 3 * 20 * (8 + 5), 0);
	begin(&o, "LITE_SVDF");
	INPUT(&o, FLOAT, 3, 8, 1);
	INPUT(&o, FLOAT, 20, 8);
	assert_false(o.e.rule->shape(&o.e));
}

static void sizes_that_do_not_fit_saturate(void **state)
{
	struct operation o;
	int64_t huge = (int64_t)1 << 40;

	begin(&o, "MatMul");
	INPUT(&o, FLOAT, huge, huge);
	INPUT(&o, FLOAT, huge, huge);
	GIVES(&o, huge, huge);
	costs(&o, INT64_MAX, 0);
	assert_int_equal(tensor_elements(o.e.out), INT64_MAX);
	assert_int_equal(tensor_bytes(o.e.out), INT64_MAX);
	assert_int_equal(cost_float_ops((struct cost){INT64_MAX, 1}), INT64_MAX);
}

static void unknown_shapes_have_no_cost(void **state)
{
	struct operation o;
	struct cost cost = {0};

	begin(&o, "Relu");
	INPUT(&o, FLOAT, -1, 4);
	o.e.rule->shape(&o.e);
	assert_false(o.e.n_out && tensor_is_known(o.e.out));
	assert_false(o.e.rule->cost(&o.e, &cost));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(broadcasting),
		cmocka_unit_test(reshaping),
		cmocka_unit_test(values),
		cmocka_unit_test(products),
		cmocka_unit_test(convolutions),
		cmocka_unit_test(reductions),
		cmocka_unit_test(products_of_the_highest_rank),
		cmocka_unit_test(gradients_of_slices),
		cmocka_unit_test(features_over_time),
		cmocka_unit_test(sizes_that_do_not_fit_saturate),
		cmocka_unit_test(unknown_shapes_have_no_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
