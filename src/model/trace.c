#include "model/trace.h"

#include "proto/decoder.h"

/* A text of a frame: an id, or the text itself. */
struct frame_text {
	int64_t id;
	struct span text;
};

static struct span get_text(const struct model *m, const struct frame_text *from)
{
	uint32_t string = model_find_trace_string(m, from->id);

	/* Id 0 may be a text, and may be no id. */
	if (from->text.n && (!from->id || string == NONE))
		return from->text;
	return string == NONE ? SPAN("none") : m->trace_strings.at[string].text;
}

static enum tfprof_status explain(const struct decoder *d, struct tfprof_error *err)
{
	if (!d->failed)
		return TFPROF_OK;
	return d->bad ? error_set(err, TFPROF_FORMAT, "a call stack is damaged")
		      : error_no_memory(err);
}

enum tfprof_status trace_read_frame(const struct model *m, struct span bytes, struct frame *frame,
	struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(bytes);
	struct wire_field f;
	struct frame_text file = {0}, function = {0}, source = {0};
	struct decoder d = {0};

	*frame = (struct frame){0};
	while (decoder_next(&d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(CODE_DEF_TRACE_LINENO): frame->line = (int32_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_FUNC_START_LINE):
			frame->function_line = (int32_t)f.value;
			break;
		case WIRE_VARINT(CODE_DEF_TRACE_FILE_ID): file.id = (int64_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_FUNCTION_ID): function.id = (int64_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_LINE_ID): source.id = (int64_t)f.value; break;
		case WIRE_LEN(CODE_DEF_TRACE_FILE): file.text = f.bytes; break;
		case WIRE_LEN(CODE_DEF_TRACE_FUNCTION): function.text = f.bytes; break;
		case WIRE_LEN(CODE_DEF_TRACE_LINE): source.text = f.bytes; break;
		}
	frame->file = get_text(m, &file);
	frame->function = get_text(m, &function);
	frame->source = get_text(m, &source);
	return explain(&d, err);
}

enum tfprof_status trace_split(struct span code_def, spans_vec *frames, struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(code_def);
	struct wire_field f;
	struct decoder d = {0};

	frames->n = 0;
	while (decoder_find(&d, &r, WIRE_LEN(CODE_DEF_TRACES), &f))
		decoder_alloc(&d, vec_push(frames, f.bytes));
	return explain(&d, err);
}

enum tfprof_status trace_read(const struct model *m, struct span code_def, frames_vec *frames,
	struct tfprof_error *err)
{
	spans_vec bytes = {0};
	enum tfprof_status status = trace_split(code_def, &bytes, err);
	struct frame frame;

	frames->n = 0;
	for (size_t i = 0; status == TFPROF_OK && i < bytes.n; i++) {
		status = trace_read_frame(m, bytes.at[i], &frame, err);
		if (status == TFPROF_OK && !vec_push(frames, frame))
			status = error_no_memory(err);
	}
	vec_clear(&bytes);
	return status;
}

bool frame_is_library(struct span file)
{
	static const char *const parts[] = {"/site-packages/", "/dist-packages/",
		"tensorflow/python/", "/lib/python3.", "/importlib/", "/runpy.py", "/contextlib.py",
		"<frozen "};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (span_contains(file, span_of(parts[i])))
			return true;
	return false;
}

enum tfprof_status trace_put_user_line(struct buf *b, const struct model *m, uint32_t node,
	struct span *source, struct tfprof_error *err)
{
	frames_vec frames = {0};
	enum tfprof_status status = trace_read(m, model_trace(m, node), &frames, err);

	*source = SPAN("");
	for (size_t i = frames.n; status == TFPROF_OK && i-- > 0;) {
		const struct frame *frame = &frames.at[i];

		if (frame->line <= 0 || frame_is_library(frame->file))
			continue;
		buf_span(b, span_after_last(frame->file, '/'));
		buf_printf(b, ":%d", (int)frame->line);
		*source = frame->source;
		break;
	}
	vec_clear(&frames);
	return status;
}
