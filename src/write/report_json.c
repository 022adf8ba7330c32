/* A report as JSON, version 1: options, steps and the shown nodes; lists are joined
 * by `|`. */
#include "query/combinations.h"
#include "write/json.h"
#include "write/rows.h"

enum { SCHEMA_VERSION = 1 };

static void put_option(const struct tfprof_options *o, size_t id, struct json *j)
{
	const struct tfprof_option_info *info = tfprof_option_get_info(id);
	const struct word_list *list = &o->list[id];

	json_key(j, info->name);
	if (strcmp(info->kind, "int") == 0) {
		json_int(j, o->number[id]);
	} else if (strcmp(info->kind, "bool") == 0) {
		json_bool(j, o->number[id]);
	} else if (strcmp(info->kind, "words") == 0 || strcmp(info->kind, "regexes") == 0) {
		json_open_array(j);
		for (size_t i = 0; i < list->n; i++)
			json_string(j, list->at[i]);
		json_close_array(j);
	} else {
		json_string(j, list->n ? list->at[0] : (struct span){"", 0});
	}
}

/* A max_depth that was not set has no effect, and is null. */
static void put_options(const struct query *q, struct json *j)
{
	json_key(j, "options");
	json_open_object(j);
	for (size_t id = 0; id < N_OPTIONS; id++) {
		if (id == OPT_MAX_DEPTH && !options_is_given(q->options, id)) {
			json_key(j, "max_depth");
			json_null(j);
		} else {
			put_option(q->options, id, j);
		}
	}
	json_close_object(j);
}

static void put_head(const struct query *q, struct json *j)
{
	json_put_text(j, "schema", "tfprof-report");
	json_put_int(j, "version", SCHEMA_VERSION);
	json_put_text(j, "view", tfprof_view_get_name(q->kind));
	json_line(j);
	put_options(q, j);
	json_line(j);
	json_key(j, "steps");
	json_open_array(j);
	for (size_t i = 0; i < q->model->steps.n; i++)
		json_int(j, q->model->steps.at[i]);
	json_close_array(j);
	json_put_bool(j, "misses_accelerator_stream", q->model->misses_accelerator_stream);
}

/* Op view: the input shapes its nodes ran with. */
static bool put_combinations(struct query *q, uint32_t view, struct json *j)
{
	struct combinations c;
	bool ok = combinations_make(&c, q, query_nodes(q, view), "|");

	json_key(j, "input_types");
	json_open_array(j);
	for (size_t i = 0; ok && i < c.n; i++) {
		json_open_object(j);
		json_put_string(j, "input_shapes", c.at[i].text);
		json_put_int(j, "run_count", c.at[i].runs);
		json_put_int(j, "definition_count", c.at[i].defined);
		json_put_int(j, "exec_micros", c.at[i].micros);
		json_close_object(j);
	}
	json_close_array(j);
	combinations_clear(&c);
	return ok;
}

static void put_value(struct rows *rows, const struct tfprof_column *c, uint32_t i, struct json *j)
{
	json_key(j, c->name);
	switch (c->type) {
	case TFPROF_COLUMN_TEXT:
	case TFPROF_COLUMN_TEXTS: json_string(j, rows_text(rows, c, i)); break;
	case TFPROF_COLUMN_BOOL: json_bool(j, c->numbers[i]); break;
	default:
		if (c->is_nullable && c->numbers[i] < 0)
			json_null(j);
		else
			json_int(j, c->numbers[i]);
	}
}

static bool put_node(const struct writing *w, struct rows *rows, uint32_t i, struct json *j)
{
	struct query *q = w->q;
	bool ok = true;

	json_line(j);
	json_open_object(j);
	json_put_int(j, "id", i);
	for (size_t k = 0; k < rows->n; k++)
		put_value(rows, rows->columns[k], i, j);
	if (q->kind == TFPROF_OP && i && options_select(q->options, SEL_INPUT_SHAPES))
		ok = put_combinations(q, q->view[i], j);
	json_close_object(j);
	return ok;
}

enum tfprof_status json_write(const struct writing *w, struct tfprof_error *err)
{
	static const enum column_id first[] = {COLUMN_PARENT, COLUMN_DEPTH, COLUMN_NAME,
		COLUMN_ACCOUNTED};
	struct json j = json_writer(w->out);
	struct rows rows;
	enum tfprof_status status = rows_init(&rows, w, first, 4, err);

	json_open_object(&j);
	put_head(w->q, &j);
	json_line(&j);
	json_key(&j, "nodes");
	json_open_array(&j);
	for (uint32_t i = 0; status == TFPROF_OK && i < w->q->n && !writer_stops(w->q, w->out); i++)
		if (!put_node(w, &rows, i, &j))
			status = error_no_memory(err);
	sink_char(w->out, '\n');
	json_close_array(&j);
	json_close_object(&j);
	sink_char(w->out, '\n');
	return rows_end(&rows, status, err);
}
