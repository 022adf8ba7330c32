/* Shapes of tensors made from attributes and values: constants, variables, ranges, shapes, and
 * lists of tensors. */
#include <math.h>

#include "count/constant.h"
#include "count/ops.h"
#include "proto/fields.h"

bool shape_constant(struct eval *e)
{
	const struct op_attr *attr = node_attr(e->graph, e->node, A_value);

	if (!eval_outputs(e, 1) || !attr || attr->kind != OP_TENSOR)
		return false;
	*e->out = attr->constant->tensor;
	if (!dtype_is_complex(e->out->dtype))
		constant_read(attr->constant, e);
	return true;
}

/* The shape of its default if it has one, otherwise its own. */
bool shape_placeholder(struct eval *e)
{
	const struct op_attr *shape = node_attr(e->graph, e->node, A_shape);

	if (!eval_outputs(e, 1))
		return false;
	e->out->dtype = (int16_t)node_int(e->graph, e->node, A_dtype,
		node_int(e->graph, e->node, A_T, eval_in(e, 0)->dtype));
	if (e->n_in && tensor_is_known(e->in[0])) {
		*e->out = *e->in[0];
		return true;
	}
	if (shape && shape->kind == OP_SHAPE && shape->n != OP_UNKNOWN_RANK)
		*e->out = tensor_make(e->out->dtype, shape->ints, shape->n);
	return tensor_is_known(e->out);
}

/* The walk knows which parameter it is; a handle has the shape of its variable. */
bool shape_variable(struct eval *e)
{
	return shape_placeholder(e);
}

bool shape_read_variable(struct eval *e)
{
	int64_t dtype = node_int(e->graph, e->node, A_dtype, eval_in(e, 0)->dtype);

	if (!eval_outputs(e, 1))
		return false;
	/* A handle that is an argument of the graph is a scalar itself. */
	if (eval_in(e, 0)->dtype == DT_RESOURCE)
		*e->out = tensor_unknown((int)dtype);
	else
		*e->out = *eval_in(e, 0);
	e->out->dtype = (int16_t)dtype;
	return e->out->rank >= 0;
}

/* The value assigned or added has the shape of the variable, or of some of its rows: then it comes
 * after their indices. */
bool shape_assign(struct eval *e)
{
	if (!eval_outputs(e, 1))
		return false;
	*e->out = *eval_in(e, e->n_in > 2 ? 2 : 1);
	return tensor_is_known(e->out);
}

bool shape_fill(struct eval *e)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = tensor_get_ints(eval_in(e, 0), dims, TENSOR_MAX_RANK);
	bool is_fill = e->rule->name[0] == 'F';
	const struct tensor *value = eval_in(e, 1);
	int64_t n;

	if (!eval_outputs(e, 1))
		return false;
	e->out->dtype =
		is_fill ? value->dtype : (int16_t)node_int(e->graph, e->node, A_dtype, DT_FLOAT);
	if (rank < 0)
		return false;
	*e->out = tensor_make(e->out->dtype, dims, rank);
	n = tensor_elements(e->out);
	/* Values are kept for short tensors only: axes, masks, shapes. */
	if (is_fill && value->values && n >= 0 && n <= 64) {
		union number *to = eval_values(e, e->out);

		for (int64_t i = 0; to && i < n; i++)
			to[i] = value->values[0];
	}
	return true;
}

static void int_range(struct eval *e, int64_t start, int64_t limit, int64_t delta)
{
	uint64_t distance =
		delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
	uint64_t step = delta > 0 ? (uint64_t)delta : -(uint64_t)delta, n = 0;
	union number *to;

	if (delta && (delta > 0 ? limit > start : limit < start))
		n = distance / step + (distance % step != 0);
	e->out->dims[0] = n > INT64_MAX ? INT64_MAX : (int64_t)n;
	to = eval_values(e, e->out);
	for (int64_t i = 0; to && i < e->out->dims[0]; i++)
		to[i].i = start + i * delta;
}

