#include "lib/result.h"

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
	if (!r->is_table) {
		pthread_rwlock_rdlock(&r->profile->lock);
		profile_return_arena(r->profile, &r->query.arena);
		pthread_rwlock_unlock(&r->profile->lock);
	}
	query_clear(&r->query);
	columns_clear(&r->columns);
	advice_clear(&r->advice);
	answer_clear(&r->answer);
	model_report_free(r->model);
	diff_report_free(r->diff);
	tfprof_model_options_free(r->model_options);
	tfprof_options_free(r->options);
	tfprof_advice_options_free(r->checkers);
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

/* Text reports need no edges, and most need no shapes. Op and scope view look no node
 * up. */
enum profile_state result_state(const tfprof_result *r, enum format format)
{
	bool is_text = format == FORMAT_STDOUT || format == FORMAT_FILE || format == FORMAT_NONE;

	if (!is_text || r->is_table || options_select(r->options, SEL_INPUT_SHAPES))
		return PROFILE_COMPLETE;
	return r->view == TFPROF_OP || r->view == TFPROF_SCOPE ? PROFILE_LOADED : PROFILE_INDEXED;
}

/* ---- the query --------------------------------------------------------------- */

enum tfprof_status result_run_query(tfprof_result *r, unsigned metrics, struct tfprof_error *err)
{
	struct query again = r->query;
	enum tfprof_status status;

	again.metrics |= metrics;
	again.arena = profile_lend_arena(r->profile);
	again.account = again.start = again.trim = again.show = again.hide = NULL;
	status = query_run(&again, err);
	if (status != TFPROF_OK) {
		query_clear(&again);
		return status;
	}
	query_clear(&r->query);
	r->query = again;
	return TFPROF_OK;
}

/* Whether a format shows what an option would omit, which was not set. */
static bool shows_all(const tfprof_result *r, enum option_id option, enum format format)
{
	return !options_is_given(r->options, option) && format != FORMAT_STDOUT &&
		format != FORMAT_FILE;
}

static bool shows_only_accounted(const tfprof_result *r, enum format format)
{
	return r->view == TFPROF_SCOPE && !r->options->number[OPT_ALL_SCOPES] &&
		!shows_all(r, OPT_ALL_SCOPES, format);
}

void result_set_extent(tfprof_result *r, enum format format)
{
	r->query.all_depths = shows_all(r, OPT_MAX_DEPTH, format);
	r->query.counts_cut = !r->query.all_depths && !options_is_given(r->options, OPT_MAX_DEPTH);
	r->query.only_accounted = shows_only_accounted(r, format);
}

bool result_has_extent(const tfprof_result *r, enum format format)
{
	const struct query *q = &r->query;
	bool all_depths = shows_all(r, OPT_MAX_DEPTH, format);
	bool only_accounted = shows_only_accounted(r, format);

	return (q->all_depths == all_depths || (all_depths && !q->n_cut)) &&
		(q->only_accounted == only_accounted || (!only_accounted && !q->n_unlisted) ||
			regexes_accept_all(q->account));
}

size_t result_count_rows(const tfprof_result *r)
{
	bool lists_only_accounted = options_is_given(r->options, OPT_ALL_SCOPES);

	return r->query.n + r->query.n_cut + (lists_only_accounted ? 0 : r->query.n_unlisted);
}

enum tfprof_status result_vary(tfprof_result *r, struct tfprof_error *err)
{
	r->query.account = r->query.start = r->query.trim = r->query.show = r->query.hide = NULL;
	r->query.arena = (struct arena){0};
	return query_run(&r->query, err);
}

void result_restore(tfprof_result *r, const struct query *whole)
{
	query_clear(&r->query);
	r->query = *whole;
}

/* All at once: whoever asks for one metric that was not selected asks for others. */
enum tfprof_status result_need_metrics(tfprof_result *r, unsigned metrics, struct tfprof_error *err)
{
	if (!(metrics & ~r->query.metrics))
		return TFPROF_OK;
	if (query_can_add_metrics(&r->query))
		return query_add_metrics(&r->query, ALL_METRICS, err);
	return result_run_query(r, ALL_METRICS, err);
}

/* Columns are not cut. A report may have been all that was asked for so far. */
static enum tfprof_status need_all_rows(tfprof_result *r, struct tfprof_error *err)
{
	if (result_has_extent(r, FORMAT_NONE))
		return TFPROF_OK;
	result_set_extent(r, FORMAT_NONE);
	return result_run_query(r, 0, err);
}

enum tfprof_status result_detached(struct tfprof_error *err)
{
	return error_set(err, TFPROF_UNSUPPORTED,
		"the profile has changed since this query ran: run it again");
}

/* ---- columns ------------------------------------------------------------------ */

size_t tfprof_result_get_n_rows(const tfprof_result *r)
{
	return r->n_rows;
}

