#include "lib/output.h"

#include <errno.h>

#include "ask/view.h"
#include "base/spelling.h"
#include "lib/result.h"
#include "lib/text_stream.h"

bool output_note_input(file_ids *inputs, const char *path)
{
	struct file_id id;

	return !file_id_get(path, &id) || vec_push(inputs, id);
}

enum tfprof_status output_check(const char *path, const file_ids *inputs, struct tfprof_error *err)
{
	struct file_id id;
	bool exists = strcmp(path, "-") != 0 && file_id_get(path, &id);

	for (size_t i = 0; exists && i < inputs->n; i++)
		if (file_id_equal(inputs->at[i], id))
			return error_set(err, TFPROF_ARGUMENT,
				"%s: the profile was loaded from this file: give another one",
				path);
	return TFPROF_OK;
}

enum tfprof_status output_open(struct sink *out, const char *path, enum sink_format format,
	const file_ids *inputs, struct tfprof_error *err)
{
	enum tfprof_status status = output_check(path, inputs, err);

	return status == TFPROF_OK ? sink_open(out, path, format, err) : status;
}

/* ---- naming --------------------------------------------------------------- */

static bool ends_in(struct span text, struct span tail)
{
	return text.n > tail.n && memcmp(text.at + text.n - tail.n, tail.at, tail.n) == 0;
}

/* Where the extension of a file name starts, the suffix .gz included; its end if it has
 * none. A dot that starts the name starts no extension. */
static size_t find_extension(struct span path, size_t packing)
{
	size_t i = path.n - packing;

	while (i > 0 && path.at[i - 1] != '.' && path.at[i - 1] != '/')
		i--;
	return i > 1 && path.at[i - 1] == '.' && path.at[i - 2] != '/' ? i - 1 : path.n - packing;
}

/* Of several steps, t.json is t_0.json for step 0, and t.json.gz is t_0.json.gz. TensorFlow's
 * profiler appends the number, also that of a single step: t.json_0, and so t.json_0.gz. */
static void put_step_path(struct buf *b, struct span outfile, int64_t step, bool at_end)
{
	size_t packing = ends_in(outfile, SPAN(".gz")) ? 3 : 0;
	size_t stem = at_end ? outfile.n - packing : find_extension(outfile, packing);

	buf_put(b, outfile.at, stem);
	buf_char(b, '_');
	buf_int(b, step);
	buf_put(b, outfile.at + stem, outfile.n - stem);
}

static bool is_stdout(const struct tfprof_options *o)
{
	return span_equal(o->output.outfile, SPAN("-"));
}

static void put_path(struct buf *b, const struct tfprof_options *o, bool several)
{
	if (writer_get(o->output.format)->file == FILE_BY_STEP && (several || o->tolerant) &&
		!is_stdout(o))
		put_step_path(b, o->output.outfile, o->number[OPT_STEP], o->tolerant);
	else
		buf_span(b, o->output.outfile);
}

/* ---- files ------------------------------------------------------------------ */

enum sink_format output_packing(enum format format)
{
	switch (writer_get(format)->file) {
	case FILE_GZIP: return SINK_GZIP;
	case FILE_BY_SUFFIX:
	case FILE_BY_STEP: return SINK_BY_SUFFIX;
	default: return SINK_PLAIN;
	}
}

/* Messages go to stdout, unless the output itself does. */
static struct buf *said_by(tfprof_result *r)
{
	return is_stdout(r->options) ? &r->notes : &r->text;
}

static enum tfprof_status write_path(tfprof_result *r, const char *path, struct tfprof_error *err)
{
	const struct tfprof_options *o = r->options;
	const struct writer *writer = writer_get(o->output.format);
	struct sink out;
	enum tfprof_status status =
		output_open(&out, path, output_packing(o->output.format), &r->profile->files, err);

	if (status != TFPROF_OK)
		return status;
	status = result_write(r, o->output.format, &out, said_by(r), err);
	if (status != TFPROF_OK) {
		sink_abandon(&out);
		return status;
	}
	status = sink_commit(&out, err);
	if (status == TFPROF_OK && !is_stdout(o))
		writer->announce(&r->answer.view->query, path, said_by(r));
	return status;
}

