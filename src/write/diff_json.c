/* A comparison as JSON. */
#include <math.h>

#include "write/diff.h"
#include "write/document.h"

static void put_change(struct json *j, int64_t base, int64_t new_value, double p)
{
	json_put_int(j, "base", base);
	json_put_int(j, "new", new_value);
	json_put_int(j, "delta", (int64_t)((uint64_t)new_value - (uint64_t)base));
	json_put_double(j, "percent", 100 * diff_ratio(base, new_value));
	if (p >= 0)
		json_put_double(j, "p", p);
}

static void put_names(struct json *j, const char *key, char *const *names, size_t n)
{
	json_key(j, key);
	json_open_array(j);
	for (size_t i = 0; i < n; i++)
		json_text(j, names[i]);
	json_close_array(j);
}

static void put_renames(struct json *j, const struct diff *d)
{
	json_key(j, "renames");
	json_open_object(j);
	for (size_t i = 1; i < d->n; i++)
		if (d->rows[i].state == DIFF_RENAMED &&
			d->rows[d->rows[i].parent].state != DIFF_RENAMED) {
			json_key_span(j, diff_base_row(d, &d->rows[i])->label);
			json_string(j, diff_name(d, &d->rows[i]));
		}
	json_close_object(j);
}

/* Shares of a step, 0 to 1. */
static void put_shares(struct json *j, const struct diff_sum *sum)
{
	json_put_double(j, "base", (double)sum->base / 1e6);
	json_put_double(j, "new", (double)sum->new_value / 1e6);
	json_put_double(j, "p", sum->p);
}

static void put_budgets(struct json *j, const struct diff_report *r)
{
	json_key(j, "budgets");
	json_open_array(j);
	for (size_t i = 0; i < r->budgets.n; i++) {
		const struct budget *b = &r->budgets.at[i];

		json_line(j);
		json_open_object(j);
		json_put_text(j, "rule", b->limit->text);
		json_put_text(j, "name", diff_limit_words()[b->limit->word].word);
		if (b->is_share)
			put_shares(j, &b->sum);
		else
			put_change(j, b->sum.base, b->sum.new_value, b->is_count ? -1 : b->sum.p);
		json_put_text(j, "status", budget_state_names[b->state]);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_number(struct json *j, const struct diff_metric *m, const struct diff_number *n,
	bool has_split)
{
	json_key(j, m->name);
	json_open_object(j);
	put_change(j, n->base, n->new_value, n->p);
	if (n->adjusted_p >= 0)
		json_put_double(j, "adjusted_p", n->adjusted_p);
	json_put_text(j, "verdict", diff_verdict_names[n->verdict]);
	if (has_split) {
		json_put_int(j, "grew", n->split.grew);
		json_put_int(j, "shrank", n->split.shrank);
		json_put_int(j, "added", n->split.added);
		json_put_int(j, "removed", n->split.removed);
	}
	json_close_object(j);
}

static void put_row(struct json *j, const struct diff_report *r, size_t i)
{
	const struct diff *d = &r->diff;
	const struct diff_row *row = &d->rows[i];
	const struct side_row *base = diff_base_row(d, row), *new_row = diff_new_row(d, row);

	json_line(j);
	json_open_object(j);
	json_put_int(j, "id", (int64_t)i);
	json_key(j, "parent");
	if (row->parent == NONE)
		json_null(j);
	else
		json_int(j, row->parent);
	json_put_int(j, "depth", row->depth);
	json_put_string(j, "name", diff_name(d, row));
	if (base && new_row && !span_equal(base->label, new_row->label))
		json_put_string(j, "base_name", base->label);
	json_put_text(j, "state", diff_state_names[row->state]);
	if (row->is_guessed)
		json_put_bool(j, "guessed", true);
	if (row->is_moved) {
		json_put_string(j, "base_device", base->device);
		json_put_string(j, "device", new_row->device);
	}
	for (size_t m = 0; m < d->n_metrics; m++)
		put_number(j, &d->metrics[m], diff_number(d, i, m),
			row->has_children && !r->is_list);
	json_close_object(j);
}

static void write_json(const struct answer *a, struct sink *out)
{
	const struct diff_report *r = a->detail;
	const struct diff *d = &r->diff;
	struct json j = json_writer(out);

	document_open(&j, "diff", NULL);
	answer_put_capture(a, &j);
	answer_put_notes(a, &j);
	json_put_text(&j, "view", r->view);
	put_names(&j, "base", r->base.at, r->base.n);
	put_names(&j, "new", r->new_names.at, r->new_names.n);
	if (d->headline.n)
		json_put_text(&j, "headline", d->headline.at);
	json_key(&j, "samples");
	json_open_array(&j);
	json_int(&j, (int64_t)d->base.runs.n);
	json_int(&j, (int64_t)d->new_side.runs.n);
	json_close_array(&j);
	put_renames(&j, d);
	if (d->batch.n_rows && 2 * d->batch.n_rows > d->batch.n_known) {
		json_key(&j, "batch_size");
		json_open_array(&j);
		json_int(&j, d->batch.from);
		json_int(&j, d->batch.to);
		json_close_array(&j);
	}
	put_budgets(&j, r);
	json_key(&j, "nodes");
	json_open_array(&j);
	for (size_t i = 0; i < d->n; i++)
		put_row(&j, r, i);
	json_close_array(&j);
	json_close_object(&j);
	sink_char(out, '\n');
}

bool diff_write(struct answer *a, enum format format, struct sink *out, enum tfprof_status *status,
	struct tfprof_error *err)
{
	switch (format) {
	case FORMAT_JSON: write_json(a, out); break;
	case FORMAT_MARKDOWN: diff_write_markdown(a->detail, out); break;
	case FORMAT_PPROF: *status = diff_write_pprof(a->detail, out, err); break;
	default: return false;
	}
	return true;
}
