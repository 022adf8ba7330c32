/* Float operations, types and call stacks of nodes of functions.
 *
 * Op logs and debug information name these nodes "node@function". Nodes that neither has are
 * shown with the line that calls their function. The gradient of a function is a function too,
 * whose nodes get the line of their forward node:
 *
 *     StatefulPartitionedCall/dense/MatMul                     dense/MatMul@forward_12
 *     PartitionedCall/gradients/dense/MatMul_grad/MatMul_1     the same line */
#include "load/call_stacks.h"
#include "load/load.h"
#include "load/xplane/apply.h"
#include "model/gradient.h"

struct logged {
	struct span name, message; /* no message: from debug information, which has only a stack */
	uint32_t log;              /* a source of the model */
	struct slice stack;
};

/* The name of a node in a function that ran. */
struct known {
	struct span name;
	uint32_t function; /* in the join; NONE: several have the name */
};

struct functions {
	struct apply *apply;
	VEC(struct logged) entries;
	struct hash_index index; /* of their names */
	VEC(struct known) known;
	struct hash_index known_index;
	struct buf scratch;
};

/* ---- op logs ------------------------------------------------------------- */

struct probe {
	const struct functions *functions;
	struct span name;
};

static bool same_entry(const void *context, uint32_t i)
{
	const struct probe *p = context;

	return span_equal(p->functions->entries.at[i].name, p->name);
}

static const struct logged *find_entry(struct functions *f, struct span node, struct span function)
{
	struct probe probe = {f, {0}};
	uint32_t i;

	f->scratch.n = 0;
	buf_span(&f->scratch, node);
	buf_char(&f->scratch, '@');
	buf_span(&f->scratch, function);
	probe.name = buf_get(&f->scratch);
	i = f->scratch.failed
		? NONE
		: hash_find(&f->index, hash_bytes(probe.name.at, probe.name.n), same_entry, &probe);
	return i == NONE ? NULL : &f->entries.at[i];
}

static struct span entry_name(struct span message)
{
	struct decoder d = {0};
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	return decoder_find(&d, &r, WIRE_LEN(OP_LOG_ENTRY_NAME), &f) ? f.bytes : SPAN("");
}

static bool read_log(struct functions *f, uint32_t log)
{
	struct decoder d = {0};
	struct wire_reader r = wire_reader(f->apply->model->sources.at[log].bytes);
	struct wire_field field;

	while (decoder_find(&d, &r, WIRE_LEN(OP_LOG_LOG_ENTRIES), &field)) {
		struct logged entry = {entry_name(field.bytes), field.bytes, log, {0}};
		uint32_t i = (uint32_t)f->entries.n;

		if (!op_log_is_of_function(entry.name))
			continue;
		if (!hash_add(&f->index, hash_bytes(entry.name.at, entry.name.n), i) ||
			!vec_push(&f->entries, entry))
			return false;
	}
	return true;
}

/* Entries of op logs take precedence. */
static bool read_debug_info(struct functions *f)
{
	struct model *m = f->apply->model;

	for (size_t i = 0; i < m->function_stacks.n; i++) {
		const struct function_stack *s = &m->function_stacks.at[i];
		struct logged entry = {.stack = s->stack};
		size_t n = s->node.n + 1 + s->function.n;

		if (find_entry(f, s->node, s->function))
			continue;
		/* In the source, the two are adjacent: "node@function". */
		entry.name = (struct span){s->node.at, n};
		if (!hash_add(&f->index, hash_bytes(entry.name.at, n), (uint32_t)f->entries.n) ||
			!vec_push(&f->entries, entry))
			return false;
	}
	return !f->scratch.failed;
}

/* Adds everything an entry has. */
static bool add_entry(struct functions *f, uint32_t node, const struct logged *entry)
{
	struct model *m = f->apply->model;

	if (entry->message.at)
		return op_log_add_entry(m, entry->log, node, entry->message);
	if (!(m->nodes.flags[node] & NODE_HAS_TRACE))
		call_stacks_set(m, node, entry->stack);
	return true;
}

/* ---- names --------------------------------------------------------------- */

