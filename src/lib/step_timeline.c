#include "write/step_timeline.h"

#include "base/error.h"
#include "lib/output.h"
#include "load/input.h"

static enum tfprof_status write_trace(const struct tfprof_input *run_meta,
	const struct source *source, unsigned flags, struct sink *out, struct tfprof_error *err)
{
	struct decoder d = {0};
	enum tfprof_status status;

	step_timeline_write(&d, source->bytes, flags, out);
	status = input_status(run_meta, INPUT_RUN_META, source, &d, err);
	if (status == TFPROF_OK)
		return sink_commit(out, err);
	sink_abandon(out);
	return status;
}

static enum tfprof_status open_output(struct sink *out, const char *path,
	const struct tfprof_input *run_meta, struct tfprof_error *err)
{
	file_ids inputs = {0};
	enum tfprof_status status = TFPROF_OK;

	if (!tfprof_input_is_memory(run_meta) && !output_note_input(&inputs, run_meta->path))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = output_open(out, path, SINK_BY_SUFFIX, &inputs, err);
	vec_clear(&inputs);
	return status;
}

enum tfprof_status tfprof_step_timeline_write(const struct tfprof_input *run_meta,
	int show_dataflow, int show_memory, const char *path, void **bytes, size_t *size,
	struct tfprof_error *err)
{
	unsigned flags = (show_dataflow ? STEP_TIMELINE_DATAFLOW : 0) |
		(show_memory ? STEP_TIMELINE_MEMORY : 0);
	struct buf memory = {0};
	enum tfprof_status status;
	enum input_kind kind = INPUT_RUN_META;
	struct source source;
	struct sink out;

	if (!run_meta || (!path && (!bytes || !size)))
		return error_set(err, TFPROF_ARGUMENT,
			"a step timeline needs run metadata, and a path or a place for its bytes");
	status = input_open(&source, run_meta, &kind, err);
	if (status != TFPROF_OK)
		return status;
	if (path)
		status = open_output(&out, path, run_meta, err);
	else
		status = sink_open_buf(&out, &memory, SINK_PLAIN, err);
	if (status == TFPROF_OK)
		status = write_trace(run_meta, &source, flags, &out, err);
	source_close(&source);
	if (status != TFPROF_OK) {
		buf_clear(&memory);
	} else if (!path) {
		*bytes = memory.at;
		*size = memory.n;
	}
	return status;
}
