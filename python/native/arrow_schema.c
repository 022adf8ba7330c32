/* The schema of a result's rows. */
#include "arrow.h"

#include <errno.h>
#include <stdlib.h>

/* The struct and its columns in one block; names and formats are constants. */
struct schema_block {
	struct ArrowSchema *pointers[N_ROW_FIELDS];
	struct ArrowSchema columns[N_ROW_FIELDS];
};

static const char *format_of(enum row_kind kind)
{
	switch (kind) {
	case ROW_TEXT: return "u";
	case ROW_BOOL: return "b";
	case ROW_INT32: return "i";
	default: return "l";
	}
}

/* A column taken out of the struct by its reader is released by the reader;
 * its memory goes with the block. */
static void release_column(struct ArrowSchema *schema)
{
	schema->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++)
		if (schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
	free(schema->private_data);
	schema->release = NULL;
}

int arrow_schema_make(struct ArrowSchema *out)
{
	struct schema_block *block = calloc(1, sizeof(*block));

	if (!block)
		return ENOMEM;
	for (size_t i = 0; i < N_ROW_FIELDS; i++) {
		block->pointers[i] = &block->columns[i];
		block->columns[i] = (struct ArrowSchema){
			.format = format_of(row_fields[i].kind),
			.name = row_fields[i].name,
			.flags = row_fields[i].kind == ROW_INDEX ? ARROW_FLAG_NULLABLE : 0,
			.release = release_column,
		};
	}
	*out = (struct ArrowSchema){
		.format = "+s",
		.name = "",
		.n_children = N_ROW_FIELDS,
		.children = block->pointers,
		.release = release_schema,
		.private_data = block,
	};
	return 0;
}