bool shape_range(struct eval *e)
{
	const struct tensor *start = eval_in(e, 0), *limit = eval_in(e, 1), *delta = eval_in(e, 2);

	if (!eval_outputs(e, 1))
		return false;
	e->out->rank = 1;
	e->out->dims[0] = -1;
	if (!start->values || !limit->values || !delta->values || tensor_elements(start) != 1 ||
		tensor_elements(limit) != 1 || tensor_elements(delta) != 1)
		return false;
	if (dtype_is_real(start->dtype)) {
		double n = ceil((limit->values[0].d - start->values[0].d) / delta->values[0].d);

		if (!(n < 9e18))
			return false;
		e->out->dims[0] = n > 0 ? (int64_t)n : 0;
	} else {
		int_range(e, start->values[0].i, limit->values[0].i, delta->values[0].i);
	}
	return true;
}

bool shape_linspace(struct eval *e)
{
	int64_t n;

	if (!eval_outputs(e, 1) || !tensor_get_int(eval_in(e, 2), 0, &n) || n < 0)
		return false;
	e->out->rank = 1;
	e->out->dims[0] = n;
	return true;
}

/* ---- the shape as a value ------------------------------------------------------- */

static void put_shape(struct eval *e, const struct tensor *in, struct tensor *out)
{
	int64_t rank = in->rank;
	union number *to;

	*out = rank < 0 ? tensor_unknown(0) : tensor_make(0, &rank, 1);
	out->dtype = (int16_t)node_int(e->graph, e->node, A_out_type, DT_INT32);
	if (!tensor_is_known(in))
		return;
	to = eval_values(e, out);
	for (int d = 0; to && d < in->rank; d++)
		to[d].i = in->dims[d];
}

bool shape_shape_of(struct eval *e)
{
	return shape_shape_n(e);
}

bool shape_shape_n(struct eval *e)
{
	if (!eval_outputs(e, e->n_in))
		return false;
	for (size_t i = 0; i < e->n_in; i++)
		put_shape(e, e->in[i], &e->out[i]);
	return true;
}

static bool put_int(struct eval *e, int64_t value, int dtype)
{
	union number *to;

	if (!eval_outputs(e, 1))
		return false;
	*e->out = tensor_make(dtype, NULL, 0);
	to = value < 0 ? NULL : eval_values(e, e->out);
	if (to)
		to->i = value;
	return value >= 0;
}

bool shape_size(struct eval *e)
{
	return put_int(e, tensor_elements(eval_in(e, 0)),
		(int)node_int(e->graph, e->node, A_out_type, DT_INT32));
}

bool shape_rank(struct eval *e)
{
	return put_int(e, eval_in(e, 0)->rank, DT_INT32);
}

/* ---- lists ---------------------------------------------------------------------- */

static bool put_list(struct eval *e, const struct tensor *element, int64_t length)
{
	struct tensor *kept;

	if (!eval_outputs(e, 1))
		return false;
	*e->out = tensor_make(DT_VARIANT, NULL, 0);
	e->out->length = length;
	kept = arena_alloc(e->arena, sizeof(*kept));
	if (!kept)
		return false;
	*kept = *element;
	kept->values = NULL;
	kept->element = NULL;
	kept->parameter = 0;
	e->out->element = kept;
	return true;
}

static const struct tensor *element_of(const struct tensor *list)
{
	static const struct tensor unknown = {.rank = -1, .length = -1};

	return list->element ? list->element : &unknown;
}

/* The shape of elements is input 0's value; a scalar -1 is unknown. */
bool shape_list_reserve(struct eval *e)
{
	int64_t dims[TENSOR_MAX_RANK], length;
	const struct tensor *shape = eval_in(e, 0);
	int rank = shape->rank == 1 ? tensor_get_ints(shape, dims, TENSOR_MAX_RANK) : -1;
	struct tensor element = tensor_make(0, dims, rank);

	element.dtype = (int16_t)node_int(e->graph, e->node, A_element_dtype, 0);
	if (e->rule->name[0] == 'E')
		length = 0; /* an empty list */
	else if (!tensor_get_int(eval_in(e, 1), 0, &length))
		length = -1;
	return put_list(e, &element, length);
}

