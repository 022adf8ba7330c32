/* Parameters whose memory an output could take over. */
#include <stdlib.h>

#include "hlo/buffers.h"
#include "hlo/memory.h"

/* An array that goes in or comes out. */
struct array {
	uint32_t value;
	int64_t bytes;
};

typedef VEC(struct array) arrays;

/* ---- what is an alias already --------------------------------------------- */

/* Marks the outputs that take over a parameter. */
static bool mark_aliased(const struct hlo_program *p, uint32_t result, bool *is_aliased)
{
	struct wire_reader r = wire_reader(p->aliases);
	struct decoder d = {0};
	hlo_numbers index = {0};
	struct wire_field f;

	while (!d.failed && decoder_find(&d, &r, WIRE_LEN(HLO_INPUT_OUTPUT_ALIAS_ENTRIES), &f)) {
		uint32_t at = result;

		hlo_read_numbers(&d, f.bytes, HLO_INPUT_OUTPUT_ALIAS_ALIAS_ENTRY_OUTPUT_SHAPE_INDEX,
			&index);
		for (size_t i = 0; i < index.n && at != NONE; i++)
			at = hlo_element(p, at, index.at[i]);
		if (at != NONE)
			is_aliased[at - result] = true;
	}
	vec_clear(&index);
	return !d.failed || d.bad;
}

/* ---- matching ------------------------------------------------------------ */

static int compare_shapes(const struct hlo_program *p, uint32_t a, uint32_t b)
{
	const struct hlo_value *x = &p->values.at[a], *y = &p->values.at[b];

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->n_dims != y->n_dims)
		return x->n_dims < y->n_dims ? -1 : 1;
	for (uint32_t i = 0; i < x->n_dims; i++) {
		int64_t m = hlo_dim(p, x, i), n = hlo_dim(p, y, i);

		if (m != n)
			return m < n ? -1 : 1;
	}
	return 0;
}

static int compare_arrays(const void *a, const void *b, void *program)
{
	return compare_shapes(program, ((const struct array *)a)->value,
		((const struct array *)b)->value);
}

/* Both sorted: equal shapes are matched one to one. */
static void match(struct hlo_memory *m, const struct hlo_program *p, const arrays *in,
	const arrays *out)
{
	size_t i = 0, k = 0;

	while (i < in->n && k < out->n) {
		int order = compare_shapes(p, in->at[i].value, out->at[k].value);

		if (!order) {
			m->n_donatable++;
			hlo_add(&m->donatable_bytes, in->at[i].bytes);
		}
		i += order <= 0;
		k += order >= 0;
	}
}

bool hlo_find_donatable(struct hlo_memory *m, const struct hlo_program *p,
	const struct hlo_buffers *b)
{
	uint32_t root = p->entry == NONE ? NONE : p->blocks.at[p->entry].root, first, end;
	arrays in = {0}, out = {0};
	bool *is_aliased, ok;

	if (root == NONE)
		return true;
	first = p->ops.at[root].value;
	end = p->ops.at[root].end_value;
	is_aliased = mem_zero_array(end - first, sizeof(*is_aliased));
	ok = is_aliased && mark_aliased(p, first, is_aliased);
	for (uint32_t i = first; ok && i < end; i++)
		if (!is_aliased[i - first] && p->values.at[i].type != PRIMITIVE_TYPE_TUPLE)
			ok = vec_push(&out, ((struct array){i, p->values.at[i].bytes}));
	for (size_t i = 0; ok && i < b->allocations.n; i++) {
		const struct hlo_allocation *a = &b->allocations.at[i];
		uint32_t value = a->n ? b->at.at[b->assigned.at[a->first].buffer].value : NONE;

		if (a->class == HLO_PARAMETERS && !a->is_aliased && value != NONE &&
			p->values.at[value].type != PRIMITIVE_TYPE_TUPLE)
			ok = vec_push(&in, ((struct array){value, p->values.at[value].bytes}));
	}
	if (ok && in.n && out.n) {
		qsort_r(in.at, in.n, sizeof(*in.at), compare_arrays, (void *)p);
		qsort_r(out.at, out.n, sizeof(*out.at), compare_arrays, (void *)p);
		match(m, p, &in, &out);
	}
	mem_free(is_aliased);
	vec_clear(&in);
	vec_clear(&out);
	return ok;
}
