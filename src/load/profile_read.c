/* ProfileProto → model.
 *
 * The profile is cut into parts (profile_parts.h), whose nodes are read at the
 * same time (profile_nodes.h). Everything else in a profile is small: it is put
 * aside and read at the end, in the order of the file. */
#include <stdatomic.h>

#include "base/parallel.h"
#include "load/load.h"
#include "model/profile_fields.h"
#include "load/profile_nodes.h"
#include "load/profile_parts.h"
#include "proto/fields.h"
#include "proto/wire.h"

struct part {
	struct profile_part from;
	struct node_reader nodes;
	VEC(struct wire_field) others; /* fields that are no nodes */
	bool failed;                   /* as nodes.bad says, behind all of `others` */
};

struct loader {
	struct model *model;
	const char *bad; /* malformed here; NULL: memory is out */
	struct span profile;
	struct part *parts;
	size_t n_parts;
	atomic_size_t bytes_done, nodes_done;
};

static bool fail(struct loader *l, const char *bad)
{
	l->bad = bad;
	return false;
}

/* ---- nodes, part by part -------------------------------------------------- */

/* All parts count; the first one, which runs in the caller's thread, tells. */
static void progress(struct loader *l, size_t part, size_t bytes, size_t nodes)
{
	const struct model *m = l->model;
	size_t bytes_done = atomic_fetch_add(&l->bytes_done, bytes) + bytes;
	size_t nodes_done = atomic_fetch_add(&l->nodes_done, nodes) + nodes;

	if (part == 0 && m->progress)
		m->progress(m->progress_context, bytes_done, l->profile.n, nodes_done);
}

static bool read_part(struct loader *l, size_t i)
{
	enum { BETWEEN = 4096 };
	struct part *p = &l->parts[i];
	struct wire_reader r = wire_reader(p->from.bytes);
	struct wire_field f;
	const char *told = r.at;

	while (wire_next(&r, &f)) {
		if (f.tag != WIRE_LEN(PROFILE_NODES)) {
			if (!vec_push(&p->others, f))
				return false;
			continue;
		}
		if (!node_reader_add(&p->nodes, f.bytes))
			return false;
		if (p->nodes.n % BETWEEN == 0) {
			progress(l, i, (size_t)(r.at - told), BETWEEN);
			told = r.at;
		}
	}
	p->nodes.bad = r.bad;
	return !r.bad;
}

static void run_part(void *context, size_t i)
{
	struct loader *l = context;

	l->parts[i].failed = !read_part(l, i);
}

static void settle_part(void *context, size_t i)
{
	struct loader *l = context;

	node_reader_settle(&l->parts[i].nodes);
}

/* ---- the other fields ------------------------------------------------------ */

static bool read_entry(struct loader *l, struct span entry, int64_t *key, struct span *value)
{
	return profile_read_entry(entry, key, value, &l->bad);
}

static bool read_string(struct loader *l, struct span entry)
{
	int64_t id;
	struct span text;

	if (!read_entry(l, entry, &id, &text))
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
	t.device = strings_alias(&l->model->strings, device);
	return t.device != NONE && vec_push(&l->model->transfers, t) ? true : fail(l, NULL);
}

/* In the order of the file, for now. */
static bool read_steps(struct loader *l, struct span packed)
{
	struct wire_reader r = wire_reader(packed);
	uint64_t step;

	while (wire_packed_next(&r, &step))
		if (!vec_push(&l->model->steps, (int64_t)step))
			return fail(l, NULL);
	return r.bad ? fail(l, r.bad) : true;
}

static bool read_other(struct loader *l, const struct wire_field *f)
{
	struct model *m = l->model;

	switch (f->tag) {
	case WIRE_VARINT(PROFILE_HAS_TRACE): m->has_trace = f->value != 0; break;
	case WIRE_LEN(PROFILE_STEPS): return read_steps(l, f->bytes);
	case WIRE_VARINT(PROFILE_STEPS):
		return vec_push(&m->steps, (int64_t)f->value) ? true : fail(l, NULL);
	case WIRE_LEN(PROFILE_ID_TO_STRING): return read_string(l, f->bytes);
	case WIRE_VARINT(PROFILE_MISS_ACCELERATOR_STREAM):
		m->misses_accelerator_stream = f->value != 0;
		break;
	case WIRE_LEN(PROFILE_TRANSFER): return read_transfer(l, f->bytes);
	}
	return true;
}

/* Of several damages the first one in the file is reported. */
static bool read_others(struct loader *l, const struct part *p)
{
	for (size_t i = 0; i < p->others.n; i++)
		if (!read_other(l, &p->others.at[i]))
			return false;
	return p->failed ? fail(l, p->nodes.bad) : true;
}

/* ---- all of it ------------------------------------------------------------- */

static bool make_parts(struct loader *l)
{
	enum { LEAST_BYTES = 1 << 20 };
	struct profile_part from[PARALLEL_MAX];
	size_t n = parallel_parts(l->profile.n, LEAST_BYTES), n_nodes = 0, first = 0;
	bool fine;

	profile_cut(l->profile, from, n);
	for (size_t i = 0; i < n; i++)
		n_nodes += from[i].n_nodes;
	l->parts = mem_zero_array(n, sizeof(*l->parts));
	if (!l->parts || !model_make_nodes(l->model, n_nodes))
		return false;
	l->n_parts = n;
	l->model->flow.n = n_nodes;
	fine = true;
	for (size_t i = 0; i < n; i++) {
		l->parts[i].from = from[i];
		fine &= node_reader_init(&l->parts[i].nodes, l->model, (uint32_t)first);
		first += from[i].n_nodes;
	}
	return fine;
}

static bool read_profile(struct loader *l)
{
	if (!make_parts(l))
		return fail(l, NULL);
	parallel_run(l->n_parts, run_part, l);
	for (size_t i = 0; i < l->n_parts; i++)
		if (!read_others(l, &l->parts[i]))
			return false;
	model_settle_steps(l->model);
	for (size_t i = 0; i < l->n_parts; i++)
		if (!node_reader_merge(&l->parts[i].nodes))
			return fail(l, NULL);
	parallel_run(l->n_parts, settle_part, l);
	return true;
}

static void clear_parts(struct loader *l)
{
	for (size_t i = 0; i < l->n_parts; i++) {
		node_reader_clear(&l->parts[i].nodes);
		vec_clear(&l->parts[i].others);
	}
	mem_free(l->parts);
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

enum tfprof_status load_profile(struct model *m, struct load *load, struct tfprof_error *err)
{
	struct source source;
	struct loader l = {.model = m};
	enum tfprof_status status;

	if (m->nodes.n || m->steps.n || m->sources.n)
		return error_set(err, TFPROF_ARGUMENT,
			"a saved profile can only be loaded into an empty profile");
	status = model_keep(m, &load->source, err);
	if (status != TFPROF_OK)
		return status;
	source = m->sources.at[0];
	l.profile = source.bytes;
	m->flow.profile = arena_copy(&m->arena, span_of(input_name(load->in, load->kind))).at;
	m->flow.edges_pending = m->flow.shapes_pending = true;
	if (!m->flow.profile)
		status = error_no_memory(err);
	else if (!read_profile(&l))
		status = load_malformed(load, &source, l.bad, err);
	clear_parts(&l);
	if (status != TFPROF_OK)
		start_over(m);
	m->generation++;
	return status;
}