bool shape_list_from(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	struct tensor element = tensor_unknown(in->dtype);

	if (in->rank > 0)
		element = tensor_make(in->dtype, in->dims + 1, in->rank - 1);
	return put_list(e, &element, in->rank > 0 ? in->dims[0] : -1);
}

static bool put_element(struct eval *e, const struct tensor *element, const struct tensor *shape)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = shape->rank == 1 ? tensor_get_ints(shape, dims, TENSOR_MAX_RANK) : -1;

	e->out->dtype = (int16_t)node_int(e->graph, e->node, A_element_dtype, element->dtype);
	if (tensor_is_known(element))
		*e->out = *element;
	else
		*e->out = tensor_make(e->out->dtype, dims, rank);
	return tensor_is_known(e->out);
}

bool shape_list_get(struct eval *e)
{
	return eval_outputs(e, 1) && put_element(e, element_of(eval_in(e, 0)), eval_in(e, 2));
}

bool shape_list_set(struct eval *e)
{
	return put_list(e, eval_in(e, 2), eval_in(e, 0)->length);
}

bool shape_list_push(struct eval *e)
{
	int64_t length = eval_in(e, 0)->length;

	return put_list(e, eval_in(e, 1), length < 0 ? -1 : count_add(length, 1));
}

/* Two outputs: the rest of the list, and the element. */
bool shape_list_pop(struct eval *e)
{
	const struct tensor *list = eval_in(e, 0);
	bool known;

	if (!eval_outputs(e, 2))
		return false;
	known = put_element(e, element_of(list), eval_in(e, 1));
	e->out[1] = e->out[0];
	e->out[0] = *list;
	e->out[0].length = list->length > 0 ? list->length - 1 : list->length;
	return known;
}

static bool stack(struct eval *e, const struct tensor *list, const struct tensor *shape,
	int64_t length)
{
	if (!eval_outputs(e, 1) || !put_element(e, element_of(list), shape) || length < 0 ||
		e->out->rank == TENSOR_MAX_RANK)
		return false;
	memmove(e->out->dims + 1, e->out->dims, sizeof(*e->out->dims) * (size_t)e->out->rank);
	e->out->dims[0] = length;
	e->out->rank++;
	return true;
}

bool shape_list_stack(struct eval *e)
{
	const struct tensor *list = eval_in(e, 0);
	int64_t length = list->length;

	if (length < 0)
		length = node_int(e->graph, e->node, A_num, -1);
	return stack(e, list, eval_in(e, 1), length);
}

bool shape_list_length(struct eval *e)
{
	return put_int(e, eval_in(e, 0)->length, DT_INT32);
}

/* ---- TensorArray, as TensorFlow 1 has it: the flow carries the list ------------- */

bool shape_tf_array_new(struct eval *e)
{
	struct tensor element = tensor_unknown(0), list;
	int64_t length;

	element.dtype = (int16_t)node_int(e->graph, e->node, A_dtype, 0);
	if (!tensor_get_int(eval_in(e, 0), 0, &length))
		length = -1;
	if (!put_list(e, &element, length))
		return false;
	list = *e->out;
	if (!eval_outputs(e, 2))
		return false;
	e->out[0] = e->out[1] = list;
	return true;
}

bool shape_tf_array_set(struct eval *e)
{
	return put_list(e, eval_in(e, 2), eval_in(e, 0)->length);
}

bool shape_tf_array_scatter(struct eval *e)
{
	const struct tensor *in = eval_in(e, 2);
	struct tensor element = tensor_unknown(in->dtype);

	if (in->rank > 0)
		element = tensor_make(in->dtype, in->dims + 1, in->rank - 1);
	return put_list(e, &element, in->rank > 0 ? in->dims[0] : eval_in(e, 0)->length);
}

bool shape_tf_array_get(struct eval *e)
{
	static const struct tensor none = {.rank = -1};

	return eval_outputs(e, 1) && put_element(e, element_of(eval_in(e, 2)), &none);
}

bool shape_tf_array_gather(struct eval *e)
{
	static const struct tensor none = {.rank = -1};
	const struct tensor *indices = eval_in(e, 1), *list = eval_in(e, 2);
	int64_t length = indices->rank == 1 ? indices->dims[0] : list->length;

	return stack(e, list, &none, length);
}
