/* Any bytes as a compiled program: reading it ends, stays inside of them, and finds numbers that
 * can be shown. */
#include "fuzz.h"

#include "hlo/cost.h"
#include "hlo/shape.h"

static void check_cost(const struct hlo_cost *c)
{
	const int64_t numbers[] = {c->float_ops, c->matrix_float_ops, c->transcendentals, c->bytes,
		c->sent_bytes, c->unknown};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		check(numbers[i] >= 0 && numbers[i] <= HLO_MOST);
}

static void check_program(const struct hlo_program *p)
{
	struct hlo_costs costs = {0};
	struct buf shape = {0};

	check(hlo_costs_count(&costs, p));
	for (size_t i = 0; i < p->ops.n; i++) {
		check_cost(&costs.of_op[i]);
		shape.n = 0;
		hlo_put_shape(&shape, p, p->ops.at[i].value);
		check(!shape.failed && p->ops.at[i].end_value <= p->values.n);
	}
	for (size_t i = 0; i < p->blocks.n; i++)
		check_cost(&costs.of_block[i]);
	hlo_costs_clear(&costs);
	buf_clear(&shape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hlo_program p = {0};
	struct decoder d = {0};

	if (hlo_program_read(&p, &d, (struct span){(const char *)data, size}))
		check_program(&p);
	else
		check(d.bad >= (const char *)data && d.bad <= (const char *)data + size);
	hlo_program_clear(&p);
	return 0;
}
