/* Values of small tensors: what shapes, axes and loop counters are computed from. */
#include <math.h>

#include "count/ops.h"
#include "proto/fields.h"

static int64_t floor_div(int64_t a, int64_t b)
{
	int64_t q = a / b;

	return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* Wraps around on overflow: for a hostile file, the value does not matter. */
static int64_t wrap(int64_t a, int64_t b, enum value_op op)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	return (int64_t)(op == VALUE_add ? x + y : op == VALUE_sub ? x - y : x * y);
}

static int64_t int_pow(int64_t base, int64_t exponent)
{
	int64_t result = 1;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			result = wrap(result, base, VALUE_mul);
		base = wrap(base, base, VALUE_mul);
	}
	return result;
}

/* False if there is no value, as after a division by 0. */
static bool compute_int(enum value_op op, int64_t a, int64_t b, int64_t *out)
{
	bool divides = op == VALUE_div || op == VALUE_floor_div || op == VALUE_truncate_div ||
		op == VALUE_floor_mod || op == VALUE_truncate_mod;

	if (divides && (!b || (b == -1 && a == INT64_MIN)))
		return false;
	switch (op) {
	case VALUE_neg: *out = wrap(0, a, VALUE_sub); break;
	case VALUE_abs: *out = a < 0 ? wrap(0, a, VALUE_sub) : a; break;
	case VALUE_square: *out = wrap(a, a, VALUE_mul); break;
	case VALUE_sign: *out = (a > 0) - (a < 0); break;
	case VALUE_not: *out = !a; break;
	case VALUE_add:
	case VALUE_sum: *out = wrap(a, b, VALUE_add); break;
	case VALUE_sub: *out = wrap(a, b, VALUE_sub); break;
	case VALUE_mul:
	case VALUE_product: *out = wrap(a, b, VALUE_mul); break;
	case VALUE_div:
	case VALUE_truncate_div: *out = a / b; break;
	case VALUE_floor_div: *out = floor_div(a, b); break;
	case VALUE_floor_mod: *out = wrap(a, wrap(floor_div(a, b), b, VALUE_mul), VALUE_sub); break;
	case VALUE_truncate_mod: *out = a % b; break;
	case VALUE_max: *out = a > b ? a : b; break;
	case VALUE_min: *out = a < b ? a : b; break;
	case VALUE_pow:
		if (b < 0)
			return false;
		*out = int_pow(a, b);
		break;
	case VALUE_less: *out = a < b; break;
	case VALUE_less_equal: *out = a <= b; break;
	case VALUE_greater: *out = a > b; break;
	case VALUE_greater_equal: *out = a >= b; break;
	case VALUE_equal: *out = a == b; break;
	case VALUE_not_equal: *out = a != b; break;
	case VALUE_and:
	case VALUE_all: *out = a && b; break;
	case VALUE_or:
	case VALUE_any: *out = a || b; break;
	case VALUE_zero: *out = 0; break;
	case VALUE_one: *out = 1; break;
	default: *out = a; break;
	}
	return true;
}

/* Comparisons result in integers: `*truth` says whether `*out` is one. */
static bool compute_real(enum value_op op, double a, double b, double *out, int64_t *truth)
{
	switch (op) {
	case VALUE_neg: *out = -a; break;
	case VALUE_abs: *out = fabs(a); break;
	case VALUE_floor: *out = floor(a); break;
	case VALUE_ceil: *out = ceil(a); break;
	case VALUE_round: *out = nearbyint(a); break;
	case VALUE_sqrt: *out = sqrt(a); break;
	case VALUE_exp: *out = exp(a); break;
	case VALUE_log: *out = log(a); break;
	case VALUE_square: *out = a * a; break;
	case VALUE_sign: *out = (a > 0) - (a < 0); break;
	case VALUE_add:
	case VALUE_sum: *out = a + b; break;
	case VALUE_sub: *out = a - b; break;
	case VALUE_mul:
	case VALUE_product: *out = a * b; break;
	case VALUE_div: *out = a / b; break;
	case VALUE_floor_div: *out = floor(a / b); break;
	case VALUE_truncate_div: *out = trunc(a / b); break;
	case VALUE_floor_mod: *out = a - floor(a / b) * b; break;
	case VALUE_truncate_mod: *out = fmod(a, b); break;
	case VALUE_max: *out = a > b ? a : b; break;
	case VALUE_min: *out = a < b ? a : b; break;
	case VALUE_pow: *out = pow(a, b); break;
	case VALUE_less: *truth = a < b; break;
	case VALUE_less_equal: *truth = a <= b; break;
	case VALUE_greater: *truth = a > b; break;
	case VALUE_greater_equal: *truth = a >= b; break;
	case VALUE_equal: *truth = a == b; break;
	case VALUE_not_equal: *truth = a != b; break;
	case VALUE_zero: *out = 0; break;
	case VALUE_one: *out = 1; break;
	default: *out = a; break;
	}
	return true;
}

static bool compute(const struct tensor *a, size_t i, const struct tensor *b, size_t j,
	enum value_op op, struct tensor *out, union number *result)
{
	union number x = a->values[i], y = b ? b->values[j] : (union number){0};
	int64_t truth = -1;

