/* ProfileProto → model, in one pass over the bytes.
 *
 * Sums of execs are read at once; attributes, call stacks, edges and the events
 * behind the sums stay as slices of the file until somebody asks for them. */
#include "model/input.h"
#include "model/model.h"
#include "model/profile_fields.h"
#include "proto/wire.h"

struct raw_exec {
	int64_t step;
	struct span message;
};

/* A text that the last node had too is not looked up again: devices repeat. */
struct repeated_text {
	struct span text;
	uint32_t string;
};

struct loader {
	struct model *model;
	const char *bad;           /* malformed here; NULL: memory is out */
	struct repeated_text device, host_device, op, types[2];
	/* of the node being read: */
	VEC(struct raw_exec) execs;
	dims_vec shape;
	size_t n_types;
};

static bool fail(struct loader *l, const char *bad)
{
	l->bad = bad;
	return false;
}

/* A map entry { key = 1: int, value = 2: message }. */
static bool read_message_entry(struct loader *l, struct span entry, int64_t *key,
	struct span *value)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f;

	*key = 0;
	*value = (struct span){entry.at, 0};
	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(1))
			*key = (int64_t)f.value;
		else if (f.tag == WIRE_LEN(2))
			*value = f.bytes;
	return r.bad ? fail(l, r.bad) : true;
}

static bool read_shape(struct loader *l, struct span packed)
{
	struct wire_reader r = wire_reader(packed);
	uint64_t value;

	while (wire_packed_next(&r, &value))
		if (!vec_push(&l->shape, (int64_t)value))
			return fail(l, NULL);
	return r.bad ? fail(l, r.bad) : true;
}

static bool add_execs(struct loader *l, uint32_t node)
{
	struct model *m = l->model;

	for (size_t i = 0; i < l->execs.n; i++) {
		uint32_t row = exec_row(m, node, l->execs.at[i].step);
		struct exec *exec;

		if (row == NONE)
			return fail(l, NULL);
		exec = &m->execs.rows.at[row];
		/* A key that comes again replaces what came before. */
		*exec = (struct exec){.step = exec->step, .next = exec->next, .detail = NONE};
		if (!exec_read_sums(exec, l->execs.at[i].message, &l->bad))
			return false;
		m->has_negative |= exec_is_negative(exec);
	}
	return true;
}

/* The scalar fields of a ProfileNode. */
struct raw_node {
	struct span name, op, device, host_device, trace;
	int64_t id, float_ops;
	uint32_t types;
};

static uint32_t intern(struct loader *l, struct span text)
{
	return strings_alias(&l->model->strings, text);
}

static uint32_t intern_again(struct loader *l, struct repeated_text *last, struct span text)
{
	if (last->text.at && span_equal(last->text, text))
		return last->string;
	*last = (struct repeated_text){text, intern(l, text)};
	return last->string;
}

static bool add_type(struct loader *l, struct raw_node *raw, struct span text)
{
	struct model *m = l->model;
	/* The first two are the device and the op, most of the time. */
	uint32_t type = l->n_types < 2 ? intern_again(l, &l->types[l->n_types], text)
				       : intern(l, text);

	l->n_types++;
	raw->types = type == NONE ? NONE : sets_with(&m->sets, &m->strings, raw->types, type);
	return raw->types != NONE ? true : fail(l, NULL);
}

static uint32_t add_node(struct loader *l, const struct raw_node *raw, struct span message,
	int64_t key)
{
	struct model *m = l->model;
	struct nodes *nodes = &m->nodes;
	uint32_t op = intern_again(l, &l->op, raw->op), node;
	uint32_t device = intern_again(l, &l->device, raw->device);
	uint32_t host = intern_again(l, &l->host_device, raw->host_device);
	uint32_t shape = l->shape.n ? shapes_add(&m->shapes, l->shape.at, l->shape.n) : 0;

	if (op == NONE || device == NONE || host == NONE || shape == NONE)
		return NONE;
	node = model_append_node(m, raw->name, op);
	if (node == NONE || !vec_push(&m->flow.ids, key))
		return NONE;
	nodes->types[node] = raw->types;
	nodes->shape[node] = shape;
	nodes->device[node] = device;
	nodes->host_device[node] = host;
	nodes->flags[node] = NODE_HAS_TRACE | NODE_FROM_PROFILE;
	/* Others know it by its key: written back under its id, that changes. */
	if (key != raw->id)
		nodes->flags[node] |= NODE_CHANGED;
	nodes->id[node] = raw->id;
	nodes->float_ops[node] = raw->float_ops;
	m->has_negative |= raw->float_ops < 0;
	nodes->source[node] = message;
	nodes->trace[node] = raw->trace;
	return node;
}

static bool read_field(struct loader *l, struct raw_node *raw, const struct wire_field *f)
{
	struct raw_exec exec;

	switch (f->tag) {
	case WIRE_LEN(1): raw->name = f->bytes; break;
	case WIRE_LEN(4): return read_shape(l, f->bytes);
	case WIRE_VARINT(4):
		return vec_push(&l->shape, (int64_t)f->value) ? true : fail(l, NULL);
	case WIRE_LEN(5): return add_type(l, raw, f->bytes);
	case WIRE_LEN(6): raw->device = f->bytes; break;
	case WIRE_LEN(7): raw->host_device = f->bytes; break;
	case WIRE_VARINT(8): raw->float_ops = (int64_t)f->value; break;
	case WIRE_LEN(9): raw->op = f->bytes; break;
	case WIRE_LEN(10): raw->trace = f->bytes; break;
	case WIRE_LEN(12):
		if (!read_message_entry(l, f->bytes, &exec.step, &exec.message))
			return false;
		return vec_push(&l->execs, exec) ? true : fail(l, NULL);
	case WIRE_VARINT(13): raw->id = (int64_t)f->value; break;
	}
	return true;
}

