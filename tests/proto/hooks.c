/* Doors into the inside for tests written in Python: a shared library of its
 * own, never installed. */
#include <string.h>

#include "base/buf.h"
#include "load/recognize.h"
#include "proto/schema.h"
#include "proto/text.h"

TFPROF_API int hook_text_to_wire(const char *type, const char *text, size_t n, char **wire,
	size_t *wire_n, struct tfprof_error *err);
TFPROF_API const char *hook_recognize(const char *bytes, size_t n);
TFPROF_API void hook_free(void *block);

/* The message type goes by its name in the schema. */
int hook_text_to_wire(const char *type, const char *text, size_t n, char **wire, size_t *wire_n,
	struct tfprof_error *err)
{
	struct buf out = {0};
	enum tfprof_status status;

	for (const struct schema_message *const *m = schema_messages; *m; m++) {
		if (strcmp((*m)->name, type) != 0)
			continue;
		status = text_to_wire(*m, (struct span){text, n}, &out, err);
		*wire = out.at;
		*wire_n = out.n;
		return status;
	}
	return error_set(err, TFPROF_ARGUMENT, "%s: no such message", type);
}

const char *hook_recognize(const char *bytes, size_t n)
{
	return recognize_name((struct span){bytes, n});
}

void hook_free(void *block)
{
	mem_free(block);
}
