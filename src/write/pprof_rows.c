/* A profile for pprof of scope, graph and op view: a sample for each row that has something
 * of its own, under its ancestors, labelled with its operation, its device and the step. */
#include "model/executed.h"
#include "write/pprof_rows.h"
#include "write/stack_rows.h"

size_t pprof_label_node(const struct query *q, uint32_t node, struct pprof_label *labels)
{
	const struct model *m = q->model;
	int64_t step = q->options->number[OPT_STEP];
	size_t n = 0;

	if (node != NONE) {
		labels[n++] = (struct pprof_label){"op", model_text(m, model_op(m, node)), 0};
		if (query_device(q, node))
			labels[n++] = (struct pprof_label){"device",
				model_text(m, query_device(q, node)), 0};
	}
	labels[n++] = step < 0 ? (struct pprof_label){"step", SPAN("average"), 0}
			       : (struct pprof_label){"step", {"", 0}, step};
	return n;
}

static size_t label_row(const struct query *q, uint32_t row, struct pprof_label *labels)
{
	size_t n = 0;

	if (q->kind == TFPROF_OP)
		labels[n++] = (struct pprof_label){"op", tree_label(q->tree, q->view[row]), 0};
	return n + pprof_label_node(q, query_node(q, row), labels + n);
}

static void put_samples(struct query *q, struct pprof_table *p, enum metric metric,
	uint64_t *locations, uint64_t *stack)
{
	struct pprof_sample sample = {.stack = stack, .n_values = 1};

	for (uint32_t i = 1; i < q->n && !p->failed && !query_cancelled(q); i++) {
		sample.values[0] = query_own(q, metric, i);
		sample.depth = 0;
		locations[i] = pprof_location(p, tree_label(q->tree, q->view[i]));
		if (!sample.values[0])
			continue;
		for (uint32_t k = i; k; k = q->parent[k])
			stack[sample.depth++] = locations[k];
		sample.n_labels = label_row(q, i, sample.labels);
		pprof_put_sample(p, &sample);
	}
}

enum tfprof_status pprof_write_rows(const struct writing *w, struct tfprof_error *err)
{
	struct query *q = w->q;
	uint64_t *locations = arena_zero(&q->arena, q->n, sizeof(*locations));
	uint64_t *stack = arena_array(&q->arena, q->n, sizeof(*stack));
	enum metric metric = stack_metric(q->options);
	struct pprof_table p;

	if (query_check_names(q, err) != TFPROF_OK)
		return TFPROF_UNSUPPORTED;
	pprof_open(&p, w->out);
	p.failed |= !locations || !stack || metric == N_METRICS;
	if (!p.failed) {
		pprof_put_sample_type(&p, metric_infos[metric].word,
			unit_names[metric_infos[metric].unit]);
		put_samples(q, &p, metric, locations, stack);
	}
	return pprof_close(&p, err);
}
