/* /api/selection: what is selected, in sums: over all metrics, and by operation, layer,
 * line and node. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "server/ranked.h"
#include "server/routes.h"
#include "server/selection.h"

enum { MAX_SHOWN = 10, MAX_SHOWN_NODES = 100 };

static void put_totals(const struct selection *s, struct json *out)
{
	const struct node_set *set = selection_get(s);

	json_key(out, "total");
	json_open_object(out);
	for (size_t i = 0; i < s->table.n_metrics; i++) {
		int64_t sum = 0;

		for (size_t node = 0; node < set->n_nodes; node++)
			if (set->has[node] && s->row_of_node[node] >= 0)
				sum += s->table.metrics[i].own[s->row_of_node[node]];
		if (sum)
			json_put_int(out, s->table.metrics[i].name, sum);
	}
	json_close_object(out);
}

static void put_nodes(const struct selection *s, const char *metric, tfprof_profile *profile,
	ranked_vec *parts, struct json *out)
{
	ranked_sort(parts);
	json_key(out, "largest");
	json_open_array(out);
	for (size_t i = 0; i < parts->n && i < MAX_SHOWN_NODES; i++) {
		size_t node = (size_t)parts->at[i].id, n, n_op;
		const char *name = tfprof_profile_get_node_name(profile, node, &n);
		const char *op = tfprof_profile_get_node_op(profile, node, &n_op);

		json_open_object(out);
		json_put_int(out, "node", (int64_t)node);
		json_put_string(out, "name", (struct span){name, n});
		json_put_string(out, "op", (struct span){op, n_op});
		json_put_text(out, "family", tfprof_op_get_family(op, n_op));
		json_put_int(out, "value", selection_count(s, metric, node));
		json_close_object(out);
	}
	json_close_array(out);
}

static enum tfprof_status put_largest_nodes(const struct selection *s, const char *metric,
	tfprof_profile *profile, struct json *out, struct tfprof_error *err)
{
	const struct node_set *set = selection_get(s);
	ranked_vec parts = {0};
	bool ok = vec_reserve(&parts, set->n);

	for (size_t node = 0; ok && node < set->n_nodes; node++)
		if (set->has[node])
			ok = vec_push(&parts,
				((struct ranked){(int64_t)node, selection_count(s, metric, node)}));
	if (ok)
		put_nodes(s, metric, profile, &parts, out);
	vec_clear(&parts);
	return ok ? TFPROF_OK : error_no_memory(err);
}

/* The scope whose children are listed: the root, or the innermost one with nearly everything in
 * it. */
static int64_t find_level(const struct table_json *t, const int64_t *total)
{
	int64_t row = 0;

	for (;;) {
		int64_t wide = -1;

		for (int64_t child = row + 1; child < t->end[row]; child = t->end[child])
			if (total[child] > total[row] / 10 * 9 && t->end[child] > child + 2)
				wide = child;
		if (wide < 0)
			return row;
		row = wide;
	}
}

static bool collect_rows(const struct table_json *t, const int64_t *sums, bool nested, int64_t top,
	ranked_vec *parts)
{
	int64_t end = t->n_rows ? t->end[top] : 0;
	bool ok = true;

	for (int64_t row = top + 1; ok && row < end; row = nested ? t->end[row] : row + 1)
		if (sums[row])
			ok = vec_push(parts, ((struct ranked){row, sums[row]}));
	return ok;
}

static void put_rows(const struct table_json *t, ranked_vec *parts, struct json *out)
{
	ranked_sort(parts);
	json_open_array(out);
	for (size_t i = 0; i < parts->n && i < MAX_SHOWN; i++) {
		table_json_begin(t, parts->at[i].id, out);
		json_put_int(out, "value", parts->at[i].value);
		json_close_object(out);
	}
	json_close_array(out);
}

static enum tfprof_status put_view(struct call *c, const struct selection *s, enum tfprof_view view,
	struct json *out, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct table_json t;
	const struct table_json_metric *metric;
	int64_t *sums = NULL;
	ranked_vec parts = {0};
	enum tfprof_status status = view_query_all(c, view, &kept, err);

	if (status == TFPROF_OK)
		status = table_json_open(&t, view, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = selection_sum(s, &t, kept_get(kept), call_get_metric(c),
			view == TFPROF_SCOPE, &sums, err);
	if (status == TFPROF_OK) {
		metric = table_json_metric(&t, call_get_metric(c));
		if (collect_rows(&t, sums, view == TFPROF_SCOPE,
			    view == TFPROF_SCOPE ? find_level(&t, metric->total) : 0, &parts))
			put_rows(&t, &parts, out);
		else
			status = error_no_memory(err);
	}
	vec_clear(&parts);
	mem_free(sums);
	store_release(c->store, kept);
	return status;
}

static enum tfprof_status put_selection(struct call *c, const struct selection *s,
	tfprof_profile *profile, struct json *out, struct tfprof_error *err)
{
	static const struct {
		const char *key;
		enum tfprof_view view;
	} lists[] = {{"operations", TFPROF_OP}, {"layers", TFPROF_SCOPE}, {"lines", TFPROF_CODE}};
	struct tfprof_summary summary;
	enum tfprof_status status;

	tfprof_profile_get_summary(profile, &summary);
	json_put_int(out, "nodes", (int64_t)selection_get(s)->n);
	put_totals(s, out);
	status = put_largest_nodes(s, call_get_metric(c), profile, out, err);
	for (size_t i = 0; status == TFPROF_OK && i < sizeof(lists) / sizeof(*lists); i++) {
		if (lists[i].view == TFPROF_CODE && !summary.has_code_traces)
			continue;
		json_key(out, lists[i].key);
		status = put_view(c, s, lists[i].view, out, err);
	}
	return status;
}

enum tfprof_status route_selection(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct selection s = {0};
	struct shown_profile *profile;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = selection_open(&s, c, err);
	if (status == TFPROF_OK && !selection_get(&s))
		status = error_set(err, TFPROF_ARGUMENT, "sel is missing: nothing is selected");
	if (status == TFPROF_OK && !table_json_metric(&s.table, call_get_metric(c)))
		status = error_set(err, TFPROF_ARGUMENT, "metric_column=%.100s: no such column",
			call_get_metric(c));
	if (status == TFPROF_OK) {
		json_open_object(out);
		status = put_selection(c, &s, profile->profile, out, err);
		json_close_object(out);
	}
	selection_close(&s);
	return status;
}
