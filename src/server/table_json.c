#include "server/table_json.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

static enum tfprof_status open_numbers(tfprof_result *result, const char *name,
	const int64_t **numbers, struct tfprof_error *err)
{
	struct tfprof_column column;
	enum tfprof_status status = tfprof_result_get_column(result, name, &column, err);

	*numbers = status == TFPROF_OK ? column.numbers : NULL;
	return status;
}

/* A metric has two columns, NAME and total_NAME. */
static enum tfprof_status open_metrics(struct table_json *t, tfprof_result *result,
	struct tfprof_error *err)
{
	const struct tfprof_column_info *info;
	enum tfprof_status status = TFPROF_OK;
	static const char total[] = "total_";

	for (size_t i = 0; status == TFPROF_OK && (info = tfprof_column_get_info(i)); i++) {
		struct table_json_metric *metric = &t->metrics[t->n_metrics];

		if (strncmp(info->name, total, sizeof(total) - 1) != 0 ||
			t->n_metrics == TABLE_JSON_MAX_METRICS)
			continue;
		metric->name = info->name + sizeof(total) - 1;
		status = open_numbers(result, info->name, &metric->total, err);
		if (status == TFPROF_OK)
			status = open_numbers(result, metric->name, &metric->own, err);
		t->n_metrics++;
	}
	return status;
}

enum tfprof_status table_json_open(struct table_json *t, enum tfprof_view view,
	tfprof_result *result, struct tfprof_error *err)
{
	const struct {
		const char *name;
		const int64_t **numbers;
	} numbers[] = {{"parent", &t->parent}, {"depth", &t->depth}, {"end", &t->end},
		{"node", &t->node}};
	const struct {
		const char *name;
		struct tfprof_column *column;
	} texts[] = {{"name", &t->name}, {"shape", &t->shape}, {"device", &t->device},
		{"op_types", &t->op_types}, {"path", &t->path}, {"line", &t->line},
		{"function", &t->function}};
	enum tfprof_status status = TFPROF_OK;

	*t = (struct table_json){.view = view, .n_rows = tfprof_result_get_n_rows(result)};
	for (size_t i = 0; status == TFPROF_OK && i < sizeof(numbers) / sizeof(*numbers); i++)
		status = open_numbers(result, numbers[i].name, numbers[i].numbers, err);
	for (size_t i = 0; status == TFPROF_OK && i < sizeof(texts) / sizeof(*texts); i++)
		status = tfprof_result_get_column(result, texts[i].name, texts[i].column, err);
	return status == TFPROF_OK ? open_metrics(t, result, err) : status;
}

const struct table_json_metric *table_json_metric(const struct table_json *t, const char *name)
{
	for (size_t i = 0; i < t->n_metrics; i++)
		if (strcmp(t->metrics[i].name, name) == 0)
			return &t->metrics[i];
	return NULL;
}

struct span table_json_text(const struct tfprof_column *c, int64_t item)
{
	return (struct span){c->bytes + c->offsets[item],
		(size_t)(c->offsets[item + 1] - c->offsets[item])};
}

struct span table_json_name(const struct table_json *t, int64_t row)
{
	return table_json_text(&t->name, row);
}

struct span table_json_path(const struct table_json *t, int64_t row)
{
	return table_json_text(&t->path, row);
}

static int64_t count_kids(const struct table_json *t, int64_t row)
{
	int64_t n = 0;

	for (int64_t child = row + 1; child < t->end[row]; child = t->end[child])
		n++;
	return n;
}

static void put_numbers(const struct table_json *t, int64_t row, bool total, struct json *out)
{
	json_key(out, total ? "total" : "own");
	json_open_object(out);
	for (size_t i = 0; i < t->n_metrics; i++) {
		int64_t value = (total ? t->metrics[i].total : t->metrics[i].own)[row];

		if (value)
			json_put_int(out, t->metrics[i].name, value);
	}
	json_close_object(out);
}

static void put_text(const struct tfprof_column *c, const char *key, int64_t row, struct json *out)
{
	struct span text = table_json_text(c, row);

	if (text.n)
		json_put_string(out, key, text);
}

/* In byte order. A node that ran nowhere adds an empty device, as in TensorFlow's profiler;
 * nobody wants to see it among the others. */
static void put_texts(const struct tfprof_column *c, const char *key, int64_t row, struct json *out)
{
	int64_t item = c->lists[row], end = c->lists[row + 1];

	while (item < end && !table_json_text(c, item).n)
		item++;
	if (item == end)
		return;
	json_key(out, key);
	json_open_array(out);
	for (; item < end; item++)
		json_string(out, table_json_text(c, item));
	json_close_array(out);
}

static void put_family(struct span op, struct json *out)
{
	json_put_text(out, "family", tfprof_op_get_family(op.at, op.n));
}

void table_json_begin(const struct table_json *t, int64_t row, struct json *out)
{
	json_open_object(out);
	json_put_int(out, "row", row);
	if (t->node[row] >= 0)
		json_put_int(out, "node", t->node[row]);
	json_put_string(out, "name", table_json_name(t, row));
	json_put_int(out, "depth", t->depth[row]);
	json_put_int(out, "kids", count_kids(t, row));
	if (t->view == TFPROF_OP)
		put_family(table_json_name(t, row), out);
	put_numbers(t, row, false, out);
	put_numbers(t, row, true, out);
	if (t->find && regexes_match(t->find, table_json_name(t, row)))
		json_put_bool(out, "match", true);
	if (t->selected)
		json_put_int(out, "selected", t->selected[row]);
	put_text(&t->shape, "shape", row, out);
	put_texts(&t->device, "device", row, out);
	put_texts(&t->op_types, "op_types", row, out);
	put_text(&t->path, "path", row, out);
	put_text(&t->function, "function", row, out);
	if (t->line.numbers && t->line.numbers[row] > 0)
		json_put_int(out, "line", t->line.numbers[row]);
}

void table_json_put_path(const int64_t *parent, const struct tfprof_column *names, int64_t row,
	struct json *out)
{
	int64_t path[64];
	size_t n = 0;

	for (; row > 0 && n < sizeof(path) / sizeof(*path); row = parent[row])
		path[n++] = row;
	json_key(out, "path");
	json_open_array(out);
	while (n) {
		json_open_object(out);
		json_put_int(out, "row", path[--n]);
		json_put_string(out, "name", table_json_text(names, path[n]));
		json_close_object(out);
	}
	json_close_array(out);
}

void table_json_put(const struct table_json *t, int64_t row, struct json *out)
{
	table_json_begin(t, row, out);
	json_close_object(out);
}
