/* Messages made by hand: the pieces that tests build their inputs of. All of them
 * go through proto/wire_write.h, as does what only one test needs.
 *
 *     struct buf graph = {0};
 *     put_graph_node(&graph, "x", "Placeholder", "");
 *     put_graph_node(&graph, "y", "MatMul", "x w:1 ^init");
 */
#ifndef TFPROF_TESTS_MESSAGES_H
#define TFPROF_TESTS_MESSAGES_H

#include <string.h>

#include "proto/fields.h"
#include "proto/wire_write.h"

/* ---- fields ------------------------------------------------------------------ */

static inline void put_text(struct buf *b, uint32_t number, const char *text)
{
	wire_put_bytes(b, number, span_of(text));
}

/* An entry of a map from numbers to numbers. */
static inline void put_pair(struct buf *b, uint32_t number, int64_t key, int64_t value)
{
	size_t entry = wire_open(b, number);

	wire_put_int(b, MAP_KEY, key);
	wire_put_int(b, MAP_VALUE, value);
	wire_close(b, entry);
}

/* An entry of a map from numbers to texts: id_to_string of an op log or a profile. */
static inline void put_string(struct buf *b, uint32_t number, int64_t id, const char *text)
{
	size_t entry = wire_open(b, number);

	wire_put_int(b, MAP_KEY, id);
	put_text(b, MAP_VALUE, text);
	wire_close(b, entry);
}

/* A message in a message, to be filled and closed. */
struct nested {
	size_t outer, inner;
};

static inline void close_nested(struct buf *b, struct nested open)
{
	wire_close(b, open.inner);
	wire_close(b, open.outer);
}

/* ---- GraphDef ------------------------------------------------------------------ */

/* Inputs are separated by blanks. */
static inline size_t open_graph_node(struct buf *b, const char *name, const char *op,
	const char *inputs)
{
	size_t node = wire_open(b, GRAPH_DEF_NODE);

	put_text(b, NODE_DEF_NAME, name);
	put_text(b, NODE_DEF_OP, op);
	for (const char *at = inputs + strspn(inputs, " "); *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		wire_put_bytes(b, NODE_DEF_INPUT, (struct span){at, n});
		at += n;
	}
	return node;
}

static inline void put_graph_node(struct buf *b, const char *name, const char *op,
	const char *inputs)
{
	wire_close(b, open_graph_node(b, name, op, inputs));
}

/* A vector of n parameters. */
static inline void put_variable(struct buf *b, const char *name, int64_t n)
{
	size_t node = open_graph_node(b, name, "VariableV2", ""), attr, dim;
	struct nested value;

	attr = wire_open(b, NODE_DEF_ATTR);
	put_text(b, MAP_KEY, "shape");
	value.outer = wire_open(b, MAP_VALUE);
	value.inner = wire_open(b, ATTR_VALUE_SHAPE);
	dim = wire_open(b, TENSOR_SHAPE_DIM);
	wire_put_int(b, TENSOR_SHAPE_DIM_SIZE, n);
	wire_close(b, dim);
	close_nested(b, value);
	wire_close(b, attr);
	wire_close(b, node);
}

/* ---- RunMetadata --------------------------------------------------------------- */

/* Entries of a device; several devices make several StepStats, which add up. */
static inline struct nested open_device(struct buf *b, const char *name)
{
	struct nested device;

	device.outer = wire_open(b, RUN_METADATA_STEP_STATS);
	device.inner = wire_open(b, STEP_STATS_DEV_STATS);
	put_text(b, DEVICE_STEP_STATS_DEVICE, name);
	return device;
}

/* A node that runs for so long and requests so much memory. */
static inline void put_run(struct buf *b, const char *node, int64_t micros, int64_t bytes)
{
	size_t entry = wire_open(b, DEVICE_STEP_STATS_NODE_STATS), memory;

	put_text(b, NODE_EXEC_STATS_NODE_NAME, node);
	wire_put_int(b, NODE_EXEC_STATS_ALL_START_MICROS, 1000);
	wire_put_int(b, NODE_EXEC_STATS_OP_END_REL_MICROS, micros);
	memory = wire_open(b, NODE_EXEC_STATS_MEMORY);
	wire_put_int(b, ALLOCATOR_MEMORY_USED_TOTAL_BYTES, bytes);
	wire_close(b, memory);
	wire_close(b, entry);
}

/* ---- OpLogProto ------------------------------------------------------------------ */

static inline struct nested open_stack(struct buf *b, const char *node)
{
	struct nested stack = {.outer = wire_open(b, OP_LOG_LOG_ENTRIES)};

	put_text(b, OP_LOG_ENTRY_NAME, node);
	stack.inner = wire_open(b, OP_LOG_ENTRY_CODE_DEF);
	return stack;
}

/* A frame of a stack, outermost first; texts go by their ids. */
static inline void put_frame(struct buf *b, int64_t line, int64_t file, int64_t function,
	int64_t source)
{
	size_t frame = wire_open(b, CODE_DEF_TRACES);

	wire_put_int(b, CODE_DEF_TRACE_LINENO, line);
	wire_put_int(b, CODE_DEF_TRACE_FILE_ID, file);
	wire_put_int(b, CODE_DEF_TRACE_FUNCTION_ID, function);
	wire_put_int(b, CODE_DEF_TRACE_LINE_ID, source);
	wire_close(b, frame);
}

/* ---- ProfileProto ------------------------------------------------------------------ */

static inline struct nested open_saved_node(struct buf *b, int64_t id, struct span name)
{
	struct nested node = {.outer = wire_open(b, PROFILE_NODES)};

	wire_put_int(b, MAP_KEY, id);
	node.inner = wire_open(b, MAP_VALUE);
	wire_put_bytes(b, PROFILE_NODE_NAME, name);
	put_text(b, PROFILE_NODE_OP, "Op");
	wire_put_int(b, PROFILE_NODE_ID, id);
	return node;
}

static inline void put_saved_node(struct buf *b, int64_t id, struct span name)
{
	close_nested(b, open_saved_node(b, id, name));
}

#endif
