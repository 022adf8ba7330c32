#include "query/table.h"

#include <assert.h>

void table_column_clear(struct table_column *c)
{
	mem_free(c->numbers);
	mem_free(c->doubles);
	vec_clear(&c->lists);
	vec_clear(&c->offsets);
	buf_clear(&c->bytes);
	*c = (struct table_column){0};
}

size_t table_column_count_bytes(const struct table_column *c)
{
	size_t n_numbers =
		(c->numbers || c->doubles ? c->view.n_rows : 0) + c->lists.cap + c->offsets.cap;

	return n_numbers * sizeof(int64_t) + c->bytes.cap;
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
	if (c->is_too_long || c->bytes.failed) {
		enum tfprof_status status = c->bytes.failed
			? error_no_memory(err)
			: error_set(err, TFPROF_UNSUPPORTED,
				  "the texts of column '%s' take more than 2 GB, which is the most "
				  "that is supported",
				  c->view.name);

		table_column_clear(c);
		return status;
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
	*t = (struct column_table){.n_rows = n_rows};
	t->columns = mem_zero_array(n_columns, sizeof(*t->columns));
	if (!t->columns)
		return false;
	t->n_columns = n_columns;
	for (size_t i = 0; i < n_columns; i++)
		if (!table_column_init(&t->columns[i], &infos[i], n_rows))
			return false;
	return true;
}

/* ---- trees ---- */

bool column_table_init_tree(struct column_table *t, const struct tfprof_column_info *infos,
	size_t n_columns)
{
	static const struct tfprof_column_info leading[N_TREE_COLUMNS] =
		{{"parent", TFPROF_COLUMN_INT64, NULL, 0}, {"depth", TFPROF_COLUMN_INT64, NULL, 0},
			{"name", TFPROF_COLUMN_TEXT, NULL, 0}};

	*t = (struct column_table){.is_tree = true};
	t->columns = mem_zero_array(n_columns + N_TREE_COLUMNS, sizeof(*t->columns));
	if (!t->columns)
		return false;
	t->n_columns = n_columns + N_TREE_COLUMNS;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct tfprof_column_info *info =
			i < N_TREE_COLUMNS ? &leading[i] : &infos[i - N_TREE_COLUMNS];

		if (!table_column_init(&t->columns[i], info, 0))
			return false;
		t->columns[i].view.is_nullable = i != TREE_DEPTH && i != TREE_NAME;
	}
	return true;
}

static bool grow(struct column_table *t)
{
	size_t capacity = t->capacity ? 2 * t->capacity : 64, bytes;

	if (__builtin_mul_overflow(capacity, sizeof(int64_t), &bytes))
		return false;
	for (size_t i = 0; i < t->n_columns; i++) {
		struct table_column *c = &t->columns[i];
		void *at = c->numbers ? (void *)c->numbers : (void *)c->doubles;

		if (!at)
			continue;
		at = mem_resize(at, bytes);
		if (!at)
			return false;
		if (c->numbers)
			c->numbers = at;
		else
			c->doubles = at;
	}
	t->capacity = capacity;
	return true;
}

void column_table_end(struct column_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		struct table_column *c = &t->columns[i];

		if (c->view.type == TFPROF_COLUMN_TEXT && c->offsets.n <= t->n_rows)
			table_end_text(c);
		else if (c->view.type == TFPROF_COLUMN_TEXTS && c->lists.n <= t->n_rows)
			table_end_list(c);
	}
}

size_t column_table_add_row(struct column_table *t, size_t parent, struct span name)
{
	size_t row = t->n_rows;

	if (t->failed || (row == t->capacity && !grow(t))) {
		t->failed = true;
		return 0;
	}
	column_table_end(t);
	for (size_t i = 0; i < t->n_columns; i++) {
		if (t->columns[i].numbers)
			t->columns[i].numbers[row] = -1;
		else if (t->columns[i].doubles)
			t->columns[i].doubles[row] = NAN;
	}
	t->n_rows++;
	t->columns[TREE_PARENT].numbers[row] = parent == TABLE_NO_PARENT ? -1 : (int64_t)parent;
	t->columns[TREE_DEPTH].numbers[row] =
		parent == TABLE_NO_PARENT ? 0 : t->columns[TREE_DEPTH].numbers[parent] + 1;
	table_put_text(&t->columns[TREE_NAME], name);
	return row;
}

void table_set_int(struct column_table *t, size_t row, size_t column, int64_t value)
{
	if (!t->failed)
		t->columns[N_TREE_COLUMNS + column].numbers[row] = value;
}

void table_set_double(struct column_table *t, size_t row, size_t column, double value)
{
	if (!t->failed)
		t->columns[N_TREE_COLUMNS + column].doubles[row] = value;
}

void table_set_text(struct column_table *t, size_t row, size_t column, struct span text)
{
	if (t->failed)
		return;
	assert(row + 1 == t->n_rows);
	table_put_text(&t->columns[N_TREE_COLUMNS + column], text);
}

enum tfprof_status column_table_finish(struct column_table *t, struct tfprof_error *err)
{
	enum tfprof_status status = t->failed ? error_no_memory(err) : TFPROF_OK;

	if (status == TFPROF_OK && t->is_tree) {
		column_table_end(t);
		for (size_t i = 0; i < t->n_columns; i++)
			t->columns[i].view.n_rows = t->n_rows;
	}
	for (size_t i = 0; status == TFPROF_OK && i < t->n_columns; i++)
		status = table_column_finish(&t->columns[i], err);
	return status;
}

size_t column_table_count_bytes(const struct column_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		n += table_column_count_bytes(&t->columns[i]);
	return n;
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
		if (strcmp(t->columns[i].view.name, name) == 0)
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
