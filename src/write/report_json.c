#include "write/report_rows.h"

#include "write/combinations.h"
#include "write/json.h"
#include "write/report.h"
#include "write/table.h"

enum { SCHEMA_VERSION = 1 };

static const char *const view_names[] = {
	[TFPROF_SCOPE] = "scope",
	[TFPROF_GRAPH] = "graph",
	[TFPROF_OP] = "op",
	[TFPROF_CODE] = "code",
};

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

static void put_head(const struct query *q, struct json *j)
{
	json_put_text(j, "schema", "tfprof-report");
	json_put_int(j, "version", SCHEMA_VERSION);
	json_put_text(j, "view", view_names[q->kind]);
	json_line(j);
	json_key(j, "options");
	json_open_object(j);
	for (size_t id = 0; id < N_OPTIONS; id++)
		put_option(q->options, id, j);
	json_close_object(j);
	json_line(j);
	json_key(j, "steps");
	json_open_array(j);
	for (size_t i = 0; i < q->model->steps.n; i++)
		json_int(j, q->model->steps.at[i]);
	json_close_array(j);
	json_put_bool(j, "misses_accelerator_stream", q->model->misses_accelerator_stream);
}

/* Op view: what its nodes were fed with. */
static bool put_combinations(struct query *q, uint32_t view, struct json *j)
{
	struct combinations c;
	bool fine = combinations_make(&c, q, report_nodes_of(q, view), "|");

	json_key(j, "input_types");
	json_open_array(j);
	for (size_t i = 0; fine && i < c.n; i++) {
		json_open_object(j);
		json_put_string(j, "input_shapes", c.at[i].text);
		json_put_int(j, "run_count", c.at[i].runs);
		json_put_int(j, "definition_count", c.at[i].defined);
		json_put_int(j, "exec_micros", c.at[i].micros);
		json_close_object(j);
	}
	json_close_array(j);
	combinations_clear(&c);
	return fine;
}

static bool put_node(struct query *q, uint32_t i, const struct table_reader *t, struct json *j)
{
	const struct tfprof_row *row = &t->row;
	const struct table_field *f;
	size_t at = 0;
	bool fine = true;

	json_line(j);
	json_open_object(j);
	json_put_int(j, "id", i);
	json_key(j, "parent");
	if (row->parent < 0)
		json_null(j);
	else
		json_int(j, row->parent);
	json_put_int(j, "depth", row->depth);
	json_put_string(j, "name", buf_get(&t->name));
	json_put_bool(j, "accounted", row->accounted);
	while ((f = table_next_field(q->options->selected, &at)) != NULL)
		if (f->is_text)
			json_put_string(j, f->name, table_get_text(t, f));
		else
			json_put_int(j, f->name, table_get_int(t, f));
	if (q->kind == TFPROF_OP && i && options_select(q->options, SEL_INPUT_SHAPES))
		fine = put_combinations(q, q->view[i], j);
	json_close_object(j);
	return fine;
}

bool report_json_write(struct query *q, struct sink *out)
{
	struct table_reader t = {.q = q, .selected = q->options->selected};
	struct json j = json_writer(out);
	bool fine = true;

	json_open_object(&j);
	put_head(q, &j);
	json_line(&j);
	json_key(&j, "nodes");
	json_open_array(&j);
	for (uint32_t i = 0; fine && i < q->n && !query_cancelled(q); i++)
		fine = table_read(&t, i) && put_node(q, i, &t, &j);
	sink_char(out, '\n');
	json_close_array(&j);
	json_close_object(&j);
	sink_char(out, '\n');
	table_reader_clear(&t);
	return fine;
}
