/* Attributes of a node and the kind of its inputs, read on demand from the
 * bytes it came in. */
#ifndef TFPROF_MODEL_ATTRS_H
#define TFPROF_MODEL_ATTRS_H

#include "model/model.h"
#include "proto/fields.h"

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

/* False if the node has no such attribute. */
bool attrs_get(const struct model *m, uint32_t node, struct span name, struct attr *attr);

/* From which position on inputs are control inputs: they say what runs before,
 * and bring no data. INT32_MAX if none is, or if a profile does not tell. */
int32_t attrs_first_control(const struct model *m, uint32_t node);

#endif
