/* /api/profile: what was loaded, its totals, and a sentence about it. */
#include "query/metric_list.h"
#include "server/overview.h"
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
		json_put_bool(out, "is_static", MODEL_METRICS_MASK >> metrics[i] & 1);
		json_close_object(out);
	}
	json_close_array(out);
}

static void put_steps(const struct overview *o, struct json *out)
{
	json_key(out, "steps");
	json_open_array(out);
	for (size_t i = 0; i < o->steps.n; i++) {
		const struct overview_step *s = &o->steps.at[i];

		json_open_object(out);
		json_put_int(out, "step", s->step);
		json_put_int(out, "wall", s->info.wall_micros);
		json_put_int(out, "cpu", s->info.cpu_micros);
		json_put_int(out, "accelerator", s->info.accelerator_micros);
		json_put_int(out, "executions", (int64_t)s->info.n_executions);
		json_close_object(out);
	}
	json_close_array(out);
}

static void put_families(const struct overview *o, struct json *out)
{
	json_key(out, "families");
	json_open_array(out);
	for (size_t i = 0; i < o->n_families; i++) {
		json_open_object(out);
		json_put_text(out, "name", o->families[i].name);
		json_put_text(out, "title", o->families[i].title);
		json_put_int(out, "micros", o->families[i].us);
		json_close_object(out);
	}
	json_close_array(out);
}

/* What the inputs lack, and which input would add it. */
static enum tfprof_status put_gaps(tfprof_profile *profile, struct json *out,
	struct tfprof_error *err)
{
	struct tfprof_overview overview;
	enum tfprof_status status = tfprof_profile_get_overview(profile, &overview, err);

	if (status != TFPROF_OK)
		return status;
	if (overview.trainable_parameters >= 0)
		json_put_int(out, "trainable", overview.trainable_parameters);
	json_key(out, "missing");
	json_open_array(out);
	for (size_t i = 0; overview.gaps[i]; i++) {
		json_open_object(out);
		json_put_text(out, "what", overview.gaps[i]->what);
		json_put_text(out, "how", overview.gaps[i]->remedy);
		json_close_object(out);
	}
	json_close_array(out);
	return TFPROF_OK;
}

static void put_files(const struct shown_profile *p, struct json *out)
{
	json_key(out, "files");
	json_open_array(out);
	for (size_t i = 0; i < p->inputs.n; i++)
		json_text(out, p->inputs.at[i].path);
	json_close_array(out);
	json_put_bool(out, "is_model",
		p->inputs.n == 1 && tfprof_model_recognize(p->inputs.at[0].path));
	json_put_text(out, "notes", p->notes ? p->notes : "");
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
	struct overview o = {0};
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = overview_make(&o, c, profile, err);
	if (status == TFPROF_OK) {
		json_open_object(out);
		json_put_text(out, "instance", c->store->instance);
		put_files(profile, out);
		put_summary(&o.summary, out);
		json_put_string(out, "sentence", buf_get(&o.sentence));
		put_metrics(out);
		put_steps(&o, out);
		put_families(&o, out);
		status = put_gaps(profile->profile, out, err);
		if (status == TFPROF_OK)
			status = put_totals(c, out, err);
		json_close_object(out);
	}
	overview_clear(&o);
	return status;
}
