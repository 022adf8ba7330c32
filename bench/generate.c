/* Makes profiles to measure with: a synthetic training graph of any size, with
 * traces of some steps and call stacks, in the proportions of a real one.
 *
 *     generate profile|graph|run_meta|op_log --nodes N [--steps S] [--seed N]
 *              [--shape wide|deep|loop|devices|distinct]
 *              [--run N] [--slow_op OP] [--slow_op_percent N] [--slow_percent N] > FILE
 *
 * Runs of the same seed have the same graph, and times that differ by 1 %. One op, or
 * all of them, can be made slower (bench/fleet makes such fleets).
 *
 * In "distinct" call stacks, functions and scopes hardly repeat; in the others few
 * of them serve all nodes.
 *
 * Written piece by piece, so that ten million nodes need no memory. What is
 * random comes from a counter, so equal arguments give equal bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "proto/fields.h"
#include "proto/wire_write.h"

enum shape { WIDE, DEEP, LOOP, DEVICES, DISTINCT };

static const char *const shape_names[] = {"wide", "deep", "loop", "devices", "distinct", NULL};
static const char *const kind_names[] = {"profile", "graph", "run_meta", "op_log", NULL};

struct plan {
	uint64_t n_nodes, n_steps, seed;
	enum shape shape;
	uint64_t run, slow_op_percent, slow_percent;
	const char *slow_op; /* NULL: none */
};

static const char *const ops[] = {"Conv2D", "MatMul", "BiasAdd", "Relu", "FusedBatchNormV3", "Add",
	"Mul", "Const", "VariableV2", "Identity", "Reshape", "Conv2DBackpropInput",
	"Conv2DBackpropFilter", "ReluGrad", "ApplyMomentum", "StridedSlice", "ConcatV2", "Sum",
	"Mean", "Pack", "Shape", "Softmax", "Assign", "Transpose"};
enum { N_OPS = sizeof(ops) / sizeof(*ops), N_STACKS = 3000, N_FRAMES = 9, N_STRINGS = 4000 };

/* A well-mixed number for a place: what, of which node, which one. */
static uint64_t draw(const struct plan *p, uint64_t what, uint64_t node, uint64_t limit)
{
	uint64_t h = p->seed + what * 0x9e3779b97f4a7c15u + node * 0xbf58476d1ce4e5b9u;

	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 27) * 0x94d049bb133111ebu;
	return (h ^ h >> 31) % limit;
}

static const char *op_of(const struct plan *p, uint64_t node)
{
	return ops[draw(p, 1, node, N_OPS)];
}

static void put_name(const struct plan *p, struct buf *b, uint64_t node)
{
	b->n = 0;
	if (draw(p, 2, node, 3) == 0)
		buf_text(b, "gradients/");
	if (p->shape == DEEP)
		for (uint64_t level = 0, n = draw(p, 3, node, 40); level < n; level++)
			buf_printf(b, "block_%d/", (int)(level % 7));
	if (p->shape == DISTINCT)
		buf_printf(b, "model_%x/layer_%x/", (unsigned)draw(p, 70, node, p->n_nodes / 8 + 1),
			(unsigned)draw(p, 71, node, UINT32_MAX));
	else
		buf_printf(b, "tower_%d/stage_%d/unit_%d/sub%d/", (int)(node / 20000),
			(int)(node / 2000 % 10), (int)(node / 100 % 20), (int)(node / 50 % 2));
	buf_printf(b, "%s_%llu", op_of(p, node), (unsigned long long)node);
}

static const char *device_of(const struct plan *p, uint64_t node)
{
	static char name[80];
	uint64_t n = p->shape == DEVICES ? 64 : 2;

	snprintf(name, sizeof(name), "/job:worker/replica:0/task:%d/device:gpu:%d",
		(int)(draw(p, 4, node, n) / 8), (int)(draw(p, 4, node, n) % 8));
	return name;
}

/* A node's inputs come a little before it. */
static uint64_t n_inputs(const struct plan *p, uint64_t node)
{
	return node < 4 ? 0 : draw(p, 5, node, 4);
}

static uint64_t input_of(const struct plan *p, uint64_t node, uint64_t i)
{
	if (i == 0)
		return node - 1;
	return node - 1 - draw(p, 6 + i, node, node < 1000 ? node : 1000);
}