/* `several`: it is one of several steps. */
static enum tfprof_status write_file(tfprof_result *r, bool several, struct tfprof_error *err)
{
	struct buf path = {0};
	enum tfprof_status status;

	put_path(&path, r->options, several);
	status = path.failed ? error_no_memory(err) : write_path(r, path.at, err);
	buf_clear(&path);
	return status;
}

/* ---- one file for each step ---------------------------------------------------- */

/* For each step, all nodes are asked: steps × nodes may be much more than the profile has runs. */
static const uint64_t MAX_STEP_NODES = 200000000;

static bool is_by_step(const struct query *q)
{
	return q->options->output.format == FORMAT_TIMELINE &&
		(q->kind == TFPROF_GRAPH || q->kind == TFPROF_OP) &&
		q->options->number[OPT_STEP] < 0;
}

/* Writes the query of another step, then restores this one. */
static enum tfprof_status write_step(tfprof_result *r, int64_t step, struct tfprof_error *err)
{
	struct view_rows *view = r->answer.view;
	struct query whole = view->query;
	enum tfprof_status status;

	r->options->number[OPT_STEP] = step;
	status = view_vary(view, err);
	if (status == TFPROF_OK)
		status = write_file(r, view->query.model->steps.n > 1, err);
	view_restore(view, &whole);
	r->options->number[OPT_STEP] = whole.step;
	return status;
}

static enum tfprof_status write_steps(tfprof_result *r, bool strict, struct tfprof_error *err)
{
	const struct model *m = &r->profile->model;
	enum tfprof_status status = TFPROF_OK;

	r->message = MESSAGE_NONE;
	if (!m->steps.n && strict)
		return error_set(err, TFPROF_UNSUPPORTED,
			"a timeline of this view shows steps: the profile has none");
	if (m->steps.n > 1 && is_stdout(r->options))
		return error_set(err, TFPROF_ARGUMENT,
			"%s: one timeline for each of %zu steps cannot go to standard output: "
			"choose one with %s",
			OPTION("output"), m->steps.n, SETTING("step", ""));
	if (m->steps.n > 1 && (uint64_t)m->steps.n * m->nodes.n > MAX_STEP_NODES)
		return error_set(err, TFPROF_ARGUMENT,
			"%s: timelines of %zu steps, which ask %zu nodes each, "
			"are too many: choose one with %s",
			OPTION("output"), m->steps.n, m->nodes.n, SETTING("step", ""));
	for (size_t i = 0; status == TFPROF_OK && i < m->steps.n; i++) {
		if (m->steps.at[i] >= 0)
			status = write_step(r, m->steps.at[i], err);
		else
			buf_text(&r->notes,
				"Must specify -step option to generate timeline in graph view.\n");
	}
	return status;
}

/* ---- what the options say --------------------------------------------------------- */

/* Where text for stdout goes. */
static enum tfprof_status open_text(tfprof_result *r, struct text_stream *to, struct sink *out,
	struct tfprof_error *err)
{
	enum tfprof_status status = to->write ? text_stream_open(to, out, err)
					      : sink_open_buf(out, &r->text, SINK_PLAIN, err);

	out->is_terminal = to->is_terminal;
	out->has_colour = to->has_colour;
	return status;
}

static enum tfprof_status close_text(const struct text_stream *to, struct sink *out,
	enum tfprof_status status, struct tfprof_error *err)
{
	if (status == TFPROF_OK)
		status = sink_commit(out, err);
	else
		sink_abandon(out);
	return text_stream_check(to, status, err);
}

static const char frame_end[] = "\n======================End of Report==========================\n";

static void put_frame_start(const struct tfprof_options *o, struct buf *b)
{
	buf_text(b, "\n=========================Options=============================\n");
	options_echo(o, b, false);
	buf_text(b, "\n==================Model Analysis Report======================\n");
}

static void put_frame(const tfprof_result *r, struct sink *out)
{
	struct buf start = {0};

	put_frame_start(r->options, &start);
	sink_span(out, buf_get(&start));
	if (start.failed)
		sink_fail(out, ENOMEM);
	buf_clear(&start);
}

const char *tfprof_options_get_frame(tfprof_options *o)
{
	o->echo.n = 0;
	if (o->output.format == FORMAT_STDOUT) {
		put_frame_start(o, &o->echo);
		buf_text(&o->echo, frame_end);
	}
	return o->echo.failed ? NULL : buf_get(&o->echo).at;
}

