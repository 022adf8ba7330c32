/* Rows as JSON objects. */
#include "write/table.h"

static void put_row(struct written *w, size_t row, struct json *j)
{
	size_t n = written_n_cells(w);

	for (size_t k = 0; k < n; k++) {
		struct cell c = written_get_cell(w, row, k);

		json_key(j, written_get_name(w, k));
		switch (c.type) {
		case CELL_NULL: json_null(j); break;
		case CELL_INT: json_int(j, c.number); break;
		case CELL_BOOL: json_bool(j, c.number); break;
		case CELL_DOUBLE: json_double(j, c.real); break;
		case CELL_TEXT: json_string(j, c.text); break;
		}
	}
}

bool table_put_nodes(struct written *w, struct json *j)
{
	size_t n_rows = written_n_rows(w);
	bool ok = true;

	json_key(j, "nodes");
	json_open_array(j);
	for (size_t row = 0; ok && row < n_rows && !written_stops(w, j->sink); row++) {
		json_line(j);
		json_open_object(j);
		put_row(w, row, j);
		if (w->put_members)
			ok = w->put_members(w->context, row, j);
		json_close_object(j);
	}
	sink_char(j->sink, '\n');
	json_close_array(j);
	return ok;
}

void table_write_jsonl(struct written *w, struct sink *out)
{
	size_t n_rows = written_n_rows(w);

	for (size_t row = 0; row < n_rows && !written_stops(w, out); row++) {
		struct json j = json_writer(out);

		json_open_object(&j);
		put_row(w, row, &j);
		json_close_object(&j);
		sink_char(out, '\n');
	}
}