static void put_dims(const struct plan *p, struct buf *b, uint64_t node, bool packed)
{
	static const int64_t sizes[] = {1, 3, 16, 32, 64, 128, 256};

	for (uint64_t i = 0; i < 4; i++) {
		int64_t size = sizes[draw(p, 10 + i, node, 7)];

		if (packed) {
			wire_put_varint(b, (uint64_t)size);
		} else {
			size_t dim = wire_open(b, TENSOR_SHAPE_DIM);

			wire_put_int(b, TENSOR_SHAPE_DIM_SIZE, size);
			wire_close(b, dim);
		}
	}
}

static void put_attr(struct buf *b, uint32_t field, const char *key, struct span value)
{
	size_t entry = wire_open(b, field);

	wire_put_bytes(b, MAP_KEY, span_of(key));
	wire_put_bytes(b, MAP_VALUE, value);
	wire_close(b, entry);
}

static void put_attrs(const struct plan *p, struct buf *b, uint32_t field, uint64_t node,
	bool with_shapes)
{
	struct buf value = {0};
	size_t list, shape;

	wire_put_int(&value, ATTR_VALUE_TYPE, 1);
	put_attr(b, field, "T", buf_get(&value));
	value.n = 0;
	wire_put_bytes(&value, ATTR_VALUE_S, SPAN("NHWC"));
	put_attr(b, field, "data_format", buf_get(&value));
	if (with_shapes) {
		value.n = 0;
		list = wire_open(&value, ATTR_VALUE_LIST);
		shape = wire_open(&value, ATTR_VALUE_LIST_VALUE_SHAPE);
		put_dims(p, &value, node, false);
		wire_close(&value, shape);
		wire_close(&value, list);
		put_attr(b, field, "_output_shapes", buf_get(&value));
	}
	buf_clear(&value);
}

/* Strings come as files, functions and lines of code: so many of each. */
enum { N_FILES = 40, N_FUNCTIONS = 400 };

static uint64_t n_functions(const struct plan *p)
{
	return p->shape == DISTINCT ? p->n_nodes : N_FUNCTIONS;
}

static uint64_t n_strings(const struct plan *p)
{
	return N_STRINGS - N_FUNCTIONS + n_functions(p);
}

static void put_stack(const struct plan *p, struct buf *b, uint64_t node)
{
	uint64_t stack = p->shape == DISTINCT ? node : draw(p, 20, node, N_STACKS);
	uint64_t n_lines = p->shape == DISTINCT ? 90000 : 900;

	for (uint64_t i = 0; i < N_FRAMES; i++) {
		size_t frame = wire_open(b, CODE_DEF_TRACES);
		/* Outer frames are shared by many stacks. */
		uint64_t place = i < 3 ? i : i < 6 ? stack / 100 * 10 + i : stack * 10 + i;

		wire_put_int(b, CODE_DEF_TRACE_LINENO, (int64_t)(place % n_lines + 1));
		wire_put_int(b, CODE_DEF_TRACE_FILE_ID, (int64_t)(place % N_FILES));
		wire_put_int(b, CODE_DEF_TRACE_FUNCTION_ID,
			(int64_t)(N_FILES + place % n_functions(p)));
		wire_put_int(b, CODE_DEF_TRACE_LINE_ID,
			(int64_t)(N_FILES + n_functions(p) + place % 3500));
		wire_close(b, frame);
	}
}

static uint64_t n_runs(const struct plan *p, uint64_t node)
{
	return p->shape == LOOP ? 1 + draw(p, 30, node, 40) : 1;
}

static uint64_t start_of(uint64_t node, uint64_t step, uint64_t run)
{
	return 1500000000000000u + step * 10000000u + node * 3 + run * 7;
}

static uint64_t duration_of(const struct plan *p, uint64_t node, uint64_t step)
{
	uint64_t percent = 100 + p->slow_percent;
	uint64_t took = 1 + draw(p, 40 + step, node, 900);

	if (p->slow_op && strcmp(op_of(p, node), p->slow_op) == 0)
		percent = percent * (100 + p->slow_op_percent) / 100;
	if (!p->run && percent == 100)
		return took;
	return took * percent * (990 + draw(p, 80 + p->run * 16 + step, node, 21)) / 100000;
}

