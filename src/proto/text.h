/* Converts protobuf's text format to the wire format. */
#ifndef TFPROF_PROTO_TEXT_H
#define TFPROF_PROTO_TEXT_H

#include "base/buf.h"
#include "base/error.h"
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

#endif
