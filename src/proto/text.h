/* Protobuf's text format, turned into the wire format. */
#ifndef TFPROF_PROTO_TEXT_H
#define TFPROF_PROTO_TEXT_H

#include "base/buf.h"
#include "base/error.h"
#include "proto/schema.h"

/* Appends the message to `out`. What is written is what protobuf would write
 * for a text whose fields are in order: zeros that mean "absent" are left out,
 * repeated numbers are packed. Time and memory are linear in the text; nesting
 * may be as deep as memory allows.
 *
 * On failure `out` has its old content, and the error is one line:
 * "line 3 column 7: NodeDef has no field "nmae": did you mean "name"?". As for
 * protobuf, an unknown field is an error, and so is a second value for a field
 * that has one. Strings are not checked to be UTF-8. */
enum tfprof_status text_to_wire(const struct schema_message *type, struct span text,
	struct buf *out, struct tfprof_error *err);

#endif
