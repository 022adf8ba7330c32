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

void result_use(tfprof_result *r)
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
	column_table_clear(&r->table);
	model_report_free(r->model);
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

/* Reports in text form can do without edges, and most without shapes. */
enum profile_state result_state(const tfprof_result *r, enum format format)
{
	bool is_text = format == FORMAT_STDOUT || format == FORMAT_FILE || format == FORMAT_NONE;

	return is_text && !r->is_table && !options_select(r->options, SEL_INPUT_SHAPES)
		? PROFILE_LOADED
		: PROFILE_COMPLETE;
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

/* All at once: whoever asks for one metric that was not selected asks for others. */
static enum tfprof_status need_metrics(tfprof_result *r, unsigned metrics, struct tfprof_error *err)
{
	if (!(metrics & ~r->query.metrics))
		return TFPROF_OK;
	if (query_can_add_metrics(&r->query))
		return query_add_metrics(&r->query, ALL_METRICS, err);
	return result_run_query(r, ALL_METRICS, err);
}

static enum tfprof_status detached(struct tfprof_error *err)
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
	if (r->is_table)
		return i < r->table.n_columns ? r->table.infos[i].name : NULL;
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
		return detached(err);
	status = need_metrics(r, metrics, err);
	return status == TFPROF_OK ? columns_make(&r->columns, &r->query, ids, n, err) : status;
}

/* The columns of these names, of a query. */
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

/* Likewise, of a table. */
static enum tfprof_status get_table_columns(tfprof_result *r, const char *const *names, size_t n,
	struct tfprof_column *columns, struct tfprof_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct tfprof_column *found = column_table_find(&r->table, names[i]);

		if (!found)
			return no_column(names[i], err);
		columns[i] = *found;
	}
	return TFPROF_OK;
}

enum tfprof_status tfprof_result_get_column(tfprof_result *r, const char *name,
	struct tfprof_column *column, struct tfprof_error *err)
{
	return r->is_table ? get_table_columns(r, &name, 1, column, err)
			   : get_columns(r, &name, 1, column, err);
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
	if (r->is_detached && !r->columns.row_of_node)
		status = detached(err);
	else
		status = columns_map_nodes(&r->columns, &r->query, err);
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
	result_use(owner);
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

enum tfprof_status tfprof_result_export_arrow(tfprof_result *r, const char *const *names,
	size_t n_names, struct ArrowArrayStream *stream, struct tfprof_error *err)
{
	enum { MOST = N_COLUMNS };
	const char *all[MOST];
	size_t n = 0;

	if (names)
		return export_columns(r, names, n_names, stream, err);
	while (n < MOST && (all[n] = tfprof_result_get_column_name(r, n)))
		n++;
	return export_columns(r, all, n, stream, err);
}

/* ---- bytes --------------------------------------------------------------------- */

static enum tfprof_status write_advice(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	switch (format) {
	case FORMAT_FILE:
	case FORMAT_STDOUT: advice_write_text(&r->advice, out); return TFPROF_OK;
	case FORMAT_JSON: advice_write_json(&r->advice, r->checkers, out); return TFPROF_OK;
	case FORMAT_MESSAGE: return advice_write_message(&r->advice, out, err);
	case FORMAT_NONE: return TFPROF_OK;
	default:
		return error_set(err, TFPROF_ARGUMENT,
			"advice can be written as text, json or message only");
	}
}

/* What a writer ran into, a damaged tensor for one. */
static enum tfprof_status failure_of(struct query *q, struct tfprof_error *err)
{
	if (q->failed != TFPROF_OK) {
		if (err)
			*err = q->error;
		return q->failed;
	}
	return query_check_cancelled(q, err);
}

static enum tfprof_status write_query(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	const struct writer *writer = writer_get(format);
	struct writing w = {&r->query, &r->columns, out, said};
	enum tfprof_status status = need_metrics(r, writer->metrics, err);

	if (status == TFPROF_OK && format == FORMAT_MESSAGE && r->query.tree->first_node)
		status = profile_by_name(r->profile, &r->query.by_name, err);
	if (status != TFPROF_OK)
		return status;
	r->query.failed = TFPROF_OK;
	status = writer->write(&w, err);
	return status == TFPROF_OK ? failure_of(&r->query, err) : status;
}

static enum tfprof_status write_kept(const tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	if (!r->kept[format].at)
		return detached(err);
	sink_span(out, buf_get(&r->kept[format]));
	return TFPROF_OK;
}

enum tfprof_status result_write(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err)
{
	if (r->model)
		return model_write(r, format, out, err);
	if (r->is_table && !r->is_advice)
		return error_set(err, TFPROF_UNSUPPORTED, "events can be read as columns only");
	if (format == FORMAT_MESSAGE && r->message == MESSAGE_NONE)
		return TFPROF_OK;
	if (r->is_detached)
		return write_kept(r, format == FORMAT_STDOUT ? FORMAT_FILE : format, out, err);
	if (r->is_advice)
		return write_advice(r, format, out, err);
	if (format == FORMAT_MESSAGE && r->message == MESSAGE_ROOT) {
		message_write_root(out);
		return TFPROF_OK;
	}
	return write_query(r, format, out, said, err);
}

/* Writes to a sink and closes it. */
static enum tfprof_status write_and_commit(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err)
{
	struct buf said = {0}, why = {0};
	enum tfprof_status status = result_lock(r, result_state(r, format), err);

