#include "lib/result.h"

#include "ask/advise.h"
#include "ask/view.h"
#include "write/arrow.h"

/* ---- life ------------------------------------------------------------------ */

tfprof_result *result_new(struct tfprof_profile *p)
{
	tfprof_result *r = mem_zero(sizeof(*r));

	if (!r)
		return NULL;
	pthread_mutex_init(&r->lock, NULL);
	atomic_init(&r->n_users, 1);
	r->profile = p;
	profile_use(p);
	pthread_mutex_lock(&p->results_lock);
	r->next = p->results;
	r->link = &p->results;
	if (r->next)
		r->next->link = &r->next;
	p->results = r;
	pthread_mutex_unlock(&p->results_lock);
	return r;
}

static void use(tfprof_result *r)
{
	atomic_fetch_add(&r->n_users, 1);
}

static void unlink_result(tfprof_result *r)
{
	pthread_mutex_lock(&r->profile->results_lock);
	*r->link = r->next;
	if (r->next)
		r->next->link = r->link;
	pthread_mutex_unlock(&r->profile->results_lock);
}

void tfprof_result_free(tfprof_result *r)
{
	if (!r || atomic_fetch_sub(&r->n_users, 1) > 1)
		return;
	unlink_result(r);
	if (r->answer.view) {
		pthread_rwlock_rdlock(&r->profile->lock);
		profile_return_arena(r->profile, &r->answer.view->query.arena);
		pthread_rwlock_unlock(&r->profile->lock);
	}
	answer_clear(&r->answer);
	tfprof_options_free(r->options);
	buf_clear(&r->text);
	buf_clear(&r->notes);
	for (size_t i = 0; i < N_FORMATS; i++)
		buf_clear(&r->kept[i]);
	tfprof_profile_free(r->profile);
	pthread_mutex_destroy(&r->lock);
	mem_free(r);
}

/* ---- locks ------------------------------------------------------------------ */

enum tfprof_status result_lock(tfprof_result *r, enum profile_state state, struct tfprof_error *err)
{
	enum tfprof_status status = profile_lock(r->profile, state, err);

	if (status == TFPROF_OK)
		pthread_mutex_lock(&r->lock);
	return status;
}

enum tfprof_status result_unlock(tfprof_result *r, enum tfprof_status status,
	struct tfprof_error *err)
{
	pthread_mutex_unlock(&r->lock);
	return profile_unlock(r->profile, status, err);
}

enum profile_state result_state(const tfprof_result *r, enum format format)
{
	static const enum profile_state states[] = {[QUESTION_LOADED] = PROFILE_LOADED,
		[QUESTION_INDEXED] = PROFILE_INDEXED,
		[QUESTION_COMPLETE] = PROFILE_COMPLETE};
	enum question_state state = r->answer.question->state;

	if (state == QUESTION_BY_FORMAT)
		state = view_state(r->answer.question, r->options, format);
	return states[state];
}

enum tfprof_status result_detached(struct tfprof_error *err)
{
	return error_set(err, TFPROF_UNSUPPORTED,
		"the profile has changed since this query ran: run it again");
}

/* ---- columns ------------------------------------------------------------------ */

size_t tfprof_result_get_n_rows(const tfprof_result *r)
{
	return r->answer.n_rows;
}

size_t tfprof_result_get_n_bytes(tfprof_result *r)
{
	/* Findings and the like, which have no arena of their own. */
	enum { BYTES_PER_DETAIL = 512 };
	const struct answer *a = &r->answer;
	size_t n = sizeof(*r) + r->text.cap + r->notes.cap;

	pthread_mutex_lock(&r->lock);
	n += column_table_count_bytes(&a->table);
	if (a->detail)
		n += a->n_rows * BYTES_PER_DETAIL;
	if (a->view)
		n += sizeof(*a->view) + arena_count_bytes(&a->view->query.arena) +
			columns_count_bytes(&a->view->columns);
	for (size_t i = 0; i < N_FORMATS; i++)
		n += r->kept[i].cap;
	pthread_mutex_unlock(&r->lock);
	return n;
}

/* Some are made when somebody asks. */
static enum tfprof_status need_table(tfprof_result *r, struct tfprof_error *err)
{
	enum tfprof_status status;