const char *tfprof_result_get_column_name(const tfprof_result *r, size_t i)
{
	if (r->diff)
		return diff_column_name(r->diff, i);
	if (r->is_table)
		return i < r->answer.table.n_columns ? r->answer.table.columns[i].view.name : NULL;
	for (size_t k = 0; k < N_COLUMNS; k++) {
		const struct tfprof_column_info *info = tfprof_column_get_info(k);

		if (!info->is_extra && i-- == 0)
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
	enum tfprof_status status;
	unsigned metrics = 0;
	bool missing = false;

	for (size_t i = 0; i < n; i++) {
		missing |= !r->columns.at[ids[i]].view.name;
		metrics |= column_metrics(ids[i]);
	}
	if (!missing)
		return TFPROF_OK;
	if (r->is_detached)
		return result_detached(err);
	status = need_all_rows(r, err);
	if (status == TFPROF_OK)
		status = result_need_metrics(r, metrics, err);
	return status == TFPROF_OK ? columns_make(&r->columns, &r->query, ids, n, err) : status;
}

/* Columns of a query, by name. */
static enum tfprof_status get_columns(tfprof_result *r, const char *const *names, size_t n,
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
			state = PROFILE_COMPLETE;
	}
	if (status == TFPROF_OK)
		status = result_lock(r, state, err);
	if (status == TFPROF_OK) {
		status = make_columns(r, ids, n, err);
		for (size_t i = 0; status == TFPROF_OK && i < n; i++)
			columns[i] = r->columns.at[ids[i]].view;
		status = result_unlock(r, status, err);
	}
	mem_free(ids);
	return status;
}

/* That of a comparison is made when somebody asks. */
static enum tfprof_status make_table(tfprof_result *r, struct tfprof_error *err)
{
	enum tfprof_status status;

	if (!r->diff)
		return TFPROF_OK;
	pthread_mutex_lock(&r->lock);
	status = diff_need_table(r, err);
	pthread_mutex_unlock(&r->lock);
	return status;
}

/* Columns of a table, by name. */
static enum tfprof_status get_table_columns(tfprof_result *r, const char *const *names, size_t n,
	struct tfprof_column *columns, struct tfprof_error *err)
{
	enum tfprof_status status = make_table(r, err);

	for (size_t i = 0; status == TFPROF_OK && i < n; i++) {
		const struct tfprof_column *found = column_table_find(&r->answer.table, names[i]);

		if (!found)
			return no_column(names[i], err);
		columns[i] = *found;
	}
	return status;
}

enum tfprof_status tfprof_result_get_column(tfprof_result *r, const char *name,
	struct tfprof_column *column, struct tfprof_error *err)
{
	return r->is_table ? get_table_columns(r, &name, 1, column, err)
			   : get_columns(r, &name, 1, column, err);
}

static enum tfprof_status map_nodes(tfprof_result *r, struct tfprof_error *err)
{
	enum tfprof_status status = need_all_rows(r, err);

	return status == TFPROF_OK ? columns_map_nodes(&r->columns, &r->query, err) : status;
}

enum tfprof_status tfprof_result_get_node_rows(tfprof_result *r, const int64_t **rows,
	size_t *n_nodes, struct tfprof_error *err)
{
	enum tfprof_status status;

	if (r->is_table)
		return error_set(err, TFPROF_UNSUPPORTED,
			"only the result of a query has rows of nodes");
	status = result_lock(r, PROFILE_LOADED, err);
	if (status != TFPROF_OK)
		return status;
	if (r->columns.row_of_node)
		status = TFPROF_OK;
	else if (r->is_detached)
		status = result_detached(err);
	else
		status = map_nodes(r, err);
	*rows = r->columns.row_of_node;
	*n_nodes = r->columns.n_nodes;
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
	status = r->is_table ? get_table_columns(r, names, n, table.columns.at, err)
			     : get_columns(r, names, n, table.columns.at, err);
	if (status != TFPROF_OK) {
		vec_clear(&table.columns);
		return status;
	}
	table.columns.n = n;
	return arrow_export(&table, stream, err);
}

int tfprof_result_is_exported(const tfprof_result *r, const char *name)
{
	enum column_id id;

	for (size_t i = 0; r->diff && diff_column_name(r->diff, i); i++)
		if (strcmp(diff_column_name(r->diff, i), name) == 0)
			return true;
	if (r->is_table)
		return column_table_find(&r->answer.table, name) != NULL;
	id = column_find(name);
	if (id == N_COLUMNS || tfprof_column_get_info(id)->is_extra)
		return false;
	return !options_is_given(r->options, OPT_SELECT) || !column_is_selectable(id) ||
		column_is_selected(id, r->options);
}

enum tfprof_status tfprof_result_export_arrow(tfprof_result *r, const char *const *names,
	size_t n_names, struct ArrowArrayStream *stream, struct tfprof_error *err)
{
	enum { MOST = 256 }; /* more than any result has */
	const char *chosen[MOST], *name;
	size_t n = 0;

	if (names)
		return export_columns(r, names, n_names, stream, err);
	for (size_t i = 0; n < MOST && (name = tfprof_result_get_column_name(r, i)); i++)
		if (tfprof_result_is_exported(r, name))
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
	return r->is_advice ? advice_level(&r->advice) : TFPROF_LEVEL_NONE;
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
	keep_format(r, FORMAT_FILE);
	keep_format(r, FORMAT_MESSAGE);
	if (r->is_advice) {
		keep_format(r, FORMAT_JSON);
	} else {
		keep_columns(r);
		map_nodes(r, NULL);
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
