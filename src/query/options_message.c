/* Options from a serialized OptionsProto. Absent numbers are 0, absent lists are empty. */
#include "base/vec.h"
#include "proto/wire.h"
#include "query/options.h"

static const struct {
	enum option_kind kind;
	uint32_t field;
} defs[N_OPTIONS] = {
#define X(id, name, kind, field, ...) {KIND_##kind, field},
	OPTIONS(X)
#undef X
};

static bool is_number(size_t id)
{
	return defs[id].kind <= KIND_BOOL;
}

typedef VEC(struct span) spans_vec;

static enum tfprof_status read_message(tfprof_options *o, struct span message, spans_vec *lists,
	struct span *dump, struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f)) {
		if (f.tag == WIRE_LEN(OPTIONS_DUMP_TO_FILE))
			*dump = f.bytes;
		for (size_t id = 0; id < N_OPTIONS; id++) {
			if (!defs[id].field || f.tag >> 3 != defs[id].field)
				continue;
			if (is_number(id)) {
				if ((f.tag & 7) == WIRE_T_VARINT)
					o->number[id] = (int64_t)f.value;
			} else if ((f.tag & 7) == WIRE_T_LEN) {
				if (defs[id].kind == KIND_WORD || defs[id].kind == KIND_OUTPUT)
					lists[id].n = 0;
				if (!vec_push(&lists[id], f.bytes))
					return error_no_memory(err);
			}
		}
	}
	if (r.bad)
		return error_set(err, TFPROF_FORMAT, "not an OptionsProto: invalid at byte %zu",
			(size_t)(r.bad - message.at));
	return TFPROF_OK;
}

enum tfprof_status tfprof_options_set_message(tfprof_options *o, const void *bytes, size_t size,
	struct tfprof_error *err)
{
	struct tfprof_options *fresh = tfprof_options_new(), swap;
	spans_vec lists[N_OPTIONS] = {0};
	struct span dump = {0};
	struct buf output = {0};
	enum tfprof_status status;

	if (!fresh)
		return error_no_memory(err);
	memset(fresh->number, 0, sizeof(fresh->number));
	fresh->number[OPT_DOC] = 1;
	fresh->number[OPT_ALL_SCOPES] = 1;
	fresh->number[OPT_BASE_STEP] = -1;
	for (size_t id = 0; id < N_OPTIONS; id++)
		fresh->given[id] = true;
	fresh->tolerant = true;
	status = read_message(fresh, (struct span){bytes, size}, lists, &dump, err);
	if (status == TFPROF_OK && dump.n) {
		buf_text(&output, "file:outfile=");
		buf_span(&output, dump);
		lists[OPT_OUTPUT].n = 0;
		fresh->took_dump_to_file = true;
		if (output.failed || !vec_push(&lists[OPT_OUTPUT], buf_get(&output)))
			status = error_no_memory(err);
	}
	for (size_t id = 0; status == TFPROF_OK && id < N_OPTIONS; id++)
		if (defs[id].field && !is_number(id))
			status = options_set_list(fresh, id, lists[id].at, lists[id].n, true, err);
	if (status == TFPROF_OK) {
		swap = *o;
		*o = *fresh;
		*fresh = swap;
	}
	for (size_t id = 0; id < N_OPTIONS; id++)
		vec_clear(&lists[id]);
	buf_clear(&output);
	tfprof_options_free(fresh);
	return status;
}
