/* The shown nodes of a view in the formats of any table, and what JSON says besides. */
#include "query/combinations.h"
#include "write/answer.h"
#include "write/arrow_file.h"
#include "write/document.h"
#include "write/table.h"
#include "write/writer.h"

static void put_head(const struct writing *w, struct json *j)
{
	const struct query *q = w->q;

	document_open(j, tfprof_view_get_name(q->kind), q->options);
	answer_put_capture(w->answer, j);
	answer_put_notes(w->answer, j);
	json_put_text(j, "view", tfprof_view_get_name(q->kind));
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

/* ---- rows ------------------------------------------------------------------- */

static bool put_members(void *context, size_t row, struct json *j)
{
	struct query *q = context;

	return q->kind != TFPROF_OP || !row || !options_select(q->options, SEL_INPUT_SHAPES) ||
		put_combinations(q, q->view[row], j);
}

static bool stops(void *context)
{
	return query_cancelled(context);
}

struct rows {
	const struct tfprof_column *columns[N_COLUMNS];
	struct written written;
};

/* The position in the tree, then the columns that the options select; in JSON and op view of a
 * trace with accelerators also what kind of work it is, and its kernels and launches. */
static enum tfprof_status rows_init(struct rows *rows, const struct writing *w, bool has_more,
	struct tfprof_error *err)
{
	static const enum column_id first[] = {COLUMN_PARENT, COLUMN_DEPTH, COLUMN_NAME,
		COLUMN_ACCOUNTED};
	enum column_id ids[2 * N_COLUMNS];
	size_t n = sizeof(first) / sizeof(*first);

	memcpy(ids, first, sizeof(first));
	for (enum column_id id = 0; id < N_COLUMNS; id++)
		if (column_is_selected(id, w->q->options))
			ids[n++] = id;
	if (has_more && w->q->kind == TFPROF_OP && w->q->model->device_work.n) {
		if (!column_is_selected(COLUMN_KIND, w->q->options))
			ids[n++] = COLUMN_KIND;
		ids[n++] = COLUMN_KERNEL_COUNT;
		ids[n++] = COLUMN_LAUNCH_MICROS;
	}
	for (size_t i = 0; i < n; i++)
		rows->columns[i] = &w->columns->at[ids[i]].view;
	rows->written = (struct written){.columns = rows->columns,
		.n_columns = n,
		.n_rows = w->q->n,
		.formulas_as_text = w->q->options->output.formulas_as_text,
		.put_members = put_members,
		.stops = stops,
		.context = w->q};
	return columns_make(w->columns, w->q, ids, n, err);
}

static enum tfprof_status rows_end(struct rows *rows, enum tfprof_status status,
	struct tfprof_error *err)
{
	if (status == TFPROF_OK && rows->written.text.failed)
		status = error_no_memory(err);
	buf_clear(&rows->written.text);
	return status;
}

enum tfprof_status json_write(const struct writing *w, struct tfprof_error *err)
{
	struct json j = json_writer(w->out);
	struct rows rows;
	enum tfprof_status status = rows_init(&rows, w, true, err);

	put_head(w, &j);
	json_line(&j);
	if (status == TFPROF_OK && !table_put_nodes(&rows.written, &j))
		status = error_no_memory(err);
	json_close_object(&j);
	sink_char(w->out, '\n');
	return rows_end(&rows, status, err);
}

static enum tfprof_status write_rows(const struct writing *w,
	void (*write)(struct written *w, struct sink *out), struct tfprof_error *err)
{
	struct rows rows;
	enum tfprof_status status = rows_init(&rows, w, false, err);

	if (status == TFPROF_OK)
		write(&rows.written, w->out);
	return rows_end(&rows, status, err);
}

enum tfprof_status jsonl_write(const struct writing *w, struct tfprof_error *err)
{
	return write_rows(w, table_write_jsonl, err);
}

enum tfprof_status csv_write(const struct writing *w, struct tfprof_error *err)
{
	return write_rows(w, table_write_csv, err);
}

enum tfprof_status arrow_write(const struct writing *w, struct tfprof_error *err)
{
	struct rows rows;
	enum tfprof_status status = rows_init(&rows, w, false, err);

	if (status == TFPROF_OK)
		status =
			arrow_file_write_columns(rows.columns, rows.written.n_columns, w->out, err);
	return rows_end(&rows, status, err);
}

enum tfprof_status markdown_write(const struct writing *w, struct tfprof_error *err)
{
	return write_rows(w, table_write_markdown, err);
}
