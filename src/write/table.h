/* The result of a query as rows, for programs: the C API hands them out, JSON
 * and CSV write them. */
#ifndef TFPROF_WRITE_TABLE_H
#define TFPROF_WRITE_TABLE_H

#include "query/query.h"

/* A row per shown node, texts in the arena; NULL when memory is out. The query
 * must have all metrics. */
struct tfprof_row *table_make(struct query *q, struct arena *arena);

/* ---- one row at a time --------------------------------------------------- */

struct table_reader {
	struct query *q;
	unsigned selected;     /* texts that are not are left empty */
	struct tfprof_row row; /* as read last; borrows from the texts: */
	struct buf name, device, op_types, shape, input_shapes;
	struct buf tensor_value; /* no part of the row */
};

/* False when memory is out. Numbers the query did not compute are 0. A tensor
 * that cannot be read is told in the query. */
bool table_read(struct table_reader *t, uint32_t row);
void table_reader_clear(struct table_reader *t);

/* What a row says about an attribute that can be selected. */
struct table_field {
	const char *name; /* as in struct tfprof_row */
	unsigned selects; /* bits: any of these selects it */
	bool is_text;
	size_t offset; /* in struct table_reader: a buf, or a number */
};

/* The fields of these attributes, in order; NULL behind the last. Start with
 * *i = 0. */
const struct table_field *table_next_field(unsigned selected, size_t *i);

static inline int64_t table_get_int(const struct table_reader *t, const struct table_field *f)
{
	return *(const int64_t *)(const void *)((const char *)t + f->offset);
}

static inline struct span table_get_text(const struct table_reader *t, const struct table_field *f)
{
	return buf_get((const struct buf *)(const void *)((const char *)t + f->offset));
}

#endif
