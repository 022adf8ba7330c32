#include "lib/profile.h"

#include "formats/checkpoint/checkpoint.h"
#include "lib/result.h"
#include "load/load.h"
#include "write/saved_profile.h"

#ifndef TFPROF_VERSION
#error "the build says which version this is"
#endif

const char *tfprof_get_version(void)
{
	return TFPROF_VERSION;
}

const char *tfprof_status_get_text(enum tfprof_status status)
{
	static const char *const texts[] = {
#define X(name, text) text,
		TFPROF_STATUS_LIST(X)
#undef X
	};

	return status < sizeof(texts) / sizeof(*texts) ? texts[status] : "unknown status";
}

const char *tfprof_word_get_nearest(const char *misspelt, const char *const *words)
{
	return nearest_word(span_of(misspelt), words);
}

tfprof_profile *tfprof_profile_new(void)
{
	tfprof_profile *p = mem_zero(sizeof(*p));

	if (!p)
		return NULL;
	if (!model_init(&p->model)) {
		mem_free(p);
		return NULL;
	}
	atomic_init(&p->n_users, 1);
	pthread_mutex_init(&p->results_lock, NULL);
	pthread_rwlock_init(&p->lock, NULL);
	pthread_mutex_init(&p->building, NULL);
	return p;
}

static void drop_views(tfprof_profile *p)
{
	for (int i = 0; i < N_SLOTS; i++) {
		tree_clear(&p->trees[i]);
		p->has_tree[i] = false;
	}
	mem_free(p->by_name);
	p->by_name = NULL;
	names_clear(&p->names);
	arena_clear(&p->spare);
}

void profile_use(struct tfprof_profile *p)
{
	atomic_fetch_add(&p->n_users, 1);
}

void tfprof_profile_free(tfprof_profile *p)
{
	if (!p || atomic_fetch_sub(&p->n_users, 1) > 1)
		return;
	drop_views(p);
	model_clear(&p->model);
	mem_free(p->notes);
	vec_clear(&p->files);
	pthread_rwlock_destroy(&p->lock);
	pthread_mutex_destroy(&p->building);
	pthread_mutex_destroy(&p->results_lock);
	mem_free(p);
}

/* ---- locks ---------------------------------------------------------------- */

static bool is_there(const struct model *m, enum profile_need need)
{
	return (need < NEED_NAMES || !m->n_unindexed) &&
		(need < NEED_EDGES || !m->flow.edges_pending) &&
		(need < NEED_FLOW || !m->flow.shapes_pending);
}

static enum tfprof_status fetch(struct model *m, enum profile_need need, struct tfprof_error *err)
{
	if (!model_index_names(m))
		return error_no_memory(err);
	return need < NEED_EDGES ? TFPROF_OK : model_read_flow(m, need >= NEED_FLOW, err);
}

enum tfprof_status profile_lock(struct tfprof_profile *p, enum profile_need need,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	pthread_rwlock_rdlock(&p->lock);
	status = model_check_sources(&p->model, err);
	if (status == TFPROF_OK && is_there(&p->model, need))
		return TFPROF_OK;
	profile_unlock(p);
	if (status != TFPROF_OK)
		return status;
	pthread_rwlock_wrlock(&p->lock);
	status = fetch(&p->model, need, err);
	profile_unlock(p);
	if (status == TFPROF_OK)
		pthread_rwlock_rdlock(&p->lock);
	return status;
}

enum profile_need profile_need_of(enum tfprof_view view)
{
	switch (view) {
	case TFPROF_GRAPH: return NEED_EDGES;
	case TFPROF_CODE: return NEED_NAMES;
	default: return NEED_NOTHING;
	}
}

void profile_unlock(struct tfprof_profile *p)
{
	pthread_rwlock_unlock(&p->lock);
}

/* ---- views --------------------------------------------------------------- */

