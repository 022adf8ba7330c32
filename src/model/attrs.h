/* Attributes of a node and the kind of its inputs, read on demand from the
 * bytes it came in. */
#ifndef TFPROF_MODEL_ATTRS_H
#define TFPROF_MODEL_ATTRS_H

#include "model/model.h"
#include "model/profile_fields.h"
#include "proto/decoder.h"

/* An AttrValue holds one of many kinds; this is which, by field number. */
enum attr_kind {
	ATTR_NONE = 0,
	ATTR_TEXT = ATTR_VALUE_S,
	ATTR_INT = ATTR_VALUE_I,
	ATTR_BOOL = ATTR_VALUE_B,
	ATTR_TYPE = ATTR_VALUE_TYPE,
};

struct attr {
	uint32_t kind;    /* an attr_kind, or the field of a kind not named there */
	struct span text; /* ATTR_TEXT */
	int64_t number;   /* ATTR_INT, ATTR_BOOL, ATTR_TYPE */
};

/* An AttrValue: of several kinds the last one counts. Tag 0 if it has none. */
struct wire_field attr_value_read(struct decoder *d, struct span message);

/* The attributes of a node, one by one: map entries of the same form in NodeDef and
 * ProfileNode. */
struct attrs {
	const struct model *model;
	uint32_t node;
	struct wire_reader r;
	struct decoder decoder;
	bool from_profile;
	int32_t n_inputs;
	int32_t first_control; /* see attrs_first_control(); known at the end */
};

struct attrs attrs_of(const struct model *m, uint32_t node);

/* Inline, since saving a profile walks the attributes of all nodes. */
static inline bool attrs_next(struct attrs *attrs, struct span *entry)
{
	uint32_t tag = WIRE_LEN(attrs->from_profile ? PROFILE_NODE_ATTRS : NODE_DEF_ATTR);
	struct wire_field f;

	while (decoder_next(&attrs->decoder, &attrs->r, &f)) {
		if (f.tag == tag) {
			*entry = f.bytes;
			return true;
		}
		if (!attrs->from_profile && f.tag == WIRE_LEN(NODE_DEF_INPUT)) {
			if (attrs->first_control == INT32_MAX && f.bytes.n && f.bytes.at[0] == '^')
				attrs->first_control = attrs->n_inputs;
			attrs->n_inputs++;
		} else if (attrs->from_profile &&
			f.tag == WIRE_VARINT(PROFILE_NODE_FIRST_CONTROL) && f.value < INT32_MAX) {
			attrs->first_control = (int32_t)f.value;
		}
	}
	model_note_damage(attrs->model, attrs->model->nodes.source[attrs->node], &attrs->decoder);
	return false;
}

/* False if the node has no such attribute. */
bool attrs_get(const struct model *m, uint32_t node, struct span name, struct attr *attr);

/* From which position on inputs are control inputs: they say what runs before,
 * and carry no data. INT32_MAX if none is, or if a profile does not say. */
int32_t attrs_first_control(const struct model *m, uint32_t node);

#endif
