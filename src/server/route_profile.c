/* /api/profile: what was loaded, and the answer of the question overview, which knows how long
 * a step takes; the totals and families of operations are those of the call's options. */
#include "query/metric_list.h"
#include "server/routes.h"
#include "server/table_json.h"
#include "server/view_query.h"

static void put_summary(const struct tfprof_summary *s, struct json *out)
{
	json_put_int(out, "nodes", (int64_t)s->n_nodes);
	json_put_int(out, "devices", (int64_t)s->n_devices);
	json_put_double(out, "coverage", s->coverage);
	json_put_bool(out, "has_run", s->has_run_meta);
	json_put_bool(out, "has_code", s->has_code_traces);
	json_put_bool(out, "has_float_ops", s->has_float_ops);
}

/* The metrics that pages can show. */
static void put_metrics(struct json *out)
{
	static const char *const units[] =
		{[UNIT_COUNT] = "count", [UNIT_MICROS] = "micros", [UNIT_BYTES] = "bytes"};
	static const enum metric metrics[] = {
#define X(id, ...) METRIC_##id,
		METRICS_IN_RESULTS(X)
#undef X
	};

	json_key(out, "metrics");
	json_open_array(out);
	for (size_t i = 0; i < N_METRICS; i++) {
		const struct metric_info *info = &metric_infos[metrics[i]];

		json_open_object(out);
		json_put_text(out, "word", info->word);
		json_put_text(out, "column", info->column);
		json_put_text(out, "unit", units[info->unit]);
		json_put_text(out, "title", info->title);
		json_put_bool(out, "is_static",
			(MODEL_METRICS_MASK & ~COMPILED_METRICS_MASK) >> metrics[i] & 1);
		json_close_object(out);
	}
	json_close_array(out);
}

static void put_files(const struct shown_profile *p, struct json *out)
{
	json_key(out, "files");
	json_open_array(out);
	for (size_t i = 0; i < p->inputs.n; i++)
		json_text(out, p->inputs.at[i].path);
	json_close_array(out);
	json_put_bool(out, "has_model_file", view_find_model_file(p));
	json_put_bool(out, "is_model", p->inputs.n == 1 && view_find_model_file(p));
	json_put_text(out, "notes", p->notes ? p->notes : "");
}

/* ---- the overview --------------------------------------------------------- */

struct overview {
	tfprof_result *result;
	struct tfprof_column parent, name, text, step, wall;
};

static enum tfprof_status open_overview(struct overview *o, tfprof_result *result,
	struct tfprof_error *err)
{
	const struct {
		const char *name;
		struct tfprof_column *column;
	} columns[] = {{"parent", &o->parent}, {"name", &o->name}, {"text", &o->text},
		{"step", &o->step}, {"wall_micros", &o->wall}};
	enum tfprof_status status = TFPROF_OK;

	o->result = result;
	for (size_t i = 0; status == TFPROF_OK && i < sizeof(columns) / sizeof(*columns); i++)
		status = tfprof_result_get_column(result, columns[i].name, columns[i].column, err);
	return status;
}

/* Null if it is not known: a trace may have steps that nothing ran in. */
static void put_wall(const struct overview *o, int64_t step, struct json *out)
{
	json_key(out, "wall");
	for (size_t row = 0; row < o->step.n_rows; row++)
		if (o->step.numbers[row] == step) {
			json_double(out, o->wall.doubles[row]);
			return;
		}
	json_null(out);
}

/* The steps of the profile, which can be chosen. */
static void put_steps(const struct overview *o, const struct shown_profile *p, struct json *out)
{
	enum { MAX_STEPS = 1000 };
	size_t n;
	const int64_t *steps = tfprof_profile_get_steps(p->profile, &n);

	json_key(out, "steps");
	json_open_array(out);
	for (size_t i = 0; i < n && i < MAX_STEPS; i++) {
		json_open_object(out);
		json_put_int(out, "step", steps[i]);
		put_wall(o, steps[i], out);
		json_close_object(out);
	}
	json_close_array(out);
}