/* View → builder. */
static enum tfprof_status build_tree(struct tree *tree, const struct model *m,
	enum tfprof_view view, bool source_lines, struct tfprof_error *err)
{
	static tree_builder *const builders[] = {
#define X(id, name, doc) name##_build,
		TFPROF_VIEW_LIST(X)
#undef X
	};

	if (view >= sizeof(builders) / sizeof(*builders))
		return error_set(err, TFPROF_ARGUMENT, "unknown view");
	return builders[view](tree, m, source_lines, err);
}

enum tfprof_status profile_view(struct tfprof_profile *p, struct query *q, struct tfprof_error *err)
{
	bool source_lines = q->kind == TFPROF_CODE && q->options->number[OPT_SOURCE_LINES];
	size_t slot = q->kind + source_lines;
	enum tfprof_status status = TFPROF_OK;

	pthread_mutex_lock(&p->building);
	if (slot >= N_SLOTS || !p->has_tree[slot]) {
		struct tree tree = {0};

		status = build_tree(&tree, &p->model, q->kind, source_lines, err);
		if (status == TFPROF_OK) {
			p->trees[slot] = tree;
			p->has_tree[slot] = true;
		}
	}
	pthread_mutex_unlock(&p->building);
	if (status == TFPROF_OK)
		q->tree = &p->trees[slot];
	return status;
}

enum tfprof_status profile_by_name(struct tfprof_profile *p, const uint32_t **nodes,
	struct tfprof_error *err)
{
	size_t n = p->model.nodes.n;

	pthread_mutex_lock(&p->building);
	if (!p->by_name) {
		uint32_t *order = mem_array(n, sizeof(*order));

		for (size_t i = 0; order && i < n; i++)
			order[i] = (uint32_t)i;
		if (order && sort_nodes_by_name(&p->model, order, n))
			p->by_name = order;
		else
			mem_free(order);
	}
	pthread_mutex_unlock(&p->building);
	*nodes = p->by_name;
	return p->by_name ? TFPROF_OK : error_no_memory(err);
}

/* ---- memory of queries -------------------------------------------------- */

struct arena profile_lend_arena(struct tfprof_profile *p)
{
	struct arena arena;

	pthread_mutex_lock(&p->building);
	arena = p->spare;
	p->spare = (struct arena){0};
	pthread_mutex_unlock(&p->building);
	return arena;
}

/* What a query of all nodes takes is kept: that is a tenth of what they take
 * themselves, more with all metrics, and fresh memory costs more than most queries. */
static size_t most_to_keep(const struct tfprof_profile *p)
{
	enum { LEAST = 64 << 20, PER_NODE = 160 };

	return p->model.nodes.n < LEAST / PER_NODE ? LEAST : p->model.nodes.n * PER_NODE;
}

void profile_return_arena(struct tfprof_profile *p, struct arena *arena)
{
	arena_reset(arena, most_to_keep(p));
	pthread_mutex_lock(&p->building);
	/* Of queries side by side, the last one's is kept. */
	arena_clear(&p->spare);
	p->spare = *arena;
	pthread_mutex_unlock(&p->building);
	*arena = (struct arena){0};
}

/* ---- files ---------------------------------------------------------------- */

static bool remember_input(tfprof_profile *p, const struct tfprof_input *in)
{
	return !in || !in->path || output_note_input(&p->files, in->path);
}

static bool remember_checkpoint(tfprof_profile *p)
{
	const char *path;

	for (size_t i = 0; (path = checkpoint_get_file(p->model.checkpoint, i)); i++)
		if (!output_note_input(&p->files, path))
			return false;
	return true;
}

/* ---- adding --------------------------------------------------------------- */

/* Adding an input: what follows a failure here is end(), too. */
static enum tfprof_status begin(tfprof_profile *p, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	pthread_rwlock_wrlock(&p->lock);
	mem_free(p->notes);
	p->notes = NULL;
	status = model_check_sources(&p->model, err);
	if (status == TFPROF_OK && results_exist(p))
		status = fetch(&p->model, NEED_FLOW, err);
	if (status == TFPROF_OK)
		results_detach(p);
	return status == TFPROF_OK && !remember_input(p, in) ? error_no_memory(err) : status;
}

