#include "lib/profile.h"

#include "ask/tables.h"
#include "base/words.h"
#include "lib/result.h"
#include "load/compiled_peaks.h"
#include "load/load.h"
#include "write/saved_profile.h"

#ifndef TFPROF_VERSION
#error "the build says which version this is"
#endif

const char *tfprof_get_version(void)
{
	return TFPROF_VERSION;
}

const char *tfprof_word_get_nearest(const char *misspelt, const char *const *words)
{
	return words_nearest(words, span_of(misspelt));
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
	profile_enlist(p);
	return p;
}

void profile_drop_views(tfprof_profile *p)
{
	for (size_t i = 0; i < N_VIEWS * TREE_FLAGS; i++)
		tree_clear(&p->trees[i]);
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
	profile_delist(p);
	profile_drop_views(p);
	model_clear(&p->model);
	mem_free(p->notes);
	vec_clear(&p->files);
	for (size_t i = 0; i < p->inputs.n; i++)
		mem_free(p->inputs.at[i].path);
	vec_clear(&p->inputs);
	pthread_rwlock_destroy(&p->lock);
	pthread_mutex_destroy(&p->building);
	pthread_mutex_destroy(&p->results_lock);
	mem_free(p);
}

/* ---- locks ---------------------------------------------------------------- */

static bool has_reached(const struct model *m, enum profile_state state)
{
	switch (state) {
	case PROFILE_INDEXED: return !m->name_hashes;
	case PROFILE_COMPLETE: return model_is_complete(m) && m->n_run_shapes == m->run_shapes.n;
	case PROFILE_WITH_PEAKS: return has_reached(m, PROFILE_COMPLETE) && model_has_peaks(m);
	default: return true;
	}
}

static enum tfprof_status advance(struct model *m, enum profile_state state,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	if (state == PROFILE_COMPLETE || state == PROFILE_WITH_PEAKS) {
		status = model_complete(m, err);
		return status == TFPROF_OK && state == PROFILE_WITH_PEAKS ? model_find_peaks(m, err)
									  : status;
	}
	return model_index_names(m) ? TFPROF_OK : error_no_memory(err);
}

enum tfprof_status profile_lock(struct tfprof_profile *p, enum profile_state state,
	struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	while (status == TFPROF_OK) {
		pthread_rwlock_rdlock(&p->lock);
		status = model_check_sources(&p->model, err);
		if (status == TFPROF_OK && has_reached(&p->model, state))
			return TFPROF_OK;
		pthread_rwlock_unlock(&p->lock);
		if (status != TFPROF_OK)
			break;
		pthread_rwlock_wrlock(&p->lock);
		status = advance(&p->model, state, err);
		/* Somebody may add to it before it is locked for reading: hence the loop. */
		pthread_rwlock_unlock(&p->lock);
	}
	return status;
}

enum tfprof_status profile_unlock(struct tfprof_profile *p, enum tfprof_status status,
	struct tfprof_error *err)
{
	if (status == TFPROF_OK)
		status = model_check_sources(&p->model, err);
	pthread_rwlock_unlock(&p->lock);
	return status;
}

/* ---- views --------------------------------------------------------------- */

/* Options from a message are answered as TensorFlow's profiler would. */
static unsigned view_flags(const struct model *m, enum tfprof_view view,
	const struct tfprof_options *o)
{
	if (view == TFPROF_CODE)
		return (o->number[OPT_SOURCE_LINES] ? TREE_SOURCE_LINES : 0) |
			(o->number[OPT_WIDE] ? TREE_WIDE : 0) | (o->tolerant ? TREE_BY_LABEL : 0) |
			(o->number[OPT_ONLY_MY_CODE] ? TREE_ONLY_MY_CODE : 0) |
			(o->number[OPT_FOLD_GRADIENTS] ? TREE_FOLD_LINES : 0);
	if (view == TFPROF_SCOPE)
		return o->number[OPT_FOLD_GRADIENTS] ? TREE_FOLD_GRADIENTS : 0;
	if (view == TFPROF_OP && o->number[OPT_BY] == ROOFLINE_BY_KIND)
		return TREE_BY_KIND;
	if (view == TFPROF_OP && m->has_executed)
		return o->tolerant ? TREE_BY_OP : o->number[OPT_EXECUTED_TYPES] ? TREE_EXECUTED : 0;
	return 0;
}

enum tfprof_status profile_view(struct tfprof_profile *p, struct query *q, struct tfprof_error *err)
{
	static tree_builder *const builders[] = {
#define X(id, name, ...) name##_build,
		TFPROF_VIEW_LIST(X)
#undef X
	};
	unsigned flags = view_flags(&p->model, q->kind, q->options);
	enum tfprof_status status = TFPROF_OK;
	struct tree *tree;

