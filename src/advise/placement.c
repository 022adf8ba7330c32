/* Operations on the CPU between operations on an accelerator: their input and output
 * are copied, and the accelerator waits. */
#include "advise/advise.h"
#include "advise/types.h"
#include "base/sort.h"
#include "model/attrs.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"ignore_types",
		"NoOp,Assert,Print.*,.*Summary.*,.*PyFunc,Const,Placeholder.*,Shape,ShapeN,Size,"
		"Rank,"
		"BroadcastGradientArgs,Switch,Merge,Enter,Exit,NextIteration,LoopCond,_.*",
		"Op types that belong on the CPU (regular expressions)."},
	{"warning", "0.01",
		"Minimum share of the step the operation takes for a warning; below it, a notice."},
	{"top", "10", "Number of operations to list."},
	{NULL, NULL, NULL},
};

enum side { SIDE_NONE, SIDE_CPU, SIDE_ACCELERATOR };

struct placement {
	struct check *c;
	unsigned char *side;     /* by node */
	bool *feeds_accelerator; /* by node: an accelerator uses its output */
};

static bool find_sides(struct placement *p)
{
	const struct model *m = p->c->model;
	bool any = false;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		const struct device *device = check_device(p->c, node);

		if (m->nodes.first_exec[node] == NONE)
			continue;
		p->side[node] = device_is_accelerator(device) ? SIDE_ACCELERATOR
			: device->properties & DEVICE_CPU     ? SIDE_CPU
							      : SIDE_NONE;
		any |= p->side[node] == SIDE_ACCELERATOR;
	}
	return any;
}

/* The source of a data input; NONE for a control input. */
static uint32_t data_source(const struct model *m, uint32_t node, uint32_t i, int32_t first_control)
{
	const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + i];

	return e->position < first_control ? model_node_of(m, e->source) : NONE;
}

static void find_consumers(struct placement *p)
{
	const struct model *m = p->c->model;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		int32_t first_control;

		if (p->side[node] != SIDE_ACCELERATOR || !m->nodes.n_edges[node])
			continue;
		first_control = attrs_first_control(m, node);
		for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
			uint32_t source = data_source(m, node, i, first_control);

			if (source != NONE)
				p->feeds_accelerator[source] = true;
		}
	}
}

/* A node on an accelerator whose output this node uses, or NONE. */
static uint32_t fed_by_accelerator(const struct placement *p, uint32_t node)
{
	const struct model *m = p->c->model;
	int32_t first_control = attrs_first_control(m, node);

	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
		uint32_t source = data_source(m, node, i, first_control);

		if (source != NONE && p->side[source] == SIDE_ACCELERATOR)
			return source;
	}
	return NONE;
}

static void report(struct placement *p, uint32_t node, int64_t micros, int64_t step_us)
{
	struct check *c = p->c;
	struct place place = check_node(c, node),
		     source = check_node(c, fed_by_accelerator(p, node));
	double share = step_us ? (double)micros / (double)step_us : 0;
	struct buf *b = &c->text;
	struct finding *f;

	place_put(b, &place);
	buf_text(b, ", ");
	buf_span(b, place.op);
	buf_text(b, ", runs on the CPU between operations on an accelerator: ");
	format_number(b, UNIT_MICROS, micros);
	buf_text(b, " per step and two copies; its input comes from ");
	buf_span(b, source.node);
	f = check_find(c, "cpu_between_accelerator",
		check_level(share, 0, check_number(c, "warning"), NEVER), CONFIDENCE_MEDIUM);
	f->stake_us = micros;
	f->stake_share = share;
	f->remedy = "Place it on the accelerator, or use an operation that has a kernel there.";
	place.micros = micros;
	check_place(c, f, place);
	check_place(c, f, source);
}

static bool find_all(struct placement *p, struct type_filter *ignored)
{
	const struct model *m = p->c->model;
	const struct activity *a = check_activity(p->c);
	VEC(struct sort_item) found = {0};
	struct sort_item *scratch;
	struct numbers numbers;
	int64_t top = check_int(p->c, "top");
	size_t shown = 0;
	bool ok = a != NULL;

	for (uint32_t node = 0; ok && node < m->nodes.n; node++) {
		if (p->side[node] != SIDE_CPU || !p->feeds_accelerator[node] ||
			type_filter_match(ignored, node) || fed_by_accelerator(p, node) == NONE)
			continue;
		metrics_of(m, node, -1, &numbers);
		ok = vec_push(&found,
			((struct sort_item){sort_key_descending(numbers.at[METRIC_MICROS]), node}));
	}
	scratch = ok ? check_alloc(p->c, found.n, sizeof(*scratch)) : NULL;
	ok = scratch != NULL;
	if (ok && found.n)
		sort_items(found.at, scratch, found.n);
	for (; ok && shown < found.n && (int64_t)shown < top; shown++) {
		metrics_of(m, found.at[shown].id, -1, &numbers);
		report(p, found.at[shown].id, numbers.at[METRIC_MICROS], activity_mean_step(a));
	}
	if (ok && shown && shown < found.n) {
		buf_printf(&p->c->text, "and %zu more that took less time", found.n - shown);
		check_find(p->c, "more_cpu_between_accelerator", TFPROF_LEVEL_NOTICE,
			CONFIDENCE_MEDIUM)
			->remedy = "Raise top to list them.";
	}
	vec_clear(&found);
	return ok;
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct placement p = {.c = c};
	struct type_filter ignored;
	enum tfprof_status status = type_filter_init(&ignored, c, "ignore_types", err);

	p.side = check_alloc(c, c->model->nodes.n, sizeof(*p.side));
	p.feeds_accelerator = check_alloc(c, c->model->nodes.n, sizeof(*p.feeds_accelerator));
	if (status == TFPROF_OK && (!p.side || !p.feeds_accelerator))
		status = error_no_memory(err);
	if (status == TFPROF_OK && !find_sides(&p)) {
		check_skip(c, NO_ACCELERATOR,
			"No operation ran on an accelerator. Skip PlacementChecker");
	} else if (status == TFPROF_OK) {
		find_consumers(&p);
		if (!find_all(&p, &ignored))
			status = error_no_memory(err);
		else
			status = regexes_check(ignored.regexes, err);
		if (!c->verdict->findings.n)
			check_ok(c, "No operation on the CPU is between two on an accelerator.");
	}
	type_filter_clear(&ignored);
	return status;
}

const struct checker placement_checker = {
	.info = {"PlacementChecker", "Operations on the CPU between operations on an accelerator.",
		options},
	.needs_run_meta = true,
	.run = run,
};