static void put_exec(const struct plan *p, struct buf *b, uint64_t node, uint64_t step)
{
	struct span device = span_of(device_of(p, node));
	uint64_t runs = n_runs(p, node);
	size_t entry, times, tuple, pair;

	wire_put_int(b, EXEC_PROFILE_RUN_COUNT, (int64_t)runs);
	wire_put_int(b, EXEC_PROFILE_ALL_START_MICROS, (int64_t)start_of(node, step, 0));
	wire_put_int(b, EXEC_PROFILE_LATEST_END_MICROS, (int64_t)start_of(node, step, runs));
	entry = wire_open(b, EXEC_PROFILE_CPU_EXECS);
	wire_put_bytes(b, MAP_KEY, device);
	times = wire_open(b, MAP_VALUE);
	for (uint64_t run = 0; run < runs; run++) {
		tuple = wire_open(b, EXEC_TIME_TIMES);
		pair = wire_open(b, TUPLE_INT64_VALUES);
		wire_put_varint(b, start_of(node, step, run));
		wire_put_varint(b, duration_of(p, node, step));
		wire_close(b, pair);
		wire_close(b, tuple);
	}
	wire_close(b, times);
	wire_close(b, entry);
	wire_put_bytes(b, EXEC_PROFILE_DEVICES, device);
	for (uint64_t run = 0; run < runs; run++) {
		entry = wire_open(b, EXEC_PROFILE_MEMORY_EXECS);
		wire_put_int(b, EXEC_MEMORY_MEMORY_MICROS, (int64_t)start_of(node, step, run) + 5);
		wire_put_int(b, EXEC_MEMORY_REQUESTED_BYTES, (int64_t)draw(p, 50, node, 5000000));
		wire_put_int(b, EXEC_MEMORY_PEAK_BYTES, (int64_t)draw(p, 51, node, 4000000));
		wire_put_int(b, EXEC_MEMORY_RESIDUAL_BYTES, (int64_t)draw(p, 52, node, 1000000));
		wire_put_int(b, EXEC_MEMORY_OUTPUT_BYTES, (int64_t)draw(p, 53, node, 1000000));
		tuple = wire_open(b, EXEC_MEMORY_OUTPUT_MEMORY);
		wire_put_int(b, MAP_KEY, 0);
		pair = wire_open(b, MAP_VALUE);
		wire_put_int(b, MEMORY_BYTES, (int64_t)draw(p, 53, node, 1000000));
		wire_put_int(b, MEMORY_PTR, (int64_t)(0x7f0000000000 + node * 256));
		wire_close(b, pair);
		wire_close(b, tuple);
		wire_close(b, entry);
	}
}

static void put_profile_node(const struct plan *p, struct buf *b, uint64_t node, struct buf *name)
{
	size_t value, entry;
	const char *device = device_of(p, node);

	wire_put_int(b, MAP_KEY, (int64_t)node);
	value = wire_open(b, MAP_VALUE);
	put_name(p, name, node);
	wire_put_bytes(b, PROFILE_NODE_NAME, buf_get(name));
	for (uint64_t i = 0; i < n_inputs(p, node); i++) {
		entry = wire_open(b, PROFILE_NODE_INPUTS);
		wire_put_int(b, MAP_KEY, (int64_t)i);
		wire_put_int(b, MAP_VALUE, (int64_t)input_of(p, node, i));
		wire_close(b, entry);
	}
	if (draw(p, 1, node, N_OPS) == 8) {
		entry = wire_open(b, PROFILE_NODE_SHAPE);
		put_dims(p, b, node, true);
		wire_close(b, entry);
	}
	wire_put_bytes(b, PROFILE_NODE_OP_TYPES, span_of(device));
	wire_put_bytes(b, PROFILE_NODE_OP_TYPES, span_of(op_of(p, node)));
	wire_put_bytes(b, PROFILE_NODE_CANONICAL_DEVICE, span_of(device));
	wire_put_bytes(b, PROFILE_NODE_HOST_DEVICE,
		SPAN("/job:worker/replica:0/task:0/device:cpu:0"));
	wire_put_nonzero(b, PROFILE_NODE_FLOAT_OPS, (int64_t)draw(p, 60, node, 3) * 1000000);
	wire_put_bytes(b, PROFILE_NODE_OP, span_of(op_of(p, node)));
	entry = wire_open(b, PROFILE_NODE_TRACE);
	put_stack(p, b, node);
	wire_close(b, entry);
	put_attrs(p, b, PROFILE_NODE_ATTRS, node, true);
	for (uint64_t step = 0; step < p->n_steps; step++) {
		size_t exec;

		entry = wire_open(b, PROFILE_NODE_EXECS);
		wire_put_int(b, MAP_KEY, (int64_t)step);
		exec = wire_open(b, MAP_VALUE);
		put_exec(p, b, node, step);
		wire_close(b, exec);
		wire_close(b, entry);
	}
	wire_put_nonzero(b, PROFILE_NODE_ID, (int64_t)node);
	for (uint64_t i = 0; i < n_inputs(p, node); i++) {
		entry = wire_open(b, PROFILE_NODE_SRC_OUTPUT_INDEX);
		wire_put_int(b, MAP_KEY, (int64_t)input_of(p, node, i));
		wire_put_int(b, MAP_VALUE, 0);
		wire_close(b, entry);
	}
	entry = wire_open(b, PROFILE_NODE_OUTPUT_SHAPES);
	wire_put_int(b, MAP_KEY, 0);
	{
		size_t tuple = wire_open(b, MAP_VALUE), packed = wire_open(b, TUPLE_INT64_VALUES);

		put_dims(p, b, node, true);
		wire_close(b, packed);
		wire_close(b, tuple);
	}
	wire_close(b, entry);
	wire_close(b, value);
}

