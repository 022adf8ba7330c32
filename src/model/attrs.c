#include "model/attrs.h"

struct wire_field attr_value_read(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f, value = {0};

	while (decoder_next(d, &r, &f))
		value = f;
	return value;
}

struct attrs attrs_of(const struct model *m, uint32_t node)
{
	return (struct attrs){.model = m,
		.node = node,
		.r = wire_reader(model_source(m, node)),
		.from_profile = m->nodes.flags[node] & NODE_FROM_PROFILE,
		.first_control = INT32_MAX};
}

/* A key that comes again replaces what came before. */
bool attrs_get(const struct model *m, uint32_t node, struct span name, struct attr *attr)
{
	struct attrs attrs = attrs_of(m, node);
	struct decoder d = {0};
	struct span message;
	bool found = false;

	while (attrs_next(&attrs, &message)) {
		struct map_entry entry = map_entry_read(&d, message);
		struct wire_field value;

		if (!span_equal(entry.text_key, name))
			continue;
		value = attr_value_read(&d, entry.value);
		*attr = (struct attr){value.tag >> 3, value.bytes, (int64_t)value.value};
		found = true;
	}
	model_note_damage(m, m->nodes.source[node], &d);
	return found;
}

int32_t attrs_first_control(const struct model *m, uint32_t node)
{
	struct attrs attrs = attrs_of(m, node);
	struct span entry;

	while (attrs_next(&attrs, &entry))
		;
	return attrs.first_control;
}
