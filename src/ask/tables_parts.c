/* The table parts: what the steps of traces went to (model/anatomy.h), by step and part; the gap
 * before a step is one, too. Profiles without traces have no rows. */
#include "ask/tables.h"
#include "load/anatomy/hosts.h"

enum { PARTS_STEP, PARTS_PART, PARTS_MICROS, PARTS_HIDDEN, PARTS_SHARE, PARTS_STEADY, PARTS_CAUSE };

static const struct tfprof_column_info infos[] = {
	{"step", TFPROF_COLUMN_INT64, NULL, 0},
	{"part", TFPROF_COLUMN_TEXT, NULL, 0},
	{"part_micros", TFPROF_COLUMN_DOUBLE, "microseconds", 0},
	{"hidden_micros", TFPROF_COLUMN_DOUBLE, "microseconds", 0},
	{"share", TFPROF_COLUMN_DOUBLE, NULL, 0},
	{"steady", TFPROF_COLUMN_BOOL, NULL, 0},
	{"cause", TFPROF_COLUMN_TEXT, NULL, 0},
};

/* Whose rows a step has: all but that of a single device. */
static bool is_shown(unsigned part)
{
	return part != ANATOMY_IDLE;
}

static struct span largest(const struct anatomy_causes *causes, unsigned part)
{
	for (size_t i = 0; i < causes->n; i++)
		if (part == N_ANATOMY_PARTS || causes->at[i].part == part)
			return causes->at[i].text;
	return SPAN("");
}

/* Part N_ANATOMY_PARTS: the gap. */
static void put_part(struct column_table *t, size_t row, const struct anatomy_step *step,
	unsigned part)
{
	struct table_column *c = t->columns;
	bool is_gap = part == N_ANATOMY_PARTS;
	double ps = (double)(is_gap ? step->gap_ps : step->parts[part]);

	c[PARTS_STEP].numbers[row] = step->number;
	table_put_text(&c[PARTS_PART], is_gap ? SPAN("gap") : span_of(anatomy_part_name(part)));
	c[PARTS_MICROS].doubles[row] = ps / 1e6;
	c[PARTS_HIDDEN].doubles[row] = is_gap ? 0 : (double)step->hidden[part] / 1e6;
	c[PARTS_SHARE].doubles[row] = step->wall_ps > 0 ? ps / (double)step->wall_ps : 0;
	c[PARTS_STEADY].numbers[row] = step->is_steady;
	table_put_text(&c[PARTS_CAUSE], largest(is_gap ? &step->gap_causes : &step->causes, part));
}

static enum tfprof_status put_parts(struct column_table *t, const struct anatomy *a, int64_t only,
	struct tfprof_error *err)
{
	enum { N = sizeof(infos) / sizeof(*infos) };
	size_t n_steps = 0, row = 0;

	for (size_t i = 0; a && i < a->steps.n; i++)
		n_steps += only < 0 || a->steps.at[i].number == only;
	/* All parts but one, and the gap. */
	if (!column_table_init(t, infos, N, n_steps * N_ANATOMY_PARTS))
		return error_no_memory(err);
	for (size_t i = 0; a && i < a->steps.n; i++)
		for (unsigned part = 0; part <= N_ANATOMY_PARTS; part++)
			if (is_shown(part) && (only < 0 || a->steps.at[i].number == only))
				put_part(t, row++, &a->steps.at[i], part);
	return column_table_finish(t, err);
}

enum tfprof_status table_make_parts(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	struct anatomy_hosts hosts;
	enum tfprof_status status = anatomy_hosts_read(&hosts, source->model, SPAN(""), err);

	if (status == TFPROF_OK)
		status = put_parts(t, anatomy_hosts_get(&hosts), source->steps.only, err);
	anatomy_hosts_clear(&hosts);
	return status;
}
