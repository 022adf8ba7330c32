#include "model/trace.h"

#include "proto/decoder.h"

struct trace_ids {
	int64_t file, function, source;
};

static enum tfprof_status find(const struct model *m, int64_t id, struct span *text,
	struct tfprof_error *err)
{
	if (model_get_trace_string(m, id, text))
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

enum tfprof_status trace_read_frame(const struct model *m, struct span bytes, struct frame *frame,
	struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(bytes);
	struct wire_field f;
	struct trace_ids ids = {0};
	struct decoder d = {0};
	enum tfprof_status status;

	*frame = (struct frame){0};
	while (decoder_next(&d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(CODE_DEF_TRACE_LINENO): frame->line = (int32_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_FUNC_START_LINE):
			frame->function_line = (int32_t)f.value;
			break;
		case WIRE_VARINT(CODE_DEF_TRACE_FILE_ID): ids.file = (int64_t)f.value; break;
		case WIRE_VARINT(CODE_DEF_TRACE_FUNCTION_ID):
			ids.function = (int64_t)f.value;
			break;
		case WIRE_VARINT(CODE_DEF_TRACE_LINE_ID): ids.source = (int64_t)f.value; break;
		}
	status = explain(&d, err);
	if (status == TFPROF_OK)
		status = find(m, ids.file, &frame->file, err);
	if (status == TFPROF_OK)
		status = find(m, ids.function, &frame->function, err);
	if (status == TFPROF_OK)
		status = find(m, ids.source, &frame->source, err);
	return status;
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
