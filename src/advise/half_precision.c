/* Matrix multiplications and convolutions that an accelerator does in float32 and could
 * do in 16 bits. */
#include "advise/advise.h"
#include "advise/top.h"
#include "advise/types.h"
#include "model/attrs.h"
#include "model/device.h"
#include "proto/fields.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"types",
		"MatMul,BatchMatMul.*,Einsum,Conv[23]D.*,DepthwiseConv2d.*,Cudnn.*,.*LSTM.*,"
		".*GRU.*",
		"Op types that 16-bit units speed up (regular expressions)."},
	{"notice", "0.2", "Minimum share of accelerator time these types take in float32."},
	{"top", "3", "Number of nodes to list."},
	{NULL, NULL, NULL},
};

struct float_work {
	double float_us, all_us;
	struct top longest;
};

static bool is_float(const struct model *m, uint32_t node)
{
	struct attr attr;

	return (attrs_get(m, node, SPAN("T"), &attr) || attrs_get(m, node, SPAN("dtype"), &attr)) &&
		attr.kind == ATTR_TYPE && attr.number == DT_FLOAT;
}

static void add_up(struct check *c, struct type_filter *types, struct float_work *w)
{
	const struct model *m = c->model;
	struct numbers numbers;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		int64_t micros;

		if (m->nodes.first_exec[node] == NONE)
			continue;
		metrics_of(m, node, -1, &numbers);
		micros = numbers.at[METRIC_ACCELERATOR_MICROS];
		if (micros <= 0)
			continue;
		w->all_us += (double)micros;
		if (!type_filter_match(types, node) || !is_float(m, node))
			continue;
		w->float_us += (double)micros;
		top_add(&w->longest, node, micros);
	}
}

static void report(struct check *c, const struct float_work *w)
{
	struct buf *b = &c->text;
	double share = w->float_us / w->all_us;
	struct finding *f;

	buf_printf(b, "%.0f%% of the accelerators' time is matrix work in float32: ", 100 * share);
	format_number(b, UNIT_MICROS, to_int(w->float_us));
	buf_text(b, " of ");
	format_number(b, UNIT_MICROS, to_int(w->all_us));
	buf_text(b, " per step. 16 bits may be twice as fast.");
	for (size_t i = 0; i < w->longest.n; i++) {
		struct place place = check_node(c, w->longest.at[i].id);

		buf_text(b, "\n  ");
		format_number(b, UNIT_MICROS, w->longest.at[i].value);
		buf_text(b, ": ");
		place_put(b, &place);
	}
	f = check_find(c, "float32_work", TFPROF_LEVEL_NOTICE, CONFIDENCE_LOW);
	f->stake_us = to_int(w->float_us / 2);
	f->stake_share = share;
	f->remedy =
		"Try mixed precision (float16 or bfloat16), and check that the model still learns.";
	for (size_t i = 0; i < w->longest.n; i++) {
		struct place place = check_node(c, w->longest.at[i].id);

		place.micros = w->longest.at[i].value;
		check_place(c, f, place);
	}
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct type_filter types;
	struct float_work w = {0};
	enum tfprof_status status = type_filter_init(&types, c, "types", err);

	if (status == TFPROF_OK && !top_init(&w.longest, c, "top"))
		status = error_no_memory(err);
	if (status == TFPROF_OK) {
		add_up(c, &types, &w);
		status = regexes_check(types.regexes, err);
	}
	if (status == TFPROF_OK && w.all_us <= 0)
		check_skip(c, NO_ACCELERATOR,
			"No accelerator time in the profile. Skip HalfPrecisionChecker");
	else if (status == TFPROF_OK && w.float_us / w.all_us >= check_number(c, "notice"))
		report(c, &w);
	else if (status == TFPROF_OK)
		check_ok(c, "Little of the accelerators' time is matrix work in float32 (%.0f%%).",
			100 * w.float_us / w.all_us);
	type_filter_clear(&types);
	return status;
}

const struct checker half_precision_checker = {
	.info = {"HalfPrecisionChecker",
		"Matrix work that an accelerator does in float32 and could do in 16 bits.",
		options},
	.needs_run_meta = true,
	.run = run,
};
