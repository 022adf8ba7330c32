#include "count/tensor.h"

#include "formats/checkpoint/dtype.h"
#include "proto/tensor_shape.h"

bool dtype_is_complex(int dtype)
{
	return dtype == DT_COMPLEX64 || dtype == DT_COMPLEX128;
}

/* Types whose arithmetic counts as float operations, including unknown ones. */
bool dtype_is_real(int dtype)
{
	switch (dtype) {
	case DT_INVALID:
	case DT_FLOAT:
	case DT_DOUBLE:
	case DT_HALF:
	case DT_BFLOAT16:
	case DT_COMPLEX64:
	case DT_COMPLEX128: return true;
	default: return dtype >= DT_FLOAT8_E5M2 && dtype <= DT_FLOAT8_E4M3B11FNUZ;
	}
}

int64_t dtype_bytes(int dtype)
{
	return dtype > 0 && dtype < 100 ? dtype_get(dtype)->size : 0;
}

const char *dtype_text(int dtype)
{
	switch (dtype) {
	case DT_INVALID: return "unknown";
	case DT_FLOAT: return "float32";
	case DT_DOUBLE: return "float64";
	case DT_HALF: return "float16";
	default: return dtype_get(dtype)->name;
	}
}

struct tensor tensor_make(int dtype, const int64_t *dims, int64_t rank)
{
	struct tensor t = tensor_unknown(dtype);

	if (rank < 0 || rank > TENSOR_MAX_RANK)
		return t;
	for (int64_t i = 0; i < rank; i++)
		t.dims[i] = dims[i] < 0 ? -1 : dims[i];
	t.rank = (int8_t)rank;
	return t;
}

struct tensor tensor_read(struct decoder *d, int dtype, struct span shape)
{
	struct tensor_dims dims = tensor_dims(shape);
	struct tensor_dim dim;
	int64_t at[TENSOR_MAX_RANK], rank = 0;

	while (tensor_dims_next(d, &dims, &dim)) {
		if (rank < TENSOR_MAX_RANK)
			at[rank] = dim.size;
		rank++;
	}
	return d->failed || dims.unknown_rank ? tensor_unknown(dtype)
					      : tensor_make(dtype, at, rank);
}

bool tensor_is_known(const struct tensor *t)
{
	for (int i = 0; i < t->rank; i++)
		if (t->dims[i] < 0)
			return false;
	return t->rank >= 0;
}

int64_t tensor_elements(const struct tensor *t)
{
	int64_t n = 1;

	if (!tensor_is_known(t))
		return -1;
	for (int i = 0; i < t->rank; i++)
		n = count_multiply(n, t->dims[i]);
	/* A dimension of 0 makes it 0 even if the product was clamped. */
	for (int i = 0; i < t->rank; i++)
		if (!t->dims[i])
			return 0;
	return n;
}

int64_t tensor_bytes(const struct tensor *t)
{
	int64_t n = tensor_elements(t);

	return n < 0 ? 0 : count_multiply(n, dtype_bytes(t->dtype));
}

union number *tensor_make_values(struct tensor *t, struct arena *arena)
{
	int64_t n = tensor_elements(t);
	union number *values;

	if (n < 0 || n > TENSOR_MAX_VALUES)
		return NULL;
	values = arena_array(arena, (size_t)n + !n, sizeof(*values));
	t->values = values;
	return values;
}

bool tensor_get_int(const struct tensor *t, size_t i, int64_t *value)
{
	if (!t->values || (int64_t)i >= tensor_elements(t))
		return false;
	if (!dtype_is_real(t->dtype))
		*value = t->values[i].i;
	else if (t->values[i].d > -9e18 && t->values[i].d < 9e18)
		*value = (int64_t)t->values[i].d;
	else
		return false;
	return true;
}

int tensor_get_ints(const struct tensor *t, int64_t *at, int max)
{
	int64_t n = t->values ? tensor_elements(t) : -1;

	if (n < 0 || n > max)
		return -1;
	for (int64_t i = 0; i < n; i++)
		if (!tensor_get_int(t, (size_t)i, &at[i]))
			return -1;
	return (int)n;
}

bool tensor_copy(struct tensor *to, const struct tensor *from, struct arena *arena)
{
	*to = *from;
	if (from->values) {
		union number *values = tensor_make_values(to, arena);

		if (!values)
			return false;
		memcpy(values, from->values, (size_t)tensor_elements(from) * sizeof(*values));
	}
	if (from->element) {
		struct tensor *element = arena_alloc(arena, sizeof(*element));

		if (!element)
			return false;
		*element = *from->element;
		element->values = NULL;
		element->element = NULL;
		to->element = element;
	}
	return true;
}

bool tensor_same_shape(const struct tensor *a, const struct tensor *b)
{
	if (a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i])
			return false;
	return true;
}
