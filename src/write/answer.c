#include "write/answer.h"

#include <errno.h>

#include "write/arrow_file.h"
#include "write/document.h"
#include "write/table.h"
#include "write/writer.h"

static const struct writers {
	const struct question *question;
	answer_text_fn *text;
	answer_members_fn *members;
	answer_format_fn *format;
} all_writers[] = {
#define X(name, text, members, format) {&name##_question, text, members, format},
	QUESTIONS(X)
#undef X
};

static const struct writers *writers_of(const struct answer *a)
{
	const struct writers *w = all_writers;

	while (w->question != a->question)
		w++;
	return w;
}

void no_members(const struct answer *a, struct json *j)
{
}

bool no_format(struct answer *a, enum format format, struct sink *out, enum tfprof_status *status,
	struct tfprof_error *err)
{
	return false;
}

/* What writes rows; the JSON writer, too, is called in this way. */
typedef void write_fn(struct written *w, struct sink *out);

struct asked_answer {
	const struct answer *answer;
	const struct tfprof_options *options; /* may be NULL */
};

static enum tfprof_status write_table(const struct asked_answer *d, write_fn *write,
	struct sink *out, struct tfprof_error *err)
{
	const struct column_table *t = &d->answer->table;
	const struct tfprof_column **columns = mem_zero_array(t->n_columns + 1, sizeof(*columns));
	struct asked_answer context = *d;
	struct written w = {.columns = columns,
		.n_columns = t->n_columns,
		.n_rows = t->n_rows,
		.formulas_as_text = d->options && d->options->output.formulas_as_text,
		.context = &context};
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; columns && i < t->n_columns; i++)
		columns[i] = &t->columns[i].view;
	if (!t->is_tree) {
		w.root = d->answer->question->name;
		w.name = column_table_find(t, t->named_by ? t->named_by : "name");
	}
	if (columns)
		write(&w, out);
	if (!columns || w.text.failed)
		status = error_no_memory(err);
	buf_clear(&w.text);
	mem_free(columns);
	return status;
}

void plain_text(const struct answer *a, struct sink *out)
{
	struct asked_answer d = {.answer = a};

	const struct answer_field *left = answer_find_field(a, "rows_left_out");

	if (write_table(&d, table_write_text, out, NULL) != TFPROF_OK)
		sink_fail(out, ENOMEM);
	if (!a->table.is_tree && left && left->number) /* a tree has a row for them */
		sink_printf(out, "... %lld more\n", (long long)left->number);
}

void headline_text(const struct answer *a, struct sink *out)
{
	const struct answer_field *headline = answer_find_field(a, "headline");

	if (headline && headline->type == FIELD_TEXT) {
		sink_text(out, headline->text);
		sink_text(out, "\n\n");
	}
	plain_text(a, out);
}

/* ---- JSON ---------------------------------------------------------------------- */

void answer_put_notes(const struct answer *a, struct json *j)
{
	json_key(j, "notes");
	json_open_array(j);
	for (size_t i = 0; i < a->notes.n; i++) {
		json_open_object(j);
		json_put_text(j, "id", a->notes.at[i].id);
		json_put_text(j, "text", a->notes.at[i].text);
		json_close_object(j);
	}
	json_close_array(j);
	json_line(j);
}

static void put_fields(const struct answer *a, struct json *j)
{
	for (size_t i = 0; i < a->fields.n; i++) {
		const struct answer_field *field = &a->fields.at[i];

		json_key(j, field->key);
		switch (field->type) {
		case FIELD_TEXT: json_text(j, field->text); break;
		case FIELD_INT: json_int(j, field->number); break;
		case FIELD_DOUBLE: json_double(j, field->real); break;
		case FIELD_NULL: json_null(j); break;
		}
	}
	if (a->fields.n)
		json_line(j);
}

static void write_json(struct written *w, struct sink *out)
{
	const struct asked_answer *d = w->context;
	const struct writers *own = writers_of(d->answer);
	struct json j = json_writer(out);

	/* Further members say what was asked. */
	document_open(&j, d->answer->question->name,
		own->members == no_members ? d->options : NULL);
	answer_put_capture(d->answer, &j);
	answer_put_notes(d->answer, &j);
	put_fields(d->answer, &j);
	if (own->members != no_members) {
		own->members(d->answer, &j);
		json_line(&j);
	}
	table_put_nodes(w, &j);
	json_close_object(&j);
	sink_char(out, '\n');
}

static enum tfprof_status write_arrow(const struct column_table *t, struct sink *out,
	struct tfprof_error *err)
{
	const struct tfprof_column **columns = mem_zero_array(t->n_columns + 1, sizeof(*columns));
	enum tfprof_status status;

	if (!columns)
		return error_no_memory(err);
	for (size_t i = 0; i < t->n_columns; i++)
		columns[i] = &t->columns[i].view;
	status = arrow_file_write_columns(columns, t->n_columns, out, err);
	mem_free(columns);
	return status;
}

/* Names the formats that it can be written in. */
static enum tfprof_status refuse_format(const struct answer *a, enum format format,
	struct tfprof_error *err)
{
	const unsigned known = 1u << FORMAT_ARROW | 1u << FORMAT_CSV | 1u << FORMAT_FILE |
		1u << FORMAT_JSON | 1u << FORMAT_JSONL | 1u << FORMAT_MARKDOWN | 1u << FORMAT_NONE |
		1u << FORMAT_STDOUT | a->question->own_formats;
	struct buf names = {0};
	enum tfprof_status status;

	for (int i = 0; i < N_FORMATS; i++)
		if (known >> i & 1)
			buf_printf(&names, "%s%s", names.n ? ", " : "",
				writer_get_name((enum format)i));
	status = error_set(err, TFPROF_ARGUMENT, "%s cannot be written as %s: expected one of: %s",
		a->question->name, writer_get_name(format), buf_get(&names).at);
	buf_clear(&names);
	return status;
}

enum tfprof_status answer_write(struct answer *a, const struct tfprof_options *o,
	enum format format, struct sink *out, struct tfprof_error *err)
{
	const struct writers *own = writers_of(a);
	struct asked_answer d = {a, o};
	enum tfprof_status status = TFPROF_OK;

	if (format == FORMAT_NONE || own->format(a, format, out, &status, err))
		return status;
	if (format == FORMAT_FILE || format == FORMAT_STDOUT) {
		own->text(a, out);
		return TFPROF_OK;
	}
	status = answer_need_table(a, err);
	if (status != TFPROF_OK)
		return status;
	switch (format) {
	case FORMAT_ARROW: return write_arrow(&a->table, out, err);
	case FORMAT_CSV: return write_table(&d, table_write_csv, out, err);
	case FORMAT_JSON: return write_table(&d, write_json, out, err);
	case FORMAT_JSONL: return write_table(&d, table_write_jsonl, out, err);
	case FORMAT_MARKDOWN: return write_table(&d, table_write_markdown, out, err);
	default: return refuse_format(a, format, err);
	}
}