static void flush(struct buf *b)
{
	fwrite(b->at, 1, b->n, stdout);
	b->n = 0;
}

static void put_strings(const struct plan *p, struct buf *b, uint32_t field)
{
	for (uint64_t i = 0; i < n_strings(p); i++) {
		char text[80];
		size_t entry = wire_open(b, field);
		int id = (int)i;

		if (i < N_FILES)
			snprintf(text, sizeof(text), "/home/user/project/models/module_%d.py", id);
		else if (i < N_FILES + n_functions(p))
			snprintf(text, sizeof(text), "build_layer_%d", id);
		else
			snprintf(text, sizeof(text), "x = tf.layers.something(x, %d, name='layer')",
				id);
		wire_put_int(b, MAP_KEY, id);
		wire_put_bytes(b, MAP_VALUE, span_of(text));
		wire_close(b, entry);
	}
}

static void write_profile(const struct plan *p)
{
	struct buf b = {0}, name = {0};

	for (uint64_t node = 0; node < p->n_nodes; node++) {
		size_t entry = wire_open(&b, PROFILE_NODES);

		put_profile_node(p, &b, node, &name);
		wire_close(&b, entry);
		flush(&b);
	}
	wire_put_int(&b, PROFILE_HAS_TRACE, 1);
	for (uint64_t step = 0; step < p->n_steps; step++)
		wire_put_int(&b, PROFILE_STEPS, (int64_t)step);
	put_strings(p, &b, PROFILE_ID_TO_STRING);
	flush(&b);
	buf_clear(&b);
	buf_clear(&name);
}

static void write_graph(const struct plan *p)
{
	struct buf b = {0}, name = {0};

	for (uint64_t node = 0; node < p->n_nodes; node++) {
		size_t entry = wire_open(&b, GRAPH_DEF_NODE);

		put_name(p, &name, node);
		wire_put_bytes(&b, NODE_DEF_NAME, buf_get(&name));
		wire_put_bytes(&b, NODE_DEF_OP, span_of(op_of(p, node)));
		for (uint64_t i = 0; i < n_inputs(p, node); i++) {
			put_name(p, &name, input_of(p, node, i));
			wire_put_bytes(&b, NODE_DEF_INPUT, buf_get(&name));
		}
		put_attrs(p, &b, NODE_DEF_ATTR, node, true);
		wire_close(&b, entry);
		flush(&b);
	}
	buf_clear(&b);
	buf_clear(&name);
}

static void put_stats(const struct plan *p, struct buf *b, uint64_t node, uint64_t run,
	struct buf *name)
{
	size_t memory, output, tensor, allocation;