	if (status == TFPROF_OK) {
		if (!r->is_table)
			writer_get(format)->refuse(&r->query, &why);
		if (why.n)
			status = error_set(err, TFPROF_ARGUMENT, "%.*s", ERROR_SPAN(buf_get(&why)));
		else
			status = result_write(r, format, out, &said, err);
		status = result_unlock(r, status, err);
	}
	buf_clear(&said);
	buf_clear(&why);
	if (status == TFPROF_OK)
		return sink_commit(out, err);
	sink_abandon(out);
	return status;
}

static enum tfprof_status find_format(const char *name, enum format *format,
	struct tfprof_error *err)
{
	*format = writer_find(name);
	if (*format != N_FORMATS)
		return TFPROF_OK;
	return error_set(err, TFPROF_ARGUMENT, "unknown format '%s'", name);
}

enum tfprof_status tfprof_result_write(tfprof_result *r, const char *name, tfprof_write_fn *write,
	void *context, struct tfprof_error *err)
{
	enum format format;
	enum tfprof_status status = find_format(name, &format, err);
	struct sink out;

	if (status == TFPROF_OK)
		status = sink_open_fn(&out, write, context, name, SINK_PLAIN, err);
	return status == TFPROF_OK ? write_and_commit(r, format, &out, err) : status;
}

enum tfprof_status tfprof_result_render(tfprof_result *r, const char *name, void **bytes,
	size_t *size, struct tfprof_error *err)
{
	struct buf rendered = {0};
	enum format format;
	enum tfprof_status status = find_format(name, &format, err);
	struct sink out;

	buf_reserve(&rendered, 0); /* also nothing is something */
	if (status == TFPROF_OK)
		status = sink_open_buf(&out, &rendered, SINK_PLAIN, err);
	if (status == TFPROF_OK)
		status = write_and_commit(r, format, &out, err);
	if (status == TFPROF_OK && rendered.failed)
		status = error_no_memory(err);
	if (status != TFPROF_OK) {
		buf_clear(&rendered);
		return status;
	}
	*bytes = rendered.at;
	*size = rendered.n;
	return TFPROF_OK;
}

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

/* What cannot be kept is missed when somebody asks for it. */
static void detach(tfprof_result *r)
{
	keep_format(r, FORMAT_FILE);
	keep_format(r, FORMAT_MESSAGE);
	if (r->is_advice) {
		keep_format(r, FORMAT_JSON);
	} else {
		keep_columns(r);
		columns_map_nodes(&r->columns, &r->query, NULL);
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
