/* Any bytes as a compiled program: reading it ends, stays inside of them, and finds numbers that
 * can be shown. */
#include "fuzz.h"

#include "hlo/cost.h"
#include "hlo/kind.h"
#include "hlo/memory.h"
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
		check(!hlo_is_layout_change(p, &p->ops.at[i]) ||
			!hlo_is_float32_product(p, &p->ops.at[i]));
		shape.n = 0;
		hlo_put_shape(&shape, p, p->ops.at[i].value);
		check(!shape.failed && p->ops.at[i].end_value <= p->values.n);
	}
	for (size_t i = 0; i < p->blocks.n; i++)
		check_cost(&costs.of_block[i]);
	hlo_costs_clear(&costs);
	buf_clear(&shape);
}

static void check_memory(const struct hlo_program *p, enum hlo_peak_source source)
{
	struct hlo_memory m = {0};
	struct decoder d = {0};
	struct buf text = {0};

	if (!hlo_memory_read(&m, p, source, &d))
		check(d.bad >= p->assignment.at && d.bad <= p->assignment.at + p->assignment.n);
	for (size_t i = 0; i < m.arenas.n; i++) {
		const struct hlo_arena *a = &m.arenas.at[i];

		check(a->peak >= 0 && a->peak <= HLO_MOST && a->first + a->n <= m.live.n);
		check(!a->is_from_schedule || a->peak <= a->bytes);
	}
	for (size_t i = 0; i < m.live.n; i++) {
		text.n = 0;
		hlo_put_layer(&text, p, &m.live.at[i].name);
		hlo_put_line(&text, p, m.live.at[i].name.from);
		check(!text.failed && m.live.at[i].bytes >= 0);
	}
	check(m.largest_output.bytes >= 0 && m.largest_constant.bytes >= 0);
	for (size_t i = 0; i < m.spaces.n; i++)
		check(m.spaces.at[i].temporaries >= 0 && m.spaces.at[i].temporaries <= HLO_MOST);
	hlo_memory_clear(&m);
	buf_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hlo_program p = {0};
	struct decoder d = {0};

	if (hlo_program_read(&p, &d, (struct span){(const char *)data, size})) {
		check_program(&p);
		check_memory(&p, HLO_PEAK_OF_HEAP);
		check_memory(&p, HLO_PEAK_OF_SCHEDULE);
	} else {
		check(d.bad >= (const char *)data && d.bad <= (const char *)data + size);
	}
	hlo_program_clear(&p);
	return 0;
}
