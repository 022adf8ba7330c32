#include "server/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "server/find.h"
#include "server/siblings.h"
#include "server/timeline_call.h"

/* ---- the set --------------------------------------------------------------- */

struct set_maker {
	struct call *call;
	const char *value; /* of the term */
	tfprof_profile *profile;
	struct node_set *set;
};

typedef enum tfprof_status term_fn(const struct set_maker *m, struct tfprof_error *err);

static enum tfprof_status malformed(const struct set_maker *m, const char *expected,
	struct tfprof_error *err)
{
	return error_set(err, TFPROF_ARGUMENT, "sel: %.200s: expected %s", m->value, expected);
}

static void add(struct node_set *set, uint64_t node)
{
	if (node < set->n_nodes && !set->has[node]) {
		set->has[node] = 1;
		set->n++;
	}
}

/* Whether a row of a view is what the term names. */
typedef bool row_fn(const struct set_maker *m, const struct table_json *t, int64_t row);

/* Adds the nodes of all rows that match, and of those below them. */
static void add_matching(const struct set_maker *m, const struct table_json *t,
	const int64_t *row_of_node, unsigned char *matches, row_fn *is_match)
{
	for (size_t row = 0; row < t->n_rows; row++)
		matches[row] = (row && matches[t->parent[row]]) || is_match(m, t, (int64_t)row);
	for (size_t node = 0; node < m->set->n_nodes; node++)
		if (row_of_node[node] >= 0 && matches[row_of_node[node]])
			add(m->set, node);
}

