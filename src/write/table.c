#include "write/table.h"

/* Before the columns: the id; of a flat table also these. */
static const char *const added[] = {"id", "parent", "depth", "name"};

static size_t n_added(const struct written *w)
{
	if (!w->root)
		return 1;
	return w->name && strcmp(w->name->name, "name") == 0 ? 3 : 4;
}

size_t written_n_rows(const struct written *w)
{
	return w->n_rows + (w->root ? 1 : 0);
}

size_t written_n_cells(const struct written *w)
{
	return n_added(w) + w->n_columns;
}

/* Renames a column of a flat table that has the name of an added one. */
const char *written_get_name(const struct written *w, size_t k)
{
	static const char *const own[] = {"own_id", "own_parent", "own_depth"};
	const char *name = k < n_added(w) ? added[k] : w->columns[k - n_added(w)]->name;

	for (size_t i = 0; w->root && k >= n_added(w) && i < 3; i++)
		if (strcmp(name, added[i]) == 0)
			return own[i];
	return name;
}

static struct cell int_cell(size_t number)
{
	return (struct cell){.type = CELL_INT, .number = (int64_t)number};
}

static struct cell cell_of(struct written *w, const struct tfprof_column *c, size_t row)
{
	if (table_is_null(c, row))
		return (struct cell){.type = CELL_NULL};
	switch (c->type) {
	case TFPROF_COLUMN_DOUBLE:
		return (struct cell){.type = isfinite(c->doubles[row]) ? CELL_DOUBLE : CELL_NULL,
			.real = c->doubles[row]};
	case TFPROF_COLUMN_BOOL: return (struct cell){.type = CELL_BOOL, .number = c->numbers[row]};
	case TFPROF_COLUMN_TEXT:
		return (struct cell){.type = CELL_TEXT, .text = table_text(c, row)};
	case TFPROF_COLUMN_TEXTS:
		w->text.n = 0;
		table_join(c, row, "|", &w->text);
		return (struct cell){.type = CELL_TEXT, .text = buf_get(&w->text)};
	default: return (struct cell){.type = CELL_INT, .number = c->numbers[row]};
	}
}

/* Of the root that is added to a flat table. */
static struct cell root_cell(const struct written *w, size_t k)
{
	const char *name = written_get_name(w, k);

	if (strcmp(name, "id") == 0 || strcmp(name, "depth") == 0)
		return int_cell(0);
	if (strcmp(name, "name") == 0)
		return (struct cell){.type = CELL_TEXT, .text = span_of(w->root)};
	return (struct cell){.type = CELL_NULL};
}

struct cell written_get_cell(struct written *w, size_t row, size_t k)
{
	size_t n = n_added(w);

	if (k == 0)
		return int_cell(row);
	if (!w->root)
		return cell_of(w, w->columns[k - n], row);
	if (row == 0)
		return root_cell(w, k);
	if (k >= n)
		return cell_of(w, w->columns[k - n], row - 1);
	if (k < 3)
		return int_cell(k - 1); /* parent 0, depth 1 */
	if (w->name)
		return cell_of(w, w->name, row - 1);
	w->text.n = 0;
	buf_int(&w->text, (int64_t)row - 1);
	return (struct cell){.type = CELL_TEXT, .text = buf_get(&w->text)};
}

bool written_stops(const struct written *w, const struct sink *out)
{
	return (w->stops && w->stops(w->context)) || sink_failed(out);
}
