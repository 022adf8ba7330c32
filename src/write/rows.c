#include "write/rows.h"

enum tfprof_status rows_init(struct rows *rows, const struct writing *w,
	const enum column_id *first, size_t n_first, struct tfprof_error *err)
{
	enum column_id ids[2 * N_COLUMNS];
	size_t n = n_first;

	*rows = (struct rows){0};
	memcpy(ids, first, n_first * sizeof(*ids));
	for (enum column_id id = 0; id < N_COLUMNS; id++)
		if (column_is_selected(id, w->q->options))
			ids[n++] = id;
	for (size_t i = 0; i < n; i++)
		rows->columns[rows->n++] = &w->columns->at[ids[i]].view;
	return columns_make(w->columns, w->q, ids, n, err);
}

enum tfprof_status rows_end(struct rows *rows, enum tfprof_status status, struct tfprof_error *err)
{
	if (status == TFPROF_OK && rows->text.failed)
		status = error_no_memory(err);
	buf_clear(&rows->text);
	return status;
}

struct span rows_text(struct rows *rows, const struct tfprof_column *c, size_t row)
{
	if (c->type == TFPROF_COLUMN_TEXT)
		return table_text(c, row);
	rows->text.n = 0;
	table_join(c, row, "|", &rows->text);
	return buf_get(&rows->text);
}