static enum tfprof_status end(tfprof_profile *p, enum tfprof_status status,
	struct tfprof_error *err)
{
	struct model *m = &p->model;

	drop_views(p);
	if (m->checkpoint && p->n_marked < m->nodes.n && !model_mark_checkpoint(m, p->n_marked) &&
		status == TFPROF_OK)
		status = error_no_memory(err);
	p->n_marked = m->checkpoint ? m->nodes.n : 0;
	pthread_rwlock_unlock(&p->lock);
	return status;
}

static bool is_given(const struct tfprof_input *in)
{
	return in && (in->path || in->data);
}

enum tfprof_status tfprof_profile_add_graph(tfprof_profile *p, const struct tfprof_input *graph,
	struct tfprof_error *err)
{
	enum tfprof_status status = begin(p, graph, err);

	if (status == TFPROF_OK)
		status = model_add_graph(&p->model, graph, err);
	return end(p, status, err);
}

enum tfprof_status tfprof_profile_add_op_log(tfprof_profile *p, const struct tfprof_input *op_log,
	struct tfprof_error *err)
{
	enum tfprof_status status = begin(p, op_log, err);

	if (status == TFPROF_OK)
		status = model_add_op_log(&p->model, op_log, err);
	return end(p, status, err);
}

enum tfprof_status tfprof_profile_load(tfprof_profile *p, const struct tfprof_input *saved,
	struct tfprof_error *err)
{
	enum tfprof_status status = begin(p, saved, err);

	if (status == TFPROF_OK)
		status = model_load_profile(&p->model, saved, err);
	return end(p, status, err);
}

enum tfprof_status tfprof_profile_add_checkpoint(tfprof_profile *p, const char *prefix,
	struct tfprof_error *err)
{
	enum tfprof_status status = begin(p, NULL, err);

	if (status == TFPROF_OK)
		status = model_add_checkpoint(&p->model, prefix, err);
	if (status == TFPROF_OK && !remember_checkpoint(p))
		status = error_no_memory(err);
	return end(p, status, err);
}

static double coverage(const struct model *m)
{
	/* The small number is the original's guard against dividing by 0. */
	return (double)m->n_covered / ((double)m->nodes.n + 1e-10);
}

static enum tfprof_status add_step(tfprof_profile *p, int64_t step,
	const struct tfprof_input *graph, const struct tfprof_input *run_meta,
	const struct tfprof_input *op_log, struct tfprof_error *err)
{
	struct model *m = &p->model;
	struct run_meta *rm;
	struct buf notes = {0};
	enum tfprof_status status = run_meta_read(&rm, run_meta, step, err);

	/* Everything is checked before anything is added; a graph undoes itself. */
	if (status == TFPROF_OK && is_given(op_log))
		status = op_log_check(op_log, err);
	if (status == TFPROF_OK && is_given(graph))
		status = model_add_graph(m, graph, err);
	if (status == TFPROF_OK)
		status = run_meta_apply(rm, m, step, &notes, err);
	if (status == TFPROF_OK && is_given(op_log))
		status = model_add_op_log(m, op_log, err);
	run_meta_free(rm);
	p->notes = notes.at;
	return status;
}

enum tfprof_status tfprof_profile_add_step(tfprof_profile *p, int64_t step,
	const struct tfprof_input *graph, const struct tfprof_input *run_meta,
	const struct tfprof_input *op_log, double *covered, struct tfprof_error *err)
{
	enum tfprof_status status = begin(p, run_meta, err);

	if (status == TFPROF_OK && !(remember_input(p, graph) && remember_input(p, op_log)))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = add_step(p, step, graph, run_meta, op_log, err);
	if (status == TFPROF_OK && covered)
		*covered = coverage(&p->model);
	return end(p, status, err);
}

