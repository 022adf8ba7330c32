#include "model/trace.h"

#include "proto/decoder.h"

static enum tfprof_status find(const struct model *m, int64_t id, uint32_t *string,
	struct tfprof_error *err)
{
	*string = model_find_trace_string(m, id);
	if (*string != NONE)
		return TFPROF_OK;
	return error_set(err, TFPROF_FORMAT,
		"a call stack uses string id %lld, which is not in the profile's id_to_string",
		(long long)id);
}

static enum tfprof_status explain(const struct decoder *d, struct tfprof_error *err)
{
	if (!d->failed)
		return TFPROF_OK;
	return d->bad ? error_set(err, TFPROF_FORMAT, "a call stack is damaged")
		      : error_no_memory(err);
}

enum tfprof_status trace_read_frame(const struct model *m, struct span bytes,
	struct frame_ids *frame, struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(bytes);
	struct wire_field f;
	int64_t file = 0, function = 0, source = 0;
	struct decoder d = {0};
	enum tfprof_status status;

	*frame = (struct frame_ids){0};
	while (decoder_next(&d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(CODE_DEF_TRACE_LINENO): frame->line = (int32_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_FUNC_START_LINE):
			frame->function_line = (int32_t)f.value;
			break;
		case WIRE_VARINT(CODE_DEF_TRACE_FILE_ID): file = (int64_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_FUNCTION_ID): function = (int64_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_LINE_ID): source = (int64_t)f.value; break;
		}
	status = explain(&d, err);
	if (status == TFPROF_OK)
		status = find(m, file, &frame->file, err);
	if (status == TFPROF_OK)
		status = find(m, function, &frame->function, err);
	if (status == TFPROF_OK)
		status = find(m, source, &frame->source, err);
	return status;
}

struct frame trace_frame(const struct model *m, const struct frame_ids *ids)
{
	const struct trace_string *strings = m->trace_strings.at;

	return (struct frame){strings[ids->file].text, strings[ids->function].text,
		strings[ids->source].text, ids->line, ids->function_line};
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
	struct frame_ids frame;

	frames->n = 0;
	for (size_t i = 0; status == TFPROF_OK && i < bytes.n; i++) {
		status = trace_read_frame(m, bytes.at[i], &frame, err);
		if (status == TFPROF_OK && !vec_push(frames, trace_frame(m, &frame)))
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