	put_name(p, name, node);
	wire_put_bytes(b, NODE_EXEC_STATS_NODE_NAME, buf_get(name));
	wire_put_int(b, NODE_EXEC_STATS_ALL_START_MICROS, (int64_t)start_of(node, 0, run));
	wire_put_int(b, NODE_EXEC_STATS_OP_START_REL_MICROS, 1);
	wire_put_int(b, NODE_EXEC_STATS_OP_END_REL_MICROS, (int64_t)(1 + draw(p, 40, node, 900)));
	wire_put_int(b, NODE_EXEC_STATS_ALL_END_REL_MICROS, (int64_t)(2 + draw(p, 40, node, 900)));
	memory = wire_open(b, NODE_EXEC_STATS_MEMORY);
	wire_put_bytes(b, ALLOCATOR_MEMORY_USED_ALLOCATOR_NAME, SPAN("GPU_0_bfc"));
	wire_put_int(b, ALLOCATOR_MEMORY_USED_TOTAL_BYTES, (int64_t)draw(p, 50, node, 5000000));
	wire_put_int(b, ALLOCATOR_MEMORY_USED_PEAK_BYTES, (int64_t)draw(p, 51, node, 4000000));
	wire_put_int(b, ALLOCATOR_MEMORY_USED_ALLOCATOR_BYTES_IN_USE,
		(int64_t)(node * 1000 % 1000000000));
	wire_close(b, memory);
	output = wire_open(b, NODE_EXEC_STATS_OUTPUT);
	wire_put_int(b, NODE_OUTPUT_SLOT, 0);
	tensor = wire_open(b, NODE_OUTPUT_TENSOR_DESCRIPTION);
	wire_put_int(b, TENSOR_DESCRIPTION_DTYPE, 1);
	allocation = wire_open(b, TENSOR_DESCRIPTION_ALLOCATION_DESCRIPTION);
	wire_put_int(b, ALLOCATION_DESCRIPTION_REQUESTED_BYTES,
		(int64_t)draw(p, 53, node, 1000000));
	wire_put_int(b, ALLOCATION_DESCRIPTION_ALLOCATED_BYTES,
		(int64_t)draw(p, 53, node, 1000000));
	wire_put_bytes(b, ALLOCATION_DESCRIPTION_ALLOCATOR_NAME, SPAN("GPU_0_bfc"));
	wire_put_int(b, ALLOCATION_DESCRIPTION_PTR, (int64_t)(0x7f0000000000 + node * 256));
	wire_close(b, allocation);
	wire_close(b, tensor);
	wire_close(b, output);
	wire_put_bytes(b, NODE_EXEC_STATS_TIMELINE_LABEL, buf_get(name));
	wire_put_int(b, NODE_EXEC_STATS_SCHEDULED_MICROS, (int64_t)start_of(node, 0, run) - 5);
	wire_put_int(b, NODE_EXEC_STATS_THREAD_ID, 1234);
}

/* One device holds all of a step, so its message cannot be written piece by
 * piece: sizes up to some gigabytes fit memory. */
static void write_run_meta(const struct plan *p)
{
	struct buf b = {0}, name = {0};
	size_t stats = wire_open(&b, RUN_METADATA_STEP_STATS);
	size_t device = wire_open(&b, STEP_STATS_DEV_STATS);

	wire_put_bytes(&b, DEVICE_STEP_STATS_DEVICE,
		SPAN("/job:worker/replica:0/task:0/device:GPU:0"));
	for (uint64_t node = 0; node < p->n_nodes; node++)
		for (uint64_t run = 0; run < n_runs(p, node); run++) {
			size_t entry = wire_open(&b, DEVICE_STEP_STATS_NODE_STATS);

			put_stats(p, &b, node, run, &name);
			wire_close(&b, entry);
		}
	wire_close(&b, device);
	wire_close(&b, stats);
	flush(&b);
	buf_clear(&b);
	buf_clear(&name);
}

static void write_op_log(const struct plan *p)
{
	struct buf b = {0}, name = {0};

	for (uint64_t node = 0; node < p->n_nodes; node++) {
		size_t entry = wire_open(&b, OP_LOG_LOG_ENTRIES), code;

		put_name(p, &name, node);
		wire_put_bytes(&b, OP_LOG_ENTRY_NAME, buf_get(&name));
		code = wire_open(&b, OP_LOG_ENTRY_CODE_DEF);
		put_stack(p, &b, node);
		wire_close(&b, code);
		wire_close(&b, entry);
		flush(&b);
	}
	put_strings(p, &b, OP_LOG_ID_TO_STRING);
	flush(&b);
	buf_clear(&b);
	buf_clear(&name);
}

static int index_of(const char *const *names, const char *name)
{
	for (int i = 0; names[i]; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	fprintf(stderr, "generate: unknown word '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	struct plan p = {.n_nodes = 1000, .n_steps = 1, .seed = 1};
	int kind = argc > 1 ? index_of(kind_names, argv[1]) : 0;

	for (int i = 2; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--nodes") == 0)
			p.n_nodes = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--steps") == 0)
			p.n_steps = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--seed") == 0)
			p.seed = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--run") == 0)
			p.run = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--slow_op") == 0)
			p.slow_op = argv[i + 1];
		else if (strcmp(argv[i], "--slow_op_percent") == 0)
			p.slow_op_percent = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--slow_percent") == 0)
			p.slow_percent = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--shape") == 0)
			p.shape = (enum shape)index_of(shape_names, argv[i + 1]);
	}
	static void (*const writers[])(
		const struct plan *) = {write_profile, write_graph, write_run_meta, write_op_log};

	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	writers[kind](&p);
	return fflush(stdout) || ferror(stdout);
}