enum tfprof_status tfprof_profile_add_run_meta(tfprof_profile *p, int64_t step,
	const struct tfprof_input *run_meta, double *covered, struct tfprof_error *err)
{
	return tfprof_profile_add_step(p, step, NULL, run_meta, NULL, covered, err);
}

const char *tfprof_profile_get_notes(const tfprof_profile *p)
{
	return p->notes ? p->notes : "";
}

void tfprof_profile_set_progress(tfprof_profile *p, tfprof_progress_fn *fn, void *context)
{
	p->model.progress = fn;
	p->model.progress_context = context;
}

/* ---- saving --------------------------------------------------------------- */

/* Locks, and what is read or built on demand, are a profile's mutable parts:
 * what it says does not change. */
static tfprof_profile *mutable(const tfprof_profile *p)
{
	return (tfprof_profile *)p;
}

enum tfprof_status tfprof_profile_serialize(const tfprof_profile *p, void **bytes, size_t *size,
	struct tfprof_error *err)
{
	struct buf out = {0};
	enum tfprof_status status = profile_lock(mutable(p), NEED_FLOW, err);

	if (status != TFPROF_OK)
		return status;
	buf_reserve(&out, 0); /* an empty profile is no NULL */
	model_write_profile(&p->model, &out);
	profile_unlock(mutable(p));
	if (out.failed) {
		buf_clear(&out);
		return error_no_memory(err);
	}
	*bytes = out.at;
	*size = out.n;
	return TFPROF_OK;
}

enum tfprof_status tfprof_profile_save(const tfprof_profile *p, const char *path,
	struct tfprof_error *err)
{
	void *bytes;
	size_t size;
	struct sink out;
	enum tfprof_status status = tfprof_profile_serialize(p, &bytes, &size, err);

	if (status != TFPROF_OK)
		return status;
	/* Also in place of the file it was loaded from: that is replaced by all it held. */
	status = sink_open(&out, path, SINK_PLAIN, err);
	if (status == TFPROF_OK) {
		sink_put(&out, bytes, size);
		status = sink_commit(&out, err);
	}
	tfprof_bytes_free(bytes);
	return status;
}

void tfprof_bytes_free(void *bytes)
{
	mem_free(bytes);
}

/* ---- asking about the profile ---------------------------------------------- */

static size_t count_devices(const struct model *m)
{
	bool *seen = mem_zero(m->strings.text.n);
	size_t n = 0;

	for (size_t i = 0; seen && i < m->nodes.n; i++)
		if (m->nodes.device[i] && !seen[m->nodes.device[i]]) {
			seen[m->nodes.device[i]] = true;
			n++;
		}
	mem_free(seen);
	return n;
}

void tfprof_profile_get_summary(const tfprof_profile *p, struct tfprof_summary *s)
{
	const struct model *m = &p->model;
	size_t n_run = 0;

	pthread_rwlock_rdlock(&mutable(p)->lock);
	*s = (struct tfprof_summary){
		.n_nodes = m->nodes.n,
		.n_steps = m->steps.n,
		.n_devices = count_devices(m),
		.has_code_traces = m->has_trace,
		.has_run_meta = m->execs.n_rows != 0,
		.has_checkpoint = m->checkpoint != NULL,
		.misses_accelerator_stream = m->misses_accelerator_stream,
	};
	for (size_t i = 0; i < m->nodes.n; i++) {
		s->has_float_ops |= m->nodes.float_ops[i] != 0;
		n_run += m->nodes.first_exec[i] != NONE;
	}
	s->coverage = m->nodes.n ? (double)n_run / (double)m->nodes.n : 0;
	profile_unlock(mutable(p));
}

const int64_t *tfprof_profile_get_steps(const tfprof_profile *p, size_t *n)
{
	*n = p->model.steps.n;
	return p->model.steps.at;
}

const char *tfprof_profile_get_node_name(const tfprof_profile *p, size_t i, size_t *length)
{
	struct span name;

	if (i >= p->model.nodes.n)
		return NULL;
	name = model_name(&p->model, (uint32_t)i);
	*length = name.n;
	return name.at;
}