	pthread_mutex_lock(&r->lock);
	status = answer_need_table(&r->answer, err);
	pthread_mutex_unlock(&r->lock);
	return status;
}

const char *tfprof_result_get_column_name(tfprof_result *r, size_t i, int *is_exported)
{
	int ignored, *exported = is_exported ? is_exported : &ignored;

	if (!r->answer.view) {
		const struct column_table *t = &r->answer.table;

		*exported = true;
		return need_table(r, NULL) == TFPROF_OK && i < t->n_columns
			? t->columns[i].view.name
			: NULL;
	}
	for (enum column_id id = 0; id < N_COLUMNS; id++) {
		const struct tfprof_column_info *info = tfprof_column_get_info(id);

		if (info->is_extra || i-- > 0)
			continue;
		*exported = !options_is_given(r->options, OPT_SELECT) ||
			!column_is_selectable(id) || column_is_selected(id, r->options);
		return info->name;
	}
	return NULL;
}

static enum tfprof_status no_column(const char *name, struct tfprof_error *err)
{
	return error_set(err, TFPROF_ARGUMENT, "the result has no column '%s'", name);
}

/* The caller holds the locks. */
static enum tfprof_status make_columns(tfprof_result *r, const enum column_id *ids, size_t n,
	struct tfprof_error *err)
{
	if (r->is_detached && !view_has_columns(r->answer.view, ids, n))
		return result_detached(err);
	return view_need_columns(r->answer.view, ids, n, err);
}

/* Columns of a view, by name. */
static enum tfprof_status get_view_columns(tfprof_result *r, const char *const *names, size_t n,
	struct tfprof_column *columns, struct tfprof_error *err)
{
	enum profile_state state = PROFILE_LOADED;
	enum column_id *ids = mem_array(n, sizeof(*ids));
	enum tfprof_status status = ids ? TFPROF_OK : error_no_memory(err);

	for (size_t i = 0; status == TFPROF_OK && i < n; i++) {
		ids[i] = column_find(names[i]);
		if (ids[i] == N_COLUMNS)
			status = no_column(names[i], err);
		else if (ids[i] == COLUMN_INPUT_SHAPES)
			state = state == PROFILE_LOADED ? PROFILE_COMPLETE : state;
		else if (column_metrics(ids[i]) & 1u << METRIC_PEAK_BYTES)
			state = PROFILE_WITH_PEAKS;
	}
	if (status == TFPROF_OK)
		status = result_lock(r, state, err);
	if (status == TFPROF_OK) {
		status = make_columns(r, ids, n, err);
		for (size_t i = 0; status == TFPROF_OK && i < n; i++)
			columns[i] = r->answer.view->columns.at[ids[i]].view;
		status = result_unlock(r, status, err);
	}
	mem_free(ids);
	return status;
}

/* Columns of a table, by name. */
static enum tfprof_status get_table_columns(tfprof_result *r, const char *const *names, size_t n,
	struct tfprof_column *columns, struct tfprof_error *err)
{
	enum tfprof_status status = need_table(r, err);

	for (size_t i = 0; status == TFPROF_OK && i < n; i++) {
		const struct tfprof_column *found = column_table_find(&r->answer.table, names[i]);

		if (!found)
			return no_column(names[i], err);
		columns[i] = *found;
	}
	return status;
}

static enum tfprof_status get_columns(tfprof_result *r, const char *const *names, size_t n,
	struct tfprof_column *columns, struct tfprof_error *err)
{
	return r->answer.view ? get_view_columns(r, names, n, columns, err)
			      : get_table_columns(r, names, n, columns, err);
}

enum tfprof_status tfprof_result_get_column(tfprof_result *r, const char *name,
	struct tfprof_column *column, struct tfprof_error *err)
{
	return get_columns(r, &name, 1, column, err);
}

enum tfprof_status tfprof_result_get_node_rows(tfprof_result *r, const int64_t **rows,
	size_t *n_nodes, struct tfprof_error *err)
{
	struct view_rows *view = r->answer.view;
	enum tfprof_status status;

	if (!view)
		return error_set(err, TFPROF_UNSUPPORTED,
			"only the result of a query has rows of nodes");
	status = result_lock(r, PROFILE_LOADED, err);
	if (status != TFPROF_OK)
		return status;
	status = r->is_detached && !view->columns.row_of_node ? result_detached(err)
							      : view_map_nodes(view, err);
	*rows = view->columns.row_of_node;
	*n_nodes = view->columns.n_nodes;
	return result_unlock(r, status, err);
}

