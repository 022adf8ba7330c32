/* Any table as bytes: CSV, JSON, JSON Lines, Markdown and text see nothing but cells.
 *
 *     id   parent  depth  name     columns…
 *      0   null    0      root                  row 0 is the root
 *      1   0       1      gpu:0    12.5  …      rows in pre-order; id is the row
 *
 * A flat table has no root and no such columns: the root is written before it, and its rows
 * are the root's children. docs/output.md describes the formats. */
#ifndef TFPROF_WRITE_TABLE_H
#define TFPROF_WRITE_TABLE_H

#include "query/table.h"
#include "write/json.h"

struct written {
	const struct tfprof_column *const *columns; /* of a tree: with parent, depth and name */
	size_t n_columns, n_rows;
	const char *root;                 /* name of the root of a flat table; NULL: it is a tree */
	const struct tfprof_column *name; /* of a flat table: what names a row; NULL: its number */
	bool formulas_as_text;            /* CSV: an apostrophe before what looks like one */
	/* Appends members to the object of a row; false on allocation failure. NULL: none. */
	bool (*put_members)(void *context, size_t row, struct json *j);
	void *context;
	bool (*stops)(void *context); /* polled between rows; NULL: never */
	struct buf text;              /* of lists; clear it at the end */
};

struct cell {
	enum { CELL_NULL, CELL_INT, CELL_BOOL, CELL_DOUBLE, CELL_TEXT } type;
	int64_t number;
	double real;
	struct span text; /* until the next cell is read; lists are joined by `|` */
};

/* Rows and cells of a row as they are written, with the root and the id. */
size_t written_n_rows(const struct written *w);
size_t written_n_cells(const struct written *w);
const char *written_get_name(const struct written *w, size_t k);
struct cell written_get_cell(struct written *w, size_t row, size_t k);
bool written_stops(const struct written *w, const struct sink *out);

void table_write_csv(struct written *w, struct sink *out);
/* The member "nodes" of an open object, a row per line. False on allocation failure. */
bool table_put_nodes(struct written *w, struct json *j);
/* An object per line. */
void table_write_jsonl(struct written *w, struct sink *out);
void table_write_markdown(struct written *w, struct sink *out);
/* Aligned, for people: names by depth, numbers by unit. */
void table_write_text(struct written *w, struct sink *out);

#endif
