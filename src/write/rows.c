#include "write/rows.h"

static enum tfprof_status add(struct rows *rows, const struct writing *w, enum column_id id,
	struct tfprof_error *err)
{
	enum tfprof_status status = columns_make(w->columns, w->q, id, err);

	if (status == TFPROF_OK)
		rows->columns[rows->n++] = &w->columns->at[id].view;
	return status;
}

enum tfprof_status rows_init(struct rows *rows, const struct writing *w,
	const enum column_id *first, size_t n_first, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	*rows = (struct rows){0};
	for (size_t i = 0; status == TFPROF_OK && i < n_first; i++)
		status = add(rows, w, first[i], err);
	for (enum column_id id = 0; status == TFPROF_OK && id < N_COLUMNS; id++)
		if (column_is_selected(id, w->q->options))
			status = add(rows, w, id, err);
	return status;
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
