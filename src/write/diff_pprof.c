/* A comparison for `pprof -http`: the new side's samples and, negative and labelled pprof::base,
 * the base's, as `pprof -diff_base` combines two profiles. */
#include "query/metrics.h"
#include "write/diff.h"
#include "write/pprof_table.h"

/* What a row has beyond its children. */
static void own_values(const struct diff *d, int64_t *base, int64_t *new_values)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_number *n = diff_number(d, i, 0);
		uint32_t parent = d->rows[i].parent;

		base[i] = n->base;
		new_values[i] = n->new_value;
		if (parent == NONE)
			continue;
		base[parent] = (int64_t)((uint64_t)base[parent] - (uint64_t)n->base);
		new_values[parent] =
			(int64_t)((uint64_t)new_values[parent] - (uint64_t)n->new_value);
	}
}

static void put_rows(const struct diff *d, struct pprof_table *p, uint64_t *locations,
	uint64_t *stack, const int64_t *base, const int64_t *new_values)
{
	for (size_t i = 1; i < d->n && !p->failed; i++) {
		struct pprof_sample sample = {.stack = stack,
			.n_values = 1,
			.labels = {{"pprof::base", SPAN("true"), 0}}};

		locations[i] = pprof_location(p, diff_name(d, &d->rows[i]));
		for (uint32_t k = (uint32_t)i; k; k = d->rows[k].parent)
			stack[sample.depth++] = locations[k];
		sample.values[0] = new_values[i];
		if (new_values[i])
			pprof_put_sample(p, &sample);
		sample.values[0] = (int64_t)(0 - (uint64_t)base[i]);
		sample.n_labels = 1;
		if (base[i])
			pprof_put_sample(p, &sample);
	}
}

enum tfprof_status diff_write_pprof(const struct diff_report *r, struct sink *out,
	struct tfprof_error *err)
{
	const struct diff *d = &r->diff;
	int64_t *values = mem_array(2 * d->n + 1, sizeof(*values));
	uint64_t *locations = mem_zero_array(2 * d->n + 1, sizeof(*locations));
	struct pprof_table p;

	pprof_open(&p, out);
	p.failed |= !values || !locations;
	if (!p.failed) {
		pprof_put_sample_type(&p, d->metrics[0].name, unit_names[d->metrics[0].unit]);
		own_values(d, values, values + d->n);
		put_rows(d, &p, locations, locations + d->n, values, values + d->n);
	}
	mem_free(values);
	mem_free(locations);
	return pprof_close(&p, err);
}
