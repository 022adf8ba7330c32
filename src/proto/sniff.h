/* How well the first bytes match a text or a message type. The kinds to recognize are in
 * a table elsewhere (load/recognize.h). Looks at no more than a few thousand fields,
 * however large the input. */
#ifndef TFPROF_PROTO_SNIFF_H
#define TFPROF_PROTO_SNIFF_H

#include "base/span.h"

struct schema_message;

/* UTF-8 without control characters. */
bool sniff_is_text(struct span bytes);

/* The first field's name of a message in text form; empty if the text starts
 * otherwise. */
struct span sniff_first_field(struct span text);

bool sniff_is_json(struct span text);

/* Fewer points than this prove nothing. */
enum { SNIFF_ENOUGH = 4 };

/* Points for how well bytes match a message type, comparable between types; and whether
 * the key field, without which the message is useless, is present. */
int sniff_points(const struct schema_message *type, const char *key_field, struct span bytes,
	bool *has_key_field);

#endif
