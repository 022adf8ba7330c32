/* A view's rows as a table, of which each row keeps its first rows only:
 *
 *     rows of the query  ──make_table()──>  table with their columns  ──>  column_table_keep_top()
 */
#include "ask/view_top.h"

#include "ask/view.h"
#include "query/table_top.h"

struct shown {
	enum column_id ids[N_COLUMNS];
	struct tfprof_column_info infos[N_COLUMNS];
	const char *sums[N_COLUMNS + 1];
	size_t n, n_sums;
};

static bool is_total(const struct tfprof_column_info *info)
{
	return strncmp(info->name, "total_", 6) == 0;
}

/* The columns that the options select. In op view a total is that of a row and of all after it. */
static void choose_columns(struct shown *s, const struct query *q)
{
	for (enum column_id id = COLUMN_ACCOUNTED; id < N_COLUMNS; id++) {
		struct tfprof_column_info *info = &s->infos[s->n];

		if (id != COLUMN_ACCOUNTED && !column_is_selected(id, q->options))
			continue;
		s->ids[s->n++] = id;
		*info = *tfprof_column_get_info(id);
		if (info->type == TFPROF_COLUMN_TEXTS)
			info->type = TFPROF_COLUMN_TEXT;
		if (column_metrics(id) && info->type == TFPROF_COLUMN_INT64 &&
			!(q->kind == TFPROF_OP && is_total(info)))
			s->sums[s->n_sums++] = info->name;
	}
}

static void copy_cell(struct column_table *t, const struct tfprof_column *c, size_t row, size_t at,
	struct buf *text)
{
	switch (c->type) {
	case TFPROF_COLUMN_DOUBLE: table_set_double(t, row, at, c->doubles[row]); break;
	case TFPROF_COLUMN_TEXT: table_set_text(t, row, at, table_text(c, row)); break;
	case TFPROF_COLUMN_TEXTS:
		text->n = 0;
		table_join(c, row, "|", text);
		table_set_text(t, row, at, buf_get(text));
		break;
	default: table_set_int(t, row, at, c->numbers[row]);
	}
}

static bool make_table(struct column_table *t, const struct shown *s, const struct view_rows *rows)
{
	const struct query *q = &rows->query;
	struct buf text = {0};
	bool ok = column_table_init_tree(t, s->infos, s->n);

	for (uint32_t i = 0; ok && i < q->n; i++) {
		struct span name = tree_label(q->tree, q->view[i]);
		size_t row = column_table_add_row(t, i ? q->parent[i] : TABLE_NO_PARENT, name);

		for (size_t k = 0; k < s->n; k++)
			copy_cell(t, &rows->columns.at[s->ids[k]].view, row, k, &text);
	}
	ok = ok && !t->failed && !text.failed;
	buf_clear(&text);
	return ok;
}

/* What the first of the rows left out has: its total has those of the others. */
static void put_rest(struct column_table *t, const struct shown *s, const struct columns *from,
	size_t n)
{
	for (size_t k = 0; k < s->n; k++)
		if (column_metrics(s->ids[k]) && is_total(&s->infos[k]))
			table_set_int(t, n + 1, k, from->at[s->ids[k]].numbers[n + 1]);
}

enum tfprof_status view_keep_top(struct answer *a, size_t n, size_t *n_left_out,
	struct tfprof_error *err)
{
	struct view_rows *rows = a->view;
	struct shown s = {0};
	enum tfprof_status status;

	choose_columns(&s, &rows->query);
	status = view_need_columns(rows, s.ids, s.n, err);
	if (status != TFPROF_OK)
		return status;
	if (!make_table(&a->table, &s, rows) ||
		!column_table_keep_top(&a->table, n, s.sums, n_left_out))
		return error_no_memory(err);
	if (*n_left_out && rows->query.kind == TFPROF_OP)
		put_rest(&a->table, &s, &rows->columns, n);
	a->view = NULL;
	view_rows_free(rows);
	return TFPROF_OK;
}
