#include "server/gradients.h"

#include "base/error.h"
#include "base/mem.h"
#include "model/gradient.h"
#include "server/view_query.h"

static bool is_gradient(tfprof_profile *profile, size_t node)
{
	struct span name;
	struct gradient g;

	name.at = tfprof_profile_get_node_name(profile, node, &name.n);
	return gradient_parse(name, &g);
}

/* A line has many nodes, whose numbers are looked up in scope view: there each has a row. */
static enum tfprof_status sum_lines(struct call *c, tfprof_result *result, tfprof_profile *profile,
	const char *metric, int64_t *sums, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct table_json counted;
	const int64_t *rows, *counted_rows;
	const struct table_json_metric *numbers = NULL;
	size_t n, n_counted;
	enum tfprof_status status = tfprof_result_get_node_rows(result, &rows, &n, err);

	if (status == TFPROF_OK)
		status = view_query_all(c, TFPROF_SCOPE, &kept, err);
	if (status == TFPROF_OK)
		status = table_json_open(&counted, TFPROF_SCOPE, kept_get(kept), err);
	if (status == TFPROF_OK) {
		numbers = table_json_metric(&counted, metric);
		status =
			tfprof_result_get_node_rows(kept_get(kept), &counted_rows, &n_counted, err);
	}
	for (size_t i = 0; status == TFPROF_OK && numbers && i < n && i < n_counted; i++)
		if (rows[i] >= 0 && counted_rows[i] >= 0 && is_gradient(profile, i))
			sums[rows[i]] += numbers->own[counted_rows[i]];
	store_release(c->store, kept);
	return status;
}

enum tfprof_status gradients_sum(struct call *c, const struct table_json *t, tfprof_result *result,
	tfprof_profile *profile, int64_t **sums, struct tfprof_error *err)
{
	const char *name = call_get_metric(c);
	const struct table_json_metric *metric = table_json_metric(t, name);

	*sums = mem_zero_array(t->n_rows + 1, sizeof(**sums));
	if (!*sums)
		return error_no_memory(err);
	if (t->view == TFPROF_CODE)
		return sum_lines(c, result, profile, name, *sums, err);
	for (size_t row = 0; metric && row < t->n_rows; row++)
		if (t->node[row] >= 0 && is_gradient(profile, (size_t)t->node[row]))
			(*sums)[row] = metric->own[row];
	return TFPROF_OK;
}
