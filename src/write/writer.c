#include "write/writer.h"

void no_refusal(const struct query *q, struct buf *why)
{
}

enum tfprof_status no_writer(const struct writing *w, struct tfprof_error *err)
{
	return TFPROF_OK;
}

void no_announcement(const struct query *q, const char *path, struct buf *text)
{
}

static const struct writer writers[N_FORMATS] = {
#define X(id, word, file, metrics, refuse, write, announce, meaning) \
	{FILE_##file, metrics, refuse, write, announce},
	FORMATS(X)
#undef X
};

const struct writer *writer_get(enum format format)
{
	return &writers[format];
}

static const char *const words[N_FORMATS] = {
#define X(id, word, ...) word,
	FORMATS(X)
#undef X
};

const char *writer_get_name(enum format format)
{
	return words[format];
}

enum format writer_find(const char *name)
{
	enum format format = 0;

	if (strcmp(name, "text") == 0)
		return FORMAT_FILE;
	while (format < N_FORMATS && strcmp(words[format], name) != 0)
		format++;
	return format;
}
