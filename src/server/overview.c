#include "server/overview.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/table_json.h"
#include "server/view_query.h"
#include "write/format.h"

/* ---- steps --------------------------------------------------------------- */

static enum tfprof_status add_step(struct overview *o, struct call *c, int64_t step,
	struct tfprof_error *err)
{
	struct overview_step s = {.step = step};
	struct kept *kept;
	enum tfprof_status status = view_timeline(c, step, &kept, err);

	if (status != TFPROF_OK)
		return status;
	tfprof_timeline_read_step(kept_get(kept), &s.info);
	store_release(c->store, kept);
	return vec_push(&o->steps, s) ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status add_steps(struct overview *o, struct call *c, tfprof_profile *profile,
	struct tfprof_error *err)
{
	enum { MAX_STEPS = 1000 };
	size_t n;
	const int64_t *steps = tfprof_profile_get_steps(profile, &n);
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < n && i < MAX_STEPS; i++) {
		if (c->cancel)
			return error_set(err, TFPROF_CANCELLED, "cancelled");
		status = add_step(o, c, steps[i], err);
	}
	return status;
}

/* ---- families ------------------------------------------------------------ */

static void add_to_family(struct overview *o, struct span op, int64_t us)
{
	const char *name = tfprof_op_get_family(op.at, op.n);

	for (size_t i = 0; i < o->n_families; i++)
		if (strcmp(o->families[i].name, name) == 0)
			o->families[i].us += us;
}

static enum tfprof_status add_families(struct overview *o, struct call *c, struct tfprof_error *err)
{
	const struct tfprof_family_info *info;
	const struct table_json_metric *micros;
	struct kept *kept;
	struct table_json t;
	enum tfprof_status status = view_query(c, TFPROF_OP, &kept, err);

	for (size_t i = 0; i < MAX_FAMILIES && (info = tfprof_family_get_info(i)); i++)
		o->families[o->n_families++] = (struct overview_family){info->name, info->title, 0};
	if (status == TFPROF_OK)
		status = table_json_open(&t, TFPROF_OP, kept_get(kept), err);
	if (status == TFPROF_OK && (micros = table_json_metric(&t, "exec_micros")))
		for (size_t row = 1; row < t.n_rows; row++) {
			add_to_family(o, table_json_name(&t, (int64_t)row), micros->own[row]);
			o->total_us += micros->own[row];
		}
	store_release(c->store, kept);
	return status;
}

/* ---- the sentence -------------------------------------------------------- */

static int compare_walls(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* -1 on allocation failure or without steps. */
static int64_t median_wall(const struct overview *o)
{
	int64_t *walls = mem_array(o->steps.n, sizeof(*walls)), median = -1;

	if (!walls || !o->steps.n) {
		mem_free(walls);
		return -1;
	}
	for (size_t i = 0; i < o->steps.n; i++)
		walls[i] = o->steps.at[i].info.wall_micros;
	qsort(walls, o->steps.n, sizeof(*walls), compare_walls);
	median = walls[(o->steps.n - 1) / 2];
	mem_free(walls);
	return median;
}

static bool say_idle_accelerator(struct overview *o)
{
	for (size_t i = 0; i < o->steps.n; i++) {
		const struct tfprof_step_info *s = &o->steps.at[i].info;
		double busy = s->n_accelerator_lanes && s->wall_micros
			? (double)s->accelerator_micros / (double)s->n_accelerator_lanes /
				(double)s->wall_micros
			: 1;

		if (busy < 0.5) {
			buf_printf(&o->sentence, "the accelerator is idle %.0f%% of the time",
				100 * (1 - busy));
			return true;
		}
	}
	return false;
}

static bool say_slow_step(struct overview *o, int64_t median)
{
	for (size_t i = 0; i < o->steps.n && median > 0; i++) {
		const struct overview_step *s = &o->steps.at[i];
		double over = (double)s->info.wall_micros / (double)median - 1;

		if (over > 0.2) {
			buf_printf(&o->sentence, "step %lld takes %.0f%% longer than the median",
				(long long)s->step, 100 * over);
			return true;
		}
	}
	return false;
}

static bool say_family(struct overview *o)
{
	const struct overview_family *top = &o->families[0];
	double share;

	for (size_t i = 1; i < o->n_families; i++)
		if (o->families[i].us > top->us)
			top = &o->families[i];
	share = o->total_us > 0 ? (double)top->us / (double)o->total_us : 0;
	if (share <= 0)
		return false;
	buf_printf(&o->sentence, "%.0f%% of the work is %s", 100 * share, top->title);
	return true;
}

static void say_size(struct overview *o, const struct table_json *scope)
{
	const struct table_json_metric *params = table_json_metric(scope, "parameters");
	const struct table_json_metric *flops = table_json_metric(scope, "float_ops");

	if (params && scope->n_rows) {
		format_number(&o->sentence, UNIT_COUNT, params->total[0]);
		buf_text(&o->sentence, " parameters");
	}
	if (flops && scope->n_rows && flops->total[0]) {
		buf_text(&o->sentence, ", ");
		format_number(&o->sentence, UNIT_COUNT, flops->total[0]);
		buf_text(&o->sentence, " float operations");
	}
	buf_char(&o->sentence, '.');
}

static enum tfprof_status say(struct overview *o, struct call *c, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct table_json t;
	int64_t median = median_wall(o);
	enum tfprof_status status;

	if (o->steps.n && median >= 0) {
		buf_text(&o->sentence, "A step takes ");
		format_number(&o->sentence, UNIT_MICROS, median);
		buf_text(&o->sentence, "; ");
		if (!say_idle_accelerator(o) && !say_slow_step(o, median) && !say_family(o))
			o->sentence.n -= 2;
		buf_char(&o->sentence, '.');
		return TFPROF_OK;
	}
	status = view_query(c, TFPROF_SCOPE, &kept, err);
	if (status == TFPROF_OK)
		status = table_json_open(&t, TFPROF_SCOPE, kept_get(kept), err);
	if (status == TFPROF_OK)
		say_size(o, &t);
	store_release(c->store, kept);
	return status;
}

enum tfprof_status overview_make(struct overview *o, struct call *c, struct shown_profile *profile,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	*o = (struct overview){0};
	tfprof_profile_get_summary(profile->profile, &o->summary);
	status = add_steps(o, c, profile->profile, err);
	if (status == TFPROF_OK)
		status = add_families(o, c, err);
	if (status == TFPROF_OK)
		status = say(o, c, err);
	return status == TFPROF_OK && o->sentence.failed ? error_no_memory(err) : status;
}

void overview_clear(struct overview *o)
{
	vec_clear(&o->steps);
	buf_clear(&o->sentence);
}
