/* Operations that have a faster configuration. */
#include "advise/advise.h"
#include "advise/top.h"
#include "model/attrs.h"

static const struct tfprof_checker_option_info options[] = {
	{"top", "3", "Number of nodes to list per finding (JSON only)."},
	{NULL, NULL, NULL},
};

/* Adds a node to the finding, and to `top` if it is among the longest. */
static void add_node(struct check *c, struct finding *f, struct top *top, uint32_t node)
{
	struct numbers numbers;

	metrics_of(c->model, node, -1, &numbers);
	add_clamped(&f->stake_us, numbers.at[METRIC_MICROS]);
	/* A node that did not run counts as the shortest. */
	top_add(top, node, numbers.at[METRIC_MICROS] > 0 ? numbers.at[METRIC_MICROS] : 1);
}

static void add_places(struct check *c, struct finding *f, const struct top *top)
{
	for (size_t i = 0; i < top->n; i++) {
		struct place place = check_node(c, top->at[i].id);
		struct numbers numbers;

		metrics_of(c->model, top->at[i].id, -1, &numbers);
		place.micros = numbers.at[METRIC_MICROS];
		check_place(c, f, place);
	}
}

/* TensorFlow's profiler knows FusedBatchNorm, not FusedBatchNormV3 or _MklFusedBatchNorm. */
static bool is_fused(struct span text, bool as_tensorflow)
{
	return as_tensorflow ? span_equal(text, SPAN("FusedBatchNorm"))
			     : span_contains(text, SPAN("FusedBatchNorm"));
}

/* Looks at each set of types, and at each type, once. */
static bool any_is_fused(struct check *c)
{
	const struct model *m = c->model;
	bool *set_seen = check_alloc(c, m->sets.at.n, sizeof(*set_seen));
	bool *type_seen = check_alloc(c, m->strings.text.n, sizeof(*type_seen));

	for (uint32_t node = 0; set_seen && type_seen && node < m->nodes.n; node++) {
		uint32_t set = m->nodes.types[node];
		const struct string_set *types = sets_get(&m->sets, set);

		for (uint32_t i = 0; !set_seen[set] && i < types->n; i++) {
			uint32_t type = types->at[i];

			if (!type_seen[type] &&
				is_fused(model_text(m, type), c->advice->as_tensorflow))
				return true;
			type_seen[type] = true;
		}
		set_seen[set] = true;
	}
	return false;
}

static void check_batch_norm(struct check *c)
{
	const struct model *m = c->model;
	struct finding *f = NULL;
	struct top top;

	if (!top_init(&top, c, "top") || any_is_fused(c))
		return;
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		if (!span_contains(model_name(m, node), SPAN("BatchNorm")))
			continue;
		if (!f) {
			buf_text(&c->text, "Maybe use faster FusedBatchNorm instead of BatchNorm");
			f = check_find(c, "batch_norm_not_fused", TFPROF_LEVEL_NOTICE,
				CONFIDENCE_LOW);
			f->remedy = "Use a fused batch normalization.";
		}
		add_node(c, f, &top, node);
	}
	if (f)
		add_places(c, f, &top);
}

/* Of TPUs, NHWC is the format. */
static bool is_nhwc(struct check *c, uint32_t node)
{
	struct attr attr;

	return device_is_gpu(check_device(c, node)) &&
		attrs_get(c->model, node, SPAN("data_format"), &attr) && attr.kind == ATTR_TEXT &&
		span_equal(attr.text, SPAN("NHWC"));
}

static void check_data_format(struct check *c)
{
	const struct model *m = c->model;
	struct finding *f = NULL;
	struct top top;

	if (!top_init(&top, c, "top"))
		return;
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		if (!is_nhwc(c, node))
			continue;
		if (!f) {
			buf_text(&c->text,
				"Found operation using NHWC data_format on GPU. Maybe NCHW is "
				"faster.");
			f = check_find(c, "nhwc_on_gpu", TFPROF_LEVEL_NOTICE, CONFIDENCE_LOW);
			f->remedy = "Try data_format NCHW for these operations and measure again.";
		}
		add_node(c, f, &top, node);
	}
	if (f)
		add_places(c, f, &top);
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	(void)err;
	check_batch_norm(c);
	check_data_format(c);
	if (!c->model->nodes.n)
		check_skip(c, "no operations",
			"No operation in the profile. Skip OperationChecker");
	return TFPROF_OK;
}

const struct checker operation_checker = {
	.info = {"OperationChecker",
		"Operations that have a faster configuration: unfused batch normalization, NHWC on "
		"a GPU.",
		options},
	.in_tensorflow = true,
	.has_heading = true,
	.run = run,
};
