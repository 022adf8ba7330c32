/* Results as bytes: text, messages, JSON and the other formats. */
#include "ask/view.h"
#include "lib/bounded.h"
#include "lib/result.h"
#include "write/answer.h"

static enum tfprof_status write_kept(const tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	if (!r->kept[format].at)
		return result_detached(err);
	sink_span(out, buf_get(&r->kept[format]));
	return TFPROF_OK;
}

/* Whether an answer can be written in a format without the profile. */
static bool is_free(const struct answer *a, enum format format)
{
	bool is_of_table = format == FORMAT_ARROW || format == FORMAT_CSV ||
		format == FORMAT_JSONL || format == FORMAT_MARKDOWN;

	return !a->question->kept_formats || (is_of_table && !a->view);
}

static enum tfprof_status write_whole(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	enum tfprof_status status;

	if (format == FORMAT_MESSAGE && r->message == MESSAGE_NONE)
		return TFPROF_OK;
	if (r->is_detached && !is_free(&r->answer, format))
		return write_kept(r, format == FORMAT_STDOUT ? FORMAT_FILE : format, out, err);
	if (format == FORMAT_MESSAGE && r->message == MESSAGE_ROOT) {
		message_write_root(out);
		return TFPROF_OK;
	}
	status = answer_write(&r->answer, r->options, format, out, err);
	buf_span(said, buf_get(&r->answer.said));
	buf_reset(&r->answer.said);
	return status;
}

static enum tfprof_status write_bounded(tfprof_result *r, size_t max_bytes, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	struct bounded b;
	enum tfprof_status status = bounded_open(&b, err);

	if (status != TFPROF_OK)
		return status;
	status = write_whole(r, FORMAT_JSON, &b.whole, said, err);
	if (status == TFPROF_OK)
		status = bounded_copy(&b, max_bytes, out, err);
	else
		sink_abandon(&b.whole);
	bounded_close(&b);
	return status;
}

enum tfprof_status result_write(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	int64_t max_bytes = r->options ? r->options->number[OPT_MAX_BYTES] : 0;

	if (format == FORMAT_JSON && max_bytes > 0)
		return write_bounded(r, (size_t)max_bytes, out, said, err);
	return write_whole(r, format, out, said, err);
}

/* Writes to a sink and closes it. */
static enum tfprof_status write_and_commit(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	struct buf said = {0}, why = {0};
	enum tfprof_status status = result_lock(r, result_state(r, format), err);

	if (status == TFPROF_OK) {
		if (r->answer.view)
			writer_get(format)->refuse(&r->answer.view->query, &why);
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