static void release_owner(void *owner)
{
	tfprof_result_free(owner);
}

static void use_owner(void *owner)
{
	use(owner);
}

static enum tfprof_status export_columns(tfprof_result *r, const char *const *names, size_t n,
	struct ArrowArrayStream *stream, struct tfprof_error *err)
{
	struct arrow_table table = {.owner = r, .use = use_owner, .release = release_owner};
	enum tfprof_status status;

	if (!vec_reserve(&table.columns, n))
		return error_no_memory(err);
	status = get_columns(r, names, n, table.columns.at, err);
	if (status != TFPROF_OK) {
		vec_clear(&table.columns);
		return status;
	}
	table.columns.n = n;
	return arrow_export(&table, stream, err);
}

enum tfprof_status tfprof_result_export_arrow(tfprof_result *r, const char *const *names,
	size_t n_names, struct ArrowArrayStream *stream, struct tfprof_error *err)
{
	enum { MOST = 256 }; /* more than any result has */
	const char *chosen[MOST], *name;
	size_t n = 0;
	int is_exported;

	if (names)
		return export_columns(r, names, n_names, stream, err);
	for (size_t i = 0; n < MOST && (name = tfprof_result_get_column_name(r, i, &is_exported));
		i++)
		if (is_exported)
			chosen[n++] = name;
	return export_columns(r, chosen, n, stream, err);
}

/* ---- text ----------------------------------------------------------------------- */

static const char *lend(const struct buf *b, size_t *length)
{
	struct span s = buf_get(b);

	if (length)
		*length = s.n;
	return s.at;
}

const char *tfprof_result_get_text(const tfprof_result *r, size_t *length)
{
	return lend(&r->text, length);
}

const char *tfprof_result_get_notes(const tfprof_result *r, size_t *length)
{
	return lend(&r->notes, length);
}

enum tfprof_level tfprof_result_get_level(const tfprof_result *r)
{
	const struct advice_detail *d = r->answer.detail;

	return r->answer.question == &advise_question ? advice_level(&d->advice)
						      : TFPROF_LEVEL_NONE;
}

/* ---- before the profile changes -------------------------------------------------- */

static void keep_format(tfprof_result *r, enum format format)
{
	struct buf said = {0}, *kept = &r->kept[format];
	struct sink out;

	buf_reserve(kept, 0);
	if (sink_open_buf(&out, kept, SINK_PLAIN, NULL) != TFPROF_OK) {
		buf_clear(kept);
		return;
	}
	if (result_write(r, format, &out, &said, NULL) != TFPROF_OK) {
		sink_abandon(&out);
		buf_clear(kept);
	} else if (sink_commit(&out, NULL) != TFPROF_OK) {
		buf_clear(kept);
	}
	buf_clear(&said);
}

static void keep_columns(tfprof_result *r)
{
	enum column_id all[N_COLUMNS];

	for (enum column_id id = 0; id < N_COLUMNS; id++)
		all[id] = id;
	make_columns(r, all, N_COLUMNS, NULL);
}

/* What cannot be kept is an error when asked for. */
static void detach(tfprof_result *r)
{
	for (enum format format = 0; format < N_FORMATS; format++)
		if (r->answer.question->kept_formats >> format & 1)
			keep_format(r, format);
	if (r->answer.view) {
		keep_columns(r);
		view_map_nodes(r->answer.view, NULL);
	}
	r->is_detached = true;
}

bool results_exist(struct tfprof_profile *p)
{
	bool exist;

	pthread_mutex_lock(&p->results_lock);
	exist = p->results;
	pthread_mutex_unlock(&p->results_lock);
	return exist;
}

void results_detach(struct tfprof_profile *p)
{
	pthread_mutex_lock(&p->results_lock);
	for (tfprof_result *r = p->results; r; r = r->next) {
		pthread_mutex_lock(&r->lock);
		if (r->is_ready && !r->is_detached)
			detach(r);
		pthread_mutex_unlock(&r->lock);
	}
	pthread_mutex_unlock(&p->results_lock);
}
