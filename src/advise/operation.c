/* Operations for which there is a faster configuration. */
#include "advise/advise.h"
#include "model/attrs.h"
#include "model/device.h"

static const struct tfprof_checker_option_info options[] = {
	{NULL, NULL, NULL},
};

enum { MAX_PLACES = 3 };

static struct place place_of(const struct model *m, uint32_t node)
{
	struct numbers numbers;

	metrics_of(m, node, -1, &numbers);
	return (struct place){.device = model_text(m, m->nodes.device[node]),
		.node = model_name(m, node), .op = model_text(m, m->nodes.op[node]),
		.micros = numbers.at[METRIC_MICROS]};
}

static bool has_type(const struct model *m, uint32_t types, uint32_t type)
{
	const struct string_set *set = sets_get(&m->sets, types);

	for (uint32_t i = 0; i < set->n; i++)
		if (set->at[i] == type)
			return true;
	return false;
}

static bool any_has_type(const struct model *m, uint32_t type)
{
	for (uint32_t node = 0; type != NONE && node < m->nodes.n; node++)
		if (has_type(m, m->nodes.types[node], type))
			return true;
	return false;
}

static void check_batch_norm(struct check *c)
{
	const struct model *m = c->model;
	struct finding *f = NULL;

	if (any_has_type(m, strings_find(&m->strings, SPAN("FusedBatchNorm"))))
		return;
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		struct place place;

		if (!span_contains(model_name(m, node), SPAN("BatchNorm")))
			continue;
		if (!f) {
			buf_text(&c->text, "Maybe use faster FusedBatchNorm instead of BatchNorm");
			f = check_find(
				c, "batch_norm_not_fused", TFPROF_LEVEL_NOTICE, CONFIDENCE_LOW);
			f->remedy = "Use a batch normalization that is one fused operation.";
		}
		place = place_of(m, node);
		add_clamped(&f->stake_us, place.micros);
		if (f->places.n < MAX_PLACES)
			check_place(c, f, place);
	}
}

static bool is_nhwc(const struct model *m, uint32_t node)
{
	struct attr attr;

	return device_kind(model_text(m, m->nodes.device[node])) & DEVICE_ACCELERATOR &&
		attrs_get(m, node, SPAN("data_format"), &attr) && attr.kind == ATTR_TEXT &&
		span_equal(attr.text, SPAN("NHWC"));
}

static void check_data_format(struct check *c)
{
	const struct model *m = c->model;
	struct finding *f = NULL;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		struct place place;

		if (!m->nodes.device[node] || !is_nhwc(m, node))
			continue;
		if (!f) {
			buf_text(&c->text,
				"Found operation using NHWC data_format on GPU. Maybe NCHW is "
				"faster.");
			f = check_find(c, "nhwc_on_gpu", TFPROF_LEVEL_NOTICE, CONFIDENCE_LOW);
			f->remedy = "Try data_format NCHW for these operations and measure again.";
		}
		place = place_of(m, node);
		add_clamped(&f->stake_us, place.micros);
		if (f->places.n < MAX_PLACES)
			check_place(c, f, place);
	}
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	(void)err;
	check_batch_norm(c);
	check_data_format(c);
	if (!c->model->nodes.n)
		check_skip(c, "No operation in the profile. Skip OperationChecker");
	return TFPROF_OK;
}

const struct checker operation_checker = {
	.info = {"OperationChecker",
		"Operations for which there is a faster configuration: batch normalization that is "
		"not "
		"fused, NHWC on a GPU.",
		options},
	.is_original = true,
	.run = run,
};
