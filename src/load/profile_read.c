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
#include "proto/decoder.h"

struct part {
	struct profile_part from;
	struct node_reader nodes;
	VEC(struct wire_field) others; /* fields that are no nodes */
};

struct loader {
	struct field_counts fields; /* of the profile itself */
	struct model *model;
	struct decoder decoder;
	struct span profile;
	struct part *parts;
	size_t n_parts;
	atomic_size_t bytes_done, nodes_done;
};

/* ---- nodes, part by part -------------------------------------------------- */

/* All parts count; the first, which runs in the caller's thread, reports. */
static void progress(struct loader *l, size_t part, size_t bytes, size_t nodes)
{
	const struct model *m = l->model;
	size_t bytes_done = atomic_fetch_add(&l->bytes_done, bytes) + bytes;
	size_t nodes_done = atomic_fetch_add(&l->nodes_done, nodes) + nodes;

	if (part == 0 && m->progress)
		m->progress(m->progress_context, bytes_done, l->profile.n, nodes_done);
}

static void read_part(void *context, size_t i)
{
	enum { BETWEEN = 4096 };
	struct loader *l = context;
	struct part *p = &l->parts[i];
	struct decoder *d = &p->nodes.decoder;
	struct wire_reader r = wire_reader(p->from.bytes);
	struct wire_field f;
	const char *told = r.at;

	while (!d->failed && decoder_next(d, &r, &f)) {
		if (f.tag != WIRE_LEN(PROFILE_NODES)) {
			decoder_alloc(d, vec_push(&p->others, f));
			continue;
		}
		/* The file may have changed since its nodes were counted. */
		if (p->nodes.n == p->from.n_nodes)
			decoder_fail(d, f.bytes.at);
		else
			node_reader_add(&p->nodes, f.bytes);
		if (p->nodes.n % BETWEEN == 0) {
			progress(l, i, (size_t)(r.at - told), BETWEEN);
			told = r.at;
		}
	}
	if (p->nodes.n < p->from.n_nodes)
		decoder_fail(d, p->from.bytes.at);
}

static void remap_part(void *context, size_t i)
{
	struct loader *l = context;

	node_reader_remap(&l->parts[i].nodes);
}

/* ---- the other fields ------------------------------------------------------ */

static void read_string(struct loader *l, struct span message)
{
	struct map_entry entry = map_entry_read(&l->decoder, message);

	decoder_alloc(&l->decoder, model_add_trace_string(l->model, entry.key, entry.value));
}

static void read_transfer(struct loader *l, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct transfer t = {.stats = {message.at, 0}};
	struct span device = {message.at, 0};

	while (decoder_next(&l->decoder, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TRANSFER_STEP): t.step = (int64_t)f.value; break;
		case WIRE_LEN(TRANSFER_DEVICE): device = f.bytes; break;
		case WIRE_LEN(TRANSFER_STATS): t.stats = f.bytes; break;
		}
	t.device = strings_alias(&l->model->strings, device);
	decoder_alloc(&l->decoder, t.device != NONE && vec_push(&l->model->transfers, t));
}

/* In the order of the file; sorted at the end. */
static void add_step(struct loader *l, uint64_t step)
{
	decoder_alloc(&l->decoder, vec_push(&l->model->steps, (int64_t)step));
}

static void read_steps(struct loader *l, struct span packed)
{
	struct wire_reader r = wire_reader(packed);
	uint64_t step;

	while (decoder_next_packed(&l->decoder, &r, &step))
		add_step(l, step);
}

