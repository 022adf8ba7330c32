#include "advise/findings.h"

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, unit) {name, TFPROF_COLUMN_##type, unit, 0},
	FINDING_COLUMNS(X)
#undef X
};

static size_t count(const struct advice *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->verdicts.n; i++)
		n += a->verdicts.at[i].findings.n;
	return n;
}

/* The finding's places, without consecutive repeats: they often share a device or op. */
static void put_places(struct table_column *c, const struct finding *f, size_t offset)
{
	struct span last = {0};

	for (size_t i = 0; i < f->places.n; i++) {
		const char *place = (const char *)&f->places.at[i];
		const struct span *text = (const struct span *)(const void *)(place + offset);

		if (text->n && !(last.n && span_equal(last, *text)))
			table_put_text(c, *text);
		last = *text;
	}
	table_end_list(c);
}

static void put_finding(struct column_table *t, size_t row, const struct checker *checker,
	const struct finding *f)
{
	struct table_column *c = t->columns;

	table_put_text(&c[FINDING_CHECKER], span_of(checker->info.name));
	table_put_text(&c[FINDING_WHAT], span_of(f->what));
	table_put_text(&c[FINDING_LEVEL], span_of(advice_level_name(f->level)));
	table_put_text(&c[FINDING_CONFIDENCE], span_of(advice_confidence_name(f->confidence)));
	table_put_text(&c[FINDING_TEXT], f->text);
	table_put_text(&c[FINDING_REMEDY], span_of(f->remedy ? f->remedy : ""));
	c[FINDING_STEP].numbers[row] = f->step == NO_STEP ? -1 : f->step;
	c[FINDING_MICROS].numbers[row] = f->stake_us;
	c[FINDING_BYTES].numbers[row] = f->stake_bytes;
	c[FINDING_SHARE].doubles[row] = f->stake_share;
	put_places(&c[FINDING_DEVICES], f, offsetof(struct place, device));
	put_places(&c[FINDING_NODES], f, offsetof(struct place, node));
	put_places(&c[FINDING_OPS], f, offsetof(struct place, op));
	put_places(&c[FINDING_LINES], f, offsetof(struct place, line));
}

bool findings_make(struct column_table *t, const struct advice *a)
{
	size_t row = 0;

	if (!column_table_init(t, infos, N_FINDING_COLUMNS, count(a)))
		return false;
	t->columns[FINDING_STEP].view.is_nullable = 1;
	t->named_by = "what";
	for (size_t i = 0; i < a->verdicts.n; i++)
		for (size_t k = 0; k < a->verdicts.at[i].findings.n; k++)
			put_finding(t, row++, a->verdicts.at[i].checker,
				a->verdicts.at[i].findings.at[k]);
	return column_table_finish(t, NULL) == TFPROF_OK;
}
