/* Writers: each renders the answer of a query to a sink that is open. What they are
 * is one line each in query/format_list.h; nobody here opens a file. */
#ifndef TFPROF_WRITE_WRITER_H
#define TFPROF_WRITE_WRITER_H

#include "base/sink.h"
#include "query/columns.h"

struct writing {
	struct query *q;
	struct columns *columns; /* of the query, as far as they are made */
	struct sink *out;
	struct buf *said; /* what belongs on stdout besides */
};

/* Failures of the sink stay in it, to be found when it is committed. */
typedef enum tfprof_status writer_fn(const struct writing *w, struct tfprof_error *err);
/* Says why the query cannot be written so; nothing if it can. */
typedef void refuse_fn(const struct query *q, struct buf *why);
/* What to say about the file. */
typedef void announce_fn(const struct query *q, const char *path, struct buf *text);

struct writer {
	enum format_file file;
	unsigned metrics;
	refuse_fn *refuse;
	writer_fn *write;
	announce_fn *announce;
};

const struct writer *writer_get(enum format format);
/* The format of a word of the option output, or "text"; N_FORMATS if there is none. */
enum format writer_find(const char *name);

#define X(id, word, file, metrics, refuse, write, announce, meaning) \
	refuse_fn refuse;                                            \
	writer_fn write;                                             \
	announce_fn announce;
FORMATS(X)
#undef X

/* Only the name of the root: what an output that a view does not support gives. */
void message_write_root(struct sink *out);

#endif
