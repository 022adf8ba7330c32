#include "model/attrs.h"

#include "model/profile_fields.h"
#include "proto/fields.h"
#include "proto/wire.h"

static struct attr read_value(struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct attr attr = {ATTR_NONE, {"", 0}, 0};

	/* Of several kinds the last one counts. */
	while (wire_next(&r, &f)) {
		attr.kind = f.tag >> 3;
		if ((f.tag & 7) == WIRE_T_LEN)
			attr.text = f.bytes;
		else
			attr.number = (int64_t)f.value;
	}
	return attr;
}

bool attrs_get(const struct model *m, uint32_t node, struct span name, struct attr *attr)
{
	uint32_t tag = m->nodes.flags[node] & NODE_FROM_PROFILE ? WIRE_LEN(PROFILE_NODE_ATTRS)
								: WIRE_LEN(NODE_DEF_ATTR);
	struct wire_reader r;
	struct wire_field f;
	bool found = false;

	if (!m->nodes.source[node])
		return false;
	r = wire_reader(model_source(m, node));
	while (wire_next(&r, &f)) {
		struct wire_reader entry;
		struct span key = {"", 0}, value = {"", 0};

		if (f.tag != tag)
			continue;
		entry = wire_reader(f.bytes);
		while (wire_next(&entry, &f))
			if (f.tag == WIRE_LEN(MAP_KEY))
				key = f.bytes;
			else if (f.tag == WIRE_LEN(MAP_VALUE))
				value = f.bytes;
		/* A key that comes again replaces what came before. */
		if (span_equal(key, name)) {
			*attr = read_value(value);
			found = true;
		}
	}
	return found;
}

int32_t attrs_first_control(const struct model *m, uint32_t node)
{
	bool from_profile = m->nodes.flags[node] & NODE_FROM_PROFILE;
	struct wire_reader r;
	struct wire_field f;
	int32_t n_inputs = 0;

	if (!m->nodes.source[node])
		return INT32_MAX;
	r = wire_reader(model_source(m, node));
	while (wire_next(&r, &f)) {
		if (from_profile && f.tag == WIRE_VARINT(PROFILE_NODE_FIRST_CONTROL))
			return f.value < INT32_MAX ? (int32_t)f.value : INT32_MAX;
		if (from_profile || f.tag != WIRE_LEN(NODE_DEF_INPUT))
			continue;
		if (f.bytes.n && f.bytes.at[0] == '^')
			return n_inputs;
		n_inputs++;
	}
	return INT32_MAX;
}
