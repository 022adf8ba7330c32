/* A profile at a glance: what it was loaded from, its totals, what is missing, and
 * which commands to try. */
#include "lib/gaps.h"
#include "lib/profile.h"
#include "write/format.h"

/* ---- totals --------------------------------------------------------------------- */

static enum tfprof_status set_options(tfprof_options *o, const char *select, const char *types,
	struct tfprof_error *err)
{
	enum tfprof_status status = tfprof_options_set(o, "select", select, err);

	if (status == TFPROF_OK)
		status = tfprof_options_set(o, "max_depth", "1", err);
	if (status == TFPROF_OK)
		status = tfprof_options_set(o, "account_type_regexes", types, err);
	return status;
}

static enum tfprof_status run(tfprof_profile *p, enum tfprof_view view, const char *select,
	const char *types, tfprof_result **result, struct tfprof_error *err)
{
	tfprof_options *o = tfprof_options_new();
	enum tfprof_status status = o ? set_options(o, select, types, err) : error_no_memory(err);

	*result = NULL;
	if (status == TFPROF_OK)
		status = tfprof_query_run(p, view, o, NULL, result, err);
	tfprof_options_free(o);
	return status;
}

static enum tfprof_status get_total(tfprof_result *result, const char *column, int64_t *value,
	struct tfprof_error *err)
{
	struct tfprof_column c;
	enum tfprof_status status = tfprof_result_get_column(result, column, &c, err);

	if (status == TFPROF_OK)
		*value = c.n_rows ? c.numbers[0] : 0;
	return status;
}

static enum tfprof_status get_totals(tfprof_profile *p, struct tfprof_overview *o,
	struct tfprof_error *err)
{
	const struct {
		const char *column;
		int64_t *value;
	} totals[] = {
		{"total_exec_micros", &o->exec_micros},
		{"total_accelerator_exec_micros", &o->accelerator_exec_micros},
		{"total_cpu_exec_micros", &o->cpu_exec_micros},
		{"total_requested_bytes", &o->requested_bytes},
		{"total_peak_bytes", &o->peak_bytes},
		{"total_float_ops", &o->float_ops},
	};
	tfprof_result *result;
	/* Op view is the cheapest to build. */
	enum tfprof_status status =
		run(p, TFPROF_OP, "micros,bytes,peak_bytes,float_ops", ".*", &result, err);

	for (size_t i = 0; status == TFPROF_OK && i < sizeof(totals) / sizeof(*totals); i++)
		status = get_total(result, totals[i].column, totals[i].value, err);
	tfprof_result_free(result);
	return status;
}

/* Unchanged if no node has this type. */
static enum tfprof_status count_trainable(tfprof_profile *p, int64_t *value,
	struct tfprof_error *err)
{
	tfprof_result *result;
	enum tfprof_status status =
		run(p, TFPROF_OP, "params", "_trainable_variables", &result, err);

	if (status == TFPROF_OK && tfprof_result_get_n_rows(result) > 1)
		status = get_total(result, "total_parameters", value, err);
	tfprof_result_free(result);
	return status;
}

/* A variable in a checkpoint has two of these types: op view counts it for both. */
static enum tfprof_status count_variables(tfprof_profile *p, bool has_checkpoint, int64_t *value,
	struct tfprof_error *err)
{
	tfprof_result *result;
	enum tfprof_status status = run(p, has_checkpoint ? TFPROF_SCOPE : TFPROF_OP, "params",
		"Variable.*,VarHandleOp,_checkpoint_variables", &result, err);

	if (status == TFPROF_OK)
		status = get_total(result, "total_parameters", value, err);
	tfprof_result_free(result);
	return status;
}

/* By the rule of reports, whatever has a shape has parameters, a placeholder too. */
static enum tfprof_status get_parameters(tfprof_profile *p, struct tfprof_overview *o,
	struct tfprof_error *err)
{
	enum tfprof_status status = count_trainable(p, &o->trainable_parameters, err);

	if (status == TFPROF_OK)
		status = count_variables(p, o->summary.has_checkpoint, &o->parameters, err);
	return status;
}

/* ---- gaps and suggestions --------------------------------------------------------- */

static void list_gaps(const struct model *m, struct tfprof_overview *o)
{
	size_t n = 0;

	/* A graph without shapes is a graph; asking for shapes reports it. */
	for (int gap = 0; gap < N_GAPS; gap++)
		if (gap != GAP_SHAPES && gap_is_open(m, (enum gap)gap))
			o->gaps[n++] = gap_get((enum gap)gap);
}

enum need { NEED_RUNS = 1, NEED_STACKS = 2, NEED_FLOAT_OPS = 4, NEED_TRAINABLE = 8 };

/* The best first, as far as the profile has what they show. */
static const struct {
	struct tfprof_suggestion suggestion;
	unsigned needs;
} suggestions[] = {
	{{"op", "--select=micros,bytes,occurrence --order_by=micros",
		 "the most expensive kinds of operations"},
		NEED_RUNS},
	{{"code", "--select=micros --order_by=micros --max_depth=6",
		 "the most expensive lines of Python"},
		NEED_RUNS | NEED_STACKS},
	{{"advise", "", "problems, and what to do about them"}, NEED_RUNS},
	{{"scope", "--select=micros --order_by=micros --max_depth=3",
		 "the most expensive parts of the model"},
		NEED_RUNS},
	{{"scope",
		 "--select=params --account_type_regexes=_trainable_variables "
		 "--order_by=params --max_depth=3",
		 "where the trainable parameters are"},
		NEED_TRAINABLE},
	{{"op", "--select=float_ops,occurrence --order_by=float_ops",
		 "which kinds of operations compute most"},
		NEED_FLOAT_OPS},
	{{"scope", "--select=params --order_by=params --max_depth=3", "where the parameters are"},
		0},
	{{"op", "--select=occurrence,params --order_by=occurrence", "what the model is made of"},
		0},
	{{"scope", "--select=op_types --max_depth=3", "what the parts of the model are"}, 0},
};