	if (!dtype_is_real(a->dtype))
		return compute_int(op, x.i, y.i, &result->i);
	if (!compute_real(op, x.d, y.d, &result->d, &truth))
		return false;
	if (truth >= 0)
		result->i = truth;
	else if (out->dtype == DT_FLOAT)
		result->d = (float)result->d;
	return true;
}

/* The index of the element of `in` that broadcasts to element `i` of `out`. */
static size_t broadcast_index(const struct tensor *in, const struct tensor *out, size_t i)
{
	size_t index = 0, step = 1;

	for (int d = out->rank - 1; d >= 0; d--) {
		int own = d - (out->rank - in->rank);
		size_t at = i % (size_t)out->dims[d];

		i /= (size_t)out->dims[d];
		if (own < 0)
			break;
		if (in->dims[own] != 1)
			index += at * step;
		step *= (size_t)in->dims[own];
	}
	return index;
}

static int64_t cast_int(double value)
{
	return value > -9.2e18 && value < 9.2e18 ? (int64_t)value : 0;
}

static void cast(struct eval *e, union number *to)
{
	const struct tensor *in = e->in[0];
	size_t n = (size_t)tensor_elements(in);
	bool from_real = dtype_is_real(in->dtype), to_real = dtype_is_real(e->out->dtype);

	for (size_t i = 0; i < n; i++) {
		union number x = in->values[i];

		if (from_real == to_real)
			to[i] = x;
		else if (from_real)
			to[i].i = e->out->dtype == DT_BOOL ? x.d != 0 : cast_int(x.d);
		else
			to[i].d = (double)x.i;
		if (to_real && e->out->dtype == DT_FLOAT)
			to[i].d = (float)to[i].d;
	}
}

/* If one operand of `and` or `or` is unknown, takes the other, so trips of loops are an upper
 * bound. */
static bool half_known(struct eval *e)
{
	const struct tensor *known = e->in[0]->values ? e->in[0] : e->in[1];

	if ((e->rule->value != VALUE_and && e->rule->value != VALUE_or) || !known->values ||
		!tensor_same_shape(known, e->out))
		return false;
	e->out->values = known->values;
	return true;
}

static bool reduces(enum value_op op)
{
	return op == VALUE_sum || op == VALUE_product || op == VALUE_all || op == VALUE_any;
}

static void elementwise(struct eval *e)
{
	const struct tensor *a = e->in[0], *b = e->n_in > 1 ? e->in[1] : NULL;
	union number *to = eval_values(e, e->out);
	int64_t n = tensor_elements(e->out);

	for (int64_t i = 0; to && i < n; i++) {
		size_t x = broadcast_index(a, e->out, (size_t)i);
		size_t y = b ? broadcast_index(b, e->out, (size_t)i) : 0;

		if (!compute(a, x, b, y, (enum value_op)e->rule->value, e->out, &to[i]))
			to = NULL;
	}
	if (!to)
		e->out->values = NULL;
}

void eval_value(struct eval *e)
{
	enum value_op op = (enum value_op)e->rule->value;
	const struct tensor *a = eval_in(e, 0);
	union number *to;

	if (op == VALUE_none || !e->n_out || !e->n_in || dtype_is_complex(a->dtype) ||
		reduces(op) || e->rule->shape == shape_reduce)
		return;
	if (op == VALUE_zero || op == VALUE_one) {
		int64_t n = tensor_elements(e->out);

		to = n <= 64 ? eval_values(e, e->out) : NULL;
		for (int64_t i = 0; to && i < n; i++)
			if (dtype_is_real(e->out->dtype))
				to[i].d = op == VALUE_one;
			else
				to[i].i = op == VALUE_one;
	} else if (op == VALUE_copy) {
		for (size_t i = 0; i < e->n_out && i < e->n_in; i++)
			if (!e->out[i].values && tensor_same_shape(&e->out[i], e->in[i]))
				e->out[i].values = e->in[i]->values;
	} else if (op == VALUE_cast) {
		to = a->values ? eval_values(e, e->out) : NULL;
		if (to)
			cast(e, to);
	} else if (e->n_in > 1 && (!a->values || !e->in[1]->values)) {
		half_known(e);
	} else if (a->values) {
		elementwise(e);
	}
}

/* Folds the elements of one input along axes, as shape_reduce() has found them. */
void value_reduce(struct eval *e, const bool *is_reduced)
{
	const struct tensor *in = e->in[0];
	enum value_op op = (enum value_op)e->rule->value;
	int64_t n = tensor_elements(in), n_out = tensor_elements(e->out);
	union number *to = in->values && op && n_out > 0 && n > 0 ? eval_values(e, e->out) : NULL;
	bool seen[TENSOR_MAX_VALUES] = {false};

	for (int64_t i = 0; to && i < n; i++) {
		int64_t rest = i, index = 0, step = 1;
		union number x = in->values[i];

		for (int d = in->rank - 1; d >= 0; d--) {
			int64_t at = rest % in->dims[d];

			rest /= in->dims[d];
			if (is_reduced[d])
				continue;
			index += at * step;
			step *= in->dims[d];
		}
		if (!seen[index]) {
			seen[index] = true;
			to[index] = x;
			continue;
		}
		if (dtype_is_real(in->dtype)) {
			int64_t unused;

			compute_real(op, to[index].d, x.d, &to[index].d, &unused);
		} else {
			compute_int(op, to[index].i, x.i, &to[index].i);
		}
	}
}
