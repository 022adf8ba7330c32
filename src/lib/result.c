#include "lib/result.h"

void tfprof_result_free(tfprof_result *r)
{
	if (!r)
		return;
	buf_clear(&r->text);
	buf_clear(&r->notes);
	buf_clear(&r->message);
	arena_clear(&r->arena);
	mem_free(r);
}

static const char *lend(const struct buf *b, size_t *length)
{
	struct span s = buf_get(b);

	if (length)
		*length = s.n;
	return s.at;
}

const char *tfprof_result_get_text(const tfprof_result *r, size_t *length)
{
	return lend(&r->text, length);
}

const char *tfprof_result_get_notes(const tfprof_result *r, size_t *length)
{
	return lend(&r->notes, length);
}

const void *tfprof_result_get_message(const tfprof_result *r, size_t *size)
{
	return lend(&r->message, size);
}

size_t tfprof_result_get_n_rows(const tfprof_result *r)
{
	return r->n_rows;
}

const struct tfprof_row *tfprof_result_get_row(const tfprof_result *r, size_t i)
{
	return i < r->n_rows ? &r->rows[i] : NULL;
}

enum tfprof_level tfprof_result_get_level(const tfprof_result *r)
{
	return r->level;
}