static bool read_node(struct loader *l, struct span message, int64_t key)
{
	struct raw_node raw = {0};
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	uint32_t node;

	l->execs.n = l->shape.n = l->n_types = 0;
	while (wire_next(&r, &f))
		if (!read_field(l, &raw, &f))
			return false;
	if (r.bad)
		return fail(l, r.bad);
	node = add_node(l, &raw, message, key);
	return node != NONE ? add_execs(l, node) : fail(l, NULL);
}

static bool read_string(struct loader *l, struct span entry)
{
	int64_t id;
	struct span text;

	if (!read_message_entry(l, entry, &id, &text))
		return false;
	return model_add_trace_string(l->model, id, text) ? true : fail(l, NULL);
}

static bool read_transfer(struct loader *l, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct transfer t = {.stats = {message.at, 0}};
	struct span device = {message.at, 0};

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TRANSFER_STEP): t.step = (int64_t)f.value; break;
		case WIRE_LEN(TRANSFER_DEVICE): device = f.bytes; break;
		case WIRE_LEN(TRANSFER_STATS): t.stats = f.bytes; break;
		}
	if (r.bad)
		return fail(l, r.bad);
	t.device = intern(l, device);
	return t.device != NONE && vec_push(&l->model->transfers, t) ? true : fail(l, NULL);
}

static bool read_steps(struct loader *l, struct span packed)
{
	struct wire_reader r = wire_reader(packed);
	uint64_t step;

	while (wire_packed_next(&r, &step))
		if (!model_add_step(l->model, (int64_t)step))
			return fail(l, NULL);
	return r.bad ? fail(l, r.bad) : true;
}

/* About how many nodes there are, judging by the first ones: counting them all
 * would mean to wait for every page of the file twice. */
static size_t estimate_nodes(struct span profile)
{
	enum { SAMPLE = 256 };
	struct wire_reader r = wire_reader(profile);
	struct wire_field f;
	size_t n = 0;

	while (n < SAMPLE && wire_next(&r, &f))
		n += f.tag == WIRE_LEN(1);
	if (n < SAMPLE || r.bad)
		return n;
	return (size_t)((double)profile.n / (double)(r.at - profile.at) * SAMPLE * 1.02);
}

static bool read_profile(struct loader *l, struct span profile)
{
	struct model *m = l->model;
	struct wire_reader r = wire_reader(profile);
	struct wire_field f;
	struct span message;
	int64_t key;
	size_t n = estimate_nodes(profile);
	bool fine = true;

	if (!model_reserve(m, n) || !vec_reserve(&m->flow.ids, n))
		return fail(l, NULL);
	while (fine && wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(1):
			fine = read_message_entry(l, f.bytes, &key, &message) &&
				read_node(l, message, key);
			if (m->nodes.n % 4096 == 0)
				model_progress(m, (size_t)(r.at - profile.at), profile.n);
			break;
		case WIRE_VARINT(2): m->has_trace = f.value != 0; break;
		case WIRE_LEN(3): fine = read_steps(l, f.bytes); break;
		case WIRE_VARINT(3):
			fine = model_add_step(m, (int64_t)f.value) ? true : fail(l, NULL);
			break;
		case WIRE_LEN(4): fine = read_string(l, f.bytes); break;
		case WIRE_VARINT(5): m->misses_accelerator_stream = f.value != 0; break;
		case WIRE_LEN(PROFILE_TRANSFER): fine = read_transfer(l, f.bytes); break;
		}
	if (fine && r.bad)
		return fail(l, r.bad);
	return fine;
}

/* Back to empty, with what the caller set. */
static void start_over(struct model *m)
{
	struct model old = *m;

	model_clear(m);
	model_init(m);
	m->progress = old.progress;
	m->progress_context = old.progress_context;
	m->generation = old.generation;
}

enum tfprof_status model_load_profile(struct model *m, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	struct source source;
	struct loader l = {.model = m};
	enum tfprof_status status;

	if (m->nodes.n || m->steps.n || m->sources.n)
		return error_set(err, TFPROF_ARGUMENT,
			"a saved profile can only be loaded into an empty profile");
	status = input_open(&source, in, INPUT_PROFILE, err);
	if (status == TFPROF_OK)
		status = model_keep(m, &source, err);
	if (status != TFPROF_OK) {
		source_close(&source);
		return status;
	}
	source = m->sources.at[0];
	m->flow.profile = arena_copy(&m->arena, span_of(input_name(in, INPUT_PROFILE))).at;
	m->flow.is_pending = true;
	if (!m->flow.profile)
		status = error_no_memory(err);
	else if (!read_profile(&l, source.bytes))
		status = l.bad ? input_malformed(in, INPUT_PROFILE, &source, l.bad, err)
			       : error_no_memory(err);
	vec_clear(&l.execs);
	vec_clear(&l.shape);
	if (status != TFPROF_OK)
		start_over(m);
	m->generation++;
	return status;
}