static bool same_known(const void *context, uint32_t i)
{
	const struct probe *p = context;

	return span_equal(p->functions->known.at[i].name, p->name);
}

static struct span name_in_function(const struct functions *f, const struct join_node *n)
{
	return f->apply->join.functions.at[n->function].graph->nodes.at[n->in].name;
}

static bool note_name(struct functions *f, const struct join_node *n)
{
	struct probe probe = {f, name_in_function(f, n)};
	uint64_t hash = hash_bytes(probe.name.at, probe.name.n);
	uint32_t i = hash_find(&f->known_index, hash, same_known, &probe);

	if (i == NONE)
		return hash_add(&f->known_index, hash, (uint32_t)f->known.n) &&
			vec_push(&f->known, ((struct known){probe.name, n->function}));
	if (f->known.at[i].function != n->function)
		f->known.at[i].function = NONE;
	return true;
}

/* ---- lines --------------------------------------------------------------- */

static void copy_stack(struct model *m, uint32_t node, uint32_t from)
{
	if (from == NONE || !(m->nodes.flags[from] & NODE_HAS_TRACE) ||
		m->nodes.flags[node] & NODE_HAS_TRACE)
		return;
	m->nodes.trace[node] = m->nodes.trace[from];
	m->nodes.flags[node] |= NODE_HAS_TRACE | NODE_CHANGED;
}

/* Adds only the stack of an entry. */
static bool take_stack(struct functions *f, uint32_t node, const struct logged *entry)
{
	struct model *m = f->apply->model;
	int64_t float_ops = m->nodes.float_ops[node];
	uint32_t types = m->nodes.types[node];
	bool ok = add_entry(f, node, entry);

	m->nodes.float_ops[node] = float_ops;
	m->nodes.types[node] = types;
	return ok;
}

/* The node that calls a function. */
static uint32_t find_call(const struct functions *f, uint32_t function)
{
	return model_find_node(f->apply->model, f->apply->join.functions.at[function].call);
}

/* Takes the forward node's stack, if only one function that ran has a node of its name. */
static bool take_forward_stack(struct functions *f, uint32_t node, struct span forward)
{
	struct probe probe = {f, forward};
	uint32_t i =
		hash_find(&f->known_index, hash_bytes(forward.at, forward.n), same_known, &probe);
	uint32_t function = i == NONE ? NONE : f->known.at[i].function;
	const struct logged *entry;

	if (function == NONE)
		return true;
	entry = find_entry(f, forward, f->apply->join.functions.at[function].graph->name);
	if (entry && !take_stack(f, node, entry))
		return false;
	copy_stack(f->apply->model, node, find_call(f, function));
	return true;
}

static bool add_lines(struct functions *f, const struct join_node *n)
{
	struct model *m = f->apply->model;
	const struct graph *graph = f->apply->join.functions.at[n->function].graph;
	struct gradient g;
	const struct logged *entry;

	if (gradient_parse(model_name(m, n->node), &g) && g.is_called &&
		!take_forward_stack(f, n->node, g.forward))
		return false;
	entry = find_entry(f, name_in_function(f, n), graph->name);
	if (entry && !add_entry(f, n->node, entry))
		return false;
	copy_stack(m, n->node, find_call(f, n->function));
	return !f->scratch.failed;
}

bool apply_function_logs(struct apply *a)
{
	struct functions f = {.apply = a};
	const struct model *m = a->model;
	const struct join *j = &a->join;
	bool ok = true;

	for (size_t i = 0; ok && i < j->nodes.n; i++)
		ok = note_name(&f, &j->nodes.at[i]);
	for (size_t i = 0; ok && j->nodes.n && i < m->op_logs.n; i++)
		ok = read_log(&f, m->op_logs.at[i]);
	ok = ok && (!j->nodes.n || read_debug_info(&f));
	for (size_t i = 0; ok && i < j->nodes.n; i++)
		ok = add_lines(&f, &j->nodes.at[i]);
	vec_clear(&f.entries);
	hash_clear(&f.index);
	vec_clear(&f.known);
	hash_clear(&f.known_index);
	buf_clear(&f.scratch);
	return ok;
}
