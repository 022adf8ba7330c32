/* OpLogProto → types, float operations and call stacks of known nodes. */
#include "model/input.h"
#include "model/model.h"
#include "proto/wire.h"

static bool check_level(struct span message, uint32_t nested, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == nested && !wire_check(f.bytes, bad))
			return false;
	*bad = r.bad;
	return !r.bad;
}

/* Entries, their call stacks, and the string table. */
static bool check_log(struct span log, const char **bad)
{
	struct wire_reader r = wire_reader(log);
	struct wire_field f, g;

	while (wire_next(&r, &f)) {
		if (f.tag == WIRE_LEN(1)) {
			struct wire_reader entry = wire_reader(f.bytes);

			while (wire_next(&entry, &g))
				if (g.tag == WIRE_LEN(4) && !check_level(g.bytes, WIRE_LEN(1), bad))
					return false;
			if (entry.bad) {
				*bad = entry.bad;
				return false;
			}
		} else if (f.tag == WIRE_LEN(2) && !wire_check(f.bytes, bad)) {
			return false;
		}
	}
	*bad = r.bad;
	return !r.bad;
}

static enum tfprof_status open_checked(struct source *source, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	enum tfprof_status status = input_open(source, in, INPUT_OP_LOG, err);
	const char *bad;

	if (status != TFPROF_OK || check_log(source->bytes, &bad))
		return status;
	status = input_malformed(in, INPUT_OP_LOG, source, bad, err);
	source_close(source);
	return status;
}

enum tfprof_status op_log_check(const struct tfprof_input *in, struct tfprof_error *err)
{
	struct source source;
	enum tfprof_status status = open_checked(&source, in, err);

	source_close(&source);
	return status;
}

static bool add_string(struct model *m, struct span entry)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f;
	int64_t id = 0;
	struct span text = {"", 0};

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(1))
			id = (int64_t)f.value;
		else if (f.tag == WIRE_LEN(2))
			text = f.bytes;
	return model_add_trace_string(m, id, text);
}

static bool add_entry(struct model *m, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct span name = {"", 0}, trace = {0};
	int64_t float_ops = 0;
	uint32_t node;

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(1): name = f.bytes; break;
		case WIRE_VARINT(2): float_ops = (int64_t)f.value; break;
		case WIRE_LEN(4): trace = f.bytes; break;
		}
	node = model_find_node(m, name);
	if (node == NONE)
		return true;
	m->nodes.flags[node] |= NODE_CHANGED;
	if (float_ops)
		m->nodes.float_ops[node] = float_ops;
	m->has_negative |= float_ops < 0;
	if (trace.at) {
		m->has_trace = true;
		if (!(m->nodes.flags[node] & NODE_HAS_TRACE)) {
			m->nodes.flags[node] |= NODE_HAS_TRACE;
			m->nodes.trace[node] = trace.at;
		}
	}
	r = wire_reader(message);
	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(3)) {
			uint32_t type = strings_add(&m->strings, f.bytes);

			if (type == NONE || !model_add_type(m, node, type))
				return false;
		}
	return true;
}

enum tfprof_status model_add_op_log(struct model *m, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	struct source source;
	struct wire_reader r;
	struct wire_field f;
	size_t n = 0;
	enum tfprof_status status = open_checked(&source, in, err);

	if (status != TFPROF_OK)
		return status;
	/* Call stacks stay as slices of the log. */
	status = model_index_names(m) ? model_keep(m, &source, err) : error_no_memory(err);
	if (status != TFPROF_OK) {
		source_close(&source);
		return status;
	}
	m->generation++;
	source = m->sources.at[m->sources.n - 1];
	r = wire_reader(source.bytes);
	while (wire_next(&r, &f)) {
		if (f.tag == WIRE_LEN(2) ? !add_string(m, f.bytes)
			: f.tag == WIRE_LEN(1) && !add_entry(m, f.bytes))
			return error_no_memory(err);
		if (++n % 4096 == 0)
			model_progress(m, (size_t)(r.at - source.bytes.at), source.bytes.n);
	}
	return TFPROF_OK;
}