static void list_suggestions(struct tfprof_overview *o)
{
	unsigned has = (o->summary.has_run_meta ? NEED_RUNS : 0) |
		(o->summary.has_code_traces ? NEED_STACKS : 0) |
		(o->summary.has_float_ops ? NEED_FLOAT_OPS : 0) |
		(o->trainable_parameters > 0 ? NEED_TRAINABLE : 0);
	size_t n = 0;

	for (size_t i = 0; n < 3 && i < sizeof(suggestions) / sizeof(*suggestions); i++)
		if ((suggestions[i].needs & ~has) == 0)
			o->suggestions[n++] = &suggestions[i].suggestion;
}

enum tfprof_status tfprof_profile_get_overview(tfprof_profile *p, struct tfprof_overview *o,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	*o = (struct tfprof_overview){.trainable_parameters = -1};
	tfprof_profile_get_summary(p, &o->summary);
	status = get_totals(p, o, err);
	if (status == TFPROF_OK)
		status = get_parameters(p, o, err);
	if (status == TFPROF_OK)
		status = profile_lock(p, PROFILE_LOADED, err);
	if (status != TFPROF_OK)
		return status;
	list_gaps(&p->model, o);
	o->uncounted = p->model.uncounted;
	status = profile_unlock(p, TFPROF_OK, err);
	list_suggestions(o);
	return status;
}

/* ---- text ------------------------------------------------------------------------- */

/* Files beyond these, such as a hundred steps, are only counted. */
enum { MAX_INPUTS = 8 };

static void put_inputs(struct buf *b, tfprof_profile *p)
{
	struct tfprof_added added;
	size_t n;

	for (n = 0; tfprof_profile_get_added(p, n, &added); n++) {
		if (n >= MAX_INPUTS)
			continue;
		buf_printf(b, "%s: %s, ", added.name, added.phrase);
		format_number(b, UNIT_BYTES, (int64_t)added.n_bytes);
		buf_char(b, '\n');
	}
	if (n > MAX_INPUTS)
		buf_printf(b, "and %zu more\n", n - MAX_INPUTS);
}

static void put_count(struct buf *b, size_t n, const char *thing, const char *after)
{
	buf_printf(b, "%zu %s%s%s", n, thing, n == 1 ? "" : "s", after);
}

static void put_counts(struct buf *b, const struct tfprof_summary *s)
{
	put_count(b, s->n_nodes, "node", ", ");
	put_count(b, s->n_steps, "step", ", ");
	put_count(b, s->n_devices, "device", "");
	if (s->has_run_meta)
		buf_printf(b, "; %.0f%% of the nodes ran", s->coverage * 100);
	buf_text(b, "\n\n");
}

static void put_number(struct buf *b, const char *before, enum unit unit, int64_t value,
	const char *after)
{
	buf_text(b, before);
	format_number(b, unit, value);
	buf_text(b, after);
}

static void put_totals(struct buf *b, const struct tfprof_overview *o)
{
	const char *per_step = o->summary.n_steps > 1 ? " per step" : "";

	if (o->summary.has_run_meta) {
		put_number(b, "time              ", UNIT_MICROS, o->exec_micros, per_step);
		put_number(b, " (cpu ", UNIT_MICROS, o->cpu_exec_micros, "");
		put_number(b, ", accelerator ", UNIT_MICROS, o->accelerator_exec_micros, ")\n");
	}
	/* A trace may have times and no memory. */
	if (o->requested_bytes) {
		put_number(b, "memory            ", UNIT_BYTES, o->requested_bytes, " requested");
		buf_printf(b, "%s\n", per_step);
	}
	if (o->trainable_parameters >= 0) {
		put_number(b, "parameters        ", UNIT_COUNT, o->trainable_parameters,
			" trainable");
		put_number(b, ", ", UNIT_COUNT, o->parameters, " in all variables\n");
	} else if (o->parameters) {
		put_number(b, "parameters        ", UNIT_COUNT, o->parameters, "\n");
	}
	if (o->summary.has_float_ops) {
		put_number(b, "float operations  ", UNIT_COUNT, o->float_ops, "");
		if (o->uncounted)
			buf_printf(b, " (%s)", o->uncounted);
		buf_char(b, '\n');
	}
}

static void put_gaps(struct buf *b, const struct tfprof_overview *o)
{
	for (size_t i = 0; o->gaps[i]; i++)
		buf_printf(b, "%s%s: add %s\n", i ? "                  " : "missing           ",
			o->gaps[i]->what, o->gaps[i]->remedy);
}

enum tfprof_status tfprof_profile_describe(tfprof_profile *p, void **bytes, size_t *size,
	struct tfprof_error *err)
{
	struct buf b = {0};
	struct tfprof_overview o;
	enum tfprof_status status = tfprof_profile_get_overview(p, &o, err);

	if (status != TFPROF_OK)
		return status;
	put_inputs(&b, p);
	put_counts(&b, &o.summary);
	put_totals(&b, &o);
	put_gaps(&b, &o);
	if (b.failed) {
		buf_clear(&b);
		return error_no_memory(err);
	}
	*bytes = b.at;
	*size = b.n;
	return TFPROF_OK;
}