/* What the inputs lack, and which input would add it. */
static void put_missing(const struct overview *o, struct json *out)
{
	int64_t section = -1;

	json_key(out, "missing");
	json_open_array(out);
	for (size_t row = 0; row < o->name.n_rows; row++) {
		struct span name = table_json_text(&o->name, (int64_t)row);

		if (o->parent.numbers[row] == 0 && span_equal(name, SPAN("missing")))
			section = (int64_t)row;
		if (section < 0 || o->parent.numbers[row] != section)
			continue;
		json_open_object(out);
		json_put_string(out, "what", name);
		json_put_string(out, "how", table_json_text(&o->text, (int64_t)row));
		json_close_object(out);
	}
	json_close_array(out);
}

static enum tfprof_status put_overview(struct call *c, const struct shown_profile *profile,
	struct json *out, struct tfprof_error *err)
{
	struct kept *kept;
	struct overview o;
	struct tfprof_field field;
	enum tfprof_status status = view_ask(c, "overview", &kept, err);

	if (status == TFPROF_OK)
		status = open_overview(&o, kept_get(kept), err);
	if (status == TFPROF_OK) {
		tfprof_result_get_field(o.result, "headline", &field);
		json_put_text(out, "sentence", field.text ? field.text : "");
		if (tfprof_result_get_field(o.result, "wall_micros", &field))
			json_put_double(out, "wall", field.real);
		if (tfprof_result_get_field(o.result, "trainable_parameters", &field))
			json_put_int(out, "trainable", field.number);
		if (tfprof_result_get_field(o.result, "parameters", &field))
			json_put_int(out, "parameters", field.number);
		if (tfprof_result_get_field(o.result, "assumed_batch", &field))
			json_put_int(out, "assumed_batch", field.number);
		put_steps(&o, profile, out);
		put_missing(&o, out);
	}
	store_release(c->store, kept);
	return status;
}

/* ---- operations ----------------------------------------------------------- */

static int64_t sum_family(const struct table_json *t, const char *family)
{
	const struct table_json_metric *micros = table_json_metric(t, "exec_micros");
	int64_t sum = 0;

	for (size_t row = 1; micros && row < t->n_rows; row++) {
		struct span op = table_json_name(t, (int64_t)row);

		if (strcmp(tfprof_op_get_family(op.at, op.n), family) == 0)
			sum += micros->own[row];
	}
	return sum;
}

static enum tfprof_status put_families(struct call *c, struct json *out, struct tfprof_error *err)
{
	const struct tfprof_family_info *info;
	struct kept *kept;
	struct table_json t;
	enum tfprof_status status = view_query(c, TFPROF_OP, &kept, err);

	if (status == TFPROF_OK)
		status = table_json_open(&t, TFPROF_OP, kept_get(kept), err);
	if (status == TFPROF_OK) {
		json_key(out, "families");
		json_open_array(out);
		for (size_t i = 0; (info = tfprof_family_get_info(i)); i++) {
			json_open_object(out);
			json_put_text(out, "name", info->name);
			json_put_text(out, "title", info->title);
			json_put_int(out, "micros", sum_family(&t, info->name));
			json_close_object(out);
		}
		json_close_array(out);
	}
	store_release(c->store, kept);
	return status;
}

static enum tfprof_status put_totals(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct kept *kept;
	struct table_json t;
	enum tfprof_status status = view_query(c, TFPROF_SCOPE, &kept, err);

	if (status == TFPROF_OK)
		status = table_json_open(&t, TFPROF_SCOPE, kept_get(kept), err);
	if (status == TFPROF_OK && t.n_rows) {
		json_key(out, "root");
		table_json_put(&t, 0, out);
	}
	store_release(c->store, kept);
	return status;
}

enum tfprof_status route_profile(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct shown_profile *profile;
	struct tfprof_summary summary;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status != TFPROF_OK)
		return status;
	tfprof_profile_get_summary(profile->profile, &summary);
	json_open_object(out);
	json_put_text(out, "instance", c->store->instance);
	put_files(profile, out);
	put_summary(&summary, out);
	put_metrics(out);
	status = put_overview(c, profile, out, err);
	if (status == TFPROF_OK)
		status = put_families(c, out, err);
	if (status == TFPROF_OK)
		status = put_totals(c, out, err);
	json_close_object(out);
	return status;
}