	if ((size_t)q->kind >= N_VIEWS)
		return error_set(err, TFPROF_ARGUMENT, "unknown view");
	if (q->kind == TFPROF_OP && q->options->number[OPT_BY] > ROOFLINE_BY_KIND)
		return error_set(err, TFPROF_ARGUMENT, "op view groups by op, kind or kernel");
	tree = &p->trees[q->kind * TREE_FLAGS + flags];
	pthread_mutex_lock(&p->building);
	if (!tree->n) {
		tree->cancel = q->cancel;
		status = builders[q->kind](tree, &p->model, flags, err);
		tree->cancel = NULL;
	}
	pthread_mutex_unlock(&p->building);
	if (status == TFPROF_NO_MEMORY && query_cancelled(q))
		status = query_check_cancelled(q, err);
	q->tree = tree;
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

/* Keeps what a query of all nodes needs: a tenth of the nodes' own memory, more with
 * all metrics. With fresh memory scope_again takes 40 % longer. */
static size_t most_to_keep(const struct tfprof_profile *p)
{
	enum { LEAST = 64 << 20, PER_NODE = 160 };

	return p->model.nodes.n < LEAST / PER_NODE ? LEAST : p->model.nodes.n * PER_NODE;
}

void profile_return_arena(struct tfprof_profile *p, struct arena *arena)
{
	arena_reset(arena, most_to_keep(p));
	pthread_mutex_lock(&p->building);
	/* Of parallel queries, the last one's memory is kept. */
	arena_clear(&p->spare);
	p->spare = *arena;
	pthread_mutex_unlock(&p->building);
	*arena = (struct arena){0};
}

/* ---- saving --------------------------------------------------------------- */

enum tfprof_status tfprof_profile_serialize(tfprof_profile *p, void **bytes, size_t *size,
	struct tfprof_error *err)
{
	struct buf out = {0};
	enum tfprof_status status = profile_lock(p, PROFILE_COMPLETE, err);

	if (status != TFPROF_OK)
		return status;
	buf_reserve(&out, 0); /* not NULL, even for an empty profile */
	model_write_profile(&p->model, &out);
	status = profile_unlock(p, out.failed ? error_no_memory(err) : TFPROF_OK, err);
	if (status != TFPROF_OK) {
		buf_clear(&out);
		return status;
	}
	*bytes = out.at;
	*size = out.n;
	return TFPROF_OK;
}

enum tfprof_status tfprof_profile_check_output(tfprof_profile *p, const char *path,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	pthread_rwlock_rdlock(&p->lock);
	status = output_check(path, &p->files, err);
	pthread_rwlock_unlock(&p->lock);
	return status;
}

enum tfprof_status profile_open_output(struct tfprof_profile *p, struct sink *out, const char *path,
	enum sink_format format, struct tfprof_error *err)
{
	enum tfprof_status status = tfprof_profile_check_output(p, path, err);

	return status == TFPROF_OK ? sink_open(out, path, format, err) : status;
}

enum tfprof_status tfprof_profile_save(tfprof_profile *p, const char *path,
	struct tfprof_error *err)
{
	void *bytes;
	size_t size;
	struct sink out;
	enum tfprof_status status = tfprof_profile_serialize(p, &bytes, &size, err);

	if (status != TFPROF_OK)
		return status;
	if (size == 0)
		status = error_set(err, TFPROF_FORMAT, "nothing to save: the profile is empty");
	else
		status = profile_open_output(p, &out, path, SINK_PLAIN, err);
	if (status == TFPROF_OK) {
		sink_put(&out, bytes, size);
		status = sink_commit(&out, err);
	}
	tfprof_bytes_free(bytes);
	return status;
}

void tfprof_discard_unfinished(void)
{
	new_file_discard_all();
}

void tfprof_bytes_free(void *bytes)
{
	mem_free(bytes);
}

/* ---- asking about the profile ---------------------------------------------- */

void tfprof_profile_get_summary(tfprof_profile *p, struct tfprof_summary *s)
{
	pthread_rwlock_rdlock(&p->lock);
	table_summarize(&p->model, s);
	pthread_rwlock_unlock(&p->lock);
}

const int64_t *tfprof_profile_get_steps(const tfprof_profile *p, size_t *n)
{
	*n = p->model.steps.n;
	return p->model.steps.at;
}

/* A query in another thread may be indexing names, which changes the ids of texts: hence
 * the lock. The bytes of a text stay where they are. */
static const char *get_text(tfprof_profile *p, uint32_t *const *column, size_t i, size_t *length)
{
	struct span text = {NULL, 0};

	pthread_rwlock_rdlock(&p->lock);
	if (i < p->model.nodes.n) {
		text = model_text(&p->model, (*column)[i]);
		*length = text.n;
	}
	pthread_rwlock_unlock(&p->lock);
	return text.at;
}

const char *tfprof_profile_get_node_name(tfprof_profile *p, size_t i, size_t *length)
{
	return get_text(p, &p->model.nodes.name, i, length);
}

const char *tfprof_profile_get_node_op(tfprof_profile *p, size_t i, size_t *length)
{
	return get_text(p, &p->model.nodes.op, i, length);
}
