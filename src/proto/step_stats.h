/* The records of a step in run metadata:
 *
 *     RunMetadata ─▶ StepStats ─▶ DeviceStepStats   a device …
 *                                   └▶ NodeExecStats   … and what ran on it
 *
 * Each iterates over its nested messages; its other fields are complete at the end. */
#ifndef TFPROF_PROTO_STEP_STATS_H
#define TFPROF_PROTO_STEP_STATS_H

#include "proto/decoder.h"

struct device_step_stats {
	struct wire_reader r;
	struct span device;
};

static inline struct device_step_stats device_step_stats(struct span message)
{
	return (struct device_step_stats){wire_reader(message), {"", 0}};
}

/* The next NodeExecStats. */
static inline bool device_step_stats_next(struct decoder *d, struct device_step_stats *s,
	struct wire_field *f)
{
	while (decoder_next(d, &s->r, f))
		switch (f->tag) {
		case WIRE_LEN(DEVICE_STEP_STATS_DEVICE): s->device = f->bytes; break;
		case WIRE_LEN(DEVICE_STEP_STATS_NODE_STATS): return true;
		}
	return false;
}

struct node_exec_stats {
	struct wire_reader r;
	struct span node_name, timeline_label;
	int64_t all_start_micros, op_end_rel_micros, all_end_rel_micros;
};

static inline struct node_exec_stats node_exec_stats(struct span message)
{
	return (struct node_exec_stats){.r = wire_reader(message),
		.node_name = {"", 0},
		.timeline_label = {"", 0}};
}

/* The next AllocatorMemoryUsed, NodeOutput or MemoryStats, by its tag. */
static inline bool node_exec_stats_next(struct decoder *d, struct node_exec_stats *s,
	struct wire_field *f)
{
	while (decoder_next(d, &s->r, f))
		switch (f->tag) {
		case WIRE_LEN(NODE_EXEC_STATS_NODE_NAME): s->node_name = f->bytes; break;
		case WIRE_VARINT(NODE_EXEC_STATS_ALL_START_MICROS):
			s->all_start_micros = (int64_t)f->value;
			break;
		case WIRE_VARINT(NODE_EXEC_STATS_OP_END_REL_MICROS):
			s->op_end_rel_micros = (int64_t)f->value;
			break;
		case WIRE_VARINT(NODE_EXEC_STATS_ALL_END_REL_MICROS):
			s->all_end_rel_micros = (int64_t)f->value;
			break;
		case WIRE_LEN(NODE_EXEC_STATS_TIMELINE_LABEL): s->timeline_label = f->bytes; break;
		case WIRE_LEN(NODE_EXEC_STATS_MEMORY):
		case WIRE_LEN(NODE_EXEC_STATS_OUTPUT):
		case WIRE_LEN(NODE_EXEC_STATS_MEMORY_STATS): return true;
		}
	return false;
}

#endif
