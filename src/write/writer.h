/* Writers render the result of a query to an open sink; they never open files. Each is
 * an entry in query/format_list.h. */
#ifndef TFPROF_WRITE_WRITER_H
#define TFPROF_WRITE_WRITER_H

#include "ask/question.h"
#include "base/sink.h"
#include "query/columns.h"

struct writing {
	const struct answer *answer;
	struct query *q;
	struct columns *columns; /* of the query, made so far */
	struct sink *out;
	struct buf *text; /* for stdout, besides the output */
};

/* Failures of the sink stick and are reported at commit. */
typedef enum tfprof_status writer_fn(const struct writing *w, struct tfprof_error *err);
/* Appends why the query cannot be written in this format; nothing if it can. */
typedef void refuse_fn(const struct query *q, struct buf *why);
/* Appends what the user should know about the written file. */
typedef void announce_fn(const struct query *q, const char *path, struct buf *text);

struct writer {
	enum format_file file;
	unsigned metrics;
	refuse_fn *refuse;
	writer_fn *write;
	announce_fn *announce;
};

const struct writer *writer_get(enum format format);
/* The format for a word of the option output, or for "text"; N_FORMATS if unknown. */
enum format writer_find(const char *name);
const char *writer_get_name(enum format format);

#define X(id, word, file, metrics, refuse, write, announce, meaning) \
	refuse_fn refuse;                                            \
	writer_fn write;                                             \
	announce_fn announce;
FORMATS(X)
#undef X

/* Whether more output would be discarded: the query was interrupted, or the reader of a
 * pipe has gone. */
static inline bool writer_stops(const struct query *q, const struct sink *out)
{
	return query_cancelled(q) || sink_failed(out);
}

/* Writes the root's name alone, for an output the view does not support. */
void message_write_root(struct sink *out);

#endif