/* A report, or a table without a file. */
static enum tfprof_status put_text(tfprof_result *r, bool framed, struct text_stream *to,
	struct tfprof_error *err)
{
	struct sink out;
	enum tfprof_status status = open_text(r, to, &out, err);

	if (status != TFPROF_OK)
		return status;
	if (framed)
		put_frame(r, &out);
	status = result_write(r, r->options->output.format, &out, &r->text, err);
	if (framed)
		sink_text(&out, frame_end);
	return close_text(to, &out, status, err);
}

static enum tfprof_status output_view(tfprof_result *r, unsigned flags, struct text_stream *to,
	struct tfprof_error *err)
{
	const struct tfprof_options *o = r->options;
	const struct query *q = &r->answer.view->query;
	bool strict = !o->tolerant;
	struct buf why = {0};
	enum tfprof_status status = TFPROF_OK;

	writer_get(o->output.format)->refuse(q, &why);
	if (why.failed) {
		status = error_no_memory(err);
	} else if (why.n && strict) {
		status = error_set(err, TFPROF_ARGUMENT, "%.*s", ERROR_SPAN(buf_get(&why)));
	} else if (why.n) {
		/* TensorFlow's profiler prints this alone, and returns only the root. */
		r->notes.n = 0;
		buf_span(&r->notes, buf_get(&why));
		buf_char(&r->notes, '\n');
		r->message = MESSAGE_ROOT;
	} else if (is_by_step(q)) {
		status = write_steps(r, strict, err);
	} else if (o->output.outfile.n) {
		status = write_file(r, false, err);
	} else if (o->output.format != FORMAT_NONE) {
		status = put_text(r, flags & TFPROF_FRAMED && o->output.format == FORMAT_STDOUT, to,
			err);
	}
	buf_clear(&why);
	return status;
}

/* What is not a view. */
static enum tfprof_status output_table(tfprof_result *r, struct text_stream *to,
	struct tfprof_error *err)
{
	const struct output_option *o = &r->options->output;
	char *path = o->outfile.n ? span_copy(o->outfile) : NULL;
	enum tfprof_status status;
	struct sink out;

	if (o->format == FORMAT_NONE)
		return TFPROF_OK;
	if (o->outfile.n && !path)
		return error_no_memory(err);
	if (!path)
		status = open_text(r, to, &out, err);
	else
		status =
			output_open(&out, path, output_packing(o->format), &r->profile->files, err);
	mem_free(path);
	if (status != TFPROF_OK)
		return status;
	status = result_write(r, o->format, &out, &r->text, err);
	return close_text(to, &out, status, err);
}

static enum tfprof_status output_to(tfprof_result *r, unsigned flags, const volatile int *cancel,
	struct text_stream *to, struct tfprof_error *err)
{
	struct query *q = r->answer.view ? &r->answer.view->query : NULL;
	enum tfprof_status status = result_lock(r, result_state(r, r->options->output.format), err);

	if (status != TFPROF_OK)
		return status;
	r->text.n = 0;
	if (q)
		q->cancel = cancel;
	status = q ? output_view(r, flags, to, err) : output_table(r, to, err);
	if (q)
		r->answer.view->query.cancel = NULL;
	status = result_unlock(r, status, err);
	if (status == TFPROF_OK && (r->text.failed || r->notes.failed))
		status = error_no_memory(err);
	return status;
}

enum tfprof_status tfprof_result_output(tfprof_result *r, unsigned flags,
	const volatile int *cancel, tfprof_write_fn *write, void *context, struct tfprof_error *err)
{
	struct text_stream to = {.write = write,
		.context = context,
		.is_terminal = flags & TFPROF_TERMINAL,
		.has_colour = flags & TFPROF_COLOUR,
		.model = write ? &r->profile->model : NULL};
	enum tfprof_status status = output_to(r, flags, cancel, &to, err);

	if (!write)
		return status;
	/* A text that is kept tells which files were written. */
	if (status == TFPROF_OK)
		status = text_stream_finish(&to, buf_get(&r->text), err);
	buf_clear(&r->text);
	text_stream_clear(&to);
	return status;
}
