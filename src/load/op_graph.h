/* GraphDefs and FunctionDefs as graphs that can be walked (count/graph.h).
 *
 *     library ── types[]       operation types that occur, with the names of their outputs
 *             ── functions[]   FunctionDefs, built when they are called
 *             ── main
 *
 * Everything aliases the bytes it was read from, which must outlive it. */
#ifndef TFPROF_LOAD_OP_GRAPH_H
#define TFPROF_LOAD_OP_GRAPH_H

#include "base/hash.h"
#include "count/walk.h"
#include "proto/decoder.h"

enum { OP_MAX_OUTPUT_ARGS = 12 };

/* An operation type, and how its outputs are found by name. */
struct op_kind {
	struct op_type type; /* first: nodes point to it */
	struct span outputs[OP_MAX_OUTPUT_ARGS];
	enum attr_id sizes[OP_MAX_OUTPUT_ARGS]; /* N_ATTRS: one */
	int n_outputs;
};

struct op_function {
	struct span name, def;
	struct graph graph;
	uint32_t n_users;
	bool is_built, is_bad;
	bool is_kept; /* it was called before */
};

struct op_library {
	struct graph_source source; /* first */
	VEC(struct op_kind *) kinds;
	struct hash_index kind_index;
	VEC(struct op_function) functions;
	struct hash_index function_index;
	VEC(struct span) op_defs;
	struct hash_index op_def_index;
	struct graph main;
	struct {
		struct graph graph;
		struct hash_index names;
		VEC(struct span) inputs;
	} spare;                      /* memory of a function, for the next one */
	struct hash_index main_index; /* names of its nodes */
	struct span debug_info;       /* of the graph; empty if it has none */
	parameter_vec *parameters;    /* gets the constants that may be weights */
	struct decoder decoder;       /* of the main graph and of functions built so far */
	struct arena arena;
	uint8_t attr_slots[512]; /* attribute names → ids */
};

bool op_library_init(struct op_library *l, parameter_vec *parameters);
void op_library_clear(struct op_library *l);

/* OpDefs of a file: an OpList. */
void op_library_add_op_defs(struct op_library *l, struct span list);
/* A GraphDef: its nodes become the main graph, its functions those of the library. */
void op_library_add_graph(struct op_library *l, struct span graph_def);

/* Ends a node, see graph_start_node(), of an operation type with its rule. False on
 * allocation failure. For readers of other files, which build graphs themselves. */
bool op_library_add_node(struct op_library *l, struct graph *g, struct op_node node,
	struct span type, const struct op_rule *rule);
/* A function to be filled by such a reader before the walk; NULL on allocation failure.
 * Valid until the next one is added. */
struct graph *op_library_add_function(struct op_library *l, struct span name);

/* NONE if there is none. */
uint32_t op_library_find_function(const struct op_library *l, struct span name);
/* "name:1" or "name". False if there is no such node. */
bool op_library_find_output(const struct op_library *l, struct span name, struct op_edge *edge);

/* Reads the attributes of a NodeDef that some rule reads (op_attrs.c). */
struct op_node_reader {
	struct op_library *library;
	struct decoder *decoder;
	struct graph *graph;
};
void op_attr_read(struct op_node_reader *r, struct span entry);

/* ---- attribute names and operation types (op_kinds.c) ------------------------------- */

void op_library_index_attrs(struct op_library *l);
/* N_ATTRS if no rule reads it. */
enum attr_id op_library_find_attr(const struct op_library *l, struct span name);
struct span op_def_name(struct span def);
/* The type of that name, made at first; NULL on allocation failure. */
struct op_kind *op_library_get_kind(struct op_library *l, struct span name);

#endif
