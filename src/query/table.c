#include "query/table.h"

void table_column_clear(struct table_column *c)
{
	mem_free(c->numbers);
	mem_free(c->doubles);
	vec_clear(&c->lists);
	vec_clear(&c->offsets);
	buf_clear(&c->bytes);
	*c = (struct table_column){0};
}

static bool reserve(struct table_column *c, size_t n)
{
	switch (c->view.type) {
	case TFPROF_COLUMN_INT64:
	case TFPROF_COLUMN_BOOL: c->numbers = mem_array(n, sizeof(*c->numbers)); return c->numbers;
	case TFPROF_COLUMN_DOUBLE:
		c->doubles = mem_array(n, sizeof(*c->doubles));
		return c->doubles;
	case TFPROF_COLUMN_TEXTS:
		if (!vec_reserve(&c->lists, n + 1) || !vec_push(&c->lists, 0))
			return false;
		break;
	case TFPROF_COLUMN_TEXT: break;
	}
	return vec_reserve(&c->offsets, n + 1) && vec_push(&c->offsets, 0);
}

bool table_column_init(struct table_column *c, const struct tfprof_column_info *info, size_t n)
{
	c->view = (struct tfprof_column){.name = info->name,
		.type = info->type,
		.unit = info->unit,
		.n_rows = n};
	if (reserve(c, n))
		return true;
	table_column_clear(c);
	return false;
}

enum tfprof_status table_column_finish(struct table_column *c, struct tfprof_error *err)
{
	if (c->bytes.failed) {
		table_column_clear(c);
		return error_no_memory(err);
	}
	c->view.numbers = c->numbers;
	c->view.doubles = c->doubles;
	c->view.lists = c->lists.at;
	c->view.offsets = c->offsets.at;
	c->view.bytes = buf_get(&c->bytes).at;
	return TFPROF_OK;
}

bool column_table_init(struct column_table *t, const struct tfprof_column_info *infos,
	size_t n_columns, size_t n_rows)
{
	*t = (struct column_table){.infos = infos, .n_rows = n_rows};
	t->columns = mem_zero_array(n_columns, sizeof(*t->columns));
	if (!t->columns)
		return false;
	t->n_columns = n_columns;
	for (size_t i = 0; i < n_columns; i++)
		if (!table_column_init(&t->columns[i], &infos[i], n_rows))
			return false;
	return true;
}

enum tfprof_status column_table_finish(struct column_table *t, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < t->n_columns; i++)
		status = table_column_finish(&t->columns[i], err);
	return status;
}

void column_table_clear(struct column_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++)
		table_column_clear(&t->columns[i]);
	mem_free(t->columns);
	*t = (struct column_table){0};
}

const struct tfprof_column *column_table_find(const struct column_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (strcmp(t->infos[i].name, name) == 0)
			return &t->columns[i].view;
	return NULL;
}

void table_join(const struct tfprof_column *c, size_t row, const char *separator, struct buf *b)
{
	for (int64_t i = c->lists[row]; i < c->lists[row + 1]; i++) {
		if (i > c->lists[row])
			buf_text(b, separator);
		buf_span(b, table_text(c, (size_t)i));
	}
}
