#include "lib/text_stream.h"

#include <errno.h>

#include "base/error.h"

static int pass_on(struct text_stream *s, struct span text)
{
	return text.n ? s->write(s->context, text.at, text.n) : 0;
}

static int begin(struct text_stream *s)
{
	int error;

	s->failed = model_check_sources(s->model, &s->error);
	if (s->failed != TFPROF_OK)
		return ECANCELED;
	s->has_begun = true;
	error = pass_on(s, buf_get(&s->held));
	buf_clear(&s->held);
	return error;
}

static int write_piece(void *context, const void *bytes, size_t n)
{
	struct text_stream *s = context;
	int error;

	if (!s->has_begun && n <= TEXT_STREAM_HELD - s->held.n) {
		buf_put(&s->held, bytes, n);
		return s->held.failed ? ENOMEM : 0;
	}
	error = s->has_begun ? 0 : begin(s);
	return error ? error : pass_on(s, (struct span){bytes, n});
}

enum tfprof_status text_stream_open(struct text_stream *s, struct sink *out,
	struct tfprof_error *err)
{
	return sink_open_fn(out, write_piece, s, "standard output", SINK_PLAIN, err);
}

enum tfprof_status text_stream_check(const struct text_stream *s, enum tfprof_status status,
	struct tfprof_error *err)
{
	if (s->failed == TFPROF_OK)
		return status;
	if (err)
		*err = s->error;
	return s->failed;
}

enum tfprof_status text_stream_finish(struct text_stream *s, struct span rest,
	struct tfprof_error *err)
{
	int error = s->has_begun ? 0 : pass_on(s, buf_get(&s->held));

	s->has_begun = true;
	if (!error)
		error = pass_on(s, rest);
	if (!error)
		return TFPROF_OK;
	return error_set(err, TFPROF_IO, "standard output: cannot write: %s", strerror(error));
}

void text_stream_clear(struct text_stream *s)
{
	buf_clear(&s->held);
}
