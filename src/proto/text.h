/* Converts protobuf's text format to the wire format. */
#ifndef TFPROF_PROTO_TEXT_H
#define TFPROF_PROTO_TEXT_H

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "proto/schema.h"

/* Appends the message to `out`, as protobuf would write it for a text whose fields are
 * in order: zeros that mean "absent" are left out, repeated numbers are packed. Time and
 * memory are linear in the text; nesting is limited only by memory.
 *
 * On failure `out` is unchanged, and the error is one line:
 * "line 3 column 7: NodeDef has no field "nmae": did you mean "name"?". As in protobuf,
 * unknown fields and second values of single fields are errors. Strings are not checked
 * for UTF-8. */
enum tfprof_status text_to_wire(const struct schema_message *type, struct span text,
	struct buf *out, struct tfprof_error *err);

struct text_drop {
	size_t from, n, line;
};
typedef VEC(struct text_drop) text_drops;

/* The same for a text that is damaged or cut short: messages that are malformed are left out,
 * and listed in `drops`. What is dropped is a field of the text, or of the innermost container
 * that is open. Fails on allocation failure only. */
enum tfprof_status text_recover(const struct schema_message *type, struct span text,
	bool (*is_container)(const struct schema_message *), struct buf *out, text_drops *drops,
	struct tfprof_error *err);

#endif
