#include "count/lower.h"

#include <assert.h>

#include "count/layers.h"
#include "proto/fields.h"

void lower_begin(struct lowering *l, struct eval *e)
{
	*l = (struct lowering){.e = e};
}

void lower_input(struct lowering *l, struct tensor t)
{
	assert(l->n_in < LOWER_MAX_INPUTS);
	t.values = NULL;
	t.parameter = 0;
	l->in[l->n_in++] = t;
}

void lower_weights(struct lowering *l, const int64_t *dims, int rank)
{
	struct tensor t = tensor_make(l->in[0].dtype, dims, rank);

	layer_add_parameters(l->e, tensor_elements(&t), true);
	lower_input(l, t);
}

void lower_ints(struct lowering *l, const int64_t *at, int n)
{
	int64_t size = n;
	struct tensor t = tensor_make(DT_INT64, &size, 1);

	assert(l->n_values + (size_t)n <= LOWER_MAX_NUMBERS);
	lower_input(l, t);
	l->in[l->n_in - 1].values = l->values + l->n_values;
	for (int i = 0; i < n; i++)
		l->values[l->n_values++].i = at[i];
}

static void add_attr(struct lowering *l, struct op_attr attr)
{
	assert(l->n_attrs < LOWER_MAX_ATTRS);
	l->attrs[l->n_attrs++] = attr;
}

void lower_attr_int(struct lowering *l, enum attr_id id, int64_t number)
{
	add_attr(l, (struct op_attr){.id = (uint8_t)id, .kind = OP_INT, .number = number});
}

void lower_attr_ints(struct lowering *l, enum attr_id id, const int64_t *at, int n)
{
	int64_t *kept = l->numbers + l->n_numbers;

	assert(l->n_numbers + (size_t)n <= LOWER_MAX_NUMBERS);
	memcpy(kept, at, sizeof(*at) * (size_t)n);
	l->n_numbers += (size_t)n;
	add_attr(l,
		(struct op_attr){.id = (uint8_t)id,
			.kind = OP_INTS,
			.n = (uint32_t)n,
			.ints = kept});
}

void lower_attr_text(struct lowering *l, enum attr_id id, struct span text)
{
	add_attr(l,
		(struct op_attr){.id = (uint8_t)id,
			.kind = OP_TEXT,
			.n = (uint32_t)text.n,
			.text = text.at});
}

static void add_cost(struct eval *e, struct cost cost)
{
	e->layer_cost.macs = count_add(e->layer_cost.macs, cost.macs);
	e->layer_cost.others = count_add(e->layer_cost.others, cost.others);
}

bool lower_run(struct lowering *l, const char *op)
{
	struct eval *e = l->e, inner = *e;
	const struct tensor *in[LOWER_MAX_INPUTS];
	struct graph graph = {.attrs = {l->attrs, l->n_attrs, l->n_attrs}};
	struct op_node node = {.n_attrs = (uint16_t)l->n_attrs};
	struct cost cost = {0};
	bool ok;

	inner.rule = op_find_rule(span_of(op));
	assert(inner.rule);
	inner.graph = &graph;
	inner.node = &node;
	for (size_t i = 0; i < l->n_in; i++)
		in[i] = &l->in[i];
	if (!l->takes_all) {
		inner.in = in;
		inner.n_in = l->n_in;
	}
	ok = inner.rule->shape(&inner) && inner.n_out && tensor_is_known(inner.out) &&
		inner.rule->cost(&inner, &cost);
	/* Room for more results may have been made. */
	e->out = inner.out;
	e->n_out = inner.n_out;
	e->out_room = inner.out_room;
	e->out_cap = inner.out_cap;
	for (size_t i = 0; ok && i < e->n_out; i++)
		e->out[i].values = NULL;
	add_cost(e, ok ? cost : (struct cost){0});
	return ok;
}

void lower_elementwise(struct eval *e, const char *op)
{
	struct eval inner = *e;
	const struct tensor *in[1] = {e->out};
	struct cost cost = {0};

	inner.rule = op_find_rule(span_of(op));
	assert(inner.rule);
	inner.in = in;
	inner.n_in = 1;
	if (inner.rule->cost(&inner, &cost))
		add_cost(e, cost);
}

void lower_product(struct eval *e, int64_t times, int64_t n, int64_t k, int64_t m)
{
	struct lowering l;

	lower_begin(&l, e);
	lower_input(&l, tensor_make(DT_FLOAT, (int64_t[]){times, n, k}, 3));
	lower_input(&l, tensor_make(DT_FLOAT, (int64_t[]){times, k, m}, 3));
	lower_run(&l, "BatchMatMulV2");
}
