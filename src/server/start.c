#include "server/start.h"

#include <string.h>

#include "base/error.h"
#include "server/table_json.h"

/* Writes a name as a regex that matches it. A comma would separate regexes, so it becomes a dot. */
static void put_literal(struct buf *b, struct span name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (name.at[i] == ',') {
			buf_char(b, '.');
			continue;
		}
		if (name.at[i] && strchr("\\^$.|?*+()[]{}", name.at[i]))
			buf_char(b, '\\');
		buf_char(b, name.at[i]);
	}
}

/* Queries rows as pages number them: regardless of order, columns and depth. */
static enum tfprof_status query_rows(struct call *c, enum tfprof_view view, struct kept **kept,
	struct tfprof_error *err)
{
	static const char *const settings[][2] = {{"order_by", "name"}, {"select", "micros"},
		{"max_depth", VIEW_ALL_DEPTHS}};
	tfprof_options *options;
	enum tfprof_status status = view_options(c, &options, err);

	for (size_t i = 0; status == TFPROF_OK && i < sizeof(settings) / sizeof(*settings); i++)
		status = tfprof_options_set(options, settings[i][0], settings[i][1], err);
	if (status == TFPROF_OK)
		status = view_query_with(c, view, options, kept, err);
	tfprof_options_free(options);
	return status;
}

static enum tfprof_status start_at(tfprof_options *options, struct span name,
	struct tfprof_error *err)
{
	struct buf regex = {0};
	enum tfprof_status status;

	put_literal(&regex, name);
	buf_char(&regex, '\0');
	status = regex.failed ? error_no_memory(err)
			      : tfprof_options_set(options, "start_name_regexes", regex.at, err);
	buf_clear(&regex);
	return status;
}

static enum tfprof_status start_at_row(struct call *c, enum tfprof_view view, int64_t root,
	tfprof_options *options, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct table_json table;
	enum tfprof_status status = query_rows(c, view, &kept, err);

	if (status == TFPROF_OK)
		status = table_json_open(&table, view, kept_get(kept), err);
	if (status == TFPROF_OK && (size_t)root >= table.n_rows)
		status = error_set(err, TFPROF_ARGUMENT, "root: there are %zu rows", table.n_rows);
	if (status == TFPROF_OK)
		status = start_at(options, table_json_name(&table, root), err);
	store_release(c->store, kept);
	return status;
}

enum tfprof_status start_at_root(struct call *c, enum tfprof_view view,
	const struct shown_profile *profile, tfprof_options *options, struct tfprof_error *err)
{
	const char *scope = call_get(c, "scope"), *around = call_get(c, "around");
	int64_t root;
	enum tfprof_status status = call_get_int(c, "root", 0, 0, INT64_MAX, &root, err);

	if (status != TFPROF_OK)
		return status;
	if (around) {
		size_t node = view_find_node(profile->profile, around);
		struct span name;

		if (node == SIZE_MAX)
			return error_set(err, TFPROF_ARGUMENT, "around=%.200s: no such node",
				around);
		name.at = tfprof_profile_get_node_name(profile->profile, node, &name.n);
		return start_at(options, name, err);
	}
	if (scope && *scope)
		return start_at(options, span_of(scope), err);
	return root ? start_at_row(c, view, root, options, err) : TFPROF_OK;
}
