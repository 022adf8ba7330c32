/* Any bytes as text. What is taken must be a well-formed message, whatever is
 * refused must say so in one line; and a shortage of memory is survived too.
 *
 *     first byte: which message; second byte: which allocation fails (0: none)
 *     rest: the text
 */
#include <string.h>

#include "fuzz.h"

#include "proto/text.h"
#include "proto/wire.h"

/* Every field is known and of the right wire type; messages inside as well,
 * as deep as a small stack goes. */
static void check_message(const struct schema_message *type, struct span message)
{
	enum { DEPTH = 16 };
	struct {
		const struct schema_message *type;
		struct wire_reader reader;
	} stack[DEPTH] = {{type, wire_reader(message)}};
	struct wire_field f;

	for (size_t n = 1; n;) {
		const struct schema_field *field = NULL;

		if (!wire_next(&stack[n - 1].reader, &f)) {
			check(!stack[--n].reader.bad);
			continue;
		}
		type = stack[n - 1].type;
		for (uint32_t i = 0; i < type->n_fields; i++)
			if (type->fields[i].number == f.tag >> 3)
				field = &type->fields[i];
		check(field);
		if (field->kind != SCHEMA_MESSAGE)
			continue;
		check((f.tag & 7) == WIRE_T_LEN);
		if (n < DEPTH) {
			stack[n].type = field->of.message;
			stack[n++].reader = wire_reader(f.bytes);
		}
	}
}

/* Some, and others not. */
static bool is_container(const struct schema_message *type)
{
	return type->n_fields % 2;
}

/* What is whole of it is a message, too; of a text that is whole, it is all. */
static void check_recovery(const struct schema_message *type, struct span text, size_t fail_at,
	const struct buf *whole)
{
	text_drops drops = {0};
	struct buf out = {0};
	enum tfprof_status status;

	mem_fail_at(fail_at);
	status = text_recover(type, text, is_container, &out, &drops, NULL);
	mem_fail_at(0);
	check(status == TFPROF_OK || (fail_at && status == TFPROF_NO_MEMORY));
	if (status == TFPROF_OK)
		check_message(type, buf_get(&out));
	for (size_t i = 0; i < drops.n; i++)
		check(drops.at[i].from + drops.at[i].n <= text.n);
	if (whole && status == TFPROF_OK)
		check(!drops.n &&
			span_equal(buf_get(&out), (struct span){whole->at + 1, whole->n - 1}));
	vec_clear(&drops);
	buf_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct schema_message *type;
	struct tfprof_error err = {0};
	struct buf out = {0};
	enum tfprof_status status;
	size_t n_types = 0;

	if (size < 2)
		return 0;
	while (schema_messages[n_types])
		n_types++;
	type = schema_messages[data[0] % n_types];
	buf_text(&out, "x");
	mem_fail_at(data[1]);
	status = text_to_wire(type, (struct span){(const char *)data + 2, size - 2}, &out, &err);
	mem_fail_at(0);
	check(out.n >= 1 && out.at[0] == 'x' && out.at[out.n] == '\0');
	if (status == TFPROF_OK) {
		check(!out.failed);
		check_message(type, (struct span){out.at + 1, out.n - 1});
		check_recovery(type, (struct span){(const char *)data + 2, size - 2}, data[1],
			&out);
	} else {
		check_recovery(type, (struct span){(const char *)data + 2, size - 2}, data[1],
			NULL);
		check(status == err.status && out.n == 1);
		check(status == TFPROF_NO_MEMORY || strncmp(err.text, "line ", 5) == 0);
	}
	buf_clear(&out);
	return 0;
}