static void read_other(struct loader *l, const struct wire_field *f)
{
	struct model *m = l->model;

	switch (f->tag) {
	case WIRE_VARINT(PROFILE_HAS_TRACE): m->has_trace = f->value != 0; break;
	case WIRE_LEN(PROFILE_STEPS): read_steps(l, f->bytes); break;
	case WIRE_VARINT(PROFILE_STEPS): add_step(l, f->value); break;
	case WIRE_LEN(PROFILE_ID_TO_STRING): read_string(l, f->bytes); break;
	case WIRE_VARINT(PROFILE_MISS_ACCELERATOR_STREAM):
		m->misses_accelerator_stream = f->value != 0;
		break;
	case WIRE_LEN(PROFILE_TRANSFER): read_transfer(l, f->bytes); break;
	case WIRE_VARINT(PROFILE_RECORDED): m->numbers_version = (unsigned)f->value; break;
	case WIRE_VARINT(PROFILE_ASSUMES_BATCH): m->assumes_batch = f->value != 0; break;
	case WIRE_VARINT(PROFILE_OF_LAYERS): m->is_of_layers = f->value != 0; break;
	case WIRE_VARINT(PROFILE_WITHOUT_EDGES): m->had_no_edges = f->value != 0; break;
	default: audit_field(&schema_profile_proto, f->tag, &l->fields);
	}
}

/* If several places are damaged, the first one in the file is reported: damaged nodes
 * come after all other fields found. */
static void read_others(struct loader *l, const struct part *p)
{
	for (size_t i = 0; i < p->others.n && !l->decoder.failed; i++)
		read_other(l, &p->others.at[i]);
	if (!l->decoder.failed)
		l->decoder = p->nodes.decoder;
}

/* ---- all of it ------------------------------------------------------------- */

static bool make_parts(struct loader *l)
{
	enum { LEAST_BYTES = 1 << 20 };
	struct profile_part from[PARALLEL_MAX];
	size_t n = parallel_parts(l->profile.n, LEAST_BYTES), n_nodes = 0, first = 0;
	bool ok;

	profile_cut(l->profile, from, n);
	for (size_t i = 0; i < n; i++)
		n_nodes += from[i].n_nodes;
	l->parts = mem_zero_array(n, sizeof(*l->parts));
	if (!l->parts || !model_make_nodes(l->model, n_nodes))
		return false;
	l->n_parts = n;
	l->model->flow.n = n_nodes;
	ok = true;
	for (size_t i = 0; i < n; i++) {
		l->parts[i].from = from[i];
		ok &= node_reader_init(&l->parts[i].nodes, l->model, (uint32_t)first);
		first += from[i].n_nodes;
	}
	return ok;
}

static void read_profile(struct loader *l)
{
	if (!decoder_alloc(&l->decoder, make_parts(l)))
		return;
	parallel_run(l->n_parts, read_part, l);
	for (size_t i = 0; i < l->n_parts && !l->decoder.failed; i++)
		read_others(l, &l->parts[i]);
	if (l->decoder.failed)
		return;
	model_sort_steps(l->model);
	for (size_t i = 0; i < l->n_parts; i++)
		if (!decoder_alloc(&l->decoder, node_reader_merge(&l->parts[i].nodes)))
			return;
	parallel_run(l->n_parts, remap_part, l);
}

static void count(const struct loader *l, struct load_counts *c)
{
	*c = (struct load_counts){.n_entries = l->model->nodes.n, .fields = l->fields};
	for (size_t i = 0; i < l->n_parts; i++) {
		const struct node_reader *nodes = &l->parts[i].nodes;

		c->n_nameless += nodes->n_nameless;
		c->fields.n_unknown += nodes->fields.n_unknown;
		c->fields.n_mistyped += nodes->fields.n_mistyped;
	}
}

static void clear_parts(struct loader *l)
{
	for (size_t i = 0; i < l->n_parts; i++) {
		node_reader_clear(&l->parts[i].nodes);
		vec_clear(&l->parts[i].others);
	}
	mem_free(l->parts);
}

/* Empties the model, but keeps the caller's settings. */
static void start_over(struct model *m)
{
	struct model old = *m;

	model_clear(m);
	model_init(m);
	m->progress = old.progress;
	m->progress_context = old.progress_context;
	m->generation = old.generation;
	m->reading = old.reading;
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
	m->flow.is_pending = true;
	if (decoder_alloc(&l.decoder, m->flow.profile))
		read_profile(&l);
	status = input_status(load->in, load->kind, &source, &l.decoder, err);
	count(&l, &load->counts);
	clear_parts(&l);
	if (status == TFPROF_OK)
		status = load_check(load, m, err);
	if (status != TFPROF_OK)
		start_over(m);
	m->generation++;
	return status;
}