static enum tfprof_status add_rows(const struct set_maker *m, enum tfprof_view view,
	row_fn *is_match, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct table_json t;
	const int64_t *rows;
	size_t n_nodes;
	unsigned char *matches = NULL;
	enum tfprof_status status = view_query_all(m->call, view, &kept, err);

	if (status == TFPROF_OK)
		status = table_json_open(&t, view, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = tfprof_result_get_node_rows(kept_get(kept), &rows, &n_nodes, err);
	if (status == TFPROF_OK) {
		matches = mem_zero_array(t.n_rows + 1, 1);
		if (!matches)
			status = error_no_memory(err);
		else
			add_matching(m, &t, rows, matches, is_match);
	}
	mem_free(matches);
	store_release(m->call->store, kept);
	return status;
}

static bool has_name(const struct set_maker *m, const struct table_json *t, int64_t row)
{
	return row && span_equal(table_json_name(t, row), span_of(m->value));
}

/* A layer, or one of those that the graph page shows as one. */
static bool is_layer(const struct set_maker *m, const struct table_json *t, int64_t row)
{
	return has_name(m, t, row) ||
		(row && siblings_is_in(span_of(m->value), table_json_name(t, row)));
}

static enum tfprof_status add_op(const struct set_maker *m, struct tfprof_error *err)
{
	return add_rows(m, TFPROF_OP, has_name, err);
}

static enum tfprof_status add_scope(const struct set_maker *m, struct tfprof_error *err)
{
	return add_rows(m, TFPROF_SCOPE, is_layer, err);
}

bool selection_is_line(const char *line, const struct table_json *t, int64_t row)
{
	const char *colon = strrchr(line, ':');
	struct span path = table_json_path(t, row);
	size_t n = colon ? (size_t)(colon - line) : 0;

	return n && t->line.numbers[row] == strtoll(colon + 1, NULL, 10) && path.n >= n &&
		memcmp(path.at + path.n - n, line, n) == 0 &&
		(path.n == n || path.at[path.n - n - 1] == '/');
}

static bool is_line(const struct set_maker *m, const struct table_json *t, int64_t row)
{
	return selection_is_line(m->value, t, row);
}

static enum tfprof_status add_line(const struct set_maker *m, struct tfprof_error *err)
{
	const char *colon = strrchr(m->value, ':');

	if (!colon || colon[1] < '0' || colon[1] > '9')
		return malformed(m, "a file and a line, such as model.py:66", err);
	return add_rows(m, TFPROF_CODE, is_line, err);
}

static enum tfprof_status add_node(const struct set_maker *m, struct tfprof_error *err)
{
	size_t node = view_find_node(m->profile, m->value);

	if (node == SIZE_MAX)
		return malformed(m, "the number or the name of a node", err);
	add(m->set, node);
	return TFPROF_OK;
}

static enum tfprof_status add_family(const struct set_maker *m, struct tfprof_error *err)
{
	(void)err;
	for (size_t i = 0; i < m->set->n_nodes; i++) {
		size_t n;
		const char *op = tfprof_profile_get_node_op(m->profile, i, &n);

		if (op && strcmp(tfprof_op_get_family(op, n), m->value) == 0)
			add(m->set, i);
	}
	return TFPROF_OK;
}

/* Nodes whose name or type matches. */
static enum tfprof_status add_found(const struct set_maker *m, struct tfprof_error *err)
{
	struct regexes *regexes;
	enum tfprof_status status = find_compile_text(m->value, &regexes, err);

	if (status != TFPROF_OK || !regexes)
		return status;
	for (size_t i = 0; i < m->set->n_nodes; i++) {
		struct span name, op;

		name.at = tfprof_profile_get_node_name(m->profile, i, &name.n);
		op.at = tfprof_profile_get_node_op(m->profile, i, &op.n);
		if (regexes_match(regexes, name) || (op.at && regexes_match(regexes, op)))
			add(m->set, i);
	}
	status = regexes_check(regexes, err);
	regexes_free(regexes);
	return status;
}

static int add_execution(void *context, uint64_t node, int64_t us)
{
	(void)us;
	add(context, node);
	return 0;
}

static enum tfprof_status add_time(const struct set_maker *m, struct tfprof_error *err)
{
	int64_t step, from, until;
	int n_read = 0;
	struct kept *kept;
	struct step_times times;
	struct tfprof_lane lane;
	enum tfprof_status status;

	if (sscanf(m->value, "%" SCNd64 ",%" SCNd64 "-%" SCNd64 "%n", &step, &from, &until,
		    &n_read) != 3 ||
		m->value[n_read] || from < 0 || from > INT64_MAX / 4 || until < from ||
		until > INT64_MAX / 4)
		return malformed(m, "a step and a stretch of it, such as 0,1000-2000", err);
	status = view_timeline(m->call, step, &kept, err);
	if (status != TFPROF_OK)
		return status;
	status = timeline_call_find_times(m->call, kept_get(kept), step, &times, err);
	for (size_t i = 0;
		status == TFPROF_OK && tfprof_timeline_read_lane(kept_get(kept), i, &lane); i++)
		tfprof_timeline_each(kept_get(kept), i, times.start_us + from,
			times.start_us + until, add_execution, m->set);
	store_release(m->call->store, times.course);
	store_release(m->call->store, kept);
	return status;
}

static const struct {
	const char *prefix;
	term_fn *add;
} terms[] = {
	{"op:", add_op},
	{"scope:", add_scope},
	{"line:", add_line},
	{"node:", add_node},
	{"family:", add_family},
	{"time:", add_time},
	{"find:", add_found},
};

static void free_set(void *object)
{
	struct node_set *set = object;

	if (set)
		mem_free(set->has);
	mem_free(set);
}

static enum tfprof_status fill(struct set_maker *m, struct tfprof_error *err)
{
	const char *term = m->value;

	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++) {
		size_t n = strlen(terms[i].prefix);

		if (strncmp(term, terms[i].prefix, n) != 0)
			continue;
		m->value = term + n;
		return terms[i].add(m, err);
	}
	return malformed(m,
		"op:NAME, scope:NAME, line:FILE:LINE, node:NUMBER, node:NAME, family:NAME, "
		"find:REGEX or time:STEP,FROM-UNTIL",
		err);
}

