/* Results as bytes: text, messages, JSON and the other formats. */
#include "base/visible.h"
#include "lib/result.h"
#include "write/answer.h"

/* Names in the text are shown as in reports of views. */
static enum tfprof_status write_advice_text(tfprof_result *r, struct sink *out,
	struct tfprof_error *err)
{
	struct buf text = {0}, shown = {0};
	struct sink plain;
	enum tfprof_status status;

	if (r->checkers->tolerant) {
		advice_write_text(&r->advice, out);
		return TFPROF_OK;
	}
	status = sink_open_buf(&plain, &text, SINK_PLAIN, err);
	if (status == TFPROF_OK) {
		advice_write_text(&r->advice, &plain);
		status = sink_commit(&plain, err);
	}
	visible_put_slow(&shown, buf_get(&text), true);
	sink_span(out, buf_get(&shown));
	if (status == TFPROF_OK && shown.failed)
		status = error_no_memory(err);
	buf_clear(&text);
	buf_clear(&shown);
	return status;
}

static enum tfprof_status write_advice(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	struct advice_members members = {&r->advice, r->checkers};
	struct answer_form form = {.question = "advise",
		.answer = &r->answer,
		.put_members = advice_put_members,
		.context = &members};

	switch (format) {
	case FORMAT_FILE:
	case FORMAT_STDOUT: return write_advice_text(r, out, err);
	case FORMAT_MESSAGE: return advice_write_message(&r->advice, out, err);
	default: return answer_write_table(&form, format, out, err);
	}
}

/* What a writer ran into, a damaged tensor for one. */
static enum tfprof_status failure_of(struct query *q, struct tfprof_error *err)
{
	if (q->failed != TFPROF_OK) {
		if (err)
			*err = q->error;
		return q->failed;
	}
	return query_check_cancelled(q, err);
}

static enum tfprof_status write_rows(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	const struct writer *writer = writer_get(format);
	struct writing w = {&r->query, &r->columns, out, said};
	enum tfprof_status status = result_need_metrics(r, writer->metrics, err);

	if (status == TFPROF_OK && format == FORMAT_MESSAGE && r->query.tree->first_node)
		status = profile_by_name(r->profile, &r->query.by_name, err);
	if (status != TFPROF_OK)
		return status;
	r->query.failed = TFPROF_OK;
	status = writer->write(&w, err);
	return status == TFPROF_OK ? failure_of(&r->query, err) : status;
}

/* The report of a table with all rows, or the other way round. */
static enum tfprof_status write_other_rows(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	struct query whole = r->query;
	struct columns columns = r->columns;
	enum tfprof_status status;

	result_set_extent(r, format);
	r->columns = (struct columns){0};
	status = result_vary(r, err);
	if (status == TFPROF_OK)
		status = write_rows(r, format, out, said, err);
	result_restore(r, &whole);
	columns_clear(&r->columns);
	r->columns = columns;
	return status;
}

static enum tfprof_status write_query(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	return result_has_extent(r, format) ? write_rows(r, format, out, said, err)
					    : write_other_rows(r, format, out, said, err);
}

static enum tfprof_status write_kept(const tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	if (!r->kept[format].at)
		return result_detached(err);
	sink_span(out, buf_get(&r->kept[format]));
	return TFPROF_OK;
}

/* The table of findings does not need the profile. */
static bool needs_table_only(enum format format)
{
	return format == FORMAT_ARROW || format == FORMAT_CSV || format == FORMAT_JSONL ||
		format == FORMAT_MARKDOWN;
}

enum tfprof_status result_write(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	if (r->question)
		return answer_write(r->question, &r->answer, r->options, format, out, err);
	if (r->model)
		return model_write(r, format, out, err);
	if (r->diff)
		return diff_write(r, format, out, err);
	if (format == FORMAT_MESSAGE && r->message == MESSAGE_NONE)
		return TFPROF_OK;
	if (r->is_detached && !(r->is_advice && needs_table_only(format)))
		return write_kept(r, format == FORMAT_STDOUT ? FORMAT_FILE : format, out, err);
	if (r->is_advice)
		return write_advice(r, format, out, err);
	if (format == FORMAT_MESSAGE && r->message == MESSAGE_ROOT) {
		message_write_root(out);
		return TFPROF_OK;
	}
	return write_query(r, format, out, said, err);
}

/* Writes to a sink and closes it. */
static enum tfprof_status write_and_commit(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	struct buf said = {0}, why = {0};
	enum tfprof_status status = result_lock(r, result_state(r, format), err);

	if (status == TFPROF_OK) {
		if (!r->is_table)
			writer_get(format)->refuse(&r->query, &why);
		if (why.n)
			status = error_set(err, TFPROF_ARGUMENT, "%.*s", ERROR_SPAN(buf_get(&why)));
		else
			status = result_write(r, format, out, &said, err);
		status = result_unlock(r, status, err);
	}
	buf_clear(&said);
	buf_clear(&why);
	if (status == TFPROF_OK)
		return sink_commit(out, err);
	sink_abandon(out);
	return status;
}

static enum tfprof_status find_format(const char *name, enum format *format,
	struct tfprof_error *err)
{
	*format = writer_find(name);
	if (*format != N_FORMATS)
		return TFPROF_OK;
	return error_set(err, TFPROF_ARGUMENT, "unknown format '%s'", name);
}

enum tfprof_status tfprof_result_write(tfprof_result *r, const char *name, tfprof_write_fn *write,
	void *context, struct tfprof_error *err)
{
	enum format format;
	enum tfprof_status status = find_format(name, &format, err);
	struct sink out;

	if (status == TFPROF_OK)
		status = sink_open_fn(&out, write, context, name, SINK_PLAIN, err);
	return status == TFPROF_OK ? write_and_commit(r, format, &out, err) : status;
}

enum tfprof_status tfprof_result_render(tfprof_result *r, const char *name, void **bytes,
	size_t *size, struct tfprof_error *err)
{
	struct buf rendered = {0};
	enum format format;
	enum tfprof_status status = find_format(name, &format, err);
	struct sink out;

	buf_reserve(&rendered, 0); /* also nothing is something */
	if (status == TFPROF_OK)
		status = sink_open_buf(&out, &rendered, SINK_PLAIN, err);
	if (status == TFPROF_OK)
		status = write_and_commit(r, format, &out, err);
	if (status == TFPROF_OK && rendered.failed)
		status = error_no_memory(err);
	if (status != TFPROF_OK) {
		buf_clear(&rendered);
		return status;
	}
	*bytes = rendered.at;
	*size = rendered.n;
	return TFPROF_OK;
}

enum tfprof_status tfprof_result_save(tfprof_result *r, const char *name, const char *path,
	struct tfprof_error *err)
{
	enum format format;
	enum tfprof_status status = find_format(name, &format, err);
	struct sink out;

	if (status == TFPROF_OK)
		status = profile_open_output(r->profile, &out, path, output_packing(format), err);
	return status == TFPROF_OK ? write_and_commit(r, format, &out, err) : status;
}
