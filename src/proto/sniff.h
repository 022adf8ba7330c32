/* Telling texts and messages apart by their first bytes. What there is to be
 * told apart stands in a table elsewhere (load/recognize.h); here is only how
 * well bytes fit. Looks at some thousand fields at most, however large the
 * input. */
#ifndef TFPROF_PROTO_SNIFF_H
#define TFPROF_PROTO_SNIFF_H

#include "base/span.h"

struct schema_message;

/* UTF-8 without control characters. */
bool sniff_is_text(struct span bytes);

/* The name of the field that a message in text form begins with; empty if the
 * text begins otherwise. */
struct span sniff_first_field(struct span text);

bool sniff_is_json(struct span text);

/* Points for how well bytes fit a message type, which may be compared with those
 * of other types; a fit of fewer than this proves nothing. */
enum { SNIFF_ENOUGH = 4 };

/* Also whether the field is there without which the message would be good for
 * nothing. */
int sniff_points(const struct schema_message *type, const char *key_field, struct span bytes,
	bool *has_key_field);

#endif
