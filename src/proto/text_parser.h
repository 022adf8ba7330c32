/* The state of converting text, for callers that continue after an error (text_recover.c). */
#ifndef TFPROF_PROTO_TEXT_PARSER_H
#define TFPROF_PROTO_TEXT_PARSER_H

#include "base/vec.h"
#include "proto/text.h"
#include "proto/text_scan.h"

/* Where the last field of a message begins, in the text and in what was made of it. */
struct mark {
	const char *at;
	size_t out, longer, extra;
};

struct frame {
	const struct schema_message *type;
	const char *bracket;               /* that opened the message; NULL: the whole text */
	size_t open;                       /* offset of its content in the output */
	size_t extra;                      /* bytes still to be inserted for its lengths */
	size_t longer;                     /* its index in that list */
	uint64_t seen;                     /* fields that must not be repeated, by index */
	const struct schema_field *chosen; /* the field of the oneof that is set */
	const struct schema_field *list;   /* the open [ … ] of messages */
	const char *list_bracket;
	const struct schema_field *packed; /* the open run of packed values */
	size_t packed_open;
	uint32_t next; /* likely index of the next field in the table */
	struct mark mark;
};

struct length {
	size_t open;
	size_t length;
};

struct parser {
	struct text_scan scan;
	bool marks_fields; /* as long as a caller may go back */
	struct buf *out;
	VEC(struct frame) frames;
	VEC(struct length) longer;
};

static inline struct frame *top(struct parser *p)
{
	return &p->frames.at[p->frames.n - 1];
}

static inline void parser_mark(struct parser *p)
{
	top(p)->mark = (struct mark){p->scan.at, p->out->n, p->longer.n, top(p)->extra};
}

/* Clear in any case. */
enum tfprof_status parser_init(struct parser *p, const struct schema_message *type,
	struct span text, struct buf *out, struct tfprof_error *err);
/* To the end of the text or to the first error. */
enum tfprof_status parser_run(struct parser *p);
/* Ends the top frame and stores its length in the output or in the list. */
void parser_pop(struct parser *p);
/* After the end of the text, with no message open: inserts the lengths. */
enum tfprof_status parser_finish(struct parser *p);
void parser_clear(struct parser *p);

#endif