static enum tfprof_status make_set(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	struct set_maker *m = context;
	struct tfprof_summary summary;
	enum tfprof_status status;

	(void)cancel;
	tfprof_profile_get_summary(profile, &summary);
	m->profile = profile;
	m->set = mem_zero(sizeof(*m->set));
	if (!m->set)
		return error_no_memory(err);
	m->set->n_nodes = summary.n_nodes;
	m->set->has = mem_zero_array(summary.n_nodes + 1, 1);
	status = m->set->has ? fill(m, err) : error_no_memory(err);
	if (status != TFPROF_OK) {
		free_set(m->set);
		return status;
	}
	*object = m->set;
	return TFPROF_OK;
}

static size_t count_set_bytes(void *set)
{
	return sizeof(struct node_set) + ((const struct node_set *)set)->n_nodes;
}

/* ---- of a call -------------------------------------------------------------- */

static enum tfprof_status open_set(struct selection *s, struct call *c, const char *term,
	struct tfprof_error *err)
{
	struct set_maker context = {.call = c, .value = term};
	struct maker maker = {make_set, count_set_bytes, free_set, &context};
	struct buf key = {0};
	int64_t p;
	enum tfprof_status status = call_get_int(c, "p", 0, 0, MAX_PROFILES - 1, &p, err);

	if (status == TFPROF_OK)
		status = view_put_key(c, "selection", &key, err);
	if (status == TFPROF_OK) {
		buf_text(&key, term);
		buf_char(&key, '\0');
		status = key.failed
			? error_no_memory(err)
			: store_use(c->store, p, key.at, &maker, &c->cancel, &s->kept, err);
	}
	buf_clear(&key);
	return status;
}

enum tfprof_status selection_open(struct selection *s, struct call *c, struct tfprof_error *err)
{
	const char *term = call_get(c, "sel");
	size_t n_nodes;
	enum tfprof_status status;

	*s = (struct selection){.store = c->store};
	if (!term || !*term)
		return TFPROF_OK;
	status = open_set(s, c, term, err);
	if (status == TFPROF_OK)
		status = view_query_all(c, TFPROF_SCOPE, &s->counted, err);
	if (status == TFPROF_OK)
		status = table_json_open(&s->table, TFPROF_SCOPE, kept_get(s->counted), err);
	if (status == TFPROF_OK)
		status = tfprof_result_get_node_rows(kept_get(s->counted), &s->row_of_node,
			&n_nodes, err);
	return status;
}

void selection_close(struct selection *s)
{
	if (!s->store)
		return;
	store_release(s->store, s->kept);
	store_release(s->store, s->counted);
	s->kept = s->counted = NULL;
}

const struct node_set *selection_get(const struct selection *s)
{
	return s->kept ? kept_get(s->kept) : NULL;
}

int64_t selection_count(const struct selection *s, const char *metric, size_t node)
{
	const struct table_json_metric *m = table_json_metric(&s->table, metric);

	return m && s->row_of_node[node] >= 0 ? m->own[s->row_of_node[node]] : 0;
}

enum tfprof_status selection_sum(const struct selection *s, const struct table_json *t,
	tfprof_result *result, const char *metric, bool totals, int64_t **sums,
	struct tfprof_error *err)
{
	const struct node_set *set = selection_get(s);
	const struct table_json_metric *m;
	const int64_t *rows;
	size_t n_nodes;
	enum tfprof_status status;

	*sums = NULL;
	if (!set)
		return TFPROF_OK;
	m = table_json_metric(&s->table, metric);
	if (!m)
		return error_set(err, TFPROF_ARGUMENT, "metric_column=%.100s: no such column",
			metric);
	status = tfprof_result_get_node_rows(result, &rows, &n_nodes, err);
	if (status != TFPROF_OK)
		return status;
	*sums = mem_zero_array(t->n_rows + 1, sizeof(**sums));
	if (!*sums)
		return error_no_memory(err);
	for (size_t i = 0; i < set->n_nodes && i < n_nodes; i++)
		if (set->has[i] && s->row_of_node[i] >= 0 && (rows[i] >= 0 || totals))
			(*sums)[rows[i] < 0 ? 0 : rows[i]] += m->own[s->row_of_node[i]];
	for (size_t row = t->n_rows; totals && row-- > 1;)
		(*sums)[t->parent[row]] += (*sums)[row];
	return TFPROF_OK;
}
