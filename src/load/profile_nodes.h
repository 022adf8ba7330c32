/* The nodes of a part of a saved profile, read into the columns of the model.
 *
 * Readers of several parts work in parallel. Each fills a range of nodes
 * that is its own, and has pools and exec rows of its own: the columns hold ids
 * of these pools until they are remapped.
 *
 *     init, add, add, …        each in its own thread
 *     merge                    one after the other, in the order of the parts
 *     remap                    each in its own thread
 *     clear
 */
#ifndef TFPROF_LOAD_PROFILE_NODES_H
#define TFPROF_LOAD_PROFILE_NODES_H

#include "load/audit.h"
#include "load/load.h"
#include "proto/decoder.h"

/* A text that came before: most are devices and op types, and come again. */
struct recent_text {
	struct span text;
	uint32_t string;
};

/* Ids of a reader's pools → ids of the model's. */
struct merged_ids {
	uint32_t *string, *set, *shape;
	uint32_t first_exec; /* row 0 → this row */
	uint32_t first_wide; /* wide sums 0 → these */
	size_t first_slice;  /* listed slice 0 → this */
};

struct node_reader {
	struct model *model; /* whose last source is the profile */
	uint32_t first, n;   /* its nodes, those read so far */
	struct strings strings;
	struct sets sets;
	struct shapes shapes;
	struct execs execs;
	struct slicer slicer;
	slice_list listed_slices;
	VEC(struct node_key) keys;
	struct merged_ids merged;
	bool has_negative;
	size_t n_nameless;
	struct field_counts fields;
	struct decoder decoder;
	struct recent_text recent[256];
	/* of the node being read: */
	VEC(struct raw_exec {
		int64_t step;
		struct span message;
		size_t place; /* among the executions of the node */
	})
	raw_execs;
	dims_vec shape;
	VEC(uint32_t) types;
	VEC(struct span) executed;
	bool has_executed; /* some node of the part has */
};

/* For nodes from `first` on, which must be there (model_make_nodes). */
bool node_reader_init(struct node_reader *r, struct model *m, uint32_t first);
void node_reader_clear(struct node_reader *r);

/* Reads the next entry of the map of nodes. */
void node_reader_add(struct node_reader *r, struct span entry);

/* Adds what the reader's pools hold to the model's. False on allocation failure. */
bool node_reader_merge(struct node_reader *r);
/* Makes its nodes speak of the model's pools. */
void node_reader_remap(struct node_reader *r);

#endif
