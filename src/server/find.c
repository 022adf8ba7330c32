#include "server/find.h"

#include <string.h>

static enum tfprof_status compile(const char *pattern, struct regexes **regexes,
	struct tfprof_error *err)
{
	struct span text = span_of(pattern);

	return regexes_new(regexes, "find", &text, 1, err);
}

enum tfprof_status find_compile_text(const char *pattern, struct regexes **regexes,
	struct tfprof_error *err)
{
	struct buf part = {0};
	enum tfprof_status status;

	*regexes = NULL;
	if (!pattern || !*pattern)
		return TFPROF_OK;
	status = compile(pattern, regexes, err); /* its errors name what was typed */
	if (status != TFPROF_OK)
		return status;
	regexes_free(*regexes);
	*regexes = NULL;
	buf_text(&part, strpbrk(pattern, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") ? "(?s)" : "(?si)");
	buf_printf(&part, ".*(?:%s).*", pattern);
	status = part.failed ? error_no_memory(err) : compile(part.at, regexes, err);
	buf_clear(&part);
	return status;
}

enum tfprof_status find_compile(const struct call *c, struct regexes **regexes,
	struct tfprof_error *err)
{
	return find_compile_text(call_get(c, "find"), regexes, err);
}
